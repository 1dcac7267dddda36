#!/bin/sh
# The guest has two CPUs and the controllers of cgroup v1, each in a hierarchy of its own.
# shapes: x86-v1
# seconds: 60

. "$(dirname "$0")/../guest/testing.sh"

same "online CPUs" 0-1 "$(cat /sys/devices/system/cpu/online)"
for controller in cpu cpuset memory freezer pids; do
    grep -q "[:,]${controller}[:,]" /proc/self/cgroup || fail "no controller $controller"
done
cd /sys/fs/cgroup || fail "no groups"
mkdir cpuset/a memory/a
echo 1 > cpuset/a/cpuset.cpus
echo 0 > cpuset/a/cpuset.mems
echo 20M > memory/a/memory.limit_in_bytes
same "limit" 20971520 "$(cat memory/a/memory.limit_in_bytes)"
same "CPUs of a task in the group" 1 "$(sh -c 'echo $$ > cpuset/a/tasks; sed -n "s/^Cpus_allowed_list:\t//p" /proc/self/status')"
rmdir cpuset/a memory/a
echo "limits hold"
