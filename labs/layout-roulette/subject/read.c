/* Reads every key of every object of the table, as often as asked, and prints what one time took, in nanoseconds by a clock
 * around the reads alone. usage: read TIMES [untouched]
 *
 * Each page of the table is touched before the clock begins, unless `untouched` says otherwise. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "table.h"

void publish(uint32_t object);

static double nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e9 + now.tv_nsec;
}

static void read_all(void) {
    for (uint32_t object = 0; object < OBJECTS; object++)
        for (uint32_t key = 0; key < KEYS; key++)
            get(object, key);
}

int main(int argc, char **argv) {
    long times = argc > 1 ? atol(argv[1]) : 1;
    if (argc < 3) {
        for (uint32_t object = 0; object < OBJECTS; object++) ((volatile int64_t *)cells[object])[0] = 0;
        read_all();
    }
    uint64_t before = reads();
    double begin = nanoseconds();
    for (long i = 0; i < times; i++) {
        publish((uint32_t)i & (OBJECTS - 1));
        read_all();
    }
    double took = nanoseconds() - begin;
    if (reads() - before != (uint64_t)times * OBJECTS * KEYS) return 1;
    printf("sum %lu\nns %.0f\n", (unsigned long)sum(), took / (double)times);
    return 0;
}
