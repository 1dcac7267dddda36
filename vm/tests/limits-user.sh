#!/bin/sh
# A user who may make no control group is given a scope unit by the service manager of that user, and without one is told why not.
# shapes: x86-numa
# seconds: 240

. "$(dirname "$0")/../guest/testing.sh"

manager=/lib/systemd/systemd
[ -x $manager ] && command -v busctl > /dev/null || skip "the host has no systemd (apt-get install systemd)"
[ -e /usr/lib/systemd/user/dbus.socket ] || skip "the host has no bus for users (apt-get install dbus-user-session)"

# As the service manager of the whole machine prepares it for that of a user; there is none here.
user=1000 slice=/sys/fs/cgroup/user.slice runtime=/run/user/1000
mkdir -p /run/systemd/system $runtime /run/home $slice/session $slice/manager
for above in /sys/fs/cgroup $slice; do echo '+cpu +memory +pids' > $above/cgroup.subtree_control; done
chown $user $runtime /run/home
chmod 700 $runtime

# as_user GROUP COMMAND…: in a group of that slice.
as_user() {
    where=$slice/$1
    shift
    sh -c 'echo 0 > "$0/cgroup.procs"; exec "$@"' "$where" \
        setpriv --reuid $user --regid $user --clear-groups \
        env -i HOME=/run/home XDG_RUNTIME_DIR=$runtime PATH="$PATH" LANG=C "$@"
}

limit() { as_user session "$FAUXPLAT" "$@" --store none --quiet --format json; }

refused() {
    limit limit --memory 64M true > /run/out 2> /run/said
    same "the end of a refused limit" 3 $?
    grep -q "$1" /run/said || fail "no «$1» in: $(cat /run/said)"
}

refused 'a service manager of this user, which could give one, does not run'

# Only the manager's own part is the user's.
chown -R $user $slice/manager
as_user manager $manager --user --unit=basic.target > /run/manager.log 2>&1 &
eventually [ -S $runtime/bus ] || fail "the service manager does not begin: $(tail -3 /run/manager.log)"

# It may move nobody who stands elsewhere. Elsewhere it has the manager of the whole machine do so; here the user is let.
refused 'did not move fauxplat into fauxplat-'

chown $user $slice/cgroup.procs $slice/session/cgroup.procs
none_left() { [ -z "$(find $slice -name 'fauxplat-*')" ]; }

limit limit --memory 64M --cpu-quota 50% true > /run/out || fail "limit: $(tr '\n' ' ' < /run/out)"
grep -q 'in a scope unit that the service manager of the user gave for it' /run/out || fail "no way: $(grep way /run/out)"
limit run --limit cpu:50% --runs 3 true > /run/out 2>&1 || fail "run: $(tail -c 500 /run/out)"
limit sweep limit=none,memory:64M true --blocks 2 --exhaustive > /run/out 2>&1 || fail "sweep: $(tail -c 500 /run/out)"
limit latency timer --count 100 --limit cpu:50% > /run/out 2>&1 || fail "latency: $(tail -c 500 /run/out)"
eventually none_left || fail "there is left: $(find $slice -name 'fauxplat-*')"

# Whoever is killed leaves nothing either: the manager removes a scope unit in which nobody is left.
limit limit --memory 64M 'sleep 1000' > /run/out 2>&1 &
eventually sh -c "find $slice -path '*.scope/fauxplat-*' -name cgroup.procs -exec cat {} + | grep -q ." || fail "no group"
kill -9 "$(cat "$(find $slice -path '*.scope/fauxplat/cgroup.procs')" | head -1)"
eventually none_left || fail "a killed one left: $(find $slice -name 'fauxplat-*')"

limit limit --cpuset 0 true > /run/out 2> /run/said
echo "given, used, and gone; of cpuset it says: $(cut -c 1-300 /run/said)"
