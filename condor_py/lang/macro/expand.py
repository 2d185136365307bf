"""Expanding ``$(X)`` and its relatives, as text: the leftmost reference is replaced and the text is read again.

Reading again (and not recursing) is what makes ``$($(X))`` and ``$(FILE_$(Process))`` work.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from condor_py.lang.macro.errors import MacroError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Mapping

    from condor_py.lang.macro.evaluate import Evaluator


#: Gives the unexpanded text of a macro, None when it is not defined.
Lookup = Callable[[str], "str | None"]
#: Called with n > 0, gives an integer from 0 to n - 1.
RandomBelow = Callable[[int], int]

MAX_DEPTH = 100
MAX_LENGTH = 1024 * 1024
MAX_STEPS = 20_000
#: Characters that are read again because a "$(" in front of them has no end yet.
MAX_WORK = 4 * MAX_LENGTH
#: What ``trace`` adds to its names when the text draws random numbers.
RANDOM = "$random"


class Expander:
    """One expansion context: where names come from, the environment, randomness, the ClassAd evaluator,
    the directory.

    ``env`` serves ``$ENV()`` (nothing is defined when it is None), ``random_below`` serves
    ``$RANDOM_CHOICE`` and ``$RANDOM_INTEGER`` (a fresh generator seeded by the operating system when
    None), ``evaluate`` serves ``$INT``, ``$REAL``, ``$STRING`` and ``$EVAL`` on anything but plain
    literals (the ClassAd language when None), ``directory`` serves ``$Ff()``.
    """

    __slots__ = ("_evaluate", "_random_below", "depth", "directory", "draws", "env", "lookup")

    def __init__(
        self,
        lookup: Lookup,
        *,
        env: Mapping[str, str] | None = None,
        random_below: RandomBelow | None = None,
        evaluate: Evaluator | None = None,
        directory: str = "",
    ) -> None:
        self.lookup = lookup
        self.env: Mapping[str, str] = {} if env is None else env
        self._random_below = random_below
        self._evaluate = evaluate
        self.directory = directory
        self.depth = 0
        self.draws = 0

    def expand(self, text: str) -> str:
        """``text`` with every reference replaced; MacroError when that never ends or an argument is wrong."""
        return replace_dollar(self.expand_keeping_dollar(text)) if "$" in text else text

    def expand_keeping_dollar(self, text: str) -> str:
        """Like expand, but ``$(DOLLAR)`` stays for a later expansion."""
        return _Expansion(self, text).run()

    def argument(self, name: str) -> str:
        """A function's argument: the expanded value of the macro ``name``, else ``name`` itself expanded."""
        value = self.lookup(name)
        return self.nested(name if value is None else value)

    def nested(self, text: str) -> str:
        """Expand ``text`` inside a function; MacroError when functions call each other endlessly."""
        if "$" not in text:
            return text
        if self.depth >= MAX_DEPTH:
            raise MacroError(f"macro functions nest deeper than {MAX_DEPTH} in {text[:60]!r}")
        self.depth += 1
        try:
            return self.expand(text)
        finally:
            self.depth -= 1

    def random_below(self, count: int) -> int:
        """A random integer from 0 to count - 1."""
        if self._random_below is None:
            from random import SystemRandom

            self._random_below = SystemRandom().randrange
        self.draws += 1
        return self._random_below(count)

    @property
    def evaluate(self) -> Evaluator:
        """The ClassAd evaluator of this context, loaded when first needed."""
        if self._evaluate is None:
            from condor_py.lang.macro.evaluate import classad_evaluate

            self._evaluate = classad_evaluate
        return self._evaluate

    def _value(self, found: Reference) -> str:
        if not found.function:
            return self.lookup(found.body) or found.default or ""
        if found.function == "ENV":
            value = self.env.get(found.body)
            if value is not None:
                return value
            return "UNDEFINED" if found.default is None else found.default
        from condor_py.lang.macro.functions import call

        return call(self, found.function, found.body)


