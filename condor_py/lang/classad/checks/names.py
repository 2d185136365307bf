"""Names that are probably misspelled, and names looked for in the wrong one of two ads."""

from __future__ import annotations

from collections.abc import Iterator

from condor_py.lang.classad.checks.subject import Finding, Subject
from condor_py.lang.classad.named import named
from condor_py.lang.classad.nodes import Attr, Call
from condor_py.model.spelling import nearest

#: How alike two names are before one is offered for the other; custom resources look alike by nature.
_ALIKE = 0.8
_ALIKE_CUSTOM = 0.9
_SHORTEST = 4


def check_names(subject: Subject) -> Iterator[Finding]:
    """Attributes and functions that HTCondor does not know, where it knows one that is spelled much like them."""
    for part in subject.root.walk():
        node = part.node
        if isinstance(node, Call):
            finding = _function(subject, node.name)
            if finding:
                end = part.start + len(node.name)
                yield Finding("unknown-function", (part.start, end), *finding)
        elif isinstance(node, Attr):
            for scope, name in named(node):
                if name.lower() != node.key:
                    continue
                wrong = _scope(subject, scope, name)
                if wrong:
                    yield subject.finding("wrong-scope", part, *wrong)
                    continue
                known = _attribute(subject, name)
                if known:
                    yield subject.finding("unknown-attribute", part, f"HTCondor knows no attribute {name}", known)


def _function(subject: Subject, name: str) -> tuple[str, str] | None:
    from condor_py.lang.classad.functions import function_names

    known = function_names()
    if name.lower() in known:
        return None
    like = nearest(name, known)
    return f"there is no function {name}: error", f"did you mean {like}()?" if like else "see the manual for a list"


def _attribute(subject: Subject, name: str) -> str:
    """Return a hint with the name that was probably meant; empty when nothing is wrong."""
    from condor_py.model import attributes

    known = attributes.known()
    key = name.lower()
    if key in known or len(key) < _SHORTEST or _in_examples(subject, name):
        return ""
    names = dict(known)
    for ad in (subject.ad, subject.target):
        if ad is not None:
            names.update((binding.key, binding.name) for binding in ad.merged().values())
    like = nearest(name, names.values(), _ALIKE_CUSTOM if attributes.is_known(name) else _ALIKE)
    return f"did you mean {like}?" if like else ""


def _in_examples(subject: Subject, name: str) -> bool:
    return any(ad is not None and ad.has(name) for ad in (subject.ad, subject.target))


def _scope(subject: Subject, scope: str, name: str) -> tuple[str, str] | None:
    """Message and hint where ``MY.`` names what only the other ad has, or ``TARGET.`` what only the own one has."""
    from condor_py.model import attributes

    if not subject.owner or not scope or _in_examples(subject, name):
        return None
    job = {one.lower() for one in attributes.EVERY_JOB | attributes.JOB}
    slot = {one.lower() for one in attributes.EVERY_SLOT | attributes.MACHINE}
    sure_job = {one.lower() for one in attributes.EVERY_JOB} - slot
    sure_slot = {one.lower() for one in attributes.EVERY_SLOT} - job
    at_slot = (subject.owner == "slot") is (scope == "MY")
    key = name.lower()
    if key in (sure_job if at_slot else sure_slot):
        here, there = ("slot", "job") if at_slot else ("job", "slot")
        right = "TARGET" if scope == "MY" else "MY"
        return f"{scope}.{name} asks the {here}, but {name} is an attribute of the {there}", f"write {right}.{name}"
    return None
