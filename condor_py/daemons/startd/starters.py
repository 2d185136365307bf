"""The starters of a daemon: forked, spoken to, reaped, and cleaned up after when they die."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from dataclasses import dataclass

from condor_py.daemons.common.link import Link
from condor_py.daemons.common.loop import Loop
from condor_py.daemons.common.remover import Remover
from condor_py.daemons.startd.containers import clear_containers
from condor_py.daemons.starter.jobfamily import clear_group, clear_tracked
from condor_py.daemons.starter.launcher import Launcher
from condor_py.daemons.starter.startersetup import StarterSetup
from condor_py.lang.classad import record
from condor_py.machine.probes import process
from condor_py.machine.run.family import become_subreaper
from condor_py.model.messages import runs as say
from condor_py.model.messages.codec import Message

#: (claim id, message) of a starter.
OnMessage = Callable[[str, Message], None]
#: The wait status of a starter that could not be made.
NOT_STARTED = 127 << 8
#: Seconds until that is reported, so that the next attempt does not follow at once.
_PAUSE = 1.0
#: ASSIGN_CPU_AFFINITY that binds no job.
_NEVER = "false"
#: Pairs of name and value that ads share: those of jobs come and go.
_KNOWN = 4096
#: (claim id, wait status) once a starter is gone and everything it left behind is dead.
OnGone = Callable[[str, int], None]


@dataclass(slots=True)
class _Starter:
    claim_id: str
    pid: int
    setup: StarterSetup
    link: Link


class Starters:
    """One starter a claim. The daemon becomes the subreaper: orphans of a dead starter's job become its children."""

    def __init__(self, loop: Loop, on_message: OnMessage, on_gone: OnGone, complain: Callable[[str], None]) -> None:
        become_subreaper()
        record.know(_KNOWN)
        self._loop = loop
        self._on_message = on_message
        self._on_gone = on_gone
        self._complain = complain
        self._by_claim: dict[str, _Starter] = {}
        self._by_pid: dict[int, _Starter] = {}
        loop.watch_children()
        self._launcher = Launcher(loop, complain)
        self._remover = Remover(loop, complain)

    def fork(self, setup: StarterSetup) -> None:
        """A new starter."""
        if setup.settings.assign_cpu_affinity.lower() != _NEVER:
            setup = setup._replace(cores=self._free_cores(setup))
        if setup.settings.tracking_gids is not None:
            setup = setup._replace(tracking_gid=self._free_gid(*setup.settings.tracking_gids))
            if not setup.tracking_gid:
                self._not_started(setup, "No group ID available for tracking: the job is not started")
                return
        claim_id = setup.claim_id
        try:
            pid, sock = self._launcher.fork(setup)
        except OSError as error:  # no descriptor, process or memory is left
            self._not_started(setup, f"cannot start a starter: {error.strerror}")
            return
        hears = say.FROM_STARTER
        link = Link(
            self._loop, sock, lambda _, message, body: self._heard(claim_id, message), passes_on=True, hears=hears
        )
        starter = _Starter(claim_id, pid, setup, link)
        self._by_claim[claim_id] = starter
        self._by_pid[pid] = starter
        self._loop.on_exit(pid, lambda status: self._gone(starter, status))

    def _not_started(self, setup: StarterSetup, reason: str) -> None:
        """Log why there is no starter; a moment later it counts as one that has ended."""
        self._complain(reason)
        self._loop.after(_PAUSE, lambda: self._on_gone(setup.claim_id, NOT_STARTED))

    def _heard(self, claim_id: str, message: Message) -> None:
        """A message of the starter of a claim, which says nothing of other claims."""
        if isinstance(message, say.News | say.RunEnded) and message.claim != claim_id:
            which = f"{claim_id.rpartition('#')[0]}#..."
            self._complain(f"ERROR the starter of {which} sent {message.op!r} of another claim")
            return
        self._on_message(claim_id, message)

    def _free_cores(self, setup: StarterSetup) -> frozenset[int]:
        """As many cpus as the slot has that no other starter has; none where they do not suffice."""
        wanted = max(1, int(setup.slot_ad.eval_real("Cpus", 1.0) or 1))
        taken = {core for starter in self._by_claim.values() for core in starter.setup.cores}
        free = sorted(os.sched_getaffinity(0) - taken)
        return frozenset(free[:wanted] if len(free) >= wanted else ())

    def _free_gid(self, lowest: int, highest: int) -> int:
        """The lowest group of the range that no starter has, and no process is in; 0 when there is none."""
        taken = {starter.setup.tracking_gid for starter in self._by_pid.values()}
        taken = taken.union(*process.with_groups(lowest, highest).values())
        return next((gid for gid in range(lowest, highest + 1) if gid not in taken), 0)

    def tell(self, claim_id: str, message: Message, body: bytes = b"") -> None:
        """Sends a message to the starter of a claim, if there is one."""
        starter = self._by_claim.get(claim_id)
        if starter is not None:
            starter.link.send(message, body)

    def kill(self, claim_id: str) -> None:
        """SIGKILL for a starter that does not obey."""
        starter = self._by_claim.get(claim_id)
        if starter is not None:
            process.send([starter.pid], signal.SIGKILL)

    def close(self) -> None:
        """Lets all go: a starter whose connection closes kills its job and leaves."""
        for starter in self._by_claim.values():
            starter.link.close()
        self._launcher.close()

    def _gone(self, starter: _Starter, status: int) -> None:
        self._by_pid.pop(starter.pid, None)
        starter.link.drain()
        starter.link.close()
        if self._by_claim.get(starter.claim_id) is starter:
            del self._by_claim[starter.claim_id]
        try:
            self._clear(starter, status)
        finally:  # whatever is left of it: its claim must not wait for it
            self._on_gone(starter.claim_id, status)

    def _clear(self, starter: _Starter, status: int) -> None:
        """Kill and remove what a starter has left."""
        if status:
            left = process.kill_family(self._strays)
            if left:
                self._complain(f"cannot kill what the job of starter {starter.pid} left behind: {sorted(left)}")
            clear_group(starter.setup.settings, starter.setup.slot_name, starter.pid)
            docker, execute = starter.setup.settings.docker, starter.setup.execute
            clear_containers(self._loop, docker, (execute,), self._complain, starter.pid)
        left = clear_tracked(starter.setup.tracking_gid, starter.setup.tracking_gid)
        if left:
            self._complain(f"cannot kill what jobs of starter {starter.pid} left behind: {sorted(left)}")
        self._remover.take_away(f"{starter.setup.execute}/dir_{starter.pid}")

    def _strays(self) -> set[int]:
        """Children of ours that no starter owns, and everything below them: orphans of a dead starter's job."""
        strays: set[int] = set()
        wanted = self._loop.children()
        for child in process.children(os.getpid()):
            if child not in wanted:
                strays |= {child} | process.descendants(child)
        return strays
