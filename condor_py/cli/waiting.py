"""The reasons why a job waits: one list, for condor_q, condor_submit and condor_top (not in HTCondor).

``why_it_waits`` makes the list from the job, the slots and the negotiator's accounts. Its parts are usable alone:
``cannot_run`` tells what no slot of the pool has, ``blocked`` what the nearest slot is short of and who holds it.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from condor_py.lang.classad.ad import ClassAd
from condor_py.lang.classad.exprtree import ExprTree
from condor_py.lang.classad.match import requirements_match
from condor_py.lang.classad.nodes import Attr, Binary, Call, Literal, Node, Paren
from condor_py.lang.classad.unparse import unparse
from condor_py.lang.classad.values import as_bool
from condor_py.model.ids import JobId
from condor_py.model.states import NEVER_IN_SLOTS, UNIVERSE_NAMES, HoldCode, JobStatus, Universe

if TYPE_CHECKING:
    from condor_py.cli.q.source import Source
    from condor_py.client.pool import Pool
    from condor_py.client.queue_view import QueueView

_NEVER_IN_SLOTS = frozenset(str(int(number)) for number in NEVER_IN_SLOTS)
#: Attributes of slots that requirements ask for, and what a slot without them lacks.
_ABILITIES = {
    "hasjava": "no slot has Java (HasJava): JAVA names no Java interpreter that works",
    "hasvm": "no slot runs virtual machines (HasVM)",
    "hasdocker": "no slot has docker or podman (HasDocker)",
    "hascontainer": "no slot runs containers (HasContainer)",
    "hasdockerurl": "no slot runs images of registries (HasDockerURL)",
    "hassif": "no slot runs SIF images (HasSIF)",
    "hassandboximage": "no slot runs images that are directories (HasSandboxImage)",
    "hastdp": "no slot runs tool daemons (HasTDP)",
    "hasencryptexecutedirectory": "no slot encrypts scratch directories (HasEncryptExecuteDirectory)",
}
_METHODS = "hasfiletransferpluginmethods"
_URL = "://"
#: Occurs in Requirements that ask for any of these.
_MAY_LACK = re.compile(r"\bHas(?!FileTransfer\b)", re.IGNORECASE)


#: Attributes (their keys) that decide whether to analyse the slots for a job.
_LOOKED_AT = ("jobuniverse", "requirements", "checkpointdestination")
#: Those that tell when a job may start.
_TIMES = ("deferraltime", "deferralpreptime", "scheddinterval", "jobcooldownexpiration")
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_IDLE = str(int(JobStatus.IDLE))
#: A table of condor_q is not kept waiting for more.
_MOST_CLUSTERS = 1000
#: So many of the newest clusters have all of their Requirements evaluated.
_MOST_EVALUATED = 50
#: So many jobs of a cluster are judged where they differ.
_MOST_OF_CLUSTER = 50


def may_lack(texts: Mapping[str, str]) -> bool:
    """Whether it is worth while to analyse the slots for a job with these expressions by key."""
    universe, requirements, destination = (texts.get(key) or "" for key in _LOOKED_AT)
    return universe in _NEVER_IN_SLOTS or bool(destination) or _MAY_LACK.search(requirements) is not None


def cannot_run(job: ClassAd, slots: Sequence[ClassAd]) -> str:
    """Return why none of the slots of a pool will ever run a job; "" where they may, or no slot is known."""
    universe = job.eval_int("JobUniverse", 0)
    if universe in NEVER_IN_SLOTS:
        name = UNIVERSE_NAMES[universe]
        return f"this pool runs no jobs of the {name if name.isupper() else name.lower()} universe"
    if not slots:
        return ""
    asked = _asked(job)
    for key, text in _ABILITIES.items():
        if key in asked and not any(slot.eval_bool(key) for slot in slots):
            return text  # the first word says enough: a slot without containers lacks all kinds of images as well
    return _transfers(job, asked, slots)


def _transfers(job: ClassAd, asked: Iterable[str], slots: Sequence[ClassAd]) -> str:
    """The methods of transfer that no slot has."""
    known = {method for slot in slots for method in re.findall(r"[^\s,]+", slot.eval_str(_METHODS, "").lower())}
    wanted = [method.removesuffix(_URL) for method in asked if method.endswith(_URL)]
    if job.has("CheckpointDestination"):
        wanted.append(job.eval_str("CheckpointDestination", "").partition(_URL)[0].lower())
    missing = sorted({method for method in wanted if method and method not in known})
    if not missing:
        return ""
    urls = " and ".join(method + _URL for method in missing)
    return f"no slot has a file transfer plugin for {urls} (HasFileTransferPluginMethods)"


def _asked(job: ClassAd) -> set[str]:
    """Return what Requirements require in any case: attributes by key, methods of transfer as ``http://``."""
    if not job.has("Requirements"):
        return set()
    found: set[str] = set()
    work: list[Node] = [job.lookup("Requirements").node]
    while work:
        node = work.pop()
        if isinstance(node, Paren):
            work.append(node.inner)
        elif isinstance(node, Binary) and node.op == "&&":
            work += (node.left, node.right)
        elif isinstance(node, Binary) and node.op in ("==", "=?=") and _is_true(node.right):
            work.append(node.left)
        elif isinstance(node, Attr):
            found.add(node.key)
        elif isinstance(node, Call):
            found.add(_method(node))
    return found


