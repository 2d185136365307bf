"""Requests of users who cannot write the spool themselves. Who they are is what the kernel says of their connection."""

from __future__ import annotations

import json
import pwd
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from condor_py.access.spooling import close_room, make_room
from condor_py.access.submission import SubmittedCluster, check_limits, save_factories, submission
from condor_py.access.wire import Head, Peer, parse_cost
from condor_py.daemon.common.link import Link
from condor_py.daemon.common.loop import monotonic
from condor_py.daemon.schedd import ocus
from condor_py.daemon.schedd.budgets import NUMBERS_A_REQUEST, NumberBudget, Reserved, Spent
from condor_py.daemon.schedd.slices import MOST_IDS, SlicedRequest
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId
from condor_py.model.record import SET, Change, is_one_line
from condor_py.schedd import external, factory, jobevents, requests, spooled, userrecs
from condor_py.schedd.actions import ACTIONS
from condor_py.schedd.requests import Caller, Selection
from condor_py.store.adlog import check_writable, collector_paused

if TYPE_CHECKING:
    from condor_py.daemon.schedd.daemon import ScheddDaemon

#: Event 008, and the characters that it may have.
_MOST_INFO = 1023
#: Bytes of a submit that is parsed without looking for garbage meanwhile.
_MUCH = 1 << 20
#: What a submit may become when it is parsed, in bytes.
_MOST_PARSED = 256 << 20


