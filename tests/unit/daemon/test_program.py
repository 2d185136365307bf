"""Programs that daemons run: what they print arrives, whenever they end."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from typing import Any, cast

import pytest

from condor_py.daemons.common.loop import Loop
from condor_py.daemons.common.program import Ended, Program
from condor_py.machine.probes import process


class LateLoop:
    """A loop that hears of the end of a child before it looks at its pipes."""

    def __init__(self) -> None:
        self.ended: Callable[[int], None] | None = None

    def on_exit(self, pid: int, callback: Callable[[int], None]) -> None:
        self.ended = callback

    def read(self, *_: Any) -> None:
        """Pipes have to wait."""

    def call(self, callback: Callable[[], object]) -> None:
        callback()

    write = forget = read


def run(script: str) -> tuple[Ended, bytes]:
    """How ``script`` ended, and what its lines were told as."""
    loop, ends, told = LateLoop(), [], bytearray()
    program = Program(
        cast(Loop, loop), ["/bin/sh", "-c", script], on_end=ends.append, on_output=told.extend, environment={}
    )
    _, status = os.waitpid(program.pid, 0)
    assert loop.ended is not None
    loop.ended(status)
    return ends[0], bytes(told)


def test_what_was_printed_before_the_end_is_read_after_it() -> None:
    ended, told = run("echo out; echo oops >&2; exit 3")
    assert ended == Ended(3, 0, b"out\n", b"oops\n")
    assert told == b"out\n"


def test_a_program_that_prints_only_errors() -> None:
    ended, told = run("echo oops >&2; kill -9 $$")
    assert (ended.exit_code, ended.signal, ended.err, told) == (None, 9, b"oops\n", b"")


def test_a_program_that_prints_for_ever_leaves_its_daemon_time() -> None:
    loop, ends = Loop(), list[Ended]()
    program = Program(loop, ["/bin/sh", "-c", "exec yes"], on_end=ends.append, environment={"PATH": "/bin:/usr/bin"})
    fired: list[str] = []
    loop.after(0.05, lambda: fired.append("timer"))
    try:
        while not fired:
            loop.turn(1)
    finally:
        program.kill()
    while not ends:
        loop.turn(1)
    assert (ends[0].signal, ends[0].cut or len(ends[0].out) < 4_000_000) == (9, True)
    loop.close()


def test_a_child_that_goes_on_printing_does_not_keep_the_end_back() -> None:
    ended, _ = run("echo $$; setsid yes & echo $! >&2; exit 3")
    with suppress(ProcessLookupError):  # it cannot print any more, and ends of that
        os.kill(int(ended.err), signal.SIGKILL)
    assert ended.exit_code == 3


def test_what_is_more_than_is_kept_is_said_to_be_cut() -> None:
    loop, ends = Loop(), list[Ended]()
    for most in (3, 4):
        Program(loop, ["/bin/echo", "abc"], on_end=ends.append, environment={}, most=most)
    while len(ends) < 2:
        loop.turn(1)
    assert sorted((ended.out, ended.cut) for ended in ends) == [(b"abc", True), (b"abc\n", False)]
    loop.close()


def test_a_shell_that_reports_the_kill_has_not_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    """A shell whose child is killed first prints so and ends with a status of its own, as if it had answered."""
    session = process.session_pids
    monkeypatch.setattr(process, "session_pids", lambda pid: [member for member in session(pid) if member != pid])
    loop, ends = Loop(), list[Ended]()
    loop.watch_children()
    program = Program(
        loop, ["/bin/sh", "-c", "echo asking >&2; sleep 60; exit 5"], on_end=ends.append,
        environment={"PATH": "/bin:/usr/bin"},
    )  # fmt: skip
    while not process.session_pids(program.pid):
        loop.turn(0.01)
    program.kill()
    while not ends:
        loop.turn(1)
    assert (ends[0].exit_code, ends[0].err) == (5, b"asking\n")


def test_output_that_cannot_be_handled_keeps_no_end() -> None:
    loop, ends, faults = Loop(), list[Ended](), list[Exception]()
    loop.on_fault(faults.append)

    def fails(data: bytes) -> None:
        raise RecursionError("too deep")

    loop.watch_children()
    Program(loop, ["/bin/sh", "-c", "echo out"], on_end=ends.append, on_output=fails, environment={})
    for _ in range(1_000):
        if ends:
            break
        loop.turn(0.1)
    assert [ended.out for ended in ends] == [b"out\n"]
    assert len(faults) == 1
    loop.close()
