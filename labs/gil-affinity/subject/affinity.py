"""The server free and pinned to one CPU, for several numbers of clients; prints a JSON document.

usage: affinity.py PYTHON CLIENTS,CLIENTS,… [EVENTS]     (PYTHON may be free-threaded: whichever of those is in PATH)

For each number of clients `fauxplat compare` runs the server of that interpreter free and pinned in turns, and counts
the events. The client is a process beside it that stays free, so what is timed and counted is the server alone.
"""
import json, os, shlex, shutil, subprocess, sys, tempfile


def free_threaded():
    """An interpreter without the lock, or the end of this program where there is none."""
    names = ["python3.%dt" % minor for minor in range(20, 12, -1)] + ["python3"]
    has_none = "import sys; sys.exit(getattr(sys, '_is_gil_enabled', lambda: True)())"
    for name in filter(shutil.which, names):
        if subprocess.run([name, "-c", has_none], stderr=subprocess.DEVNULL).returncode == 0:
            return name
    print("it needs a free-threaded Python (python3.13t or later), and none is in PATH: `uv python install 3.13t`, or `pyenv install 3.13t`", file=sys.stderr)
    sys.exit(77)


NAME = free_threaded() if sys.argv[1] == "free-threaded" else sys.argv[1]
# The interpreter itself: a script that looks for it first would be timed too.
PYTHON = subprocess.check_output([NAME, "-c", "import sys; print(sys.executable)"], text=True).strip()
if subprocess.run([PYTHON, "-c", "import concurrent.futures"], stderr=subprocess.DEVNULL).returncode != 0:
    print("it needs concurrent.futures for %s: `%s -m pip install futures`" % (NAME, NAME), file=sys.stderr)
    sys.exit(77)
CLIENTS = [int(word) for word in sys.argv[2].split(",")]
EVENTS = sys.argv[3:4]
ALLOWED = sorted(os.sched_getaffinity(0))
SUBJECT = os.path.dirname(os.path.abspath(__file__))
# Elapsed seconds as published, free and pinned.
PUBLISHED = {1: (3.35, 3.55), 2: (7.26, 4.63), 4: (8.28, 4.90), 8: (7.96, 5.00), 16: (9.77, 5.88), 32: (9.73, 6.84)}
METRICS = ["user", "system", "software:context-switches", "software:cpu-migrations", "pmu:cache-misses"]


def seconds():
    """For how long a comparison may go on: for less than it would where the time of the lab is limited."""
    part = os.environ.get("LAB_MAX_TIME", "")
    return min(8, int(part[:-2]) / 1000 / len(CLIENTS)) if part.endswith("ms") else 8


def compared(clients, address):
    """The comparison of free and pinned, and both commands."""
    # Both begin with taskset, so both pay for it.
    places = [",".join(map(str, ALLOWED)), str(ALLOWED[-1])]
    server = [PYTHON, os.path.join(SUBJECT, "server.py"), str(clients), address]
    lines = [shlex.join(["taskset", "-c", cpus, *server]) for cpus in places]
    line = [os.environ["FAUXPLAT"], "compare", "--store", "none", "--quiet", "--format", "json", "--cpu", "free"]
    line += ["--max-pairs", "24", "--max-time", "%dms" % max(1, seconds() * 1000), "--timeout", "60s", "--names", "free,pinned"]
    line += [word for events in EVENTS for word in ("-e", events)]
    done = subprocess.run(line + lines, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode == 3:
        print(" ".join(done.stderr.split()) or "fauxplat cannot do it here", file=sys.stderr)
        sys.exit(77)
    if done.returncode != 0:
        sys.exit(done.stderr)
    document = json.loads(done.stdout)
    return document["comparisons"][0], document["commands"]


def metric(name, comparison):
    """What became of one metric: pinned over free with its interval, nothing where it could not be compared."""
    # Who may count user mode alone has `:u` behind the name.
    of = next((one for one in comparison["secondary"] if one["metric"] in (name, name + ":u")), {})
    return {key: of.get(key) for key in ("effect_ratio", "ci_low_ratio", "ci_high_ratio")}


def row(clients, comparison, commands):
    """Seconds and what was counted, free / pinned."""
    def both(name, scale, digits):
        found = [command["summary"].get(name) for command in commands]
        return " / ".join("–" if one is None else "%.*f" % (digits, one["median"] / scale) for one in found)

    times = [both(name, 1e9, 3) for name in ("wall_ns", "user_ns", "system_ns")]
    counts = [both(name, 1, 0) for name in counted(commands)]
    ratio = comparison["effect_ratio"]
    saved = "–" if ratio is None else "%+.0f %%" % (100 * (ratio - 1))
    return [str(clients), *times, *counts, saved]


def drawing(found):
    """The bars of both machines: elapsed time, pinned over free, by the number of clients."""
    here = [[at, one["effect_ratio"], one["ci_low_ratio"], one["ci_high_ratio"]] for at, (_, one, _) in enumerate(found)]
    there = [[at, PUBLISHED[clients][1] / PUBLISHED[clients][0]] for at, clients in enumerate(CLIENTS) if clients in PUBLISHED]
    return {"title": "elapsed time of the server, pinned to one CPU over free", "across": "clients",
            "names": [str(clients) for clients in CLIENTS],
            "lines": [{"name": "here", "points": [point for point in here if None not in point]},
                      {"name": "published", "points": there}]}


def counted(commands):
    """The names of what was counted in the runs."""
    return [name for name in commands[0]["summary"] if ":" in name]


def main():
    with tempfile.TemporaryDirectory() as folder:
        address = os.path.join(folder, "address")
        os.mkfifo(address)
        client = subprocess.Popen([PYTHON, os.path.join(SUBJECT, "client.py"), address], stdout=subprocess.DEVNULL)
        try:
            found = [(clients, *compared(clients, address)) for clients in CLIENTS]
        finally:
            client.kill()
            client.wait()
    counts = [name.partition(":")[2] for name in counted(found[0][2])]
    columns = ["clients", "elapsed s", "user s", "system s", *counts, "pinned over free"]
    of = lambda clients, comparison: {
        "clients": clients,
        "elapsed": {key: comparison[key] for key in ("effect_ratio", "ci_low_ratio", "ci_high_ratio")},
        "metrics": [{"metric": name, **metric(name, comparison)} for name in METRICS],
    }
    print(json.dumps({
        "of": [of(clients, comparison) for clients, comparison, _ in found],
        "table": {"columns": columns, "rows": [row(*one) for one in found]},
        "drawing": drawing(found),
    }))


main()
