"""Parts of pages in numbers: labels and places of pictures, pages of tables, what ended how, and shares over time."""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from tool_runner import Spool

from condor_py.cli.history import lives
from condor_py.cli.history.lives import Run
from condor_py.cli.userprio.history import Stretch
from condor_py.cli.userprio.quotas import Quota
from condor_py.cli.waiting.alike import Alike
from condor_py.cli.waiting.reasons import Reason
from condor_py.cli.web import errand
from condor_py.cli.web.errand import CannotDo
from condor_py.cli.web.live import Watch
from condor_py.cli.web.page import Asked, BadRequest, NotHere, Viewer
from condor_py.cli.web.pages import history, job, life, pool, queue, shares, why
from condor_py.cli.web.pages.life import _SOON
from condor_py.cli.web.works import State
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.states import JobStatus

NOW = 1_795_888_800
DAY = 86_400


def asked(*path: str, who: str = "ann", administrator: bool = False, **parameters: str) -> Asked:
    return Asked(Viewer(who, administrator), parameters, path, NOW)


# ---- the pool --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("job", "part", "label"),
    [
        ("1.0", 0.039, ""), ("", 0.039, ""), ("1.0", 0.04, "1.0"), ("1.0", 0.08, "1.0"), ("1.0", 0.081, "ann 1.0"),
        ("", 0.04, "ann"), ("", 0.5, "ann"),
    ],
)  # fmt: skip
def test_the_label_of_a_part_of_the_picture(job: str, part: float, label: str) -> None:
    assert pool._label("ann", job, part) == label


@pytest.mark.parametrize(
    ("more", "note"),
    [
        ({}, ""), ({"Offline": True}, "asleep"), ({"Offline": True, "Draining": True}, "asleep"),
        ({"Draining": True}, "drains"), ({"Draining": True, "DrainReason": "x"}, "drains: x"),
        ({"State": "Drained", "DrainReason": "x"}, "drains: x"), ({"DrainReason": "x"}, ""),
        ({"Draining": False, "Offline": False}, ""),
    ],
)  # fmt: skip
def test_why_a_slot_takes_no_jobs(more: dict[str, Any], note: str) -> None:
    ad = ClassAd({"State": "Unclaimed", **more})
    assert pool._note(ad, ad.eval_str("State", "")) == note


def test_a_slot_of_which_little_is_known() -> None:
    assert pool._slot(ClassAd({}), NOW) == {
        "name": "", "kind": "static", "parent": 0, "state": "", "activity": "", "seconds": 0, "cpus": 0.0,
        "memory": 0.0, "disk": 0.0, "gpus": 0.0, "load": 0.0, "user": "", "owner": "", "job": "", "free": False,
        "note": "",
    }  # fmt: skip
    users = [
        ({"RemoteOwner": "a@x"}, "a"), ({"RemoteUser": "b@x", "RemoteOwner": "a@x"}, "b"),
        ({"AccountingGroup": "g.c@x", "RemoteUser": "b@x", "RemoteOwner": "a@x"}, "g.c"),
    ]  # fmt: skip
    assert [pool._slot(ClassAd(more), NOW)["user"] for more, _ in users] == [user for _, user in users]
    times = [pool._slot(ClassAd({"EnteredCurrentActivity": NOW - at}), NOW)["seconds"] for at in (5, 0, -5, NOW)]
    assert times == [5, 0, 0, 0]


def slot(name: str, kind: str, parent: int, **more: Any) -> dict[str, Any]:
    return {
        "name": name, "kind": kind, "parent": parent, "state": "Claimed", "activity": "Busy", "cpus": 1.0,
        "memory": 0.0, "disk": 0.0, "gpus": 0.0, "user": "", "owner": "", "job": "", "free": False, "note": "", **more,
    }  # fmt: skip


def test_slots_in_groups() -> None:
    slots = [
        slot("a", "dynamic", 2), slot("b", "partitionable", 1), slot("c", "partitionable", 2), slot("d", "dynamic", 1),
        slot("e", "static", 1), slot("f", "dynamic", 9),
    ]  # fmt: skip
    assert [[one["name"] for one in group] for group in pool._groups(slots)] == [["b", "d"], ["c", "a"], ["e", "f"]]
    assert pool._groups([slot("b", "partitionable", 1)]) == [[slot("b", "partitionable", 1)]]
    assert sum(map(len, pool._groups([slot("s", "static", 0)] * 1005))) == 1000


def test_a_part_of_the_picture() -> None:
    used = slot("slot1_1", "dynamic", 1, user="ann", job="1.0", cpus=2.0, memory=1500.0)
    drawn = str(pool._part(used, "cpus", 0.25, 0.5, 40))
    assert drawn.startswith('<a href="/queue/1.0"><svg x="25.0000%" y="40" width="50.0000%" height="30"><title>')
    assert "slot1_1: ann, job 1.0, busy\nCores: 2, Memory: 1.5 GB</title>" in drawn
    assert '<rect x="0.5" y="0.5" width="100%" height="29" rx="2" class="part user-' in drawn
    assert '<text x="6" y="19" class="on-colour">ann 1.0</text>' in drawn
    free = str(pool._part(slot("slot2", "static", 2, state="Owner"), "cpus", 0.0, 1.0, 0))
    assert free.startswith("<svg ")
    assert "slot2: Owner, busy\nCores: 1</title>" in free
    assert 'class="part free"' in free
    assert '<text x="6" y="19" class="faint">Owner</text>' in free


