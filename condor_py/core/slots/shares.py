"""The text of SLOT_TYPE_<N>: how much of each resource one slot of the type gets (manual: Dividing System
Resources)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import Enum, auto

from condor_py.lang.classad import is_valid
from condor_py.model.errors import ConfigError


class Kind(Enum):
    """Kind of a share."""

    AUTO = auto()
    FRACTION = auto()
    AMOUNT = auto()


@dataclass(frozen=True, slots=True)
class Share:
    """One share: a fraction of the machine's amount, or an amount in the resource's own unit; 0 for auto.
    ``constraint`` is an expression about the units of a custom resource, "" for any."""

    kind: Kind
    value: float = 0.0
    constraint: str = ""


AUTO = Share(Kind.AUTO)
#: The meaning of "min".
_MINIMAL = Share(Kind.FRACTION, 1 / 128)
_NAMES = {
    "cpus": "cpus",
    "ram": "memory",
    "memory": "memory",
    "swap": "swap",
    "virtualmemory": "swap",
    "disk": "disk",
}
#: What is looked at to find the commas outside parentheses, braces and strings: those inside belong to a constraint.
_PIECE = re.compile(r""""(?:\\.|[^"\\])*"|[({]|[)}]|,|.""", re.DOTALL)
_SUFFIX = {"": 0, "b": 0, "k": 1, "m": 2, "g": 3, "t": 4}
#: The unit of a plain number: memory MB, disk and swap KB, as powers of 1024 bytes.
_BASE = {"memory": 2, "disk": 1, "swap": 1}
_NUMBER = re.compile(r"(\d+(?:\.\d*)?|\.\d+)\s*([kmgtb]?)b?\Z", re.IGNORECASE)


def parse(text: str, custom: tuple[str, ...], where: str) -> dict[str, Share]:
    """The shares of a type, by lower-case resource name; the key "" holds the default for what is not named.

    ``custom`` are the names of the custom resources. ConfigError names ``where`` (the knob) and the word.
    """
    shares = {"": AUTO}
    for word in _words(text):
        name, equals, value = word.partition("=")
        if not equals:
            shares[""] = _value(word.strip(), "", where)
            continue
        value, _, constraint = (part.strip() for part in value.partition(":"))
        resource = _resource(name.strip(), custom)
        if constraint and not is_valid(constraint):
            raise ConfigError(f"{where}: the constraint of {name.strip()} is no expression: {constraint}", where)
        if resource is not None:
            shares[resource] = replace(_value(value, resource, where), constraint=constraint)
        elif _value(value, "", where).kind is Kind.AMOUNT and _value(value, "", where).value > 0:
            raise ConfigError(
                f"{where}: there is no resource {name.strip()!r} on this machine; remove {word.strip()!r}", where
            )
    return shares


def _words(text: str) -> list[str]:
    if "\n" in text:
        return [word for word in text.split("\n") if word.strip()]
    if "," in text:
        return [word for word in _by_commas(text) if word.strip()]
    return re.sub(r"\s*([=:])\s*", r"\1", text).split()


def _by_commas(text: str) -> list[str]:
    words, depth = [""], 0
    for piece in _PIECE.findall(text):
        depth += (piece in "({") - (piece in ")}")
        if piece == "," and depth <= 0:
            words.append("")
        else:
            words[-1] += piece
    return words


def _resource(name: str, custom: tuple[str, ...]) -> str | None:
    """The resource that ``name`` is a prefix of, case not minded."""
    wanted = name.lower()
    exact = [n.lower() for n in custom if n.lower() == wanted]
    built_in = [resource for full, resource in _NAMES.items() if full.startswith(wanted)]
    started = [n.lower() for n in custom if n.lower().startswith(wanted)]
    return next(iter(exact + built_in + started), None)


def _value(text: str, resource: str, where: str) -> Share:
    lower = text.lower()
    if lower and ("auto".startswith(lower) or "automatic".startswith(lower)):
        return AUTO
    if lower and (lower == "min" or lower == "minimal"):
        return _MINIMAL
    match = re.fullmatch(r"(\d+(?:\.\d*)?)\s*%", text)
    if match:
        return Share(Kind.FRACTION, float(match[1]) / 100)
    match = re.fullmatch(r"(\d+)\s*/\s*(\d+)", text)
    if match and int(match[2]) > 0:
        return Share(Kind.FRACTION, int(match[1]) / int(match[2]))
    match = _NUMBER.match(text)
    if match is None:
        raise ConfigError(f"{where}: {text!r} is not auto, min, a percentage, a fraction or a number", where)
    number, base = float(match[1]), _BASE.get(resource)
    if base is not None and match[2]:
        number *= 1024.0 ** (_SUFFIX[match[2].lower()] - base)
    return Share(Kind.AMOUNT, number)
