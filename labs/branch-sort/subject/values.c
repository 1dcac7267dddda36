/* Writes COUNT values of 0 to 511, always the same, to the files `unsorted` and `sorted`: so nothing that is measured
   later draws or sorts them. Status 0 if both could be written. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 65536 };

static int ascending(const void *a, const void *b)
{
    return *(const int32_t *)a - *(const int32_t *)b;
}

static int write_to(const char *name, const int32_t *values)
{
    FILE *file = fopen(name, "wb");
    return file && fwrite(values, sizeof *values, COUNT, file) == COUNT && fclose(file) == 0;
}

int main(void)
{
    static int32_t values[COUNT];
    uint64_t state = 88172645463325252;
    for (int at = 0; at < COUNT; at++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        values[at] = (int32_t)(state >> 32 & 511);
    }
    int done = write_to("unsorted", values);
    qsort(values, COUNT, sizeof *values, ascending);
    return !(done && write_to("sorted", values));
}
