"""JSON of what daemons say to each other, several times a job: what ``json.loads`` and ``json.dumps`` do, without the
objects and checks that they make for each text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from json import encoder
from typing import Any

_scan: Callable[[str, int], tuple[Any, int]] = json.JSONDecoder().scan_once  # type: ignore[attr-defined]


def read(data: bytes) -> Any:
    """The value of a text in UTF-8. ValueError, RecursionError."""
    text = data.decode("utf-8", "surrogatepass")  # of bytes json would guess what they are
    try:
        value, end = _scan(text, 0)
    except StopIteration:
        return json.loads(text)  # blanks at its beginning, or none: it knows the reason
    return value if end == len(text) else json.loads(text)


def _refuse(value: object) -> None:
    raise TypeError(f"{type(value).__name__} is no JSON")


def _writer() -> Callable[[Any], str]:
    """Of texts without blanks, where characters beyond ASCII are told by their numbers."""
    make = getattr(encoder, "c_make_encoder", None)
    if make is None:
        return json.JSONEncoder(separators=(",", ":")).encode
    pieces: Callable[[Any, int], Iterable[str]]
    pieces = make(None, _refuse, encoder.encode_basestring_ascii, None, ":", ",", False, False, True)
    return lambda value: "".join(pieces(value, 0))


#: The text of a value that does not contain itself. TypeError.
write = _writer()
