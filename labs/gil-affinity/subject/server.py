"""A thread-pool TCP server; ends when every client has said bye and all lines had come.

usage: server.py CLIENTS ADDRESS     (any Python from 2.7 on)

One thread for each connection reads one byte at a time, so 101 calls a line, each of which gives the interpreter's lock
away; for every line it works for a while in a loop. ADDRESS is a named pipe, through which the server tells the client
its port and the number of connections.
"""
import socket, sys, threading

CLIENTS, ADDRESS = int(sys.argv[1]), sys.argv[2]
TOTAL = 1000            # lines in all, whatever the number of clients
WORK = 4000             # rounds of the busy loop of one line
LINE = b" " * 100 + b"\n"


def line_of(connection):
    """The next line, read one byte at a time."""
    line = []
    while not line or line[-1] != b"\n":
        byte = connection.recv(1)
        if not byte:
            return b""
        line.append(byte)
    return b"".join(line)


def talk(connection, counts):
    """Reads lines until `bye`, works for each, and counts them."""
    lines = 0
    line = line_of(connection)
    while line == LINE:
        busy = 0
        for turn in range(WORK):
            busy += turn
        assert busy == WORK * (WORK - 1) // 2
        lines += 1
        line = line_of(connection)
    counts.append(lines if line == b"bye\n" else -TOTAL)


def main():
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(CLIENTS)
    # Waits until the client reads.
    with open(ADDRESS, "w") as address:
        address.write("%d %d %d\n" % (listener.getsockname()[1], CLIENTS, TOTAL))
    counts = []
    threads = [threading.Thread(target=talk, args=(listener.accept()[0], counts)) for _ in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if len(counts) != CLIENTS or sum(counts) != TOTAL:
        sys.exit("%d of %d lines" % (sum(counts), TOTAL))


main()
