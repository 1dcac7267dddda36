#!/bin/sh
# The crates below the program pass their own tests on arm64.
# shapes: arm64-pmu
# seconds: 120
# packages: fauxplat-units fauxplat-model fauxplat-sys fauxplat-topology fauxplat-counters

. "$(dirname "$0")/../guest/testing.sh"

# These counters are emulated and exact, which no test may ask of a processor.
export EXACT_COUNTERS=1
ran=0
for starter in /job/bin/*; do
    echo "${starter##*/}"
    "$starter" || fail "${starter##*/} fails"
    ran=$((ran + 1))
done
holds "test programs" "$ran" -ge 5
echo "$ran test programs"
