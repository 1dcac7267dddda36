"""The index of every CPU that may be used, in six rounds; prints the fastest over the slowest as a JSON document."""
import json, os, subprocess, sys

PLACE = "spread.json"
ratios, last = [], []
for turn in range(6):
    line = [os.environ["FAUXPLAT"], "index", "--all-cpus", "--duration", "1s", "--store", "none", "--quiet", "--format", "json", "--output", PLACE]
    done = subprocess.run(line, stderr=subprocess.PIPE, text=True)
    if done.returncode == 3:
        print(" ".join(done.stderr.split()), file=sys.stderr)
        sys.exit(77)
    if done.returncode != 0:
        sys.exit(done.stderr)
    with open(PLACE) as document:
        last = json.load(document)["cpus"]
    if len(last) < 2:
        print("it needs two CPUs to hold against each other", file=sys.stderr)
        sys.exit(77)
    figures = [one["fauxplat_per_s"] for one in last]
    if None in figures:
        print("`index` has no figure for CPU %s: a second was not enough" % last[figures.index(None)]["cpu"], file=sys.stderr)
        sys.exit(77)
    ratios.append(max(figures) / min(figures))
rows = [[str(one["cpu"]), "%.2f" % one["fauxplat_per_s"], "%.2f" % one["typical_per_s"], "%.2f" % one["wall_per_s"]] for one in last]
print(json.dumps({
    "fastest_over_slowest": ratios,
    "table": {"columns": ["CPU", "FauxPlat/s", "typical", "by wall time"], "rows": rows},
}))
