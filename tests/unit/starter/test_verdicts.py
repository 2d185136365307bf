"""What is reported of a run of which a step failed, and what is made of its results."""

from __future__ import annotations

import errno
import os
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from condor_py.machine.run import results
from condor_py.machine.run.copying import Moved
from condor_py.machine.run.destination import InvalidCheckpoint
from condor_py.machine.run.failures import TransferError
from condor_py.machine.run.identity import NotInGroup, UnknownAccount
from condor_py.machine.run.job import TransferWishes
from condor_py.machine.run.process import StartError
from condor_py.machine.run.transfer import Catalogue, Transfer
from condor_py.machine.run.verdict import (
    aborting,
    byte_units,
    out_of_disk,
    output_failed,
    restart_failed,
    start_failed,
    transfer_failed,
)
from condor_py.model.report import ExitReport, Usage
from condor_py.model.states import VacateCode

REPORT = ExitReport("claim", "7.3", 1)
DEEP = "Directories are nested too deeply"


def facts(report: ExitReport) -> tuple[int, int, str, str]:
    return report.hold_code, report.hold_subcode, report.hold_reason, report.error


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (StartError(6, 2, "no program"), (6, 2, "Error from slot1: no program", "")),
        (StartError(14, 2, "no directory"), (14, 2, "no directory", "")),
        (TransferError(13, 2, "no input"), (13, 2, "no input", "")),
        (InvalidCheckpoint("It is odd."), (0, 0, "", "It is odd, aborting.")),
        (UnknownAccount("no ann"), (46, 0, "no ann", "")),
        (NotInGroup("lab", "why"), None),
        (RecursionError(), (13, errno.ELOOP, DEEP, "")),
        (OSError(5, "Input/output error", "/x"), (0, 0, "", "starter on slot1: [Errno 5] Input/output error: '/x'")),
    ],
)
def test_whose_fault_a_failed_start_is(error: Exception, expected: tuple[int, int, str, str] | None) -> None:
    found = facts(start_failed(REPORT, error, "slot1"))
    if expected is None:
        assert found[0] != 0
        assert found[1:] == (0, str(error), "")
    elif isinstance(error, UnknownAccount):
        assert found[0] != 0
        assert found[1:] == expected[1:]
    else:
        assert found == expected


def test_a_transfer_that_may_do_better_is_tried_again() -> None:
    assert facts(transfer_failed(REPORT, TransferError(12, 2, "gone"), "; why")) == (12, 2, "gone; why", "")
    code = VacateCode.JOB_NOT_STARTED
    report = transfer_failed(REPORT, TransferError(code, 7, "busy"), "; why")
    assert facts(report) == (0, 0, "", "busy")
    assert (report.vacate_code, report.vacate_subcode) == (code, 7)


def test_a_program_that_is_not_started_again() -> None:
    assert facts(restart_failed(REPORT, StartError(6, 2, "no program"), "slot1")) == (6, 2, "no program", "")
    error = OSError(12, "Cannot allocate memory")
    assert facts(restart_failed(REPORT, error, "slot1"))[3] == "starter on slot1: [Errno 12] Cannot allocate memory"


def test_output_that_fails_without_words() -> None:
    assert facts(output_failed(REPORT, RecursionError())) == (12, errno.ELOOP, DEEP, "")
    assert facts(output_failed(REPORT, OSError(28, "No space left", "/x"))) == (12, 28, "No space left: /x", "")
    assert output_failed(REPORT, OSError("odd")).hold_subcode == 0


def test_sizes_of_disks() -> None:
    sizes = (0, 1023, 1024, 1536 * 1024, 1 << 30, 1 << 40)
    assert [byte_units(kb) for kb in sizes] == [
        "0.00 KB", "1023.00 KB", "1.00 MB", "1.50 GB", "1.00 TB", "1024.00 TB",
    ]  # fmt: skip
    report = out_of_disk(replace(REPORT, usage=Usage(disk_kb=2048)), 1024)
    assert facts(report) == (
        34, 104, "Job has exceeded allocated disk (1.00 MB). Last measured usage: 2.00 MB. Consider increasing the "
        "value of request_disk.", "",
    )  # fmt: skip
    assert aborting(InvalidCheckpoint("odd")) == "odd, aborting."


# ---- results ------------------------------------------------------------------------------------------------


class Sends:
    """A transfer that notes what it sends."""

    def __init__(self, top: Path) -> None:
        self.scratch = str(top)
        self.calls: list[Any] = []
        self.added_output: list[str] = []
        self.went = Moved(1, 2, {"HTTP": (1, 1)})
        self.came = Moved(3, 4, {"FILE": (2, 1), "S3": (1, 2)})

    def flush(self) -> None:
        """Nothing is on a medium."""

    def send_streams(self) -> None:
        self.calls.append("streams")

    def send_named(self, names: Any) -> None:
        self.calls.append(("named", names))

    def send_output(self, before: Catalogue, core: str | None) -> None:
        self.calls.append(("output", core))


