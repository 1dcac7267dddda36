/* The published loop of the index (do_loop.c of the lab fauxplat-index) so and so many times; prints what they took in
 * nanoseconds and their answer: published LOOPS */
#include "do_loop.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Not on the stack, whose size is the matter. */
static struct timespec begin, end;
static long answer;

int main(int argc, char **argv)
{
    long loops = argc > 1 ? atol(argv[1]) : 1;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (long i = 0; i < loops; i++) answer = do_loop().integers;
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("ns %lld\n%ld\n", (end.tv_sec - begin.tv_sec) * 1000000000LL + end.tv_nsec - begin.tv_nsec, answer);
    return 0;
}
