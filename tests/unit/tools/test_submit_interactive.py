"""condor_submit -interactive: the job that waits, and the shell in its slot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tool_runner import Spool

from condor_py.client.pool import Pool


@pytest.fixture
def sessions(monkeypatch: pytest.MonkeyPatch, spool: Spool) -> list[Any]:
    """Sessions that were asked for, in a pool whose schedd runs."""
    found: list[Any] = []

    def attach(pool: Pool, job: object, wish: Any) -> int:
        found.append((str(job), wish))
        return 7

    monkeypatch.setattr(Pool, "schedd_runs", True)
    monkeypatch.setattr("condor_py.cli.ssh_to_job.session.attach", attach)
    monkeypatch.setenv("SHELL", "/bin/zsh")
    return found


def test_without_a_description(spool: Spool, sessions: list[Any]) -> None:
    """A job that only waits is queued, and the exit status is that of the shell in its slot."""
    done = spool.run("condor_submit", "-interactive")
    assert done.code == 7
    assert "1 job(s) submitted to cluster 1." in done.out
    assert spool.values("RequestMemory") == {"1.0": "512"}
    assert spool.values("JobPrio") == {"1.0": "1000"}
    assert spool.values("InteractiveJob") == {"1.0": "true"}
    assert spool.values("Cmd") == {"1.0": '"/bin/sh"'}
    ((job, wish),) = sessions
    assert (job, wish.shells, wish.display, wish.retry, wish.remove, wish.debug) == (
        "1.0",
        ("/bin/zsh",),
        True,
        True,
        True,
        False,
    )


def test_in_place_of_the_program_of_a_description(
    spool: Spool, sessions: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_CONDOR_INTERACTIVE_SUBMIT_CMD_OVERRIDE", "/bin/sleep")
    monkeypatch.setenv("_CONDOR_INTERACTIVE_SUBMIT_ARGS_OVERRIDE", "77")
    monkeypatch.delenv("SHELL")
    Path("job.sub").write_text("executable = /bin/echo\narguments = hello\nrequest_memory = 100\nqueue\n")
    done = spool.run("condor_submit", "-interactive", "-debug", "job.sub")
    assert done.code == 7
    assert spool.values("RequestMemory") == {"1.0": "100"}
    assert spool.values("Cmd") == {"1.0": '"/bin/sleep"'}
    assert spool.values("OrigCmd") == {"1.0": '"/bin/echo"'}
    assert sessions[0][1].shells == ()
    assert sessions[0][1].debug


def test_the_description_of_the_site(spool: Spool, sessions: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    Path("site.sub").write_text("executable = /bin/cat\ntransfer_executable = false\npriority = 5\nqueue\n")
    monkeypatch.setenv("_CONDOR_INTERACTIVE_SUBMIT_FILE", "site.sub")
    assert spool.run("condor_submit", "-interactive").code == 7
    assert spool.values("JobPrio") == {"1.0": "5"}


def test_no_schedd_would_start_it(spool: Spool) -> None:
    done = spool.run("condor_submit", "-interactive")
    assert done == ("", "ERROR: Can't find address of local schedd: condor_schedd is not running\n", 1)
    assert not spool.path.exists()
