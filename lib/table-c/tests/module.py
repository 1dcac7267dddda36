"""Uses everything that the module offers beside the example; prints that it is as it should be."""

import sys

from fauxplat_table import Key, Table, TableError

path = sys.argv[1]
described = [Key(0, "größe", "gauge", "bytes", "of what there is"), Key(1, "loops", "counter")]
options = dict(dense_objects=3, dense_keys=2, max_hashed_objects=100, keys=described)

with Table.open_or_create(path, **options) as table:
    assert table.keys() == described, table.keys()
    table[2, 0] = -7
    assert table.get(1, 0) is None and table.get(1, 0, 5) == 5 and table[2, 0] == -7
    try:
        table[1, 0]
    except KeyError:
        pass
    else:
        raise AssertionError("a pair without a value has one")
    facts = table.info()
    assert facts["dense_objects"] == 3 and facts["described_keys"] == 2 and facts["creator_alive"] is True, facts
    with Table.open_or_create(path, **options) as same:
        assert same[2, 0] == -7 and same.is_current()
    assert table.remove(2, 0) and not table.remove(2, 0)
    table[2, 1] = 9
    try:
        import numpy
    except ImportError:
        print("skipped: NumPy is not installed")
    else:
        words, values = table.dense(), table.dense_values(absent=-1)
        assert values.tolist() == [[-1, -1], [-1, -1], [-1, 9]], values
        table[0, 0] = 3
        assert words[0, 0] == numpy.uint64((1 << 63) + 3), "the array shows what is written"
        table[0, 0] = -3
        assert table.dense_values()[0, 0] == -3

with Table.open(path, writable=False) as table:
    try:
        table.set(1, 1, 1)
    except TableError as error:
        assert "reading only" in str(error), error
    else:
        raise AssertionError("a table that was opened for reading was written")

for wrong in (dict(options, dense_keys=3), dict(options, keys=described[:1]), dict(options, value_bytes=4)):
    try:
        Table.open_or_create(path, **wrong)
    except TableError:
        pass
    else:
        raise AssertionError(f"{wrong} was taken for the table that there is")

print("as it should be")
