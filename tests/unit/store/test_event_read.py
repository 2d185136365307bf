"""What the events of a log say is what HTCondor's reader finds in them."""

from __future__ import annotations

import time
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import pytest

from condor_py.lang import events
from condor_py.lang.events import (
    AttributeUpdate,
    Checkpointed,
    ClusterRemove,
    ClusterSubmit,
    CommonFiles,
    CpuUsage,
    DataflowJobSkipped,
    ExecutableError,
    Execute,
    FactoryPaused,
    FactoryResumed,
    FileTransfer,
    Generic,
    GridResourceDown,
    GridResourceUp,
    GridSubmit,
    ImageSize,
    JobAborted,
    JobDisconnected,
    JobEvent,
    JobEvicted,
    JobHeld,
    JobReconnected,
    JobReconnectFailed,
    JobReleased,
    JobStatusKnown,
    JobStatusUnknown,
    JobSuspended,
    JobTerminated,
    JobUnsuspended,
    NodeExecute,
    NodeTerminated,
    RemoteError,
    ShadowException,
    Submit,
    Transfer,
)
from condor_py.lang.events.runs import COMMON_FILES_WORDS
from condor_py.model.errors import StoreError
from condor_py.store.event_log import (
    Form,
    FormatOptions,
    ad_information,
    event_text,
    format_event,
    parse,
    split_events,
    typed,
)

JOB: dict[str, Any] = {"cluster": 7, "proc": 3, "time": 1700000000.123}
u = CpuUsage(3661, 90061)
res = (
    ("Cpus", "1"),
    ("RequestCpus", "1"),
    ("CpusUsage", "0.25"),
    ("Memory", "128"),
    ("RequestMemory", "1"),
    ("MemoryUsage", "3"),
    ("Disk", "1000"),
    ("RequestDisk", "20"),
    ("DiskUsage", "15"),
    ("GPUs", "1"),
    ("RequestGPUs", "1"),
    ("AssignedGPUs", '"GPU-abc,GPU-d"'),
    ("TimeExecute", "12"),
    ("GPUsAverageUsage", "0.5"),
)
EVENTS: list[JobEvent] = [
    Submit(host="<127.0.0.1:9618?x>", **JOB),
    Submit(host="<h>", log_notes="DAG Node: A", user_notes="hello there", warnings="w w", **JOB),
    Submit(host="<h>", user_notes="only user", **JOB),
    Execute(host="<1.2.3.4:5>", **JOB),
    Execute(
        host="<h>",
        slot_name="slot1_1@x",
        props=(("Cpus", "1"), ("CondorScratchDir", '"/tmp/d"'), ("Memory", "128")),
        **JOB,
    ),
    ExecutableError(error_type=0, **JOB),
    ExecutableError(error_type=1, **JOB),
    Checkpointed(run_remote=u, sent_bytes=10, **JOB),
    JobEvicted(run_remote=u, sent_bytes=5, received_bytes=6, **JOB),
    JobEvicted(code=3, subcode=4, reason="why not", checkpointed=True, resources=res, **JOB),
    JobEvicted(requeued=True, return_value=3, reason="again", **JOB),
    JobEvicted(requeued=True, signal=9, core_file="/c/ore", reason="again", resources=res, **JOB),
    JobEvicted(requeued=True, signal=9, **JOB),
    JobTerminated(return_value=0, run_remote=u, sent_bytes=5, **JOB),
    JobTerminated(signal=11, core_file="/a b/core", resources=res, **JOB),
    NodeExecute(subproc=2, host="<h>", slot_name="slot1@vm", **JOB),
    NodeTerminated(subproc=2, return_value=3, sent_bytes=5, total_received_bytes=7, **JOB),
    JobTerminated(signal=11, **JOB),
    ImageSize(size_kb=5, **JOB),
    ImageSize(size_kb=5, memory_usage_mb=3, resident_set_size_kb=4, proportional_set_size_kb=6, **JOB),
    ShadowException(message="m e", sent_bytes=1, received_bytes=2, **JOB),
    Generic(info="info text", **JOB),
    Generic(info="", **JOB),
    JobAborted(reason="via condor_rm", **JOB),
    JobAborted(**JOB),
    JobSuspended(processes=4, **JOB),
    JobUnsuspended(**JOB),
    JobHeld(reason="r", code=12, subcode=2, **JOB),
    JobHeld(**JOB),
    JobReleased(reason="rel", **JOB),
    JobReleased(**JOB),
    RemoteError(daemon="starter", host="slot1@h", message="line 1\nline 2", **JOB),
    RemoteError(daemon="shadow", host="h", message="m", critical=False, hold_code=3, hold_subcode=5, **JOB),
    JobDisconnected(reason="gone away", startd_name="slot1@x", startd_addr="<1.2.3.4:5>", **JOB),
    JobReconnected(startd_name="slot1@x", startd_addr="<1.2.3.4:5>", starter_addr="<1.2.3.4:6>", **JOB),
    JobReconnectFailed(reason="lease over", startd_name="slot1@x", **JOB),
    GridResourceUp(resource="batch slurm", **JOB),
    GridResourceDown(resource="batch slurm", **JOB),
    GridSubmit(resource="batch slurm", job_id="batch slurm host_1.0 17", **JOB),
    JobStatusUnknown(**JOB),
    JobStatusKnown(**JOB),
    AttributeUpdate(name="A", value="3", old_value="2", **JOB),
    AttributeUpdate(name="A", value='"x y"', **JOB),
    ClusterSubmit(host="<h>", log_notes="n", user_notes="m", **JOB),
    ClusterSubmit(host="<h>", **JOB),
    ClusterRemove(next_proc=3, next_row=4, **JOB),
    ClusterRemove(next_proc=3, next_row=4, completion=-4, notes="nn oo", **JOB),
    ClusterRemove(next_proc=3, next_row=4, completion=2, **JOB),
    ClusterRemove(next_proc=3, next_row=4, completion=0, **JOB),
    FactoryPaused(**JOB),
    FactoryPaused(reason="r s", pause_code=3, hold_code=4, **JOB),
    FactoryPaused(pause_code=3, **JOB),
    FactoryResumed(**JOB),
    FactoryResumed(reason="q r", **JOB),
    *[FileTransfer(step=Transfer(i), **JOB) for i in range(1, 7)],
    FileTransfer(step=Transfer(2), queueing_delay=5, host="<h h>", **JOB),
    DataflowJobSkipped(reason="newer", **JOB),
    DataflowJobSkipped(**JOB),
    *[CommonFiles(type=word, **JOB) for word in (*COMMON_FILES_WORDS, "SomethingNew")],
]
EVENTS.append(
    ad_information(
        JobTerminated(signal=11, **JOB), [("Iwd", '"/x"'), ("JobStatus", "4"), ("X", "[ a = 1 ]"), ("R", "1 + Z")]
    )
)


