"""Write the table of the knobs that fields of settings name: ``python -m condor_py.lang.config.fieldtable``.

``knobs/fields.tsv`` has the same rows as ``knobs/used.tsv`` (see ``params``). Tools read it as they start: importing
all classes of settings would take too long there. A test fails while it does not say what the classes say.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
from collections.abc import Iterator

from condor_py.lang.config.params import FIELDS, FOLDER, UNDEFINED
from condor_py.model import settings
from condor_py.model.settings.knob import Knob, Settings


def classes() -> Iterator[type[Settings]]:
    """Every class of settings, module by module, in the order of the code."""
    for module in pkgutil.iter_modules(settings.__path__):
        found = vars(importlib.import_module(f"{settings.__name__}.{module.name}"))
        for kind in found.values():
            if isinstance(kind, type) and issubclass(kind, Settings) and kind.__module__ == found["__name__"]:
                yield kind


def table() -> str:
    """The text of the file: groups as in the code, each knob once."""
    groups: dict[str, list[str]] = {}
    seen: set[str] = set()
    for kind in classes():
        for knob in kind.knobs():
            if knob.name not in seen:
                seen.add(knob.name)
                groups.setdefault(kind.group, []).append(_row(knob))
    return "".join(line for group, rows in groups.items() for line in (f"# {group}\n", *rows))


def _row(knob: Knob) -> str:
    default = UNDEFINED if knob.default is None else knob.default
    return "\t".join((knob.name, knob.kind, _bound(knob.least), _bound(knob.most), default, knob.meaning)) + "\n"


def _bound(number: float | None) -> str:
    return "" if number is None else f"{number:g}" if abs(number) < 100_000 else repr(number)


if __name__ == "__main__":
    with open(os.path.join(FOLDER, FIELDS), "w", encoding="utf-8") as file:
        file.write(table())