def bar(total: float, field: str = "cpus", *slots: dict[str, Any], partitionable: bool = True) -> str:
    group = {
        "name": "x", "partitionable": partitionable, "slots": list(slots),
        "totals": {name: {"used": 1.0, "total": total} for name in ("cpus", "memory", "disk", "gpus")},
    }  # fmt: skip
    row = next(row for row in pool._RESOURCES if row[0] == field)
    return "".join(map(str, pool._bar(group, row, 100)))


def test_a_bar_of_the_picture() -> None:
    assert bar(8.0).startswith(
        '<text x="0" y="114" class="strong">Cores</text><text x="100%" y="114" text-anchor="end" class="faint">'
        '1 of 8 in use</text><rect x="0" y="120" width="100%" height="30" rx="3" class="free"></rect>'
    )
    assert [bar(total).count('class="mark"') for total in (1.0, 2.0, 128.0, 129.0, 2.5)] == [0, 1, 127, 0, 0]
    assert '<line x1="50.0000%" x2="50.0000%" y1="120" y2="150" class="mark">' in bar(2.0)
    assert [bar(2.0, field).count('class="mark"') for field in ("memory", "disk", "gpus")] == [0, 0, 1]
    free = slot("f", "static", 0, state="Owner", free=True)
    own, other = slot("o", "dynamic", 0, user="bea"), slot("p", "dynamic", 0, user="ann")
    drawn = bar(4.0, "cpus", free, own, other, partitionable=False)
    assert [word for word in ("p: ann", "o: bea", "f: Owner") if word in drawn] == ["p: ann", "o: bea", "f: Owner"]
    assert drawn.index("p: ann") < drawn.index("o: bea") < drawn.index("f: Owner")
    assert 'x="25.0000%"' in drawn
    assert "f: Owner" not in bar(4.0, "cpus", free, own, other)
    assert "o: bea" not in bar(4.0, "gpus", own)


def test_the_legend_names_those_in_the_picture() -> None:
    assert pool.legend([{"name": "ann", "slots": 1}, {"name": "bea", "slots": 0}]) == ["ann"]
    assert (pool._rounded(None), pool._rounded(0.126)) == (None, 0.13)


# ---- the queue -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "page", "found"),
    [(0, "", (0, 1)), (100, "", (0, 1)), (101, "", (0, 2)), (101, "2", (1, 2)), (101, "3", (1, 2)), (250, "2", (1, 3)),
     (250, "0", (0, 3))],
)  # fmt: skip
def test_pages_have_a_hundred_rows(rows: int, page: str, found: tuple[int, int]) -> None:
    assert queue._page(asked(page=page), rows) == found


@pytest.mark.parametrize(("word", "number"), [("7", 7), ("999999999", 999999999), ("0", 0)])
def test_numbers_of_clusters(word: str, number: int) -> None:
    assert queue._number(word) == number


@pytest.mark.parametrize("word", ["", "x", "-1", "1000000000", "٣", "²", "1x"])
def test_what_is_no_number_of_a_cluster(word: str) -> None:
    with pytest.raises(NotHere, match=r"^There is no such job\.$"):
        queue._number(word)


@pytest.mark.parametrize(
    ("text", "has"),
    [("nig", True), ("ht 2", True), ("an", True), ("17", True), ("17.3", True), ("1", False), ("x", False),
     ("٣", False), ("0000000017", False), ("000000017", True), (".17", False)],
)  # fmt: skip
def test_texts_that_batches_are_found_by(text: str, has: bool) -> None:
    group: Any = SimpleNamespace(name="Night 2", owner="Ann", clusters={17, 20})
    assert queue._has_text(group, text) is has


def test_jobs_of_a_batch_from_a_place_on() -> None:
    procs = {5: [0, 1, 2], 6: [], 7: [0, 4]}
    jobs: Any = SimpleNamespace(
        clusters={number: Counter({None: len(each)}) for number, each in procs.items()},
        view=SimpleNamespace(procs=procs.__getitem__),
    )
    group: Any = SimpleNamespace(clusters={7, 5, 6})
    every = ["5.0", "5.1", "5.2", "7.0", "7.4"]
    for start in range(7):
        assert [str(each) for each in queue._members(jobs, group, False, start)] == every[start:]
        assert [str(each) for each in queue._members(jobs, group, True, start)] == every[::-1][start:]


def test_states_have_words() -> None:
    assert [job.state(status) for status in (1, 2, 3, 4, 5, 6, 7, 0, 99)] == [
        "idle", "running", "removed", "completed", "held", "transferring_output", "suspended", "unknown", "unknown"
    ]  # fmt: skip


