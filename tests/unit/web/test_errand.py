"""Work with the rights of an account: what its child is like, what may come back, and when an account has to rest."""

from __future__ import annotations

import errno
import gc
import os
import pwd
import signal
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from condor_py.cli.web import errand
from condor_py.cli.web.errand import _LONG, _PATIENCE, CannotDo, as_owner
from condor_py.model.errors import CondorError

ME = pwd.getpwuid(os.geteuid()).pw_name
LATER = f"^the files of {ME} did not answer, or slowly: they are tried again later$"


class Time:
    """A clock, and work that takes as long as a test says."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        self.takes = 0.0
        self.hangs = False
        self.deadlines: list[float] = []
        patch.setattr(time, "monotonic", lambda: self.now)
        patch.setattr(errand, "_answer", self._answer)
        patch.setattr(errand, "_LONG", _LONG)
        patch.setattr(errand, "_PATIENCE", _PATIENCE)

    def _answer(self, owner: str, who: object, work: Callable[[], Any], deadline: float) -> Any:
        self.deadlines.append(deadline)
        self.now += self.takes
        if self.hangs:
            raise TimeoutError
        return work()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Time]:
    with monkeypatch.context() as patch:
        yield Time(patch)


@pytest.mark.parametrize(
    ("takes", "hangs", "rest"),
    [(0.1, False, None), (0.5, False, None), (0.75, False, 7.5), (2.5, False, 25.0), (3.0, False, 30.0),
     (8.0, False, 30.0), (3.0, True, 30.0), (0.25, True, 30.0)],
)  # fmt: skip
def test_slow_work_is_followed_by_a_pause_ten_times_as_long(
    clock: Time, takes: float, hangs: bool, rest: float | None
) -> None:
    """From half a second on, and thirty seconds at most, which follow work that did not end as well."""
    clock.takes, clock.hangs = takes, hangs
    for rests in (False, True):
        if hangs:
            with pytest.raises(CannotDo, match=f"^the files of {ME} do not answer$"):
                as_owner(ME, lambda: 5, rests=rests)
        else:
            assert as_owner(ME, lambda: 5, rests=rests) == 5
        assert errand._resting == ({} if rest is None or not rests else {ME: clock.now + rest})


def test_an_account_is_served_again_when_its_pause_is_over(clock: Time) -> None:
    errand._resting[ME] = 1000.5
    with pytest.raises(CannotDo, match=LATER):
        as_owner(ME, lambda: 5)
    assert as_owner(ME, lambda: 5, rests=False) == 5, "what does not wait for files has no pause"
    assert as_owner("nobody", lambda: 6) == 6, "others are served"
    clock.now = 1000.5
    assert as_owner(ME, lambda: 5) == 5


def test_work_has_three_seconds_or_what_it_is_given(clock: Time) -> None:
    as_owner(ME, lambda: 5)
    as_owner(ME, lambda: 5, 30.0)
    as_owner(ME, lambda: 5, 0.0)
    assert clock.deadlines == [1003.0, 1030.0, 1000.0]


def test_pauses_of_a_thousand_accounts_are_kept(clock: Time) -> None:
    errand._resting.update((f"user{number}", 2000.0) for number in range(999))
    errand._rest("ann", 5.0)
    assert (len(errand._resting), errand._resting["ann"]) == (1000, 1005.0)
    errand._rest("bea", 5.0)
    assert errand._resting == {"bea": 1005.0}


def test_a_child_that_hangs_is_in_the_way_until_it_has_ended(clock: Time) -> None:
    reading, writing = os.pipe()
    pid = os.fork()
    if not pid:
        os.read(reading, 1)
        os._exit(0)
    errand._stuck.update({ME: pid, "ann": pid})
    for rests in (True, False):
        with pytest.raises(CannotDo, match=LATER):
            as_owner(ME, lambda: 5, rests=rests)
    os.write(writing, b"x")
    os.close(reading)
    os.close(writing)
    while errand._is_stuck(ME):
        time.sleep(0.001)
    assert errand._stuck == {"ann": pid}
    assert not errand._is_stuck("ann"), "another thread has collected it"
    assert errand._stuck == {}


def test_accounts_that_there_are_not() -> None:
    with pytest.raises(CannotDo, match=r"^no account named 'no-such-account' on this machine$"):
        as_owner("no-such-account", lambda: 5)


# ---- the child -------------------------------------------------------------------------------------------------------

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGPIPE)


def test_a_child_has_nothing_of_the_server() -> None:
    """No handlers of signals, no wakeup, no files but its pipe, and no collector of garbage that copies its memory."""

    def look() -> dict[str, Any]:
        return {
            "handlers": [signal.getsignal(number) == signal.SIG_DFL for number in SIGNALS],
            "wakeup": signal.set_wakeup_fd(-1),
            "files": len([name for name in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{name}")]),
            "collects": gc.isenabled(),
        }

    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    before = {number: signal.signal(number, lambda *_: None) for number in SIGNALS}
    wakeup = signal.set_wakeup_fd(writing)
    try:
        found = as_owner(ME, look)
    finally:
        signal.set_wakeup_fd(wakeup)
        for number, handler in before.items():
            signal.signal(number, handler)
        os.close(reading)
        os.close(writing)
    files = found.pop("files")
    assert files <= 4, "its pipe, and at most three standard ones"
    assert found == {"handlers": [True] * 5, "wakeup": -1, "collects": False}


def test_a_child_of_roots_server_has_the_rights_of_the_account() -> None:
    def look() -> list[Any]:
        return [os.getresuid(), os.getresgid()]

    if os.geteuid() == 0:
        who = pwd.getpwnam("nobody")
        assert as_owner("nobody", look) == [[who.pw_uid] * 3, [who.pw_gid] * 3]
    assert as_owner(ME, look) == [list(os.getresuid()), list(os.getresgid())]


def test_no_descriptor_is_left() -> None:
    def many() -> int:
        return len(os.listdir("/proc/self/fd"))

    before = many()
    for work in (lambda: 5, lambda: os._exit(1)):
        for _ in range(3):
            try:
                as_owner(ME, work)
            except CannotDo:
                pass
    assert many() <= before
    assert errand._stuck == {}


# ---- what comes back -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "result", "problem"),
    [
        (b'[{"a": 1}, null]', {"a": 1}, None),
        (b'[null, ""]', None, ""),
        (b'[5, "no disk"]', None, "no disk"),
        (b"[5, 7]", None, "7"),
        (b"", None, "the process that was to do it died"),
        (b"5", None, "the process that was to do it died"),
        (b"null", None, "the process that was to do it died"),
        (b"[1]", None, "the process that was to do it died"),
        (b"[1, null, 2]", None, "the process that was to do it died"),
        (b'[{"a": 1}, nul', None, "the process that was to do it died"),
        (b"\xff[1, null]", None, "the process that was to do it died"),
        (b"[" * 200_000, None, "the process that was to do it died"),
    ],
)
def test_answers_that_a_child_may_give(
    monkeypatch: pytest.MonkeyPatch, data: bytes, result: Any, problem: str | None
) -> None:
    """The account may have its child under control."""
    monkeypatch.setattr(errand, "_read", lambda reading, deadline: data)
    if problem is None:
        assert as_owner(ME, lambda: 0) == result
    else:
        with pytest.raises(CannotDo) as error:
            as_owner(ME, lambda: 0)
        assert str(error.value) == problem


def test_an_answer_is_read_as_a_whole_and_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(size: int, deadline: float, *, ends: bool = True) -> int:
        reading, writing = os.pipe()
        try:
            os.write(writing, b"x" * size)
            if ends:
                os.close(writing)
            return len(errand._read(reading, deadline))
        finally:
            os.close(reading)
            if not ends:
                os.close(writing)

    soon = time.monotonic() + 60
    assert [read(size, soon) for size in (0, 1, 65_536)] == [0, 1, 65_536]
    monkeypatch.setattr(errand, "_LONGEST", 1000)
    assert read(1000, soon) == 1000
    with pytest.raises(CannotDo, match=r"^the answer is too long$"):
        read(1001, soon)
    with pytest.raises(TimeoutError):
        read(5, time.monotonic())
    begun = time.monotonic()
    with pytest.raises(TimeoutError):
        read(5, begun + 0.05, ends=False)
    assert 0.05 <= time.monotonic() - begun < 30


def test_an_answer_may_have_four_megabytes() -> None:
    text = "x" * ((4 << 20) - len('["", null]'))
    assert as_owner(ME, lambda: text) == text
    with pytest.raises(CannotDo, match=r"^the answer is too long$"):
        as_owner(ME, lambda: f"{text}x")


@pytest.mark.parametrize(
    ("error", "problem"),
    [
        (FileNotFoundError(2, "No such file or directory", "/secret"), "No such file or directory"),
        (OSError("without a number"), "without a number"),
        (CondorError("the log is damaged"), "the log is damaged"),
    ],
)
def test_why_work_failed(error: Exception, problem: str) -> None:
    def fail() -> None:
        raise error

    assert errand._done(fail) == (None, problem)
    assert errand._done(lambda: [1]) == ([1], None)


def test_a_fault_of_the_work_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
        raise ZeroDivisionError

    with pytest.raises(CannotDo, match=r"^the process that was to do it died$"):
        as_owner(ME, fail)


@pytest.mark.parametrize("call", ["fork", "pipe2"])
def test_work_that_no_process_can_do_keeps_no_descriptors(monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    """Two more with each page, until the server could take no connection."""

    def fails(*words: object) -> None:
        raise OSError(errno.EAGAIN, "Resource temporarily unavailable")

    before = os.listdir("/proc/self/fd")
    with monkeypatch.context() as short:
        short.setattr(os, call, fails)
        with pytest.raises(CannotDo, match=r"^no process can do it: Resource temporarily unavailable$"):
            as_owner(ME, lambda: 5)
    assert os.listdir("/proc/self/fd") == before
    assert as_owner(ME, lambda: 5) == 5
