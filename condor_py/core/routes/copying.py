"""Changes of a job's ad on a route: the ad of its copy, or the changes of the job itself (EditJobInPlace)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from condor_py.core.jobs.actions import delete, set_text
from condor_py.core.routes.hooks import KEYWORD
from condor_py.core.routes.table import Route, RoutingTable
from condor_py.lang.classad import ClassAd, quote_string
from condor_py.lang.submit.transform import Transform
from condor_py.lang.submit.transform_run import Log, Session, Subject, applies, run
from condor_py.model.ids import JobId
from condor_py.model.record import Change
from condor_py.model.states import Universe

#: Attributes of the one job only: its identity, those that the queue sets, and the files of its events.
_OWN = (
    "ClusterId", "ProcId", "BufferBlockSize", "BufferSize", "CondorPlatform", "CondorVersion", "CoreSize",
    "GlobalJobId", "User", "OsUser", "QDate", "RemoteWallClockTime", "LastRemoteWallClockTime", "ServerTime",
    "AutoClusterId", "AutoClusterAttrs", "TotalSubmitProcs", "StageInFinish", "StageInStart", "UserLog",
    "UserLogUseXML", "DAGManNodesLog", "DAGManNodesMask", "TimerRemove", "SUBMIT_Iwd",
)  # fmt: skip
_RESET = (
    ("JobStatus", "1"), ("RemoteUserCpu", "0.0"), ("RemoteSysCpu", "0.0"), ("ExitStatus", "0"), ("CompletionDate", "0"),
    ("NumCkpts", "0"), ("NumRestarts", "0"), ("NumSystemHolds", "0"), ("CommittedTime", "0"),
    ("CommittedSlotTime", "0"),
    ("CumulativeSlotTime", "0"), ("TotalSuspensions", "0"), ("LastSuspensionTime", "0"),
    ("CumulativeSuspensionTime", "0"), ("CommittedSuspensionTime", "0"), ("ExitBySignal", "false"),
)  # fmt: skip
#: What our schedd keeps of a job in addition, and what a copy has of its own, lower case.
_STATE = frozenset(
    (
        "managed", "managedmanager", "runcommand", "jobaborteventlogged", "jobcooldownexpiration", "numjobcooldowns",
        "jobfinishedhookdone", "holdcopiedfromtargetjob", "routedtojobid", "enteredcurrentstatus", "lastjobstatus",
        "initialjobstatus", "leavejobinqueue", "jobnotification", KEYWORD.lower(),
    )
)  # fmt: skip
#: Attributes by which a late materialized cluster makes its jobs.
_FACTORY = "jobmaterialize"
#: What rules never change in a job that stays itself.
_FIXED = frozenset(("clusterid", "procid", "owner", "user", "osuser", "mytype", "targettype", "globaljobid"))


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy to be queued: its job, its route, its owner, and its attributes as ClassAd text."""

    source: JobId
    route: str
    owner: str
    user: str
    items: tuple[tuple[str, str], ...]


def for_universe(ad: ClassAd, universe: int, grid_resource: str) -> None:
    """Makes the flat ad of a job that of a new one in another universe, before any rule is applied."""
    for name in _OWN:
        ad.delete(name)
    for name, text in _RESET:
        ad.set_text(name, text)
    ad.set_text("Remote_JobUniverse", ad.text("JobUniverse") or str(int(Universe.VANILLA)))
    ad.set_text("JobUniverse", str(universe))
    if universe == Universe.GRID:
        ad.delete("CurrentHosts")
        ad.set_text("GridResource", quote_string(grid_resource))
        _undo_remaps(ad)


def _undo_remaps(ad: ClassAd) -> None:
    """Grid jobs write their output where it belongs; vanilla ones bring it back under another name first."""
    pairs = (item.partition("=") for item in ad.eval_str("TransferOutputRemaps", "").split(";"))
    remaps = {name.strip(): path.strip() for name, equals, path in pairs if equals}
    if not remaps:
        return
    ad.delete("TransferOutputRemaps")
    for name in ("Out", "Err"):
        if (path := remaps.get(ad.eval_str(name, ""))) is not None:
            ad.set_str(name, path)


def apply_rules(ad: ClassAd, route: Route, table: RoutingTable, session: Session, log: Log) -> Subject:
    """Apply the transforms before the route, the route, and the transforms after it. TransformError names the rules."""
    subject = Subject(ad)
    session.forget()
    for transform in (*table.pre_route, route.transform, *table.post_route):
        if transform is route.transform:
            log.step(f"\tApplying route: {route.name}")
        elif not applies(transform, ad):
            kind = _kind(transform, table)
            log.step(f"{kind} transform {transform.name}: does not match job. skipping it.")
            continue
        else:
            log.step(f"\tApplying {_kind(transform, table)} transform: {transform.name}")
        run(transform, subject, session, log)
    subject.check_bounds()
    return subject


def _kind(transform: Transform, table: RoutingTable) -> str:
    return "pre-route" if any(each is transform for each in table.pre_route) else "post-route"


def routed(
    job: JobId, ad: ClassAd, route: Route, table: RoutingTable, name: str, session: Session, log: Log
) -> ClassAd:
    """The ad of the copy of a job on a route of the router ``name``. TransformError."""
    copy = ad.flat_copy()
    for_universe(copy, route.universe, route.grid_resource)
    apply_rules(copy, route, table, session, log)
    copy.set_str("RoutedFromJobId", str(job))
    copy.set_str("RoutedBy", name)
    copy.set_str("RouteName", route.name)
    copy.delete("RoutedToJobId")
    return copy


def new_copy(job: JobId, ad: ClassAd, copy: ClassAd, route: str, now: int, keyword: str) -> Copy:
    """Return the copy to queue from its ad; it stays until the router has seen its end.

    ``keyword`` is that of the hooks that clean up after it, whichever way it ends; "" for none.
    """
    items = [
        (name, text)
        for name, text in copy.pairs()
        if (lowered := name.lower()) not in _STATE and not lowered.startswith(_FACTORY)
    ]
    items += [
        ("QDate", str(now)),
        ("EnteredCurrentStatus", str(now)),
        ("LeaveJobInQueue", "JobStatus == 4 || JobStatus == 3" if keyword else "JobStatus == 4"),
        ("JobNotification", "0"),
    ]
    if keyword:
        items.append((KEYWORD, quote_string(keyword)))
    return Copy(job, route, ad.eval_str("Owner", ""), ad.eval_str("User", ""), tuple(items))


def edits(job: JobId, ad: ClassAd, subject: Subject) -> list[Change]:
    """The records that make a job what the rules made of its ad (EditJobInPlace)."""
    changes: list[Change] = []
    for key in subject.changed:
        if key in _FIXED:
            continue
        binding = subject.ad.attrs.get(key)
        before = ad.text(key)
        if binding is None and before is not None:
            changes.append(delete(job, key))
        elif binding is not None and binding.text != before:
            changes.append(set_text(job, binding.name, binding.text))
    return changes


def unknown_grid(items: Sequence[tuple[str, str]]) -> bool:
    """Whether a copy of the grid universe has no GridResource, without which it can go nowhere."""
    texts = {name.lower(): text for name, text in items}
    return texts.get("jobuniverse") == str(int(Universe.GRID)) and texts.get("gridresource", '""') in (
        '""',
        "undefined",
    )
