"""Event texts: the recorded samples, and that HTCondor reads back exactly what was said."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from condor_py.lang.classad import ClassAd
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
    NodeTerminated,
    RemoteError,
    ShadowException,
    Submit,
    Transfer,
)
from condor_py.lang.events.base import resource_table
from condor_py.lang.events.runs import COMMON_FILES_WORDS
from condor_py.store.event_log import (
    EventReader,
    Form,
    FormatOptions,
    ad_information,
    append,
    event_items,
    event_text,
    format_event,
)

ADDR = "<127.0.0.1:9618?addrs=127.0.0.1-9618&alias=vm>"


@pytest.fixture(autouse=True)
def _utc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()


WHEN = 1795214406.116  # 2026-11-20 22:40:06 UTC


def test_recorded_samples() -> None:
    job: dict[str, Any] = {"cluster": 14, "proc": 0, "time": WHEN}
    assert event_text(Submit(host=ADDR, log_notes="hello notes", user_notes="usernote", **job)) == (
        f"000 (014.000.000) 2026-11-20 22:40:06 Job submitted from host: {ADDR}\n    hello notes\n    usernote\n...\n"
    )
    props = (("Memory", "128"), ("CondorScratchDir", '"$(EXECUTE)/dir_10412/scratch"'), ("GPUs", "0"), ("Cpus", "1"))
    assert event_text(Execute(host=ADDR, slot_name="slot1_1@vm", props=props, **job)) == (
        f"001 (014.000.000) 2026-11-20 22:40:06 Job executing on host: {ADDR}\n"
        "\tSlotName: slot1_1@vm\n"
        '\tCondorScratchDir = "$(EXECUTE)/dir_10412/scratch"\n'
        "\tCpus = 1\n\tGPUs = 0\n\tMemory = 128\n...\n"
    )
    assert event_text(ImageSize(size_kb=2500, memory_usage_mb=2, resident_set_size_kb=1340, **job)) == (
        "006 (014.000.000) 2026-11-20 22:40:06 Image size of job updated: 2500\n"
        "\t2  -  MemoryUsage of job (MB)\n\t1340  -  ResidentSetSize of job (KB)\n...\n"
    )
    assert event_text(JobHeld(reason="me (by user alice)", code=1, subcode=3, **job)) == (
        "012 (014.000.000) 2026-11-20 22:40:06 Job was held.\n\tme (by user alice)\n\tCode 1 Subcode 3\n...\n"
    )
    assert event_text(ClusterRemove(cluster=9, proc=-1, time=WHEN, next_proc=2, next_row=0)) == (
        "036 (009.-01.000) 2026-11-20 22:40:06 Cluster removed\n\tMaterialized 2 jobs from 0 items.\tComplete\n...\n"
    )


def sample(text: str) -> str:
    """Indented text as it was recorded: ``>`` stands for a tab, ``_`` for a trailing blank."""
    lines = [line.removeprefix("    ") for line in text.strip().splitlines()]
    tabs = [len(line) - len(line.lstrip(">")) for line in lines]
    return "".join("\t" * n + line[n:].replace("_", " ") + "\n" for n, line in zip(tabs, lines, strict=True))


EVICTED = sample(
    """004 (008.000.000) 2026-11-20 22:40:06 Job was evicted. Code 1 Subcode 3
    >(0) CPU times
    >>Usr 0 00:00:00, Sys 0 00:00:00  -  Run Remote Usage
    >>Usr 0 00:00:00, Sys 0 00:00:00  -  Run Local Usage
    >0  -  Run Bytes Sent By Job
    >0  -  Run Bytes Received By Job
    >Reason: me (by user alice)
    >Partitionable Resources :    Usage  Request Allocated_
    >   Cpus                 :        0        1         1_
    >   Disk (KB)            :       45     1024      1024_
    >   GPUs                 :                           0_
    >   Memory (MB)          :        6       20       128_
    >   TimeExecute (s)      :        1                   _
    >   TimeSlotBusy (s)     :        1                   _
    ...
    """
)

TERMINATED = sample(
    """005 (009.000.000) 2026-11-20 22:40:06 Job terminated.
    >(1) Normal termination (return value 0)
    >>Usr 1 01:01:01, Sys 0 00:00:59  -  Run Remote Usage
    >>Usr 0 00:00:00, Sys 0 00:00:00  -  Run Local Usage
    >>Usr 1 01:01:01, Sys 0 00:00:59  -  Total Remote Usage
    >>Usr 0 00:00:00, Sys 0 00:00:00  -  Total Local Usage
    >0  -  Run Bytes Sent By Job
    >0  -  Run Bytes Received By Job
    >0  -  Total Bytes Sent By Job
    >0  -  Total Bytes Received By Job
    >Partitionable Resources :    Usage  Request Allocated_
    >   Cpus                 :     0.01        1         1_
    >   Disk (KB)            :    45        1024      1024_
    >   GPUs                 :                           0_
    >   Memory (MB)          :     0          20       128_
    >   TimeExecute (s)      :     2                      _
    >   TimeSlotBusy (s)     :     2                      _
    ...
    """
)


def test_recorded_resource_tables() -> None:
    resources = (
        ("Cpus", "1"), ("CpusUsage", "0.0"), ("RequestCpus", "1"), ("Disk", "1024"), ("DiskUsage", "45"),
        ("RequestDisk", "1024"), ("GPUs", "0"), ("Memory", "128"), ("MemoryUsage", "6"), ("RequestMemory", "20"),
        ("TimeExecuteUsage", "1"), ("TimeSlotBusyUsage", "1"),
    )  # fmt: skip
    evicted = JobEvicted(
        cluster=8, proc=0, time=WHEN, code=1, subcode=3, reason="me (by user alice)", resources=resources
    )
    assert event_text(evicted) == EVICTED
    changed = {**dict(resources), "CpusUsage": "0.01", "MemoryUsage": "0"}
    changed.update(TimeExecuteUsage="2", TimeSlotBusyUsage="2")
    remote = CpuUsage(90061.9, 59)
    terminated = JobTerminated(
        cluster=9, proc=0, time=WHEN, return_value=0, run_remote=remote, total_remote=remote,
        resources=tuple(changed.items()),
    )  # fmt: skip
    assert event_text(terminated) == TERMINATED


def test_a_table_with_assigned_devices() -> None:
    table = resource_table(
        [("Gpus", "1"), ("RequestGpus", "1"), ("GpusAverageUsage", "0.5"), ("AssignedGpus", '"GPU-1a,GPU-2b"')]
    )
    assert table.splitlines() == [
        "\tPartitionable Resources :    Usage  Request Allocated Assigned",
        '\t   Gpus (Average)       :     0.50        1         1 "GPU-1a,GPU-2b"',
    ]
    assert resource_table([]) == ""


@pytest.mark.parametrize(
    ("options", "stamp"),
    [
        ("", "2026-11-20 22:40:06"),
        ("UTC", "2026-11-20 22:40:06Z"),
        ("ISO_DATE, SUB_SECOND", "2026-11-20 22:40:06.116"),
        ("!ISO_DATE", "11/20 22:40:06"),
        ("UTC,LEGACY", "11/20 22:40:06"),
    ],
)
def test_time_stamps(options: str, stamp: str) -> None:
    text = event_text(Generic(cluster=1, proc=0, time=WHEN, info="x"), FormatOptions.parse(options))
    assert text == f"008 (001.000.000) {stamp} x\n...\n"


def test_the_recorded_xml_and_json_forms() -> None:
    execute = Execute(
        cluster=10, proc=0, time=1795214303.416, host="<127.0.0.1:9618?addrs=127.0.0.1-9618&alias=vm>",
        slot_name="slot1_2@vm", props=(("CondorScratchDir", '"$(EXECUTE)/dir_11246/scratch"'), ("Cpus", "1")),
    )  # fmt: skip
    assert format_event(execute, Form.XML) == (
        "<c>\n"
        '    <a n="Proc"><i>0</i></a>\n'
        '    <a n="MyType"><s>ExecuteEvent</s></a>\n'
        '    <a n="Cluster"><i>10</i></a>\n'
        '    <a n="Subproc"><i>0</i></a>\n'
        '    <a n="SlotName"><s>slot1_2@vm</s></a>\n'
        '    <a n="EventTime"><s>2026-11-20T22:38:23.416</s></a>\n'
        '    <a n="ExecuteHost"><s>&lt;127.0.0.1:9618?addrs=127.0.0.1-9618&amp;alias=vm&gt;</s></a>\n'
        '    <a n="ExecuteProps"><c>\n'
        '        <a n="Cpus"><i>1</i></a>\n'
        '        <a n="CondorScratchDir"><s>$(EXECUTE)/dir_11246/scratch</s></a>\n'
        "    </c></a>\n"
        '    <a n="EventTypeNumber"><i>1</i></a>\n'
        "</c>\n"
    )
    image = ImageSize(cluster=10, proc=0, time=1795214304.422, size_kb=45, memory_usage_mb=6, resident_set_size_kb=5872)
    assert format_event(image, Form.JSON) == (
        '{\n  "Proc": 0,\n  "Size": 45,\n  "MyType": "JobImageSizeEvent",\n  "Cluster": 10,\n  "Subproc": 0,\n'
        '  "EventTime": "2026-11-20T22:38:24.422",\n  "MemoryUsage": 6,\n  "EventTypeNumber": 6,\n'
        '  "ResidentSetSize": 5872\n}\n'
    )


def test_job_ad_information_follows_its_event() -> None:
    submit = Submit(cluster=13, proc=0, time=WHEN, host=ADDR)
    assert event_text(ad_information(submit, [("Owner", '"alice"'), ("RequestCpus", "1")])) == (
        "028 (013.000.000) 2026-11-20 22:40:06 Job ad information event triggered.\n"
        "Cluster = 13\n"
        'EventTime = "2026-11-20T22:40:06.116"\n'
        "EventTypeNumber = 28\n"
        'MyType = "SubmitEvent"\n'
        'Owner = "alice"\n'
        "Proc = 0\n"
        "RequestCpus = 1\n"
        f'SubmitHost = "{ADDR}"\n'
        "Subproc = 0\n"
        'TriggerEventTypeName = "ULOG_SUBMIT"\n'
        "TriggerEventTypeNumber = 0\n"
        "...\n"
    )


# what HTCondor reads


def is_text(value: str) -> bool:
    """HTCondor's reader takes a lone ``...`` behind the heading of an event for its end."""
    return value not in ("", "...")


