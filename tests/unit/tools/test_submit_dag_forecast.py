"""condor_submit_dag -forecast: what it tells of a DAG without running it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tool_runner import Done, run

from condor_py.lang.classad import ClassAd
from condor_py.store.ad_store import AdStore

_DIAMOND = "JOB A a\nJOB B a\nJOB C a\nJOB D a\nPARENT A CHILD B C\nPARENT B C CHILD D\n"


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with a DAG, a machine of two cores without daemons, and a history in it."""
    local = tmp_path / "local"
    (local / "spool").mkdir(parents=True)
    config = tmp_path / "condor_config"
    config.write_text(f"LOCAL_DIR = {local}\nSPOOL = {local}/spool\nHISTORY = {local}/spool/history\n")
    monkeypatch.setenv("CONDOR_CONFIG", str(config))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    (work / "t.dag").write_text(_DIAMOND.replace(" a\n", " a.sub\n"))
    (work / "a.sub").write_text("executable = /bin/true\nqueue\n")
    return work


def forecast(*words: str) -> Done:
    return run("condor_submit_dag", "-forecast", *words, "t.dag")


def test_the_forecast_tells_timeline_path_and_end_and_writes_nothing(desk: Path) -> None:
    (desk / "known").write_text("B 120 # the long one\n* 60\n")
    before = sorted(path.name for path in desk.iterdir())
    done = forecast("-durations", "known")
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert lines[1].startswith("Forecast of t.dag: 4 nodes on ")
    assert "Durations: 4 given" in lines
    rows = [line.split() for line in lines if line[1:3] == "  " and line[0] in "ABCD"]
    assert [row[0] for row in rows] == ["A", "B", "C", "D"]
    assert [row[2] for row in rows] == ["0+00:01:00", "0+00:02:00", "0+00:01:00", "0+00:01:00"]
    assert "Critical path: 0+00:04:00  A > B > D" in lines
    assert sorted(path.name for path in desk.iterdir()) == before


def test_the_last_run_tells_how_long_nodes_take_and_unknown_ones_take_an_hour(desk: Path) -> None:
    assert "Durations: 4 unknown" in forecast().out
    (desk / "t.dag.nodes.log").write_text(
        '000 (007.000.000) 2026-11-22 10:00:00 Job submitted from host: <x>\n    DAG Node: A\n...\n'
        "001 (007.000.000) 2026-11-22 10:00:10 Job executing on host: <x>\n...\n"
        "005 (007.000.000) 2026-11-22 10:00:40 Job terminated.\n\t(1) Normal termination (return value 0)\n...\n"
    )  # fmt: skip
    out = forecast().out
    assert "Durations: 1 from the last run, 3 the mean of all" in out
    assert "Critical path: 0+00:01:30  A > B > D" in out


def test_a_rescue_file_and_bad_descriptions_are_heeded(desk: Path) -> None:
    (desk / "t.dag.rescue001").write_text("DONE A\nDONE B\n")
    (desk / "a.sub").write_text("executable = /bin/true\nrequest_cpus = many cores\nqueue\n")
    out = forecast("-durations", "30").out
    assert "Done already: 2" in out
    assert "WARNING: node C: " in out
    assert "C > D" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-durations", "nowhere"), "ERROR: -durations nowhere: neither seconds nor a file (No such file "
                                    "or directory)"),
        (("-durations", "bad"), "ERROR: bad:2: a node and its seconds are wanted, not 'B soon'"),
        (("-durations", "-3"), "Error: Option -durations (-durations) requires an additional argument"),
    ],
)  # fmt: skip
def test_durations_that_are_none_are_refused(desk: Path, words: tuple[str, ...], said: str) -> None:
    (desk / "bad").write_text("A 3\nB soon\n")
    done = forecast(*words)
    assert (done.code, done.err.splitlines()[0]) == (1, said)


