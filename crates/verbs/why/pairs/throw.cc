// Exceptions against return values, with the same base work.
#include <cstdint>
#include <cstdio>

static volatile uint64_t sink;

__attribute__((noinline)) static uint64_t step(uint64_t x, long times) {
    for (long i = 0; i < times; i++) x = x * 6364136223846793005ull + 1442695040888963407ull;
    return x;
}

__attribute__((noinline)) static int parse(int i) {
#ifdef SLOW
    if (i % 2) throw i;
#else
    if (i < 0) throw i;
    if (i % 2) return -i;
#endif
    return i;
}

int main() {
    sink = step(1, 6000000);
    for (int i = 0; i < 2000; i++) {
        try {
            sink += parse(i);
        } catch (int) {
            sink += 1;
        }
    }
    return 0;
}
