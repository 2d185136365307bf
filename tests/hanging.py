"""A directory whose file system can be told to be slow, not to answer, or to fail (``hangfs.c``)."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

_SOURCE = Path(__file__).with_name("hangfs.c")
#: Calls that change something, as letters of hangfs.c.
CHANGES = "Ocwnum"
#: All calls.
CALLS = f"grdosk{CHANGES}"


class HangingDirectory:
    """``path`` is where it is mounted; everybody may use it.

    ``backing`` is the directory that it shows, when the caller has made one. ``options`` are those of FUSE.
    """

    def __init__(self, top: Path, backing: Path | None = None, *, options: str = "allow_other") -> None:
        self.path, self._gate = top / "mounted", top / "gate"
        self.backing = backing or top / "backing"
        self.path.mkdir(parents=True)
        if backing is None:
            self.backing.mkdir()
            self.backing.chmod(0o777)
        program = top.parent / "hangfs"
        if not program.exists():
            compile_program(_SOURCE, program)
        subprocess.run([program, self.backing, self._gate, self.path, "-o", options], check=True)

    def hang(self) -> None:
        """From now on nothing is answered."""
        self._say("")

    def slow(self, milliseconds: int) -> None:
        """From now on everything takes so long."""
        self._say(str(milliseconds))

    def fail(self, number: int, calls: str = CALLS, *, permille: int = 1000, left: int = -1, seed: int = 1) -> None:
        """From now on such calls fail with an errno: so many of a thousand, and every write after ``left`` bytes."""
        self._say(f"fail {number} {permille} {calls} {left} {seed}")

    def answer(self) -> None:
        """It works as others do."""
        self._gate.unlink(missing_ok=True)

    def _say(self, text: str) -> None:
        self._gate.with_suffix(".new").write_text(text)
        self._gate.with_suffix(".new").rename(self._gate)

    def read(self, name: str) -> str:
        """What is in a file, without asking this file system; "" when there is none."""
        path = self.backing / name
        return path.read_text() if path.exists() else ""

    def close(self) -> None:
        """It is unmounted."""
        self.answer()
        subprocess.run(["umount", "-l", str(self.path)], check=False)


def compile_program(source: Path, program: Path) -> None:
    """Make a file system of its source."""
    asked = ["pkg-config", "--cflags", "--libs", "fuse3"]
    flags = subprocess.run(asked, capture_output=True, text=True, check=True)
    compiled = ["cc", "-O1", "-Wall", "-Wextra", str(source), "-o", str(program), *shlex.split(flags.stdout)]
    subprocess.run(compiled, check=True)


def missing() -> str:
    """What this machine lacks for such a directory; "" when it has everything."""
    if os.geteuid() != 0:
        return "mounting needs root"
    if not os.path.exists("/dev/fuse"):
        return "there is no /dev/fuse"
    if shutil.which("cc") is None or shutil.which("pkg-config") is None:
        return "there is no C compiler, or no pkg-config"
    if subprocess.run(["pkg-config", "--exists", "fuse3"], check=False).returncode != 0:
        return "libfuse3 with its headers is not installed"
    return ""


def hanging_directory(top: Path) -> HangingDirectory:
    """Mounts one below ``top``; skips where that cannot be."""
    if reason := missing():
        pytest.skip(reason)
    return HangingDirectory(top)
