"""Takes a CPU offline by fauxplat, tries to pin to it meanwhile, and looks at what is there afterwards. Prints JSON.

usage: offline.py CPU        (offline.py --inside CPU is what it runs while the CPU is off)
"""
import ctypes, errno, json, os, signal, subprocess, sys

CPU = int(sys.argv[-1])
ONLINE = "/sys/devices/system/cpu/cpu%d/online" % CPU


def mask(pid):
    with open("/proc/%s/status" % pid) as file:
        return next(line.split()[1] for line in file if line.startswith("Cpus_allowed_list"))


def inside():
    try:
        os.sched_setaffinity(0, {CPU})
        pinned = "nothing"
    except OSError as error:
        pinned = errno.errorcode[error.errno]
    json.dump({"pin_fails_with": pinned, "online_meanwhile": open(ONLINE).read().strip()}, open("inside.json", "w"))


def spinner(cpus):
    """A child that is always running on these CPUs, and ends with this program: PR_SET_PDEATHSIG is 1."""
    pid = os.fork()
    if pid == 0:
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
        while True:
            pass
    # By its parent, so that the mask is there before it is looked at.
    os.sched_setaffinity(pid, cpus)
    return pid


if sys.argv[1] == "--inside":
    sys.exit(inside())
spinners = [spinner({CPU}), spinner({CPU, min(os.sched_getaffinity(0) - {CPU})})]
before = [mask(pid) for pid in spinners]
tune = [os.environ["FAUXPLAT"], "tune", "--set", "cpu:%d=offline" % CPU]
done = subprocess.run(tune + ["--for", "python3", sys.argv[0], "--inside", str(CPU)], stderr=subprocess.PIPE, text=True)
after = [mask(pid) for pid in spinners]
for pid in spinners:
    os.kill(pid, signal.SIGKILL)
    os.wait()
if done.returncode == 3:
    print((done.stderr.strip().splitlines() or ["fauxplat tune cannot take it offline"])[-1], file=sys.stderr)
    sys.exit(77)
if done.returncode != 0:
    sys.exit("fauxplat tune ended with %d: %s" % (done.returncode, done.stderr.strip()))
found = json.load(open("inside.json"))
found.update(online_afterwards=open(ONLINE).read().strip(), masks_changed=sum(a != b for a, b in zip(before, after)))
found["table"] = {"columns": ["thread that spins", "mask before", "afterwards"],
                  "rows": [["pinned", before[0], after[0]], ["on two CPUs", before[1], after[1]]]}
print(json.dumps(found))