def _is_true(node: Node) -> bool:
    return isinstance(node, Literal) and node.value is True


def _method(call: Call) -> str:
    """The method of transfer that a call looks for, as ``http://``."""
    if call.name.lower() in ("stringlistmember", "stringlistimember") and len(call.args) == 2:
        word, where = call.args
        if isinstance(word, Literal) and isinstance(where, Attr) and where.key == _METHODS:
            return f"{word.value}{_URL}".lower()
    return ""


# ---- what it is short of, and who holds that -----------------------------------------------------------------

#: How many bytes one of a resource is; others are counted.
_BYTES = {"memory": 1 << 20, "disk": 1 << 10}
_UNITS = ("bytes", "KB", "MB", "GB", "TB", "PB")


class Shortage(NamedTuple):
    """A resource of which a job wants more than a slot has free; ``total`` is what the slot has when nothing runs."""

    name: str
    wanted: float
    free: float
    total: float

    def text(self) -> str:
        """``disk: wants 1 GB, 24 MB of 10 GB free``."""
        wanted, free, total = (amount(self.name, value) for value in (self.wanted, self.free, self.total))
        if self.wanted > self.total:
            return f"{self.name}: wants {wanted}, there is {total}"
        return f"{self.name}: wants {wanted}, {free} of {total} free"


class Blocked(NamedTuple):
    """The slot that comes closest to a job, what it is short of, and its parts that hold that."""

    slot: ClassAd
    shortages: list[Shortage]
    holders: list[ClassAd]

    @property
    def for_ever(self) -> bool:
        """Whether the slot is too small even when nothing runs on it."""
        return any(found.wanted > found.total for found in self.shortages)

    def text(self, end: Callable[[ClassAd], float] | None = None) -> str:
        """Return a text on what is short and who holds it; ``end`` gives until when (Unix seconds) by slot."""
        short = "; ".join(found.text() for found in self.shortages)
        text = f"{short} on {self.slot.eval_str('Name', '?')}"
        held = [] if self.for_ever else self._held(end)
        return f"{text}; held by {', '.join(held)}" if held else text

    def _held(self, end: Callable[[ClassAd], float] | None) -> list[str]:
        """Return texts on how much each user holds of the resource that is shortest."""
        name = max(self.shortages, key=lambda found: (found.wanted - found.free) / max(found.total, 1.0)).name
        sums: dict[str, float] = {}
        ends: dict[str, float] = {}
        for part in self.holders:
            user = part.eval_str("RemoteOwner") or part.eval_str("RemoteUser") or ""
            share = part.eval_real(name, 0.0)
            if user and share > 0:
                sums[user] = sums.get(user, 0.0) + share
                if end is not None:
                    ends[user] = min(ends.get(user, float("inf")), end(part))
        ranked = sorted(sums, key=lambda user: -sums[user])
        return [f"{user} ({amount(name, sums[user])}{_until(ends.get(user))})" for user in ranked[:3]]


