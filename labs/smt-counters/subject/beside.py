"""./known beside 0, 1, 2 … endless shell loops that run wherever the scheduler puts them. Prints a JSON document.

usage: beside.py time|cycles|stalls     what is read of each run: CPU time, or counts of the processor in user mode
       beside.py simulated              instructions of ./known-simulated, at no loop and at one for each CPU
"""
import ctypes, json, os, random, re, signal, statistics, subprocess, sys

WHAT = sys.argv[1]
FAUXPLAT = os.environ["FAUXPLAT"]
STALLED = "stalled-cycles-frontend"
EVENTS = {"cycles": ["cycles", "instructions"], "stalls": ["cycles", STALLED]}
ROUNDS = 24
CPUS = len(os.sched_getaffinity(0))
# The first number of loops that is more than half the logical CPUs minus one.
PUBLISHED = CPUS // 2
# Of a large machine every so many. Where the threshold is, levels between two of them are added later.
LEVELS = sorted(set(range(0, CPUS + 1, -(-CPUS // 12))) | {CPUS})
# An effect is a slowdown of more than 5 %, which no counter of CPU time makes by itself.
EFFECT = 1.05
LIBC = ctypes.CDLL(None)


def loop():
    """An endless shell loop, stopped, that ends with this program whatever ends that: PR_SET_PDEATHSIG is 1."""
    ends_with_us = lambda: LIBC.prctl(1, signal.SIGKILL)
    started = subprocess.Popen(["sh", "-c", "while :; do :; done"], preexec_fn=ends_with_us)
    stop(started)
    return started


def stop(one):
    one.send_signal(signal.SIGSTOP)
    os.waitpid(one.pid, os.WUNTRACED)


def in_user_mode(events):
    """Events for -e that are counted at the same time."""
    return "{%s}" % ",".join(event + ":u" for event in events)


def fauxplat(*words):
    """The one command of a document of `fauxplat run`, or the end of this program if fauxplat cannot do it here."""
    line = [FAUXPLAT, "run", "--store", "none", "--quiet", "--format", "json", *words]
    done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode == 3:
        print(" ".join(done.stderr.split()) or "it cannot be counted here", file=sys.stderr)
        sys.exit(77)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)["commands"][0]


def counted(run, event):
    """What a run has of an event. On a machine with several kinds of cores each kind counts its own part."""
    counts = [count for name, count in run.items() if re.match("pmu:(.*/)?%s\\b" % event, name)]
    if not counts or None in counts:
        sys.exit("a run has no count of %s" % event)
    return sum(counts)


def read():
    """One reading of each quantity: the median of three runs, behind one in which the scheduler finds its places."""
    if WHAT == "time":
        found = [{"cpu_ns": known()} for _ in range(4)]
    else:
        runs = fauxplat("-r", "4", "-e", in_user_mode(EVENTS[WHAT]), "./known")["runs"]
        found = [{event: counted(run, event) for event in EVENTS[WHAT]} for run in runs]
    return {name: statistics.median(one[name] for one in found[1:]) for name in found[0]}


def known():
    """CPU time of one run in nanoseconds; a run that does not end with 0 did not do its instructions."""
    pid = os.posix_spawn("./known", ["./known"], {})
    _, status, used = os.wait4(pid, 0)
    assert status == 0, status
    return (used.ru_utime + used.ru_stime) * 1e9


def beside(level, action):
    """What the action gives beside so many loops."""
    for one in LOOPS[:level]:
        one.send_signal(signal.SIGCONT)
    try:
        return action()
    finally:
        for one in LOOPS[:level]:
            stop(one)


def visit(levels):
    """Readings by level. All levels in each round and in an order of its own: drift of the machine is no effect."""
    found = {level: [] for level in levels}
    for _ in range(ROUNDS):
        for level in random.sample(levels, len(levels)):
            found[level].append(beside(level, read))
    return found


def ratios(found, level, name):
    return [a[name] / b[name] for a, b in zip(found[level], found[0])]


def ends(values):
    """The sixth lowest and sixth highest of 24, an interval of 99 % for the median: it holds for each level, not for all."""
    return sorted(values)[5], sorted(values)[-6]


def is_slower(found, level, name):
    """Whether there is an effect; None if that was not decided."""
    low, high = ends(ratios(found, level, name))
    return True if low > EFFECT else False if high < EFFECT else None


def threshold(found, name):
    """Whether any number of loops slows the program (yes, no, undecided), and the lowest that does, if that was decided.

    Levels between the last without an effect and the first with one are halved, so it is found on any number of CPUs.
    """
    slower = {level: is_slower(found, level, name) for level in found if level}
    slower[0] = False
    if True not in slower.values():
        return "undecided" if None in slower.values() else "no", None
    above = min(level for level in slower if slower[level])
    below = max(level for level in slower if level < above and slower[level] is False)
    while above - below > 1:
        middle = (above + below) // 2
        if middle not in slower:
            slower[middle] = is_slower(visit([0, middle]), middle, name)
        if slower[middle] is None:
            return "yes", None
        above, below = (middle, below) if slower[middle] else (above, middle)
    return "yes", above


def row(found, level, name):
    values = ratios(found, level, name)
    readings = ["%.4g" % statistics.median(one[key] for one in found[level]) for key in found[level][0]]
    return [str(level), *readings, "%.3f" % statistics.median(values), "%.3f … %.3f" % ends(values)]


def drawing(found, name):
    """How many times as many cycles, or as much CPU time, by the loops beside it; published are both ends alone."""
    here = [[level, statistics.median(ratios(found, level, name)), *ends(ratios(found, level, name))] for level in LEVELS]
    return {"title": "%s, times alone" % {"cpu_ns": "CPU time", "cycles": "cycles"}[name], "across": "endless loops beside it",
            "lines": [{"name": "here", "points": here},
                      {"name": "published", "points": [[0, 1.0], [CPUS, 1971297 / 1001300]]}]}


def document():
    if WHAT == "simulated":
        count = lambda: fauxplat("--simulated", "./known-simulated")["summary"]["simulated:instructions"]["median"]
        return {"cpus": CPUS, "alone": count(), "loaded": beside(CPUS, count)}
    if WHAT == "stalls":
        found = visit([0, CPUS])
        share = [one[STALLED] / one["cycles"] for one in found[CPUS]]
        return {"cpus": CPUS, "stalled_share": share}
    name = {"time": "cpu_ns", "cycles": "cycles"}[WHAT]
    found = visit(LEVELS)
    effect, first = threshold(found, name)
    columns = ["loops beside it", *found[0][0], "times alone", "99 %"]
    rows = [row(found, level, name) for level in LEVELS] + [["threshold", "%s, %s" % (effect, first)] + [""] * (len(columns) - 2)]
    return {
        "cpus": CPUS,
        "loaded_over_alone": ratios(found, CPUS, name),
        "instructions_over_alone": ratios(found, CPUS, "instructions") if WHAT == "cycles" else None,
        "effect": effect,
        "threshold": first,
        "threshold_above_published": None if first is None else first - PUBLISHED,
        "table": {"columns": columns, "rows": rows},
        "drawing": drawing(found, name),
    }


if WHAT in EVENTS:
    # What cannot be counted here is told before anything is begun.
    fauxplat("-r", "1", "-e", in_user_mode(EVENTS[WHAT]), "./known")
LOOPS = [loop() for _ in range(CPUS)]
try:
    print(json.dumps(document()))
finally:
    for one in LOOPS:
        one.kill()
        one.wait()
