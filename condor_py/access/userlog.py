"""Job event logs on behalf of the schedd: from the core's events to lines in each user's file, written with his
rights.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from time import monotonic, time
from typing import Any

from condor_py.classad import ClassAd, value_text
from condor_py.classad.allowance import OwnerBudgets
from condor_py.model.errors import StoreError
from condor_py.model.ids import JobId
from condor_py.model.settings.userlog import UserLogSettings
from condor_py.schedd.effects import UserEvent
from condor_py.schedd.lifecycle import resource_names
from condor_py.starter.identity import Account, account, as_user
from condor_py.store import events as kinds
from condor_py.store import events_more as more
from condor_py.store.event_log import Form, LastStates, ad_information, append, format_event, last_states
from condor_py.store.event_parts import CpuUsage, FormatOptions
from condor_py.store.events import JobEvent
from condor_py.store.global_log import GlobalLog
from condor_py.store.job_queue import JobQueue

Fields = Mapping[str, Any]
_SUBMIT, _PAUSED, _RESUMED = 0, 37, 38
#: Seconds for the logs of one user when the schedd starts.
_PATIENCE = 20.0
_SCALARS = (bool, int, float, str)


class UserLogs:
    """Collects the events of a batch and appends them, one write a file. ``address`` is shown as host.

    A job's events go to its own log, to the log of the workflow that it is a node of, and to the global event log.
    """

    def __init__(self, address: str, settings: UserLogSettings, complain: Callable[[str], None]) -> None:
        self._address = address
        self._complain = complain
        self._waiting: dict[tuple[str, str], list[tuple[UserEvent, str]]] = {}
        self._global_texts: list[str] = []
        #: Seconds that the logs of each user took when the schedd started.
        self._spent: dict[str, float] = {}
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
        """Formats an event; it is written by ``flush``."""
        with self._budgets.of(event.ad, time()):
            self._add(event)

    def _add(self, event: UserEvent) -> None:
        ad = event.ad
        targets = _targets(ad, event.number)
        if not targets and self._global is None:
            return
        made = _make(event, self._address)
        owner = ad.eval_str("OsUser", None) or ad.eval_str("Owner", "") or ""
        information = ad.eval_str("JobAdInformationAttrs", None)
        for path, form in targets:
            text = _texts(made, ad, split_names(information), form, self._options)
            self._waiting.setdefault((path, owner), []).append((event, text))
        if self._global is not None:
            names = self._settings.event_log.attributes
            self._global_texts.append(_texts(made, ad, names, self._global.form, self._global.options))

    def flush(self) -> list[JobId]:
        """Writes what was collected; the jobs whose log could not be begun, which must not start like that.

        A log that fails later is only complained about: the job goes on.
        """
        waiting, self._waiting = self._waiting, {}
        refused: list[JobId] = []
        for (path, owner), entries in waiting.items():
            try:
                with as_user(_writer(owner)):
                    if any(event.number == _SUBMIT for event, _ in entries):
                        _make_folder(path)
                    append(path, [text for _, text in entries], durable=self._settings.fsync)
            except Exception as error:  # the path is the user's, and the other logs are other people's
                self._complain(f"event log of {owner}: {error}")
                refused += [event.job for event, _ in entries if event.number == _SUBMIT]
        self._flush_global()
        return refused

    def _flush_global(self) -> None:
        texts, self._global_texts = self._global_texts, []
        if self._global is None or not texts:
            return
        try:
            self._global.append(texts, time())
        except StoreError as error:
            self._complain(str(error))

    def logged(self, queue: JobQueue) -> dict[JobId, list[int]]:
        """Event numbers already written, for every job of the queue that has a log which tells them.

        The logs of one user may take so long and no longer: whatever they are, the others wait for us.
        """
        clusters: dict[tuple[str, str], set[int]] = {}
        jobs: dict[JobId, list[int]] = {}
        keys: dict[JobId, tuple[str, str]] = {}
        for job, ad in queue.jobs():
            with self._budgets.of(ad, time()):
                log = _log_of(ad)
            if log is not None:
                clusters.setdefault(log, set()).add(job.cluster)
                jobs[job] = []
                keys[job] = log
        unknown: set[tuple[str, str]] = set()
        for (path, owner), numbers in clusters.items():
            found = self._last_states(path, owner, numbers)
            if found is None or not found.whole:
                unknown.add((path, owner))
            if found is None:
                continue
            own = found.events.items()
            jobs.update((job, events if found.whole else [_SUBMIT, *events]) for job, events in own if job in jobs)
        if unknown:
            jobs = {job: events for job, events in jobs.items() if events or keys[job] not in unknown}
        return jobs

    def factory_held(self, cluster: int, ad: ClassAd) -> bool | None:
        """Whether the event log of a factory says that it is held; None when there is none that tells."""
        with self._budgets.of(ad, time()):
            log = _log_of(ad)
        found = self._last_states(*log, {cluster}) if log is not None else None
        if found is None:
            return None
        told = [number for number in found.events.get(JobId(cluster, -1), []) if number in (_PAUSED, _RESUMED)]
        return told[-1] == _PAUSED if told else False if found.whole else None

    def _last_states(self, path: str, owner: str, clusters: Collection[int]) -> LastStates | None:
        """What a log has of these clusters; None when it cannot be read, or its owner's logs have taken too long."""
        begun = monotonic()
        try:
            if self._spent.get(owner, 0.0) > _PATIENCE:
                raise StoreError(f"{path}: not looked at, the others took too long")
            with as_user(_writer(owner)):
                return last_states(path, clusters)
        except Exception as error:  # as above
            self._complain(f"event log of {owner}: {error}")
            return None
        finally:
            self._spent[owner] = self._spent.get(owner, 0.0) + monotonic() - begun


