"""The screens of the guides: what stands in their ```console blocks, run on a pool and compared, or written anew.

A guide is read from top to bottom. A line ``$ command`` in a console block is run in the work directory, which begins
as a copy of etc/examples; what follows it is what it prints. Comments say more:

    <!-- run: command -->     runs something that is not shown
    <!-- file: NAME -->       before a code block: writes the block to NAME
    <!-- varies -->           before a console block: its screens are run and not compared
    <!-- knob: NAME = value -->  anywhere: a setting of the pool in which the guide is read

    python tests/e2e/guide_screens.py README.md docs/user-guide.md     writes the screens anew
"""

from __future__ import annotations

import os
import pwd
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

sys.path.insert(0, str(Path(__file__).parent))

from pool import ROOT, PersonalPool

_FENCE = re.compile(r"^ {0,3}```(\w*)$")
_KNOB = re.compile(r"^<!-- knob: (\w+) = ?(.*?) ?-->$")
_HIDDEN = re.compile(r"^<!-- (run|file|varies)(?:: (.*))? -->$")


@dataclass
class Step:
    """One thing to do; what it prints, or what the file holds, is in lines ``first`` to ``last`` (exclusive)."""

    kind: Literal["run", "file", "screen", "varies"]
    command: str
    first: int
    last: int


def steps(lines: list[str]) -> Iterator[Step]:
    """What a guide asks to be done, in its order."""
    language: str | None = None
    told = ("", "")
    begin = 0
    for number, line in enumerate(lines):
        if fence := _FENCE.match(line):
            if language is None:
                language, begin = fence[1], number + 1
                continue
            if told[0] == "file":
                yield Step("file", told[1], begin, number)
            elif language == "console":
                yield from _screens(lines, begin, number, told[0] == "varies")
            language, told = None, ("", "")
        elif language is None and (hidden := _HIDDEN.match(line)):
            if hidden[1] == "run":
                yield Step("run", hidden[2], number, number)
            else:
                told = (hidden[1], hidden[2])


def _screens(lines: list[str], begin: int, end: int, varies: bool) -> Iterator[Step]:
    """The commands of one console block."""
    starts = [number for number in range(begin, end) if lines[number].startswith("$ ")]
    for start, after in zip(starts, [*starts[1:], end], strict=True):
        yield Step("varies" if varies else "screen", lines[start][2:], start + 1, after)


def guide_pool(directory: Path, lines: list[str]) -> PersonalPool:
    """The pool of a guide: four cores, on the machine "lab", and the knobs that its lines name."""
    knobs = dict(found.groups() for line in lines if (found := _KNOB.match(line)))
    return PersonalPool(directory / "pool", cpus=4, NETWORK_HOSTNAME="lab", DAGMAN_AVOID_SLASH_TMP="false", **knobs)


class Desk:
    """A shell in the work directory of a pool, with the tools on its PATH."""

    def __init__(self, pool: PersonalPool) -> None:
        self.pool = pool
        shutil.copytree(ROOT / "etc" / "examples", pool.work, dirs_exist_ok=True)
        self.environment = {
            **pool.environment,
            "PATH": f"{ROOT / 'bin'}:{Path(sys.executable).parent}:{pool.environment['PATH']}",
            "CONDOR_PY_PYTHON": sys.executable,
            "PYTHONPATH": str(ROOT),
            "COLUMNS": "110",
        }

    def do(self, step: Step, lines: list[str]) -> list[str]:
        """Does a step; the lines that it prints."""
        if step.kind == "file":
            path = self.pool.work / step.command
            path.write_text("\n".join(lines[step.first : step.last]) + "\n")
            path.chmod(0o755)
            return []
        done = subprocess.run(
            ["sh", "-c", step.command],
            env=self.environment,
            cwd=self.pool.work,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
            check=False,
        )
        if step.kind == "run":
            assert done.returncode == 0, f"{step.command}: exit {done.returncode}\n{done.stdout}"
        text = done.stdout.replace(str(self.pool.directory / "local"), "/home/alice/.local/state/condor_py")
        return text.replace(str(self.pool.work), "/home/alice/jobs").splitlines()


#: What differs from run to run, and what stands for it; then blanks are squeezed.
_VARIES = (
    (r"[A-Z][a-z]{2} [A-Z][a-z]{2} +\d+ \d\d:\d\d:\d\d \d{4}", "WHEN"),
    (r"\b\d{1,2}/\d{1,2}(/\d{2,4})? +\d\d:\d\d(:\d\d)?", "WHEN"),
    (r"\b\d+\+\d\d:\d\d(:\d\d)?|<now>", "LONG"),
    (r"( [RI] +LONG +\d+ +)\d+\b", r"\1SIZE"),
    (r"\b\d+\.\d\d+\b", "FIGURE"),
    (r"( [RI] +\d+ +)\d+\.\d\b", r"\1SIZE"),
    (r"(TARGET\.Disk = )\d+", r"\1SIZE"),
    (r"(CondorVersion: )[^$]*", r"\1VERSION"),
)


def alike(lines: list[str]) -> list[str]:
    """Lines without what differs between machines, accounts and runs."""
    text = "\n".join(lines)
    text = re.sub(rf"\b{re.escape(os.uname().nodename)}\b", "lab", text)
    text = re.sub(rf"\b{re.escape(pwd.getpwuid(os.geteuid()).pw_name)}\b", "alice", text)
    for pattern, name in _VARIES:
        text = re.sub(pattern, name, text)
    # Root's condor_q shows everybody's jobs, and so has no line for his own.
    kept = (line for line in text.splitlines() if not line.startswith("Total for alice"))
    return [re.sub(r"[ \t]+|-{3,}", " ", line).strip() for line in kept]


def write(guide: Path) -> None:
    """Puts what the commands print now into a guide."""
    lines = guide.read_text().splitlines()
    with tempfile.TemporaryDirectory() as directory:
        pool = guide_pool(Path(directory), lines)
        try:
            pool.start()
            desk = Desk(pool)
            found = [(step, desk.do(step, lines)) for step in steps(lines)]
        finally:
            pool.stop()
    for step, printed in reversed(found):
        if step.kind in ("screen", "varies"):
            lines[step.first : step.last] = [line.rstrip() for line in printed]
    guide.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        write(Path(name))
