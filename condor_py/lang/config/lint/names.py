"""Unknown names: misspelled knobs, and knobs of a family whose chosen part nothing names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from condor_py.lang.config.lint.finding import Finding
from condor_py.lang.config.lint.known import all_names, base_name, has_meaning, known, prefix_of, slot_part
from condor_py.lang.config.lint.phases import USES
from condor_py.lang.config.lint.subject import Subject, finding
from condor_py.lang.config.values import to_list
from condor_py.lang.macro import Macro
from condor_py.model.settings.shared import POLICY_KNOBS
from condor_py.model.spelling import Speller, nearest

#: Beginnings of names that are HTCondor's own: what begins so and is no knob was meant as one.
_OWN = re.compile(
    r"(?:ALLOW|BENCHMARKS|CGROUP|COLLECTOR|CONDOR|DAGMAN|DEFRAG|DENY|DOCKER|GRIDMANAGER|GROUP|JOB_DEFAULT|JOB_ROUTER"
    r"|JOB_TRANSFORM|MASTER|MAX|MAX_NUM|MODIFY_REQUEST_EXPR|NEGOTIATOR|NUM|PREEMPT|PREEMPTION|ROOSTER|SCHEDD|SHADOW"
    r"|SINGULARITY|SLOT|STARTD|STARTER|STATISTICS|SUBMIT|SUBMIT_REQUIREMENT|SYSTEM)_",
    re.IGNORECASE,
)
#: Families whose chosen part a list names: the beginning, the list, and endings that belong to the family.
_LISTED = (
    ("SYSTEM_PERIODIC_HOLD_", "SYSTEM_PERIODIC_HOLD_NAMES", ("_REASON", "_SUBCODE")),
    ("SYSTEM_PERIODIC_RELEASE_", "SYSTEM_PERIODIC_RELEASE_NAMES", ()),
    ("SYSTEM_PERIODIC_REMOVE_", "SYSTEM_PERIODIC_REMOVE_NAMES", ("_REASON",)),
    ("SYSTEM_PERIODIC_VACATE_", "SYSTEM_PERIODIC_VACATE_NAMES", ("_REASON", "_SUBCODE")),
    ("SUBMIT_REQUIREMENT_", "SUBMIT_REQUIREMENT_NAMES", ("_REASON", "_IS_WARNING")),
    ("SUBMIT_TEMPLATE_", "SUBMIT_TEMPLATE_NAMES", ()),
    ("JOB_TRANSFORM_", "JOB_TRANSFORM_NAMES", ()),
    ("JOB_ROUTER_ROUTE_", "JOB_ROUTER_ROUTE_NAMES", ()),
    ("STARTD_CRON_", "STARTD_CRON_JOBLIST", None),
    ("SCHEDD_CRON_", "SCHEDD_CRON_JOBLIST", None),
)
_CRON = (
    "ARGS", "CONDITION", "CWD", "ENV", "EXECUTABLE", "JOB_LOAD", "KILL", "METRICS", "MODE", "OPTIONS", "PERIOD",
    "PREFIX", "RECONFIG", "RECONFIG_RERUN", "SLOTS", "RUN_CONDITION",
)  # fmt: skip
#: Subsystems of HTCondor, and of tools.
SUBSYSTEMS = (
    "MASTER", "SCHEDD", "STARTD", "STARTER", "NEGOTIATOR", "COLLECTOR", "SHADOW", "TOOL", "SUBMIT", "DAGMAN", "DEFRAG",
    "ROOSTER", "JOB_ROUTER", "GRIDMANAGER", "SHARED_PORT", "CREDD", "HAD", "REPLICATION", "KBDD", "TRANSFERER", "GAHP",
    "PROCD", "VM_GAHP", "GANGLIAD", "TRANSFERD", "ANNEXD", "VIEW_SERVER", "CONDOR_VIEW", "C_GAHP",
    "C_GAHP_WORKER_THREAD", "STATS", "JOB", "PREEN", "CLUSTER", "LEASEMANAGER", "QUILL", "DOCKER", "DBMSD", "HDFS",
    "SSHD", "PASSWD_CACHE", "TEST",
    "ALL", "DEFAULT", "EVENTD", "ADSTASH", "CREDMON_OAUTH", "CREDMON_KRB",
)  # fmt: skip
_OF_SUBSYSTEM = re.compile(
    r"(?:(?P<a>[A-Z_]+)_(?:DEBUG|LOG|LOCK|ATTRS|EXPRS|ADDRESS_FILE|DAEMON_AD_FILE|ADMIN_EMAIL|LOG_KEEP_OPEN"
    r"|DAEMON_HISTORY|CLASSAD_USER_MAP_NAMES|NOT_RESPONDING_TIMEOUT|MAX_FILE_DESCRIPTORS|ARGS|ENVIRONMENT|USERID)"
    r"|MAX_(?:NUM_)?(?P<b>[A-Z_]+)_LOG|TRUNC_(?P<c>[A-Z_]+)_LOG_ON_OPEN)\Z",
    re.IGNORECASE,
)
#: What may differ from slot to slot, besides the knobs of the policy.
_OF_SLOTS = re.compile(
    r"(?:SLOT_WEIGHT|ISOWNER|CPUBUSY|CPU_BUSY|\w+_VANILLA|JOB_HOOK_KEYWORD|NUM_CLAIMS|CONSUMPTION_\w+|STARTD_ATTRS"
    r"|MODIFY_REQUEST_EXPR_\w+|PARTITIONABLE|NAME_PREFIX|BACKFILL|BACKFILL_COMMAND|EXECUTE|USER|CPU_AFFINITY)\Z",
    re.IGNORECASE,
)
_POLICY = frozenset(name.lower() for name in POLICY_KNOBS)
_ACCESS = re.compile(r"(?P<how>ALLOW|DENY|HOSTALLOW|HOSTDENY)_(?P<level>\w+)\Z", re.IGNORECASE)
_LEVELS = (
    "READ", "WRITE", "ADMINISTRATOR", "CONFIG", "OWNER", "DAEMON", "NEGOTIATOR", "ADVERTISE_MASTER", "ADVERTISE_STARTD",
    "ADVERTISE_SCHEDD", "CLIENT", "SOAP", "DEFAULT", "IMMEDIATE_FAMILY", "ALLOW",
)  # fmt: skip
#: How alike a long name has to be that is further away than the speller goes.
_ALIKE = 0.84
_ROUTER_FAMILIES = ("JOB_ROUTER_TRANSFORM_", "JOB_ROUTER_CREATE_IDTOKEN_")
_SKELETON = "{}"


def check_names(subject: Subject) -> Iterator[Finding]:
    """Settings of names that are no knobs and that no other setting refers to."""
    for macro in subject.settings:
        if macro.origin.template:
            continue
        yield from _prefix(subject, macro)
        if (found := _of_family(subject, macro)) is not None:
            if found:
                yield finding("warning", macro, found)
        elif not has_meaning(macro.name):
            yield from _unknown(subject, macro)
        elif _is_of_all_slots(subject, macro.name):
            yield finding("warning", macro, f"{slot_part(macro.name)} is the same for all slots: nothing reads this")


def _is_of_all_slots(subject: Subject, name: str) -> bool:
    """Whether a setting for some slots is about a knob that cannot differ from slot to slot."""
    part = slot_part(name)
    if not part or known(part) is None or part.lower() in _POLICY or _OF_SLOTS.match(part):
        return False
    return not _is_used(subject, name)


def _unknown(subject: Subject, macro: Macro) -> Iterator[Finding]:
    if _is_used(subject, macro.name):
        return
    base, part = base_name(macro.name), slot_part(macro.name)
    of_slot = _nearest(part)
    like = f"{base[: -len(part)]}{of_slot}" if of_slot else _nearest(base) or _with_listed(subject, macro.name)
    if like.lower() == macro.name.lower():
        return  # a form of a knob for one universe
    if like:
        yield finding("warning", macro, f"there is no knob of this name, did you mean {like}?")
    elif not _parts(subject, macro.name):
        own = _OWN.match(base) is not None
        hint = ": nothing reads it" if own else ", and no other setting refers to it"
        yield finding("warning" if own else "note", macro, f"there is no knob of this name{hint}")


@cache
def _speller() -> Speller:
    return Speller(_all())


@cache
def _all() -> tuple[str, ...]:
    vanilla = (f"{name.upper()}_VANILLA" for name in USES if not name.startswith("system_periodic_"))
    return (*all_names().values(), *vanilla, "ALLOW_READ", "ALLOW_WRITE")


def _nearest(name: str) -> str:
    """The knob that is spelled most like ``name``; "" when none is near."""
    if not name:
        return ""
    near = _speller().nearest(name)
    if not near and _OWN.match(name):
        near = nearest(name, _all(), _ALIKE)
    return near or _reordered(name, _all())


def _reordered(name: str, known: Iterable[str]) -> str:
    """Return the name that has the same words in another order: HISTORY_MAX_LOG for MAX_HISTORY_LOG."""
    words = sorted(name.lower().split("_"))
    if len(words) < 3:
        return ""
    return next((one for one in known if len(one) == len(name) and sorted(one.lower().split("_")) == words), "")


def _prefix(subject: Subject, macro: Macro) -> Iterator[Finding]:
    """``SCHEDDD.X``: a prefix that is nearly a daemon's."""
    first = prefix_of(macro.name).partition(".")[0]
    if first.upper() in SUBSYSTEMS or first.lower() in subject.listed:
        return
    like = Speller(SUBSYSTEMS).nearest(first)
    if like and not has_meaning(first):
        yield finding("warning", macro, f"{first} is no daemon or tool, did you mean {like}.{base_name(macro.name)}?")


