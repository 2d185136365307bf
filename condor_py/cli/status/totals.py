"""The blocks of totals under condor_status's tables."""

from __future__ import annotations

from condor_py.cli.output.renderers import platform
from condor_py.cli.status.gpus import kinds
from condor_py.cli.status.modes import Style
from condor_py.lang.classad.ad import ClassAd
from condor_py.lang.classad.nodes import Literal
from condor_py.lang.classad.values import ListValue
from condor_py.model.copies import changed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_STATES = ["owner", "claimed", "unclaimed", "matched", "preempting", "drained", "backfill"]
_MIN_KEY = 14

#: Sums by name; "bad" is set by an ad that lacks something.
Sums = dict[str, float]


class Block:
    """A kind of totals: the key of an ad, what it adds (False when the ad lacks something), heading and line."""

    __slots__ = ("add", "heading", "key", "line")

    def __init__(
        self,
        key: Callable[[ClassAd], str | None],
        add: Callable[[Sums, ClassAd], bool],
        heading: str,
        line: Callable[[Sums, bool], str],
    ) -> None:
        self.key = key
        self.add = add
        self.heading = heading
        self.line = line


def _platform_key(ad: ClassAd) -> str | None:
    arch, system = ad.eval_str("Arch"), ad.eval_str("OpSys")
    return f"{arch}/{system}" if arch is not None and system is not None else None


def _plus(sums: Sums, name: str, amount: float = 1) -> None:
    sums[name] = sums.get(name, 0) + amount


def _count_state(sums: Sums, state: str | None, *, backfill: bool = False) -> bool:
    """``backfill``: the slot is one of those that have the machine a second time; while idle, it is no slot more."""
    word = (state or "").lower()
    if backfill and word == "unclaimed":
        _plus(sums, "backfill idle")
        return True
    if backfill and word == "claimed":
        word = "backfill"
    if word not in _STATES:
        return False
    _plus(sums, word)
    _plus(sums, "machines")
    return True


def _add_state(sums: Sums, ad: ClassAd) -> bool:
    return _count_state(sums, ad.eval_str("State"))


def _number(sums: Sums, ad: ClassAd, attribute: str) -> bool:
    found = ad.eval_int(attribute)
    _plus(sums, attribute, found or 0)
    return found is not None


def _add_server(sums: Sums, ad: ClassAd) -> bool:
    state = ad.eval_str("State")
    if state is None:
        return False
    found = [_number(sums, ad, name) for name in ("Memory", "Disk", "Mips", "KFlops")]
    _plus(sums, "avail", state in ("Claimed", "Unclaimed"))
    _plus(sums, "machines")
    return all(found)


def _add_claimed(sums: Sums, ad: ClassAd) -> bool:
    found = [_number(sums, ad, name) for name in ("Mips", "KFlops")]
    load = ad.eval_real("LoadAvg")
    _plus(sums, "load", load or 0.0)
    _plus(sums, "machines")
    return all(found) and load is not None


def _add_startd(sums: Sums, ad: ClassAd) -> bool:
    found = [_number(sums, ad, name) for name in ("TotalSlots", "TotalCpus", "TotalGPUs")]
    for name in ("TotalInUseCpus", "TotalInUseGPUs", "TotalBackfillInUseCpus", "TotalBackfillInUseGPUs"):
        _number(sums, ad, name)
    memory = ad.eval_int("TotalMemory", 0)
    if memory:
        _plus(sums, "memory", ad.eval_int("TotalInUseMemory", 0) / memory)
        _plus(sums, "backfill memory", ad.eval_int("TotalBackfillInUseMemory", 0) / memory)
    _plus(sums, "machines")
    return all(found) and memory > 0


def _add_health(sums: Sums, ad: ClassAd) -> bool:
    healthy = ad.eval_bool("Healthy")
    if ad.has("BrokenReasons") or ad.has("SlotBrokenReason"):
        _plus(sums, "broken")
    else:
        _plus(sums, {True: "healthy", False: "unhealthy", None: "unknown"}[healthy])
    return True


def _add_jobs(prefix: str) -> Callable[[Sums, ClassAd], bool]:
    names = ("RunningJobs", "IdleJobs", "HeldJobs")

    def add(sums: Sums, ad: ClassAd) -> bool:
        found = []
        for name in names:
            number = ad.eval_int(prefix + name)
            _plus(sums, name, number or 0)
            found.append(number is not None)
        return all(found)

    return add


def _int(sums: Sums, name: str) -> int:
    return int(sums.get(name, 0))


def _columns(*columns: tuple[str, int]) -> Callable[[Sums, bool], str]:
    """A line of integers: (sum, width)."""
    return lambda sums, _: " ".join(f"{_int(sums, name):{width}d}" for name, width in columns)


