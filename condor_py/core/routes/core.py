"""The router itself: the queue in, actions out. An action is what is written at once about a job and its copy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

from condor_py.core.jobs.actions import delete, release_records, set_string, set_text
from condor_py.core.jobs.jobad import status_of
from condor_py.core.routes import copying, hooks, mirror
from condor_py.core.routes.actions import Action, after, ended, let_go
from condor_py.core.routes.hooks import Answer, HookCall, Hooks, Kind
from condor_py.core.routes.table import Route, RoutingTable, is_met
from condor_py.lang.classad import ClassAd, clock
from condor_py.lang.classad.formats.old import sorted_lines
from condor_py.lang.submit.transform import TransformError
from condor_py.lang.submit.transform_run import Log, Session
from condor_py.model.ids import JobId
from condor_py.model.record import Change
from condor_py.model.settings.router import RouterSettings
from condor_py.model.states import JobStatus

_RUNNING = (JobStatus.RUNNING, JobStatus.TRANSFERRING_OUTPUT, JobStatus.SUSPENDED)
_GONE = (JobStatus.REMOVED, JobStatus.COMPLETED)


class Router:
    """The routes and the jobs on them. ``settings`` and ``table`` are to be looked at."""

    def __init__(self, settings: RouterSettings, queue: Queue, now: int) -> None:
        self.queue = queue
        self.settings = settings
        self.table = RoutingTable.read(settings)
        self.pairs = Pairs(queue, settings.name, settings.owner)
        self.throttles = {name: Throttle(now) for name in self.table.routes}
        self.hooks = Hooks(settings)
        self._turn = 0
        self.session = Session(settings.macro)
        #: Why jobs could not be routed: each reason is logged once.
        self._refused: dict[JobId, str] = {}
        #: On which route jobs are that have not been taken back: if their copies vanish, that is its failure.
        self._on: dict[JobId, str] = {}

    def configure(self, settings: RouterSettings, now: int) -> None:
        """New settings; routes that stay keep their counts."""
        table = RoutingTable.read(settings)
        if not table.enabled and self.table.enabled:
            table.keep_routes(self.table)  # what is broken now vanished from nowhere: no job is taken back
        throttles = {name: self.throttles.get(name) or Throttle(now) for name in table.routes}
        if (settings.name, settings.owner) != (self.settings.name, self.settings.owner):
            self.pairs = Pairs(self.queue, settings.name, settings.owner)
        self.pairs.look_again((*self.pairs.sources, *self.pairs.copies))
        self.settings, self.table, self.throttles = settings, table, throttles
        self.hooks.configure(settings)
        self.session = Session(settings.macro)

    def notice(self, jobs: Iterable[JobId]) -> None:
        """These jobs are new, gone or not what they were."""
        seen = set(jobs)
        self.pairs.notice(seen)
        for job in seen:
            if self.queue.job(job) is None:
                self._refused.pop(job, None)
                self.hooks.forget(job)

    # -- counts --------------------------------------------------------------------------------------------------

    def counts(self) -> dict[str, RouteCount]:
        """Number of jobs on each route, by its name in lower case."""
        found: dict[str, list[int]] = {name: [0, 0] for name in self.table.routes}
        for job in self.pairs.copies:
            ad = self.queue.job(job)
            if ad is None or status_of(ad) in _GONE:
                continue
            entry = found.setdefault(ad.eval_str("RouteName", "").lower(), [0, 0])
            entry[0] += 1
            entry[1] += status_of(ad) in _RUNNING
        return {name: RouteCount(*entry) for name, entry in found.items()}

    def done(self, action: Action) -> None:
        """An action is in the queue: it counts."""
        for key in action.settles:
            self.hooks.settle(key)
        if not action.outcome:
            return
        for job in () if action.hook is not None or action.outcome == "failed" else action.jobs:
            self._refused.pop(job, None)
        throttle = self.throttles.get(action.route.lower())
        if throttle is not None:
            setattr(throttle, action.outcome, getattr(throttle, action.outcome) + 1)

    def adjust(self, now: int) -> list[str]:
        """Looks at the failures of each route; what has changed, for the log."""
        counts, lines = self.counts(), []
        for name, route in self.table.routes.items():
            change = self.throttles[name].adjust(now, route.failure_rate, counts[name].jobs)
            if change:
                lines.append(f"(route={route.name}): {change}")
        return lines

    # -- one look ------------------------------------------------------------------------------------------------

    def poll(self, now: int) -> list[Action]:
        """Everything that is to be written at ``now`` (Unix seconds)."""
        self.pairs.look_again(self.hooks.due(now))
        followed = self.follow(now)
        with clock.frozen(now):
            return [*followed, *self._updates(now), *self._candidates(now)]

    def follow(self, now: int) -> list[Action]:
        """Return the actions for changed jobs that have copies."""
        with clock.frozen(now):
            changed = self.pairs.take_changed()
            return [action for job in changed if (action := self._tried(job, self._follow, job, now)) is not None]

    def _tried(self, job: JobId, step: Callable[..., Action | None], *words: Any) -> Action | None:
        """Return the action of a step about a job. An error in it is the job's own, which is looked at again later."""
        try:
            return step(*words)
        except Exception as error:  # an ad may say anything, and all users share the router
            self.pairs.look_again((job,))
            return self._not_routed(job, f"(src={job}): the job cannot be handled: {type(error).__name__}: {error}")

    def again(self, actions: Iterable[Action]) -> None:
        """These actions could not be written."""
        for action in actions:
            if action.hook is not None:
                self.not_run(action.hook)
        self.pairs.look_again(job for action in actions for job in action.jobs)

    def _follow(self, job: JobId, now: int) -> Action | None:
        """Return the action that a change of a job or a copy requires."""
        ad = self.queue.job(job)
        if ad is None:
            self._on.pop(job, None)
            return None
        if job in self.pairs.copies:
            return self._orphan(job, ad, now)
        if job not in self.pairs.sources:
            self.hooks.settle((Kind.TRANSLATE, job))
            return None
        copy_id = self.pairs.copy_of(job, ad)
        copy = None if copy_id is None else self.queue.job(copy_id)
        if copy_id is None or copy is None:
            on_its_way = self.hooks.answer(Kind.TRANSLATE, job) or self.hooks.runs(Kind.TRANSLATE, job)
            return self._translated(job, ad, now) if on_its_way else self._lost(job, ad, now)
        return self._pair(job, ad, copy_id, copy, now)

    def _lost(self, job: JobId, ad: ClassAd, now: int) -> Action:
        """The copy has left without having completed: the job is the schedd's again."""
        changes = tuple(mirror.yielded(job, ad, now, self.settings.release_on_hold))
        copy = job_id(ad.eval_str("RoutedToJobId", ""))
        route = self._on.pop(job, "")
        says = f"(src={job},dest={copy or 'none'}): dest job was removed!"
        return Action((job,) if copy is None else (job, copy), changes, None, route, "failed" if route else "", says)

    def _pair(self, job: JobId, ad: ClassAd, copy_id: JobId, copy: ClassAd, now: int) -> Action | None:
        both, route = (job, copy_id), copy.eval_str("RouteName", "")
        what = f"(src={job},dest={copy_id},route={route})"
        mine, theirs = status_of(ad), status_of(copy)
        held_here = mine == JobStatus.HELD and not ad.eval_bool(mirror.COPIED_HOLD, False)
        if mine in _GONE or held_here:
            return self._take_back(both, copy, now, f"{what}: found src job {'on hold' if held_here else 'removed'}")
        self._on.setdefault(job, route)
        if theirs == JobStatus.COMPLETED:
            return self._finish(both, ad, copy, route, now, what)
        if theirs == JobStatus.REMOVED:
            return self._cleaned(both, copy, now) or let_go(both, copy, what)
        if mine == JobStatus.IDLE and ad.eval_bool(mirror.COPIED_HOLD, False) and theirs == JobStatus.HELD:
            released = release_records(copy_id, copy, ad.eval_str("ReleaseReason", ""), now)
            return Action(both, (*released, delete(job, mirror.COPIED_HOLD)), says=f"{what}: released with its src job")
        if route.lower() not in self.table.routes and theirs in (JobStatus.IDLE, JobStatus.HELD):
            return self._take_back(both, copy, now, f"{what}: taken back, there is no such route any more")
        return self._mirrored(both, ad, copy, now)

    def _mirrored(self, both: tuple[JobId, JobId], ad: ClassAd, copy: ClassAd, now: int) -> Action | None:
        job, copy_id = both
        changes = list(mirror.status(job, ad, copy, now))
        if changes or not mirror.just_made(ad, copy):
            changes = [*self._shown(job, ad, copy), *changes]
        if (verb := ad.eval_str("RunCommand", None)) and status_of(copy) in _RUNNING:
            changes += [set_string(copy_id, "RunCommand", verb), delete(job, "RunCommand")]
        answer = self.hooks.answer(Kind.UPDATE, copy_id)
        if answer is not None:
            changes += hooks.changes(copy_id, copy, answer)
            return Action(both, tuple(changes), settles=((Kind.UPDATE, copy_id),))
        return Action(both, tuple(changes)) if changes else None

    def _shown(self, job: JobId, ad: ClassAd, copy: ClassAd) -> Iterator[Change]:
        """Changes that show the state of a copy in its job."""
        more = (name for name in self.hooks.of(ad).copied if name.lower() not in hooks.GUARDED)
        return mirror.attributes(job, ad, copy, self.settings.chirp_prefixes, more)

    def _finish(
        self, both: tuple[JobId, JobId], ad: ClassAd, copy: ClassAd, route: str, now: int, what: str
    ) -> Action | None:
        job, copy_id = both
        answer = None
        if program := self.hooks.of(ad).finalize:
            answer = self.hooks.answer(Kind.FINALIZE, copy_id)
            if answer is None:
                return self._call(HookCall(Kind.FINALIZE, copy_id, job, program, route), now)
            if answer.problem:
                return self._cleaned(both, copy, now) or self._not_finished(both, ad, copy, route, now, what)
        said = () if answer is None else hooks.changes(job, ad, answer)
        changes = [*self._shown(job, ad, copy), *said, *mirror.finished(job, ad, now)]
        if not self.hooks.of(copy).cleanup:
            changes.append(set_text(copy_id, "LeaveJobInQueue", "false"))
        known = self.table.routes.get(route.lower())
        failed = known is not None and is_met(known.failure_test, after(ad, changes, str(job)))
        says = f"{what}: finalized job" + (", which counts as a failure (JobFailureTest)" if failed else "")
        self._on.pop(job, None)
        settled = ((Kind.FINALIZE, copy_id),)
        return Action(both, tuple(changes), None, route, "failed" if failed else "succeeded", says, settles=settled)

    def _not_finished(
        self, both: tuple[JobId, JobId], ad: ClassAd, copy: ClassAd, route: str, now: int, what: str
    ) -> Action:
        """The hook does not want the job to end like that: it is the schedd's again, and may be routed again."""
        job, copy_id = both
        self._on.pop(job, None)
        changes = (*mirror.yielded(job, ad, now, True), *ended(copy_id, copy, "JobRouter aborted job", now))
        says = f"{what}: given back, as {Kind.FINALIZE.value} has failed"
        settled = ((Kind.FINALIZE, copy_id), (Kind.CLEANUP, copy_id))
        return Action(both, changes, None, route, "failed", says, settles=settled)

    def _take_back(self, both: tuple[JobId, JobId], copy: ClassAd, now: int, says: str) -> Action | None:
        """Removes the copy; the job is the schedd's again when nothing of the copy is left."""
        job, copy_id = both
        self._on.pop(job, None)
        return self._left((job, copy_id), copy, "JobRouter aborted job", now, says)

    def _left(self, jobs: tuple[JobId, ...], copy: ClassAd, reason: str, now: int, says: str) -> Action | None:
        """A copy goes: it is removed if it has not ended, and leaves the queue when its hook has cleaned up."""
        *_, copy_id = jobs
        if status_of(copy) in _GONE and (waits := self._cleaned(jobs, copy, now)) is not None:
            return waits
        changes = ended(copy_id, copy, reason, now)
        return Action(jobs, changes, says=says, settles=((Kind.CLEANUP, copy_id),)) if changes else None

    def _cleaned(self, jobs: tuple[JobId, ...], copy: ClassAd, now: int) -> Action | None:
        """Return the action needed before a copy that has ended may leave; None when its hook has cleaned up."""
        *_, copy_id = jobs
        program = self.hooks.of(copy).cleanup
        answer = self.hooks.answer(Kind.CLEANUP, copy_id)
        if not program or copy.text("LeaveJobInQueue") == "false" or (answer is not None and not answer.problem):
            return None
        if answer is not None and self.hooks.is_free(Kind.CLEANUP, copy_id, now):
            self.hooks.settle((Kind.CLEANUP, copy_id))
        source = jobs[0] if len(jobs) > 1 else None
        call = HookCall(Kind.CLEANUP, copy_id, source, program, copy.eval_str("RouteName", ""))
        return self._call(call, now) or Action(jobs)

    def _orphan(self, copy_id: JobId, copy: ClassAd, now: int) -> Action | None:
        """A copy whose job is gone, or is routed no more, goes; others are looked at with their jobs."""
        source = job_id(copy.eval_str("RoutedFromJobId", ""))
        ad = None if source is None else self.queue.job(source)
        is_routed = source is not None and ad is not None and source in self.pairs.sources
        if is_routed and source is not None and ad is not None and self.pairs.copy_of(source, ad) == copy_id:
            return None
        jobs = (copy_id,) if source is None else (source, copy_id)
        how = "nobody waits for it any more" if status_of(copy) in _GONE else "removing orphaned destination job"
        says = f"(src={source or 'none'},dest={copy_id}): {how}"
        return self._left(jobs, copy, "JobRouter orphan", now, says)

    # -- new jobs ------------------------------------------------------------------------------------------------

    def _candidates(self, now: int) -> Iterator[Action]:
        """Jobs that a route takes, in the order of their ids, as long as there is room."""
        if not self.table.enabled:
            return
        room = self.room()
        for job in sorted(self.pairs.waiting):
            if not room.is_open:
                return
            action = self._tried(job, self._candidate, job, room, now)
            if action is not None:
                yield action

    def _candidate(self, job: JobId, room: Room, now: int) -> Action | None:
        """Return the action for a job that waits: a route takes it, or says why it does not; None for neither."""
        ad = self.queue.job(job)
        route = None if ad is None else self.choose(ad, room)
        action = None if ad is None or route is None else self._routed(job, ad, route, now)
        if route is not None and action is not None and action.outcome:
            room.take(route)
        return action

    def room(self) -> Room:
        """Number of jobs that the routes can accept now."""
        return Room(self)

    def takes(self, ad: ClassAd) -> bool:
        """Whether a job is one of those that are routed at all (JOB_ROUTER_SOURCE_JOB_CONSTRAINT)."""
        return is_met(self.table.constraint, ad, True)

    def choose(self, ad: ClassAd, room: Room) -> Route | None:
        """The route for a job: the first that fits, or the next one of those (JOB_ROUTER_ROUND_ROBIN_SELECTION)."""
        if not self.takes(ad):
            return None
        fitting = (route for route in room.open_routes() if is_met(route.requirements, ad, True))
        if not self.settings.round_robin:
            return next(fitting, None)
        found = list(fitting)
        if not found:
            return None
        self._turn += 1
        return found[(self._turn - 1) % len(found)]

    def _routed(self, job: JobId, ad: ClassAd, route: Route, now: int) -> Action | None:
        in_place = is_met(route.edit_in_place, ad)
        if program := self.hooks.of(ad).translate:
            before = ad.flat_copy() if in_place else None
            return self._translation(HookCall(Kind.TRANSLATE, job, job, program, route.name, before), ad, route, now)
        if not in_place:
            return self._copied(job, ad, ad, route, now, "routed")
        try:
            subject = copying.apply_rules(ad.copy(), route, self.table, self.session, Log())
        except TransformError as error:
            return self._not_routed(job, f"(src={job},route={route.name}): failed to apply the route: {error}")
        return self._edited(job, route, tuple(copying.edits(job, ad, subject)))

    def _edited(self, job: JobId, route: Route, changes: tuple[Change, ...]) -> Action | None:
        says = f"(src={job},route={route.name}): Done editing job."
        return Action((job,), changes, None, route.name, "routed", says) if changes else None

    def _copied(self, job: JobId, ad: ClassAd, model: ClassAd, route: Route, now: int, outcome: str) -> Action | None:
        """Makes the copy of a job after ``model``, which is its own ad, or what a hook made of that."""
        try:
            made = copying.routed(job, model, route, self.table, self.settings.name, self.session, Log())
        except TransformError as error:
            return self._not_routed(job, f"(src={job},route={route.name}): failed to apply the route: {error}")
        of_job = self.hooks.of(ad)
        copy = copying.new_copy(job, ad, made, route.name, now, of_job.keyword if of_job.cleanup else "")
        if copying.unknown_grid(copy.items):
            return self._not_routed(job, f"(src={job},route={route.name}): the route sets no GridResource")
        return Action((job,), (), copy, route.name, outcome)

    # -- hooks ---------------------------------------------------------------------------------------------------

    def _call(self, call: HookCall, now: int) -> Action | None:
        """Has a hook run; None when it runs already, or has to wait."""
        jobs = tuple(dict.fromkeys(job for job in (call.source, call.job) if job is not None))
        return None if self.hooks.ask(call, now) is None else Action(jobs, hook=call)

    def hook_input(self, call: HookCall) -> str | None:
        """Input of a hook; None when it is not needed any more."""
        ad = self.queue.job(call.job)
        if ad is None:
            return None
        if call.kind is Kind.TRANSLATE:
            route = self.table.routes.get(call.route.lower())
            if route is None:
                return None
            return hooks.translation_input(route.name, route.universe, route.grid_resource, ad)
        if call.kind is not Kind.FINALIZE:
            return sorted_lines(ad.text_items())
        job = call.source and self.queue.job(call.source)
        if call.source is None or not job:
            return None
        completed = after(job, self._shown(call.source, job, ad), str(call.source))
        completed.set_text("JobStatus", str(int(JobStatus.COMPLETED)))
        return hooks.finalizing_input(completed, ad)

    def hooked(self, answer: Answer, now: int) -> str:
        """A hook has ended; return a line for the log, or ""."""
        call = answer.call
        self.hooks.answered(answer, now)
        if self.queue.job(call.job) is None:
            self.hooks.forget(call.job)
        self.pairs.look_again(job for job in (call.source, call.job) if job is not None)
        says = f"{call.what}: {call.kind.value} ({call.program}) {answer.problem}"
        return says if answer.problem and self.is_news(call.source or call.job, says) else ""

    def not_run(self, call: HookCall) -> None:
        """A hook that was asked for does not run."""
        self.hooks.abandon((call.kind, call.job))
        self.pairs.look_again(job for job in (call.source, call.job) if job is not None)

    def refused(self, action: Action, why: str, now: int) -> str:
        """A copy cannot be queued; return a line for the log. A job that was translated for it is given back."""
        job = action.jobs[0]
        for key in action.settles:
            answer = self.hooks.answer(*key)
            if answer is not None:
                self.hooks.answer_again(Answer(answer.call, (), why), now)
                self.pairs.look_again((job,))
        says = f"(src={job},route={action.route}): {why}"
        return says if self.is_news(job, says) else ""

    def _updates(self, now: int) -> Iterator[Action]:
        """Hooks that tell of routed jobs."""
        if not self.hooks.has_updates:
            return
        for job in sorted(self.pairs.sources):
            ad = self.queue.job(job)
            copy_id = None if ad is None else self.pairs.copy_of(job, ad)
            copy = None if copy_id is None else self.queue.job(copy_id)
            if ad is None or copy_id is None or copy is None or status_of(copy) in _GONE:
                continue
            if program := self.hooks.of(ad).update:
                call = HookCall(Kind.UPDATE, copy_id, job, program, copy.eval_str("RouteName", ""))
                if (action := self._call(call, now)) is not None:
                    yield action

    def _translation(self, call: HookCall, ad: ClassAd, route: Route, now: int) -> Action | None:
        """The job is ours while its hook works, unless it is edited in place: then only the answer changes it."""
        job, answer = call.job, self.hooks.answer(Kind.TRANSLATE, call.job)
        if answer is not None:
            self.hooks.settle((Kind.TRANSLATE, job))
        if answer is not None and not answer.problem and answer.call.before is not None:
            return self._translated_in_place(job, answer, route)
        asked = self._call(call, now)
        if asked is None:
            return None
        changes: tuple[Change, ...] = ()
        if call.before is None:
            changes = tuple(mirror.reserved(job, self.settings.name))
            changes += (delete(job, "RoutedToJobId"),) if ad.text("RoutedToJobId") is not None else ()
        return Action((job,), changes, None, route.name, "routed", "", call)

    def _translated_in_place(self, job: JobId, answer: Answer, route: Route) -> Action | None:
        before = answer.call.before or ClassAd()
        try:
            printed = ClassAd.from_text_items(answer.texts)
            subject = copying.apply_rules(printed, route, self.table, self.session, Log())
        except TransformError as error:
            return self._not_routed(job, f"(src={job},route={route.name}): failed to apply the route: {error}")
        return self._edited(job, route, tuple(hooks.differences(job, before, subject.ad)))

    def _translated(self, job: JobId, ad: ClassAd, now: int) -> Action | None:
        """Return the action for a job whose hook has answered: a copy is made, or the job is returned to the schedd."""
        answer = self.hooks.answer(Kind.TRANSLATE, job)
        if answer is None:
            return None
        route, key = self.table.routes.get(answer.call.route.lower()), (Kind.TRANSLATE, job)
        is_wanted = route is not None and status_of(ad) == JobStatus.IDLE
        made: Action | None = None
        if route is not None and is_wanted and not answer.problem:
            made = self._copied(job, ad, hooks.model(ad, answer), route, now, "")
        if made is not None and made.copy is not None:
            return replace(made, settles=(key,))
        outcome = "failed" if is_wanted else ""
        changes = tuple(mirror.yielded(job, ad, now, self.settings.release_on_hold))
        return Action((job,), changes, None, answer.call.route, outcome, made.says if made else "", settles=(key,))

    def _not_routed(self, job: JobId, says: str) -> Action | None:
        return Action((job,), says=says) if self.is_news(job, says) else None

    def is_news(self, job: JobId, says: str) -> bool:
        """Note the reason why a job is not routed; return whether it differs from the last one."""
        if self._refused.get(job) == says:
            return False
        self._refused[job] = says
        return True

    def claim(self, copy: copying.Copy, new: JobId) -> list[Change]:
        """The records that tie a job to its copy, which is ``new``: for the transaction that queues it."""
        return mirror.claimed(copy.source, new, self.settings.name)


