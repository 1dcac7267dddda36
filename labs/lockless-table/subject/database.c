/* The published database: db[object][key] in two levels, 65,536 objects of 12 keys, 16 bytes a pair, in a file that is mapped
 * on a file system in memory, read once through in its order by one thread. Prints the sum as its answer, the bytes of the
 * file that are mapped afterwards (of `mapped-anew` those that the reads have touched), and what the reads took in
 * nanoseconds, by a clock around them alone.
 *
 *     database STATE [CANDIDATE] [FILE]
 *
 * STATE is one of the four published ones: none (no lock), posix (pthread_rwlock), own (a read-write lock of one atomic word
 * that readers add to), lockless (the value is loaded atomically, as a table without a lock must).
 * CANDIDATE changes one thing about `none` that could explain a factor of two: asis (nothing), mapped-anew (the file is
 * written through another mapping, so each page is touched for the first time by a read), populated (mapped anew, its pages
 * at once), huge (huge pages of shared memory), shifted (the loop of reads begins 32 bytes later in its line), ramped (a clock
 * that was busy before, for 50 ms), idle (one that slept for 50 ms before), backwards (from the last pair to the first),
 * scattered (the objects in an order that no prefetcher knows), unused (nobody looks at the sum).
 *
 * Assumed, because the source does not say it: that the first level is an array of offsets, that a pair is a key and a value
 * of 64 bits, that a read looks for the key at its place, and -O2. The order is that of objects, and of keys in each. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { OBJECTS = 65536, KEYS = 12, WRITER = 1 << 30 };

struct pair {
    uint64_t key;
    _Atomic uint64_t value;
};

/* What the file begins with; behind it, on a page of its own, are the pairs of all objects. */
struct database {
    uint64_t at[OBJECTS];
};

enum { BYTES = (int)sizeof(struct database) + OBJECTS * KEYS * (int)sizeof(struct pair) };
static pthread_rwlock_t posix_lock = PTHREAD_RWLOCK_INITIALIZER;
static atomic_int own_lock;
static uint32_t order[OBJECTS];

static inline struct pair *place(const struct database *db, uint32_t object, uint32_t key)
{
    struct pair *pairs = (struct pair *)((char *)db + db->at[object]);
    return pairs[key].key == key ? &pairs[key] : 0;
}

/* db[object][key] of each state. */
static inline uint64_t none(const struct database *db, uint32_t object, uint32_t key)
{
    struct pair *pair = place(db, object, key);
    return pair ? *(uint64_t *)&pair->value : 0;
}

static inline uint64_t lockless(const struct database *db, uint32_t object, uint32_t key)
{
    struct pair *pair = place(db, object, key);
    return pair ? atomic_load_explicit(&pair->value, memory_order_acquire) : 0;
}

static uint64_t posix(const struct database *db, uint32_t object, uint32_t key)
{
    pthread_rwlock_rdlock(&posix_lock);
    uint64_t value = none(db, object, key);
    pthread_rwlock_unlock(&posix_lock);
    return value;
}

static uint64_t own(const struct database *db, uint32_t object, uint32_t key)
{
    while (atomic_fetch_add_explicit(&own_lock, 1, memory_order_acquire) & WRITER)
        atomic_fetch_sub_explicit(&own_lock, 1, memory_order_relaxed);
    uint64_t value = none(db, object, key);
    atomic_fetch_sub_explicit(&own_lock, 1, memory_order_release);
    return value;
}

/* The loop of a state, in a function of its own: how it is compiled does not depend on the others. */
#define READS(name, read, first, next)                                                    \
    __attribute__((noinline, aligned(64))) static uint64_t name(const struct database *db) \
    {                                                                                     \
        uint64_t sum = 0;                                                                 \
        first;                                                                            \
        for (uint32_t step = 0; step < OBJECTS; step++)                                   \
            for (uint32_t at = 0; at < KEYS; at++) {                                      \
                uint32_t object = step, key = at;                                         \
                next;                                                                     \
                sum += read(db, object, key);                                             \
            }                                                                             \
        return sum;                                                                       \
    }
READS(reads_none, none, , )
READS(reads_lockless, lockless, , )
READS(reads_posix, posix, , )
READS(reads_own, own, , )
READS(reads_shifted, none, __asm__ volatile(".skip 32, 0x90"), )
READS(reads_backwards, none, , (object = OBJECTS - 1 - step, key = KEYS - 1 - at))
READS(reads_scattered, none, , object = order[step])

static double nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e9 + now.tv_nsec;
}

