"""The tools of condor_mcp that change nothing."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from condor_py.cli.history.query import Query, Search, Source
from condor_py.cli.mcp.answers import (
    Batch,
    Explained,
    History,
    Job,
    JobAd,
    Log,
    Part,
    Past,
    Queue,
    Reason,
    Slot,
    Slots,
    User,
    Users,
    Why,
)
from condor_py.cli.mcp.limits import Limits, cut, left_out, text
from condor_py.cli.options import parse as parse_options
from condor_py.cli.output import renderers
from condor_py.cli.q import bulk, quick
from condor_py.cli.q.source import open_source
from condor_py.cli.q.spec import SPEC as Q_SPEC
from condor_py.cli.tail import find
from condor_py.cli.top.look import Looker
from condor_py.cli.waiting import Around, limited_records, slots_of, why_it_waits
from condor_py.cli.waiting.alike import Alike, alike
from condor_py.core.jobs.requests import select
from condor_py.lang.classad.errors import ClassAdParseError
from condor_py.lang.classad.exprtree import ExprTree, parse
from condor_py.machine.run.identity import Account, UnknownAccount, account_for, as_user
from condor_py.machine.run.userfiles import open_user_file
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId
from condor_py.model.states import JobStatus

if TYPE_CHECKING:
    from condor_py.cli import waiting
    from condor_py.cli.q import batch
    from condor_py.cli.q.source import Source as JobSource
    from condor_py.client.pool import Pool
    from condor_py.client.queue_view import Groups
    from condor_py.lang.classad import ClassAd

_RUNS = (JobStatus.RUNNING, JobStatus.TRANSFERRING_OUTPUT, JobStatus.SUSPENDED)
#: So many jobs are explained in one answer.
_MOST_EXPLAINED = 200
#: So many records of the history are read for one answer.
_MOST_READ = 100_000
_ID = re.compile(r"(\d{1,9})(?:\.(\d{1,9}))?", re.ASCII)
_STATES = {int(status): status.name.lower() for status in JobStatus}


class Asked(NamedTuple):
    """The jobs that a question names: clusters with a proc or None; all that meet ``constraint`` where none is
    named. ``mine`` leaves out those of others."""

    ids: tuple[tuple[int, int | None], ...]
    constraint: str
    mine: bool


def asked(words: Sequence[str], constraint: str, mine: bool = False) -> Asked:
    """Return what a question names. CondorError for a word that is no job id, and a constraint that does not parse."""
    ids = []
    for word in words:
        match = _ID.fullmatch(word.strip())
        if match is None:
            raise CondorError(f"{text(word, 40)!r} is no job id: give CLUSTER or CLUSTER.PROC")
        ids.append((int(match[1]), None if match[2] is None else int(match[2])))
    condition(constraint)
    return Asked(tuple(ids), constraint.strip(), mine)


def condition(constraint: str) -> ExprTree | None:
    """Return the expression of a constraint; None for an empty one. CondorError when it does not parse."""
    if not constraint.strip():
        return None
    try:
        return parse(constraint)
    except ClassAdParseError as error:
        raise CondorError(f"the constraint {text(constraint, 80)} does not parse: {error}") from None


# ---- the queue ----------------------------------------------------------------------------------------------


def queue(pool: Pool, question: Asked, each_job: bool, wanted: int, limits: Limits) -> Queue:
    """Return the jobs of a question, by batch or one by one."""
    source = open_source(parse_options(Q_SPEC, []), pool)
    groups = _chosen(source, question)
    totals: dict[str, int] = {}
    for cluster, procs in groups:
        for status, count in source.states(cluster, procs).items():
            name = _STATES.get(status, "other")
            totals[name] = totals.get(name, 0) + count
    batches: list[Batch] = []
    jobs: list[Job] = []
    if each_job:
        around = _around(pool, source)
        jobs = cut((_job(ad, around) for ad in source.each(groups)), limits, wanted)
        missing = left_out(len(jobs), sum(totals.values()), "narrow the question with jobs or a constraint")
    else:
        folded = quick.folded(source, groups, partial=bool(question.ids or question.constraint))
        batches = cut((_batch(found) for found in reversed(folded)), limits, wanted)
        missing = left_out(len(batches), len(folded), "these are the newest; narrow the question with a constraint")
    return Queue(totals=totals, batches=batches, jobs=jobs, left_out=missing)


def _chosen(source: JobSource, question: Asked) -> Groups:
    """Return the jobs that a question means."""
    assert source.view is not None
    groups = source.groups(mine=question.mine)
    if question.ids:
        groups = quick.named(groups, question.ids)
    if not question.constraint:
        return groups
    fitting = bulk.fitting([question.constraint], source, groups)
    if fitting is not None:
        return fitting
    among = tuple(JobId(cluster, proc) for cluster, procs in groups for proc in procs)
    found: dict[int, list[int]] = {}
    for job, _ in select(source.view.table, question.constraint, among):
        found.setdefault(job.cluster, []).append(job.proc)
    return list(found.items())


def _around(pool: Pool, source: JobSource) -> Around:
    view = source.view
    assert view is not None
    return Around(
        slots_of(pool),
        pool.now(),
        lambda: pool.ads("ACCOUNTING"),
        lambda: next(iter(pool.ads("SCHEDD")), None),
        limited=lambda: limited_records(view),
    )


def _batch(found: batch.Batch) -> Batch:
    done, running, idle, held, total = found.counters()
    return Batch(
        jobs=found.job_ids(),
        owner=text(found.owner),
        name=text(found.name),
        submitted=moment(found.submitted),
        done=done,
        running=running,
        idle=idle,
        held=held,
        total=total,
    )


def _job(ad: ClassAd, around: Around) -> Job:
    status = ad.eval_int("JobStatus", 0)
    runs = status in _RUNS
    memory = renderers.memory_usage(None, ad) if runs else None
    reasons = why_it_waits(ad, around)
    return Job(
        id=_id(ad),
        owner=text(ad.eval_str("Owner")),
        batch=text(renderers.batch_name(None, ad)),
        state=_STATES.get(status, "other"),
        since=moment(ad.eval_int("EnteredCurrentStatus")),
        submitted=moment(ad.eval_int("QDate")),
        command=text(renderers.command_line(None, ad)),
        cpus=(ad.eval_int("CpusProvisioned") if runs else None) or ad.eval_int("RequestCpus") or 1,
        memory_mb=int(memory if memory is not None else ad.eval_int("RequestMemory", 0)),
        slot=text(ad.eval_str("RemoteHost")) if runs else "",
        note=text(reasons[0].text) if reasons else "",
    )


def _id(ad: ClassAd) -> str:
    return f"{ad.eval_int('ClusterId', 0)}.{ad.eval_int('ProcId', 0)}"


def moment(seconds: int | None) -> str:
    """Return a time (Unix seconds) for people and programs; "" for none."""
    try:
        return time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(seconds)) if seconds else ""
    except (OverflowError, OSError, ValueError):
        return ""


def job(pool: Pool, word: str, names: Sequence[str], limits: Limits) -> JobAd:
    """Return attributes of one job, all when none is named. CondorError when there is no such job."""
    wanted = _single(word)
    source = open_source(parse_options(Q_SPEC, []), pool)
    ad = next(source.each([(wanted.cluster, [wanted.proc])]), None)
    where = "history" if ad is None else "queue"
    if ad is None:
        ad = _of_history(pool, wanted)
    texts = {name.lower(): (name, value) for name, value in ad.text_items("sorted")}
    found: dict[str, str] = {}
    room = limits.size
    keys = [key for key in dict.fromkeys(map(str.lower, names)) if key in texts] if names else list(texts)
    for key in keys:
        name, value = texts[key][0], text(texts[key][1], limits.size // 4)
        room -= len(name) + len(value)
        if room < 0 and found:
            break
        found[name] = value
    missing = left_out(len(found), len(keys), "name the attributes that matter")
    return JobAd(id=str(wanted), where=where, attributes=found, left_out=missing)


def _single(word: str) -> JobId:
    """Return the job that a word names, the first of a cluster."""
    cluster, proc = asked([word], "").ids[0]
    return JobId(cluster, proc or 0)


def _of_history(pool: Pool, wanted: JobId) -> ClassAd:
    found, _, _ = _records(pool, ((wanted.cluster, wanted.proc),), None, 1)
    if not found:
        raise CondorError(f"job {wanted} is neither in the queue nor in the history")
    return found[0]


# ---- why ----------------------------------------------------------------------------------------------------


def why(pool: Pool, question: Asked, limits: Limits) -> Why:
    """Return why jobs do not run, together those of which the same is true."""
    source = open_source(parse_options(Q_SPEC, []), pool)
    groups = _chosen(source, question)
    around = _around(pool, source)
    there = sum(len(procs) for _, procs in groups)
    same: dict[tuple[str, tuple[waiting.Reason, ...]], list[str]] = {}
    explained = 0
    for ad in source.each(groups):
        if explained == _MOST_EXPLAINED:
            break
        explained += 1
        state = _STATES.get(ad.eval_int("JobStatus", 0), "other")
        if state == "running":
            state = f"running on {text(ad.eval_str('RemoteHost'))} since {moment(ad.eval_int('JobCurrentStartDate'))}"
        same.setdefault((state, tuple(why_it_waits(ad, around))), []).append(_id(ad))
    rows = [
        Explained(jobs=jobs[: limits.rows], count=len(jobs), state=state, reasons=[_reason(one) for one in reasons])
        for (state, reasons), jobs in same.items()
    ]
    rows += _left(pool, question, {cluster for cluster, _ in groups})
    shown = cut(rows, limits)
    missing = left_out(explained, there, "the first jobs are explained; name others")
    return Why(explained=shown, left_out=missing or left_out(len(shown), len(rows), "name single jobs"))


def why_all(pool: Pool, mine: bool, limits: Limits) -> Why:
    """Return what all jobs that do not run wait for or are held for, those with the same reasons together."""
    source = open_source(parse_options(Q_SPEC, []), pool)
    assert source.view is not None
    joined: dict[tuple[bool, tuple[str, ...]], list[Alike]] = {}
    for found in alike(source.view, source.groups(mine=mine), _around(pool, source)):
        joined.setdefault((found.held, tuple(reason.text for reason in found.reasons)), []).append(found)
    rows = [
        Explained(
            jobs=list(islice((f"{one.cluster}.{proc}" for one in members for proc in one.procs), limits.rows)),
            count=sum(len(one.procs) for one in members),
            state="held" if held else "idle",
            reasons=[_shared(each) for each in zip(*(one.reasons for one in members), strict=True)],
        )
        for (held, _), members in joined.items()
    ]
    rows.sort(key=lambda row: -row.count)
    shown = cut(rows, limits)
    return Why(explained=shown, left_out=left_out(len(shown), len(rows), "name jobs, or give a constraint"))


def _shared(found: Sequence[waiting.Reason]) -> Reason:
    """Return a reason of several jobs, with what would help all of them."""
    first = _reason(found[0])
    return first if len({one.help for one in found}) == 1 else first.model_copy(update={"help": ""})


def _reason(found: waiting.Reason) -> Reason:
    return Reason(text=text(found.text), help=text(found.help), final=found.final)


def _left(pool: Pool, question: Asked, there: set[int]) -> Iterator[Explained]:
    """Yield how the named jobs ended that are in the queue no more."""
    gone = tuple((cluster, proc) for cluster, proc in question.ids if cluster not in there)
    if not gone or question.constraint:
        return
    found, _, _ = _records(pool, gone, None, _MOST_EXPLAINED)
    same: dict[str, list[str]] = {}
    for ad in found:
        same.setdefault(_ending(ad), []).append(_id(ad))
    for state, jobs in same.items():
        yield Explained(jobs=jobs, count=len(jobs), state=state, reasons=[])
    seen = {ad.eval_int("ClusterId", 0) for ad in found}
    for cluster, proc in gone:
        if cluster not in seen:
            name = str(cluster) if proc is None else f"{cluster}.{proc}"
            yield Explained(jobs=[name], count=0, state="neither in the queue nor in the history", reasons=[])


def _ending(ad: ClassAd) -> str:
    past = _past(ad)
    if past.state == "removed":
        return f"removed at {past.ended}: {past.reason or 'no reason is given'}"
    how = f"by signal {past.exit_signal}" if past.exit_signal is not None else f"with exit code {past.exit_code}"
    return f"ended {how} at {past.ended}"


# ---- the history --------------------------------------------------------------------------------------------


def history(pool: Pool, question: Asked, wanted: int, limits: Limits) -> History:
    """Return jobs that have left the queue, the newest first."""
    tree = condition(question.constraint)
    if question.mine:
        mine = parse(f'Owner == "{pool.owner}"')
        tree = mine if tree is None else parse(f"({tree}) && ({mine})")
    most = max(1, min(wanted, limits.rows))
    found, search, more = _records(pool, question.ids, tree, most)
    jobs = cut(map(_past, found), limits, most)
    missing = ""
    if len(jobs) < len(found) or (more and len(found) == most):
        missing = "older jobs are left out: narrow the question with jobs or a constraint"
    elif more:
        missing = f"only the newest {search.seen} records were read: name jobs"
    if search.malformed:
        missing = "; ".join(filter(None, (missing, f"records that cannot be read: {search.malformed}")))
    return History(jobs=jobs, records_read=search.seen, left_out=missing)


def _records(
    pool: Pool, ids: tuple[tuple[int, int | None], ...], tree: ExprTree | None, most: int
) -> tuple[list[ClassAd], Search, bool]:
    """Return the newest records of a history, the search that found them, and whether there may be more."""
    path = pool.config.path("HISTORY")
    if not path:
        raise CondorError("this pool keeps no history: HISTORY is not set")
    query = Query(ids, frozenset(), tree, None, most, 0, frozenset({"JOB"}), True, True, False)
    search, records = Search(query), Source(history=path).records(True)
    found = [ad for ad, _ in search.through(islice(records, _MOST_READ))]
    return found, search, next(records, None) is not None


def _past(ad: ClassAd) -> Past:
    by_signal = ad.eval_bool("ExitBySignal", False)
    state = _STATES.get(ad.eval_int("JobStatus", 0), "other")
    used = renderers.memory_usage(None, ad)
    return Past(
        id=_id(ad),
        owner=text(ad.eval_str("Owner")),
        batch=text(renderers.batch_name(None, ad)),
        state=state,
        command=text(renderers.command_line(None, ad)),
        submitted=moment(ad.eval_int("QDate")),
        ended=moment(ad.eval_int("CompletionDate") or ad.eval_int("EnteredCurrentStatus")),
        exit_code=None if by_signal or state != "completed" else ad.eval_int("ExitCode"),
        exit_signal=ad.eval_int("ExitSignal") if by_signal and state == "completed" else None,
        wall_seconds=ad.eval_int("RemoteWallClockTime", 0),
        cpu_seconds=ad.eval_real("RemoteUserCpu", 0.0) + ad.eval_real("RemoteSysCpu", 0.0),
        memory_mb=int(used or 0),
        requested_memory_mb=ad.eval_int("RequestMemory", 0),
        starts=ad.eval_int("NumJobStarts", 0),
        reason=text(ad.eval_str("RemoveReason")),
    )


# ---- what jobs write ----------------------------------------------------------------------------------------

#: The attribute that names a file, by the word for it.
_FILES = {"output": "Out", "error": "Err", "events": "UserLog"}


def log(pool: Pool, word: str, which: str, size: int, limits: Limits) -> Log:
    """Return the end of a file that a job of the caller writes. CondorError where there is none to read."""
    wanted = _single(word)
    ad = pool.read_queue().job(wanted) or _of_history(pool, wanted)
    owner = ad.eval_str("Owner", "")
    if owner != pool.owner and not pool.is_superuser:
        raise CondorError(f"job {wanted} is a job of {text(owner)}: only they and administrators read its files")
    path, who = _place(pool, wanted, ad, owner, which)
    if not path:
        raise CondorError(f"job {wanted} writes no {which}: {_FILES[which]} is not set")
    most = max(1, min(size, limits.size))
    try:
        with as_user(who):
            descriptor = open_user_file(path, links=True)
        try:
            whole = os.fstat(descriptor).st_size
            # Not more than its size: files of /proc, which have none, would tell of this process.
            data = os.pread(descriptor, min(most, whole), max(0, whole - most))
        finally:
            os.close(descriptor)
    except (OSError, ValueError) as error:
        raise CondorError(f"cannot read {text(path)}: {getattr(error, 'strerror', None) or error}") from None
    missing = f"the first {whole - len(data)} bytes are left out" if whole > len(data) else ""
    shown = data.decode("utf-8", "replace")
    return Log(job=str(wanted), path=text(path, 4096), bytes=whole, text=shown, left_out=missing)


def _place(pool: Pool, job: JobId, ad: ClassAd, owner: str, which: str) -> tuple[str, Account | None]:
    """Return the path of a file of a job, and the account that may read it: of a job that runs it is where it runs."""
    attribute = _FILES[which]
    if which != "events" and ad.eval_int("JobStatus", 0) in _RUNS:
        directories = [pool.config.string("EXECUTE"), pool.config.string("LOCAL_UNIV_EXECUTE")]
        place = find(directories, job, owner)
        if place is not None:
            return place.stream(attribute), place.sandbox.account()
    name = ad.eval_str(attribute, "")
    if name in ("", os.devnull):
        return "", None
    try:
        who = account_for(owner) if os.geteuid() == 0 else None
    except UnknownAccount as error:
        raise CondorError(f"job {job}: {error}") from None
    return os.path.join(ad.eval_str("Iwd", "/"), name), who


# ---- the pool -----------------------------------------------------------------------------------------------


def slots(pool: Pool, limits: Limits) -> Slots:
    """Return the slots, and how much of the machine is in use."""
    seen = Looker(pool).snapshot()
    if seen.failed:
        raise CondorError(seen.problem)
    rows = cut(
        (
            Slot(
                name=text(row.name),
                state=text(row.state),
                activity=text(row.activity),
                cpus=row.cpus,
                memory_mb=row.memory,
                gpus=row.gpus,
                load=row.load,
                user=text(row.user),
                job=text(row.job),
                seconds=row.seconds,
            )
            for row in seen.slots
        ),
        limits,
    )
    parts = [Part(used=part.used, total=part.total) for part in (seen.cpus, seen.memory, seen.gpus)]
    return Slots(
        cpus=parts[0],
        memory_mb=parts[1],
        gpus=parts[2],
        slots=rows,
        problem=text(seen.problem),
        left_out=left_out(len(rows), len(seen.slots), "start condor_mcp with more -rows or -bytes"),
    )


def users(pool: Pool, limits: Limits) -> Users:
    """Return the users with jobs or slots, those with the most slots first."""
    seen = Looker(pool).snapshot()
    if seen.failed:
        raise CondorError(seen.problem)
    ranked = sorted(seen.users, key=lambda row: (-row.slots, row.name))
    rows = cut(
        (
            User(
                name=text(row.name),
                priority=row.priority,
                weighted_slots=row.slots,
                share=row.share,
                entitled=row.entitled,
                running=row.running,
                idle=row.idle,
                held=row.held,
            )
            for row in ranked
        ),
        limits,
    )
    return Users(
        me=pool.owner,
        users=rows,
        left_out=left_out(len(rows), len(ranked), "start condor_mcp with more -rows or -bytes"),
    )
