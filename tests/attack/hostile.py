"""What hostile ads are made of: every attribute that daemons read, and values that nobody expects there."""

from __future__ import annotations

import ast
import random
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

from sources import nodes_of

import condor_py
from condor_py.model.attributes import EVERY_JOB, JOB, POLICY

#: Rooms that look into ads of jobs, slots and messages.
_ROOMS = (
    "client", "core/accounts", "machine/batch", "daemons", "core/grid", "core/match", "core/routes", "core/runs",
    "core/jobs", "core/slots", "machine/run", "store", "lang/submit",
)  # fmt: skip
#: An attribute where it is read: ``ad.eval_int("JobPrio"``, ``number(ad, "RequestDisk"``, ``real(ad, "Cpus"`` ...
_READ = re.compile(
    r"\b(?:eval_int|eval_real|eval_bool|eval_str|text|local_text|raw|evaluate|has|number|real|boolean|string)"
    r'\(\s*(?:[\w.]+,\s*)?f?"([A-Z]\w*)"'
)
#: Attributes whose names are put together where they are read.
_COMPOSED = tuple(
    f"{policy}{part}" for policy in ("PeriodicHold", "OnExitHold", "PeriodicVacate") for part in ("Reason", "SubCode")
)
#: Texts of values: infinite, NaN, huge, negative, of another type, and texts that break lines, paths and formats.
VALUES = (
    'real("INF")', '-real("INF")', 'real("NaN")', "1e300", "-1e300", "1e19", "9223372036854775807",
    "-9223372036854775808", "2147483648", "-2147483649", "-1", "0", "-0.0", "0.5", "true", "false", "undefined",
    "error", '""', '"-1"', '"²"', '"99999999999999999999"', '"a\\nb"', '"a\\tb"', '"%s%n{0}$(X)$$(Y)"', '"\\\\"',
    '"../../x"',
    '"' + "x" * 5000 + '"', "{ 1, 2, { 3 } }", "[ a = 1; b = [ c = a ] ]", '"\udcff\udcfe"', "MY.TARGET.MY",
    'absTime("2026-01-01T00:00:00")', "relTime(1e15)", "1 / 0", "strcat(1, {2})", "CurrentTime", "random()",
    'quantize(1e300, {0})', "int(1e300)", "pow(10, 400)", 'formatTime(1e18, "%Y")', "splitTime(-1e18)", "{ }", "[ ]",
    'relTime(5) * real("INF")', 'relTime(real("NaN"))', "absTime(0) + relTime(1) * 5e16", "n.'b c'",
)  # fmt: skip


@cache
def attributes() -> tuple[str, ...]:
    """The names that daemons read out of ads, found in their source, in alphabetical order: where an attribute is
    read, and every word of a text of the code that is the name of an attribute of jobs (tables of names, keys)."""
    root = Path(condor_py.__file__).parent
    jobs = {name.lower(): name for name in (*POLICY, *JOB, *EVERY_JOB)}
    found: set[str] = set(_COMPOSED)
    for room in _ROOMS:
        for path in (root / room).rglob("*.py"):
            found |= set(_READ.findall(path.read_text(encoding="utf-8")))
            texts = [node.value for node in nodes_of(path) if isinstance(node, ast.Constant)]
            words = {word for text in texts if isinstance(text, str) and "\n" not in text for word in text.split()}
            found |= {jobs[word.lower()] for word in words & _spellings(jobs)}
    return tuple(sorted({name.lower(): name for name in sorted(found) if not _is_knob(name)}.values()))


def _spellings(jobs: dict[str, str]) -> set[str]:
    return {*jobs, *jobs.values()}


def _is_knob(name: str) -> bool:
    return "_" in name and name.isupper()


def bad_ads(seed: int, each: int) -> Iterator[dict[str, str]]:
    """Changes to an ad: every attribute with ``each`` of the values, and as many ads with several such attributes."""
    chance = random.Random(seed)
    names = attributes()
    for name in names:
        for value in chance.sample(VALUES, min(each, len(VALUES))):
            yield {name: value}
    for _ in range(len(names) * each // 10):
        yield {name: chance.choice(VALUES) for name in chance.sample(names, chance.randint(2, 12))}
