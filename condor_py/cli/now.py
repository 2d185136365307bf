"""condor_now: gives the slots of running jobs to an idle one at once."""

from __future__ import annotations

import re
import sys

from condor_py.cli.common import check_place
from condor_py.cli.options import EXACT, Opt, ToolSpec, UsageError, parse
from condor_py.cli.suggest import hint
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId
from condor_py.model.texts import as_integer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from condor_py.client.pool import Pool

_USAGE = (
    "Usage: condor_now [-name <scheduler> [-pool <central-manager]] [-debug]\n"
    "       JOB-TO-RUN-NOW JOB-TO-VACATE [ANOTHER-JOB-TO-VACATE ...]\n"
    "   or: condor_now -help"
)
_SPEC = ToolSpec(
    name="condor_now",
    usage="[-name NAME [-pool HOST]] [-debug] NOW-JOB VACATE-JOB [VACATE-JOB ...]",
    summary="Start a job now, in place of running ones.",
    positional="NOW-JOB VACATE-JOB [VACATE-JOB ...]",
    positional_help="an idle job of yours, and running jobs of yours whose slots it gets",
    description=(
        "The jobs to vacate are evicted as condor_vacate_job does; when the last of them has ended, what they had is "
        "given to NOW-JOB, before any other job can have it. A job is CLUSTER.PROC; CLUSTER alone means its first job."
    ),
    options=(
        Opt("help", EXACT, help="this text"),
        Opt("pool", EXACT, "HOST", "the pool to ask; this machine is the only one"),
        Opt("name", EXACT, "NAME", "the schedd to ask"),
        Opt("debug", EXACT, help="accepted; messages go to standard error in any case"),
        Opt("flags", EXACT, "N", help="accepted; HTCondor's own experiments", hidden=True),
        Opt("version", EXACT, help="the version and the platform"),
    ),
    examples=(("condor_now 12.0 10.3 10.4", "12.0 runs as soon as 10.3 and 10.4 have left their slots"),),
    exit_status="0 when the jobs are being vacated, 1 otherwise.",
    unknown="",
    see_also=("condor_vacate_job", "condor_prio"),
)
SPECS = (_SPEC,)


def main(argv: list[str]) -> int:
    """Run condor_now."""
    args = parse(_SPEC, argv)
    if args.has("version"):
        from condor_py.cli.common import handle_help_and_version

        handle_help_and_version(args)
        return 0
    if args.has("help"):
        from condor_py.cli.command import help_text

        sys.stderr.write(help_text(_SPEC))
        return 1
    if len(args.positional) < 2:
        raise UsageError(_USAGE, _SPEC)
    jobs = [_job(word) for word in args.positional]
    for word, job in zip(args.positional, jobs, strict=True):
        if word not in (str(job), str(job.cluster)):
            hint(f"condor_now: {word} is read as {job}")
    from condor_py.client.pool import open_pool, why_closed
    from condor_py.client.wire import WireError
    from condor_py.model.messages.codec import Refused
    from condor_py.model.messages.queue import RunNow

    pool = open_pool()
    check_place(args, pool, "Unable to locate schedd '{name}' in local pool, aborting.")
    try:
        answer = pool.ask("schedd", RunNow(jobs[0], jobs[1:]))
    except WireError:
        missing = "Unable to reassign slot: failed to connect to schedd."
        raise CondorError(why_closed(pool.paths) or missing) from None
    if isinstance(answer, Refused):
        if sys.stderr.isatty():
            _hint_at_states(pool, jobs)
        raise CondorError(f"Unable to reassign slot: {answer.error}.")
    return 0


def _hint_at_states(pool: Pool, jobs: list[JobId]) -> None:
    """A person at a terminal hears how the queue has the jobs."""
    from condor_py.model.states import JobStatus

    view = pool.read_queue()
    names = {int(status): status.name.lower().replace("_", " ") for status in JobStatus}
    for role, job in zip(("now-job", *("vacate-job" for _ in jobs[1:])), jobs, strict=True):
        ad = view.job(job)
        status = None if ad is None else ad.eval_int("JobStatus", 0)
        state = "not in the queue" if status is None else names.get(status, f"of the JobStatus {status}")
        hint(f"The {role} {job} is {state}")


def _job(word: str) -> JobId:
    """Cluster and proc as C's strtol takes them, or the usage."""
    found = re.fullmatch(r"(\d+)(?:\.(\d*).*)?", word)
    if found is None:
        raise UsageError(_USAGE, _SPEC)
    return JobId(as_integer(found[1]), as_integer(found[2] or "0"))
