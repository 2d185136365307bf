"""condor_history on files of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from tool_runner import run


def _record(kind: str, cluster: int, proc: int, owner: str, **attributes: str) -> str:
    names = {
        "ClusterId": str(cluster),
        "ProcId": str(proc),
        "Owner": f'"{owner}"',
        "TotalSubmitProcs": "2",
    } | attributes
    lines = "".join(f"{name} = {text}\n" for name, text in names.items())
    return f'{lines}*** {kind} ClusterId = {cluster} ProcId = {proc} Owner = "{owner}" CompletionDate = 5\n'


@pytest.fixture
def history(tmp_path: Path) -> str:
    """Oldest first: 1.0 of bob, 2.0 and 2.1 of Ann, 3.0 of bob; a file transfer of 3.0."""
    path = tmp_path / "history"
    path.write_text(
        _record("Offset = 0", 1, 0, "bob", TotalSubmitProcs="1")
        + _record("Offset = 9", 2, 0, "Ann")
        + _record("Offset = 9", 2, 1, "Ann")
        + _record("INPUT", 3, 0, "bob")
        + _record("Offset = 9", 3, 0, "bob", TotalSubmitProcs="1")
    )
    return str(path)


def test_jobs_and_owners_add_up_until_the_last_named_job(history: str) -> None:
    assert run("condor_history", "-file", history, "ann", "1", "-af:j", "Owner").out.split("\n") == [
        "2.1 Ann", "2.0 Ann", "1.0 bob", "",
    ]  # fmt: skip
    assert run("condor_history", "-file", history, "bob", "2", "-af:j", "ProcId").out.split() == [
        "3.0", "0", "3.0", "0", "2.1", "1", "2.0", "0",
    ]  # fmt: skip


def test_kinds_of_records(history: str) -> None:
    done = run("condor_history", "-file", history, "-transfer-history:i", "-af", "ClusterId")
    assert done.out == "3\n"
    done = run("condor_history", "-file", history, "-transfer-history")
    assert done.err.startswith("Error: -transfer-history does not have a default print table.")
    assert run("condor_history", "-file", history, "-type", "job", "-af", "ClusterId").out.split() == [
        "3",
        "2",
        "2",
        "1",
    ]
    assert run("condor_history", "-file", history, "-transfer-history:x", "-l").err.endswith("attribute 'x'\n")


def test_limits_of_nothing_are_none(history: str) -> None:
    for words in (["-scanlimit", "0"], ["-limit", "0"], ["-wide:0"]):
        assert len(run("condor_history", "-file", history, *words).out.splitlines()) == 6, words


def test_extract_needs_to_know_what(history: str, tmp_path: Path) -> None:
    done = run("condor_history", "-file", history, "-extract", str(tmp_path / "x"))
    assert done.err == "Error: -extract requires a constraint for which ClassAds to copy\n"
    assert not (tmp_path / "x").exists()
