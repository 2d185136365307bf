"""Opening the log that a daemon owns. One with which anything is wrong is mended first, and nobody can miss that."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from condor_py.model.errors import StoreError
from condor_py.store.adlog import Damage
from condor_py.store.table import AdTable

Table = TypeVar("Table", bound=AdTable)


def open_table(make: Callable[[], Table], path: str, tell: Callable[[str], None]) -> Table:
    """What ``make`` opens at ``path``. StoreError when that is damaged and cannot be mended."""
    try:
        table = make()
        if table.is_sound():
            return table
        table.close()
    except Damage as damage:
        tell(f"ERROR: {damage}")
    from condor_py.store.repair import mend_log

    try:
        for line in mend_log(path):
            tell(f"ERROR: {line}")
    except OSError as error:
        raise StoreError(f"{path} is damaged and cannot be mended: {error.strerror or error}") from None
    return make()


def tell_notes(table: AdTable, tell: Callable[[str], None]) -> None:
    """Says what has happened to the file of a table."""
    for note in table.take_notes():
        tell(note)
