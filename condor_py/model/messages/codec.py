"""One encoder and one decoder for all messages.

A message is a class whose annotations are its fields:

    class Locate(Request[Door], op="locate"):
        job: JobId
        wait: bool = False

On the wire it is the head of a frame, a JSON object with ``op`` and the fields. A field with a default may be missing
there, and is left out by a sender that does not set it. Fields that we do not know, of an older or newer peer, are kept
in ``unknown`` and stay with the message where it is passed on. What is wrong is refused by its name: ``BadMessage`` is
the only exception of decoding, whatever came.

A message keeps its fields in its ``__dict__``, so that decoding is one pass over the head, and making the class costs a
few microseconds: a tool imports dozens of them, which dataclasses would take ten milliseconds for. To the type checker
they are frozen dataclasses.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, dataclass_transform

from condor_py.model.errors import CondorError
from condor_py.model.messages.kinds import Kind, WrongValue, kind_of

if TYPE_CHECKING:
    from typing import ClassVar

#: What a frame's head is.
Head = dict[str, Any]
_NOTHING: Mapping[str, Any] = {}
_MISSING = object()


class BadMessage(CondorError):
    """Something that is no message of this link; the text, one line, names the message and the field."""


@dataclass_transform(frozen_default=True)
class Message:
    """Base of all messages. ``op`` is its word on the wire, "" for an answer, which has none."""

    __slots__ = ("__dict__", "head_text", "unknown")
    #: Fields that came with it and that we do not know.
    unknown: Mapping[str, Any]
    #: Its head as it came, for a message that may be passed on; else empty.
    head_text: bytes
    op: ClassVar[str] = ""
    #: Of each field its name, what reads it, the type with which it need not be read, whether it has to be there.
    _kinds: ClassVar[tuple[tuple[str, Callable[[Any], Any], type | None, bool], ...]] = ()
    _written: ClassVar[tuple[tuple[str, Any], ...]] = ()
    __match_args__: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, op: str = "", kw_only: bool = False) -> None:
        super().__init_subclass__()
        if op:
            cls.op = op
        kinds = {kind[0]: kind for kind in cls._kinds}
        written = dict(cls._written)
        for name, annotation in cls.__annotations__.items():
            if annotation.startswith("ClassVar["):
                continue
            kind = kind_of(annotation, lambda word: _nested(cls.__module__, word))
            kinds[name] = name, kind.read, kind.plain, name not in cls.__dict__
            if kind.write is not None:
                written[name] = kind.write
        cls._kinds = tuple(kinds.values())
        cls._written = tuple(written.items())
        cls.__match_args__ = tuple(kinds)  # type: ignore[misc]

    def __init__(self, *given: Any, **fields: Any) -> None:
        if given:
            fields.update(zip(self.__match_args__, given, strict=False))
        self.__dict__ = fields
        self.unknown = _NOTHING
        self.head_text = b""

    def but(self, **fields: Any) -> Self:
        """A copy with other values of some fields."""
        return onward(type(self), self, **fields)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__match_args__)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        fields = (f"{name}={value!r}" for name, value in self.__dict__.items())
        return f"{type(self).__name__}({', '.join(fields)})"


class Answer(Message):
    """The answer to a request: ``ok`` is true on the wire."""


class Refused(Message):
    """A request that is not done: ``ok`` is false on the wire, where old daemons have ``error`` alone.

    Of a message that was no message, ``word`` is its word, and ``id``, ``claim``, ``job`` and ``run`` say which
    request, claim and run it was about, as far as it said so itself: no process must wait for ever for the result.
    """

    error: str
    error_code: int = 0
    request_id: str = ""
    word: str = ""
    id: str = ""
    claim: str = ""
    job: str = ""
    run: int = 0


A = TypeVar("A", bound=Message)
M = TypeVar("M", bound=Message)


class Request(Message, Generic[A]):
    """A message that is answered, by an A or by Refused."""


def answer_of(request: Request[A]) -> type[A]:
    """The class of a request's answer."""
    for kind in type(request).__mro__:
        for base in kind.__dict__.get("__orig_bases__", ()):
            for answer in getattr(base, "__args__", ()):
                if isinstance(answer, type):
                    return answer
    raise TypeError(f"{type(request).__name__} has no answer")


def word_of(head: Head) -> object:
    """The word of a head, as far as it has one."""
    return head.get("op")


def head_of(message: Message) -> Head:
    """Return a message as a head."""
    kind = type(message)
    return _filled({"op": kind.op} if kind.op else {"ok": kind is not Refused}, message)


def _filled(head: Head, message: Message) -> Head:
    """``head`` with the fields of a message."""
    if message.unknown:
        head.update(message.unknown)
    head.update(message.__dict__)
    for name, write in type(message)._written:
        if name in head:
            head[name] = write(head[name])
    return head


