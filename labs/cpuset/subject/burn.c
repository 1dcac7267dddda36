/* Computes for so many seconds of wall time, and prints nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

int main(int count, char **words) {
    if (count != 2) {
        fprintf(stderr, "burn SECONDS\n");
        return 2;
    }
    double end = now() + atof(words[1]);
    volatile unsigned long sum = 1;
    while (now() < end)
        for (int lap = 0; lap < 100000; lap++)
            sum = sum * 6364136223846793005ul + lap;
    return sum == 0;
}
