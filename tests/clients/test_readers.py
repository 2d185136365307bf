"""HTCondor's own readers of event logs, on logs of this pool; and its command line program on our bindings."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time

import pytest
from client_pool import SHIMS
from pool import ROOT, PersonalPool, wait_for

#: One worker runs these tests and those of exact strings: their pool is made once.
pytestmark = pytest.mark.xdist_group("client_readers")
_HTCONDOR = "import sys; sys.argv[0] = 'htcondor'; from htcondor_cli.cli import main; sys.exit(main())"


def _run(pool: PersonalPool, *words: str, shims: bool = True) -> subprocess.CompletedProcess[str]:
    tools = {"PATH": f"{ROOT / 'bin'}:{pool.environment['PATH']}", "CONDOR_PY_PYTHON": sys.executable}
    environment = pool.environment | tools | ({"PYTHONPATH": f"{SHIMS}:{ROOT}"} if shims else {})
    done = subprocess.run(
        [sys.executable, *words],
        env=environment,
        cwd=pool.work,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def test_the_real_reader_follows_our_log_as_ours_does(pool: PersonalPool) -> None:
    pytest.importorskip("htcondor2")
    pool.submit("executable = /bin/sh\narguments = \"-c 'exit $(Process)'\"\nlog = run.log\nqueue 3\n")
    pool.wait("run.log")
    program = (
        "import htcondor2, json\n"
        "events = list(htcondor2.JobEventLog('run.log').events(0))\n"
        "print(json.dumps([[str(e.type), e.cluster, e.proc, e.timestamp, sorted(e)] for e in events]))"
    )
    real, ours = (json.loads(_run(pool, "-c", program, shims=shims).stdout) for shims in (False, True))
    assert real == ours
    kinds = [event[0] for event in real]
    assert [kinds.count(name) for name in ("JobEventType.SUBMIT", "JobEventType.JOB_TERMINATED")] in ([3, 3], [0, 0])
    assert len(real) >= 9


def test_the_command_line_program_reads_logs_and_runs_jobs_through_our_module(pool: PersonalPool) -> None:
    pytest.importorskip("htcondor_cli")
    text = "executable = /bin/echo\narguments = hello\noutput = out\nlog = run.log\nqueue\n"
    (pool.work / "job.sub").write_text(text)
    said = _run(pool, "-c", _HTCONDOR, "job", "submit", "job.sub")
    found = re.search(r"Job (\d+) was submitted", said.stdout + said.stderr)
    assert found, said
    wait_for(lambda: (pool.work / "out").exists() and (pool.work / "out").read_text(), "the job ran")
    pool.wait("run.log")
    table = [_run(pool, "-c", _HTCONDOR, "eventlog", "read", "run.log", shims=shims).stdout for shims in (True, False)]
    assert table[0] == table[1]
    assert table[0].splitlines()[1].startswith(f"{found[1]}.0")
    assert time.strftime("%y") in table[0]


def test_the_command_line_program_sees_jobs_and_daemons_through_our_module(pool: PersonalPool) -> None:
    pytest.importorskip("htcondor_cli")
    job = pool.submit("executable = /bin/sleep\narguments = 600\nlog = run.log\nqueue\n")
    wait_for(lambda: pool.status_of(f"{job}.0") == 2, "the job runs")
    health = "(Good|Fair|Poor)"  # how busy the machine is decides
    for words, text in (
        (("job", "status", str(job)), f"Job {job} is currently running."),
        (("job", "resources", str(job)), "Job is using resource slot1_1@"),
        (("ap", "status"), health),
        (("cm", "status"), health),
        (("server", "status"), f"Overall HTCondor Health: {health}"),
        (("eventlog", "histogram", "run.log"), ""),
        (("jobset", "list"), "No active job sets found."),
    ):
        done = _run(pool, "-c", _HTCONDOR, *words)
        assert re.search(text, done.stdout + done.stderr), words
