"""Times commands in turns, and writes the fastest and the slowest as best.sh and worst.sh.

What a place of stack or code costs depends on the processor, so that a pair of places is chosen where it runs.
Usage: choose.py TEMPLATE NUMBER..., where TEMPLATE has {} for the number and {pad} for as many letters.
"""

import subprocess
import sys
import time

TURNS = 9


def seconds(command):
    begun = time.perf_counter()
    subprocess.run(command, shell=True, check=True)
    return time.perf_counter() - begun


commands = [
    sys.argv[1].replace("{}", number).replace("{pad}", "x" * int(number))
    for number in sys.argv[2:]
]
times = {command: [] for command in commands}
for _ in range(TURNS):
    for command in commands:
        times[command].append(seconds(command))
ordered = sorted(commands, key=lambda command: sorted(times[command])[TURNS // 2])
for name, command in [("best.sh", ordered[0]), ("worst.sh", ordered[-1])]:
    with open(name, "w", encoding="utf-8") as script:
        script.write(f"exec {command}\n")
