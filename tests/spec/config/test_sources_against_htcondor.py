"""Random trees of configuration files are read in HTCondor's order: root, directories, local files, environment."""

from __future__ import annotations

import os
import random
from pathlib import Path

from condor_py.lang.config import load
from condor_py.model.errors import ConfigError

NAMES = ["A", "B", "C"]
#: Trees of a test; CONDOR_PY_WALKS asks for more or fewer.
COUNT = 2 * int(os.environ.get("CONDOR_PY_WALKS", "150"))
FILES = ["d1/10-a", "d1/9-b", "d1/.hidden", "d1/x~", "d1/#x", "d1/s.sh", "d1/Z", "d2/a", "d2/b.skip", "l1", "l2", "l3"]
PATTERNS = ["skip$", "^(\\..*)$", "^10", ""]


def _lists(r: random.Random, folder: Path) -> str:
    """A line that says what to read further."""
    kind = r.randrange(8)
    if kind < 3:
        names = [str(folder / name) for name in r.sample(["d1", "d2", "none"], r.randrange(1, 3))]
        return f"LOCAL_CONFIG_DIR = {r.choice([' ', ', ', ','])}".rstrip(", ") + " " + " ".join(names)
    if kind < 6:
        names = [str(folder / name) for name in r.sample(["l1", "l2", "l3", "d2/a"], r.randrange(1, 4))]
        return f"LOCAL_CONFIG_FILE = {r.choice([', ', ' ']).join(names)}"
    if kind == 6:
        return f"LOCAL_CONFIG_DIR_EXCLUDE_REGEXP = {r.choice(PATTERNS)}"
    return r.choice(
        [
            f"LOCAL_CONFIG_FILE = $(LOCAL_CONFIG_FILE) {folder}/l3",
            f"LOCAL_CONFIG_DIR = $(LOCAL_CONFIG_DIR), {folder}/d2",
            f"LOCAL_CONFIG_FILE = cat {folder}/l2 |",
            "REQUIRE_LOCAL_CONFIG_FILE = false",
            f"LOCAL_CONFIG_FILE = {folder}/nowhere",
            "LOCAL_CONFIG_DIR =",
        ]
    )


def _text(r: random.Random, folder: Path, name: str) -> str:
    lines = [f"{letter} = $({letter}) {name}" for letter in r.sample(NAMES, 2)]
    if r.random() < (0.9 if name == "root" else 0.3):
        lines += [_lists(r, folder) for _ in range(r.choice([1, 1, 2]))]
    r.shuffle(lines)
    return "\n".join(lines) + "\n"


def test_random_trees(htcondor_files, tmp_path: Path) -> None:
    cases: list[dict[str, object]] = []
    for index in range(COUNT):
        r = random.Random(f"sources {index}")
        folder = tmp_path / str(index)
        for name in ("root", *FILES):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(_text(r, folder, name))
        root = str(folder / "root")
        environ = {"_CONDOR_A": "env"} if r.random() < 0.2 else {}
        if r.random() < 0.1:
            root = "ONLY_ENV"
            environ["_CONDOR_LOCAL_CONFIG_FILE"] = f"{folder}/l1, {folder}/l2"
        cases.append({"root": root, "environ": environ, "names": [*NAMES, "IS_IT_READ"]})
    refused = compared = 0
    for case, theirs in zip(cases, htcondor_files(cases), strict=True):
        environ = dict(case["environ"])  # type: ignore[call-overload]
        try:
            config = load({**os.environ, **environ, "CONDOR_CONFIG": str(case["root"])})
        except ConfigError:
            assert "IS_IT_READ" not in theirs, f"we refuse {case}"
            refused += 1
            continue
        assert "IS_IT_READ" in theirs, f"they refuse {case}: {theirs}"
        assert {name: config.expanded(name) for name in NAMES} == {name: theirs[name] for name in NAMES}, case
        compared += 1
    assert compared > COUNT * 3 / 5
    assert refused > COUNT / 50
