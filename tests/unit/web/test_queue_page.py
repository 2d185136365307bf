"""The queue as pages: the batches of condor_q, filters, and what whom is shown of a job."""

from __future__ import annotations

import os
import pwd
import random
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import pytest
from tool_runner import Spool
from visits import Markup, Visited

from condor_py.cli.q.batch import fold
from condor_py.cli.web import errand
from condor_py.cli.web.batches import Batches
from condor_py.cli.web.errand import CannotDo, as_owner
from condor_py.cli.web.live import Watch
from condor_py.cli.web.texts import terminal
from condor_py.store.job_queue import JobQueue

EVENTS = """000 (001.000.000) 2026-11-28 20:00:00 Job submitted from host: <127.0.0.1>
...
006 (001.000.000) 2026-11-28 20:01:00 Image size of job updated: 7
	3  -  MemoryUsage of job (MB)
...
006 (001.000.000) 2026-11-28 20:09:00 Image size of job updated: 9
	5  -  MemoryUsage of job (MB)
...
"""


def change(spool: Spool, key: str, name: str, text: str) -> None:
    with JobQueue(str(spool.path)).transaction() as transaction:
        transaction.set(key, name, text)


def remove(spool: Spool, *keys: str) -> None:
    with JobQueue(str(spool.path)).transaction() as transaction:
        for key in keys:
            transaction.destroy(key)


def rows(watch: Watch) -> list[tuple[Any, ...]]:
    batches = watch.batches
    found = sorted(batches.groups.values(), key=lambda group: group.first)
    folded = [batches.folded(group, watch.jobs) for group in found]
    return [(batch.owner, batch.name, *batch.counters(), batch.job_ids()) for batch in folded]


def told_by_condor_q(watch: Watch) -> list[tuple[Any, ...]]:
    ads = [ad for _, ad in watch.jobs.view.jobs()]
    return [(batch.owner, batch.name, *batch.counters(), batch.job_ids()) for batch in fold(ads, False)]


def test_nodes_leave_the_batch_of_a_dagman_that_leaves(spool: Spool) -> None:
    spool.add(1, owner="ann", JobBatchName='"night"')
    spool.add(2, owner="ann", JobBatchName='"night"')
    spool.add(3, owner="ann", DAGManJobId="2")
    watch = Watch()
    assert [row[-1] for row in rows(watch)] == ["1.0 ... 3.0"]
    remove(spool, "2.0", "02.-1")
    assert [row[-1] for row in rows(watch)] == ["1.0", "3.0"]


def test_batches_are_those_of_condor_q_whatever_changes(spool: Spool) -> None:
    """CONDOR_PY_WALKS changes, 60 without it."""
    chance = random.Random(7)
    watch = Watch()
    cluster = 0
    alive: dict[int, list[int]] = {}
    for number in range(int(os.environ.get("CONDOR_PY_WALKS") or 60)):
        if number % 25 == 24:
            JobQueue(str(spool.path)).compact(0)  # as the schedd does: the file is another one
        deed = chance.random()
        if deed < 0.5 or not alive:
            cluster += 1
            procs = chance.randint(1, 4)
            more = chance.choice(
                [
                    {},
                    {"JobBatchName": '"night"'},
                    {"JobBatchName": '"day"'},
                    {"JobUniverse": "7"},
                    {"DAGManJobId": str(chance.randint(1, cluster))},
                ]
            )
            spool.add(cluster, procs, owner=chance.choice(["ann", "bea"]), **more)
            alive[cluster] = list(range(procs))
        elif deed < 0.8:
            number = chance.choice(list(alive))
            change(spool, f"{number}.{chance.choice(alive[number])}", "JobStatus", str(chance.choice([1, 2, 5])))
        else:
            number = chance.choice(list(alive))
            proc = alive[number].pop()
            remove(spool, f"{number}.{proc}", *([] if alive[number] else [f"0{number}.-1"]))
            if not alive[number]:
                del alive[number]
        assert rows(watch) == told_by_condor_q(watch)
    fresh = Batches()
    jobs = watch.jobs
    jobs._touched = None
    fresh.update(jobs)
    assert {key: group.states for key, group in fresh.groups.items()} == {
        key: +group.states for key, group in watch.batches.groups.items()
    }


