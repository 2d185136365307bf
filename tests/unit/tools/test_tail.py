"""condor_tail: which file of which job it shows, how much of it, and why not."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tool_runner import Spool

from condor_py.cli import tail
from condor_py.machine.run.places import STDERR_NAME, STDOUT_NAME
from condor_py.model.ids import JobId


class Place:
    """Job 7.0 that runs, in a queue and in a scratch directory."""

    def __init__(self, spool: Spool, top: Path) -> None:
        self.spool = spool
        self.scratch = top / "execute" / "dir_5" / "scratch"
        self.scratch.mkdir(parents=True)
        self.home = top / "home"
        self.home.mkdir()
        spool.add(7, JobStatus="2")
        self.runs()

    def runs(self, **attributes: str) -> None:
        """The ad that its starter has, as text."""
        texts = {
            "ClusterId": "7", "ProcId": "0", "Out": '"o.txt"', "Err": '"e.txt"', "Iwd": f'"{self.home}"',
            "ShouldTransferFiles": '"YES"', "TransferOutput": '"result, more"', **attributes,
        }  # fmt: skip
        (self.scratch / ".job.ad").write_text("".join(f"{name} = {text}\n" for name, text in texts.items()))

    def tail(self, *words: str) -> str:
        done = self.spool.run("condor_tail", *words)
        assert (done.err, done.code) == ("", 0)
        return done.out

    def complaint(self, *words: str) -> str:
        done = self.spool.run("condor_tail", *words)
        assert (done.out, done.code) == ("", 1)
        return done.err


@pytest.fixture
def place(spool: Spool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setenv("_CONDOR_EXECUTE", str(tmp_path / "execute"))
    return Place(spool, tmp_path)


def test_the_last_kilobyte_of_what_a_job_prints(place: Place) -> None:
    (place.scratch / STDOUT_NAME).write_text("x" * 2000 + "end\n")
    (place.scratch / STDERR_NAME).write_text("errors")
    assert place.tail("7.0") == "x" * 1020 + "end\n"
    assert place.tail("7") == "x" * 1020 + "end\n"
    assert place.tail("-maxbytes", "4", "7.0") == "end\n"
    assert place.tail("-maxbytes", "0", "7.0") == ""
    assert place.tail("-stderr", "7.0") == "errors"


def test_files_that_the_job_lists_are_shown_as_well(place: Place) -> None:
    (place.scratch / STDOUT_NAME).write_text("out")
    (place.scratch / "result").write_text("1")
    (place.scratch / "more").write_text("2")
    assert place.tail("7.0", "result", "more") == "out12"
    assert place.tail("-no-stdout", "7.0", "more") == "2"
    assert place.complaint("-no-stdout", "7.0", "secret") == (
        "Failed to peek at file from starter: secret is not in the job's transfer_output_files\n"
    )
    (place.scratch / "more").unlink()
    assert place.complaint("-no-stdout", "7.0", "more") == (
        f"Failed to peek at file from starter: {place.scratch}/more: No such file or directory\n"
    )


@pytest.mark.parametrize(
    ("attributes", "option", "shown"),
    [
        ({}, "", "scratch out"),
        ({}, "-stderr", "scratch err"),
        ({"Err": '"o.txt"'}, "-stderr", "scratch out"),
        ({"StreamOut": "true"}, "", "home out"),
        ({"StreamErr": "true"}, "", "scratch out"),
        ({"StreamErr": "true"}, "-stderr", "home err"),
        ({"StreamOut": "true", "OrigIwd": "Iwd", "Iwd": '"/none"'}, "", None),
        ({"Out": '"/dev/null"'}, "", ""),
        ({"Out": '""'}, "", ""),
    ],
)
def test_streams_are_found_where_they_are_written(
    place: Place, attributes: dict[str, str], option: str, shown: str | None
) -> None:
    (place.scratch / STDOUT_NAME).write_text("scratch out")
    (place.scratch / STDERR_NAME).write_text("scratch err")
    (place.home / "o.txt").write_text("home out")
    (place.home / "e.txt").write_text("home err")
    if "OrigIwd" in attributes:  # the directory that the job was submitted in, of a job with a spool
        attributes, shown = {**attributes, "OrigIwd": f'"{place.home}"'}, "home out"
    place.runs(**attributes)
    assert place.tail(*filter(None, [option]), "7.0") == shown


def test_a_job_without_file_transfer_writes_where_it_was_submitted(place: Place) -> None:
    place.runs(ShouldTransferFiles='"NO"')
    (place.home / "o.txt").write_text("home out")
    (place.home / "result").write_text("made")
    assert place.tail("7.0", "result") == "home outmade"


@pytest.mark.parametrize(
    ("status", "more", "told"),
    [
        (1, {}, "Job 7.0 is not running.\n"),
        (5, {"HoldReason": '"no luck"'}, "Job 7.0 is on hold: no luck\n"),
        (4, {}, "Job 7.0 is not running.\n"),
        (2, {"Owner": '"somebody"'}, "{me} is not authorized for access to the starter for job 7.0\n"),
    ],
)
def test_a_job_that_cannot_be_read_says_why(
    place: Place, status: int, more: dict[str, str], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_CONDOR_QUEUE_SUPER_USERS", "nobody")
    (place.scratch / STDOUT_NAME).write_text("out")
    for name, text in {"JobStatus": str(status), **more}.items():
        place.spool.set("7.0", name, text)
    if "Owner" in more and os.geteuid() == 0:
        assert place.tail("7.0") == "out", "root may"
    else:
        assert place.complaint("7.0") == told.format(me=place.spool.me)


@pytest.mark.parametrize("status", [2, 6, 7])
def test_jobs_that_are_suspended_or_at_their_end_can_be_read(place: Place, status: int) -> None:
    (place.scratch / STDOUT_NAME).write_text("out")
    place.spool.set("7.0", "JobStatus", str(status))
    assert place.tail("7.0") == "out"


def test_a_job_whose_directory_is_not_there_yet_does_not_run(place: Place) -> None:
    (place.scratch / ".job.ad").unlink()
    assert place.complaint("7.0") == "Job 7.0 is not running.\n"


def test_the_directory_of_another_job_is_not_taken(place: Place) -> None:
    place.runs(ClusterId="8")
    (place.scratch / STDOUT_NAME).write_text("of another job")
    assert place.complaint("7.0") == "Job 7.0 is not running.\n"


def test_waiting_for_a_job_that_does_not_run_yet(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    (place.scratch / STDOUT_NAME).write_text("out")
    place.spool.set("7.0", "JobStatus", "1")
    waited: list[float] = []

    def begin(seconds: float) -> None:
        waited.append(seconds)
        place.spool.set("7.0", "JobStatus", "2")

    monkeypatch.setattr("condor_py.cli.tail.time.sleep", begin)
    assert place.tail("-auto-retry", "7.0") == "out"
    assert waited == [2.0]


class Changes:
    """In place of waiting for a file: what the job does meanwhile, one thing at a time."""

    acts: list[Callable[[], object]]

    def __init__(self, path: str) -> None:
        self.path = path

    def wait(self, timeout: float) -> None:
        Changes.acts.pop(0)()


def test_following_until_the_job_ends(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    out = place.scratch / STDOUT_NAME
    out.write_text("one ")
    (place.scratch / "result").write_text("r1 ")
    Changes.acts = [
        lambda: out.write_text("one two "),
        lambda: out.write_text("new "),  # it is written from its beginning again
        lambda: (place.scratch / "result").write_text("r1 r2 "),
        lambda: (out.write_text("new last "), (place.scratch / ".job.ad").unlink()),
    ]
    monkeypatch.setattr("condor_py.client.watch.FileWatch", Changes)
    assert place.tail("-f", "7.0", "result") == "one r1 two new r2 last "
    assert Changes.acts == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["-no-stdout", "7.0"], "No file transfer specified.\n"),
        ([], "Job ID not specified."),
        (["x"], "Invalid Job ID: x"),
        (["7.x"], "Invalid Job ID: 7.x"),
        (["-maxbytes", "many", "7"], "Error: maxbytes (many) is not valid\n"),
    ],
)
def test_wrong_command_lines(place: Place, words: list[str], told: str) -> None:
    assert place.complaint(*words).startswith(told)


def test_a_file_that_grows_between_two_looks_is_shown_up_to_the_limit(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At most the last bytes of what is new."""
    out = place.scratch / STDOUT_NAME
    out.write_text("12345678")
    Changes.acts = [
        lambda: out.write_text("12345678abcdefgh"),
        lambda: None,
        (place.scratch / ".job.ad").unlink,
    ]
    monkeypatch.setattr("condor_py.client.watch.FileWatch", Changes)
    assert place.tail("-follow", "-maxbytes", "3", "7.0") == "678fgh"