WORD = st.text("abcXYZ019_-/.@:<>", min_size=1, max_size=12).filter(is_text)
# HTCondor trims what it reads, and takes "WARNING:" and "Reason" lines for more than text
TEXT = st.text("abc XYZ019_-/.,@:<>(){}'\"\\é", min_size=1, max_size=30).map(str.strip).filter(is_text)
MAYBE = st.one_of(st.just(""), TEXT)
COUNT = st.integers(0, 2**31 - 1)
SMALL = st.integers(0, 2000)
CPU = st.builds(CpuUsage, st.integers(0, 10**7), st.integers(0, 10**7))
BYTES = st.integers(0, 2**24).map(float)  # HTCondor's reader keeps 24 bits
NUMBER = st.one_of(st.integers(0, 10**9).map(str), st.integers(0, 10**6).map(lambda n: f"{n / 100:.2f}"))
RESOURCES = st.lists(st.sampled_from(["Cpus", "Disk", "Memory", "Bananas"]), unique=True).flatmap(
    lambda names: st.tuples(*[st.tuples(NUMBER, st.integers(0, 10**9).map(str), NUMBER) for _ in names]).map(
        lambda rows: tuple(
            pair
            for name, (usage, request, have) in zip(names, rows, strict=True)
            for pair in ((name, have), ("Request" + name, request), (name + "Usage", usage))
        )
    )
)
JOB = {
    "cluster": st.integers(1, 10**6),
    "proc": st.integers(0, 10**6),
    "time": st.integers(10**9, 2 * 10**9).map(float),
}