def onward(kind: type[M], message: Message, **fields: Any) -> M:
    """Return the content of ``message`` as a message of ``kind``, which has more fields, or others of the same."""
    new = kind(**{**message.__dict__, **fields})
    new.unknown = message.unknown
    return new


def read(kind: type[M], head: Head) -> M:
    """The message of a head that is known to be one of ``kind``. BadMessage."""
    try:
        message = _read(kind, head)
    except WrongValue as error:
        raise BadMessage(f"{_called(kind)}: {error}") from None
    if len(head) != len(message.__dict__) + 1:
        message.unknown = _unknown(kind, head)
    return message


def _read(kind: type[M], head: Head) -> M:
    message = kind.__new__(kind)
    message.__dict__ = _fields(kind, head)
    message.unknown = _NOTHING
    message.head_text = b""
    return message


def _fields(kind: type[Message], head: Head) -> dict[str, Any]:
    fields = {}
    for name, reader, plain, needed in kind._kinds:
        value = head.get(name, _MISSING)
        if value is _MISSING:
            if needed:
                raise WrongValue(f"{name} is missing")
            continue
        if type(value) is not plain:
            try:
                value = reader(value)
            except WrongValue as error:
                raise WrongValue(f"{name} {error}") from None
        fields[name] = value
    return fields


def parts_of(kinds: Mapping[str, Kind], record: Head) -> dict[str, Any]:
    """Return the parts of ``record``, each checked; parts that are not in ``kinds`` are ignored.
    WrongValue."""
    values = {}
    for name, value in record.items():
        kind = kinds.get(name)
        if kind is None:
            continue
        if type(value) is not kind.plain:
            try:
                value = kind.read(value)
            except WrongValue as error:
                raise WrongValue(f"has a wrong part: {name} {error}") from None
        values[name] = value
    return values


def read_answer(kind: type[A], head: Head) -> A | Refused:
    """The answer to a request. BadMessage."""
    if head.get("error") or head.get("ok") is False:
        return read(Refused, {"error": "", **head})
    return read(kind, head)


class Vocabulary:
    """The messages that a receiver understands; ``Refused`` among them for senders that get the reason of a refusal."""

    def __init__(self, *kinds: type[Message]) -> None:
        self.kinds = {kind.op: kind for kind in kinds}

    def read(self, head: Head) -> Message:
        """The message of a head. BadMessage for anything else, whatever that is."""
        op = head.get("op")
        kind = self.kinds.get(op) if type(op) is str else None
        if kind is not None:
            return read(kind, head)
        if op is None and Refused.op in self.kinds and type(head.get("error")) is str:
            return read(Refused, head)
        raise BadMessage(f"unknown request {op[:_SHOWN]!r}" if type(op) is str else "a message without a word (op)")


#: Characters of an unknown word that a refusal shows, and of a name that it gives back.
_SHOWN = 40
_LONGEST_NAME = 1024
#: Where a refusal finds what a message was about: in its head, or in the report of a run.
_NAMES = (("word", "op"), ("id", "id"), ("claim", "claim"), ("claim", "claim_id"), ("job", "job"))


def refusal(head: Head, error: BadMessage) -> Refused:
    """The answer to a head that is no message: why, and what it was about."""
    report = head.get("report")
    about: Head = {}
    for place in (report if type(report) is dict else {}, head):
        for name, field in _NAMES:
            value = place.get(field)
            if type(value) is str and len(value) <= _LONGEST_NAME:
                about[name] = value
        run = place.get("run")
        if type(run) is int and 0 < run < 1 << 63:
            about["run"] = run
    return Refused(str(error), **about)


def _called(kind: type[Message]) -> str:
    return kind.op or ("the refusal" if kind is Refused else "the answer")


def _unknown(kind: type[Message], head: Head) -> Mapping[str, Any]:
    known = {"op", "ok", *kind.__match_args__}
    return {name: value for name, value in head.items() if name not in known}


def _nested(module: str, name: str) -> Kind | None:
    """A message of the same module as a field of another."""
    kind = vars(sys.modules[module]).get(name)
    if not isinstance(kind, type) or not issubclass(kind, Message):
        return None
    return Kind(lambda value: _read_part(kind, value), None, fields_of)


def fields_of(message: Message) -> Head:
    """A message that is a part of another, as JSON."""
    return _filled({}, message)


def _read_part(kind: type[Message], value: Any) -> Message:
    if type(value) is not dict:
        raise WrongValue("must be an object")
    try:
        part = _read(kind, value)
    except WrongValue as error:
        raise WrongValue(f"has a wrong part: {error}") from None
    part.unknown = _unknown(kind, value)
    return part
