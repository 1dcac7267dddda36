/* A lock-free table of integers in a memory-mapped file, shared by processes and threads.
 *
 * Values are attached to (object, key) pairs; objects, keys and values are integers. Reading never waits;
 * a writer that dies at any instruction leaves a table that everybody else goes on using. All functions may
 * be called from any thread. Link with libfauxplat_table_c.a or libfauxplat_table_c.so.
 *
 * Functions return FXT_OK, another of the codes below where stated, or FXT_FAILED; fxt_error() then says
 * why. Pointers for results may be NULL. A path is bytes, in no particular encoding.
 */
#ifndef FAUXPLAT_TABLE_H
#define FAUXPLAT_TABLE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { FXT_OK = 0, FXT_ABSENT = 1, FXT_DIFFERENT = 2, FXT_FAILED = -1 };
/* Flags of a table. FXT_OF_OTHERS lets fxt_open_or_create open what another user made where anybody may make files. */
enum { FXT_EXCLUSIVE_ROWS = 1, FXT_RECORDS = 2, FXT_ON_DISK = 4, FXT_OF_OTHERS = 8 };
/* Kinds of keys: the values of a counter only rise. */
enum { FXT_COUNTER = 1, FXT_GAUGE = 2 };

typedef struct fxt_table fxt_table;

/* Zero means the default, except for dense_objects. */
typedef struct {
    uint64_t dense_objects;      /* objects 0..n-1 have a row each from the beginning; object 0 always */
    uint64_t max_hashed_objects; /* further objects, with any number */
    uint32_t dense_keys;         /* keys 0..n-1 have a column each; setting it drops the sparse keys */
    uint32_t max_sparse_keys;    /* further keys, with any number */
    uint32_t value_bytes;        /* 4 or 8 (the default) */
    uint32_t flags;
} fxt_sizes;

/* What a key is called, for everybody who reads the table. Unit and help may be NULL. */
typedef struct {
    uint64_t key;
    const char *name;
    const char *unit;
    const char *help;
    uint32_t kind;
    uint32_t reserved;
} fxt_key;

/* Everything that a creator can choose. struct_bytes is sizeof(fxt_options); zero elsewhere means the default. */
typedef struct {
    size_t struct_bytes;
    fxt_sizes sizes;
    uint64_t expected_objects; /* hashed objects that the index has room for at once */
    const fxt_key *keys;       /* descriptions, which are copied into the file */
    size_t key_count;
    uint32_t mode;             /* permission bits, before the mask of the process; by default 0600 */
    uint32_t reserved;
} fxt_options;

/* Creates a table that does not exist yet; `sizes` or `options` may be NULL. NULL after an error. */
fxt_table *fxt_create(const char *path, const fxt_sizes *sizes);
fxt_table *fxt_create_with(const char *path, const fxt_options *options);
/* Opens a table for writing, or creates it; of several processes that do so at once one creates. A table that exists must
 * have these sizes, these descriptions if there are any here, and in a directory where anybody may make files, such as
 * /dev/shm, it must belong to this user, to root or to the owner of the directory. NULL after an error. */
fxt_table *fxt_open_or_create(const char *path, const fxt_options *options);
/* Opens a table whoever made it; a process that opens it for reading only cannot harm it. NULL after an error. */
fxt_table *fxt_open(const char *path, int writable);
/* Closes it. Its counters and readers must not be used any more. */
void fxt_close(fxt_table *table);
/* The last error of this thread, valid until its next one. */
const char *fxt_error(void);

/* FXT_ABSENT if the pair has no value. */
int fxt_get(const fxt_table *table, uint64_t object, uint64_t key, int64_t *value);
int fxt_set(const fxt_table *table, uint64_t object, uint64_t key, int64_t value);
/* Adds; an absent value counts as 0. `before` gets the value before. No addition of anybody is lost. */
int fxt_add(const fxt_table *table, uint64_t object, uint64_t key, int64_t delta, int64_t *before);
/* Replaces *expected (NULL: absence) by `value`. FXT_DIFFERENT with *expected renewed, or FXT_ABSENT. */
int fxt_compare_exchange(const fxt_table *table, uint64_t object, uint64_t key, int64_t *expected,
                         int64_t value);
/* FXT_ABSENT if there was nothing to remove. */
int fxt_remove(const fxt_table *table, uint64_t object, uint64_t key);

/* The keys and values of an object as they were at one moment. At most `room` are stored; *count is how
 * many there are. */
int fxt_snapshot(const fxt_table *table, uint64_t object, uint64_t *keys, int64_t *values, size_t room,
                 size_t *count);
/* Publishes the values of keys 0..count-1 together, in a table of records. One writer per object. */
int fxt_publish(const fxt_table *table, uint64_t object, const int64_t *values, size_t count);
/* The objects that have a value. At most `room` are stored; *count is how many there are. */
int fxt_objects(const fxt_table *table, uint64_t *objects, size_t room, size_t *count);

typedef struct {
    uint64_t object;
    uint64_t key;
} fxt_pair;

typedef struct {
    uint64_t object;
    uint64_t key;
    int64_t value;
} fxt_entry;

