"""One session in a job: finding its starter (and waiting for it), opening the session, being there until it ends.

The starter gets the open files of the session with the request. What is a pipe or a file here is simply handed over;
what is a terminal is served by ``relay`` through a pseudo-terminal (a shell) or pipes (a command).
"""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING

from condor_py.client.wire import Client, WireError
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId
from condor_py.model.messages import sessions as say
from condor_py.model.messages.codec import A, Message, Refused, Request, answer_of

if TYPE_CHECKING:
    from condor_py.client.pool import Pool

#: Seconds between attempts while the schedd is away or the job's slot is suspended.
_PAUSE = 1.0
#: Exit code when the session is lost, as ssh's.
LOST = 255
_FAILED = 1
_ENDINGS = (signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGQUIT)


@dataclass(frozen=True, slots=True)
class Wish:
    """The options of a session.

    ``command`` is for the shell ("" for a login shell), ``terminal`` as ssh's -t and -T (None: a terminal for a shell,
    none for a command). ``display`` lets X11 programs in, ``retry`` waits for the job, ``remove`` removes the job when
    the session does not end by itself. ``node`` is one of a parallel job, less than 0 the first of the proc.
    """

    command: str = ""
    shells: tuple[str, ...] = ()
    terminal: bool | None = None
    display: bool = False
    retry: bool = False
    remove: bool = False
    debug: bool = False
    node: int = -1


