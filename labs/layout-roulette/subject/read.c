/* Reads every key of every object of the table, as often as asked, and prints what one time took, in nanoseconds by a clock
 * around the reads alone. usage: read TIMES [mapped|anew]
 *
 * Each page of the table is written and read before the clock begins. With `mapped` the table is a file in memory, and with
 * `anew` the same file is mapped again before the clock begins, so that the reads touch each of its written pages first. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
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

/* Puts the file in the place of the table, or puts it there again. */
static int map(int file) {
    return mmap(cells, sizeof cells, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED;
}

int main(int argc, char **argv) {
    long times = argc > 1 ? atol(argv[1]) : 1;
    const char *where = argc > 2 ? argv[2] : "";
    int file = *where ? memfd_create("table", 0) : -1;
    if (*where && (file < 0 || ftruncate(file, sizeof cells) || map(file))) return perror("table"), 1;
    for (uint32_t object = 0; object < OBJECTS; object++) ((volatile int64_t *)cells[object])[0] = 0;
    read_all();
    if (!strcmp(where, "anew") && map(file)) return perror("table"), 1;
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