def _make_folder(path: str) -> None:
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
    """The event log of a job, and who writes it."""
    path = log_path(ad)
    return None if path is None else (path, ad.eval_str("OsUser", None) or ad.eval_str("Owner", "") or "")


def _writer(owner: str) -> Account | None:
    return account(owner) if os.geteuid() == 0 else None


def _targets(ad: ClassAd, number: int) -> list[tuple[str, Form]]:
    """The logs that an event of a job goes to, with their forms."""
    targets = []
    path = log_path(ad)
    if path is not None:
        targets.append((path, _form(ad)))
    workflow = ad.eval_str("DAGManNodesLog", None)
    if workflow and workflow != path:
        mask = ad.eval_str("DAGManNodesMask", None)
        if not mask or str(number) in split_names(mask):
            targets.append((os.path.join(ad.eval_str("Iwd", "/") or "/", workflow), Form.TEXT))
    return targets


def split_names(text: str | None) -> tuple[str, ...]:
    """The words of a list with commas or blanks."""
    return tuple((text or "").replace(",", " ").split())


def _texts(made: JobEvent, ad: ClassAd, names: Sequence[str], form: Form, options: FormatOptions) -> str:
    """An event, with the event 028 that job_ad_information_attrs and the like ask for."""
    text = format_event(made, form, options)
    if not names:
        return text
    values = [(name, ad.evaluate(name)) for name in names]
    items = [(name, value_text(value)) for name, value in values if type(value) in _SCALARS]
    return text + format_event(ad_information(made, items, utc=options.utc), form, options)


def _form(ad: ClassAd) -> Form:
    number = ad.eval_int("UserLogUseXML", 0) or 0
    return Form(number) if number in (1, 2) else Form.TEXT


def _make(event: UserEvent, address: str) -> JobEvent:
    maker = _MAKERS[event.number]
    when = event.when
    if when == int(when) and 0 <= time() - when < 2:
        when = time()  # the core counts in seconds, an event's time has milliseconds
    ids = {"cluster": event.job.cluster, "proc": event.job.proc, "time": when}
    return maker(ids, event.fields, event.ad, address)


