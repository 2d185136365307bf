"""The life of a job and the runs of a batch as pictures: condor_history JOB -plot, CLUSTER -plot, and the report."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from life_world import HOSTILE, T, epoch, write
from tool_runner import Spool

from condor_py.cli.history import lives
from condor_py.cli.history.plot import batch_as_svg, batch_as_text, life_as_svg, life_as_text
from condor_py.cli.plots import blocks, svg
from condor_py.cli.plots.svg import Bar, Lane
from condor_py.cli.report.batches import Batches
from condor_py.cli.report.figures import Figures
from condor_py.cli.report.page import page
from condor_py.cli.report.records import Values
from condor_py.cli.times import Period
from condor_py.model.usagerecord import MOST_TEXT


def run(*words: int, **more: object) -> lives.Run:
    found = lives.run_of(epoch(*words, **more))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("attributes", "kind", "why"),
    [
        ({}, "completed", "exit status 0"),
        ({"ExitCode": 3}, "failed", "exit status 3"),
        ({"ExitBySignal": True, "ExitSignal": 9}, "failed", "signal 9"),
        ({"VacateReasonCode": 34, "VacateReason": "too much memory"}, "held", "too much memory"),
        ({"VacateReasonCode": 1007, "VacateReason": "preempted"}, "evicted", "preempted"),
        ({"VacateReason": "the starter died"}, "evicted", "the starter died"),
        ({"JobStatus": 5, "VacateReasonCode": 1006, "HoldReason": "by me"}, "held", "by me"),
        ({"JobStatus": 3, "RemoveReason": "via condor_rm"}, "removed", "via condor_rm"),
        ({"JobStatus": 3}, "removed", "no reason is given"),
        ({"VacateReasonCode": 1007, "VacateReason": "a\x1b[2Jb\n" + "x" * 900}, "evicted", None),
    ],
)  # fmt: skip
def test_what_became_of_a_run(attributes: dict[str, object], kind: str, why: str | None) -> None:
    found = run(**attributes)
    assert lives.KINDS[found.kind] == kind
    assert why in (None, found.why)
    assert found.why.isprintable()
    assert len(found.why) <= 200


@pytest.mark.parametrize(
    "attributes",
    [
        {"JobCurrentStartDate": 0}, {"JobCurrentStartDate": -5}, {"JobCurrentStartDate": "text"},
        {"JobCurrentStartDate": T + 100}, {"JobCurrentStartDate": 2**62}, {"EpochAdType": "SPAWN"},
        {"EpochAdType": "INPUT"}, {"EpochWriteDate": 5},
    ],
)  # fmt: skip
def test_what_is_no_run_is_left_out(attributes: dict[str, object]) -> None:
    assert lives.run_of(epoch(**attributes)) is None


def test_values_of_any_kind_do_no_harm() -> None:
    for name in epoch():
        for value in (2**63 - 1, -(2**62), 1e300, float("nan"), "", HOSTILE, "x" * 100_000, True, [1], None):
            ad = epoch(**{name: value})
            found = lives.run_of(ad)
            if found is None:
                continue
            for text in (life_as_svg([found]), batch_as_svg([found])):
                ElementTree.fromstring(text)
                assert len(text) < 100_000
            assert all(len(line) < 400 and line[:-1].isprintable() for line in life_as_text([found]) if line != "\n")


def test_a_run_has_bars_for_input_program_and_output() -> None:
    found = run(JobCurrentStartExecutingDate=T + 10, JobCurrentStartTransferOutputDate=T + 50)
    bars = [(bar.begin - T, bar.end - T, lives.KINDS[bar.kind]) for bar in lives.bars(found)]
    assert bars == [(0, 10, "transfer of files"), (10, 50, "completed"), (50, 60, "transfer of files")]
    assert [(bar.begin - T, bar.end - T) for bar in lives.bars(run())] == [(0, 60)]
    odd = run(JobCurrentStartExecutingDate=T + 999, JobCurrentStartTransferOutputDate=5)
    assert [(bar.begin - T, bar.end - T) for bar in lives.bars(odd)] == [(0, 60)]


def test_the_record_of_a_run_counts_and_that_of_its_job_only_without_it() -> None:
    of_run, of_job = run(UsageRecord="15 1.00 9.0 1.0"), run(0, T, T + 999)
    other = run(0, T + 70, T + 90)
    assert lives.without_doubles([of_run, of_job, other]) == [of_run, other]
    assert lives.without_doubles([other, run(1), of_job]) == [of_job, other, run(1)]


def test_a_large_batch_shows_some_jobs_evenly_chosen() -> None:
    runs = [run(proc, T + proc, T + proc + 60) for proc in range(10_000)]
    lanes, count = lives.lanes_of_jobs(runs)
    assert (len(lanes), count) == (lives.MOST_LANES, 10_000)
    assert [lane.label for lane in lanes[:3]] == ["7.0", "7.50", "7.100"]
    text = batch_as_svg(runs)
    ElementTree.fromstring(text)
    assert len(text) < 200_000
    assert "Runs of cluster 7 (200 of 10,000 jobs): 10,000 completed" in text
    many = [run(0, T + 100 * number, T + 100 * number + 50) for number in range(5_000)]
    assert len(lives.lanes_of_runs(many)) == lives.MOST_LANES
    assert len(lives.lanes_of_jobs(many)[0][0].bars) == lives.MOST_RUNS


def test_use_over_time_in_bins() -> None:
    """Two runs with a gap: means of cores, peaks of memory; nothing is known of the gap."""
    first = run(0, T, T + 40, UsageRecord="10 1.00 100 5.0; 20 3.00 300 -; 40 0.50 200 7.0")
    second = run(0, T + 60, T + 80, UsageRecord="10 2.00 50.0 1.0; 999 1.00 60.0 2.0")
    cores, memory, disk = lives.use([first, second], T, 20.0, 4)
    assert cores.series.values == [2.0, 0.5, None, 1.5]
    assert memory.series.values == [300.0, 200.0, None, 60.0]
    assert disk.series.values == [5.0, 7.0, None, 2.0]
    assert (cores.limit, memory.limit, disk.limit) == (2.0, 512.0, 0.0)


def test_events_come_in_order() -> None:
    first = run(
        0, T, T + 40, UsageRecord="10 1 1 1; 15 suspended; 20 continued; 9999 checkpoint",
        VacateReasonCode=1007, VacateReason="preempted", JobCurrentStartExecutingDate=T + 5,
    )  # fmt: skip
    second = run(0, T + 60, T + 80, RunInstanceID=1, ExitCode=2)
    assert [(int(mark.when - T), mark.words) for mark in lives.events([first, second])] == [
        (-30, "submitted"), (0, "run 0 begins on slot1_1@lab"), (5, "the program starts"), (20, "suspended"),
        (25, "continued"), (40, "checkpoint"), (40, "evicted: preempted"), (60, "run 1 begins on slot1_1@lab"),
        (80, "failed: exit status 2"),
    ]  # fmt: skip


@pytest.mark.parametrize("columns", [20, 40, 80, 200])
def test_lines_fit_the_terminal(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    runs = [run(proc, T, T + 60 + proc, RemoteHost="slot1_1@" + "long" * 30) for proc in range(3)]
    lanes, _ = lives.lanes_of_jobs(runs)
    for line in blocks.lanes(lanes, lives.LETTERS, T, T + 62, columns, ["9 d 23 h"] * 3):
        assert len(line) <= max(columns, 30)
    shown = "".join(batch_as_text(runs))
    assert shown.startswith("Runs of cluster 7 (3 jobs): 3 completed\n")
    assert shown.endswith("# completed\n")
    assert "#" * 10 in "".join(life_as_text(runs[:1]))


def test_a_terminal_lane_shows_each_kind_where_it_was() -> None:
    lane = Lane("7.0", [Bar(0, 25, lives.TRANSFER), Bar(25, 75, lives.FAILED), Bar(99, 100, lives.REMOVED)])
    (line,) = blocks.lanes([lane], lives.LETTERS, 0, 100, 35)
    assert line == "7.0 -----xxxxxxxxxx    r"
    outside = Lane("7.0", [Bar(-50, 10, lives.HELD), Bar(90, 500, lives.HELD)])
    (line,) = blocks.lanes([outside], lives.LETTERS, 0, 100, 35)
    assert line == "7.0 hh                hh"


def test_hostile_labels_are_text() -> None:
    chart = svg.gantt(HOSTILE, (HOSTILE,), [Lane(HOSTILE, [Bar(T, T + 5, 0, HOSTILE)])], T, T + 5)
    root = ElementTree.fromstring(chart)
    assert {element.tag for element in root.iter()} == {"svg", "desc", "line", "text", "rect", "title", "path"}
    lines = svg.lines("use", T, 1.0, [svg.Series("x", [1.0])], 5.0, [svg.Mark(T, HOSTILE), svg.Mark(T + 999, "late")])
    ElementTree.fromstring(lines)
    assert "<script" not in chart + lines
    assert "\x1b" not in "".join(blocks.lanes([Lane(HOSTILE, [])], "x", T, T + 5, 80))


# the command


@pytest.fixture
def history(spool: Spool) -> Spool:
    """The runs of clusters 7 and 8."""
    write(spool)
    return spool


def test_the_life_of_a_job(history: Spool, tmp_path: Path) -> None:
    done = history.run("condor_history", "7.0", "-plot")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("Job 7.0\n")
    assert [line.split()[:2] for line in done.out.splitlines() if line.startswith("run ")] == [
        ["run", "0"],
        ["run", "1"],
    ]
    for text in ("cores in use: from 0 to 2, asked for 2; right: mean", "memory (MB): from 0 to 400, asked for 512"):
        assert text in done.out
    assert re.search(r"evicted: preempted\n.* run 1 begins on slot1_1@lab\n", done.out)
    path = tmp_path / "life.svg"
    assert history.run("condor_history", "7.0", "-plot", "-svg", str(path)).out == ""
    root = ElementTree.fromstring(path.read_text())
    titles = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"Runs", "Cores in use (asked for: 2, dashed)", "Disk (MB)"} <= set(titles)


def test_a_job_without_a_record_of_its_use(history: Spool) -> None:
    out = history.run("condor_history", "8.0", "-plot").out
    assert "There is no record of its use over time" in out
    assert out.count("run 0 ") == 2, "its lane, and its begin"
    assert "completed: exit status 0" in out


def test_a_running_job(history: Spool) -> None:
    out = history.run("condor_history", "7.2", "-plot").out
    assert ">" * 20 in out
    assert "> running" in out


def test_the_runs_of_a_cluster(history: Spool, tmp_path: Path) -> None:
    done = history.run("condor_history", "7", "-plot")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == "Runs of cluster 7 (3 jobs): 1 running, 2 completed, 1 evicted"
    assert [line.split()[0] for line in lines[1:4]] == ["7.0", "7.1", "7.2"]
    assert "~" in lines[1]
    assert lines[-1] == "> running   # completed   ~ evicted"
    path = tmp_path / "runs.svg"
    assert history.run("condor_history", "-plot", "7", "8", "-svg", str(path)).out == ""
    assert "Runs of 2 clusters (4 jobs)" in path.read_text()


def test_a_source_that_is_named_is_the_only_one(history: Spool) -> None:
    name = str(history.path.parent / "history")
    out = history.run("condor_history", "-file", name, "7", "-plot").out
    assert out.startswith("Runs of cluster 7 (2 jobs): 2 completed\n")
    out = history.run("condor_history", "-epochs", "7", "-plot").out
    assert out.startswith("Runs of cluster 7 (2 jobs): 2 completed, 1 evicted\n")


def test_jobs_that_never_ran_cannot_be_drawn(history: Spool) -> None:
    for words in (("99.0", "-plot"), ("99", "-plot"), ("7", "-plot", "-constraint", "false")):
        done = history.run("condor_history", *words)
        assert done.code == 1
        assert done.err == "condor_history: there are no runs of such jobs to draw\n"


def test_owners_still_get_charts_by_owner(history: Spool) -> None:
    assert history.run("condor_history", "alice", "-plot").out.startswith("Jobs that left the queue")


def test_a_record_that_is_too_long_is_read_up_to_its_limit(history: Spool) -> None:
    found = run(UsageRecord="1 1 1 1; " * MOST_TEXT)
    assert len(found.points) < 300


def test_condor_q_draws_the_same(history: Spool) -> None:
    for jobs in (("7.2",), ("7",), ("7.0", "8")):
        assert history.run("condor_q", *jobs, "-plot") == history.run("condor_history", *jobs, "-plot")
    for words in ((), ("alice",), ("7.0", "-json"), ("7.x",), ("7.0.0",), ("7.0", "-allusers"), ("\u0667",)):
        done = history.run("condor_q", *words, "-plot")
        assert (done.code, done.out) == (1, "")
        assert done.err.startswith("condor_q: -plot takes numbers of jobs or clusters and no other option")


# the report


def _values(cluster: int, proc: int, begin: int, **more: float) -> Values:
    numbers = {
        "clusterid": cluster, "procid": proc, "jobcurrentstartdate": begin, "epochwritedate": begin + 3600,
        "totalsubmitprocs": 5, "cpusprovisioned": 2.0, "jobstatus": 2,
    } | more  # fmt: skip
    texts = {"owner": "alice", "cmd": f"/home/{HOSTILE}", "jobbatchname": ""}
    return Values(texts, {name: float(number) for name, number in numbers.items()})


def test_the_report_follows_the_newest_batches_and_shows_the_largest() -> None:
    batches = Batches(Period(T, T + 1_000_000))
    for cluster in range(100, 0, -1):
        for proc in range(cluster % 7 + 1):
            batches.add(_values(cluster, proc, T + 1000 * cluster, exitcode=proc % 2))
    batches.add(_values(300, 0, T, totalsubmitprocs=1))
    batches.add(_values(301, 0, T - 9000))
    batches.add(_values(302, 0, T + 2_000_000))
    found = batches.largest()
    assert [batch.cluster for batch in found] == [62, 69, 76, 83, 90]
    assert [batch.jobs for batch in found] == [7] * 5
    assert found[0].hours == 14.0
    assert found[0].outcomes() == {"failed": 3, "completed": 4}


def test_the_page_draws_batches_and_their_names_are_text() -> None:
    figures = Figures(Period(T, T + 1_000_000))
    for proc in range(100):
        figures.batches.add(_values(7, proc, T + proc))
    text = page(figures, "lab")
    assert "Cluster 7 of alice: " in text
    assert "100 jobs, of which 60 are shown; runs: 100 completed; 200 core-hours" in text
    assert "<script>alert" not in text
    assert "No runs of clusters of several jobs" in page(Figures(Period(T, T + 5)), "lab")
