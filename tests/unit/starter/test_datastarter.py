"""The starter of a data slot: it fetches catalogs one after the other, and says how that went."""

from __future__ import annotations

import errno
import os
import pwd
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from condor_py.daemons.common.loop import Loop
from condor_py.daemons.starter.datastarter import DataStarter, log_name
from condor_py.lang.classad import ClassAd
from condor_py.machine.run.job import read_job
from condor_py.machine.run.sandbox import Place, Sandbox
from condor_py.model.messages.runs import CatalogsStaged, CatalogWanted, StagingStep
from condor_py.model.report import ExitReport
from condor_py.model.states import HoldCode


class World:
    """A data slot below a directory."""

    def __init__(self, top: Path, *catalogs: tuple[str, str], owner: str = "") -> None:
        self.loop = Loop()
        self.sent: list[Any] = []
        self.ends: list[ExitReport] = []
        self.log: list[str] = []
        (top / "work").mkdir()
        (top / "dir_1").mkdir()
        me = pwd.getpwuid(os.geteuid()).pw_name
        texts = f'Iwd = "{top}/work"; Cmd = "/bin/true"; Owner = "{owner or me}"; ShouldTransferFiles = "YES"'
        job = read_job(ClassAd(f'[ClusterId = 1; ProcId = 0; TransferInput = "mine"; {texts}]'), "here")
        wanted = [CatalogWanted(name, files, "x", f"key-{name}", "1", "cluster", "here") for name, files in catalogs]
        place = Place("data1@here", "there", Sandbox(str(top / "dir_1")), "Name = 1\n", {}, log=self._note)
        report = ExitReport("claim", "1.0", 1)
        self.starter = DataStarter(
            self.loop, place, self.sent.append, self.ends.append, report, wanted, job, "ClusterId = 1\n"
        )
        self.work, self.scratch = top / "work", top / "dir_1" / "scratch"

    def _note(self, text: str, *more: str) -> None:
        self.log.append(text)

    def until(self, condition: Callable[[], Any]) -> None:
        limit = time.monotonic() + 60
        while not condition():
            assert time.monotonic() < limit, (self.sent, self.log)
            self.loop.turn(0.01)

    def steps(self) -> list[tuple[str, str, bool, str]]:
        return [(one.catalog, one.step, one.ok, one.path) for one in self.sent if isinstance(one, StagingStep)]


def test_catalogs_come_one_after_the_other(tmp_path: Path) -> None:
    world = World(tmp_path, ("big", "a, sub/b"), ("small", "c"))
    (world.work / "sub").mkdir()
    (world.work / "a").write_bytes(b"x" * 100_000)
    (world.work / "sub" / "b").write_text("bb")
    (world.work / "c").write_bytes(b"y" * 20_000)
    (world.work / "mine").write_text("of the job itself")
    began = time.time()
    world.starter.begin()
    world.until(lambda: isinstance(world.sent[-1], CatalogsStaged))
    big, small = (f"{world.scratch}/staging/key-{name}" for name in ("big", "small"))
    assert world.steps() == [
        (name, step, True, path)
        for name, path in (("big", big), ("small", small))
        for step in ("TransferStarted", "TransferFinished")
    ]
    assert all(began <= one.when <= time.time() for one in world.sent if isinstance(one, StagingStep))
    assert [one.attributes for one in world.sent[:2]] == [
        {},
        {"CedarSizeBytes": "100002", "CedarFilesCount": "2", "Protocols": '"Cedar"'},
    ]
    staged = world.sent[-1]
    assert staged.claim == "claim"
    assert [(one.name, one.path, one.key) for one in staged.catalogs] == [
        ("big", big, "key-big"), ("small", small, "key-small"),
    ]  # fmt: skip
    assert 97 <= staged.catalogs[0].size_kb < 140
    assert 19 <= staged.catalogs[1].size_kb < 40
    assert sorted(os.listdir(big)) == ["a", "b"]
    assert os.listdir(small) == ["c"]
    assert os.stat(f"{world.scratch}/staging").st_mode & 0o777 == 0o700
    assert os.stat(f"{big}/a").st_mode & 0o222 == 0, "it cannot be written any more"
    assert world.ends == []
    assert world.log[:3] == [
        "Starting common files transfer.",
        "Finished common files transfer: success.",
        f"cxfer: sizeOnDisk (staging) = {staged.catalogs[0].size_kb} (KiB)",
    ]
    world.starter.stop()
    assert (world.ends[0].vacated, world.ends[0].hold_code) == (True, 0)
    assert began <= world.ends[0].start_time <= world.ends[0].end_time <= time.time()
    assert not (world.scratch / "staging").exists()


