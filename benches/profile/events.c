/* Events in two functions, of which the program itself counts how many there were: page faults, switches, or CPU time.
 *
 * usage: events faults|switches|clock FEW MANY [TURNS]
 *
 * FEW and MANY are pages to touch, naps to take, or thousands of rounds of a loop, in each turn. The kernel's accounts
 * around each call are printed, with those of the whole process: the truth that a profile is held against. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static int kind;
static unsigned char *pages;

/* How many events there were so far; of the clock nanoseconds. */
static unsigned long now(int whose) {
    struct rusage it;
    struct timespec at;
    getrusage(whose, &it);
    clock_gettime(whose == RUSAGE_SELF ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_THREAD_CPUTIME_ID, &at);
    if (kind == 'f')
        return it.ru_minflt + it.ru_majflt;
    if (kind == 's')
        return it.ru_nvcsw + it.ru_nivcsw;
    return at.tv_sec * 1000000000UL + at.tv_nsec;
}

__attribute__((always_inline)) static inline void events(unsigned long count) {
    struct timespec nap = {0, 1};
    volatile unsigned long sum = 0;
    for (unsigned long at = 0; at < count; at++) {
        if (kind == 'f')
            pages[at * 4096] = 1;
        else if (kind == 's')
            nanosleep(&nap, NULL);
        else
            for (unsigned long round = 0; round < 1000; round++)
                sum += round;
    }
}

__attribute__((noinline)) static void few(unsigned long count) { events(count); }
__attribute__((noinline)) static void many(unsigned long count) {
    events(count);
    __asm__ volatile("");
}

static unsigned long counted(void (*function)(unsigned long), unsigned long count) {
    size_t bytes = (count + 1) * 4096;
    if (kind == 'f') {
        pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (pages == MAP_FAILED)
            exit(1);
        madvise(pages, bytes, MADV_NOHUGEPAGE);
    }
    unsigned long before = now(RUSAGE_THREAD);
    function(count);
    unsigned long after = now(RUSAGE_THREAD);
    if (kind == 'f')
        munmap(pages, bytes);
    return after - before;
}

int main(int argc, char **argv) {
    if (argc < 4)
        return 2;
    kind = argv[1][0];
    unsigned long of_few = 0, of_many = 0;
    int turns = argc > 4 ? atoi(argv[4]) : 1;
    for (int turn = 0; turn < turns; turn++) {
        of_few += counted(few, strtoul(argv[2], NULL, 10));
        of_many += counted(many, strtoul(argv[3], NULL, 10));
    }
    fprintf(stderr, "few %lu\nmany %lu\nall %lu\n", of_few, of_many, now(RUSAGE_SELF));
    return 0;
}
