#include "fauxplat_region.h"

void fauxplat_region_begin(struct fauxplat_region *region) { fauxplat_begin(region); }
void fauxplat_region_end(struct fauxplat_region *region) { fauxplat_end(region); }
