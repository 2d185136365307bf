"""Job event logs on behalf of the schedd: from the core's events to lines in each user's file, written with their
rights.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import repeat
from time import monotonic, time
from typing import Any, NamedTuple, Protocol

from condor_py.client.lateevents import Entry, LateEvents, Log
from condor_py.core.jobs.effects import UserEvent
from condor_py.core.jobs.jobevents import split_names
from condor_py.core.jobs.recovery import STATE_EVENTS
from condor_py.core.jobs.spooled import awaits_input
from condor_py.lang.classad import ClassAd, value_text
from condor_py.lang.classad.allowance import OwnerBudgets
from condor_py.lang.classad.kinds import Kinds, is_plain
from condor_py.lang.events import JobEvent
from condor_py.machine.run.identity import Account, UnknownAccount, account, as_user
from condor_py.model.errors import NoSpace, StoreError
from condor_py.model.event_types import JobEventType
from condor_py.model.ids import JobId, jobs_of
from condor_py.model.settings.userlog import UserLogSettings
from condor_py.store.event_log import (
    Form,
    FormatOptions,
    LastStates,
    ad_information,
    append,
    event_text,
    format_event,
    last_states,
)
from condor_py.store.fs import FileSystem
from condor_py.store.global_log import GlobalLog
from condor_py.store.job_queue import JobQueue

_SUBMIT, _PAUSED, _RESUMED = JobEventType.SUBMIT, JobEventType.FACTORY_PAUSED, JobEventType.FACTORY_RESUMED
#: Seconds for the logs of one user when the schedd starts.
_PATIENCE = 20.0
#: Seconds after its start in which a schedd may make up for events that the one before it did not write.
_MADE_UP = 600.0
#: What says which log tells of a job.
_LOG_KEYS = ("userlog", "iwd", "dagmannodeslog", "dagmannodesmask", "osuser", "owner")
#: What decides where the events of a job go, and in which form.
_DECIDES = (*_LOG_KEYS, "dagmanjobid", "userlogusexml", "jobadinformationattrs")
_SCALARS = (bool, int, float, str)
#: Why a log is not read here: a helper has to.
_ELSEWHERE = ""


#: Makes what there are many of without a function of Python.
_new_entry: Callable[[tuple[JobId, int, str]], Entry] = partial(tuple.__new__, Entry)


class Request(NamedTuple):
    """Events for a helper to append. ``unsure``: some may be there already. ``begins``: the directory of the log is
    made."""

    path: str
    texts: list[str]
    durable: bool
    unsure: bool
    begins: bool


class Outcome(NamedTuple):
    """The number of events in the log, and the reason why not all are there ("" when they are). ``lasts``: nobody
    can write to this path."""

    done: int
    why: str
    lasts: bool = False


#: Gets the result of a request; None when it is unknown, and why.
Then = Callable[[Outcome | None, str], None]


class Writers(Protocol):
    """Helpers that write and read the logs that a daemon cannot touch without the risk of blocking."""

    def file_system(self, path: str) -> FileSystem | None:
        """The file system of a log that the daemon may use itself; None when a helper has to."""

    def write(self, log: Log, request: Request, then: Then) -> None:
        """Let a helper append events. UnknownAccount, OSError."""

    def read(self, wanted: Mapping[Log, Collection[int]]) -> dict[Log, LastStates | str]:
        """Return the last states of clusters in each log; the reason for those that cannot be read."""

    def finish(self) -> None:
        """Let helpers finish what they are at, for a moment."""


class _Place(NamedTuple):
    """The owner who writes an event, and its targets: path, form, and the attributes that a following event 028
    reports.

    ``workflow`` is the log of the DAG, which may be among them.
    """

    owner: str
    targets: list[tuple[str, Form, tuple[str, ...]]]
    workflow: str | None


class UserLogs:
    """Collects the events of a batch and appends them, one write a file.

    A job's events go to its own log, to the log of the workflow that it is a node of, and to the global event log.
    Without ``writers`` (in a tool, which waits only for its user's files) all logs are written at once.
    """

    def __init__(
        self,
        settings: UserLogSettings,
        complain: Callable[[str], None],
        writers: Writers | None = None,
        at_progress: Callable[[], None] | None = None,
    ) -> None:
        self._complain = complain
        self._writers = writers
        self._waiting: dict[Log, list[Entry]] = {}
        self._kinds = Kinds(_DECIDES)
        self._places: dict[tuple[Any, int], _Place] = {}
        #: The logs of the DAGs whose jobs have events.
        self._workflows: set[Log] = set()
        #: Called when a helper has written something.
        self._at_progress = at_progress or _nothing
        #: What cannot be written now.
        self.late = LateEvents(complain)
        self._global_texts: list[str] = []
        #: Seconds that the logs of each user took when the schedd started.
        self._spent: dict[str, float] = {}
        #: What the logs had when the schedd started.
        self._past: _Past | None = None
        #: What finding and formatting them may cost each owner.
        self._budgets = OwnerBudgets()
        self.configure(settings)

    def configure(self, settings: UserLogSettings) -> None:
        """New settings hold from the next event on."""
        self._settings = settings
        self._options = FormatOptions.parse(settings.format_options)
        given = settings.event_log
        self._global: GlobalLog | None = None
        if given.path:
            self._global = GlobalLog(
                given.path,
                given.format_options,
                max_size=given.max_size,
                rotations=given.max_rotations,
                durable=given.fsync,
                count_events=given.count_events,
            )

    @property
    def everything(self) -> bool:
        """Whether events of jobs without a log are wanted, too."""
        return self._global is not None

    def add(self, event: UserEvent) -> None:
        """Formats an event of one or more jobs; it is written by ``flush``."""
        if self._settings.in_spool and awaits_input(event.ad):
            return  # the log is not there yet: it begins when the files of the job have arrived
        with self._budgets.of(event.ad, time()):
            owner, targets, workflow = self._place(event.ad, event.event.number)
            if workflow is not None:
                self._workflows.add((workflow, owner))
            if not targets and self._global is None:
                return
            when = _time_of(event.event)
            for path, form, wanted in targets:
                texts = _texts(event, when, wanted, form, self._options)
                jobs = jobs_of(event.event.cluster, event.procs)
                entries = map(_new_entry, zip(jobs, repeat(event.event.number), texts, strict=False))
                log = (path, owner)
                if self._past is None or workflow in (None, path):
                    self._waiting.setdefault(log, []).extend(entries)
                elif lacking := [entry for entry in entries if self._lacks(log, event.ad, entry)]:
                    self._waiting.setdefault(log, []).extend(lacking)
            if self._global is not None:
                names = self._settings.event_log.attributes
                self._global_texts += _texts(event, when, names, self._global.form, self._global.options)

    def _place(self, ad: ClassAd, number: int) -> _Place:
        """Return the logs for an event of this number, computed once for many jobs with equal attributes for that."""
        kind = self._kinds.of(ad)
        if kind is None:
            return _place_of(ad, number)
        found = self._places.get((kind, number))
        if found is None:
            found = self._places[kind, number] = _place_of(ad, number)
        return found

    def flush(self) -> None:
        """Writes what was collected. What cannot be written now waits, behind what waits already."""
        waiting, self._waiting = self._waiting, {}
        self._kinds, self._places = Kinds(_DECIDES), {}
        moment = monotonic()
        # The logs of DAGs come last: a schedd that starts takes what is there as written everywhere.
        for log in sorted(waiting, key=self._workflows.__contains__):
            if not self.late.join(log, waiting[log], moment):
                self._write(log, waiting[log], moment)
        self.late.store_those(waiting, moment)  # the next schedd may not be able to read what these logs have
        self.late.pin(self._workflows)
        self._workflows.clear()
        self._flush_global()

    def retry(self) -> None:
        """Tries again to write what waits; what has waited for a moment is kept on disk."""
        moment = monotonic()
        for log, entries, unsure in self.late.due(moment):
            self._write(log, entries, moment, unsure)
        self.late.store(moment)

    def close(self) -> None:
        """Keeps what waits for the next schedd."""
        self.retry()
        if self._writers is not None:
            self._writers.finish()
        self.late.store(monotonic(), all_of_them=True)

    def _write(self, log: Log, entries: list[Entry], moment: float, unsure: bool = False) -> None:
        """Appends events, the first that the log lacks, or lets a helper do that."""
        try:
            if not self._append(log, entries, unsure):
                self._leave_to_helper(log, entries, moment, unsure)
                return
        except NoSpace as error:
            self.late.written(log, error.done, moment)
            self.late.keep(log, entries[error.done :], str(error), moment, unsure=True)
        except StoreError as error:  # they may be there: it may be the flush that has failed
            self.late.keep(log, entries, str(error), moment, unsure=True, lasts=error.lasts)
        except Exception as error:  # the path is the user's, and the other logs are other people's
            self.late.lose(log, str(error))
        else:
            self.late.written(log, len(entries), moment)

    def _append(self, log: Log, entries: list[Entry], unsure: bool) -> bool:
        """Whether we may write a log ourselves, and have. Raises StoreError."""
        path, owner = log
        begins, fs = any(entry.number == _SUBMIT for entry in entries), None
        if self._writers is not None and (fs := self._writers.file_system(path)) is None:
            return False
        texts = [entry.text for entry in entries]
        with as_user(_writer(owner)):
            if begins and fs is None:
                make_folder(path)
            try:
                append(path, texts, durable=self._is_durable(log), unsure=unsure, fs=fs)
            except StoreError as error:
                elsewhere = error.number == errno.EXDEV or (begins and error.number == errno.ENOENT)
                if fs is None or not elsewhere:
                    raise
                return False
        return True

    def _is_durable(self, log: Log) -> bool:
        """Whether events have to be on the medium before the queue forgets their jobs. Those of a DAG always, as in
        HTCondor: condor_dagman submits a node again whose events it does not find."""
        return self._settings.fsync or log in self._workflows or self.late.is_pinned(log)

    def _leave_to_helper(self, log: Log, entries: list[Entry], moment: float, unsure: bool) -> None:
        if self._writers is None:
            raise ValueError("there are no helpers")
        begins = any(entry.number == _SUBMIT for entry in entries)
        request = Request(log[0], [entry.text for entry in entries], self._is_durable(log), unsure, begins)
        if not self.late.hand_over(log, entries, moment):
            return
        try:
            self._writers.write(log, request, partial(self._answered, log, len(entries)))
        except UnknownAccount as error:
            self.late.lose(log, str(error))
        except OSError as error:  # no process or descriptor is left
            self.late.keep(log, [], f"{log[0]}: {error.strerror}", moment)

    def _answered(self, log: Log, count: int, outcome: Outcome | None, why: str) -> None:
        """Handle the result of a request to a helper."""
        moment = monotonic()
        if outcome is None:
            self.late.keep(log, [], f"{log[0]}: {why}", moment, unsure=True)
            return
        self.late.written(log, outcome.done, moment)
        if outcome.done < count:
            self.late.keep(log, [], outcome.why, moment, unsure=True, lasts=outcome.lasts)
        elif entries := self.late.next_of(log):
            self._write(log, entries, moment)
        self._at_progress()

    def _flush_global(self) -> None:
        texts, self._global_texts = self._global_texts, []
        if self._global is None or not texts:
            return
        try:
            self._global.append(texts, time())
        except StoreError as error:
            self._complain(str(error))

    def logged(self, queue: JobQueue, clusters: Collection[int] | None = None) -> Logged:
        """Return the last events already written for the jobs of the queue, or of some clusters of it, whose log tells
        them.

        The logs of one user get a limited time: the other users wait for this.
        """
        groups = [group for group in queue.groups() if clusters is None or group[0] in clusters]
        logs = self._logs_of_all(queue, groups)
        logged = Logged(logs, self._last_states(logs.clusters()), groups)
        if clusters is None:
            self._past = _Past(logged, monotonic() + _MADE_UP)
        return logged

    def _lacks(self, log: Log, ad: ClassAd, entry: Entry) -> bool:
        """Whether the log of a node's owner lacks an event. It is written before the log of the DAG: a schedd that died
        in between makes up for what the second lacks, and the first may have it."""
        past = self._past
        if past is None or entry.number not in STATE_EVENTS:
            return True
        if monotonic() > past.until:
            self._past = None
            return True
        if not past.knows(log, entry.job):
            judge = _log_of(ad)
            clusters = past.clusters(judge) if judge is not None and judge != log else ()
            past.note(log, entry.job, self._last_states({log: clusters}).get(log) if clusters else None)
        return past.lacks(log, entry)

    def _logs_of_all(self, queue: JobQueue, groups: Iterable[tuple[int, Sequence[int]]]) -> Logs:
        """The log of each job. Jobs that say nothing of it themselves, nor any cluster ad in other than plain values,
        have that of their cluster."""
        logs = Logs()
        for cluster, procs in groups:
            shared = queue.cluster(cluster)
            is_common = shared is not None and is_plain(map(shared.attrs.get, _LOG_KEYS))
            if shared is not None and is_common:
                logs.shared[cluster] = _log_of(shared)
                if not queue.mentioned(cluster, _LOG_KEYS):
                    continue
            columns = queue.own_texts(cluster, procs, _LOG_KEYS)
            if is_common and all(column.count(None) == len(column) for column in columns):
                continue
            for proc, *texts in zip(procs, *columns, strict=True):
                job = JobId(cluster, proc)
                if is_common and texts.count(None) == len(texts):
                    continue
                ad = queue.job(job)
                if ad is not None:
                    with self._budgets.of(ad, time()):
                        logs.own[job] = _log_of(ad)
                    queue.rest(cluster, (proc,))
        return logs

    def factory_held(self, cluster: int, ad: ClassAd) -> bool | None:
        """Whether the event log of a factory says that it is held; None when there is none that tells."""
        with self._budgets.of(ad, time()):
            log = _log_of(ad)
        found = self._last_states({log: {cluster}})[log] if log is not None else None
        if found is None:
            return None
        events = found.events.get(cluster, {}).get(-1, ())
        pauses = [number for number in events if number in (_PAUSED, _RESUMED)]
        return pauses[-1] == _PAUSED if pauses else False if found.whole else None

    def _last_states(self, wanted: Mapping[Log, Collection[int]]) -> dict[Log, LastStates | None]:
        """Return the last states of clusters in logs, including the events that wait to be written.

        None for a log that cannot be read, or where the logs of its owner have taken too long.
        """
        found: dict[Log, LastStates | None] = {}
        elsewhere: dict[Log, Collection[int]] = {}
        for log, clusters in wanted.items():
            states = self._states_here(log, clusters)
            if states == _ELSEWHERE:
                elsewhere[log] = clusters
            else:
                found[log] = self._with_late(log, states)
        if elsewhere and self._writers is not None:
            for log, answer in self._writers.read(elsewhere).items():
                found[log] = self._with_late(log, answer)
        return found

    def _states_here(self, log: Log, clusters: Collection[int]) -> LastStates | str:
        """Return the last states in a log that this process may read itself, or the reason why they are unknown."""
        path, owner = log
        begun = monotonic()
        try:
            if self._spent.get(owner, 0.0) > _PATIENCE:
                return f"{path}: not looked at, the others took too long"
            fs = None
            if self._writers is not None and (fs := self._writers.file_system(path)) is None:
                return _ELSEWHERE
            with as_user(_writer(owner)):
                return last_states(path, clusters, fs)
        except StoreError as error:
            return _ELSEWHERE if error.number == errno.EXDEV else str(error)
        except Exception as error:  # the path is the user's, and the other logs are other people's
            return str(error)
        finally:
            self._spent[owner] = self._spent.get(owner, 0.0) + monotonic() - begun

    def _with_late(self, log: Log, states: LastStates | str) -> LastStates | None:
        """Return the last states in a log, followed by the events that wait to be written to it."""
        if isinstance(states, str):
            self._complain(f"event log of {log[1]}: {states}")
            return None
        for entry in self.late.events_of(log):
            procs = states.events.setdefault(entry.job.cluster, {})
            procs[entry.job.proc] = (*procs.get(entry.job.proc, ()), entry.number)
        return states


def _nothing() -> None:
    """For who does not wait."""


def make_folder(path: str) -> None:
    """The directory of a new log; where it cannot be made, the log tells what is wrong."""
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
    except OSError:
        return


def log_path(ad: ClassAd) -> str | None:
    """The absolute path of a job's event log; None when it wants none."""
    name = ad.eval_str("UserLog", None)
    if not name:
        return None
    return os.path.join(ad.eval_str("Iwd", "/") or "/", name)


def _log_of(ad: ClassAd) -> tuple[str, str] | None:
    """The event log that tells what was written of a job, and who writes it: the last one that is written, unless it
    gets some events only."""
    path = log_path(ad)
    if (workflow := _workflow_log(ad)) is not None and (path is None or _wanted_there(ad, STATE_EVENTS)):
        path = workflow
    return None if path is None else (path, ad.eval_str("OsUser", None) or ad.eval_str("Owner", "") or "")


def _writer(owner: str) -> Account | None:
    return account(owner) if os.geteuid() == 0 else None


def _place_of(ad: ClassAd, number: int) -> _Place:
    owner = ad.eval_str("OsUser", None) or ad.eval_str("Owner", "") or ""
    information = split_names(ad.eval_str("JobAdInformationAttrs", None))
    targets = _targets(ad, number)
    wanted = [(path, form, information if _tells_more(ad, path) else ()) for path, form in targets]
    is_node = ad.eval_int("DAGManJobId", 0) != 0  # condor_dagman follows that log
    return _Place(owner, wanted, _workflow_log(ad) if is_node else None)


def _targets(ad: ClassAd, number: int) -> list[tuple[str, Form]]:
    """The logs that an event of a job goes to, with their forms."""
    targets = []
    path = log_path(ad)
    if path is not None:
        targets.append((path, _form(ad)))
    workflow = _workflow_log(ad)
    if workflow is not None and workflow != path and _wanted_there(ad, (number,)):
        targets.append((workflow, Form.TEXT))
    return targets


def _tells_more(ad: ClassAd, path: str) -> bool:
    """Whether a log gets event 028 behind others; that of a DAG only if it asks for it."""
    is_workflow = path == _workflow_log(ad) and path != log_path(ad)
    return not is_workflow or _wanted_there(ad, (JobEventType.JOB_AD_INFORMATION,))


def _wanted_there(ad: ClassAd, numbers: Iterable[int]) -> bool:
    """Whether all events of these numbers go to the log of the DAG."""
    mask = ad.eval_str("DAGManNodesMask", None)
    return not mask or {str(int(number)) for number in numbers} <= set(split_names(mask))


def _workflow_log(ad: ClassAd) -> str | None:
    """The absolute path of the log that condor_dagman reads; None for a job of no DAG."""
    name = ad.eval_str("DAGManNodesLog", None)
    return os.path.join(ad.eval_str("Iwd", "/") or "/", name) if name else None


def _texts(event: UserEvent, when: float, names: Sequence[str], form: Form, options: FormatOptions) -> list[str]:
    """The event of each proc, with ``when`` (Unix seconds) as its time, and with the event 028 that
    job_ad_information_attrs and the like ask for."""
    one = event.event
    if form is not Form.TEXT or names:
        made = [replace(one, time=when, proc=proc) for proc in event.procs]
        return [_text_with_attributes(each, event.ad, names, form, options) for each in made]
    head, tail = f"{one.number:03d} ({one.cluster:03d}.", f".{one.subproc:03d}) "
    rest = event_text(one, options, when).removeprefix(f"{head}{one.proc:03d}{tail}")
    return [f"{head}{proc:03d}{tail}{rest}" for proc in event.procs]


def _text_with_attributes(
    event: JobEvent, ad: ClassAd, names: Sequence[str], form: Form, options: FormatOptions
) -> str:
    text = format_event(event, form, options)
    if not names:
        return text
    values = [(name, ad.evaluate(name)) for name in names]
    items = [(name, value_text(value)) for name, value in values if type(value) in _SCALARS]
    return text + format_event(ad_information(event, items, utc=options.utc), form, options)


def _form(ad: ClassAd) -> Form:
    number = ad.eval_int("UserLogUseXML", 0) or 0
    return Form(number) if number in (1, 2) else Form.TEXT


def _time_of(event: JobEvent) -> float:
    """The core counts in whole seconds, an event's time has milliseconds: an event of just now gets the clock's."""
    when, moment = event.time, time()
    return moment if when == int(when) and 0 <= moment - when < 2 else when


class Logs:
    """The event log of each job of a queue. The jobs of a cluster mostly have one."""

    def __init__(self) -> None:
        self.shared: dict[int, Log | None] = {}
        self.own: dict[JobId, Log | None] = {}

    def of(self, job: JobId) -> Log | None:
        """The log of a job; None when it has none."""
        return self.own[job] if job in self.own else self.shared.get(job.cluster)

    def clusters(self) -> Mapping[Log, set[int]]:
        """The logs, with the clusters whose jobs they tell of."""
        found: dict[Log, set[int]] = {}
        for cluster, log in self._all():
            if log is not None:
                found.setdefault(log, set()).add(cluster)
        return found

    def _all(self) -> Iterator[tuple[int, Log | None]]:
        yield from self.shared.items()
        for job, log in self.own.items():
            yield job.cluster, log


class _Past:
    """The events that were in logs when the schedd started; of interest up to ``until`` (of a monotonic clock)."""

    def __init__(self, logged: Logged, until: float) -> None:
        self.until = until
        self._logged = logged
        self._clusters = logged.clusters()
        #: The events that the log of its owner has of a node, and that of its DAG has not.
        self._more: dict[tuple[Log, JobId], list[int]] = {}

    def clusters(self, log: Log) -> Collection[int]:
        """The clusters of which a log was to tell."""
        return self._clusters.get(log, ())

    def knows(self, log: Log, job: JobId) -> bool:
        """Whether the log was looked at for a job."""
        return (log, job) in self._more

    def note(self, log: Log, job: JobId, states: LastStates | None) -> None:
        """The log has these events; None where that is unknown."""
        logged = self._logged.get(job)
        more: list[int] = []
        if logged is not None and states is not None:
            common = [number for number in logged if number in STATE_EVENTS]
            has = [n for n in states.events.get(job.cluster, {}).get(job.proc, ()) if n in STATE_EVENTS]
            more = has[len(common) :] if has[: len(common)] == common else []
        self._more[log, job] = more

    def lacks(self, log: Log, entry: Entry) -> bool:
        """Whether the log lacks the next event of a job."""
        more = self._more[log, entry.job]
        if more and more[0] == entry.number:
            del more[0]
            return False
        more.clear()
        return True


class Logged:
    """The numbers of the events of each job in its log, in their order. ``found`` is what the logs have; None for one
    that cannot be read. ``groups`` are the jobs of the queue, as (cluster, procs)."""

    def __init__(
        self, logs: Logs, found: Mapping[Log, LastStates | None], groups: Iterable[tuple[int, Sequence[int]]]
    ) -> None:
        self._logs = logs
        self._found = found
        #: The events of clusters all of whose jobs have had the same; of these nothing else is kept.
        self._common: dict[int, tuple[int, ...]] = {}
        apart = {job.cluster for job in logs.own}
        for cluster, procs in groups:
            states = self._states(logs.shared.get(cluster)) if cluster not in apart else None
            if states is not None and states.whole:
                by_proc = states.events.get(cluster, {})
                kinds = set(map(by_proc.get, procs))
                if len(kinds) == 1:
                    self._common[cluster] = kinds.pop() or ()
                    states.events.pop(cluster, None)

    def clusters(self) -> Mapping[Log, set[int]]:
        """The logs, with the clusters whose jobs they tell of."""
        return self._logs.clusters()

    def _states(self, log: Log | None) -> LastStates | None:
        return None if log is None else self._found.get(log)

    def get(self, job: JobId, /) -> Sequence[int] | None:
        """The events of a job. None for one without a log, or when its log does not tell, as it cannot be read, or only
        its end was read; what is found there is taken to follow a submit event."""
        common = self._common.get(job.cluster)
        if common is not None:
            return common
        states = self._states(self._logs.of(job))
        if states is None:
            return None
        events = states.events.get(job.cluster, {}).get(job.proc)
        if states.whole:
            return events or ()
        return (JobEventType.SUBMIT, *events) if events else None

    def is_partly(self, job: JobId) -> bool:
        """Whether only the last events of a job are known."""
        if job.cluster in self._common:
            return False
        states = self._states(self._logs.of(job))
        return states is not None and not states.whole and bool(states.events.get(job.cluster, {}).get(job.proc))

    def are_alike(self, cluster: int) -> bool:
        """Whether all jobs of a cluster have had the same events, and all of these are known."""
        return cluster in self._common
