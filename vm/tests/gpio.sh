#!/bin/sh
# Lights, buttons and latencies on lines of the kernel's gpio-sim, by both interfaces alike, and on an LED of its LED class.
# shapes: x86-v1
# seconds: 60

. "$(dirname "$0")/../guest/testing.sh"

BLINK=$(dirname "$FAUXPLAT")/fauxplat-blink
[ -x "$BLINK" ] || fail "fauxplat-blink was not built"
[ -d /sys/kernel/config/gpio-sim ] || skip "there is no gpio-sim here: vm/modules could not build it (vm/build --update tries again)"

bank=/sys/kernel/config/gpio-sim/t
mkdir -p $bank/bank0/line6
echo 8 > $bank/bank0/num_lines
echo lamp > $bank/bank0/line6/name
echo fauxplat-lines > $bank/bank0/label
echo 1 > $bank/live
chip=$(cat $bank/bank0/chip_name)
lines=/sys/devices/platform/$(cat $bank/dev_name)/$chip
base=$(cat "$(dirname "$(grep -l fauxplat-lines /sys/class/gpio/gpiochip*/label | head -n 1)")/base")
# pull LINE up|down, level LINE
pull() { echo "pull-$2" > "$lines/sim_gpio$1/pull"; }
level() { cat "$lines/sim_gpio$1/value"; }
level_is() { [ "$(level "$1")" = "$2" ]; }
said() { grep -q "$1" /run/err; }
field() { sed -n "s/^ *\"$1\": \([^,]*\),*$/\1/p" /run/out; }

# The same by both interfaces: the light is line 6, the button line 3.
blinks() {
    light=$1 button=$2
    "$BLINK" --led "$light" --halve "$button" --period 200ms --debounce 5ms --max-time 60s --json --log stderr \
        > /run/out 2> /run/err &
    pid=$!
    eventually said 'blinks every' || fail "$light does not blink: $(cat /run/err)"
    eventually level_is 6 1 || fail "$light never goes on"
    eventually level_is 6 0 || fail "$light never goes off"
    # The first is no press.
    pull 3 up; sleep 0.3; pull 3 down; sleep 0.3
    said 'the period' && fail "$button: the first event counts: $(cat /run/err)"
    pull 3 up
    eventually said 'halve: the period was 200.0 ms and is 100.0 ms' || fail "$button: no press: $(cat /run/err)"
    sleep 0.3; pull 3 down
    "$BLINK" --led "$light" --log nowhere --max-time 1s > /run/second 2>&1
    second=$?
    kill -TERM $pid
    wait $pid || fail "$light: ended with $?: $(cat /run/err)"
    level_is 6 0 || fail "$light is not left off"
    same "$light: presses, first events, end" '1 1 "signal 15"' "$(field pressed) $(field first) $(field ended_by)"
}

blinks "$chip:lamp" "$chip:3"
same "a second copy" "3 fauxplat-blink: $chip:lamp is taken by fauxplat-blink" "$second $(cat /run/second)"
blinks "sysfs:$((base + 6))" "sysfs:$((base + 3))"
[ ! -e "/sys/class/gpio/gpio$((base + 6))" ] || fail "the line stays exported"

# From the kernel's stamp to the handler and on.
"$FAUXPLAT" latency line --line "$chip:3" --answer "$chip:6" --drive "pull:$lines/sim_gpio3/pull" --policy other \
    --pairs 0:1 --interval 20ms --count 60 --store none --format json > /run/latency 2> /run/err ||
    fail "latency line: $(cat /run/err)"
same "edges served" 3 "$(grep -c "^ *\"count\": 60,$" /run/latency)"
"$FAUXPLAT" latency edge --answer "$chip:6" --policy other --cpu 0 --interval 20ms --count 30 --store none > /run/latency 2> /run/err ||
    fail "latency edge: $(cat /run/err)"

# An LED whose other end is this shell: its name in 64 bytes, and its brightest level.
if [ -c /dev/uleds ]; then
    { printf lamp; head -c 60 /dev/zero; printf '\377\0\0\0'; } > /run/led
    exec 9<> /dev/uleds
    dd if=/run/led bs=68 count=1 >&9 2> /dev/null
    "$BLINK" --led led:lamp --period 200ms --max-time 1s --at-end on --log nowhere || fail "the LED ended with $?"
    same "brightness" 255 "$(cat /sys/class/leds/lamp/brightness)"
    exec 9>&-
fi

# A light whose chip is unplugged.
"$BLINK" --led "$chip:lamp" --period 200ms --max-time 60s --log stderr > /run/out 2> /run/err &
pid=$!
eventually said 'blinks every' || fail "no light to unplug: $(cat /run/err)"
echo 0 > $bank/live
wait $pid
same "end of an unplugged light" 3 $?
said 'has vanished' || fail "an unplugged light: $(cat /run/err)"
rmdir $bank/bank0/line6 $bank/bank0 $bank
echo "both interfaces, latencies, an LED, and a chip that was unplugged"
