/* Counts what a stream of generated characters is made of, and prints the counts. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void tally(int kind, uint64_t weight);
uint64_t tallied(int kind);
int kind_of(unsigned c);
uint32_t next_character(void);

static char greeting[16] = "counts";

int main(int argc, char **argv) {
    long characters = argc > 1 ? atol(argv[1]) : 1000000;
    for (long i = 0; i < characters; i++)
        tally(kind_of(next_character()), i & 7);
    printf("%s", greeting);
    for (int kind = 0; kind < 4; kind++)
        printf(" %lu", (unsigned long)tallied(kind));
    printf("\n");
    return 0;
}
