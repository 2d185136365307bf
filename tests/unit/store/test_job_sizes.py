"""The sizes of jobs of the past: what requests follow, the file in the spool, and what is left when it is not."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from condor_py.core.jobs.autorequests import Sizing
from condor_py.core.jobs.events import SizesFound
from condor_py.daemons.schedd.jobsizes import JobSizes
from condor_py.lang.classad import ClassAd, quote_string
from condor_py.model.errors import StoreError
from condor_py.model.settings.sizing import AutoRequests
from condor_py.model.sizes import MOST_KINDS, Like, Size, Sizes, Sketch, disk_request, memory_request
from condor_py.store import job_sizes
from condor_py.store.fs import RealFs
from condor_py.store.history import HistoryWriter

SORT = Like("alice", "/bin/sort", "monday")
RULE = AutoRequests()


def _learnt(*megabytes: int, like: Like = SORT, **rule: Any) -> Sizes:
    sizes = Sizes(AutoRequests(**rule))
    for mb in megabytes:
        sizes.learn(like, Size(mb * 1024, 0))
    return sizes


def _memory(sizes: Sizes, like: Like = SORT) -> int | None:
    asked = sizes.asked(like)
    return None if asked is None else asked.memory


@pytest.mark.parametrize("part", [0.01, 0.5, 0.9, 0.99, 1.0])
def test_a_quantile_is_right_to_five_per_cent_from_above(part: float) -> None:
    sketch = Sketch()
    values = [1000 + 37 * number for number in range(500)]
    for value in values:
        sketch.add(value)
    exact = sorted(values)[max(0, -(-len(values) * part // 1).__int__() - 1)]
    assert exact <= sketch.quantile(part) * 1.0001 <= exact * 1.05


def test_old_jobs_count_less_and_less() -> None:
    sizes = _learnt(*[8000] * 600)
    assert _memory(sizes) == 9856
    for _ in range(12_000):
        sizes.learn(SORT, Size(500 * 1024, 0))
    assert _memory(sizes) == 640


def test_odd_sizes() -> None:
    sketch = Sketch()
    for value in (0, -5, 1, 0.25, 1e300, float("inf")):
        sketch.add(value)
    assert (sketch.total, sketch.quantile(0.01), Sketch().quantile(0.5)) == (6, 1.0, 0.0)
    assert sketch.quantile(1) == 2.0**50


def test_requests_are_rounded_as_slots_are() -> None:
    assert [memory_request(kb, 1.2) for kb in (1, 100 * 1024, 107 * 1024)] == [128, 128, 256]
    assert [disk_request(kb, 1.0) for kb in (1, 1024, 1025)] == [1024, 1024, 2048]


def test_another_batch_asks_for_what_its_program_has_shown() -> None:
    sizes = _learnt(900, 900, 900)
    assert _memory(sizes, SORT._replace(batch="tuesday")) == _memory(sizes, SORT._replace(batch="")) == 1152
    assert _memory(sizes, SORT._replace(owner="bob")) is None
    for mb in (2000, 2000, 2000):
        sizes.learn(SORT._replace(batch="tuesday"), Size(mb * 1024, 0))
    assert (_memory(sizes), _memory(sizes, SORT._replace(batch="tuesday"))) == (1152, 2560)


def test_the_kind_that_ended_least_recently_leaves() -> None:
    sizes = Sizes(RULE)
    for number in range(MOST_KINDS + 50):
        for _ in range(3):
            sizes.learn(Like("alice", f"/bin/{number}"), Size(1024, 0))
    assert len(sizes) == MOST_KINDS
    assert (_memory(sizes, Like("alice", "/bin/49")), _memory(sizes, Like("alice", "/bin/50"))) == (None, 128)
    assert len(json.dumps(sizes.saved())) < 200_000


# -- the file ---------------------------------------------------------------------------------------------------------


def _spool(tmp_path: Path) -> str:
    return str(tmp_path / job_sizes.JOB_SIZES)


def test_what_is_saved_comes_back(tmp_path: Path) -> None:
    odd = Like("zoë", '/home/"a b"/\udcff\n', "\x00 *** ")
    sizes = _learnt(900, 900, 900)
    sizes.learn(odd, Size(5, 7))
    job_sizes.save(_spool(tmp_path), sizes.saved(), 77)
    kinds, until = job_sizes.read(_spool(tmp_path))
    again = Sizes(RULE)
    again.restore(kinds)
    assert (until, again.saved()) == (77, sizes.saved())
    assert _memory(again) == 1152
    assert os.stat(_spool(tmp_path)).st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "[]", "{}", "null", '{"version": 2, "until": 1, "kinds": []}',
        '{"version": 1, "until": "1", "kinds": []}',
        '{"version": 1, "until": 1, "kinds": {}}', "[" * 100_000, "\x00" * 500,
    ],
)  # fmt: skip
def test_a_file_that_is_none_is_named(tmp_path: Path, text: str) -> None:
    Path(_spool(tmp_path)).write_text(text)
    with pytest.raises(StoreError, match="cannot be understood"):
        job_sizes.read(_spool(tmp_path))


def test_files_that_cannot_be_written_or_read(tmp_path: Path) -> None:
    missing = str(tmp_path / "none/sizes")
    assert job_sizes.read(missing) == ([], 0)
    with pytest.raises(StoreError, match=f"cannot write the sizes of jobs.*{missing}"):
        job_sizes.save(missing, [], 1)
    with pytest.raises(StoreError, match=f"cannot read the sizes of jobs.*{tmp_path}"):
        job_sizes.read(str(tmp_path))
    with open(_spool(tmp_path), "wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(StoreError, match="too large to be the sizes of jobs"):
        job_sizes.read(_spool(tmp_path))


@pytest.mark.parametrize(
    "kind",
    [
        1, [], ["a", "b", "c", []], ["a", "b", 3, [], []], ["a", "b", "c", 1, []], ["a", "b", "c", [[1]], []],
        ["a", "b", "c", [[1, "2"]], []], ["a", "b", "c", [[-1, 2]], []], ["a", "b", "c", [[1, 0]], []],
        ["a", "b", "c", [[10**30, 2]], []], ["a", "b", "c", [[5, 10**30]], []], ["a" * 5000, "b", "c", [], []],
        ["a", "b", "c", [[1.5, 2]], []], ["a", "b", "c", [[True, True]], []],
    ],
)  # fmt: skip
def test_kinds_that_are_none_are_refused(kind: object) -> None:
    with pytest.raises(ValueError):
        Sizes(RULE).restore([kind])


# -- the schedd reads it, and the history -----------------------------------------------------------------------------


class _Schedd:
    """What the finder of sizes needs of a schedd: a spool, a history, a core, an inbox."""

    def __init__(self, tmp_path: Path) -> None:
        self.history = str(tmp_path / "history")
        self.logged: list[str] = []
        self.found: list[SizesFound] = []
        self.sizing = Sizing()
        paths = SimpleNamespace(history=self.history, spool=str(tmp_path))
        core = SimpleNamespace(state=SimpleNamespace(sizing=self.sizing), settings=SimpleNamespace(auto_requests=RULE))
        loop = SimpleNamespace(after=lambda seconds, do: None)
        inbox = SimpleNamespace(news=self.found.append)
        self.finder = JobSizes(SimpleNamespace(loop=loop, core=core, inbox=inbox, log=self.logged.append, paths=paths))  # type: ignore[arg-type]

    def start(self) -> Sizes:
        """What it knows when it starts."""
        self.finder.find()
        self.sizing.found(self.found[-1].sizes)
        return self.found[-1].sizes

    def leaves(self, megabytes: int, when: int, **more: str) -> None:
        """A job completes, and is written to the history."""
        items = {
            "ClusterId": "1", "ProcId": str(when), "Owner": '"alice"', "Cmd": '"/bin/sort"', "JobBatchName": '"monday"',
            "JobStatus": "4", "JobUniverse": "5", "ExitCode": "0", "ExitBySignal": "false",
            "ResidentSetSize_RAW": str(megabytes * 1024), "EnteredCurrentStatus": str(when), **more,
        }  # fmt: skip
        ad = ClassAd.from_text_items(items.items())
        self.sizing.learn(ad)
        HistoryWriter(self.history).append([ad], when)


@pytest.mark.parametrize("saved_after", [0, 1, 3, 6])
def test_a_killed_schedd_knows_as_much_as_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, saved_after: int
) -> None:
    schedd = _Schedd(tmp_path)
    schedd.start()
    for number in range(1, 7):
        schedd.leaves(100 * number, 1000 + number)
        if number == saved_after:
            monkeypatch.setattr("condor_py.daemons.schedd.jobsizes.now", lambda: 1000.0 + saved_after)
            schedd.finder.save()
    assert schedd.sizing.sizes is not None
    assert _Schedd(tmp_path).start().saved() == schedd.sizing.sizes.saved()


class _Dies(RealFs):
    """A file system on which the schedd is killed at the nth step of a write."""

    def __init__(self, steps: int) -> None:
        self.steps = steps

    def _step(self) -> None:
        self.steps -= 1
        if self.steps < 0:
            raise KeyboardInterrupt

    def create(self, path: str, mode: int) -> int:
        self._step()
        return super().create(path, mode)

    def write(self, handle: int, data: bytes) -> None:
        if self.steps == 0:
            super().write(handle, data[: len(data) // 2])
        self._step()
        super().write(handle, data)

    def rename(self, old: str, new: str) -> None:
        self._step()
        super().rename(old, new)


@pytest.mark.parametrize("step", [0, 1, 2, 3])
@pytest.mark.parametrize("before", [False, True])
def test_killed_while_it_saves(tmp_path: Path, step: int, before: bool) -> None:
    schedd = _Schedd(tmp_path)
    schedd.start()
    for number in range(1, 5):
        schedd.leaves(100 * number, 1000 + number)
        if before and number == 2:
            job_sizes.save(_spool(tmp_path), schedd.sizing.sizes.saved(), 1002)  # type: ignore[union-attr]
    known = schedd.sizing.sizes.saved()  # type: ignore[union-attr]
    try:
        job_sizes.save(_spool(tmp_path), known, 1004, _Dies(step))
    except KeyboardInterrupt:
        pass
    again = _Schedd(tmp_path)
    assert again.start().saved() == known
    assert again.logged == []


def test_a_damaged_file_is_only_slower(tmp_path: Path) -> None:
    schedd = _Schedd(tmp_path)
    for number in range(1, 5):
        schedd.leaves(900, 1000 + number)
    Path(_spool(tmp_path)).write_text('{"version": 1, "until": 5, "kinds": [7]}')
    assert _memory(schedd.start()) == 1152
    assert "read from the history" in schedd.logged[0]


def test_hostile_records_of_the_history(tmp_path: Path) -> None:
    schedd = _Schedd(tmp_path)
    nasty = [
        '"x"',
        "error",
        "undefined",
        "-5",
        "1e400",
        "true",
        quote_string("\n***"),
        "10 ** 20",
        "99999999999999999999",
    ]
    for number, text in enumerate(nasty, 1):
        for name in ("ResidentSetSize_RAW", "Owner", "Cmd", "JobBatchName", "ExitCode", "JobUniverse", "DiskUsage_RAW"):
            schedd.leaves(1, 1000 + number, **{name: text})
    with open(schedd.history, "ab") as file:
        file.write(b"\x00\xff ((( = 1\n*** Offset = x\n")
    for number in range(2001, 2005):
        schedd.leaves(900, number)
    assert _memory(schedd.start()) == 1152, "jobs that are sound still count"


def test_no_history(tmp_path: Path) -> None:
    assert len(_Schedd(tmp_path).start()) == 0
