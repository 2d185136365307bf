"""Numbers that do not go together: more than the machine has, children above their parent, limits that contradict."""

from __future__ import annotations

import re
from collections.abc import Iterator

from condor_py.lang.config.lint.finding import Finding
from condor_py.lang.config.lint.subject import Subject, finding
from condor_py.lang.config.values import to_list, to_real
from condor_py.lang.macro import Macro
from condor_py.model.texts import as_integer

_QUOTA, _DYNAMIC = "GROUP_QUOTA_", "GROUP_QUOTA_DYNAMIC_"
_SLOTS_OF_TYPE = re.compile(r"NUM_SLOTS_TYPE_(\d+)\Z", re.IGNORECASE | re.ASCII)
#: Knobs of which the first must not be more than the second.
_ORDER = (
    ("NEGOTIATOR_MIN_INTERVAL", "NEGOTIATOR_INTERVAL"),
    ("SCHEDD_MIN_INTERVAL", "SCHEDD_INTERVAL"),
    ("SHUTDOWN_FAST_TIMEOUT", "SHUTDOWN_GRACEFUL_TIMEOUT"),
    ("MASTER_BACKOFF_CONSTANT", "MASTER_BACKOFF_CEILING"),
    ("STARTER_INITIAL_UPDATE_INTERVAL", "STARTER_UPDATE_INTERVAL"),
    ("PERIODIC_EXPR_INTERVAL", "MAX_PERIODIC_EXPR_INTERVAL"),
    ("MIN_TRACKING_GID", "MAX_TRACKING_GID"),
    ("STATISTICS_WINDOW_QUANTUM", "STATISTICS_WINDOW_SECONDS"),
    ("NEGOTIATOR_MAX_TIME_PER_PIESPIN", "NEGOTIATOR_MAX_TIME_PER_CYCLE"),
    ("LOWPORT", "HIGHPORT"),
)
#: Knobs that say how much there is, and what was found: more is possible, and hardly meant.
_OFFERED = (("NUM_CPUS", "DETECTED_CPUS", "cpus"), ("MEMORY", "DETECTED_MEMORY", "MB"))


def check_sums(subject: Subject) -> Iterator[Finding]:
    """Yield findings for amounts larger than what exists, or than the amount that they are a part of."""
    by_name = {macro.name.upper(): macro for macro in subject.settings}
    for name, macro in by_name.items():
        if (match := _SLOTS_OF_TYPE.match(name)) is not None:
            yield from _slot_type(subject, macro, as_integer(match[1]))
    yield from _orders(subject, by_name)
    yield from _machine(subject, by_name)
    yield from _groups(subject, by_name)
    yield from _virtual(subject, by_name)


def _number(subject: Subject, name: str) -> float | None:
    from condor_py.lang.macro.evaluate import classad_evaluate

    text = subject.string(name)
    return to_real(text, classad_evaluate) if text else None


def _slot_type(subject: Subject, macro: Macro, number: int) -> Iterator[Finding]:
    limit = _number(subject, "MAX_SLOT_TYPES")
    if limit is not None and number > int(limit):
        message = f"slot types are looked for up to {int(limit)}: MAX_SLOT_TYPES is {limit:g}"
        yield finding("warning", macro, message)
    wanted = _number(subject, macro.name)
    if number > 1 and wanted and not subject.string(f"SLOT_TYPE_{number}"):
        yield finding("warning", macro, f"SLOT_TYPE_{number} is not set: nothing says what slots of this type have")


def _orders(subject: Subject, by_name: dict[str, Macro]) -> Iterator[Finding]:
    for low, high in _ORDER:
        macro = by_name.get(low) or by_name.get(high)
        first, second = _number(subject, low), _number(subject, high)
        if macro is not None and first is not None and second is not None and first > second > 0:
            yield finding("warning", macro, f"{low} is {first:g}, and so more than {high}, which is {second:g}")