@pytest.mark.parametrize(("success", "outcome", "named"), [(None, 3, False), (0, 0, False), (0, 3, True), (3, 0, True)])
def test_a_run_without_success_sends_what_it_names_for_that(
    tmp_path: Path, success: int | None, outcome: int, named: bool
) -> None:
    moving = Sends(tmp_path)
    wishes = replace(TransferWishes(), success=success, failure_files=("log",), manifest="m")
    results.send_results(cast(Transfer, moving), wishes, outcome, Catalogue({}), "core")
    assert moving.calls == ["streams", ("named", ("log",)) if named else ("output", "core")]
    assert (tmp_path / "m").exists() != named
    assert moving.added_output == ([] if named else ["m"])
    without = Sends(tmp_path)
    results.send_results(cast(Transfer, without), TransferWishes(), 0, Catalogue({}), None)
    assert without.added_output == []


def test_transfers_are_counted_in_the_usage(tmp_path: Path) -> None:
    usage = results.with_transfers(Usage(disk_kb=7), cast(Transfer, Sends(tmp_path)))
    assert (usage.bytes_sent, usage.files_sent, usage.bytes_received, usage.files_received) == (1, 2, 3, 4)
    assert (usage.sent_by_url, usage.received_by_url) == ("HTTP 1 1", "FILE 2 1, S3 1 2")
    assert (usage.disk_kb, usage.image_seconds) == (7, -1)
    assert results.with_transfers(usage, None) is usage


@pytest.mark.parametrize(
    ("ending", "text", "told"),
    [
        ({"exit_code": 0}, b"x", ""),
        ({}, b"x", ""),
        ({"exit_code": 3}, None, "; the program had exited with status 3"),
        ({"exit_signal": 9, "exit_code": None}, b"\n \n", "; the program was killed by signal 9"),
        ({"exit_code": 3}, b"a\n b\x1bc\xff \n\n",
         "; the program had exited with status 3, its standard error ends with: b c\ufffd"),
        ({"exit_code": 3}, b"x" * 1000,
         f"; the program had exited with status 3, its standard error ends with: {'x' * 300}"),
    ],
)  # fmt: skip
def test_the_last_words_of_a_failed_program(
    tmp_path: Path, ending: dict[str, Any], text: bytes | None, told: str
) -> None:
    if text is not None:
        (tmp_path / "_condor_stderr").write_bytes(text)
    assert results.how_it_failed(replace(REPORT, **ending), str(tmp_path)) == told


def test_a_core_file_is_found_by_its_process(tmp_path: Path) -> None:
    assert results.keep_core(str(tmp_path), "7.3", 5) is None
    (tmp_path / "core").write_text("plain")
    (tmp_path / "core.5").write_text("numbered")
    (tmp_path / "core.6").write_text("another")
    assert results.keep_core(str(tmp_path), "7.3", 5) == "core.7.3"
    assert (tmp_path / "core.7.3").read_text() == "numbered"
    assert results.keep_core(str(tmp_path), "7.3", 5) == "core.7.3"
    assert (tmp_path / "core.7.3").read_text() == "plain"
    assert os.listdir(tmp_path) == ["core.6", "core.7.3"] or set(os.listdir(tmp_path)) == {"core.6", "core.7.3"}


def test_messages_of_wrappers(tmp_path: Path) -> None:
    path = tmp_path / "failure"
    begin = "The job wrapper failed to execute the job: "
    assert results.wrapper_error(str(path), None) == ""
    path.write_bytes(b" one\ntwo\xff\n")
    assert results.wrapper_error(str(path), None) == f"{begin}one|two\ufffd"
    path.write_text("x" * 5000)
    assert results.wrapper_error(str(path), None) == begin + "x" * 2000
    path.unlink()
    path.mkdir()
    assert results.wrapper_error(str(path), None).startswith(begin)


def test_a_manifest_is_written_into_a_directory_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "x").touch()
    (tmp_path / "a").touch()
    (tmp_path / "link").symlink_to("d")
    results.write_manifest(str(tmp_path), "m/deep", "in")
    results.write_environment(str(tmp_path), "m/deep", {"B": "2", "A": "1 2"})
    assert (tmp_path / "m" / "deep" / "in").read_text().splitlines() == [
        "./a", "./d/", "./d/x", "./link", "./m/", "./m/deep/", "./m/deep/in",
    ]  # fmt: skip
    assert (tmp_path / "m" / "deep" / "environment").read_text() == "A=1 2 B=2\n"
    assert (tmp_path / "m" / "deep").stat().st_mode & 0o777 == 0o700
    results.write_manifest(str(tmp_path), "m/deep", "out")