def _until(moment: float | None) -> str:
    if moment is None or moment == float("inf"):
        return ""
    form = "%H:%M" if abs(moment - time.time()) < 86_400 / 2 else "%m/%d %H:%M"
    return f", the first until about {time.strftime(form, time.localtime(moment))}"


def amount(name: str, value: float) -> str:
    """So much of a resource as people read it: ``1.5 GB``, ``2``."""
    size = _BYTES.get(name.lower())
    if size is None:
        return f"{value:g}"
    number, unit = value * size, 0
    while number >= 1024 and unit < len(_UNITS) - 1:
        number /= 1024
        unit += 1
    return f"{number:.0f} {_UNITS[unit]}" if number >= 100 or number == int(number) else f"{number:.1f} {_UNITS[unit]}"


def blocked(job: ClassAd, slots: Sequence[ClassAd]) -> Blocked | None:
    """Return why a job fits no partitionable slot now; None where it fits one, or there is none.

    ``slots`` are all slots, the dynamic ones too.
    """
    whole = [slot for slot in slots if slot.eval_bool("PartitionableSlot")]
    found = [(slot, shortages(job, slot)) for slot in whole]
    if not found or not all(short for _, short in found):
        return None
    slot, short = min(found, key=lambda pair: (_misfits(pair[1]), len(pair[1])))
    return Blocked(slot, short, _parts(slot, slots))


def _misfits(short: Iterable[Shortage]) -> int:
    return sum(found.wanted > found.total for found in short)


def shortages(job: ClassAd, slot: ClassAd) -> list[Shortage]:
    """The resources of which a partitionable slot has not enough left for a job."""
    found = []
    for name in re.split(r"[ ,\t]+", slot.eval_str("MachineResources") or "Cpus Memory Disk"):
        wanted, free = job.eval_real(f"Request{name}", None, slot), slot.eval_real(name)
        if name and wanted is not None and free is not None and wanted > free:
            found.append(Shortage(name.lower(), wanted, free, slot.eval_real(f"TotalSlot{name}", free)))
    return found


def _parts(slot: ClassAd, slots: Iterable[ClassAd]) -> list[ClassAd]:
    """The dynamic slots that were cut out of a slot."""
    place = slot.eval_str("Machine"), slot.eval_int("SlotID")
    return [
        part for part in slots
        if part.eval_bool("DynamicSlot") and (part.eval_str("Machine"), part.eval_int("SlotID")) == place
    ]  # fmt: skip


# ---- the list of reasons ------------------------------------------------------------------------------------


class Reason(NamedTuple):
    """One reason why a job does not run. ``help`` is what a person can do; ``final``: nothing else will end it."""

    text: str
    help: str = ""
    final: bool = False


def _nothing() -> Sequence[ClassAd]:
    return ()


def _no_schedd() -> ClassAd | None:
    return None


class Around(NamedTuple):
    """The surroundings of a waiting job: all slot ads, the time (Unix seconds), and functions called only if needed.

    ``accounts`` returns the negotiator's Accounting ads, ``schedd`` its ad with the expressions for local jobs, ``end``
    the time at which the job on a slot will end (Unix seconds), ``limited`` the records of users and projects with a
    limit on their running jobs (``limited_records``).
    """

    slots: Sequence[ClassAd]
    now: float
    accounts: Callable[[], Sequence[ClassAd]] = _nothing
    schedd: Callable[[], ClassAd | None] = _no_schedd
    end: Callable[[ClassAd], float] | None = None
    limited: Callable[[], Sequence[ClassAd]] = _nothing


def why_it_waits(job: ClassAd, around: Around) -> list[Reason]:
    """The reasons why a job does not run, the one that decides first; none for a job that runs or may run now."""
    status, universe = job.eval_int("JobStatus"), job.eval_int("JobUniverse", Universe.VANILLA)
    if status == JobStatus.HELD:
        return [held_because(job)]
    if status != JobStatus.IDLE:
        return []
    later = list(_later(job, around.now))
    if universe in (Universe.LOCAL, Universe.SCHEDULER):
        return later or _schedd_refuses(job, universe, around.schedd())
    if universe == Universe.GRID:
        return later
    never = cannot_run(job, around.slots)
    if never:
        return [Reason(never, final=True)]
    if later:
        return later
    if limits := list(_quotas(job, around.limited())):
        return limits
    if not around.slots:
        return [Reason("the pool has no slots", "condor_who tells whether a startd runs; condor_on starts it")]
    draining = list(_drained_machines(around.slots))
    open_slots = [slot for slot in around.slots if not slot.eval_bool("Draining")]
    found = draining + (_on_slots(job, open_slots, around) if open_slots else [])
    return found or list(_nodes_wait(job))


