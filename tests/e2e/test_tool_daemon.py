"""A tool daemon (tool_daemon_cmd) runs beside the program of a job, which may wait for it at its first instruction."""

from __future__ import annotations

import pytest
from pool import PersonalPool
from transfers import hold_of

from condor_py.machine.run.spawning import quick

TOOL = """
read line
echo "$line, $1, $(tr '\\0' ' ' </proc/$TDP_AP_PID/cmdline)" $(grep State: /proc/$TDP_AP_PID/status) $TDP_LASS_ADDRESS
kill -CONT $TDP_AP_PID
while kill -0 $TDP_AP_PID 2>/dev/null; do sleep 0.05; done
echo done >&2
"""
JOB = (
    "executable = /bin/sleep\narguments = 0.1\ntransfer_executable = false\nlog = job.log\ntool_daemon_cmd = tool.sh\n"
)


@pytest.mark.skipif(not quick(), reason="the C module, which stops programs at their start, is not built")
def test_a_tool_daemon_meets_its_job_before_the_first_instruction(pool: PersonalPool) -> None:
    pool.script("tool.sh", TOOL)
    (pool.work / "in").write_text("hello\n")
    streams = "tool_daemon_input = in\ntool_daemon_output = out\ntool_daemon_error = err\n"
    rest = "tool_daemon_arguments = \"'a b'\"\nsuspend_job_at_exec = true\nqueue\n"
    said = "hello, a b, /bin/sleep 0.1  State: T (stopped) ENV\n"
    for way in ("YES", "NO"):
        pool.submit(f"{JOB}should_transfer_files = {way}\n{streams}{rest}")
        pool.wait("job.log")
        assert (pool.work / "out").read_text() == said, way
        assert (pool.work / "err").read_text() == "done\n", "it had time to see the end of the program"
        (pool.work / "out").unlink()
    (pool.work / "tool.sh").write_text("#!/nosuch/shell\n")
    held = pool.submit(f"{JOB}should_transfer_files = YES\ntool_daemon_input = in\nqueue\n")
    code, subcode, reason = hold_of(pool, held)
    assert (code, subcode) == ("6", "2")
    assert "tool.sh': invalid interpreter (/nosuch/shell) specified on first line of script (errno=2" in reason
    tool = 'tool_daemon_output = nosuch/out\nshould_transfer_files = NO\n+ToolDaemonArguments = "\'"\nqueue\n'
    code, subcode, reason = hold_of(pool, pool.submit(f"{JOB}{tool}"))
    assert "ToolDaemonArguments cannot be read" in reason
