"""What a job's files become on their way: streams, renamed output, checkpoints, and what each failure says."""

from __future__ import annotations

import errno
import os
import resource
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from condor_py.daemons.starter.starterfacts import place_for, place_of
from condor_py.daemons.starter.startersetup import StarterSetup
from condor_py.lang.classad import ClassAd
from condor_py.machine.run.copying import Moved
from condor_py.machine.run.destination import Checkpoint
from condor_py.machine.run.failures import TransferError, UrlError
from condor_py.machine.run.job import read_job
from condor_py.machine.run.keeper import Keeper
from condor_py.machine.run.places import STDERR_NAME, STDOUT_NAME
from condor_py.machine.run.sandbox import create_root
from condor_py.machine.run.transfer import Catalogue, Copied, Transfer
from condor_py.model.settings.daemon import LogSettings
from condor_py.model.settings.starter import StarterSettings, TransferSettings


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


@pytest.mark.parametrize(
    ("out", "remaps"), [("out", "out = kept/there"), ("out", "out = a; a = kept/there"), ("logs/there", "logs = kept")]
)
def test_a_stream_is_renamed_like_other_output(tmp_path: Path, out: str, remaps: str) -> None:
    moving = transfer(tmp_path, Out=out, TransferOutputRemaps=remaps)
    (tmp_path / "scratch" / STDOUT_NAME).write_text("said")
    moving.send_streams()
    assert (tmp_path / "home" / "kept" / "there").read_text() == "said"


