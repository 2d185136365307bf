"""What is written of a run: memory, slots, files, durations, times; pure functions of ad and report."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from condor_py.core.jobs.jobad import was_executed
from condor_py.core.jobs.lifecycle import (
    cleanup_records,
    committed_records,
    duration_records,
    machine_records,
    memory_records,
    rounded,
    usage_records,
    vacate_records,
)
from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.record import DELETE, Change
from condor_py.model.report import ExitReport, Usage
from condor_py.model.settings.schedd import Rounding

JOB, EXACT = JobId(1, 0), Rounding("", "", "")


def written(changes: Iterable[Change]) -> dict[str, str | None]:
    """The last text of each attribute, None where it goes."""
    return {change.name: None if change.op == DELETE else change.value for change in changes}


def report(**fields: object) -> ExitReport:
    return ExitReport("<addr>#1#1#x", "1.0", 1, **fields)  # type: ignore[arg-type]


def test_memory_is_told_where_it_has_grown() -> None:
    assert written(memory_records(JOB, ClassAd(), 0, 0, EXACT)) == {}
    least = written(memory_records(JOB, ClassAd(), 1, 1, EXACT))
    assert (least["ResidentSetSize_RAW"], least["ImageSize_RAW"]) == ("1", "1")
    peak = ClassAd({"ResidentSetSize_RAW": 9, "ImageSize_RAW": 9})
    assert written(memory_records(JOB, peak, 9, 9, EXACT)) == {}
    assert least["MemoryUsage"] == "((ResidentSetSize + 1023) / 1024)"
    machine = written(memory_records(JOB, ClassAd({"JobUniverse": 13}), 1, 1, EXACT))
    assert machine["MemoryUsage"] == "((ImageSize + 1023) / 1024)", "of a virtual machine its image counts"


@pytest.mark.parametrize(("size", "shown"), [(4999, 5000), (5001, 7500), (5500, 7500), (50_001, 75_000)])
def test_a_quarter_is_one_of_the_power_of_ten_above_a_fifth(size: int, shown: int) -> None:
    assert rounded(size, "25%") == shown


@pytest.mark.parametrize(("length", "ages"), [(0, 0), (1, 1), (2, 2), (3, 3), (9, 4)])
def test_attributes_of_former_slots_move_on_by_one(length: int, ages: int) -> None:
    ad = ClassAd({"MachineAttrColor0": "c", "MachineAttrColor1": "b", "MachineAttrColor2": "a"})
    found = written(machine_records(JOB, ad, ClassAd({"Color": "d"}), ["Color"], length))
    assert found == {f"MachineAttrColor{age}": f'"{text}"' for age, text in enumerate("dcba"[:ages])}


@pytest.mark.parametrize(
    ("own", "ages"), [({}, 1), ({"JobMachineAttrsHistoryLength": 0}, 1), ({"JobMachineAttrsHistoryLength": 2}, 2)]
)
def test_what_a_job_wants_to_know_of_its_slots_it_says_itself(own: dict[str, int], ages: int) -> None:
    ad = ClassAd({"JobMachineAttrs": "Color", "MachineAttrColor0": "c", **own})
    found = written(machine_records(JOB, ad, ClassAd({"Color": "d"}), [], 5))
    assert list(found.values()) == ['"c"', '"d"'][-ages:]


def test_what_cannot_be_an_attribute_of_a_slot_is_not_asked_for() -> None:
    ad = ClassAd({"JobMachineAttrs": "Co\x01lor,C\u00f6lor a.b 1x Color"})
    assert [*written(machine_records(JOB, ad, ClassAd({"Color": "d"}), [], 5))] == ["MachineAttrColor0"]
    many = ClassAd({"JobMachineAttrs": " ".join(f"A{number}" for number in range(60_000))})
    assert len(written(machine_records(JOB, many, ClassAd(), [], 5))) == 100


def test_an_empty_scratch_directory_is_counted_and_one_that_nobody_saw_is_not() -> None:
    for files, text in ((0, "0"), (3, "3"), (-1, None)):
        found = written(usage_records(JOB, ClassAd(), report(usage=Usage(scratch_files=files)), EXACT))
        assert found.get("ScratchDirFileCount") == text


def test_seconds_of_suspension_count_as_committed_when_the_job_finishes_by_itself() -> None:
    ad = ClassAd({"UncommittedSuspensionTime": 30, "CommittedSuspensionTime": 5})
    assert written(committed_records(JOB, ad, report(), 1.0))["CommittedSuspensionTime"] == "35"
    assert "CommittedSuspensionTime" not in written(committed_records(JOB, ClassAd(), report(), 1.0))
    ended = written(cleanup_records(JOB, ad, "<addr>#1#1#x", 1.0, 100))
    assert ended["UncommittedSuspensionTime"] is None
    assert "CommittedSuspensionTime" not in ended


def test_a_job_says_whether_its_scratch_directory_was_encrypted() -> None:
    for encrypted, text in ((True, "true"), (False, "false")):
        usage = Usage(scratch_files=1, encrypted=encrypted)
        assert written(usage_records(JOB, ClassAd(), report(usage=usage), EXACT))["ExecuteDirWasEncrypted"] == text
    assert "ExecuteDirWasEncrypted" not in written(usage_records(JOB, ClassAd(), report(usage=Usage()), EXACT))


def test_files_that_were_moved_are_summed_up_over_the_runs() -> None:
    ad = ClassAd.from_text_items([("TransferInputStats", "[  ]")])
    for total in ((100, 2), (200, 4)):
        found = written(usage_records(JOB, ad, report(usage=Usage(bytes_received=100, files_received=2)), EXACT))
        text = found["TransferInputStats"]
        assert text is not None
        ad.set_text("TransferInputStats", text)
        stats = ad.get("TransferInputStats")
        assert isinstance(stats, ClassAd)
        assert (stats.eval_int("CedarSizeBytesTotal"), stats.eval_int("CedarFilesCountTotal")) == total
        assert found["TransferOutputStats"] == "[  ]"


def test_files_that_had_urls_are_summed_up_by_protocol() -> None:
    ad = ClassAd()
    runs = (
        (Usage(bytes_sent=100, files_sent=2, sent_by_url="HTTPS 1 70"), "Cedar 30 1 30 1, HTTPS 70 1 70 1"),
        (Usage(bytes_sent=70, files_sent=1, sent_by_url="HTTPS 1 70"), "Cedar 30 1 0 0, HTTPS 140 2 70 1"),
        (Usage(bytes_sent=9, files_sent=3, sent_by_url="FILE 3 9"), "Cedar 30 1 0 0, FILE 9 3 9 3, HTTPS 140 2 0 0"),
        (Usage(bytes_sent=1, files_sent=1, sent_by_url="a-b 1 1, x"), "Cedar 31 2 1 1, FILE 9 3 0 0, HTTPS 140 2 0 0"),
    )
    for usage, stats in runs:
        text = written(usage_records(JOB, ad, report(usage=usage), EXACT))["TransferOutputStats"]
        assert text is not None
        ad.set_text("TransferOutputStats", text)
        expected = {}
        for part in stats.split(", "):
            name, *values = part.split()
            ends = ("SizeBytesTotal", "FilesCountTotal", "SizeBytesLastRun", "FilesCountLastRun")
            expected |= {name + end: int(value) for end, value in zip(ends, values, strict=True)}
        assert dict(ad.get("TransferOutputStats")) == expected


def test_a_run_without_a_file_for_cedar_has_no_figures_of_it() -> None:
    usage = Usage(bytes_received=3, files_received=1, received_by_url="FILE 1 3")
    text = written(usage_records(JOB, ClassAd(), report(usage=usage), EXACT))["TransferInputStats"]
    assert text is not None
    assert "Cedar" not in text


def test_the_image_of_a_container_takes_seconds_to_come() -> None:
    ad = ClassAd()
    for seconds, total in ((-1, None), (0, 0), (5, 5), (-1, 5), (2, 7)):
        usage = Usage(bytes_received=3, files_received=1, image_seconds=seconds)
        text = written(usage_records(JOB, ad, report(usage=usage), EXACT))["TransferInputStats"]
        assert text is not None
        ad.set_text("TransferInputStats", text)
        stats = ad.get("TransferInputStats")
        assert stats.get("ContainerDurationTotal") == total
        assert stats.get("ContainerDurationLastRun") == (None if total is None else max(0, seconds))


OLD = {"CpusUsage": 1.5, "ActivationDuration": 9, "ActivationExecutionDuration": 9, "ActivationTeardownDuration": 9}


@pytest.mark.parametrize(
    ("seconds", "usage"), [(0.5, None), (1.0, "2.0"), (1.5, repr(round(2.0 / 1.5, 6))), (4.0, "0.5")]
)
def test_cpus_are_told_of_runs_of_a_second_and_more(seconds: float, usage: str | None) -> None:
    """Of shorter ones the number of the run before goes."""
    ended = report(pid=7, start_time=90.0, exec_time=100.0, end_time=100.0 + seconds, usage=Usage(1.5, 0.5))
    found = written(duration_records(JOB, ClassAd(OLD), ended))
    assert found["CpusUsage"] == usage
    assert found["ActivationDuration"] == str(10 + int(seconds))


def test_a_run_without_a_program_has_no_durations() -> None:
    assert written(duration_records(JOB, ClassAd(OLD), report(end_time=100.0))) == dict.fromkeys(OLD)
    assert written(duration_records(JOB, ClassAd(), report(end_time=100.0))) == {}


def test_what_counts_begins_with_the_last_checkpoint() -> None:
    ended = report(pid=7, start_time=0.0, exec_time=0.5, end_time=60.0)
    assert written(committed_records(JOB, ClassAd(), ended, 2.0))["CommittedTime"] == "60"
    assert written(duration_records(JOB, ClassAd(), ended))["ActivationExecutionDuration"] == "60"
    saved = ClassAd({"LastCkptTime": 50})
    assert written(committed_records(JOB, saved, ended, 2.0))["CommittedSlotTime"] == "20.0"
    assert written(duration_records(JOB, saved, ended))["ActivationExecutionDuration"] == "10"


def test_an_eviction_for_a_reason_without_a_name_is_counted_all_the_same() -> None:
    found = written(vacate_records(JOB, ClassAd(), 9999, 0, "odd", 5))
    assert found["NumVacatesByReason"] == "[ Unspecified = 1 ]"


@pytest.mark.parametrize(
    ("born", "wall"), [({}, 0), ({"ShadowBday": 0}, 0), ({"ShadowBday": 90}, 10), ({"ShadowBday": 200}, 0)]
)
def test_the_time_of_a_run_begins_with_its_shadow(born: dict[str, int], wall: int) -> None:
    found = written(cleanup_records(JOB, ClassAd({**born, "RemoteWallClockTime": 5.0}), "<a>#1#1#x", 2.0, 100))
    assert (found["LastRemoteWallClockTime"], found["RemoteWallClockTime"]) == (f"{wall:.6f}", f"{5 + wall:.6f}")
    assert found["CumulativeSlotTime"] == f"{2 * wall:.6f}"


@pytest.mark.parametrize(
    ("begun", "executed", "answer"),
    [(None, None, False), (5, None, False), (None, 5, False), (5, 4, False), (5, 5, True), (5, 6, True)],
)
def test_whether_the_program_of_the_last_run_was_executed(
    begun: int | None, executed: int | None, answer: bool
) -> None:
    given = {"JobCurrentStartDate": begun, "JobCurrentStartExecutingDate": executed}
    assert was_executed(ClassAd({name: when for name, when in given.items() if when is not None})) is answer
