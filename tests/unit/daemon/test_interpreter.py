"""The child that talks to other pools: nobody there, a child that dies, one that is too slow."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import Any

import pytest

from condor_py.daemons.common.loop import Loop
from condor_py.daemons.gridmanager.interpreter import Interpreter


def asked(loop: Loop, interpreter: Interpreter, op: str, count: int = 1, **fields: Any) -> list[tuple[Any, str, bool]]:
    """What comes of some requests."""
    answers: list[tuple[Any, str, bool]] = []

    def heard(value: Any, error: str, away: bool) -> None:
        answers.append((value, error, away))
        if len(answers) == count:
            loop.stop()

    for _ in range(count):
        interpreter.ask(op, heard, **fields)
    loop.run()
    return answers


def made(patience: float = 60.0) -> tuple[Loop, Interpreter, list[str]]:
    said: list[str] = []
    loop = Loop()
    loop.watch_children()
    environment = {"CONDOR_CONFIG": "ONLY_ENV", "PATH": os.environ["PATH"]}
    return loop, Interpreter(loop, ["nobody", "127.0.0.1:1"], environment, said.append, patience), said


def test_a_schedd_that_is_not_there() -> None:
    loop, interpreter, _ = made()
    answers = asked(loop, interpreter, "jobs", 2, constraint="true", attributes=["ClusterId"])
    interpreter.close()
    for value, error, away in answers:
        assert value is None
        assert error
        assert away or "pip install" in error


def test_a_child_that_dies_takes_one_request_with_it() -> None:
    loop, interpreter, said = made()
    asked(loop, interpreter, "nothing")
    assert interpreter._process is not None
    child = interpreter._process.pid
    os.kill(child, signal.SIGSTOP)  # so that it dies with the request, and not before
    loop.after(0.05, lambda: os.kill(child, signal.SIGKILL))
    first, second = asked(loop, interpreter, "nothing", 2)
    interpreter.close()
    assert "died" in first[1]
    assert first[2]
    assert "nothing" in second[1], "the next child answers"
    assert said


def test_a_child_that_is_too_slow() -> None:
    loop, interpreter, _ = made(patience=0.0)
    ((_, error, away),) = asked(loop, interpreter, "jobs", constraint="true", attributes=[])
    interpreter.close()
    assert "no answer within" in error
    assert away


def test_an_interpreter_that_the_user_may_not_execute_holds_the_job(monkeypatch: pytest.MonkeyPatch) -> None:
    """That will not be better in a second: the job is held with the reason, instead of waiting without a word."""
    monkeypatch.setattr(sys, "executable", "/etc/passwd")
    loop, interpreter, said = made()
    ((_, error, away),) = asked(loop, interpreter, "nothing")
    interpreter.close()
    assert (error.endswith("cannot be run: /etc/passwd: Permission denied"), away) == (True, False)
    assert said


def test_engines_work_where_the_user_cannot_read_the_directory_of_python() -> None:
    """All that they import is there before root is given up, codecs included."""
    program = (
        "import sys, socket\nfrom condor_py.daemons.gridmanager.daemon import load_engines\n"
        "from condor_py.daemons.gridmanager.host import mark_of\nload_engines()\n"
        "sys.path[:] = []; sys.path_importer_cache.clear(); sys.meta_path[:] = []\n"
        "mark_of('/x'); socket.getaddrinfo('127.0.0.1', 1)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
