/* The eight formulas of `fauxplat index` (which are assembly there, and a compiler's here) in one thread or several that a barrier starts together, each so and so many times
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
    const double pi = 3.14159265358979323846;
    uint64_t r = 0, sum = 0;
    double held[4] = { 0 };
    for (uint64_t i = 0; i < 100000; i++) {
        r += i;
        /* Circumference, area, surface and volume, in integers that wrap around and in doubles. */
        uint64_t d = r + r, dd = d * d;
        sum += d * 314 / 100 + r * r * 314 / 100 + dd * 314 / 100 + dd * d * 314 / 600;
        double x = (double)(int64_t)r, y = x + x;
        held[0] += y * pi;
        held[1] += x * x * pi;
        held[2] += y * y * pi;
        held[3] += y * y * y * (pi / 6);
    }
    kept = held[0] + held[1] + held[2] + held[3];
    return sum;
}

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
        if (pthread_join(all[i], &sum) || (uint64_t)(uintptr_t)sum != 617920109315040469u) return 1;
    }
    printf("%llu\n", 617920109315040469ull);
    return 0;
}
