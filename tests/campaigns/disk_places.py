"""Places whose disk can be in trouble: a small ext4 of its own below a FUSE that fails as it is told (``hangfs.c``)."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from hanging import CALLS, CHANGES, HangingDirectory

#: Size of each file system and its number of inodes.
_SIZE, _INODES = 48 << 20, 1500
#: Bytes that one write takes at most while a disk is filled.
_STEP = 1 << 20


class Place:
    """A directory ``path``; ``real`` is the same directory seen past its trouble."""

    def __init__(self, name: str, top: Path) -> None:
        self.name = name
        self._top = top / name.lower()
        disk = self._top / "disk"
        disk.mkdir(parents=True)
        image = self._top / "image"
        with image.open("wb") as file:
            file.truncate(_SIZE)
        words = ["mkfs.ext4", "-q", "-m", "0", "-b", "1024", "-N", str(_INODES), "-O", "^has_journal", str(image)]
        subprocess.run(words, check=True)
        subprocess.run(["mount", "-o", "loop", str(image), str(disk)], check=True)
        self.real = disk / "files"
        self.real.mkdir()
        self._filler = disk / "filler"
        self.fuse = HangingDirectory(self._top, self.real, options="allow_other,default_permissions")
        self.path = self.fuse.path

    def fill(self) -> None:
        """No byte fits any more."""
        handle = os.open(self._filler, os.O_WRONLY | os.O_CREAT, 0o600)
        size = _STEP
        try:
            while size:
                try:
                    os.write(handle, bytes(size))
                    os.fsync(handle)
                except OSError:
                    size //= 2
        finally:
            os.close(handle)

    def use_up_inodes(self) -> None:
        """No file can be made any more."""
        self._filler.mkdir()
        number = 0
        try:
            while True:
                (self._filler / str(number)).touch()
                number += 1
        except OSError:
            pass

    def free(self) -> None:
        """All is well again."""
        if self._filler.is_dir():
            for path in self._filler.iterdir():
                path.unlink()
            self._filler.rmdir()
        else:
            self._filler.unlink(missing_ok=True)
        self.fuse.answer()


def _full(place: Place, chance: Random) -> str:
    place.fill()
    return ""


def _nearly_full(place: Place, chance: Random) -> str:
    left = chance.choice([0, 1, 7, 100, 1000, 4096, 30_000]) + chance.randrange(50)
    place.fuse.fail(errno.ENOSPC, "-", left=left)
    return f"{left} bytes left"


def _inodes(place: Place, chance: Random) -> str:
    place.use_up_inodes()
    return ""


def _read_only(place: Place, chance: Random) -> str:
    place.fuse.fail(errno.EROFS, CHANGES)
    return ""


def _errors(place: Place, chance: Random) -> str:
    calls = chance.choice([CALLS, "w", "s", "r", "n", "oO", "d", "c", "k", "u", "ws"])
    permille = chance.choice([100, 300, 1000])
    place.fuse.fail(errno.EIO, calls, permille=permille, seed=chance.randrange(1 << 30))
    return f"{permille} of 1000 calls {calls}"


def _slow(place: Place, chance: Random) -> str:
    pause = chance.randint(3, 40)
    place.fuse.slow(pause)
    return f"{pause} ms a call"


def _hanging(place: Place, chance: Random) -> str:
    place.fuse.hang()
    return ""


def _stale(place: Place, chance: Random) -> str:
    for_good = chance.random() < 0.3
    place.fuse.fail(errno.ESTALE, CALLS + "l" if for_good else CALLS)
    return "open files stay so" if for_good else ""


def _quota(place: Place, chance: Random) -> str:
    left = chance.choice([0, 0, 500, 20_000])
    place.fuse.fail(errno.EDQUOT, chance.choice(["c", "-", "ck"]), left=left)
    return f"{left} bytes left"


#: What begins each kind of trouble; it returns the details.
KINDS: dict[str, Callable[[Place, Random], str]] = {
    "full": _full,
    "nearly_full": _nearly_full,
    "inodes": _inodes,
    "read_only": _read_only,
    "errors": _errors,
    "slow": _slow,
    "hanging": _hanging,
    "stale": _stale,
    "quota": _quota,
}
#: The directories of the pool, and those of a user: event logs, work directories, home.
PLACES = ("SPOOL", "EXECUTE", "LOG", "logs", "work", "homes")
