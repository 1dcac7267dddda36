#!/bin/sh
# A shield keeps every other task off its CPUs, by an isolated partition or by cpusets of version 1, and leaves no trace.
# shapes: x86-numa x86-v1
# seconds: 120

. "$(dirname "$0")/../guest/testing.sh"

case $(cat /sys/devices/system/cpu/online) in
    0-1) shield=1 others=0 ;;
    *) shield=2-3 others=0-1,4-23 ;;
esac
sleep 1000 &
other=$!
# A task with a mask of its own that has nothing to do with the shield; the kernel forgets that one too.
taskset -c 0 sleep 1000 &
pinned=$!
mask() { sed -n 's/^Cpus_allowed_list:\t//p' "/proc/$1/status"; }
is_pinned() { [ "$(mask $pinned)" = 0 ]; }
eventually is_pinned
remember_machine
"$FAUXPLAT" tune --set shield="$shield" --for sh -c \
    "sed -n 's/^Cpus_allowed_list:\t//p' /proc/self/status /proc/$other/status /proc/1/status" > /run/said ||
    fail "tune ended with $?: $(cat /run/said)"
same "CPUs of the command, of a sleeper, of init" "$shield $others $others" "$(head -n 3 /run/said | tr '\n' ' ' | sed 's/ $//')"
machine_is_as_before "the shield"
same "CPUs of the sleeper" "$(cat /sys/devices/system/cpu/online)" "$(mask $other)"
same "CPUs of the pinned sleeper" 0 "$(mask $pinned)"
echo "CPUs $shield for the command, $others for all others"
