"""The table over the plain array at the highest frequency and at 25/26 of it. Prints a JSON document."""
import json, os, subprocess, sys

FREQ = "/sys/devices/system/cpu/cpu0/cpufreq/"
PASSES = "100"


def read(name):
    with open(FREQ + name) as file:
        return int(file.read())


def tuned(khz, *command):
    tune = [os.environ["FAUXPLAT"], "tune", "--set", "min-freq=min", "--set", "max-freq=%d" % khz]
    done = subprocess.run(tune + ["--for", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        print(" ".join(done.stderr.split()) or "the frequency cannot be set", file=sys.stderr)
        sys.exit(77)
    return done.stdout


def ratio(khz):
    """The table over the plain array, each the least of three, and the frequency in force meanwhile."""
    loop = "cat %sscaling_max_freq; for way in plain table plain table plain table; do taskset -c 0 ./lockless $way %s; done" % (FREQ, PASSES)
    words = tuned(khz, "sh", "-c", loop).split()
    times = [int(after) for word, after in zip(words, words[1:]) if word == "ns"]
    return min(times[1::2]) / min(times[0::2]), int(words[0])


top = read("cpuinfo_max_freq")
lower = max(top * 25 // 26, read("cpuinfo_min_freq"))
ratios = []
for turn in range(12):
    # The order changes with every turn, so that a machine that drifts does not look like a frequency.
    found = {khz: ratio(khz) for khz in ([top, lower] if turn % 2 == 0 else [lower, top])}
    if found[top][1] <= found[lower][1]:
        print("this driver does not hold two frequencies apart (on Intel boot with intel_pstate=passive)", file=sys.stderr)
        sys.exit(77)
    ratios.append(found[lower][0] / found[top][0])
print(json.dumps({"ratio_over_top": ratios, "khz": [found[top][1], found[lower][1]]}))