@pytest.fixture
def browser(spool: Spool) -> Any:
    spool.add(1, 3, owner="ann", JobBatchName='"night"')
    spool.add(2, 2, owner="bea", JobStatus="5", HoldReason='"no luck"')
    spool.add(3, 250, owner="ann", AccountingGroup='"physics.ann"')
    spool.set("1.0", "JobStatus", "2")
    return Visited().visitor()


def batches(browser: Any, **parameters: Any) -> list[int]:
    return [
        batch["cluster"] for batch in browser.get("/queue", params={"format": "json", **parameters}).json()["batches"]
    ]


def test_batches_are_found_and_sorted(browser: Any) -> None:
    assert batches(browser) == [1, 2, 3]
    assert batches(browser, owner="bea") == [2]
    assert batches(browser, owner="physics.ann") == [3]
    assert batches(browser, state="held") == [2]
    assert batches(browser, state="running") == [1]
    assert batches(browser, text="NIG") == [1]
    assert batches(browser, text="3.7") == [3]
    assert batches(browser, text="zzz") == []
    for column, order in (
        ("job", [1, 2, 3]),
        ("owner", [1, 3, 2]),
        ("idle", [2, 1, 3]),
        ("total", [2, 1, 3]),
        ("running", [2, 3, 1]),
        ("held", [1, 3, 2]),
        ("name", [2, 3, 1]),
        ("done", [1, 2, 3]),
    ):
        assert batches(browser, sort=column) == order, column
    assert batches(browser, sort="total", order="down") == [3, 1, 2]
    page = browser.get("/queue?owner=ann&state=idle").text
    assert 'aria-sort="ascending"' in page
    assert "night" in page


def test_jobs_of_a_batch_come_in_pages(browser: Any) -> None:
    answer = browser.get("/queue/3?page=3&format=json").json()
    assert [job["id"] for job in answer["jobs"]] == [f"3.{proc}" for proc in range(200, 250)]
    assert (answer["page"], answer["pages"], answer["found"]) == (3, 3, 250)
    assert browser.get("/queue/3?page=99&format=json").json()["page"] == 3
    down = browser.get("/queue/3?order=down&format=json").json()
    assert down["jobs"][0]["id"] == "3.249"
    assert [job["id"] for job in browser.get("/queue/1?state=running&format=json").json()["jobs"]] == ["1.0"]
    assert "Page 2 of 3" in browser.get("/queue/3?page=2").text


def test_a_job_says_why_it_is_held(browser: Any) -> None:
    answer = browser.get("/queue/2.1?format=json").json()
    assert answer["state"] == "held"
    assert answer["ending"] == "on hold: no luck"
    assert "no luck" in browser.get("/queue/2.1").text


