"""Files of the keys that sign tokens, in HTCondor's format: the bytes of the key, each altered by four bytes in turn,
so that they are not read by accident. A file belongs to the account that uses it, and no other may read it."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from itertools import cycle

from condor_py.model.errors import StoreError
from condor_py.store.fs import RealFs, remove_if_there, replace_file, store_error, temporary_name

_SCRAMBLE = b"\xde\xad\xbe\xef"
#: Bytes of a key that is made here, and of one that is read at most.
_MADE, _MOST = 64, 1 << 16


def _scrambled(data: bytes) -> bytes:
    return bytes(byte ^ other for byte, other in zip(data, cycle(_SCRAMBLE)))


def read_key(path: str) -> bytes:
    """Return the key in a file. StoreError, in HTCondor's words, where there is none that is kept securely."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    except (OSError, ValueError):
        raise _insecure(path) from None
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
            raise _insecure(path)
        data = os.read(handle, _MOST)
    except OSError:
        raise _insecure(path) from None
    finally:
        os.close(handle)
    return _scrambled(data)


def _insecure(path: str) -> StoreError:
    return StoreError(f"Failed to read file {path} securely.")


def write_key(path: str, key: bytes) -> None:
    """Give a file this key, so that no other account can read it. StoreError."""
    try:
        replace_file(RealFs(), path, _scrambled(key), 0o600, durable=True)
    except (OSError, ValueError) as error:
        if isinstance(error, ValueError):
            raise StoreError(f"cannot write the signing key: {error}") from None
        raise store_error(error, "cannot write the signing key", path) from None


def make_key(path: str) -> bool:
    """Make a key, with its directory, where ``path`` does not exist; whether it was made. It is on disk on return.
    StoreError."""
    fs = RealFs()
    directory = os.path.dirname(path)
    temporary = temporary_name(path)
    try:
        if os.path.lexists(path):
            return False
        os.makedirs(directory, 0o700, exist_ok=True)
        handle = fs.create(temporary, 0o600)
        try:
            fs.write(handle, _scrambled(os.urandom(_MADE)))
            fs.sync(handle)
        finally:
            fs.close(handle)
        try:
            fs.link(temporary, path)
        except FileExistsError:  # another pool was faster
            return False
        fs.sync_dir(directory)
    except OSError as error:
        raise store_error(error, "cannot make the signing key", path) from None
    finally:
        with suppress(OSError):
            remove_if_there(fs, temporary)
    return True
