#include "tally.h"

long count_lines(const char *text)
{
	long lines = 0;
	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}
