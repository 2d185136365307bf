"""Clearing checkpoints at a destination: who runs the programs, and how long they may take."""

from __future__ import annotations

import os
import pwd
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from condor_py.lang.classad import ClassAd
from condor_py.lang.config import load
from condor_py.lang.config.builders.checkpoints import checkpoints
from condor_py.machine.run import checkpointcleanup
from condor_py.machine.run.checkpointcleanup import Waiting, all_waiting, clear, clear_waiting, set_aside
from condor_py.machine.run.identity import Account, UnknownAccount, account
from condor_py.model.errors import CondorError
from condor_py.model.settings.checkpoints import CheckpointSettings


@pytest.fixture
def impatient() -> Iterator[None]:
    """Ends a test that waits."""

    def give_up(number: int, frame: object) -> None:
        raise TimeoutError("it waits")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(30)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def waiting(tmp_path: Path, owner: str | None = None) -> tuple[Waiting, CheckpointSettings]:
    """A list of one file that is to be deleted by a program which tells who it is."""
    program = tmp_path / "delete"
    program.write_text(f"#!/bin/sh\nid -u >>{tmp_path}/said/who\n")
    program.chmod(0o755)
    (tmp_path / "map").write_text("* x:// delete\n")
    (tmp_path / "said").mkdir()
    (tmp_path / "said").chmod(0o777)
    directory = tmp_path / "job"
    directory.mkdir()
    (directory / "_condor_checkpoint_MANIFEST.0000").write_text("00 *file\n00 *_condor_checkpoint_MANIFEST.0000\n")
    who = None if owner is None else account(owner)
    if who is not None:
        for path in (directory, *directory.iterdir()):
            os.chown(path, who.uid, who.gid)
    return Waiting(str(directory), who, "x://y"), CheckpointSettings(str(tmp_path / "map"), str(tmp_path))


def test_what_takes_too_long_stays(tmp_path: Path) -> None:
    waits, settings = waiting(tmp_path)
    assert clear_waiting(waits, settings, 0.0) == ["Out of time before all files were deleted, aborting."]
    assert Path(waits.directory).exists()
    assert clear_waiting(waits, settings, 30.0) == []
    assert not Path(waits.directory).exists()


def test_what_somebody_else_clears_at_the_same_time_is_no_error(tmp_path: Path) -> None:
    """The schedd and condor_preen do not know of each other: lists go while they are read, and then the directory."""
    waits, settings = waiting(tmp_path)
    directory = Path(waits.directory)
    first = directory / "_condor_checkpoint_MANIFEST.0000"
    (directory / "_condor_checkpoint_MANIFEST.0001").write_text(first.read_text().replace("0000", "0001"))
    (tmp_path / "delete").write_text(f"#!/bin/sh\nrm -rf {directory}\n")
    assert clear_waiting(waits, settings) == []
    assert not directory.exists()
    assert clear_waiting(waits, settings) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has rights to give up")
@pytest.mark.parametrize(("as_owner", "who"), [(True, "nobody"), (False, "daemon")])
def test_the_owner_or_the_account_of_the_pool_runs_the_programs(open_path: Path, as_owner: bool, who: str) -> None:
    waits, settings = waiting(open_path, "nobody")
    entry = pwd.getpwnam("daemon")
    settings = settings.changed(as_owner=as_owner, pool_ids=(entry.pw_uid, entry.pw_gid))
    assert clear_waiting(waits, settings) == []
    assert (open_path / "said" / "who").read_text() == f"{pwd.getpwnam(who).pw_uid}\n"


def test_knobs_of_the_clean_up() -> None:
    given = {"PREEN_CHECKPOINT_CLEANUP_TIMEOUT": "7", "RUN_CLEANUP_PLUGINS_AS_OWNER": "false", "CONDOR_IDS": "4.5"}
    knobs = {f"_CONDOR_{name}": text for name, text in given.items()}
    found = checkpoints(load({"CONDOR_CONFIG": "ONLY_ENV", **knobs}))
    assert (found.preen_timeout, found.as_owner, found.pool_ids) == (7, False, (4, 5))


