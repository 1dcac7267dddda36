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

"$FAUXPLAT" tune --set cpu:0=offline --all-or-nothing > /run/said 2>&1
same "exit code for CPU 0" 3 $?
machine_is_as_before "the refusal of CPU 0"
echo "six tasks"
