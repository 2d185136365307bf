"""Names that nobody knows."""

from __future__ import annotations

from collections.abc import Iterator

from condor_py.config.lint.finding import Finding
from condor_py.config.lint.known import all_names, base_name, has_meaning, slot_part
from condor_py.config.lint.spelling import Speller
from condor_py.config.lint.subject import Subject, finding


def check_names(subject: Subject) -> Iterator[Finding]:
    """Settings of names that are no knobs and that no other setting refers to."""
    speller: Speller | None = None
    for macro in subject.settings:
        if macro.origin.template or has_meaning(macro.name) or _is_used(subject, macro.name):
            continue
        speller = speller or Speller(all_names().values())
        like = speller.nearest(base_name(macro.name))
        if like:
            yield finding("warning", macro, f"there is no knob of this name, did you mean {like}?")
        else:
            yield finding("note", macro, "there is no knob of this name, and no other setting refers to it")


def _is_used(subject: Subject, name: str) -> bool:
    for key in {name.lower(), base_name(name).lower(), slot_part(name).lower()}:
        if key in subject.referenced or key in subject.listed:
            return True
    padded = f"_{base_name(name).lower()}_"
    return any(f"_{word}_" in padded for word in subject.listed)