def test_a_job_that_ends_while_nothing_is_shown_is_not_followed(place: Place) -> None:
    place.runs(Out='"/dev/null"')
    assert place.tail("-f", "7.0") == ""


@pytest.mark.parametrize("name", ["data_5", "tmp", "xdir_5"])
def test_only_directories_of_starters_are_searched(place: Place, name: str) -> None:
    (place.scratch / STDOUT_NAME).write_text("out")
    (place.scratch.parent / "scratch").parent.rename(place.scratch.parents[1] / name)
    assert place.complaint("7.0") == "Job 7.0 is not running.\n"


def test_the_directory_of_the_owner_counts_where_several_say_that_they_are_of_the_job(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two directories have the number of the job; the account of one of them owns it."""
    from types import SimpleNamespace

    from condor_py.machine.run.sandbox import Sandbox

    other = place.scratch.parents[1] / "dir_4" / "scratch"
    other.mkdir(parents=True)
    (other / ".job.ad").write_text((place.scratch / ".job.ad").read_text())
    names = {str(other.parent): "eve", str(place.scratch.parent): "ann"}
    monkeypatch.setattr(Sandbox, "account", lambda box: SimpleNamespace(name=names[os.path.dirname(box.scratch)]))
    monkeypatch.setattr("condor_py.cli.tail.as_user", lambda account: contextlib.nullcontext())
    for owner, directory in (("ann", "dir_5"), ("eve", "dir_4"), ("dan", "dir_4")):
        found = tail.find([str(place.scratch.parents[1])], JobId(7, 0), owner)
        assert found is not None
        assert os.path.basename(os.path.dirname(found.sandbox.scratch)) == directory
        assert found.is_alive
    assert tail.find([str(place.scratch.parents[1])], JobId(7, 1), "ann") is None
    assert tail.find([str(place.scratch.parents[1])], JobId(8, 0), "ann") is None
    assert tail.find(["/no/such"], JobId(7, 0), "ann") is None


def test_what_is_shown_is_told_with_debug(place: Place) -> None:
    (place.scratch / STDOUT_NAME).write_text("out")
    done = place.spool.run("condor_tail", "-debug", "7.0")
    assert (done.out, done.err) == ("out", f"condor_tail: {place.scratch}/{STDOUT_NAME}\n")


def test_whether_a_job_works_in_its_scratch_directory(place: Place) -> None:
    """It does where it asks for that, or where its output is there already."""
    (place.home / "o.txt").write_text("home out")
    place.runs(ShouldTransferFiles='"no"')
    assert place.tail("7.0") == "home out"
    place.runs(ShouldTransferFiles='"yes"')
    assert "No such file" in place.complaint("7.0")
    (place.scratch / STDOUT_NAME).write_text("scratch out")
    place.runs(ShouldTransferFiles='"NO"')
    assert place.tail("7.0") == "scratch out"
