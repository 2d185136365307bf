"""condor_submit -wait, when nobody knows how the jobs ended."""

from __future__ import annotations

import pytest
from tool_runner import Spool

from condor_py.cli.submit.following import wait_for_jobs
from condor_py.client.pool import open_pool


def test_an_end_that_nobody_knows_is_no_success(spool: Spool, capsys: pytest.CaptureFixture[str]) -> None:
    spool.add(7)
    assert wait_for_jobs(open_pool(), [(8, 2)]) == 1
    assert capsys.readouterr().err == "condor_submit: the history does not tell how 2 of the jobs ended\n"
