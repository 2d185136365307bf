"""Places where the pages are served, and the socket at which the kernel names who wants to log in."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from typing import TYPE_CHECKING

from condor_py.client import wire
from condor_py.model.errors import CondorError

if TYPE_CHECKING:
    import socket

    from condor_py.client.pool import Pool

_PATIENCE = 5.0
_LONGEST_ANSWER = 4096


def login_sockets(pool: Pool) -> list[str]:
    """Return where the socket for logins may be: that of a server of the caller's own, and the pool's."""
    mark = hashlib.sha256(pool.paths.spool.encode("utf-8", "surrogateescape")).hexdigest()[:12]
    runtime = os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.geteuid()}"
    own = runtime if os.path.isdir(runtime) else f"/tmp/condor_web-{os.geteuid()}"
    return [f"{own}/condor_web-{mark}", f"{pool.paths.sockets}/web"]


def own_socket(pool: Pool) -> str:
    """Return the path of the socket for logins of a server that starts. CondorError when there is no place for it."""
    own, shared = login_sockets(pool)
    if os.access(pool.paths.sockets, os.W_OK):
        return shared
    folder = os.path.dirname(own)
    try:
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder, 0o700)
        found = os.lstat(folder)
    except OSError as error:
        raise CondorError(f"condor_web: cannot make the directory {folder}: {error.strerror}") from None
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o022:
        raise CondorError(f"condor_web: {folder} is not a directory of this account alone: remove it")
    return own


def ask_for_login(pool: Pool) -> str:
    """Return an address that lets the caller in, of the server that runs. CondorError."""
    strange = False
    for path in login_sockets(pool):
        try:
            client = wire.connect(path, _PATIENCE)
        except wire.WireError:
            continue
        with client:
            if not _is_trusted(client, pool):
                strange = True  # any account may have made the first place: the pool's may be served all the same
                continue
            answer = _all_of(client)
        text = answer.decode("utf-8", "replace").strip()
        if not text.startswith(("http://", "https://")) or not text.isprintable():
            raise CondorError(f"condor_web: {text or 'the server does not let this account in'}")
        return text
    if strange:
        raise CondorError("condor_web: another account serves at the place of the pool's pages")
    raise CondorError(
        "condor_web: no pages are served: start them with condor_web, or put WEB into DAEMON_LIST and restart the pool"
    )


def _is_trusted(client: socket.socket, pool: Pool) -> bool:
    """Whether a server is of root, of the account of the pool, or of the caller."""
    uid = wire.peer_of(client).uid
    try:
        owner = os.stat(pool.paths.sockets).st_uid
    except OSError:
        owner = 0
    return uid in (0, owner, os.geteuid())


def _all_of(client: socket.socket) -> bytes:
    answer = b""
    try:
        while len(answer) < _LONGEST_ANSWER and (more := client.recv(_LONGEST_ANSWER)):
            answer += more
    except OSError as error:
        raise CondorError(f"condor_web: the server does not answer: {error.strerror or error}") from None
    return answer