def _of_family(subject: Subject, macro: Macro) -> str | None:
    """Return the mistake in a name of a family; "" without one, None for a name of no such family."""
    base = base_name(macro.name)
    upper = base.upper()
    if upper.lower() in all_names():
        return ""
    for start, names, endings in _LISTED:
        if upper.startswith(start) and len(upper) > len(start):
            return _of_list(subject, base, start, names, endings)
    if access := _ACCESS.match(base):
        return _level(access["how"], access["level"])
    if (match := _OF_SUBSYSTEM.match(base)) and not _is_used(subject, macro.name):
        return _subsystem(subject, base, next(part for part in match.groups() if part))
    if upper.startswith("JOB_ROUTER_") and not upper.startswith(_ROUTER_FAMILIES):
        return _as_unknown(base)
    if upper.startswith("MODIFY_REQUEST_EXPR_REQUEST"):
        return _resource(subject, upper)
    return None


def _as_unknown(base: str) -> str:
    like = _nearest(base)
    return f"there is no knob of this name, did you mean {like}?" if like else "there is no knob of this name"


def _of_list(subject: Subject, base: str, start: str, names: str, endings: tuple[str, ...] | None) -> str | None:
    listed = {name.lower(): name for name in to_list(subject.string(names))}
    part = base[len(start) :]
    if endings is None:
        return _cron(subject, base, part, listed, names)
    for ending in endings:
        if part.upper().endswith(ending):
            part = part[: -len(ending)]
            break
    if part.lower() in listed or base.lower() in subject.referenced:
        return ""
    like = _speller().nearest(base)
    near = Speller(listed.values()).nearest(part)
    hint = f": did you mean {start}{near}?" if near else f": did you mean {like}?" if like else ""
    return f"nothing comes of it, because {part} is not in {names}{hint}"