def test_what_can_never_run_is_said(desk: Path) -> None:
    (desk / "a.sub").write_text("executable = /bin/true\nrequest_cpus = 100000\nqueue\n")
    assert forecast().err.startswith("ERROR: node A will never run: its job asks for 100000 core(s), ")


def test_a_dag_that_cannot_be_read_is_said_in_the_words_of_condor_dagman(desk: Path) -> None:
    (desk / "t.dag").write_text("JOB A a.sub\nPARENT A CHILD Z\n")
    done = forecast()
    assert done.code == 1
    assert "ERROR: Unknown child node Z specified" in done.err
    (desk / "t.dag").write_text("SUBDAG EXTERNAL S t.dag\n")
    assert forecast().err.strip() == "ERROR: t.dag is a sub-DAG of itself"


def test_many_nodes_are_told_by_time(desk: Path) -> None:
    """More than forty nodes: their states at some moments, the ends of a long critical path, and the longest wait."""
    (desk / "t.dag").write_text(
        "".join(f"JOB N{node} a.sub\n" for node in range(50))
        + "".join(f"PARENT N{node} CHILD N{node + 1}\n" for node in range(24))
    )
    publish(desk, {"Name": "slot1@vm", "SlotID": 1, "Cpus": 1, "Memory": 1000, "Disk": 10**7})
    lines = forecast("-durations", "60").out.splitlines()
    assert lines[1] == "Forecast of t.dag: 50 nodes on 1 cores and 1000 MB of memory"
    head = lines.index("TIME            DONE   RUNNING   WAITING")
    rows = [line.split() for line in lines[head + 1 : lines.index("", head)]]
    assert rows[0][:4] == ["0+00:02:30", "2", "1", "24"]
    assert (len(rows), rows[-1][:4]) == (20, ["0+00:50:05", "50", "0", "0"])
    assert rows[-1][4] == "#" * 40
    assert all(row[4:] == (["#" * round(40 * int(row[1]) / 50)] if int(row[1]) else []) for row in rows)
    path = next(line for line in lines if line.startswith("Critical path: "))
    assert path == "Critical path: 0+00:25:02  " + " > ".join(
        [*(f"N{node}" for node in range(10)), "... 5 more ...", *(f"N{node}" for node in range(15, 25))]
    )
    assert "Work:          0+00:50:00 of one core, at most 1 jobs at a time" in lines
    assert "Longest wait:  0+00:25:02 for room or a limit, by node N1" in lines
    assert "Cores in use:  100 %" in lines


@pytest.mark.parametrize(
    ("slots", "told"),
    [
        ([{"SlotID": 1, "Cpus": 2, "Memory": 300}, {"SlotID": 2, "Cpus": 1, "Memory": 100}], "3 cores and 400 MB"),
        ([{"SlotID": 1, "Cpus": 1, "Memory": 300, "PartitionableSlot": True, "TotalSlotCpus": 8,
           "TotalSlotMemory": 900},
          {"SlotID": 1, "Cpus": 7, "Memory": 600, "DynamicSlot": True}], "8 cores and 900 MB"),
        ([{"SlotID": 1, "Cpus": 2, "Memory": 300}, {"SlotID": 2, "Cpus": 9, "Memory": 900, "BackfillSlot": True},
          {"Cpus": 5, "Memory": 900}], "2 cores and 300 MB"),
    ],
)  # fmt: skip
def test_the_slots_of_a_forecast(desk: Path, slots: list[dict[str, object]], told: str) -> None:
    """Partitionable slots count as a whole, and neither their parts nor backfill slots besides."""
    publish(desk, *({"Name": f"slot{number}@vm", "Disk": 10**7, **slot} for number, slot in enumerate(slots)))
    assert f"Forecast of t.dag: 4 nodes on {told} of memory" in forecast("-durations", "60").out