def _claimed_line(sums: Sums, top: bool) -> str:
    machines = _int(sums, "machines")
    load = sums.get("load", 0.0) / machines if machines else 0.0
    return f"{machines:9d}  {_int(sums, 'Mips'):11d}  {_int(sums, 'KFlops'):11d}   {load:.3f}"


def _startd_line(sums: Sums, top: bool) -> str:
    names = (
        "machines", "TotalSlots", "TotalCpus", "TotalInUseCpus", "TotalBackfillInUseCpus", "TotalGPUs",
        "TotalInUseGPUs", "TotalBackfillInUseGPUs",
    )  # fmt: skip
    machines = _int(sums, "machines") or 1
    shares = (100 * sums.get(name, 0.0) / machines for name in ("memory", "backfill memory"))
    return " ".join([*(f"{_int(sums, n):8d}" for n in names), *(f"{share:7.2f}%" for share in shares)])


def _schedd_line(sums: Sums, top: bool) -> str:
    names = ("RunningJobs", "IdleJobs", "HeldJobs")
    return " ".join(f"{_int(sums, name):18d}" for name in names) if top else ""


def _heading(*columns: tuple[str, int]) -> str:
    return " ".join(f"{text:>{width}}" for text, width in columns)


_STATE_COLUMNS = (
    ("machines", 6), ("owner", 5), ("claimed", 7), ("unclaimed", 9), ("matched", 7), ("preempting", 10),
    ("drained", 6), ("backfill", 8), ("backfill idle", 6),
)  # fmt: skip
_STATE_HEADING = _heading(
    ("Total", 6), ("Owner", 5), ("Claimed", 7), ("Unclaimed", 9), ("Matched", 7), ("Preempting", 10), ("Drain", 6),
    ("Backfill", 8), ("BkIdle", 6),
)  # fmt: skip
_ACTIVITY_COLUMNS = (
    ("never counted", 6), ("owner", 5), ("unclaimed", 9), ("claimed", 7), ("preempting", 10), ("matched", 7),
    ("drained", 6), ("backfill", 8), ("backfill idle", 6),
)  # fmt: skip
_ACTIVITY_HEADING = _heading(
    ("Total", 6), ("Owner", 5), ("Unclaimed", 9), ("Claimed", 7), ("Preempting", 10), ("Matched", 7), ("Drain", 6),
    ("Backfill", 8), ("BkIdle", 6),
)  # fmt: skip
_SERVER_COLUMNS = (("machines", 9), ("avail", 5), ("Memory", 11), ("Disk", 11), ("Mips", 11), ("KFlops", 11))
#: The heading over Memory is narrower than its column.
_SERVER_HEADING = _heading(("Slots", 9), ("Avail", 5), ("Memory", 7), ("Disk", 11), ("MIPS", 11), ("KFLOPS", 11))
_HEALTH_COLUMNS = (("healthy", 9), ("unhealthy", 9), ("broken", 9), ("unknown", 9))
_STARTD_HEADING = _heading(
    *(
        (word, 8)
        for word in [
            "Machines",
            "Slots",
            "Cpus",
            "BusyCpus",
            "BkCpus",
            "GPUs",
            "BusyGPUs",
            "BkGPUs",
            "Memory%",
            "BkMem%",
        ]
    )
)
_JOB_COLUMNS = (("RunningJobs", 11), ("IdleJobs", 10), ("HeldJobs", 10))

_SLOTS = Block(_platform_key, _add_state, _STATE_HEADING, _columns(*_STATE_COLUMNS))
_HEALTH = Block(
    lambda ad: platform(None, ad),
    _add_health,
    _heading(("Healthy", 9), ("Unhealthy", 9), ("Broken", 9), ("Unknown", 9)),
    _columns(*_HEALTH_COLUMNS),
)
BLOCKS: dict[Style, Block] = {
    Style.SLOTS: _SLOTS,
    Style.SERVER: Block(_platform_key, _add_server, _SERVER_HEADING, _columns(*_SERVER_COLUMNS)),
    Style.CLAIMED: Block(
        _platform_key,
        _add_claimed,
        "  ".join(("Machines".rjust(9), "MIPS".rjust(11), "KFLOPS".rjust(11), "AvgLoadAvg".rjust(11))),
        _claimed_line,
    ),
    Style.STATE: Block(lambda ad: ad.eval_str("Activity"), _add_state, _ACTIVITY_HEADING, _columns(*_ACTIVITY_COLUMNS)),
    Style.GPUS: Block(lambda ad: ad.eval_str("Activity"), _add_state, _ACTIVITY_HEADING, _columns(*_ACTIVITY_COLUMNS)),
    Style.STARTD: Block(lambda ad: platform(None, ad), _add_startd, _STARTD_HEADING, _startd_line),
    Style.STARTD_GPUS: Block(lambda ad: platform(None, ad), _add_startd, _STARTD_HEADING, _startd_line),
    Style.SLOT_HEALTH: changed(_HEALTH, key=_platform_key),
    Style.STARTD_HEALTH: _HEALTH,
    Style.SCHEDD: Block(
        lambda ad: " ",
        _add_jobs("Total"),
        _heading(("TotalRunningJobs", 18), ("TotalIdleJobs", 18), ("TotalHeldJobs", 18)),
        _schedd_line,
    ),
    Style.SUBMITTERS: Block(
        lambda ad: ad.eval_str("Name"), _add_jobs(""), _heading(*_JOB_COLUMNS), _columns(*_JOB_COLUMNS)
    ),
}


