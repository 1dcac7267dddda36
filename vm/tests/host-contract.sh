#!/usr/bin/env bash
# `vm/run` gives output, errors and exit code of the command, and the guest's writes stay in it.
# shapes: host
# seconds: 120

. "$(dirname "$0")/../guest/testing.sh"

run=$(dirname "$0")/../run
file=$PWD/vm-was-here
out=$("$run" arm64-pmu -- sh -c "pwd; echo oops >&2; touch '$file' && ls '$file'; echo \"\$0|\$1\"; exit 7" "it's" 'a b' 2> "$JOB/err")
same "exit code" 7 $?
same "output" "$(printf '%s\n%s\n%s' "$PWD" "$file" "it's|a b")" "$out"
same "errors" oops "$(cat "$JOB/err")"
[ ! -e "$file" ] || fail "the guest has written to the host"
"$run" arm64-pmu --seconds 60 --job "$JOB/kept" -- sh -c 'echo kept > /job/file; kill -9 $$'
same "exit code of a command that was killed" 137 $?
same "file of the job" kept "$(cat "$JOB/kept/file")"
for words in "" "no-such-shape -- true" "arm64-pmu true" "arm64-pmu --seconds 0 -- true"; do
    # shellcheck disable=SC2086  # Words, indeed.
    "$run" $words 2> "$JOB/err"
    same "exit code of «vm/run $words»" 2 $?
done
echo "7, 137 and four misuses"
