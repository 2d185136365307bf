"""The commands of the guides: typed as they are shown, in a fresh account; what they print is compared, or written.

A guide is read from top to bottom, beginning in the checkout. Each line ``$ command`` in a ```console block is typed
at one shell; what follows it is what it prints. A command may go on behind a backslash, or hold a file (``<<'END'``).
Two comments say more, and neither changes anything:

    <!-- varies -->           before a console block: its output differs from machine to machine and is not compared
    <!-- check: command -->   the command, which only looks, succeeds

A command that only looks is typed again until it shows what the guide says: the pool needs a moment to get there.

    python tests/e2e/guide_screens.py README.md docs/user-guide.md     writes anew what is not as shown
"""

from __future__ import annotations

import contextlib
import os
import pwd
import re
import select
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

sys.path.insert(0, str(Path(__file__).parent))

from pool import PATIENCE, ROOT, of_processes, wait_for

_FENCE = re.compile(r"^ {0,3}```(\w*)$")
_COMMENT = re.compile(r"^<!-- (varies|check)(?:: (.*))? -->$")
_HERE = re.compile(r"<<'?(\w+)'?")
#: Commands that only look, with the options of theirs that do more.
_LOOKS = (
    "cat", "condor_config_val", "condor_history", "condor_metrics", "condor_q", "condor_status", "condor_top",
    "condor_userprio", "condor_who", "grep", "head", "htcondor dag status", "htcondor jobset list", "ls", "sort",
    "tail", "uniq", "wc",
)  # fmt: skip
_CHANGES = re.compile(r"-(set|rset|unset|reset|delete|file|listen)")


@dataclass
class Step:
    """A command to type or check; what it prints is in lines ``first`` to ``last`` (exclusive)."""

    kind: Literal["screen", "varies", "check"]
    command: str
    first: int
    last: int

    def shown(self, lines: list[str]) -> list[str]:
        """What the guide shows below the command."""
        return lines[self.first : self.last]


def steps(lines: list[str]) -> Iterator[Step]:
    """What a guide asks to be done, in its order."""
    language: str | None = None
    varies = False
    begin = 0
    for number, line in enumerate(lines):
        if fence := _FENCE.match(line):
            if language is None:
                language, begin = fence[1], number + 1
                continue
            if language == "console":
                yield from _screens(lines, begin, number, varies)
            language, varies = None, False
        elif language is None and (comment := _COMMENT.match(line)):
            if comment[1] == "check":
                yield Step("check", comment[2], number, number)
            varies = comment[1] == "varies"


def _screens(lines: list[str], begin: int, end: int, varies: bool) -> Iterator[Step]:
    """The commands of one console block."""
    typed: list[tuple[int, int]] = []
    number = begin
    while number < end:
        after = number + 1
        if lines[number].startswith("$ "):
            while lines[after - 1].endswith("\\"):
                after += 1
            if here := _HERE.search(lines[number]):
                after = lines.index(here[1], after) + 1
            typed.append((number, after))
        number = after
    for (start, first), (last, _) in zip(typed, [*typed[1:], (end, end)], strict=True):
        command = "\n".join([lines[start][2:], *lines[start + 1 : first]])
        yield Step("varies" if varies else "screen", command, first, last)


def looks(command: str) -> bool:
    """Whether a command, with all that it is piped into, only looks: a reader types it again as he likes."""
    if "`" in command:
        return False
    parser = shlex.shlex(command, posix=True, punctuation_chars=True)
    parser.whitespace_split = True
    commands: list[list[str]] = [[]]
    outer: list[list[str]] = []
    for word in parser:
        if word == "(":
            outer.append(commands[-1])
            commands.append([])
        elif word == ")":
            commands.append(outer.pop())
        elif word in ("|", "&&"):
            commands.append([])
        elif re.fullmatch(r"[();<>|&]+", word) or _CHANGES.match(word):
            return False
        else:
            commands[-1].append(word)
    return all(any(f"{' '.join(one)} ".startswith(f"{name} ") for name in _LOOKS) for one in commands)


