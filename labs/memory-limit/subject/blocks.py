"""Runs the subject under `fauxplat limit` and says in which block it came to its end, and how."""
import json
import os
import subprocess
import sys

def main():
    blocks, words = sys.argv[1], sys.argv[2:]
    if os.path.exists("full"):
        os.remove("full")
    line = [os.environ["FAUXPLAT"], "limit", "--store", "none", "--quiet", "--ignore-failure", "--format", "json"]
    done = subprocess.run(line + words + [f"./fill full {blocks}"], capture_output=True, text=True)
    if done.returncode == 3:
        # What this machine or its permissions do not allow.
        print(done.stderr.strip(), file=sys.stderr)
        return 77
    if done.returncode != 0:
        print(done.stderr.strip(), file=sys.stderr)
        return 1
    group = json.loads(done.stdout)["groups"][0]
    with open("full") as file:
        full = int((file.read().split() or ["0"])[0])
    killed = group["used"]["oom_kills"]
    if killed is None:
        print("this kernel does not count whom it kills for want of memory", file=sys.stderr)
        return 77
    kinds = [event["kind"] for event in group["events"]]
    victims = [event["victim"]["name"] for event in group["events"] if event["kind"] == "oom-kill" and event["victim"]]
    # The block that it was filling: all before it are full.
    block = full + 1 if full < int(blocks) else 0
    paused, victim, peak = kinds.count("paused"), victims[0] if victims else None, group["peak_memory_bytes"]
    end = "killed" if killed else "paused" if paused else "neither"
    row = [str(block or "all full"), end, victim or "", "" if peak is None else f"{peak / 2**20:.1f}", str(group["version"])]
    print(json.dumps({
        "block": block,
        "killed": killed,
        "paused": paused,
        "victim": victim,
        "peak_bytes": peak,
        "version": group["version"],
        "table": {"columns": ["in block", "end", "who", "held at most, MiB", "version of groups"], "rows": [row]},
    }))
    return 0

sys.exit(main())
