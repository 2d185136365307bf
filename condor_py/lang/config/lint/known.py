"""The facts in the table of knobs about a name, with any prefix it was set with."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from condor_py.lang.config import detected, table
from condor_py.lang.config.params import PARAMS

#: SLOT_TYPE_2_START and SLOT1_START are START for some slots.
_SLOT = re.compile(r"slot(?:_type_\d+|\d+(?:_\d+)?)_(.+)\Z", re.IGNORECASE)
#: Families of knobs that HTCondor does not list by a name of their own.
_FAMILIES = re.compile(r"(?:allow|deny|sec)_\w+|jobset_\w+|classad_user_mapnames_\w+|job_router_\w+\Z", re.IGNORECASE)


#: Knobs that hold expressions, whatever HTCondor's table calls them.
_EXPRESSIONS = re.compile(
    r"(?:SYSTEM_PERIODIC_(?:HOLD|RELEASE|REMOVE|VACATE)(?!_NAMES\Z)(?:_\w+)?|WANT_HOLD(?:_REASON|_SUBCODE)?(?:_VANILLA)?"
    r"|MAXJOBRETIREMENTTIME|SUBMIT_REQUIREMENT_(?!NAMES\Z)\w+|(?:STARTD|SCHEDD)_CRON_\w+_CONDITION|HIBERNATE|UNHIBERNATE"
    r"|FETCHWORKDELAY|START_BACKFILL|EVICT_BACKFILL|DEFAULT_DRAINING_START_EXPR|NEGOTIATOR_SUBMITTER_CONSTRAINT"
    r"|CONSUMPTION_(?!POLICY\Z)\w+|MODIFY_REQUEST_EXPR_\w+|DOCKER_VOLUME_DIR_\w+_MOUNT_IF|JOB_DEFAULT_REQUEST\w+"
    r"|DEFRAG_(?:REQUIREMENTS|RANK|WHOLE_MACHINE_EXPR|CANCEL_REQUIREMENTS|DRAINING_START_EXPR)|SYSTEM_ON_VACATE_COOL_DOWN"
    r"|JOB_ROUTER_SOURCE_JOB_CONSTRAINT|DAEMON_SHUTDOWN(?:_FAST)?|ROOSTER_UNHIBERNATE(?:_RANK)?|ABSENT_REQUIREMENTS"
    r"|(?:SUSPEND|CONTINUE|PREEMPT|KILL|WANT_SUSPEND|WANT_VACATE)_VANILLA|DAGMAN_ON_EXIT_REMOVE|CHECKPOINT_\w+_EXPR)\Z",
    re.IGNORECASE,
)


class Known(NamedTuple):
    """A knob of the table: kind (as in ``params``), default text, least and greatest value."""

    name: str
    default: str
    kind: str
    low: float | None
    high: float | None


def base_name(name: str) -> str:
    """``name`` without subsystem and local name (the dotted names of accounting groups keep their dots)."""
    plain = name.rpartition(".")[2]
    return name if not plain or name.lower().startswith("group_") else plain


def prefix_of(name: str) -> str:
    """The subsystem and local name that ``name`` is set for; "" without."""
    return name[: -len(base_name(name)) - 1] if len(base_name(name)) < len(name) else ""


def known(name: str) -> Known | None:
    """The knob that ``name`` sets, for one subsystem or slot type or for all; None when the table has none."""
    base = base_name(name)
    param = PARAMS.get(name.lower()) or PARAMS.get(base.lower())
    if param is None and (match := _SLOT.match(base)) is not None:
        param = PARAMS.get(match[1].lower())
    if param is not None:
        return Known(*param)
    other = table.knob(base)
    return None if other is None else Known(other.name, other.default or "", other.kind, other.low, other.high)


def is_expression(name: str) -> bool:
    """Whether the value of the knob ``name`` is a ClassAd expression."""
    base = slot_part(name) or base_name(name)
    if base.upper().endswith("_IS_WARNING"):
        return False
    found = known(name)
    return (found is not None and found.kind == "e") or _EXPRESSIONS.match(base) is not None


def no_effect(name: str) -> str:
    """Return why the knob ``name`` has no effect; "" for one that has, and for one that no table knows."""
    base = base_name(name)
    found = table.knob(base) or table.family(base)
    return "" if found is None else found.no_effect


def has_meaning(name: str) -> bool:
    """Whether ``name`` is a knob, one of a family of knobs, or a macro that HTCondor sets by itself."""
    base = base_name(name)
    if known(name) is not None or detected.canonical(name) is not None or base.lower() in all_names():
        return True
    match = _SLOT.match(base)
    names = (base, match[1]) if match else (base,)
    return any(table.family(one) is not None or _FAMILIES.match(one) is not None for one in names)


@cache
def all_names() -> dict[str, str]:
    """Every name of the table without subsystem: lower case to its usual spelling."""
    return {found.name.lower(): found.name for found in table.all_knobs() if not {"<", "."} & set(found.name)}


def slot_part(name: str) -> str:
    """The knob or attribute that a ``SLOT1_`` or ``SLOT_TYPE_1_`` name sets; "" for any other name."""
    match = _SLOT.match(base_name(name))
    return match[1] if match else ""
