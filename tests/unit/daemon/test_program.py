"""Programs that daemons run: what they print arrives, whenever they end."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, cast

from condor_py.daemons.common.loop import Loop
from condor_py.daemons.common.program import Ended, Program


class LateLoop:
    """A loop that hears of the end of a child before it looks at its pipes."""

    def __init__(self) -> None:
        self.ended: Callable[[int], None] | None = None

    def on_exit(self, pid: int, callback: Callable[[int], None]) -> None:
        self.ended = callback

    def read(self, *_: Any) -> None:
        """Pipes have to wait."""

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
