#!/bin/sh
# Threads stand on the CPUs of the list, siblings among them, and pages come from the nodes that a policy names.
# shapes: x86-numa
# seconds: 120

. "$(dirname "$0")/../guest/testing.sh"

cargo_test launch.threads > /run/said || fail "$(cat /run/said) threads that are placed"

# run WORDS…: one run, whose output stands in /run/out.
run() {
    : > /run/out
    "$FAUXPLAT" run --store none --quiet --runs 1 --stdout /run/out --format json "$@" > /run/record 2> /run/errors ||
        fail "$*: $(cat /run/errors)"
}

# refused WORDS… : what is said to it.
refused() {
    "$FAUXPLAT" run --store none --quiet --runs 1 "$@" true > /run/record 2> /run/errors && fail "$* was not refused"
    cat /run/errors
}

run --pin-threads 2,sibling-of:2 true
tr -d ' ' < /run/record | grep -q '"pin_threads":"2,14"' ||
    fail "the sibling of 2 is not 14: $(grep pin_threads /run/record)"

# Fills some megabytes, and prints what the kernel says of its heap.
cat > /run/heap.awk << 'END'
BEGIN {
    for (i = 0; i < 100000; i++) a[i] = i
    while ((getline line < "/proc/self/numa_maps") > 0) if (line ~ / heap /) print line
}
END
# pages NODE: how many of them are there.
pages() { sed -n "s/.* N$1=\([0-9]*\).*/\1/p" /run/out | head -n 1; }

run --cpu 0 --memory-policy bind:1 "awk -f /run/heap.awk"
same "policy" "bind=static:1" "$(cut -d ' ' -f 2 /run/out | head -n 1)"
holds "pages of the far node" "$(pages 1)" -gt 1000
same "pages of the own node" "" "$(pages 0)"
run --cpu 0 --memory-policy local "awk -f /run/heap.awk"
holds "pages of the own node" "$(pages 0)" -gt 1000
same "pages of the far node" "" "$(pages 1)"
run --cpu 0 --interleave 0-1 "awk -f /run/heap.awk"
# Pages of a folio stay together, so that the halves need not be equal.
holds "interleaved pages of one node" "$(pages 0)" -gt 300
holds "interleaved pages of the other" "$(pages 1)" -gt 300

case "$(refused --memory-policy bind:2)" in *"node 2 does not exist; this machine has 0-1"*) ;; *) fail "$(cat /run/errors)" ;; esac
case "$(refused --limit mems:0 --memory-policy bind:1)" in *"not allowed by --limit mems"*) ;; *) fail "$(cat /run/errors)" ;; esac
case "$(refused --pin-threads 0,24)" in *"CPU 24 does not exist"*) ;; *) fail "$(cat /run/errors)" ;; esac
echo 0 > /sys/devices/system/cpu/cpu14/online
case "$(refused --pin-threads 2,14)" in *"CPU 14 is offline"*) ;; *) fail "$(cat /run/errors)" ;; esac
echo 1 > /sys/devices/system/cpu/cpu14/online
"$FAUXPLAT" sweep memory-policy true --cpu 0 --blocks 2 --store none --quiet --format json > /run/record ||
    fail "a sweep over policies"
for level in local bind:0 bind:1; do
    grep -q "\"$level\"" /run/record || fail "no level $level"
done
echo "threads on 2 and 14, $(pages 0) and $(pages 1) pages interleaved"
