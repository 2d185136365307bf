"""Requests of users who cannot write the spool themselves. Who they are is what the kernel says of their connection."""

from __future__ import annotations

import json
import os
import pwd
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from time import thread_time
from typing import TYPE_CHECKING, Any

from condor_py.client.accounts import is_super_user
from condor_py.client.submission import (
    SubmittedCluster,
    first_records,
    from_body,
    save_factories,
    submission_steps,
    submitter,
)
from condor_py.client.wire import Peer, parse_cost
from condor_py.core.jobs import external, factory, ocu, requests, spooled, userrecs
from condor_py.core.jobs.actions import ACTIONS
from condor_py.core.jobs.events import CycleWanted, OcuMade, OcuRemoved, RunNow, UserLine
from condor_py.core.jobs.rights import Caller
from condor_py.daemons.common.link import Link
from condor_py.daemons.common.loop import monotonic
from condor_py.daemons.common.strangers import may_change, may_run_jobs
from condor_py.daemons.schedd.audit import AuditLog
from condor_py.daemons.schedd.shared import Shared, SubmitRules
from condor_py.daemons.schedd.slices import SlicedRequest
from condor_py.machine.run.identity import account_of
from condor_py.model.errors import CondorError, described, shortage
from condor_py.model.ids import JobId
from condor_py.model.later import Later
from condor_py.model.messages import queue as say
from condor_py.model.messages.codec import BadMessage, Message, Refused
from condor_py.model.messages.queue import Ocu, OcuUnits
from condor_py.model.messages.wakeups import Done, submitted
from condor_py.model.record import SET, Change, Entry
from condor_py.model.selection import Selection
from condor_py.model.settings.schedd import ScheddSettings
from condor_py.model.settings.submit_policy import SubmitPolicy
from condor_py.store.adlog import check_writable, collector_paused

if TYPE_CHECKING:
    from condor_py.client import spooling
    from condor_py.core.jobs.core import Schedd
else:
    spooling = Later("condor_py.client.spooling")


#: Seconds of one piece of a submit.
_MOMENT = 0.008


class SlicedSubmit:
    """A submit of ``owner``, who is ``user`` in the queue; ``body`` is what ``client.submission.to_body`` makes.

    It is done in pieces, between other work of the schedd: its jobs are read and checked, and their records made. All
    of these are written with one transaction, so that the queue has all jobs of the submit or none.
    """

    def __init__(
        self, body: bytes, owner: str, user: str, settings: ScheddSettings, policy: SubmitPolicy, moment: int
    ) -> None:
        self.owner, self.user = owner, user
        self.clusters: list[SubmittedCluster] = []
        self.records: list[Entry] = []
        self.warnings: list[str] = []
        self.done = False
        self._steps = self._work(body, settings, policy, moment)

    def _work(self, body: bytes, settings: ScheddSettings, policy: SubmitPolicy, moment: int) -> Iterator[None]:
        yield from from_body(body, settings.max_jobs_per_submission, self.clusters)
        made: Iterator[Sequence[Entry]] = submission_steps(
            self.clusters, self.owner, self.user, settings.schedd_name, moment, policy, self.warnings
        )
        for records in made:
            check_writable(records)
            self.records += records
            yield

    def piece(self) -> bool:
        """Works for a moment; whether that was the last. Raises what is wrong with the submit."""
        until = monotonic() + _MOMENT
        with collector_paused(True):
            for _ in self._steps:
                if monotonic() > until:
                    return False
        self.done = True
        return True


#: Records to commit, and the answer once they are durable.
Answered = tuple[Sequence[Entry], Message]


@dataclass(frozen=True, slots=True)
class RoomWork:
    """Work at directories of jobs in the spool. These belong to the owners of the jobs, who may have put so much there
    that it takes long, or a file system that does not answer: a child does it. ``answer`` gets the paths."""

    work: Callable[[], list[str]]
    answer: Callable[[list[str], int], Answered]


#: Records and answer, or work in pieces or of a child.
Reply = Answered | SlicedRequest | SlicedSubmit | RoomWork
#: Seconds between two messages about how far a request about many jobs is.
_TELL_EVERY = 0.1
#: The most characters of an event 008.
_MOST_INFO = 1023
#: Characters of a wrong word that an answer shows.
_SHOWN = 40
#: What a submit may become when it is parsed, in bytes.
_MOST_PARSED = 256 << 20