def fill(spool: Spool, count: int) -> Watch:
    for number in range(1, count + 1):
        spool.add(number, 1, owner=f"user{number % 7}", JobBatchName=f'"b{number:03}"')
    return Watch()


def test_batches_of_a_page_in_both_orders(spool: Spool) -> None:
    watch = fill(spool, 103)
    for words, first, count in (
        ({}, 1, 100), ({"page": "2"}, 101, 3), ({"order": "down"}, 103, 100), ({"order": "down", "page": "2"}, 3, 3),
        ({"order": "up"}, 1, 100), ({"sort": "name", "order": "down"}, 103, 100), ({"sort": "owner"}, 7, 100),
        ({"sort": "owner", "page": "2"}, 83, 3),
    ):  # fmt: skip
        found = queue.view(watch, asked(**words))
        assert (found["batches"][0]["cluster"], len(found["batches"])) == (first, count), words
        assert (found["found"], found["pages"], found["page"]) == (103, 2, int(words.get("page", 1)))
        assert (found["order"], found["sort"]) == (words.get("order", "up"), words.get("sort", "job"))


# ---- a job -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ad", "ending"),
    [
        ({"JobStatus": 5, "HoldReason": "no disk"}, "on hold: no disk"),
        ({"JobStatus": 5, "HoldReason": ""}, "on hold: no reason is given"),
        ({"JobStatus": 3, "RemoveReason": "tired"}, "removed: tired"),
        ({"JobStatus": 3}, "removed: no reason is given"),
        ({"JobStatus": 1, "ExitCode": 3}, ""), ({"JobStatus": 2}, ""), ({"JobStatus": 7}, ""),
        ({"JobStatus": 4}, "ended with exit code 0"), ({"JobStatus": 4, "ExitCode": 3}, "ended with exit code 3"),
        ({"JobStatus": 4, "ExitBySignal": True}, "ended by signal 0"),
        ({"JobStatus": 4, "ExitBySignal": True, "ExitSignal": 9, "ExitCode": 3}, "ended by signal 9"),
        ({"JobStatus": 4, "ExitBySignal": False, "ExitSignal": 9}, "ended with exit code 0"),
    ],
)  # fmt: skip
def test_how_a_job_ended(ad: dict[str, Any], ending: str) -> None:
    assert job._ending(ClassAd(ad), ad["JobStatus"]) == ending


@pytest.mark.parametrize(
    ("ad", "status", "seconds"),
    [
        ({"ShadowBday": NOW - 50}, 2, 50), ({"ShadowBday": NOW + 50}, 2, 0), ({"ShadowBday": NOW - 50}, 6, 50),
        ({"ShadowBday": NOW - 50}, 7, 50), ({"ShadowBday": NOW - 50}, 1, None),
        ({"ShadowBday": NOW - 50, "RemoteWallClockTime": 7.9}, 4, 7), ({"RemoteWallClockTime": 7.9}, 2, 7),
        ({"RemoteWallClockTime": 0.0}, 4, None), ({}, 2, None),
    ],
)  # fmt: skip
def test_how_long_a_job_ran(ad: dict[str, Any], status: int, seconds: int | None) -> None:
    assert job._seconds(ClassAd(ad), status, NOW) == seconds


@pytest.mark.parametrize(
    ("ad", "whole", "command"),
    [
        ({"Cmd": "/bin/sleep", "Arguments": "60"}, False, "sleep"),
        ({"Cmd": "/bin/sleep", "Arguments": "60"}, True, "sleep 60"),
        ({"Cmd": "sleep"}, False, "sleep"),
        ({"Cmd": "/bin/x", "JobDescription": "test"}, False, "test"),
        ({}, False, ""),
    ],
)
def test_what_a_job_runs(ad: dict[str, Any], whole: bool, command: str) -> None:
    assert job.command(ClassAd(ad), whole) == command


@pytest.mark.parametrize(
    ("ad", "resources"),
    [
        ({}, []), ({"RequestCpus": 0}, []), ({"RequestCpus": 2}, [("cores", 2.0, None, None)]),
        ({"DiskUsage": 5}, [("disk", None, None, 5.0)]), ({"MemoryProvisioned": 7}, [("memory", None, 7.0, None)]),
        ({"RequestGPUs": 1, "GPUsProvisioned": 2, "GPUsAverageUsage": 0.5, "RequestMemory": 3},
         [("memory", 3.0, None, None), ("GPUs", 1.0, 2.0, 0.5)]),
    ],
)  # fmt: skip
def test_resources_of_a_job(ad: dict[str, Any], resources: list[tuple[Any, ...]]) -> None:
    assert [tuple(each.values()) for each in job._resources(ClassAd(ad))] == resources


@pytest.mark.parametrize(
    ("ad", "ended"),
    [({"CompletionDate": 5, "EnteredCurrentStatus": 7}, 5), ({"CompletionDate": 0, "EnteredCurrentStatus": 7}, 7),
     ({"EnteredCurrentStatus": 7}, 7), ({}, None)],
)  # fmt: skip
def test_when_a_job_of_the_history_ended(ad: dict[str, Any], ended: int | None) -> None:
    assert job._ended(ClassAd(ad)) == ended


