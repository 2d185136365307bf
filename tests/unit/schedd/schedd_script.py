"""Scripts of what happens to a schedd, with everything that it writes and does: the commits, the events, the orders.

A script is a text: a command, ``----``, what the schedd core did about it, an empty line. Lines of what it did:

    1.0: Name = text  -Name         records of one commit, by key; -Name was deleted, ``new`` and ``gone`` are whole ads
    event 001 1.0 field=value       an event for the job's log, with the fields that say something
    RequestClaim slot=...           what the daemon is to do after the commit
    ! text                          the request was refused
"""

from __future__ import annotations

import shlex
from ast import literal_eval
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import MISSING, Field, fields
from itertools import groupby
from textwrap import wrap
from typing import Any

from world import PUBLISHED, World

from condor_py.core.jobs import actions, external, factory, ocu, requests, spooled
from condor_py.core.jobs.actions import enter_status, perform
from condor_py.core.jobs.core import Schedd
from condor_py.core.jobs.demand import demand, promises
from condor_py.core.jobs.effects import Effect, Leave, Note, UserEvent
from condor_py.core.jobs.events import (
    ClaimLost,
    ClaimRefused,
    ClaimReleased,
    ClientWrites,
    CycleWanted,
    FactoryBegins,
    FactoryTold,
    FilesStaged,
    GridReported,
    GridReportsEnd,
    Leaving,
    LogsWanted,
    OcuMade,
    OcuRemoved,
    OrderRefused,
    Planned,
    PoliciesDue,
    QueueTaken,
    Reconfigured,
    RunNow,
    SlotsOffered,
    StartdLost,
    Tick,
    UpdatesDue,
    UserLine,
    UsersFound,
)
from condor_py.core.jobs.parts import ClaimInfo, Run
from condor_py.core.jobs.rights import Caller
from condor_py.core.routes import mirror
from condor_py.lang.classad import ClassAd
from condor_py.lang.events import JobEvent
from condor_py.model.catalogs import Catalog
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId
from condor_py.model.messages.claims import NO_GROUPS, RequestClaim
from condor_py.model.messages.codec import Message
from condor_py.model.messages.cycles import Significant
from condor_py.model.messages.grid import GridReport
from condor_py.model.messages.runs import (
    RunDelayed,
    RunEnded,
    RunNotice,
    RunStarted,
    RunSuspended,
    RunUpdate,
    StagingStep,
)
from condor_py.model.plan import Match, Plan, Preemption, Rejection
from condor_py.model.record import DELETE, DESTROY_AD, NEW_AD, SET, Change, Entry
from condor_py.model.report import ExitReport, Usage
from condor_py.model.settings.schedd import PolicyRule, ScheddSettings, SystemPolicy
from condor_py.model.states import JobStatus

#: Values of fields of messages that say nothing particular.
_UNSAID = {"victims": (), "by_rank": False, "groups": NO_GROUPS, "common": ()}
#: Fields that are long, or told elsewhere.
_SILENT = {"ad", "cluster", "proc", "time", "subproc"}
#: What has more attributes is only counted.
_MANY = 12
#: So many ads with the same changes are told of together.
_SAME = 8
WIDTH = 116


