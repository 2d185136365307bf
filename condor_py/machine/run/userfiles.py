"""Opening files that a user may have replaced by something else: a pipe that waits for a writer, a link to a file of
another user, a device.

Every process that works for several users, and every tool that root runs, opens such a path here.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import IO, Any

_ALWAYS = os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


def open_user_file(
    path: str, flags: int = os.O_RDONLY, mode: int = 0o600, *, owner: int | None = None, links: bool = False
) -> int:
    """Open a regular file; return its descriptor. Never waits for another process.

    ``owner`` is the user id that the file must belong to, if that matters; a link as the last name is followed only
    with ``links``, which is for the rights of the user alone. OSError for anything else.
    """
    descriptor = os.open(path, flags | _ALWAYS | (0 if links else os.O_NOFOLLOW), mode)
    found = os.fstat(descriptor)
    number = 0
    if not stat.S_ISREG(found.st_mode):
        number = errno.EISDIR if stat.S_ISDIR(found.st_mode) else errno.EINVAL
    elif owner is not None and found.st_uid != owner:
        number = errno.EPERM
    if number:
        os.close(descriptor)
        raise OSError(number, os.strerror(number), path)
    return descriptor


def user_file(
    path: str, mode: str = "r", errors: str = "surrogateescape", *, owner: int | None = None, links: bool = False
) -> IO[Any]:
    """Open a regular file as ``open`` does: ``mode`` is one of r, w and a, with b for bytes. Texts are UTF-8. OSError
    as ``open_user_file``."""
    flags = _FLAGS[mode[0]]
    descriptor = open_user_file(path, flags, 0o666, owner=owner, links=links)
    if "b" in mode:
        return open(descriptor, mode)
    return open(descriptor, mode, encoding="utf-8", errors=errors)


_FLAGS = {
    "r": os.O_RDONLY,
    "w": os.O_WRONLY | os.O_CREAT | os.O_TRUNC,
    "a": os.O_WRONLY | os.O_CREAT | os.O_APPEND,
}
