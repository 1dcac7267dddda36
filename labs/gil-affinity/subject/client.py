"""The one client process of all servers that tell their port through a named pipe: client.py ADDRESS

It opens the connections that the server wants and pours the lines into them, each into one that is chosen at random,
and never waits for an answer. It ends when the pipe says so, or with the program that started it.
"""
import ctypes, random, signal, socket, sys

LINE = b" " * 100 + b"\n"


def pour(port, clients, total):
    connections = [socket.create_connection(("127.0.0.1", port)) for _ in range(clients)]
    for _ in range(total):
        random.choice(connections).sendall(LINE)
    for connection in connections:
        connection.sendall(b"bye\n")
        connection.close()


def main():
    # PR_SET_PDEATHSIG is 1.
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    while True:
        # Waits until a server writes.
        with open(sys.argv[1]) as address:
            words = address.read().split()
        if words == ["end"]:
            return
        try:
            pour(*[int(word) for word in words])
        except socket.error as error:
            # The server has ended, and says itself why.
            sys.stderr.write("client: %s\n" % error)


main()