class Script:
    """Carries out commands, one after the other."""

    def __init__(self) -> None:
        self.world = World()
        self._committed = self._seen = 0
        self._said: list[str] = []
        self._counts: dict[str, int] = {}

    def run(self, line: str) -> str:
        """What the schedd did about one command."""
        verb, *words = shlex.split(line)
        step: Callable[[list[str]], None] = getattr(self, "do_" + verb.replace("-", "_"))
        refused = []
        try:
            step(words)
        except CondorError as error:
            refused = [f"! {error}"]
        said, self._said = self._said, []
        return "\n".join([*refused, *said, *self._told()])

    # -- what happens ------------------------------------------------------------------------------

    def do_schedd(self, words: list[str]) -> None:
        """A schedd with these settings, and an empty queue."""
        self.world = World(**_settings(words))
        self._committed = self._seen = 0
        self._counts = {}

    def do_reconfig(self, words: list[str]) -> None:
        self.world.handle(Reconfigured(World(**_settings(words)).core.settings))

    def do_logs(self, words: list[str]) -> None:
        self.world.handle(LogsWanted(**{name: _value(text) for name, text in _pairs(words)}))

    def do_connect(self, words: list[str]) -> None:
        self.world.connect(*(self._claim(word) for word in words))

    def do_startd_lost(self, _: list[str]) -> None:
        self.world.handle(StartdLost())

    def do_slot(self, words: list[str]) -> None:
        """What the slots of later claims have."""
        self.world.slot_more = dict(_pairs(words))

    def do_submit(self, words: list[str]) -> None:
        self.world.written(self._cluster(words))

    def do_queue(self, words: list[str]) -> None:
        """A cluster that is in the queue before the schedd starts."""
        self.world.queue.apply(self._cluster(words))

    def do_set(self, words: list[str]) -> None:
        """An edit before the schedd starts."""
        self.world.queue.apply([Change(SET, words[0], name, text) for name, text in _pairs(words[1:])])

    def _cluster(self, words: list[str]) -> list[Change]:
        cluster, *rest = words
        given = dict(_pairs(rest))
        procs = int(given.pop("procs", "1"))
        status = int(given.pop("JobStatus", "1"))
        return self.world.cluster(int(cluster), procs, status, **given)

    def do_edit(self, words: list[str]) -> None:
        key, *rest = words
        self.world.written([Change(SET, key, name, text) for name, text in _pairs(rest)])

    def do_unset(self, words: list[str]) -> None:
        self.world.written([Change(DELETE, words[0], name) for name in words[1:]])

    def do_take_out(self, words: list[str]) -> None:
        """Somebody takes a job out of the queue behind the schedd's back."""
        self.world.written([Change(DESTROY_AD, words[0])])

    def do_act(self, words: list[str]) -> None:
        """What condor_hold and its family write."""
        action, job, *rest = words
        given = dict(_pairs(rest))
        ad = self.world.queue.procs[_job(job)]
        subcode = int(given["subcode"]) if "subcode" in given else None
        result, records = perform(
            action, _job(job), ad, actor="alice", reason=given.get("reason"), subcode=subcode, now=self.world.now
        )
        if result != actions.Result.SUCCESS:
            raise CondorError(result.name)
        self.world.committed += records
        self.world.written(records)

    def do_request(self, words: list[str]) -> None:
        """What condor_hold and its family ask for of many jobs: CALLER ACTION CONSTRAINT."""
        caller, action, constraint = words
        chosen = requests.Selection(constraint=constraint)
        self._asked(requests.act(self.world.queue, _caller(caller), action, chosen, None, None, self.world.now))

    def do_request_edit(self, words: list[str]) -> None:
        """What condor_qedit asks for: CALLER CONSTRAINT Name=text."""
        caller, constraint, *rest = words
        chosen = requests.Selection(constraint=constraint)
        self._asked(requests.edit(self.world.queue, _caller(caller), chosen, _pairs(rest)))

    def _asked(self, answer: tuple[dict[JobId, int], list[Entry]]) -> None:
        """Carries a request out as the daemon does."""
        results, entries = answer
        counts = Counter(actions.Result(result).name for result in results.values())
        self._said.append("  ".join(f"{name} {count}" for name, count in sorted(counts.items())))
        self.world.handle(ClientWrites(entries, at_once=True))

    def do_wait(self, words: list[str]) -> None:
        self.world.now += int(words[0])
        self.world.handle(Tick())

    def do_policies(self, _: list[str]) -> None:
        self.world.handle(PoliciesDue())

    def do_updates(self, _: list[str]) -> None:
        self.world.handle(UpdatesDue())

    def do_cycle(self, _: list[str]) -> None:
        self.world.handle(CycleWanted())

    def do_leave(self, words: list[str]) -> None:
        self.world.handle(Leaving("fast" in words))

    # -- matches and claims ------------------------------------------------------------------------

    def do_match(self, words: list[str]) -> None:
        """A plan that gives jobs slots; the startd agrees at once."""
        jobs = [word for word in words if "=" not in word]
        self.world.match(*map(_job, jobs), **dict(_pairs(words[len(jobs) :])))

    def do_plan(self, words: list[str]) -> None:
        """A plan with one match, which the startd has not answered yet."""
        job, *rest = words
        given: dict[str, Any] = dict(_pairs(rest))
        by = given.pop("preemption", "NONE")
        victims = tuple(given.pop("victims", "").split())
        submitter = given.pop("submitter", "alice@example.net")
        match = Match(_job(job), submitter, "slot1@vm", 1.0, Preemption[by], victims, **given)
        self.world.handle(Planned(Plan((match,))))

    def do_reject(self, words: list[str]) -> None:
        job, reason, *fault = words
        rejection = Rejection(_job(job), "alice@example.net", 1, reason, bool(fault))
        self.world.handle(Planned(Plan((), (rejection,))))

    def do_grant(self, words: list[str]) -> None:
        requests = {one.id: one for one in self.world.told(RequestClaim)}
        if words[0] not in requests:
            raise CondorError(f"of the requests {' '.join(requests)} none is {words[0]}")
        self.world.grant(requests[words[0]])

    def do_refuse(self, words: list[str]) -> None:
        self.world.handle(ClaimRefused(words[0], words[1], "fault" in words[2:]))

    def do_lose(self, words: list[str]) -> None:
        self.world.handle(ClaimLost(self._id(words[0]), int(words[1]), words[2]))

    def do_released(self, words: list[str]) -> None:
        self.world.handle(ClaimReleased(self._id(words[0])))

    def do_offer(self, words: list[str]) -> None:
        slots = [ClassAd.from_text_items(_pairs(text.split(";"))) for text in words if text != "alone"]
        self.world.handle(SlotsOffered(slots, "alone" in words))

    def do_significant(self, words: list[str]) -> None:
        self.world.handle(Significant(words))

    def do_run_now(self, words: list[str]) -> None:
        caller, job, *victims = words
        self.world.handle(RunNow(_caller(caller), _job(job), [_job(one) for one in victims]))

    # -- runs --------------------------------------------------------------------------------------

    def do_started(self, words: list[str]) -> None:
        """The program of a job runs; ``transfer=BEGIN,END``, ``after=SECONDS``, ``run=NUMBER``."""
        job, given = _job(words[0]), dict(_pairs(words[1:]))
        run = self._run(job)
        when = self.world.now + float(given.get("after", 0))
        number = int(given.get("run", run.number))
        transfer = _times(given.get("transfer", ""))
        self.world.handle(RunStarted(run.claim_id, job, number, 4711, when, given.get("scratch", "/dir_1"), transfer))

    def do_update(self, words: list[str]) -> None:
        self._of_run(RunUpdate, words[0], dict(_pairs(words[1:])))

    def do_delayed(self, words: list[str]) -> None:
        self._of_run(RunDelayed, words[0], dict(_pairs(words[1:])))

    def do_notice(self, words: list[str]) -> None:
        self._of_run(RunNotice, words[0], words[1], "critical" in words[2:])

    def do_suspended(self, words: list[str]) -> None:
        self._of_run(RunSuspended, words[0], int(words[1]))

    def do_resumed(self, words: list[str]) -> None:
        self._of_run(RunSuspended, words[0], None)

    def do_ended(self, words: list[str]) -> None:
        """The report of a run: fields of ExitReport and of Usage; times are seconds before now."""
        job, given = words[0], dict(_pairs(words[1:]))
        run = self.world.core.runs.get(_job(job))
        claim = given.pop("claim", "")
        code, reason = int(given.pop("code", "0")), given.pop("reason", "")
        number = int(given.pop("run", "0")) or (run.number if run is not None else 1)
        claim_id = self._id(claim) if claim or run is None else run.claim_id
        report = ExitReport(claim_id, job, number, **self._report(given))
        self.world.handle(RunEnded(report, code, reason))

    def _report(self, given: dict[str, str]) -> dict[str, Any]:
        known = {part.name for part in fields(Usage)}
        usage = {name: _value(text) for name, text in given.items() if name in known}
        rest: dict[str, Any] = {name: text for name, text in given.items() if name not in known}
        for name in rest:
            if name.endswith("_transfer"):
                rest[name] = _times(rest[name])
            elif name not in ("hold_reason", "error"):
                rest[name] = _value(rest[name])
            if name.endswith("_time"):
                rest[name] = float(self.world.now - rest[name])
        return {**rest, "usage": Usage(**usage)}

    # -- other things that are told -----------------------------------------------------------------

    def do_order_refused(self, words: list[str]) -> None:
        """The startd does not take an order: CLAIM JOB REASON."""
        self.world.handle(OrderRefused(self._id(words[0]), job=words[1], reason=words[2]))

    def do_other_run(self, words: list[str]) -> None:
        """Everything that a starter may tell, of a run of the job that is over, and on another claim."""
        job, number = _job(words[0]), self._run(_job(words[0])).number
        claim = self._run(job).claim_id
        for where in ((claim, job, number - 1), ("<addr>#1#99#secret", job, number)):
            self.world.handle(RunStarted(*where, 4711, float(self.world.now), "/dir_1"))
            self.world.handle(RunUpdate(*where, {"A": "1"}))
            self.world.handle(RunDelayed(*where, {"A": "1"}))
            self.world.handle(RunNotice(*where, "a word", True))
            self.world.handle(RunSuspended(*where, 1))

    def do_units(self, _: list[str]) -> None:
        """The units as condor_status shows them, and what submitters have of them."""
        names = ("OCUId", "OCUState", "OCUOwnerActivations", "OCUBorrowerActivations", "OCUClaimedTime")
        for ad in self.world.core.ocu_ads():
            self._said.append(" ".join(f"{name}={text}" for name in names if (text := ad.text(name)) is not None))
        self._said += [f"{name} {count}" for name, count in sorted(ocu.counts(self.world.core.state).items())]

    def do_demand(self, _: list[str]) -> None:
        """What the negotiator hears."""
        for one in demand(self.world.core.state):
            jobs = "; ".join(" ".join(map(str, request.jobs)) for request in one.requests)
            told = f"running={one.running} weight={one.running_weight:g} idle={one.idle_weight:g} prio={one.job_prio}"
            self._said.append(f"{one.name} {told} {jobs}")
        for promise in promises(self.world.core.state):
            self._said.append(f"promised {promise}")

    def do_line(self, words: list[str]) -> None:
        self.world.handle(UserLine(_job(words[0]), words[1]))

    def do_restart(self, words: list[str]) -> None:
        """A new schedd on the same queue: JOB=EVENTS are what the logs have, ``history=JOBS`` what the history has."""
        given = dict(_pairs(words))
        done = [_job(word) for word in given.pop("history", "").split()]
        logged = {_job(job): [int(one) for one in text.split(",")] for job, text in given.items()}
        world = self.world
        world.core = Schedd(world.queue, world.core.settings, world.now)
        world.core.handle(PUBLISHED, world.now)
        world.handle(QueueTaken(logged, done))

    def do_factory_begins(self, words: list[str]) -> None:
        self.world.handle(FactoryBegins(int(words[0])))

    def do_factory(self, words: list[str]) -> None:
        """Records of a factory's cluster ad: CLUSTER WAS Name=text."""
        cluster, was, *rest = words
        records = [Change(SET, f"0{cluster}.-1", name, text) for name, text in _pairs(rest)]
        self.world.queue.apply(records)
        self.world.handle(FactoryTold(int(cluster), records, int(was)))

    def do_factory_act(self, words: list[str]) -> None:
        caller, action, constraint, *reason = words
        results: dict[JobId, int] = {}
        chosen = requests.Selection((), constraint)
        said = reason[0] if reason else None
        clusters, records = factory.act(self.world.queue, _caller(caller), action, chosen, said)
        factory.add_results(results, clusters)
        self._answer(results, records)

    def do_staging(self, words: list[str]) -> None:
        """A step of the staging in a data slot: CLAIM STEP [failed] [path=..] [Name=text]."""
        claim, step, *rest = words
        given = dict(_pairs([word for word in rest if "=" in word]))
        path = given.pop("path", "")
        now = float(self.world.now)
        self.world.handle(StagingStep(self._id(claim), "C", step, now, "failed" not in rest, path, given))

    def do_staged(self, words: list[str]) -> None:
        self.world.handle(FilesStaged(self._id(words[0])))

    def do_unit(self, words: list[str]) -> None:
        """A request for an owner capacity unit: CALLER NUMBER Name=text."""
        caller, number, *rest = words
        unit, records = ocu.requested(self.world.core.state, _caller(caller), _pairs(rest), int(number))
        self.world.core.handle(OcuMade(unit), self.world.now)
        self.world.handle(ClientWrites(records))

    def do_unit_removed(self, words: list[str]) -> None:
        records = ocu.removal(self.world.core.state, _caller(words[0]), int(words[1]))
        self.world.core.handle(OcuRemoved(int(words[1])), self.world.now)
        self.world.handle(ClientWrites(records))

    def do_units_found(self, _: list[str]) -> None:
        """A schedd that starts reads the units from the records of users."""
        self.world.core = Schedd(self.world.queue, self.world.core.settings, self.world.now)
        self.world.core.handle(QueueTaken({}, ()), self.world.now)
        self.world.core.handle(UsersFound({2: self.world.queue.user}), self.world.now)

    def do_export(self, words: list[str]) -> None:
        self._external(external.export, words)

    def do_unexport(self, words: list[str]) -> None:
        self._external(external.unexport, words)

    def _external(self, step: Callable[..., tuple[list[JobId], list[Change]]], words: list[str]) -> None:
        found, records = step(self.world.queue, _caller(words[0]), [int(word) for word in words[1:]])
        self._answer(dict.fromkeys(found, 1), records)

    def do_spooled(self, words: list[str]) -> None:
        """The input of a job lies in the spool."""
        job, now = _job(words[0]), self.world.now
        records = list(spooled.staged_in(job, self.world.queue.procs[job], "/spool/1/0", now - 5, now))
        self._answer({job: 1}, records)

    # -- what runs elsewhere -----------------------------------------------------------------------

    def do_grid(self, words: list[str]) -> None:
        """A report of a gridmanager: JOB STEP [by=OWNER] [ago=SECONDS] [drop=NAMES] [code=..] Name=text."""
        job, step, *rest = words
        told = _pairs(rest)
        given: dict[str, Any] = {name: text for name, text in told if name.islower()}
        owner, drop = given.pop("by", "alice"), given.pop("drop", "").split()
        if "ago" in given:
            given["when"] = float(self.world.now - int(given.pop("ago")))
        given |= {name: int(given[name]) for name in ("code", "subcode") if name in given}
        assigned = tuple((name, text) for name, text in told if not name.islower())
        report = GridReport(_job(job), step, assigned, drop, **given)
        self.world.handle(GridReported(owner, _job(job), report))

    def do_grid_end(self, words: list[str]) -> None:
        """All reports up to a number have come: OWNER NUMBER."""
        self.world.handle(GridReportsEnd(words[0], int(words[1])))

    def do_grid_jobs(self, words: list[str]) -> None:
        """The jobs that a user's gridmanager has to know of."""
        self._said.append(" ".join(map(str, self.world.core.grid_jobs(words[0]))) or "none")

    def do_routed(self, words: list[str]) -> None:
        """The job router has a copy of a job: JOB COPY."""
        self.world.written(mirror.claimed(_job(words[0]), _job(words[1]), "jobrouter"))

    def do_copied(self, words: list[str]) -> None:
        """A job shows that its copy has gone to another JobStatus: JOB STATUS Name=text."""
        job, status, *rest = words
        more = [Change(SET, job, name, text) for name, text in _pairs(rest)]
        ad = self.world.queue.procs[_job(job)]
        self.world.written([*more, *enter_status(_job(job), ad, JobStatus(int(status)), self.world.now)])

    # -- what was counted --------------------------------------------------------------------------

    def do_counted(self, _: list[str]) -> None:
        """What the statistics have counted since they were last looked at; of histograms COLUMN:NUMBER."""
        counters, found = self.world.core.counters, []
        before, self._counts = self._counts, dict(counters.totals)
        names = [name for name, _ in counters.shown(self.world.now)]
        for name in names:
            columns = sorted(each for each in self._counts if each.partition("/")[0] == name)
            changed = [(each, more) for each in columns if (more := self._counts[each] - before.get(each, 0))]
            if changed:
                told = (f"{each.partition('/')[2]}:{more}" if "/" in each else str(more) for each, more in changed)
                found.append(f"{name} {' '.join(told)}")
        text = "  ".join([*found, f"peak {counters.peak}"])
        self._said += wrap(text, WIDTH, break_on_hyphens=False, break_long_words=False)

    # -- what came of it ---------------------------------------------------------------------------

    def _answer(self, results: dict[JobId, int], records: list[Change]) -> None:
        if not results:
            raise CondorError("nothing chosen")
        self.world.committed += records
        self.world.written(records)

    def _of_run(self, kind: Callable[..., Any], job: str, *arguments: object) -> None:
        run = self._run(_job(job))
        self.world.handle(kind(run.claim_id, _job(job), run.number, *arguments))

    def _run(self, job: JobId) -> Run:
        if (run := self.world.core.runs.get(job)) is None:
            raise CondorError(f"{job} does not run")
        return run

    def _id(self, number: str) -> str:
        """``2`` is the second claim that the startd gave; what is longer is an id itself."""
        return f"<addr>#1#{number}#secret" if number.isdigit() else number

    def _claim(self, word: str) -> ClaimInfo:
        """``1``, ``1:1.0/2`` (run 2 of a job on it), ``1:data:KEYS`` and ``1:data:KEYS:1.0``: a data slot."""
        number, _, rest = word.partition(":")
        slot = ClassAd.from_text_items(
            [("Cpus", "1"), ("Memory", "128"), ("Disk", "1024"), *self.world.slot_more.items()]
        )
        claim = self._id(number), f"slot1_{number}@vm", "alice@example.net", slot
        if rest.startswith("data:"):
            keys, _, asker = rest.removeprefix("data:").partition(":")
            return ClaimInfo(*claim, asker, 1, True, tuple(keys.split()))
        job, _, run = rest.partition("/")
        return ClaimInfo(*claim, job, int(run or 0))

    def _told(self) -> Iterator[str]:
        world = self.world
        records, self._committed = world.committed[self._committed :], len(world.committed)
        effects, self._seen = world.seen[self._seen :], len(world.seen)
        told = [
            (key, "  ".join(_record(record) for record in group))
            for key, group in groupby(records, lambda record: record.key)
        ]
        for text in _same_together(told):
            yield from wrap(text, WIDTH, subsequent_indent="    ", break_on_hyphens=False, break_long_words=False)
        for effect in effects:
            yield _effect(effect)


