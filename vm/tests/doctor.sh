#!/bin/sh
# `doctor` sees what this shape has, and what was changed since: SMT, nodes, the governor, the hypervisor.
# shapes: x86-numa x86-v1
# seconds: 100

. "$(dirname "$0")/../guest/testing.sh"

doctor() { "$FAUXPLAT" doctor --all --interval 10ms "$@" > /run/said 2> /run/notes; }

doctor || fail "doctor ended with $?: $(cat /run/notes)"
grep -q '^ *medium *virtual-machine: QEMU' /run/said || fail "the virtual machine is not seen: $(cat /run/said)"
[ "$(cat /sys/devices/system/cpu/online)" = 0-23 ] || { echo "sees QEMU"; exit 0; }

grep -q ' smt: 24 of 24 CPUs' /run/said || fail "SMT is not seen: $(grep ' smt' /run/said)"
grep -q ' numa-balancing: on, with 2 nodes' /run/said || fail "the nodes are not seen: $(grep numa /run/said)"

# What tune changes, doctor no longer finds, and a gate that failed before holds.
doctor --fail-if numa-balancing=high
same "exit code of the gate before" 1 $?
"$FAUXPLAT" tune --set numa-balancing=off --for "$FAUXPLAT" doctor --fail-if numa-balancing=low > /run/said 2>&1
same "exit code of the gate while tuned" 0 $?

# Without root it tells the same story.
setpriv --reuid 65534 --regid 65534 --clear-groups "$FAUXPLAT" doctor --interval 10ms > /run/said 2>&1
same "exit code without root" 0 $?
grep -q ' smt: 24 of 24 CPUs' /run/said || fail "without root SMT is not seen"
echo "sees QEMU, SMT and nodes, and that tune has been there"
