"""Policy expressions of jobs: periodic_*, on_exit_*, allowed durations, and the system's SYSTEM_PERIODIC_*."""

from __future__ import annotations

from typing import NamedTuple

from condor_py.core.jobs.jobad import status_of
from condor_py.lang.classad import ClassAd, ClassAdParseError, is_true
from condor_py.model.settings.schedd import PolicyRule, SystemPolicy
from condor_py.model.states import HoldCode, JobStatus, VacateCode

RUNNING_STATES = (JobStatus.RUNNING, JobStatus.SUSPENDED, JobStatus.TRANSFERRING_OUTPUT)


class Verdict(NamedTuple):
    """Decision about a job: ``stay``, ``hold``, ``release``, ``remove``, ``vacate`` or ``requeue``, and the reason."""

    action: str
    reason: str = ""
    code: int = 0
    subcode: int = 0


STAY = Verdict("stay")
#: Action -> job attribute, hold or vacate code of the job's own expression, and of the system's.
_PERIODIC: dict[str, tuple[str, int, int]] = {
    "vacate": ("PeriodicVacate", VacateCode.JOB_POLICY, VacateCode.SYSTEM_POLICY),
    "hold": ("PeriodicHold", HoldCode.JOB_POLICY, HoldCode.SYSTEM_POLICY),
    "release": ("PeriodicRelease", 0, 0),
    "remove": ("PeriodicRemove", 0, 0),
}


def _true(ad: ClassAd, name: str) -> bool:
    """Whether a job expression is defined and true (numbers other than 0 count)."""
    return is_true(ad.evaluate(name))


def _own_reason(ad: ClassAd, name: str) -> str:
    """Value of ``<name>Reason``, or the expression that became true."""
    given = ad.eval_str(f"{name}Reason", None)
    return given or f"The job attribute {name} expression '{ad.text(name)}' evaluated to TRUE"


def _judge(ad: ClassAd, action: str, rules: tuple[PolicyRule, ...]) -> Verdict:
    """The job's periodic expression for an action, then the system's."""
    name, own_code, system_code = _PERIODIC[action]
    if _true(ad, name):
        return Verdict(action, _own_reason(ad, name), int(own_code), ad.eval_int(f"{name}SubCode", 0))
    for rule in rules:
        if _value(ad, rule.expression, False):
            reason = _value(ad, rule.reason, None)
            if not isinstance(reason, str) or not reason:
                reason = f"The system macro {rule.macro} expression '{rule.expression}' evaluated to TRUE"
            subcode = _value(ad, rule.subcode, 0)
            return Verdict(action, reason, int(system_code), subcode if type(subcode) is int else 0)
    return STAY


def _value(ad: ClassAd, text: str, default: object) -> object:
    """A system expression for a job; for conditions (``default`` False) whether it is true."""
    if not text:
        return default
    try:
        value = ad.eval_text(text)
    except ClassAdParseError:
        return default
    return is_true(value) if default is False else value


def periodic(ad: ClassAd, system: SystemPolicy, now: int) -> Verdict:
    """The verdict of the periodic expressions at ``now``, in HTCondor's order of asking.

    An expression that is UNDEFINED does nothing. TimerRemove is the exception: it holds the job and is named.
    """
    status = status_of(ad)
    if status == JobStatus.REMOVED:
        return STAY
    if status in RUNNING_STATES:
        late = _overdue(ad, now)
        if late is not STAY:
            return late
        verdict = _judge(ad, "vacate", system.vacate)
        if verdict is not STAY:
            return verdict
    return _timed(ad, system, status, now)


def _timed(ad: ClassAd, system: SystemPolicy, status: int, now: int) -> Verdict:
    """TimerRemove and the periodic expressions for any status but those of a run."""
    timer = _timer(ad, now)
    if timer is not STAY:
        return timer
    asked: list[tuple[str, tuple[PolicyRule, ...]]] = []
    if status == JobStatus.HELD:
        if _may_be_released(ad, system):
            asked.append(("release", system.release))
    elif status != JobStatus.COMPLETED:
        asked.append(("hold", system.hold))
    asked.append(("remove", system.remove))
    for action, rules in asked:
        verdict = _judge(ad, action, rules)
        if verdict is not STAY:
            return verdict
    return STAY


