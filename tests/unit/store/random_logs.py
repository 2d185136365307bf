"""Logs as a schedd writes them, and as nobody should, at random."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

KEYS = [
    "0.0", "0.2", "01.-1", "1.-2", "1.0", "1.1", "1.22", "02.-1", "2.0", "07.3", "x", "a.b.c", "1234567890123456789.1",
]  # fmt: skip
#: Without what is a job's to Python alone.
ORDINARY = [key for key in KEYS if key not in ("07.3", "1234567890123456789.1")]
NAMES = [
    "JobStatus", "jobstatus", "Args", "Owner", "ProcId", "JobPrio", "MyType", "_1st", "JobUniverse", "QDate",
    "TotalSubmitProcs", "DAGManJobId", "ClusterId",
]  # fmt: skip
VALUES = [
    "1", "0", "-1", "-0", "007", "-", "1.5", "-2.25", "1e3", "999999999999999999", "9223372036854775808", '"text"',
    '""', '"', '"a\\"b"', '"a\\\\"', '"tail\\"', "true", "TRUE", "undefined", "error", "5 % 7", "a + (", " blank", "x ",
    "ü", '"ü"', "\udc80", '"' + "long " * 1000 + '"', "x\r",
]  # fmt: skip


def line(rng: random.Random, keys: Sequence[str] = KEYS) -> str:
    key = rng.choice(keys)
    kind = rng.randrange(100)
    if kind < 50:
        return f"103 {key} {rng.choice(NAMES)} {rng.choice(VALUES)}"
    if kind < 60:
        return f"104 {key} {rng.choice(NAMES)}"
    if kind < 85:
        return f"101 {key} {rng.choice(['Job', '(empty)', '*'])} {rng.choice(['Machine', '(empty)', '*'])}"
    if kind < 92:
        return f"102 {key}"
    return rng.choice(["105 ", "106 ", "105", "106", "106 #done", "105 #begin"])


def strange(rng: random.Random) -> str:
    return rng.choice(
        [
            "", " ", "103", "103 ", "103 1.0", "103 1.0 A", "103 1.0 A ", "103  1.0 A 1", "103 1.0  A 1", "104 1.0 A 1",
            "104 1.0 ", "102", "102 ", "102 1.0 x", "101 1.0 Job", "101 1.0 Job ", "107 2 CreationTimestamp 5", "108 x",
            "199 later", "200 x", "99 x", "abc", "103 1.0 A 1\0", "\0\0\0", "105 x", "106x", "106  #two",
            "103\t1.0 A 1", "102 1.0\u00a0", "107 1 X 2",
        ]
    )  # fmt: skip


def doing_something(lines: list[str]) -> Iterator[str]:
    """Lines without those that an ad that is not there or a transaction makes void."""
    live: set[str] = set()
    is_open = False
    for text in lines:
        op, key, *_ = [*text.split(), ""]
        if op in ("102", "103", "104") and key not in live:
            continue
        if (op == "105" and is_open) or (op == "106" and not is_open):
            continue
        is_open = op == "105" or (is_open and op != "106")
        live |= {key} if op == "101" else set()
        live -= {key} if op == "102" else set()
        yield text


def log(rng: random.Random, keys: Sequence[str] = KEYS) -> bytes:
    lines = ["107 1 CreationTimestamp 1795214128"] if rng.random() < 0.8 else []
    lines += [f"101 {key} Job Machine" for key in keys if rng.random() < 0.7 and key != "07.3"]
    lines += [line(rng, keys) for _ in range(rng.randrange(30))]
    if rng.random() < 0.5:
        lines.append("106 ")
    if rng.random() < 0.9:
        lines = list(doing_something(lines))
    if rng.random() < 0.3:
        lines.insert(rng.randrange(len(lines) + 1), strange(rng))
    data = "".join(text + "\n" for text in lines).encode("utf-8", "surrogateescape")
    if rng.random() < 0.3:
        data = data[: rng.randrange(len(data) + 1)]
    if rng.random() < 0.05 and data:
        at = rng.randrange(len(data))
        data = data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]
    return data
