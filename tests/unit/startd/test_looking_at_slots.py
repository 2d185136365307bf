"""Whether what a job gets of a partitionable slot can be worked out without the slot's ad, which costs much."""

from __future__ import annotations

import pytest

from condor_py.core.slots.request import candidates, looks_at_slot, taken
from condor_py.lang.classad import ClassAd
from condor_py.model.settings.startd import SlotPolicy

_PLAIN = {"RequestCpus": "2", "RequestMemory": "100", "RequestDisk": "1000"}


@pytest.mark.parametrize(
    ("job", "modify", "looks"),
    [
        ({}, {}, False),
        ({"RequestGPUs": "1"}, {}, False),
        ({"RequestMemory": "TARGET.Memory / 2"}, {}, True),
        ({"RequestMemory": "Half", "Half": "64"}, {}, True),
        ({}, {"RequestMemory": "quantize(RequestMemory, {64, 256})"}, False),
        ({}, {"RequestMemory": "RequestMemory + RequestCpus"}, False),
        ({}, {"RequestMemory": "quantize(RequestMemory, {TARGET.Memory})"}, True),
        ({}, {"RequestMemory": "quantize(RequestMemory, {Memory})"}, True),
        ({}, {"RequestGPUs": "RequestGPUs"}, True),
        ({}, {"RequestMemory": 'eval("Memory")'}, True),
    ],
)
def test_plain_numbers_need_no_slot(job: dict[str, str], modify: dict[str, str], looks: bool) -> None:
    ad = ClassAd.from_text_items((_PLAIN | job).items())
    policy = SlotPolicy().changed(modify_request=tuple((dict(SlotPolicy().modify_request) | modify).items()))
    assert looks_at_slot(ad, ("GPUs",), policy) is looks
    if not looks:
        slot = ClassAd.from_text_items({"Memory": "4096", "Cpus": "8", "Disk": "1000000"}.items())
        for with_slot, without in zip(candidates(ad, slot, policy), candidates(ad, None, policy), strict=True):
            assert taken(with_slot, slot, ("GPUs",), policy) == taken(without, None, ("GPUs",), policy)


def test_a_consumption_policy_always_looks() -> None:
    policy = SlotPolicy().changed(consumption=(("Cpus", "1"),))
    assert looks_at_slot(ClassAd.from_text_items(_PLAIN.items()), (), policy)
