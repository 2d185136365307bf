"""The lines of a submit file that an error of condor_submit is about."""

from __future__ import annotations

import pytest

from condor_py.cli.submit import _blamed_lines

TEXT = "executable = /bin/true\n\n  request_memory = lots\nqueue 2 from"


@pytest.mark.parametrize(
    ("report", "lines"),
    [
        ("ERROR: on Line 1 of submit file: ", ["Line 1: executable = /bin/true"]),
        ("ERROR: on Line 3 of submit file: ", ["Line 3: request_memory = lots"]),
        ("ERROR: on Line 4 of submit file: ", ["Line 4: queue 2 from"]),
        ("ERROR: on Line 5 of submit file: ", []),
        ("ERROR: RequestMemory is wrong", ["Line 3: request_memory = lots"]),
        ("ERROR: 'lots' is no size", ["Line 3: request_memory = lots"]),
        ("ERROR: /bin/true cannot be read", ["Line 1: executable = /bin/true"]),
        ("ERROR: nothing of it", []),
    ],
)
def test_lines_that_are_numbered_or_named(report: str, lines: list[str]) -> None:
    assert list(_blamed_lines(TEXT, report)) == lines
