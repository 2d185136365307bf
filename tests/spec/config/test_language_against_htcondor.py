"""Thousands of random configurations mean what they mean to HTCondor.

Known differences, all deliberate (the first three are accidents of the original, the others say more than it does):

- A last line without line end is stripped like any other; the original keeps its blanks, and refuses ``␣A = 1`` there.
- Of a comment inside a continuation nothing stays; the original keeps its last letter.
- A directory where a file is expected is an error; the original reads it as an empty file.
- Macros in a circle and wrong arguments of macro functions are errors that name the macro, where and when the value is
  asked for; the original loops, or gives nothing.
- A setting's own name is replaced at once inside the argument of a function and the default of another macro too
  (``A = $EVAL($(A)+1)``); the original leaves it there, and then loops or cuts it off at the first parenthesis.
- ``SUBSYSTEM.LOCALNAME.X`` is looked up, as the manual says; the original has it in one place of its tools only.
- A plain ``include command`` whose command fails is a warning; the original says nothing.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from condor_py.lang.config import Config, load
from condor_py.lang.config.lint import lint, needs_restart
from condor_py.lang.macro import Origin
from condor_py.model.errors import ConfigError
from tests.spec.config.grammar import NAMES, Case, Grammar

LAST = "IS_IT_READ"
#: Configurations of a test; CONDOR_PY_WALKS asks for more or fewer.
COUNT = 3 * int(os.environ.get("CONDOR_PY_WALKS", "150"))


def read(case: Case) -> Config | str:
    """The configuration, or why it is refused."""
    try:
        return load({**os.environ, **case.environ, "CONDOR_CONFIG": str(case.root)}, subsystem=case.subsystem)
    except ConfigError as error:
        return str(error)


def value(config: Config, name: str) -> tuple[str | None] | None:
    """The value of ``name`` in a tuple; None when it cannot be compared (a circle, a wrong argument)."""
    found = config.setting(name)
    if found is not None and "." in found.name:
        return None  # the bindings do not see a name that is only set for the subsystem
    try:
        return (config.expanded(name),)
    except ConfigError:
        return None


@pytest.mark.parametrize("seed", range(2))
def test_random_configurations(htcondor_files, tmp_path: Path, seed: int) -> None:
    cases: list[Case] = []
    for index in range(COUNT):
        folder = tmp_path / str(index)
        folder.mkdir()
        cases.append(Grammar(random.Random(f"{seed}.{index}"), folder).case())
    ours = [read(case) for case in cases]
    for cache in tmp_path.glob("*/cache*"):
        cache.unlink()  # the other one shall make its own
    values = [{} if isinstance(one, str) else {name: value(one, name) for name in NAMES} for one in ours]
    asked = [
        {
            "root": str(case.root),
            "environ": case.environ,
            "subsystem": case.subsystem,
            "names": [LAST, *(NAMES if not known else [name for name, one in known.items() if one is not None])],
        }
        for case, known in zip(cases, values, strict=True)
    ]
    compared = refused = 0
    for case, config, known, theirs in zip(cases, ours, values, htcondor_files(asked), strict=True):
        text = case.root.read_text()
        if isinstance(config, str):
            if " macro: " not in config and "contains itself" not in config and "macro functions" not in config:
                assert LAST not in theirs, f"we refuse {text}\n{config}"
                refused += 1
            continue
        if LAST not in theirs:
            assert "rror" not in theirs.get("!", ""), f"they refuse {text}\n{theirs}"
            continue  # macros in a circle in a condition that we did not look at
        for name, one in known.items():
            if one is not None:
                expected = None if theirs[name] is None else str(theirs[name])
                assert (one[0] or "").lower() == (expected or "").lower(), f"{name} in {case} {text}"
                compared += 1
    assert compared > COUNT * 10 / 3
    assert refused > COUNT / 5


def test_lint_never_fails(tmp_path: Path) -> None:
    found = 0
    for index in range(COUNT // 3):
        folder = tmp_path / str(index)
        folder.mkdir()
        config = read(Grammar(random.Random(f"lint {index}"), folder).case())
        if isinstance(config, Config):
            for letter, knob in zip("ABCDE", ("START", "STARTD_ATTRS", "NUM_CPUS", "IS_OWNER", "SPOOL"), strict=True):
                config.macros.set(knob, f"$({letter})", Origin("file", 1))
            found += len(lint(config)) + len(needs_restart(config, config))
    assert found > COUNT // 3