def test_files_that_are_missing_hold_the_job(tmp_path: Path) -> None:
    world = World(tmp_path, ("one", "nothing"), ("two", "c"))
    world.starter.begin()
    world.until(lambda: world.ends)
    assert [step[:3] for step in world.steps()] == [
        ("one", "TransferStarted", True),
        ("one", "TransferFinished", False),
    ]
    end = world.ends[0]
    assert (end.hold_code, end.hold_subcode, end.vacated) == (HoldCode.UPLOAD_FILE_ERROR, 2, False)
    assert end.hold_reason.startswith("Transfer common input files failure at ")
    assert "No such file or directory" in end.hold_reason
    assert world.log[-1] == "Finished common files transfer: failure."
    assert not (world.scratch / "staging").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="root looks for accounts")
def test_an_account_that_does_not_exist_holds_the_job(tmp_path: Path) -> None:
    world = World(tmp_path, ("one", "c"), owner="not-a-user-here")
    world.starter.begin()
    assert [end.hold_code for end in world.ends] == [HoldCode.FAILED_TO_ACCESS_USER_ACCOUNT]
    assert "not-a-user-here" in world.ends[0].hold_reason
    assert world.sent == []


def test_a_directory_that_cannot_be_made_is_no_fault_of_the_job(tmp_path: Path) -> None:
    world = World(tmp_path, ("one", "c"))
    (tmp_path / "dir_1").rmdir()
    world.starter.begin()
    (end,) = world.ends
    assert end.error.startswith("starter on data1@here: ")
    assert (end.hold_code, end.vacated) == (0, False)


@pytest.mark.parametrize("stop", [True, False])
def test_a_transfer_that_is_not_wanted_any_more_ends(tmp_path: Path, stop: bool) -> None:
    world = World(tmp_path, ("one", "pipe"))
    os.mkfifo(world.work / "pipe")
    world.starter.begin()
    (world.starter.stop if stop else world.starter.close)()
    assert [end.vacated for end in world.ends] == [True] * stop
    assert [step[:2] for step in world.steps()] == [("one", "TransferStarted")]


@pytest.mark.parametrize(
    ("path", "slot", "expected"),
    [
        ("/log/StarterLog.slot1_3", "slot1_3@here", "/log/StarterLog.data1_3"),
        ("/log/StarterLog.slot1_3", "slot1@here", "/log/StarterLog.slot1_3"),
        ("/log/StarterLog.gpu2", "gpu2@here", "/log/StarterLog.data2"),
        ("/log/StarterLog.7", "7@here", "/log/StarterLog.data7"),
        ("/log/StarterLog", "slot1_3@here", "/log/StarterLog"),
    ],
)
def test_the_log_of_a_data_slot_has_its_name(path: str, slot: str, expected: str) -> None:
    assert log_name(path, slot) == expected


def test_urls_are_counted_by_protocol(tmp_path: Path) -> None:
    world = World(tmp_path, ("one", "file:///proc/self/nowhere"))
    world.starter.begin()
    world.until(lambda: world.ends)
    assert world.ends[0].hold_code != 0
    target = tmp_path / "there"
    target.write_text("12345")
    (tmp_path / "again").mkdir()
    world = World(tmp_path / "again", ("one", f"file://{target}, plain"))
    (world.work / "plain").write_text("123")
    world.starter.begin()
    world.until(lambda: world.ends or isinstance(world.sent[-1], CatalogsStaged))
    assert world.ends == []
    stats = world.sent[1].attributes
    assert stats["TransferClass"] == '"COMMON"'
    told = ClassAd(stats["TransferCommonStats"])
    assert {name: told.text(name) for name in ("FileSizeBytes", "FileFilesCount", "CedarSizeBytes")} == {
        "FileSizeBytes": "5", "FileFilesCount": "1", "CedarSizeBytes": "3",
    }  # fmt: skip
    assert told.text("CedarFilesCount") == "1"
    assert told.text("Protocols") == '"File,Cedar"'
    assert stats["CommonPluginResultList"].startswith("{ [")
    assert stats["CommonPluginInvocations"].startswith("{ ")


def test_a_place_that_cannot_be_made_holds_the_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(tmp_path, ("one", "c"))
    (world.work / "c").touch()
    make = os.mkdir
    monkeypatch.setattr(os, "mkdir", lambda path, mode=0o777: make("/" if "key-one" in str(path) else path, mode))
    world.starter.begin()
    world.until(lambda: world.ends)
    (end,) = world.ends
    assert (end.hold_code, end.hold_subcode) == (HoldCode.UPLOAD_FILE_ERROR, errno.EEXIST)
    assert "File exists" in end.hold_reason


def test_a_transfer_whose_process_dies_is_no_fault_of_the_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DataStarter, "_fetch", lambda self, number: signal.pause())
    world = World(tmp_path, ("one", "file"))
    world.starter.begin()
    assert world.starter._errand is not None
    os.kill(world.starter._errand.pid, signal.SIGKILL)
    world.until(lambda: world.ends)
    (end,) = world.ends
    assert end.error == "starter on data1@here: the child died"
    assert (end.hold_code, end.vacated) == (0, False)
    assert world.steps()[-1][1:3] == ("TransferFinished", False)
