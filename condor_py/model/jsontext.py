"""JSON of what daemons say to each other, several times a job: what ``json.loads`` and ``json.dumps`` do, without the
objects and checks that they make for each text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from condor_py.model.later import Later, loaded

if TYPE_CHECKING:
    import json
else:
    json = Later("json")


def _in_c() -> Any:
    """The part of ``json`` that is in C: what is around it takes a tool a millisecond. None where there is none."""
    try:
        return loaded("_json")
    except ImportError:
        return None


_C = _in_c()


class _Meanings:
    """The Python values that a text is read as: those of ``json.loads``."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float, parse_int = float, int
    parse_constant = {"-Infinity": float("-inf"), "Infinity": float("inf"), "NaN": float("nan")}.__getitem__


_scan: Callable[[str, int], tuple[Any, int]]
_scan = json.JSONDecoder().scan_once if _C is None else _C.make_scanner(_Meanings)  # type: ignore[attr-defined]


def read(data: bytes) -> Any:
    """The value of a text in UTF-8. ValueError, RecursionError."""
    text = data.decode("utf-8", "surrogatepass")  # of bytes json would guess what they are
    try:
        value, end = _scan(text, 0)
    except (StopIteration, SystemError):  # without ``json`` the part in C fails where it would raise its error
        return json.loads(text)  # spaces at its beginning, or none: it knows the reason
    return value if end == len(text) else json.loads(text)


def _refuse(value: object) -> None:
    raise TypeError(f"{type(value).__name__} is no JSON")


def _writer() -> Callable[[Any], str]:
    """For texts without spaces, where characters beyond ASCII are written as their numbers."""
    if _C is None:
        return json.JSONEncoder(separators=(",", ":")).encode
    pieces: Callable[[Any, int], Iterable[str]]
    pieces = _C.make_encoder(None, _refuse, _C.encode_basestring_ascii, None, ":", ",", False, False, True)
    return lambda value: "".join(pieces(value, 0))


#: The text of a value that does not contain itself. TypeError.
write = _writer()
