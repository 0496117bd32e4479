#include <ctype.h>
#include "tally.h"

long count_words(const char *text)
{
	long words = 0;
	int inside = 0;
	for (; *text; text++) {
		int blank = isspace((unsigned char)*text);
		words += !blank && !inside;
		inside = !blank;
	}
	return words;
}