def _same_together(told: list[tuple[str, str]]) -> Iterator[str]:
    """``KEY: TEXT``; of many neighbours that say the same only the first and the last are named."""
    for text, group in groupby(told, lambda one: one[1]):
        keys = [key for key, _ in group]
        if len(keys) < _SAME:
            yield from (f"{key}: {text}" for key in keys)
        else:
            yield f"{keys[0]} to {keys[-1]}, {len(keys)} of them: {text}"


def _pairs(words: list[str]) -> list[tuple[str, str]]:
    return [(name, text) for name, _, text in (word.partition("=") for word in words)]


def _value(text: str) -> Any:
    """What a text says in Python, or the text."""
    try:
        return literal_eval(text)
    except (SyntaxError, ValueError):
        return text


def _settings(words: list[str]) -> dict[str, Any]:
    """Settings by name; ``hold=EXPRESSION`` and the like are system policies, ``MACRO EXPRESSION REASON SUBCODE``."""
    texts = {name for name, kind in ScheddSettings.__annotations__.items() if kind == "str"}
    given = {name: text if name in texts else _value(text) for name, text in _pairs(words)}
    rules = {name: (PolicyRule(*given.pop(name)),) for name in ("hold", "release", "remove", "vacate") if name in given}
    policy = SystemPolicy(**rules, max_releases=given.pop("max_releases", -1))
    return {**given, "system_periodic": policy}


