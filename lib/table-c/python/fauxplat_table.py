"""Publishes integers in a live table, and reads those of others, while any number of processes do the same.

    from fauxplat_table import Key, Table

    with Table.open_or_create("/dev/shm/server.table", dense_keys=2,
                              keys=[Key(0, "requests", "counter", help="served"), Key(1, "queue", "gauge")]) as table:
        table.add(1, 0, 1)
        print(table[1, 0], table.row(1))

Objects, keys and values are integers. `get_many` and `set_many` take many pairs at a time. `dense` gives the dense pairs as an
array of NumPy, without a copy, if NumPy is there. The library libfauxplat_table_c.so is found where the linker looks, or in
FAUXPLAT_TABLE_LIBRARY. The calls and the file: fauxplat_table.h and docs/table.md of fauxplat.
"""

import collections
import ctypes
import ctypes.util
import os

__all__ = ["Key", "Table", "TableError"]

_OK, _ABSENT, _DIFFERENT = 0, 1, 2
_EXCLUSIVE_ROWS, _RECORDS, _ON_DISK, _OF_OTHERS = 1, 2, 4, 8
_KINDS = {"counter": 1, "gauge": 2}
_u32, _u64, _i64, _text = ctypes.c_uint32, ctypes.c_uint64, ctypes.c_int64, ctypes.c_char_p

#: The description of a key: its number, name, kind ("counter" or "gauge"), unit and help.
Key = collections.namedtuple("Key", "number name kind unit help", defaults=("gauge", "", ""))


class TableError(Exception):
    """A call failed; the text says why."""


class _Sizes(ctypes.Structure):
    _fields_ = [("dense_objects", _u64), ("max_hashed_objects", _u64), ("dense_keys", _u32), ("max_sparse_keys", _u32),
                ("value_bytes", _u32), ("flags", _u32)]


class _Key(ctypes.Structure):
    _fields_ = [("key", _u64), ("name", _text), ("unit", _text), ("help", _text), ("kind", _u32), ("reserved", _u32)]


class _Options(ctypes.Structure):
    _fields_ = [("struct_bytes", ctypes.c_size_t), ("sizes", _Sizes), ("expected_objects", _u64),
                ("keys", ctypes.POINTER(_Key)), ("key_count", ctypes.c_size_t), ("mode", _u32), ("reserved", _u32)]


class _Facts(ctypes.Structure):
    _fields_ = [("struct_bytes", ctypes.c_size_t)] + [(name, _u64) for name in (
        "dense_objects", "max_hashed_objects", "hashed_rows", "index_slots", "file_bytes", "creator_pid", "described_keys")] + [
        (name, _u32) for name in ("dense_keys", "max_sparse_keys", "value_bytes", "records")] + [
        ("creator_alive", ctypes.c_int32), ("reserved", _u32)]


class _Pair(ctypes.Structure):
    _fields_ = [("object", _u64), ("key", _u64)]


class _Entry(ctypes.Structure):
    _fields_ = [("object", _u64), ("key", _u64), ("value", _i64)]


class _Reader(ctypes.Structure):
    _fields_ = [("table", ctypes.c_void_p), ("cells", ctypes.c_void_p), ("stride", ctypes.c_size_t), ("objects", _u64),
                ("keys", _u64), ("value_bytes", _u32)]