def _machine(subject: Subject, by_name: dict[str, Macro]) -> Iterator[Finding]:
    for knob, found, unit in _OFFERED:
        offered, detected = _number(subject, knob), _number(subject, found)
        macro = by_name.get(knob)
        if macro is not None and offered is not None and detected and offered > 8 * detected:
            yield finding("warning", macro, f"{offered:g} {unit} are far more than the {detected:g} of this machine")
    macro, reserved = by_name.get("RESERVED_MEMORY"), _number(subject, "RESERVED_MEMORY")
    memory = _number(subject, "MEMORY") or _number(subject, "DETECTED_MEMORY")
    if macro is not None and reserved is not None and memory and reserved >= memory:
        yield finding("warning", macro, f"{reserved:g} MB are all of the {memory:g} MB of memory: none is for jobs")
    macro, reserved = by_name.get("RESERVED_DISK"), _number(subject, "RESERVED_DISK")
    disk = _disk_mb(subject)
    if macro is not None and reserved is not None and disk and reserved >= disk:
        yield finding("warning", macro, f"{reserved:g} MB are all of the {disk:g} MB of the disk: none is for jobs")


def _disk_mb(subject: Subject) -> float:
    """The size of the file system of EXECUTE, 0 where that is not known."""
    import os

    path = subject.string("EXECUTE")
    while path and not os.path.isdir(path) and path != "/":
        path = os.path.dirname(path)
    try:
        status = os.statvfs(path or "/")
    except OSError:
        return 0.0
    return float(status.f_frsize * status.f_blocks >> 20)


def _groups(subject: Subject, by_name: dict[str, Macro]) -> Iterator[Finding]:
    names = to_list(subject.string("GROUP_NAMES"))
    double = next((name for index, name in enumerate(names) if name.lower() in map(str.lower, names[:index])), "")
    if double and "GROUP_NAMES" in by_name:
        yield finding("warning", by_name["GROUP_NAMES"], f"it lists {double} twice")
    static: dict[str, float] = {}
    children: dict[str, float] = {}
    for name in names:
        quota = _number(subject, _QUOTA + name)
        macro = by_name.get(_DYNAMIC + name.upper())
        if quota is not None and macro is not None:
            yield finding("warning", macro, f"it does not count, because {_QUOTA}{name} is set as well")
        if quota is not None:
            static[name.lower()] = quota
    for name in names:
        macro, quota = by_name.get(_QUOTA + name.upper()), static.get(name.lower())
        if macro is not None and quota is not None:
            yield from _quota(subject, macro, name, quota, static, children)


def _quota(
    subject: Subject, macro: Macro, name: str, quota: float, static: dict[str, float], children: dict[str, float]
) -> Iterator[Finding]:
    """A static quota above that of its parent or of the machine, alone or with those before it."""
    parent = name.rpartition(".")[0].lower()
    if parent and parent not in static:
        return
    most = static[parent] if parent else _number(subject, "NUM_CPUS") or _number(subject, "DETECTED_CPUS") or 0.0
    before = children.get(parent, 0.0)
    children[parent] = before + quota
    whose = f"GROUP_QUOTA_{parent}" if parent else "the cpus of this machine"
    weighs = "SLOT_WEIGHT" in {one.name.upper() for one in subject.settings}
    if not parent and (weighs or subject.string("NEGOTIATOR_SLOT_POOLSIZE_CONSTRAINT")):
        return
    if quota > most > 0:
        yield finding("warning", macro, f"{quota:g} is more than {whose}, {most:g}")
    elif before <= most < before + quota and parent:
        yield finding("warning", macro, f"the quotas of the groups of {parent} add up to more than {whose}, {most:g}")


def _virtual(subject: Subject, by_name: dict[str, Macro]) -> Iterator[Finding]:
    macro = by_name.get("VM_TYPE")
    if macro is None or not subject.string("VM_TYPE"):
        return
    memory, detected = _number(subject, "VM_MEMORY"), _number(subject, "DETECTED_MEMORY")
    if not memory:
        yield finding("warning", macro, "no virtual machine is offered without VM_MEMORY, the MB for all of them")
    elif detected and memory > detected:
        message = f"{memory:g} MB are more than the {detected:g} MB of this machine"
        yield finding("warning", by_name.get("VM_MEMORY", macro), message)
