"""Kinds of fields: what a value must be like when it comes from somebody else, and what it is as JSON.

A field's annotation, as it is written, says its kind. What is refused is told in a few words, which never show the
value: it may be as long as its sender likes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

from condor_py.model.ids import JobId
from condor_py.model.report import ExitReport, Usage

#: A whole number that is not negative.
Natural = int
#: How something ends, how a machine is drained, and what follows.
How = Literal["graceful", "fast", "peaceful"]
DrainHow = Literal["graceful", "quick", "fast"]
OnCompletion = Literal["nothing", "resume", "exit", "restart", "reconfig"]
#: What is to become of an owner capacity unit.
OcuAction = Literal["create", "remove", "query"]
#: (name, text) of attributes, variables ...; lists as JSON has them.
Pairs = Sequence[Sequence[str]]
#: Jobs as [cluster, proc].
Jobs = Sequence[JobId]
#: Jobs that somebody chose: no more than MOST_CHOSEN.
ChosenJobs = Sequence[JobId]
#: A job as text, ``CLUSTER.PROC``.
JobName = str

#: Job ids of one request.
MOST_CHOSEN = 50_000
_LEAST, _MOST = -(1 << 63), (1 << 63) - 1
_NAMES = {str: "a text", bool: "a truth value", list: "a list", dict: "an object", int: "a whole number"}


class WrongValue(Exception):
    """A value that its field cannot have; the text says what it should have been."""


class Kind(NamedTuple):
    """``read`` makes a value of what came, or raises WrongValue; a class instead of a function means just that type.
    ``write`` makes JSON of it, where it is none already."""

    read: type | Callable[[Any], Any]
    write: Callable[[Any], Any] | None = None


def checked(kind: Kind, value: Any) -> Any:
    """What ``value`` is as that kind. WrongValue."""
    read = kind.read
    if not isinstance(read, type):
        return read(value)
    if type(value) is not read:
        raise WrongValue(f"must be {_NAMES[read]}, not {_shown(value)}")
    return value


def _shown(value: Any) -> str:
    """In a few words."""
    return "nothing" if value is None else _NAMES.get(type(value), "a number")


def _whole(value: Any) -> int:
    if type(value) is not int:
        raise WrongValue(f"must be a whole number, not {_shown(value)}")
    if not _LEAST <= value <= _MOST:
        raise WrongValue("is too large a number")
    return value


def _natural(value: Any) -> int:
    if type(value) is not int or not 0 <= value <= _MOST:
        raise WrongValue("must be a whole number that is not negative")
    return value


def _number(value: Any) -> float:
    if type(value) is int and _LEAST <= value <= _MOST:
        return value
    if type(value) is not float or value - value != 0.0:  # infinities and NaN
        raise WrongValue("must be a finite number")
    return value


def _job(value: Any) -> JobId:
    if type(value) is not list or len(value) != 2:
        raise WrongValue("must be a job, as [cluster, proc]")
    return JobId(_whole(value[0]), _whole(value[1]))


def _jobs(value: Any) -> list[JobId]:
    if type(value) is not list:
        raise WrongValue(f"must be a list of jobs, not {_shown(value)}")
    return [_job(item) for item in value]


def _chosen(value: Any) -> list[JobId]:
    if type(value) is list and len(value) > MOST_CHOSEN:
        raise WrongValue(f"has {len(value)} jobs, at most {MOST_CHOSEN} are taken")
    return _jobs(value)


def _job_name(value: Any) -> str:
    try:
        JobId.parse(value)
    except (TypeError, ValueError):
        raise WrongValue("must be the name of a job, CLUSTER.PROC") from None
    return str(value)


def _one_of(*words: str) -> Kind:
    def read(value: Any) -> str:
        if type(value) is not str or value not in words:
            raise WrongValue(f"must be one of {', '.join(words)}")
        return value

    return Kind(read)


def _pairs(value: Any) -> list[list[str]]:
    if type(value) is not list:
        raise WrongValue(f"must be a list of pairs of texts, not {_shown(value)}")
    for item in value:
        if type(item) is not list or len(item) != 2 or type(item[0]) is not str or type(item[1]) is not str:
            raise WrongValue("must be a list of pairs of texts")
    return value


def _texts(value: Any) -> list[str]:
    if type(value) is not list:
        raise WrongValue(f"must be a list, not {_shown(value)}")
    if not set(map(type, value)) <= {str}:
        raise WrongValue("must be a list of texts")
    return value


def _texts_by_name(value: Any) -> dict[str, str]:
    if type(value) is not dict or not set(map(type, value.values())) <= {str}:
        raise WrongValue("must be an object of texts")
    return value


def _anything(value: Any) -> Any:
    return value


def _groups(value: Any) -> tuple[str, bool, str]:
    if type(value) is not list or list(map(type, value)) != [str, bool, str]:
        raise WrongValue("must be a text, a truth value and a text")
    return value[0], value[1], value[2]


def _times(value: Any) -> tuple[float, ...]:
    if type(value) is not list:
        raise WrongValue(f"must be a list of numbers, not {_shown(value)}")
    return tuple(map(_number, value))


def _report(value: Any) -> ExitReport:
    if type(value) is not dict:
        raise WrongValue(f"must be an object, not {_shown(value)}")
    try:
        return ExitReport(**_values_of(ExitReport, value))
    except TypeError:
        raise WrongValue("does not name claim, job and run") from None


def _usage(value: Any) -> Usage:
    if type(value) is not dict:
        raise WrongValue(f"must be an object, not {_shown(value)}")
    return Usage(**_values_of(Usage, value))


def _values_of(record: type[ExitReport | Usage], told: dict[str, Any]) -> dict[str, Any]:
    """The fields of a report that are told, each checked; others are not ours to know."""
    values, annotations = {}, record.__annotations__
    for name, value in told.items():
        annotation = annotations.get(name)
        if annotation is None:
            continue
        try:
            values[name] = checked(_KINDS[annotation], value)
        except WrongValue as error:
            raise WrongValue(f"has a wrong part: {name} {error}") from None
    return values


_KINDS: dict[str, Kind] = {
    "str": Kind(str),
    "bool": Kind(bool),
    "int": Kind(_whole),
    "Natural": Kind(_natural),
    "float": Kind(_number),
    "JobId": Kind(_job),
    "Jobs": Kind(_jobs),
    "ChosenJobs": Kind(_chosen),
    "JobName": Kind(_job_name),
    "How": _one_of("graceful", "fast", "peaceful"),
    "DrainHow": _one_of("graceful", "quick", "fast"),
    "OnCompletion": _one_of("nothing", "resume", "exit", "restart", "reconfig"),
    "Pairs": Kind(_pairs),
    "OcuAction": _one_of("create", "remove", "query"),
    "Sequence[str]": Kind(_texts),
    "dict[str, str]": Kind(_texts_by_name),
    "dict[str, Any]": Kind(dict),
    "Sequence[Any]": Kind(list),
    "Any": Kind(_anything),
    "tuple[str, bool, str]": Kind(_groups),
    "tuple[float, ...]": Kind(_times),
    "ExitReport": Kind(_report, ExitReport.to_wire),
    "Usage": Kind(_usage),
}


def kind_of(annotation: str, nested: Callable[[str], Kind | None]) -> Kind:
    """The kind that an annotation names: one of the table, ``KIND | None`` or ``Sequence[KIND]``; ``nested`` knows
    others. TypeError for none of these."""
    known = _KINDS.get(annotation)
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
    write = kind.write
    return Kind(
        lambda value: None if value is None else checked(kind, value),
        None if write is None else lambda value: None if value is None else write(value),
    )


def _list_of(kind: Kind) -> Kind:
    def read(value: Any) -> list[Any]:
        if type(value) is not list:
            raise WrongValue(f"must be a list, not {_shown(value)}")
        return [checked(kind, item) for item in value]

    write = kind.write
    return Kind(read, None if write is None else lambda value: [write(item) for item in value])


_KINDS["int | None"] = _optional(_KINDS["int"])
