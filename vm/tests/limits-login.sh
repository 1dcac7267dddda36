#!/bin/sh
# In a login session of systemd, limits stand in a scope unit of the user's manager; what it lacks, root can let it have.
# shapes: x86-numa
# seconds: 250

. "$(dirname "$0")/../guest/testing.sh"

manager=/lib/systemd/systemd
[ -x $manager ] && command -v busctl > /dev/null || skip "the host has no systemd (apt-get install systemd)"
[ -e /usr/lib/systemd/user/dbus.socket ] || skip "the host has no bus for users (apt-get install dbus-user-session)"
ls /lib/*/security/pam_systemd.so > /dev/null 2>&1 || skip "the host has no sessions of systemd (apt-get install libpam-systemd)"
command -v useradd > /dev/null || skip "the host has no useradd (apt-get install passwd)"

# The manager of the machine is the first process of a container, and starts what a login needs and nothing else.
units=/run/systemd/system
mkdir -p $units/sysinit.target.wants
echo '[Unit]' > $units/sysinit.target
for wanted in /usr/lib/systemd/system/sysinit.target.wants/* /etc/systemd/system/sysinit.target.wants/*; do
    ln -sf /dev/null "$units/sysinit.target.wants/${wanted##*/}"
done
env -i container=other PATH="$PATH" unshare --pid --fork --kill-child --mount-proc \
    $manager --system --unit=systemd-logind.service > /run/manager.log 2>&1 &
eventually busctl status org.freedesktop.login1 > /run/out 2>&1 || fail "nobody can log in: $(tail -3 /run/manager.log)"
first=$(pgrep -x -f "$manager --system.*" | head -1)

useradd --create-home --home-dir /run/home fauxplat-student
user=$(id -u fauxplat-student)
inside() { nsenter --target "$first" --pid --mount --root --wd=/ "$@"; }
# login COMMAND LINE: in a session of its own.
login() { inside su --login fauxplat-student --command "cd /; $1"; }

slice=/sys/fs/cgroup/user.slice/user-$user.slice
none_left() { [ -z "$(find $slice -name 'fauxplat-*')" ]; }
limit="$FAUXPLAT limit --store none --quiet --format json"

login 'cat /proc/self/cgroup' > /run/out
grep -q "user-$user.slice/session-" /run/out || fail "no session: $(cat /run/out)"
login "$limit --memory 64M --pids 20 true" > /run/out || fail "limit: $(tr '\n' ' ' < /run/out)"
grep -q 'in a scope unit that the service manager of the user gave for it' /run/out || fail "no way: $(grep way /run/out)"
login "$FAUXPLAT run --limit memory:64M --runs 3 --store none --quiet true" > /run/out 2>&1 || fail "run: $(tail -c 500 /run/out)"
eventually none_left || fail "there is left: $(find $slice -name 'fauxplat-*')"

# Two at once; whoever is killed leaves nothing either.
login "$limit --memory 64M 'sleep 1000'" > /run/out 2>&1 &
eventually sh -c "find $slice -path '*.scope/fauxplat-*' -name cgroup.procs -exec cat {} + | grep -q ." || fail "no group"
login "$limit --memory 32M true" > /run/second || fail "a second one: $(tr '\n' ' ' < /run/second)"
kill -9 "$(cat "$(find $slice -path '*.scope/fauxplat/cgroup.procs')" | head -1)"
eventually none_left || fail "a killed one left: $(find $slice -name 'fauxplat-*')"

# What a message advises where there is no busctl.
login "systemd-run --user --scope --quiet -p Delegate=yes $limit --memory 64M true" > /run/out 2>&1 || fail "systemd-run: $(cat /run/out)"

# What users are not given, and what root does about it.
login "$limit --cpuset 0 true" > /run/out 2> /run/said
same "the end without cpuset" 3 $?
grep -q 'Delegate=yes for user@.service' /run/said || fail "no advice in: $(cat /run/said)"
mkdir -p $units/user@.service.d
printf '[Service]\nDelegate=yes\n' > $units/user@.service.d/delegate.conf
inside systemctl daemon-reload
inside systemctl restart "user@$user.service"
login "$limit --cpuset 0 true" > /run/out 2> /run/said || fail "cpuset: $(cat /run/said)"
eventually none_left || fail "there is left: $(find $slice -name 'fauxplat-*')"
echo "given, used and gone in a session of logind; cpuset after root's Delegate=yes"
