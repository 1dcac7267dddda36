/* Functions of known shares, on short and on deep stacks, in one thread or in several.
 *
 * The loops are the same instructions, but where they stand in memory moves them by some per cent. So the program
 * measures by itself, with the clock of its thread, what each of them took, and prints that: the truth that a profile
 * is held against. Then it prints what the whole process took. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

/* The share of the smallest function; ten makes the whole program 5 % slower. */
#ifndef FIVE
#define FIVE 5
#endif

#define LOOP(name)                                                                                                   \
    __attribute__((noinline)) static unsigned long name(unsigned long rounds) {                                      \
        volatile unsigned long sum = 0;                                                                              \
        for (unsigned long at = 0; at < rounds; at++)                                                                \
            sum += at;                                                                                               \
        return sum;                                                                                                  \
    }

LOOP(fifty)
LOOP(thirty)
LOOP(fifteen)
LOOP(five)

static unsigned long of_thread(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000UL + now.tv_nsec;
}

struct took {
    unsigned long rounds, depth, fifty, thirty, fifteen, five;
};

static unsigned long timed(unsigned long (*loop)(unsigned long), unsigned long rounds, unsigned long *took) {
    unsigned long begun = of_thread();
    unsigned long sum = loop(rounds);
    *took += of_thread() - begun;
    return sum;
}

/* Calls that stand between the beginning and the loop. */
__attribute__((noinline)) static unsigned long deeper(struct took *it, unsigned long depth) {
    volatile unsigned long here = depth;
    if (depth > 0)
        return deeper(it, depth - 1) + here;
    return timed(thirty, 30 * it->rounds, &it->thirty);
}

static void *work(void *of) {
    struct took *it = of;
    for (int turn = 0; turn < 100; turn++) {
        timed(fifty, 50 * it->rounds, &it->fifty);
        deeper(it, it->depth);
        timed(fifteen, 15 * it->rounds, &it->fifteen);
        timed(five, FIVE * it->rounds, &it->five);
    }
    return NULL;
}

int main(int argc, char **argv) {
    unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 2000;
    int threads = argc > 2 ? atoi(argv[2]) : 1;
    unsigned long depth = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
    if (threads < 1 || threads > 64)
        return 2;
    struct took all[64] = {{0}}, sum = {0};
    pthread_t others[64];
    for (int at = 0; at < threads; at++) {
        all[at].rounds = rounds;
        all[at].depth = depth;
    }
    for (int at = 1; at < threads; at++)
        if (pthread_create(&others[at], NULL, work, &all[at]) != 0)
            return 3;
    work(&all[0]);
    for (int at = 0; at < threads; at++) {
        if (at > 0)
            pthread_join(others[at], NULL);
        sum.fifty += all[at].fifty;
        sum.thirty += all[at].thirty;
        sum.fifteen += all[at].fifteen;
        sum.five += all[at].five;
    }
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    unsigned long us = (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000UL + used.ru_utime.tv_usec + used.ru_stime.tv_usec;
    fprintf(stderr, "fifty %lu\nthirty %lu\nfifteen %lu\nfive %lu\ncpu_us %lu\n", sum.fifty, sum.thirty, sum.fifteen,
            sum.five, us);
    return 0;
}
