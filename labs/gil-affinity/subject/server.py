"""A thread-pool TCP server; ends when every client has said bye and all lines had come.

usage: server.py CLIENTS ADDRESS     (any Python from 3.2 on; 2.7 with the package `futures`)

As published: a ThreadPoolExecutor with a thread for each connection, which reads one byte at a time and puts the message
together by `msg +=`, so 101 calls a line, each of which gives the interpreter's lock away, and as many copies; for every
line it works for a while in a loop. ADDRESS is a named pipe, through which the server tells the client its port and the
number of connections: that, the number of lines and the length of the loop are no part of what was published.
"""
import socket, sys

try:
    from concurrent.futures import ThreadPoolExecutor
except ImportError:
    sys.exit("it needs concurrent.futures, which Python 2.7 has in the package `futures`: pip install futures")

CLIENTS, ADDRESS = int(sys.argv[1]), sys.argv[2]
TOTAL = 1000            # lines in all, whatever the number of clients
WORK = 4000             # rounds of the busy loop of one line
LINE = b" " * 100 + b"\n"


def line_of(connection):
    """The next line, read one byte at a time."""
    msg = b""
    while not msg.endswith(b"\n"):
        byte = connection.recv(1)
        if not byte:
            return b""
        msg += byte
    return msg


def talk(connection):
    """Reads lines until `bye`, works for each, and counts them; less than none if the client broke off."""
    lines = 0
    line = line_of(connection)
    while line == LINE:
        busy = 0
        for turn in range(WORK):
            busy += turn
        assert busy == WORK * (WORK - 1) // 2
        lines += 1
        line = line_of(connection)
    return lines if line == b"bye\n" else -TOTAL


def main():
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(CLIENTS)
    # Waits until the client reads.
    with open(ADDRESS, "w") as address:
        address.write("%d %d %d\n" % (listener.getsockname()[1], CLIENTS, TOTAL))
    pool = ThreadPoolExecutor(max_workers=CLIENTS)
    waited = [pool.submit(talk, listener.accept()[0]) for _ in range(CLIENTS)]
    counts = [one.result() for one in waited]
    pool.shutdown()
    if len(counts) != CLIENTS or sum(counts) != TOTAL:
        sys.exit("%d of %d lines" % (sum(counts), TOTAL))


main()
