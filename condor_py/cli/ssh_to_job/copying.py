"""``-ssh sftp`` and ``-ssh scp``: these programs of OpenSSH copy files through a session in the job, without ssh.

They start this command in place of ssh (their option ``-S``), with the words of the session in an option of ssh that
only this command understands. It opens a session that runs OpenSSH's sftp-server in the directory of the job. There is
one job at the other end, so that any host name refers to it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NoReturn

from condor_py.model.errors import CondorError

PROGRAMS = ("sftp", "scp")
#: The option of ssh (-o) with the words of the session: options of ours and the job.
_SESSION = "CondorSshToJob="
#: Where systems have the program that serves sftp.
_SERVERS = (
    "/usr/lib/openssh/sftp-server",
    "/usr/libexec/openssh/sftp-server",
    "/usr/lib/ssh/sftp-server",
    "/usr/libexec/sftp-server",
)
#: The host for sftp, which may be called without one.
_HOST = "remote"


def copy(words: Sequence[str], session: Sequence[str], rest: Sequence[str]) -> NoReturn:
    """Become ``words``, sftp or scp with its options, for what ``rest`` names. ``session`` are options of ours and the
    job. CondorError when the program cannot be started."""
    from shlex import join

    from condor_py.lang.config.installed import tools_directory

    program = os.path.basename(words[0])
    _server()
    names = list(rest) or ([_HOST] if program == "sftp" else [])
    own = ["-S", os.path.join(tools_directory(), "condor_ssh_to_job"), "-o", _SESSION + join(session)]
    try:
        os.execvp(words[0], [words[0], *own, *words[1:], *names])
    except OSError as error:
        raise CondorError(f"-ssh {program}: cannot run {words[0]}: {error.strerror}") from None


def session_words(argv: Sequence[str]) -> list[str] | None:
    """The command line of the session that sftp or scp asks this command for; None for one that a user has typed."""
    given = [word.removeprefix(_SESSION) for word in argv if word.startswith(_SESSION)]
    if not given or "--" not in argv:
        return None
    from shlex import split

    at = list(argv).index("--")
    command = list(argv[at + 2 :])  # behind the host
    if "-s" in argv[:at]:  # the name of a subsystem
        command = [_server()]
    return ["-ssh", "ssh -T", *split(given[0]), *command]


def _server() -> str:
    """The path of sftp-server. CondorError without one."""
    for path in _SERVERS:
        if os.access(path, os.X_OK):
            return path
    raise CondorError("sftp and scp need OpenSSH's sftp-server on this machine (Debian: openssh-sftp-server)")
