"""What messages look like on the wire, at random: right heads of every message, and any JSON."""

from __future__ import annotations

import importlib
from typing import Any

from hypothesis import strategies as st

from condor_py.model.messages.codec import Message
from condor_py.model.texts import one_line

TEXTS = st.text(max_size=8)
NUMBERS = st.integers(-(2**63), 2**63 - 1)
JOBS = st.tuples(st.integers(1, 999), st.integers(0, 999)).map(list)
PAIRS = st.lists(st.tuples(TEXTS, TEXTS).map(list), max_size=2)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "str": TEXTS,
    "Line": TEXTS.map(one_line),
    "bool": st.booleans(),
    "int": NUMBERS,
    "Natural": st.integers(0, 2**63 - 1),
    "float": st.floats(allow_nan=False, allow_infinity=False),
    "How": st.sampled_from(["graceful", "fast", "peaceful"]),
    "DrainHow": st.sampled_from(["graceful", "quick", "fast"]),
    "OnCompletion": st.sampled_from(["nothing", "resume", "exit", "restart", "reconfig"]),
    "JobId": JOBS,
    "Jobs": st.lists(JOBS, max_size=3),
    "ChosenJobs": st.lists(JOBS, max_size=3),
    "OcuAction": st.sampled_from(["create", "remove", "query"]),
    "JobName": JOBS.map(lambda job: f"{job[0]}.{job[1]}"),
    "Pairs": PAIRS,
    "dict[str, str]": st.dictionaries(TEXTS, TEXTS, max_size=3),
    "dict[str, Any]": st.dictionaries(TEXTS, JSON.filter(lambda value: value == value), max_size=3),
    "Any": st.integers(),
    "CredentialAction": st.sampled_from(["add", "delete", "query"]),
    "CredentialKind": st.sampled_from(["oauth", "krb", "password"]),
    "tuple[str, bool, str]": st.tuples(TEXTS, st.booleans(), TEXTS).map(list),
    "ExitReport": st.fixed_dictionaries(
        {"claim_id": TEXTS, "job": TEXTS, "run": st.integers(0, 9)},
        optional={"exit_code": st.integers(1, 9), "hold_reason": st.just("why"), "end_time": st.floats(1, 9)},
    ).map(lambda report: {**report, "usage": {"user_cpu": 1.5}}),
}


def values_of(kind: type[Message], annotation: str) -> st.SearchStrategy[Any]:
    """What a field may have on the wire."""
    if annotation in VALUES:
        return VALUES[annotation]
    if annotation.endswith(" | None"):
        return st.none() | values_of(kind, annotation.removesuffix(" | None"))
    if annotation.startswith("Sequence["):
        return st.lists(values_of(kind, annotation[len("Sequence[") : -1]), max_size=3)
    return heads(vars(importlib.import_module(kind.__module__))[annotation])


def annotations_of(kind: type[Message]) -> dict[str, tuple[type[Message], str]]:
    """The fields, each with the class that has it."""
    return {
        name: (owner, annotation)
        for owner in reversed(kind.__mro__)
        if issubclass(owner, Message) and owner is not Message
        for name, annotation in owner.__annotations__.items()
    }


def heads(kind: type[Message]) -> st.SearchStrategy[dict[str, Any]]:
    """Right ones, with every field."""
    fields = {name: values_of(*where) for name, where in annotations_of(kind).items()}
    return st.fixed_dictionaries(fields)
