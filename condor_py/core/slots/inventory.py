"""Parser of the output of MACHINE_RESOURCE_INVENTORY_<name> programs: the units of a resource, and their properties.

``Detected<name> = 3`` counts them, ``Detected<name> = "id1, id2"`` names them, and ``Offline<name> = "id2"`` those of
them that no slot gets. An attribute that is a nested ad
describes the unit with this id (``GPU_1234 = [ Id = "GPU-1234"; ... ]``), the one called Common describes all units;
every other attribute is shown in the ads of the machine.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from condor_py.core.slots.expressions import constant
from condor_py.lang.classad import finite, is_valid, parseOne
from condor_py.lang.classad.formats.old import split_line
from condor_py.model.errors import ConfigError
from condor_py.model.settings.startd import MachineResource, Pairs

_COMMON = "common"
_BY_COMMAS = re.compile(r"[\s,]+")


def parse(name: str, text: str, knob: str, absent: Sequence[str] = ()) -> MachineResource:
    """The resource that an inventory describes; ``absent`` are its units that are offline, unless it names them itself.
    ConfigError names ``knob`` and the line."""
    attrs: list[tuple[str, str]] = []
    nested: dict[str, Pairs] = {}
    found = told = ""
    for line in text.splitlines():
        if not line.strip():
            continue
        pair = split_line(line)
        if pair is None or not is_valid(pair[1]):
            raise ConfigError(f"{knob}: its program prints what is no attribute: {line.strip()}", knob)
        if pair[0].lower() == f"detected{name}".lower():
            found = pair[1]
        elif pair[0].lower() == f"offline{name}".lower():
            told = pair[1]
        elif pair[1].startswith("["):
            nested[pair[0].lower()] = _pairs(pair[1])
        else:
            attrs.append(pair)
    quantity, every = _quantity(found, "Detected", name, knob)
    fewer, named = _quantity(told, "Offline", name, knob) if told else (0, tuple(absent))
    offline = tuple(unit for unit in every if unit in named)
    ids = tuple(unit for unit in every if unit not in named)
    quantity = float(len(ids)) if every else max(0.0, quantity - fewer)
    common = nested.get(_COMMON, ())
    properties = tuple(
        (unit, _merged(unit, common, nested.get(_attribute(unit).lower(), ()))) for unit in dict.fromkeys(every)
    )
    return MachineResource(name, quantity, ids, properties if nested else (), tuple(attrs), True, offline)


def _attribute(unit: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]", "_", unit)


def _pairs(text: str) -> Pairs:
    return tuple(parseOne(text).text_items())


def _merged(unit: str, common: Pairs, own: Pairs) -> Pairs:
    """The properties of a unit: its id first, then all others in the order of their names."""
    found = {name.lower(): (name, text) for name, text in (*common, *own)}
    _, own_id = found.pop("id", ("Id", f'"{unit}"'))
    return (("Id", own_id), *(found[key] for key in sorted(found)))


def _quantity(text: str, word: str, name: str, knob: str) -> tuple[float, tuple[str, ...]]:
    value = constant(text) if text else 0
    number = finite(value)
    if number is not None:
        return number, ()
    if isinstance(value, str):
        ids = tuple(word for word in _BY_COMMAS.split(value) if word)
        return float(len(ids)), ids
    raise ConfigError(f"{knob}: {word}{name} is neither a number nor a list of ids: {text}", knob)
