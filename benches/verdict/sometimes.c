/* Arithmetic of argv[1] rounds that in argv[2] of 1000 runs takes twice as many. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

int main(int argc, char **argv)
{
	unsigned random = 0;
	if (argc < 3 || getrandom(&random, sizeof random, 0) != sizeof random)
		return 2;
	long rounds = atol(argv[1]);
	if (random % 1000 < (unsigned)atol(argv[2]))
		rounds *= 2;
	unsigned long long sum = 1;
	for (long i = rounds; i > 0; i--)
		sum = sum * 6364136223846793005ULL + (unsigned long long)i;
	printf("%llu\n", sum);
	return 0;
}
