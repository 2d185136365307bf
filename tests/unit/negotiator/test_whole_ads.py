"""Slots that differ only in what an expression reaches by a subscript or through a whole ad are told apart."""

from __future__ import annotations

import pytest

from condor_py.core.match.rank import Matchmaker
from condor_py.core.match.slot import Slot
from condor_py.lang.classad import ClassAd
from condor_py.model.settings.negotiator import NegotiatorSettings


@pytest.mark.parametrize(
    "requirements", ['TARGET["Disk"] > 5', 'size(string(TARGET)) > 0 && TARGET["di" + ""] isnt 1 && (TARGET).Disk > 5']
)
def test_slots_are_told_apart(requirements: str) -> None:
    slots = [ClassAd(f'[Name = "s{disk}"; Disk = {disk}; Requirements = true]') for disk in (1, 9, 3, 8)]
    request = ClassAd({"JobUniverse": 5})
    request.set_text("Requirements", requirements)
    matchmaker = Matchmaker(NegotiatorSettings(), slots, [request])
    found = [matchmaker.fits(Slot(number, ad, 1.0), request) for number, ad in enumerate(slots)]
    assert found == [False, True, False, True]