class _Region:
    """The part of a text that has replaced the reference to the macro ``name``; ``tail`` characters follow it.

    ``value`` is the text of the macro, "" where its expansion is not kept. ``pieces`` and ``draws`` are the numbers of
    finished pieces and of random numbers drawn when it was put there.
    """

    __slots__ = ("draws", "name", "pieces", "tail", "value")

    def __init__(self, name: str, tail: int) -> None:
        self.name = name
        self.tail = tail
        self.value = ""
        self.pieces = self.draws = 0


class _Expansion:
    """One text while its references are replaced, the leftmost first."""

    __slots__ = ("begin", "done", "expander", "known", "length", "regions", "steps", "text", "work")

    def __init__(self, expander: Expander, text: str) -> None:
        self.expander = expander
        self.text = text
        #: Nothing in front of this place of ``text`` changes any more: it is in ``done``, of ``length`` characters.
        #: So a step costs no more in a long text.
        self.begin = 0
        self.done: list[str] = []
        self.length = 0
        #: What the next reference came from, innermost last.
        self.regions: list[_Region] = []
        #: Expansions by the text of the macro, so that macros that double each other cost as much as their text.
        self.known: dict[str, str] = {}
        self.steps = self.work = 0

    def run(self) -> str:
        """Replace references until there are none."""
        while (found := find_reference(self.text, self.begin)) is not None:
            self._enter(found)
            self._check_limits()
            self._replace(found)
        return "".join(self.done) + self.text[self.begin :]

    def _enter(self, found: Reference) -> None:
        """Leave the regions that the reference is not in, and open one for it."""
        tail = len(self.text) - found.end
        while self.regions:
            end = len(self.text) - self.regions[-1].tail
            if found.start < end and found.end <= end:
                break
            self._keep(self.regions.pop(), end, found)
        self.regions.append(_Region(f"${found.function}" if found.function else found.body, tail))

    def _keep(self, region: _Region, end: int, found: Reference) -> None:
        """Keep the expansion of a region if nothing around it has a part in it: the reference ``found`` begins behind
        it, it holds no beginning of one, and no random number was drawn for it."""
        if not region.value or found.start < end or self.expander.draws != region.draws:
            return
        rest = self.text[self.begin : end]
        if "$" not in rest:
            self.known[region.value] = "".join(self.done[region.pieces :]) + rest

    def _check_limits(self) -> None:
        self.steps += 1
        length = self.length + len(self.text) - self.begin
        if len(self.regions) > MAX_DEPTH or length > MAX_LENGTH or self.steps > MAX_STEPS:
            raise MacroError(_endless([region.name for region in self.regions]))
        if self.work > MAX_WORK:
            raise MacroError(f"too many macros are behind what has no end: {self.text[self.begin : self.begin + 60]!r}")

    def _replace(self, found: Reference) -> None:
        """Put the value in place of the reference, and begin where the next one may begin: at a "$(" further left that
        may become complete with the value, else at the value."""
        left = self.text[self.begin : found.start]
        value = self.expander._value(found)
        at = _first_opening(left)
        if at < len(left):
            self.work += len(self.text)
        self.done.append(left[:at])
        self.length += at
        left = left[at:]
        if not left and "$" not in value:
            self.done.append(value)
            self.length += len(value)
            self.begin = found.end
            return
        if not left and not found.function:
            region = self.regions[-1]
            region.value, region.pieces, region.draws = value, len(self.done), self.expander.draws
            value = self.known.get(value, value)
        self.text = left + value + self.text[found.end :]
        self.begin = 0


def _endless(names: list[str]) -> str:
    last = names[-1]
    chain = names[names.index(last) :]
    if len(chain) > 1:
        chain = chain[: chain.index(last, 1) + 1]
        return f"macro {last} contains itself: " + " -> ".join(chain)
    return f"macro {last} does not come to an end: more than {MAX_STEPS} steps or {MAX_LENGTH} characters"


