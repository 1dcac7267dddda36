/*
 * The micro-kernel of the env-size lab: 65,536 times three static variables are increased by a variable that lives on
 * the stack. Compiled without optimisation, so that each step loads and stores: which statics share their place within a
 * page with the stack is then decided by the size of the environment.
 *
 *     cc -O0 -o loop loop.c
 *
 * It is written after the description of the experiment in Mytkowicz, Diwan, Hauswirth and Sweeney (ASPLOS 2009),
 * "Producing wrong data without doing anything obviously wrong!". argv[1] repeats the loop, since one round is over in
 * tenths of a millisecond. It prints the time of the loop, and as its answer the sum of the three.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int first, second, third;
/* The start of the program and its end are no part of what was published. Not on the stack, whose size is the matter. */
static struct timespec begin, end;

int main(int argc, char **argv)
{
	int increment = 1;
	int rounds = argc > 1 ? atoi(argv[1]) : 1;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (int round = 0; round < rounds; round++) {
		int step = 0;
		for (; step < 65536; step++) {
			first += increment;
			second += increment;
			third += increment;
		}
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("ns %lld\n", (end.tv_sec - begin.tv_sec) * 1000000000LL + end.tv_nsec - begin.tv_nsec);
	printf("%u\n", (unsigned)first + (unsigned)second + (unsigned)third);
	return 0;
}