def test_a_stream_that_is_renamed_in_a_circle_holds_the_job(tmp_path: Path) -> None:
    moving = transfer(tmp_path, Out="out", TransferOutputRemaps="out = a; a = out")
    (tmp_path / "scratch" / STDOUT_NAME).write_text("said")
    assert send(moving, "stream").subcode == 1


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
def test_an_error_of_an_open_file_names_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, act: str) -> None:
    """As that of fstat(2) on a bad disk, which knows no name."""

    def bad(*given: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("condor_py.machine.run.medium.Flusher.written", bad)
    moving = transfer(tmp_path, Out="out", TransferOutput="made")
    for name in (STDOUT_NAME, "made"):
        (tmp_path / "scratch" / name).write_text("said")
    where = tmp_path / "home" / ("out" if act == "stream" else "made")
    assert str(send(moving, act)).endswith(f"Details: writing to file {where}: (errno 5) Input/output error")


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


@pytest.mark.parametrize("keeps", [False, True])
def test_the_directory_that_is_an_image_comes_as_one(tmp_path: Path, keeps: bool) -> None:
    (tmp_path / "home" / "d" / "e").mkdir(parents=True)
    job = {"ContainerImage": "e", "ContainerImageFullPath": "d/e/", "PreserveRelativePaths": keeps}
    moving = transfer(tmp_path, TransferInput="d/e/", **job)
    assert [target for _, target, _ in listed(moving)] == ["e"]
    assert moving.came.image_seconds == -1
    moving.fetch_input()
    assert moving.came.image_seconds >= 0
    assert [target for _, target, _ in listed(transfer(tmp_path, TransferInput="d/e/"))] == []


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


def test_a_checkpoint_that_does_not_fit_in_the_spool_is_told_with_its_file(tmp_path: Path) -> None:
    moving = transfer(tmp_path)
    (tmp_path / "scratch" / "states").mkdir()
    (tmp_path / "scratch" / "states" / "big").write_bytes(b"x" * 5000)
    (tmp_path / "kept").mkdir()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(TransferError) as failed:
            moving.save(str(tmp_path / "kept"), ["states"])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert failed.value.subcode == errno.EFBIG
    assert f"writing to file {tmp_path}/kept/states/big: (errno 27) File too large" in str(failed.value)


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


# ---- which files come and go --------------------------------------------------------------------------------


def with_settings(moving: Transfer, **knobs: object) -> Transfer:
    settings = TransferSettings(**knobs)  # type: ignore[arg-type]
    return Transfer(moving.job, moving.scratch, moving.slot, moving.access_point, settings, moving.log, lambda: 0.0)


def listed(moving: Transfer) -> list[tuple[str, str, bool]]:
    return list(moving._inputs())


def test_everything_that_a_job_brings(tmp_path: Path) -> None:
    moving = transfer(
        tmp_path, Cmd="/bin/prog", TransferExecutable=True, In="in/put", x509userproxy="/p/proxy",
        TransferInput="a/one,two", OrigCmd="orig/script", TransferPlugins="abc=/x/plug",
        ToolDaemonCmd="/t/tool", ToolDaemonInput="t/in",
    )  # fmt: skip
    assert listed(moving) == [
        ("/bin/prog", "prog", True), ("in/put", "put", False), ("/p/proxy", "proxy", False), ("/x/plug", "plug", True),
        ("a/one", "one", False), ("two", "two", False), ("orig/script", "script", True), ("/t/tool", "tool", True),
        ("t/in", "in", False),
    ]  # fmt: skip
    moving.job = replace(moving.job, input_files=("orig/script", "/t/tool", "t/in"), stream_input=True, proxy="")
    found = [name for name, _, _ in listed(moving)]
    assert found == ["/bin/prog", "/x/plug", "orig/script", "/t/tool", "t/in"], "each once"
    moving.job = replace(moving.job, common_files=("shared",))
    assert "shared" in [name for name, _, _ in listed(moving)]
    moving.job = replace(moving.job, staged=(("x", "y"),))  # type: ignore[arg-type]
    assert "shared" not in [name for name, _, _ in listed(moving)], "a data slot has it"


def test_names_of_input(tmp_path: Path) -> None:
    moving = transfer(tmp_path)
    names = ["a/b", "a/b/", "/x/y", "http://h/d/f?token=1", "http://h/d/", "file:///x/z"]
    assert [moving._input_name(name) for name in names] == ["b", "b", "y", "f", "d", "z"]
    moving.job = replace(moving.job, preserve_relative_paths=True)
    assert [moving._input_name(name) for name in names] == ["a/b", "a/b", "y", "f", "d", "z"]
    assert moving._input_name("../up/x") == "up/x"
    assert [moving._output_name(name) for name in ("a/b", "/x/y", "a/b/")] == ["a/b", "y", "a/b"]
    moving.job = replace(moving.job, preserve_relative_paths=False, output_remaps={"a/c": "d"})
    assert [moving._output_name(name) for name in ("a/b", "a/c", "a/b/")] == ["b", "a/c", "b"]


def test_a_slash_at_the_end_means_nothing_where_paths_are_kept(tmp_path: Path) -> None:
    rules = "out/d/two = moved"
    moving = transfer(tmp_path, TransferInput="in/d/", TransferOutput="out/d/,./", TransferOutputRemaps=rules)
    moving.job = replace(moving.job, preserve_relative_paths=True)
    (tmp_path / "home" / "in" / "d" / "e").mkdir(parents=True)
    (tmp_path / "home" / "in" / "d" / "one").touch()
    assert [target for _, target, _ in listed(moving)] == ["in/d/e", "in/d/one"]
    (tmp_path / "scratch" / "out" / "d").mkdir(parents=True)
    for name in ("one", "two"):
        (tmp_path / "scratch" / "out" / "d" / name).write_text(name)
    moving.send_output(Catalogue({}))
    home = tmp_path / "home"
    assert (home / "out" / "d" / "one").read_text() == "one"
    assert (home / "moved").read_text() == "two"
    assert not (home / "one").exists()


def test_a_directory_that_cannot_be_listed_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moving = transfer(tmp_path, TransferInput="d/", TransferOutput="d/")
    (tmp_path / "home" / "d").mkdir()
    (tmp_path / "scratch" / "d").mkdir()
    real = os.listdir

    def fails(path: str) -> list[str]:
        if path.rstrip("/").endswith("/d"):
            raise PermissionError(13, "Permission denied", path)
        return real(path)

    monkeypatch.setattr(os, "listdir", fails)
    with pytest.raises(TransferError, match=r"reading from file .*/home/d/: \(errno 13\) Permission denied") as caught:
        moving.fetch_input()
    assert (caught.value.code, caught.value.subcode) == (13, 13)
    assert send(moving, "output").subcode == 13


def test_directories_above_input_are_made(tmp_path: Path) -> None:
    moving = transfer(tmp_path, TransferInput="a/b/one", PreserveRelativePaths=True)
    (tmp_path / "home" / "a" / "b").mkdir(parents=True)
    (tmp_path / "home" / "a" / "b" / "one").write_text("12345")
    catalogue = moving.fetch_input()
    assert (tmp_path / "scratch" / "a" / "b" / "one").read_text() == "12345"
    assert list(catalogue.entries) == ["a"]
    assert [(each.name, each.bytes) for each in moving.copied] == [("a/b/one", 5)]
    assert moving.copied[0].seconds < 60


def test_limits_of_the_job_and_of_the_machine(tmp_path: Path) -> None:
    moving = transfer(tmp_path)
    assert [moving._limit(asked, 7) for asked in (None, 0, 5, -1)] == [7, 0, 5, -1]
    job = replace(moving.job, wishes=replace(moving.job.wishes, input_size_mb=8, max_input_mb=None))
    moving.job = job
    limited = with_settings(moving, max_input_mb=7)
    with pytest.raises(TransferError) as caught:
        limited.fetch_input()
    text = "TransferInputSizeMB (8) is greater than MAX_TRANSFER_INPUT_MB (7) at submit time"
    assert (caught.value.code, caught.value.subcode, str(caught.value)) == (32, 0, text)
    assert limited.refused
    with pytest.raises(TransferError, match=r"MAX_TRANSFER_INPUT_MB \(0\)"):
        with_settings(moving, max_input_mb=0).fetch_input()
    for limit in (8, -1):
        allowed = with_settings(moving, max_input_mb=limit)
        allowed.fetch_input()
        assert not allowed.refused


@pytest.mark.parametrize(
    ("knob", "most"),
    [
        ("-1", -1),
        ("7", 7),
        ('ifThenElse(Owner == "bob", 5, 1)', 5),
        ("RequestMemory / 8.0", 12),
        ("NoSuchAttribute", -1),
        ('"7"', -1),
    ],
)
def test_limits_of_the_machine_may_be_about_the_job(tmp_path: Path, knob: str, most: int) -> None:
    settings = StarterSettings(str(tmp_path), max_transfer_input=knob, max_transfer_output="9")
    setup = StarterSetup(
        "<a>#1", "slot1@here", ClassAd(), str(tmp_path), "/usr/bin", "here", "here", (),
        LogSettings(str(tmp_path / "StarterLog")), settings,
    )  # fmt: skip
    plain = place_of(setup, create_root(str(tmp_path), 1), print)
    place = place_for(setup, plain, ClassAd({"Owner": "bob", "RequestMemory": 100}))
    assert (place.transfer.max_input_mb, place.transfer.max_output_mb) == (most, 9)
    assert (place is plain) == (most in (-1, 7)), "jobs with the usual limits start in the usual way"


def test_input_and_output_that_get_too_large_hold_the_job(tmp_path: Path) -> None:
    moving = transfer(tmp_path, TransferInput="big", TransferOutput="big")
    for place in ("home", "scratch"):
        with (tmp_path / place / "big").open("w") as file:
            file.truncate(3 << 20)
    limited = with_settings(moving, max_input_mb=2, max_output_mb=2)
    with pytest.raises(TransferError, match="max total upload bytes exceeded") as caught:
        limited.fetch_input()
    assert (caught.value.code, caught.value.subcode) == (32, 0)
    assert not limited.refused
    error = send(limited, "output")
    assert (error.code, error.subcode) == (33, 0)
    assert str(error).startswith(
        "Error from slot1@here: STARTER failed to send file(s) to access point there: |Error: "
    )
    moving.send_output(Catalogue({}))


def test_access_is_limited_to_directories(tmp_path: Path) -> None:
    moving = transfer(tmp_path, TransferInput=f"{tmp_path}/other/x", TransferOutput="x", Out="out")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "x").touch()
    limited = with_settings(moving, allowed_directories=(f"{tmp_path}/home",))
    with pytest.raises(TransferError, match="Permission denied"):
        limited.fetch_input()
    moving.fetch_input()
    limited.send_output(Catalogue({}))
    elsewhere = with_settings(moving, allowed_directories=(f"{tmp_path}/other",))
    assert send(elsewhere, "output").subcode == 13
    (tmp_path / "scratch" / STDOUT_NAME).touch()
    assert send(elsewhere, "stream").subcode == 13
    elsewhere.job = replace(elsewhere.job, output_directory="results")
    assert "results" in str(send(elsewhere, "stream"))
    assert not (tmp_path / "home" / "results").exists()


