/* Marks regions of a program for fauxplat: `fauxplat run --region parse ./program`. Without fauxplat a mark is one comparison.
 *
 *     static struct fauxplat_region parse = FAUXPLAT_REGION("parse");
 *     fauxplat_begin(&parse); ... fauxplat_end(&parse);
 *
 * For C (C99 with _GNU_SOURCE) and C++ on Linux. Regions nest; one within itself counts once, by its outermost call. Threads
 * add up. A region ends in the thread in which it began. A child of fork(2) begins with no region open. Not for signal
 * handlers. Names are up to 63 of a-z 0-9 . _ -, and the first is a letter or a digit. The page: docs/regions.md. */
#ifndef FAUXPLAT_REGION_H
#define FAUXPLAT_REGION_H

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct fauxplat_region { const char *name; uint64_t *slot; };
#define FAUXPLAT_REGION(name) { name, 0 }

/* At most so many events, open regions of a thread, and shared slots; words of the header, and of a slot. */
enum { FAUXPLAT_EVENTS = 8, FAUXPLAT_OPEN = 16, FAUXPLAT_SLOTS = 256, FAUXPLAT_HEADER = 64, FAUXPLAT_WORDS = 32 };
enum { FAUXPLAT_VERSION = 1, FAUXPLAT_LOST = 2, FAUXPLAT_COUNT = 3, FAUXPLAT_FIRST = 4 };
enum { FAUXPLAT_STATE = 0, FAUXPLAT_OWNER = 1, FAUXPLAT_NAME = 2, FAUXPLAT_CALLS = 10, FAUXPLAT_WALL = 11,
       FAUXPLAT_BEGUN = 12, FAUXPLAT_ERRORS = 13, FAUXPLAT_COUNTED = 14, FAUXPLAT_COUNTS = 15 };

struct fauxplat_read { uint64_t asked_for, running, counts[FAUXPLAT_EVENTS]; };
struct fauxplat_mark { uint64_t *slot, wall; struct fauxplat_read read; unsigned depth; int counted; };
struct fauxplat_thread {
	struct fauxplat_mark open[FAUXPLAT_OPEN];
	int top, is_open, forked, fds[FAUXPLAT_EVENTS], leaders[FAUXPLAT_EVENTS];
};

#define FAUXPLAT_SHARED __attribute__((weak, visibility("default")))
FAUXPLAT_SHARED __thread struct fauxplat_thread fauxplat_here;
FAUXPLAT_SHARED uint64_t *fauxplat_page;
FAUXPLAT_SHARED pthread_key_t fauxplat_key;
FAUXPLAT_SHARED pthread_once_t fauxplat_once = PTHREAD_ONCE_INIT;
FAUXPLAT_SHARED int fauxplat_ready;

static inline void fauxplat_close(void *thread)
{
	struct fauxplat_thread *here = (struct fauxplat_thread *)thread;
	for (int i = 0; here->is_open > 0 && i < here->is_open; i++)
		close(here->fds[i]);
	here->is_open = 0;
}

static inline void fauxplat_forked(void)
{
	fauxplat_close(&fauxplat_here);
	fauxplat_here.top = 0;
	fauxplat_here.forked = 1;
}

static inline void fauxplat_map(void)
{
	/* Whoever starts a program of more rights than its own does not say where that writes. */
	int saved = errno;
	const char *path = getauxval(AT_SECURE) ? NULL : getenv("FAUXPLAT_REGIONS");
	size_t bytes = (FAUXPLAT_HEADER + FAUXPLAT_SLOTS * FAUXPLAT_WORDS) * sizeof(uint64_t);
	int fd = path && *path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	void *page = fd < 0 ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd >= 0 && (lseek(fd, 0, SEEK_END) < (off_t)bytes || page == MAP_FAILED || memcmp(page, "FPREGION", 8)
	    || ((uint64_t *)page)[1] != FAUXPLAT_VERSION || pthread_key_create(&fauxplat_key, fauxplat_close)
	    || pthread_atfork(NULL, NULL, fauxplat_forked)))
		page = MAP_FAILED;
	if (fd >= 0)
		close(fd);
	fauxplat_page = page == MAP_FAILED ? NULL : (uint64_t *)page;
	errno = saved;
	__atomic_store_n(&fauxplat_ready, 1, __ATOMIC_RELEASE);
}