@pytest.mark.usefixtures("impatient")
def test_a_pipe_in_the_place_of_the_ad_makes_nobody_wait(tmp_path: Path) -> None:
    """The directory belongs to the job's owner, who may put there what he likes."""
    name = pwd.getpwuid(os.geteuid()).pw_name
    room = tmp_path / "cluster1.proc0.subproc0"
    room.mkdir()
    (room / "_condor_checkpoint_MANIFEST.0000").write_text("00 *_condor_checkpoint_MANIFEST.0000\n")
    place = tmp_path / "checkpoint-cleanup" / name / room.name
    place.mkdir(parents=True)
    os.mkfifo(place / ".job.ad")
    ad = ClassAd({"Owner": name, "CheckpointDestination": "x://y"})
    with pytest.raises(OSError, match="No such device"):
        set_aside(str(tmp_path), str(room), ad, None)
    assert not list(all_waiting(str(tmp_path)))
    (place / ".job.ad").unlink()
    assert set_aside(str(tmp_path), str(room), ad, None) is not None
    assert [waiting.directory for waiting in all_waiting(str(tmp_path))] == [str(place)]


@pytest.mark.usefixtures("impatient")
def test_a_pipe_in_the_place_of_a_list_makes_nobody_wait(tmp_path: Path) -> None:
    todo, settings = waiting(tmp_path)
    os.mkfifo(Path(todo.directory) / "_condor_checkpoint_MANIFEST.0001")
    errors = clear_waiting(todo, settings)
    assert [error for error in errors if "MANIFEST" in error], errors


@pytest.mark.skipif(os.geteuid() != 0, reason="gives a directory away")
def test_what_an_account_that_is_gone_has_left_is_not_read_with_the_rights_of_root(tmp_path: Path) -> None:
    place = tmp_path / "checkpoint-cleanup" / "gone" / "cluster1.proc0.subproc0"
    place.mkdir(parents=True)
    (place / ".job.ad").write_text('Owner = "gone"\n')
    os.chown(place.parent, 987654, 987654)
    assert not list(all_waiting(str(tmp_path)))


@pytest.mark.parametrize(
    ("extra", "lost", "moved"),
    [
        (-1, -1, ["FAILURE.0002", "FAILURE.0004", "MANIFEST.0000", "MANIFEST.0001", "MANIFEST.0003"]),
        (0, -1, ["FAILURE.0002", "MANIFEST.0000", "MANIFEST.0001"]),
        (1, -1, ["FAILURE.0002", "MANIFEST.0000"]),
        (0, 4, ["FAILURE.0002", "FAILURE.0004", "MANIFEST.0000", "MANIFEST.0001"]),
        (0, 3, ["FAILURE.0002", "MANIFEST.0000", "MANIFEST.0001"]),
    ],
)
def test_lists_that_are_set_aside(tmp_path: Path, extra: int, lost: int, moved: list[str]) -> None:
    room, spool = tmp_path / "room", tmp_path / "spool"
    room.mkdir()
    for name in ("MANIFEST.0000", "MANIFEST.0001", "FAILURE.0002", "MANIFEST.0003", "FAILURE.0004"):
        (room / f"_condor_checkpoint_{name}").touch()
    ad = ClassAd({"Owner": "ann", "CheckpointDestination": "x://y/", "GlobalJobId": "a#1.0#5"})
    found = set_aside(str(spool), str(room), ad, None, extra, lost)
    assert found is not None
    assert found.url == "x://y/a_1.0_5"
    assert os.stat(spool / "checkpoint-cleanup" / "ann").st_mode & 0o777 == 0o700
    lists = [name for name in os.listdir(found.directory) if name.startswith("_condor_checkpoint")]
    assert sorted(name.removeprefix("_condor_checkpoint_") for name in lists) == moved


