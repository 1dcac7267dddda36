"""The distance between two memory nodes, as the firmware states it, and whether the kernel made the nodes up."""
import json
import sys

near, far = (int(word) for word in sys.argv[1:3])
try:
    with open(f"/sys/devices/system/node/node{near}/distance") as file:
        distances = [int(word) for word in file.read().split()]
    with open("/sys/devices/system/node/online") as file:
        ends = [part.split("-") for part in file.read().strip().split(",")]
    with open("/proc/cmdline") as file:
        emulated = any(word.startswith("numa=fake") for word in file.read().split())
except OSError as error:
    print(error, file=sys.stderr)
    sys.exit(77)
nodes = [node for part in ends for node in range(int(part[0]), int(part[-1]) + 1)]
of = dict(zip(nodes, distances))
if near not in of or far not in of:
    print(f"of the memory nodes {near} and {far} not both are online: it takes a machine with two (`numactl --hardware` lists them), and --set near=N --set far=M", file=sys.stderr)
    sys.exit(77)
print(json.dumps({"near": of[near], "far": of[far], "emulated": emulated}))