class ClientRequests:
    """Handles the requests of ``model.messages.queue`` that change something; each answer follows the commit.

    ``send_when_told`` sends an answer whose receiver may read event logs next."""

    def __init__(
        self,
        shared: Shared,
        rules: SubmitRules,
        audit: AuditLog,
        send_when_told: Callable[[Link, Message], None],
    ) -> None:
        self._loop, self._log = shared.loop, shared.log
        self._queue, self._core, self._inbox = shared.queue, shared.core, shared.inbox
        self._spool = shared.paths.spool
        self._rules = rules
        self._audit = audit
        self._send_when_told = send_when_told
        self._reserved: dict[Link, Reserved] = {}
        self._numbers = NumberBudget()
        self._next_cluster = 0
        self._submitted = False
        #: Submits that are ready and wait for the one before, by account; the account whose turn is next comes first.
        self._ready: dict[int, deque[Callable[[int], None]]] = {}
        #: What accounts want of directories in the spool, and the accounts for which a child is at it.
        self._rooms: dict[int, deque[tuple[Link, Message, RoomWork]]] = {}
        self._busy: set[int] = set()

    def _reply(self, link: Link, request: Message, body: bytes, moment: int) -> Reply:
        """Carry out a request and return the reply."""
        if not may_change(link.peer):
            raise CondorError(f"this pool belongs to {_name(os.geteuid())}: other accounts may only read it")
        match request:
            case say.NewClusters(count):
                first = self._reserve(link, count)
                return [self._next_number()], say.FirstCluster(first)
            case say.Submit():
                return self._submit(link, request, body, moment)
            case say.Act():
                return self._act(link, request)
            case say.Edit():
                return self._edit(link, request)
            case say.Reschedule():
                self._core.handle(CycleWanted(), moment)
                return [], Done()
            case say.RunNow(job, victims):
                self._core.handle(RunNow(self.caller(link.peer), job, list(victims)), moment)
                return [], Done()
            case say.WriteEvent(job, text):
                return self._write_event(link, job, text, moment)
            case say.ActOnUsers():
                return self._users(link, request)
            case say.ManageElsewhere(action, clusters):
                return self._elsewhere(link, action, clusters, body, moment)
            case say.Ocu():
                numbers = partial(self._take_numbers, link, 1)
                return _answer_about_ocus(self._core, self.caller(link.peer), request, numbers, moment)
            case say.SpoolBegin(ids):
                return self._spool_begin(link, ids)
            case say.SpoolEnd(begun, ids):
                return self._spool_end(link, ids, begun)
        raise BadMessage(f"unknown request {request.op!r}")

    def message(self, link: Link, request: Message, body: bytes) -> None:
        """Handle a request inside the next batch. An error in it becomes the answer."""

        def run(moment: int) -> None:
            done = self._tried(link, request, lambda: self._reply(link, request, body, moment))
            if done is not None:
                self._audit.asked(link.peer, request)
            if isinstance(done, SlicedRequest):
                self._go_on(link, request, done, moment)
            elif isinstance(done, SlicedSubmit):
                self._prepare(link, request, done, moment)
            elif isinstance(done, RoomWork):
                self._rooms.setdefault(link.peer.uid, deque()).append((link, request, done))
                self._next_room(link.peer.uid)
            elif done is not None:
                self._commit(link, request, done)

        self._inbox.later(run)

    def _tried(self, link: Link, request: Message, step: Callable[[], Any]) -> Any:
        """Return the result of ``step``; None when the request is refused, which is answered. Its time is charged."""
        begun = monotonic()
        try:
            done = step()
            if isinstance(done, (list, tuple)) and not isinstance(request, say.Submit):  # that has been checked
                check_writable(done if isinstance(done, list) else done[0])
            return done
        except (CondorError, KeyError, TypeError, ValueError, OverflowError) as error:
            link.send(Refused(str(error)))
        except Exception as error:  # a request may contain anything, and all users share the queue
            self._log(f"ERROR request {request.op!r} of uid {link.peer.uid} failed: {described(error)}")
            link.send(Refused(f"the request failed: {shortage(error) or type(error).__name__}"))
        finally:
            link.charge(monotonic() - begun)
        return None

    def _commit(self, link: Link, request: Message, done: Answered) -> None:
        records, answer = done
        self._inbox.commit_for_client(records, lambda: link.send(answer), hold_now=True, refuse=_refusal(link, request))

    def _next_room(self, uid: int) -> None:
        """Start the child for the next request of an account about directories in the spool. An account has one at a
        time."""
        if uid in self._busy:
            return
        waiting = self._rooms.get(uid)
        if not waiting:
            self._rooms.pop(uid, None)
            return
        from condor_py.daemons.common.errand import Errand  # most schedds never need it

        link, request, rooms = waiting.popleft()

        def done(folders: list[str] | None, why: str) -> None:
            self._busy.discard(uid)
            self._next_room(uid)
            if folders is None:
                link.send(Refused(why.removeprefix("CondorError: ")))
            else:
                self._inbox.later(partial(finish, folders))

        def finish(folders: list[str], moment: int) -> None:
            answered = self._tried(link, request, lambda: rooms.answer(folders, moment))
            if answered is not None:
                self._commit(link, request, answered)

        self._busy.add(uid)
        Errand(self._loop, rooms.work, done, alone=True)

    def _go_on(self, link: Link, request: Message, work: SlicedRequest, moment: int) -> None:
        """Do the next piece of a request about many jobs, in this batch. The rest follows when there is no other
        work."""
        begun = thread_time()
        records = self._tried(link, request, partial(work.piece, moment))
        if records is None:
            return
        self._loop.at_turn_end(lambda: work.took(thread_time() - begun))
        if not work.done:
            self._inbox.commit_for_client(records, lambda: None, hold_now=True)
            self._inbox.when_idle(partial(self._go_on, link, request, work))
            self._tell_progress(link, request, work)
            return
        answer = say.Results(work.spans)
        refuse = _refusal(link, request) if work.changes else None  # that a job is not there needs no disk
        self._inbox.commit_for_client(records, lambda: link.send(answer), hold_now=True, refuse=refuse)

    def _tell_progress(self, link: Link, request: Message, work: SlicedRequest) -> None:
        """Tell a client that wants to know how far its request is, a few times a second."""
        now = monotonic()
        if isinstance(request, (say.Act, say.Edit)) and request.progress and now - work.told >= _TELL_EVERY:
            work.told = now
            link.send(say.Progress(work.seen, work.total()))

    def not_written(self) -> None:
        """Withdraw all reserved numbers: the log lacks the last of them, so that other processes may take them."""
        self._reserved.clear()

    def settled(self) -> None:
        """Note that the submit of this batch is in the queue: the next batch has another one, of each account in
        turn."""
        self._submitted = False
        if self._ready:
            uid = next(iter(self._ready))
            submits = self._ready.pop(uid)
            self._inbox.later(submits.popleft())
            if submits:
                self._ready[uid] = submits

    def caller(self, peer: Peer) -> Caller:
        """The account behind a connection."""
        name = pwd.getpwuid(peer.uid).pw_name
        return Caller(name, peer.uid == 0 or is_super_user(name, self._core.settings.queue_super_users))

    def _reserve(self, link: Link, count: int) -> int:
        """Reserve cluster numbers for submits over a connection, and return the first. The caller commits the
        record."""
        count = max(1, min(count, NUMBERS_A_REQUEST))
        first = self._take_numbers(link, count)
        self._reserved.setdefault(link, Reserved()).add(range(first, first + count))
        return first

    def _next_number(self) -> Change:
        """Return the record of the numbers that have been given away."""
        return Change(SET, "0.0", "NextClusterNum", str(self._next_cluster))

    def _take_numbers(self, link: Link, count: int) -> int:
        """Take ``count`` new cluster numbers, and return the first. The caller commits the record."""
        try:
            self._numbers.take(link.peer.uid, count, monotonic())
        except Spent as error:
            raise CondorError(f"Failed to create cluster: {error}") from None
        first = max(self._next_cluster, self._queue.next_cluster)
        self._next_cluster = first + count
        return first

    def _submit(self, link: Link, request: say.Submit, body: bytes, moment: int) -> Reply:
        if parse_cost(body) > _MOST_PARSED:
            raise CondorError("Number of submitted jobs would exceed what one submit may take of the schedd's memory")
        if not may_run_jobs(link.peer):
            ours, theirs = _name(os.geteuid()), _name(link.peer.uid)
            raise CondorError(f"this pool belongs to {ours} and cannot run jobs of {theirs}")
        caller, settings = self.caller(link.peer), self._core.settings
        user = f"{caller.owner}@{settings.uid_domain}"
        # Users who may not submit are refused before the work.
        submitter(self._queue, user, caller.owner, settings)
        if request.expected:
            first = self._reserve(link, request.count)
            # With this batch, also where the submit has to wait for another: a process that writes the log itself would
            # else take the same numbers in between.
            self._inbox.commit_for_client([self._next_number()], _nothing, hold_now=True)
            if first != request.expected:
                return [], say.Submitted(first=first)
        return SlicedSubmit(body, caller.owner, user, settings, self._rules.policy, moment)

    def _prepare(self, link: Link, request: Message, work: SlicedSubmit, moment: int) -> None:
        """Do the next piece of a submit. After the last one its jobs go into the queue."""
        done = self._tried(link, request, work.piece)
        if done:
            self._admit(link, request, work, moment)
        elif done is not None:
            self._inbox.when_idle(partial(self._prepare, link, request, work))

    def _admit(self, link: Link, request: Message, work: SlicedSubmit, moment: int) -> None:
        if self._submitted:  # its limits and its user record depend on the one before
            self._ready.setdefault(link.peer.uid, deque()).append(partial(self._admit, link, request, work))
            return
        records = self._tried(link, request, lambda: self._admitted(link, work))
        if records is not None:
            self._submitted = True
            self._audit.note(link.peer, submitted([cluster.cluster for cluster in work.clusters]))
            answer = partial(self._send_when_told, link, say.Submitted(work.warnings))
            self._inbox.commit_for_client(records, answer, refuse=_refusal(link, request))

    def _admitted(self, link: Link, work: SlicedSubmit) -> list[Entry]:
        """Return all records of a submit that is ready. CondorError if a limit of the user forbids it, or if its
        cluster numbers were not given to this connection."""
        reserved, numbers = self._reserved.get(link, Reserved()), {cluster.cluster for cluster in work.clusters}
        if not all(reserved.has(number) for number in numbers) or len(numbers) < len(work.clusters):
            raise CondorError("Failed to create cluster")
        queue = self._queue
        if any(queue.cluster(number) is not None for number in numbers):
            raise CondorError("Failed to create cluster")
        first = first_records(queue, work.user, work.owner, work.clusters, self._core.settings)
        save_factories(self._spool, work.clusters)
        for number in numbers:
            reserved.use(number)
        self._numbers.give_back(link.peer.uid, len(numbers), monotonic())
        return [*first, *work.records]

    def _act(self, link: Link, request: say.Act) -> Reply:
        queue, caller, selection = self._queue, self.caller(link.peer), _selection(request)
        action, reason, subcode = request.action, request.reason, request.subcode
        if action not in ACTIONS:
            raise ValueError(f"unknown action {action[:_SHOWN]!r}")
        is_free = caller.superuser or link.peer.uid == os.geteuid()
        most = -1 if is_free else self._core.settings.system_periodic.max_releases

        def step(part: Selection, moment: int) -> tuple[dict[JobId, int], list[Entry]]:
            return requests.act(queue, caller, action, part, reason, subcode, moment, most)

        return SlicedRequest(self._queue, selection, step, factory.act(queue, caller, action, selection, reason))

    def _edit(self, link: Link, request: say.Edit) -> Reply:
        assignments = [(name, text) for name, text in request.assignments]
        caller, rules = self.caller(link.peer), self._core.settings.edit_rules
        beyond = self._core.state.departing.beyond

        def step(part: Selection, moment: int) -> tuple[dict[JobId, int], list[Entry]]:
            return requests.edit(self._queue, caller, part, assignments, rules, beyond)

        return SlicedRequest(self._queue, _selection(request), step)

    def _users(self, link: Link, request: say.ActOnUsers) -> Reply:
        """Records of users and projects, which administrators change."""
        if not self.caller(link.peer).superuser:
            raise CondorError("only an administrator of the pool may change users and projects")
        kind, action, reason = request.kind, request.action, request.reason or ""
        if kind not in ("Owner", "Project") or action not in userrecs.ACTIONS:
            raise ValueError(f"unknown action {action[:_SHOWN]!r} on {kind[:_SHOWN]!r}")
        wanted = [userrecs.from_wire(item) for item in request.requests]
        settings = self._core.settings
        defaults = settings.user_defaults if kind == "Owner" else settings.project_defaults
        answer = userrecs.act(self._queue, kind, action, wanted, settings.uid_domain, reason, defaults)
        return answer.records, say.UserRecord(answer.ad(action).text_items())

    def _elsewhere(self, link: Link, action: str, clusters: Sequence[int], body: bytes, moment: int) -> Reply:
        """Hand jobs over to another manager, end that, or take them back (``body``: what became of them)."""
        queue, caller = self._queue, self.caller(link.peer)
        if parse_cost(body) > _MOST_PARSED:
            raise CondorError("This is more than the schedd takes at once")
        if action == "import":
            told = [(JobId(int(c), int(p)), [(str(n), str(t)) for n, t in items]) for c, p, items in json.loads(body)]
            found, records = external.take_back(queue, caller, told, self._core.settings.edit_rules, moment)
        elif action in ("export", "unexport"):
            found, records = (external.export if action == "export" else external.unexport)(queue, caller, clusters)
        else:
            raise ValueError(f"unknown action {action[:_SHOWN]!r}")
        return records, say.JobsDone(found)

    def _write_event(self, link: Link, job: JobId, text: str, moment: int) -> Reply:
        """Write a line of the caller into the event log of a job (event 008)."""
        ad = self._queue.job(job)
        if ad is None or not self.caller(link.peer).may_change(ad):
            raise CondorError(f"Permission denied: the event log of job {job}")
        self._core.handle(UserLine(job, text[:_MOST_INFO]), moment)
        return [], Done()

    def _spool_begin(self, link: Link, ids: Sequence[JobId]) -> RoomWork:
        """Make directories for the input files of the caller's jobs, in a child."""
        spool, mode = self._spool, self._core.settings.spool_mode
        waiting = spooled.awaiting(self._queue, self.caller(link.peer), ids)
        owners = [(job, ad.eval_str("Owner", "") or "") for job, ad in waiting]

        def answer(folders: list[str], moment: int) -> Answered:
            made = [[*job, folder] for (job, _), folder in zip(owners, folders, strict=True)]
            return [], say.SpoolFolders(made, moment)

        return RoomWork(lambda: [spooling.make_room(spool, job, owner, mode) for job, owner in owners], answer)

    def _spool_end(self, link: Link, ids: Sequence[JobId], begun: int) -> RoomWork:
        """Close the directories, as the files are there; then the jobs may run."""
        spool, queue, caller = self._spool, self._queue, self.caller(link.peer)
        log_too = self._core.settings.event_logs_in_spool
        jobs = [job for job, _ in spooled.awaiting(queue, caller, ids)]

        def answer(folders: list[str], moment: int) -> Answered:
            closed = dict(zip(jobs, folders, strict=True))
            waiting = spooled.awaiting(queue, caller, jobs)  # others may have changed them meanwhile
            records: list[Change] = []
            for job, ad in waiting:
                records += spooled.staged_in(job, ad, closed[job], begun, moment, log_too)
            return records, say.JobsDone([job for job, _ in waiting])

        return RoomWork(lambda: [spooling.close_room(spool, job) for job in jobs], answer)

    def forget(self, link: Link) -> None:
        """A connection ended; its unused cluster numbers stay used up, as in HTCondor."""
        self._reserved.pop(link, None)


