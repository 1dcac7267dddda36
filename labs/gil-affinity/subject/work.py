"""Work of two, and waiting of eight, that the interpreter's lock does not hold up: work.py c-code|processes|waiting"""
import hashlib, os, sys, threading, time

BLOCK = b"x" * (1 << 20)
EXPECTED = hashlib.sha256(BLOCK * 40).hexdigest()


def in_c():
    """A hash of blocks above 2047 bytes, during each of which the lock is free."""
    found = hashlib.sha256()
    for _ in range(40):
        found.update(BLOCK)
    assert found.hexdigest() == EXPECTED


def in_python():
    assert sum(turn for turn in range(1500000)) == 1500000 * 1499999 // 2


def wait():
    for _ in range(5):
        time.sleep(0.05)


def threads(work, count):
    every = [threading.Thread(target=work) for _ in range(count)]
    for one in every:
        one.start()
    for one in every:
        one.join()


def processes():
    children = []
    for _ in range(2):
        child = os.fork()
        if child == 0:
            in_python()
            os._exit(0)
        children.append(child)
    for child in children:
        if os.waitpid(child, 0)[1] != 0:
            sys.exit("a process did not do its work")


{"c-code": lambda: threads(in_c, 2), "processes": processes, "waiting": lambda: threads(wait, 8)}[sys.argv[1]]()