def _nodes_wait(job: ClassAd) -> Iterator[Reason]:
    """Return the words of the negotiator about the nodes of a parallel job, each of which has slots that it fits."""
    said = job.eval_str("LastRejMatchReason", "")
    if "nodes of the parallel job" in said:
        yield Reason(said, final=said.startswith("the slots of this pool cannot"))


#: What helps a held job besides condor_release, by hold code.
_HOLD_HELP = {
    HoldCode.JOB_POLICY: "the job's own policy holds it again as long as it is true: condor_qedit changes it",
    HoldCode.FAILED_TO_CREATE_PROCESS: "make the executable one that this machine can run",
    HoldCode.UNABLE_TO_OPEN_OUTPUT: "make its output file one that can be written",
    HoldCode.UNABLE_TO_OPEN_INPUT: "make its input file one that can be read",
    HoldCode.DOWNLOAD_FILE_ERROR: "make the files that it transfers available",
    HoldCode.UPLOAD_FILE_ERROR: "see why its output could not be brought back",
    HoldCode.IWD_ERROR: "make its initial directory accessible",
    HoldCode.SYSTEM_POLICY: "the policy of the pool holds it again as long as it is true",
    HoldCode.JOB_OUT_OF_RESOURCES: "let it ask for more first, e.g. condor_qedit {job} RequestMemory 2048",
    HoldCode.INVALID_DOCKER_IMAGE: "name an image that exists",
    HoldCode.INVALID_DEFERRAL_TIME: "give it a deferral_time that is a number",
    HoldCode.INVALID_CRON_SETTINGS: "put its cron_ commands right",
    HoldCode.JOB_DURATION_EXCEEDED: "let it run longer: allowed_job_duration",
    HoldCode.JOB_EXECUTE_EXCEEDED: "let it run longer: allowed_execute_duration",
}


def held_because(job: ClassAd) -> Reason:
    """Return why a job is held, and what would help."""
    name = f"{job.eval_int('ClusterId', 0)}.{job.eval_int('ProcId', 0)}"
    code = job.eval_int("HoldReasonCode", 0)
    if code == HoldCode.SPOOLING_INPUT:
        return Reason("its input files are being spooled")
    first = _HOLD_HELP.get(code, "").replace("{job}", name)  # type: ignore[call-overload]
    release = f"condor_release {name}"
    text = f"it is held: {job.eval_str('HoldReason') or 'no reason is given'}"
    return Reason(text, f"{first}; then {release}" if first else release, final=True)


def _later(job: ClassAd, now: float) -> Iterator[Reason]:
    """Return the time that a job waits for, after a failure or as its submit says (deferral_time, cron_hour ...)."""
    cool = job.eval_int("JobCoolDownExpiration", 0)
    if cool > now:
        reason = job.eval_str("VacateReason", "")
        why = f" ({reason})" if reason else ""
        yield Reason(f"it cools down after a failed attempt{why} until {moment(cool, now)}")
    start = job.eval_int("DeferralTime") or _next_by_crontab(job, now)
    before = job.eval_int("DeferralPrepTime", 0) + job.eval_int("ScheddInterval", 0)
    if start - before > now:
        yield Reason(f"it waits for its time: it starts at {moment(start, now)}")


def _next_by_crontab(job: ClassAd, now: float) -> int:
    """Return when a job with a crontab is due next (Unix seconds); 0 without one."""
    from condor_py.core.jobs.crontab import BadSchedule, next_run, repeats, schedule_of

    try:
        return next_run(schedule_of(job), int(now)) if repeats(job) else 0
    except BadSchedule:
        return 0