def _load():
    name = os.environ.get("FAUXPLAT_TABLE_LIBRARY") or ctypes.util.find_library("fauxplat_table_c")
    library = ctypes.CDLL(name or "libfauxplat_table_c.so")
    table, size, to = ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER
    for call, result, arguments in (
        ("fxt_open_or_create", table, [_text, to(_Options)]), ("fxt_create_with", table, [_text, to(_Options)]),
        ("fxt_open", table, [_text, ctypes.c_int]), ("fxt_close", None, [table]), ("fxt_error", _text, []),
        ("fxt_get", ctypes.c_int, [table, _u64, _u64, to(_i64)]), ("fxt_set", ctypes.c_int, [table, _u64, _u64, _i64]),
        ("fxt_add", ctypes.c_int, [table, _u64, _u64, _i64, to(_i64)]), ("fxt_remove", ctypes.c_int, [table, _u64, _u64]),
        ("fxt_set_many", ctypes.c_int, [table, to(_Entry), size]),
        ("fxt_get_many", ctypes.c_int, [table, to(_Pair), size, to(_i64), to(ctypes.c_ubyte)]),
        ("fxt_snapshot", ctypes.c_int, [table, _u64, to(_u64), to(_i64), size, to(size)]),
        ("fxt_publish", ctypes.c_int, [table, _u64, to(_i64), size]),
        ("fxt_objects", ctypes.c_int, [table, to(_u64), size, to(size)]),
        ("fxt_info", ctypes.c_int, [table, to(_Facts)]), ("fxt_described", ctypes.c_int, [table, size, to(_Key)]),
        ("fxt_standing", ctypes.c_int, [table]), ("fxt_check", ctypes.c_int, [table]),
        ("fxt_reader_open", ctypes.c_int, [table, to(_Reader)]),
    ):
        function = getattr(library, call)
        function.restype, function.argtypes = result, arguments
    return library


_library = None


def _call(name, *arguments):
    """The answer of a call; an exception if it failed."""
    code = getattr(_library, name)(*arguments)
    if code not in (_OK, _ABSENT, _DIFFERENT):
        raise TableError(os.fsdecode(_library.fxt_error()))
    return code


