"""Programs of the machine's that make the disks of jobs: mkfs, lvm2, cryptsetup; and what they need."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess

PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
#: The file by which the kernel shows that it has a device mapper.
MAPPER = "/sys/class/misc/device-mapper"
#: The program that makes device files; LVM makes its own without one.
_UDEV = "/run/udev/control"
_PATIENCE = 60


def run(*words: str, data: bytes = b"") -> str:
    """Run a machine's program with input ``data`` and return its output. OSError when it fails, or takes too long."""
    try:
        done = subprocess.run(
            words,
            executable=shutil.which(words[0], path=PATH),
            env={"PATH": PATH, "LC_ALL": "C", **({} if os.path.exists(_UDEV) else {"DM_DISABLE_UDEV": "1"})},
            cwd="/",
            input=data,
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise OSError(errno.ETIMEDOUT, f"{words[0]} took more than {_PATIENCE} seconds") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip()
        raise OSError(f"{words[0]}: {said or f'exit status {done.returncode}'}")
    return done.stdout.decode(errors="replace")


def write_down(path: str, text: str) -> None:
    """Notes in a new file what is about to be made, so that the removal of left-overs finds it. OSError."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
