"""The index at the highest and at half the highest frequency, each over what the frequency says. Prints a JSON document."""
import json, os, random, shlex, subprocess, sys

FREQ = "/sys/devices/system/cpu/cpu0/cpufreq/"
FAUXPLAT = os.environ["FAUXPLAT"]


def read(name):
    with open(FREQ + name) as file:
        return int(file.read())


def index(khz):
    """Index of CPU 0 and the frequency in force, while no CPU may be faster than so many kHz."""
    inner = "%s index --cpu 0 --duration 500ms --quiet --store none --format json --output index.json && cat %sscaling_max_freq >khz"
    tune = [FAUXPLAT, "tune", "--set", "min-freq=min", "--set", "max-freq=%d" % khz]
    done = subprocess.run(tune + ["--for", "sh", "-c", inner % (shlex.quote(FAUXPLAT), FREQ)], stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        print(done.stderr.strip() or "the frequency cannot be set", file=sys.stderr)
        sys.exit(77)
    return json.load(open("index.json"))["cpus"][0]["typical_per_s"], int(open("khz").read())


top = read("cpuinfo_max_freq")
half = max(top // 2, read("cpuinfo_min_freq"))
# The order is drawn in each round of the lab, so that a machine that drifts does not look like a frequency.
found = {khz: index(khz) for khz in random.sample([top, half], 2)}
(fast, fast_khz), (slow, slow_khz) = found[top], found[half]
if fast_khz <= slow_khz:
    print("this driver does not hold two frequencies apart (on Intel boot with intel_pstate=passive) (%d and %d kHz)" % (fast_khz, slow_khz), file=sys.stderr)
    sys.exit(77)
row = [str(fast_khz), "%.2f" % fast, str(slow_khz), "%.2f" % slow]
table = {"columns": ["kHz", "FauxPlat/s", "half, kHz", "FauxPlat/s"], "rows": [row]}
print(json.dumps({"index_over_frequency": (slow / fast) / (slow_khz / fast_khz), "table": table}))
