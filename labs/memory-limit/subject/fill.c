/* Takes blocks of 2 MiB and fills them, one after the other, and keeps them all. How many are full stands in a file, so
   that it can be read when the program is gone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK (2 << 20)

int main(int count, char **words) {
    if (count != 3) {
        fprintf(stderr, "fill FILE BLOCKS\n");
        return 2;
    }
    FILE *file = fopen(words[1], "w");
    int blocks = atoi(words[2]);
    if (!file) {
        perror(words[1]);
        return 2;
    }
    for (int full = 1; full <= blocks; full++) {
        char *block = malloc(BLOCK);
        if (!block)
            return 3;
        memset(block, full, BLOCK);
        /* Nobody reads the block, and a compiler may leave out what nobody reads. */
        __asm__ volatile("" : : "r"(block) : "memory");
        rewind(file);
        fprintf(file, "%d\n", full);
        fflush(file);
    }
    return fclose(file) != 0;
}