class Totals:
    """Totals in the making: sums by key, of all, and how many ads lacked something."""

    def __init__(self, style: Style, compact: bool) -> None:
        self.block = BLOCKS.get(style)
        self._style = style
        self._compact = compact and style not in (Style.STATE,)
        self._rows: dict[str, Sums] = {}
        self._all: Sums = {}
        self._malformed = 0

    def add(self, ad: ClassAd) -> None:
        """Counts one ad."""
        if self.block is None:
            return
        key = self._key(ad)
        if key is None:
            self._malformed += 1
            return
        if not self._count(self._rows.setdefault(key, {}), ad):
            self._malformed += 1
        self._count(self._all, ad)

    def add_compact(self, ad: ClassAd) -> None:
        """Count the slots that a row of a compact table represents: its children, and itself while it has cpus."""
        if self.block is None:
            return
        if self._style is Style.GPUS:
            self._add_devices(ad)
            return
        backfill = bool(ad.eval_bool("BackfillSlot"))
        if not ad.eval_bool("PartitionableSlot"):
            if not ad.eval_bool("DynamicSlot"):
                self._add_static(ad, backfill)
            return
        if self._style in (Style.SLOTS, Style.STATE):
            for child in children(ad, "ChildState"):
                for sums in self._rows_of(ad):
                    _count_state(sums, child, backfill=backfill)
        else:
            self.add(ad)
        if ad.eval_real("Cpus", 0.0) >= 0.1 and not backfill:
            self.add(ad)

    def _add_static(self, ad: ClassAd, backfill: bool) -> None:
        if not backfill or self._style not in (Style.SLOTS, Style.STATE):
            self.add(ad)
            return
        for sums in self._rows_of(ad):
            _count_state(sums, ad.eval_str("State"), backfill=True)

    def _add_devices(self, ad: ClassAd) -> None:
        """Counts the devices that a slot offers, by what they are."""
        for key in kinds(ad):
            self._count(self._rows.setdefault(key, {}), ad)
            self._count(self._all, ad)

    def _key(self, ad: ClassAd) -> str | None:
        """The row that an ad counts in; None where it lacks what names one."""
        shown = platform(ad.eval_str("OpSys"), ad) if self._compact else None
        return self.block.key(ad) if shown is None and self.block is not None else shown

    def _rows_of(self, ad: ClassAd) -> list[Sums]:
        key = self._key(ad)
        return [self._all] if key is None else [self._rows.setdefault(key, {}), self._all]

    def _count(self, sums: Sums, ad: ClassAd) -> bool:
        return self.block is not None and self.block.add(sums, ad)

    def text(self, fit: bool) -> str:
        """The block with its empty lines. ``fit`` makes the first column as narrow as its longest key."""
        if self.block is None:
            return ""
        longest = max((len(key) for key in self._rows), default=0)
        compact_keys = longest if self._compact else 0
        width = max(5, longest) if fit else max(_MIN_KEY, compact_keys)
        lines = ["", " " * width + self.block.heading, ""]
        for key in sorted(self._rows):
            lines.append(f"{key[:width]:>{width}}{self.block.line(self._rows[key], False)}")
        if self._style is Style.SCHEDD and self._rows:
            return self._schedd_text(width)
        if self._rows:
            lines.append("")
        lines.append(f"{'Total':>{width}}{self.block.line(self._all, True)}")
        more = "\n" if self._style in (Style.GPUS, Style.STARTD_GPUS) else ""
        return "\n".join(lines) + "\n" + self._omitted(width) + more

    def _schedd_text(self, width: int) -> str:
        """Schedds have one row without numbers, whose line has no end of its own."""
        assert self.block is not None
        first = f"\n{' ' * width}{self.block.heading}\n\n{' ' * width}\n"
        return first + f"{'Total':>{width}}{self.block.line(self._all, True)}\n{self._omitted(width)}"

    def _omitted(self, width: int) -> str:
        """Return a line on how many ads lacked something, between empty lines; "" for none."""
        if not self._malformed:
            return ""
        return f"\n{' ' * width}(Omitted {self._malformed} malformed ads in computed attribute totals)\n\n"


def children(ad: ClassAd, attribute: str) -> list[str]:
    """The strings of a Child... list."""
    value = ad.raw(attribute)
    if not isinstance(value, ListValue):
        return []
    return [item.value for item in value.items if isinstance(item, Literal) and isinstance(item.value, str)]