class ClientRequests:
    """Handles ``new-clusters``, ``submit``, ``act``, ``edit`` and ``query``; each answer follows the commit."""

    def __init__(self, daemon: ScheddDaemon) -> None:
        self._daemon = daemon
        self._reserved: dict[Link, Reserved] = {}
        self._numbers = NumberBudget()
        self._next_cluster = 0
        self._submitted = False

    def message(self, link: Link, head: Head, body: bytes) -> None:
        """Takes a request; whatever is wrong with it becomes the answer."""
        handler = {
            "new-clusters": self._new_clusters,
            "submit": self._submit,
            "act": self._act,
            "edit": self._edit,
            "reschedule": self._reschedule,
            "now": self._run_now,
            "ulog": self._ulog,
            "users": self._users,
            "external": self._external,
            "ocu": self._ocu,
            "spool-begin": self._spool_begin,
            "spool-end": self._spool_end,
        }.get(str(head.get("op")))
        if handler is None:
            link.send({"error": f"unknown request {head.get('op')!r}"})
            return

        is_submit = handler == self._submit

        def run(moment: int) -> None:
            if is_submit and self._submitted:  # its limits and its user record depend on the one before
                self._daemon.later(run)
                return
            done = self._tried(link, head, lambda: handler(link, head, body, moment))
            if isinstance(done, SlicedRequest):
                self._go_on(link, head, done)
            elif done is not None:
                self._submitted = self._submitted or is_submit
                records, answer, data = done
                self._daemon.commit_for_client(
                    records, lambda: link.send(answer, data), hold_now=not is_submit, refuse=_refusal(link)
                )

        self._daemon.later(run)

    def _tried(self, link: Link, head: Head, step: Callable[[], Any]) -> Any:
        """What ``step`` makes of a request; None when it is refused, which the answer tells. The time counts."""
        begun = monotonic()
        try:
            done = step()
            if isinstance(done, (list, tuple)):
                check_writable(done if isinstance(done, list) else done[0])
            return done
        except (CondorError, KeyError, TypeError, ValueError, OverflowError) as error:
            link.send({"error": str(error)})
        except Exception as error:  # a stranger's request may be anything, and the queue is everybody's
            told = traceback.format_exc().rstrip()
            self._daemon.log.write(f"ERROR request {head.get('op')!r} of uid {link.peer.uid} failed: {told}")
            link.send({"error": f"the request failed: {type(error).__name__}"})
        finally:
            link.charge(monotonic() - begun)
        return None

    def _go_on(self, link: Link, head: Head, request: SlicedRequest) -> None:
        """The next piece of a request about many jobs, in this batch; what is left follows in the next."""
        records = self._tried(link, head, request.piece)
        if records is None:
            return
        if not request.done:
            self._daemon.commit_for_client(records, lambda: None, hold_now=True)
            self._daemon.later(lambda moment: self._go_on(link, head, request))
            return
        answer = {"results": [[*job, result] for job, result in request.results.items()]}
        self._daemon.commit_for_client(records, lambda: link.send(answer), hold_now=True, refuse=_refusal(link))

    def settled(self) -> None:
        """What was submitted in this batch is in the queue."""
        self._submitted = False

    def caller(self, peer: Peer) -> Caller:
        """The account behind a connection."""
        name = pwd.getpwuid(peer.uid).pw_name
        return Caller(name, peer.uid == 0 or name in self._daemon.core.settings.queue_super_users)

    def _new_clusters(self, link: Link, head: Head, body: bytes, moment: int) -> Any:
        count = max(1, min(int(head["count"]), NUMBERS_A_REQUEST))
        first = self._take_numbers(link, count)
        self._reserved.setdefault(link, Reserved()).add(range(first, first + count))
        records = [Change(SET, "0.0", "NextClusterNum", str(first + count))]
        return records, {"first": first}, b""

    def _take_numbers(self, link: Link, count: int) -> int:
        """The first of ``count`` new cluster numbers; the record is the caller's to commit."""
        try:
            self._numbers.take(link.peer.uid, count, monotonic())
        except Spent as error:
            raise CondorError(f"Failed to create cluster: {error}") from None
        first = max(self._next_cluster, self._daemon.queue.next_cluster)
        self._next_cluster = first + count
        return first

    def _ocu(self, link: Link, head: Head, body: bytes, moment: int) -> Any:
        """Slots that stay with an owner."""
        return ocus.answer(self._daemon.core, self.caller(link.peer), head, lambda: self._take_numbers(link, 1))

    def _submit(self, link: Link, head: Head, body: bytes, moment: int) -> Any:
        caller = self.caller(link.peer)
        queue, settings = self._daemon.queue, self._daemon.core.settings
        user = f"{caller.owner}@{settings.uid_domain}"
        if parse_cost(body) > _MOST_PARSED:
            raise CondorError("Number of submitted jobs would exceed what one submit may take of the schedd's memory")
        with collector_paused(len(body) > _MUCH):
            items = json.loads(body)
            if sum(len(item[2]) for item in items) > settings.max_jobs_per_submission:
                raise CondorError("Number of submitted jobs would exceed MAX_JOBS_PER_SUBMISSION")
            clusters = [SubmittedCluster.from_wire(item) for item in items]
        reserved, numbers = self._reserved.get(link, Reserved()), {cluster.cluster for cluster in clusters}
        if not all(reserved.has(number) for number in numbers) or len(numbers) < len(clusters):
            raise CondorError("Failed to create cluster")
        check_limits(queue, user, clusters, settings)
        warnings: list[str] = []
        policy = self._daemon.submit_policy
        records = submission(queue, clusters, caller.owner, user, settings.schedd_name, moment, policy, warnings)
        save_factories(self._daemon.paths.spool, clusters)
        for number in numbers:
            reserved.use(number)
        self._numbers.give_back(link.peer.uid, len(numbers), monotonic())
        return records, {"ok": True, "warnings": warnings}, b""

    def _act(self, link: Link, head: Head, body: bytes, moment: int) -> Any:
        queue, caller, selection = self._daemon.queue, self.caller(link.peer), _selection(head)
        action, reason, subcode = str(head["action"]), _text(head.get("reason")), head.get("subcode")
        if action not in ACTIONS or not (subcode is None or type(subcode) is int):
            raise ValueError(f"unknown action {action!r} or subcode {subcode!r}")

        def step(part: Selection) -> tuple[dict[JobId, int], list[Change]]:
            return requests.act(queue, caller, action, part, reason, subcode, moment)

        def end(results: dict[JobId, int]) -> list[Change]:
            return factory.act(queue, caller, action, selection, results, reason)

        return SlicedRequest(self._daemon, selection, step, end)

    def _edit(self, link: Link, head: Head, body: bytes, moment: int) -> Any:
        assignments = [(str(name), str(text)) for name, text in head["assignments"]]
        caller, rules = self.caller(link.peer), self._daemon.edit_rules

        def step(part: Selection) -> tuple[dict[JobId, int], list[Change]]:
            return requests.edit(self._daemon.queue, caller, part, assignments, rules)

        return SlicedRequest(self._daemon, _selection(head), step, lambda results: [])

    def _users(self, link: Link, head: Head, body: bytes, moment: int) -> Any:
        """Records of users and projects, which administrators change."""
        if not self.caller(link.peer).superuser:
            raise CondorError("only an administrator of the pool may change users and projects")
        kind, action, reason = str(head["kind"]), str(head["action"]), _text(head.get("reason")) or ""
        if kind not in ("Owner", "Project") or action not in userrecs.ACTIONS:
            raise ValueError(f"unknown action {action!r} on {kind!r}")
        wanted = [userrecs.from_wire(item) for item in head["requests"]]
        domain = self._daemon.core.settings.uid_domain
        answer = userrecs.act(self._daemon.queue, kind, action, wanted, domain, reason)
        return answer.records, {"ad": answer.ad(action).text_items()}, b""

    def _external(self, link: Link, head: Head, body: bytes, moment: int) -> Any:
        """Jobs that somebody else is to manage, manages no more, or has managed (``body``: what became of them)."""
        action, clusters = str(head["action"]), [int(cluster) for cluster in head.get("clusters", ())]
        queue, caller = self._daemon.queue, self.caller(link.peer)
        if parse_cost(body) > _MOST_PARSED:
            raise CondorError("This is more than the schedd takes at once")
        if action == "import":
            told = [(JobId(int(c), int(p)), [(str(n), str(t)) for n, t in items]) for c, p, items in json.loads(body)]
            found, records = external.take_back(queue, caller, told, self._daemon.edit_rules, moment)
        elif action in ("export", "unexport"):
            found, records = (external.export if action == "export" else external.unexport)(queue, caller, clusters)
        else:
            raise ValueError(f"unknown action {action!r}")
        return records, {"jobs": [list(job) for job in found]}, b""

    def _run_now(self, link: Link, head: Head, body: bytes, moment: int) -> Any:
        core = self._daemon.core
        victims = [JobId(*job) for job in head["victims"]]
        core.reassignments.begin(core, self.caller(link.peer), JobId(*head["job"]), victims)
        return [], {"ok": True}, b""

    def _ulog(self, link: Link, head: Head, body: bytes, moment: int) -> Any:
        """A line of the caller's own in the event log of his job."""
        job, core = JobId(*map(int, head["job"])), self._daemon.core
        ad = self._daemon.queue.job(job)
        if ad is None or not self.caller(link.peer).may_change(ad):
            raise CondorError(f"Permission denied: the event log of job {job}")
        jobevents.generic(core, job, ad, str(head["text"])[:_MOST_INFO])
        return [], {"ok": True}, b""

    def _reschedule(self, link: Link, head: Head, body: bytes, moment: int) -> Any:
        self._daemon.core.want_cycle()
        return [], {"ok": True}, b""

    def _spool_begin(self, link: Link, head: Head, body: bytes, moment: int) -> Any:
        """Directories for the input files of the caller's jobs."""
        spool = self._daemon.paths.spool
        waiting = spooled.awaiting(self._daemon.queue, self.caller(link.peer), _selection(head).ids)
        folders = [[*job, make_room(spool, job, ad.eval_str("Owner", "") or "")] for job, ad in waiting]
        return [], {"folders": folders, "now": moment}, b""

    def _spool_end(self, link: Link, head: Head, body: bytes, moment: int) -> Any:
        """The files are there: the jobs may run."""
        spool, begun = self._daemon.paths.spool, int(head["begun"])
        waiting = spooled.awaiting(self._daemon.queue, self.caller(link.peer), _selection(head).ids)
        records: list[Change] = []
        for job, ad in waiting:
            records += spooled.staged_in(job, ad, close_room(spool, job), begun, moment)
        return records, {"jobs": [list(job) for job, _ in waiting]}, b""

    def forget(self, link: Link) -> None:
        """A connection ended; its unused cluster numbers stay used up, as in HTCondor."""
        self._reserved.pop(link, None)


def _refusal(link: Link) -> Callable[[str], None]:
    return lambda why: link.send({"error": why})


def _selection(head: Head) -> Selection:
    given = head.get("ids", ())
    if len(given) > MOST_IDS:
        raise CondorError(f"{len(given)} job ids in one request, at most {MOST_IDS} are taken")
    ids = tuple(JobId(int(cluster), int(proc)) for cluster, proc in given)
    return Selection(ids, _text(head.get("constraint")), tuple(int(cluster) for cluster in head.get("clusters", ())))


def _text(value: Any) -> str | None:
    """A text that the queue can hold once it is quoted, or none. ValueError for anything else."""
    if value is None or (isinstance(value, str) and is_one_line(value.replace("\n", " "))):
        return value
    raise ValueError("not a text")