def _timer(ad: ClassAd, now: int) -> Verdict:
    """TimerRemove: Unix seconds after which the job goes."""
    text = ad.text("TimerRemove")
    if text is None:
        return STAY
    due = ad.evaluate("TimerRemove")
    if type(due) is not int and type(due) is not float:
        return _undefined("TimerRemove", text)
    if 0 <= due < now:
        return Verdict("remove", f"The job attribute TimerRemove expression '{text}' evaluated to TRUE")
    return STAY


def _may_be_released(ad: ClassAd, system: SystemPolicy) -> bool:
    """A hold that a person asked for is ended by a person, one that waits for its input by the input."""
    if ad.eval_int("HoldReasonCode", 0) in (HoldCode.USER_REQUEST, HoldCode.SPOOLING_INPUT):
        return False
    return system.max_releases < 0 or ad.eval_int("NumHolds", 0) < system.max_releases


def _overdue(ad: ClassAd, now: int) -> Verdict:
    """allowed_job_duration counts from the start of the run, allowed_execute_duration from that of the program."""
    born = ad.eval_int("ShadowBday", None)
    if born is None:
        return STAY
    limit = ad.eval_int("AllowedJobDuration", None)
    if limit is not None and now - born >= limit:
        return _too_long("job", limit, HoldCode.JOB_DURATION_EXCEEDED)
    limit = ad.eval_int("AllowedExecuteDuration", None)
    begun = ad.eval_int("JobCurrentStartExecutingDate", None)
    if limit is not None and begun is not None and begun >= born:
        begun = max(begun, ad.eval_int("LastCkptTime", begun) or begun)
        if now - begun > limit:
            return _too_long("execute", limit, HoldCode.JOB_EXECUTE_EXCEEDED)
    return STAY


def _too_long(word: str, limit: int, code: HoldCode) -> Verdict:
    return Verdict("hold", f"The job exceeded allowed {word} duration of {_clock(limit)}", int(code), 0)


def _clock(seconds: int) -> str:
    """A duration as HTCondor prints limits: ``MM:SS``, with hours and days in front when there are any."""
    days, rest = divmod(seconds, 86400)
    hours, rest = divmod(rest, 3600)
    minutes, seconds = divmod(rest, 60)
    text = f"{minutes:02d}:{seconds:02d}"
    if days:
        return f"{days}+{hours:02d}:{text}"
    return f"{hours:02d}:{text}" if hours else text


_EXPRESSIONS = ("PeriodicHold", "PeriodicRelease", "PeriodicRemove", "PeriodicVacate")
_TIMES = ("TimerRemove", "AllowedJobDuration", "AllowedExecuteDuration")
#: The attributes, in lower case, for which a job is looked at from time to time.
PERIODIC = frozenset(name.lower() for name in (*_EXPRESSIONS, *_TIMES))


def has_periodic(ad: ClassAd) -> bool:
    """Whether a job has any periodic expression that could ever be true."""
    for name in _EXPRESSIONS:
        text = ad.text(name)
        if text is not None and text.lower() != "false":
            return True
    return any(ad.text(name) is not None for name in _TIMES)


def at_exit(ad: ClassAd, system: SystemPolicy, now: int) -> Verdict:
    """The verdict of the periodic expressions, then of on_exit_hold and on_exit_remove; the ad already tells how the
    program ended (user_job_policy.cpp).

    An OnExitHold that is UNDEFINED does not hold; anything but false in OnExitRemove lets the job go. ``remove``
    with a reason is a removal by a periodic expression, without one the job completes. Vacating is out of the question.
    """
    verdict = _overdue(ad, now)
    if verdict is STAY:
        verdict = _timed(ad, system, JobStatus.RUNNING, now)
    return _on_exit(ad) if verdict is STAY else verdict


def _on_exit(ad: ClassAd) -> Verdict:
    if _true(ad, "OnExitHold"):
        subcode = ad.eval_int("OnExitHoldSubCode", 0)
        return Verdict("hold", _own_reason(ad, "OnExitHold"), HoldCode.JOB_POLICY, subcode)
    value = ad.evaluate("OnExitRemove")
    if type(value) in (bool, int, float) and not value:
        text = ad.text("OnExitRemove")
        return Verdict("requeue", f"The job attribute OnExitRemove expression '{text}' evaluated to FALSE")
    return Verdict("remove")


def _undefined(name: str, text: str) -> Verdict:
    reason = f"The job attribute {name} expression '{text}' evaluated to UNDEFINED"
    return Verdict("hold", reason, HoldCode.JOB_POLICY_UNDEFINED, 0)
