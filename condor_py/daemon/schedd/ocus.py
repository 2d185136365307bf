"""Requests about owner capacity units, for the clients of the schedd. See schedd.ocu for what they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from condor_py.access.wire import Head
from condor_py.model.record import SET, Change
from condor_py.schedd import ocu
from condor_py.schedd.requests import Caller

if TYPE_CHECKING:
    from condor_py.schedd.core import Schedd


def answer(core: Schedd, caller: Caller, head: Head, new_number: Callable[[], int]) -> Any:
    """Records to commit, and what to answer: for ``create``, ``remove`` and ``query``. OcuError: not allowed."""
    action = head["action"]
    if action == "create":
        items = [(str(name), str(text)) for name, text in head["request"]]
        number = new_number()
        unit, records = ocu.create(core, caller, items, number)
        records = [Change(SET, "0.0", "NextClusterNum", str(number + 1)), *records]
        return records, {"id": number, "name": unit.ad.eval_str("OCUName", "")}, b""
    if action == "remove":
        return ocu.remove(core, caller, int(head["id"])), {"id": int(head["id"])}, b""
    if action == "query":
        return [], {"ads": [ad.text_items() for ad in ocu.shown(core)]}, b""
    raise ValueError(f"unknown action {action!r}")
