"""Location of running jobs: the schedd sends the owner of a job the path of its starter's socket.

A tool that wants to wait is answered when the job runs, or when it is clear that it will not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from condor_py.client.wire import Peer
from condor_py.core.jobs.jobad import is_gang
from condor_py.core.jobs.rights import Caller
from condor_py.daemons.common.link import Link
from condor_py.daemons.schedd.shared import Shared
from condor_py.lang.classad import ClassAd, ClassAdParseError, is_true, parse
from condor_py.model.messages.codec import Message
from condor_py.model.messages.runs import RunStarted
from condor_py.model.messages.sessions import Door, Locate, NotNow, Waiting
from condor_py.model.states import JobStatus, Universe

_CLOSED = frozenset((Universe.GRID, Universe.SCHEDULER, Universe.VM))
#: So many doors of runs that are over may be kept.
_SPARE = 64


class _Entrance(NamedTuple):
    run: int
    path: str


class Locations:
    """Answers Locate. ``caller`` is the account behind a connection, ``host`` the name of this machine."""

    def __init__(self, shared: Shared, caller: Callable[[Peer], Caller], host: Callable[[], str]) -> None:
        self._queue, self._core, self._inbox = shared.queue, shared.core, shared.inbox
        self._caller = caller
        self._host = host
        #: By claim: a parallel job has several.
        self._doors: dict[str, _Entrance] = {}
        self._waiting: list[tuple[Link, Locate]] = []

    def started(self, message: RunStarted) -> None:
        """A starter tells that the program of a job runs."""
        claims = self._core.claims
        if len(self._doors) > 2 * len(claims) + _SPARE:
            self._doors = {claim: door for claim, door in self._doors.items() if claim in claims}
        self._doors[message.claim] = _Entrance(message.run, message.door)

    def ask(self, link: Link, request: Locate) -> None:
        """A tool's request; answered in this batch, or later when it waits."""
        self._inbox.later(lambda moment: self._answer(link, request))

    def _answer(self, link: Link, request: Locate) -> None:
        found = self._find(link, request)
        if request.wait and _may_come(found):
            self.forget(link)  # one wait a connection
            self._waiting.append((link, request))
            link.send(Waiting())
        else:
            link.send(found)

    def settle(self) -> None:
        """After a batch: report to those whose job runs now, or never will."""
        if not self._waiting:
            return
        waiting, self._waiting = self._waiting, []
        for link, request in waiting:
            found = self._find(link, request)
            if _may_come(found):
                self._waiting.append((link, request))
            else:
                link.send(found)
                link.flush()

    def forget(self, link: Link) -> None:
        """A tool left."""
        self._waiting = [(other, request) for other, request in self._waiting if other is not link]

    def _find(self, link: Link, request: Locate) -> Message:
        job = request.job
        ad = self._queue.job(job)
        if ad is None:
            return NotNow("Unable to fetch job ad; is it still in the queue?")
        status = ad.eval_int("JobStatus", 0)
        if status == JobStatus.HELD:
            return NotNow(f'The job is on hold: "{ad.eval_str("HoldReason", "") or ""}".')
        name = self._stranger(link, ad)
        if name:
            return NotNow(f"{name} is not authorized for access to the starter for job {job}")
        if ad.eval_int("JobUniverse", Universe.VANILLA) in _CLOSED:
            return NotNow(f"Job {job} does not support remote access.")
        if request.node > 0 and not is_gang(ad):
            return NotNow(f"Job {job} has only node 0.")
        if is_gang(ad) and request.node >= self._core.nodes_of(job.cluster):
            return NotNow(f"Job {job} has no node {request.node}.", retry=status == JobStatus.IDLE)
        claim_id, run, proc = self._core.run_at(job, request.node)
        door = self._doors.get(claim_id)
        if door is None or run != door.run:
            over = status in (JobStatus.REMOVED, JobStatus.COMPLETED)
            return NotNow(f"Job {job} is not running.", retry=not over)
        if not self._enabled(ad):
            return NotNow(f"Job {job} is denied by SCHEDD_ENABLE_SSH_TO_JOB.")
        claim = self._core.claims.get(claim_id)
        return Door(door.path, (claim.info.slot if claim is not None else "") or self._host(), str(proc))

    def _stranger(self, link: Link, ad: ClassAd) -> str:
        """The name of a caller who may not enter; "" for one who may."""
        try:
            caller = self._caller(link.peer)
        except KeyError:  # no account
            return f"uid {link.peer.uid}"
        return "" if caller.may_change(ad) else caller.owner

    def _enabled(self, ad: ClassAd) -> bool:
        """SCHEDD_ENABLE_SSH_TO_JOB, an expression about the job."""
        try:
            return is_true(ad.evaluate(parse(self._core.settings.enable_ssh_to_job)))
        except ClassAdParseError:
            return False


def _may_come(found: Message) -> bool:
    """Whether it is worth while to wait."""
    return isinstance(found, NotNow) and found.retry