class Interrupted(BaseException):
    """A signal asked this program to end."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class NotYet(CondorError):
    """No session is possible now, but one may be later."""


def attach(pool: Pool, job: JobId, wish: Wish) -> int:
    """Opens a session in ``job`` and stays until it is over; the exit code. CondorError when none can be opened."""
    sys.stdout.flush()
    with _signals_raise() as wakeup:
        try:
            code, ended = _Visit(pool, job, wish, wakeup).run()
        except Interrupted as interrupted:
            return _interrupted(pool, job, wish, interrupted.number)
        except NotYet as error:
            raise CondorError(f"{error}\n(Use -auto-retry to keep trying periodically.)") from None
    if wish.remove and not ended:
        _remove(pool, job)
    return code


@contextmanager
def _signals_raise() -> Iterator[int]:
    """Whatever would kill this program ends it in an orderly way: the terminal is given back.

    The descriptor becomes readable with a signal: a waiting process must wait for it too, for a signal that comes just
    before it waits.
    """

    def note(number: int, frame: FrameType | None) -> None:
        raise Interrupted(number)

    wakeup, write = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    before = {number: signal.signal(number, note) for number in _ENDINGS if signal.getsignal(number) != signal.SIG_IGN}
    try:
        yield wakeup
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(-1)
        os.close(wakeup)
        os.close(write)


def _interrupted(pool: Pool, job: JobId, wish: Wish, number: int) -> int:
    if not wish.remove:  # as if it had never been caught
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        return 128 + number
    name = signal.Signals(number).name
    _say(f"Interrupted by signal {number} ({name}), removing job {job}...\n")
    _remove(pool, job)
    return _FAILED


def _say(text: str) -> None:
    """On stderr, if that is still there: the window may have been closed."""
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:  # what is buffered goes nowhere, so that the interpreter does not fail on it at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def _remove(pool: Pool, job: JobId) -> None:
    from condor_py.model.selection import Selection

    result = pool.act("remove", Selection((job,)), f"The session of job {job} ended").results.get(job)
    if result == 1:
        _say(f"Job {job} marked for removal\n")


class _Visit:
    """From the first question to the last byte."""

    def __init__(self, pool: Pool, job: JobId, wish: Wish, wakeup: int) -> None:
        self.pool = pool
        self.job = job
        self.wish = wish
        self._wakeup = wakeup
        self._told = False

    def run(self) -> tuple[int, bool]:
        """(exit code, whether the session ended by itself)."""
        while True:
            try:
                return self._visit(self._locate())
            except NotYet as error:
                if not self.wish.retry:
                    raise
                self._waiting()
                self._debug(str(error))
                select.select([self._wakeup], [], [], _PAUSE)

    def _debug(self, text: str) -> None:
        if self.wish.debug:
            _say(f"condor_ssh_to_job: {text}\n")

    def _waiting(self) -> None:
        if not self._told:
            _say("Waiting for job to start...\n")
            self._told = True

    def _receive(self, client: Client) -> Message:
        """The next message. Waits for signals as well, which a plain read may sleep through."""
        poller = select.poll()
        poller.register(client.fileno(), select.POLLIN)
        poller.register(self._wakeup, select.POLLIN)
        while not client.has_message:
            ready = [descriptor for descriptor, _ in poller.poll()]
            if client.fileno() in ready:
                break
            os.read(self._wakeup, 512)
        return client.hear(say.BY_VISITOR)

    def _locate(self) -> say.Door:
        """Ask the schedd for the place of the job's starter. It answers when the job runs."""
        try:
            with Client(self.pool.paths.socket("schedd"), None) as client:
                client.send(say.Locate(self.job, self.wish.retry, self.wish.node))
                while isinstance(answer := self._receive(client), say.Waiting):
                    self._waiting()
                found = _checked(say.Door, answer)
                self._debug(f"job {self.job} is in {found.slot}, its starter at {found.door}")
                return found
        except WireError as error:
            self._debug(str(error))
            if self._told:
                raise NotYet(str(error)) from None
            from condor_py.cli.idle_pool import with_remedy
            from condor_py.client.pool import why_closed

            if closed := why_closed(self.pool.paths):
                raise CondorError(closed) from None
            text = "ERROR: Can't find address of local schedd: condor_schedd is not running"
            raise CondorError(with_remedy(text, self.pool)) from None

    def _visit(self, at: say.Door) -> tuple[int, bool]:
        from condor_py.cli.ssh_to_job.relay import streams_for

        proc = at.proc or str(self.job)
        try:
            client = Client(at.door, 60.0)
        except WireError as error:
            raise NotYet(f"The starter of job {self.job} cannot be reached: {error}") from None
        with client, streams_for(self.wish.terminal, bool(self.wish.command)) as streams:
            request = say.Open(
                job=proc,
                command=self.wish.command,
                shells=list(self.wish.shells),
                terminal=streams.has_terminal,
                variables=self._variables(streams.has_terminal),
            )
            if not self.wish.command:
                _welcome(self._ask(client, say.AskFacts(proc)))
            streams.close_theirs(self._ask(client, request, streams.theirs).uid)
            code = streams.serve(client, self._wakeup)
        return self._farewell(code, at.slot, streams.has_terminal)

    def _ask(self, client: Client, request: Request[A], files: Sequence[int] = ()) -> A:
        """The starter's answer. CondorError when it refuses."""
        try:
            client.send(request, descriptors=files)
            answer = self._receive(client)
        except WireError as error:
            raise NotYet(f"The starter of job {self.job} went away: {error}") from None
        return _checked(answer_of(request), answer)

    def _farewell(self, code: int | None, slot: str, has_terminal: bool) -> tuple[int, bool]:
        host = slot.rpartition("@")[2]
        if code is None:
            _say(f"Connection to condor-job.{host} closed by remote host.\n")
            return LOST, False
        if has_terminal:
            _say(f"Connection to condor-job.{host} closed.\n")
        return code, True

    def _variables(self, has_terminal: bool) -> list[list[str]]:
        names = ["TERM"] if has_terminal else []
        if self.wish.display:
            names += ["DISPLAY", "XAUTHORITY"]
            if "DISPLAY" in os.environ and "XAUTHORITY" not in os.environ:
                return [*self._given(names), ["XAUTHORITY", os.path.expanduser("~/.Xauthority")]]
        return self._given(names)

    def _given(self, names: list[str]) -> list[list[str]]:
        return [[name, os.environ[name]] for name in names if name in os.environ]


def _checked(kind: type[A], answer: Message) -> A:
    """The answer that was wanted. NotYet or CondorError for another."""
    match answer:
        case say.NotNow(text, True):
            raise NotYet(text)
        case say.NotNow(text) | Refused(text):
            raise CondorError(text)
    if not isinstance(answer, kind):
        raise CondorError(f"an answer that does not fit: {answer.op}")
    return answer


def _welcome(facts: say.Facts) -> None:
    lines = [f"Welcome to {facts.slot}!"]
    if facts.pids:
        lines.append(f"Your condor job is running with pid(s) {' '.join(map(str, facts.pids))}.")
    if facts.idle:
        lines.append(f"You will be logged out after {facts.idle} seconds of inactivity.")
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()