static inline void fauxplat_open_counters(struct fauxplat_thread *here)
{
	int n = (int)fauxplat_page[FAUXPLAT_COUNT], saved = errno;
	here->is_open = -1;
	for (int i = 0; i < n && i < FAUXPLAT_EVENTS; i++) {
		const uint64_t *event = fauxplat_page + FAUXPLAT_FIRST + 5 * i;
		struct perf_event_attr attr;
		memset(&attr, 0, sizeof attr);
		attr.size = PERF_ATTR_SIZE_VER1;
		attr.type = (uint32_t)event[0];
		attr.config = event[1];
		attr.config1 = event[2];
		attr.config2 = event[3];
		attr.exclude_user = event[4] & 1;
		attr.exclude_kernel = event[4] >> 1 & 1;
		attr.exclude_hv = event[4] >> 2 & 1;
		attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
		here->leaders[i] = (int)(event[4] >> 8) < i ? (int)(event[4] >> 8) : i;
		long fd = syscall(SYS_perf_event_open, &attr, 0, -1, here->leaders[i] < i ? here->fds[here->leaders[i]] : -1,
		                  PERF_FLAG_FD_CLOEXEC);
		if (fd < 0) {
			fauxplat_close(here);
			here->is_open = -1;
			errno = saved;
			return;
		}
		here->fds[i] = (int)fd;
		here->is_open = i + 1;
	}
	if (here->is_open > 0)
		pthread_setspecific(fauxplat_key, here);
}

/* A group of counters is read by one call. */
static inline int fauxplat_count(struct fauxplat_thread *here, struct fauxplat_read *all)
{
	all->asked_for = all->running = 0;
	for (int leader = 0; leader < here->is_open; leader++) {
		uint64_t words[3 + FAUXPLAT_EVENTS], *count = words + 3;
		if (here->leaders[leader] != leader)
			continue;
		/* Not read(2) of the library, in which a thread may be cancelled. */
		if (syscall(SYS_read, here->fds[leader], words, sizeof words) < (long)(4 * sizeof *words))
			return 0;
		/* On one of several kinds of cores the rest of the time was spent on another one. */
		if (!(fauxplat_page[FAUXPLAT_FIRST + 5 * leader + 4] & 8)) {
			all->asked_for += words[1];
			all->running += words[2];
		}
		for (int i = leader; i < here->is_open; i++)
			if (here->leaders[i] == leader)
				all->counts[i] = *count++;
	}
	return here->is_open > 0;
}