class Table:
    """An open table. Threads may share it."""

    def __init__(self, call, path, *arguments):
        global _library
        _library = _library or _load()
        # A path is bytes: one that is not UTF-8 names the same file here as everywhere.
        self._table = getattr(_library, call)(os.fsencode(path), *arguments)
        if not self._table:
            raise TableError(os.fsdecode(_library.fxt_error()))

    @classmethod
    def open(cls, path, writable=True):
        """Opens a table, whoever made it."""
        return cls("fxt_open", path, int(writable))

    @classmethod
    def create(cls, path, **options):
        """Creates a table that does not exist yet; the options are those of `open_or_create`."""
        return cls("fxt_create_with", path, _options(**options))

    @classmethod
    def open_or_create(cls, path, **options):
        """Opens a table of these options for writing, or creates it: dense_objects, max_hashed_objects, dense_keys,
        max_sparse_keys, value_bytes, expected_objects, keys, mode, exclusive_rows, records, on_disk, of_others."""
        return cls("fxt_open_or_create", path, _options(**options))

    def close(self):
        """Closes the table; arrays of `dense` must not be used any more."""
        table, self._table = self._table, None
        if table:
            _library.fxt_close(table)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def get(self, object, key, default=None):
        """The value of a pair."""
        value = _i64()
        return value.value if _call("fxt_get", self._table, object, key, value) == _OK else default

    def __getitem__(self, pair):
        value = self.get(*pair)
        if value is None:
            raise KeyError(pair)
        return value

    def set(self, object, key, value):
        """Stores a value."""
        _call("fxt_set", self._table, object, key, value)

    def __setitem__(self, pair, value):
        self.set(*pair, value)

    def add(self, object, key, delta):
        """Adds to a value, an absent one counting as 0; the value before."""
        before = _i64()
        _call("fxt_add", self._table, object, key, delta, before)
        return before.value

    def remove(self, object, key):
        """Makes a pair absent; whether it had a value."""
        return _call("fxt_remove", self._table, object, key) == _OK

    def set_many(self, entries):
        """Stores the value of each (object, key, value)."""
        entries = list(entries)
        _call("fxt_set_many", self._table, (_Entry * len(entries))(*entries), len(entries))

    def get_many(self, pairs):
        """The value of each (object, key), None where there is none."""
        pairs = list(pairs)
        values, present = (_i64 * len(pairs))(), (ctypes.c_ubyte * len(pairs))()
        _call("fxt_get_many", self._table, (_Pair * len(pairs))(*pairs), len(pairs), values, present)
        return [value if there else None for value, there in zip(values, present)]

    def publish(self, object, values):
        """Publishes the values of the first keys of an object together, in a table of records."""
        values = list(values)
        _call("fxt_publish", self._table, object, (_i64 * len(values))(*values), len(values))

    def row(self, object):
        """The keys and values of an object as they were at one moment."""
        count, facts = ctypes.c_size_t(), self.info()
        room = facts["dense_keys"] + facts["max_sparse_keys"]
        keys, values = (_u64 * room)(), (_i64 * room)()
        _call("fxt_snapshot", self._table, object, keys, values, room, count)
        return dict(zip(keys[:count.value], values[:count.value]))

    def objects(self):
        """The objects that have a value."""
        count = ctypes.c_size_t()
        _call("fxt_objects", self._table, None, 0, count)
        while True:
            room = count.value
            objects = (_u64 * room)()
            _call("fxt_objects", self._table, objects, room, count)
            if count.value <= room:
                return objects[:count.value]

    def info(self):
        """Facts about the table."""
        facts = _Facts(struct_bytes=ctypes.sizeof(_Facts))
        _call("fxt_info", self._table, facts)
        names = [name for name, _ in _Facts._fields_ if name not in ("struct_bytes", "reserved")]
        found = {name: getattr(facts, name) for name in names}
        found["records"], alive = bool(facts.records), facts.creator_alive
        found["creator_alive"] = None if alive < 0 else bool(alive)
        return found

    def keys(self):
        """The descriptions of keys that the table's creator gave."""
        found, key, kinds = [], _Key(), {number: name for name, number in _KINDS.items()}
        while _call("fxt_described", self._table, len(found), key) == _OK:
            found.append(Key(key.key, key.name.decode(), kinds[key.kind], key.unit.decode(), key.help.decode()))
        return found

    def is_current(self):
        """Whether the path still leads to this table, and not to none or to one that was created anew."""
        return _call("fxt_standing", self._table) == _OK

    def check(self):
        """An exception if the file was cut short or if a page of it could not be read."""
        _call("fxt_check", self._table)

    def dense(self):
        """The dense pairs as a read-only array of NumPy with a row for each object: words that change as others write. A word
        is 0 where a value is absent, and otherwise the value plus half the range (`dense_values` gives values)."""
        import numpy

        reader = _Reader()
        _call("fxt_reader_open", self._table, reader)
        word = numpy.dtype(f"u{reader.value_bytes}")
        bytes = (ctypes.c_ubyte * (reader.stride * reader.objects)).from_address(reader.cells) if reader.cells else b""
        shape = (reader.objects, reader.keys if reader.cells else 0)
        array = numpy.ndarray(shape, word, bytes, strides=(reader.stride, word.itemsize))
        array.flags.writeable = False
        return array

    def dense_values(self, absent=0):
        """A copy of the dense values, each read for itself, with a number in the place of those that are absent."""
        import numpy

        words = self.dense().copy()
        half = words.dtype.type(1 << (8 * words.itemsize - 1))
        return numpy.where(words == 0, absent, (words ^ half).view(f"i{words.itemsize}"))


def _options(keys=(), expected_objects=0, mode=0, exclusive_rows=False, records=False, on_disk=False, of_others=False, **sizes):
    flags = exclusive_rows * _EXCLUSIVE_ROWS | records * _RECORDS | on_disk * _ON_DISK | of_others * _OF_OTHERS
    described = [_Key(key.number, key.name.encode(), key.unit.encode(), key.help.encode(), _KINDS[key.kind]) for key in keys]
    return _Options(ctypes.sizeof(_Options), _Sizes(flags=flags, **sizes), expected_objects, (_Key * len(described))(*described),
                    len(described), mode)
