# Writes a made-up server log: the same bytes on every machine, since the numbers come from a seeded generator of our own
# (Park and Miller 1988, "Random number generators: good ones are hard to find") and not from the awk at hand.
#
#     awk -v lines=240000 -f demo/log.awk > access.log

function pick(n) {
    state = (state * 16807) % 2147483647
    return state % n
}

BEGIN {
    state = 20261121
    actions = split("request answer timeout retry session cache index query upload report", action, " ")
    levels = split("INFO INFO INFO INFO WARN DEBUG ERROR", level, " ")
    for (line = 0; line < lines; line++) {
        printf "2026-11-%02dT%02d:%02d:%02d ", 1 + pick(28), pick(24), pick(60), pick(60)
        printf "host%03d %s %s ", pick(200), level[1 + pick(levels)], action[1 + pick(actions)]
        printf "id=%08x took %d ms\n", pick(2147483646), pick(900)
    }
    # One line that a search finds only at the very end, so that no search may stop before it.
    print "2026-11-30T00:00:00 host999 INFO needle id=00000000 took 0 ms"
}
