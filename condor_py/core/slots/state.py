"""State of the startd: slots, their claims, the run of a job on a claim, and drains."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from enum import Enum, auto
from typing import Any, Literal

from condor_py.core.slots.events import ClaimRequest
from condor_py.core.slots.meters import Meters
from condor_py.core.slots.policy import Policy
from condor_py.core.slots.resources import Resources
from condor_py.core.slots.transitions import OWNER, Place
from condor_py.lang.classad import ClassAd
from condor_py.model.messages.kinds import DrainHow, OnCompletion
from condor_py.model.messages.runs import CatalogStaged
from condor_py.model.power import PowerAbilities, SleepState
from condor_py.model.states import Activity, SlotState

# The load that jobs make on a slot: the cpus that they kept busy in the last minute, on average.
#
# The system's load average, with which it is compared, forgets at the same pace: what a job leaves behind in that
# when it ends must not be taken for the owner's.

SECONDS = 60.0
#: Spans that lie within one of so many seconds are kept as one: a slot may run dozens of jobs in a second.
_GRAIN = 1.0


#: More spans are cut into grains: a partitionable slot takes over those of all its dynamic slots.
_MOST_SPANS = 200


class LoadWindow:
    """Spans of time with the cpus that were busy in each; Unix seconds."""

    __slots__ = ("_spans",)

    def __init__(self) -> None:
        self._spans: list[tuple[float, float, float]] = []

    def add(self, begin: float, end: float, cpus: float) -> None:
        """From ``begin`` to ``end`` so many cpus were busy."""
        if end <= begin:
            return
        if self._spans and end - _GRAIN < self._spans[-1][0] <= begin:
            since, to, before = self._spans.pop()
            busy = before * (to - since) + cpus * (end - begin)
            end = max(to, end)
            self._spans.append((since, end, busy / (end - since)))
            return
        self._spans = [span for span in self._spans if span[1] > end - SECONDS]
        self._spans.append((begin, end, cpus))

    def absorb(self, other: LoadWindow, now: float) -> None:
        """Takes over what another slot remembers, which is no more."""
        begin = now - SECONDS
        self._spans = [span for span in self._spans + other._spans if span[1] > begin]
        if len(self._spans) > _MOST_SPANS:
            self._spans = _in_grains(self._spans, begin)

    def move(self, seconds: float) -> None:
        """The clock was set, by so many seconds."""
        self._spans = [(since + seconds, to + seconds, cpus) for since, to, cpus in self._spans]

    def average(self, now: float) -> float:
        """The cpus that were busy in the last minute."""
        if not self._spans:
            return 0.0
        begin = now - SECONDS
        return sum(cpus * max(0.0, min(to, now) - max(since, begin)) for since, to, cpus in self._spans) / SECONDS


def _in_grains(spans: Sequence[tuple[float, float, float]], after: float) -> list[tuple[float, float, float]]:
    """The load after a moment, one span for each grain of time."""
    busy: dict[int, float] = {}
    for since, to, cpus in spans:
        for grain in range(int(max(since, after) // _GRAIN), int(to // _GRAIN) + 1):
            begin, end = grain * _GRAIN, (grain + 1) * _GRAIN
            busy[grain] = busy.get(grain, 0.0) + cpus * (min(to, end) - max(since, begin)) / _GRAIN
    return [(grain * _GRAIN, (grain + 1) * _GRAIN, cpus) for grain, cpus in sorted(busy.items()) if cpus]


Cause = Literal["PREEMPT", "drain", "shutdown", "better", "command"]
#: How much of its story a slot remembers for the message of an illegal move.
STORY = 30


@dataclass(slots=True)
class PowerState:
    """``target`` is the state that we are about to enter, ``asleep`` that the order to do so is given. HIBERNATE is
    asked next at ``next_check`` (Unix seconds). ``told`` is the last reason against it in the log."""

    abilities: PowerAbilities = field(default_factory=PowerAbilities)
    target: SleepState = SleepState.NONE
    asleep: bool = False
    next_check: float = 0.0
    told: str = ""


class SlotKind(Enum):
    """The attribute SlotType."""

    PARTITIONABLE = "Partitionable"
    DYNAMIC = "Dynamic"
    STATIC = "Static"


class StarterState(Enum):
    """State of a claim's starter."""

    NONE = auto()
    STARTING = auto()
    READY = auto()


class ClientState(Enum):
    """State of a client that does backfill work."""

    NONE = auto()
    STARTING = auto()
    RUNNING = auto()
    STOPPING = auto()


@dataclass(slots=True)
class BackfillClient:
    """A program that does backfill work: for all slots (BOINC), or for one. ``failures`` is how often in a row it ended
    badly; it is not started before ``rests_until`` (Unix seconds)."""

    state: ClientState = ClientState.NONE
    started: float = 0.0
    failures: int = 0
    rests_until: float = 0.0


