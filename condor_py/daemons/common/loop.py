"""The event loop of every daemon: file descriptors, timers, signals, children, and the end of a batch.

One turn waits for something to be ready, calls every ready callback, runs due timers, and then the callback of
``on_batch_end`` once. Daemons collect news in callbacks and decide, commit and answer in the hook: that is the group
commit.
"""

from __future__ import annotations

import errno
import heapq
import os
import select
import signal
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from itertools import count

Callback = Callable[[], object]
#: No timer is later than this, in seconds (ten years), whatever it was computed from.
_LATEST = 10 * 365 * 86400.0
_NEVER = 365 * 86400.0
#: Turns in which others may come before what waits for an idle one.
_PATIENT_TURNS = 8
#: Idle turns that others may have before what comes last.
_PASSED_OVER = 200
#: No wait is longer than epoll can.
_LONGEST_WAIT = 86400.0
#: Seconds between the two clocks that are more than a correction of one of them.
_JUMP = 10.0
#: Seconds that a descriptor rests whose callback failed: it is still readable, and the others want their turn.
_REST = 1.0


#: Seconds for intervals; never goes back.
monotonic = time.monotonic
#: Wall-clock Unix seconds.
now = time.time


def period(seconds: int) -> float:
    """Seconds for ``Loop.every`` of a knob whose 0 means never."""
    return float(seconds) if seconds > 0 else _NEVER


class Timer:
    """A call that is due at a monotonic time; ``cancel`` forgets it."""

    __slots__ = ("callback", "cancelled")

    def __init__(self, callback: Callback) -> None:
        self.callback = callback
        self.cancelled = False

    def cancel(self) -> None:
        """The callback will not be called any more."""
        self.cancelled = True


def unset_timer() -> Timer:
    """Return a timer that is not due: it can be cancelled like any other."""
    return Timer(lambda: None)


class Repeat:
    """A call that comes again and again."""

    __slots__ = ("_callback", "_first", "_loop", "_seconds", "_timer")

    def __init__(self, loop: Loop, seconds: float, callback: Callback, first: float) -> None:
        self._loop = loop
        self._seconds = seconds
        self._first = first
        self._callback = callback
        self._timer = loop.after(min(seconds, first), self._again)

    def _again(self) -> None:
        try:
            self._callback()
        finally:
            self._timer = self._loop.after(self._seconds, self._again)

    def change(self, seconds: float) -> None:
        """Another interval; when it differs, the next call comes as the first one came."""
        if seconds != self._seconds:
            self._seconds = seconds
            self._timer.cancel()
            self._timer = self._loop.after(min(seconds, self._first), self._again)


