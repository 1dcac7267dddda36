/* Increments every cell of a two-dimensional array ten times: "walks" goes through the whole array ten times and
   increments each cell once, "inside" goes through it once and increments each cell ten times. The work is the same.

   order walks|inside MIB|caches [all]

   A cell is as large as a cache line, and a row as a page: walked down its columns, no two accesses in a row share either.
   The array has MIB mebibytes, or is twice as large as the largest cache that the system tells of (32 to 256 MiB).
   Status 0 if the cells are right: some of them are looked at, with "all" every one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INCREMENTS = 10, COLUMNS = 64, LINE = 64, MIB = 1 << 20 };

/* Volatile, so that ten increments stay ten loads and ten stores: nothing else is between them. */
struct cell {
    volatile unsigned count;
    char rest[LINE - sizeof(unsigned)];
};

typedef struct cell row[COLUMNS];

static void walks(row *rows, size_t count)
{
    for (int increment = 0; increment < INCREMENTS; increment++)
        for (size_t column = 0; column < COLUMNS; column++)
            for (size_t at = 0; at < count; at++)
                rows[at][column].count++;
}

static void inside(row *rows, size_t count)
{
    for (size_t column = 0; column < COLUMNS; column++)
        for (size_t at = 0; at < count; at++)
            for (int increment = 0; increment < INCREMENTS; increment++)
                rows[at][column].count++;
}

/* Bytes of the largest cache that the system tells of; 0 if it tells of none. */
static long largest_cache(void)
{
    long largest = 0;
    for (int index = 0; index < 8; index++) {
        char path[80];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", index);
        FILE *file = fopen(path, "r");
        long kib;
        if (!file)
            break;
        if (fscanf(file, "%ldK", &kib) == 1 && kib * 1024 > largest)
            largest = kib * 1024;
        fclose(file);
    }
    return largest;
}

static size_t bytes(const char *word)
{
    if (strcmp(word, "caches") != 0)
        return (size_t)strtoul(word, NULL, 10) * MIB;
    size_t wanted = 2 * (size_t)largest_cache();
    size_t least = 32 * (size_t)MIB, most = 256 * (size_t)MIB;
    return wanted < least ? least : wanted > most ? most : wanted;
}

/* Cells that are wrong, of every one, or of one in each 61 rows: a look at all of them would be a walk more. */
static size_t wrong(row *rows, size_t count, int all)
{
    size_t found = 0;
    for (size_t at = 0; at < count; at += all ? 1 : 61)
        for (size_t column = all ? 0 : at % COLUMNS; column < (all ? COLUMNS : at % COLUMNS + 1); column++)
            found += rows[at][column].count != INCREMENTS;
    return found;
}

int main(int argc, char **argv)
{
    int is_inside = argc > 2 && strcmp(argv[1], "inside") == 0;
    if (argc < 3 || (!is_inside && strcmp(argv[1], "walks") != 0))
        return 2;
    size_t count = bytes(argv[2]) / sizeof(row);
    /* Zeroes by the system's grace, not written; at the beginning of a page. */
    char *memory = count ? calloc(count + 1, sizeof(row)) : NULL;
    if (!memory)
        return 2;
    row *rows = (row *)(memory + (sizeof(row) - (size_t)memory % sizeof(row)) % sizeof(row));
    (is_inside ? inside : walks)(rows, count);
    size_t found = wrong(rows, count, argc > 3);
    printf("%s: %zu increments, %zu cells are wrong\n", argv[1], count * COLUMNS * INCREMENTS, found);
    return found != 0;
}