def _cron(subject: Subject, base: str, part: str, listed: dict[str, str], names: str) -> str | None:
    """Return the mistake in a setting of a cron program; None for a knob that is about all of them."""
    start = base[: len(base) - len(part)]
    for name in sorted(listed, reverse=True):  # a longer one before its beginning
        if part.lower().startswith(f"{name}_"):
            setting = part[len(name) + 1 :]
            if setting.upper() in _CRON or setting.upper().startswith("JOB_"):
                return ""
            like = nearest(setting, _CRON)
            hint = f", did you mean {start}{listed[name]}_{like}?" if like else f": there are {', '.join(_CRON)}"
            return f"cron programs have no setting {setting}{hint}"
    if base.lower() in subject.referenced:
        return ""
    ends = next((word for word in sorted(_CRON, key=len, reverse=True) if part.upper().endswith(f"_{word}")), "")
    like = _speller().nearest(base)
    if ends and not like:
        job = part[: -len(ends) - 1]
        near = Speller(listed.values()).nearest(job)
        hint = f": did you mean {near}?" if near else ""
        return f"nothing comes of it, because {job} is not in {names}{hint}"
    return f"there is no knob of this name, did you mean {like}?" if like else None


def _level(how: str, level: str) -> str:
    if any(level.upper() == known or level.upper().startswith(f"{known}_") for known in _LEVELS):
        return ""
    like = Speller(_LEVELS).nearest(level) or nearest(level, _LEVELS)
    hint = f", did you mean {how}_{like}?" if like else f": there are {', '.join(_LEVELS[:8])} and others"
    return f"there is no access level {level}{hint}"


