#!/bin/sh
# Killed at system calls all over its life, with its group or its guardian, the tuner leaves the machine as it was.
# shapes: x86-numa x86-v1
# seconds: 200

. "$(dirname "$0")/../guest/testing.sh"

cargo_test cli.kills "kills on" > /run/said 2>&1 || fail "$(cat /run/said) a kill has left its mark"
grep -q 'skipped:' /run/said && skip "$(cat /run/said)"
grep -o '[0-9]* kills' /run/said | awk '{ sum += $1 } END { print sum " kills" }'
