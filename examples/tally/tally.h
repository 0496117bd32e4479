#ifndef TALLY_H
#define TALLY_H

/* Both count in a text that ends with a NUL. */
long count_lines(const char *text);
long count_words(const char *text);

#endif
