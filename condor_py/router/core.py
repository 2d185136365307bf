"""The router itself: the queue in, actions out. An action is what is written at once about a job and its copy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from condor_py.classad import ClassAd, clock
from condor_py.model.ids import JobId
from condor_py.model.record import Change
from condor_py.model.settings.router import RouterSettings
from condor_py.model.states import JobStatus
from condor_py.router import copying, mirror
from condor_py.router.pairs import Pairs, Queue, job_id
from condor_py.router.table import Route, RoutingTable, is_met
from condor_py.router.throttle import Throttle
from condor_py.schedd.actions import delete, release_records, remove_records, set_string, set_text
from condor_py.schedd.jobad import status_of
from condor_py.submit.transform import TransformError
from condor_py.submit.transform_run import Log, Session

#: Jobs that one look routes at most: a look must not keep the queue's lock for long.
MOST_AT_ONCE = 500
_RUNNING = (JobStatus.RUNNING, JobStatus.TRANSFERRING_OUTPUT, JobStatus.SUSPENDED)
_GONE = (JobStatus.REMOVED, JobStatus.COMPLETED)


@dataclass(frozen=True, slots=True)
class Action:
    """What is to be written about ``jobs``, if none of them has changed since; ``says`` is for the log.

    ``copy`` is to be queued in the same transaction, with ``Router.claim``. ``route`` and ``outcome`` (routed,
    succeeded, failed or "") are for the counts.
    """

    jobs: tuple[JobId, ...]
    changes: tuple[Change, ...] = ()
    copy: copying.Copy | None = None
    route: str = ""
    outcome: str = ""
    says: str = ""


class RouteCount(NamedTuple):
    """How many jobs are on a route now."""

    jobs: int
    running: int


class Router:
    """The routes and the jobs on them. ``settings`` and ``table`` are to be looked at."""

    def __init__(self, settings: RouterSettings, queue: Queue, now: int) -> None:
        self.queue = queue
        self.settings = settings
        self.table = RoutingTable.read(settings)
        self.pairs = Pairs(queue, settings.name, settings.owner)
        self.throttles = {name: Throttle(now) for name in self.table.routes}
        self._turn = 0
        self.session = Session(settings.macro)
        #: Why jobs could not be routed: the log tells each reason once.
        self._refused: dict[JobId, str] = {}
        #: On which route jobs are that have not been taken back: if their copies vanish, that is its failure.
        self._on: dict[JobId, str] = {}

    def configure(self, settings: RouterSettings, now: int) -> None:
        """New settings; routes that stay keep their counts."""
        table = RoutingTable.read(settings)
        if not table.enabled and self.table.enabled:
            table.routes = dict(self.table.routes)  # what is broken now vanished from nowhere: nobody is taken back
        throttles = {name: self.throttles.get(name) or Throttle(now) for name in table.routes}
        if (settings.name, settings.owner) != (self.settings.name, self.settings.owner):
            self.pairs = Pairs(self.queue, settings.name, settings.owner)
        self.pairs.look_again((*self.pairs.sources, *self.pairs.copies))
        self.settings, self.table, self.throttles = settings, table, throttles
        self.session = Session(settings.macro)

    def notice(self, jobs: Iterable[JobId]) -> None:
        """These jobs are new, gone or not what they were."""
        seen = set(jobs)
        self.pairs.notice(seen)
        for job in seen & self._refused.keys():
            if self.queue.job(job) is None:
                del self._refused[job]

    # -- counts --------------------------------------------------------------------------------------------------

    def counts(self) -> dict[str, RouteCount]:
        """How many jobs each route has, by its name in lower case."""
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
        if not action.outcome:
            return
        for job in action.jobs:
            self._refused.pop(job, None)
        throttle = self.throttles.get(action.route.lower())
        if throttle is not None:
            setattr(throttle, action.outcome, getattr(throttle, action.outcome) + 1)

    def adjust(self, now: int) -> list[str]:
        """Looks at the failures of each route; what has changed, for the log."""
        counts, told = self.counts(), []
        for name, route in self.table.routes.items():
            change = self.throttles[name].adjust(now, route.failure_rate, counts[name].jobs)
            if change:
                told.append(f"(route={route.name}): {change}")
        return told

    # -- one look ------------------------------------------------------------------------------------------------

    def poll(self, now: int) -> list[Action]:
        """Everything that is to be written at ``now`` (Unix seconds)."""
        followed = self.follow(now)
        with clock.frozen(now):
            return [*followed, *self._candidates(now)]

    def follow(self, now: int) -> list[Action]:
        """What is to be written about jobs that have copies."""
        with clock.frozen(now):
            return [action for job in self.pairs.take_changed() if (action := self._follow(job, now)) is not None]

    def again(self, actions: Iterable[Action]) -> None:
        """These actions could not be written."""
        self.pairs.look_again(job for action in actions for job in action.jobs)

    def _follow(self, job: JobId, now: int) -> Action | None:
        """What a change of a job or a copy leads to."""
        ad = self.queue.job(job)
        if ad is None:
            self._on.pop(job, None)
            return None
        if job in self.pairs.copies:
            return self._orphan(job, ad, now)
        if job not in self.pairs.sources:
            return None
        copy_id = self.pairs.copy_of(job, ad)
        copy = None if copy_id is None else self.queue.job(copy_id)
        if copy_id is None or copy is None:
            return self._lost(job, ad, now)
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
            return _given_up(both, copy, what)
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
            changes = [*mirror.attributes(job, ad, copy, self.settings.chirp_prefixes), *changes]
        if (verb := ad.eval_str("RunCommand", None)) and status_of(copy) in _RUNNING:
            changes += [set_string(copy_id, "RunCommand", verb), delete(job, "RunCommand")]
        return Action(both, tuple(changes)) if changes else None

    def _finish(self, both: tuple[JobId, JobId], ad: ClassAd, copy: ClassAd, route: str, now: int, what: str) -> Action:
        job, copy_id = both
        self._on.pop(job, None)
        changes = mirror.finished(job, ad, copy_id, copy, self.settings.chirp_prefixes, now)
        known = self.table.routes.get(route.lower())
        failed = known is not None and is_met(known.failure_test, _after(ad, changes, str(job)))
        says = f"{what}: finalized job" + (", which counts as a failure (JobFailureTest)" if failed else "")
        return Action(both, tuple(changes), None, route, "failed" if failed else "succeeded", says)

    def _take_back(self, both: tuple[JobId, JobId], copy: ClassAd, now: int, says: str) -> Action | None:
        """Removes the copy; the job is the schedd's again when nothing of the copy is left."""
        job, copy_id = both
        self._on.pop(job, None)
        changes = _ended(copy_id, copy, "JobRouter aborted job", now)
        return Action(both, changes, says=says) if changes else None

    def _orphan(self, copy_id: JobId, copy: ClassAd, now: int) -> Action | None:
        """A copy whose job is gone, or is routed no more, goes; others are looked at with their jobs."""
        source = job_id(copy.eval_str("RoutedFromJobId", ""))
        ad = None if source is None else self.queue.job(source)
        is_routed = source is not None and ad is not None and source in self.pairs.sources
        if is_routed and source is not None and ad is not None and self.pairs.copy_of(source, ad) == copy_id:
            return None
        changes = _ended(copy_id, copy, "JobRouter orphan", now)
        jobs = (copy_id,) if source is None else (copy_id, source)
        says = f"(src={source or 'none'},dest={copy_id}): removing orphaned destination job"
        return Action(jobs, changes, says=says) if changes else None

    # -- new jobs ------------------------------------------------------------------------------------------------

    def _candidates(self, now: int) -> Iterator[Action]:
        """Jobs that a route takes, in the order of their ids, as long as there is room."""
        if not self.table.enabled:
            return
        room = self.room()
        for job in sorted(self.pairs.waiting):
            if not room.is_open:
                return
            ad = self.queue.job(job)
            if ad is None:
                continue
            route = self.choose(ad, room)
            action = None if route is None else self._routed(job, ad, route, now)
            if route is not None and action is not None:
                if action.outcome:
                    room.take(route)
                yield action

    def room(self) -> Room:
        """What the routes can take now."""
        return Room(self)

    def choose(self, ad: ClassAd, room: Room) -> Route | None:
        """The route for a job: the first that fits, or the next one of those (JOB_ROUTER_ROUND_ROBIN_SELECTION)."""
        if self.table.constraint is not None and not is_met(self.table.constraint, ad):
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
        try:
            if is_met(route.edit_in_place, ad):
                subject = copying.apply_rules(ad.copy(), route, self.table, self.session, Log())
                changes = tuple(copying.edits(job, ad, subject))
                says = f"(src={job},route={route.name}): Done editing job."
                return Action((job,), changes, None, route.name, "routed", says) if changes else None
            made = copying.routed(job, ad, route, self.table, self.settings.name, self.session, Log())
        except TransformError as error:
            return self._not_routed(job, f"(src={job},route={route.name}): failed to apply the route: {error}")
        copy = copying.new_copy(job, ad, made, route.name, now)
        if copying.unknown_grid(copy.items):
            return self._not_routed(job, f"(src={job},route={route.name}): the route sets no GridResource")
        return Action((job,), (), copy, route.name, "routed")

    def _not_routed(self, job: JobId, says: str) -> Action | None:
        return Action((job,), says=says) if self.is_news(job, says) else None

    def is_news(self, job: JobId, says: str) -> bool:
        """Whether this has not been told as the last reason why a job is not routed; from now on it has."""
        if self._refused.get(job) == says:
            return False
        self._refused[job] = says
        return True

    def claim(self, copy: copying.Copy, new: JobId) -> list[Change]:
        """The records that tie a job to its copy, which is ``new``: for the transaction that queues it."""
        return mirror.claimed(copy.source, new, self.settings.name)


