"""What settings have without a configuration is what the table of knobs says: tests and the simulator see
the pool that a user has."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from pathlib import Path

from condor_py.lang.config import builders, load
from condor_py.lang.config.builders.startd import startd
from condor_py.model.settings.knob import Knob, Settings


def numbers(made: object, where: str) -> Iterator[tuple[str, object, object]]:
    """(field, as made, as declared) of every number and truth value with a default, deep."""
    for name, default in declared(made).items():
        value = getattr(made, name)
        yield from numbers(value, f"{where}.{name}")
        if isinstance(default, int | float) and isinstance(value, int | float):
            yield f"{where}.{name}", value, default


def declared(made: object) -> dict[str, object]:
    """The fields of settings, a dataclass or a named tuple, with the defaults that the class gives them."""
    if isinstance(made, Settings):
        return {name: of.value if isinstance(of, Knob) else of for name, of in made.declared.items()}
    if dataclasses.is_dataclass(made):
        return {field.name: field.default for field in dataclasses.fields(made)}
    if isinstance(made, tuple) and hasattr(made, "_fields"):
        return {name: made._field_defaults.get(name) for name in made._fields}
    return {}


def test_numbers_agree_with_the_table() -> None:
    config = load({"CONDOR_CONFIG": "ONLY_ENV"})
    found = []
    for room in pkgutil.iter_modules(builders.__path__):
        module = importlib.import_module(f"condor_py.lang.config.builders.{room.name}")
        for name, build in inspect.getmembers(module, inspect.isfunction):
            if build.__module__ == module.__name__ and list(inspect.signature(build).parameters) == ["config"]:
                found += list(numbers(build(config), f"{room.name}.{name}"))
    assert len(found) > 100
    assert [(where, value, declared) for where, value, declared in found if value != declared] == []


def test_the_system_may_share_attributes_of_slots(tmp_path: Path) -> None:
    path = tmp_path / "c"
    path.write_text("STARTD_SLOT_ATTRS = State\nSYSTEM_STARTD_SLOT_ATTRS = Activity\n")
    assert startd(load({"CONDOR_CONFIG": str(path)})).slot_attrs == ("State", "Activity")