def test_others_see_no_arguments_files_or_ads(spool: Spool, tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(EVENTS)
    (tmp_path / "out").write_text("half\n" + "xxx\n" * 20_000 + "the end <b>\n")
    spool.add(
        1,
        owner=spool.me,
        Arguments='"--password=hush"',
        Environment='"KEY=hush"',
        Iwd=f'"{tmp_path}"',
        Out='"out"',
        UserLog='"log"',
        Err='"/dev/null"',
    )
    visited = Visited()
    stranger = visited.visitor("somebody")
    for address in ("/queue", "/queue/1", "/queue/1.0", "/queue/1.0?file=output"):
        for more in ("", "format=json"):
            answer = stranger.get(f"{address}{'&' if '?' in address else '?'}{more}")
            assert answer.status_code == 200
            assert "hush" not in answer.text
            assert "the end" not in answer.text
            assert str(tmp_path) not in answer.text
    mine = visited.visitor(spool.me)
    job = mine.get("/queue/1.0?file=output&format=json").json()
    assert job["command"] == "sleep --password=hush"
    assert [file["name"] for file in job["files"]] == ["output", "log"]
    assert job["tail"]["cut"]
    assert job["tail"]["text"].endswith("\nthe end <b>\n")
    assert len(job["tail"]["text"]) <= 1 << 16
    assert [(event["number"], event["title"], event["memory"]) for event in job["events"]] == [
        (0, "Job submitted from host: <127.0.0.1>", None),
        (6, "Image size of job updated: 7", 3),
        (6, "Image size of job updated: 9", 5),
    ]
    page = mine.get("/queue/1.0?file=output").text
    assert "the end &lt;b&gt;" in page
    assert "polyline" in page
    picture = mine.get("/queue/1.0?format=svg")
    assert picture.headers["content-type"] == "image/svg+xml"
    assert "polyline" in picture.text
    assert stranger.get("/queue/1.0?format=svg").status_code == 404
    assert mine.get("/queue/1.0?file=/etc/passwd").status_code == 404


def test_the_end_of_a_file_is_asked_for_again_while_the_job_runs(spool: Spool, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("so far\n")
    spool.add(1, owner=spool.me, Iwd=f'"{tmp_path}"', Out='"out"', JobStatus="2")
    mine = Visited().visitor(spool.me)
    assert 'data-again="2"' in mine.get("/queue/1.0?file=output").text
    assert "data-again" not in mine.get("/queue/1.0").text
    change(spool, "1.0", "JobStatus", "5")
    assert "data-again" not in mine.get("/queue/1.0?file=output").text


@pytest.mark.parametrize(
    ("output", "shown"),
    [
        ("\x1b[1;31mred\x1b[0m <b>\n", "red <b>\n"),
        ("  0%|    |\r 50%|#   |\r100%|##  |\ndone\r\n", "100%|##  |\ndone\n"),
        ("at\r 10%\r", " 10%"),
        ("\x1b]0;title\x07\x1b(Bplain\x1b[K\x1b[2K\x1b[?25h", "plain"),
        ("\x1b", "\x1b"),
        ("\x1b[" + "1;" * 40_000, "\x1b[" + "1;" * 40_000),
        ("\x1b]" * 30_000, ""),
    ],
)
def test_output_is_shown_as_a_terminal_leaves_it(output: str, shown: str) -> None:
    assert terminal(output) == shown


def test_files_that_are_no_files_are_not_opened(spool: Spool, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    spool.add(1, owner=spool.me, Iwd=f'"{tmp_path}"', Out='"pipe"', Err='"folder"', UserLog='"pipe"')
    mine = Visited().visitor(spool.me)
    assert mine.get("/queue/1.0?file=output&format=json").json()["tail"]["problem"] == "Invalid argument"
    assert mine.get("/queue/1.0?file=error&format=json").json()["tail"]["problem"] == "Is a directory"


def test_a_job_that_left_is_found_in_the_history(spool: Spool, tmp_path: Path) -> None:
    history = tmp_path / "local" / "spool" / "history"
    ad = 'ClusterId = 7\nProcId = 0\nOwner = "ann"\nCmd = "/bin/true"\nJobStatus = 3\nArgs = "hush"\n'
    ad += 'RemoveReason = "tired"\n'
    history.write_text(f'{ad}*** Offset = 0 ClusterId = 7 ProcId = 0 Owner = "ann" CompletionDate = 0\n')
    visited = Visited()
    answer = visited.visitor("bea").get("/queue/7.0?format=json").json()
    assert answer["from_history"]
    assert answer["ending"] == "removed: tired"
    assert answer["command"] == "true"
    assert visited.visitor("ann").get("/queue/7.0?format=json").json()["command"] == "true hush"
    assert "removed: tired" in visited.visitor("bea").get("/queue/7").text
    assert visited.visitor("bea").get("/queue/7.1").status_code == 404


def test_work_of_another_account_is_bounded() -> None:
    me = pwd.getpwuid(os.geteuid()).pw_name
    assert as_owner(me, lambda: {"uid": os.geteuid()}) == {"uid": os.geteuid()}
    with pytest.raises(CannotDo, match="No such file"):
        as_owner(me, lambda: os.stat("/nothing/here"))
    with pytest.raises(CannotDo, match="too long"):
        as_owner(me, lambda: "x" * (5 << 20))
    with pytest.raises(CannotDo, match="died"):
        as_owner(me, lambda: os._exit(1))
    with pytest.raises(CannotDo, match="no account"):
        as_owner("no-such-account", lambda: 1)
    begun = time.monotonic()
    with pytest.raises(CannotDo, match="do not answer"):
        as_owner(me, lambda: time.sleep(3600), patience=0.05)
    assert begun + 30 < errand._resting[me] <= time.monotonic() + 30
    errand._resting[me] += 3600
    with pytest.raises(CannotDo, match="tried again later"):
        as_owner(me, lambda: 1)
    while errand._is_stuck(me):  # a busy machine ends the child late
        time.sleep(0.01)
    assert as_owner(me, lambda: 1, rests=False) == 1


def test_slow_files_of_an_account_rest_many_times_as_long(monkeypatch: pytest.MonkeyPatch) -> None:
    me = pwd.getpwuid(os.geteuid()).pw_name
    monkeypatch.setattr(errand, "_LONG", 0.0)
    begun = time.monotonic()
    with pytest.raises(CannotDo, match="No such file"):
        as_owner(me, lambda: time.sleep(0.01) or os.stat("/nothing/here"))
    took = time.monotonic() - begun
    assert begun + 0.1 < errand._resting[me] <= begun + 11 * took
    errand._resting[me] = time.monotonic() + 3600
    with pytest.raises(CannotDo, match="slowly"):
        as_owner(me, lambda: 1)


def test_an_account_has_one_child_that_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    me = pwd.getpwuid(os.geteuid()).pw_name
    with monkeypatch.context() as patch:
        patch.setattr(os, "waitpid", lambda pid, flags: (0, 0))
        with pytest.raises(CannotDo):
            as_owner(me, lambda: time.sleep(3600), patience=0.01)
        errand._resting.clear()
        with pytest.raises(CannotDo, match="tried again later"):
            as_owner(me, lambda: 1)
    os.waitpid(errand._stuck[me], 0)
    assert as_owner(me, lambda: 1, rests=False) == 1
    assert not errand._stuck


def test_files_of_proc_are_not_shown(spool: Spool) -> None:
    spool.add(1, 1, owner=spool.me, Out='"/proc/self/maps"', Err='"/proc/self/status"')
    browser = Visited().visitor(spool.me)
    for word in ("output", "error"):
        assert browser.get(f"/queue/1.0?file={word}&format=json").json()["tail"]["text"] == ""


def test_forms_change_jobs_only_with_their_token_and_where_that_is_allowed(spool: Spool) -> None:
    spool.add(1, 2, owner=spool.me)
    visited = Visited(allow_actions=True)
    browser = visited.visitor(spool.me)
    page = Markup(browser.get("/queue/1.0").text)
    token = next(attributes["value"] for _, attributes in page.elements if attributes.get("name") == "token")
    form = {"token": token, "action": "hold", "jobs": "1.0", "back": "/queue/1.0"}
    for wrong, status in (
        ({"token": ""}, 403),
        ({"token": "x" * 32}, 403),
        ({"action": "eat"}, 400),
        ({"jobs": ""}, 400),
        ({"jobs": "1.0 || true"}, 400),
        ({"jobs": "1 " * 1001}, 400),
        ({"jobs": "0"}, 400),
        ({"action": "prio", "priority": "1e9"}, 400),
    ):
        assert browser.post("/act", data={**form, **wrong}).status_code == status, wrong
    assert browser.post("/act", content=b"a=" + b"x" * 40_000).status_code == 400
    assert browser.get("/act").status_code in (404, 405)
    assert set(spool.values("JobStatus").values()) == {"1"}
    done = browser.post("/act", data=form)
    assert (done.status_code, done.headers["location"]) == (303, "/queue/1.0")
    assert spool.values("JobStatus") == {"1.0": "5", "1.1": "1"}
    answer = browser.post("/act", data=form, headers={"Accept": "application/json"}).json()
    assert answer == {"action": "hold", "done": 0, "refused": {"so already": 1}}
    browser.post("/act", data={**form, "action": "prio", "jobs": "1", "priority": "-5"})
    assert set(spool.values("JobPrio").values()) == {"-5"}
    for back in ("//evil.example", "https://evil.example", "/\\evil.example"):
        answered = browser.post("/act", data={**form, "action": "prio", "priority": "3", "back": back})
        assert "evil" not in answered.headers.get("location", "")
    other = visited.visitor("somebody")
    assert other.post("/act", data=form).status_code == 403
    assert Visited().visitor(spool.me).post("/act", data=form).status_code == 403
    assert 'action="/act"' not in other.get("/queue/1.0").text


def test_long_texts_of_jobs_do_not_make_long_pages(spool: Spool) -> None:
    for cluster in range(1, 9):
        spool.add(cluster, owner=spool.me, JobBatchName='"' + "b" * 600_000 + '"', Notes='"' + "n" * 900_000 + '"')
    browser = Visited().visitor(spool.me)
    for address in ("/queue", "/queue/1.0", "/why"):
        assert len(browser.get(f"{address}?format=json").text) < 2_000_000
