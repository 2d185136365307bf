"""The pool: its slots as a picture, and who is on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from condor_py.cli.web.page import NUMBER, WHOLE, Data, Page, record

if TYPE_CHECKING:
    from condor_py.cli.web.live import Watch
    from condor_py.cli.web.page import Asked


def view(watch: Watch, asked: Asked) -> Data:
    """Return the slots and totals of the machine."""
    slots = watch.slots()
    return {"slots": len(slots), "load": slots[0].eval_real("TotalLoadAvg", 0.0) if slots else 0.0}


PAGE = Page("pool", "Pool", view, record(slots=WHOLE, load=NUMBER), subjects=("slots", "queue", "accounts"))
