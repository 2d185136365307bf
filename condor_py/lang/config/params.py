"""The knobs that condor_py reads: name, default, kind, range, and what they mean.

Knobs that fields of settings name are declared there (``condor_py/model/settings``); their table, ``knobs/fields.tsv``,
is written from the code by ``fieldtable``. The others are in ``knobs/used.tsv``, a row a knob, in the groups and the
order of the annotated file. A line ``# GROUP`` begins a group; a row has name, kind, least value, greatest value,
default and meaning. A default of ``?`` says that the knob is not defined unless it is set.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

#: (name, default text, kind, least value, greatest value). Kinds: s text, p path, i integer, r real, b truth value,
#: e ClassAd expression, z size or age of a log.
Param = tuple[str, str, str, "float | None", "float | None"]

#: In the place of a default: the knob is not defined unless it is set.
UNDEFINED = "?"
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "knobs")
#: The files of knobs that condor_py reads, in the folder.
USED, FIELDS = "used.tsv", "fields.tsv"


def lines() -> list[str]:
    """The lines of both tables."""
    found = []
    for file in (USED, FIELDS):
        with open(os.path.join(FOLDER, file), encoding="utf-8") as table:
            found += table.read().splitlines()
    return found


def _defaults() -> Iterator[tuple[str, Param]]:
    for line in lines():
        if line[:2] != "# ":
            name, kind, low, high, default, _ = line.split("\t")
            if default != UNDEFINED:
                yield name.lower(), (name, default, kind, float(low) if low else None, float(high) if high else None)


#: The knobs with a default, by lower-case name. Every tool and daemon reads them as it starts.
PARAMS: dict[str, Param] = dict(_defaults())
