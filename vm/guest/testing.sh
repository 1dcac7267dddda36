# What the tests of vm/tests have in common. A test passes with exit code 0, is skipped with 77, else it has failed; the
# last line that it printed stands beside the outcome. Processes that it leaves behind are ended.
#
# $FAUXPLAT is the program, /job/bin holds a starter for each test program of cargo, and /job/programs small programs
# for the guest.
# shellcheck shell=sh

# skip WHY: this guest cannot tell.
skip() {
    echo "$1"
    exit 77
}

fail() {
    echo "$1"
    exit 1
}

# same WHAT EXPECTED FOUND
same() {
    [ "$2" = "$3" ] || fail "$1: expected «$2», found «$3»"
}

# holds WHAT CONDITION…: a condition as for `test`.
holds() {
    what=$1
    shift
    [ "$@" ] || fail "$what: not so: $*"
}

# cargo_test CRATE.TARGET [ARGUMENT…]: a test program of cargo in the folder of its crate; `lib` are the unit tests.
cargo_test() {
    starter=/job/bin/$1
    shift
    [ -x "$starter" ] || fail "${starter##*/} was not built"
    "$starter" "$@"
}

# remember_machine: notes the state of the machine for machine_is_as_before.
remember_machine() { "$(dirname "$0")/../guest/machine-state" > /run/before; }

# machine_is_as_before AFTER-WHAT
machine_is_as_before() {
    "$(dirname "$0")/../guest/machine-state" > /run/after
    "$(dirname "$0")/../guest/machine-state" /run/before /run/after > /run/differs ||
        fail "after $1 this differs: $(cat /run/differs)"
}

# machine_comes_back AFTER-WHAT: the same of a guardian that does it meanwhile.
machine_comes_back() {
    eventually nothing_differs || fail "after $1 this stays: $(cat /run/differs)"
}

nothing_differs() (machine_is_as_before "all that") > /dev/null

# eventually CONDITION…: waits until it holds, for half a minute at least: a guest is slow.
eventually() {
    tries=0
    until "$@"; do
        tries=$((tries + 1))
        [ $tries -lt 300 ] || return 1
        sleep 0.1
    done
}
