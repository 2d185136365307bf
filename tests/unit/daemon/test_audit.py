"""SCHEDD_AUDIT_LOG: what is written of requests, and by whom."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from condor_py.client.wire import Peer
from condor_py.daemons.schedd.audit import AuditLog, audit_settings
from condor_py.lang.config import load
from condor_py.model.ids import JobId
from condor_py.model.messages import queue as say
from condor_py.model.messages.codec import Head, Message, head_of, read
from condor_py.model.messages.wakeups import Change, Ring, Sync, named, submitted

_STRANGER = Peer(pid=7, uid=4_000_000, gid=4_000_000)
_ROOT = Peer(pid=1, uid=0, gid=0)
_TWENTY = ", ".join(f"1.{proc}" for proc in range(20))
_REMOVED = "remove cluster 5 and jobs for which A == 7 (reason: why)"


def log(tmp_path: Path, complain: Callable[[str], None] = print, **knobs: str) -> AuditLog:
    """An audit log in a directory."""
    environment = {"CONDOR_CONFIG": "ONLY_ENV", "_CONDOR_LOG": str(tmp_path)}
    environment |= {f"_CONDOR_{name}": text for name, text in knobs.items()}
    return AuditLog(audit_settings(load(environment, subsystem="SCHEDD")), complain)


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
    audit.changed(_STRANGER, named("hold", [JobId(1, 0)]), "")
    audit.changed(_STRANGER, None, "hold 1.0")
    audit.changed(_ROOT, named("hold", [JobId(2, 0)]), "")
    assert (tmp_path / "SchedAuditLog").read_text()[18:] == "user=root uid=0 pid=1: hold 2.0\n"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (submitted([7]), "submit cluster 7"),
        (submitted([8, 7, 9]), "submit clusters 7 to 9"),
        (named("hold", [JobId(1, proc) for proc in range(22)], [5]), f"hold {_TWENTY} and 3 more"),
        (named("remove", (), [5], constraint="A == 7", reason="why"), _REMOVED),
        (named("edit", [JobId(1, 0)], assignments=[["A", "1"], ["B", "2"]]), "set A = 1, B = 2 of 1.0"),
        (named("spooled", [JobId(1, 0)]), "input files of 1.0 have arrived"),
        (Change(kind="disable", records="Owner"), "disable Owner"),
    ],
)
def test_a_change_by_a_tool_in_words(tmp_path: Path, change: Change, words: str) -> None:
    """A tool and the schedd may have more than one way of writing: what is noted comes over the wire."""
    ring = read(Ring, json.loads(json.dumps(head_of(Ring(change)))))
    log(tmp_path).changed(_ROOT, ring.change, ring.changed)
    assert (tmp_path / "SchedAuditLog").read_text()[18:] == f"user=root uid=0 pid=1: {words}\n"


@pytest.mark.parametrize(
    "head",
    [
        head_of(Sync(submitted([3, 4]))),
        {"op": "sync", "changed": "submit clusters 3 to 4"},  # a tool of an older version
    ],
)
def test_new_jobs_are_in_the_log_of_the_schedd(tmp_path: Path, head: Head) -> None:
    noted: list[str] = []
    sync = read(Sync, json.loads(json.dumps(head)))
    log(tmp_path, noted.append).changed(_ROOT, sync.change, sync.changed)
    assert noted == ["New jobs of root: clusters 3 to 4"]
    assert (tmp_path / "SchedAuditLog").read_text()[18:] == "user=root uid=0 pid=1: submit clusters 3 to 4\n"


def test_no_text_of_a_job_is_taken_for_a_submit(tmp_path: Path) -> None:
    noted: list[str] = []
    audit = log(tmp_path, noted.append)
    audit.note(_ROOT, named("hold", [JobId(1, 0)], reason="submit cluster 9"))
    audit.write(_ROOT, "submit cluster 9")
    assert noted == []


def test_an_empty_knob_means_no_log(tmp_path: Path) -> None:
    log(tmp_path, SCHEDD_AUDIT_LOG="").write(_STRANGER, "anything")
    assert list(tmp_path.iterdir()) == []