static _Noreturn void fail(const char *what)
{
    perror(what);
    exit(1);
}

static struct database *map(int file, int populate)
{
    struct database *db = mmap(0, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | populate, file, 0);
    if (db == MAP_FAILED) fail("mmap");
    return db;
}

static void fill(struct database *db)
{
    for (uint32_t object = 0; object < OBJECTS; object++) {
        db->at[object] = sizeof *db + (uint64_t)object * KEYS * sizeof(struct pair);
        struct pair *pairs = (struct pair *)((char *)db + db->at[object]);
        for (uint32_t key = 0; key < KEYS; key++) {
            pairs[key].key = key;
            pairs[key].value = (object * KEYS + key) % 1009;
        }
        order[object] = object * 40503u % OBJECTS;
    }
}

/* A figure of the kernel about the mapping, in bytes (proc_pid_smaps(5)). */
static long mapped_bytes(const struct database *db, const char *name)
{
    FILE *maps = fopen("/proc/self/smaps", "r");
    if (!maps) fail("/proc/self/smaps");
    char line[512], format[64], *end;
    long kib = 0;
    int is_ours = 0;
    snprintf(format, sizeof format, "%s: %%ld kB", name);
    while (fgets(line, sizeof line, maps)) {
        unsigned long from = strtoul(line, &end, 16);
        if (*end == '-') is_ours = from == (unsigned long)db;
        else if (is_ours && sscanf(line, format, &kib) == 1) break;
    }
    fclose(maps);
    return kib * 1024;
}

static void busy_for(double ns)
{
    for (double begin = nanoseconds(); nanoseconds() - begin < ns;) {}
}

int main(int argc, char **argv)
{
    const char *state = argc > 1 ? argv[1] : "", *candidate = argc > 2 ? argv[2] : "asis";
    const char *path = argc > 3 ? argv[3] : 0;
    uint64_t (*reads)(const struct database *) = !strcmp(state, "none")     ? reads_none
                                                 : !strcmp(state, "posix")  ? reads_posix
                                                 : !strcmp(state, "own")    ? reads_own
                                                 : !strcmp(state, "lockless") ? reads_lockless
                                                                            : 0;
    if (!reads) return fprintf(stderr, "usage: database none|posix|own|lockless [CANDIDATE] [FILE]\n"), 2;
    char own_path[64];
    snprintf(own_path, sizeof own_path, "/dev/shm/database-%d", (int)getpid());
    int file = open(path ? path : own_path, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (file < 0) fail(path ? path : own_path);
    unlink(path ? path : own_path);
    if (ftruncate(file, BYTES)) fail("ftruncate");

    struct database *db = map(file, 0);
    if (!strcmp(candidate, "huge")) madvise(db, BYTES, MADV_HUGEPAGE);
    fill(db);
    if (!strcmp(candidate, "huge") && !mapped_bytes(db, "ShmemPmdMapped"))
        return fprintf(stderr, "this file system gives no huge pages: `mount -t tmpfs -o huge=always none FOLDER`, as root\n"), 77;
    int is_unused = 0;
    if (!strcmp(candidate, "mapped-anew") || !strcmp(candidate, "populated")) {
        munmap(db, BYTES);
        db = map(file, strcmp(candidate, "populated") ? 0 : MAP_POPULATE);
    } else if (!strcmp(candidate, "shifted")) reads = reads_shifted;
    else if (!strcmp(candidate, "backwards")) reads = reads_backwards;
    else if (!strcmp(candidate, "scattered")) reads = reads_scattered;
    else if (!strcmp(candidate, "ramped")) busy_for(50e6);
    else if (!strcmp(candidate, "idle")) usleep(50000);
    else if (!strcmp(candidate, "unused")) is_unused = 1;
    else if (strcmp(candidate, "asis") && strcmp(candidate, "huge")) return fprintf(stderr, "no such candidate: %s\n", candidate), 2;

    uint64_t sum = 0;
    double begin = nanoseconds(), took;
    if (is_unused) {
        /* In this function, so that the compiler sees that nobody looks. */
        for (uint32_t object = 0; object < OBJECTS; object++)
            for (uint32_t key = 0; key < KEYS; key++) none(db, object, key);
        took = nanoseconds() - begin;
        sum = reads_none(db);
    } else {
        sum = reads(db);
        took = nanoseconds() - begin;
    }
    printf("answer %llu\nbytes %ld\nns %.0f\n", (unsigned long long)sum, mapped_bytes(db, "Rss"), took);
    return 0;
}
