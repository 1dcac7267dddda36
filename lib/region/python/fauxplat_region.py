"""Marks regions of a Python program, so that `fauxplat run --region parse python3 program.py` measures what happens in them.

    from fauxplat_region import region

    with region("parse"):
        ...

    @region("sort")
    def sort(rows): ...

Regions nest; one within itself counts once, by its outermost call. Threads and processes add up. A region ends in the thread in
which it began. Without fauxplat a mark is a comparison. Names are 1 to 63 of a-z 0-9 . _ - and begin with a letter or a digit.
The page and its layout: docs/regions.md of fauxplat.
"""

import contextlib
import ctypes
import fcntl
import mmap
import os
import platform
import struct
import threading
import time

__all__ = ["region"]

# Words of the page, as fauxplat_region.h has them. Python has no atomic addition, so each process writes slots of its own, which
# stand behind those that programs in C share.
_VERSION, _LOST, _COUNT, _FIRST, _EVENTS = 1, 2, 3, 4, 8
_SHARED, _OWNED, _HEADER, _WORDS = 256, 256, 64, 32
_STATE, _OWNER, _NAME, _CALLS, _WALL, _BEGUN, _ERRORS, _COUNTED, _COUNTS = 0, 1, 2, 10, 11, 12, 13, 14, 15
_BYTES = (_HEADER + (_SHARED + _OWNED) * _WORDS) * 8
_PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241, "riscv64": 241, "ppc64le": 319, "s390x": 331}


def _opened():
    """The page that fauxplat reads and its descriptor, or nothing."""
    path = os.environ.get("FAUXPLAT_REGIONS")
    if not path:
        return None, None
    try:
        file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        words = memoryview(mmap.mmap(file, _BYTES)).cast("Q")
    except (OSError, ValueError):
        return None, None
    is_one = bytes(words[:1].cast("B")) == b"FPREGION" and words[_VERSION] == 1
    return (words, file) if is_one else (None, None)


_page, _file = _opened()


def _token():
    return int.from_bytes(os.urandom(7), "little") + 1


class _Process:
    """What belongs to this process alone: a child of fork() gets another."""

    def __init__(self, is_child=False):
        self.token, self.slots, self.lock, self.threads = _token(), {}, threading.Lock(), threading.local()
        self.is_child = is_child

    def slot(self, name):
        """The word at which the slot of a name begins, or None where the page is full."""
        if name not in self.slots:
            fcntl.lockf(_file, fcntl.LOCK_EX)
            try:
                self.slots[name] = self._claimed(name.encode())
            finally:
                fcntl.lockf(_file, fcntl.LOCK_UN)
        return self.slots[name]

    def _claimed(self, name):
        for at in range(_HEADER + _SHARED * _WORDS, _HEADER + (_SHARED + _OWNED) * _WORDS, _WORDS):
            if _page[at + _STATE] == 0:
                _page[at + _OWNER] = self.token
                _page[at + _NAME : at + _CALLS].cast("B")[: len(name)] = name
                _page[at + _STATE] = 2
                return at
        _page[_LOST] += 1
        return None


class _Thread:
    """The open regions of a thread, and its counters."""

    def __init__(self):
        self.open, self.files, self.leaders = {}, [], []
        try:
            self.files, self.leaders = _counters()
        except (OSError, AttributeError):
            pass

    def read(self):
        """Time asked for, time counted, and the counts; None where nothing is counted."""
        if not self.files:
            return None
        asked_for = running = 0
        counts = [0] * len(self.files)
        for leader in sorted(set(self.leaders)):
            own = [at for at, other in enumerate(self.leaders) if other == leader]
            _, asked, ran, *values = struct.unpack(f"{3 + len(own)}Q", os.read(self.files[leader], 8 * (3 + len(own))))
            asked_for, running = asked_for + asked, running + ran
            for at, value in zip(own, values):
                counts[at] = value
        return asked_for, running, *counts

    def __del__(self):
        for file in self.files:
            os.close(file)


def _counters():
    """Counters of the calling thread in groups, as fauxplat asks for them, and the leader of each."""
    files, leaders, number = [], [], _PERF_EVENT_OPEN.get(platform.machine())
    for event in range(min(_page[_COUNT], _EVENTS) if number else 0):
        kind, config, config1, config2, excluded = _page[_FIRST + 5 * event : _FIRST + 5 * event + 5]
        # struct perf_event_attr of 72 bytes; group, time enabled and time running are read.
        attributes = struct.pack("=IIQQQQQIIQQ", kind, 72, config, 0, 0, 11, (excluded & 7) << 4, 0, 0, config1, config2)
        leaders.append(min(excluded >> 8, event))
        leader = files[leaders[-1]] if leaders[-1] < event else -1
        file = ctypes.CDLL(None).syscall(number, attributes, 0, -1, leader, 8)
        if file < 0:
            for other in files:
                os.close(other)
            return [], []
        files.append(file)
    return files, leaders


_process = _Process() if _page else None


def _forked():
    global _process
    _process = _Process(is_child=True)


if _page:
    os.register_at_fork(after_in_child=_forked)


class region(contextlib.ContextDecorator):
    """A region by its name: a context, or a decorator."""

    def __init__(self, name):
        self.name = name

    def begin(self):
        """Begins the region in this thread."""
        if not _process:
            return
        slot = _process.slot(self.name)
        if slot is None:
            return
        threads = _process.threads
        if not hasattr(threads, "own"):
            threads.own = _Thread()
        here = threads.own
        if self.name in here.open:
            here.open[self.name][0] += 1
            return
        with _process.lock:
            _page[slot + _BEGUN] += 1
        here.open[self.name] = mark = [0, time.monotonic_ns(), None]
        mark[2] = here.read()

    def end(self):
        """Ends the region."""
        if not _process:
            return
        here = getattr(_process.threads, "own", None)
        counted, now = here and here.read(), time.monotonic_ns()
        slot = _process.slot(self.name)
        if slot is None:
            return
        mark = here and here.open.get(self.name)
        if not mark and _process.is_child:
            return
        if not mark:
            with _process.lock:
                _page[slot + _ERRORS] += 1
        elif mark[0]:
            mark[0] -= 1
        else:
            del here.open[self.name]
            with _process.lock:
                self._add(slot, now - mark[1], mark[2], counted)

    @staticmethod
    def _add(slot, wall, before, after):
        _page[slot + _CALLS] += 1
        _page[slot + _WALL] += wall
        _page[slot + _BEGUN] -= 1
        if not before or not after:
            return
        # What shared its registers meanwhile counted a part alone, and what ran backwards nothing that is known.
        added = [last - first for first, last in zip(before[2:], after[2:])]
        if after[0] - before[0] == after[1] - before[1] and min(added) >= 0:
            for at, count in enumerate(added):
                _page[slot + _COUNTS + at] += count
            _page[slot + _COUNTED] += 1

    def __enter__(self):
        self.begin()
        return self

    def __exit__(self, *_):
        self.end()