/* Many at a time, several times as fast as one by one in a large table. After an error the entries before the one at fault
 * are stored. present[n] is 1 if the n-th pair has a value, otherwise 0, and values[n] is 0 then. */
int fxt_set_many(const fxt_table *table, const fxt_entry *entries, size_t count);
int fxt_get_many(const fxt_table *table, const fxt_pair *pairs, size_t count, int64_t *values,
                 unsigned char *present);

/* Facts about an open table. struct_bytes is sizeof(fxt_facts) and set by the caller. */
typedef struct {
    size_t struct_bytes;
    uint64_t dense_objects;
    uint64_t max_hashed_objects;
    uint64_t hashed_rows;   /* rows handed out so far */
    uint64_t index_slots;
    uint64_t file_bytes;    /* most of which may be a hole */
    uint64_t creator_pid;
    uint64_t described_keys;
    uint32_t dense_keys;
    uint32_t max_sparse_keys;
    uint32_t value_bytes;
    uint32_t records;
    int32_t creator_alive;  /* 1, 0, or -1 where it cannot be told */
    uint32_t reserved;
} fxt_facts;

int fxt_info(const fxt_table *table, fxt_facts *facts);
/* The n-th description of a key, from 0 on; FXT_ABSENT if there are not so many. Its texts are valid until fxt_close. */
int fxt_described(const fxt_table *table, size_t number, fxt_key *key);
/* Whether the path still leads to this table: FXT_OK, FXT_DIFFERENT (it was created anew) or FXT_ABSENT. */
int fxt_standing(const fxt_table *table);

/* FXT_FAILED if the file was cut short since it was opened, or if a page of it could not be read. */
int fxt_check(const fxt_table *table);
/* Writes everything to the device and waits; of use only for a file on a disk. */
int fxt_sync(const fxt_table *table);

/* A counter that one thread owns and anybody reads: adding is one store, without a bus lock. */
typedef struct {
    void *cell;
    int64_t value;
    uint32_t value_bytes;
} fxt_counter;

int fxt_counter_open(const fxt_table *table, uint64_t object, uint64_t key, fxt_counter *counter);

/* FXT_FAILED, with nothing changed, when the sum does not fit. */
static inline int fxt_counter_add(fxt_counter *counter, int64_t delta) {
    int64_t sum;
    if (__builtin_add_overflow(counter->value, delta, &sum)) return FXT_FAILED;
    if (counter->value_bytes == 8) {
        if (sum == INT64_MIN) return FXT_FAILED;
        /* A cell holds the value plus half its range, so that 0 means absent. */
        __atomic_store_n((uint64_t *)counter->cell, (uint64_t)sum ^ (UINT64_C(1) << 63), __ATOMIC_RELEASE);
    } else {
        if (sum <= INT32_MIN || sum > INT32_MAX) return FXT_FAILED;
        __atomic_store_n((uint32_t *)counter->cell, (uint32_t)(sum + INT64_C(0x80000000)), __ATOMIC_RELEASE);
    }
    counter->value = sum;
    return FXT_OK;
}

/* A handle for reading fast: pairs of dense objects and dense keys are read in line, others through fxt_get. It
 * must not be used after fxt_close. */
typedef struct {
    const fxt_table *table;
    const unsigned char *cells;
    size_t stride;
    uint64_t objects;
    uint64_t keys;
    uint32_t value_bytes;
} fxt_reader;

int fxt_reader_open(const fxt_table *table, fxt_reader *reader);

/* The same answer as fxt_get. A local copy of the reader, whose address goes nowhere else, stays in registers. */
static inline int fxt_read(const fxt_reader *reader, uint64_t object, uint64_t key, int64_t *value) {
    if (object >= reader->objects || key >= reader->keys) return fxt_get(reader->table, object, key, value);
    const unsigned char *row = reader->cells + object * reader->stride;
    if (reader->value_bytes == 8) {
        uint64_t word = __atomic_load_n((const uint64_t *)row + key, __ATOMIC_ACQUIRE);
        if (!word) return FXT_ABSENT;
        if (value) *value = (int64_t)(word ^ (UINT64_C(1) << 63));
    } else {
        uint32_t word = __atomic_load_n((const uint32_t *)row + key, __ATOMIC_ACQUIRE);
        if (!word) return FXT_ABSENT;
        if (value) *value = (int64_t)word - INT64_C(0x80000000);
    }
    return FXT_OK;
}

/* An object's row, found once: its dense keys are read in line, others through fxt_get. Rows never move. It must not be
 * used after fxt_close. FXT_ABSENT if the object was never written. */
typedef struct {
    const fxt_table *table;
    uint64_t object;
    const unsigned char *cells;
    uint64_t keys;
    uint32_t value_bytes;
} fxt_row;

int fxt_row_open(const fxt_table *table, uint64_t object, fxt_row *row);

/* The same answer as fxt_get. */
static inline int fxt_row_get(const fxt_row *row, uint64_t key, int64_t *value) {
    const fxt_reader reader = {row->table, row->cells, 0, 1, row->keys, row->value_bytes};
    if (key >= row->keys) return fxt_get(row->table, row->object, key, value);
    return fxt_read(&reader, 0, key, value);
}

#ifdef __cplusplus
}
#endif

#endif