def test_what_a_child_did_is_taken_over(tmp_path: Path) -> None:
    child, ours = transfer(tmp_path), transfer(tmp_path)
    child.came.add(5, 1)
    child.went.add(6, 2)
    child.refuse_checkpoint("it is odd")
    child.refused = child.lost = True
    child._restored = frozenset(("old",))
    child.copied.append(Copied("a", 5, 0.1))
    child.told.append((1, "report"))  # type: ignore[arg-type]
    ours.take(child.progress())
    assert ours.progress() == child.progress()
    assert (ours.invalid, ours.refused, ours.lost, ours.came.bytes, ours.went.files) == ("it is odd", True, True, 5, 2)
    assert ours.record(5.0) == [(1, "report")]
    assert ours.record(5.0) == []
    assert ours.copied == []


def test_a_history_that_cannot_be_written_is_logged(tmp_path: Path) -> None:
    said: list[str] = []
    moving = with_settings(transfer(tmp_path), history=str(tmp_path / "none" / "history"))
    moving.log = said.append
    moving.record(5.0)
    assert said == [], "there was nothing to tell"
    there = with_settings(moving, history=str(tmp_path / "history"))
    there.record(5.0)
    assert not (tmp_path / "history").exists()
    there.copied.append(Copied("a", 5, 0.1))
    there.record(5.0)
    assert (tmp_path / "history").exists()
    moving.copied.append(Copied("a", 5, 0.1))
    moving.record(5.0)
    path = tmp_path / "none" / "history"
    assert said == [f"FILETRANSFER: failed to write to statistics file {path}: No such file or directory"]


