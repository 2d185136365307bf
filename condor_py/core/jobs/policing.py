"""Carrying out what policy expressions say: periodic_*, SYSTEM_PERIODIC_*, allowed durations, bad schedules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from condor_py.core.jobs import finish, guard, leases, moves, review
from condor_py.core.jobs.actions import hold_records, plus, release_records, remove_records, set_text
from condor_py.core.jobs.events import PoliciesDue, UpdatesDue
from condor_py.core.jobs.jobad import is_exported, status_of
from condor_py.core.jobs.policy import Verdict, has_periodic, periodic
from condor_py.lang.classad import ClassAd, ClassAdParseError, quote_string
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId
from condor_py.model.record import is_one_line
from condor_py.model.states import SCRATCH_MARK, HoldCode, JobStatus

if TYPE_CHECKING:
    from condor_py.core.jobs.parts import Run
    from condor_py.core.jobs.state import ScheddState

# ``$$(Attribute)``, ``$$(Attribute:default)`` and ``$$([expression])`` in a job, filled in from the slot it is given.
#
# What the schedd of HTCondor does when it activates a claim (qmgmt.cpp, dollarDollarExpand): the texts of expressions
# are worked on, so the value of a slot goes in as it is written there, without the quotes of a string.

_MACRO = re.compile(
    r"\$\$\((?:(?P<expression>\[.*?\])|(?P<name>[A-Za-z_][A-Za-z0-9_.]*)(?P<default>:[^)]*)?)\)", re.DOTALL
)
_LITERAL = "dollardollar"
_SCRATCH = "condorscratchdir"


class CannotExpand(CondorError):
    """The slot has no such attribute, or the expression gives no value; the text is the reason to hold the job."""

    def __init__(self, name: str) -> None:
        super().__init__(f"Cannot expand $$ expression ({name}).")


class Expansion(NamedTuple):
    """``run`` has the expanded attributes for the job's run, ``kept`` what stays in the queue: ``MATCH_EXP_X`` for an
    expanded attribute X, ``MATCH_Y`` for a value Y taken from the slot. All as expression texts.
    """

    run: dict[str, str]
    kept: dict[str, str]


def expand(job: ClassAd, slot: ClassAd) -> Expansion:
    """All ``$$`` of a job. CannotExpand for the first that cannot be."""
    expansion = Expansion({}, {})
    for name, text in _candidates(job):
        filled = _expand_text(text, job, slot, expansion.kept)
        if not is_one_line(filled):
            raise CannotExpand(name)  # the queue cannot hold it
        if filled != text:
            expansion.run[name] = filled
            expansion.kept[f"MATCH_EXP_{name}"] = filled
    return expansion


def _candidates(job: ClassAd) -> Iterator[tuple[str, str]]:
    """Attributes with ``$$(``; what earlier expansions left (MATCH_...) may hold it literally."""
    for name, text in job.text_items():
        if "$$(" in text and not name.lower().startswith("match_"):
            yield name, text


def _expand_text(text: str, job: ClassAd, slot: ClassAd, kept: dict[str, str]) -> str:
    def value(found: re.Match[str]) -> str:
        if found["expression"] is not None:
            return _evaluated(found["expression"], job, slot)
        return _of_slot(found["name"], found["default"], slot, kept)

    return _MACRO.sub(value, text)


def _of_slot(name: str, default: str | None, slot: ClassAd, kept: dict[str, str]) -> str:
    if name.lower() == _LITERAL:
        return "$$"
    if "." in name:
        raise CannotExpand(name)
    text = f'"{SCRATCH_MARK}"' if name.lower() == _SCRATCH else slot.text(name)
    if text is None:
        if default is None:
            raise CannotExpand(name)
        text = f'"{default[1:]}"'
    kept[f"MATCH_{name}"] = text
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text


def _evaluated(bracketed: str, job: ClassAd, slot: ClassAd) -> str:
    """The value as a string. In the text of a string the quotes of the expression have backslashes, which go."""
    text = re.sub(r'\\(["\\])', r"\1", bracketed[1:-1])
    try:
        value = job.eval_text(f"string({text})", slot)
    except ClassAdParseError:
        value = None
    if not isinstance(value, str):
        raise CannotExpand(bracketed)
    return quote_string(value)[1:-1]


#: Where verdicts send a job.
_STATES = {"hold": JobStatus.HELD, "release": JobStatus.IDLE, "remove": JobStatus.REMOVED}


def check(core: ScheddState, event: PoliciesDue) -> None:
    """Evaluates the periodic expressions of all jobs that have any, and looks at what only time changes.

    When there was ``enough`` the next event goes on behind the jobs that were looked at.
    """
    system = core.settings.system_periodic
    core.watched.look_at(core.known if system.judges_everybody() else core.watched.jobs)
    for job in core.watched.each():
        ad = core.jobs.job(job)
        if ad is not None and job not in core.reach.orphans and not is_exported(ad):
            guard.take(core, job, _judge, core, job, ad)
        if core.watched.left and event.enough():
            return
    for job in list(core.waiting.repeating):
        ad = core.jobs.job(job)
        if ad is not None and job in core.idle:
            guard.take(core, job, core.make_idle, job, ad)
    for job in list(core.departing.kept):
        guard.take(core, job, finish.leave_when_allowed, core, job)
    leases.expire(core)


def _judge(core: ScheddState, job: JobId, ad: ClassAd) -> None:
    obey(core, job, ad, periodic(ad, core.settings.system_periodic, core.now))


def check_updated(core: ScheddState, event: UpdatesDue) -> None:
    """Evaluates the periodic expressions of the jobs whose starter has reported something since. When there was
    ``enough`` the next event goes on."""
    for job in core.watched.each_updated():
        ad = core.jobs.job(job)
        if ad is not None and job in core.runs:
            guard.take(core, job, _judge, core, job, ad)
        if event.enough():
            return


def note_update(core: ScheddState, job: JobId) -> None:
    """The starter of a job reported something: its policy is to be looked at soon, as HTCondor's shadow does."""
    if job in core.watched.jobs or core.settings.system_periodic.judges_everybody():
        core.watched.note_update(job)


def watch(core: ScheddState, jobs: Iterable[JobId]) -> None:
    """Looks from now on at those of some jobs that have periodic expressions."""
    for job in jobs:
        ad = core.jobs.job(job)
        if ad is not None and has_periodic(ad):
            core.watched.add((job,))


def obey(core: ScheddState, job: JobId, ad: ClassAd, verdict: Verdict) -> None:
    """Holds, releases, removes or vacates a job; a run is ended first. A held job is not held once more."""
    if verdict.action == "stay" or (verdict.action == "hold" and status_of(ad) == JobStatus.HELD):
        return
    run = core.runs.get(job)
    if verdict.action == "vacate":
        if run is not None and not run.stop_code:
            core.stop_run(run, True, verdict.code, verdict.reason)
        return
    if run is not None and verdict.action == "hold" and _runs_again(core, run, ad, verdict):
        return
    if run is not None and verdict.action in ("hold", "remove"):
        run.judge()
    if verdict.action == "hold":
        changes = hold_records(job, ad, verdict.code, verdict.subcode, verdict.reason, core.now)
    elif verdict.action == "release":
        changes = release_records(job, ad, verdict.reason, core.now)
    else:
        changes = remove_records(job, ad, verdict.reason, core.now)
    before = core.known[job].status
    moves.move(core, job, ad, _STATES[verdict.action], changes)
    review.status_changed(core, job, ad, before, int(_STATES[verdict.action]))


def _runs_again(core: ScheddState, run: Run, ad: ClassAd, verdict: Verdict) -> bool:
    """Whether a run that is to be held ends without a hold, because its job brings another request to run with."""
    if run.stop_code or not finish.asks_for_more(core, run.job, ad, verdict.code, verdict.subcode, verdict.reason):
        return False
    run.outgrow()
    core.stop_run(run, True, verdict.code, verdict.reason)
    return True


def expanded(core: ScheddState, job: JobId, ad: ClassAd, slot: ClassAd) -> bool:
    """Fills ``$$()`` in from the slot, as MATCH_EXP_… attributes; False when the job had to be held."""
    try:
        kept = expand(ad, slot).kept
    except CannotExpand as error:
        obey(core, job, ad, Verdict("hold", str(error), int(HoldCode.UNSPECIFIED), 0))
        core.out.apply(ad, [plus(job, ad, "NumSystemHolds")])
        return False
    core.out.apply(ad, [set_text(job, name, text) for name, text in kept.items()])
    return True
