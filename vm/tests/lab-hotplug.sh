#!/bin/sh
# The lab that takes a CPU offline judges all of its claims, and leaves every mask as it was, also when it is killed.
# shapes: x86-numa
# seconds: 120

. "$(dirname "$0")/../guest/testing.sh"

taskset -c 15 sleep 1000 > /dev/null 2>&1 &
taskset -c 15 sh -c 'while :; do sleep 0.05; done' > /dev/null 2>&1 &
sleep 1
remember_machine

"$FAUXPLAT" lab run hotplug-affinity --set cpu=15 --store none --quiet > /run/said 2>&1 ||
    fail "the lab ended with $?: $(cat /run/said)"
grep -q 'fauxplat puts all of it back: reproduced' /run/said || fail "fauxplat did not: $(cat /run/said)"
grep -q 'a running thread loses its CPU for good: [rn]' /run/said || fail "not judged: $(cat /run/said)"
machine_is_as_before "hotplug-affinity"

# It is off for so long that no guest is too slow to kill the lab meanwhile.
"$FAUXPLAT" lab run hotplug-affinity --set cpu=15 --set hold=60 --store none --quiet > /run/said 2>&1 &
lab=$!
online_is() { [ "$(cat /sys/devices/system/cpu/cpu15/online)" = "$1" ]; }
eventually online_is 0 || fail "CPU 15 never went offline: $(cat /run/said)"
kill -9 $(pgrep -f '^python3 subject/masks.py' | head -n 1) $lab
eventually online_is 1 || fail "CPU 15 stays offline after the kill"
machine_comes_back "the kill"
grep -q 'who sleeps' /run/said && fail "the lab ended before it was killed"
echo "the table, and a kill"
