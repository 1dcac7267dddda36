#!/bin/sh
# `tune` changes governors and other values, refuses what is not here, and `restore` puts back what was there, once.
# shapes: x86-numa x86-v1
# seconds: 120

. "$(dirname "$0")/../guest/testing.sh"

remember_machine
governor=/sys/devices/system/cpu/cpu23/cpufreq/scaling_governor

"$FAUXPLAT" tune quiet > /run/said || fail "tune ended with $?: $(cat /run/said)"
same "governor" performance "$(cat $governor 2> /dev/null || echo performance)"
same "interval of memory statistics" 120 "$(cat /proc/sys/vm/stat_interval)"
grep -q 'turbo .* absent' /run/said || fail "turbo, which nothing here has, is not called absent: $(cat /run/said)"
"$FAUXPLAT" restore > /run/said || fail "restore ended with $?: $(cat /run/said)"
machine_is_as_before "restore"
"$FAUXPLAT" restore > /run/said || fail "a second restore ended with $?"
grep -q '^Nothing to restore' /run/said || fail "the second restore says: $(cat /run/said)"

"$FAUXPLAT" tune --set rt-throttle=off --set swappiness=7 --for sh -c \
    'cat /proc/sys/kernel/sched_rt_runtime_us /proc/sys/vm/swappiness; exit 9' > /run/said 2> /run/notes
same "exit code when the command fails" 4 $?
same "values for the command" "-1 7" "$(tr '\n' ' ' < /run/said | sed 's/ $//')"
machine_is_as_before "tune --for"

# Somebody else's change is left alone.
"$FAUXPLAT" tune --set swappiness=7 > /run/said || fail "tune ended with $?"
echo 33 > /proc/sys/vm/swappiness
"$FAUXPLAT" restore > /run/said
same "swappiness that somebody else has set" 33 "$(cat /proc/sys/vm/swappiness)"
"$FAUXPLAT" restore --force > /run/said
echo 60 > /proc/sys/vm/swappiness
machine_is_as_before "a change by somebody else"
echo "put back, and left alone where others have written"
