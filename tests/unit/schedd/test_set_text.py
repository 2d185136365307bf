"""The change that sets an attribute of a job is the same from C and from Python."""

from __future__ import annotations

import sys

import pytest

from condor_py.core.jobs import actions
from condor_py.lang.classad import is_valid, quote_string
from condor_py.lang.classad.kernel import native
from condor_py.model.ids import JobId
from condor_py.model.record import SET, Change
from condor_py.store.adlog import is_writable

pytestmark = pytest.mark.skipif(native is None, reason="the C part is not built")


def test_changes_of_one_job_after_another_are_those_of_the_twin() -> None:
    for job in (JobId(1, 0), JobId(1, 1), JobId(1, 0), JobId(2**40, 7), JobId(1, 0)):
        for name, text in (("Cmd", '"x"'), ("A", ""), ("Ä", "ü")):
            made = actions.set_text(job, name, text)
            assert type(made) is Change
            assert made == actions._set_text(job, name, text) == (SET, f"{job.cluster}.{job.proc}", name, text)


def test_what_is_no_job_is_refused() -> None:
    for wrong in ("1.0", 5, (1, 2, 3), None):
        with pytest.raises(TypeError):
            actions.set_text(wrong, "A", "1")  # type: ignore[arg-type]


def test_nothing_is_kept() -> None:
    jobs, text = [JobId(5, number) for number in range(3)], "".join(["one", "text"])
    for job in jobs:
        actions.set_text(job, "A", text)
    before = [sys.getrefcount(thing) for thing in (*jobs, text)]
    for _ in range(500):
        for job in jobs:
            actions.set_text(job, "A", text)
    after = [sys.getrefcount(thing) for thing in (*jobs, text)]
    assert after == before


def test_what_others_said_is_one_line_in_the_queue() -> None:
    """A file name, or what an engine says, may have any character."""
    said = actions.set_string(JobId(1, 0), "VacateReason", 'a\nb\0c\ud800 "d" \u00e9')
    assert is_writable(said)
    assert is_valid(said.value)
    plain = actions.set_string(JobId(1, 0), "VacateReason", 'a "d" \u00e9')
    assert plain.value == quote_string('a "d" \u00e9')