def _times(text: str) -> tuple[float, ...]:
    return tuple(map(float, text.split(","))) if text else ()


def _job(text: str) -> JobId:
    """A job, or what stands for one."""
    return JobId(*map(int, text.split(".")))


def _caller(name: str) -> Caller:
    return Caller(name, name == "root")


def _record(record: Change) -> str:
    match record.op:
        case op if op == NEW_AD:
            return "new"
        case op if op == DESTROY_AD:
            return "gone"
        case op if op == DELETE:
            return f"-{record.name}"
    return f"{record.name} = {record.value}"


def _effect(effect: Effect) -> str:
    if isinstance(effect, UserEvent):
        event: JobEvent = effect.event
        when = f" at {event.time:g}"
        jobs = " ".join([str(JobId(event.cluster, proc)) for proc in effect.procs])
        return " ".join([f"event {event.number:03d} {jobs}{when}", *_fields(event)])
    if isinstance(effect, Leave):
        return " ".join(["Leave", *(f"job={job}" for job in effect.jobs)])
    if isinstance(effect, Note):
        return f"Note {effect.text.splitlines()[0]}"
    return " ".join([type(effect).__name__, *_fields(effect)])


def _fields(thing: Any) -> Iterator[str]:
    if isinstance(thing, Message):
        for name, value in vars(thing).items():
            if value != _UNSAID.get(name, MISSING):
                yield f"{name}={_shown(value)}"
        return
    for part in fields(thing):
        value = getattr(thing, part.name)
        if part.name not in _SILENT and value != _default(part):
            yield f"{part.name}={_shown(value)}"


def _default(part: Field[Any]) -> object:
    return MISSING if part.default is MISSING else part.default


def _shown(value: object) -> str:
    if isinstance(value, JobId):
        return str(value)
    if isinstance(value, tuple) and value and isinstance(value[0], Catalog):
        return " ".join(one.name for one in value)
    if isinstance(value, tuple) and len(value) > _MANY and len(value[0]) == 2:
        return f"{len(value)} attributes"
    if isinstance(value, tuple) and value and all(isinstance(one, tuple) and len(one) == 2 for one in value):
        return "(" + ", ".join(f"{name} {text}" for name, text in value) + ")"
    return repr(value) if isinstance(value, str | tuple) else str(value)
