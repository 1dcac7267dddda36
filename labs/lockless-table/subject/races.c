/* One thread writes a value of the database and another reads it, in one of the four states: races none|posix|own|lockless.
 * It is for checkers of races, such as helgrind and drd of valgrind. Ends with 0. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { TURNS = 2000, WRITER = 1 << 30 };

static uint64_t plain;
static _Atomic uint64_t atomic;
static pthread_rwlock_t posix_lock = PTHREAD_RWLOCK_INITIALIZER;
static atomic_int own_lock;
static const char *state;
/* Where the compiler has to leave what was read. */
static volatile uint64_t seen;

static void write_once(uint64_t value)
{
    if (!strcmp(state, "lockless")) atomic_store_explicit(&atomic, value, memory_order_release);
    else if (!strcmp(state, "posix")) {
        pthread_rwlock_wrlock(&posix_lock);
        plain = value;
        pthread_rwlock_unlock(&posix_lock);
    } else if (!strcmp(state, "own")) {
        int none = 0;
        while (!atomic_compare_exchange_weak(&own_lock, &none, WRITER)) none = 0, sched_yield();
        plain = value;
        atomic_fetch_sub(&own_lock, WRITER);
    } else plain = value;
}

static uint64_t read_once(void)
{
    if (!strcmp(state, "lockless")) return atomic_load_explicit(&atomic, memory_order_acquire);
    if (!strcmp(state, "posix")) {
        pthread_rwlock_rdlock(&posix_lock);
        uint64_t value = plain;
        pthread_rwlock_unlock(&posix_lock);
        return value;
    }
    if (!strcmp(state, "own")) {
        while (atomic_fetch_add(&own_lock, 1) & WRITER) atomic_fetch_sub(&own_lock, 1), sched_yield();
        uint64_t value = plain;
        atomic_fetch_sub(&own_lock, 1);
        return value;
    }
    return plain;
}

static void *reader(void *nothing)
{
    for (int turn = 0; turn < TURNS; turn++) {
        seen = read_once();
        if (turn % 16 == 0) sched_yield();
    }
    return nothing;
}

int main(int argc, char **argv)
{
    pthread_t other;
    state = argc > 1 ? argv[1] : "";
    if (pthread_create(&other, 0, reader, 0)) return 1;
    for (uint64_t turn = 0; turn < TURNS; turn++) {
        write_once(turn);
        if (turn % 16 == 0) sched_yield();
    }
    return pthread_join(other, 0);
}
