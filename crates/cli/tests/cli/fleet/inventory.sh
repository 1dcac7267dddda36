#!/bin/sh
# Says what ClusterShell says, for a host that is this machine: its words, called by the names of its programs.
case ${0##*/} in
nodeset) cat "$FAKE/hosts" ;;
clush)
    echo "$*" >> "$FAKE/called"
    while [ $# -gt 1 ]; do
        case $1 in
            --copy) from=$2; shift ;;
            --dest) to=$2; shift ;;
        esac
        shift
    done
    # The last word is the line of a shell there, unless a file is copied. It goes on when whoever called is gone.
    if [ -n "$from" ]; then cp "$from" "${to:-$1}"; exit; fi
    setsid -w sh -c "$1" 2> "$FAKE/said" | sed 's/^/n1: /'
    sed 's/^/n1: /' "$FAKE/said" >&2 ;;
uname) echo sparc64 ;;
esac