@dataclass(slots=True)
class Eviction:
    """Why a run or a claim ends before its time. ``code`` is a VacateCode; ``reversible``: a drain that is stopped or a
    better claim that is withdrawn lets the job continue; the hold fields are those of WANT_HOLD."""

    code: int
    reason: str
    cause: Cause = "command"
    reversible: bool = False
    hold_code: int = 0
    hold_subcode: int = 0
    hold_reason: str = ""


@dataclass(slots=True)
class Run:
    """One activation of a claim. Times in Unix seconds; ``started`` is the activation, not the process's start.

    ``vacate_pledge`` is MachineMaxVacateTime as it was at the start. ``kill_at`` is when a soft kill turns hard,
    ``give_up_at`` when a starter that does not obey a hard kill is killed itself. ``load`` is the cpus that were busy
    between the last two updates, the last of which reported ``cpu_seen`` seconds at ``cpu_seen_at``.
    """

    job: str
    number: int
    ad: ClassAd
    started: float
    waiting: bool = True
    common: tuple[str, ...] = ()
    pid: int = 0
    vacate_pledge: int = 0
    suspended_at: float | None = None
    suspended_total: float = 0.0
    suspended_by_command: bool = False
    usage: dict[str, str] = field(default_factory=dict)
    load: float = 0.0
    cpu_seen: float = 0.0
    cpu_seen_at: float = 0.0
    ending: Eviction | None = None
    kill_at: float | None = None
    give_up_at: float | None = None
    meters: Meters = field(default_factory=Meters)

    def run_time(self, now: float) -> float:
        """Seconds since the start, without those spent suspended."""
        stopped = self.suspended_total
        if self.suspended_at is not None:
            stopped += now - self.suspended_at
        return max(0.0, now - self.started - stopped)

    def suspend_time(self, now: float) -> float:
        """Seconds spent suspended."""
        return self.suspended_total + (now - self.suspended_at if self.suspended_at is not None else 0.0)


@dataclass(slots=True)
class Claim:
    """A schedd's right to run jobs of one submitter on a slot; or (``fetched`` is the keyword) work of a hook."""

    claim_id: str
    public_id: str
    submitter: str
    owner: str
    ad: ClassAd
    born: float
    rank: float = 0.0
    group: str = "<none>"
    autoregroup: bool = False
    own_group: str = ""
    schedd: str = ""
    client: str = ""
    starter: StarterState = StarterState.NONE
    starter_pid: int = 0
    starter_failures: int = 0
    run: Run | None = None
    retiring: Eviction | None = None
    retire_peacefully: bool = False
    accepted_while_draining: bool = False
    released: bool = False
    runs: int = 0
    run_time: float = 0.0
    suspend_time: float = 0.0
    user: str = ""
    fetched: str = ""


@dataclass(slots=True)
class Fetch:
    """A slot's dealings with its fetch hook: Unix seconds of the last start and end, seconds of FetchWorkDelay, which
    counts from ``since``."""

    busy: bool = False
    spawned: int = 0
    completed: int = 0
    delay: int = -1
    since: float = 0.0
    due: float = 0.0


@dataclass(slots=True)
class Waiting:
    """A claim request that waits until the slot is free of the claim or the backfill work it has. ``rank`` is what
    the slot thinks of the job; ``elsewhere``: the dynamic slot is too small, what it returns to its parent counts."""

    request: ClaimRequest
    rank: float = 0.0
    elsewhere: bool = False


@dataclass(frozen=True, slots=True)
class Latch:
    """A value (None for no number), and the time since which it has been that, in Unix seconds."""

    value: int | None = None
    since: int = 0


