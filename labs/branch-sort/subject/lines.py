"""Branches of ./sum by the lines of its source, simulated with unsorted and with sorted values. Prints a JSON document."""
import json, os, subprocess, sys

PASSES, VALUES = int(sys.argv[1]), 65536
SOURCE = "subject/sum.c"
MARKS = {"the if": "/* the if */", "the loop": "/* the loop */"}
# Pieces of a program that are translated together have branches that are not counted, and instructions that never ran.
APART = "--vex-guest-chase=no"


def simulator():
    words = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--branch-sim=yes", "--log-file=log"]
    known = subprocess.run(["valgrind", "--help-debug"], stdout=subprocess.PIPE, text=True).stdout
    return words + ([APART] if APART.split("=")[0] in known else [])


def by_line(order):
    """Conditional branches and those of them that were mispredicted, by line of the source."""
    out = "lines-of-" + order
    command = simulator() + ["--cachegrind-out-file=" + out, "./sum", order, str(PASSES)]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=sys.stderr)
    if done.returncode != 0:
        sys.exit("%s ended with status %d; %s" % (" ".join(command), done.returncode, open("log").read()[-500:]))
    counts, events, is_ours = {}, [], False
    for line in open(out, errors="replace"):
        name, _, rest = line.strip().partition("=")
        if line.startswith("events:"):
            events = line.split()[1:]
        elif name in ("fl", "fi", "fe"):
            is_ours = os.path.basename(rest) == os.path.basename(SOURCE)
        elif is_ours and line[:1].isdigit():
            number, *values = map(int, line.split())
            counted = dict(zip(events, values))
            old = counts.get(number, (0, 0))
            counts[number] = (old[0] + counted.get("Bc", 0), old[1] + counted.get("Bcm", 0))
    return counts


lines = {mark: number for number, text in enumerate(open(SOURCE), 1) for mark, words in MARKS.items() if words in text}
document, rows = {}, []
for order in ("unsorted", "sorted"):
    counts = by_line(order)
    for mark, number in lines.items():
        branches, missed = counts.get(number, (0, 0))
        percent = 100 * missed / branches if branches else None
        rows.append([order, mark, str(branches), str(missed), "%.4f" % percent if branches else "none"])
        if mark == "the if":
            document[order] = {"branches_per_value": branches / (PASSES * VALUES), "missed_percent": percent}
document["table"] = {"columns": ["values", "line", "branches", "mispredicted", "%"], "rows": rows}
print(json.dumps(document))
