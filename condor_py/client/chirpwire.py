"""The words of Chirp, version 2: request lines, the codes of answers, and nothing that does anything.

A request is a line of words; a backslash takes away the meaning of the character behind it. Bytes may follow. The
answer is a line with a number, negative for an error, and bytes may follow that, too.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from typing import NamedTuple

#: Bytes of the longest request line, without its end.
LINE_MAX = 5120
VERSION = 2

NOT_AUTHENTICATED = -1
NOT_AUTHORIZED = -2
DOES_NOT_EXIST = -3
TOO_BIG = -5
INVALID_REQUEST = -8
TRY_AGAIN = -11
UNKNOWN = -127

_CODES = {
    errno.EPERM: NOT_AUTHORIZED, errno.EACCES: NOT_AUTHORIZED, errno.EROFS: NOT_AUTHORIZED,
    errno.ENOENT: DOES_NOT_EXIST, errno.EEXIST: -4, errno.EFBIG: TOO_BIG, errno.ENAMETOOLONG: TOO_BIG,
    errno.ENOSPC: -6, errno.EDQUOT: -6, errno.ENOMEM: -7, errno.E2BIG: INVALID_REQUEST, errno.EINVAL: INVALID_REQUEST,
    errno.ENFILE: -9, errno.EMFILE: -9, errno.EBUSY: -10, errno.ETXTBSY: -10, errno.EAGAIN: TRY_AGAIN,
    errno.EINTR: TRY_AGAIN, errno.EBADF: -12, errno.EISDIR: -13, errno.ENOTDIR: -14, errno.ENOTEMPTY: -15,
    errno.EXDEV: -16, errno.ETIMEDOUT: -17,
}  # fmt: skip
_BLANKS = b" \t\n\v\f\r"


class Answer(NamedTuple):
    """``code``, and the bytes behind it."""

    code: int
    data: bytes = b""

    def encoded(self) -> bytes:
        """As it is sent."""
        return b"%d\n" % self.code + self.data


class Refused(Exception):
    """A request that is answered with an error."""

    def __init__(self, code: int) -> None:
        super().__init__(str(code))
        self.code = code


def code_of(error: OSError) -> int:
    """The code of an error of the system."""
    return _CODES.get(error.errno or 0, UNKNOWN)


def words(line: bytes) -> list[bytes]:
    """The words of a request line, escapes taken out."""
    found: list[bytes] = []
    word: bytearray | None = None
    escaped = False
    for byte in line:
        if not escaped and byte in _BLANKS:
            if word is not None:
                found.append(bytes(word))
            word = None
            continue
        word = bytearray() if word is None else word
        if not escaped and byte == 0x5C:
            escaped = True
        else:
            word.append(byte)
            escaped = False
    return found if word is None else [*found, bytes(word)]


def quoted(word: str) -> bytes:
    """A word for a request line."""
    escaped = "".join("\\" + each if each in " \t\n\r\\" else each for each in word)
    return os.fsencode(escaped)


def number(word: bytes, least: int = -(2**31), most: int = 2**63 - 1) -> int:
    """A decimal word. Refused for anything else and what is out of bounds."""
    try:
        value = int(word)
    except ValueError:
        raise Refused(INVALID_REQUEST) from None
    if not least <= value <= most or len(word) > 20:
        raise Refused(INVALID_REQUEST)
    return value


def text(word: bytes) -> str:
    """A word that is text. Refused when it is not UTF-8."""
    try:
        return word.decode()
    except UnicodeDecodeError:
        raise Refused(INVALID_REQUEST) from None


def path(word: bytes) -> str:
    """A word that is a path. Refused for what no path can be."""
    if not word or b"\0" in word:
        raise Refused(INVALID_REQUEST)
    return os.fsdecode(word)


def stat_line(numbers: Sequence[int]) -> bytes:
    """The numbers of a file or a file system, as a line."""
    return " ".join(map(str, numbers)).encode() + b"\n"


def stat_numbers(info: os.stat_result) -> tuple[int, ...]:
    """Device, inode, mode, links, uid, gid, device it is, size, block size, blocks, times of access, change of contents
    and of status (seconds)."""
    return (
        info.st_dev, info.st_ino, info.st_mode, info.st_nlink, info.st_uid, info.st_gid, info.st_rdev, info.st_size,
        info.st_blksize, info.st_blocks, int(info.st_atime), int(info.st_mtime), int(info.st_ctime),
    )  # fmt: skip


def open_flags(letters: bytes) -> int:
    """The flags of open(2) for the letters of a request: r w a t c x."""
    flags = os.O_RDONLY
    if b"w" in letters:
        flags = os.O_RDWR if b"r" in letters else os.O_WRONLY
    for letter, flag in ((b"c", os.O_CREAT), (b"t", os.O_TRUNC), (b"x", os.O_EXCL), (b"a", os.O_APPEND)):
        if letter in letters:
            flags |= flag
    return flags
