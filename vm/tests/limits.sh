#!/bin/sh
# Limits hold in this version of control groups: memory that kills and that pauses, weights, lists of CPUs and nodes.
# shapes: x86-numa x86-v1
# seconds: 120

. "$(dirname "$0")/../guest/testing.sh"

# limit WORDS…: the document of a run, on one line.
limit() { "$FAUXPLAT" limit --store none --quiet --format json "$@" | tr -d '\n' > /run/limit.json; }

# says WORDS: whether the document has them, whatever blanks it has.
says() { tr -d ' ' < /run/limit.json | grep -q "$1" || fail "no $1 in $(cut -c 1-600 /run/limit.json)"; }

greedy="dd if=/dev/zero of=/dev/null bs=96M count=1"
limit --memory 24M --ignore-failure "$greedy"
says '"kind":"oom-kill"'
says '"oom_kills":1'
says '"name":"dd"'
# It touches its memory itself: a system call that needs a page does not wait, it comes back short.
echo 'BEGIN { for (i = 0; i < 9999999; i++) a[i] = i }' > /run/fill.awk
limit --memory 24M --on-oom pause --max-time 20s "awk -f /run/fill.awk"
says '"kind":"paused"'
says '"oom_kills":0'
says '"is_timed_out":true'
limit --cpuset 1 --mems 0 --weight 75 --pids 50 --cpu-quota 50% true
says '"cpus":"1"'
says '"mems":"0"'
says '"weight":75.0'
says '"cpu_percent":50.0'
limit --group high:cpus:1+weight:75 --group low:cpus:1+weight:25 --max-time 6s \
    'high=sh -c "while :; do :; done"' 'low=sh -c "while :; do :; done"'
share=$(tr -d ' ' < /run/limit.json | sed -n 's/.*"share":{"share":0\.\([0-9][0-9]\).*/\1/p')
# Only the last of the two is found: that of the lower weight. The clock of a guest is not that of its accounts.
holds "the share of a quarter" "${share:-0}" -ge 15 -a "${share:-0}" -le 35
same "groups that are left" 0 "$(find /sys/fs/cgroup -name 'fauxplat-*' | wc -l)"
version=$(tr -d ' ' < /run/limit.json | sed -n 's/.*"version":"\([^"]*\)".*/\1/p')
echo "version $version, a share of 0.$share for a weight of 25 beside 75"
