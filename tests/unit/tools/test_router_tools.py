"""The commands of the job router, without a pool."""

from __future__ import annotations

import pytest
from tool_runner import run


@pytest.mark.parametrize("dash", ["-", "--"])
@pytest.mark.usefixtures("spool")
def test_options_of_the_history_have_one_dash_or_two(dash: str) -> None:
    done = run("condor_router_history", f"{dash}start", "2026-01-02 03:04", f"{dash}show_records", f"{dash}show_iwd")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("Routed job history from 2026-01-02 03:04 to ")
    assert done.out.endswith("\n\nJobID Status Site Runtime IWD\n")
    wrong = run("condor_router_history", f"{dash}days", "x")
    assert (wrong.code, wrong.err.splitlines()[0]) == (
        1, "Command line argument error: could not convert string to float: 'x'"
    )  # fmt: skip