class Reader:
    """A shell in a fresh account that has nothing but a PATH and an empty home, and stands in the checkout."""

    def __init__(self, directory: Path) -> None:
        self.home = directory / "home"
        self.home.mkdir()
        path = f"{Path(sys.executable).parent}:{os.environ.get('PATH', '/usr/bin:/bin')}"
        self._shell = subprocess.Popen(
            ["sh"],
            env={"HOME": str(self.home), "PATH": path},
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def type(self, command: str) -> tuple[list[str], int]:
        """Types a command; what it prints, and its exit status."""
        assert self._shell.stdin
        assert self._shell.stdout
        self._shell.stdin.write(f"{{ {command}\n}} </dev/null\nprintf '\\ntyped %d\\n' $?\n".encode())
        self._shell.stdin.flush()
        deadline = time.monotonic() + 60 * PATIENCE
        text = b""
        while not (end := re.search(rb"\ntyped (\d+)\n\Z", text)):
            ready, _, _ = select.select([self._shell.stdout], [], [], max(0.0, deadline - time.monotonic()))
            more = os.read(self._shell.stdout.fileno(), 65536) if ready else b""
            assert more, f"$ {command}: {'the shell ended' if ready else 'does not end'}\n{text.decode()}"
            text += more
        printed = text[: end.start()].decode(errors="replace")
        return [line.rstrip() for line in printed.removesuffix("\n").split("\n")] if printed else [], int(end[1])

    def follow(self, step: Step, lines: list[str], patience: float = 30.0) -> tuple[list[str], bool]:
        """Does a step, and again where it only looks; what it printed in the end, and whether that is right."""
        deadline = time.monotonic() + patience * PATIENCE
        while True:
            printed, code = self.type(f"({step.command})" if step.kind == "check" else step.command)
            right = self.alike(printed) == self.alike(step.shown(lines)) if step.kind == "screen" else code == 0
            if right or not looks(step.command) or time.monotonic() > deadline:
                return printed, right
            time.sleep(0.1)

    def alike(self, lines: list[str]) -> list[str]:
        """Lines without what differs between machines, accounts and runs."""
        text = "\n".join(self.elsewhere(lines))
        for pattern, name in _VARIES:
            text = re.sub(pattern, name, text)
        # Root's condor_q shows everybody's jobs, and so has no line for his own.
        kept = (line for line in text.splitlines() if not line.startswith("Total for alice"))
        return [re.sub(r"[ \t]+|-{3,}", " ", line).strip() for line in kept]

    def elsewhere(self, lines: list[str]) -> list[str]:
        """Lines as the account alice sees them on the machine "lab", in the same columns."""
        text = "\n".join(lines).replace(str(self.home), "/home/alice")
        for found, name in (
            ([pwd.getpwuid(os.geteuid()).pw_name], "alice"),
            ([socket.getfqdn(), os.uname().nodename], "lab"),
        ):
            text = re.sub(rf"\b({'|'.join(map(re.escape, found))})\b( *)", partial(_renamed, name), text)
        return text.split("\n") if text else []

    def is_alone(self) -> bool:
        """Whether nothing that was started runs beside the shell."""
        return self.processes() == [self._shell.pid]

    def leave(self) -> list[int]:
        """Ends the shell, and what the reader has left behind: the ids of its processes."""
        self._shell.kill()
        self._shell.communicate()
        left = self.processes()
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        wait_for(lambda: not self.processes(), "nothing of the reader's is left")
        return left

    def processes(self) -> list[int]:
        """The processes that this account has started."""
        return [pid for pid, data in of_processes("environ") if str(self.home).encode() in data]


def _renamed(name: str, found: re.Match[str]) -> str:
    """Another name in the place of one and the blanks behind it."""
    return name + (" " * max(len(found[0]) - len(name), 1) if found[2] else "")


#: What differs from run to run, and what stands for it; then blanks are squeezed.
_VARIES = (
    (r"[A-Z][a-z]{2} [A-Z][a-z]{2} +\d+ \d\d:\d\d:\d\d \d{4}", "WHEN"),
    (r"\b\d{4}-\d\d-\d\d \d\d:\d\d", "WHEN"),
    (r"\b\d{1,2}/\d{1,2}(/\d{2,4})? +\d\d:\d\d(:\d\d)?", "WHEN"),
    (r"\b\d+\+\d\d:\d\d(:\d\d)?|<now>", "LONG"),
    (r"( [RI] +LONG +\d+ +)\d+\b", r"\1SIZE"),
    (r"\b\d+\.\d\d+\b", "FIGURE"),
    (r"( [RI] +\d+ +)\d+\.\d\b", r"\1SIZE"),
    (r"(TARGET\.Disk = )\d+", r"\1SIZE"),
    (r"(CondorVersion: )[^$]*", r"\1VERSION"),
)


def write(guide: Path) -> None:
    """Puts what the commands print now into a guide, where it is not what the guide shows."""
    lines = guide.read_text().splitlines()
    changed = []
    with tempfile.TemporaryDirectory() as directory:
        reader = Reader(Path(directory))
        try:
            for step in steps(lines):
                printed, right = reader.follow(step, lines, patience=5)
                if not right or step.kind == "varies":
                    print(f"$ {step.command}", *printed, sep="\n")
                    changed.append((step, reader.elsewhere(printed)))
        finally:
            reader.leave()
    for step, printed in reversed(changed):
        if step.kind != "check":
            lines[step.first : step.last] = printed
    guide.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        write(Path(name))