def test_results_are_files_that_are_new_or_changed(tmp_path: Path) -> None:
    moving = transfer(tmp_path)
    scratch = tmp_path / "scratch"
    for name in ("same", "grown", "touched", "kept", ".job.ad", STDOUT_NAME):
        (scratch / name).write_text("x")
    before = moving.catalogue()
    (scratch / "grown").write_text("longer")
    os.utime(scratch / "touched", ns=(5, 5))
    (scratch / "new").touch()
    (scratch / "directory").mkdir()
    (scratch / "link").symlink_to("new")
    (scratch / "to_directory").symlink_to("directory")
    (scratch / "gone").symlink_to("nothing")
    moving._restored = frozenset(("kept",))
    assert moving.changed(before) == ["grown", "kept", "link", "new", "touched"]
    moving.job = replace(moving.job, output_files=None)
    moving.added_output = ["manifest", "new"]
    (scratch / "manifest").touch()
    (scratch / "core.1").touch()
    moving.send_output(before, "core.1")
    assert {path.name for path in (tmp_path / "home").iterdir()} == {
        "grown", "kept", "link", "new", "touched", "manifest", "core.1",
    }  # fmt: skip
    assert moving.went.files == 7, "each once"


def test_what_an_earlier_run_has_left_lies_over_the_input(tmp_path: Path) -> None:
    moving = transfer(tmp_path, TransferInput="data")
    (tmp_path / "home" / "data").write_text("input")
    left = tmp_path / "left"
    left.mkdir()
    for name in ("data", "state", STDOUT_NAME):
        (left / name).write_text("left")
    moving.fetch_input(str(left))
    assert (tmp_path / "scratch" / "data").read_text() == "left"
    assert moving._restored == {"data", "state"}
    assert (moving.came.bytes, moving.came.files) == (5 + 12, 4)


