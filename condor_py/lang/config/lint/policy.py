"""Policy expressions: misspelled and misplaced attributes, conditions that never hold, UNDEFINED at the wrong time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from condor_py.lang.config.lint.finding import Finding
from condor_py.lang.config.lint.known import base_name, slot_part
from condor_py.lang.config.lint.phases import AFTER_FIRST_UPDATE, USES, WHILE_CLAIMED, Use
from condor_py.lang.config.lint.subject import Subject, finding
from condor_py.lang.config.values import to_list
from condor_py.lang.macro import Macro
from condor_py.model.spelling import Speller
from condor_py.model.texts import as_integer

if TYPE_CHECKING:
    from condor_py.lang.classad import ClassAd
    from condor_py.lang.classad.checks.subject import Finding as Remark

#: What the ClassAd checks find that is worth saying of a policy expression.
_KINDS = frozenset(
    ("unknown-attribute", "unknown-function", "wrong-scope", "contradiction", "types", "quoted-name", "precedence",
     "chained", "bitwise", "undefined-comparison", "bad-pattern")
)  # fmt: skip
#: People write a && b || c on purpose.
_USUAL = "&& binds before ||"
#: Attributes that only the negotiator knows, while it matches.
_MATCHING = frozenset(
    ("remoteuserprio", "remoteuserresourcesinuse", "remotegroupresourcesinuse", "remotegroupquota", "submitteruserprio",
     "submitteruserresourcesinuse", "submittergroupresourcesinuse", "submittergroupquota", "submittergroup")
)  # fmt: skip
#: What slots tell the last change of by themselves.
_LATCHED = ("NumDynamicSlots",)
#: Knobs that ask about jobs, in which users may have attributes of their own.
_ASKED_ABOUT_JOBS = ("start", "rank", "append_requirements", "append_req_vanilla", "append_rank", "default_rank")
#: Whose value often is the name of such an attribute (WantJobRouter in HTCondor's manual).
_NAMES_OWN_ATTRIBUTES = ("job_router_source_job_constraint",)
#: STARTD_SLOT_ATTRS puts such names of one slot into all others.
_OF_SLOT = re.compile(r"slot\d+(?:_\d+)?_", re.IGNORECASE)
_RESOURCE = re.compile(r"machine_resource_(?:inventory_)?(?!names\Z)(\w+)\Z", re.IGNORECASE)
_KINDS_OF_RESOURCE = ("", "Total", "TotalSlot", "Assigned", "Detected")
_LIKE = re.compile(r"did you mean (\w+)\?")
#: Facts of the machine that configuration knows.
_FACTS = ("Arch", "OpSys", "OpSysAndVer", "OpSysMajorVer", "OpSysName", "OpSysVer")


def check_policy(subject: Subject) -> Iterator[Finding]:
    """The expressions of START, PREEMPT and their kin that parse, seen with the ads that they are asked about, and
    what can be said of all other expressions."""
    checker = _Checker(subject)
    for macro in subject.settings:
        use = use_of(macro.name)
        text = (subject.expand(macro.value) or "").strip()
        if use is not None:
            yield from checker.check(macro, use, text)
        elif text and not macro.origin.template and subject.is_expression(macro.name):
            yield from checker.check_other(macro, text)


def use_of(name: str) -> Use | None:
    """Return the use of the expression of the knob ``name``, with any prefix or suffix; None for other knobs."""
    base = (slot_part(name) or base_name(name)).lower()
    if (match := _PERIODIC.match(base)) is not None:
        return USES[match[1]]
    return USES.get(base) or USES.get(base.removesuffix("_vanilla"))


#: Further periodic expressions with a name of their own.
_PERIODIC = re.compile(
    r"(system_periodic_(?:hold|release|remove|vacate))_(?!names\Z)(?!(?:\w+_)?(?:reason|subcode)\Z)\w+\Z"
)


class _Checker:
    """The checks of one configuration; what they share is made when first needed."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject

    def check(self, macro: Macro, use: Use, text: str) -> Iterator[Finding]:
        """Yield findings about the policy expression ``text`` of a knob."""
        from condor_py.lang.classad.analyze import analyze

        remarks = analyze(text, owner=use.owner, ad=self.own_ad(use), target=self.other_ad(use))
        if any(remark.kind == "syntax" for remark in remarks):
            return
        yield from self._remarks(macro, remarks)
        yield from self._bare(macro, use, text)
        if use.owner == "slot" and not self.subject.string("STARTD_CRON_JOBLIST"):
            yield from self._unknown(macro, text)
        if (slot_part(macro.name) or base_name(macro.name)).lower() == "start":
            yield from self._start(macro, text)
        if not use.other:
            yield from _without_other(macro, use, text)
            yield from self._start_without_candidate(macro, use, text)
        elif use.undefined:
            yield from self._undefined(macro, use, text)

    def check_other(self, macro: Macro, text: str) -> Iterator[Finding]:
        """Yield findings about an expression on ads of any kind."""
        from condor_py.lang.classad.analyze import analyze

        remarks = analyze(text, ad=self.slot, target=self.job)
        if not any(remark.kind == "syntax" for remark in remarks):
            yield from self._remarks(macro, remarks)
            yield from self._bare(macro, None, text)

    def _remarks(self, macro: Macro, remarks: Iterable[Remark]) -> Iterator[Finding]:
        for remark in remarks:
            if remark.kind in _KINDS and not _is_own_name(remark) and not remark.message.startswith(_USUAL):
                yield finding("warning", macro, _said(remark))

    def _bare(self, macro: Macro, use: Use | None, text: str) -> Iterator[Finding]:
        """Words that were meant as strings, and names that no ad has."""
        from condor_py.lang.classad.bare import bare_words, unguarded

        words = list(bare_words(text, self._is_known))
        for name in words:
            near = Speller(("True", "False")).nearest(name)
            if not near and base_name(macro.name).lower() in _NAMES_OWN_ATTRIBUTES:
                continue
            meant = f", did you mean {near}?" if near else f': a string has quotation marks, "{name}"'
            macro_hint = f" ($({name}) is the macro)" if self.subject.config.raw(name) is not None else ""
            yield finding("warning", macro, f"{name} is the name of an attribute that no ad has{meant}{macro_hint}")
        if use is None or macro.origin.template or (use.owner == "slot" and self.subject.string("STARTD_CRON_JOBLIST")):
            return
        base = (slot_part(macro.name) or base_name(macro.name)).lower()
        own = base in _ASKED_ABOUT_JOBS or use.owner == "job"
        for name in unguarded(text, self._is_known):
            if name not in words:
                message = f"HTCondor knows no attribute {name}: where no ad has it, it is UNDEFINED"
                yield finding("note" if own else "warning", macro, message)
        if use.owner == "slot" and not base.startswith(("preemption_", "negotiator_")):
            yield from self._of_matching(macro, text)

    def _of_matching(self, macro: Macro, text: str) -> Iterator[Finding]:
        from condor_py.lang.classad.analyze import names

        named = names(text)
        for name in (*named.my, *named.unscoped):
            if name.lower() in _MATCHING:
                message = f"{name} is always UNDEFINED here: only the negotiator knows it (PREEMPTION_REQUIREMENTS)"
                yield finding("warning", macro, message)

    def _is_known(self, name: str) -> bool:
        from condor_py.model import attributes

        ads: tuple[ClassAd, ...] = (self.slot, self.job)
        if attributes.is_known(name) or name.lower() in _MATCHING or any(ad.has(name) for ad in ads):
            return True
        return name.lower() in self.subject.attributes or _OF_SLOT.match(name) is not None

    def _unknown(self, macro: Macro, text: str) -> Iterator[Finding]:
        """``MY.Foo`` where no slot has a Foo."""
        from condor_py.lang.classad.analyze import names
        from condor_py.model import attributes

        for name in names(text).my:
            if not (attributes.is_known(name) or self.slot.has(name) or _OF_SLOT.match(name)):
                yield finding("warning", macro, f"no slot has an attribute {name}: STARTD_ATTRS lists what slots have")

    def _start(self, macro: Macro, text: str) -> Iterator[Finding]:
        """A START that is never true of an unclaimed slot of this machine, whatever the job."""
        from condor_py.lang.classad import ClassAdError, parse
        from condor_py.lang.classad.checks.missing import Missing, results
        from condor_py.lang.classad.exprtree import ExprTree
        from condor_py.lang.classad.nodes import Literal
        from condor_py.lang.classad.unparse import value_text
        from condor_py.lang.classad.values import is_true

        tree = parse(text)
        try:
            flat = self.unclaimed.flatten(tree)
        except ClassAdError:
            return  # too deep or too long to tell
        if isinstance(flat, ExprTree):
            possible = bool(results(flat.node, Missing("", "")) & {"true", "value"})
        else:
            possible = is_true(flat)
        if not possible:
            shown = flat.text if isinstance(flat, ExprTree) else value_text(flat, old=True)
            where = "" if isinstance(tree.node, Literal) else f" (of an unclaimed slot here it is {shown})"
            yield finding("warning", macro, f"this can never be true{where}: no job will ever start")

    def _start_without_candidate(self, macro: Macro, use: Use, text: str) -> Iterator[Finding]:
        """IS_OWNER = (START == False), where START asks for the job that might come."""
        from condor_py.lang.classad import is_valid
        from condor_py.lang.classad.analyze import names, when_missing

        start = self.subject.string("START")
        if use.owner != "slot" or not is_valid(start) or "undefined" not in when_missing(text, "START"):
            return
        if any(name.lower() == "start" for name in names(text).unscoped) and names(start).target:
            asked = names(start).target[0]
            then = f", and then {use.undefined}" if use.undefined else ""
            message = f"START is UNDEFINED while there is no job to ask for TARGET.{asked}, so this is as well{then}"
            yield finding("warning", macro, f"{message}: compare with =?= or =!=")

    def _undefined(self, macro: Macro, use: Use, text: str) -> Iterator[Finding]:
        """Yield findings where UNDEFINED does harm: names that are not known in the first seconds of a job."""
        from condor_py.lang.classad.analyze import names, when_missing

        named = names(text)
        asked = (*((f"TARGET.{name}", name) for name in named.target), *((name, name) for name in named.unscoped))
        for name in (written for written, name in asked if name.lower() in AFTER_FIRST_UPDATE):
            if when_missing(text, name) & {"undefined", "error"}:
                message = f"UNDEFINED in the first seconds of a job, before {name} is known, and then {use.undefined}"
                yield finding("warning", macro, f"{message}: write ({name} ?: 0) or {name} =!= undefined && ...")

    @cached_property
    def unclaimed(self) -> ClassAd:
        """Return an ad with what is certain about an unclaimed slot of this machine."""
        from condor_py.lang.classad import ClassAd

        ad = ClassAd()
        ad.set_str("State", "Unclaimed")
        ad.set_str("Activity", "Idle")
        for name in _FACTS:
            value = self.subject.string(name)
            if value.isdecimal():
                ad.set_int(name, as_integer(value))
            elif value:
                ad.set_str(name, value)
        for name in WHILE_CLAIMED:
            ad.set_text(name, "undefined")
        return ad

    @cached_property
    def slot(self) -> ClassAd:
        """The names that slots of this configuration advertise, and those of the policy knobs, which they may."""
        from condor_py.lang.classad import ClassAd

        ad = ClassAd()
        for knob in USES:
            ad.set_text(knob, "undefined")
        for name in self.subject.listed:  # STARTD_ATTRS and its relatives
            if not ad.has(name) and name.isidentifier():
                ad.set_text(name, "undefined")
        latched = (*to_list(self.subject.string("STARTD_LATCH_EXPRS")), *_LATCHED)
        for name in latched:
            ad.set_text(f"{name}Value", "undefined")
            ad.set_text(f"{name}Time", "undefined")
        for macro in self.subject.settings:
            resource = _RESOURCE.match(base_name(macro.name))
            if resource is not None:
                ad.set_texts((f"{kind}{resource[1]}", "undefined") for kind in _KINDS_OF_RESOURCE)
        return ad

    @cached_property
    def job(self) -> ClassAd:
        """The names that the configuration puts into jobs."""
        from condor_py.lang.classad import ClassAd

        ad = ClassAd()
        for name in to_list(self.subject.string("SUBMIT_ATTRS")):
            ad.set_text(name, "undefined")
        return ad

    def own_ad(self, use: Use) -> ClassAd:
        return self.job if use.owner == "job" else self.slot

    def other_ad(self, use: Use) -> ClassAd | None:
        if not use.other:
            return None
        return self.slot if use.owner == "job" else self.job


def _is_own_name(remark: Remark) -> bool:
    """Whether a name is only like one that the administrator chose: IsDesktopJob next to STARTD_ATTRS = IsDesktop."""
    from condor_py.model import attributes

    like = _LIKE.search(remark.hint)
    return remark.kind == "unknown-attribute" and like is not None and like[1].lower() not in attributes.known()


def _said(remark: Remark) -> str:
    return f"{remark.message}: {remark.hint}" if remark.hint else remark.message


def _without_other(macro: Macro, use: Use, text: str) -> Iterator[Finding]:
    """TARGET where there is none."""
    from condor_py.lang.classad.analyze import names

    named = names(text)
    whom = "the slot" if use.owner == "slot" else "the job"
    then = f", and then {use.undefined}" if use.undefined else ""
    for name in named.target:
        message = f"TARGET.{name} is always UNDEFINED here, as {base_name(macro.name)} is asked about {whom} alone"
        yield finding("warning", macro, message + then)
