"""What the table of knobs knows of a name, whatever prefix it was set with."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from condor_py.config import detected
from condor_py.config.descriptions import DESCRIPTIONS
from condor_py.config.params import PARAMS

#: SLOT_TYPE_2_START and SLOT1_START are START for some slots.
_SLOT = re.compile(r"slot(?:_type_\d+|\d+(?:_\d+)?)_(.+)\Z", re.IGNORECASE)
#: Families of knobs whose names hold a number or a name that the administrator chose.
_FAMILIES = re.compile(
    r"(?:num_slots_type_\d+|slot_type_\d+(?:_partitionable)?|machine_resource_\w+|\w+_debug|\w+_log|max_\w+_log"
    r"|(?:startd|schedd)_cron_\w+|(?:environment_for|environment_value_for)_\w+|modify_request_expr_\w+"
    r"|group_\w+|\w+_limit|consumption_\w+|submit_requirement_\w+|job_transform_\w+|classad_user_mapfile_\w+"
    r"|classad_user_map(?:data|names)?_\w+|job_router_\w+|submit_template_\w+|sec_\w+|allow_\w+|deny_\w+|\w+_hook_\w+"
    r"|auto_use_\w+|trunc_\w+_on_open|\w+_args|\w+_environment|jobset_\w+|dagman_\w+)\Z",
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


def known(name: str) -> Known | None:
    """The knob that ``name`` sets, for one subsystem or slot type or for all; None when the table has none."""
    base = base_name(name)
    param = PARAMS.get(name.lower()) or PARAMS.get(base.lower())
    if param is None and (match := _SLOT.match(base)) is not None:
        param = PARAMS.get(match[1].lower())
    return None if param is None else Known(*param)


def has_meaning(name: str) -> bool:
    """Whether ``name`` is a knob, one of a family of knobs, or a macro that HTCondor sets by itself."""
    base = base_name(name)
    if known(name) is not None or detected.canonical(name) is not None or base.lower() in all_names():
        return True
    match = _SLOT.match(base)
    return any(_FAMILIES.match(one) is not None for one in ((base, match[1]) if match else (base,)))


@cache
def all_names() -> dict[str, str]:
    """Every name of the table without subsystem: lower case to its usual spelling."""
    names = {name.lower(): name for group in DESCRIPTIONS.values() for name in group}
    names.update((param[0].lower(), param[0]) for param in PARAMS.values() if "." not in param[0])
    return names


def slot_part(name: str) -> str:
    """The knob or attribute that a ``SLOT1_`` or ``SLOT_TYPE_1_`` name sets; "" for any other name."""
    match = _SLOT.match(base_name(name))
    return match[1] if match else ""
