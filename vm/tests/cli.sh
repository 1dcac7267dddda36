#!/bin/sh
# The program passes its tests of placement on CPUs, of process trees, and of commands that have to be ended.
# shapes: x86-numa x86-v1
# seconds: 240

. "$(dirname "$0")/../guest/testing.sh"

# One at a time: on emulated CPUs side by side each would take as long as all.
cargo_test cli.cli --test-threads 1 placement:: run::the_tree run::every_metric misbehaviour::a_command_that_never_ends \
    misbehaviour::what_a_command_leaves_behind interrupt::a_run_that_is_interrupted || fail "the program"