def test_the_words_of_the_picture_of_memory() -> None:
    told = [{"time": NOW, "memory": 50}, {"time": NOW + 60, "memory": 200}]
    drawn = str(job.picture({"events": told, "resources": [{"name": "memory", "asked": 100.0}], "life": None}))
    assert 'viewBox="0 0 720 160"' in drawn
    assert '<text x="60" y="156" class="faint">start</text>' in drawn
    assert '<text x="712" y="156" class="faint" text-anchor="end">1 min 00 s</text>' in drawn
    assert '<text x="54" y="82.91" class="faint" text-anchor="end">100 MB</text>' in drawn
    assert 'points="60,78.91 712,78.91" class="limit"' in drawn
    assert 'points="60,108.45 712,19.82" class="line"' in drawn


def test_the_history_is_searched_for_a_moment(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock is looked at with every 64th record, from the first on."""
    text = ""
    for proc in range(200):
        begin = len(text)
        text += f'ClusterId = 7\nProcId = {proc}\nOwner = "ann"\nCmd = "/bin/x"\n'
        text += f'*** Offset = {begin} ClusterId = 7 ProcId = {proc} Owner = "ann" CompletionDate = 0\n'
    (spool.path.parent / "history").write_text(text)
    watch = Watch()
    monkeypatch.setattr(job, "_PATIENCE", 5.0)
    for looks, found in ((1, 65), (2, 129), (9, 200)):
        clock = iter([0.0, *[5.0] * looks, *[5.1] * 9])
        monkeypatch.setattr(time, "monotonic", lambda clock=clock: next(clock))
        assert [one.proc for one, _ in job.left(watch, 7)] == list(range(199, 199 - found, -1))
    monkeypatch.setattr(time, "monotonic", lambda: 0.0)
    assert list(job.left(watch, 8)) == []


# ---- lives -----------------------------------------------------------------------------------------------------------


def run(proc: int = 0, begin: int = NOW, kind: int = lives.COMPLETED, **more: Any) -> Run:
    return Run(7, proc, 0, NOW - 60, begin, 0, 0, begin + 60, kind, "", "", 1.0, 0.0)._replace(**more)


class Works:
    """The work of a child, which is known or not, and what it is asked."""

    def __init__(self, patch: pytest.MonkeyPatch, known: bool, state: State) -> None:
        self.asked: list[tuple[Any, ...]] = []
        self._known, self._state = known, state
        patch.setattr(life, "works_of", lambda watch: self)

    def knows(self, *what: Any) -> bool:
        return self._known

    def ask(self, *what: Any) -> State:
        self.asked.append(what)
        return self._state


WANTED = life.Wanted((7,), None, NOW)


def test_runs_that_are_read_soon_need_no_child(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    works = Works(monkeypatch, False, State(None, 0.0, 1.0, 0, "", 2.0))
    deadlines: list[Any] = []

    def recorded(pool: Any, wanted: Any, *, deadline: float) -> Any:
        deadlines.append(deadline)
        return [run(1)], True

    monkeypatch.setattr(life, "recorded", recorded)
    monkeypatch.setattr(life, "_SOON", _SOON)
    watch = Watch()
    monkeypatch.setattr(time, "monotonic", lambda: 100.0)
    found = life.shown(watch, WANTED, [run(2)])
    assert (len(found["runs"]["lanes"]), found["note"], found["again"], works.asked) == (2, "", 0.0, [])
    assert deadlines == [100.05]


@pytest.mark.parametrize(
    ("state", "note", "again"),
    [
        (State(None, 0.0, 1.0, 0, "", 2.0), "The records of runs are being read.", 2.0),
        (State(None, 0.0, None, 0, "it is too slow", 2.0), "it is too slow", 0.0),
        (State({"note": "done"}, 1.0, None, 0, "", 2.0), "done", None),
    ],
)
def test_what_a_child_has_read(
    spool: Spool, monkeypatch: pytest.MonkeyPatch, state: State, note: str, again: float | None
) -> None:
    works = Works(monkeypatch, True, state)
    monkeypatch.setattr(life, "recorded", lambda *_, **__: pytest.fail("the child has begun"))
    found = life.shown(Watch(), WANTED, [run(2)])
    assert (found["note"], found.get("again")) == (note, again)
    ((name, key, request),) = works.asked
    assert (name, key) == ("lives", repr(WANTED))
    assert {**request, "known": len(request["known"])} == {"clusters": (7,), "proc": None, "since": NOW, "known": 1}


class Entry:
    """A record of runs."""

    def __init__(self, name: str = "7.0", kind: str = "EPOCH") -> None:
        self._job = JobId(*map(int, name.split("."))) if name else None
        self._kind = kind

    def job(self) -> JobId | None:
        return self._job

    def kind(self) -> str:
        return self._kind

    def ad(self) -> ClassAd:
        assert self._job is not None
        return ClassAd({
            "ClusterId": self._job.cluster, "ProcId": self._job.proc, "JobCurrentStartDate": NOW,
            "EpochWriteDate": NOW + 60, "UsageRecord": "30 1.50 100 5.0; 60 0.50 300 6.0",
        })  # fmt: skip


def records(patch: pytest.MonkeyPatch, *entries: Entry) -> None:
    patch.setattr(life, "epoch_records", lambda pool, since: iter(entries))


def test_which_records_are_runs_of_a_job(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [Entry(""), Entry("7.0"), Entry("7.1"), Entry("8.0"), Entry("7.0", "SPAWN"), Entry("7.0")]
    records(monkeypatch, *entries)
    steps: list[int] = []
    noted: Any = SimpleNamespace(at=steps.append)
    found, whole = life.recorded(Any, life.Wanted((7,), 0, 0), steps=noted)  # type: ignore[arg-type]
    assert ([each.proc for each in found], whole, steps) == ([0, 0], True, [0, 1, 2, 3, 4, 5])
    assert all(each.points for each in found)
    of_batch, _ = life.recorded(Any, life.Wanted((7, 8), None, 0))  # type: ignore[arg-type]
    assert [each.job for each in of_batch] == ["7.0", "7.1", "8.0", "7.0"]
    assert not any(each.points for each in of_batch), "the use of runs of a batch is not drawn"


@pytest.mark.parametrize(("most", "count", "whole"), [(2, 2, False), (3, 3, True), (4, 3, True), (0, 0, False)])
def test_only_the_newest_records_are_read(monkeypatch: pytest.MonkeyPatch, most: int, count: int, whole: bool) -> None:
    records(monkeypatch, *[Entry()] * 3)
    found, all_of_them = life.recorded(Any, WANTED, most=most)  # type: ignore[arg-type]
    assert (len(found), all_of_them) == (count, whole)


def test_reading_ends_in_time_and_with_enough_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    records(monkeypatch, *[Entry()] * 5)
    clock = iter([1.0, 2.0, 3.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    found, whole = life.recorded(Any, WANTED, deadline=2.0)  # type: ignore[arg-type]
    assert (len(found), whole) == (2, False)
    monkeypatch.setattr(lives, "MOST_RUNS", 3)
    found, whole = life.recorded(Any, life.Wanted((7,), 0, 0))  # type: ignore[arg-type]
    assert (len(found), whole) == (3, True)


def test_use_so_far_of_a_run(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[Any] = ["30 1.50 100 5.0", "", 5, ["30 1.50 100 5.0"], None, "odd", CannotDo("no")]
    asked_as: list[str] = []

    def as_owner(name: str, work: Any) -> Any:
        asked_as.append(name)
        answer = answers.pop(0)
        if isinstance(answer, CannotDo):
            raise answer
        return answer

    monkeypatch.setattr(life, "as_owner", as_owner)
    going = run(kind=lives.RUNNING)
    watch = Watch()
    found = [life.with_use(watch, Viewer("ann", False), JobId(7, 0), going) for _ in range(7)]
    assert [len(each.points) for each in found] == [1, 0, 0, 0, 0, 0, 0]
    assert asked_as == ["ann"] * 7
    over = run()
    assert life.with_use(watch, Viewer("ann", False), JobId(7, 0), over) is over


def test_charts_of_a_life() -> None:
    nothing = life.drawn(WANTED, [])
    assert nothing == {
        "runs": None,
        "cores": None,
        "memory": None,
        "disk": None,
        "events": [],
        "note": "",
        "again": 0.0,
    }
    one = life.drawn(life.Wanted((7,), 0, 0), [run()])
    assert (one["runs"]["title"], one["runs"]["kind"], one["cores"]) == ("Runs", "gantt", None)
    assert one["events"][0]["text"] == "submitted"
    with pytest.raises(NotHere):
        life.PICTURES["memory"]({"life": one})
    for data in ({}, {"life": None}):
        with pytest.raises(NotHere, match="No runs are recorded"):
            life.PICTURES["runs"](data)


def test_of_very_many_bars_the_newest_of_each_lane_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(life, "_MOST_BARS", 4)
    found = life.drawn(WANTED, [run(proc, NOW + 100 * at) for proc in (0, 1) for at in range(4)])
    begins = [[bar["begin"] for bar in lane["bars"]] for lane in found["runs"]["lanes"]]
    assert begins == [[NOW + 200, NOW + 300]] * 2


# ---- why -------------------------------------------------------------------------------------------------------------


def members(*procs: list[int], since: int = 5, **reason: Any) -> list[Alike]:
    return [Alike(7 + at, each, False, [Reason("cpus", **reason)], since) for at, each in enumerate(procs)]


@pytest.mark.parametrize(
    ("starts", "found"),
    [
        ({}, None),
        ({"8": [[0, 50, 40, 60]]}, None),
        ({"7": [[5, 50, 40, 60]]}, None),
        ({"7": [[0, 50, 40, 60]]}, {"at": 50, "early": 40, "late": 60, "last": None}),
        ({"7": [[0, 50, 40, 60], [1, 70, 60, 90]]}, {"at": 50, "early": 40, "late": 60, "last": 70}),
        ({"7": [[1, 70, 60, 90], [0, 50, 40, 60]]}, {"at": 50, "early": 40, "late": 60, "last": 70}),
        ({"7": [[0, 50, 0, 0], [1, 50, 0, 0]]}, {"at": 50, "early": 0, "late": 0, "last": None}),
    ],
)
def test_when_jobs_are_expected_to_start(starts: Any, found: Any) -> None:
    """The last start is told only where that of each of them is known."""
    assert why._starts(members([0, 1]), starts) == found


def batches(**groups: tuple[str, str, int]) -> Any:
    of = {int(cluster[1:]): SimpleNamespace(owner=o, name=n, first=f) for cluster, (o, n, f) in groups.items()}
    return SimpleNamespace(batches=SimpleNamespace(group_of=of.get))


def test_rows_of_jobs_that_wait() -> None:
    watch = batches(c7=("ann", "night", 7), c8=("ann", "night", 7), c9=("bea", "x", 9))
    found = [
        *members([0, 1], [3]), Alike(9, [4], False, [Reason("never", final=True)], 0),
        Alike(10, [0], False, [], 3), Alike(8, [9], True, [Reason("held")], 1),
    ]  # fmt: skip
    result = {"starts": {"7": [[0, 50, 0, 0]], "10": [[0, 20, 0, 0]]}}
    rows = why._waiting(watch, found, State(result, 1.0, None, 0, "", 0.0))
    shown = [
        tuple(row[name] for name in ("owner", "batch", "first_cluster", "jobs", "example", "since", "never"))
        for row in rows
    ]
    assert shown == [
        ("?", "ID: 10", 10, 1, "10.0", 3, False), ("ann", "night", 7, 3, "7.0", 5, False),
        ("bea", "x", 9, 1, "9.4", 0, True),
    ]  # fmt: skip
    assert [row["starts"] and row["starts"]["at"] for row in rows] == [20, 50, None]


def test_rows_of_jobs_that_are_held() -> None:
    watch = batches(
        **{f"c{number}": ("ann" if number < 14 else "bea", f"b{number}", number) for number in range(7, 15)}
    )
    found = [
        Alike(number, [0] * (number - 6), True, [Reason("disk", "more")], number * (number != 9))
        for number in range(9, 15)
    ]
    found += [Alike(7, [3], True, [Reason("cpu")], 0), Alike(8, [4], True, [], 2), *members([0])]
    first, none, second = why._held(watch, found)
    assert {name: first[name] for name in first if name != "batches"} == {
        "what": "disk", "help": "more", "jobs": 3 + 4 + 5 + 6 + 7 + 8, "since": 10, "example": "9.0",
        "owners": ["ann", "bea"], "more_batches": 1,
    }  # fmt: skip
    assert [(one["batch"], one["jobs"]) for one in first["batches"]] == [(f"b{n}", n - 6) for n in range(14, 9, -1)]
    assert (none["what"], none["help"], none["since"], none["example"], none["more_batches"]) == ("", "", 2, "8.4", 0)
    assert (second["what"], second["since"]) == ("cpu", 0)


# ---- shares ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"), [("", None), (" ", None), ("1", 1.0), (" 2.5 ", 2.5), ("10", 10.0), ("1e1", 10.0)]
)
def test_numbers_of_an_address(text: str, value: float | None) -> None:
    assert shares._real(asked(quota=text), "quota", 1.0, 10.0) == value


@pytest.mark.parametrize("text", ["0.99", "10.01", "nan", "inf", "-5", "x", "٣", "1,5"])
def test_what_is_no_number_of_an_address(text: str) -> None:
    with pytest.raises(BadRequest, match=r"^quota is a number from 1 to 10, not "):
        shares._real(asked(quota=text), "quota", 1.0, 10.0)


def test_long_words_of_an_address_are_cut() -> None:
    assert (shares._short("x" * 60), shares._short("x" * 61)) == ("x" * 60, "x" * 57 + "...")
    assert shares._short("a\x1bb") == "a?b"


def quota(name: str, depth: int = 0, dynamic: bool = False, configured: float = 0.25) -> Quota:
    return Quota(name, depth, configured, dynamic, False, 1.0, 1.0, 1.0, 1.0)


GROUPS = [
    quota("physics"),
    quota("physics.higgs", 1),
    quota("physics.higgs.x", 2),
    quota("physics.y", 1),
    quota("chemistry"),
]


def test_what_a_group_and_its_subgroups_use() -> None:
    use = {"physics": 1.0, "physics.higgs": 2.0, "physics.y": 8.0, "chemistry": 16.0}
    found = [shares._with_subgroups(GROUPS, at, use) for at in range(5)]
    assert found == [11.0, 2.0, 0.0, 8.0, 16.0]


@pytest.mark.parametrize(
    ("words", "group", "quota_"),
    [
        ({}, None, 0.0),
        ({"group": "physics"}, "physics", 0.25),
        ({"group": " PHYSICS "}, "physics", 0.25),
        ({"group": "physics", "quota": "3"}, "physics", 3.0),
        ({"group": "physics", "quota": "4.0"}, "physics", 4.0),
        ({"group": "physics", "quota": "3", "slider_group": "chemistry"}, "physics", 0.25),
        ({"group": "physics", "quota": "3", "slider_group": "physics"}, "physics", 3.0),
    ],
)
def test_the_group_whose_quota_is_another(words: dict[str, str], group: str | None, quota_: float) -> None:
    found, value = shares._other_quota(asked(**words), GROUPS, 3.5)
    assert (found and found.name, value) == (group, quota_)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ({"group": "biology"}, "^group: biology is no accounting group of this pool"),
        ({"group": "<none>"}, "^group: <none> is no accounting group of this pool"),
        ({"group": "physics", "quota": "4.1"}, "^quota is a number from 0 to 4, not 4.1$"),
        ({"group": "part", "quota": "1.1"}, "^quota is a number from 0 to 1, not 1.1$"),
    ],
)
def test_quotas_that_there_are_not(words: dict[str, str], problem: str) -> None:
    with pytest.raises(BadRequest, match=problem):
        shares._other_quota(asked(**words), [*GROUPS, quota("part", 0, True), quota(shares.ROOT)], 3.5)


def user(name: str, **more: Any) -> ClassAd:
    return ClassAd(
        {"Name": f"{name}@d", "Priority": 500.0, "PriorityFactor": 100.0, "IsAccountingGroup": False, **more}
    )


@pytest.mark.parametrize(
    ("words", "factor"),
    [
        ({"user": "ann@d"}, 7.0),
        ({"user": " ann@d "}, 7.0),
        ({"user": "bea@d"}, 100.0),
        ({"user": "ann@d", "factor": "5"}, 5.0),
        ({"user": "ann@d", "power": "3"}, 1000.0),
        ({"user": "ann@d", "power": "2.5"}, 316.0),
        ({"user": "ann@d", "power": "3", "factor": "5"}, 5.0),
        ({"user": "ann@d", "power": "3", "slider_user": "bea@d"}, 7.0),
        ({"user": "ann@d", "power": "3", "slider_user": "ann@d"}, 1000.0),
        ({"user": "ann@d", "power": "0"}, 1.0),
        ({"user": "ann@d", "factor": "1"}, 1.0),
    ],
)
def test_the_user_whose_factor_is_another(words: dict[str, str], factor: float) -> None:
    found = shares._other_factor(asked(**words), [user("ann"), user("bea")], {"ann@d": SimpleNamespace(factor=7.0)})
    assert found == (words["user"].strip(), factor)
    assert shares._other_factor(asked(), [], {}) == (None, 0.0)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ({"user": "cyd"}, "^user: cyd has never submitted a job here$"),
        ({"user": "ann@d", "factor": "0.9"}, "^factor is a number from 1 to 1e"),
        ({"user": "ann@d", "power": "-1"}, "^power is a number from 0 to 15, not -1$"),
        ({"user": "ann@d", "power": "16"}, "^power is a number from 0 to 15, not 16$"),
    ],
)
def test_factors_that_there_are_not(words: dict[str, str], problem: str) -> None:
    with pytest.raises(BadRequest, match=problem):
        shares._other_factor(asked(**words), [user("ann")], {})


def stretch(begin: int, end: int, use: float) -> Stretch:
    return Stretch(**{**dict.fromkeys(Stretch._fields, 0), "begin": begin, "end": end, "use": use})


def test_columns_of_use_begin_at_local_days(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC-02")
    time.tzset()
    midnight = NOW // DAY * DAY - 2 * 3600
    found = shares._columns(
        {
            "ann": [stretch(midnight - 3600, midnight + 3600, 7200.0)], "bea": [stretch(midnight, midnight, 3600.0)],
            "cyd": [stretch(midnight + 3600, midnight + 7200, 10800.0)], "dan": [stretch(midnight, midnight + 60, 0.0)],
        },
        DAY, midnight + DAY,
    )  # fmt: skip
    assert found["columns"] == [{"begin": midnight - DAY, "seconds": DAY}, {"begin": midnight, "seconds": DAY}]
    hours = [(row["name"], row["hours"]) for row in found["rows"]]
    assert (hours, found["left_out"]) == (
        [("ann", [7200.0, 7200.0]), ("cyd", [0.0, 10800.0]), ("bea", [0.0, 1.0])], 0,
    )  # fmt: skip


def test_columns_of_use_are_bounded(spool: Spool) -> None:
    long = {"ann": [stretch(NOW - 40 * DAY, NOW, 3600.0)]}
    found = shares._columns(long, DAY, NOW)
    assert (len(found["columns"]), len(found["rows"][0]["hours"])) == (31, 31)
    assert found["columns"][-1]["begin"] == NOW // DAY * DAY
    many = {f"user{number:03}": [stretch(NOW, NOW + 60, 1.0)] for number in range(103)}
    found = shares._columns(many, DAY, NOW)
    assert (len(found["rows"]), found["left_out"], found["rows"][0]["name"]) == (100, 3, "user000")


@pytest.mark.parametrize(
    ("state", "reading"),
    [
        (State(None, 0.0, 5.0, 0, "", 1.0), True), (State({}, 1.0, 5.0, 0, "", 1.0), False),
        (State(None, 0.0, None, 0, "bad", 0.0), False), (State({}, 1.0, None, 0, "", 0.0), False),
    ],
)  # fmt: skip
def test_use_over_time_is_asked_for(monkeypatch: pytest.MonkeyPatch, state: State, reading: bool) -> None:
    requests: list[Any] = []
    works = SimpleNamespace(ask=lambda *what: requests.append(what) or state)
    monkeypatch.setattr(shares, "works_of", lambda watch: works)
    found = shares._use(Any, NOW, "week")  # type: ignore[arg-type]
    assert found == {"reading": reading, "failed": state.failed, "again": state.again, "found": state.result}
    for length in ("day", "month", "90d"):
        shares._use(Any, NOW, length)  # type: ignore[arg-type]
    assert [(name, key, NOW + 1 - told["since"], told["until"], told["width"]) for name, key, told in requests] == [
        ("use", "week", 7 * DAY, NOW + 1, DAY), ("use", "day", DAY, NOW + 1, 3600),
        ("use", "month", 30 * DAY, NOW + 1, DAY), ("use", "90d", 90 * DAY, NOW + 1, 7 * DAY),
    ]  # fmt: skip


# ---- history ---------------------------------------------------------------------------------------------------------


class Asking:
    """The child that reads the history."""

    def __init__(self, patch: pytest.MonkeyPatch, state: State) -> None:
        self.asked: list[Any] = []
        self._state = state
        patch.setattr(history, "works_of", lambda watch: self)

    def ask(self, *what: Any, **more: Any) -> State:
        self.asked.append((what, more))
        return self._state


def test_what_the_history_is_asked(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    works = Asking(monkeypatch, State(None, 0.0, NOW - 7.5, 3, "", 1.5))
    found = history.view(Watch(), asked(last="3d", user="me", batch=" night ", newer_than=str(NOW + 5)))
    request = {"since": NOW + 1 - 3 * DAY, "until": NOW + 1, "user": "ann", "batch": "night", "now": NOW}
    assert works.asked == [
        (("history", "3d\0\0\0ann\0night", request), {"newer_than": NOW, "user": "ann"}),
    ]  # fmt: skip
    assert found == {
        "asked": {"last": "3d", "since": None, "until": None, "user": "ann", "batch": "night"},
        "since": NOW + 1 - 3 * DAY, "until": NOW + 1,
        "reading": {"records": 3, "seconds": 8}, "failed": "", "again": 1.5, "made": None,
        "times": ["12h", "day", "week", "month", "90d", "365d"], "summary": [], "sections": [], "notes": [],
        "report": None, "sizes": None,
    }  # fmt: skip
    other = history.view(Watch(), asked(last="3d", since=str(NOW - 50), until=str(NOW - 10), user="bea"))
    assert (other["asked"]["last"], other["since"], other["until"]) == (None, NOW - 50, NOW - 10)
    assert other["asked"]["user"] == "bea"


def test_a_report_that_was_read(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    result = {"summary": [1], "sections": [2], "notes": [3], "report": {"since": 5, "until": 9}, "sizes": {}}
    Asking(monkeypatch, State(result, 77.7, None, 0, "", 0.0))
    found = history.view(Watch(), asked(last="day"))
    assert (found["since"], found["until"], found["made"], found["reading"]) == (5, 9, 77, None)
    assert (found["summary"], found["sections"], found["notes"]) == ([1], [2], [3])


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ({"user": "x" * 201}, "^user is a printable word of at most 200 characters$"),
        ({"batch": "a\x1bb"}, "^batch is a printable word of at most 200 characters$"),
        ({"last": "soon"}, "last soon: write day"), ({"since": "1h", "until": "2h"}, "nothing lies between"),
    ],
)  # fmt: skip
def test_times_and_names_that_are_wrong(
    spool: Spool, monkeypatch: pytest.MonkeyPatch, words: dict[str, str], problem: str
) -> None:
    Asking(monkeypatch, State(None, 0.0, None, 0, "", 0.0))
    assert history._word(asked(user="x" * 200), "user") == "x" * 200
    with pytest.raises(BadRequest, match=problem):
        history.view(Watch(), asked(**words))


def test_counted_states_are_those_of_jobs() -> None:
    assert queue.STATES["running"] == JobStatus.RUNNING
    assert sorted(queue.STATES) == [
        "blocked", "completed", "held", "idle", "removed", "running", "suspended", "transferring_output",
    ]  # fmt: skip
    assert errand._stuck == {}
