"""Requests about owner capacity units, for the clients of the schedd. See schedd.ocu for what they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from condor_py.core.jobs import ocu
from condor_py.core.jobs.events import Caller, OcuMade, OcuRemoved
from condor_py.model.messages.codec import Message
from condor_py.model.messages.queue import Ocu, OcuUnits
from condor_py.model.record import SET, Change

if TYPE_CHECKING:
    from condor_py.core.jobs.core import Schedd


def answer(
    core: Schedd, caller: Caller, asked: Ocu, new_number: Callable[[], int], moment: int
) -> tuple[list[Change], Message]:
    """Records to commit, and what to answer: for ``create``, ``remove`` and ``query``. OcuError: not allowed.
    ``moment`` is Unix seconds."""
    if asked.action == "create":
        items = [(name, text) for name, text in asked.request]
        number = new_number()
        unit, records = ocu.requested(core.state, caller, items, number)
        core.handle(OcuMade(unit), moment)
        records = [Change(SET, "0.0", "NextClusterNum", str(number + 1)), *records]
        return records, OcuUnits(number, unit.ad.eval_str("OCUName", "") or "")
    if asked.action == "remove":
        records = ocu.removal(core.state, caller, asked.id)
        core.handle(OcuRemoved(asked.id), moment)
        return records, OcuUnits(asked.id)
    return [], OcuUnits(ads=[ad.text_items() for ad in core.ocu_ads()])