@pytest.mark.parametrize("owner", ["", "..", ".hidden", "a/b"])
def test_an_owner_that_is_no_name_of_a_directory_has_nothing_set_aside(tmp_path: Path, owner: str) -> None:
    (tmp_path / "_condor_checkpoint_MANIFEST.0000").touch()
    assert set_aside(str(tmp_path / "spool"), str(tmp_path), ClassAd({"Owner": owner}), None) is None
    assert os.listdir(tmp_path) == ["_condor_checkpoint_MANIFEST.0000"]


def lists(room: Path) -> list[str]:
    found = (path.name.removeprefix("_condor_checkpoint_") for path in room.iterdir())
    return sorted(name for name in found if not name.startswith("."))


@pytest.mark.parametrize(
    ("extra", "lost", "aside"),
    [
        (-1, -1, ["FAILURE.0002", "FAILURE.0005", "MANIFEST.0000", "MANIFEST.0001", "MANIFEST.0003", "MANIFEST.0004"]),
        (0, -1, ["FAILURE.0002", "MANIFEST.0000", "MANIFEST.0001", "MANIFEST.0003"]),
        (1, -1, ["FAILURE.0002", "MANIFEST.0000", "MANIFEST.0001"]),
        (2, -1, ["FAILURE.0002", "MANIFEST.0000"]),
        (9, -1, ["FAILURE.0002"]),
        (9, 5, ["FAILURE.0002", "FAILURE.0005"]),
    ],
)
def test_older_checkpoints_are_set_aside_and_the_last_ones_stay(
    tmp_path: Path, extra: int, lost: int, aside: list[str]
) -> None:
    room = tmp_path / "cluster7.proc3.subproc0"
    room.mkdir()
    for name in ("MANIFEST.0000", "MANIFEST.0001", "FAILURE.0002", "MANIFEST.0003", "MANIFEST.0004", "FAILURE.0005"):
        (room / f"_condor_checkpoint_{name}").touch()
    everything = lists(room)
    ad = ClassAd({"Owner": "ann", "CheckpointDestination": "x://y/", "GlobalJobId": "here#7.3#1"})
    found = set_aside(str(tmp_path / "spool"), str(room), ad, None, extra, lost)
    assert found == Waiting(f"{tmp_path}/spool/checkpoint-cleanup/ann/{room.name}", None, "x://y/here_7.3_1")
    assert lists(Path(found.directory)) == aside
    assert lists(room) == [name for name in everything if name not in aside]
    assert Path(found.directory).parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("owner", ["", "../ann", ".ann", "ann"])
def test_nothing_is_set_aside_without_lists_or_an_owner(tmp_path: Path, owner: str) -> None:
    room = tmp_path / "room"
    room.mkdir()
    if owner != "ann":
        (room / "_condor_checkpoint_MANIFEST.0000").touch()
    assert set_aside(str(tmp_path / "spool"), str(room), ClassAd({"Owner": owner}), None) is None
    assert not (tmp_path / "spool").exists()


@pytest.mark.parametrize(("says", "told"), [("", ""), ("echo half; ", "(Partial output: 'half\n')\n")])
def test_a_program_that_is_late_is_told_with_what_it_said(tmp_path: Path, says: str, told: str) -> None:
    waits, settings = waiting(tmp_path)
    (tmp_path / "delete").write_text(f"#!/bin/sh\n{says}exec sleep 100\n")
    for limit in (0.2, 2.0, 20.0):  # on a busy machine it is killed before it can say anything
        (found,) = clear_waiting(waits, settings.changed(file_timeout=limit))
        assert found.startswith(f"Timed out after {limit:.0f} seconds waiting for '")
        if told in found:
            break
    assert found.partition("aborting.")[2].strip() == told.strip()
    assert Path(waits.directory).exists()


# ---- the programs -------------------------------------------------------------------------------------------


