"""The shell of a session."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from condor_py.machine.run.process import Streams
from condor_py.machine.run.session import SessionPlace, SessionRequest, choose_shell, start_session


@pytest.mark.parametrize("inside", [False, True])
def test_without_a_command_it_is_a_login_shell(inside: bool, tmp_path: Path) -> None:
    """Also where a program takes it into the namespaces of the job."""
    (tmp_path / ".profile").write_text("echo as at a login\n")
    (tmp_path / "in").write_text("pwd; exit 3\n")
    place = SessionPlace(str(tmp_path), {"HOME": str(tmp_path)}, (), "slot1@here", "1.1")
    with open(tmp_path / "in", "rb") as given, open(tmp_path / "out", "wb") as told:
        streams = Streams(given.fileno(), told.fileno(), told.fileno())
        request = SessionRequest("", ("/bin/sh",), False)
        session = start_session(request, place, streams, None, lambda: None, os.getpid() if inside else 0)
        assert session.wait(60) == 3
    assert (tmp_path / "out").read_text() == f"as at a login\n{tmp_path}\n"


def test_the_first_shell_that_can_be_executed_is_chosen(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.touch()
    own = tmp_path / "shell"
    own.touch()
    own.chmod(0o755)
    for shells, chosen in (
        ((), "/bin/sh"),
        (("/not/there", str(plain), str(own), "/bin/sh"), str(own)),
        ((str(tmp_path), "relative/shell"), "/bin/sh"),
        (("no-such-shell", "env"), "/usr/bin/env"),
    ):
        assert choose_shell(shells, None) == chosen