#: Seconds between two looks at the counts.
INTERVAL = 600
#: A throttle of that many times the threshold stops no job.
_NO_LIMIT = 10_000
_SAME = 0.0001


class Throttle:
    """The counts of one route since the last look, and the most jobs that it may get until the next; 0 for no limit."""

    __slots__ = ("failed", "limit", "routed", "since", "succeeded")

    def __init__(self, now: int) -> None:
        self.since = now
        self.limit = 0.0
        self.routed = self.failed = self.succeeded = 0

    def is_full(self, taken: int) -> bool:
        """Whether the route gets no more for now, in addition to those that are ``taken`` and not yet counted."""
        return 0 < self.limit <= self.routed + taken

    @property
    def shown(self) -> str:
        """``none``, or jobs a second."""
        return f"{self.limit / INTERVAL:g} jobs/sec" if self.limit > 0 else "none"

    def adjust(self, now: int, threshold: float, jobs: int) -> str:
        """Adjust the limit to the counts when it is time; return the change in words, else "".

        ``threshold`` are failures a second, ``jobs`` are on the route now (manual, "FailureRateThreshold").
        """
        passed = now - self.since
        if passed < INTERVAL:
            return ""
        before, was = self.limit, self.shown
        if self.failed and self.failed / passed > threshold:
            share = self.failed / (self.failed + jobs + self.succeeded)
            self.limit = INTERVAL * threshold / share
        else:
            self._accelerate(threshold)
        self.since = now
        self.routed = self.failed = self.succeeded = 0
        return f"adjusting throttle from {was} to {self.shown}." if abs(self.limit - before) > _SAME else ""

    def _accelerate(self, threshold: float) -> None:
        """Five times as much when all succeed, twice when nothing happens, nothing when all fail."""
        speed = 3.0 * self.succeeded - 2.0 * self.failed
        if speed > 0:
            speed /= self.succeeded + self.failed
        speed += 2.0
        if speed > 1.0:
            self.limit *= speed
        if self.limit > INTERVAL * threshold * _NO_LIMIT:
            self.limit = 0.0
        if 0 < self.limit < 1 and not self.failed:
            self.limit = 1.0


