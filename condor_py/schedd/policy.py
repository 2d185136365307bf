"""Policy expressions of jobs: periodic_*, on_exit_*, allowed durations, and the system's SYSTEM_PERIODIC_*."""

from __future__ import annotations

from dataclasses import dataclass

from condor_py.classad import ClassAd, Value, is_true
from condor_py.model.states import HoldCode, JobStatus

RUNNING_STATES = (JobStatus.RUNNING, JobStatus.SUSPENDED, JobStatus.TRANSFERRING_OUTPUT)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What to do with a job: ``stay``, ``hold``, ``release``, ``remove``, ``vacate`` or ``requeue``, and why."""

    action: str
    reason: str = ""
    code: int = 0
    subcode: int = 0


STAY = Verdict("stay")


@dataclass(frozen=True, slots=True)
class SystemPolicy:
    """SYSTEM_PERIODIC_* as expression text; empty means never."""

    hold: str = ""
    hold_reason: str = ""
    hold_subcode: str = ""
    release: str = ""
    remove: str = ""
    vacate: str = ""


def _true(ad: ClassAd, name: str) -> bool:
    """Whether a job expression is defined and true (numbers other than 0 count)."""
    text = ad.text(name)
    if text is None or text == "false" or text == "FALSE":
        return False
    return is_true(ad.evaluate(name))


def _job_reason(ad: ClassAd, name: str) -> str:
    return f"The job attribute {name} expression '{ad.text(name)}' evaluated to TRUE"


def _system_reason(knob: str, text: str) -> str:
    return f"The system macro {knob} expression '{text}' evaluated to TRUE"


def _system_true(ad: ClassAd, text: str) -> bool:
    return bool(text) and is_true(ad.eval_text(text))


def periodic(ad: ClassAd, system: SystemPolicy, now: int) -> Verdict:
    """The verdict of the periodic expressions at ``now``, in HTCondor's order of asking."""
    status = ad.eval_int("JobStatus", 0)
    if status in (JobStatus.REMOVED, JobStatus.COMPLETED):
        return STAY
    timer = ad.eval_int("TimerRemove", None)
    if timer is not None and timer < now:
        return Verdict("remove", _job_reason(ad, "TimerRemove"))
    if status in RUNNING_STATES:
        late = _overdue(ad, now)
        if late is not STAY:
            return late
    if status == JobStatus.HELD:
        verdict = _periodic_release(ad, system)
    else:
        verdict = _periodic_hold(ad, system)
    if verdict is not STAY:
        return verdict
    if _true(ad, "PeriodicRemove"):
        return Verdict("remove", _job_reason(ad, "PeriodicRemove"))
    if _system_true(ad, system.remove):
        return Verdict("remove", _system_reason("SYSTEM_PERIODIC_REMOVE", system.remove))
    if status in RUNNING_STATES:
        if _true(ad, "PeriodicVacate"):
            return Verdict("vacate", _job_reason(ad, "PeriodicVacate"))
        if _system_true(ad, system.vacate):
            return Verdict("vacate", _system_reason("SYSTEM_PERIODIC_VACATE", system.vacate))
    return STAY


def _periodic_hold(ad: ClassAd, system: SystemPolicy) -> Verdict:
    if _true(ad, "PeriodicHold"):
        reason = ad.eval_str("PeriodicHoldReason", None) or _job_reason(ad, "PeriodicHold")
        return Verdict("hold", reason, HoldCode.JOB_POLICY, ad.eval_int("PeriodicHoldSubCode", 0) or 0)
    if _system_true(ad, system.hold):
        given = ad.eval_text(system.hold_reason) if system.hold_reason else None
        subcode = ad.eval_text(system.hold_subcode) if system.hold_subcode else 0
        reason = given if isinstance(given, str) else _system_reason("SYSTEM_PERIODIC_HOLD", system.hold)
        return Verdict("hold", reason, HoldCode.SYSTEM_POLICY, subcode if type(subcode) is int else 0)
    return STAY


def _periodic_release(ad: ClassAd, system: SystemPolicy) -> Verdict:
    # A hold that a person asked for is ended by a person.
    if ad.eval_int("HoldReasonCode", 0) in (HoldCode.USER_REQUEST, HoldCode.SPOOLING_INPUT):
        return STAY
    if _true(ad, "PeriodicRelease"):
        return Verdict("release", _job_reason(ad, "PeriodicRelease"))
    if _system_true(ad, system.release):
        return Verdict("release", _system_reason("SYSTEM_PERIODIC_RELEASE", system.release))
    return STAY


def _overdue(ad: ClassAd, now: int) -> Verdict:
    for limit_name, since_name, word, code in (
        ("AllowedJobDuration", "JobCurrentStartDate", "job", HoldCode.JOB_DURATION_EXCEEDED),
        ("AllowedExecuteDuration", "JobCurrentStartExecutingDate", "execute", HoldCode.JOB_EXECUTE_EXCEEDED),
    ):
        limit = ad.eval_int(limit_name, None)
        since = ad.eval_int(since_name, None)
        begun = ad.eval_int("JobCurrentStartDate", 0)
        if limit is not None and since is not None and since >= begun and now - since > limit:
            return Verdict("hold", f"The job exceeded allowed {word} duration of {_clock(limit)}", code, 0)
    return STAY


def _clock(seconds: int) -> str:
    """A duration as HTCondor prints limits: ``MM:SS``, with hours and days in front when there are any."""
    days, rest = divmod(seconds, 86400)
    hours, rest = divmod(rest, 3600)
    minutes, seconds = divmod(rest, 60)
    text = f"{minutes:02d}:{seconds:02d}"
    if days:
        return f"{days}+{hours:02d}:{text}"
    return f"{hours:02d}:{text}" if hours else text


def has_periodic(ad: ClassAd) -> bool:
    """Whether a job has any periodic expression that could ever be true."""
    for name in ("PeriodicHold", "PeriodicRelease", "PeriodicRemove", "PeriodicVacate"):
        text = ad.text(name)
        if text is not None and text.lower() != "false":
            return True
    return any(ad.text(name) is not None for name in ("TimerRemove", "AllowedJobDuration", "AllowedExecuteDuration"))


def at_exit(ad: ClassAd) -> Verdict:
    """The verdict of on_exit_hold and on_exit_remove; the ad already tells how the program ended."""
    held = ad.text("OnExitHold")
    if held is not None and held.lower() != "false":
        value = ad.evaluate("OnExitHold")
        if value is Value.Undefined or value is Value.Error:
            return _undefined("OnExitHold", held)
        if is_true(value):
            reason = ad.eval_str("OnExitHoldReason", None) or _job_reason(ad, "OnExitHold")
            return Verdict("hold", reason, HoldCode.JOB_POLICY, ad.eval_int("OnExitHoldSubCode", 0) or 0)
    removed = ad.text("OnExitRemove")
    if removed is None or removed.lower() == "true":
        return Verdict("remove")
    value = ad.evaluate("OnExitRemove")
    if value is Value.Undefined or value is Value.Error:
        return _undefined("OnExitRemove", removed)
    return Verdict("remove") if is_true(value) else Verdict("requeue", _false_reason("OnExitRemove", removed))


def _undefined(name: str, text: str) -> Verdict:
    reason = f"The job attribute {name} expression '{text}' evaluated to UNDEFINED"
    return Verdict("hold", reason, HoldCode.JOB_POLICY_UNDEFINED, 0)


def _false_reason(name: str, text: str) -> str:
    return f"The job attribute {name} expression '{text}' evaluated to FALSE"
