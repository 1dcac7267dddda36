/* The characters: text of one word, over and over. */
#include <stdint.h>

static const char word[16] = "Faux plat 1985. ";
static uint32_t place[4];

uint32_t next_character(void) { return (uint32_t)word[place[0]++ & 15]; }