class Room:
    """How many jobs each route, and the router, still take in this look."""

    def __init__(self, router: Router) -> None:
        self._router = router
        self._counts = {name: [*count] for name, count in router.counts().items()}
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


def _given_up(both: tuple[JobId, JobId], copy: ClassAd, what: str) -> Action | None:
    """A removed copy is the schedd's until nothing of it can run any more. One that has not run, and whose resource
    cannot be asked to end it, leaves at once: without its directory nothing of it runs there."""
    waited = copy.eval_int("LastJobStatus", 0) == JobStatus.IDLE
    is_down = copy.text("GridResourceUnavailableTime") is not None
    if not (waited and is_down) or copy.text("JobLeaveForced") is not None:
        return None
    changes = (set_text(both[1], "JobLeaveForced", "true"),)
    return Action(both, changes, says=f"{what}: given up, its resource does not answer")


def _ended(copy_id: JobId, copy: ClassAd, reason: str, now: int) -> tuple[Change, ...]:
    """What takes a copy out of the queue; nothing when it is on its way already."""
    if status_of(copy) == JobStatus.COMPLETED:
        stays = copy.text("LeaveJobInQueue") != "false"
        return (set_text(copy_id, "LeaveJobInQueue", "false"),) if stays else ()
    return () if status_of(copy) == JobStatus.REMOVED else tuple(remove_records(copy_id, copy, reason, now))


def _after(ad: ClassAd, changes: Iterable[Change], key: str) -> ClassAd:
    """The ad of a job as the records will leave it."""
    after = ad.copy()
    for change in changes:
        if change.key == key and change.value:
            after.set_text(change.name, change.value)
    return after