@pytest.mark.parametrize(
    ("words", "done"),
    [
        ("-dorescuefrom 2", 1),
        ("", 2),
        ("-autorescue 0", 0),
        ("-force", 0),
    ],
)
def test_the_progress_that_condor_dagman_would_begin_with(desk: Path, words: str, done: int) -> None:
    (desk / "t.dag.rescue002").write_text("DONE A\n")
    (desk / "t.dag.rescue003").write_text("DONE A\nDONE B\n")
    lines = forecast("-durations", "30", *words.split()).out.splitlines()
    assert [line for line in lines if line.startswith("Done already")] == ([f"Done already: {done}"] if done else [])


def publish(desk: Path, *slots: dict[str, object]) -> None:
    """Publish slots of the machine."""
    AdStore(f"{desk.parent}/local/spool/ads").publish(
        "STARTD", [ClassAd({"MyType": "Machine", "Machine": "vm", "State": "Unclaimed", **slot}) for slot in slots]
    )


NODES_LOG = (
    "000 (00{n}.000.000) 2026-11-22 10:00:00 Job submitted from host: <x>\n    DAG Node: {name}\n...\n"
    "001 (00{n}.000.000) 2026-11-22 10:00:10 Job executing on host: <x>\n...\n"
    "005 (00{n}.000.000) 2026-11-22 10:00:{end} Job terminated.\n\t(1) Normal termination (return value {code})\n...\n"
)


def test_what_of_the_last_run_counts(desk: Path) -> None:
    """Jobs that succeeded, and of which the start is known; the mean of several of one node."""
    (desk / "t.dag.nodes.log").write_text(
        NODES_LOG.format(n=1, name="A", end=40, code=0)
        + NODES_LOG.format(n=2, name="A", end=20, code=0)
        + NODES_LOG.format(n=3, name="B", end=50, code=1)
        + NODES_LOG.format(n=4, name="C", end=30, code=0).partition("...\n")[2].partition("...\n")[2]
    )
    lines = forecast().out.splitlines()
    assert "Durations: 1 from the last run, 3 the mean of all" in lines
    assert "Critical path: 0+00:01:00  A > B > D" in lines
    assert "Durations: 4 given" in forecast("-durations", "60").out  # which counts more


@pytest.mark.parametrize(
    ("given", "told"),
    [("0.4", "0+00:00:00"), ("1.6", "0+00:00:02"), ("90061", "1+01:01:01")],
)
def test_durations_that_are_given(desk: Path, given: str, told: str) -> None:
    (desk / "t.dag").write_text("JOB A a.sub\n")
    assert f"Critical path: {told}  A\n" in forecast("-durations", given).out
    assert "End:           in 0+00:00:00, " in forecast("-durations", "0").out


@pytest.mark.parametrize("given", ["1e9", "nan", "inf", "-0.1"])
def test_numbers_that_are_no_durations(desk: Path, given: str) -> None:
    """In a file; on the command line such a text is the name of one."""
    (desk / "bad").write_text(f"A 1\n\n# note\nB {given}\n")
    done = forecast("-durations", "bad")
    assert (done.err, done.code) == (f"ERROR: bad:4: a node and its seconds are wanted, not 'B {given}'\n", 1)


def test_a_duration_of_other_nodes_counts_behind_their_own(desk: Path) -> None:
    (desk / "known").write_text("* 60\nB 120\nA 1 # short\n")
    assert "Critical path: 0+00:03:01  A > B > D" in forecast("-durations", "known").out
    (desk / "known").write_text("B 120\n")
    out = forecast("-durations", "known").out
    assert "Durations: 3 unknown, 1 given" in out or "Durations: 1 given, 3 unknown" in out
    assert "(unknown ones are taken as one hour; -durations SECONDS, or -durations FILE, tells them)" in out


def test_a_rescue_file_that_is_named(desk: Path) -> None:
    (desk / "mine").write_text("DONE A\nDONE B\nDONE C\n")
    (desk / "t.dag.rescue001").write_text("DONE A\n")
    assert "Done already: 3" in forecast("-durations", "30", "-RescueFile", "mine").out