def _name(uid: int) -> str:
    found = account_of(uid)
    return found.name if found is not None else f"user id {uid}"


def _refusal(link: Link, request: Message) -> Callable[[str], None]:
    """The answer when the queue cannot be written. New jobs are dropped; changes are made already, and remain."""
    late = (
        "" if isinstance(request, (say.Submit, say.NewClusters)) else "; it is done when the queue can be written again"
    )
    return lambda why: link.send(Refused(why + late))


def _selection(request: say.ForJobs[Any]) -> Selection:
    return Selection(tuple(request.ids), request.constraint, tuple(request.clusters))


#: Cluster numbers that an account may take at once, and those that it may take a second later on.
NUMBERS_AT_ONCE = 20_000
NUMBERS_A_SECOND = 100.0
#: Cluster numbers of one request.
NUMBERS_A_REQUEST = 10_000
#: Accounts that are remembered; more than that have full budgets again.
_MANY = 1000


class Spent(Exception):
    """A budget is used up. ``wait``: seconds until there is enough again."""

    def __init__(self, wait: float) -> None:
        super().__init__(f"too many in a short time, try again in {wait:.0f} s")
        self.wait = wait


@dataclass(slots=True)
class _Account:
    left: float
    since: float


class NumberBudget:
    """Cluster numbers by account. ``now`` is a monotonic time in seconds."""

    def __init__(self) -> None:
        self._accounts: dict[int, _Account] = {}

    def take(self, uid: int, count: int, now: float) -> None:
        """Take ``count`` numbers out of the budget. Spent if it has fewer."""
        account = self._at(uid, now)
        if count > account.left:
            raise Spent((count - account.left) / NUMBERS_A_SECOND)
        account.left -= count

    def give_back(self, uid: int, count: int, now: float) -> None:
        """Put ``count`` numbers back, as they have become clusters: only unused numbers count."""
        account = self._at(uid, now)
        account.left = min(NUMBERS_AT_ONCE, account.left + count)

    def _at(self, uid: int, now: float) -> _Account:
        account = self._accounts.get(uid)
        if account is None:
            if len(self._accounts) >= _MANY:
                self._accounts = {one: kept for one, kept in self._accounts.items() if _grown(kept, now)}
            account = self._accounts[uid] = _Account(NUMBERS_AT_ONCE, now)
        account.left = min(NUMBERS_AT_ONCE, account.left + (now - account.since) * NUMBERS_A_SECOND)
        account.since = now
        return account