def _schedd_refuses(job: ClassAd, universe: int, schedd: ClassAd | None) -> list[Reason]:
    name = "StartLocalUniverse" if universe == Universe.LOCAL else "StartSchedulerUniverse"
    if schedd is None or not schedd.has(name) or as_bool(schedd.raw(name, job)):
        return []
    knob = "START_LOCAL_UNIVERSE" if universe == Universe.LOCAL else "START_SCHEDULER_UNIVERSE"
    return [Reason(f"the schedd does not start it: {knob} = {schedd.text(name)} is not true")]


def limited_records(view: QueueView) -> list[ClassAd]:
    """Return the records of users and projects that limit their running jobs, with the numbers of their jobs."""
    table = view.table
    if not any(ad.has(_LIMIT) for ad in table.user_records.values()):
        return []
    from condor_py.core.jobs.userrecs import counted

    return [ad for kind in ("Owner", "Project") for ad in counted(table, kind) if ad.has(_LIMIT)]


#: The attribute of a record with the most running jobs.
_LIMIT = "MaxJobsRunning"


def _quotas(job: ClassAd, records: Iterable[ClassAd]) -> Iterator[Reason]:
    """Yield the limits of the job's user and project that are reached."""
    for ad in records:
        is_project = ad.eval_str("MyType") == "Project"
        name = ad.eval_str("Name" if is_project else "User", "")
        mine = job.eval_str("ProjectName" if is_project else "User", "")
        limit = ad.eval_int(_LIMIT)
        running = ad.eval_int("NumRunning", 0) + ad.eval_int("NumSuspended", 0)
        if limit is not None and running >= limit and name.lower() == mine.lower():
            whose = f"project {name}" if is_project else name
            yield Reason(
                f"{whose} has {running} running jobs, and the limit is {limit} ({_LIMIT})",
                "an administrator changes the limit with condor_qusers -edit",
            )


def _drained_machines(slots: Iterable[ClassAd]) -> Iterator[Reason]:
    told: set[str] = set()
    for slot in slots:
        machine = slot.eval_str("Machine") or slot.eval_str("Name") or "?"
        if slot.eval_bool("Draining") and machine not in told:
            told.add(machine)
            why = slot.eval_str("DrainReason")
            yield Reason(
                f"machine {machine} is being drained{f' ({why})' if why else ''}", f"condor_drain -cancel {machine}"
            )


def _on_slots(job: ClassAd, slots: Sequence[ClassAd], around: Around) -> list[Reason]:
    """Return why none of these slots runs a job now."""
    whole = [(slot, emptied(slot)) for slot in slots if not slot.eval_bool("DynamicSlot")]
    lack = blocked(job, slots)
    if lack is not None and lack.for_ever:
        return [Reason(f"no slot is large enough: {lack.text()}", final=True)]
    fitting = [(slot, empty) for slot, empty in whole if requirements_match(job, empty)]
    if not fitting:
        return [_unmet(job, [empty for _, empty in whole])]
    willing = [slot for slot, empty in fitting if requirements_match(empty, job)]
    if not willing:
        return [_refused(fitting[0][0], job)]
    awake = [slot for slot in willing if not slot.eval_bool("Offline")]
    if not awake:
        return [Reason(f"every machine for it sleeps, such as {willing[0].eval_str('Machine', '?')}")]
    return _full(job, awake, lack, around) + list(_limits(job, around.accounts()))


def _full(job: ClassAd, willing: Sequence[ClassAd], lack: Blocked | None, around: Around) -> list[Reason]:
    """Return that others use what the job could use, and who they are."""
    if any(_is_free(slot, job) for slot in willing):
        return []
    if lack is not None:
        return [Reason(lack.text(around.end))]
    users: dict[str, int] = {}
    for slot in willing:
        user = slot.eval_str("RemoteOwner") or slot.eval_str("RemoteUser") or slot.eval_str("State") or "?"
        users[user] = users.get(user, 0) + 1
    shown = ", ".join(f"{user} ({count})" for user, count in sorted(users.items(), key=lambda item: -item[1])[:3])
    return [Reason(f"all {len(willing)} slots for it are in use: {shown}")]


def _is_free(slot: ClassAd, job: ClassAd) -> bool:
    if slot.eval_bool("PartitionableSlot"):
        return not shortages(job, slot)
    return slot.eval_str("RemoteUser") is None


