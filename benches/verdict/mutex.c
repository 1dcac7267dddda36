/* Two threads that take turns at one mutex: argv[1] times each. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned long long sum = 1;
static long times;

static void *work(void *unused)
{
	(void)unused;
	for (long i = times; i > 0; i--) {
		pthread_mutex_lock(&mutex);
		sum = sum * 6364136223846793005ULL + 1;
		pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	times = argc > 1 ? atol(argv[1]) : 1;
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, work, NULL) != 0)
			return 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%llu\n", sum);
	return 0;
}
