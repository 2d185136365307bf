"""condor_userlog_job_counter: how many jobs of an event log have not ended, as its exit status."""

from __future__ import annotations

import os
import sys

from condor_py.cli.common import HELP, handle_help_and_version
from condor_py.cli.options import ToolSpec, parse
from condor_py.model.errors import CondorError
from condor_py.model.event_types import JobEventType

#: The exit status that is no count.
_UNKNOWN = 255

_SPEC = ToolSpec(
    name="condor_userlog_job_counter",
    usage="file",
    summary="Count the jobs of an event log that have not ended.",
    positional="file",
    positional_help="a job event log",
    description="Each submit, end and removal is printed with the number of jobs that are then in the queue.",
    options=(HELP,),
    examples=(("condor_userlog_job_counter run.log; echo $?", "how many jobs of run.log are not done yet?"),),
    exit_status="The number of jobs, 0 to 254; 255 for any other number, and when the log has no job or is damaged.",
    unknown="condor_userlog_job_counter: unknown option {arg}",
    see_also=("condor_wait", "condor_userlog", "condor_check_userlogs"),
)
SPECS = (_SPEC,)
_ENDS = (JobEventType.JOB_TERMINATED, JobEventType.JOB_ABORTED)


def main(argv: list[str]) -> int:
    """Run condor_userlog_job_counter."""
    args = parse(_SPEC, argv)
    if handle_help_and_version(args):
        return 0
    if len(args.positional) != 1:
        sys.stderr.write("usage: condor_userlog_job_counter file\n")
        return _UNKNOWN
    return _count(args.positional[0])


def _count(path: str) -> int:
    """Print the changes of the number of jobs in a log, and return the last."""
    from condor_py.store.event_log import EVENT_NAMES, EventReader

    seen, left, outcome = False, 0, "ULOG_NO_EVENT"
    reader = EventReader(path)
    try:
        os.stat(path)
        while events := reader.read():
            for event in events:
                change = 1 if event.number == JobEventType.SUBMIT else -1 if event.number in _ENDS else 0
                if change:
                    seen, left = seen or change > 0, left + change
                    sys.stdout.write(f"Log event: ULOG_{EVENT_NAMES[event.number]}\nQueued Jobs: {left}\n")
    except (OSError, CondorError) as error:
        outcome = "ULOG_RD_ERROR"
        sys.stdout.flush()
        why = f"{path}: {error.strerror}" if isinstance(error, OSError) else str(error)
        sys.stderr.write(f"condor_userlog_job_counter: {why}\n")
    sys.stdout.write(f"Log outcome: {outcome} \n")
    return left if seen and 0 <= left < _UNKNOWN and outcome == "ULOG_NO_EVENT" else _UNKNOWN
