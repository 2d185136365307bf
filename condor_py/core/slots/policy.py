"""The policy knobs of a slot, ready to be asked many times: what is constant costs no evaluation."""

from __future__ import annotations

import re
from collections.abc import Callable

from condor_py.core.slots import expressions
from condor_py.lang.classad import ClassAd, Value, finite, is_valid
from condor_py.lang.classad.allowance import Allowance, exhausted
from condor_py.model.errors import ConfigError
from condor_py.model.settings.shared import POLICY_KNOBS
from condor_py.model.settings.startd import SlotPolicy, StartdSettings
from condor_py.model.states import Universe

_WORDS = re.compile(r"[A-Za-z_]+")
_CONSTANT_WORDS = frozenset(("true", "false", "undefined"))

#: Knobs in capitals, and the fields of SlotPolicy that hold them.
KNOBS = {name.upper(): field for name, field in POLICY_KNOBS.items()}
#: Knobs that protect the machine from a job: a job whose expressions cost more than its owner may spend is judged by
#: what they say without it, so that no job keeps a slot that way. The others count as undefined.
_PROTECTS = frozenset(("IS_OWNER", "WANT_SUSPEND", "SUSPEND", "CONTINUE", "PREEMPT", "KILL", "EVICT_BACKFILL"))
_STEPS_WITHOUT_JOB = 100_000
#: What a knob is called as an attribute, where that is another name.
_ATTRIBUTES = {"IS_OWNER": "IsOwner"}


class View:
    """The two ads of an evaluation; the slot's is only built when an expression needs it."""

    __slots__ = ("_ad", "_make", "job")

    def __init__(self, make: Callable[[], ClassAd], job: ClassAd | None = None) -> None:
        self._make = make
        self._ad: ClassAd | None = None
        self.job = job

    @property
    def slot(self) -> ClassAd:
        """The slot's ad as it is now."""
        if self._ad is None:
            self._ad = self._make()
        return self._ad


#: For what looks at no ad (``Policy.settled``).
NOBODY = View(ClassAd)


class Policy:
    """Answers of the policy expressions. ``settings`` are the texts they were made of, ``backdrop`` is an ad of them:
    expressions name one another (PREEMPT = ... SUSPEND && (WANT_SUSPEND == False))."""

    __slots__ = ("_constants", "_texts", "_vanilla", "backdrop", "needs_polls", "settings")

    def __init__(self, settings: SlotPolicy) -> None:
        self.settings = settings
        self._texts: dict[str, str] = {knob: getattr(settings, field) for knob, field in KNOBS.items()}
        self._vanilla = {name.upper(): text for name, text in settings.vanilla}
        for knob, text in (*self._texts.items(), *self._vanilla.items()):
            if text and not is_valid(text):
                raise ConfigError(f"{knob} is not a valid expression: {text}", knob)
        #: Whether it may change its mind without any event: then time has to be looked at.
        self.needs_polls = _changes_with_time(settings)
        self._constants = {knob: expressions.constant(t) for knob, t in self._texts.items() if is_constant(t)}
        named = ((_ATTRIBUTES.get(knob, knob), text) for knob, text in self._texts.items())
        vanilla = ((f"{knob}_VANILLA", text) for knob, text in self._vanilla.items())
        self.backdrop = ClassAd.from_text_items((name, text) for name, text in (*named, *vanilla) if text)

    def text(self, knob: str) -> str:
        """The knob's expression; empty when not defined."""
        return self._texts[knob]

    def value(self, knob: str, view: View) -> object:
        """The value of a knob: its _VANILLA form first for a vanilla job, if that is defined and evaluates."""
        if not self._vanilla and knob in self._constants:
            return self._constants[knob]
        if self._vanilla and knob in self._vanilla and _is_vanilla(view):
            found = expressions.evaluate(self._vanilla[knob], view.slot, view.job)
            if not isinstance(found, Value):
                return found
        if knob in self._constants:
            return self._constants[knob]
        found = expressions.evaluate(self._texts[knob], view.slot, view.job)
        if knob in _PROTECTS and view.job is not None and exhausted():
            with Allowance(_STEPS_WITHOUT_JOB):
                return expressions.evaluate(self._texts[knob], view.slot, None)
        return found

    def settled(self, knob: str) -> bool:
        """Whether a knob says the same of every slot and job: then it may be asked without a view."""
        return knob in self._constants and knob not in self._vanilla

    def truth(self, knob: str, view: View) -> bool | None:
        """The knob as a condition; None when it is undefined or no condition."""
        return expressions.as_bool(self.value(knob, view))

    def is_true(self, knob: str, view: View) -> bool:
        """True when the knob is true (undefined counts as false)."""
        return self.truth(knob, view) is True

    def is_never(self, knob: str) -> bool:
        """True when the knob is not set, or is a constant that is not true."""
        if not self._texts[knob]:
            return True
        return knob in self._constants and not expressions.as_bool(self._constants[knob])

    def number(self, knob: str, view: View) -> float | None:
        """The knob as a number; None when it is not one."""
        return finite(self.value(knob, view))


#: Knobs that every poll asks.
_POLLED = ("IS_OWNER", "WANT_SUSPEND", "SUSPEND", "PREEMPT", "RUNBENCHMARKS", "START_BACKFILL", "EVICT_BACKFILL")


def check_policies(settings: StartdSettings) -> None:
    """ConfigError (with the knob) when an expression of some policy cannot be read."""
    for policy in {*(slot_type.policy for slot_type in settings.types), *(policy for _, policy in settings.overrides)}:
        Policy(policy)


def needs_polls(settings: StartdSettings) -> bool:
    """Whether the policy of some slot may change its mind without any event: then time has to be looked at."""
    policies = [slot_type.policy for slot_type in settings.types] + [policy for _, policy in settings.overrides]
    return any(_changes_with_time(policy) for policy in policies)


def _changes_with_time(policy: SlotPolicy) -> bool:
    texts = (*(getattr(policy, KNOBS[knob]) for knob in _POLLED), *(text for _, text in policy.vanilla))
    return not all(is_constant(text) for text in texts)


def is_constant(text: str) -> bool:
    """True for an expression that mentions no attribute and no function: its value never changes."""
    return all(word.lower() in _CONSTANT_WORDS for word in _WORDS.findall(text))


def _is_vanilla(view: View) -> bool:
    if view.job is None:
        return False
    universe = expressions.number(view.job, "JobUniverse", None)
    return universe is None or int(universe) == Universe.VANILLA
