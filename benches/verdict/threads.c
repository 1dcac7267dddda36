/* Threads that work side by side and share nothing: argv[1] of them, argv[2] rounds of arithmetic each. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS_MAX = 64 };

static long rounds;
static unsigned long long sums[THREADS_MAX];

static void *work(void *slot)
{
	unsigned long long sum = 1;
	for (long i = rounds; i > 0; i--)
		sum = sum * 6364136223846793005ULL + (unsigned long long)i;
	*(unsigned long long *)slot = sum;
	return NULL;
}

int main(int argc, char **argv)
{
	int count = argc > 2 ? atoi(argv[1]) : 0;
	if (count < 1 || count > THREADS_MAX) {
		fputs("usage: threads COUNT ROUNDS\n", stderr);
		return 2;
	}
	rounds = atol(argv[2]);
	pthread_t threads[THREADS_MAX];
	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, work, &sums[i]) != 0)
			return 1;
	unsigned long long sum = 0;
	for (int i = 0; i < count; i++) {
		pthread_join(threads[i], NULL);
		sum += sums[i];
	}
	printf("%llu\n", sum);
	return 0;
}
