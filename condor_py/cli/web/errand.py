"""Work at files and sockets with the rights of another account, in a child that becomes that account for good.

A file system that answers slowly or not at all costs its owner a pause: until it is over, and as long as the child is
stuck in the kernel, nothing of theirs is read. What comes back is JSON of bounded length, as the child may be under the
control of the account.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import time
from collections.abc import Callable
from typing import Any, NoReturn

from condor_py.daemons.common.errand import close_all_but
from condor_py.machine.run.identity import Account, UnknownAccount, account_for
from condor_py.machine.run.spawning import become
from condor_py.model.errors import CondorError

#: Seconds that a child may take, and that an account waits whose child took longer.
_PATIENCE, _REST = 3.0, 30.0
#: Seconds of work that are long, and the pause after it, in times of the work.
_LONG, _PAUSE = 0.5, 10
#: Bytes of an answer.
_LONGEST = 4 << 20
_MOST_RESTING = 1000
#: Account -> monotonic time from which on it is served again.
_resting: dict[str, float] = {}
#: Account -> its child that was killed and has not ended.
_stuck: dict[str, int] = {}


class CannotDo(CondorError):
    """The work failed; the text says why."""


def as_owner(owner: str, work: Callable[[], Any], patience: float | None = None, *, rests: bool = True) -> Any:
    """Return what ``work`` returns (what JSON can say), done with the rights of ``owner``. CannotDo.

    ``patience`` in seconds, _PATIENCE if None. ``rests``: the account gets the pause. Work that waits for others than
    its files has none.
    """
    try:
        who = account_for(owner)
    except UnknownAccount as error:
        raise CannotDo(str(error)) from None
    begun = time.monotonic()
    if _is_stuck(owner) or (rests and _resting.get(owner, 0.0) > begun):
        raise CannotDo(f"the files of {owner} did not answer, or slowly: they are tried again later")
    pause = 0.0
    try:
        return _answer(owner, who, work, begun + (_PATIENCE if patience is None else patience))
    except TimeoutError:
        pause = _REST
        raise CannotDo(f"the files of {owner} do not answer") from None
    finally:
        took = time.monotonic() - begun
        if took > _LONG:
            pause = pause or min(_REST, took * _PAUSE)
        if rests and pause:
            _rest(owner, pause)


def _rest(owner: str, pause: float) -> None:
    """Leave an account alone for so many seconds."""
    if len(_resting) >= _MOST_RESTING:
        _resting.clear()
    _resting[owner] = time.monotonic() + pause


def _is_stuck(owner: str) -> bool:
    """Whether a child of the account that was killed is still there."""
    pid = _stuck.get(owner)
    if pid is None:
        return False
    try:
        if not os.waitpid(pid, os.WNOHANG)[0]:
            return True
    except ChildProcessError:
        pass  # another thread has collected it
    _stuck.pop(owner, None)
    return False


def _answer(owner: str, who: Account | None, work: Callable[[], Any], deadline: float) -> Any:
    reading, pid = _started(who, work)
    try:
        data = _read(reading, deadline)
    finally:
        os.close(reading)
        os.kill(pid, signal.SIGKILL)  # it has answered, or never will
        if not _is_reaped(pid):
            _stuck[owner] = pid
    try:
        result, problem = json.loads(data)
    except (ValueError, TypeError, RecursionError):
        raise CannotDo("the process that was to do it died") from None
    if problem is not None:
        raise CannotDo(str(problem))
    return result


def _started(who: Account | None, work: Callable[[], Any]) -> tuple[int, int]:
    """Start the child; return the descriptor of its answer, and the child. CannotDo where there can be none."""
    try:
        reading, writing = os.pipe2(os.O_CLOEXEC)
    except OSError as error:
        raise CannotDo(f"no process can do it: {error.strerror}") from None
    try:
        pid = os.fork()
    except OSError as error:
        os.close(reading)
        raise CannotDo(f"no process can do it: {error.strerror}") from None
    else:
        if not pid:
            _work(who, work, writing)
        return reading, pid
    finally:
        os.close(writing)


def _read(descriptor: int, deadline: float) -> bytes:
    data = b""
    poller = select.poll()
    poller.register(descriptor, select.POLLIN)
    while True:
        left = deadline - time.monotonic()
        if left <= 0 or not poller.poll(left * 1000):
            raise TimeoutError
        more = os.read(descriptor, 1 << 16)
        if not more:
            return data
        data += more
        if len(data) > _LONGEST:
            raise CannotDo("the answer is too long")


def _is_reaped(pid: int) -> bool:
    """Collect a child that ends now; return whether it did. One that hangs in the kernel is collected later."""
    deadline = time.monotonic() + 0.5
    while time.monotonic() < deadline:
        if os.waitpid(pid, os.WNOHANG)[0]:
            return True
        time.sleep(0.002)
    return False


def _work(who: Account | None, work: Callable[[], Any], writing: int) -> NoReturn:
    """The child: it keeps nothing of the server's, and never returns into its code."""
    try:
        gc.disable()  # it would copy all of the memory that is shared with the server
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGPIPE):
            signal.signal(number, signal.SIG_DFL)
        close_all_but(writing)
        if who is not None and os.geteuid() == 0 and who.uid != 0:
            become(who)
        data = json.dumps(_done(work)).encode("ascii")
        while data:
            data = data[os.write(writing, data) :]
    finally:
        os._exit(0)


def _done(work: Callable[[], Any]) -> tuple[Any, str | None]:
    """Return the result, or why there is none."""
    try:
        return work(), None
    except OSError as error:
        return None, error.strerror or str(error)
    except CondorError as error:
        return None, str(error)
