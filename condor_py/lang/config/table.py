"""Every knob that HTCondor documents: its default, kind and range, what it is for, and whether it has an effect here.

The knobs that condor_py reads are in ``knobs/used.tsv`` and ``knobs/fields.tsv`` (see ``params``); the others, which
existing configurations set and which are accepted, are in the other files of ``knobs/``. These are read when first
asked for.
"""

from __future__ import annotations

import os
from functools import cache

from condor_py.lang.config.accepted import ACCEPTED
from condor_py.lang.config.params import FIELDS, FOLDER, PARAMS, UNDEFINED, USED, Param
from condor_py.model.copies import changed

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

_FAMILIES = "families.tsv"
#: Characters of a name of a family; longer ones are none.
_LONGEST = 1000
#: In the place of a reason: the knob has an effect.
_USED = "used"


@cache
def _units() -> re.Pattern[str]:
    import re

    return re.compile(r"\b(milliseconds|seconds|days|MB|MiB|kB|kilobytes|bytes|pixels)\b", re.IGNORECASE)


@cache
def _chosen() -> re.Pattern[str]:
    import re

    return re.compile(r"<[^>]+>")


#: Groups of the table -> the daemons that read their knobs.
_READERS = {
    "Master": "master", "Accountant": "negotiator", "Accounting groups": "negotiator", "Negotiator": "negotiator",
    "Schedd": "schedd", "Files about jobs": "schedd", "Submit": "condor_submit and schedd",
    "Startd: the machine": "startd", "Startd: slots": "startd", "Startd: policy": "startd", "Draining": "startd",
    "Starter": "starter", "Execution point": "startd",
}  # fmt: skip


class Knob:
    """One knob, or a family of knobs whose name has parts in angle brackets.

    ``default`` is unexpanded text, None where the knob is not defined unless set. Kinds are those of ``params``.
    ``no_effect`` says why the knob is only accepted; "" for one that is used.
    """

    __slots__ = ("default", "description", "group", "high", "kind", "low", "name", "no_effect")

    def __init__(
        self,
        name: str,
        default: str | None,
        kind: str,
        low: float | None,
        high: float | None,
        group: str,
        description: str,
        no_effect: str = "",
    ) -> None:
        self.name = name
        self.default = default
        self.kind = kind
        self.low = low
        self.high = high
        self.group = group
        self.description = description
        self.no_effect = no_effect

    @property
    def unit(self) -> str:
        """The unit of its value, "" where it has none."""
        found = _units().search(self.description) if self.kind in ("i", "r", "z", "s") else None
        return found[1] if found else ""

    @property
    def readers(self) -> str:
        """The daemons or tools that read it; "" for knobs that are not read and for families."""
        return "" if self.no_effect or "<" in self.name else _READERS.get(self.group, "all")


def knob(name: str) -> Knob | None:
    """The knob of this name, without case; None when HTCondor documents none."""
    key = name.lower()
    return _used().get(key) or others().get(key)


def family(name: str) -> Knob | None:
    """The family that a name belongs to whose parts the administrator chose, such as ``SLOT_TYPE_<N>``."""
    if len(name) > _LONGEST:
        return None  # names with two parts of their own are cut at every place
    return next((found for pattern, found in _patterns() if pattern.match(name)), None)


def all_knobs() -> Iterator[Knob]:
    """Every knob: those that are used first, then those that are accepted, then the families."""
    used = _used()
    yield from used.values()
    yield from (found for key, found in others().items() if key not in used)
    yield from _families()


@cache
def others() -> dict[str, Knob]:
    """The knobs in addition to those of ``params``, by lower-case name."""
    found: dict[str, Knob] = {}
    for file in sorted(os.listdir(FOLDER)):
        if file.endswith(".tsv") and file not in (_FAMILIES, USED, FIELDS):
            found.update((row.name.lower(), row) for row in _rows(file))
    return found


@cache
def with_defaults() -> dict[str, str]:
    """The names of the knobs that have a default, by their lower-case form."""
    found = {}
    for key, line in _lines().items():
        name, _, _, _, _, default, *_ = line.split(b"\t")
        if default != UNDEFINED.encode():
            found[key.decode()] = name.decode()
    found.update((param[0].lower(), param[0]) for param in PARAMS.values())
    return found


@cache
def _lines() -> dict[bytes, bytes]:
    """The rows of ``others`` as they are in the files, by lower-case name."""
    found: dict[bytes, bytes] = {}
    for name in sorted(os.listdir(FOLDER)):
        if name.endswith(".tsv") and name not in (_FAMILIES, USED, FIELDS):
            with open(os.path.join(FOLDER, name), "rb") as file:
                found.update((line.partition(b"\t")[0].lower(), line) for line in file.read().splitlines()[1:])
    return found


def other(key: str) -> Param | None:
    """The default, kind and range of one of ``others`` by its lower-case name, without looking at the rest of them."""
    line = _lines().get(key.encode("utf-8", "surrogateescape"))
    if line is None:
        return None
    name, kind, least, most, _, default, *_ = line.decode().split("\t")
    return None if default == UNDEFINED else (name, default, kind, _bound(least), _bound(most))


def _bound(text: str) -> float | None:
    return float(text) if text else None


@cache
def _used() -> dict[str, Knob]:
    from condor_py.lang.config.descriptions import described

    found: dict[str, Knob] = {}
    for row in described():
        param = PARAMS.get(row.name.lower())
        default, low, high = param[1] if param else None, _bound(row.low), _bound(row.high)
        found[row.name.lower()] = Knob(row.name, default, row.kind, low, high, row.group, row.text)
    for key, why in ACCEPTED.items():
        found[key] = changed(found[key], no_effect=why)
    return found


@cache
def _families() -> list[Knob]:
    """Return the families; those with the longest parts of their own are first."""
    return sorted(_rows(_FAMILIES), key=lambda row: -len(_chosen().sub("", row.name)))


@cache
def _patterns() -> list[tuple[re.Pattern[str], Knob]]:
    """Return each family with the pattern of the names of its knobs."""
    import re

    found = []
    for row in _families():
        parts = map(re.escape, _chosen().split(row.name))
        chosen = r"\d+(?:_\d+)?" if "<N>" in row.name else r"[A-Za-z0-9_.]+"
        found.append((re.compile(chosen.join(parts) + r"\Z", re.IGNORECASE), row))
    return found


def _rows(file: str) -> Iterator[Knob]:
    """The rows of a file. Its first line has the group, and why its knobs have no effect; a row may have a reason
    of its own, or say that it is used."""
    with open(os.path.join(FOLDER, file), encoding="utf-8") as text:
        group, why = text.readline()[2:].rstrip("\n").split("\t")
        for line in text:
            name, kind, low, high, effect, default, description = line.rstrip("\n").split("\t")
            yield Knob(
                name,
                None if default == UNDEFINED else default,
                kind,
                _bound(low),
                _bound(high),
                group,
                description,
                "" if effect == _USED else effect or why,
            )