def test_output_goes_below_a_destination(tmp_path: Path) -> None:
    moving = transfer(tmp_path, OutputDestination="s3://b/top/", TransferOutputRemaps="a = c;x = /abs;y=file:///z")
    places = [moving._place(name) for name in ("f", "a", "d/f", "x")]
    assert places == ["s3://b/top/f", "s3://b/top/c", "s3://b/top/d/f", "s3://b/top//abs"]
    plain = transfer(tmp_path, TransferOutputRemaps="a = c;x = /abs;y=file:///z;u = http://h/u")
    home = str(tmp_path / "home")
    assert [plain._place(name) for name in ("f", "a", "x", "y", "u")] == [
        f"{home}/f", f"{home}/c", "/abs", "/z", "http://h/u",
    ]  # fmt: skip


def test_output_keeps_its_directories_below_a_destination(tmp_path: Path) -> None:
    far, scratch = tmp_path / "far", tmp_path / "scratch"
    names = f"a/b/one,a/c/,d,{tmp_path}/else/where"
    moving = transfer(tmp_path, OutputDestination=f"file://{far}/", TransferOutput=names)
    far.mkdir()
    made = [scratch / name for name in ("a/b/one", "a/c/two", "d/e/three")] + [tmp_path / "else" / "where"]
    for path in made:
        path.parent.mkdir(parents=True)
        path.write_text(path.name)
    moving.send_output(Catalogue({}))
    found = {str(path.relative_to(far)): path.read_text() for path in far.rglob("*") if path.is_file()}
    where = str(tmp_path / "else" / "where").lstrip("/")
    assert found == {"a/b/one": "one", "a/c/two": "two", "d/e/three": "three", where: "where"}
    assert moving.went == Moved(16, 4, {"FILE": (4, 16)})


def test_files_for_file_urls_are_counted_as_such(tmp_path: Path) -> None:
    remaps = f"a = file://{tmp_path}/x; c = {tmp_path}/y"
    moving = transfer(tmp_path, TransferOutput="a,b,c", TransferOutputRemaps=remaps, Out="a")
    for name in ("a", "b", "c", STDOUT_NAME):
        (tmp_path / "scratch" / name).write_text(name[:1])
    moving.send_output(Catalogue({}))
    assert moving.went == Moved(3, 3, {"FILE": (1, 1)})
    moving.send_streams()
    assert moving.went.by_protocol["FILE"] == (2, 2)


def test_input_of_a_file_url_is_counted_as_such(tmp_path: Path) -> None:
    moving = transfer(tmp_path, TransferInput=f"file://{tmp_path}/home/far,near")
    for name in ("far", "near"):
        (tmp_path / "home" / name).write_text(name)
    moving.fetch_input()
    assert moving.came == Moved(7, 2, {"FILE": (1, 3)})


