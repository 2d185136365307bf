"""Owner capacity units (OCU): slots that stay with an owner, for those of the owner's jobs that say OCUWanted. Pure.

A unit is a request for a slot that lasts: it goes to the negotiator as a job would, the claim that it gets stays ours
without jobs, and when the claim is lost it asks again. Jobs of others with OCUWilling may borrow the slot until the
owner has a job for it. Units are kept in the record of their user in the queue (attribute ``ocus``, as in HTCondor).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from condor_py.core.jobs import guard, starting
from condor_py.core.jobs.events import OcuMade, OcuRemoved, UsersFound
from condor_py.core.jobs.parts import OCU_ASKER, Claim, ClaimInfo, Ocu
from condor_py.core.jobs.quotas import may_start
from condor_py.core.jobs.rights import Caller
from condor_py.core.jobs.userrecs import refusal
from condor_py.lang.classad import ClassAd, quote_string, requirements_match
from condor_py.lang.classad.changes import is_storable
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId
from condor_py.model.messages.claims import RequestClaim
from condor_py.model.plan import Match
from condor_py.model.record import DELETE, SET, Change, is_attribute_name
from condor_py.model.states import Universe, VacateCode

if TYPE_CHECKING:
    from condor_py.core.jobs.state import ScheddState

#: The attribute of a user's record that has the user's units.
RECORD = "ocus"
#: A request has to be small: it is kept in one record, and each negotiation cycle evaluates it.
_MOST_BYTES = 16 * 1024
_MOST_UNITS = 1000
#: Attributes that a request has no say in, besides those that are set anyway: or it would charge the slot to others.
_OURS = frozenset(
    {"submitter", "clusterid", "procid", "mytype", "targettype", "ocustate", "ocuwanted", "ocuwilling"}
    | {"accountinggroup", "acctgroup", "acctgroupuser", "niceuser"}
)
_FITS = "TARGET.Cpus >= RequestCpus && TARGET.Memory >= RequestMemory && TARGET.Disk >= RequestDisk"


class OcuError(CondorError):
    """Why a unit is not made or removed."""


# -- the records -----------------------------------------------------------------------------------


def found(core: ScheddState, event: UsersFound) -> None:
    """Takes the units out of the records of users; what is no unit is passed over."""
    for record in event.users.values():
        kept, user = record.get(RECORD), record.eval_str("User", "")
        for ad in kept if isinstance(kept, list) else ():
            number = ad.eval_int("OCUId", 0) if isinstance(ad, ClassAd) else 0
            if number and user:
                core.ocus.units[number] = Ocu(number, user, user.partition("@")[0], ad)


def requested(
    core: ScheddState, caller: Caller, request: Iterable[tuple[str, str]], number: int
) -> tuple[Ocu, list[Change]]:
    """A unit with a new number for the Owner that the request names, and its records; the event OcuMade makes it one of
    ours. OcuError: not allowed."""
    items = {name.lower(): (name, text) for name, text in request}
    given = ClassAd.from_text_items(items.values())
    owner = given.eval_str("Owner", "").partition("@")[0]
    if not owner:
        raise OcuError("Missing required attribute: Owner")
    if not (caller.superuser or caller.owner == owner):
        raise OcuError("Permission denied: this is not your own OCU, and you are not a queue super user")
    user = f"{owner}@{core.settings.uid_domain}"
    record = core.jobs.user_record_of(user)
    if record is None:
        raise OcuError(f"Owner not found: {owner}")
    if why := refusal(record[1]):
        raise OcuError(" ".join(why.split("\n")))
    if len(_of_user(core, user)) >= _MOST_UNITS:
        raise OcuError(f"{owner} has {_MOST_UNITS} OCUs already")
    unit = Ocu(number, user, owner, _unit_ad(given, list(items.values()), user, number))
    return unit, _saved(record[0], [*_of_user(core, user), unit])


def made(core: ScheddState, event: OcuMade) -> None:
    """A unit is ours."""
    core.ocus.units[event.unit.number] = event.unit
    core.agenda.want_cycle()


def _unit_ad(given: ClassAd, items: list[tuple[str, str]], user: str, number: int) -> ClassAd:
    wrong = [name for name, text in items if not (is_attribute_name(name) and is_storable(text))]
    if wrong:
        raise OcuError(f"Bad attribute in the OCU request: {wrong[0][:60]}")
    if sum(len(name) + len(text) for name, text in items) > _MOST_BYTES:
        raise OcuError(f"An OCU request has at most {_MOST_BYTES} bytes")
    unit = ClassAd.from_text_items(pair for pair in items if pair[0].lower() not in _OURS)
    for name in ("Cpus", "Memory", "Disk"):
        if unit.text(f"Request{name}") is None:
            unit.set_int(f"Request{name}", 1)
        elif unit.eval_real(f"Request{name}", 0.0) <= 0:
            raise OcuError(f"Request{name} of an OCU has to be a number above 0")
    wanted = unit.text("Requirements")
    terms = ([f"({wanted})"] if wanted is not None else []) + [_FITS, "TARGET.OCU =!= true"]
    unit.set_text("Requirements", " && ".join(terms))
    unit.set_text("Owner", quote_string(user.partition("@")[0]))
    unit.set_text("User", quote_string(user))
    unit.set_int("JobUniverse", Universe.VANILLA)
    unit.set_text("OCUClaim", "true")
    unit.set_text("IsOCUHolder", "true")
    unit.set_int("OCUId", number)
    unit.set_text("OCUName", quote_string(given.eval_str("OCUName", "") or f"OCU-{number}"))
    return unit


def removal(core: ScheddState, caller: Caller, number: int) -> list[Change]:
    """The records of the removal of a unit, which the event OcuRemoved carries out. OcuError: there is none, or not
    allowed."""
    unit = core.ocus.units.get(number)
    if unit is None:
        raise OcuError(f"OCU not found: {number}")
    if not (caller.superuser or caller.owner == unit.owner):
        raise OcuError("Permission denied: this is not your own OCU, and you are not a queue super user")
    record = core.jobs.user_record_of(unit.user)
    others = [one for one in _of_user(core, unit.user) if one is not unit]
    return [] if record is None else _saved(record[0], others)


def removed(core: ScheddState, event: OcuRemoved) -> None:
    """A unit goes, and its slot with it: what runs there is vacated."""
    unit = core.ocus.units[event.number]
    core.withdraw(unit.asker)
    claim = core.claims.get(unit.claim_id)
    core.ocus.drop(event.number)
    if claim is None:
        return
    if claim.job is None:
        core.give_back(claim)
    else:  # it goes back with the report of the run
        core.stop_run(core.runs[claim.job], True, VacateCode.VACATED_BY_SCHEDD, "The owner capacity unit was removed")


def _of_user(core: ScheddState, user: str) -> list[Ocu]:
    return [unit for unit in core.ocus.units.values() if unit.user == user]


def _saved(number: int, mine: list[Ocu]) -> list[Change]:
    """The record, with its number, of all units of a user."""
    if not mine:
        return [Change(DELETE, f"0.{number}", RECORD)]
    texts = ["[ " + "; ".join(f"{name} = {text}" for name, text in unit.ad.text_items()) + " ]" for unit in mine]
    return [Change(SET, f"0.{number}", RECORD, "{ " + ", ".join(texts) + " }")]


def shown(core: ScheddState) -> Iterator[ClassAd]:
    """All units. OCUState is U (has no slot), I (the slot waits for a job) or R (a job runs)."""
    for _, unit in sorted(core.ocus.units.items()):
        ad = unit.ad.flat_copy()
        claim = _claim_of(core, unit)
        ad.set_text("OCUState", '"U"' if claim is None else '"I"' if claim.job is None else '"R"')
        ad.set_int("OCUOwnerActivations", unit.by_owner)
        ad.set_int("OCUBorrowerActivations", unit.by_borrowers)
        if claim is not None:
            ad.set_int("OCUClaimedTime", core.now - claim.created)
        yield ad


@dataclass(slots=True)
class OcuCounts:
    """Counts of a submitter's units: claims, of which jobs of others run on ``borrowed``; jobs that want a unit (idle
    and running), of which some run."""

    claimed: int = 0
    borrowed: int = 0
    wanted: int = 0
    running: int = 0


def counts(core: ScheddState) -> dict[str, OcuCounts]:
    """By submitter, for all who have a unit or a job that wants one."""
    found: defaultdict[str, OcuCounts] = defaultdict(OcuCounts)
    for name in core.idle.submitters():
        for autocluster, count in core.idle.sizes(name).items():
            if is_wanted(core.autoclusters.representative(autocluster)):
                found[name].wanted += count
    for run in core.runs.values():
        ad = core.jobs.job(run.job)
        if ad is not None and is_wanted(ad):
            found[run.submitter].wanted += 1
            found[run.submitter].running += 1
    for unit in core.ocus.units.values():
        claim = _claim_of(core, unit)
        if claim is not None:
            mine = found[_submitter(core, unit)]
            guest = core.jobs.job(claim.job) if claim.job is not None else None
            mine.claimed += 1
            mine.borrowed += guest is not None and not is_wanted(guest)
    return dict(found)


# -- from the request to the claim -----------------------------------------------------------------


def _claim_of(core: ScheddState, unit: Ocu) -> Claim | None:
    claim = core.claims.get(unit.claim_id)
    return None if claim is None or claim.releasing else claim


def _submitter(core: ScheddState, unit: Ocu) -> str:
    return f"{unit.owner}@{core.settings.submitter_domain}"


def waiting(core: ScheddState) -> dict[str, list[Ocu]]:
    """The units without a slot, by submitter."""
    found: dict[str, list[Ocu]] = {}
    for unit in core.ocus.units.values():
        if _claim_of(core, unit) is None and not core.claims.asks_for(unit.asker):
            found.setdefault(_submitter(core, unit), []).append(unit)
    return found


def ask(core: ScheddState, unit: Ocu, match: Match) -> None:
    """Asks the startd for the claim of a match, unless the unit has a slot, or has been promised one."""
    if _claim_of(core, unit) is None and not core.claims.asks_for(match.job):
        request_id = core.claims.ask(match.job, match if match.victims else None)
        groups = match.group, match.autoregroup, match.own_group
        core.out.emit(RequestClaim(request_id, match.slot, match.job, match.submitter, match.victims, False, groups))


def granted(core: ScheddState, job: JobId, claim: Claim) -> bool:
    """Whether a claim was asked for by a unit, which has it now. One that is gone leaves it to the dispatch."""
    unit = core.ocus.of_asker(job)
    if unit is not None:
        core.ocus.bind(unit, claim.info.claim_id)
    return job.proc == OCU_ASKER


def adopt(core: ScheddState, info: ClaimInfo) -> None:
    """A claim that the startd kept while there was no schedd is its unit's again."""
    unit = core.ocus.units.get(info.slot_ad.eval_int("OCUId", 0)) if core.ocus else None
    if unit is not None and info.submitter == _submitter(core, unit) and _claim_of(core, unit) is None:
        core.ocus.bind(unit, info.claim_id)


