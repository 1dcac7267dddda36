#!/bin/sh
# A sibling taken off comes back, and every task's mask with it: sleeper, spinner, forking waker, real-time waker.
# shapes: x86-numa
# seconds: 120

. "$(dirname "$0")/../guest/testing.sh"

# task CPUS COMMAND…
task() { taskset -c "$@" > /dev/null 2>&1 & }
task 15 sleep 1000
task 14-16 sleep 1000
task 15 sh -c 'while :; do :; done'
task 15 sh -c 'while :; do sleep 0.05; done'
task 15 chrt -f 10 sh -c 'while :; do sleep 0.05; done'
task 3,15 sh -c 'while :; do sleep 0.05; done'
sleep 1
remember_machine

"$FAUXPLAT" tune --set smt-sibling-of:3=offline --for sh -c 'sleep 1; cat /sys/devices/system/cpu/online' > /run/said ||
    fail "tune ended with $?: $(cat /run/said)"
same "CPUs for the command" 0-14,16-23 "$(head -n 1 /run/said)"
machine_is_as_before "smt-sibling-of:3=offline"

"$FAUXPLAT" tune --set smt=off --for sh -c 'sleep 1; cat /sys/devices/system/cpu/online' > /run/said ||
    fail "tune ended with $?: $(cat /run/said)"
same "CPUs without SMT" 0-11 "$(head -n 1 /run/said)"
machine_is_as_before "smt=off"

# A second thread that was off before stays off. The kernel binds its own threads anew whenever a CPU of their node comes
# back, to those that are online then, so their masks are compared when all are.
echo 0 > /sys/devices/system/cpu/cpu20/online
"$FAUXPLAT" tune --set smt=off --for cat /sys/devices/system/cpu/online > /run/said
ended=$?
online=$(cat /sys/devices/system/cpu/online)
echo 1 > /sys/devices/system/cpu/cpu20/online
same "end of tune" 0 "$ended"
same "CPUs without SMT" 0-11 "$(head -n 1 /run/said)"
same "CPUs after smt=off beside one that was off" 0-19,21-23 "$online"
machine_is_as_before "smt=off beside a CPU that was off"

# The kernel's log names who was bound to a CPU that went, and who was not bound to it when the tasks were noted is told.
sleep 1000 &
"$FAUXPLAT" tune --set cpu:15=offline > /run/said || fail "tune ended with $?: $(cat /run/said)"
echo "process $! (sleep) no longer affine to cpu15" > /dev/kmsg
"$FAUXPLAT" restore > /run/said || fail "restore ended with $?: $(cat /run/said)"
tr -s '\n ' ' ' < /run/said | grep -q "task $! may run on 0-23 and had bound itself to CPU 15" ||
    fail "the task that the kernel names is not told: $(cat /run/said)"
machine_is_as_before "cpu:15=offline"

"$FAUXPLAT" tune --set cpu:0=offline --all-or-nothing > /run/said 2>&1
same "exit code for CPU 0" 3 $?
machine_is_as_before "the refusal of CPU 0"
echo "six tasks"
