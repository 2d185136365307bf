"""Descriptions that nobody writes by accident: one clear line, never a traceback, never the memory of the machine."""

from __future__ import annotations

import pytest

from condor_py.lang.macro import MacroError, expand
from condor_py.lang.submit.errors import SubmitError
from condor_py.lang.submit.factory import Factory, materialize
from condor_py.lang.submit.units import parse_int, parse_size
from condor_py.model.texts import leading_number


@pytest.mark.parametrize(
    "text",
    [
        "$INT(N,%300000000d)",
        "$INT(N,%.99999999999999999999d)",
        "$REAL(N,%.5000f)",
        "$STRING(N,%2000000000s)",
        "$INT(N,%c)",
    ],
)
def test_a_format_is_not_wider_than_a_line(text: str) -> None:
    with pytest.raises(MacroError):
        expand(text, {"N": "99999999"}.get)


def test_formats_of_a_thousand_characters_are_fine() -> None:
    assert len(expand("$INT(N,%1000d)", {"N": "7"}.get)) == 1000


def test_numbers_without_end_are_no_numbers() -> None:
    digits = "9" * 5000
    assert parse_int(digits, lambda text: None) is None
    assert parse_int("x", lambda text: float("inf")) is None
    assert parse_int("x", lambda text: float("nan")) is None
    assert parse_size(digits, 1024) is None
    with pytest.raises(MacroError):
        expand("$INT(N)", {"N": digits}.get)


@pytest.mark.parametrize(
    ("line", "attribute", "value"),
    [
        ("kill_sig_timeout = {}", "KillSigTimeout", str(2**63 - 1)),
        ("kill_sig_timeout = -{}", "KillSigTimeout", str(-(2**63 - 1))),
        ("delegate_job_gsi_credentials_lifetime = {}", "DelegateJobGSICredentialsLifetime", str(2**63 - 1)),
        ("cuda_version = {0}.{0}", "CUDAVersion", "1000000007"),
        (
            "universe = vm\nvm_type = kvm\nvm_memory = 64\nvm_disk = d:vda:r\nvm_vcpus = {}",
            "JobVM_VCPUS",
            str(2**63 - 1),
        ),
        ("universe = parallel\nmachine_count = {}", "MaxHosts", str(2**63 - 1)),
    ],
)
def test_more_digits_than_any_number_has(alice, line: str, attribute: str, value: str) -> None:
    assert alice.job(f"executable = /bin/true\n{line.format('9' * 5000)}\n")[attribute] == value


@pytest.mark.parametrize("line", ["executable = /bin/t\0rue", "input = a\0b", "log = \0", "queue x in (a\0b)"])
def test_a_zero_byte_is_refused_with_its_line(alice, line: str) -> None:
    with pytest.raises(SubmitError, match="zero byte") as refused:
        alice.parse(f"executable = /bin/true\n{line}\nqueue\n")
    assert "on Line 2 of job.sub" in refused.value.report


@pytest.mark.parametrize("line", ["\u2028", "\u00a0", "\x85 \u2003", "\u3000queue"])
def test_a_line_of_white_space_of_other_languages_is_refused_with_its_line(alice, line: str) -> None:
    with pytest.raises(SubmitError) as refused:
        alice.parse(f"executable = /bin/true\n{line}\nqueue\n")
    assert "(line 2)" in refused.value.report or "on Line 2 of job.sub" in refused.value.report


@pytest.mark.promise("S30")
def test_a_factory_makes_as_many_jobs_as_there_is_room_and_time_for() -> None:
    class Endless(Factory):
        def __init__(self) -> None:
            self.total = 100

        def make(self, proc: int) -> list[tuple[str, str]]:
            return [("Args", "x" * 1000)]

        def row(self, proc: int) -> int:
            return proc

    made = materialize(Endless(), 5, 50, most_text=3500)
    assert [proc for proc, _ in made.procs] == [5, 6, 7, 8]
    assert made.next_proc == 9
    assert not made.failure
    assert len(materialize(Endless(), 0, 50, lambda: True).procs) == 1


@pytest.mark.parametrize("blank", ["\x1c", "\x1f", "\u2003"])
def test_a_number_behind_what_only_python_calls_white_space_is_none(alice, blank: str) -> None:
    assert alice.job(f"executable = /bin/true\nkill_sig_timeout = x{blank}2\n")["KillSigTimeout"] == "0"
    assert leading_number(f"{blank}2") == 0
