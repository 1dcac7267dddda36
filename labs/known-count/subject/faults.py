"""Whether this processor's counter of instructions counts a page fault as one: the same instructions, which write to fresh
pages or to a single one. Prints a JSON document."""
import json, os, subprocess, sys

RUNS = 12
MANY = 400


def counted(pages, step):
    """Instructions and page faults of each run of the program with this many places, so far apart."""
    program = "./touch-%d-%d" % (pages, step)
    define = ["-DLOOPS=1000000", "-DPAGES=%d" % pages, "-DSTEP=%d" % step]
    subprocess.run(["cc", *define, "-nostdlib", "-static", "-o", program, "subject/known.S"], check=True)
    line = [os.environ["FAUXPLAT"], "run", "--store", "none", "--quiet", "--format", "json", "-r", str(RUNS),
            "-e", "instructions:u", program]
    done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode == 3:
        print(" ".join(done.stderr.split()), file=sys.stderr)
        sys.exit(77)
    if done.returncode != 0:
        sys.exit(done.stderr)
    runs = json.loads(done.stdout)["commands"][0]["runs"]
    return [(run["pmu:instructions:u"], run["minor_faults"] + run["major_faults"]) for run in runs]


def surplus(pages):
    """Instructions more, and page faults more, of fresh pages than of one, run by run."""
    fresh, one = counted(pages, 4096), counted(pages, 0)
    return [(a[0] - b[0], a[1] - b[1]) for a, b in zip(fresh, one)]


rows, found = [], []
for pages in (10, 100, MANY):
    found = surplus(pages)
    middle = sorted(found)[len(found) // 2]
    rows.append([str(pages), str(middle[1]), str(middle[0])])
each = [instructions / faults for instructions, faults in found if faults > 0]
print(json.dumps({
    "surplus_per_fault": each,
    "median": sorted(each)[len(each) // 2] if each else None,
    "table": {"columns": ["places", "page faults more", "instructions more"], "rows": rows},
}))
