"""Shows what other tools show first of the planted pairs: perf stat, perf diff, cg_diff, and a difference of flame graphs.

Usage: others.py PAIRS.JSON FOLDER [WORD]: FOLDER has the programs that `cargo xtask campaign why` built. Needs perf and
valgrind; the table is Markdown. What each tool prints first is taken as it stands: the event of `perf stat` that changed
most, the first row of `perf diff` and of `cg_annotate` over `cg_diff`, and the function whose own samples per run grew
most, which is the widest red box of a flame graph of the difference.
"""

import collections
import json
import pathlib
import re
import shlex
import subprocess
import sys

EVENTS = "task-clock,context-switches,cpu-migrations,page-faults"
RUNS = 10


def run(command, folder):
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, capture_output=True, text=True, errors="replace"
    )
    return done.stdout + done.stderr


def stat(command, folder):
    text = run(f"perf stat -x, -r {RUNS} -e {EVENTS} -o .stat -- {command} >/dev/null; cat .stat", folder)
    rows = [line.split(",") for line in text.splitlines() if line.count(",") > 2]
    return {row[2]: float(row[0]) for row in rows if re.fullmatch(r"[0-9.]+", row[0])}


def by_stat(fast, slow, folder):
    a, b = stat(fast, folder), stat(slow, folder)
    changes = [(abs(b[name] - a[name]) / max(a[name], 1), name) for name in a if name in b]
    if not changes:
        return "nothing"
    _, name = max(changes)
    return f"{name} {a[name]:.4g} → {b[name]:.4g}"


def record(command, folder, data):
    loop = f"for i in $(seq {RUNS}); do {command}; done"
    words = f"bash -c {shlex.quote(loop)}"
    return run(f"perf record -q -e cpu-clock -F 5000 -g -o {data} -- {words} >/dev/null", folder)


def by_diff(folder):
    text = run("perf diff --stdio .fast.data .slow.data 2>/dev/null", folder)
    rows = [line.split() for line in text.splitlines() if "%" in line and not line.startswith("#")]
    return " ".join(rows[0]) if rows else "nothing"


def own_samples(data, folder):
    text = run(f"perf script -F ip,sym -i {data} 2>/dev/null", folder)
    counts = collections.Counter()
    is_first = True
    for line in text.splitlines():
        if not line.strip():
            is_first = True
        elif is_first:
            counts[" ".join(line.split()[1:])] += 1
            is_first = False
    return counts


def by_flames(folder):
    a, b = own_samples(".fast.data", folder), own_samples(".slow.data", folder)
    rises = [((b[name] - a[name]) / RUNS, name) for name in set(a) | set(b)]
    if not rises:
        return "nothing"
    rise, name = max(rises)
    return f"{name} (+{rise:.1f} samples a run)"


def by_cachegrind(fast, slow, folder):
    for name, command in (("fast", fast), ("slow", slow)):
        run(
            "rm -f .cg.*; timeout 60 valgrind --tool=cachegrind --trace-children=yes"
            f" --cachegrind-out-file=.cg.%p {command} >/dev/null 2>&1;"
            f" ls -S .cg.* | head -1 | xargs -I F mv F .{name}.cg; rm -f .cg.*",
            folder,
        )
    text = run("cg_diff --mod-filename='s|.*||' .fast.cg .slow.cg > .diff.cg && cg_annotate .diff.cg", folder)
    is_table = False
    for line in text.splitlines():
        is_table = is_table or "file:function" in line
        if is_table and re.match(r"\s*-?[0-9,]+ \(", line):
            amount, function = line.split()[0], line.split()[-1]
            return f"{function} ({amount} instructions)"
    return "nothing"


def main():
    pairs = json.load(open(sys.argv[1], encoding="utf-8"))["pairs"]
    word = sys.argv[3] if len(sys.argv) > 3 else ""
    print("| pair | perf stat | perf diff | cg_diff | flame graphs |")
    print("| --- | --- | --- | --- | --- |")
    for pair in pairs:
        folder = pathlib.Path(sys.argv[2]) / pair["name"].replace(" ", "-")
        if word not in pair["name"] or not folder.exists():
            continue
        fast, slow = pair.get("fast", "./fast"), pair.get("slow", "./slow")
        run(pair.get("setup", ":"), folder)
        cells = [by_stat(fast, slow, folder)]
        record(fast, folder, ".fast.data")
        record(slow, folder, ".slow.data")
        cells += [by_diff(folder), by_cachegrind(fast, slow, folder), by_flames(folder)]
        run(pair.get("cleanup", ":"), folder)
        print("| " + " | ".join([pair["name"]] + [cell.replace("|", "/") for cell in cells]) + " |", flush=True)


main()
