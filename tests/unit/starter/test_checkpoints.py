"""Checkpoints at a destination: their lists, their numbers, and what the keeper of a run does with them."""

from __future__ import annotations

import errno
import hashlib
import os
import socket
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from condor_py.lang.classad import ClassAd
from condor_py.machine.run import checkpointlists
from condor_py.machine.run.destination import (
    Checkpoint,
    InvalidCheckpoint,
    latest,
    list_name,
    lists_in,
    new_one,
)
from condor_py.machine.run.job import Job, read_job
from condor_py.machine.run.keeper import Keeper
from condor_py.machine.run.medium import Medium
from condor_py.machine.run.transfer import Catalogue, Transfer
from condor_py.model.errors import CondorError


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def job(destination: str = "s3://b/top/", **changes: Any) -> Job:
    ad = {
        "ClusterId": 7, "ProcId": 3, "Iwd": "/home", "Cmd": "run", "GlobalJobId": "here#7.3#9",
        "CheckpointDestination": destination, "ShouldTransferFiles": "YES", "SuccessCheckpointExitCode": 85,
    }  # fmt: skip
    return replace(read_job(ClassAd(ad), "here"), **changes)


# ---- lists --------------------------------------------------------------------------------------------------


def test_numbers_and_lines_of_lists() -> None:
    names = ("_condor_checkpoint_MANIFEST.0012", "_condor_checkpoint_FAILURE.1", "x_condor_checkpoint_MANIFEST.1", "")
    assert [checkpointlists.checkpoint_number(name) for name in names] == [12, -1, -1, -1]
    assert (checkpointlists.file_of("ab *a b"), checkpointlists.file_of("ab")) == ("a b", "")
    assert (checkpointlists.checksum_of("ab *a b"), checkpointlists.checksum_of("ab")) == ("ab", "ab")


@pytest.mark.parametrize(
    ("change", "whole"),
    [
        (lambda text: text, True),
        (lambda text: text.replace(b"*a", b"*b"), False),
        (lambda text: text.replace(b"*list", b"*other"), False),
        (lambda text: b"", False),
        (lambda text: text.rstrip(b"\n"), True),
        (lambda text: text + b"\n", False),
    ],
)
def test_a_list_is_whole_by_its_last_line(tmp_path: Path, change: Any, whole: bool) -> None:
    path = tmp_path / "list"
    path.write_bytes(change(checkpointlists.whole(f"{sha(b'x')} *a\n", "list")))
    assert checkpointlists.is_whole(str(path)) is whole
    assert not checkpointlists.is_whole(str(tmp_path / "none"))


def test_files_are_compared_with_their_list(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x")
    (tmp_path / "odd\udcff").write_bytes(b"y")
    path = tmp_path / "list"

    def why(text: str) -> str:
        path.write_bytes(checkpointlists.whole(text, "list"))
        try:
            checkpointlists.check_files(str(path), str(tmp_path))
        except CondorError as error:
            return str(error)
        return "good"

    good = f"{sha(b'x')} *a\n{sha(b'y')} *odd\udcff\n"
    assert why(good) == "good"
    assert why(good + "00 *none\n") == "Failed to open checkpoint file ('none') to compute checksum."
    wrong = f"Checkpoint file 'a' did not have expected checksum ({sha(b'x')} vs 00)."
    assert why("00 *a\n") == wrong
    assert why("") == "", "nothing is in it, and nothing wrong"
    assert checkpointlists.listed(str(path)) == []
    path.write_bytes(checkpointlists.whole(good, "list"))
    assert checkpointlists.listed(str(path)) == ["a", "odd\udcff"]
    path.write_bytes(b"")
    with pytest.raises(CondorError, match="Failed to read first line of MANIFEST, aborting"):
        checkpointlists.check_files(str(path))
    path.unlink()
    for check in (checkpointlists.check_files, checkpointlists.listed):
        with pytest.raises(CondorError, match="Failed to open MANIFEST, aborting"):
            check(str(path))


def test_a_list_of_a_directory_is_in_order(tmp_path: Path) -> None:
    top = tmp_path / "top"
    for name in ("b/z", "b/y", "a/x", "c"):
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(name)
    (top / "to_directory").symlink_to("a")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(top / "socket"))
    path = tmp_path / "list"
    checkpointlists.create(str(top), str(path))
    names = [f"{top}/{name}" for name in ("c", "a/x", "b/y", "b/z")]
    assert path.read_text().splitlines()[:-1] == [checkpointlists.line_for(name) for name in names]
    assert checkpointlists.is_whole(str(path))
    (top / "gone").symlink_to("nothing")
    with pytest.raises(CondorError, match=r"Failed to compute file \(.*/gone\) checksum, aborting"):
        checkpointlists.create(str(top), str(path))
    with pytest.raises(CondorError, match=r"Unable to compute file checksums \(2: No such file .*\), aborting"):
        checkpointlists.create(str(tmp_path / "none"), str(path))
    (top / "gone").unlink()
    with pytest.raises(CondorError, match=r"Failed write manifest file \(.*/no/list\), aborting"):
        checkpointlists.create(str(top), f"{tmp_path}/no/list")


