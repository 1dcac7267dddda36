/* Prints a number around 100 with normal noise of 3 %, as a benchmark prints its own latency, and more of it by as many per
 * cent as the argument says. The number depends on nothing that the machine does. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

/* A number drawn from (0, 1]. */
static double uniform(void)
{
	uint64_t bits;

	if (getrandom(&bits, sizeof bits, 0) != sizeof bits)
		exit(1);
	return ((bits >> 11) + 1) * 0x1p-53;
}

int main(int argc, char **argv)
{
	double more = argc > 1 ? atof(argv[1]) / 100 : 0;
	double normal = sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());

	printf("lat %.6f\n", 100 * (1 + more) * exp(0.03 * normal));
	return 0;
}
