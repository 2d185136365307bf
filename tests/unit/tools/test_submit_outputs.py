"""condor_submit: what it prints of jobs in the queue and in files, and which jobs the schedd is left to make."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tool_runner import Spool

from condor_py.cli.submit import run as submit_run

TWO = "executable = /bin/true\nqueue 2\n"
MONITOR = "To monitor your job(s), run: condor_watch_q -clusters {}\n"


@pytest.fixture
def spool(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> Spool:
    """A queue of a pool that runs, and a description of two jobs in two.sub."""
    monkeypatch.setattr("condor_py.client.lockfile.lock_holder", lambda path: 1)
    Path("two.sub").write_text(TWO)
    return spool


@pytest.mark.parametrize(
    ("words", "out", "err"),
    [
        ("", "Submitting job(s)..\n2 job(s) submitted to cluster 1.\n", MONITOR.format(1)),
        ("-terse", "1.0 - 1.1\n", ""),
        ("-dry-run ads", "Dry-Run job(s)..\n2 job(s) dry-run to cluster 1.\n", ""),
        ("-dry-run:cluster=7 ads", "Dry-Run job(s)..\n2 job(s) dry-run to cluster 7.\n", ""),
        ("-dump ads", "Storing job ClassAd(s)..\n2 job(s) submitted to cluster 1.\n", MONITOR.format(1)),
        ("-dump ads -terse", "1.0 - 1.1\n", ""),
        ("-dry-run ads -terse", "1.0 - 1.1\n", ""),
    ],
)
def test_what_is_printed(spool: Spool, words: str, out: str, err: str) -> None:
    done = spool.run("condor_submit", *words.split(), "two.sub")
    assert done == (out, err, 0)
    assert Path("ads").exists() == ("ads" in words)
    assert len(spool.values("Cmd") if spool.path.exists() else {}) == (0 if "ads" in words else 2)


def test_ads_on_standard_output(spool: Spool) -> None:
    """Nothing else is printed there, so that other programs can read them; the file of -dump has the same."""
    assert spool.run("condor_submit", "-dump", "ads", "-terse", "two.sub").code == 0
    done = spool.run("condor_submit", "-dump", "-", "two.sub")
    assert done.code == 0
    times = ("QDate=", "EnteredCurrentStatus=")
    shown, kept = (
        [line for line in text.splitlines() if line and not line.startswith(times)]
        for text in (done.out, Path("ads").read_text())
    )
    assert shown == kept
    assert [line for line in shown if line.startswith("ProcId=")] == ["ProcId=0", "ProcId=1"]


def test_two_clusters(spool: Spool) -> None:
    Path("both.sub").write_text(TWO + "executable = /bin/false\nuniverse = local\nqueue\n")
    done = spool.run("condor_submit", "both.sub")
    assert done.out == "Submitting job(s)...\n2 job(s) submitted to cluster 1.\n1 job(s) submitted to cluster 2.\n"
    assert done.err.endswith(MONITOR.format("1 2"))
    assert spool.values("Cmd") == {"1.0": '"/bin/true"', "1.1": '"/bin/true"', "2.0": '"/bin/false"'}
    done = spool.run("condor_submit", "-single-cluster", "both.sub")
    assert done.code == 1
    assert "Number of submitted clusters would exceed 1 and -single-cluster was specified" in done.err
    assert len(spool.values("Cmd")) == 3


@pytest.mark.parametrize(("most", "code"), [(1, 1), (2, 0), (3, 0), (0, 0), (-1, 0)])
def test_a_limit_on_the_jobs_of_a_submit(spool: Spool, most: int, code: int) -> None:
    done = spool.run("condor_submit", "-maxjobs", str(most), "two.sub")
    assert done.code == code
    assert ("Number of submitted jobs would exceed -maxjobs (1)" in done.err) == (code == 1)
    assert (len(spool.values("Cmd")) if code == 0 else 0) == (2 if code == 0 else 0)


@pytest.mark.parametrize(
    ("knob", "value", "said"),
    [
        ("MAX_JOBS_PER_SUBMISSION", 1, "Number of submitted jobs would exceed MAX_JOBS_PER_SUBMISSION"),
        ("MAX_JOBS_PER_SUBMISSION", 2, ""),
        ("SUBMIT_MAX_PROCS_IN_CLUSTER", 1, "number of procs exceeds SUBMIT_MAX_PROCS_IN_CLUSTER"),
        ("SUBMIT_MAX_PROCS_IN_CLUSTER", 2, ""),
        ("SUBMIT_MAX_PROCS_IN_CLUSTER", 0, ""),
    ],
)
def test_limits_of_the_administrator(
    spool: Spool, monkeypatch: pytest.MonkeyPatch, knob: str, value: int, said: str
) -> None:
    monkeypatch.setenv(f"_CONDOR_{knob}", str(value))
    done = spool.run("condor_submit", "two.sub")
    assert (done.code, said in done.err) == (1 if said else 0, True)


@pytest.mark.parametrize(
    ("words", "text", "knobs", "is_made_by_schedd"),
    [
        ("", TWO, {}, False),
        ("", "max_idle = 1\n" + TWO, {}, True),
        ("", "max_materialize = 1\n" + TWO, {}, True),
        ("-factory", TWO, {}, True),
        ("-factory", TWO.replace("2", ""), {}, False),  # of one job there is nothing to make later
        ("-factory", TWO, {"SCHEDD_ALLOW_LATE_MATERIALIZE": "false"}, False),
        ("-factory", TWO + "arguments = x\nqueue\n", {}, False),
        ("-factory", TWO + "universe = local\nqueue\n", {}, False),
    ],
)
def test_which_jobs_the_schedd_is_left_to_make(
    spool: Spool, monkeypatch: pytest.MonkeyPatch, words: str, text: str, knobs: dict[str, str], is_made_by_schedd: bool
) -> None:
    """Those of one queue statement that asks for it, or of several jobs with -factory."""
    for name, value in knobs.items():
        monkeypatch.setenv(f"_CONDOR_{name}", value)
    Path("a.sub").write_text(text)
    done = spool.run("condor_submit", "-digest", "digest", *words.split(), "a.sub")
    assert done.code == 0
    assert Path("digest").exists() == is_made_by_schedd
    assert (spool.values("Cmd") == {}) == is_made_by_schedd
    assert " job(s) submitted to cluster 1.\n" in done.out


def test_a_long_wait_for_the_queue_is_told(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []

    @contextmanager
    def ticking(text: str) -> Iterator[None]:
        told.append(text)
        yield

    monkeypatch.setattr("condor_py.client.progress.ticking", ticking)
    monkeypatch.setattr(submit_run, "_MANY", 3)
    spool.run("condor_submit", "two.sub")
    assert told == []
    monkeypatch.setattr(submit_run, "_MANY", 2)
    spool.run("condor_submit", "-terse", "two.sub")
    assert told == []
    spool.run("condor_submit", "two.sub")
    assert told == ["condor_submit: queueing 2 jobs"]


def test_descriptions_without_jobs(spool: Spool) -> None:
    Path("none.sub").write_text("executable = /bin/true\nqueue from items\n")
    Path("items").write_text("")
    done = spool.run("condor_submit", "none.sub")
    assert done.out == "Submitting job(s)\n"
    assert 'WARNING: "none.sub" has only empty "queue" commands -- no jobs queued\n' in done.err
    assert "WARNING: Line 2: queue from items: there are no items\n" in done.err
    assert "To monitor" not in done.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("-dry-run there/ads", "ERROR: Failed to open file -dry-run output file (No such file or directory)"),
        ("-dump there/ads", "ERROR: Failed to open file to dump ClassAds into (No such file or directory)"),
        ("-digest there/d -factory", "ERROR: cannot write the digest to there/d: No such file or directory"),
    ],
)
def test_files_that_cannot_be_written(spool: Spool, words: str, said: str) -> None:
    done = spool.run("condor_submit", *words.split(), "two.sub")
    assert done.code == 1
    assert said in done.err


def test_the_items_of_a_factory_that_is_only_tried(spool: Spool) -> None:
    """Its digest is kept, and its items next to it; jobs that are queued have them in the spool."""
    Path("a.sub").write_text("executable = /bin/true\nmax_idle = 1\nqueue x in (a b)\n")
    assert spool.run("condor_submit", "-dry-run", "ads", "-digest", "d", "a.sub").code == 0
    assert Path("d.items").read_text().split() == ["a", "b"]
    Path("d.items").unlink()
    assert spool.run("condor_submit", "-digest", "d", "a.sub").code == 0
    assert not Path("d.items").exists()
