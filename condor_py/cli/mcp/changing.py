"""The tools of condor_mcp that change jobs or queue new ones: a dry run at first, and the act with its token."""

from __future__ import annotations

import gc
import hashlib
import hmac
import os
import secrets
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from condor_py.bindings.submitting import clusters_for_queue
from condor_py.cli.act import told
from condor_py.cli.mcp.answers import Change, Submitted
from condor_py.cli.mcp.limits import Limits, text
from condor_py.cli.mcp.looking import Asked
from condor_py.cli.waiting import Around, slots_of, why_it_waits
from condor_py.client import submitting
from condor_py.client.credentials import prepare, wanted_services
from condor_py.client.surroundings import surroundings
from condor_py.core.jobs import requests
from condor_py.core.jobs.actions import Result
from condor_py.lang.classad.ad import ClassAd
from condor_py.lang.classad.unparse import quote_string
from condor_py.lang.config.builders.submit import edit_rules
from condor_py.lang.config.builders.submit import submit as submit_settings
from condor_py.lang.submit.base import SUBMIT_METHOD
from condor_py.lang.submit.build import BuildOptions, clusters_of
from condor_py.lang.submit.errors import SubmitError
from condor_py.lang.submit.items import ItemSources
from condor_py.lang.submit.submit_file import SubmitFile, Surroundings
from condor_py.lang.submit.submit_file import parse as parse_description
from condor_py.machine.run.userfiles import user_file
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId
from condor_py.model.selection import Selection

if TYPE_CHECKING:
    from condor_py.client.pool import Pool
    from condor_py.client.submission import SubmittedCluster

#: Tokens of another process are worth nothing.
_KEY = secrets.token_bytes(32)
#: How often the same jobs were queued, by their first token: a token queues them once.
_queued: Counter[str] = Counter()
#: Characters of a submit description, and of a file that it reads.
_LONGEST, _LONGEST_FILE = 1 << 20, 1 << 26
#: How many jobs are named that an action leaves as they are.
_MOST_REFUSED = 20
#: Attributes that one call sets.
_MOST_EDITED = 50


