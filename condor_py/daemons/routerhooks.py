"""Runs the job router's hooks: as the owners of the jobs, so many at once, each for so long. Nothing here blocks."""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Callable

from condor_py.core.routes.hooks import Answer, HookCall, Kind, read
from condor_py.daemons.common.hookpath import unusable
from condor_py.daemons.common.loop import Loop, Timer
from condor_py.daemons.common.program import Ended, Program
from condor_py.lang.classad import ClassAd
from condor_py.machine.run.identity import Account, UnknownAccount, account
from condor_py.model.signals import signal_text

#: Hooks that run at once; the others wait for their turn.
_AT_ONCE = 16
#: So many of them for the jobs of one owner: hooks that hang delay no other owner's.
_OF_ONE_OWNER = _AT_ONCE // 2
#: In which order: what ends first.
_ORDER = (Kind.FINALIZE, Kind.CLEANUP, Kind.TRANSLATE, Kind.UPDATE)
#: Characters of what a hook prints to its standard error that the log takes over.
_TOLD = 500


class RouterHookRunner:
    """The hooks that run and those that wait. ``feed`` returns the input of a call and the ad with the owner of its
    job, or None for a call that is not needed any more; ``ended`` receives the answer of every call, None for one that
    was not run."""

    def __init__(
        self,
        loop: Loop,
        log: Callable[[str], None],
        feed: Callable[[HookCall], tuple[str, ClassAd] | None],
        ended: Callable[[HookCall, Answer | None], None],
        timeout: float,
    ) -> None:
        self._loop = loop
        self._log = log
        self._feed = feed
        self._ended = ended
        self._timeout = timeout
        #: By kind, then by owner: who has not been served for the longest is first.
        self._waiting: dict[Kind, dict[str, deque[HookCall]]] = {kind: {} for kind in _ORDER}
        self._at_work: Counter[str] = Counter()
        self._running: dict[HookCall, Program] = {}

    def configure(self, timeout: float) -> None:
        """Give hooks that begin from now on so many seconds."""
        self._timeout = timeout

    def run(self, call: HookCall, owner: str) -> None:
        """Runs a hook as soon as there is room for one more of this owner's jobs."""
        self._waiting[call.kind].setdefault(owner, deque()).append(call)
        self._loop.soon(self._fill)

    def stop(self) -> None:
        """Kills what runs; the rest is forgotten."""
        for waiting in self._waiting.values():
            waiting.clear()
        for program in list(self._running.values()):
            program.kill()

    def _fill(self) -> None:
        while len(self._running) < _AT_ONCE and (found := self._next()) is not None:
            self._begin(*found)

    def _next(self) -> tuple[HookCall, str] | None:
        """The next call, with its owner."""
        for waiting in self._waiting.values():
            owner = next((owner for owner in waiting if self._at_work[owner] < _OF_ONE_OWNER), None)
            if owner is not None:
                calls = waiting.pop(owner)
                call = calls.popleft()
                if calls:
                    waiting[owner] = calls  # at the end of the line
                return call, owner
        return None

    def _begin(self, call: HookCall, owner: str) -> None:
        found = self._feed(call)
        if found is None:
            self._ended(call, None)
            return
        text, ad = found
        try:
            problem = unusable(call.program)
            if problem:
                raise OSError(f"{problem}: refusing to use it")
            self._start(call, text, _account(ad), owner)
        except (OSError, UnknownAccount) as error:
            why = error.strerror if isinstance(error, OSError) and error.strerror else error
            self._ended(call, Answer(call, (), f"cannot be run: {why}"))

    def _start(self, call: HookCall, text: str, user: Account | None, owner: str) -> None:
        limit = Timer(_nothing)
        late = False

        def stop() -> None:
            nonlocal late
            late = True
            program.kill()

        def over(ended: Ended) -> None:
            limit.cancel()
            self._running.pop(call, None)
            self._at_work[owner] -= 1
            if not self._at_work[owner]:
                del self._at_work[owner]
            self._tell(call, ended)
            self._ended(call, Answer(call, (), f"took longer than {self._timeout} s") if late else _answer(call, ended))
            self._fill()

        program = Program(
            self._loop,
            [call.program],
            on_end=over,
            environment=os.environ,
            directory="/",
            stdin=text.encode("utf-8", "surrogateescape"),
            user=user,
        )
        self._running[call] = program
        self._at_work[owner] += 1
        limit = self._loop.after(self._timeout, stop)

    def _tell(self, call: HookCall, ended: Ended) -> None:
        if ended.err:
            text = " | ".join(ended.err.decode(errors="replace").split("\n")).strip(" |")
            self._log(f"JobRouter {call.what}: {call.kind.value} printed to stderr: {text[:_TOLD]}")


def _answer(call: HookCall, ended: Ended) -> Answer:
    if ended.exit_code is None:
        return Answer(call, (), f"died with signal {ended.signal} ({signal_text(ended.signal)})")
    if ended.exit_code:
        return Answer(call, (), f"exited with status {ended.exit_code}")
    return read(call, ended.out)


def _account(ad: ClassAd) -> Account | None:
    """The account that a hook runs as; None for our own. UnknownAccount."""
    return account(ad.eval_str("OsUser", None) or ad.eval_str("Owner", "") or "") if os.geteuid() == 0 else None


def _nothing() -> None:
    """The timer that is not set."""
