/* Some work and nothing else: `work ROUNDS` goes through a chain of multiplications, each of which waits for the one
   before, and checks where that ends. Without ROUNDS it ends at once. */
#include <stdlib.h>

/* Where the chain ends by its closed form: (3^n - 2n - 1) / 4. */
static unsigned long expected(unsigned long rounds)
{
    unsigned __int128 power = 1, base = 3;
    for (unsigned long left = rounds; left; left >>= 1, base *= base)
        if (left & 1)
            power *= base;
    return (unsigned long)((power - 2 * (unsigned __int128)rounds - 1) >> 2);
}

int main(int argc, char **argv)
{
    unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 0, value = 0;
    for (unsigned long round = 0; round < rounds; round++)
        value = 3 * value + round;
    return value != expected(rounds);
}
