"""Daemon logs: ``MM/DD/YY HH:MM:SS text`` lines, rotated by size or age to ``.old`` (or numbered copies)."""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Callable

from condor_py.model.errors import StoreError
from condor_py.model.settings.daemon import LogSettings
from condor_py.model.texts import escaped_lines
from condor_py.model.version import CONDOR_VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

#: The category of what every log has.
_ALWAYS = "D_ALWAYS"
#: Before the second and later lines of a message.
_INDENT = "    "


def _block(text: str, stamped: str, stamp: str) -> str:
    first, *more = text.split("\n")
    return "".join([f"{stamped}{first}\n", *(f"{_before(line, stamped, stamp)}{line}\n" for line in more)])


def _before(line: str, stamped: str, stamp: str) -> str:
    """Return the prefix of a line of a block: empty, except for a line that looks as if it had a stamp."""
    return stamped if _shape(line[: len(stamp)]) == _shape(stamp) else ""


def _shape(text: str) -> str:
    """Replace all digits of a text by 0, so that texts of one shape compare equal."""
    return "".join("0" if each.isdecimal() else each for each in text)


class DaemonLog:
    """Append-only. ``name`` is the daemon's name in syslog; ``pid`` puts the process id into every line, whatever the
    settings say.

    An empty path means standard error (condor_master -t). A log that is not ``needed`` and cannot be opened loses lines
    until it can.
    """

    def __init__(self, settings: LogSettings, name: str, *, pid: bool = False, needed: bool = True) -> None:
        self.settings = settings
        self._name = name
        self._prefix = f"(pid:{os.getpid()}) " if pid or settings.pid else ""
        self._always_pid = pid
        self._size = 0
        self._born = 0.0
        self._descriptor = -1
        #: Whether lines go nowhere until the file can be opened.
        self._is_lost = False
        self._stamp: tuple[int, str] = (0, "")
        self._copy: Callable[[bytes], None] | None = None
        try:
            self._open(os.O_TRUNC if settings.truncate else 0)
        except StoreError:
            if needed:
                raise
            self._descriptor = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
            self._is_lost = True

    @property
    def path(self) -> str:
        """The file, "" for standard error."""
        return self.settings.path

    def copy_to(self, sink: Callable[[bytes], None] | None) -> None:
        """Give each line to ``sink``, too; None ends that."""
        self._copy = sink

    def _open(self, how: int = 0) -> None:
        if not self.path:
            self._descriptor = sys.stderr.fileno()
            return
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | how
            descriptor = os.open(self.path, flags, 0o644)
            status = os.fstat(descriptor)
        except OSError as error:
            raise StoreError(f"Cannot open log file '{self.path}': {error.strerror}") from None
        self._descriptor, self._is_lost = descriptor, False
        self._size = status.st_size
        self._born = time.time() if not self._size else min(status.st_mtime, time.time())

    def retune(self, settings: LogSettings) -> None:
        """New settings from now on, and another file if it can be opened (otherwise the old one says why not)."""
        former, self.settings = self.settings, settings
        self._prefix = f"(pid:{os.getpid()}) " if self._always_pid or settings.pid else ""
        self._stamp = (0, "")
        if settings.path == former.path:
            return
        descriptor = self._descriptor
        try:
            self._open()
        except StoreError as error:
            self.settings, self._descriptor = former, descriptor
            self.write(str(error))
            return
        if former.path:
            os.close(descriptor)

    def write(self, text: str, category: str = _ALWAYS, *, block: bool = False) -> None:
        """Write one line; further lines of ``text`` are indented, so that no one takes them for messages of their own.

        A full disk loses log lines, never a job. Control characters are written as ``\\x1b``. Of a ``block`` only the
        first line has a stamp, so that programs find what another one printed; lines that look as if they had one get
        a true one before it.
        """
        self.write_all((text,), category, block=block)

    def write_all(self, texts: Sequence[str], category: str = _ALWAYS, *, block: bool = False) -> None:
        """Write several messages in one piece, as ``write`` does each."""
        if category != _ALWAYS and category not in self.settings.categories:
            return
        is_plain = "".join(texts).isprintable()
        clean = texts if is_plain else [escaped_lines(text) for text in texts]
        if self.settings.syslog:
            self._to_syslog(clean)
            return
        stamp = self._now()
        prefix = f"{self._prefix}({category}) " if self.settings.tells_category else self._prefix
        stamped = f"{stamp} {prefix}"
        if is_plain:
            lines = "".join([f"{stamped}{text}\n" for text in clean])
        elif block:
            lines = "".join(_block(text, stamped, stamp) for text in clean)
        else:
            more = f"\n{stamped}{_INDENT}"
            lines = "".join([stamped + text.replace("\n", more) + "\n" for text in clean])
        data = lines.encode("utf-8", "surrogateescape")
        if self._copy is not None:
            self._copy(data)
        if self._is_lost:
            self._open_again()
        try:
            os.write(self._descriptor, data)
        except OSError as error:
            self._is_lost = error.errno == errno.ESTALE and bool(self.path)  # the server of the file system began anew
            return
        self._size += len(data)
        if self.path and self._is_full():
            self._rotate()

    def write_banner(self, name: str, subsystem: str = "", *, owner: str = "") -> None:
        """Write that a daemon starts (on behalf of ``owner``), and which one."""
        whose = f" for {owner}" if owner else ""
        starts = f"** condor_{name} (condor_{subsystem or name.upper()}) STARTING UP{whose}"
        self.write_all((starts, f"** {CONDOR_VERSION}", f"** PID = {os.getpid()}"))

    def _to_syslog(self, texts: Sequence[str]) -> None:
        import syslog

        syslog.openlog(f"condor_{self._name}", syslog.LOG_PID, syslog.LOG_DAEMON)
        for text in texts:
            first, *more = text.split("\n")
            for line in (first, *(_INDENT + line for line in more)):
                syslog.syslog(syslog.LOG_INFO, line)

    def _is_full(self) -> bool:
        settings = self.settings
        if settings.max_bytes and self._size >= settings.max_bytes:
            return True
        return bool(settings.max_age) and time.time() - self._born >= settings.max_age

    def _now(self) -> str:
        moment = time.time()
        second = int(moment)
        settings = self.settings
        if second != self._stamp[0]:
            stamp = time.strftime(settings.time_format, time.localtime(second)) if settings.time_format else str(second)
            self._stamp = (second, stamp)
        if settings.milliseconds:
            return f"{self._stamp[1]}.{int((moment - second) * 1000):03d}"
        return self._stamp[1]

    def _rotate(self) -> None:
        keep = max(1, self.settings.keep)
        names = (
            [self.path, self.path + ".old"]
            if keep == 1
            else [self.path, *(f"{self.path}.{number}" for number in range(1, keep + 1))]
        )
        try:
            for older, newer in zip(reversed(names), reversed(names[:-1]), strict=False):
                if os.path.exists(newer):
                    os.replace(newer, older)
        except OSError:
            self._size = 0
        else:
            self._open_again()

    def _open_again(self) -> None:
        """Another file of this name from now on; until there can be one the old stays open: its number is no other
        file's."""
        former = self._descriptor
        try:
            self._open()
            os.close(former)  # which may fail, too, and closes it all the same
        except (StoreError, OSError):
            self._size = 0

    def fileno(self) -> int:
        """The descriptor, for a child's standard error."""
        return self._descriptor
