/* One program for many pairs: MODE names what it does more of; -DSLOW is the slower program of the pair. Each program does
   the same base work, so that the planted cause is a part of the time and not all of it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <regex.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef SLOW
#define CHOOSE(fast, slow) (slow)
#else
#define CHOOSE(fast, slow) (fast)
#endif
#define ALONE __attribute__((noinline, noclone))

static volatile uint64_t sink;

static ALONE uint64_t step(uint64_t x, long times) {
    for (long i = 0; i < times; i++) x = x * 6364136223846793005ull + 1442695040888963407ull;
    return x;
}

/* What every program does, some eight milliseconds of it. */
static ALONE void base(void) { sink = step(sink + 1, 6000000); }

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

#if defined(MORE_WORK)
static ALONE void extra(void) { sink = step(sink, CHOOSE(1000000, 4000000)); }
static void mode(void) { extra(); }

#elif defined(OTHER_FUNCTION)
static ALONE void first(long times) { sink = step(sink, times); }
static ALONE uint64_t second_step(uint64_t x, long times) {
    for (long i = 0; i < times; i++) x = (x ^ (x >> 7)) * 31 + i, x += x << 3;
    return x;
}
static ALONE void second(long times) { sink = second_step(sink, times); }
static void mode(void) { first(CHOOSE(3000000, 1000)); second(CHOOSE(1000, 4000000)); }

#elif defined(LOCALITY)
/* The same number of steps along a list, in order or shuffled. */
enum { NODES = 1 << 16 };
struct node { struct node *next; char pad[120]; };
static ALONE struct node *walk(struct node *n, long steps) {
    while (steps--) n = n->next;
    return n;
}
static void mode(void) {
    struct node *all = calloc(NODES, sizeof *all);
    uint32_t *order = malloc(NODES * sizeof *order);
    for (uint32_t i = 0; i < NODES; i++) order[i] = i;
    uint64_t x = 1;
    for (uint32_t i = NODES - 1; i > 0; i--) {
        x = x * 6364136223846793005ull + 1442695040888963407ull;
        uint32_t j = (x >> 33) % (i + 1), t = order[i];
        order[i] = CHOOSE(order[i], order[j]);
        if (CHOOSE(0, 1)) order[j] = t;
    }
    for (uint32_t i = 0; i < NODES; i++) all[order[i]].next = &all[order[(i + 1) % NODES]];
    sink += (uintptr_t)walk(all, 1 << 20);
}

#elif defined(STRIDE)
enum { SIDE = 2048 };
static int grid[SIDE][SIDE];
static ALONE long sum_grid(void) {
    long s = 0;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < SIDE; i++)
            for (int j = 0; j < SIDE; j++) s += *(volatile int *)CHOOSE(&grid[i][j], &grid[j][i]);
    return s;
}
static void mode(void) { memset(grid, 1, sizeof grid); sink += sum_grid(); }

#elif defined(FALSE_SHARING)
/* Atomic, since a processor forwards plain stores to the loads that follow, and rarely waits for the line then. */
static struct { _Alignas(64) long a; char pad[CHOOSE(120, 0)]; long b; } shared;
static ALONE void *count(void *at) {
    for (long i = 0; i < 1500000; i++) __atomic_fetch_add((long *)at, 1, __ATOMIC_RELAXED);
    return 0;
}
static void mode(void) {
    pthread_t t[2];
    pthread_create(&t[0], 0, count, (void *)&shared.a);
    pthread_create(&t[1], 0, count, (void *)&shared.b);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
}

#elif defined(LOCK)
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static ALONE void *hold(void *unused) {
    for (int i = 0; i < 20; i++) {
        pthread_mutex_lock(&mutex);
        usleep(CHOOSE(100, 1500));
        pthread_mutex_unlock(&mutex);
        usleep(CHOOSE(1500, 100));
    }
    return unused;
}
static void mode(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, hold, 0);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
}

#elif defined(BUSY_WAIT)
static ALONE void await_it(double s) { for (double end = now() + s; now() < end;) {} }
static void mode(void) { await_it(CHOOSE(0.0005, 0.004)); }

#elif defined(FSYNC)
static void mode(void) {
    char name[] = "why-XXXXXX", line[256] = "text";
    int fd = mkstemp(name);
    unlink(name);
    for (int i = 0; i < 30; i++) {
        if (write(fd, line, sizeof line) < 0) exit(1);
        if (CHOOSE(0, i % 5 == 0)) fsync(fd);
    }
}