# ---- one checkpoint -----------------------------------------------------------------------------------------


class Place:
    """A scratch directory with files, and the directory of the job in the spool."""

    def __init__(self, top: Path) -> None:
        self.scratch, self.spool = top / "scratch", top / "spool"
        for each in (self.scratch / "d" / "e", self.spool):
            each.mkdir(parents=True)
        for name in ("a", "d/b", "d/e/c"):
            (self.scratch / name).write_text(name)

    def lists(self) -> list[str]:
        return sorted(os.listdir(self.spool))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


MANIFEST, FAILURE = "_condor_checkpoint_MANIFEST.0004", "_condor_checkpoint_FAILURE.0004"


def test_a_checkpoint_is_listed_before_it_goes(place: Place) -> None:
    point = Checkpoint(str(place.spool), "s3://b", 4)
    urls = point.begin(str(place.scratch), ["d", "a", "d/b"])
    assert urls[0] == ("s3://b/0004/d/b", f"{place.scratch}/d/b")
    assert [url for url, _ in urls] == [f"s3://b/0004/{name}" for name in ("d/b", "d/e/c", "a")]
    assert place.lists() == [FAILURE], "no job begins with it"
    point.complete()
    assert place.lists() == [MANIFEST]
    assert point.list_size == (place.spool / MANIFEST).stat().st_size
    assert checkpointlists.is_whole(str(place.spool / MANIFEST))
    with pytest.raises(FileNotFoundError):
        point.begin(str(place.scratch), ["none"])


def test_a_checkpoint_comes_back_and_is_compared(place: Place) -> None:
    point = Checkpoint(str(place.spool), "s3://b", 4)
    point.begin(str(place.scratch), ["d", "a"])
    point.complete()
    assert list(point.changed(str(place.scratch))) == []
    (place.scratch / "a").write_text("other")
    (place.scratch / "d" / "b").unlink()
    assert list(point.changed(str(place.scratch))) == ["d/b", "a"]
    assert point.announce(str(place.scratch)) == [
        (f"s3://b/0004/{name}", name) for name in ("d/b", "d/e/c", "a")
    ]  # fmt: skip
    assert (place.scratch / MANIFEST).exists()
    with pytest.raises(InvalidCheckpoint, match="Failed to open checkpoint file"):
        point.check(str(place.scratch))
    assert place.lists() == [FAILURE], "it is not used again"
    os.rename(place.spool / FAILURE, place.spool / MANIFEST)
    for name in ("a", "d/b"):
        (place.scratch / name).write_text(name)
    point.check(str(place.scratch))
    assert not (place.scratch / MANIFEST).exists()
    assert place.lists() == [MANIFEST]
    point.announce(str(place.scratch))
    (place.scratch / MANIFEST).write_text("odd\n")
    with pytest.raises(InvalidCheckpoint, match="Invalid MANIFEST file"):
        point.check(str(place.scratch))
    assert place.lists() == [FAILURE]


def test_a_checkpoint_of_no_files_has_nothing_wrong(place: Place) -> None:
    point = Checkpoint(str(place.spool), "s3://b", 4)
    assert point.begin(str(place.scratch), []) == []
    point.complete()
    assert point.announce(str(place.scratch)) == []
    point.check(str(place.scratch))
    assert place.lists() == [MANIFEST]


def test_the_last_sound_list_is_the_one_to_begin_with(place: Place) -> None:
    assert latest(job(), str(place.spool / "none")) is None
    assert list(lists_in(str(place.spool / "none"))) == []
    for number in (2, 10, 3):
        point = Checkpoint(str(place.spool), "s3://b", number)
        point.begin(str(place.scratch), ["a"])
        point.complete()
    (place.spool / list_name("MANIFEST", 11)).write_text("odd")
    (place.spool / list_name("FAILURE", 12)).write_text("odd")
    (place.spool / "other").touch()
    assert sorted(lists_in(str(place.spool))) == [("FAILURE", 12)] + [("MANIFEST", each) for each in (2, 3, 10, 11)]
    found = latest(job(), str(place.spool))
    assert found is not None
    assert found.number == 10
    assert found.announce(str(place.scratch)) == [("s3://b/top/here_7.3_9/0010/a", "a")]
    assert new_one(job(), str(place.spool), 5).number == 13
    assert new_one(job(), str(place.spool), 20).number == 21
    assert new_one(job(), str(place.spool / "none"), -1).number == 0


# ---- the keeper ---------------------------------------------------------------------------------------------


class Spool:
    """The directory of a job in the spool, without files."""

    directory = "/spool/7/3"

    def __init__(self) -> None:
        self.calls: list[str] = []

    def open(self) -> None:
        self.calls.append("open")

    def found(self) -> str:
        return "/spool/7/3/left"

    def prepare(self) -> str:
        self.calls.append("prepare")
        return "/spool/7/3/new"

    def commit(self, medium: Medium | None = None) -> None:
        self.calls.append("commit")


