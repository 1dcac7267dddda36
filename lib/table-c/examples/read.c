/* Fills a table and reads it fast, pair by pair: cc read.c -lfauxplat_table_c && ./a.out /dev/shm/my-table */
#include "fauxplat_table.h"

#include <stdio.h>

/* The objects from DENSE on and the keys from KEYS on go through an index. */
enum { OBJECTS = 12, DENSE = 8, COLUMNS = 5, KEYS = 3 };

/* Two of three pairs have a value, negative ones among them. */
static int has_value(uint64_t object, uint64_t key) { return (object + key) % 3 != 0; }

static int64_t value_of(uint64_t object, uint64_t key) { return (int64_t)(object * 100 + key) - 500; }

static int fill(const fxt_table *table) {
    for (uint64_t object = 0; object < OBJECTS; object++)
        for (uint64_t key = 0; key < COLUMNS; key++)
            if (has_value(object, key) && fxt_set(table, object, key, value_of(object, key)) != FXT_OK)
                return FXT_FAILED;
    return FXT_OK;
}

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    fxt_sizes sizes = {.dense_objects = DENSE, .dense_keys = KEYS, .max_sparse_keys = 4};
    sizes.value_bytes = argc > 2 ? 4 : 8;
    fxt_table *table = fxt_create(argv[1], &sizes);
    fxt_reader opened;
    if (!table || fill(table) != FXT_OK || fxt_reader_open(table, &opened) != FXT_OK) {
        fprintf(stderr, "%s\n", fxt_error());
        return 1;
    }
    const fxt_reader reader = opened;
    int found = 0, wrong = 0;
    int64_t sum = 0;
    for (uint64_t object = 0; object <= OBJECTS; object++)
        for (uint64_t key = 0; key <= COLUMNS; key++) {
            int64_t value = 0;
            int expected = object < OBJECTS && key < COLUMNS && has_value(object, key) ? FXT_OK : FXT_ABSENT;
            wrong += fxt_read(&reader, object, key, &value) != expected;
            wrong += expected == FXT_OK && value != value_of(object, key);
            found += expected == FXT_OK;
            sum += value;
        }
    printf("found %d wrong %d sum %lld\n", found, wrong, (long long)sum);
    fxt_close(table);
    return 0;
}
