#!/usr/bin/env python3
"""Record a message of each kind as the version of condor_py on PYTHONPATH writes it.

    PYTHONPATH=.../site-packages python tests/unit/messages/record_messages.py >tests/unit/messages/older/COMMIT.json

The recordings in ``older`` are those of the versions that tests/campaigns/upgrades.py begins with. A line is a
vocabulary, the name of a message in it, and its head.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
import re
import sys
from typing import Any

del sys.path[0]  # this tree: the version on PYTHONPATH is meant

import condor_py.model.messages as package
from condor_py.model.messages import codec

#: Values of fields, by their annotations; for any other a few are tried.
_VALUES: dict[str, Any] = {
    "str": "text", "Line": "a line", "bool": True, "int": 7, "Natural": 7, "float": 1.5, "How": "graceful",
    "DrainHow": "graceful", "OnCompletion": "nothing", "JobId": [1, 2], "Jobs": [[1, 2], [1, 3]],
    "ChosenJobs": [[1, 2]], "OcuAction": "query", "JobName": "1.2", "Pairs": [["Name", '"value"']],
    "dict[str, str]": {"Name": "1"}, "dict[str, Any]": {"Name": 1}, "Any": 3, "CredentialAction": "query",
    "CredentialKind": "oauth", "tuple[str, bool, str]": ["a", True, "b"],
    "Attributes": {"Name": "1"},
    "ExitReport": {"claim_id": "x#1#1", "job": "1.2", "run": 1, "exit_code": 0, "usage": {"user_cpu": 1.5}},
}  # fmt: skip
_OTHERS: tuple[Any, ...] = ("text", 7, [], {}, [[1, 2]], [["a", "b"]], True, 1.5, ["text"], "1.2", [1, 2], "graceful")


def value_of(kind: Any, annotation: str) -> Any:
    """What a field of such an annotation may have on the wire."""
    annotation = re.sub(r" \| None$", "", annotation)
    if annotation in _VALUES:
        return _VALUES[annotation]
    if found := re.fullmatch(r"Sequence\[(.*)\]", annotation):
        return [value_of(kind, found[1])]
    inner = vars(importlib.import_module(kind.__module__)).get(annotation)
    return fields(inner) if isinstance(inner, type) and issubclass(inner, codec.Message) else None


def fields(kind: Any) -> dict[str, Any]:
    """All fields of a message, as far as they are known."""
    notes: dict[str, str] = {}
    for each in reversed(kind.__mro__):
        notes |= {name: str(note) for name, note in vars(each).get("__annotations__", {}).items()}
    known = {name: value_of(kind, notes.get(name, "")) for name in kind.__match_args__}
    if isinstance(known.get("job"), str):
        known["job"] = "1.2"
    return {name: value for name, value in known.items() if value is not None}


def recorded(kind: Any) -> dict[str, Any] | None:
    """A head that this version writes for a message of a kind, and reads."""
    head = {**({"op": kind.op} if kind.op else {"ok": True}), **fields(kind)}
    for _ in range(3 * len(_OTHERS)):
        try:
            return dict(codec.head_of(codec.read(kind, head)))
        except codec.BadMessage as error:
            found = re.match(r"[^:]*: (\w+) ", str(error))
            name = found[1] if found else ""
            if name not in kind.__match_args__:
                return None
            tried = head.get(name)
            place = _OTHERS.index(tried) + 1 if tried in _OTHERS else 0
            if place >= len(_OTHERS):
                return None
            head[name] = _OTHERS[place]
    return None


def main() -> None:
    """Print all of them."""
    modules = [
        importlib.import_module(f"{package.__name__}.{name}") for _, name, _ in pkgutil.iter_modules(package.__path__)
    ]
    lines = set()
    for module in modules:
        for name, words in vars(module).items():
            if isinstance(words, codec.Vocabulary):
                for kind in words.kinds.values():
                    lines.add(json.dumps([name, kind.__name__, recorded(kind)], sort_keys=True))
        for kind in vars(module).values():
            if isinstance(kind, type) and issubclass(kind, codec.Answer) and kind is not codec.Answer:
                lines.add(json.dumps(["", kind.__name__, recorded(kind)], sort_keys=True))
    print("\n".join(sorted(lines)))


if __name__ == "__main__":
    main()
