/*
 * A program with planted effects: it works half as much again on a CPU, where its stack begins at an odd multiple of 16
 * bytes, or where its heap does, whichever its argument names. The CPU is stated, since no number is that of a CPU on which
 * it may run everywhere.
 *
 * usage: planted none|cpu|stack|heap ROUNDS [CPU]
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_odd(const void *place) { return (uintptr_t)place / 16 % 2; }

int main(int argc, char **argv)
{
	long rounds = argc > 2 ? atol(argv[2]) : 100000;
	int slow = 0;
	volatile double sum = 0;

	if (argc > 3 && !strcmp(argv[1], "cpu"))
		slow = sched_getcpu() == atoi(argv[3]);
	if (argc > 1 && !strcmp(argv[1], "stack"))
		slow = is_odd(argv);
	if (argc > 1 && !strcmp(argv[1], "heap"))
		slow = is_odd(sbrk(0));
	if (slow)
		rounds += rounds / 2;
	for (long i = 0; i < rounds; i++)
		sum += 0.5 * i;
	return 0;
}
