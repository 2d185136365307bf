"""Tests that run in a child, as a starter does its work in a process of its own."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

from condor_py.machine.run.family import become_subreaper

P = ParamSpec("P")


def apart(test: Callable[P, None]) -> Callable[P, None]:
    """Runs a test in a child, as a starter is one: a run kills and collects all that its process has below it."""

    @wraps(test)
    def forked(*arguments: P.args, **named: P.kwargs) -> None:
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            told = b""
            try:
                become_subreaper()
                test(*arguments, **named)
            except BaseException:
                told = traceback.format_exc().encode()
            os.write(writing, told[-60_000:])
            os._exit(0)
        os.close(writing)
        with open(reading, "rb") as pipe:
            told = pipe.read()
        os.waitpid(child, 0)
        assert not told, told.decode()

    return forked
