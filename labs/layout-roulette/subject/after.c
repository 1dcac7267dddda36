/* Hardly runs: once in 786,432 reads; with the atomic instructions that were added. */
#include "table.h"

void publish(uint32_t object) {
    __atomic_fetch_add(&cells[object][0], 1, __ATOMIC_SEQ_CST);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
