# A pattern that is looked for in lines, or characters one by one: more work of an interpreter.
import sys

lines = ["item number %d of many" % i for i in range(20000)]
found = 0
for line in lines:
    if sys.argv[1] == "slow":
        for i in range(len(line) - 6):
            found += line[i : i + 6] == "number"
    else:
        found += "number" in line
