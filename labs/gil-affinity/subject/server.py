"""A thread-pool TCP server and its clients; ends when a fixed total of messages was answered and every answer was right.

usage: server.py CLIENTS CPUS|free     (any Python from 2.7 on)

The parent is the server: a thread per client reads lines of 100 bytes, works for a while in a loop, and answers. Clients are
processes of their own, so that the server's interpreter lock is the only one that matters; they may run on any CPU.
"""
import os, socket, subprocess, sys, threading

CLIENTS, CPUS = int(sys.argv[1]), sys.argv[2]
TOTAL = 1920                    # divisible by every number of clients that the lab uses
WORK = 2000                     # rounds of the busy loop of one message
LINE = b"x" * 99 + b"\n"


def talk(connection, answer):
    """Reads lines until the other side closes; how many there were."""
    file, lines = connection.makefile("rb"), 0
    for line in iter(file.readline, b""):
        assert line == LINE, line
        busy = 0
        for turn in range(WORK):
            busy += turn
        assert busy == WORK * (WORK - 1) // 2
        connection.sendall(answer)
        lines += 1
    return lines


def client(port):
    """Sends its share of the messages, each when the one before was answered."""
    connection = socket.create_connection(("127.0.0.1", port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    file = connection.makefile("rb")
    for _ in range(TOTAL // CLIENTS):
        connection.sendall(LINE)
        assert file.readline() == b"ok\n"


def main():
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(CLIENTS)
    children = []
    for _ in range(CLIENTS):
        child = os.fork()
        if child == 0:
            client(listener.getsockname()[1])
            os._exit(0)
        children.append(child)
    # Only now, and with the same command in both cases: the clients stay free, and both pay for starting it.
    cpus = CPUS if CPUS != "free" else open("/proc/self/status").read().split("Cpus_allowed_list:")[1].split()[0]
    subprocess.check_call(["taskset", "-pc", cpus, str(os.getpid())], stdout=open(os.devnull, "w"))
    counts = []

    def serve(connection):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        counts.append(talk(connection, b"ok\n"))

    threads = [threading.Thread(target=serve, args=(listener.accept()[0],)) for _ in range(CLIENTS)]
    for thread in threads:
        thread.start()
    failed = sum(os.waitpid(child, 0)[1] != 0 for child in children)
    for thread in threads:
        thread.join()
    if failed or sum(counts) != TOTAL:
        sys.exit("%d clients failed, %d of %d messages" % (failed, sum(counts), TOTAL))
    print(sum(counts))


main()