def expand(
    text: str,
    lookup: Lookup,
    *,
    env: Mapping[str, str] | None = None,
    random_below: RandomBelow | None = None,
    directory: str = "",
) -> str:
    """``text`` with every reference replaced, an undefined one by nothing; arguments as of Expander."""
    if "$" not in text:
        return text
    return Expander(lookup, env=env, random_below=random_below, directory=directory).expand(text)


def trace(text: str, expander: Expander) -> tuple[str, frozenset[str]]:
    """The expansion of ``text``, and the lower-case names that it read on the way (also those not defined).

    The result is a function of these names: as long as none of them changes, neither does the expansion.
    The name ``$random`` (RANDOM) is a random draw.
    """
    if "$" not in text:
        return text, frozenset()
    names: set[str] = set()
    inner = expander.lookup

    def lookup(name: str) -> str | None:
        names.add(name.lower())
        return inner(name)

    def random_below(count: int) -> int:
        names.add(RANDOM)
        return expander.random_below(count)

    recorder = Expander(
        lookup,
        env=expander.env,
        random_below=random_below,
        evaluate=expander._evaluate,
        directory=expander.directory,
    )
    return recorder.expand(text), frozenset(names)


def references(text: str, lookup: Lookup) -> frozenset[str]:
    """The lower-case names that an expansion of ``text`` reads, through other macros too; see ``trace``."""
    return trace(text, Expander(lookup))[1]


def expand_self(
    text: str,
    name: str,
    lookup: Lookup,
    *,
    prefixes: tuple[str, ...] = (),
    env: Mapping[str, str] | None = None,
) -> str:
    """``text`` with only the references to ``name`` replaced, by its current value.

    This is what an assignment does, so that ``A = $(A) more`` appends. With ``prefixes`` (local name,
    subsystem) a setting of ``SCHEDD.A`` also replaces ``$(A)``. The argument of ``$F(A)`` is expanded, with
    ``env`` for its ``$ENV()``.
    """
    if "$" not in text:
        return text
    own = _own_names(name, prefixes)
    expander = Expander(lookup, env=env)
    assigned = _Assigned(name, text)
    start = 0
    last = _last_own(text, own)
    while start <= last and (found := find_reference(assigned.text, start)) is not None:
        if not _is_own(found, own):
            start = assigned.pass_over(found)
            continue
        value = expander._value(found)
        if _has_own(value, own):
            raise MacroError(f"macro {name} contains itself")
        before = len(assigned.text)
        start = assigned.replace(found, value)
        last = last + len(assigned.text) - before if last >= found.end else _last_own(assigned.text, own)
    return assigned.text