@pytest.fixture(autouse=True)
def _utc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()


def _ours(text: str) -> dict[str, str]:
    (event,), _ = split_events(text.encode(), "log")
    return {name.lower(): value for name, value in parse(event)}


def _both_readers(tmp_path: Path, text: str) -> tuple[dict[str, str], dict[str, str]]:
    """What our reader and HTCondor's make of an event."""
    htcondor2 = pytest.importorskip("htcondor2")
    classad2 = pytest.importorskip("classad2")
    path = tmp_path / "log"
    path.write_text(text)
    with htcondor2.JobEventLog(str(path)) as log:
        (told,) = log.events(0)
    theirs = {name.lower(): told[name] for name in told.keys()}  # noqa: SIM118 - no dict
    ours = {}
    for name, value in _ours(text).items():
        parsed = classad2.ExprTree(value)
        ours[name] = parsed if isinstance(theirs.get(name), (classad2.ExprTree, classad2.ClassAd)) else parsed.eval()
    return {name: str(value) for name, value in ours.items()}, {name: str(value) for name, value in theirs.items()}


@pytest.mark.parametrize("options", ["", "UTC SUB_SECOND", "LEGACY", "LEGACY SUB_SECOND"])
def test_text_events_tell_what_htcondor_reads(tmp_path: Path, options: str) -> None:
    for event in EVENTS:
        ours, theirs = _both_readers(tmp_path, event_text(event, FormatOptions.parse(options)))
        assert ours == theirs


