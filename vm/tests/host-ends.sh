#!/usr/bin/env bash
# `vm/run` ends by its time limit, by Ctrl-C, by TERM and by KILL, and no process and no file of it stays.
# shapes: host
# seconds: 150

. "$(dirname "$0")/../guest/testing.sh"

run=$(dirname "$0")/../run
export TMPDIR="$JOB/tmp"
mkdir -p "$TMPDIR"
emulators() { pgrep -f "path=$TMPDIR/tmp" | wc -l; }

# eventually_gone HOW: the emulator ends a moment after what had started it.
eventually_gone() {
    tries=0
    while [ "$(emulators)" != 0 ]; do
        tries=$((tries + 1))
        [ $tries -lt 100 ] || fail "after $1 the emulator goes on"
        sleep 0.1
    done
}

"$run" arm64-pmu --seconds 6 -- sleep 1000 2> "$JOB/err"
same "exit code when the time is up" 124 $?
eventually_gone "the time limit"
same "files" "" "$(ls "$TMPDIR")"

for signal in INT TERM KILL; do
    # What the guest before said must not be taken for this one's.
    rm -f "$JOB/out"
    # With job control a background process is a group of its own and listens to Ctrl-C, as in a terminal.
    set -m
    "$run" arm64-pmu -- sh -c 'echo up; sleep 1000' > "$JOB/out" 2> "$JOB/err" &
    guest=$!
    set +m
    tries=0
    until grep -q up "$JOB/out" 2> /dev/null; do
        tries=$((tries + 1))
        [ $tries -lt 300 ] || fail "the guest did not come up"
        sleep 0.1
    done
    holds "emulators" "$(emulators)" -gt 0
    # Ctrl-C reaches the whole group, the others one process.
    [ $signal = INT ] && target=-$guest || target=$guest
    kill -s $signal -- "$target"
    wait "$guest"
    code=$?
    eventually_gone "$signal"
    case $signal in
        INT) same "exit code after Ctrl-C" 130 $code ;;
        TERM) same "exit code after TERM" 143 $code ;;
    esac
    # Nothing can clean up after KILL; the folder is small.
    [ $signal = KILL ] || same "files after $signal" "" "$(ls "$TMPDIR")"
done
echo "124, 130, 143, and nothing left"
