#!/bin/sh
# `run` measures here, and states the facts of this machine: its CPUs, their governor, its kernel.
# shapes: x86-numa x86-v1
# seconds: 120

. "$(dirname "$0")/../guest/testing.sh"

"$FAUXPLAT" run -r 3 --quiet --store none --format json true > /run/report.json || fail "run ended with $?"

# fact FIELD: the first text of this name in the report.
fact() { sed -n "s/.*\"$1\": *\"\([^\"]*\)\".*/\1/p" /run/report.json | head -n 1; }

cpus=/sys/devices/system/cpu
same "schema" fauxplat.run/2 "$(fact schema)"
same "CPUs" "$(cat $cpus/online)" "$(fact online)"
same "kernel" "$(uname -r)" "$(fact kernel)"
same "hypervisor" QEMU "$(fact hypervisor)"
same "governor" "$(cat $cpus/cpu0/cpufreq/scaling_governor 2> /dev/null)" "$(fact governor)"
same "runs" 3 "$(grep -o '"wall_ns": *[0-9]' /run/report.json | wc -l)"
echo "CPUs $(fact online), Linux $(fact kernel), governor $(fact governor)"