class Site:
    """Programs of a site and a directory of lists; ``calls`` is what the programs were called with."""

    def __init__(self, top: Path) -> None:
        self.top, self.room = top, top / "room"
        self.room.mkdir()
        (self.room / ".job.ad").write_text("A = 1\n")
        self.map("* x:// delete,-v\n")
        self.program('echo "$*" >>$top/calls')
        self.settings = CheckpointSettings(str(top / "map"), str(top))
        self.said: list[str] = []

    def map(self, text: str) -> None:
        (self.top / "map").write_text(text)

    def program(self, text: str) -> None:
        (self.top / "delete").write_text(f"#!/bin/sh\ntop={self.top}\n{text}\n")
        (self.top / "delete").chmod(0o755)

    def add(self, kind: str, number: int, *names: str) -> None:
        own = f"_condor_checkpoint_{kind}.{number:04d}"
        listed_as = own.replace("FAILURE", "MANIFEST")
        (self.room / own).write_text("".join(f"00 *{name}\n" for name in (*names, listed_as)))

    def clear(self, *numbers: int, kind: str = "MANIFEST") -> list[str]:
        stem = f"{self.room}/_condor_checkpoint_{kind}"
        return clear("x://y", stem, numbers, self.settings, self.said.append)

    def calls(self) -> list[str]:
        path = self.top / "calls"
        return path.read_text().splitlines() if path.exists() else []


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def test_every_file_of_a_checkpoint_is_deleted_where_it_is(site: Site) -> None:
    site.add("MANIFEST", 0, "a", "d/b c")
    site.add("FAILURE", 12, "e")
    assert site.clear(0, 12) == []
    ad = f"-jobad {site.room}/.job.ad"
    assert site.calls() == [
        f"-v -from x://y/0000 -delete a {ad}", f"-v -from x://y/0000 -delete d/b c {ad}",
        f"-v -from x://y/0012 -delete e {ad} -ignore-missing-files",
    ]  # fmt: skip
    assert site.said == [
        f"Removing {path} after successful clean-up.\n" for path in (f"{site.room}/.job.ad", f"{site.room}")
    ]
    assert not site.room.exists()


def test_the_lists_of_failed_ones_may_be_named(site: Site) -> None:
    site.add("FAILURE", 3, "e")
    assert site.clear(3, kind="FAILURE") == []
    assert "-ignore-missing-files" not in site.calls()[0], "as the caller says"
    assert not site.room.exists()


def test_a_directory_with_something_in_it_stays(site: Site) -> None:
    site.add("MANIFEST", 0, "a")
    site.add("MANIFEST", 1, "b")
    assert site.clear(0) == []
    assert sorted(os.listdir(site.room)) == [".job.ad", "_condor_checkpoint_MANIFEST.0001"]
    assert site.said == []
    assert site.clear(1) == []
    assert not site.room.exists()


def test_a_checkpoint_that_cannot_be_deleted_keeps_its_list(site: Site) -> None:
    site.add("MANIFEST", 0, "a")
    site.add("MANIFEST", 1, "b")
    site.program('case "$*" in *0000*) echo "no way"; exit 4;; esac')
    (error,) = site.clear(0, 1)
    program = f"'{site.top}/delete -v -from x://y/0000 -delete a -jobad {site.room}/.job.ad'"
    assert error == f"Failure running {program}: exit code was 4, aborting.\n(Output: 'no way\n')\n"
    assert sorted(os.listdir(site.room)) == [".job.ad", "_condor_checkpoint_MANIFEST.0000"]
    site.program("exit 4")
    assert site.clear(0)[0].endswith("exit code was 4, aborting.\n")


def test_what_is_no_program_is_told(site: Site) -> None:
    site.add("MANIFEST", 0, "a")
    (site.top / "delete").write_text("no program")
    assert "': 8 (Exec format error), aborting." in site.clear(0)[0]
    (site.top / "delete").unlink()
    missing = f"Clean-up plug-in for 'x://y/0000' ({site.top}/delete) does not exist, aborting"
    assert site.clear(0) == [missing]
    site.map("* z:// delete\n")
    assert site.clear(0) == ["Failed to find checkpoint destination x://y/0000 in map file, aborting"]
    (site.top / "map").unlink()
    assert site.clear(0) == [f"Failed to parse checkpoint destination map file ({site.top}/map), aborting"]
    assert site.calls() == []