class Loop:
    """Single-threaded. Callbacks must not block. One that fails ends its own turn: the callback of ``on_fault``
    gets the exception, and without it the fault ends ``run``.
    """

    def __init__(self) -> None:
        self._at_fault: Callable[[Exception], None] | None = None
        self._resting: set[int] = set()
        #: Descriptors forgotten in this turn: what poll reported of them is not about new ones with their numbers.
        self._forgotten: set[int] = set()
        self._epoll = select.epoll()
        self._readers: dict[int, Callback] = {}
        self._writers: dict[int, Callback] = {}
        self._timers: list[tuple[float, int, Timer]] = []
        self._order = count()
        self._running = False
        self._signals: dict[int, Callback] = {}
        self._children: dict[int, Callable[[int], None]] = {}
        #: Descriptors of children, where they are not watched.
        self._handles: set[int] = set()
        self._wake_read = -1
        self._wake_write = -1
        self._soon: list[Callback] = []
        self._idle: deque[Callback] = deque()
        self._last: deque[Callback] = deque()
        self._busy = self._passed_over = 0
        self._endings: list[Callback] = []
        self._at_jump: Callable[[float], object] | None = None
        self._apart = now() - monotonic()
        self._at_batch_end: Callback | None = None

    # -- hooks ------------------------------------------------------------------------------------------------------

    def on_fault(self, callback: Callable[[Exception], None]) -> None:
        """Takes the callback that gets the exception of each callback that fails."""
        self._at_fault = callback

    def on_jump(self, callback: Callable[[float], object]) -> None:
        """Set the callback for jumps of the clock, in seconds: the machine slept, or its clock was set (less than 0:
        back)."""
        self._at_jump = callback

    def on_batch_end(self, callback: Callback) -> None:
        """Takes the callback that ends each turn."""
        self._at_batch_end = callback

    def fault(self, error: Exception) -> None:
        """Reports what a callback raised; without ``on_fault`` it is raised again."""
        if self._at_fault is None:
            raise error
        self._at_fault(error)

    def close(self) -> None:
        """Releases the descriptors of the loop itself (needed after a fork)."""
        self._epoll.close()
        for handle in self._handles:
            os.close(handle)
        self._handles.clear()
        if self._wake_read >= 0:
            signal.set_wakeup_fd(-1)
            os.close(self._wake_read)
            os.close(self._wake_write)
            self._wake_read = -1

    # -- descriptors ------------------------------------------------------------------------------------------------

    def read(self, fd: int, callback: Callback) -> None:
        """Calls back whenever ``fd`` is readable or hung up."""
        known = fd in self._readers or fd in self._writers
        self._readers[fd] = callback
        self._update(fd, known)

    def write(self, fd: int, callback: Callback | None) -> None:
        """Calls back whenever ``fd`` is writable; None stops that."""
        known = fd in self._readers or fd in self._writers
        if callback is None:
            self._writers.pop(fd, None)
        else:
            self._writers[fd] = callback
        self._update(fd, known)

    def forget(self, fd: int) -> None:
        """Stops watching ``fd``; must be called before it is closed."""
        known = fd in self._readers or fd in self._writers
        self._readers.pop(fd, None)
        self._writers.pop(fd, None)
        self._update(fd, known and fd not in self._resting)
        self._resting.discard(fd)
        self._forgotten.add(fd)

    def _rest(self, fd: int) -> None:
        """Does not look at a descriptor for a moment."""
        if fd in self._readers or fd in self._writers:
            self._unregister(fd)
            self._resting.add(fd)
            self.after(_REST, lambda: self._wake(fd))

    def _wake(self, fd: int) -> None:
        if fd in self._resting:
            self._resting.discard(fd)
            self._update(fd, False)

    def _update(self, fd: int, known: bool) -> None:
        if fd in self._resting:
            return
        mask = (select.EPOLLIN if fd in self._readers else 0) | (select.EPOLLOUT if fd in self._writers else 0)
        if mask and known:
            self._epoll.modify(fd, mask)
        elif mask:
            self._register(fd, mask)
        elif known:
            self._unregister(fd)

    def _register(self, fd: int, mask: int) -> None:
        """Watch a descriptor that was not watched. OSError: it is not, and the next one of its number may be."""
        try:
            self._epoll.register(fd, mask)
        except OSError:
            self._readers.pop(fd, None)
            self._writers.pop(fd, None)
            raise

    def _unregister(self, fd: int) -> None:
        try:
            self._epoll.unregister(fd)
        except OSError as error:  # one that is closed already is watched no more
            if error.errno not in (errno.EBADF, errno.ENOENT):
                raise

    # -- time, signals ----------------------------------------------------------------------------------------------

    def after(self, seconds: float, callback: Callback) -> Timer:
        """Calls back once, ``seconds`` from now at the earliest (NaN and what is too far away: in ten years)."""
        timer = Timer(callback)
        pause = seconds if seconds < _LATEST else _LATEST
        heapq.heappush(self._timers, (monotonic() + pause, next(self._order), timer))
        return timer

    def every(self, seconds: float, callback: Callback, *, first: float = float("inf")) -> Repeat:
        """Calls back again and again, ``seconds`` after each return; the first time after ``first``, if that is
        sooner."""
        return Repeat(self, seconds, callback, first)

    def soon(self, callback: Callback) -> None:
        """Calls back in the next turn, which starts without waiting."""
        self._soon.append(callback)

    def when_idle(self, callback: Callback, *, last: bool = False) -> None:
        """Call back once, in a turn without other work; of several the first, the ``last`` ones after all others.
        Clients that always have requests delay it only a little."""
        (self._last if last else self._idle).append(callback)

    def on_signal(self, number: int, callback: Callback) -> None:
        """Calls back in the loop (not in the handler) after signal ``number``."""
        if self._wake_read < 0:
            self._wake_read, self._wake_write = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
            signal.set_wakeup_fd(self._wake_write, warn_on_full_buffer=False)
            self.read(self._wake_read, self._drain_signals)
        self._signals[number] = callback
        signal.signal(number, _do_nothing)

    def _drain_signals(self) -> None:
        numbers: set[int] = set()
        try:
            while data := os.read(self._wake_read, 512):
                numbers.update(data)
        except BlockingIOError:
            pass
        for number in sorted(numbers):
            if number in self._signals:
                self.call(self._signals[number])

    # -- children ---------------------------------------------------------------------------------------------------

    def watch_children(self) -> None:
        """Collects ended children from now on: those of ``on_exit``, and orphans. To be called before the first of them
        is forked."""
        if signal.SIGCHLD not in self._signals:
            self.on_signal(signal.SIGCHLD, self._reap)

    def on_exit(self, pid: int, callback: Callable[[int], None]) -> None:
        """Calls back once, with the wait status, when the child ``pid`` has ended.

        Where children are not watched other code may collect it first (a starter collects all that is left of its job):
        it then counts as killed.
        """
        if signal.SIGCHLD in self._signals:
            self._children[pid] = callback
            return
        try:
            handle = os.pidfd_open(pid)
        except ProcessLookupError:  # it was collected elsewhere
            self.soon(partial(callback, int(signal.SIGKILL)))
            return
        except OSError:  # no descriptor is left
            self._ask_again(pid, callback)
            return
        self._handles.add(handle)

        def ended() -> None:
            self.forget(handle)
            self._handles.discard(handle)
            os.close(handle)
            callback(_status_of(pid, 0) or 0)

        self.read(handle, ended)

    def _ask_again(self, pid: int, callback: Callable[[int], None]) -> None:
        """Waits for a child without a descriptor: by asking every now and then."""
        status = _status_of(pid, os.WNOHANG)
        if status is None:
            self.after(_REST, lambda: self._ask_again(pid, callback))
        else:
            self.soon(partial(callback, status))

    def expect(self, pid: int) -> None:
        """Note a child whose end is noticed in another way, so that ``children`` has it as long as it lives."""
        if signal.SIGCHLD in self._signals:
            self._children[pid] = lambda status: None

    def collected(self, pid: int) -> None:
        """Forget an expected child that other code has collected."""
        self._children.pop(pid, None)

    def children(self) -> set[int]:
        """The children that have a callback, and the expected ones."""
        return set(self._children)

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            callback = self._children.pop(pid, None)
            if callback is not None:
                self.call(partial(callback, status))

    def at_turn_end(self, callback: Callback) -> None:
        """Calls back once, at the end of this turn, after the batch hook: the place where links send."""
        self._endings.append(callback)

    # -- running ----------------------------------------------------------------------------------------------------

    def stop(self) -> None:
        """Ends ``run`` after the current turn."""
        self._running = False

    def run(self) -> None:
        """Turns until ``stop``."""
        self._running = True
        while self._running:
            self.turn()

    def turn(self, longest: float | None = None) -> None:
        """One turn; waits no longer than ``longest`` seconds when given."""
        self._forgotten.clear()
        try:
            ready = self._epoll.poll(self._wait(longest))
        except InterruptedError:
            ready = []
        apart = now() - monotonic()
        jump, self._apart = apart - self._apart, apart
        if abs(jump) > _JUMP and self._at_jump is not None:
            self.call(partial(self._at_jump, jump))
        if self._idle or self._last:
            self._run_idle(bool(ready or self._soon))
        for fd, mask in ready:
            done = True
            if mask & ~select.EPOLLOUT and fd in self._readers and fd not in self._forgotten:
                done = self.call(self._readers[fd])
            if mask & ~select.EPOLLIN and fd in self._writers and fd not in self._forgotten:
                done = self.call(self._writers[fd]) and done
            if not done:
                self._rest(fd)
        self._run_due()
        if self._at_batch_end is not None:
            self.call(self._at_batch_end)
        endings, self._endings = self._endings, []
        for callback in endings:
            self.call(callback)

    def call(self, callback: Callback) -> bool:
        """Call back; False when that failed, and the loop continues."""
        try:
            callback()
        except Exception as error:
            self.fault(error)
            return False
        return True

    def _wait(self, longest: float | None) -> float:
        if self._soon or self._endings or self._idle or self._last:
            return 0.0
        while self._timers and self._timers[0][2].cancelled:
            heapq.heappop(self._timers)
        wait = -1.0 if longest is None else longest
        if self._timers:
            due = self._timers[0][0] - monotonic()
            if due <= 0.0:
                return 0.0
            if wait < 0.0 or due < wait:
                wait = due
        return wait if wait < _LONGEST_WAIT else _LONGEST_WAIT

    def _run_idle(self, busy: bool) -> None:
        """The first of those that wait for an idle turn, if this is one, or they have waited for long."""
        self._busy = self._busy + 1 if busy else 0
        if not busy or self._busy > _PATIENT_TURNS:
            self._busy = 0
            self._passed_over = self._passed_over + 1 if self._idle and self._last else 0
            is_last = not self._idle or self._passed_over > _PASSED_OVER
            self.call((self._last if is_last else self._idle).popleft())

    def _run_due(self) -> None:
        ready, self._soon = self._soon, []
        for callback in ready:
            self.call(callback)
        moment = monotonic()
        while self._timers and self._timers[0][0] <= moment:
            timer = heapq.heappop(self._timers)[2]
            if not timer.cancelled:
                self.call(timer.callback)


def _status_of(pid: int, options: int) -> int | None:
    """Collect a child; its wait status. None while it runs (WNOHANG); killed when it was collected elsewhere."""
    try:
        ended, status = os.waitpid(pid, options)
    except ChildProcessError:
        return int(signal.SIGKILL)
    return status if ended else None


def _do_nothing(number: int, frame: object) -> None:
    """A Python-level handler must exist for the wake-up descriptor to be written."""
