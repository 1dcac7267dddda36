/* Publishes two counters: cc publish.c -lfauxplat_table_c && ./a.out /dev/shm/my-table && fauxplat table /dev/shm/my-table */
#include "fauxplat_table.h"

#include <stdio.h>

enum { SERVER = 1 };
enum { REQUESTS = 0, BYTES = 1 };

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    const fxt_key keys[] = {
        {.key = REQUESTS, .kind = FXT_COUNTER, .name = "requests", .help = "requests served"},
        {.key = BYTES, .kind = FXT_COUNTER, .name = "sent_bytes", .unit = "bytes", .help = "bytes sent"},
    };
    const fxt_options options = {
        .struct_bytes = sizeof options, .sizes = {.dense_keys = 2}, .keys = keys, .key_count = 2};
    fxt_table *table = fxt_create_with(argv[1], &options);
    if (!table) {
        fprintf(stderr, "%s\n", fxt_error());
        return 1;
    }
    fxt_counter requests;
    if (fxt_counter_open(table, SERVER, REQUESTS, &requests) != FXT_OK) return 1;
    for (int i = 0; i < 1000; i++) {
        /* One owner: a single store. */
        fxt_counter_add(&requests, 1);
        /* Any number of writers: an atomic addition. */
        if (fxt_add(table, SERVER, BYTES, 512, NULL) != FXT_OK) return 1;
    }
    int64_t bytes = 0;
    fxt_get(table, SERVER, BYTES, &bytes);
    printf("requests %lld bytes %lld\n", (long long)requests.value, (long long)bytes);
    fxt_close(table);
    return 0;
}
