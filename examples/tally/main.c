#include <stdio.h>
#include "tally.h"

int main(void)
{
	static char text[1 << 20];
	size_t length = fread(text, 1, sizeof text - 1, stdin);
	text[length] = '\0';
	printf("%ld lines, %ld words\n", count_lines(text), count_words(text));
	return 0;
}
