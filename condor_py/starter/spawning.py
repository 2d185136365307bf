"""Starting a program with the rights of somebody else: the one place where root's rights are given up for good.

The order is the point. What root has to do in the new process (a control group, a namespace, a terminal) comes first;
then the process becomes the other account; only then does it go to its directory and look up its program. Nothing that
the other account may have changed meanwhile, a link in place of a directory above all, is followed with our rights.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import IO

from condor_py.starter.identity import Account

Stream = int | IO[bytes] | None


@dataclass(frozen=True, slots=True)
class Launch:
    """What is to be started, and where. ``user`` None: with our own rights. ``directory`` "" : where we are.

    ``enter`` is called in the new process with our rights, ``prepare`` last, with those of ``user``.
    """

    argv: Sequence[str]
    environment: Mapping[str, str]
    directory: str = ""
    user: Account | None = None
    program: str = ""
    umask: int = -1
    enter: Callable[[], None] | None = None
    prepare: Callable[[], None] | None = None


def start(launch: Launch, stdin: Stream, stdout: Stream, stderr: Stream) -> subprocess.Popen[bytes]:
    """Starts it in a session of its own. OSError when it cannot be executed or the directory is not there;
    subprocess.SubprocessError when a step of the new process failed, which ``user`` not being let into the directory
    is, too."""
    begin = None if is_plain(launch) else _beginning(launch)
    return subprocess.Popen(
        launch.argv,
        executable=launch.program or None,
        cwd=None if begin else launch.directory or None,
        env=launch.environment,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        start_new_session=True,
        umask=launch.umask,
        preexec_fn=begin,
    )


def is_plain(launch: Launch) -> bool:
    """Whether nothing is to be done between fork and execution: the kernel then has a quicker way."""
    return launch.enter is None and launch.prepare is None and not _other(launch.user)


def _other(user: Account | None) -> bool:
    return user is not None and os.getuid() == 0 and user.uid != 0


def _beginning(launch: Launch) -> Callable[[], None]:
    user = launch.user if _other(launch.user) else None

    def begin() -> None:
        if launch.enter is not None:
            launch.enter()
        if user is not None:
            become(user)
        if launch.directory:
            os.chdir(launch.directory)
        if launch.prepare is not None:
            launch.prepare()

    return begin


def become(user: Account) -> None:
    """Makes this process the account's, without a way back. A daemon that only works as ``user`` for a while
    (identity.as_user) is root again before that."""
    if os.geteuid() != 0:
        os.seteuid(0)
    os.setgroups(user.groups)
    os.setresgid(user.gid, user.gid, user.gid)
    os.setresuid(user.uid, user.uid, user.uid)


def rights() -> tuple[int, int] | tuple[None, None]:
    """User and group that a program has to become to have the rights that we have at the moment, and no others: who is
    root and works as somebody else would hand on the way back (a shell takes it by itself)."""
    return (os.geteuid(), os.getegid()) if os.getuid() == 0 and os.geteuid() != 0 else (None, None)
