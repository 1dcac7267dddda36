"""Publishes a counter and reads it back: publish.py LIBRARY /dev/shm/my-table"""

import ctypes
import sys

u64, i64 = ctypes.c_uint64, ctypes.c_int64


def load(path):
    library = ctypes.CDLL(path)
    library.fxt_create.restype = ctypes.c_void_p
    library.fxt_create.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
    library.fxt_close.argtypes = [ctypes.c_void_p]
    library.fxt_error.restype = ctypes.c_char_p
    library.fxt_add.argtypes = [ctypes.c_void_p, u64, u64, i64, ctypes.POINTER(i64)]
    library.fxt_get.argtypes = [ctypes.c_void_p, u64, u64, ctypes.POINTER(i64)]
    return library


def main():
    library = load(sys.argv[1])
    table = library.fxt_create(sys.argv[2].encode(), None)
    if not table:
        sys.exit(library.fxt_error().decode())
    for _ in range(1000):
        if library.fxt_add(table, 1, 7, 3, None) != 0:
            sys.exit(library.fxt_error().decode())
    value = i64()
    if library.fxt_get(table, 1, 7, ctypes.byref(value)) != 0:
        sys.exit("the value is absent")
    print("sum", value.value)
    library.fxt_close(table)


main()
