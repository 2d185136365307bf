"""A directory that forgets what was not flushed when its power is lost (``forgetfs.c``)."""

from __future__ import annotations

import os
import select
import subprocess
import sys
from pathlib import Path

from campaign import CannotRun

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from hanging import compile_program, missing

_SOURCE = Path(__file__).with_name("forgetfs.c")
#: Seconds within which the file system answers.
_PATIENCE = 60.0
#: What a machine may find after a crash: see forgetfs.c.
MODELS = ("journal", "strict")


class ForgetfulDirectory:
    """``path`` is where it is mounted, below ``top``. Everybody may use it."""

    def __init__(self, top: Path) -> None:
        if reason := missing():
            raise CannotRun(reason)
        self.path = top / "disk"
        self.path.mkdir(parents=True)
        program = top / "forgetfs"
        compile_program(_SOURCE, program)
        # In a session of its own: what is typed at a terminal ends the campaign, which ends this.
        self._process = subprocess.Popen(
            [str(program), str(self.path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )
        self._heard = b""
        self._expect("up")

    def flushes(self) -> int:
        """Flushes so far."""
        return int(self._ask("count"))

    def arm(self, flush: int, when: str) -> None:
        """Lose the power at this flush, counted from now: ``before`` it is done, when it is done and ``unacked``, or
        ``after`` it is acknowledged."""
        self._tell(f"arm {flush} {when}")
        self._expect("armed")

    def has_crashed(self, seconds: float = 0.0) -> bool:
        """Whether the power was lost at the armed flush, by now or within so many seconds."""
        return self._listen(seconds) and self._line().startswith("crashed")

    def crash(self) -> None:
        """Lose the power now."""
        answer = self._ask("crash")
        assert answer.startswith("crashed"), answer
        while self._listen(0):  # it was lost at the armed flush at this moment
            self._line()

    def recover(self, seed: int, model: str) -> None:
        """Come up again with what is left, chosen by a seed. All that used it must have been killed."""
        self._tell(f"recover {seed} {model}")
        self._expect("up")

    def save(self, number: int = 0) -> None:
        """Keep what is there, all of it flushed, under a number (0 or 1). Nothing may be open."""
        self._tell(f"save {number}")
        self._expect("up")

    def load(self, number: int = 0) -> None:
        """Have what was saved again."""
        self._tell(f"load {number}")
        self._expect("up")

    def close(self) -> None:
        """Unmount it; everything in it is gone."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        subprocess.run(["umount", "-q", "-l", str(self.path)], check=False, stderr=subprocess.DEVNULL)

    def _tell(self, order: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{order}\n".encode())
        self._process.stdin.flush()

    def _ask(self, order: str) -> str:
        self._tell(order)
        assert self._listen(_PATIENCE), f"the file system does not answer to {order!r}"
        return self._line()

    def _expect(self, wanted: str) -> None:
        assert self._listen(_PATIENCE), f"the file system does not say {wanted!r}"
        answer = self._line()
        assert answer == wanted, f"{answer!r} instead of {wanted!r}"

    def _listen(self, seconds: float) -> bool:
        """Whether there is a line to read."""
        assert self._process.stdout is not None
        while b"\n" not in self._heard:
            handle = self._process.stdout.fileno()
            if not select.select([handle], [], [], seconds)[0]:
                return False
            data = os.read(handle, 4096)
            if not data:
                raise AssertionError(f"the file system has ended, exit status {self._process.wait()}")
            self._heard += data
        return True

    def _line(self) -> str:
        line, _, self._heard = self._heard.partition(b"\n")
        return line.decode()