def test_jobs_of_descriptions_that_cannot_be_read_count_as_one_core(desk: Path) -> None:
    """Five of them are named."""
    (desk / "t.dag").write_text("".join(f"JOB N{node} none{node}.sub\n" for node in range(7)))
    publish(desk, {"Name": "slot1@vm", "SlotID": 1, "Cpus": 8, "Memory": 8000, "Disk": 10**7, "PartitionableSlot": True,
                   "TotalSlotCpus": 8, "TotalSlotMemory": 8000, "TotalSlotDisk": 10**7})  # fmt: skip
    lines = forecast("-durations", "60").out.splitlines()
    warnings = [line for line in lines if line.startswith("WARNING: ")]
    assert warnings == [
        f"WARNING: node N{node}: cannot read none{node}.sub: No such file or directory" for node in range(5)
    ]  # fmt: skip
    assert "Work:          0+00:07:00 of one core, at most 7 jobs at a time" in lines


def test_many_jobs_of_a_node_and_what_each_asks_for(desk: Path) -> None:
    """Three jobs of two cores on four: two at a time; memory goes in steps of 128 MB."""
    (desk / "t.dag").write_text("JOB A a.sub\n")
    (desk / "a.sub").write_text("executable = /bin/true\nrequest_cpus = 2\nrequest_memory = 129\nqueue 3\n")
    slot = {"Name": "slot1@vm", "SlotID": 1, "PartitionableSlot": True, "TotalSlotDisk": 10**7, "TotalSlotCpus": 4}
    publish(desk, {**slot, "TotalSlotMemory": 512})
    lines = forecast("-durations", "60").out.splitlines()
    assert "Work:          0+00:12:00 of one core, at most 2 jobs at a time" in lines or (
        "Work:          0+00:06:00 of one core, at most 2 jobs at a time" in lines
    )
    publish(desk, {**slot, "TotalSlotMemory": 511})
    assert any(line.endswith("at most 1 jobs at a time") for line in forecast("-durations", "60").out.splitlines())


def test_the_bars_of_nodes_are_parts_of_the_whole(desk: Path) -> None:
    """Forty characters are the whole time; every node has at least one."""
    (desk / "t.dag").write_text(
        "JOB A a.sub\nJOB LONGER a.sub\nJOB C a.sub\nPARENT A CHILD LONGER\nPARENT LONGER CHILD C\n"
    )
    (desk / "known").write_text("A 100\nLONGER 299\nC 1\n")
    lines = forecast("-durations", "known").out.splitlines()
    (at,) = (at for at, line in enumerate(lines) if line.split() == ["NODE", "BEGIN", "TAKES"])
    bars = [line[32:] for line in lines[at + 1 : at + 4]]
    assert [line[:6].strip() for line in lines[at + 1 : at + 4]] == ["A", "LONGER", "C"]
    assert all(set(bar) <= {" ", "="} and bar.endswith("=") for bar in bars)
    assert [(len(bar) - len(bar.lstrip()), bar.count("=")) for bar in bars] == [(0, 10), (10, 30), (39, 1)]


@pytest.mark.parametrize(
    ("request_", "asked"),
    [
        ("request_disk = 2000000", "2000000 KB of disk"), ("request_gpus = 1", "1 GPU(s)"),
        ("request_memory = 1001", "1024 MB of memory"), ("request_cpus = 3", "3 core(s)"),
    ],
)  # fmt: skip
def test_what_no_slot_has(desk: Path, request_: str, asked: str) -> None:
    (desk / "a.sub").write_text(f"executable = /bin/true\n{request_}\nqueue\n")
    publish(desk, {"Name": "slot1@vm", "SlotID": 1, "Cpus": 2, "Memory": 1000, "Disk": 10**6})
    done = forecast("-durations", "60")
    assert (done.out.strip(), done.code) == ("", 1)
    assert done.err.startswith("ERROR: node A will never run: its job asks for ")
    assert asked in done.err
