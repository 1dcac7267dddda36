"""Regions of a Python program: in blocks, in functions, in threads and in a child."""

import os
import sys
import threading

from fauxplat_region import region


@region("sort")
def sort():
    return sorted(range(1000), key=lambda number: -number)


def parse(times):
    for _ in range(times):
        with region("parse"), region("parse"):
            sort()


way = sys.argv[1] if len(sys.argv) > 1 else "plain"
if way == "plain":
    parse(5)
elif way == "threads":
    threads = [threading.Thread(target=parse, args=(25,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
elif way == "forked":
    with region("parse"):
        child = os.fork()
        if child == 0:
            parse(2)
        else:
            os.waitpid(child, 0)
elif way == "crossed":
    region("parse").begin()
    sort()
    region("sort").end()
