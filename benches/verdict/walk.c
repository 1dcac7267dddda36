/* Walks argv[2] steps through argv[1] MiB of memory in an order that no prefetcher knows. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	size_t count = (argc > 2 ? (size_t)atol(argv[1]) : 1) << 20;
	count /= sizeof(size_t);
	size_t *next = malloc(count * sizeof *next);
	if (!next || count < 2)
		return 2;
	/* One cycle through all of it (Sattolo 1986). */
	for (size_t i = 0; i < count; i++)
		next[i] = i;
	unsigned long long random = 88172645463325252ULL;
	for (size_t i = count - 1; i > 0; i--) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		size_t other = random % i, kept = next[i];
		next[i] = next[other];
		next[other] = kept;
	}
	size_t at = 0;
	for (long steps = argc > 2 ? atol(argv[2]) : 1; steps > 0; steps--)
		at = next[at];
	printf("%zu\n", at);
	return 0;
}