@pytest.mark.parametrize("form", [Form.XML, Form.JSON])
def test_structured_events_tell_what_htcondor_reads(tmp_path: Path, form: Form) -> None:
    for event in EVENTS:
        if not getattr(event, "resources", ()):  # HTCondor reads but a part of the resources of these forms
            ours, theirs = _both_readers(tmp_path, format_event(event, form))
            assert ours == theirs


@pytest.mark.parametrize(
    "text",
    [
        "Setting job attribute A to 5",
        "Changing job attribute A from 1 + 2 to 3 + 4",
        "Changing job attribute A from 1 to 3 + 4",
        'Changing job attribute A from "a b" to "c d"',
    ],
)
def test_attribute_updates_of_several_words(tmp_path: Path, text: str) -> None:
    ours, theirs = _both_readers(tmp_path, f"033 (007.003.000) 2023-11-14 22:13:20 {text}\n...\n")
    assert ours == theirs


@pytest.mark.parametrize(
    "codes", ["\tCode 1 Subcode 0", "\tCode 1 Subcode 0t", "\tCode -1 Subcode 2 \n\tCode 3 Subcode 4"]
)
def test_the_codes_of_an_error_end_its_message(tmp_path: Path, codes: str) -> None:
    head = "021 (7.3.0) 2026-11-20 22:40:06 Error from starter on slot1@x:\n\tone\n\ttwo\n"
    ours, theirs = _both_readers(tmp_path, f"{head}{codes}\n\tmore\n...\n")
    assert ours == theirs
    assert ours["errormsg"] == "one\ntwo"


def test_typed_events_are_written_as_they_were_read() -> None:
    for event in EVENTS:
        if isinstance(event, (Submit, RemoteError, AttributeUpdate, ImageSize)):
            continue  # their texts do not tell everything
        options = FormatOptions(sub_second=True)
        text = event_text(event, options)
        (found,), _ = split_events(text.encode(), "log")
        again = event_text(typed(found), options)
        ends = [whole.removesuffix("...\n").split("\tPartitionable")[0] for whole in (again, text)]
        assert ends[0] == ends[1]


@pytest.mark.parametrize("text", ["a\n...\nb", "a\r...\rb", "a\r\n...\r\nb", "\n", "\r"])
def test_no_text_of_a_user_ends_an_event(text: str) -> None:
    """A hold reason of several lines stays one event, of the lines that a hold has."""
    event = JobHeld(cluster=1, proc=0, subproc=0, time=0.0, reason=text, code=1)
    written = format_event(event, Form.TEXT)
    assert written.count("\n") == 4
    assert "\r" not in written
    assert written.endswith("\n\tCode 1 Subcode 0\n...\n")


@pytest.mark.parametrize("form", list(Form), ids=lambda form: form.name)
@pytest.mark.parametrize("notes", ['"EventTypeNumber": 5,', '"Cluster": 7', "[ Cluster = 7; EventTypeNumber = 5 ]"])
def test_no_text_of_a_user_makes_another_event(notes: str, form: Form) -> None:
    event = Submit(cluster=1, proc=0, subproc=0, time=0.0, host="<1.2.3.4:5>", log_notes=notes)
    (found,), _ = split_events(format_event(event, form).encode(), "log")
    assert (found.number, found.cluster, found.proc) == (0, 1, 0)


def test_a_stamp_without_a_year_is_of_the_present_one() -> None:
    """The form of HTCondor before 8.8, and of DEFAULT_USERLOG_FORMAT_OPTIONS = LEGACY."""
    text = b"000 (001.000.000) 11/14 22:13:20 Job submitted from host: <1.2.3.4:5>\n...\n"
    (event,), _ = split_events(text, "log")
    assert typed(event, now=1_700_000_000.0).time == 1_700_000_000.0


