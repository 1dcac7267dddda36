/* A small server without a network: it serves requests for a while and publishes how many.
 *
 *     cc -O2 serve.c -lfauxplat_table_c -o serve && ./serve /dev/shm/serve 300 1000
 *     fauxplat compare --metric rate --table requests=/dev/shm/serve:1.0 \
 *         './serve /dev/shm/serve 300 1000' './serve /dev/shm/serve 300 1100'
 *
 * The table is kept from run to run: whoever reads it takes the rise. */
#define _POSIX_C_SOURCE 200809L
#include "fauxplat_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SERVER = 1 };
enum { REQUESTS = 0, ANSWER = 1 };

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* One request: so many rounds of a xorshift generator, whose end is the answer. */
static uint64_t serve(uint64_t seed, long rounds) {
    for (long round = 0; round < rounds; round++) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
    }
    return seed;
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: serve TABLE MILLISECONDS ROUNDS\n");
        return 2;
    }
    long rounds = atol(argv[3]);
    fxt_sizes sizes = {.max_hashed_objects = 16, .dense_keys = 2};
    fxt_table *table = fxt_open(argv[1], 1);
    if (!table) table = fxt_create(argv[1], &sizes);
    fxt_counter requests;
    if (!table || fxt_counter_open(table, SERVER, REQUESTS, &requests) != FXT_OK) {
        fprintf(stderr, "%s\n", fxt_error());
        return 1;
    }
    uint64_t answer = 88172645463325252u;
    double until = seconds() + atof(argv[2]) / 1e3;
    do {
        answer = serve(answer, rounds);
        fxt_counter_add(&requests, 1);
    } while (seconds() < until);
    fxt_set(table, SERVER, ANSWER, (int64_t)(answer >> 2));
    printf("requests %lld\n", (long long)requests.value);
    fxt_close(table);
    return 0;
}