@dataclass(slots=True, eq=False)
class Slot:
    """A slot. ``total`` is its size, ``free`` what a partitionable slot has left (the size itself for the
    others)."""

    slot_id: int
    dslot_id: int
    type_id: int
    kind: SlotKind
    name: str
    total: Resources
    free: Resources
    policy: Policy
    born: float
    prefix: str = "slot"
    #: A slot of a type with SLOT_TYPE_<N>_BACKFILL.
    backfill: bool = False
    parent: Slot | None = None
    children: list[Slot] = field(default_factory=list)
    ids: dict[str, tuple[str, ...]] = field(default_factory=dict)
    free_ids: dict[str, tuple[str, ...]] = field(default_factory=dict)
    broken: str = ""
    #: It keeps common files and runs no job; these catalogs, once they are there.
    data: bool = False
    catalogs: Sequence[CatalogStaged] = ()
    busy: LoadWindow = field(default_factory=LoadWindow)
    place: Place = OWNER
    entered_state: float = 0.0
    entered_activity: float = 0.0
    times: dict[Place, float] = field(default_factory=dict)
    claim: Claim | None = None
    better: Waiting | None = None
    after_backfill: Place = OWNER
    #: Which client does its backfill work: "" for that of all slots, otherwise the slot's own name.
    client: str = ""
    fetch: Fetch = field(default_factory=Fetch)
    children_changed: float = 0.0
    updates: int = 0
    latches: dict[str, Latch] = field(default_factory=dict)
    story: deque[tuple[float, str]] = field(default_factory=lambda: deque(maxlen=STORY))

    @property
    def state(self) -> SlotState:
        """The attribute State."""
        return self.place[0]

    @property
    def activity(self) -> Activity:
        """The attribute Activity."""
        return self.place[1]

    @property
    def tag(self) -> str:
        """The name in the log: slot1 or slot1_1."""
        number = f"{self.prefix}{self.slot_id}"
        return f"{number}_{self.dslot_id}" if self.dslot_id else number

    @property
    def run(self) -> Run | None:
        """The run on the slot's claim."""
        return self.claim.run if self.claim is not None else None

    @property
    def the_claim(self) -> Claim:
        """The claim of a slot that has one, as all in ``Pool.claims`` do."""
        assert self.claim is not None, f"{self.name} has no claim"
        return self.claim

    @property
    def the_run(self) -> Run:
        """Run of a slot that has one."""
        assert self.run is not None, f"nothing runs on {self.name}"
        return self.run

    def time_in(self, place: Place, now: float) -> float:
        """Seconds spent in a place, the present stay included."""
        stay = now - self.entered_activity if place == self.place else 0.0
        return self.times.get(place, 0.0) + stay


class ClaimedSlots(Mapping[str, str]):
    """The names of the slots that schedds have claimed, by claim id. Looking one up takes no longer where there are
    many."""

    def __init__(self, claims: Mapping[str, Slot]) -> None:
        self._claims = claims

    def __getitem__(self, claim_id: str) -> str:
        slot = self._claims[claim_id]
        if slot.the_claim.fetched:
            raise KeyError(claim_id)
        return slot.name

    def __iter__(self) -> Iterator[str]:
        return (claim_id for claim_id, slot in self._claims.items() if not slot.the_claim.fetched)

    def __len__(self) -> int:
        return sum(1 for _ in self)


@dataclass(frozen=True, slots=True)
class ClaimInfo:
    """A claim; ``job`` is empty and ``run`` 0 when it is idle. ``pid`` 0: the job's process is not there yet."""

    claim_id: str
    slot_name: str
    submitter: str
    state: str
    activity: str
    job: str = ""
    run: int = 0
    pid: int = 0
    started: float = 0.0
    #: Whether its slot is a data slot, and the keys of the catalogs that this has.
    data: bool = False
    staged: tuple[str, ...] = ()


def claim_info(slot: Slot) -> ClaimInfo:
    """The facts of a claimed slot."""
    claim, run = slot.the_claim, slot.run
    return ClaimInfo(
        claim_id=claim.claim_id,
        slot_name=slot.name,
        submitter=claim.submitter,
        state=slot.state.value,
        activity=slot.activity.value,
        job=run.job if run is not None else "",
        run=run.number if run is not None else 0,
        pid=run.pid if run is not None else 0,
        started=run.started if run is not None else 0.0,
        data=slot.data,
        staged=tuple(one.key for one in slot.catalogs),
    )


@dataclass(slots=True)
class DrainState:
    """The drain that is on, if any, and the totals of all. Times in Unix seconds, badput and idle time in
    cpu-seconds. ``boot_time`` is that of the machine when it was remembered."""

    active: bool = False
    how: DrainHow = "graceful"
    reason: str = ""
    request_id: str = ""
    on_completion: OnCompletion = "nothing"
    start: str = ""
    requests: int = 0
    last_start: int = 0
    last_stop: int = 0
    badput: float = 0.0
    unclaimed: float = 0.0
    counted_until: float = 0.0
    boot_time: int = 0

    def remembered(self, boot_time: int) -> dict[str, Any]:
        """State that the next startd of this machine needs."""
        return {**asdict(self), "boot_time": boot_time}


#: Boot times that differ by less are the same: they are computed from clocks that get corrected.
_SAME_BOOT = 30


def recalled(remembered: Mapping[str, Any], boot_time: int, now: float) -> DrainState:
    """The state that a former startd remembered. A drain continues, unless the machine was rebooted since."""
    known = {field.name: type(getattr(DrainState(), field.name)) for field in fields(DrainState)}
    usable = {name: value for name, value in remembered.items() if name in known and _is(value, known[name])}
    state = DrainState(**usable)
    if state.active and abs(state.boot_time - boot_time) > _SAME_BOOT:
        state.active = False
        state.start = ""
        state.last_stop = int(now)
    state.counted_until = now
    return state


def _is(value: object, kind: type) -> bool:
    return isinstance(value, kind) or (kind is float and isinstance(value, int))
