"""What a run of ./empty costs under fauxplat, with and without counting, and under perf stat. Prints a JSON document.

Each cost is the time of many runs less that of few, so the start of a tool is in none of them. All of them are taken in
each of twelve rounds, in an order drawn anew.
"""
import json, os, random, shutil, statistics, subprocess, sys, tempfile, time

FEW, MANY, ROUNDS = 20, 220, 12
FAUXPLAT = os.environ["FAUXPLAT"]
# A page fault in user mode is what every user may count.
COUNTING = ["-e", "page-faults:u"]
DOCUMENT = os.path.join(tempfile.mkdtemp(dir="."), "document.json")


def tool(line, runs):
    begun = time.monotonic_ns()
    done = subprocess.run(line, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    took = time.monotonic_ns() - begun
    if done.returncode == 3:
        print(" ".join(done.stderr.split()) or "it cannot be counted here", file=sys.stderr)
        sys.exit(77)
    if done.returncode != 0:
        sys.exit("%s: %s" % (" ".join(line), done.stderr))
    return took


def fauxplat(runs, *words):
    """How long it took, and the median run by its own account."""
    line = [FAUXPLAT, "run", "--store", "none", "--quiet", "-r", str(runs), "--format", "json", "--output", DOCUMENT, *words, "./empty"]
    took = tool(line, runs)
    with open(DOCUMENT) as document:
        return took, json.load(document)["commands"][0]["summary"]["wall_ns"]["median"]


def perf(runs):
    return tool(["perf", "stat", "-r", str(runs), "-e", "page-faults:u", "-o", "/dev/null", "./empty"], runs), None


def cost(of):
    """Microseconds of a run, and what the tool says of it."""
    (few, _), (many, reported) = of(FEW), of(MANY)
    return (many - few) / (MANY - FEW) / 1e3, reported and reported / 1e3


def perf_works():
    return shutil.which("perf") and subprocess.run(["perf", "stat", "-e", "page-faults:u", "-o", "/dev/null", "./empty"], stderr=subprocess.DEVNULL).returncode == 0


ways = {"fauxplat": fauxplat, "fauxplat -e": lambda runs: fauxplat(runs, *COUNTING)}
if perf_works():
    ways["perf stat -r"] = perf
costs = {way: [] for way in ways}
reported = {way: [] for way in ways}
for turn in range(ROUNDS):
    for way in random.sample(list(ways), len(ways)):
        whole, told = cost(ways[way])
        costs[way].append(whole)
        reported[way].append(told)

with_perf = costs.get("perf stat -r")
ratio = lambda way: with_perf and [a / b for a, b in zip(costs[way], with_perf)]
said = lambda way: "–" if reported[way][0] is None else "%.1f" % statistics.median(reported[way])
# The third lowest and third highest of twelve: 96 % for the median.
spread = lambda values: "%.1f … %.1f" % (sorted(values)[2], sorted(values)[-3])
print(json.dumps({
    "counted_over_plain_us": [a - b for a, b in zip(reported["fauxplat -e"], reported["fauxplat"])],
    "counted_over_perf": ratio("fauxplat -e"),
    "table": {
        "columns": ["a run of an empty program", "whole µs", "96 %", "reported µs"],
        "rows": [[way, "%.1f" % statistics.median(costs[way]), spread(costs[way]), said(way)] for way in ways],
    },
}))