# -- jobs on the claim -----------------------------------------------------------------------------


def is_wanted(ad: ClassAd) -> bool:
    """Whether a job runs on the slots of units only."""
    return ad.eval_bool("OCUWanted", False)


def take_next(core: ScheddState, claim: Claim) -> bool:
    """Starts the next job on the claim of a unit; False for claims that no unit holds."""
    unit = core.ocus.of_claim(claim.info.claim_id)
    if unit is None:
        return False
    while claim.is_free:
        job = _next(core, unit, claim, own=True)
        own = job is not None
        job = job or _next(core, unit, claim, own=False)
        if job is None:
            break
        guard.take(core, job, starting.start_next, core, job, claim)
        if claim.job == job:
            unit.by_owner += own
            unit.by_borrowers += not own
    return True


def _next(core: ScheddState, unit: Ocu, claim: Claim, *, own: bool) -> JobId | None:
    """The best job of the owner that wants such a slot, or of anybody else who is willing to give way."""

    def accepts(autocluster: int) -> bool:
        job_ad, slot = core.autoclusters.representative(autocluster), claim.info.slot_ad
        if not may_start(core.quotas, core.claims, job_ad):
            return False
        if (job_ad.eval_str("Owner", "") == unit.owner) != own:
            return False
        if not job_ad.eval_bool("OCUWanted" if own else "OCUWilling", False):
            return False
        with (steps := core.budgets.of(job_ad, core.now)):
            fits = requirements_match(job_ad, slot) and requirements_match(slot, job_ad)
        return fits and not steps.used_up

    first = _submitter(core, unit)
    for submitter in sorted(core.idle.submitters(), key=lambda name: (name != first, name)):
        if not core.pace.waits(core.now, submitter):
            job = core.idle.best(submitter, accepts)
            if job is not None:
                return job
    return None


def call_back(core: ScheddState) -> None:
    """Borrowers leave when the owner has a job for the slot."""
    for unit in core.ocus.units.values():
        claim = _claim_of(core, unit)
        if claim is not None and _is_lent(core, unit, claim) and _next(core, unit, claim, own=True) is not None:
            assert claim.job is not None
            reason = "The owner of the slot has a job for it"
            core.stop_run(core.runs[claim.job], False, VacateCode.VACATED_BY_SCHEDD, reason)


def _is_lent(core: ScheddState, unit: Ocu, claim: Claim) -> bool:
    """Whether a job of another user runs on the claim of a unit, and has not been asked to leave."""
    if claim.job is None or core.runs[claim.job].stop_code:
        return False
    ad = core.jobs.job(claim.job)
    return ad is not None and ad.eval_str("Owner", "") != unit.owner
