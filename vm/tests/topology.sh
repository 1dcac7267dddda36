#!/bin/sh
# `topo` prints what the guest's own `lscpu -p` prints, and picks by relation what the shape was built from.
# shapes: x86-numa x86-v1
# seconds: 60

. "$(dirname "$0")/../guest/testing.sh"

command -v lscpu > /dev/null || skip "the host has no lscpu to compare with"
lscpu -p > /run/theirs
"$FAUXPLAT" topo --format lscpu > /run/ours || fail "topo ended with $?"
diff /run/theirs /run/ours || fail "topo and lscpu differ"

[ "$(cat /sys/devices/system/cpu/online)" = 0-23 ] || { echo "as lscpu"; exit 0; }

# picked RELATION CPUS: nothing is watched, so that only the relation decides.
picked() { same "$1" "$2" "$("$FAUXPLAT" topo pick --quiet --watch 0s "$1" 2>&1)"; }
picked sibling-of:3 15
picked sibling-of:15 3
picked same-cpu:3 3
picked other-core-same-l3:3 0-2,4-5,12-14,16-17
picked other-package:3 6-11,18-23
picked node:1 6-11,18-23
picked one-per-core 0-11
picked one-per-package 0,6

# The siblings of a core are taken off, and then the tree has half the CPUs.
echo off > /sys/devices/system/cpu/smt/control
"$FAUXPLAT" topo --format lscpu > /run/ours
lscpu -p | diff - /run/ours || fail "without SMT topo and lscpu differ"
"$FAUXPLAT" topo pick --quiet --watch 0s sibling-of:3 > /run/said 2>&1
same "exit code where no sibling is left" 3 $?
echo on > /sys/devices/system/cpu/smt/control
lscpu -p | diff - /run/theirs || fail "the CPUs did not come back"
echo "24 and 12 CPUs as lscpu, nine relations"