static inline uint64_t fauxplat_now(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#define FAUXPLAT_ADD(word, amount) __atomic_fetch_add(word, (uint64_t)(amount), __ATOMIC_RELAXED)

/* The slot of a name: the first with it, or one that was free. */
static inline uint64_t *fauxplat_find(struct fauxplat_region *region)
{
	size_t length = strnlen(region->name, 63);
	for (int i = 0; i < FAUXPLAT_SLOTS; i++) {
		uint64_t *slot = fauxplat_page + FAUXPLAT_HEADER + i * FAUXPLAT_WORDS, free = 0;
		char *name = (char *)(slot + FAUXPLAT_NAME);
		if (__atomic_compare_exchange_n(slot, &free, (uint64_t)1, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
			memcpy(name, region->name, length);
			__atomic_store_n(slot, (uint64_t)2, __ATOMIC_RELEASE);
		}
		/* Somebody may write its name just now; who was ended meanwhile never will. */
		for (int wait = 0; wait < 1000000 && __atomic_load_n(slot, __ATOMIC_ACQUIRE) == 1; wait++)
			;
		if (__atomic_load_n(slot, __ATOMIC_ACQUIRE) == 2 && !memcmp(name, region->name, length) && !name[length]) {
			__atomic_store_n(&region->slot, slot, __ATOMIC_RELEASE);
			return slot;
		}
	}
	__atomic_fetch_add(fauxplat_page + FAUXPLAT_LOST, (uint64_t)1, __ATOMIC_RELAXED);
	return NULL;
}

static inline uint64_t *fauxplat_slot(struct fauxplat_region *region)
{
	uint64_t *slot = __atomic_load_n(&region->slot, __ATOMIC_ACQUIRE);
	return slot ? slot : fauxplat_find(region);
}

static inline void fauxplat_begin(struct fauxplat_region *region)
{
	if (!__atomic_load_n(&fauxplat_ready, __ATOMIC_ACQUIRE))
		pthread_once(&fauxplat_once, fauxplat_map);
	uint64_t *slot = fauxplat_page ? fauxplat_slot(region) : NULL;
	struct fauxplat_thread *here = &fauxplat_here;
	if (!slot)
		return;
	for (int i = here->top; i-- > 0;)
		if (here->open[i].slot == slot) {
			here->open[i].depth++;
			return;
		}
	if (here->top == FAUXPLAT_OPEN) {
		FAUXPLAT_ADD(slot + FAUXPLAT_ERRORS, 1);
		return;
	}
	if (!here->is_open && fauxplat_page[FAUXPLAT_COUNT])
		fauxplat_open_counters(here);
	struct fauxplat_mark *mark = &here->open[here->top++];
	mark->slot = slot;
	mark->depth = 0;
	FAUXPLAT_ADD(slot + FAUXPLAT_BEGUN, 1);
	mark->wall = fauxplat_now();
	mark->counted = fauxplat_count(here, &mark->read);
}

static inline void fauxplat_end(struct fauxplat_region *region)
{
	struct fauxplat_thread *here = &fauxplat_here;
	struct fauxplat_read now_read;
	uint64_t *slot;
	if (!fauxplat_page)
		return;
	slot = __atomic_load_n(&region->slot, __ATOMIC_ACQUIRE);
	if (here->top && here->open[here->top - 1].slot == slot && here->open[here->top - 1].depth) {
		here->open[here->top - 1].depth--;
		return;
	}
	int counted = fauxplat_count(here, &now_read), at = here->top;
	uint64_t now = fauxplat_now();
	while (at-- > 0 && here->open[at].slot != slot)
		;
	if (at < 0 || !slot) {
		if (!here->forked && (slot = fauxplat_slot(region)))
			FAUXPLAT_ADD(slot + FAUXPLAT_ERRORS, 1);
		return;
	}
	struct fauxplat_mark *mark = &here->open[at];
	if (mark->depth) {
		mark->depth--;
		return;
	}
	FAUXPLAT_ADD(slot + FAUXPLAT_WALL, now - mark->wall);
	/* What shared its registers meanwhile counted a part alone, and what ran backwards nothing that is known: both are left out. */
	counted = counted && mark->counted
	       && now_read.asked_for - mark->read.asked_for == now_read.running - mark->read.running;
	for (int i = 0; counted && i < here->is_open; i++)
		counted = now_read.counts[i] >= mark->read.counts[i];
	if (counted) {
		for (int i = 0; i < here->is_open; i++)
			FAUXPLAT_ADD(slot + FAUXPLAT_COUNTS + i, now_read.counts[i] - mark->read.counts[i]);
		FAUXPLAT_ADD(slot + FAUXPLAT_COUNTED, 1);
	}
	FAUXPLAT_ADD(slot + FAUXPLAT_CALLS, 1);
	FAUXPLAT_ADD(slot + FAUXPLAT_BEGUN, -1);
	here->top--;
	memmove(mark, mark + 1, (size_t)(here->top - at) * sizeof *mark);
}

#ifdef __cplusplus
/* From here to the end of the block: `fauxplat_inside here(parse);` */
struct fauxplat_inside {
	explicit fauxplat_inside(fauxplat_region &begun) : region(begun) { fauxplat_begin(&region); }
	~fauxplat_inside() { fauxplat_end(&region); }
	fauxplat_inside(const fauxplat_inside &) = delete;
	fauxplat_region &region;
};
#endif

#endif
