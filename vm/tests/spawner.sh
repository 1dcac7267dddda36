#!/bin/sh
# The spawner passes its tests as root under another kernel: taskstats, migrations, peak memory, process trees.
# shapes: x86-numa x86-v1
# seconds: 180

. "$(dirname "$0")/../guest/testing.sh"

# All cases but the one that compares CPU times, which here follow the load of the host.
for case in metric status "cannot start" "never ends" "left behind" "peak memory" flood "stdin starts" "stack offset" \
    "the heap" "the tree" "stops on" "many requests"; do
    cargo_test launch.spawner "$case" > /run/said || fail "$(cat /run/said) the spawner: $case"
    grep -q "1 passed" /run/said || fail "$(cat /run/said) not one case is called «$case»"
done
cargo_test launch.lib || fail "unit tests of launch"
cargo_test sys.lib || fail "unit tests of sys"