class _Assigned:
    """The text of an assignment to the macro ``name``, while references to this name are replaced in it."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text
        #: Nothing that lies in front of it changes any more.
        self.begin = 0
        #: Where references to other macros are; one to this macro may be in the default of one.
        self.others: list[tuple[int, int]] = []
        self.steps = self.work = 0

    def pass_over(self, found: Reference) -> int:
        """Leave a reference to another macro as it is, and return where to go on: inside it, but for ``$ENV()``."""
        self.others.append((found.start, found.end))
        return found.end if found.function == "ENV" else found.start + 1

    def replace(self, found: Reference, value: str) -> int:
        """Put a value in place of a reference, and return where to go on. It stays where another reference around it
        would end elsewhere with this value, or be none any more."""
        around = [(start, end) for start, end in self.others if found.start < end]
        changed = self.text[: found.start] + value + self.text[found.end :]
        longer = len(changed) - len(self.text)
        self.steps += 1
        self._count_work(sum([end - start for start, end in around]))
        if self.steps > MAX_STEPS or len(changed) > MAX_LENGTH:
            raise MacroError(f"macro {self.name} contains itself")
        if not all(_is_reference(changed, start, end + longer) for start, end in around):
            return found.end
        # The text around may have become a reference to the same name: $(A$(B)).
        self.begin += _first_opening(self.text[self.begin : found.start])
        self._count_work(len(changed) if self.begin < found.start else 0)
        self.others = [(start, end) for start, end in self.others if start < self.begin < end]
        self.text = changed
        return self.begin

    def _count_work(self, characters: int) -> None:
        self.work += characters
        if self.work > MAX_WORK:
            raise MacroError(f"macro {self.name} is too often behind what has no end in its own value")


def _own_names(name: str, prefixes: tuple[str, ...]) -> set[str]:
    """Return what an assignment to ``name`` calls itself, in lower case."""
    own = {name.lower()}
    for prefix in prefixes:
        if prefix and name.lower().startswith(prefix.lower() + ".") and len(name) > len(prefix) + 1:
            own.add(name[len(prefix) + 1 :].lower())
            break
    return own


def _is_own(found: Reference, own: set[str]) -> bool:
    """Whether a reference is to one of these names, in lower case."""
    return found.body.lower() in own and (not found.function or found.function[0] == "F")


def _last_own(text: str, own: set[str]) -> int:
    """Return a place such that no reference to one of these names begins behind it, -1 where there is none at all."""
    lower = text.lower()
    if len(lower) != len(text):
        return len(text)
    return max(lower.rfind(f"({name}{end}") for name in own for end in ":)")


def _has_own(value: str, own: set[str]) -> bool:
    """Whether a value refers to one of these names, and would be put into itself again and again."""
    start = 0
    last = _last_own(value, own)
    while start <= last and (found := find_reference(value, start)) is not None:
        if _is_own(found, own):
            return True
        start = found.start + 1
    return False


def _is_reference(text: str, start: int, end: int) -> bool:
    """Whether ``text[start:end]`` is a reference."""
    found = find_reference(text, start)
    return found is not None and (found.start, found.end) == (start, end)


_NAME = r"[A-Za-z0-9_./]*"
FUNCTIONS = (
    *("RANDOM_CHOICE", "RANDOM_INTEGER", "CHOICE", "SUBSTR", "INT", "REAL", "STRING", "EVAL"),
    *("BASENAME", "DIRNAME"),
)
_FUNCTION = rf"(?:{'|'.join(FUNCTIONS)}|F[pnxdqabfwuPNXDQABFWU]*)"


@cache
def _beginning() -> re.Pattern[str]:
    """Return the pattern of what a reference begins with, all but its default or argument, and of ``$$``."""
    import re

    return re.compile(
        rf"\$(?:(?P<pair>\$[A-Za-z0-9_]*)|(?P<env>ENV)?\((?P<name>{_NAME})(?P<stop>[:)])"
        rf"|(?P<function>{_FUNCTION})(?P<argument>\())"
    )


@cache
def _opening() -> re.Pattern[str]:
    """Return the pattern of the same, and of the first characters of it alone."""
    import re

    return re.compile(
        rf"\$(?:(?P<pair>\$[A-Za-z0-9_]*)|(?P<env>ENV)?\({_NAME}(?P<stop>[:)])?|{_FUNCTION}(?P<argument>\()|[A-Za-z0-9_]*)"
    )


@cache
def _part_of_default() -> re.Pattern[str]:
    import re

    return re.compile(r"[A-Za-z0-9_./$ ,\\:]*")


def _end(text: str, begun: re.Match[str], known: dict[int, tuple[int, bool]]) -> tuple[int, bool]:
    """Return the place behind what begins so, and True; the place of what is in the way, or of the text's end, and
    False where it is no whole reference.

    ``known`` has what was found for defaults in this text: many beginnings in it are no more work than one.
    """
    place = begun.end()
    if begun["argument"]:
        closing = text.find(")", place)
        return (len(text), False) if closing < 0 else (closing + 1, True)
    if begun["stop"] == ":":
        return _end_of_default(text, place, known)
    return place, begun["stop"] is not None


def _end_of_default(text: str, at: int, known: dict[int, tuple[int, bool]]) -> tuple[int, bool]:
    """Return the same for the default that begins at ``at``."""
    places = []
    end = known.get(at)
    while end is None:
        places.append(at)
        part = _part_of_default().match(text, at)
        stop = at if part is None else part.end()
        if text.startswith(")", stop):
            end = stop + 1, True
        elif not text.startswith("(", stop):
            end = stop, False
        elif (closing := text.find(")", stop)) < 0:
            end = len(text), False
        else:  # what is in parentheses belongs to it, whatever it is
            at = closing + 1
            end = known.get(at)
    known.update(dict.fromkeys(places, end))
    return end


def _first_opening(text: str, inside: bool = True) -> int:
    """Return the place in ``text`` of what may become a reference with other text behind it; its length if nowhere.

    ``inside``: also what is inside of references that are complete, but for ``$ENV()``.
    """
    if "$" not in text:
        return len(text)
    begun: list[tuple[int, int]] = []
    known: dict[int, tuple[int, bool]] = {}
    at = 0
    while (match := _opening().search(text, at)) is not None:
        start, at = match.span()
        if match["pair"]:
            continue
        end, complete = _end(text, match, known)
        begun.append((start, end))
        at = end if complete and (match["env"] or not inside) else start + 1
    first = len(text)
    for start, end in reversed(begun):  # what is there from the first on may change: what reaches it may, too
        if end >= first:
            first = start
    return first


class Reference:
    """One reference ``text[start:end]``.

    ``function`` is "" for ``$(NAME)``, else the word between ``$`` and ``(``. For "" and ENV ``body`` is
    the name and ``default`` the text after the colon (None without a colon); for the others ``body`` is
    the whole argument text.
    """

    __slots__ = ("body", "default", "end", "function", "start")

    def __init__(self, start: int, end: int, function: str, body: str, default: str | None) -> None:
        self.start = start
        self.end = end
        self.function = function
        self.body = body
        self.default = default


def find_reference(text: str, start: int = 0) -> Reference | None:
    """The first reference in ``text`` from ``start`` on but for ``$(DOLLAR)``; None without one."""
    start = text.find("$", start)
    if start < 0 or text.find("(", start) < 0:
        return None
    if text.startswith("(", start + 1):
        end = text.find(")", start + 2)
        name = text[start + 2 : max(end, 0)]
        if name.isidentifier() and name.isascii() and name.upper() != "DOLLAR":
            return Reference(start, end + 1, "", name, None)  # what nearly all are, without a pattern
    while (found := _next_reference(text, start)) is not None and _is_dollar(found):
        start = found.end
    return found


def _is_dollar(found: Reference) -> bool:
    return found.body.upper() == "DOLLAR" and found.default is None and not found.function


def _next_reference(text: str, start: int) -> Reference | None:
    """The first reference in ``text`` from ``start`` on, also ``$(DOLLAR)``."""
    known: dict[int, tuple[int, bool]] = {}
    while (match := _beginning().search(text, start)) is not None:
        start, behind = match.span()
        if match["pair"]:
            start = behind
            continue
        end, complete = _end(text, match, known)
        if not complete:
            start += 1
            continue
        if match["argument"]:
            return Reference(start, end, match["function"], text[behind : end - 1], None)
        default = text[behind : end - 1] if match["stop"] == ":" else None
        return Reference(start, end, match["env"] or "", match["name"], default)
    return None


def replace_dollar(text: str) -> str:
    """``text`` with ``$(DOLLAR)`` turned into ``$`` (the last step of an expansion).

    One at a time, reading again: the second of ``$(DOLLAR)$(DOLLAR)`` stays, as ``$$(`` is not ours. MacroError when
    that is too much work.
    """
    begin = start = work = 0
    while "$(" in text and (found := _next_reference(text, start)) is not None:
        begin += _first_opening(text[begin : found.start], inside=False)
        work += len(text) if begin < found.start else 0
        if work > MAX_WORK:
            raise MacroError(f"too many macros are behind what has no end: {text[begin : begin + 60]!r}")
        if _is_dollar(found):
            text = text[: found.start] + "$" + text[found.end :]
            start = begin
        else:
            start = found.end
            begin = start if begin == found.start else begin
    return text
