"""The index of the CPUs that may be used, of eight of them where there are more, in six rounds; prints the fastest over the
slowest as a JSON document."""
import json, os, subprocess, sys

PLACE = "spread.json"
ROUNDS, CPUS_MAX, SECONDS = 6, 8, 18
allowed = sorted(os.sched_getaffinity(0))
# From all over the machine: neighbours are the likeliest to be alike.
chosen = [allowed[at * len(allowed) // CPUS_MAX] for at in range(CPUS_MAX)] if len(allowed) > CPUS_MAX else allowed
part = os.environ.get("LAB_MAX_TIME", "")
whole = min(SECONDS, int(part[:-2]) / 1000 * 0.8) if part.endswith("ms") else SECONDS
each = "%dms" % max(50, min(1000, 1000 * whole / (ROUNDS * len(chosen))))
ratios, last = [], []
for turn in range(ROUNDS):
    line = [os.environ["FAUXPLAT"], "index", "--cpu", ",".join(map(str, chosen)), "--duration", each, "--store", "none", "--quiet", "--format", "json", "--output", PLACE]
    done = subprocess.run(line, stderr=subprocess.PIPE, text=True)
    if done.returncode == 3:
        print(" ".join(done.stderr.split()), file=sys.stderr)
        sys.exit(77)
    if done.returncode != 0:
        sys.exit(done.stderr)
    with open(PLACE) as document:
        last = json.load(document)["cpus"]
    if len(last) < 2:
        print("it needs two CPUs to hold against each other: a machine with two, or a wider mask (`taskset -c 0,1 fauxplat …`)", file=sys.stderr)
        sys.exit(77)
    figures = [one["fauxplat_per_s"] for one in last]
    if None in figures:
        print("`index` has no figure for CPU %s: %s were not enough" % (last[figures.index(None)]["cpu"], each), file=sys.stderr)
        sys.exit(77)
    ratios.append(max(figures) / min(figures))
rows = [[str(one["cpu"]), "%.2f" % one["fauxplat_per_s"], "%.2f" % one["typical_per_s"], "%.2f" % one["wall_per_s"]] for one in last]
print(json.dumps({
    "fastest_over_slowest": ratios,
    "table": {"columns": ["CPU", "FauxPlat/s", "typical", "by wall time"], "rows": rows},
}))
