"""The rules of condor_history: which records are read and shown, where reading ends, what is said of runs and use."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import pytest
from life_world import T, epoch
from tool_runner import Spool
from tool_runner import run as run_tool

from condor_py.cli import entry
from condor_py.cli.history import SPEC, Printer, ShortTable, is_standard, lives
from condor_py.cli.history.efficiency import Use, of_batches, of_jobs
from condor_py.cli.history.endings import Ending, endings
from condor_py.cli.history.plot import Collected, batch_title, bins, life_as_svg, life_as_text
from condor_py.cli.history.query import (
    Query,
    Search,
    check_sources,
    epochs_of,
    in_queue,
    kinds_of,
    query_of,
    source,
)
from condor_py.cli.history.why import row, table_lines
from condor_py.cli.options import Args, parse
from condor_py.client.pool import open_pool
from condor_py.lang.classad import ClassAd
from condor_py.lang.classad.exprtree import parse as expression
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId
from condor_py.model.states import VacateCode
from condor_py.store.history import HistoryRecord

PLAIN = Query((), frozenset(), None, None, 0, 0, frozenset({"JOB"}), True, True, False)


def options(text: str) -> Args:
    return parse(SPEC, text.split())


def ad(**more: object) -> ClassAd:
    return ClassAd.from_text_items([(name, str(value)) for name, value in more.items()])


def record(cluster: int, proc: int = 0, banner: str = "", **more: object) -> HistoryRecord:
    """A record, with a banner as the schedd writes it unless there is another."""
    texts = {"ClusterId": cluster, "ProcId": proc, "Owner": '"Ann"', **more}
    banner = banner or f'*** Offset = 0 ClusterId = {cluster} ProcId = {proc} Owner = "Ann" CompletionDate = 50'
    return HistoryRecord("".join(f"{name} = {value}\n" for name, value in texts.items()), banner, "history", 0)


@pytest.mark.usefixtures("universal_time", "spool")
def test_the_table(tmp_path: Path) -> None:
    """As condor_history(1) shows it: cells under their headings."""
    job: dict[str, Any] = {
        "QDate": 86400,
        "JobStatus": 4,
        "Cmd": '"/bin/sleep"',
        "Args": '"60"',
        "CompletionDate": 90061,
    }
    texts = [record(7, 3, RemoteWallClockTime="61.5", **job), record(8, 0, RemoteUserCpu="5.0", **job), record(9)]
    (tmp_path / "h").write_text("".join(f"{one.text}{one.banner}\n" for one in texts))
    heading, bare, cpu, wall = run_tool("condor_history", "-file", str(tmp_path / "h"), "-wide").out.splitlines()
    assert heading == " ID          OWNER            SUBMITTED   RUN_TIME   ST   COMPLETED CMD"
    assert wall == "7.3          Ann             1/2  00:00   0+00:01:01 C   1/2  01:01 sleep 60"
    assert cpu == "8.0          Ann             1/2  00:00   0+00:00:05 C   1/2  01:01 sleep 60"
    assert bare.split() == ["9.0", "Ann", "[?????????]", "0+00:00:00"]


@pytest.mark.usefixtures("universal_time")
def test_the_table_of_a_daemon() -> None:
    printer = Printer(options("-daemon"))
    assert printer.start() == (
        "TIMESTAMP   DUTY_CYCLE RunningJobs   IdleJobs   HeldJobs "
        "Download Waiting WaitingMB   Upload Waiting WaitingMB\n"
    )
    told = {"RecordWriteDate": 86400, "RecentDaemonCoreDutyCycle": 0.125, "TotalRunningJobs": 3, "TotalIdleJobs": 4,
            "TotalHeldJobs": 5, "TransferQueueNumDownloading": 6, "TransferQueueNumWaitingToDownload": 7,
            "FileTransferMBWaitingToDownload": 8.5, "TransferQueueNumUploading": 9,
            "TransferQueueNumWaitingToUpload": 10, "FileTransferMBWaitingToUpload": 11.25}  # fmt: skip
    assert printer.show(ad(**told)).split() == [
        "1/2", "00:00", "12.50%", "3", "4", "5", "6", "7", "8.50", "9", "10", "11.25",
    ]  # fmt: skip
    assert printer.show(ad()).split()[:2] == ["[?????????]", "0.00%"]


# ---- which records are read ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "banner", "wanted"),
    [
        ({}, "*** Offset = 0 ClusterId = 7", True),
        ({}, "*** EPOCH ClusterId = 7", False),
        ({}, "*** epoch ClusterId = 7", False),
        ({"kinds": frozenset({"EPOCH"})}, "*** epoch ClusterId = 7", True),
        ({"kinds": frozenset({"ALL"})}, "*** EPOCH ClusterId = 7", True),
        ({"newest_first": False}, "*** EPOCH ClusterId = 7", True),
        ({}, "***", True),
        ({"ids": ((7, None),)}, "*** Offset = 0 ClusterId = 7", True),
        ({"ids": ((7, 3),)}, "*** Offset = 0 ClusterId = 7 ProcId = 4", True),  # its ad tells
        ({"ids": ((8, None),)}, "*** Offset = 0 ClusterId = 7", False),
        ({"ids": ((8, None), (7, 1))}, "*** Offset = 0 ClusterId = 7", True),
        ({"ids": ((8, None),)}, "*** Offset = 0 ClusterId = x", True),
        ({"ids": ((8, None),)}, "*** Offset = 0", True),
        ({"ids": ((8, None),)}, "***", True),
        ({"ids": ((8, None),), "remote": True}, "*** Offset = 0 ClusterId = 7", True),
        ({"ids": ((8, None),), "newest_first": False}, "*** Offset = 0 ClusterId = 7", True),
        ({"owners": frozenset({"ann"})}, '*** Offset = 0 ClusterId = 7 Owner = "Ann"', True),
        ({"owners": frozenset({"bob"})}, '*** Offset = 0 ClusterId = 7 Owner = "Ann"', False),
        ({"owners": frozenset({"bob"})}, "*** Offset = 0 ClusterId = 7", True),
        ({"owners": frozenset({"bob"}), "ids": ((7, 0),)}, '*** Offset = 0 ClusterId = 7 Owner = "Ann"', True),
    ],
)  # fmt: skip
def test_what_a_banner_says_about_reading_its_record(change: dict[str, object], banner: str, wanted: bool) -> None:
    assert PLAIN._replace(**change).wants(record(7, banner=banner)) is wanted  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "job", "shown"),
    [
        ({}, {}, True), ({"ids": ((7, None),)}, {}, True), ({"ids": ((7, 2),)}, {}, True),
        ({"ids": ((7, 3),)}, {}, False), ({"ids": ((8, None),)}, {}, False), ({"owners": frozenset({"ann"})}, {}, True),
        ({"owners": frozenset({"bob"})}, {}, False), ({"owners": frozenset({"bob"}), "ids": ((7, 2),)}, {}, True),
        ({"owners": frozenset({"ann"}), "ids": ((8, 2),)}, {}, True),
        ({"constraint": expression("JobPrio > 1")}, {}, False),
        ({"constraint": expression("JobPrio > 1")}, {"JobPrio": 2}, True),
        ({"constraint": expression("JobPrio")}, {"JobPrio": 2}, True),
        ({"constraint": expression("JobPrio > 1"), "ids": ((8, 2),)}, {"JobPrio": 2}, False),
    ],
)  # fmt: skip
def test_which_records_are_shown(change: dict[str, object], job: dict[str, object], shown: bool) -> None:
    found = ad(ClusterId=7, ProcId=2, Owner='"Ann"', **job)
    assert PLAIN._replace(**change).matches(found) is shown  # type: ignore[arg-type]


def test_reading_may_end_early_where_something_limits_it() -> None:
    assert not PLAIN.may_stop
    assert not PLAIN._replace(owners=frozenset({"ann"}), constraint=expression("A")).may_stop
    changes: tuple[dict[str, object], ...] = (
        {"ids": ((1, None),)}, {"since": expression("A")}, {"limit": 1}, {"scan_limit": 1},
    )  # fmt: skip
    for change in changes:
        assert PLAIN._replace(**change).may_stop, change  # type: ignore[arg-type]


def test_ids_name_jobs_and_clusters() -> None:
    query = PLAIN._replace(ids=((7, None), (8, 1)))
    assert [query.ids_name(JobId(*job)) for job in ((7, 5), (8, 1), (8, 2), (9, 1))] == [True, True, False, False]


def shown(query: Query, *records: HistoryRecord) -> tuple[list[int], int]:
    """The numbers of the records that are shown, and how many were come to."""
    search = Search(query)
    return [records.index(record) for _, record in search.through(records)], search.seen


def test_limits_end_the_reading() -> None:
    jobs = [record(cluster, JobPrio=cluster % 2) for cluster in (9, 8, 7, 6, 5)]
    odd = PLAIN._replace(constraint=expression("JobPrio == 1"))
    assert shown(PLAIN, *jobs) == ([0, 1, 2, 3, 4], 5)
    assert shown(odd._replace(limit=2), *jobs) == ([0, 2], 3)
    assert shown(odd._replace(scan_limit=2), *jobs) == ([0], 2)
    assert shown(odd._replace(limit=-1, scan_limit=-1), *jobs) == ([0, 2, 4], 5)
    assert shown(PLAIN._replace(since=expression("ClusterId == 7")), *jobs) == ([0, 1], 3)
    assert shown(PLAIN._replace(since=expression("JobPrio")), *jobs) == ([], 1)


def test_records_that_cannot_be_read_are_counted_and_told() -> None:
    warned: list[int] = []
    search = Search(PLAIN)
    bad = record(8)._replace(text="junk\n")
    empty = record(7)._replace(text="")
    found = [one.ad().eval_int("ClusterId") for _, one in search.through([record(9), bad, empty, record(6)],
             lambda: warned.append(1))]  # fmt: skip
    assert (found, search.malformed, search.seen, search.read, search.found, warned) == ([9, 6], 1, 4, 2, 2, [1])


@pytest.mark.parametrize(
    ("ids", "once", "records", "expected"),
    [
        # A job that was named has one record in the history; of a cluster as many as were submitted.
        (((7, 0),), True, [(8, 0), (7, 0), (7, 0)], 2),
        (((7, 0), (6, 0)), True, [(8, 0), (7, 0), (6, 0), (5, 0)], 3),
        (((7, None),), True, [(7, 1), (7, 0), (6, 0)], 2),
        (((7, None), (7, 0)), True, [(7, 0), (7, 1), (6, 0)], 2),
        # Runs have several records each: the first run is the last that is come to.
        (((7, 0),), False, [(7, 0), (7, 0), (7, 0)], 3),
    ],
)  # fmt: skip
def test_reading_ends_with_the_last_that_was_named(
    ids: tuple[tuple[int, int | None], ...], once: bool, records: list[tuple[int, int]], expected: int
) -> None:
    found = [record(*job, TotalSubmitProcs=2) for job in records]
    assert shown(PLAIN._replace(ids=ids, once=once), *found)[1] == expected
    assert shown(PLAIN._replace(ids=ids, once=once, remote=True), *found)[1] == len(found)


def test_reading_of_runs_ends_with_the_first_run() -> None:
    banner = "*** EPOCH ClusterId=7 ProcId=0 RunInstanceId={} CurrentTime=50"
    runs = [record(7, banner=banner.format(number)) for number in (2, 1, 0, 5)]
    query = PLAIN._replace(ids=((7, 0),), once=False, kinds=frozenset({"EPOCH"}))
    assert shown(query, *runs)[1] == 3
    assert shown(query._replace(newest_first=False), *runs)[1] == 4
    plain = [record(7, banner="***", NumShadowStarts=number) for number in (1, 0, 1)]
    assert shown(query, *plain)[1] == 2


@pytest.mark.parametrize(("written", "come_to"), [(94, 2), (95, 3), (96, 3), (0, 3)])
def test_reading_ends_where_the_history_is_older_than_a_cluster(written: int, come_to: int) -> None:
    """The cluster was submitted at 100; clocks may differ by five seconds."""
    other = f"*** Offset = 0 ClusterId = 3 ProcId = 0 CurrentTime = {written}"
    jobs = [record(7, QDate=100, TotalSubmitProcs=5), record(3, banner=other), record(2, banner=other)]
    query = PLAIN._replace(ids=((7, None),))
    assert shown(query, *jobs)[1] == (come_to if written != 94 else 2)
    by_completion = other.replace("CurrentTime", "CompletionDate")
    jobs = [jobs[0], record(3, banner=by_completion), record(2, banner=by_completion)]
    assert shown(query, *jobs)[1] == come_to


# ---- the command line ---------------------------------------------------------------------------------------------


def test_words_of_a_command_line_are_jobs_clusters_or_owners() -> None:
    query = query_of(options("7 8.3 +9 Ann -limit 4 -scanlimit 5"), "", PLAIN.kinds, remote=False, runs=False)
    assert (query.ids, query.owners) == (((7, None), (8, 3), (9, None)), frozenset({"ann"}))
    assert (query.limit, query.scan_limit, query.once, query.newest_first) == (4, 5, True, True)
    query = query_of(options("-forwards"), "", PLAIN.kinds, remote=True, runs=True)
    assert (query.limit, query.scan_limit, query.once, query.newest_first, query.remote) == (0, 0, False, False, True)
    assert query_of(options("-forwards -backwards"), "", PLAIN.kinds, remote=False, runs=False).newest_first
    assert not query_of(options("-backwards -nobackwards"), "", PLAIN.kinds, remote=False, runs=False).newest_first
    assert query_of(options("-extract f 1"), "", PLAIN.kinds, remote=False, runs=False).limit == 100_000
    assert query_of(options("-extract f ann -limit 2"), "", PLAIN.kinds, remote=False, runs=False).limit == 2


@pytest.mark.parametrize(
    ("words", "where", "text"),
    [
        ("-constraint A", "", "(A)"), ("-constraint A -constraint B", "", "(A) && (B)"), ("", "C", "(C)"),
        ("-constraint A||B", "C", "(A || B) && (C)"),
    ],
)  # fmt: skip
def test_constraints_add_up(words: str, where: str, text: str) -> None:
    query = query_of(options(words), where, PLAIN.kinds, remote=False, runs=False)
    assert query.constraint is not None
    assert query.constraint.text == text
    with pytest.raises(CondorError, match=r"could not parse constraint \( \(\(\(\) \)"):
        query_of(options("-constraint (("), "", PLAIN.kinds, remote=False, runs=False)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("-since 7", "ClusterId == 7"), ("-since 7.2", "ClusterId == 7 && ProcId == 2"), ("-since A>1", "A > 1"),
        ("-completedsince 77", "CompletionDate <= 77"), ("-since 7 -completedsince 9", "CompletionDate <= 9"),
    ],
)  # fmt: skip
def test_where_reading_stops(words: str, text: str) -> None:
    since = query_of(options(words), "", PLAIN.kinds, remote=False, runs=False).since
    assert since is not None
    assert since.text == text


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("-since true", "invalid -since constraint: true"), ("-since ((", r"invalid -since constraint: \(\("),
        ("-completedsince ((", r"'\(\(' not valid parameter for -completedsince "),
    ],
)  # fmt: skip
def test_what_is_no_place_to_stop_at(words: str, text: str) -> None:
    with pytest.raises(CondorError, match=text):
        query_of(options(words), "", PLAIN.kinds, remote=False, runs=False)


@pytest.mark.parametrize(
    ("words", "kinds"),
    [
        ("", "JOB"), ("-epochs", "EPOCH"), ("-transfer-history", "CHECKPOINT INPUT OUTPUT"),
        ("-transfer-history:o", "OUTPUT"), ("-transfer-history:IC", "CHECKPOINT INPUT"), ("-daemon", "SCHEDD"),
        ("-daemon:startd", "STARTD"), ("-type epoch,spawn", "EPOCH SPAWN"),
        ("-type transfer", "CHECKPOINT INPUT OUTPUT"),
        ("-type job -type all", "ALL JOB"), ("-type job -daemon", "SCHEDD"), ("-daemon -type job", "JOB SCHEDD"),
    ],
)  # fmt: skip
def test_kinds_of_records_that_are_asked_for(words: str, kinds: str) -> None:
    assert kinds_of(options(words)) == set(kinds.split())


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("-startd -startd", ""), ("-epochs -transfer-history", ""), ("-startd -epochs", "-startd can not be used in "
         "association with -epochs"), ("-forwards -since 7", "-forwards cannot be combined with -since"),
        ("-forwards -completedsince 7", "-forwards cannot be combined with -since"), ("-backwards -since 7", ""),
        ("-xml -json", "Cannot use more than one of XML and JSON"), ("-jsonl -toml", "Cannot use more than one"),
        ("-xml -long", ""),
    ],
)  # fmt: skip
def test_options_that_go_together(words: str, told: str) -> None:
    if not told:
        check_sources(options(words))
        return
    with pytest.raises(CondorError, match=told.replace("(", r"\(")):
        check_sources(options(words))


def test_a_directory_of_runs_has_the_newest_job_first(tmp_path: Path) -> None:
    for name in ("job.runs.9.0.ads", "job.runs.10.2.ads", "job.runs.10.11.ads", "other", "job.runs.x.1.ads"):
        (tmp_path / name).write_text(f'Name = "{name}"\n*** EPOCH ClusterId = 1\n')
    words = f"-epochs -directory -search {tmp_path}"
    found = source(options(words), True, None)
    assert [os.path.basename(name) for name in found.files] == [
        "job.runs.10.11.ads", "job.runs.10.2.ads", "job.runs.9.0.ads",
    ]  # fmt: skip
    assert found.names(True) == list(found.files)
    assert not found.delete
    oldest_first = source(options(words.replace("-epochs", "-epochs:d")), False, None)
    assert oldest_first.files == found.files[::-1]
    assert oldest_first.delete
    assert len(list(oldest_first.records(False))) == 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["job.runs.x.1.ads", "other"]
    for words in ("-scanlimit 1", "-limit 1"):
        with pytest.raises(CondorError, match=r"-epoch:d \(delete\) cannot be used with "):
            source(options(f"-epochs:d -directory -search {tmp_path} {words}"), True, None)
    with pytest.raises(CondorError, match="other is not a valid directory"):
        source(options(f"-epochs -directory -search {tmp_path}/other"), True, None)


def test_rotated_files_are_read_in_order(tmp_path: Path) -> None:
    for end in ("", ".20250101T000000", ".20260101T000000"):
        (tmp_path / f"history{end}").write_text("A = 1\n***\n")
    found = source(options(f"-search {tmp_path}/history"), True, None)
    names = [os.path.basename(name) for name in found.names(True)]
    assert names == ["history", "history.20260101T000000", "history.20250101T000000"]
    assert [os.path.basename(name) for name in found.names(False)] == names[::-1]
    with pytest.raises(CondorError, match="Error opening history file /no/such: No such file or directory"):
        list(source(options("-file /no/such"), True, None).records(True))


# ---- tables -------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("universal_time")
def test_the_old_table() -> None:
    job = {"ClusterId": 1234, "ProcId": 5, "Owner": '"a_very_long_owner"', "Cmd": '"/bin/sh"', "JobStatus": 4,
           "JobPrio": 0, "ImageSize": 0, "QDate": 86400, "CompletionDate": 0, "RemoteUserCpu": 61.7}  # fmt: skip
    table = ShortTable()
    assert table.heading() == (" ID      OWNER            SUBMITTED     RUN_TIME ST   COMPLETED CMD            \n")
    assert table.display(ad(**job)) == (
        "1234.5   a_very_long_ow  1/2  00:00   0+00:01:01 C   ???        /bin/sh        \n"
    )
    assert table.display(ad(**job | {"RemoteWallClockTime": 5})).split()[4] == "0+00:00:05"
    assert table.display(ad(**job | {"RemoteWallClockTime": 0})).split()[4] == "0+00:00:00"
    assert "[?????]" in table.display(ad(**job | {"RemoteWallClockTime": -1}))
    assert table.display(ad(**job | {"Args": '"123456789"'})).endswith("/bin/sh 1234567\n")
    assert table.display(ad(**job | {"Cmd": '"/bin/1234567890"', "Args": '"x"'})).endswith(" /bin/1234567890\n")
    letters = [table.display(ad(**job | {"JobStatus": state}))[49:51] for state in range(12)]
    assert letters == ["  ", "I ", "R ", "X ", "C ", "H ", "> ", "S ", "F ", "B ", "P ", "  "]
    for name in ("ClusterId", "Owner", "Cmd", "JobPrio", "ImageSize", "CompletionDate"):
        assert table.display(ad(**{each: value for each, value in job.items() if each != name})) == " --- ???? --- \n"


@pytest.mark.parametrize(
    ("words", "standard"),
    [
        ("-wide:80", True), ("", False), ("-wide:80 -af Owner", False), ("-wide:80 -format %s Owner", False),
        ("-wide:80 -daemon", False), ("-wide:80 -efficiency", False), ("-wide:80 -print-format f", False),
    ],
)  # fmt: skip
def test_the_table_of_eighty_columns_is_the_old_one(words: str, standard: bool) -> None:
    assert is_standard(options(words)) is standard
    if "print-format" not in words:
        assert isinstance(Printer(options(words)).mask, ShortTable) is standard
    assert not isinstance(Printer(options("-wide:81")).mask, ShortTable)


def test_whole_ads_have_what_is_between_them() -> None:
    found = [ad(A=1, B=2), ad(A=3)]
    for words, text in (
        ("-json", '[\n{\n  "A": 1\n}\n,\n{\n  "A": 3\n}\n]\n'),
        ("-jsonl", '{"A":1}\n{"A":3}\n'),
        ("-long", "A = 1\n\nA = 3\n\n"),
    ):
        printer = Printer(options(f"{words} -attributes A,Nosuch"))
        shown = printer.start() + "".join(map(printer.show, found)) + printer.end()
        assert shown.replace(" ", "") == text.replace(" ", ""), words


# ---- ends of runs -------------------------------------------------------------------------------------------------


def run(number: int, **more: object) -> ClassAd:
    common = {"ClusterId": 7, "ProcId": 0, "Owner": '"ann"', "JobStatus": 2, "NumShadowStarts": number,
              "EpochWriteDate": 1000 + 10 * number, "JobCurrentStartDate": 995}  # fmt: skip
    return ad(**common | more)


def left(**more: object) -> ClassAd:
    return ad(**{"ClusterId": 7, "ProcId": 0, "Owner": '"ann"', "JobStatus": 4, "CompletionDate": 1099} | more)


@pytest.mark.parametrize(
    ("written", "texts"),
    [
        (1109, ["exited with status 1"]),  # up to ten seconds later it is of the job that left
        (1110, ["exited with status 0", "exited with status 1"]),
    ],
)
def test_a_record_that_is_written_late_is_of_a_run_before(written: int, texts: list[str]) -> None:
    job = left(NumShadowStarts=1, ExitCode=0)
    found = list(endings([run(1, ExitCode=1, EpochWriteDate=written)], [job]))
    assert len(found) == 1 + (written > 1109)


def test_jobs_and_runs_are_told_apart() -> None:
    """Each end has the slot, times and number of its own run."""
    first = run(1, ExitCode=1, RemoteHost='"slot1@m"')
    other = run(1, ExitCode=0, ProcId=1, LastRemoteHost='"slot2@m"', JobCurrentStartDate=0, ShadowBday=7)
    found = list(endings([other, first], []))
    assert [(one.job, one.slot, one.began, one.ended, one.run, one.owner) for one in found] == [
        (JobId(7, 1), "slot2@m", 7, 1010, 1, "ann"), (JobId(7, 0), "slot1@m", 995, 1010, 1, "ann"),
    ]  # fmt: skip
    assert next(iter(endings([run(1, Owner='""')], []))).owner == "?"


@pytest.mark.parametrize(
    ("vacated", "status", "vacate", "texts"),
    [
        (1099, 1099, 1023, ["removed: why"]), (1098, 1099, 1023, ["removed while it did not run: why"]),
        (1099, 1099, VacateCode.CLAIM_DEACTIVATED, ["removed: why"]),
        (1099, 1099, 1005, ["removed while it did not run: why"]),
    ],
)  # fmt: skip
def test_whether_a_job_ran_when_it_was_removed(vacated: int, status: int, vacate: int, texts: list[str]) -> None:
    starts = 1 - ("while" in texts[0])
    job = left(JobStatus=3, CompletionDate=0, NumShadowStarts=starts, EnteredCurrentStatus=status,
               LastVacateTime=vacated, VacateReasonCode=vacate, VacateReason='"why"', RemoveReason='"why"',
               RemoteHost='"slot1@m"', JobCurrentStartDate=995)  # fmt: skip
    found = list(endings([], [job]))
    assert [one.text for one in found] == texts
    assert found[0].ended == 1099
    if "while" in texts[0]:
        assert (found[0].run, found[0].slot, found[0].began) == (0, "", 0)


@pytest.mark.parametrize(
    ("first", "then", "text"),
    [
        ({"ExitCode": 1}, {"NumShadowStarts": 2}, "then tried again"),
        ({"ExitCode": 1}, {"NumShadowStarts": 1}, ""),
        ({"ExitCode": 1}, {"NumShadowStarts": 1, "NumHolds": 1, "LastHoldReason": '"x"'}, "then held: x"),
        ({"ExitCode": 1}, {"NumShadowStarts": 1, "NumHolds": 1, "JobStatus": 5, "HoldReason": '"y"',
                           "HoldReasonCode": 3}, "then held: y (code 3)"),
        ({"ExitCode": 1}, {"NumShadowStarts": 2, "NumHolds": 1, "LastHoldReason": '"x"'}, "then held: x, and released"),
        ({"ExitCode": 1}, {"NumShadowStarts": 2, "NumHolds": 1, "JobStatus": 5}, "then tried again"),
        ({"ExitCode": 1, "NumHolds": 1}, {"NumShadowStarts": 2, "NumHolds": 1}, "then tried again"),
        ({"JobStatus": 5}, {"NumShadowStarts": 2}, "then released"), ({"JobStatus": 5}, {"NumShadowStarts": 1}, ""),
        ({"VacateReasonCode": 999}, {"NumShadowStarts": 2}, "then released"),
        ({"VacateReasonCode": 1000}, {"NumShadowStarts": 2}, "then tried again"),
    ],
)  # fmt: skip
def test_what_followed_on_a_run(first: dict[str, object], then: dict[str, object], text: str) -> None:
    """``then`` is the job as it is now, in the queue."""
    queued = ad(**{"ClusterId": 7, "ProcId": 0, "JobStatus": 2} | then)
    (found,) = endings([run(1, **first)], [], [queued])
    assert found.then == text
    assert found.text.endswith(text)


@pytest.mark.parametrize(
    ("code", "kind", "text"),
    [
        (999, "held", "held: why (code 999)"),
        (1000, "evicted", "evicted by the job's own policy: why"),
        (VacateCode.CLAIM_DEACTIVATED, "held", "held: no (code 3/4)"),
    ],
)
def test_codes_from_a_thousand_on_are_no_holds(code: int, kind: str, text: str) -> None:
    (found,) = endings([run(1, VacateReasonCode=code, VacateReason='"why"', JobStatus=5, HoldReason='"no"',
                            HoldReasonCode=3, HoldReasonSubCode=4)], [])  # fmt: skip
    assert (found.kind, found.text) == (kind, text)


@pytest.mark.usefixtures("universal_time")
def test_the_row_of_a_run() -> None:
    one = Ending(JobId(7, 1), "ann", 2, "slot1_3@host", 86400, 90061, "exited", 0, "exited", "then held")
    assert row(one) == ["7.1", "2", "1/2  00:00", "1/2  01:01", "0+01:01:01", "slot1_3", "exited; then held"]
    assert row(one._replace(run=0, began=0, slot="", then="")) == ["7.1", "-", "", "1/2  01:01", "", "", "exited"]
    assert row(one._replace(began=90062))[4] == ""
    assert row(one._replace(began=90061))[4] == "0+00:00:00"
    heading, line = table_lines(iter([one]))
    assert heading == "ID        RUN STARTED     ENDED             TIME SLOT           WHY IT ENDED"
    assert line == "7.1         2 1/2  00:00  1/2  01:01  0+01:01:01 slot1_3        exited; then held"
    heading, line = table_lines([one])
    assert heading == "ID  RUN STARTED    ENDED            TIME SLOT    WHY IT ENDED"
    assert line == "7.1   2 1/2  00:00 1/2  01:01 0+01:01:01 slot1_3 exited; then held"


def test_a_record_that_says_nothing_is_of_a_run_that_nothing_is_known_of() -> None:
    nothing = Ending(JobId(0, 0), "?", 0, "", 0, 0, "ended", 0, "ended; its record does not say how")
    assert list(endings([ad()], [])) == [nothing]
    assert list(endings([], [ad()])) == []
    (held,) = endings([ad(JobStatus=5)], [])
    assert (held.kind, held.code, held.why) == ("held", 0, "held")
    (killed,) = endings([ad(ExitBySignal="true")], [])
    assert (killed.code, killed.why) == (0, "killed by signal 0")
    (evicted,) = endings([ad(VacateReasonCode=1)], [])
    assert (evicted.code, evicted.why) == (1, "held (code 1)")
    (removed,) = endings([], [ad(JobStatus=3)])
    assert (removed.ended, removed.why) == (0, "removed while it did not run")


@pytest.mark.parametrize(
    ("times", "ended"),
    [
        ({"CompletionDate": 9, "EnteredCurrentStatus": 8, "QDate": 7}, 9), ({"EnteredCurrentStatus": 8, "QDate": 7}, 8),
        ({"CompletionDate": 0, "QDate": 7}, 7),
    ],
)  # fmt: skip
def test_when_a_job_left(times: dict[str, int], ended: int) -> None:
    (found,) = endings([], [ad(JobStatus=3, **times)])
    assert found.ended == ended


def test_runs_and_jobs_of_several_jobs_are_in_the_order_in_which_they_are_read() -> None:
    """The record of the history comes before the runs that were written more than ten seconds before it ended."""
    runs = [run(2, ProcId=1, ExitCode=2, EpochWriteDate=1300), run(1, ProcId=0, ExitCode=1, EpochWriteDate=1100)]
    jobs = [left(ProcId=1, JobStatus=3, CompletionDate=1200, RemoveReason='"x"')]
    found = list(endings(runs, jobs))
    assert [(one.job.proc, one.kind) for one in found] == [(1, "exited"), (1, "removed"), (0, "exited")]
    last = list(endings([], [left(ProcId=proc, NumShadowStarts=1, ExitCode=proc) for proc in (1, 0)]))
    assert [(one.job.proc, one.code) for one in last] == [(1, 1), (0, 0)]


def test_the_first_run_of_a_job_ends_what_is_known_of_it() -> None:
    """A later record of the same number is of another queue."""
    found = list(endings([run(2, ExitCode=0), run(1, ExitCode=1), run(3, ExitCode=2)], []))
    assert [one.then for one in found] == ["", "then tried again", ""]


# ---- efficiency ---------------------------------------------------------------------------------------------------

JOB = {"RemoteWallClockTime": 100, "CumulativeRemoteUserCpu": 60, "CumulativeRemoteSysCpu": 20, "CpusProvisioned": 2,
       "ResidentSetSize_RAW": 51200, "MemoryProvisioned": 200}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "name", "value"),
    [
        ({}, "CpuTimeUsed", 80.0), ({}, "CpuTimeHeld", 200.0), ({}, "CpuEfficiency", 0.4),
        ({"CpusProvisioned": 0, "RequestCpus": 4}, "CpuTimeHeld", 400.0),
        ({"CpusProvisioned": 0}, "CpuTimeHeld", 100.0),
        ({"CumulativeRemoteUserCpu": 0, "CumulativeRemoteSysCpu": 0, "RemoteUserCpu": 30, "RemoteSysCpu": 1},
         "CpuTimeUsed", 31.0),
        ({"RemoteUserCpu": 30}, "CpuTimeUsed", 80.0), ({}, "MemoryUsed", 50.0), ({}, "MemoryHeld", 200.0),
        ({}, "MemoryEfficiency", 0.25), ({"ResidentSetSize_RAW": 0, "ResidentSetSize": 1024}, "MemoryUsed", 1.0),
        ({"MemoryProvisioned": 0, "RequestMemory": 100}, "MemoryEfficiency", 0.5),
        ({"MemoryProvisioned": 0}, "MemoryUsed", None), ({}, "TimeUsed", 100.0), ({}, "TimeAllowed", None),
        ({"AllowedJobDuration": 400}, "TimeEfficiency", 0.25),
        ({"AllowedJobDuration": 400, "AllowedExecuteDuration": 200}, "TimeEfficiency", 0.5),
        ({"AllowedJobDuration": 400, "LastRemoteWallClockTime": 40}, "TimeEfficiency", 0.1),
        ({"RemoteWallClockTime": 0}, "CpuEfficiency", None), ({"RemoteWallClockTime": 0}, "CpuTimeUsed", 80.0),
        ({"RemoteWallClockTime": 0}, "MemoryEfficiency", 0.25), ({"CpusProvisioned": 1e300}, "CpuTimeHeld", 1e17),
        ({"CumulativeRemoteUserCpu": 0.12345}, "CpuTimeUsed", 20.123),
        ({"CpusProvisioned": 7}, "CpuEfficiency", 0.1143),
    ],
)  # fmt: skip
def test_use_of_one_job(change: dict[str, object], name: str, value: float | None) -> None:
    (found,) = of_jobs([ad(**JOB | change)])
    assert found.eval_real(name) == value


def test_use_of_several_jobs_weighs_by_time() -> None:
    use = Use()
    use.add(ad(**JOB))
    use.add(ad(**JOB | {"RemoteWallClockTime": 300, "ResidentSetSize_RAW": 102400, "MemoryProvisioned": 100}))
    found = use.into(ClassAd())
    assert use.jobs == 2
    assert found.eval_real("CpuEfficiency") == 0.2  # 160 s of 800
    assert (found.eval_real("MemoryUsed"), found.eval_real("MemoryHeld")) == (100.0, 200.0)
    assert found.eval_real("MemoryEfficiency") == 0.7  # (100 * 50 + 300 * 100) / (100 * 200 + 300 * 100)
    assert found.eval_real("TimeUsed") == 400.0


def test_a_batch_is_of_one_owner_and_name_or_of_one_cluster() -> None:
    jobs = [
        ad(ClusterId=1, Owner='"ann"', Cmd='"a"'), ad(ClusterId=1, Owner='"ann"'), ad(ClusterId=2, Owner='"ann"'),
        ad(ClusterId=3, Owner='"ann"', JobBatchName='"n"'), ad(ClusterId=4, Owner='"ann"', JobBatchName='"n"'),
        ad(ClusterId=4, Owner='"bob"', JobBatchName='"n"'),
    ]  # fmt: skip
    found = [(one.eval_str("Owner"), one.eval_str("JobBatchName"), one.eval_int("Jobs")) for one in of_batches(jobs)]
    assert found == [("ann", "ID: 1", 2), ("ann", "ID: 2", 1), ("ann", "n", 2), ("bob", "n", 1)]
    assert next(of_batches(jobs)).eval_str("Cmd") == "a"


# ---- lives --------------------------------------------------------------------------------------------------------


def life(*words: int, **more: Any) -> lives.Run:
    found = lives.run_of(epoch(*words, **more))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("status", "code", "vacated", "failed", "kind"),
    [
        (3, 0, False, False, "removed"), (3, 34, True, True, "removed"), (5, 0, False, False, "held"),
        (2, 1, False, False, "held"), (2, 999, False, False, "held"), (2, 1000, False, False, "evicted"),
        (2, 0, True, False, "evicted"), (2, 0, False, True, "failed"), (2, 0, False, False, "completed"),
        (2, -1, False, False, "evicted"),
    ],
)  # fmt: skip
def test_kinds_of_runs(status: int, code: int, vacated: bool, failed: bool, kind: str) -> None:
    assert lives.KINDS[lives.kind_of(status, code, vacated=vacated, failed=failed)] == kind


def test_the_run_of_a_record() -> None:
    found = life(3, T, T + 60, RunInstanceID=4, JobCurrentStartExecutingDate=T + 60, RequestCpus=1e9,
                 JobCurrentStartTransferOutputDate=T + 61, LastRemoteHost="other", UsageRecord="")  # fmt: skip
    assert (found.job, found.number, found.queued, found.begin, found.executed, found.left, found.end) == (
        "7.3", 4, T - 30, T, T + 60, 0, T + 60,
    )  # fmt: skip
    assert (found.host, found.cpus, found.memory) == ("slot1_1@lab", 0.0, 512.0)
    ends = {"EpochWriteDate": 0, "CompletionDate": T + 70, "EnteredCurrentStatus": T + 90}
    assert life(**ends).end == T + 70
    assert life(**ends | {"CompletionDate": 0}).end == T + 90
    assert life(JobCurrentStartDate=0, ShadowBday=T + 5).begin == T + 5
    assert life(0, T, T).end == T
    running = lives.run_of(epoch(), T + 500)
    assert running is not None
    assert (running.end, running.kind, running.why) == (T + 500, lives.RUNNING, "runs")
    output = lives.run_of(epoch(JobStatus=6), T + 500)
    assert output is not None
    assert output.kind == lives.RUNNING
    held = lives.run_of(epoch(JobStatus=5), T + 500)
    assert held is not None
    assert held.end == T + 60
    numbers = epoch(NumShadowStarts=3)
    del numbers["RunInstanceID"]
    third = lives.run_of(numbers)
    assert third is not None
    assert third.number == 2
    assert len(life(RemoteHost="h" * 99).host) == 60


def test_a_record_that_says_little_is_a_run_that_little_is_known_of() -> None:
    found = lives.run_of(ad(JobCurrentStartDate=T, EpochWriteDate=T + 9))
    assert found == lives.Run(
        0, 0, 0, 0, T, 0, 0, T + 9, lives.COMPLETED, "exit status 0", "", 0.0, 0.0, (), ()
    )._replace(points=found.points if found else (), marks=found.marks if found else ())
    assert (found.points, found.marks, found.job) == ([], [], "0.0") or not (found.points or found.marks)
    assert lives.run_of(ad(JobCurrentStartDate=T)) is None
    assert lives.run_of(ad(EpochWriteDate=T)) is None


def test_runs_are_in_order_of_cluster_proc_and_time() -> None:
    runs = [life(1, T + 9, ClusterId=8), life(0, T + 5, RunInstanceID=0), life(0, T, RunInstanceID=9), life(2, T)]
    found = lives.without_doubles(runs)
    assert [(run.cluster, run.proc, run.begin - T) for run in found] == [(7, 0, 0), (7, 0, 5), (7, 2, 0), (8, 1, 9)]


def test_lanes_of_jobs_begin_with_the_first_run() -> None:
    runs = [life(1, T + 50), life(2, T + 10), life(0, T + 10), life(1, T, T + 20)]
    lanes, count = lives.lanes_of_jobs(lives.without_doubles(runs))
    assert ([lane.label for lane in lanes], count) == (["7.1", "7.0", "7.2"], 3)
    assert [bar.begin for bar in lanes[0].bars] == [T, T + 50]
    assert [lane.label for lane in lives.lanes_of_jobs(lives.without_doubles(runs), 2)[0]] == ["7.1", "7.0"]
    assert lives.bounds(runs) == (T, T + 60)
    assert lives.bounds([life(0, T, T)]) == (T, T + 1)
    assert [lane.label for lane in lives.lanes_of_runs([life(RemoteHost=""), life()])] == ["run 0", "run 0 slot1_1@lab"]
    assert bins([life(0, T, T + 60)]) == (T, 1, 60)


def test_what_happened_to_a_run_without_a_host() -> None:
    found = life(RemoteHost="", JobCurrentStartTransferOutputDate=T + 50, QDate=0)
    assert [(int(mark.when - T), mark.words) for mark in lives.events([found])] == [
        (0, "run 0"), (50, "output is transferred"), (60, "completed: exit status 0"),
    ]  # fmt: skip
    running = lives.run_of(epoch(QDate=0), T + 500)
    assert running is not None
    assert [mark.words for mark in lives.events([running])] == ["run 0 begins on slot1_1@lab"]
    assert lives.events([]) == []


def test_the_title_of_the_runs_of_jobs() -> None:
    runs = [life(0), life(1, ExitCode=1), life(2)]
    assert batch_title(runs, 3, 3) == "Runs of cluster 7 (3 jobs): 1 failed, 2 completed"
    assert batch_title(runs[:1], 1, 1) == "Runs of cluster 7 (1 job): 1 completed"
    assert batch_title(runs, 200, 1500) == "Runs of cluster 7 (200 of 1,500 jobs): 1 failed, 2 completed"
    assert batch_title([*runs, life(ClusterId=9)], 4, 4).startswith("Runs of 2 clusters (4 jobs): ")


def test_charts_by_owner_count_jobs_cores_and_waiting() -> None:
    """ann's two jobs ended in the first and third second, of 2 and 1 cores; bob's job did not run."""
    found = Collected()
    ann = {"Owner": '"ann"', "QDate": T - 100, "JobStartDate": T - 40, "CompletionDate": T}
    found.take(ad(**ann, JobCurrentStartDate=T - 1, CpusProvisioned=2))
    found.take(ad(**ann | {"CompletionDate": T + 2, "JobStartDate": T - 100}, JobCurrentStartDate=T + 1))
    found.take(ad(Owner='"bob"', EnteredCurrentStatus=T + 1, QDate=T + 2, JobStartDate=T + 1))
    found.take(ad(Owner='"eve"'))
    found.take(ad(Owner='"bob"', CompletionDate=T + 1, JobUniverse=7, JobCurrentStartDate=T - 1))
    assert found.count == 4
    ended, cores, waited = found.charts()
    assert (ended.begin, ended.width) == (T - 1, 1)
    assert {one.name: one.values for one in ended.series} == {"ann": [0, 1, 0, 1], "bob": [0, 0, 2, 0]}
    assert {one.name: one.values for one in cores.series} == {"ann": [2.0, 0, 1.0, 0]}
    assert {one.name: one.values for one in waited.series} == {"ann": [None, 1.0, None, 0.0]}


@pytest.mark.usefixtures("spool")
def test_jobs_that_did_not_run_are_drawn_without_cores(tmp_path: Path) -> None:
    one = record(7, CompletionDate=T, QDate=1)
    (tmp_path / "h").write_text(f"{one.text}{one.banner}\n")
    done = run_tool("condor_history", "-file", str(tmp_path / "h"), "-plot")
    assert (done.err, done.code) == ("", 0)
    assert "Cores in use, from 0 to 0; right: mean\n" in done.out


def test_the_runs_of_named_jobs_that_were_written_since_a_time(spool: Spool) -> None:
    banner = "*** {} ClusterId={} ProcId=0 RunInstanceId=0 CurrentTime={}"
    written = [
        record(7, banner=banner.format("EPOCH", 7, 90)), record(7, banner=banner.format("EPOCH", 7, 95), A=1),
        record(8, banner=banner.format("EPOCH", 8, 100)), record(7, banner=banner.format("SPAWN", 7, 101)),
        record(7, banner=banner.format("EPOCH", 7, 102))._replace(text="junk\n"),
        record(7, banner="*** EPOCH CurrentTime=103"), record(7, banner=banner.format("EPOCH", 7, "x"), A=3),
        record(7, banner=banner.format("EPOCH", 7, 104), A=2),
    ]  # fmt: skip
    (spool.path.parent / "epoch_history").write_text("".join(f"{one.text}{one.banner}\n" for one in written))
    query = PLAIN._replace(ids=((7, None),))
    assert [one.eval_int("A") for one in epochs_of(open_pool(), query, 100)] == [2, 3, 1]
    assert [one.eval_int("A") for one in epochs_of(open_pool(), query, 101)] == [2, 3]
    assert list(epochs_of(open_pool(), query._replace(constraint=expression("A == 9")), 0)) == []
    assert len(list(epochs_of(open_pool(), PLAIN._replace(ids=((8, 0),)), 0))) == 1


def test_jobs_of_the_queue_that_are_named(spool: Spool) -> None:
    spool.add(7, 3, "ann")
    spool.add(8, 1, "ann")

    def named(*ids: tuple[int, int | None], **more: Any) -> list[str]:
        found = in_queue(open_pool(), PLAIN._replace(ids=ids, **more))
        return [f"{one.eval_int('ClusterId')}.{one.eval_int('ProcId')}" for one in found]

    assert named((7, None)) == ["7.0", "7.1", "7.2"]
    assert named((7, 1), (8, 0), (9, None)) == ["7.1", "8.0"]
    assert named((7, None), constraint=expression("ProcId == 2")) == ["7.2"]


def test_a_daemon_is_asked_for_runs_by_its_knob_for_them(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    path = spool.path.parent / "runs"
    path.write_text("ClusterId = 7\n*** EPOCH ClusterId=7 ProcId=0 RunInstanceId=0\n")
    monkeypatch.setenv("_CONDOR_SCHEDD.JOB_EPOCH_HISTORY", str(path))
    monkeypatch.setenv("_CONDOR_SCHEDD_NAME", "mine@")
    assert spool.run("condor_history", "-name", "mine@", "-epochs", "-af", "ClusterId") == ("7\n", "", 0)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("words", "told"),
    [("9", "No record of 9\n"), ("9 8.1 eve", "No record of 9, 8.1, eve\n"), ("7", ""), ("-constraint false", "")],
)
@pytest.mark.usefixtures("spool")
def test_a_terminal_is_told_where_there_is_no_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, told: str
) -> None:
    one = record(7, QDate=1)
    (tmp_path / "h").write_text(f"{one.text}{one.banner}\n")
    for stdout, stderr, expected in ((Terminal(), Terminal(), told), (io.StringIO(), Terminal(), "")):
        monkeypatch.setattr("sys.stdout", stdout)
        monkeypatch.setattr("sys.stderr", stderr)
        assert entry.main("condor_history", ["-file", str(tmp_path / "h"), *words.split()]) == 0
        assert stderr.getvalue() == expected


@pytest.mark.parametrize("named", ["", " , "])
def test_a_list_that_names_no_attribute_is_one_of_all(named: str) -> None:
    assert Printer(parse(SPEC, ["-json", "-attributes", named])).show(ClassAd({"A": 1})) == '{\n  "A": 1\n}\n'


def test_attributes_may_be_named_by_several_options() -> None:
    printer = Printer(options("-long -attributes A -attributes B,C"))
    assert printer.show(ad(A=1, B=2, C=3, D=4)) == "A = 1\nB = 2\nC = 3\n\n"


def test_a_picture_of_a_life_has_charts_of_what_was_measured() -> None:
    names = ("Runs", "Cores in use", "Memory (MB)", "Disk (MB)")

    def charts(*runs: lives.Run) -> list[str]:
        drawn, told = life_as_svg(runs), "".join(life_as_text(runs))
        assert ("There is no record of its use over time" in told) is ("Cores in use" not in drawn)
        return [name for name in names if f">{name}" in drawn]

    assert charts(life()) == ["Runs"]
    assert charts(life(UsageRecord="10 1.00 100 -")) == ["Runs", "Cores in use", "Memory (MB)"]
    assert charts(life(UsageRecord="10 1.00 100 5.0")) == list(names)
    text = list(life_as_text([life(0, T, T + 60, UsageRecord="10 1.00 100 5.0; 60 3.00 200 4.0")]))
    assert "cores in use: from 0 to 3, asked for 2; right: mean\n" in "".join(text)
    assert "disk (MB): from 0 to 5; right: most\n" in "".join(text)
    assert text[0] == "Job 7.0\n"
