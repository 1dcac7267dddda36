/* What both versions of the benchmark see of the table. */
#include <stdint.h>

enum { OBJECTS = 65536, KEYS = 12 };
extern int64_t cells[OBJECTS][KEYS];
int64_t get(uint32_t object, uint32_t key);
uint64_t reads(void);
uint64_t sum(void);
