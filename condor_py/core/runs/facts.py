"""Facts that decide the course of a run, read from its job ad once."""

from __future__ import annotations

import signal
from typing import NamedTuple

from condor_py.lang.classad import ClassAd
from condor_py.model.signals import MACHINE_EVICT, signal_of
from condor_py.model.states import OF_SCHEDD, HoldCode, Universe, VacateCode


class Refusal(Exception):
    """The time is no time, or is missed: the job is held with this code and text."""

    def __init__(self, code: HoldCode, text: str) -> None:
        super().__init__(text)
        self.code = code


class Deferral(NamedTuple):
    """The time at which a job with a deferral_time may execute.

    ``due``: Unix seconds, None for a job that has no time of its own; ``window``: so many seconds later is still in
    time.
    """

    due: int | None = None
    window: int = 0

    def wait(self, job: str, now: float) -> float:
        """Seconds until the job may execute, 0 for at once. Refusal."""
        if self.due is None:
            return 0.0
        if self.due <= 0:
            raise Refusal(HoldCode.INVALID_DEFERRAL_TIME, f"Invalid deferral time for Job {job}: '{self.due}'.")
        if now - self.due > self.window + 1:
            raise Refusal(HoldCode.MISSED_DEFERRAL_TIME, f"Job {job} missed its execution time.")
        return max(0.0, self.due - now)


#: The job does not wait.
AT_ONCE = Deferral()


def deferral_of(ad: ClassAd) -> Deferral:
    """Read DeferralTime and DeferralWindow from a job ad."""
    if ad.text("DeferralTime") is None:
        return AT_ONCE
    return Deferral(ad.eval_int("DeferralTime", 0), ad.eval_int("DeferralWindow", 0))


#: Seconds that a job of the schedd's own has when it does not say how many it wants.
PATIENCE = 30.0
_REMOVED = (int(VacateCode.REMOVED), int(VacateCode.REMOVED_WITH_OUTPUT))


class KillRules(NamedTuple):
    """The signals of a job; ``removed`` and ``held`` are those of a job that is removed or held. ``patience`` is the
    time in seconds between its signal and SIGKILL; None where another process counts it (the startd)."""

    soft: int = int(signal.SIGTERM)
    removed: int = int(signal.SIGTERM)
    held: int = int(signal.SIGTERM)
    patience: float | None = None
    #: Of a job that is removed and whose output is wanted; None for ``removed``.
    finished: int | None = None
    #: Whether a removed job, too, gets SIGKILL after ``patience``. One of the scheduler universe takes its time, as in
    #: HTCondor: condor_dagman runs the FINAL node first.
    limits_removal: bool = True

    def signal(self, code: int) -> int:
        """The signal of a soft kill for this reason, a VacateCode."""
        if code == VacateCode.REMOVED_WITH_OUTPUT and self.finished is not None:
            return self.finished
        if code in _REMOVED:
            return self.removed
        return self.held if code == VacateCode.USER_HOLD else self.soft

    def wait(self, code: int) -> float | None:
        """Return the seconds between the signal for this reason and SIGKILL; None where none are counted here."""
        return None if code in _REMOVED and not self.limits_removal else self.patience


#: A job that says nothing.
PLAIN = KillRules()
#: A virtual machine: it is switched off when it is removed or held, and shut down for its output.
_MACHINE = KillRules(MACHINE_EVICT, int(signal.SIGKILL), int(signal.SIGKILL), None, int(signal.SIGTERM))


def kill_rules(ad: ClassAd) -> KillRules:
    """Read the kill signals of a job ad. A job on a slot gets RemoveKillSig, if it has one, for whatever reason it is
    to end, and never HoldKillSig; one of the local or scheduler universe gets the signal of the reason."""
    universe = ad.eval_int("JobUniverse", 0)
    if universe == Universe.VM:
        return _MACHINE
    wanted = ad.eval_str("KillSig", None)
    removed = ad.eval_str("RemoveKillSig", None)
    if universe not in OF_SCHEDD:
        number = signal_number(removed or wanted)
        return KillRules(number, number, number)
    held = ad.eval_str("HoldKillSig", None)
    own = ad.eval_int("JobMaxVacateTime", None) or ad.eval_int("KillSigTimeout", None)
    return KillRules(
        signal_number(wanted),
        signal_number(removed or wanted),
        signal_number(held or wanted),
        float(own or PATIENCE),
        limits_removal=bool(own) or universe != Universe.SCHEDULER,
    )


def signal_number(text: str | None, default: int = int(signal.SIGTERM)) -> int:
    """A signal from its name (``SIGTERM``, ``TERM``) or number; ``default`` for one that does not exist."""
    found = signal_of(text) if text else None
    return default if found is None else found


class RunFacts(NamedTuple):
    """``job`` is its number as users know it (``cluster.proc``)."""

    job: str = ""
    deferral: Deferral = AT_ONCE
    kill: KillRules = PLAIN


def facts_of(ad: ClassAd) -> RunFacts:
    """The facts of a job ad."""
    job = f"{ad.eval_int('ClusterId', 0)}.{ad.eval_int('ProcId', 0)}"
    return RunFacts(job, deferral_of(ad), kill_rules(ad))
