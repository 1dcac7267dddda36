/* Runs the published loop as published, so and so many times, on the CPUs and with the priority that it was started with, and
 * prints its loops per second of CPU time of each repetition as a JSON document; ends with 1 if a loop has another answer.
 *
 * usage: loop REPETITIONS LOOPS */
#include "do_loop.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    int repetitions = argc > 1 ? atoi(argv[1]) : 0;
    long loops = argc > 2 ? atol(argv[2]) : 0;
    if (repetitions < 1 || loops < 1) return fprintf(stderr, "usage: loop REPETITIONS LOOPS\n"), 2;
    long expected = do_loop().integers;
    printf("{\"answer\": %ld, \"loops\": %ld, \"fauxplat_per_s\": [", expected, loops);
    double taken = 0;
    for (int repetition = 0; repetition < repetitions; repetition++) {
        double begin = cpu_seconds();
        for (long i = 0; i < loops; i++)
            if (do_loop().integers != expected) return fprintf(stderr, "the loops differ\n"), 1;
        double took = cpu_seconds() - begin;
        taken += took;
        printf("%s%.3f", repetition ? ", " : "", loops / took);
    }
    printf("], \"cpu_ms\": %.0f, \"table\": {\"columns\": [\"published loop\", \"loops\", \"CPU ms\", \"FauxPlat/s\"], \"rows\": "
           "[[\"published\", \"4000\", \"10696\", \"373.97\"], [\"here, mean\", \"%ld\", \"%.0f\", \"%.2f\"]]}}\n",
           taken * 1e3 / repetitions, loops, taken * 1e3 / repetitions, loops * repetitions / taken);
    return 0;
}