class Queue(Protocol):
    """The router's interface to the image of the queue."""

    def job(self, job: JobId) -> ClassAd | None:
        """The ad of a job."""

    def jobs(self) -> Iterator[tuple[JobId, ClassAd]]:
        """All jobs."""


class Pairs:
    """Pairs of jobs and copies, which only methods change. ``name`` is the router's, ``owner`` whose jobs it routes."""

    def __init__(self, queue: Queue, name: str, owner: str) -> None:
        self._queue = queue
        self._name = name
        self._owner = owner
        #: Jobs that are routed, and the copies that jobs of this router have.
        self.sources: set[JobId] = set()
        self.copies: set[JobId] = set()
        #: Those of both that have to be looked at, as they or their partners are not what they were.
        self._changed: set[JobId] = set()
        self._partners: dict[JobId, JobId] = {}
        #: Idle jobs without a manager.
        self.waiting: set[JobId] = set()
        self.notice(job for job, _ in queue.jobs())

    def notice(self, jobs: Iterable[JobId]) -> None:
        """These jobs are new, gone or not what they were."""
        for job in list(jobs):
            ad = self._queue.job(job)
            known = job in self.sources or job in self.copies
            for place in (self.sources, self.copies, self.waiting):
                place.discard(job)
            if ad is None:
                self._file(job, self._partners.pop(job, None), known)
            elif ad.eval_str("RoutedBy", "") == self._name:
                self.copies.add(job)
                self._file(job, job_id(ad.eval_str("RoutedFromJobId", "")), True)
            elif ad.eval_str("Managed", "") == "External":
                if ad.eval_str("ManagedManager", "") == self._name:
                    self.sources.add(job)
                    self._file(job, job_id(ad.eval_str("RoutedToJobId", "")), True)
            else:
                self._file(job, self._partners.pop(job, None), known)
                if self._may_wait(ad):
                    self.waiting.add(job)

    def _file(self, job: JobId, partner: JobId | None, concerns: bool) -> None:
        """Remember the pair of a job and its copy, and that both are to be checked if that ``concerns`` the router."""
        here = job in self.sources or job in self.copies
        if here and partner is not None:
            self._partners[job] = partner
        if concerns:
            self._changed.update(each for each in (job, partner) if each is not None)

    def take_changed(self) -> list[JobId]:
        """The jobs to be looked at, in the order of their ids; they are looked at then."""
        changed, self._changed = sorted(self._changed), set()
        return changed

    def look_again(self, jobs: Iterable[JobId]) -> None:
        """Whatever was to be done about these jobs, or about their partners, could not be."""
        for job in jobs:
            both = (job, self._partners.get(job))
            self._changed.update(each for each in both if each in self.sources or each in self.copies)

    def _may_wait(self, ad: ClassAd) -> bool:
        """Whether a job is idle, complete with its input, and has not been routed to its end."""
        if status_of(ad) != JobStatus.IDLE or ad.eval_str("Managed", "") == "ScheddDone":
            return False
        if ad.text("StageInStart") is not None and ad.text("StageInFinish") is None:
            return False
        owner = ad.eval_str("Owner", "")
        return bool(owner) and self._owner in ("", owner)

    def copy_of(self, job: JobId, ad: ClassAd) -> JobId | None:
        """The copy of a routed job as far as it is in the queue."""
        copy = job_id(ad.eval_str("RoutedToJobId", ""))
        if copy not in self.copies:
            return None
        found = self._queue.job(copy)
        return copy if found is not None and found.eval_str("RoutedFromJobId", "") == str(job) else None


