"""Whether the schedd of another HTCondor has a spool at work: then no process of ours may write there.

It leaves its address file in its spool, as ours does; the version in the file says whose schedd it is, and the kernel
whether a process still listens there.
"""

from __future__ import annotations

import os
from functools import cache

from condor_py.model.errors import StoreError
from condor_py.model.version import BUILD_MARK

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

_ADDRESS = ".schedd_address"
#: The kernel's table of local sockets.
_SOCKETS = "/proc/net/unix"
#: Seconds; the schedd is one of this machine.
_PATIENCE = 0.5


@cache
def _sinful() -> re.Pattern[str]:
    import re

    return re.compile(r"<(?P<host>.+):(?P<port>\d+)(?:\?(?P<options>.*))?>\Z")


class Guard:
    """Keeps writers out of a spool. A look costs next to nothing as long as the address file stays as it was."""

    def __init__(self, spool: str) -> None:
        self._path = os.path.join(spool, _ADDRESS)
        self._seen: tuple[int, int, int] | None = None

    def check(self) -> None:
        """Raises StoreError when another HTCondor's schedd runs there."""
        try:
            found = os.stat(self._path)
        except OSError:
            return
        seen = found.st_ino, found.st_mtime_ns, found.st_size
        if seen == self._seen:
            return
        try:
            with open(self._path, encoding="utf-8", errors="replace") as file:
                sinful, version, *_ = [*file.read().splitlines(), "", ""]
        except OSError:
            return
        if version.startswith("$CondorVersion:") and BUILD_MARK not in version and _listens(sinful):
            name = version.removeprefix("$CondorVersion:").split()[:1]
            raise StoreError(
                f"the spool {os.path.dirname(self._path)} belongs to a running condor_schedd of HTCondor "
                f"{' '.join(name)}: nothing was changed there. Give condor_py a SPOOL and a configuration of its own"
            )
        self._seen = seen


def _listens(sinful: str) -> bool:
    """Whether anybody is there: by the name of its local socket, when it shares a port, else by its port."""
    parts = _sinful().match(sinful.strip())
    if parts is None:
        return False
    shared = [option[5:] for option in (parts["options"] or "").split("&") if option.startswith("sock=")]
    if shared:
        return _has_socket(shared[0])
    import socket

    try:
        socket.create_connection((parts["host"].strip("[]"), int(parts["port"])), _PATIENCE).close()
    except (OSError, OverflowError):
        return False
    return True


def _has_socket(name: str) -> bool:
    try:
        with open(_SOCKETS, encoding="utf-8", errors="replace") as file:
            return any(line.rstrip("\n").endswith(f"/{name}") for line in file)
    except OSError:
        return False
