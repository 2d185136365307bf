"""Encryption of a scratch directory's file system: dm-crypt, between it and the file or volume that it is on.

A new key is made for every job. It goes to cryptsetup through a pipe, and is only in the kernel: no process can read
the data on the disk when the job is gone, or after a power failure.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress

from condor_py.machine.run.machinetools import MAPPER, PATH, run, write_down

_MAKER = "cryptsetup"
_CIPHER, _KEY_BYTES = "aes-xts-plain64", 64
#: Next to the scratch directory: the name of what is encrypted.
_MARK = ".encrypted"
_MODULES = "/sys/module", "/lib/modules"


def why_not() -> str:
    """Why nothing can be encrypted on this machine; "" when it can."""
    if os.geteuid() != 0:
        return "only root can encrypt scratch directories"
    if not os.path.exists(MAPPER):
        return "this kernel has no device mapper"
    if shutil.which(_MAKER, path=PATH) is None:
        return f"there is no {_MAKER} (cryptsetup-bin)"
    return "" if _has_target(*_MODULES) else "this kernel's device mapper cannot encrypt (dm-crypt)"


def _has_target(loaded: str, there: str) -> bool:
    """Whether the kernel has dm-crypt, or a module that it loads when that is wanted."""
    if os.path.exists(f"{loaded}/dm_crypt"):
        return True
    for name in ("modules.dep", "modules.builtin"):
        path = f"{there}/{os.uname().release}/{name}"
        with suppress(OSError), open(path, encoding="utf-8", errors="replace") as file:
            if "/dm-crypt.ko" in file.read():
                return True
    return False


def encrypt(root: str, device: str) -> str:
    """The path of a new device that writes onto ``device``, which may be a file, and encrypts. Its name is written down
    in a starter's directory ``root`` before it is made. OSError."""
    name = f"condor_{os.urandom(8).hex()}-enc"  # as HTCondor's end
    write_down(f"{root}/{_MARK}", name)
    how = "--type", "plain", "--cipher", _CIPHER, "--key-size", str(8 * _KEY_BYTES), "--hash", "plain"
    key = "--key-file", "-", "--keyfile-size", str(_KEY_BYTES)
    run(_MAKER, "open", "--batch-mode", *how, *key, device, name, data=os.urandom(_KEY_BYTES))
    return _device(name)


def remove(root: str) -> None:
    """Takes away what ``encrypt`` has made for a starter's directory ``root``, if it has; nothing of it is mounted any
    more. OSError."""
    try:
        with open(f"{root}/{_MARK}", encoding="ascii", errors="replace") as file:
            name = file.read()
    except FileNotFoundError:
        return
    if name and os.path.exists(_device(name)):
        try:
            run(_MAKER, "close", name)
        except OSError:  # a process still has it open: it goes with that process
            run(_MAKER, "close", "--deferred", name)
    os.unlink(f"{root}/{_MARK}")


def _device(name: str) -> str:
    return f"/dev/mapper/{name}"
