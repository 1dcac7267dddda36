"""CPU time of ./known beside 0, 1, 2 … endless shell loops that run wherever the scheduler puts them. Prints a JSON document."""
import ctypes, json, os, random, signal, statistics, subprocess, time

ROUNDS = 24
CPUS = len(os.sched_getaffinity(0))
# Up to every CPU and one more; of a large machine every so many.
LEVELS = sorted(set(range(0, CPUS + 2, max(1, CPUS // 12))) | {CPUS})
LIBC = ctypes.CDLL(None)


def burner():
    """An endless shell loop that ends with this program, whatever ends that: PR_SET_PDEATHSIG is 1."""
    ends_with_us = lambda: LIBC.prctl(1, signal.SIGKILL)
    return subprocess.Popen(["sh", "-c", "while :; do :; done"], preexec_fn=ends_with_us)


def known():
    """CPU time of one run in nanoseconds; a run that does not end with 0 did not do its instructions."""
    pid = os.posix_spawn("./known", ["./known"], {})
    _, status, used = os.wait4(pid, 0)
    assert status == 0, status
    return (used.ru_utime + used.ru_stime) * 1e9


times = {level: [] for level in LEVELS}
for turn in range(ROUNDS):
    # All levels in each turn and in an order of its own, so that drift of the machine is not taken for an effect.
    for level in random.sample(LEVELS, len(LEVELS)):
        burners = [burner() for _ in range(level)]
        time.sleep(0.02)
        times[level].append(statistics.median(known() for _ in range(3)))
        for one in burners:
            one.kill()
            one.wait()

ratios = {level: [a / b for a, b in zip(times[level], times[0])] for level in LEVELS}
# The sixth lowest and sixth highest of 24, an interval of 99 % for the median: it holds for each level, not for all.
ends = {level: (sorted(values)[5], sorted(values)[-6]) for level, values in ratios.items()}
# An effect is a slowdown of more than 5 %, which no counter of CPU time makes by itself.
slower = [level for level in LEVELS[1:] if ends[level][0] > 1.05]
row = lambda level: [str(level), "%.2f" % (statistics.median(times[level]) / 1e6), "%.3f" % statistics.median(ratios[level]), "%.3f … %.3f" % ends[level]]
print(json.dumps({
    "cpus": CPUS,
    "most": ratios[CPUS],
    "effect": bool(slower),
    "threshold": slower[0] if slower else None,
    "threshold_over_published": slower[0] / max(CPUS / 2, 1) if slower else None,
    "table": {"columns": ["loops beside it", "CPU ms", "times alone", "99 %"], "rows": [row(level) for level in LEVELS]},
}))
