"""The distance between two memory nodes, as the firmware states it."""
import json
import sys

near, far = sys.argv[1:3]
try:
    with open(f"/sys/devices/system/node/node{near}/distance") as file:
        distances = [int(word) for word in file.read().split()]
    with open("/sys/devices/system/node/online") as file:
        ends = [part.split("-") for part in file.read().strip().split(",")]
except OSError as error:
    print(error, file=sys.stderr)
    sys.exit(77)
nodes = [node for part in ends for node in range(int(part[0]), int(part[-1]) + 1)]
of = dict(zip(nodes, distances))
print(json.dumps({"near": of[int(near)], "far": of.get(int(far))}))
