"""SCHEDD_AUDIT_LOG: what is written of requests, and by whom."""

from __future__ import annotations

from pathlib import Path

import pytest

from condor_py.client.wire import Peer
from condor_py.daemons.schedd.audit import AuditLog, audit_settings
from condor_py.lang.config import load
from condor_py.model.ids import JobId
from condor_py.model.messages import queue as say
from condor_py.model.messages.codec import Message

_STRANGER = Peer(pid=7, uid=4_000_000, gid=4_000_000)


def log(tmp_path: Path, **knobs: str) -> AuditLog:
    """An audit log in a directory."""
    environment = {"CONDOR_CONFIG": "ONLY_ENV", "_CONDOR_LOG": str(tmp_path)}
    environment |= {f"_CONDOR_{name}": text for name, text in knobs.items()}
    return AuditLog(audit_settings(load(environment, subsystem="SCHEDD")), lambda text: None)


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (say.Act(action="hold", ids=[JobId(1, 0)], reason="why"), "hold 1.0 (reason: why)"),
        (say.Edit(assignments=[("A", "1")], constraint="true"), "set A = 1 of jobs for which true"),
        (say.RunNow(JobId(1, 0), [JobId(2, 0)]), "run 1.0 in the place of 2.0"),
        (say.ActOnUsers("Owner", "disable", [], ""), "disable Owner"),
        (say.Ocu("remove", [], 3), "remove OCU 3"),
        (say.Ocu("query"), ""),
        (say.Query(), ""),
        (say.Submit(), ""),
    ],
)
def test_a_request_in_words(tmp_path: Path, request_: Message, words: str) -> None:
    log(tmp_path).asked(_STRANGER, request_)
    text = (tmp_path / "SchedAuditLog").read_text()
    assert text[18:] == (f"user=4000000 uid=4000000 pid=7: {words}\n" if words else "")


def test_no_request_makes_lines_of_its_own_or_long_ones(tmp_path: Path) -> None:
    audit = log(tmp_path)
    audit.write(_STRANGER, "two\n11/24/26 06:50:46 user=root uid=0 pid=1: remove 1.0")
    audit.write(_STRANGER, "x" * 100_000)
    lines = (tmp_path / "SchedAuditLog").read_text().splitlines()
    assert lines[1][18:].startswith("    11/24/26")
    assert len(lines) == 3
    assert len(lines[2]) < 2100


def test_only_the_account_of_the_pool_is_believed_what_it_has_changed(tmp_path: Path) -> None:
    audit = log(tmp_path)
    audit.changed(_STRANGER, "hold 1.0")
    audit.changed(Peer(1, 0, 0), "hold 2.0")
    assert (tmp_path / "SchedAuditLog").read_text()[18:] == "user=root uid=0 pid=1: hold 2.0\n"


def test_an_empty_knob_means_no_log(tmp_path: Path) -> None:
    log(tmp_path, SCHEDD_AUDIT_LOG="").write(_STRANGER, "anything")
    assert list(tmp_path.iterdir()) == []
