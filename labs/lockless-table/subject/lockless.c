/* Reads 65,536 objects x 12 keys over and over, and prints the sum as its answer, and what one pass took in nanoseconds, by a
 * clock around the reads alone.
 *
 *     lockless plain|table PASSES
 *
 * plain: an array of 32-bit integers. table: the same values in a live table of this project, through fxt_read. Both start
 * with the same work, and their answers agree. The published database is another program, database.c. */
#define _GNU_SOURCE
#include "fauxplat_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { OBJECTS = 65536, KEYS = 12 };

static int32_t values[OBJECTS * KEYS];

static inline int32_t plain(uint32_t object, uint32_t key) {
    return object < OBJECTS && key < KEYS ? values[object * KEYS + key] : 0;
}

static inline int32_t lockless(const fxt_reader *reader, uint32_t object, uint32_t key) {
    int64_t value = 0;
    fxt_read(reader, object, key, &value);
    return (int32_t)value;
}

/* The empty assembly hides the pair, or the compiler would add the array up as a whole. */
#define PASSES_OF(read)                                                                                      \
    for (long pass = 0; pass < passes; pass++)                                                               \
        for (uint32_t object = 0; object < OBJECTS; object++)                                                \
            for (uint32_t key = 0; key < KEYS; key++) {                                                      \
                uint32_t o = object, k = key;                                                                \
                __asm__("" : "+r"(o), "+r"(k));                                                              \
                sum += (uint32_t)read;                                                                       \
            }

static double nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e9 + now.tv_nsec;
}

int main(int argc, char **argv) {
    if (argc != 3) return fprintf(stderr, "usage: lockless plain|table PASSES\n"), 2;
    long passes = atol(argv[2]);
    char path[64];
    /* In memory, where there is a file system in it that one may write to. */
    snprintf(path, sizeof path, "%s/lockless-%d", access("/dev/shm", W_OK) ? "." : "/dev/shm", (int)getpid());
    fxt_sizes sizes = {.dense_objects = OBJECTS, .max_hashed_objects = 16, .dense_keys = KEYS, .value_bytes = 4};
    fxt_table *table = fxt_create(path, &sizes);
    fxt_reader opened;
    int is_open = table && fxt_reader_open(table, &opened) == FXT_OK;
    if (table) unlink(path);
    if (!is_open) return fprintf(stderr, "%s\n", fxt_error()), 1;
    for (uint32_t pair = 0; pair < OBJECTS * KEYS; pair++) {
        values[pair] = (int32_t)(pair % 1009);
        if (fxt_set(table, pair / KEYS, pair % KEYS, values[pair]) != FXT_OK) return 1;
    }
    /* A copy whose address nobody else has stays in registers. */
    const fxt_reader reader = opened;
    uint64_t sum = 0;
    double begin = nanoseconds();
    if (!strcmp(argv[1], "plain")) PASSES_OF(plain(o, k))
    else if (!strcmp(argv[1], "table")) PASSES_OF(lockless(&reader, o, k))
    else return fprintf(stderr, "no such way to read: %s\n", argv[1]), 2;
    double took = nanoseconds() - begin;
    printf("answer %llu\nns %.0f\n", (unsigned long long)sum, took / (double)passes);
    fxt_close(table);
    return 0;
}