def _submit(ids: Fields, fields: Fields, ad: ClassAd, address: str) -> JobEvent:
    notes = ad.eval_str("SubmitEventNotes", "") or ""
    user_notes = ad.eval_str("SubmitEventUserNotes", "") or ""
    warnings = ad.eval_str("SubmitEventWarnings", "") or ""
    named = _structured(ad, notes)
    return kinds.Submit(
        **ids, host=address, log_notes=notes, user_notes=user_notes, warnings=warnings, structured=named
    )


def _structured(ad: ClassAd, notes: str) -> str:
    """What a submit event tells of a job beyond its number: the batch, the node of a DAG, SubmitEventNotesAttrs.

    It takes the place of ``submit_event_notes``. On purpose not as in HTCondor: the name of the batch alone does not,
    for the notes would be lost, by which programs (htmap) tell their jobs apart.
    """
    names = (*split_names(ad.eval_str("SubmitEventNotesAttrs", None)), "DAGNodeName", "JobBatchName")
    found = [(name, ad.evaluate(name)) for name in names if ad.text(name) is not None]
    items = [(name, f"{name} = {value_text(value)}") for name, value in found if type(value) in _SCALARS]
    if notes and [name for name, _ in items] == ["JobBatchName"]:
        return ""
    return f"[ {'; '.join(text for _, text in items)} ]" if items else ""


def _execute(ids: Fields, fields: Fields, ad: ClassAd, address: str) -> JobEvent:
    slot_ad: ClassAd = fields["slot_ad"]
    props = list(_slot_properties(slot_ad))
    wanted = split_names(ad.eval_str("UserLogExecuteEventAttrs", None))
    props += [(name, text) for name in wanted if (text := slot_ad.text(name)) is not None and name not in dict(props)]
    if fields["scratch"]:
        props.append(("CondorScratchDir", '"' + fields["scratch"] + '"'))
    return kinds.Execute(**ids, host=address, slot_name=fields["slot"], props=tuple(props))


def _slot_properties(slot: ClassAd) -> Iterator[tuple[str, str]]:
    """How much the slot has of each resource, and what its units are like."""
    for name in resource_names(slot):
        text, units = slot.text(name), slot.evaluate(f"Available{name}")
        if text is not None:
            yield name, text
        if isinstance(units, list) and units:
            listed = slot.text(f"Available{name}") or ""
            yield f"Available{name}", listed
            for unit in listed.strip("{ }").split(","):
                if (about := slot.text(unit.strip())) is not None:
                    yield unit.strip(), about


def _resources(rows: Any) -> tuple[tuple[str, str], ...]:
    """The rows (name, usage, request, allocated, assigned) as the attributes that the table of an event is made of."""
    items: list[tuple[str, str]] = []
    for name, usage, request, allocated, assigned in rows:
        cells = ((name, allocated), (f"Request{name}", request), (f"{name}Usage", usage), (f"Assigned{name}", assigned))
        for attribute, value in cells:
            if value is not None:
                items.append((attribute, str(value)))
    return tuple(items)


def _evicted(ids: Fields, fields: Fields, ad: ClassAd, address: str) -> JobEvent:
    return kinds.JobEvicted(
        **ids,
        code=fields["code"],
        subcode=fields["subcode"],
        reason=fields["reason"],
        requeued=fields["requeued"],
        return_value=fields["exit_code"],
        signal=fields["exit_signal"],
        run_remote=CpuUsage(*fields["run_cpu"]),
        sent_bytes=fields["sent"],
        received_bytes=fields["received"],
        resources=_resources(fields["resources"]),
    )


def _terminated(ids: Fields, fields: Fields, ad: ClassAd, address: str) -> JobEvent:
    return kinds.JobTerminated(
        **ids,
        return_value=fields["exit_code"],
        signal=fields["exit_signal"],
        core_file=ad.eval_str("JobCoreFileName", "core") if fields.get("core_dumped") else "",
        run_remote=CpuUsage(*fields["run_cpu"]),
        total_remote=CpuUsage(*fields["total_cpu"]),
        sent_bytes=fields["sent"],
        received_bytes=fields["received"],
        total_sent_bytes=fields["total_sent"],
        total_received_bytes=fields["total_received"],
        resources=_resources(fields["resources"]),
    )