def job_id(text: str) -> JobId | None:
    """The id of a text; None for anything else."""
    try:
        return JobId.parse(text)
    except ValueError:
        return None


#: Jobs that one look routes at most: a look must not keep the queue's lock for long.
MOST_AT_ONCE = 500


class RouteCount(NamedTuple):
    """Number of jobs on a route now."""

    jobs: int
    running: int


class Room:
    """Number of jobs that each route, and the router, still accept in this pass."""

    def __init__(self, router: Router) -> None:
        self._router = router
        self._counts = {name: [*count] for name, count in router.counts().items()}
        for call in router.hooks.translating():
            self._counts.setdefault(call.route.lower(), [0, 0])[0] += 1
        self._taken = dict.fromkeys(router.table.routes, 0)
        most = router.settings.max_jobs
        self._left = MOST_AT_ONCE if most < 0 else min(MOST_AT_ONCE, most - len(router.pairs.sources))

    @property
    def is_open(self) -> bool:
        """Whether anything is taken at all."""
        return self._left > 0 and any(True for _ in self.open_routes())

    def open_routes(self) -> Iterator[Route]:
        """The routes that take a job, in order."""
        for name, route in self._router.table.routes.items():
            jobs, running = self._counts[name]
            throttled = self._router.throttles[name].is_full(self._taken[name])
            full = jobs >= route.max_jobs or (route.max_idle_jobs >= 0 and jobs - running >= route.max_idle_jobs)
            if not throttled and not full:
                yield route

    def take(self, route: Route) -> None:
        """A route has got a job."""
        name = route.name.lower()
        self._counts[name][0] += 1
        self._taken[name] += 1
        self._left -= 1
