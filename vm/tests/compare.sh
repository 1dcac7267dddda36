#!/bin/sh
# `compare` finds four times the work, whatever the clock of the guest does.
# shapes: x86-numa
# seconds: 180

. "$(dirname "$0")/../guest/testing.sh"

loop() { echo "sh -c 'i=0; while [ \$i -lt $1 ]; do i=\$((i+1)); done'"; }
"$FAUXPLAT" compare --quiet --store none --format json "$(loop 1000)" "$(loop 4000)" > /run/report.json ||
    fail "compare ended with $?"
grep -q '"verdict": *"different"' /run/report.json || fail "the verdict is $(grep '"verdict"' /run/report.json)"
grep -o '"effect_ratio": *[0-9.]*' /run/report.json | head -n 1
