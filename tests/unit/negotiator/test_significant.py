"""Which attributes make a difference between jobs."""

from __future__ import annotations

from negotiator_pool import partitionable, slot

from condor_py.core.match import significant_attributes
from condor_py.model.settings.negotiator import NegotiatorSettings


def test_what_slots_ask_of_jobs_is_significant() -> None:
    slots = [slot(1, Start=('TARGET.Department =?= "good"',)), slot(2, Rank=("TARGET.Vip",))]
    names = significant_attributes(slots, NegotiatorSettings())
    assert {"Department", "Vip", "RequestCpus", "RequestMemory"} <= set(names)
    assert not {"Start", "Memory", "RemoteUserPrio", "RemoteOwner", "Rank"} & set(names)


def test_what_knobs_ask_is_significant_but_not_the_negotiation_itself() -> None:
    knobs = NegotiatorSettings(
        preemption_requirements="SubmitterUserPrio < RemoteUserPrio && TARGET.Urgent",
        job_constraint="Department == 1",
        pre_job_rank="TARGET.Size",
        allow_pslot_preemption=True,
    )
    names = set(significant_attributes([partitionable(1, 4, 1000)], knobs))
    assert {"Urgent", "Size"} <= names
    assert "SubmitterUserPrio" not in names


def test_a_negotiators_own_expressions_count_without_slots() -> None:
    assert "Department" in significant_attributes([], NegotiatorSettings(job_constraint="TARGET.Department == 1"))