class Moves:
    """What moves URLs; ``error`` is why it fails."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked: list[tuple[list[tuple[str, str]], int, bool]] = []
        self.error: UrlError | None = None
        self.told = ["report"]
        monkeypatch.setattr(Transfer, "_mover", lambda moving: self)

    def move(self, urls: list[tuple[str, str]], kind: int, upload: bool) -> None:
        self.asked.append((urls, kind, upload))
        if self.error is not None:
            raise self.error
        for _, path in urls:
            if not upload:
                Path(path).write_text("from afar")


def test_urls_come_by_plugins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moves = Moves(monkeypatch)
    moving = transfer(tmp_path, Cmd="http://h/prog", TransferExecutable=True, TransferInput="http://h/data?x=1,plain")
    (tmp_path / "home" / "plain").touch()
    moving.fetch_input()
    scratch = str(tmp_path / "scratch")
    assert moves.asked == [([("http://h/prog", f"{scratch}/prog"), ("http://h/data?x=1", f"{scratch}/data")], 1, False)]
    assert moving.came == Moved(18, 3, {"HTTP": (2, 18)})
    assert os.access(f"{scratch}/prog", os.X_OK)
    assert moving.told == [(1, "report")]
    moves.error = UrlError("http://h/prog", "it broke", 7)
    with pytest.raises(TransferError) as caught:
        moving.fetch_input()
    begin = "Transfer input files failure at execution point slot1@here using protocol http. Details: "
    assert str(caught.value).startswith(begin)
    assert (caught.value.code, caught.value.subcode) == (13, 7)
    assert moving.told == [(1, "report")] * 2, "the reports of one that failed are kept"


def test_no_plugin_is_asked_where_a_file_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moves = Moves(monkeypatch)
    with pytest.raises(TransferError, match="reading from file"):
        transfer(tmp_path, TransferInput="none,http://h/data").fetch_input()
    assert moves.asked == []


def test_output_goes_by_plugins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moves = Moves(monkeypatch)
    scratch = tmp_path / "scratch"
    moving = transfer(
        tmp_path, TransferOutput="d,f", TransferOutputRemaps="d = http://h/d;f=http://h/f", Out="http://h/o"
    )
    (scratch / "d").mkdir()
    (scratch / "d" / "x").write_text("12")
    (scratch / "f").write_text("345")
    (scratch / STDOUT_NAME).write_text("6")
    moving.send_output(Catalogue({}))
    assert moves.asked == [([("http://h/d/x", f"{scratch}/d/x"), ("http://h/f", f"{scratch}/f")], 2, True)]
    assert moving.went == Moved(5, 2, {"HTTP": (2, 5)})
    moving.send_streams()
    assert moves.asked[1:] == [([("http://h/o", f"{scratch}/{STDOUT_NAME}")], 2, True)]
    moves.error = UrlError("http://h/d", "it broke", 7)
    error = send(moving, "stream")
    begin = "Transfer output files failure at execution point slot1@here using protocol http. Details: "
    assert (error.code, error.subcode, str(error).startswith(begin)) == (12, 7, True)
    named = transfer(tmp_path, TransferOutputRemaps="f=http://h/f")
    moves.error = None
    named.send_named(["f", "none"])
    assert moves.asked[-1] == ([("http://h/f", f"{scratch}/f")], 2, True)


class Point:
    """A checkpoint with one file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.names: list[str] = []
        self.completed = False

    def begin(self, scratch: str, names: list[str]) -> list[tuple[str, str]]:
        self.names = names
        return [("http://h/c", str(self.path))]

    def complete(self) -> None:
        self.completed = True


def test_a_checkpoint_goes_to_its_destination(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moves, said = Moves(monkeypatch), []
    moving = transfer(tmp_path)
    moving.log = said.append
    (tmp_path / "scratch" / "state").write_text("12345")
    (tmp_path / "scratch" / STDOUT_NAME).touch()

    def upload() -> Point:
        point = Point(tmp_path / "scratch" / "state")
        moving.upload(cast(Checkpoint, point), ["./state", "state"])
        return point

    point = upload()
    assert (point.names, point.completed, moving.lost) == (["state", STDOUT_NAME], True, False)
    assert (moving.went.bytes, moving.went.files, moves.asked[0][1:]) == (5, 1, (3, True))
    moves.error = UrlError("http://h/c", "it broke", 0)
    assert not upload().completed
    assert moving.lost
    assert said[0].startswith("Failed to transfer checkpoint: ")
    moves.error = UrlError("http://h/c", "it broke", 7)
    with pytest.raises(TransferError) as caught:
        upload()
    assert (caught.value.code, caught.value.subcode, moving.lost) == (12, 7, False)
    moves.error = None
    (tmp_path / "scratch" / "state").unlink()
    with pytest.raises(TransferError, match="No such file") as caught:
        upload()
    (tmp_path / "scratch" / "d").mkdir()
    (tmp_path / "scratch" / "link").symlink_to("d")
    with pytest.raises(TransferError, match="Transfer of symlinks to directories is not supported"):
        moving.upload(cast(Checkpoint, Point(tmp_path)), ["link"])


@pytest.mark.parametrize("upload", [False, True])
def test_urls_are_signed_where_the_job_has_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, upload: bool) -> None:
    keys = {"EC2AccessKeyId": "access", "EC2SecretAccessKey": "secret"}
    for name in ("access", "secret"):
        (tmp_path / name).write_text(f"{name}\n")
    moving = transfer(tmp_path, **{name: f"{tmp_path}/{text}" for name, text in keys.items()})
    urls = [("s3://b/x", "/a"), ("http://h/y", "/b")]
    found = moving._signed(urls, upload)
    assert found[1] == urls[1]
    assert found[0][0].startswith("https://b.s3.amazonaws.com/x?")
    assert found[0][1] == "/a"
    assert with_settings(moving, sign_s3_urls=False)._signed(urls, upload) == urls
    (tmp_path / "secret").unlink()
    with pytest.raises(TransferError) as caught:
        moving._signed(urls, upload)
    way, side = ("output", "DoDownload") if upload else ("input", "DoUpload")
    assert str(caught.value).startswith(f"Transfer {way} files failure at access point there while ")
    assert f" Details: {side}: Failure when signing URL 's3://b/x': " in str(caught.value)
    assert caught.value.code == (12 if upload else 13)
    assert upload or caught.value.subcode == 3