class Moves:
    """A transfer that notes what it is asked."""

    def __init__(self, scratch: str) -> None:
        self.scratch = scratch
        self.calls: list[Any] = []
        self.error: Exception | None = None

    def fetch_input(self, left: str | None = None, checkpoint: Checkpoint | None = None) -> Catalogue:
        self.calls.append(("fetch", left, checkpoint))
        return Catalogue({})

    def changed(self, before: Catalogue) -> list[str]:
        return ["new", "listed"]

    def save(self, target: str, names: list[str]) -> None:
        self.calls.append(("save", target, names))
        if self.error is not None:
            raise self.error

    def upload(self, checkpoint: Checkpoint, names: list[str]) -> None:
        self.calls.append(("upload", checkpoint.number, names))
        if self.error is not None:
            raise self.error


@pytest.fixture
def moves(place: Place) -> Moves:
    (place.scratch / "listed").touch()
    return Moves(str(place.scratch))


def keeper(spool: Spool | None = None, number: int = 6) -> Keeper:
    made = Keeper(number)
    made._spool = cast(Any, spool)
    return made


def keep(made: Keeper, moves: Moves, wanted: Job, at_checkpoint: bool) -> None:
    made.keep(wanted, cast(Transfer, moves), Catalogue({}), at_checkpoint=at_checkpoint)


def test_input_comes_with_what_an_earlier_run_has_left(moves: Moves) -> None:
    moving = cast(Transfer, moves)
    keeper().fetch_input(job(), moving)
    keeper(Spool()).fetch_input(job(""), moving)
    keeper(Spool()).fetch_input(job(), moving)
    assert moves.calls == [("fetch", None, None), ("fetch", "/spool/7/3/left", None), ("fetch", None, None)]
    assert (keeper().left_behind, keeper(Spool()).left_behind) == (None, "/spool/7/3/left")


def test_an_evicted_run_keeps_what_changed(moves: Moves) -> None:
    spool = Spool()
    made = keeper(spool)
    keep(made, moves, job("", output_files=("listed", "none")), False)
    assert moves.calls == [("save", "/spool/7/3/new", ["new", "listed"])]
    assert spool.calls == ["prepare", "commit"]
    wishes = replace(job("").wishes, checkpoint_files=("state",))
    keep(made, moves, job("", wishes=wishes), False)
    keep(made, moves, job("", wishes=wishes), True)
    assert [each[2] for each in moves.calls[1:]] == [["new", "listed"], ["state"]]
    keep(made, moves, job("", output_files=("a",)), True)
    assert moves.calls[3][2] == ["new", "listed", "a"]


def test_what_was_not_saved_is_not_put_in_place(moves: Moves) -> None:
    spool = Spool()
    moves.error = OSError(errno.ENOSPC, "No space left")
    with pytest.raises(OSError, match="No space left"):
        keep(keeper(spool), moves, job(""), False)
    assert spool.calls == ["prepare"]


def test_a_checkpoint_goes_to_its_destination_with_the_next_number(moves: Moves) -> None:
    spool = Spool()
    made = keeper(spool)
    keep(made, moves, job(), False)
    assert moves.calls == [], "other files of a stopped run have no place there"
    keep(made, moves, job(), True)
    assert (moves.calls, spool.calls) == ([("upload", 7, ["new", "listed"])], ["open"])
    assert (made.number, made.done) == (7, True)
    made.count()
    assert made.number == 7
    keep(made, moves, job(), True)
    assert len(moves.calls) == 1, "it is kept already"
    made.begin_again()
    keep(made, moves, job(), True)
    assert (moves.calls[1][1], made.number) == (8, 8)


def test_a_checkpoint_in_the_spool_is_counted(moves: Moves) -> None:
    made = keeper(Spool())
    keep(made, moves, job(""), True)
    assert (made.number, made.done) == (6, False)
    made.count()
    made.count()
    assert (made.number, made.done) == (7, True)
    made.take(9)
    assert made.number == 9
    made.begin_again()
    made.finish()
    assert made.done


def test_nothing_is_kept_without_a_spool(moves: Moves) -> None:
    keep(keeper(), moves, job(), True)
    assert moves.calls == []


def test_a_checkpoint_is_told(moves: Moves) -> None:
    made = keeper()
    assert made.told(100.9, 40.2, lost=False) == {
        "CheckpointNumber": "6", "LastCkptTime": "100", "NewlyCommittedTime": "60",
    }  # fmt: skip
    assert made.told(10.0, 40.0, lost=False)["NewlyCommittedTime"] == "0"
    assert made.told(10.0, 40.0, lost=True) == {"CheckpointNumber": "6", "FailedCheckpoint": "true"}


def test_a_keeper_opens_the_directory_of_its_job(tmp_path: Path) -> None:
    made = Keeper(-1)
    made.open(str(tmp_path), cast(Job, SimpleNamespace(job_id="7.3", iwd="/home")), None)
    assert made.left_behind is None
    assert made._spool is not None
    assert made._spool.directory.startswith(str(tmp_path))