def _limits(job: ClassAd, accounts: Sequence[ClassAd]) -> Iterator[Reason]:
    """Yield the negotiator's limits on the job's submitter that are reached."""
    refusal = job.eval_str("LastRejMatchReason") or ""
    if refusal.startswith("concurrency limit"):
        yield Reason(refusal)
    name = job.eval_str("AccountingGroup") or job.eval_str("User") or ""
    group = job.eval_str("AcctGroup") or ""
    for ad in accounts:
        here, used = ad.eval_str("Name") or "", ad.eval_real("WeightedResourcesUsed", 0.0)
        if ad.eval_bool("IsAccountingGroup"):
            quota = ad.eval_real("EffectiveQuota", 0.0)
            if here == group and used >= quota and ad.eval_str("SurplusPolicy") == "no":
                yield Reason(f"accounting group {here} uses {used:g} of its quota of {quota:g}")
        elif here.partition("@")[0] == name.partition("@")[0]:
            ceiling = ad.eval_real("Ceiling", -1.0)
            if 0 <= ceiling <= used:
                yield Reason(f"{here} uses {used:g} of the ceiling of {ceiling:g}")
            share = ad.eval_real("SubmitterShare", 0.0)
            total = sum(one.eval_real("WeightedResourcesUsed", 0.0) for one in accounts if not one.eval_bool(_GROUP))
            if 0 < share < 1 and used >= share * total:
                yield Reason(f"{here} uses {used:g} of the {total:g} in use, and its share is {share:.0%}")


_GROUP = "IsAccountingGroup"


def _unmet(job: ClassAd, slots: Sequence[ClassAd]) -> Reason:
    """The conditions of Requirements that no slot meets."""
    if not job.has("Requirements"):
        return Reason("it has no Requirements, so it matches nothing", final=True)
    unmet = [
        unparse(node, old=False)
        for node in _conditions(job.lookup("Requirements").node)
        if not any(as_bool(job.raw(ExprTree.of(node), slot)) for slot in slots)
    ]
    if not unmet:
        return Reason("no slot meets all of its Requirements at once", final=True)
    return Reason(f"no slot meets its Requirements: {' && '.join(unmet)}", final=True)


def _conditions(node: Node) -> Iterator[Node]:
    """The parts of an expression that must all be true."""
    if isinstance(node, Paren) and isinstance(node.inner, (Binary, Paren)):
        yield from _conditions(node.inner)
    elif isinstance(node, Binary) and node.op == "&&":
        yield from _conditions(node.left)
        yield from _conditions(node.right)
    else:
        yield node


def _refused(slot: ClassAd, job: ClassAd) -> Reason:
    """Return why a slot's own Requirements refuse a job."""
    name, state = slot.eval_str("Name", "?"), slot.eval_str("State", "?")
    start = slot.text("Start")
    if start is not None and not as_bool(slot.raw("Start", job)):
        return Reason(f"{name} ({state}) does not accept it: START = {start}")
    return Reason(f"{name} ({state}) does not accept it: Requirements = {slot.text('Requirements')}")


def emptied(slot: ClassAd) -> ClassAd:
    """A partitionable slot as it is when nothing runs on it; any other slot unchanged."""
    if not slot.eval_bool("PartitionableSlot"):
        return slot
    empty = slot.flat_copy()
    for name in re.split(r"[ ,\t]+", slot.eval_str("MachineResources") or "Cpus Memory Disk"):
        total = slot.eval_real(f"TotalSlot{name}") if name else None
        if total is not None:
            empty.set_real(name, total)
    return empty


def moment(when: float, now: float) -> str:
    """A time for people: ``18:00``, with the day where it is not today's."""
    day = time.localtime(when)[:3] == time.localtime(now)[:3]
    return time.strftime("%H:%M:%S" if day else "%m/%d %H:%M", time.localtime(when))


# ---- for terminals --------------------------------------------------------------------------------------------


def slots_of(pool: Pool) -> list[ClassAd]:
    """The slots that the pool advertises."""
    return [ad for ad in pool.ads("STARTD") if ad.has("SlotID")]