#elif defined(SMALL_WRITES)
static void mode(void) {
    char block[4096] = "x";
    int fd = open("/dev/shm", O_TMPFILE | O_RDWR, 0600), size = CHOOSE(4096, 16);
    if (fd < 0) exit(1);
    for (int i = 0; i < 64 * 4096 / size; i++) if (write(fd, block, size) < 0) exit(1);
}

#elif defined(LOGGING)
static void mode(void) {
    FILE *log = CHOOSE(0, fopen("why.log", "w"));
    if (log) setvbuf(log, 0, _IOLBF, 4096);
    for (int i = 0; i < 3000; i++) {
        sink = step(sink, 500);
        if (log) fprintf(log, "item %d has the value %llu\n", i, (unsigned long long)sink);
    }
}

#elif defined(FAULTS)
static void mode(void) {
    size_t bytes = CHOOSE(1, 24) << 20;
    char *p = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(p, bytes, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < bytes; i += 4096) p[i] = 1;
}

#elif defined(HUGE_PAGES)
static void mode(void) {
    size_t bytes = 64 << 20, two = 2 << 20;
    char *p = mmap(0, bytes + two, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    p = (char *)(((uintptr_t)p + two - 1) & ~(uintptr_t)(two - 1));
    madvise(p, bytes, CHOOSE(MADV_HUGEPAGE, MADV_NOHUGEPAGE));
    for (size_t i = 0; i < bytes; i += 4096) p[i] = 1;
}

#elif defined(PAGE_CACHE)
static void mode(void) {
    int fd = open("why.data", O_RDONLY);
    if (fd < 0) exit(1);
    if (CHOOSE(0, 1)) posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    static char block[65536];
    while (read(fd, block, sizeof block) > 0) {}
}

#elif defined(BRANCHES)
enum { ITEMS = 1 << 15 };
static ALONE long pick(const unsigned char *v, int times) {
    long s = 0;
    for (int k = 0; k < times; k++)
        for (int i = 0; i < ITEMS; i++)
            if (v[i] >= 128) { s += v[i]; __asm__ volatile("" : "+r"(s)); }
    return s;
}
static void mode(void) {
    static unsigned char v[ITEMS];
    uint64_t x = 1;
    for (int i = 0; i < ITEMS; i++) {
        x = x * 6364136223846793005ull + 1442695040888963407ull;
        unsigned char random = x >> 56;
        /* As many large numbers in both, in order in one. */
        v[i] = CHOOSE(i < ITEMS / 2 ? random & 127 : random | 128, random);
    }
    sink += pick(v, 60);
}

#elif defined(DIVISION)
static ALONE uint64_t reduce(uint64_t x, uint64_t by, long times) {
    for (long i = 0; i < times; i++) {
        x = x * 2862933555777941757ull + 3037000493ull;
#ifdef SLOW
        x ^= x / by;
#else
        x ^= x >> 13;
#endif
    }
    return x;
}
static void mode(void) { sink = reduce(sink, (sink | 1) & 0xffff, 1500000); }

#elif defined(DENORMALS)
static ALONE double decay(double x, long times) {
    double s = 0;
    for (long i = 0; i < times; i++) {
        __asm__ volatile("" : "+x"(x));
        s += x / 3.0;
    }
    return s;
}
static void mode(void) { sink += decay(CHOOSE(1e-3, 1e-310), 3000000) > 1; }

#elif defined(ALLOCATION)
static ALONE void items(void) {
    char buffer[64];
    for (int i = 0; i < 120000; i++) {
        char *p = CHOOSE(buffer, malloc(40 + i % 200));
        p[i % 40] = i;
        __asm__ volatile("" : : "r"(p) : "memory");
        if (p != buffer) free(p);
    }
}
static void mode(void) { items(); }

#elif defined(PATTERN)
static ALONE void match(void) {
    regex_t once;
    regcomp(&once, "^(item|thing) [a-z]+[0-9]+$", REG_EXTENDED);
    for (int i = 0; i < 150; i++) {
        char line[40];
        snprintf(line, sizeof line, "item number%d", i);
        regex_t again, *r = &once;
        if (CHOOSE(0, 1)) { regcomp(&again, "^(item|thing) [a-z]+[0-9]+$", REG_EXTENDED); r = &again; }
        sink += regexec(r, line, 0, 0, 0);
        if (r == &again) regfree(r);
    }
}
static void mode(void) { match(); }

#elif defined(SLEEP)
static void mode(void) { for (int i = 0; i < 5; i++) { sink = step(sink, 1000); if (CHOOSE(0, 1)) usleep(700); } }

#elif defined(ASSERTIONS)
#include <assert.h>
/* Whether the last sixteen items are what they should be. */
static ALONE int are_valid(const uint32_t *v, int n) {
    for (int i = n > 16 ? n - 16 : 1; i < n; i++)
        if (v[i] != v[i - 1] * 1664525u + 1013904223u) return 0;
    return 1;
}
static ALONE void fill(uint32_t *v, int n) {
    for (int i = 1; i < n; i++) {
        v[i] = v[i - 1] * 1664525u + 1013904223u;
        assert(are_valid(v, i));
    }
}
static void mode(void) { static uint32_t v[400000]; v[0] = 1; fill(v, 400000); sink += v[399999]; }

#elif defined(HASH)
static ALONE uint32_t hash(const unsigned char *s, int n) {
    uint32_t h = 5381;
#ifdef SLOW
    for (int i = 0; i < n; i++) { h ^= s[i]; for (int k = 0; k < 8; k++) h = h >> 1 ^ (0xedb88320u & -(h & 1)); }
#else
    for (int i = 0; i < n; i++) h = h * 33 + s[i];
#endif
    return h;
}
static void mode(void) { unsigned char key[24] = "a key"; for (int i = 0; i < 20000; i++) { key[6] = i; sink += hash(key, 24); } }

#elif defined(PARALLEL)
static ALONE void *share(void *unused) { sink = step(1, 6000000); return unused; }
static void mode(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, share, 0);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
}

