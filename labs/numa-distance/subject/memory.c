/* Latency of a chain of dependent reads and bandwidth of a sum, over memory far larger than any cache. Where the memory
   lies is up to whoever starts the program: every page is first touched here, under the rules that hold. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

int main(int count, char **words) {
    size_t bytes = (count > 1 ? strtoull(words[1], NULL, 10) : 256) << 20;
    size_t lines = bytes / 64, reads = 4000000;
    uint64_t *memory = calloc(1, bytes);
    if (!memory)
        return 3;
    /* One cycle through all lines, in an order that no prefetcher knows (Sattolo's algorithm). */
    for (size_t line = 0; line < lines; line++)
        memory[line * 8] = line;
    uint64_t state = 88172645463325252ull;
    for (size_t line = lines - 1; line > 0; line--) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        size_t other = state % line;
        uint64_t kept = memory[line * 8];
        memory[line * 8] = memory[other * 8];
        memory[other * 8] = kept;
    }
    size_t at = 0;
    double began = now();
    for (size_t read = 0; read < reads; read++)
        at = memory[at * 8];
    double chased = now() - began;
    uint64_t sum = 0;
    began = now();
    for (size_t word = 0; word < bytes / 8; word++)
        sum += memory[word];
    double summed = now() - began;
    /* The answer: all numbers of lines, each once, and nothing beside them. */
    if (sum != (uint64_t)lines * (lines - 1) / 2 || at >= lines)
        return 4;
    printf("{\"latency\": %.3f, \"bandwidth\": %.3f}\n", chased / reads * 1e9, bytes / summed / 1e9);
    return 0;
}
