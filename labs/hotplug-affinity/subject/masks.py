"""What happens to the affinity of tasks when a CPU goes offline and comes back, by hand and by fauxplat. Prints JSON.

usage: masks.py CPU SECONDS          (root; it is off for so long, twice)
"""
import ctypes, glob, json, os, signal, subprocess, sys, time

CPU = int(sys.argv[1])
HOLD = float(sys.argv[2])
# Those on which this program may run, the CPU itself left out: a kernel gives whoever loses its CPU no fewer.
OTHERS = os.sched_getaffinity(0) - {CPU}
ONLINE = "/sys/devices/system/cpu/cpu%d/online" % CPU
KINDS = {"sleeper": lambda: time.sleep(1000), "waker": lambda: time.sleep(0.02), "spinner": lambda: None}


def write(file, text):
    with open(file, "w") as out:
        out.write(text)


def task(step):
    """A child on that CPU alone that does this step for ever, and ends with this program: PR_SET_PDEATHSIG is 1."""
    pid = os.fork()
    if pid == 0:
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
        os.sched_setaffinity(0, {CPU})
        while True:
            step()
    return pid


def status(folder):
    """Mask and start of a task. Not by sched_getaffinity(2), which leaves out CPUs that are off."""
    with open(folder + "/status") as file:
        mask = next(line.split()[1] for line in file if line.startswith("Cpus_allowed_list"))
    with open(folder + "/stat") as file:
        return mask, file.read().rsplit(")", 1)[1].split()[19]


def everything():
    """Masks of all tasks, and the files that the kernel changes too."""
    tasks, files = {}, {}
    for folder in glob.glob("/proc/[0-9]*/task/[0-9]*"):
        try:
            tasks[folder] = status(folder)
        except (OSError, StopIteration):
            pass                        # It ended meanwhile.
    for file in glob.glob("/sys/fs/cgroup/cpuset/**/cpuset.cpus", recursive=True) + glob.glob("/proc/irq/*/smp_affinity_list"):
        try:
            with open(file) as text:
                files[file] = text.read()
        except OSError:
            pass                        # An interrupt that was given back meanwhile.
    return tasks, files


def cpus(mask):
    ranges = [part.split("-") for part in mask.split(",")]
    return {cpu for ends in ranges for cpu in range(int(ends[0]), int(ends[-1]) + 1)}


def put_back(before):
    """Whatever differs from before, of tasks that are still the same ones."""
    tasks, files = everything()
    for file, text in before[1].items():
        if files.get(file) != text:
            try:
                write(file, text)
            except OSError:
                pass                    # An interrupt that cannot be moved was not moved by us.
    for folder, (mask, start) in before[0].items():
        now = tasks.get(folder)
        if now and now[1] == start and now[0] != mask:
            try:
                os.sched_setaffinity(int(folder.rsplit("/", 1)[1]), cpus(mask))
            except OSError:
                pass


def guard(before):
    """A process that puts everything back if this one goes without a word; the descriptor for that word."""
    end, ours = os.pipe()
    if os.fork() == 0:
        os.setsid()
        os.close(ours)
        if not os.read(end, 1):
            write(ONLINE, "1")
            put_back(before)
        os._exit(0)
    os.close(end)
    return ours


def by_hand(pids):
    """Masks while the CPU is off, and when it is back."""
    before = everything()
    word = guard(before)
    try:
        write(ONLINE, "0")
    except OSError as error:
        print("CPU %d cannot go offline: %s (--set cpu=N names another one)" % (CPU, error), file=sys.stderr)
        sys.exit(77)
    time.sleep(HOLD)
    off = masks(pids)
    write(ONLINE, "1")
    time.sleep(0.5)
    back = masks(pids)
    put_back(before)
    os.write(word, b".")
    return off, back


def masks(pids):
    return {kind: status("/proc/%d" % pid)[0] for kind, pid in pids.items()}


def by_fauxplat():
    tune = [os.environ["FAUXPLAT"], "tune", "--set", "cpu:%d=offline" % CPU, "--for", "sleep", str(HOLD)]
    done = subprocess.run(tune, stderr=subprocess.PIPE, text=True)
    if done.returncode == 3:
        print((done.stderr.strip().splitlines() or ["fauxplat tune cannot take it offline"])[-1], file=sys.stderr)
        sys.exit(77)
    if done.returncode != 0:
        sys.exit("fauxplat tune: " + done.stderr)


def pinned(pids):
    """Masks of all tasks once each of them stands on its CPU: how long that takes is the machine's affair."""
    limit = time.monotonic() + 60
    # The one that sleeps has to have gone to sleep, and not only to its CPU.
    while set(masks(pids).values()) != {str(CPU)} or state(pids["sleeper"]) != "S":
        if time.monotonic() > limit:
            sys.exit("the tasks do not come to CPU %d within 60 s: %s" % (CPU, masks(pids)))
        time.sleep(0.01)
    return masks(pids)


def state(pid):
    """What a task does, by its letter in proc_pid_stat(5)."""
    with open("/proc/%d/stat" % pid) as file:
        return file.read().rsplit(")", 1)[1].split()[0]


pids = {kind: task(step) for kind, step in KINDS.items()}
before = pinned(pids)
off, back = by_hand(pids)
again = masks(pids)
by_fauxplat()
after = masks(pids)
for pid in pids.values():
    os.kill(pid, signal.SIGKILL)
kinds = {kind: {"changed": off[kind] != before[kind], "widened": cpus(off[kind]) >= OTHERS, "stays": cpus(back[kind]) >= OTHERS} for kind in KINDS}
print(json.dumps({
    "by_hand": kinds,
    "changed_by_fauxplat": sum(after[kind] != again[kind] for kind in KINDS),
    "prepared": sum(again[kind] != before[kind] for kind in KINDS),
    "table": {
        "columns": ["task", "before", "CPU off", "CPU back", "fauxplat: before", "and after"],
        "rows": [[kind, before[kind], off[kind], back[kind], again[kind], after[kind]] for kind in KINDS],
    },
}))
