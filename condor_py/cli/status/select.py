"""The ads that a command line selects, and their order."""

from __future__ import annotations

from condor_py.cli.options import Args, Use
from condor_py.cli.output.values import is_true, source_of, value_text
from condor_py.cli.status.displays import AVAILABLE, CLAIMED_COMPACT, COMPACT
from condor_py.cli.status.modes import Chosen
from condor_py.lang.classad.ad import ClassAd
from condor_py.lang.classad.errors import ClassAdParseError
from condor_py.lang.classad.exprtree import ExprTree, parse
from condor_py.lang.classad.unparse import quote_string
from condor_py.model.errors import CondorError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

# How condor_status compares names: numbers in them as numbers, and letters that are not ASCII before all others.

_DIGITS = b"0123456789"
#: A byte as C's signed char orders it.
_SIGNED = bytes(code ^ 0x80 for code in range(256))
_DIGIT = bytes([ord("0") ^ 0x80])


def natural_key(text: str) -> bytes:
    """Sorts as HTCondor does: slot2 before slot10, and of numbers those with more leading zeros first."""
    rest = text.encode("utf-8", "surrogateescape")
    key = b""
    while rest:
        left = rest.lstrip(_DIGITS)
        if len(left) < len(rest):
            key += _number(rest[: len(rest) - len(left)])
        end = next((at for at, code in enumerate(left) if 48 <= code <= 57), len(left))
        key += left[:end].translate(_SIGNED)
        rest = left[end:]
    return key


def _number(digits: bytes) -> bytes:
    """Leading zeros first, then, without any, the length: what is longer is more."""
    zeros = min(len(digits) - len(digits.lstrip(b"0")), len(digits) - 1)
    rest = digits[zeros:]
    length = b"" if zeros else len(rest).to_bytes(4, "big")
    return _DIGIT + bytes([255 - min(zeros, 255)]) + length + rest.translate(_SIGNED)


_NO_SORT = ("false", "0", "no", "none")
_DEFAULT_ORDER = ("Machine", "Name")
#: Attributes that the ads of these options must have, as constraints.
_CAPABILITIES = {
    "java": "HasJava",
    "vm": "HasVM",
    "absent": "Absent",
    "offline": "size(OfflineUniverses) != 0",
}

#: Computing on demand does not exist here: its mode finds what ads of other machines tell.
_ELSEWHERE = {"cod": "NumCODClaims > 0"}


class BadConstraint(CondorError):
    """A constraint that does not parse; ``text`` is what was typed."""

    def __init__(self, text: str) -> None:
        super().__init__("Error: invalid constraint\n")
        self.text = text


def constraints(args: Args, chosen: Chosen, where: str, known: Iterable[str]) -> list[ExprTree]:
    """All that must hold. ``where`` is that of the display, ``known`` the names that exist. Raises CondorError."""
    texts = [where] if where else []
    if chosen.compact and chosen.name != "gpus":
        texts.append({"avail": AVAILABLE, "claimed": CLAIMED_COMPACT}.get(chosen.name, COMPACT))
    elif chosen.name == "avail":
        texts.append(AVAILABLE)
    texts += [text for name, text in _ELSEWHERE.items() if chosen.name == name]
    texts += capabilities(args)
    texts += args.texts("constraint") + annexes(args)
    texts += [f"({text}) =!= undefined" for text in sort_expressions(args)]
    named = _named(args, chosen, {name.lower() for name in known})
    if named:
        texts.append(named)
    return [_parse(text) for text in texts]


def capabilities(args: Args) -> list[str]:
    """Return constraints for the capabilities that options such as -java require of ads."""
    return [text for name, text in _CAPABILITIES.items() if args.has(name)]


def annexes(args: Args) -> list[str]:
    """Slots that were started elsewhere as part of an annex: one that is named, or any."""
    return [annex(use) for use in args.uses if use.name in ("annex-slots", "annex-name")]


def annex(use: Use) -> str:
    """Return the constraint of one option."""
    return f"AnnexName =?= {quote_string(str(use.values[0]))}" if use.values else "IsAnnex"


