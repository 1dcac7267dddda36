#!/bin/sh
# A load whose CPU goes offline does nothing meanwhile, and says so; the others go on; it resumes when the CPU is back.
# shapes: x86-numa
# seconds: 90

. "$(dirname "$0")/../guest/testing.sh"

report=/tmp/load-hotplug.json
"$FAUXPLAT" load integer@3 integer:20%@5 --time 20s --store none --quiet --format json >"$report" &
load=$!
# A CPU that stays offline changes the masks of kernel threads under the tests that follow.
trap 'echo 1 >/sys/devices/system/cpu/cpu3/online' EXIT
# bound_to CPU: a task of the load has been placed there.
bound_to() {
    for pid in $(cat "/proc/$load/task/$load/children"); do
        grep -q "^Cpus_allowed_list:.$1\$" "/proc/$pid/status" && return 0
    done
    return 1
}
eventually bound_to 3 && eventually bound_to 5 || fail "the loads are not placed"
echo 0 >/sys/devices/system/cpu/cpu3/online
sleep 3
# The task of the lost CPU sleeps but for a glance at the CPU now and then; burning another one would take all the time
# that passes. An emulated CPU is slow, so the limit lies between the two.
for pid in $(cat "/proc/$load/task/$load/children"); do
    grep -qs 'Cpus_allowed_list:.5$' "/proc/$pid/status" && continue
    before=$(cut -d' ' -f1 "/proc/$pid/schedstat")
    sleep 2
    after=$(cut -d' ' -f1 "/proc/$pid/schedstat")
    [ $((after - before)) -lt 1000000000 ] || fail "the load of CPU 3 burns another CPU: $((after - before)) ns in 2 s"
done
echo 1 >/sys/devices/system/cpu/cpu3/online
wait "$load" || fail "fauxplat load ended with $?"
grep -q 'its CPU was offline' "$report" || fail "the report does not say that a CPU was offline: $(cat "$report")"
grep -q '"ended": null' "$report" || fail "no load went on: $(cat "$report")"
echo "CPU 3 was missed, and CPU 5 went on"
