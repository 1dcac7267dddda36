#!/bin/sh
# Killed with SIGKILL while the machine is tuned, the tuner's guardian puts everything back.
# shapes: x86-numa x86-v1
# seconds: 120

. "$(dirname "$0")/../guest/testing.sh"

case $(cat /sys/devices/system/cpu/online) in
    0-1) off=cpu:1 left=0 ;;
    *) off=smt-sibling-of:3 left=0-14,16-23 ;;
esac
remember_machine
online_are() { [ "$(cat /sys/devices/system/cpu/online)" = "$1" ]; }
for round in 1 2 3; do
    "$FAUXPLAT" tune quiet --set "$off"=offline --for sleep 1000 > /dev/null 2>&1 &
    tuner=$!
    eventually online_are "$left" || fail "round $round: the CPU does not go"
    kill -s KILL $tuner
    wait $tuner 2> /dev/null
    eventually online_are "$(sed -n 's/^online://p' /run/before)" || fail "round $round: the CPU does not come back"
    machine_comes_back "round $round"
done
"$FAUXPLAT" restore > /run/said || fail "restore after the guardian ended with $?"
grep -q '^Nothing to restore' /run/said || fail "there was something left to restore: $(cat /run/said)"
echo "three times"
