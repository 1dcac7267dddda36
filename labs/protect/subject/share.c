/* The published loop (do_loop.c of the lab fauxplat-index) in one thread or several that a barrier starts together, each so
 * and so many times 100,000 iterations; prints the answer, which is the same everywhere, and ends with 1 if it is not.
 *
 * usage: share LOOPS [CPU…]     a thread on each of these CPUs, `-` for one that runs wherever the scheduler likes; without a
 *                               CPU one thread that does so */
#define _GNU_SOURCE
#include "do_loop.h"

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_MAX = 64 };
static long loops;
static pthread_barrier_t together;

/* The sum of one loop, or none if the loops differ or the thread cannot go where it should. */
static void *work(void *cpu)
{
    int refused = 0;
    if (strcmp(cpu, "-")) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET(atoi(cpu), &set);
        refused = pthread_setaffinity_np(pthread_self(), sizeof set, &set);
    }
    /* Also who cannot go there: the others wait for all. */
    pthread_barrier_wait(&together);
    if (refused) return 0;
    long first = do_loop().integers;
    for (long i = 1; i < loops; i++)
        if (do_loop().integers != first) return 0;
    return (void *)(intptr_t)first;
}

int main(int argc, char **argv)
{
    static char anywhere[] = "-";
    char *one[] = { anywhere }, **cpus = argc > 2 ? argv + 2 : one;
    int threads = argc > 2 ? argc - 2 : 1;
    loops = argc > 1 ? atol(argv[1]) : 0;
    if (loops < 1 || threads > THREADS_MAX) { fprintf(stderr, "usage: share LOOPS [CPU...]\n"); return 2; }
    pthread_t all[THREADS_MAX];
    pthread_barrier_init(&together, 0, threads);
    for (int i = 0; i < threads; i++)
        if (pthread_create(&all[i], 0, work, cpus[i])) return 1;
    for (int i = 0; i < threads; i++) {
        void *sum = 0;
        if (pthread_join(all[i], &sum) || (intptr_t)sum != 218240654384798433) return 1;
    }
    printf("218240654384798433\n");
    return 0;
}