def say_what_cannot_run(pool: Pool, clusters: Sequence[int]) -> None:
    """On a terminal, a line for each reason why jobs of new clusters will wait for ever, and for drained machines."""
    if not sys.stderr.isatty():
        return
    around = Around(slots_of(pool), pool.now())
    view = pool.read_queue()
    waiting = {cluster: idle for cluster in clusters if (idle := _idle(view, cluster, view.procs(cluster)))}
    never: dict[str, list[str]] = {}
    for cluster, idle in waiting.items() if around.slots else ():
        _judge(view, cluster, idle, around, never)
    for text, jobs in never.items():
        whole = jobs == [str(cluster) for cluster in waiting]
        sys.stderr.write(f"WARNING: nothing here will run {'this' if whole else _some(jobs)}: {text}\n")
    for reason in _drained_machines(around.slots) if waiting else ():
        sys.stderr.write(f"WARNING: {reason.text}; {reason.help} ends that\n")


def waiting_in_vain(source: Source) -> str:
    """Lines for a terminal: idle jobs that this pool cannot run, and machines that are drained; "" where none are."""
    view, pool = source.view, source.pool
    if view is None or pool is None:
        return ""
    around = Around(slots_of(pool), pool.now())
    never: dict[str, list[str]] = {}
    idle = False
    groups = source.groups(mine=not source.superuser)[-_MOST_CLUSTERS:]
    for left, (cluster, procs) in zip(range(len(groups), 0, -1), groups, strict=True):
        if not source.states(cluster, procs).get(JobStatus.IDLE):
            continue
        idle = True
        texts = {key: view.cluster_text(cluster, key) or "" for key in _LOOKED_AT}
        if around.slots and (left <= _MOST_EVALUATED or may_lack(texts)):
            _judge(view, cluster, _idle(view, cluster, procs), around, never)
    lines = [f"Will never run: {_some(jobs)} ({reason})\n" for reason, jobs in never.items()]
    for reason in _drained_machines(around.slots) if idle else ():
        lines.append(f"{reason.text[0].upper()}{reason.text[1:]}: {reason.help} ends that\n")
    return "".join(lines)


def _idle(view: QueueView, cluster: int, procs: Sequence[int]) -> list[int]:
    """Those of the procs whose jobs are idle."""
    states = view.texts("JobStatus", [(cluster, procs)]) if procs else []
    return [proc for proc, state in zip(procs, states, strict=True) if state == _IDLE]


def _judge(view: QueueView, cluster: int, idle: Sequence[int], around: Around, never: dict[str, list[str]]) -> None:
    """Add to ``never``, by reason, the idle jobs of a cluster that will never run, or its number for all of them.

    Where no job has values of its own in what decides, one represents the others. Jobs that a factory has still to
    make may differ.
    """
    own = view.table.mentioned(cluster, tuple(_deciding(view, cluster)))
    columns = view.table.own_texts(cluster, idle, own) if own else []
    alike = all(text is None for column in columns for text in column)
    is_factory = view.cluster_text(cluster, "jobmaterializedigestfile") is not None
    whole = not is_factory and len(idle) == view.table.count(cluster)
    names = [f"{cluster}.{proc}" for proc in idle]
    for proc, name in zip(idle[: 1 if alike else _MOST_OF_CLUSTER], names, strict=False):
        job = view.job(JobId(cluster, proc))
        final = [reason.text for reason in why_it_waits(job, around) if reason.final] if job is not None else []
        if final:
            found = [str(cluster)] if whole and (alike or len(idle) == 1) else names if alike else [name]
            never.setdefault(final[0], []).extend(found)


def _deciding(view: QueueView, cluster: int) -> set[str]:
    """The keys of the attributes that may decide whether a job of a cluster runs: those in its Requirements, in what it
    requests, and in what these refer to."""
    ad = view.table.cluster(cluster)
    found = {*_LOOKED_AT, *_TIMES}
    if ad is not None:
        found.update(key for key in ad.attrs if key.startswith("request"))
    work = list(found)
    while work:
        words = {word.lower() for word in _NAME.findall(view.cluster_text(cluster, work.pop()) or "")} - found
        found |= words
        work += words
    return found


def _some(jobs: Sequence[str]) -> str:
    more = f" and {len(jobs) - 5} more" if len(jobs) > 5 else ""
    return ", ".join(jobs[:5]) + more
