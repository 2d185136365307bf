"""The texts about one job: how many slots there are for it, and what happened to it so far."""

from __future__ import annotations

import time

from condor_py.cli.q.analysis.counts import Counts
from condor_py.cli.q.analysis.standing import Standing, is_nice
from condor_py.cli.q.select import job_key
from condor_py.lang.classad.ad import ClassAd

_NAMED = 10


def totals(job: ClassAd, counts: Counts, known: Standing | None, *, verbose: bool) -> str:
    """How many slots would run a job and how many would not; with ``verbose`` with some of their names."""
    how = "ignoring" if known is None else "considering"
    verbose = verbose and not counts.schedd_only
    lines = [
        *_submitter(job, known),
        "",
        f"{_job(job)}:  Run analysis summary {how} user priority.  Of {counts.total} slots on "
        f"{counts.machines} machines,",
        _line(counts.rejected, "slots are rejected by your job's requirements", verbose),
        _line(counts.rejecting, "slots reject your job because of their own requirements", verbose),
    ]
    nice = known is not None and is_nice(job)
    lines += _ignoring(counts, verbose) if known is None else _considering(counts, verbose, nice=nice)
    lines.append(_line(counts.willing, "slots match and are willing to run your job", verbose))
    if counts.if_drained:
        lines.append(_line(counts.if_drained, "slots would match if drained", verbose))
    if nice:
        lines += [
            "",
            '\t(*)  Since this is a "nice-user" job, it has a',
            "\t     very low priority and is unlikely to preempt other jobs.",
        ]
    return "\n".join(lines + _warning(counts)) + "\n"


def _submitter(job: ClassAd, known: Standing | None) -> list[str]:
    name = None if known is None else known.submitter(job)
    if known is None or name is None:
        return []
    return [f"Submittor {name} has a priority of {known.priorities[name]:.3f}"]


def _job(job: ClassAd) -> str:
    cluster, proc = job_key(job)
    return f"{cluster:03d}.{proc:03d}"


def _considering(counts: Counts, verbose: bool, *, nice: bool) -> list[str]:
    better = _line(counts.better, "slots match but are serving users with a better priority in the pool", False)
    return [
        _line(counts.mine, "slots match and are already running one of your jobs", False),
        f"{better}{'(*)' if nice else ''}{_names(counts.better, verbose)}",
        _line(counts.kept, "slots match but will not currently preempt their existing job", verbose),
        _line(counts.offline, "slots match but are currently offline\n", verbose),
    ]


def _ignoring(counts: Counts, verbose: bool) -> list[str]:
    lines = []
    if counts.mine:
        lines.append(_line(counts.mine, "slots match and are already running your jobs", False))
    if counts.serving:
        lines.append(_line(counts.better, "slots match but are serving other users", verbose))
    if counts.offline:
        lines.append(_line(counts.offline, "slots match but are currently offline", verbose))
    return lines


def _warning(counts: Counts) -> list[str]:
    if counts.both:
        return []
    if not counts.matched:
        return ["", "WARNING:  Be advised:", "   No machines matched the job's constraints"]
    return [
        "",
        "WARNING:  Be advised:",
        "   Job did not match any machines' constraints",
        "   To see why, pick a machine that you think should match and add",
        "     -reverse -machine <name>",
        "   to your query.",
    ]


def _line(names: list[str], text: str, verbose: bool) -> str:
    return f"  {len(names):5d} {text}{_names(names, verbose)}"


def _names(names: list[str], verbose: bool) -> str:
    if not verbose or not names:
        return ""
    return f": {', '.join(names[:_NAMED])}{', ...' if len(names) > _NAMED else ''}"


def run_state(job: ClassAd, state: str, told: ClassAd | None) -> str:
    """Why a job does not wait for a slot (``state``), and when it was matched and refused; ``told`` is what the
    schedd knows of its autocluster."""
    lines = ["", f"{_job(job)}:  {state}", ""] if state else []
    matched = job.eval_int("LastMatchTime", 0)
    rejected = job.eval_int("LastRejMatchTime", 0)
    if matched:
        lines.append(f"Last successful match: {time.ctime(matched)}")
    elif rejected:
        lines.append("No successful match recorded.")
    if rejected > matched:
        lines.append(f"Last failed match: {time.ctime(rejected)}{_negotiator(job)}")
        reason = job.eval_str("LastRejMatchReason")
        if reason is not None:
            lines.append(f"Reason for last match failure: {reason}")
    elif told is not None:
        lines += _autocluster(told, matched)
    return "".join(line + "\n" for line in lines)


def _negotiator(ad: ClassAd) -> str:
    name = ad.eval_str("LastRejMatchNegotiator")
    return f" from {name}" if name else ""


def _autocluster(told: ClassAd, matched: int) -> list[str]:
    lines = []
    rejected = told.eval_int("LastRejMatchTime", 0)
    if rejected > matched:
        lines.append(f"Last failed match for this autocluster: {time.ctime(rejected)}{_negotiator(told)}")
        reason = told.eval_str("LastRejMatchReason")
        if reason is not None:
            lines.append(f"\tReason: {reason}")
    last = told.eval_int("LastMatchTime")
    if last is not None:
        lines.append(f"Last successful match for this autocluster: {time.ctime(last)}")
    running, completed = told.eval_int("NumRunning"), told.eval_int("NumCompleted")
    if running is not None or completed is not None:
        done = f" and {completed} completed" if completed else ""
        lines.append(f"This autocluster currently has {running or 0} running{done} jobs.")
    return lines