def _image(ids: Fields, fields: Fields, ad: ClassAd, address: str) -> JobEvent:
    return kinds.ImageSize(
        **ids,
        size_kb=fields["image_size_kb"],
        memory_usage_mb=fields["memory_usage_mb"],
        resident_set_size_kb=fields["resident_set_size_kb"],
    )


def _error(ids: Fields, fields: Fields, ad: ClassAd, address: str) -> JobEvent:
    return more.RemoteError(
        **ids,
        daemon=fields["daemon"],
        host=fields["host"],
        message=fields["message"],
        hold_code=fields["code"],
        hold_subcode=fields["subcode"],
        critical=fields.get("critical", True),
    )


def _disconnected(ids: Fields, fields: Fields, ad: ClassAd, address: str) -> JobEvent:
    return more.JobDisconnected(
        **ids, reason=fields["reason"], startd_name=fields["startd_name"], startd_addr=fields["startd_address"]
    )


def _reconnected(ids: Fields, fields: Fields, ad: ClassAd, address: str) -> JobEvent:
    return more.JobReconnected(
        **ids,
        startd_name=fields["startd_name"],
        startd_addr=fields["startd_address"],
        starter_addr=fields["starter_address"],
    )


def _file_transfer(ids: Fields, fields: Fields, ad: ClassAd, address: str) -> JobEvent:
    step = more.Transfer(fields["step"])
    return more.FileTransfer(**ids, step=step, host=address if step is more.Transfer.INPUT_STARTED else "")


_MAKERS: dict[int, Callable[[Fields, Fields, ClassAd, str], JobEvent]] = {
    0: _submit,
    1: _execute,
    4: _evicted,
    5: _terminated,
    6: _image,
    7: lambda ids, fields, ad, address: kinds.ShadowException(
        **ids, message=fields["reason"], sent_bytes=fields["sent"], received_bytes=fields["received"]
    ),
    8: lambda ids, fields, ad, address: kinds.Generic(**ids, info=fields["info"]),
    9: lambda ids, fields, ad, address: kinds.JobAborted(**ids, reason=fields["reason"]),
    10: lambda ids, fields, ad, address: kinds.JobSuspended(**ids, processes=fields["processes"]),
    11: lambda ids, fields, ad, address: kinds.JobUnsuspended(**ids),
    12: lambda ids, fields, ad, address: kinds.JobHeld(
        **ids, reason=fields["reason"], code=fields["code"], subcode=fields["subcode"]
    ),
    13: lambda ids, fields, ad, address: kinds.JobReleased(**ids, reason=fields["reason"]),
    21: _error,
    22: _disconnected,
    23: _reconnected,
    24: lambda ids, fields, ad, address: more.JobReconnectFailed(
        **ids, reason=fields["reason"], startd_name=fields["startd_name"]
    ),
    33: lambda ids, fields, ad, address: more.AttributeUpdate(
        **ids, name=fields["name"], value=fields["value"], old_value=fields["old_value"]
    ),
    35: lambda ids, fields, ad, address: more.ClusterSubmit(
        **ids,
        host=address,
        log_notes=ad.eval_str("SubmitEventNotes", "") or "",
        user_notes=ad.eval_str("SubmitEventUserNotes", "") or "",
        structured=_structured(ad, ad.eval_str("SubmitEventNotes", "") or ""),
    ),
    37: lambda ids, fields, ad, address: more.FactoryPaused(**ids, **fields),
    38: lambda ids, fields, ad, address: more.FactoryResumed(**ids, **fields),
    36: lambda ids, fields, ad, address: more.ClusterRemove(
        **ids, next_proc=fields["next_proc"], next_row=fields["next_row"], completion=fields["completion"]
    ),
    40: _file_transfer,
    46: lambda ids, fields, ad, address: more.DataflowJobSkipped(**ids),
    47: lambda ids, fields, ad, address: more.CommonFiles(**ids, type=fields["type"]),
}
