/* What it costs this processor that a load follows a store to the same offset of another page, as a ratio to another offset.
 * Prints a JSON document with the ratio of each of twelve rounds, and their median. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PAGE = 4096, STEPS = 100000, TURNS = 20, ROUNDS = 12 };
static _Alignas(PAGE) char memory[3 * PAGE];

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}

/* Each load waits for the one before, so that a penalty cannot hide. */
static double once(size_t load_at)
{
    volatile int *store = (volatile int *)(memory + 64), *load = (volatile int *)(memory + load_at);
    int value = 0;
    double begin = seconds();
    for (int i = 0; i < STEPS; i++) {
        *store = value + i;
        value = *load + (value & 1);
    }
    return value == -1 ? 0 : seconds() - begin;
}

/* The least of several: whatever else runs makes it longer. */
static double time_of(size_t load_at)
{
    double least = once(load_at);
    for (int turn = 1; turn < TURNS; turn++) {
        double time = once(load_at);
        if (time < least) least = time;
    }
    return least;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(void)
{
    double ratios[ROUNDS];
    printf("{\"rounds\": [");
    for (int i = 0; i < ROUNDS; i++) {
        double alias, other;
        if (i % 2) { alias = time_of(PAGE + 64); other = time_of(PAGE + 1024); }
        else { other = time_of(PAGE + 1024); alias = time_of(PAGE + 64); }
        ratios[i] = alias / other;
        printf("%s%.4f", i ? ", " : "", ratios[i]);
    }
    qsort(ratios, ROUNDS, sizeof *ratios, by_size);
    printf("], \"penalty\": %.4f}\n", (ratios[5] + ratios[6]) / 2);
    return 0;
}