def of(kind: type[JobEvent], **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[JobEvent]:
    return st.builds(kind, **JOB, **fields)


EVENTS = st.one_of(
    of(Submit, host=WORD),
    of(Submit, host=WORD, log_notes=TEXT, user_notes=TEXT),
    of(Execute, host=TEXT, slot_name=WORD, props=st.just((("Cpus", "1"), ("Name", '"a b"')))),
    of(ExecutableError, error_type=st.integers(0, 1)),
    of(Checkpointed, run_remote=CPU, run_local=CPU, sent_bytes=BYTES),
    of(
        JobEvicted, code=st.integers(1, 2000), subcode=SMALL, reason=MAYBE, checkpointed=st.booleans(),
        run_remote=CPU, run_local=CPU, sent_bytes=BYTES, received_bytes=BYTES,
    ),
    of(JobEvicted, reason=TEXT, requeued=st.just(True), signal=SMALL, core_file=MAYBE, run_remote=CPU),
    of(JobEvicted, reason=TEXT, requeued=st.just(True), return_value=SMALL),
    of(
        JobTerminated, return_value=SMALL, run_remote=CPU, run_local=CPU, total_remote=CPU, total_local=CPU,
        sent_bytes=BYTES, received_bytes=BYTES, total_sent_bytes=BYTES, total_received_bytes=BYTES,
        resources=RESOURCES,
    ),
    of(JobTerminated, signal=SMALL, core_file=MAYBE, resources=RESOURCES),
    of(NodeTerminated, return_value=SMALL, run_remote=CPU, sent_bytes=BYTES, total_received_bytes=BYTES),
    of(
        ImageSize, size_kb=COUNT, memory_usage_mb=COUNT, resident_set_size_kb=COUNT,
        proportional_set_size_kb=st.integers(-1, 9),
    ),
    of(ShadowException, message=TEXT, sent_bytes=BYTES, received_bytes=BYTES),
    of(Generic, info=TEXT),
    of(JobAborted, reason=MAYBE),
    of(JobSuspended, processes=SMALL),
    of(JobUnsuspended),
    of(JobHeld, reason=MAYBE, code=SMALL, subcode=SMALL),
    of(JobReleased, reason=MAYBE),
    of(RemoteError, daemon=WORD, host=WORD, message=TEXT, hold_code=SMALL, hold_subcode=st.just(0)),
    of(JobDisconnected, reason=TEXT, startd_name=WORD, startd_addr=WORD),
    of(JobReconnected, startd_name=WORD, startd_addr=WORD, starter_addr=WORD),
    of(JobReconnectFailed, reason=TEXT, startd_name=WORD),
    of(AttributeUpdate, name=st.just("JobPrio"), value=SMALL.map(str), old_value=SMALL.map(str)),
    of(FileTransfer, step=st.sampled_from(Transfer), queueing_delay=st.integers(-1, 99), host=st.just("")),
    of(FileTransfer, step=st.sampled_from(Transfer), queueing_delay=SMALL, host=WORD),
    of(ClusterSubmit, host=WORD),
    of(ClusterRemove, next_proc=SMALL, next_row=SMALL, completion=st.sampled_from([0, 1, 2])),
    of(FactoryPaused, reason=TEXT, pause_code=st.integers(1, 9), hold_code=SMALL),
    of(FactoryResumed, reason=MAYBE),
    of(GridResourceUp, resource=WORD),
    of(GridResourceDown, resource=WORD),
    of(GridSubmit, resource=WORD, job_id=WORD),
    of(JobStatusKnown),
    of(JobStatusUnknown),
    of(DataflowJobSkipped, reason=MAYBE),
    of(CommonFiles, type=st.sampled_from(sorted(COMMON_FILES_WORDS))),
)  # fmt: skip

COMMON = {"mytype", "eventtime", "eventtypenumber", "cluster", "proc", "subproc"}


def comparable(items: dict[str, Any]) -> dict[str, Any]:
    """Attributes by lower-case name, as texts or rounded numbers."""
    found: dict[str, Any] = {}
    for name, value in items.items():
        if name.lower() not in COMMON:
            number = isinstance(value, (int, float)) and not isinstance(value, bool)
            found[name.lower()] = round(float(value), 2) if number else str(value).lower()
    return found


@pytest.mark.parametrize("form", list(Form))
def test_htcondor_reads_what_we_write(form: Form, tmp_path: Path) -> None:
    htcondor2 = pytest.importorskip("htcondor2")
    path = str(tmp_path / "job.log")

    @settings(derandomize=True, max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.lists(EVENTS, min_size=10, max_size=10))
    def check(events: list[JobEvent]) -> None:
        Path(path).unlink(missing_ok=True)
        append(path, [format_event(event, form) for event in events])
        read = zip(events, htcondor2.JobEventLog(path).events(0), EventReader(path).read(), strict=True)
        for event, theirs, ours in read:
            assert (int(theirs.type), theirs.cluster, theirs.proc, theirs.timestamp) == (
                event.number, event.cluster, event.proc, int(event.time)
            )  # fmt: skip
            assert ours[:5] == (event.number, event.cluster, event.proc, 0, event.time)
            wanted = comparable(dict(ClassAd.from_text_items(event_items(event)).items()))
            assert comparable(dict(theirs.items())) == wanted

    check()


def test_a_reader_of_htcondor_goes_on_after_a_torn_event(tmp_path: Path) -> None:
    htcondor2 = pytest.importorskip("htcondor2")
    path = str(tmp_path / "job.log")
    events = [JobAborted(cluster=1, proc=p, time=WHEN, reason="r") for p in range(3)]
    append(path, [event_text(events[0])])
    torn = event_text(events[1])[:-12]
    with open(path, "a") as file:
        file.write(torn)
    append(path, [event_text(events[2])])
    assert [event.proc for event in EventReader(path).read()] == [0, 2]
    assert [event.proc for event in htcondor2.JobEventLog(path).events(0)] == [0, 2]
    assert os.stat(path).st_mode & 0o777 == 0o644
