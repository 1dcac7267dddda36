/* Writes and reads many pairs at a time, a row at a time, and what the table says about itself:
 *
 *     cc many.c -lfauxplat_table_c && ./a.out /dev/shm/my-table
 *
 * A second run opens the table of the first. */
#include "fauxplat_table.h"

#include <stdio.h>
#include <string.h>

enum { COUNT = 1000, KEYS = 2 };

static int failed(void) {
    fprintf(stderr, "%s\n", fxt_error());
    return 1;
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    const fxt_key keys[] = {{.key = 0, .kind = FXT_COUNTER, .name = "reads", .unit = "calls", .help = "reads done"}};
    fxt_options options = {.struct_bytes = sizeof options, .keys = keys, .key_count = 1};
    options.sizes = (fxt_sizes){.max_hashed_objects = 4096, .dense_keys = KEYS, .max_sparse_keys = 2};
    options.expected_objects = COUNT;
    options.mode = 0644;
    fxt_table *table = fxt_open_or_create(argv[1], &options);
    if (!table) return failed();

    static fxt_entry entries[COUNT];
    static fxt_pair pairs[COUNT + 1];
    static int64_t values[COUNT + 1];
    static unsigned char present[COUNT + 1];
    for (int n = 0; n < COUNT; n++) {
        entries[n] = (fxt_entry){1000000007ull * n, n % KEYS, n - 500};
        pairs[n] = (fxt_pair){entries[n].object, entries[n].key};
    }
    pairs[COUNT] = (fxt_pair){12345, 0};
    if (fxt_set_many(table, entries, COUNT) != FXT_OK) return failed();
    if (fxt_get_many(table, pairs, COUNT + 1, values, present) != FXT_OK) return failed();
    int wrong = present[COUNT];
    for (int n = 0; n < COUNT; n++) wrong += !present[n] || values[n] != entries[n].value;

    /* A row reads what fxt_get reads, a key without a column of its own included. */
    fxt_row row;
    int64_t value = 0;
    if (fxt_set(table, entries[7].object, 99, 77) != FXT_OK) return failed();
    wrong += fxt_row_open(table, 12345, &row) != FXT_ABSENT;
    wrong += fxt_row_open(table, entries[7].object, &row) != FXT_OK;
    wrong += fxt_row_get(&row, 1, &value) != FXT_OK || value != -493;
    wrong += fxt_row_get(&row, 99, &value) != FXT_OK || value != 77;
    wrong += fxt_row_get(&row, 0, &value) != FXT_ABSENT;

    fxt_facts facts = {.struct_bytes = sizeof facts};
    fxt_key key;
    if (fxt_info(table, &facts) != FXT_OK || fxt_described(table, 0, &key) != FXT_OK) return failed();
    wrong += fxt_described(table, 1, &key) != FXT_ABSENT || strcmp(key.unit, "calls") != 0;
    wrong += fxt_standing(table) != FXT_OK;
    printf("wrong %d rows %llu key %s (%s)\n", wrong, (unsigned long long)facts.hashed_rows, key.name, key.help);
    fxt_close(table);
    return 0;
}
