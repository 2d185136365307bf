"""Terminal sessions of a starter: which users may open one, the processes that run for them, and the end of the last
one.

A tool connects to the socket, the kernel says who it is, and it hands over the open files that become the standard
streams of the session. Bytes never pass through the starter. The messages are those of ``model.messages.sessions``. A
tool that closes the connection takes its session with it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import termios
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from condor_py.client.accounts import is_super_user
from condor_py.client.terminal import SavedTerminal
from condor_py.daemons.common.link import Link, Listener
from condor_py.daemons.common.loop import Loop
from condor_py.lang.classad import ClassAd, ClassAdParseError, is_true, parse
from condor_py.machine.probes import process as processes
from condor_py.machine.run.process import Streams
from condor_py.machine.run.session import MARK, SessionPlace, SessionRequest
from condor_py.model.messages import sessions as say
from condor_py.model.messages.codec import Message

if TYPE_CHECKING:
    from condor_py.machine.run.run import Run

#: Seconds between the hang-up of a session whose user is gone and the end of what does not mind it.
_HANG_UP_PATIENCE = 2.0


class Refused(Exception):
    """A request that is not granted; ``retry`` when it may be later."""

    def __init__(self, text: str, retry: bool = False) -> None:
        super().__init__(text)
        self.retry = retry


class Door(NamedTuple):
    """The access rule for sessions: ``enabled`` is ENABLE_SSH_TO_JOB, an expression about the slot (MY) and the job
    (TARGET); ``super_users`` are accounts, and groups of them (``%NAME``), that may enter the jobs of all users, as
    root may.
    """

    path: str
    slot_name: str
    slot_ad: ClassAd
    enabled: str = "true"
    super_users: tuple[str, ...] = ()


@dataclass(slots=True, eq=False)
class _Session:
    number: int
    link: Link
    process: subprocess.Popen[bytes]
    mark: str
    handle: int


class Sessions:
    """All sessions of a starter. ``dismiss`` is called when the first one of an interactive job comes, ``last_left``
    when none is open any more.
    """

    def __init__(
        self,
        loop: Loop,
        door: Door,
        dismiss: Callable[[], None],
        last_left: Callable[[], None],
        use: Callable[[], str],
        log: Callable[[str], None],
    ) -> None:
        self._use = use
        self._loop = loop
        self._door = door
        self._dismiss = dismiss
        self._last_left = last_left
        self._log = log
        self._run: Run | None = None
        self._job_ad = ClassAd()
        self._sessions: list[_Session] = []
        #: The terminals of connected users, to be restored if their tools cannot do that themselves.
        self._terminals: dict[Link, SavedTerminal] = {}
        self._count = 0
        self._suspended = False
        self._listener = Listener(
            loop, door.path, self._message, self._closed, takes_files=True, complain=log, hears=say.AT_DOOR
        )

    def admit(self, run: Run, job_ad: ClassAd) -> None:
        """Sessions of this run may begin: its program was started, with all its limits."""
        self._run, self._job_ad, self._suspended = run, job_ad, False
        run.executor.admit()

    def dismiss(self) -> None:
        """The run ends: no more sessions, and the users of open ones are informed."""
        self._run = None
        for session in list(self._sessions):
            session.link.send(say.SessionLost())
            session.link.flush()
            self._forget(session)

    def suspend(self) -> None:
        """Refuse new sessions while the job is suspended."""
        self._suspended = True

    def resume(self) -> None:
        """Accept new sessions again."""
        self._suspended = False

    @property
    def any_open(self) -> bool:
        """Whether a session keeps the slot."""
        return bool(self._sessions)

    def close(self) -> None:
        """Stop accepting sessions and end the connections; the run kills the processes."""
        self._listener.close()

    # -- coming in -----------------------------------------------------------------------------------------------------

    def _message(self, link: Link, message: Message, body: bytes) -> None:
        files = link.take_files()
        try:
            match message:
                case say.AskFacts(job):
                    self._tell(link, self._check(link, job))
                case say.AskUse(job):
                    self._owned(link, job)
                    link.send(say.UseSoFar(self._use()))
                case say.Open():
                    self._open(link, message, files)
        except Refused as refusal:
            link.send(say.NotNow(str(refusal), refusal.retry))
        except (ValueError, OSError, termios.error) as error:
            link.send(say.NotNow(f"a request that cannot be understood: {error}"))
        finally:
            for descriptor in files:
                os.close(descriptor)

    def _pids(self, run: Run) -> tuple[int, ...]:
        """The processes of the job, its program first. The environment of one that is just being executed is empty."""
        first = run.executor.pid
        if not first or run.program_is_over or run.dismissed:
            return ()
        others = processes.descendants(os.getpid()).difference({first}, *map(_members, self._sessions))
        return (first, *sorted(pid for pid in others if not _in_session(pid)))

    def _tell(self, link: Link, run: Run) -> None:
        pids = [] if self._is_interactive() else list(self._pids(run))
        link.send(say.Facts(self._door.slot_name, pids, run.environment().get("TMOUT", "")))

    def _is_interactive(self) -> bool:
        return is_true(self._job_ad.evaluate("InteractiveJob"))

    def _open(self, link: Link, wish: say.Open, files: list[int]) -> None:
        """``files``: the three streams, or a pseudo-terminal and the terminal of the user."""
        run = self._check(link, wish.job)
        request = SessionRequest(
            command=wish.command,
            shells=tuple(wish.shells),
            terminal=wish.terminal,
            variables=tuple((name, value) for name, value in wish.variables),
        )
        if len(files) != (2 if request.terminal else 3):
            raise ValueError(f"{len(files)} open files")
        if request.terminal and link not in self._terminals:
            terminal = os.dup(files[1])
            try:
                self._terminals[link] = SavedTerminal(terminal)
            except termios.error:
                os.close(terminal)
                raise
        if self._is_interactive():
            self._dismiss()
        self._count += 1
        mark = f"{os.getpid()}.{self._count}"
        place = SessionPlace(run.directory, run.environment(), self._pids(run), self._door.slot_name, mark)
        streams = Streams(files[0], files[0], files[0]) if request.terminal else Streams(files[0], files[1], files[2])
        try:
            child = run.executor.enter(request, place, streams, run.owner)
        except (OSError, subprocess.SubprocessError) as error:
            raise Refused(f"Cannot start a session for job {run.job.job_id}: {error}") from None
        session = _Session(self._count, link, child, place.mark, os.pidfd_open(child.pid))
        self._sessions.append(session)
        self._loop.read(session.handle, lambda: self._ended(session))
        link.send(say.Opened(os.geteuid() if run.owner is None else run.owner.uid))
        self._log(f"Session {session.number} of uid {link.peer.uid} in job {run.job.job_id}, pid={child.pid}")

    def _owned(self, link: Link, job: str) -> Run:
        """Return the run of a job that the caller may enter."""
        run = self._run
        if run is None or run.job.job_id != job:
            raise Refused(f"Job {job} is not running.", retry=True)
        if not self._may_enter(link.peer.uid, run):
            raise Refused(f"{_name_of(link.peer.uid)} is not authorized for access to the starter for job {job}")
        return run

    def _check(self, link: Link, job: str) -> Run:
        """Return the run of a job in which the caller may open a session now."""
        run = self._owned(link, job)
        if not self._enabled():
            raise Refused("Rejecting request, because ENABLE_SSH_TO_JOB=false")
        if run.stopped or (run.program_is_over and not self._sessions):
            raise Refused("Rejecting request, because the job is finished.")
        if self._suspended:
            raise Refused("This slot is currently suspended.", retry=True)
        if not run.executor.ready:
            raise Refused("Rejecting request, because the job execution environment is not yet ready.", retry=True)
        return run

    def _may_enter(self, uid: int, run: Run) -> bool:
        owner = os.geteuid() if run.owner is None else run.owner.uid
        return uid in (0, owner) or is_super_user(_name_of(uid), self._door.super_users)

    def _enabled(self) -> bool:
        try:
            return is_true(self._door.slot_ad.evaluate(parse(self._door.enabled), self._job_ad))
        except ClassAdParseError:
            return False

    # -- leaving -------------------------------------------------------------------------------------------------------

    def _ended(self, session: _Session) -> None:
        """The shell or command is over: what it left behind goes with it, and its user learns the exit code."""
        try:
            _, status, usage = os.wait4(session.process.pid, 0)
        except ChildProcessError:  # it was killed with the job
            session.link.send(say.SessionLost())
            self._forget(session)
            return
        session.process.returncode = code = os.waitstatus_to_exitcode(status)
        left = processes.kill_family(lambda: _members(session))
        if left:
            self._log(f"Session {session.number} left processes that cannot be killed: {sorted(left)}")
        if self._run is not None:
            self._run.meter.session_ended(usage.ru_utime, usage.ru_stime)
        _reap(session)
        self._log(f"Session {session.number} ended, status={code}")
        session.link.send(say.SessionEnded(code if code >= 0 else 128 - code))
        self._forget(session)
        if not self._sessions:
            self._last_left()

    def _forget(self, session: _Session) -> None:
        self._loop.forget(session.handle)
        os.close(session.handle)
        self._sessions.remove(session)

    def _closed(self, link: Link) -> None:
        """The tool is gone: its terminal is given back if it could not, and its session hangs up."""
        terminal = self._terminals.pop(link, None)
        if terminal is not None:
            terminal.give_back_if_raw()
            os.close(terminal.descriptor)
        for session in [session for session in self._sessions if session.link is link]:
            processes.send(processes.session_pids(session.process.pid), signal.SIGHUP)
            self._loop.after(_HANG_UP_PATIENCE, partial(self._kill, session))

    def _kill(self, session: _Session) -> None:
        if session in self._sessions:
            processes.kill_family(lambda: _members(session))


def _in_session(pid: int) -> bool:
    return os.fsencode(MARK) in processes.environ(pid)


def _members(session: _Session) -> set[int]:
    """Find the processes of a session: its Unix session, and processes that left it but carry its mark."""
    leader, mark = session.process.pid, session.mark.encode()
    found = set()
    for pid in processes.descendants(os.getpid()):
        facts = processes.stat(pid)
        same = facts is not None and facts.session == leader
        if same or processes.environ(pid).get(os.fsencode(MARK)) == mark:
            found.add(pid)
    return found


def _reap(session: _Session) -> None:
    """Orphans of a session became our children; those that are dead must not stay as zombies while the job runs."""
    for pid in processes.children(os.getpid()):
        facts = processes.stat(pid)
        if facts is not None and facts.session == session.process.pid and facts.state == "Z":
            os.waitpid(pid, os.WNOHANG)


def _name_of(uid: int) -> str:
    import pwd

    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"uid {uid}"
