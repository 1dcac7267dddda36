"""The published loop in one thread and in two that start together, in turns. Prints a JSON document.

usage: two.py CPU CPU     the CPUs of the two, of which the first is that of the one; - for wherever the scheduler likes
"""
import json, os, random, statistics, subprocess, sys, time

FIRST, SECOND = sys.argv[1:3]
ROUNDS = 6
with open("loops") as told:
    LOOPS = int(told.read())


def taken(*cpus):
    """Wall time and CPU time of all threads together, in seconds; a run that does not end with 0 did not do its work."""
    begin = time.monotonic()
    quiet = [(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)]
    pid = os.posix_spawn("./share", ["./share", str(LOOPS), *cpus], os.environ, file_actions=quiet)
    _, status, used = os.wait4(pid, 0)
    wall = time.monotonic() - begin
    if status != 0:
        sys.exit("./share %s ended with %d" % (" ".join(cpus), status))
    return {"wall": wall, "cpu": used.ru_utime + used.ru_stime}


def busy_seconds():
    """CPU time of everybody since boot: all of the first line of /proc/stat but idle, waiting for disks, and stolen time."""
    with open("/proc/stat") as file:
        ticks = [int(word) for word in file.readline().split()[1:8]]
    return (sum(ticks) - ticks[3] - ticks[4]) / os.sysconf("SC_CLK_TCK")


def fewer(loops):
    """As many loops as fit into the time of the lab, where that is limited: `one` takes one share of it, `two` two at most."""
    part = os.environ.get("LAB_MAX_TIME", "")
    if not part.endswith("ms"):
        return loops
    begin = time.monotonic()
    subprocess.run(["./share", "50"], check=True, stdout=subprocess.DEVNULL)
    each = (time.monotonic() - begin) / 50
    return max(50, min(loops, int(0.7 * int(part[:-2]) / 1000 / (3 * ROUNDS * each))))


LOOPS = fewer(LOOPS)
ways = {"one": [FIRST], "two": [FIRST, SECOND]}
found = {way: [] for way in ways}
begin, busy = time.monotonic(), busy_seconds()
for _ in range(ROUNDS):
    for way in random.sample(list(ways), len(ways)):
        found[way].append(taken(*ways[way]))
own = sum(one["cpu"] for way in found.values() for one in way)
foreign = max(0.0, busy_seconds() - busy - own) / ((time.monotonic() - begin) * os.cpu_count())
pairs = list(zip(found["one"], found["two"]))
median = lambda way, name: "%.1f" % (1e3 * statistics.median(one[name] for one in found[way]))
print(json.dumps({
    # Of each of the two; of both together in the time that they take.
    "cpu_over_alone": [two["cpu"] / 2 / one["cpu"] for one, two in pairs],
    "wall_over_alone": [two["wall"] / one["wall"] for one, two in pairs],
    "work_over_alone": [2 * one["wall"] / two["wall"] for one, two in pairs],
    "foreign_share": foreign,
    "table": {"columns": ["threads", "loops of each", "CPU ms", "wall ms"],
              "rows": [[way, str(LOOPS), median(way, "cpu"), median(way, "wall")] for way in ways]},
}))
