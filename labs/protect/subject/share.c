/* The arithmetic of `fauxplat index` in one thread or several that a barrier starts together, each so and so many times
 * 100,000 iterations; prints the sum, which is the same everywhere, and ends with 1 if it is not.
 *
 * usage: share LOOPS [CPU…]     a thread on each of these CPUs, `-` for one that runs wherever the scheduler likes; without a
 *                               CPU one thread that does so */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_MAX = 64 };
static volatile double kept;
static long loops;
static pthread_barrier_t together;

static uint64_t loop(void)
{
    uint64_t r = 0, sum = 0;
    double held = 0;
    for (uint64_t i = 0; i < 100000; i++) {
        r += i;
        uint64_t d = 2 * r, small = r & 0xffff;
        sum += d * 314 / 100 + small * small * 314 / 100;
        double x = (double)small;
        held += 2 * 3.14159265358979 * x + 3.14159265358979 * x * x;
    }
    kept = held;
    return sum;
}

/* The sum of one loop, or none if the loops differ or the thread cannot go where it should. */
static void *work(void *cpu)
{
    if (strcmp(cpu, "-")) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET(atoi(cpu), &set);
        if (pthread_setaffinity_np(pthread_self(), sizeof set, &set)) return 0;
    }
    pthread_barrier_wait(&together);
    uint64_t first = loop();
    for (long i = 1; i < loops; i++)
        if (loop() != first) return 0;
    return (void *)(uintptr_t)first;
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
        if (pthread_join(all[i], &sum) || (uint64_t)(uintptr_t)sum != 1496695043057616u) return 1;
    }
    printf("%llu\n", 1496695043057616ull);
    return 0;
}