def test_our_own_program_is_found_where_the_site_has_none(site: Site) -> None:
    site.add("MANIFEST", 0, "a")
    files = site.top / "files" / "y" / "0000"
    files.mkdir(parents=True)
    (files / "a").touch()
    site.map(f"* x:// /no/such/cleanup_locally_mounted_checkpoint,-prefix,x://,-path,{site.top}/files\n")
    assert site.clear(0) == []
    assert not (files / "a").exists()


def test_a_map_may_include_another(site: Site) -> None:
    site.add("MANIFEST", 0, "a")
    (site.top / "more").write_text("* x:// delete,-more\n")
    site.map("@include more\n")
    assert site.clear(0) == []
    assert site.calls()[0].startswith("-more -from ")


def test_a_directory_that_is_gone_is_told(site: Site) -> None:
    (site.room / ".job.ad").unlink()
    site.room.rmdir()
    with pytest.raises(CondorError, match=f"Unable to check contents of '{site.room}', aborting."):
        site.clear()
    waits = Waiting(str(site.room), None, "x://y")
    assert clear_waiting(waits, site.settings) == [], "another process was quicker"


def test_time_is_shared_by_all_files(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.add("MANIFEST", 0, "a", "b", "c")
    patience: list[float] = []
    now = [100.0]

    def run(command: list[str], timeout: float, pool: object) -> None:
        patience.append(timeout)
        now[0] += 4.0

    monkeypatch.setattr(checkpointcleanup, "_run", run)
    monkeypatch.setattr(checkpointcleanup.time, "monotonic", lambda: now[0])
    site.settings = site.settings.changed(file_timeout=5)
    stem = f"{site.room}/_condor_checkpoint_MANIFEST"
    late = "Out of time before all files were deleted, aborting."
    assert clear("x://y", stem, [0], site.settings, site.said.append, 108.0) == [late]
    assert patience == [5, 4.0]
    assert clear("x://y", stem, [0], site.settings, site.said.append) == []
    assert patience[2:] == [5, 5, 5]


@pytest.mark.parametrize(
    ("as_owner", "root", "ids", "who"),
    [
        (True, True, (1, 1), None), (False, False, (1, 1), None), (False, True, (1, 1), "daemon"),
        (False, True, None, "condor"), (False, True, "gone", None),
    ],
)  # fmt: skip
def test_the_account_of_the_pool(
    monkeypatch: pytest.MonkeyPatch, as_owner: bool, root: bool, ids: Any, who: str | None
) -> None:
    def named(name: str) -> Account:
        if ids == "gone":
            raise UnknownAccount(name)
        return Account(name, 5, 5, "/", ())

    monkeypatch.setattr(checkpointcleanup, "account", named)
    monkeypatch.setattr(checkpointcleanup.os, "getuid", lambda: 0 if root else 7)
    settings = CheckpointSettings("/map", "/libexec").changed(
        as_owner=as_owner, pool_ids=None if ids == "gone" else ids
    )
    found = checkpointcleanup._pool_account(settings)
    assert (None if found is None else found.name) == who


def test_what_waits_is_found_with_its_ad(tmp_path: Path) -> None:
    assert list(all_waiting(str(tmp_path))) == []
    top = tmp_path / "checkpoint-cleanup"
    for name in ("bob/2", "bob/1", "ann/3", "ann/none"):
        (top / name).mkdir(parents=True)
        if not name.endswith("none"):
            text = f'CheckpointDestination = "x://y/"\nGlobalJobId = "a#{name[-1]}"\nOdd\n'
            (top / name / ".job.ad").write_text(text)
    (top / "file").touch()
    found = list(all_waiting(str(tmp_path)))
    assert [(each.directory, each.url) for each in found] == [
        (f"{top}/{name}", f"x://y/a_{name[-1]}") for name in ("ann/3", "bob/1", "bob/2")
    ]
