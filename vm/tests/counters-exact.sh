#!/bin/sh
# The emulated counters are exact: three instructions a round, a cycle each, and nothing for a page fault.
# shapes: arm64-pmu
# seconds: 60

. "$(dirname "$0")/../guest/testing.sh"

[ -x /job/programs/known_count ] || skip "the program was not built"
# An empty loop leaves its block by another branch than a full one, and that may cost an instruction or two.
/job/programs/known_count 1000 1000000 10000000 > /run/counts || fail "perf_event_open does not count"
cat /run/counts
while read -r rounds instructions cycles; do
    surplus=$((instructions - 3 * rounds))
    holds "instructions of $rounds rounds less three each" "$surplus" -ge 0 -a "$surplus" -le 8
    same "cycles of $rounds rounds" "$instructions" "$cycles"
    same "surplus over three a round, for any number of rounds" "${first:=$surplus}" "$surplus"
done < /run/counts
/job/programs/known_count 1000 1000000 10000000 | cmp - /run/counts || fail "a second time the counts differ"
# On processors each page fault adds one to the instructions of user mode (the lab known-count).
/job/programs/known_count touch 400 > /run/touched || fail "the touched pages were not counted"
read -r fresh there < /run/touched
same "instructions with 400 page faults and without" "$fresh" "$there"
echo "surplus of $first instructions at 1e3, 1e6 and 1e7 rounds, twice; none for 400 page faults"
