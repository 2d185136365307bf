"""What the schedd wants decides how soon the negotiator works."""

from __future__ import annotations

from typing import Any

import pytest

from condor_py.daemon.common.demand import wants_slots
from condor_py.model.messages.cycles import Demand


@pytest.mark.parametrize(
    ("submitters", "promises", "wants"),
    [
        ([], [], False),
        ([{"name": "a@b", "running": 2, "requests": []}], [], False),
        ([{"name": "a@b", "requests": []}, {"name": "c@b", "requests": [[1, [[8, 0]]]]}], [], True),
        ([], [["a@b", "slot1@m", [], 1.0, []]], True),
        (["nothing that can be read"], [], True),
    ],
)
def test_a_cycle_has_time_where_nothing_waits_for_a_slot(
    submitters: list[Any], promises: list[Any], wants: bool
) -> None:
    assert wants_slots(Demand(submitters, {}, promises)) is wants
