"""One CPU with and without work on the other cores, in turns. Prints a JSON document.

usage: heat.py beside     ./known on one CPU, alone and beside a load on every other core: CPU time, wall time and
                          cycles, whose quotient with CPU time is the clock
       heat.py index      the index of one CPU, alone and while every core has one
       heat.py clock      the same, with APERF and MPERF of that CPU, whose quotient is its clock over the nominal one
"""
import json, os, random, re, statistics, subprocess, sys, tempfile

WHAT = sys.argv[1]
FAUXPLAT = os.environ["FAUXPLAT"]
ROUNDS = 12
FOLDER = tempfile.mkdtemp(dir=".")


def cannot(reason):
    print(" ".join(reason.split()), file=sys.stderr)
    sys.exit(77)


def did(line):
    """A line that did what it should; what cannot be done here ends this program."""
    done = subprocess.run(line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode == 3:
        cannot(done.stderr or "fauxplat cannot do it here")
    if done.returncode != 0:
        sys.exit("%s: %s" % (" ".join(line), done.stderr))
    return done


def fauxplat(*words, before=()):
    """The document of a line of fauxplat, and what a program that stands before it says to its errors."""
    place = os.path.join(FOLDER, "document.json")
    line = [*before, FAUXPLAT, *words, "--store", "none", "--quiet", "--format", "json", "--output", place]
    said = did(line).stderr
    with open(place) as document:
        return json.load(document), said


def one_of_each_core():
    """CPUs that may be used, one of each core."""
    cores = {}
    for cpu in sorted(os.sched_getaffinity(0)):
        try:
            with open("/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list" % cpu) as siblings:
                core = siblings.read().strip()
        except OSError:
            cannot("this machine does not say which CPUs share a core")
        cores.setdefault(core, cpu)
    if len(cores) < 2:
        cannot("it needs two cores, one for the program and one for the load")
    return list(cores.values())


CPU, *OTHERS = one_of_each_core()
ALL = ",".join(map(str, [CPU, *OTHERS]))


def beside(is_loaded):
    load = ["--load", "float@%s" % ",".join(map(str, OTHERS))] if is_loaded else []
    document, _ = fauxplat("run", "--cpu", str(CPU), "-r", "8", "-e", "cycles:u", *load, "./known")
    runs = document["commands"][0]["runs"]
    cycles = [sum(count or 0 for name, count in run.items() if re.match(r"pmu:(.*/)?cycles\b", name)) for run in runs]
    if not all(cycles):
        cannot("a run has no count of cycles")
    median = lambda values: statistics.median(values)
    found = {"cycles": median(cycles), "cpu": median(run["cpu_ns"] for run in runs), "wall": median(run["wall_ns"] for run in runs)}
    return dict(found, clock=found["cycles"] / found["cpu"])


def index(is_loaded, before=()):
    cpus = ["--cpu", ALL, "--together"] if is_loaded else ["--cpu", str(CPU)]
    document, said = fauxplat("index", *cpus, "--duration", "400ms", before=before)
    entry = next(one for one in document["cpus"] if one["cpu"] == CPU)
    # Laps that nobody disturbed know the clock and nothing else; typical ones are those of the whole time.
    return {"index": entry["fauxplat_per_s"], "typical_index": entry["typical_per_s"]}, said


def clock(is_loaded):
    counts = os.path.join(FOLDER, "counts")
    found, _ = index(is_loaded, ["perf", "stat", "-x", ",", "-o", counts, "-C", str(CPU), "-e", "msr/aperf/,msr/mperf/"])
    with open(counts) as lines:
        fields = [line.split(",") for line in lines]
    by_name = {name: one[0] for one in fields for name in ("aperf", "mperf") if len(one) > 2 and name in one[2]}
    try:
        return dict(found, clock=float(by_name["aperf"]) / float(by_name["mperf"]))
    except (KeyError, ValueError, ZeroDivisionError):
        cannot("perf stat counted no APERF and MPERF: %s" % by_name)


read = {"beside": beside, "index": lambda is_loaded: index(is_loaded)[0], "clock": clock}[WHAT]
# The first look is not measured: it tells what cannot be done here, and loads what is read once.
read(False)
found = {False: [], True: []}
for turn in range(ROUNDS):
    for is_loaded in random.sample([False, True], 2):
        found[is_loaded].append(read(is_loaded))
names = list(found[False][0])
ratios = {name: [b[name] / a[name] for a, b in zip(found[False], found[True])] for name in names}
median = lambda is_loaded, name: "%.5g" % statistics.median(one[name] for one in found[is_loaded])
# The third lowest and third highest of twelve: 96 % for the median.
spread = lambda values: "%.4f … %.4f" % (sorted(values)[2], sorted(values)[-3])
print(json.dumps({
    "cpu": CPU,
    "others": OTHERS,
    **{name + "_over_alone": values for name, values in ratios.items()},
    "table": {
        "columns": ["CPU %d" % CPU, "alone", "beside %d cores" % len(OTHERS), "times alone", "96 %"],
        "rows": [[name, median(False, name), median(True, name), "%.4f" % statistics.median(ratios[name]), spread(ratios[name])] for name in names],
    },
}))
