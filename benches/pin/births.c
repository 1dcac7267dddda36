/* Threads one after another, argv[1] of them, none of which does anything. */
#include <pthread.h>
#include <stdlib.h>

static void *nothing(void *unused)
{
	return unused;
}

int main(int argc, char **argv)
{
	for (long left = argc > 1 ? atol(argv[1]) : 1; left > 0; left--) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, nothing, NULL) != 0 || pthread_join(thread, NULL) != 0)
			return 1;
	}
	return 0;
}