def _nothing() -> None:
    """Send no answer yet: it follows."""


def _grown(account: _Account, now: float) -> bool:
    """Whether an account still has less than a new one."""
    return account.left + (now - account.since) * NUMBERS_A_SECOND < NUMBERS_AT_ONCE


@dataclass(slots=True)
class Reserved:
    """The numbers that a connection may submit clusters under."""

    ranges: list[range] = field(default_factory=list)

    def add(self, numbers: range) -> None:
        """More of them."""
        if self.ranges and self.ranges[-1].stop == numbers.start:
            numbers = range(self.ranges.pop().start, numbers.stop)
        self.ranges.append(numbers)

    def has(self, number: int) -> bool:
        """Whether a number is one of them."""
        return any(number in numbers for numbers in self.ranges)

    def use(self, number: int) -> None:
        """A number has its cluster."""
        for place, numbers in enumerate(self.ranges):
            if number in numbers:
                parts = (range(numbers.start, number), range(number + 1, numbers.stop))
                self.ranges[place : place + 1] = [part for part in parts if part]
                return


def _answer_about_ocus(
    core: Schedd, caller: Caller, asked: Ocu, new_number: Callable[[], int], moment: int
) -> tuple[list[Change], Message]:
    """Records to commit, and what to answer: for ``create``, ``remove`` and ``query``. OcuError: not allowed.
    ``moment`` is Unix seconds."""
    if asked.action == "create":
        items = [(name, text) for name, text in asked.request]
        number = new_number()
        unit, records = ocu.requested(core.state, caller, items, number)
        core.handle(OcuMade(unit), moment)
        records = [Change(SET, "0.0", "NextClusterNum", str(number + 1)), *records]
        return records, OcuUnits(number, unit.ad.eval_str("OCUName", "") or "")
    if asked.action == "remove":
        records = ocu.removal(core.state, caller, asked.id)
        core.handle(OcuRemoved(asked.id), moment)
        return records, OcuUnits(asked.id)
    return [], OcuUnits(ads=[ad.text_items() for ad in core.ocu_ads()])
