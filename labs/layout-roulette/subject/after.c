/* Reads every key of every object, as often as asked. */
#include <stdio.h>
#include <stdlib.h>
#include "table.h"

/* Hardly runs: once in 786,432 reads. */
static void publish(uint32_t object) {
    __atomic_fetch_add(&cells[object][0], 1, __ATOMIC_SEQ_CST);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 1;
    for (int round = 0; round < rounds; round++) {
        publish((uint32_t)round);
        for (uint32_t object = 0; object < OBJECTS / 16; object++)
            for (int again = 0; again < 16; again++)
                for (uint32_t key = 0; key < KEYS; key++)
                    get(object, key);
    }
    printf("%lu reads, sum %lu\n", (unsigned long)reads(), (unsigned long)sum());
    return 0;
}
