#!/bin/sh
# A knob that is busy or read-only is refused in the kernel's words while the others are turned; or all stay as they were.
# shapes: x86-v1
# seconds: 60

. "$(dirname "$0")/../guest/testing.sh"

# A cpuset keeps a CPU for as long as one below it has it, and its file stands for a knob that is busy.
cd /sys/fs/cgroup/cpuset || skip "no cpusets of version 1"
mkdir -p keeps/it
for set in keeps keeps/it; do
    echo 0-1 > $set/cpuset.cpus
    echo 0 > $set/cpuset.mems
done
echo 0 2> /run/reason > keeps/cpuset.cpus && fail "the cpuset lets its CPU go"
mount --bind keeps/cpuset.cpus /proc/sys/vm/swappiness
# As where a container has a part of /proc/sys.
mount --bind /proc/sys/vm/stat_interval /proc/sys/vm/stat_interval
mount -o remount,bind,ro /proc/sys/vm/stat_interval
remember_machine

tune() { "$FAUXPLAT" tune --set stat-interval=7 --set swappiness=0 --set timer-migration=off "$@" > /run/said 2>&1; }
# told KNOB WORDS: the report has the words in one line, however it is folded.
told() { tr -s '\n ' ' ' < /run/said | grep -q "$1" || fail "not told: $1: $(cat /run/said)"; }

tune
same "exit code with refusals" 3 $?
same "timer migration" 0 "$(cat /proc/sys/kernel/timer_migration)"
told "stat-interval .*7 refused"
told "stat-interval: read-only here, as in a container: do it on the host"
told "swappiness: in use, or locked by another setting"
"$FAUXPLAT" restore > /run/said || fail "restore ended with $?: $(cat /run/said)"
machine_is_as_before "refusals"

tune --all-or-nothing
same "exit code of all or nothing" 3 $?
told "all-or-nothing: .*everything was put back"
machine_is_as_before "all or nothing"

umount /proc/sys/vm/swappiness
umount /proc/sys/vm/stat_interval
rmdir keeps/it keeps
echo "busy and read-only"
