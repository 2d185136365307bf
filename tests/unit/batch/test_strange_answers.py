"""What no batch system should print is refused in words, or passed over: found by the campaign ``inputs``."""

from __future__ import annotations

from pathlib import Path

import pytest

from condor_py.machine.batch import arc, notices
from condor_py.machine.batch.pbs import Pbs
from condor_py.machine.batch.system import NotUnderstood

DEEP = "[" * 100_000


@pytest.mark.parametrize("printed", ["[]", '{"Jobs": []}', '{"Jobs": 5}', "7", DEEP, f'{{"Jobs": {DEEP}'])
def test_json_of_another_shape_is_not_understood(printed: str) -> None:
    with pytest.raises(NotUnderstood, match="qstat printed"):
        Pbs().looked(printed, [], "a")


def test_a_job_that_is_no_object_is_passed_over() -> None:
    printed = '{"Jobs": {"1.s": [], "2.s": {"Job_Name": "n", "Job_Owner": "a@h", "job_state": "R"}}}'
    assert [found.name for found in Pbs().looked(printed, [], "a")] == ["n"]


@pytest.mark.parametrize("status", ["\u00b2", "--5", "9" * 5000])
def test_a_status_that_is_no_number_stays_a_text(status: str) -> None:
    torque = Pbs().older.older
    printed = f"Job Id: 1.s\n    Job_Name = n\n    Job_Owner = a@h\n    exit_status = {status}\n"
    assert [found.name for found in torque.looked(printed, [], "a")] == ["n"]


@pytest.mark.parametrize("answer", [DEEP, f'{{"job": {DEEP}'])
def test_an_answer_of_arc_without_end_is_refused(answer: str) -> None:
    for reader in (arc.jobs_of, arc.entries_of):
        with pytest.raises(arc.Refusal, match="parsing json"):
            reader(answer.encode())


@pytest.mark.parametrize("number", ["\u00b2", "", "9" * 300])
def test_a_notice_without_a_number_is_a_failure(tmp_path: Path, number: str) -> None:
    (tmp_path / f"j{notices.ENDED}").write_text(f"x\n0m..s 0m5s\nexit {number}\n")
    found = notices.ending(str(tmp_path), "j")
    assert found is not None
    assert found.failure.startswith("The job could not be started")


def test_times_that_are_no_numbers_are_none(tmp_path: Path) -> None:
    (tmp_path / f"j{notices.ENDED}").write_text("x\n0m..s 0m5s\nexit 3\n")
    found = notices.ending(str(tmp_path), "j")
    assert found is not None
    assert (found.exit_code, found.user_cpu) == (3, 0.0)
