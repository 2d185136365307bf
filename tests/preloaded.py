"""Tools of a pool in processes that begin with their modules loaded.

Tests run thousands of tools, and nine tenths of the time of one go into loading Python and its modules. So a process
beside that of the tests loads what earlier tools have used, and runs each in a child, with the words, the environment,
the directory, the files and the account that it is sent. Programs that stay, or start some that do, run by themselves:
tests find the processes of a pool by the environment that the kernel shows of them. How a tool starts as pip installs
it is asserted elsewhere (test_startup, test_installed, the guides).
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import json
import locale
import os
import pwd
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NoReturn

MAIN = Path(__file__).resolve().parents[1] / "condor_py" / "__main__.py"
#: Programs that stay, start some that do, or are another program for some of their words.
_BY_THEMSELVES = {
    *("condor_complete", "condor_dagman", "condor_master", "condor_mcp", "condor_negotiator", "condor_schedd"),
    *("condor_setup", "condor_startd", "condor_web", "condor_with_pool"),
}
#: What acts when a process starts, and would be too late in a child.
_AT_START = {"CONDOR_PY_NO_EXT", "LD_PRELOAD"}
_PR_SET_DUMPABLE = 4


def may_be_preloaded(words: Sequence[str], environment: Mapping[str, str]) -> bool:
    """Whether a tool does the same in a child of such a process."""
    return words[0] not in _BY_THEMSELVES and not _AT_START & environment.keys()


class PreloadedTools:
    """Runs tools, each in a child of a process that has loaded the modules of those before.

    That may have an environment and an interpreter of its own.
    """

    def __init__(self, environment: Mapping[str, str] | None = None, python: str = sys.executable) -> None:
        self._requests, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        #: The modules that tools have loaded since the last request.
        self._modules: list[str] = []
        with theirs:
            command = [python, "-I", "-S", "-X", "utf8", __file__, str(theirs.fileno())]
            self._process = subprocess.Popen(
                command,
                cwd="/",
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )
        atexit.register(self.end)

    def end(self) -> None:
        """End the process."""
        self._requests.close()
        self._process.wait()

    def begin(
        self,
        words: Sequence[str],
        environment: Mapping[str, str],
        directory: Path,
        files: Sequence[int],
        seconds: float,
        account: str = "",
    ) -> PreloadedTool:
        """Begin a tool whose standard input, output and error are these files, with the rights of an account where one
        is named: which may execute the interpreter, then. It is killed after so many seconds."""
        ours, theirs = socket.socketpair()
        with theirs:
            socket.send_fds(self._requests, [b"1"], [theirs.fileno(), *files])
        request = [list(words), dict(environment), str(directory), seconds, account, self._modules]
        ours.sendall(json.dumps(request).encode())
        ours.shutdown(socket.SHUT_WR)
        self._modules = []
        return PreloadedTool(ours, words, seconds, self._modules)


class PreloadedTool:
    """Represents a tool that runs."""

    def __init__(self, answer: socket.socket, words: Sequence[str], seconds: float, modules: list[str]) -> None:
        self._answer, self._words, self._seconds, self._modules = answer, words, seconds, modules

    def wait(self) -> int:
        """Wait for its end; its exit status, or the negative number of the signal that ended it. TimeoutExpired when it
        took longer than it may."""
        with self._answer:
            status, modules = json.loads(_all_of(self._answer))
        self._modules += modules
        if status is None:
            raise subprocess.TimeoutExpired(list(self._words), self._seconds)
        return int(status)


@cache
def preloaded_tools(python: str = sys.executable) -> PreloadedTools:
    """The tools of this process of tests, for each interpreter."""
    return PreloadedTools(python=python)


def _all_of(connection: socket.socket) -> bytes:
    """What comes until the other side has nothing more to send."""
    return b"".join(iter(lambda: connection.recv(1 << 16), b""))


# -- the process that has the modules ---------------------------------------------------------------------------------


def _serve(requests: socket.socket) -> None:
    """Run a tool for each request, until there can be no more."""
    sys.path.append(str(MAIN.parents[1]))
    from condor_py.cli.startup import lighten

    lighten()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for _keep
    while True:
        descriptors = socket.recv_fds(requests, 1, 4)[1]
        if not descriptors:
            return
        with socket.socket(fileno=descriptors[0]) as connection:
            words, environment, directory, seconds, account, modules = json.loads(_all_of(connection))
            for name in modules:
                with suppress(ImportError):
                    __import__(name)
            gc.freeze()
            if os.fork() == 0:
                requests.close()
                _keep(connection, words, environment, directory, descriptors[1:], seconds, account)
        for descriptor in descriptors[1:]:
            os.close(descriptor)


def _keep(
    connection: socket.socket,
    words: list[str],
    environment: dict[str, str],
    directory: str,
    files: list[int],
    seconds: float,
    account: str,
) -> NoReturn:
    """Run one tool, wait for its end, and answer with its status and the modules that it has loaded."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    reading, writing = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    tool = os.fork()
    if tool == 0:
        connection.close()
        os.close(reading)
        if account:
            _give_up_rights(account)
        _become(words, environment, directory, files, writing)
    for descriptor in (*files, writing):
        os.close(descriptor)
    ended = select.select([os.pidfd_open(tool)], [], [], seconds)[0]
    if not ended:
        os.kill(tool, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(tool, 0)[1])
    with suppress(BlockingIOError), suppress(ConnectionError):
        connection.sendall(json.dumps([status if ended else None, os.read(reading, 1 << 16).decode().split()]).encode())
    os._exit(0)


def _give_up_rights(account: str) -> None:
    """Have the rights of an account, also over the own files in /proc, which the kernel takes from a process that has
    changed its account."""
    entry = pwd.getpwnam(account)
    os.setgroups([])
    os.setgid(entry.pw_gid)
    os.setuid(entry.pw_uid)
    ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0)


def _become(words: list[str], environment: dict[str, str], directory: str, files: list[int], modules: int) -> NoReturn:
    """Be the tool. It leaves the names of the modules that it has loaded in a pipe."""
    for number, descriptor in enumerate(files):
        os.dup2(descriptor, number)
        os.close(descriptor)
    # As Python opens them: what it has opened for the process before remembers whether that could seek.
    sys.stdin = open(0, encoding="utf-8", errors="surrogateescape", closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", encoding="utf-8", errors="surrogateescape", newline="\n", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", 1, "utf-8", "backslashreplace", "\n", closefd=False)  # noqa: SIM115
    os.chdir(directory)
    os.environ.clear()
    os.environ.update(environment)
    locale.setlocale(locale.LC_CTYPE, "")
    time.tzset()
    sys.argv = [str(MAIN), *words]
    loaded = {*sys.modules, "site"}  # which a tool imports that looks for packages
    atexit.register(lambda: os.write(modules, "\n".join(sys.modules.keys() - loaded).encode()))
    from condor_py.cli.entry import main
    from condor_py.model.exiting import leave

    leave(main(words[0], words[1:]))


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))