def token(*parts: object) -> str:
    """Return the token of exactly these ``parts``."""
    return hmac.new(_KEY, repr(parts).encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[:16]


def _is_confirmed(confirm: str, expected: str) -> bool:
    """Return whether a call brings the token. CondorError for one of something else."""
    if not confirm:
        return False
    if not hmac.compare_digest(confirm.strip().encode("utf-8", "replace"), expected.encode()):
        raise CondorError(
            "the token belongs to something else, or what it would do has changed since: call again without confirm, "
            "see what would be done now, and confirm that"
        )
    return True


# ---- jobs that are there ------------------------------------------------------------------------------------


class _Plan(NamedTuple):
    """The jobs that an action would change, and the reasons of those that it would not."""

    jobs: tuple[JobId, ...]
    refused: dict[JobId, str]


def act(pool: Pool, action: str, question: Asked, reason: str, confirm: str, limits: Limits) -> Change:
    """Hold, release or remove jobs, or return which they would be."""
    selection = _selection(pool, question)
    table = pool.read_queue().table
    results, _ = requests.act(table, pool.caller(), action, selection, reason or None, None, pool.now())
    plan = _plan(action, results)
    expected = token(action, plan.jobs, reason)
    if not plan.jobs or not _is_confirmed(confirm, expected):
        return _change(f"would {action}", plan, expected if plan.jobs else "", limits, done=False)
    try:
        done = pool.act(action, Selection(ids=plan.jobs), reason or "by condor_mcp")
    finally:
        gc.unfreeze()  # the tools that act end at once; this process goes on
    plan = _plan(action, done.results)
    return _change({"hold": "held", "release": "released", "remove": "removed"}[action], plan, "", limits, done=True)


def edit(pool: Pool, question: Asked, values: dict[str, str], confirm: str, limits: Limits) -> Change:
    """Set attributes of jobs to expressions, or return which jobs they would be."""
    if not 0 < len(values) <= _MOST_EDITED:
        raise CondorError(f"give 1 to {_MOST_EDITED} attributes")
    if any(name.lower() == "jobstatus" for name in values):
        raise CondorError("JobStatus is changed by hold, release and remove")
    selection, assignments = _selection(pool, question), sorted(values.items())
    table = pool.read_queue().table
    results, _ = requests.edit(table, pool.caller(), selection, assignments, edit_rules(pool.config))
    plan = _plan("edit", results)
    expected = token("edit", plan.jobs, assignments)
    shown = ", ".join(f"{name} = {text(value, 80)}" for name, value in assignments)
    if not plan.jobs or not _is_confirmed(confirm, expected):
        return _change(f"would set {shown} of", plan, expected if plan.jobs else "", limits, done=False)
    try:
        changed = pool.edit(Selection(ids=plan.jobs), assignments)
    finally:
        gc.unfreeze()
    return _change(f"set {shown} of", _plan("edit", changed), "", limits, done=True)


def _selection(pool: Pool, question: Asked) -> Selection:
    """Return the jobs that are meant. A constraint alone means those of the caller: others' are named by their ids."""
    jobs = tuple(JobId(cluster, proc) for cluster, proc in question.ids if proc is not None)
    clusters = " || ".join(f"ClusterId == {cluster}" for cluster, proc in question.ids if proc is None)
    if question.constraint and question.ids:
        raise CondorError("give jobs or a constraint, not both")
    if question.constraint:
        return Selection(constraint=f"({question.constraint}) && Owner == {quote_string(pool.owner)}")
    if not question.ids:
        raise CondorError("name jobs, or give a constraint (true for all jobs of yours)")
    return Selection(jobs, clusters or None)


def _plan(action: str, results: dict[JobId, int]) -> _Plan:
    changed = tuple(sorted(job for job, code in results.items() if code == Result.SUCCESS))
    refused = {job: _why_not(action, job, code) for job, code in results.items() if code != Result.SUCCESS}
    return _Plan(changed, refused)


def _why_not(action: str, job: JobId, code: int) -> str:
    if action != "edit":
        return told(action, job, code)[0]
    return f"Job {job} not found" if code == Result.NOT_FOUND else f"Permission denied to change job {job}"


def _change(verb: str, plan: _Plan, confirm: str, limits: Limits, *, done: bool) -> Change:
    shown = [str(job) for job in plan.jobs[: limits.rows]]
    refused = [text(why) for why in list(plan.refused.values())[:_MOST_REFUSED]]
    count = len(plan.jobs)
    summary = f"{verb} {count} job{'' if count == 1 else 's'}"
    if plan.refused:
        summary += f"; {len(plan.refused)} would stay as they are" if not done else f"; not {len(plan.refused)}"
    if not plan.jobs and not plan.refused:
        summary = "no job is meant"
    missing = [f"{count - len(shown)} more jobs"] if count > len(shown) else []
    if len(plan.refused) > len(refused):
        missing.append(f"{len(plan.refused) - len(refused)} more refusals")
    return Change(
        done=done and bool(plan.jobs),
        summary=summary,
        count=count,
        jobs=shown,
        refused=refused,
        confirm=confirm,
        left_out=" and ".join(missing),
    )


# ---- new jobs -----------------------------------------------------------------------------------------------

#: The attributes of a job that are shown before it is queued.
_SHOWN = (
    "Cmd", "Args", "Arguments", "Env", "Environment", "Iwd", "In", "Out", "Err", "UserLog", "JobUniverse",
    "JobBatchName", "RequestCpus", "RequestMemory", "RequestDisk", "RequestGPUs", "Requirements", "Rank",
    "ShouldTransferFiles", "TransferInput", "TransferOutput", "AccountingGroup", "JobPrio", "MaxRetries",
    "ContainerImage", "DockerImage", "DeferralTime", "JobNotification", "NotifyUser",
)  # fmt: skip


def submit(pool: Pool, description: str, path: str, confirm: str) -> Submitted:
    """Queue the jobs of a description, or return what they would be. CondorError says what is wrong with it."""
    said, name = _description(description, path)
    try:
        file = _read(pool, said, name)
        first = _first_job(pool, file)
        warnings = _warnings(file)
        never = _never(pool, first)
        same = token("submit", os.getcwd(), said, _meaning(file))
        expected = token(same, _queued[same])
        confirmed = _is_confirmed(confirm, expected)
        clusters = _queue(pool, file) if confirmed else []
        _queued[same] += confirmed
    except SubmitError as error:
        raise CondorError(_one_line(error)) from None
    count = file.job_count
    jobs = f"{count} job{'' if count == 1 else 's'}"
    into = ", ".join(str(cluster) for cluster in clusters)
    return Submitted(
        done=confirmed,
        summary=f"queued {jobs} in cluster {into}" if confirmed else f"would queue {jobs}",
        count=count,
        clusters=clusters,
        first_job={name: text(value) for name in _SHOWN if (value := first.text(name)) is not None},
        warnings=[text(line) for line in (*warnings, *(pool.warnings if confirmed else ()))],
        never_runs=[text(why) for why in never],
        confirm="" if confirmed else expected,
    )


def _description(description: str, path: str) -> tuple[str, str]:
    """Return the text of a submit description, and its name in messages."""
    if bool(description.strip()) == bool(path):
        raise CondorError("give the text of a submit description, or the name of a file, and not both")
    if not path:
        if len(description) > _LONGEST:
            raise CondorError(f"the description has more than {_LONGEST} characters")
        if "\0" in description:
            raise CondorError("the description has a zero byte")
        return description, "<description>"
    here = os.path.realpath(os.getcwd())
    if "\0" in path or os.path.commonpath([here, os.path.realpath(path)]) != here:
        raise CondorError(f"{text(path, 80)!r} is outside of the working directory {text(here)}")
    said = _regular_file(path, _LONGEST)
    if "\0" in said:
        raise CondorError(f"{text(path, 80)!r} is no submit description")
    return said, path


def _regular_file(path: str, longest: int = _LONGEST_FILE) -> str:
    """Return the text of a file; never waits for one that is a pipe. CondorError when it cannot be read."""
    try:
        with user_file(path, links=True) as file:
            found: str = file.read(longest + 1)
    except (OSError, ValueError) as error:
        raise CondorError(f"cannot read {text(path, 200)}: {getattr(error, 'strerror', None) or error}") from None
    if len(found) > longest:
        raise CondorError(f"{text(path, 200)} has more than {longest} characters")
    return found


def _no_command(command: str) -> str:
    raise CondorError(f"condor_mcp runs no commands for a submit description: {text(command, 80)}")


def _read(pool: Pool, said: str, name: str) -> SubmitFile:
    outer = surroundings()
    warned: list[str] = []
    sources = ItemSources(_regular_file, _no_command, outer.sources.glob, warned.append)
    here = Surroundings(outer.env, None, outer.now, outer.directory, sources)
    file = parse_description(said, name, settings=submit_settings(pool.config), surroundings=here)
    if file.failure is not None:
        raise file.failure
    if not file.job_count:
        raise CondorError("the description queues no jobs")
    for line in warned:
        file.messages.warn(line)
    return file


def _first_job(pool: Pool, file: SubmitFile) -> ClassAd:
    """Return the first job. SubmitError where one of a cluster cannot be made."""
    found: ClassAd | None = None
    for number, draft in enumerate(clusters_of(file), 1):
        made = draft.make(number, BuildOptions(user=pool.owner))
        own = next(made.own)
        if found is None:
            found = ClassAd.from_text_items([*made.attributes.values(), *own.values()])
    assert found is not None
    return found


def _warnings(file: SubmitFile) -> list[str]:
    """Return the warnings so far and those about unused lines, a line each."""
    lines = file.messages.warnings().splitlines()
    found = [line.removeprefix("WARNING: ").strip() for line in lines if line.strip()]
    for name, unused in file.unused().items():
        meant = file.meant(name)
        found.append(unused.strip() + (f" Did you mean {meant}?" if meant else ""))
    return found


def _never(pool: Pool, job: ClassAd) -> list[str]:
    job.set_int("JobStatus", 1)
    return [reason.text for reason in why_it_waits(job, Around(slots_of(pool), pool.now())) if reason.final]


def _meaning(file: SubmitFile) -> list[object]:
    """Return all that decides which jobs a description makes, files that it reads included."""
    return [
        (statement.expanded, statement.args.items, statement.job_count, [(m.name, m.value) for m in statement.table])
        for statement in file.statements
    ]


def _queue(pool: Pool, file: SubmitFile) -> list[int]:
    services = wanted_services(file, pool.config)
    if services is not None:
        prepare(pool, file, services)

    def build(first: int, user: str, owner: str, _now: int) -> list[SubmittedCluster]:
        return clusters_for_queue(pool, file, first, user, owner, SUBMIT_METHOD, BuildOptions(user=owner))

    return submitting.submit(pool, build)


def _one_line(error: SubmitError) -> str:
    lines = [line.strip().removeprefix("ERROR:").strip() for line in error.report.splitlines()]
    return "; ".join(line for line in lines if line)
