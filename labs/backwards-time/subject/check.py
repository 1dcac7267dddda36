"""Builds the program with its bug and without, asks the compiler about both, and runs both. Prints a JSON document."""
import json, os, subprocess, sys, time

# The language in which an undeclared function is no error, without the optimisation that moves arguments.
CC = ["cc", "-std=gnu89", "-O0"]
RUNS = 41


def build(name, *more):
    """Builds, and says what the compiler warns of."""
    done = subprocess.run(CC + list(more) + ["-Wall", "-o", name, "subject/backwards.c"], env={**os.environ, "LC_ALL": "C"},
                          stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        print("this compiler refuses the program: " + done.stderr.strip().splitlines()[0], file=sys.stderr)
        sys.exit(77)
    return [line for line in done.stderr.splitlines() if "warning:" in line]


def times(name):
    return [int(subprocess.run(["./" + name], stdout=subprocess.PIPE, text=True, check=True).stdout) for _ in range(RUNS)]


warnings = build("buggy")
build("given", "-DARGUMENT=0")
begin = time.monotonic()
buggy = times("buggy")
most_us = (time.monotonic() - begin) * 1e6
given = times("given")
print(json.dumps({
    # A time below zero, or longer than all runs together took by a clock that only goes forward.
    "impossible": sum(not 0 <= us <= most_us for us in buggy),
    "impossible_given": sum(not 0 <= us <= most_us for us in given),
    "runs": RUNS,
    "given_us": given,
    "compiler_finds_it": any("implicit declaration" in line and "wait" in line for line in warnings),
    "table": {"columns": ["program", "first time, us"], "rows": [["without the argument", str(buggy[0])], ["with it", str(given[0])]]},
}))
