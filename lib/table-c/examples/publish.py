"""Publishes a counter and reads it back: publish.py /dev/shm/my-table"""

import sys

from fauxplat_table import Key, Table, TableError

SERVER, BATCH = 1, 10
REQUESTS, DEPTH = 0, 1


def main():
    keys = [Key(REQUESTS, "requests", "counter", help="requests served"), Key(DEPTH, "depth", "gauge", "jobs", "in the queue")]
    with Table.create(sys.argv[1], dense_objects=4, dense_keys=2, keys=keys) as table:
        for _ in range(1000):
            table.add(SERVER, REQUESTS, 3)
        table.set_many((BATCH + n, DEPTH, n) for n in range(5))
        values = table.get_many([(SERVER, REQUESTS), (BATCH + 4, DEPTH), (BATCH + 5, DEPTH)])
        print("sum", table[SERVER, REQUESTS], "row", table.row(SERVER), "many", values, "objects", sorted(table.objects()))


try:
    main()
except TableError as error:
    sys.exit(str(error))
