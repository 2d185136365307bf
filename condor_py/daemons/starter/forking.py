"""Start of a starter: a fork of its daemon, with a socket pair between the two."""

from __future__ import annotations

import gc
import os
import signal
import socket
import sys

from condor_py.daemons.starter.daemon import StarterDaemon
from condor_py.daemons.starter.startersetup import StarterSetup
from condor_py.machine.run.family import become_subreaper


def fork_starter(setup: StarterSetup, close: list[int]) -> tuple[int, socket.socket]:
    """Forks a starter; its pid and our end of the pair. ``close`` are descriptors the child must not keep."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    pid = os.fork()
    if pid:
        theirs.close()
        return pid, ours
    status = 1
    try:
        ours.close()
        for descriptor in close:
            os.close(descriptor)
        _forget_parent()
        gc.freeze()  # what the startd had made is never garbage here: leave its pages shared
        status = StarterDaemon(setup, theirs).serve()
    except BaseException as error:  # the child must never return into the startd's code
        sys.stderr.write(f"condor_starter {os.getpid()}: {type(error).__name__}: {error}\n")
        sys.stderr.flush()
    finally:
        os._exit(status)


def _forget_parent() -> None:
    """Signals as at program start, and our own family."""
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGHUP, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    # A handler, not SIG_IGN: an ignored signal would stay ignored in the jobs we execute.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT):
        signal.signal(number, _do_nothing)
    become_subreaper()


def _do_nothing(*arguments: object) -> None:
    """The startd ends us by closing our socket."""
