/* Adds up, PASSES times, those of 65,536 values that are 256 or more.

   sum unsorted|sorted PASSES

   The values come from the file of that name. Status 0 if the sum is right, which is known without any `if`. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 65536 };

static int32_t values[COUNT];

static int64_t sum(int passes)
{
    int64_t sum = 0;
    for (int pass = 0; pass < passes; pass++) {
        for (int at = 0; at < COUNT; at++) { /* the loop */
            if (values[at] >= 256) { /* the if */
                /* An empty line of assembly that may only be passed if the value is so: no compiler can make a
                   conditional move or a vector of it. */
                __asm__ volatile("" : "+r"(sum));
                sum += values[at];
            }
        }
    }
    return sum;
}

int main(int argc, char **argv)
{
    int passes = argc > 2 ? atoi(argv[2]) : 0;
    FILE *file = argc > 2 ? fopen(argv[1], "rb") : NULL;
    if (passes < 1 || !file || fread(values, sizeof *values, COUNT, file) != COUNT)
        return 2;
    int64_t found = sum(passes), wanted = 0;
    /* Bit 8 of a value below 512 says whether it is 256 or more. */
    for (int at = 0; at < COUNT; at++)
        wanted += (int64_t)(values[at] >> 8 & 1) * values[at];
    printf("%lld\n", (long long)found);
    return found != wanted * passes;
}
