"""A sweep of the size of the environment with address space randomisation off or on, and what of it was published.

usage: peaks.py off|on [published|index]
                           prints a JSON document: the answer, the largest peak, and the groups of neighbouring sizes at
                           which there is one: how many, how wide, how far apart. The subject is the loop of increments,
                           or the published loop of the FauxPlat index, or `fauxplat index` itself
"""
import json, os, shlex, subprocess, sys

FACTOR = "env-size=0..8192"
SECONDS = 45
INDEX = shlex.join([os.environ["FAUXPLAT"], *"index --cpu 0 --policy other --duration 60ms --store none --quiet".split()])
# What is run, the time or the figure that it prints, and the name of its loop.
SUBJECTS = {
    "increments": ("./loop 10", "ns ([0-9]+)", "time of the loop"),
    "published": ("./published 10", "ns ([0-9]+)", "time of the published loop of the index"),
    "index": (INDEX, "CPU 0: ([0-9.]+) FauxPlat", "figure of `fauxplat index`"),
}
COMMAND, PRINTED, WHAT = SUBJECTS[sys.argv[2] if len(sys.argv) > 2 else "increments"]


def seconds():
    """How long the sweep may go on: for less where the time of the lab is limited."""
    part = os.environ.get("LAB_MAX_TIME", "")
    return min(SECONDS, int(part[:-2]) / 1000) if part.endswith("ms") else SECONDS


line = [os.environ["FAUXPLAT"], "sweep", FACTOR, "--aslr", sys.argv[1], "--max-time", "%dms" % (seconds() * 1000)]
line += ["--metric-from", "loop=" + PRINTED, "--metric", "printed:loop"]
line += ["--store", "none", "--quiet", "--format", "json", "--output", "sweep.json", COMMAND]
done = subprocess.run(line, stderr=subprocess.PIPE, text=True)
if done.returncode == 3:
    print(" ".join(done.stderr.split()), file=sys.stderr)
    sys.exit(77)
if done.returncode != 0:
    sys.exit(done.stderr)
with open("sweep.json") as document:
    sweep = json.load(document)
finding = sweep["finding"]
# A level stands for all sizes that place the stack alike: steps of 16 bytes.
levels = sorted((level for level in sweep["levels"] if level["ratio"]), key=lambda level: float(level["name"]))
# Sizes that are faster are no peaks.
peaks = [peak for peak in finding["peaks"] if peak["ratio"] > 1]


def around(peak):
    """The place of a peak in the list of levels, and how many on both sides are at least half as high: a sweep names of
    neighbours the first alone."""
    at = next(at for at, level in enumerate(levels) if float(level["name"]) == float(peak["level"]))
    high = lambda at: 0 <= at < len(levels) and levels[at]["ratio"] - 1 >= (peak["ratio"] - 1) / 2
    low, up = at, at
    while high(low - 1):
        low -= 1
    while high(up + 1):
        up += 1
    return low, up


groups = []
for low, up in sorted(map(around, peaks)):
    if groups and low <= groups[-1][1] + 1:
        groups[-1][1] = max(up, groups[-1][1])
    else:
        groups.append([low, up])
# From the first size of a group to the last, in bytes.
begins, at = [], 0
for level in levels:
    begins.append(at)
    at += level["stands_for"]
begins.append(at)
groups = [(begins[low], begins[up + 1]) for low, up in groups]
first = peaks[0] if peaks else {}
in_levels = lambda level, end: level[end] and level["median"] and level["ratio"] * level[end] / level["median"]
here = [[float(level["name"]), level["ratio"], in_levels(level, "low"), in_levels(level, "high")] for level in levels]
# Where the published peaks were is not known; how high they were is.
rules = [{"name": "published peaks, 14 to 30 % more", "value": 1.14, "high": 1.30}]
drawing = {
    "title": "%s by the size of the environment, ASLR %s" % (WHAT, sys.argv[1]), "across": "bytes of environment",
    "lines": [{"name": "here", "points": [point if None not in point else point[:2] for point in here]}],
    "rules": rules if sys.argv[1:] == ["off"] else [] if len(sys.argv) > 2 else [{"name": "published: flat", "value": 1.0}],
}
print(json.dumps({
    "answer": finding["answer"],
    "ratio": first.get("ratio"), "low": first.get("ci_low_ratio"), "high": first.get("ci_high_ratio"),
    "groups": len(groups),
    "width_bytes": max((up - low for low, up in groups), default=None),
    "distance_bytes": groups[1][0] - groups[0][0] if len(groups) > 1 else None,
    "table": {"columns": ["peaks", "from", "up to"], "rows": [[str(at + 1), str(low), str(up - 1)] for at, (low, up) in enumerate(groups)]},
    "drawing": drawing,
}))