def _parse(text: str) -> ExprTree:
    try:
        return parse(text)
    except ClassAdParseError:
        raise BadConstraint(text) from None


def _named(args: Args, chosen: Chosen, known: set[str]) -> str:
    """The constraint of the positional names; -claimed alone adds its state to the choice, as HTCondor does."""
    parts = []
    if chosen.name == "claimed" and not chosen.compact:
        parts.append('State == "Claimed"')
    for name in args.positional:
        _check_host(name, chosen, known)
        quoted = quote_string(name)
        if chosen.name == "claimed":
            parts.append(f"RemoteUser == {quoted}")
        else:
            parts.append(f"Name == {quoted} || Machine == {quoted}")
    if chosen.name == "claimed" and len(parts) > 1 and not chosen.compact:
        return f"{parts[0]} && ({' || '.join(parts[1:])})"
    return " || ".join(f"({part})" for part in parts)


def _check_host(name: str, chosen: Chosen, known: set[str]) -> None:
    """A bare host name has to exist: in an ad, or for the resolver."""
    if "@" in name and name.lower() not in known:
        from condor_py.cli.suggest import hint

        hint(f"condor_status: nothing here is called {name}")
    if "@" in name or name.lower() in known or chosen.name in ("claimed", "submitters"):
        return
    import socket

    try:
        socket.getaddrinfo(name, None)
    except OSError:
        raise CondorError(f"condor_status: unknown host {name}") from None


def sort_expressions(args: Args) -> list[str]:
    """The expressions of -sort, but for those that switch sorting off. CondorError for what does not parse."""
    found = []
    for text in args.texts("sort"):
        if text.lower() in _NO_SORT:
            continue
        try:
            parse(text)
        except ClassAdParseError:
            raise CondorError(f"Error:  Parse error of: {text}") from None
        found.append(text)
    return found


def select(ads: Iterable[ClassAd], wanted: list[ExprTree], limit: int | None) -> list[ClassAd]:
    """The ads that satisfy every constraint, the first ``limit`` of them."""
    found = [ad for ad in ads if all(is_true(ad.raw(expression)) for expression in wanted)]
    return found[:limit] if limit is not None and limit > 0 else found


def sort_key(ad: ClassAd, args: Args) -> bytes:
    """Return the key by which -merge takes two ads as the same: the expressions of -sort, or Machine and Name."""
    return natural_key(_key(ad, [source_of(text) for text in sort_expressions(args) or _DEFAULT_ORDER]))


def ordered(ads: list[ClassAd], args: Args, compact: bool) -> list[ClassAd]:
    """The ads in the order in which they are shown. ``-natural:off`` changes nothing, as in HTCondor."""
    expressions = sort_expressions(args)
    if not expressions and args.has("sort"):
        return ads
    if compact:
        return sorted(ads, key=lambda ad: natural_key(_compact_key(ad, expressions)))
    sources = [source_of(text) for text in expressions or _DEFAULT_ORDER]
    return sorted(ads, key=lambda ad: natural_key(_key(ad, sources)))


def _compact_key(ad: ClassAd, expressions: list[str]) -> str:
    """Return a key that keeps slots of one machine and type together, whatever -sort asks for."""
    names = expressions or _DEFAULT_ORDER
    rest = names[1:] if names[0].lower() == "machine" else names
    return f"{place(ad)}\n{_key(ad, [source_of(text) for text in rest])}"


def place(ad: ClassAd) -> str:
    """Machine and type of a slot as ``machine:1``; what the slot does not tell is left out."""
    machine, slot_type = ad.eval_str("Machine"), ad.eval_int("SlotTypeID")
    parts = [machine, None if slot_type is None else str(abs(slot_type))]
    return ":".join(part for part in parts if part is not None) or "undefined"


def _key(ad: ClassAd, sources: Sequence[str | ExprTree]) -> str:
    return "".join(f"{_key_text(ad.raw(source))}\n" for source in sources)


def _key_text(value: Any) -> str:
    """A real by its bits, which are ordered as it is; a truth value as a number."""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, float):
        import struct

        return str(struct.unpack("q", struct.pack("d", value))[0])
    return value_text(value)
