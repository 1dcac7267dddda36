"""Stalled cycles of the front end over cycles of `date`, each event by itself and both in one group. Prints a JSON document."""
import json, os, re, subprocess, sys

STALLED = "stalled-cycles-frontend"


def share(*words):
    line = [os.environ["FAUXPLAT"], "run", "--store", "none", "--quiet", "--format", "json", "-r", "24", *words, "date"]
    done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode == 3:
        print(" ".join(done.stderr.split()) or "it cannot be counted here", file=sys.stderr)
        sys.exit(77)
    if done.returncode != 0:
        sys.exit(done.stderr)
    runs = json.loads(done.stdout)["commands"][0]["runs"]
    # A machine with several kinds of cores counts on each; without privileges a name ends in `:u`.
    count = lambda run, event: sum(run[name] or 0 for name in run if re.match("pmu:(.*/)?%s\\b" % event, name))
    return [count(run, STALLED) / count(run, "cycles") for run in runs if count(run, "cycles")]


apart = share("-e", "cycles", "-e", STALLED)
together = share("-e", "{cycles,%s}" % STALLED)
rows = [[name, "%.3f" % sorted(values)[len(values) // 2], "%.3f" % min(values), "%.3f" % max(values)]
        for name, values in (("apart", apart), ("in one group", together)) if values]
print(json.dumps({
    "apart": apart, "together": together,
    "table": {"columns": ["stalled cycles of date over cycles", "median", "least", "most"], "rows": rows},
}))