def test_an_unknown_event_is_a_future_one(tmp_path: Path) -> None:
    """Its first line is kept, and the others that are attributes."""
    told = _ours("999 (001.002.000) 2023-11-14 22:13:20 Something new\n\tmore\n...\n")
    assert (told["eventtypenumber"], told["mytype"], told["cluster"]) == ("999", '"FutureEvent"', "1")
    text = '031 (001.002.000) 2023-11-14 22:13:20 Job "x" is\n\tA = 1 + 2\nB="c"\n no attribute\nD = (\n...\n'
    ours, theirs = _both_readers(tmp_path, text)
    assert ours == theirs
    assert (ours["eventhead"], ours["a"]) == ('Job "x" is', "1 + 2")


def test_a_return_value_that_is_none_is_left_out(tmp_path: Path) -> None:
    text = (
        "004 (001.002.000) 2023-11-14 22:13:20 Job was evicted.\n\t(0) Job terminated and was requeued\n"
        "\t\tUsr 0 00:00:00, Sys 0 00:00:00  -  Run Remote Usage\n"
        "\t\tUsr 0 00:00:00, Sys 0 00:00:00  -  Run Local Usage\n"
        "\t1  -  Run Bytes Sent By Job\n\t2  -  Run Bytes Received By Job\n"
        "\t(1) Normal termination (return value -1)\n\tIt misbehaved!\n...\n"
    )
    ours, theirs = _both_readers(tmp_path, text)
    assert ours == theirs
    assert "returnvalue" not in ours


def test_notes_of_a_submit_event_are_an_ad() -> None:
    head = "000 (001.000.000) 2023-11-14 22:13:20 Job submitted from host: <1.2.3.4:5>\n    "
    assert _ours(f'{head}[ JobBatchName = "x" ]\n...\n')["structurednotes"] == '[ JobBatchName = "x" ]'
    assert _ours(f"{head}DAG Node: a\n...\n")["structurednotes"] == '[ DAGNodeName = "a" ]'
    assert "structurednotes" not in _ours(f"{head}[ broken\n...\n")


KINDS = [kind for kind in vars(events).values() if isinstance(kind, type) and issubclass(kind, JobEvent)]
KINDS.remove(JobEvent)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_event_has_its_own_number_a_text_and_a_reader(kind: type[JobEvent]) -> None:
    values = {"str": "x", "int": 1, "Items": (("A", "1"),), "Transfer": Transfer.INPUT_STARTED}
    needed = [f for f in fields(kind) if f.default is MISSING and f.name not in JOB]
    event = kind(**JOB, **{f.name: values[str(f.type)] for f in needed})
    assert [other for other in KINDS if other.number == event.number] == [kind]
    text = event_text(event, FormatOptions(sub_second=True))
    assert text.partition(" (")[0] == f"{event.number:03d}"
    (found,), _ = split_events(text.encode(), "log")
    assert found.text.partition(".123 ")[2].strip(), "an event without a text"
    assert type(typed(found)) is kind


MANY = "9" * 5000


@pytest.mark.parametrize(
    "head", [f"000 ({MANY}.0.0)", f"000 (1.{MANY}.0)", f"{MANY} (1.0.0)"], ids=["cluster", "proc", "event"]
)
def test_a_number_that_no_job_has_begins_no_event(head: str) -> None:
    with pytest.raises(StoreError, match="not a job event"):
        split_events(f"{head} 2023-11-14 22:13:20 x\n...\n".encode(), "log")


@pytest.mark.parametrize(
    "body",
    [
        f"012 (1.0.0) 2023-11-14 22:13:20 Job was held.\n\tx\n\tCode {MANY} Subcode {MANY}\n...\n",
        f"005 (1.0.0) 2023-11-14 22:13:20 Job terminated.\n\t(1) Normal termination (return value {MANY})\n...\n",
        f"006 (1.0.0) 2023-11-14 22:13:20 Image size of job updated: {MANY}\n...\n",
        "005 (1.0.0) 2023-11-14 22:13:20 Job terminated.\n\tPartitionable Resources : 1\n\t   Cpus : 1\n...\n",
        f"007 (1.0.0) 2023-11-14 22:13:20 Shadow exception!\n\tx\n\t1{MANY}  -  Run Bytes Sent By Job\n...\n",
    ],
    ids=["codes", "return value", "image size", "table", "bytes"],
)
def test_numbers_without_end_and_tables_of_others_are_read(body: str) -> None:
    (event,), _ = split_events(body.encode(), "log")
    assert parse(event, 1_700_000_000.0)


