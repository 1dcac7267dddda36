"""Work that the lock does not hold up, free and pinned to one CPU; prints the document of the comparison.

usage: beside.py PYTHON c-code|processes|waiting
"""
import os, shlex, subprocess, sys

PYTHON = subprocess.check_output([sys.argv[1], "-c", "import sys; print(sys.executable)"], text=True).strip()
ALLOWED = sorted(os.sched_getaffinity(0))
WORK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "work.py")

# Both begin with taskset, so both pay for it.
places = [",".join(map(str, ALLOWED)), str(ALLOWED[-1])]
lines = [shlex.join(["taskset", "-c", cpus, PYTHON, WORK, sys.argv[2]]) for cpus in places]
line = [os.environ["FAUXPLAT"], "compare", "--store", "none", "--quiet", "--format", "json", "--cpu", "free"]
line += ["--max-pairs", "24", "--max-time", "8s", "--names", "free,pinned"]
done = subprocess.run(line + lines, stderr=subprocess.PIPE, text=True)
if done.returncode == 3:
    print(" ".join(done.stderr.split()), file=sys.stderr)
    sys.exit(77)
sys.exit(done.stderr if done.returncode else 0)
