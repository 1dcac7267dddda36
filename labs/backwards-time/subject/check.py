"""Builds the program as it was published, with the register held, and with its argument; asks the compiler about it; runs
all of them. Prints a JSON document."""
import json, os, statistics, subprocess, sys, time

# The language in which an undeclared function is no error, without the optimisation that moves arguments.
CC = ["cc", "-std=gnu89", "-O0", "-Wall"]
RUNS = 41


def build(name, *more):
    """Builds, and says what the compiler said, line by line, or that it refused."""
    line = CC + list(more) + ["-o", name, "subject/backwards.c"]
    done = subprocess.run(line, env={**os.environ, "LC_ALL": "C"}, stderr=subprocess.PIPE, text=True)
    return done.returncode == 0, done.stderr.splitlines()


def must_build(name, *more):
    built, said = build(name, *more)
    if not built:
        print("this compiler refuses the program: " + (said or ["without a word"])[0], file=sys.stderr)
        sys.exit(77)
    return said


def times(name):
    """Microseconds by each run, and the seconds since 1970 meanwhile."""
    runs = []
    for _ in range(RUNS):
        done = subprocess.run(["./" + name], stdout=subprocess.PIPE, text=True)
        if done.returncode != 0:
            sys.exit("./%s ended with %d" % (name, done.returncode))
        runs.append(int(done.stdout))
    return runs


def row(name, runs):
    return [name, str(min(runs)), "%g" % statistics.median(runs), str(sum(us < 0 for us in runs))]


warnings = must_build("published")
must_build("held", "-DHELD")
must_build("given", "-DHELD", "-DARGUMENT=0")
declared, said = build("declared", "-DDECLARED")
published, held, given = times("published"), times("held"), times("given")
since_1970_us = time.time() * 1e6
print(json.dumps({
    "runs": RUNS,
    "published": {"negative": sum(us < 0 for us in published)},
    "held": {"negative": sum(us < 0 for us in held), "over_1970": [us / -since_1970_us for us in held]},
    "given": {"negative": sum(us < 0 for us in given), "us": given},
    "warned": any("implicit declaration" in line and "wait" in line for line in warnings),
    "refused": not declared and any("too few arguments" in line for line in said),
    "table": {"columns": ["program", "least us", "median us", "of %d below zero" % RUNS],
              "rows": [row("as published", published), row("register held", held), row("argument given", given)]},
}))