def _subsystem(subject: Subject, base: str, name: str) -> str | None:
    if name.lower() in subject.listed:
        return ""  # a program of DAEMON_LIST
    if name.upper() in SUBSYSTEMS or has_meaning(name):
        return "" if has_meaning(base) else None
    if any(name.upper().startswith(f"{one}_") for one in SUBSYSTEMS):
        return None
    like = Speller(SUBSYSTEMS).nearest(name)
    if not like:
        return _as_unknown(base) if _speller().nearest(base) else None
    return f"{name} is no daemon or tool, did you mean {base.replace(name, like)}?"


def _resource(subject: Subject, upper: str) -> str:
    name = upper.removeprefix("MODIFY_REQUEST_EXPR_REQUEST")
    own = {word.upper() for word in subject.listed}
    own |= {base_name(macro.name).upper().rpartition("MACHINE_RESOURCE_")[2] for macro in subject.settings}
    known = ("CPUS", "MEMORY", "DISK", "GPUS", "SWAP")
    if name in own or name in known:
        return ""
    like = nearest(name, known)
    hint = f", did you mean MODIFY_REQUEST_EXPR_REQUEST{like}?" if like else ""
    return f"there is no resource {name.capitalize()}{hint}"


def _is_used(subject: Subject, name: str) -> bool:
    keys = {name.lower(), base_name(name).lower(), slot_part(name).lower()}
    return any(key in subject.referenced or key in subject.listed for key in keys)


def _parts(subject: Subject, name: str) -> Iterable[str]:
    """The words of lists that ``name`` has in it."""
    padded = f"_{base_name(name).lower()}_"
    return [word for word in subject.listed if f"_{word}_" in padded]


@cache
def _families() -> Speller:
    return Speller(_skeletons())


@cache
def _skeletons() -> tuple[str, ...]:
    """The names of families, with a mark for the part that is chosen."""
    from condor_py.lang.config import table

    names = (found.name for found in table.all_knobs() if "<" in found.name)
    return tuple(re.sub(r"<[^>]+>", _SKELETON, name) for name in names)


def _with_listed(subject: Subject, name: str) -> str:
    """The knob that was meant where a word of a list is the chosen part: GROUP_QOUTA_physics."""
    base = base_name(name)
    for word in _parts(subject, name):
        at = f"_{base.lower()}_".index(f"_{word}_")
        skeleton = f"{base[:at]}{_SKELETON}{base[at + len(word) :]}"
        near = _families().nearest(skeleton) or _reordered(skeleton, _skeletons())
        if near:
            return near.replace(_SKELETON, base[at : at + len(word)])
    return ""
