/* A program whose time is a stated amount of work: argv[1] rounds of arithmetic in which each step waits for the last. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	unsigned long long sum = 1;
	for (long i = argc > 1 ? atol(argv[1]) : 1; i > 0; i--)
		sum = sum * 6364136223846793005ULL + (unsigned long long)i;
	printf("%llu\n", sum);
	return 0;
}
