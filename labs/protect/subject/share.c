/* The arithmetic of `fauxplat index` in one thread, so and so many times 100,000 iterations; prints the sum, which is the
 * same everywhere, and ends with 1 if it is not. usage: share LOOPS */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static volatile double kept;

static uint64_t loop(void)
{
    uint64_t r = 0, sum = 0;
    double held = 0;
    for (uint64_t i = 0; i < 100000; i++) {
        r += i;
        uint64_t d = 2 * r, small = r & 0xffff;
        sum += d * 314 / 100 + small * small * 314 / 100;
        double x = (double)small;
        held += 2 * 3.14159265358979 * x + 3.14159265358979 * x * x;
    }
    kept = held;
    return sum;
}

int main(int argc, char **argv)
{
    long loops = argc == 2 ? atol(argv[1]) : 0;
    if (loops < 1) { fprintf(stderr, "usage: share LOOPS\n"); return 2; }
    uint64_t first = loop();
    for (long i = 1; i < loops; i++)
        if (loop() != first) return 1;
    printf("%llu\n", (unsigned long long)first);
    return first == 1496695043057616u ? 0 : 1;
}
