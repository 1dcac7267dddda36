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
# CO_GENERATOR, CO_COROUTINE, CO_ITERABLE_COROUTINE and CO_ASYNC_GENERATOR, see inspect.
_LATER = 0x20 | 0x80 | 0x100 | 0x200
_PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241, "riscv64": 241, "ppc64le": 319}


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
        self.token, self.slots, self.lock, self.threads = _token(), {}, threading.RLock(), threading.local()
        self.is_child = is_child

    def slot(self, name):
        """The word at which the slot of a name begins, or None where the page is full."""
        if name not in self.slots:
            # One lock for the threads of this process, and one for other processes.
            with self.lock:
                try:
                    fcntl.lockf(_file, fcntl.LOCK_EX)
                except OSError:
                    # The program has closed what it did not open, and this name is not measured.
                    self.slots[name] = None
                    return None
                try:
                    if name not in self.slots:
                        self.slots[name] = self._claimed(name.encode()[:63])
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
        self.open, self.files = {}, []
        try:
            self.files, leaders = _counters()
        except (OSError, AttributeError):
            leaders = []
        # Of each group: its first file, how many bytes it gives, what they mean, and which events are in it.
        self.groups = []
        for leader in sorted(set(leaders)):
            own = [at for at, other in enumerate(leaders) if other == leader]
            form = struct.Struct(f"{3 + len(own)}Q")
            # On one of several kinds of cores the rest of the time was spent on another one.
            is_whole = not _page[_FIRST + 5 * leader + 4] & 8
            self.groups.append((self.files[leader], form.size, form.unpack, own, is_whole))

    def read(self):
        """What the groups say now, to be compared by `counted`; None where nothing is counted."""
        try:
            return [os.read(group[0], group[1]) for group in self.groups] if self.groups else None
        except OSError:
            return None

    def counted(self, before, after):
        """The events and what each counted, or None if that is not known."""
        counts = []
        for (_, size, unpack, own, is_whole), first, last in zip(self.groups, before, after):
            if len(first) != size or len(last) != size:
                return None
            _, asked, ran, *values = unpack(first)
            _, asked_later, ran_later, *values_later = unpack(last)
            # What shared its registers meanwhile counted a part alone, and what ran backwards nothing that is known.
            if is_whole and asked_later - asked != ran_later - ran:
                return None
            for at, value, later in zip(own, values, values_later):
                if later < value:
                    return None
                counts.append((at, later - value))
        return counts

    def __del__(self, close=os.close):
        for file in self.files:
            close(file)


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
        mark = here and here.open.get(self.name)
        if mark and mark[0]:
            mark[0] -= 1
            return
        counted, now = here.read() if here else None, time.monotonic_ns()
        if not mark and _process.is_child:
            return
        slot = _process.slot(self.name)
        if slot is None:
            return
        if not mark:
            with _process.lock:
                _page[slot + _ERRORS] += 1
        else:
            del here.open[self.name]
            counts = here.counted(mark[2], counted) if counted and mark[2] else None
            with _process.lock:
                _page[slot + _CALLS] += 1
                _page[slot + _WALL] += now - mark[1]
                _page[slot + _BEGUN] -= 1
                if counts is not None:
                    _page[slot + _COUNTED] += 1
                    for at, count in counts:
                        _page[slot + _COUNTS + at] += count

    def __call__(self, function):
        """The function, whose calls are in the region. What only makes a coroutine or a generator has nothing to measure."""
        if getattr(getattr(function, "__code__", None), "co_flags", 0) & _LATER:
            raise TypeError(f"region {self.name!r}: mark what a coroutine or generator does inside it, not the function that makes it")
        return super().__call__(function)

    def __enter__(self):
        self.begin()
        return self

    def __exit__(self, *_):
        self.end()
