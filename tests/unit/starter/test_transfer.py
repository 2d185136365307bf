"""What a job's files become on their way: streams, renamed output, checkpoints, and what each failure says."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from condor_py.lang.classad import ClassAd
from condor_py.machine.run.destination import Checkpoint
from condor_py.machine.run.failures import TransferError
from condor_py.machine.run.job import read_job
from condor_py.machine.run.keeper import Keeper
from condor_py.machine.run.places import STDERR_NAME, STDOUT_NAME
from condor_py.machine.run.transfer import Catalogue, Transfer
from condor_py.model.settings.starter import TransferSettings


def transfer(top: Path, **attributes: object) -> Transfer:
    """The transfers of a job that was submitted in ``top/home``, in the scratch directory ``top/scratch``."""
    for name in ("home", "scratch"):
        (top / name).mkdir(exist_ok=True)
    bare = {
        "ClusterId": 7, "ProcId": 3, "Owner": "ann", "Iwd": str(top / "home"), "Cmd": "/bin/true",
        "TransferExecutable": False, "ShouldTransferFiles": "YES",
    }  # fmt: skip
    job = read_job(ClassAd({**bare, **attributes}), "here")
    settings = TransferSettings()
    return Transfer(job, str(top / "scratch"), "slot1@here", "there", settings, lambda *told, **more: None, lambda: 0.0)


def send(moving: Transfer, what: str) -> TransferError:
    """Why the streams, or the output files, could not be sent."""
    with pytest.raises(TransferError) as caught:
        moving.send_streams() if what == "stream" else moving.send_output(Catalogue({}))
    return caught.value


def test_a_stream_that_is_not_there_is_no_failure(tmp_path: Path) -> None:
    moving = transfer(tmp_path, Out="out", Err="err")
    (tmp_path / "scratch" / STDOUT_NAME).write_text("said")
    moving.send_streams()
    assert [path.name for path in (tmp_path / "home").iterdir()] == ["out"]
    assert (tmp_path / "home" / "out").read_text() == "said"
    assert (moving.went.files, moving.went.bytes) == (1, 4)


def test_streams_nobody_wants_stay(tmp_path: Path) -> None:
    moving = transfer(tmp_path, Out="out", Err="/dev/null")
    for name in (STDOUT_NAME, STDERR_NAME):
        (tmp_path / "scratch" / name).write_text("said")
    moving.send_streams()
    assert [path.name for path in (tmp_path / "home").iterdir()] == ["out"]
    assert moving.went.files == 1


def test_a_stream_is_renamed_like_other_output(tmp_path: Path) -> None:
    moving = transfer(tmp_path, Out="out", TransferOutputRemaps="out = kept/there")
    (tmp_path / "scratch" / STDOUT_NAME).write_text("said")
    moving.send_streams()
    assert (tmp_path / "home" / "kept" / "there").read_text() == "said"


@pytest.mark.parametrize("act", ["stream", "file"])
def test_output_is_not_written_over_a_directory(tmp_path: Path, act: str) -> None:
    moving = transfer(tmp_path, Out="place", TransferOutput="made", TransferOutputRemaps="made = place")
    (tmp_path / "home" / "place").mkdir()
    name = STDOUT_NAME if act == "stream" else "made"
    (tmp_path / "scratch" / name).write_text("said")
    error = send(moving, act)
    assert (error.code, error.subcode) == (12, 21)
    assert str(error) == (
        "Transfer output files failure at access point there while receiving files from execution point slot1@here. "
        f"Details: writing to file {tmp_path}/home/place: (errno 21) Is a directory"
    )
    assert not list((tmp_path / "home" / "place").iterdir())


@pytest.mark.parametrize(("kind", "to"), [("file", "place/"), ("directory", "place")])
def test_output_goes_into_a_directory_that_is_named_as_one(tmp_path: Path, kind: str, to: str) -> None:
    moving = transfer(tmp_path, TransferOutput="made", TransferOutputRemaps=f"made = {to}")
    (tmp_path / "home" / "place").mkdir()
    made = tmp_path / "scratch" / "made"
    if kind == "directory":
        made.mkdir()
        (made / "inner").write_text("said")
    else:
        made.write_text("said")
    moving.send_output(moving.catalogue())
    assert (tmp_path / "home" / "place" / ("inner" if kind == "directory" else "made")).read_text() == "said"


def test_output_that_is_missing_names_the_file_of_the_job(tmp_path: Path) -> None:
    moving = transfer(tmp_path, TransferOutput="none,other")
    (tmp_path / "scratch" / "other").write_text("made")
    with pytest.raises(TransferError) as caught:
        moving.send_output(moving.catalogue())
    assert (caught.value.code, caught.value.subcode) == (12, 2)
    assert str(caught.value) == (
        "Transfer output files failure at execution point slot1@here while sending files to access point there. "
        f"Details: 1 total failures: first failure: reading from file {tmp_path}/scratch/none: "
        "(errno 2) No such file or directory"
    )
    assert (tmp_path / "home" / "other").read_text() == "made", "one failure does not stop the others"


@pytest.mark.parametrize("act", ["stream", "file"])
def test_a_full_disk_names_the_file_that_could_not_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, act: str
) -> None:
    def full(*given: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "sendfile", full)
    moving = transfer(tmp_path, Out="out", TransferOutput="made")
    for name in (STDOUT_NAME, "made"):
        (tmp_path / "scratch" / name).write_text("said")
    error = send(moving, act)
    where = tmp_path / "home" / ("out" if act == "stream" else "made")
    assert str(error).endswith(f"Details: writing to file {where}: (errno 28) No space left on device")
    assert "access point there while receiving" in str(error)
    assert error.subcode == 28


def test_what_a_run_has_changed_comes_back(tmp_path: Path) -> None:
    moving = transfer(tmp_path)
    scratch = tmp_path / "scratch"
    for name in ("same", "changed", "target"):
        (scratch / name).write_text("x")
        os.utime(scratch / name, ns=(10**9, 10**9))
    (scratch / "link").symlink_to("target")
    before = moving.catalogue()
    os.utime(scratch / "target", ns=(2 * 10**9, 2 * 10**9))  # the link is the one it was
    (scratch / "changed").write_text("y")
    os.utime(scratch / "changed", ns=(10**9 + 1, 10**9 + 1))
    (scratch / "new").touch()
    (scratch / "directory").mkdir()
    (scratch / "gone").symlink_to("nothing")
    (scratch / STDOUT_NAME).touch()
    assert moving.changed(before) == ["changed", "new", "target"]


def test_a_link_to_nothing_in_the_scratch_directory_is_no_failure(tmp_path: Path) -> None:
    moving = transfer(tmp_path)
    (tmp_path / "scratch" / "gone").symlink_to("nothing")
    assert list(moving.catalogue().entries) == ["gone"]


def test_a_checkpoint_with_directories_comes_back_whole(tmp_path: Path) -> None:
    (tmp_path / "spool").mkdir()
    (tmp_path / "far" / "7.3" / "0000" / "a" / "b").mkdir(parents=True)
    url = f"file://{tmp_path}/far/7.3"
    (tmp_path / "first").mkdir()
    first = transfer(tmp_path / "first")
    deep = tmp_path / "first" / "scratch" / "a" / "b"
    deep.mkdir(parents=True)
    (deep / "state").write_text("half way")
    (deep.parent.parent / "flat").write_text("1")
    first.upload(Checkpoint(str(tmp_path / "spool"), url, 0), ["a", "flat"])
    assert [path.name for path in (tmp_path / "spool").iterdir()] == ["_condor_checkpoint_MANIFEST.0000"]
    (tmp_path / "second").mkdir()
    second = transfer(tmp_path / "second")
    before = second.fetch_input(checkpoint=Checkpoint(str(tmp_path / "spool"), url, 0))
    assert (tmp_path / "second" / "scratch" / "a" / "b" / "state").read_text() == "half way"
    assert "flat" in second.changed(before), "what an earlier run has made is output"


def test_input_that_is_too_large_by_its_own_account_is_refused(tmp_path: Path) -> None:
    moving = transfer(tmp_path, MaxTransferInputMB=1, TransferInputSizeMB=2)
    with pytest.raises(TransferError) as caught:
        moving.fetch_input()
    assert (caught.value.code, moving.refused) == (32, True)
    assert str(caught.value) == "TransferInputSizeMB (2) is greater than MAX_TRANSFER_INPUT_MB (1) at submit time"
    equal = transfer(tmp_path, MaxTransferInputMB=2, TransferInputSizeMB=2)
    equal.fetch_input()
    assert not equal.refused


def test_input_is_much_when_it_takes_a_while(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "d").mkdir()
    (tmp_path / "home" / "small").write_text("x")
    for name, size in (("most", 32 << 20), ("more", (32 << 20) + 1)):
        with (tmp_path / "home" / name).open("w") as file:
            file.truncate(size)
    found = {
        name: transfer(tmp_path, TransferInput=name).is_much()
        for name in ("small", "most", "more", "d", "none", "http://h/x", f"file://{tmp_path}/home/small", "most,small")
    }
    assert [name for name, much in found.items() if much] == ["more", "d", "http://h/x", "most,small"]


def test_directories_with_a_slash_come_without_their_own_name(tmp_path: Path) -> None:
    (tmp_path / "home" / "d" / "e").mkdir(parents=True)
    (tmp_path / "home" / "d" / "e" / "x").write_text("1")
    transfer(tmp_path, TransferInput="d/").fetch_input()
    assert (tmp_path / "scratch" / "e" / "x").exists()
    transfer(tmp_path, TransferInput="d").fetch_input()
    assert (tmp_path / "scratch" / "d" / "e" / "x").exists()
    transfer(tmp_path, TransferInput="d/e/x", PreserveRelativePaths=True).fetch_input()
    assert not (tmp_path / "scratch" / "x").exists()


def test_the_program_may_be_executed_by_its_owner(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    program = tmp_path / "home" / "run"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o640)
    moving = transfer(tmp_path, Cmd=str(program), TransferExecutable=True)
    moving.fetch_input()
    assert (tmp_path / "scratch" / "run").stat().st_mode & 0o777 == 0o740
    assert [(one.name, one.bytes) for one in moving.copied] == [("run", 10)]


def test_rules_move_entries_of_a_directory(tmp_path: Path) -> None:
    moving = transfer(tmp_path, TransferOutput="d", TransferOutputRemaps="d/x = away/x2; d/e = e2")
    for name in ("x", "e/y", "z"):
        path = tmp_path / "scratch" / "d" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    moving.send_output(moving.catalogue())
    home = tmp_path / "home"
    found = sorted(str(path.relative_to(home)) for path in home.rglob("*") if path.is_file())
    assert found == ["away/x2", "d/z", "e2/y"]


def test_files_of_a_failure_come_if_they_are_there(tmp_path: Path) -> None:
    moving = transfer(tmp_path)
    (tmp_path / "scratch" / "log").write_text("why")
    moving.send_named(["none", "log"])
    assert [path.name for path in (tmp_path / "home").iterdir()] == ["log"]


def test_a_checkpoint_takes_the_streams_along(tmp_path: Path) -> None:
    moving = transfer(tmp_path)
    (tmp_path / "kept").mkdir()
    (tmp_path / "scratch" / STDOUT_NAME).write_text("so far")
    (tmp_path / "scratch" / "state").write_text("1")
    moving.save(str(tmp_path / "kept"), ["state"])
    assert sorted(path.name for path in (tmp_path / "kept").iterdir()) == [STDOUT_NAME, "state"]
    with pytest.raises(TransferError) as caught:
        moving.save(str(tmp_path / "kept"), ["none"])
    assert (caught.value.code, caught.value.subcode) == (12, 2)
    assert f"reading from file {tmp_path}/scratch/none: " in str(caught.value)


def test_output_may_be_sent_to_a_file_url(tmp_path: Path) -> None:
    rules = f"made = file://{tmp_path}/home/kept"
    moving = transfer(tmp_path, Out="out", TransferOutput="made,none", TransferOutputRemaps=rules)
    (tmp_path / "scratch" / "made").write_text("said")
    (tmp_path / "scratch" / "none").touch()
    moving.send_output(moving.catalogue())
    assert (tmp_path / "home" / "kept").read_text() == "said"
    assert not moving.told, "no plugin is needed"


def test_output_that_is_missing_is_told_of_as_the_plugin_of_its_url_would(tmp_path: Path) -> None:
    """Only of a file: URL, whose plugin is built in; any other is the file that is missing."""
    rules = f"made = file://{tmp_path}/home/kept; other = {tmp_path}/home/other"
    moving = transfer(tmp_path, TransferOutput="made", TransferOutputRemaps=rules)
    with pytest.raises(TransferError) as caught:
        moving.send_output(moving.catalogue())
    assert f"could not open local file {tmp_path}/scratch/made, error 2" in str(caught.value)
    moving = transfer(tmp_path, TransferOutput="other", TransferOutputRemaps=rules)
    with pytest.raises(TransferError) as caught:
        moving.send_output(moving.catalogue())
    assert "could not open local file" not in str(caught.value)


def test_output_that_no_plugin_takes_holds_the_job(tmp_path: Path) -> None:
    moving = transfer(tmp_path, TransferOutput="made,other", TransferOutputRemaps="made = odd://x/made")
    for name in ("made", "other"):
        (tmp_path / "scratch" / name).touch()
    with pytest.raises(TransferError) as caught:
        moving.send_output(moving.catalogue())
    assert caught.value.code == 12
    assert str(caught.value).startswith(
        "Transfer output files failure at execution point slot1@here using protocol odd. Details: no file transfer "
        "plugin for odd"
    )
    assert (tmp_path / "home" / "other").exists()


def test_a_job_that_keeps_nothing_begins_with_its_input(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "in").write_text("x")
    moving = transfer(tmp_path, TransferInput="in", CheckpointDestination="x://y", TransferCheckpoint="state")
    keeper = Keeper(-1)
    before = keeper.fetch_input(moving.job, moving)
    assert list(before.entries) == ["in"]
    keeper.keep(moving.job, moving, before, at_checkpoint=True)
    assert keeper.left_behind is None


def test_what_a_run_has_kept_is_there_for_the_next(tmp_path: Path) -> None:
    (tmp_path / "spool").mkdir()
    first = transfer(tmp_path, TransferCheckpoint="state", TransferOutput="none")
    keeper = Keeper(0)
    keeper.open(str(tmp_path / "spool"), first.job, None)
    before = keeper.fetch_input(first.job, first)
    (tmp_path / "scratch" / "state").write_text("half way")
    (tmp_path / "scratch" / "other").write_text("left out")
    keeper.keep(first.job, first, before, at_checkpoint=True)
    keeper.count()
    keeper.count()
    assert (keeper.number, keeper.done) == (1, True)
    for path in (tmp_path / "scratch").iterdir():
        path.unlink()
    second = transfer(tmp_path, TransferCheckpoint="state")
    later = Keeper(1)
    later.open(str(tmp_path / "spool"), second.job, None)
    assert list(later.fetch_input(second.job, second).entries) == ["state"]
    assert (tmp_path / "scratch" / "state").read_text() == "half way"
