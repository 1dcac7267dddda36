#!/bin/sh
# The guest is the machine that the other tests rely on: 2 x 6 x 2, siblings n and n+12, two nodes, cpufreq, cgroup v2.
# shapes: x86-numa
# seconds: 60

. "$(dirname "$0")/../guest/testing.sh"

cd /sys/devices/system || fail "no sysfs"
same "online CPUs" 0-23 "$(cat cpu/online)"
for cpu in 0 1 2 3 4 5 6 7 8 9 10 11; do
    same "siblings of $cpu" "$cpu,$((cpu + 12))" "$(cat cpu/cpu$cpu/topology/thread_siblings_list)"
    same "socket of $cpu" "$((cpu / 6))" "$(cat cpu/cpu$cpu/topology/physical_package_id)"
done
same "CPUs of node 0" 0-5,12-17 "$(cat node/node0/cpulist)"
same "CPUs of node 1" 6-11,18-23 "$(cat node/node1/cpulist)"
same "distances" "10 20,20 10," "$(cat node/node*/distance | tr '\n' ,)"
same "SMT" on "$(cat cpu/smt/control)"

for policy in 0 5 23; do
    cd /sys/devices/system/cpu/cpu$policy/cpufreq || fail "no cpufreq for CPU $policy"
    same "driver" acpi-cpufreq "$(cat scaling_driver)"
    same "frequencies" "3000000 2400000 1800000 1200000 " "$(cat scaling_available_frequencies)"
    for pair in performance:3000000 powersave:1200000; do
        echo "${pair%:*}" > scaling_governor
        same "governor" "${pair%:*}" "$(cat scaling_governor)"
        same "frequency of ${pair%:*}" "${pair#*:}" "$(cat scaling_cur_freq)"
    done
    echo schedutil > scaling_governor
done

for controller in cpu cpuset memory io pids; do
    grep -qw $controller /sys/fs/cgroup/cgroup.subtree_control || fail "no controller $controller"
done
echo "as drawn"
