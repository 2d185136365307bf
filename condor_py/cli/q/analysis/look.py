"""The options of the command line for an analysis."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from condor_py.cli.options import Args, Use
from condor_py.model.texts import as_integer

#: Bits of the numbers after the colon (``-better-analyze:4``).
_CONDITIONS, _ALL_CONDITIONS, _EVERYTHING, _BRANCHES = 0x01, 0x02, 0x04, 0x08
_EACH_STEP, _ALWAYS, _NO_ATTRIBUTES, _INLINE, _LOW_HEADING = 0x100, 0x200, 0x400, 0x800, 0x1000
_BETTER = 0x10000
#: Words after the colon that set bits, with the fewest letters that name them.
_WORDS = (("noprune", 3, _EVERYTHING), ("slot-exprs", 4, _INLINE), ("ifthenelse", 2, _BRANCHES))


class Look(NamedTuple):
    """The options of an analysis.

    ``mode`` is "jobs", "summary" or "unmatchable"; ``reverse`` analyses the slots' requirements on jobs.
    ``priorities`` says whether user priorities count, ``verbose`` that slots are named. ``detail`` has the bits of how
    much is shown.
    """

    mode: str
    reverse: bool
    priorities: bool
    verbose: bool
    detail: int

    @property
    def steps(self) -> bool:
        """Whether every step of Requirements is counted."""
        return bool(self.detail & _EACH_STEP)

    @property
    def always(self) -> bool:
        """Whether Requirements are analysed where nothing is wrong with them."""
        return bool(self.detail & _ALWAYS)

    @property
    def attributes(self) -> bool:
        """Whether the attributes that Requirements use are listed."""
        return not self.detail & _NO_ATTRIBUTES

    @property
    def everything(self) -> bool:
        """Whether steps that decide nothing are shown."""
        return bool(self.detail & _EVERYTHING)

    @property
    def branches(self) -> bool:
        """Whether what ifThenElse() chooses from are steps."""
        return bool(self.detail & _BRANCHES)

    @property
    def inline(self) -> bool:
        """Whether Requirements themselves may be taken apart in place."""
        return bool(self.detail & _INLINE)

    @property
    def tall(self) -> bool:
        """Whether the table has a heading of two lines."""
        return not self.detail & _LOW_HEADING

    @property
    def conditions(self) -> tuple[bool, bool]:
        """Whether the condition of a joining step is written behind it: where it is far away, everywhere."""
        return bool(self.detail & _CONDITIONS), bool(self.detail & _ALL_CONDITIONS)

    def each_step(self) -> Look:
        """The same with every step counted."""
        return self._replace(detail=self.detail | _EACH_STEP)


def look(args: Args) -> Look:
    """Return the options that the command line gives; later words override earlier ones."""
    found = Look("jobs", False, False, args.has("verbose"), 0)
    for use in args.uses:
        if use.name == "better-analyze":
            found = _analyze(found, use)
        elif use.name == "reverse-analyze":
            detail = found.detail | _numbers(use.colon or "", found.detail)
            found = found._replace(reverse=True, priorities=False, detail=detail)
        elif use.name == "userprios":
            found = found._replace(priorities=True)
        elif use.name == "nouserprios":
            found = found._replace(priorities=False)
    if args.has("unmatchable"):
        found = found._replace(mode="unmatchable")
    return found


def _analyze(found: Look, use: Use) -> Look:
    if use.spelling.lstrip("-").startswith("b"):
        found = found._replace(detail=found.detail | _BETTER | _EACH_STEP | _ALWAYS)
    for word in _words(use.colon or ""):
        if "summary".startswith(word):
            found = found._replace(mode="summary", priorities=False)
        elif "reverse".startswith(word):
            found = found._replace(reverse=True, priorities=False)
        elif "priority".startswith(word) and len(word) > 1:
            found = found._replace(priorities=True)
        else:
            bit = next((bit for name, least, bit in _WORDS if name.startswith(word) and len(word) >= least), None)
            detail = _numbers(word, found.detail) if bit is None else found.detail | bit
            found = found._replace(detail=detail)
    return found


#: Words that only those who build HTCondor have a use for; "memory" takes the next word with it.
_NOT_OURS = (("diagnostic", 4), ("show-work", 4))


def _words(text: str) -> Iterator[str]:
    words = iter([word.strip() for word in re.split("[,:]", text) if word.strip()])
    for word in words:
        if "memory".startswith(word) and len(word) > 2:
            next(words, None)
        elif not any(name.startswith(word) and len(word) >= least for name, least in _NOT_OURS):
            yield word


def _numbers(text: str, before: int) -> int:
    """The bits of ``4+8``, added to those of ``before``; 0 where there are none."""
    bits = 0
    for part in re.split("[,+]", text):
        digits = re.sub("[^0-9]", "", part)
        bits |= as_integer(digits or "0") & 0x7FFFFFFF
    return before | bits if bits else 0