def test_a_plugin_of_the_job_for_s3_signs_by_itself_unless_there_are_keys(tmp_path: Path) -> None:
    moving = transfer(tmp_path, TransferPlugins="s3=/x/plug")
    urls = [("s3://b/x", "/a")]
    assert moving._signed(urls, False) == urls
    with pytest.raises(TransferError):
        moving._signed([("gs://b/x", "/a")], False)
    (tmp_path / "access").write_text("a")
    (tmp_path / "secret").write_text("s")
    keys = {"EC2AccessKeyId": f"{tmp_path}/access", "EC2SecretAccessKey": f"{tmp_path}/secret"}
    given = transfer(tmp_path, TransferPlugins="s3=/x/plug", **keys)
    assert given._signed(urls, False)[0][0].startswith("https://")


def test_what_is_in_a_directory_goes_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moving = transfer(tmp_path, TransferInput="d/", TransferOutput="e/")
    for top in ("home/d", "scratch/e"):
        (tmp_path / top).mkdir()
        for name in "zyxabc":
            (tmp_path / top / name).touch()
    real = os.listdir
    monkeypatch.setattr(os, "listdir", lambda path: sorted(real(path), reverse=True))
    assert [target for _, target, _ in moving._inputs()] == list("abcxyz")
    sent: list[str] = []
    monkeypatch.setattr(moving, "_send", lambda source, name: sent.append(name))
    moving.send_output(Catalogue({}))
    assert sent == list("abcxyz")


def test_the_starters_log_comes_with_the_streams(tmp_path: Path) -> None:
    moving = transfer(tmp_path, Out="out", Err="/dev/null", JobStarterLog="log")
    (tmp_path / "scratch" / ".starter.log").write_text("lines")
    (tmp_path / "scratch" / STDERR_NAME).touch()
    moving.send_streams()
    assert {path.name: path.read_text() for path in (tmp_path / "home").iterdir()} == {"log": "lines"}


def test_what_lies_elsewhere_on_the_machine_may_be_sent(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "x").write_text("there")
    moving = transfer(tmp_path, TransferOutput=f"{other}/x,{other}/")
    moving.send_output(Catalogue({}))
    assert (tmp_path / "home" / "x").read_text() == "there"
    (tmp_path / "scratch" / str(other).lstrip("/")).mkdir(parents=True)
    (tmp_path / "scratch" / str(other).lstrip("/") / "x").write_text("here")
    moving.send_output(Catalogue({}))
    assert (tmp_path / "home" / "x").read_text() == "here", "what the job has of that name comes first"


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EIO])
def test_input_that_finds_no_room_is_not_said_to_be_unreadable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def fails(*words: object) -> int:
        raise OSError(number, os.strerror(number))

    moving = transfer(tmp_path, TransferInput="data")
    (tmp_path / "home" / "data").write_text("much")
    monkeypatch.setattr(os, "sendfile", fails)
    with pytest.raises(TransferError) as caught:
        moving.fetch_input()
    assert (caught.value.code, caught.value.subcode) == (13, number)
    receiving = "execution point slot1@here while receiving files from access point there"
    sending = "access point there while sending files to execution point slot1@here"
    one = "1 total failures: first failure: "
    details = (
        f"{sending}. Details: {one}reading from file {tmp_path}/home/data"  # a disk that fails is as good as the other
        if number == errno.EIO
        else f"{receiving}. Details: writing to file {tmp_path}/scratch/data"
    )
    assert str(caught.value) == (f"Transfer input files failure at {details}: (errno {number}) {os.strerror(number)}")
