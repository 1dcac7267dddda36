"""A sweep of the size of the environment with address space randomisation off or on, and what of it was published.

usage: peaks.py off|on     prints a JSON document: the answer, the largest peak, and the groups of neighbouring sizes at
                           which there is one: how many, how wide, how far apart
"""
import json, os, subprocess, sys

FACTOR = "env-size=0..8192"
line = [os.environ["FAUXPLAT"], "sweep", FACTOR, "--aslr", sys.argv[1], "--max-time", os.environ.get("SECONDS_MAX", "45") + "s"]
line += ["--store", "none", "--quiet", "--format", "json", "--output", "sweep.json", "./loop 10"]
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
width = {level["name"]: level["stands_for"] for level in sweep["levels"]}
peaks = sorted((float(peak["level"]), width.get(str(peak["level"]), 1)) for peak in finding["peaks"])
groups = []
for place, wide in peaks:
    if groups and place - groups[-1][1] <= 16:
        groups[-1][1] = place + wide
    else:
        groups.append([place, place + wide])
first = finding["peaks"][0] if finding["peaks"] else {}
print(json.dumps({
    "answer": finding["answer"],
    "ratio": first.get("ratio"), "low": first.get("ci_low_ratio"), "high": first.get("ci_high_ratio"),
    "groups": len(groups),
    "width_bytes": groups[0][1] - groups[0][0] if groups else None,
    "distance_bytes": groups[1][0] - groups[0][0] if len(groups) > 1 else None,
    "table": {"columns": ["peaks", "from", "up to"], "rows": [[str(at + 1), "%g" % low, "%g" % high] for at, (low, high) in enumerate(groups)]},
}))
