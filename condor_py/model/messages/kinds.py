"""Kinds of fields: what a value must be like when it comes from another process, and what it is as JSON.

A field's annotation, as it is written, says its kind. A refusal has a few words, which never show the
value: it may be as long as its sender likes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

from condor_py.model.ids import JobId
from condor_py.model.record import is_attribute_name, is_one_line
from condor_py.model.texts import one_line

#: A whole number that is not negative.
Natural = int
#: How something ends, how a machine is drained, and what follows.
How = Literal["graceful", "fast", "peaceful"]
DrainHow = Literal["graceful", "quick", "fast"]
OnCompletion = Literal["nothing", "resume", "exit", "restart", "reconfig"]
#: What is to become of an owner capacity unit.
OcuAction = Literal["create", "remove", "query"]
#: What is to become of a credential, and its kind.
CredentialAction = Literal["add", "delete", "query"]
CredentialKind = Literal["oauth", "krb", "password"]
#: (name, text) of attributes, variables ...; lists as JSON has them.
Pairs = Sequence[Sequence[str]]
#: Jobs as [cluster, proc].
Jobs = Sequence[JobId]
#: Chosen jobs: no more than MOST_CHOSEN.
ChosenJobs = Sequence[JobId]
#: A job, which is text on the wire: ``CLUSTER.PROC``. Procs below 0 represent data slots and owner capacity units.
JobName = JobId
#: Attributes for the ad of a job, name and ClassAd text, as hooks, plugins and jobs made them. Texts become one line,
#: and an attribute whose name is none is left out: the queue could not hold them.
Attributes = dict[str, str]

#: Job ids of one request.
MOST_CHOSEN = 50_000
_LEAST, _MOST = -(1 << 63), (1 << 63) - 1
_NAME_OF_JOB = re.compile(r"([0-9]{1,18})\.(-?[0-9]{1,18})").fullmatch
_NAMES = {str: "a text", bool: "a truth value", list: "a list", dict: "an object", int: "a whole number"}


class WrongValue(Exception):
    """A value that its field cannot have; the text says what it should have been."""


class Kind(NamedTuple):
    """``read`` makes a value of what came, or raises WrongValue; what is of the type ``plain`` is a value as it is.
    ``write`` makes JSON of a value that is none."""

    read: Callable[[Any], Any]
    plain: type | None = None
    write: Callable[[Any], Any] | None = None


def _just(plain: type) -> Kind:
    """Return the kind of values of exactly that type."""

    def read(value: Any) -> Any:
        if type(value) is not plain:
            raise WrongValue(f"must be {_NAMES[plain]}, not {shown(value)}")
        return value

    return Kind(read, plain)


def shown(value: Any) -> str:
    """Return the kind of a value in a few words."""
    return "nothing" if value is None else _NAMES.get(type(value), "a number")


def whole(value: Any) -> int:
    """A whole number in 64 bits. WrongValue."""
    if type(value) is not int:
        raise WrongValue(f"must be a whole number, not {shown(value)}")
    if not _LEAST <= value <= _MOST:
        raise WrongValue("is too large a number")
    return value


def _natural(value: Any) -> int:
    if type(value) is not int or not 0 <= value <= _MOST:
        raise WrongValue("must be a whole number that is not negative")
    return value


def number(value: Any) -> float:
    """A whole number in 64 bits, or another finite number. WrongValue."""
    if type(value) is int and _LEAST <= value <= _MOST:
        return value
    if type(value) is not float or value - value != 0.0:  # infinities and NaN
        raise WrongValue("must be a finite number")
    return value


def _job(value: Any) -> JobId:
    if type(value) is not list or len(value) != 2:
        raise WrongValue("must be a job, as [cluster, proc]")
    return JobId(whole(value[0]), whole(value[1]))


def _jobs(value: Any) -> list[JobId]:
    if type(value) is not list:
        raise WrongValue(f"must be a list of jobs, not {shown(value)}")
    return [_job(item) for item in value]


def _chosen(value: Any) -> list[JobId]:
    if type(value) is list and len(value) > MOST_CHOSEN:
        raise WrongValue(f"has {len(value)} jobs, at most {MOST_CHOSEN} are taken")
    return _jobs(value)


def _job_name(value: Any) -> JobId:
    named = _NAME_OF_JOB(value) if type(value) is str else None
    if named is None:
        raise WrongValue("must be the name of a job, CLUSTER.PROC")
    return JobId(int(named[1]), int(named[2]))


def _line(value: Any) -> str:
    if type(value) is not str:
        raise WrongValue(f"must be a text, not {shown(value)}")
    return one_line(value)


def _one_of(*words: str) -> Kind:
    def read(value: Any) -> str:
        if type(value) is not str or value not in words:
            raise WrongValue(f"must be one of {', '.join(words)}")
        return value

    return Kind(read)


def _pairs(value: Any) -> list[list[str]]:
    if type(value) is not list:
        raise WrongValue(f"must be a list of pairs of texts, not {shown(value)}")
    for item in value:
        if type(item) is not list or len(item) != 2 or type(item[0]) is not str or type(item[1]) is not str:
            raise WrongValue("must be a list of pairs of texts")
    return value


def _texts(value: Any) -> list[str]:
    if type(value) is not list:
        raise WrongValue(f"must be a list, not {shown(value)}")
    if not set(map(type, value)) <= {str}:
        raise WrongValue("must be a list of texts")
    return value


def _texts_by_name(value: Any) -> dict[str, str]:
    if type(value) is not dict or not set(map(type, value.values())) <= {str}:
        raise WrongValue("must be an object of texts")
    return value


def _attributes(value: Any) -> dict[str, str]:
    texts = _texts_by_name(value)
    if is_one_line("".join(texts.values())) and all(map(is_attribute_name, texts)):
        return texts
    return {name: one_line(text) for name, text in texts.items() if is_attribute_name(name)}


def _anything(value: Any) -> Any:
    return value


def _groups(value: Any) -> tuple[str, bool, str]:
    if type(value) is not list or list(map(type, value)) != [str, bool, str]:
        raise WrongValue("must be a text, a truth value and a text")
    return value[0], value[1], value[2]


def _times(value: Any) -> tuple[float, ...]:
    if type(value) is not list:
        raise WrongValue(f"must be a list of numbers, not {shown(value)}")
    return tuple(map(number, value))


#: By annotation. ``reports`` adds its own.
KINDS: dict[str, Kind] = {
    "str": _just(str),
    "Line": Kind(_line),
    "bool": _just(bool),
    "int": Kind(whole),
    "Natural": Kind(_natural),
    "float": Kind(number),
    "JobId": Kind(_job),
    "Jobs": Kind(_jobs),
    "ChosenJobs": Kind(_chosen),
    "JobName": Kind(_job_name, None, str),
    "How": _one_of("graceful", "fast", "peaceful"),
    "DrainHow": _one_of("graceful", "quick", "fast"),
    "OnCompletion": _one_of("nothing", "resume", "exit", "restart", "reconfig"),
    "Pairs": Kind(_pairs),
    "OcuAction": _one_of("create", "remove", "query"),
    "CredentialAction": _one_of("add", "delete", "query"),
    "CredentialKind": _one_of("oauth", "krb", "password"),
    "Sequence[str]": Kind(_texts),
    "dict[str, str]": Kind(_texts_by_name),
    "Attributes": Kind(_attributes),
    "dict[str, Any]": _just(dict),
    "Sequence[Any]": _just(list),
    "Any": Kind(_anything),
    "tuple[str, bool, str]": Kind(_groups),
    "tuple[float, ...]": Kind(_times),
    "Sequence[float]": Kind(_times),
}


def kind_of(annotation: str, nested: Callable[[str], Kind | None]) -> Kind:
    """The kind that an annotation names: one of the table, ``KIND | None`` or ``Sequence[KIND]``; ``nested`` knows
    others. TypeError for none of these."""
    known = KINDS.get(annotation)
    if known is not None:
        return known
    if annotation.endswith(" | None"):
        return _optional(kind_of(annotation.removesuffix(" | None"), nested))
    if annotation.startswith("Sequence["):
        return _list_of(kind_of(annotation[len("Sequence[") : -1], nested))
    found = nested(annotation)
    if found is None:
        raise TypeError(f"no kind of field: {annotation}")
    return found


def _optional(kind: Kind) -> Kind:
    read, write = kind.read, kind.write
    return Kind(
        lambda value: None if value is None else read(value),
        kind.plain,
        None if write is None else lambda value: None if value is None else write(value),
    )


def _list_of(kind: Kind) -> Kind:
    read, write = kind.read, kind.write

    def read_all(value: Any) -> list[Any]:
        if type(value) is not list:
            raise WrongValue(f"must be a list, not {shown(value)}")
        return list(map(read, value))

    return Kind(read_all, None, None if write is None else lambda value: list(map(write, value)))
