/* Counts in packed records, as a file format or a protocol would lay them out: four bytes of name, then counters. */
#include <stdint.h>
#include <string.h>

struct __attribute__((packed)) record {
    char name[4];
    uint64_t count, weight, squares;
    uint32_t last;
};

_Alignas(16) static struct record records[4];

void tally(int kind, uint64_t weight) {
    struct record *record = &records[kind], *total = &records[0];
    record->count++;
    record->weight += weight;
    record->squares += weight * weight;
    record->last = (uint32_t)weight;
    total->count++;
    total->weight += weight;
}

uint64_t tallied(int kind) { return records[kind].weight + records[kind].squares; }
