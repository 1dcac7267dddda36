/*
 * A program whose time depends on where its stack begins, by nothing but the memory system: argv[1] times it loads, and
 * now and then stores, eight bytes that lie across a boundary of 64 bytes in some places and inside a cache line in the
 * others.
 *
 * The stack begins at a multiple of 16 bytes, so of four places that are 16 bytes apart one crosses a line: the time has
 * a period of 64 bytes. One place in 256 crosses a page as well, and there the stores cost much more. With a second
 * argument the program prints where its word lies.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* So many loads come with one store: enough that lines weigh by their loads, and pages by their stores. */
#define ROUNDS_PER_STORE 16

int main(int argc, char **argv)
{
	char room[64];
	/* Twelve bytes after a multiple of 16: at 12, 28 and 44 the word ends within its line, at 60 beyond it. */
	volatile uint64_t *word = (volatile uint64_t *)((((uintptr_t)room + 15) & ~(uintptr_t)15) + 12);
	uint64_t even = 0, odd = 0;
	for (long rounds = argc > 1 ? atol(argv[1]) : 1; rounds > 0; rounds--) {
		*word = (uint64_t)rounds;
		for (int i = 0; i < ROUNDS_PER_STORE; i++) {
			/* Independent of each other, so that the loads are as fast as the memory system takes them. */
			even += *word, odd += *word, even += *word, odd += *word;
			even += *word, odd += *word, even += *word, odd += *word;
		}
	}
	/* The place is no part of the answer, which must be the same everywhere. */
	printf("%llu\n", (unsigned long long)(even + odd));
	if (argc > 2)
		printf("%p\n", (void *)word);
	return 0;
}
