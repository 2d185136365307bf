"""A directory whose file system can be told not to answer, or to be slow (``hangfs.c``)."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

_SOURCE = Path(__file__).with_name("hangfs.c")


class HangingDirectory:
    """``path`` is where it is mounted; everybody may use it."""

    def __init__(self, top: Path) -> None:
        self.path, self._backing, self._gate = top / "mounted", top / "backing", top / "gate"
        for path in (self.path, self._backing):
            path.mkdir(parents=True)
        self._backing.chmod(0o777)
        program = top / "hangfs"
        asked = ["pkg-config", "--cflags", "--libs", "fuse3"]
        flags = subprocess.run(asked, capture_output=True, text=True, check=True)
        compiled = ["cc", "-O1", "-Wall", "-Wextra", str(_SOURCE), "-o", str(program), *shlex.split(flags.stdout)]
        subprocess.run(compiled, check=True)
        words = [str(program), str(self._backing), str(self._gate), str(self.path), "-o", "allow_other"]
        subprocess.run(words, check=True)

    def hang(self) -> None:
        """From now on nothing is answered."""
        self._gate.touch()

    def slow(self, milliseconds: int) -> None:
        """From now on everything takes so long."""
        self._gate.with_suffix(".new").write_text(str(milliseconds))
        self._gate.with_suffix(".new").rename(self._gate)

    def answer(self) -> None:
        """It works as others do."""
        self._gate.unlink(missing_ok=True)

    def read(self, name: str) -> str:
        """What is in a file, without asking this file system; "" when there is none."""
        path = self._backing / name
        return path.read_text() if path.exists() else ""

    def close(self) -> None:
        """It is unmounted."""
        self.answer()
        subprocess.run(["umount", "-l", str(self.path)], check=False)


def hanging_directory(top: Path) -> HangingDirectory:
    """Mounts one below ``top``; skips where that cannot be."""
    if os.geteuid() != 0:
        pytest.skip("mounting needs root")
    if not os.path.exists("/dev/fuse"):
        pytest.skip("there is no /dev/fuse")
    if shutil.which("cc") is None or shutil.which("pkg-config") is None:
        pytest.skip("there is no C compiler, or no pkg-config")
    if subprocess.run(["pkg-config", "--exists", "fuse3"], check=False).returncode != 0:
        pytest.skip("libfuse3 with its headers is not installed")
    return HangingDirectory(top)