def test_a_line_of_an_ad_without_a_name_is_left_out() -> None:
    (event,), _ = split_events(b"028 (1.0.0) 2023-11-14 22:13:20 x\n = 1\nA = 2\n...\n", "log")
    assert dict(parse(event, 1_700_000_000.0)).keys() >= {"A"}
    assert "" not in dict(parse(event, 1_700_000_000.0))


def test_an_ad_in_a_log_is_read_as_everywhere_and_what_is_no_attribute_is_left_out() -> None:
    lines = b"A=1\n  B = foo bar\nC = \nD = {1,\nE == 2\nno attribute\n\nF = 3; G = 4\n'h i' = 5\n"
    (event,), _ = split_events(b"028 (1.0.0) 2023-11-14 22:13:20 x\n" + lines + b"...\n", "log")
    read = dict(parse(event, 1_700_000_000.0))
    assert {name: read[name] for name in read.keys() & set("ABCDEFG") | read.keys() & {"h i"}} == {
        "A": "1", "h i": "5",
    }  # fmt: skip


def test_a_row_without_a_name_is_no_attribute() -> None:
    table = b"\tPartitionable Resources :  Usage Request Allocated\n\t : 7 8 9\n\t   Cpus :    1       2         3\n"
    (event,), _ = split_events(b"005 (1.0.0) 2023-11-14 22:13:20 Job terminated.\n" + table + b"...\n", "log")
    read = dict(parse(event, 1_700_000_000.0))
    assert (read["CpusUsage"], read["RequestCpus"], read["Cpus"]) == ("1", "2", "3")
    assert not {"", "Usage", "Request"} & read.keys()


def test_the_ad_of_an_event_does_not_change_which_event_of_which_job_it_is() -> None:
    ad = b'EventTypeNumber = 1\nMyType = "ExecuteEvent"\ncluster = 77\nEventTime = "x"\nFoo = 1\n'
    text = b"028 (1.0.0) 2026-01-01 00:00:00 Job ad information event triggered.\n" + ad + b"...\n"
    (event,), _ = split_events(text, "log")
    assert parse(event, 1_700_000_000.0) == [
        ("EventTypeNumber", "28"), ("MyType", '"JobAdInformationEvent"'), ("EventTime", '"2026-01-01T00:00:00"'),
        ("Cluster", "1"), ("Proc", "0"), ("Subproc", "0"), ("Foo", "1"),
    ]  # fmt: skip
    for form in Form:
        shown = format_event(typed(event, 1_700_000_000.0), form).encode()
        (again,), _ = split_events(shown, "again")
        assert again.number == 28, shown


@pytest.mark.parametrize(
    "text",
    [
        "006 (1.0.0) 2023-11-14 22:13:20 Image size of job updated: 1\n\t1  -  " + "9" * 400_000 + "\n...\n",
        "021 (1.0.0) 2023-11-14 22:13:20 Error from x:" + " on y" * 100_000 + "\n...\n",
        "005 (1.0.0) 2023-11-14 22:13:20 Job terminated.\n\tPartitionable Resources :"
        + " Usage" * 50_000
        + "\n\t : "
        + "\n\tCpus : 1" * 50_000
        + "\n...\n",
    ],
    ids=["digits", "hosts", "columns"],
)
def test_a_long_event_costs_no_more_than_its_parts(text: str) -> None:
    """Minutes, if each place in it were a beginning that is read to the end."""
    (event,), _ = split_events(text.encode(), "log")
    assert parse(event, 1_700_000_000.0)


@pytest.mark.parametrize(
    ("number", "read"), [("..", "0.0"), ("1.2.3", "0.0"), (".", "0.0"), ("12", "12.0"), (".5", "0.5")]
)
def test_bytes_that_are_no_number_are_none(number: str, read: str) -> None:
    text = f"004 (7.3.0) 2023-11-14 22:13:20 Job was evicted.\n\t{number}  -  Run Bytes Received By Job\n...\n"
    (event,), _ = split_events(text.encode(), "log")
    assert dict(parse(event, 1_700_000_000.0))["ReceivedBytes"] == read