#elif defined(STACK_PLACE)
/* Stores and loads of 32 bytes on the stack, which begins at a multiple of 16: where it begins decides whether they cross
   the border of a cache line. */
typedef double four __attribute__((vector_size(32), aligned(8)));
#ifdef __x86_64__
__attribute__((target("avx")))
#endif
static ALONE double add(char *p, long times) {
    four one = {1, 2, 3, 4};
    for (long i = 0; i < times; i++) {
        *(volatile four *)p = *(volatile four *)p + one;
        *(volatile four *)(p + 256) = *(volatile four *)(p + 256) + one;
    }
    return ((double *)p)[0];
}
static void mode(void) { char buffer[512] = {0}; sink += add(buffer + 24, 1500000) > 1; }

#elif defined(ADDRESSES)
/* Work by an address, as of tables whose keys are pointers. Without randomisation this page is the one that counts as 0. */
int main(void);
static void mode(void) { sink = step(sink, 50000 * (((uintptr_t)main >> 12 ^ 0x555) & 255)); }

#elif defined(CODE_PLACE)
/* The same loop, which begins at another byte. */
#ifndef SKIP
#define SKIP 0
#endif
#define WORDS(number) #number
#define PLACE(number) ".text\n.balign 64\n.skip " WORDS(number) "\n"
__asm__(PLACE(SKIP));
static ALONE uint64_t turn(uint64_t x, long times) {
    do { x += x << 1 ^ times; if (x & 1) x ^= 5; } while (--times);
    return x;
}
static void mode(void) { sink = turn(sink, 6000000); }

#elif defined(PLAIN)
static void mode(void) {}

#elif defined(TEXT)
#include <locale.h>
static void mode(void) {
    regex_t pattern;
    char line[64];
    setlocale(LC_ALL, "");
    regcomp(&pattern, "[[:alpha:]]+[^x]*(y|z)[0-9]", REG_EXTENDED);
    for (int i = 0; i < 1500; i++) {
        snprintf(line, sizeof line, "some words and a number %d in a line", i);
        sink += regexec(&pattern, line, 0, 0, 0);
    }
}

#elif defined(CHILDREN)
static void mode(void) {
    for (int i = 0; i < CHOOSE(1, 12); i++) {
        pid_t child = fork();
        if (child == 0) _exit(0);
        waitpid(child, 0, 0);
    }
}

#elif defined(PIPE)
static void mode(void) {
    int there[2], back[2];
    if (pipe(there) || pipe(back)) exit(1);
    char byte = 0;
    if (fork() == 0) {
        for (int i = 0; i < CHOOSE(100, 2000); i++) if (read(there[0], &byte, 1) < 0 || write(back[1], &byte, 1) < 0) _exit(1);
        _exit(0);
    }
    for (int i = 0; i < CHOOSE(100, 2000); i++) if (write(there[1], &byte, 1) < 0 || read(back[0], &byte, 1) < 0) exit(1);
    wait(0);
}
#endif

int main(void) {
    base();
    mode();
    return 0;
}
