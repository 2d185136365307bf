"""Which jobs count as alike: SIGNIFICANT_ATTRIBUTES and the knobs that add to it and take from it."""

from __future__ import annotations

import pytest

from condor_py.core.jobs.autocluster import Autoclusters
from condor_py.lang.classad import ClassAd
from condor_py.lang.config import load
from condor_py.lang.config.builders.schedd import schedd
from condor_py.model.errors import ConfigError
from condor_py.model.settings.schedd import ScheddSettings


def job(**attributes: object) -> ClassAd:
    return ClassAd({"RequestCpus": 1, "Owner": "alice", **attributes})


def alike(autoclusters: Autoclusters, one: ClassAd, other: ClassAd) -> bool:
    return autoclusters.number(one) == autoclusters.number(other)


def test_jobs_that_differ_in_what_nobody_looks_at_are_alike() -> None:
    autoclusters = Autoclusters(ScheddSettings())
    assert alike(autoclusters, job(Colour="red"), job(Colour="blue"))
    assert not alike(autoclusters, job(RequestCpus=1), job(RequestCpus=2))


def test_what_slots_look_at_tells_jobs_apart() -> None:
    autoclusters = Autoclusters(ScheddSettings())
    assert autoclusters.set_significant(["Colour"])
    assert not alike(autoclusters, job(Colour="red"), job(Colour="blue"))


def test_attributes_are_added_and_removed_by_configuration() -> None:
    settings = ScheddSettings(add_significant_attributes=("colour",), remove_significant_attributes=("Shape", "OWNER"))
    autoclusters = Autoclusters(settings)
    autoclusters.set_significant(["Shape"])
    assert not alike(autoclusters, job(Colour="red"), job(Colour="blue"))
    assert alike(autoclusters, job(Shape="round"), job(Shape="square"))
    assert alike(autoclusters, job(Owner="alice"), job(Owner="bob"))


def test_attributes_that_match_a_pattern_are_left_out() -> None:
    """REMOVE_SIGNIFICANT_ATTRIBUTES_REGEX: attributes of other slots in a slot's ad, unless it says otherwise."""
    autoclusters = Autoclusters(ScheddSettings())
    autoclusters.set_significant(["slot1_Colour"])
    assert alike(autoclusters, job(slot1_Colour="red"), job(slot1_Colour="blue"))
    autoclusters.reconfigure(ScheddSettings(remove_significant_pattern="^b.*y$"))
    assert not alike(autoclusters, job(slot1_Colour="red"), job(slot1_Colour="blue"))
    with pytest.raises(ConfigError, match="REMOVE_SIGNIFICANT_ATTRIBUTES_REGEX is not a regular expression"):
        schedd(load({"CONDOR_CONFIG": "ONLY_ENV", "_CONDOR_REMOVE_SIGNIFICANT_ATTRIBUTES_REGEX": "a("}))


def test_a_list_of_ones_own_replaces_what_the_negotiator_found() -> None:
    autoclusters = Autoclusters(ScheddSettings(significant_attributes=("Taste",)))
    autoclusters.set_significant(["Colour"])
    assert alike(autoclusters, job(Colour="red"), job(Colour="blue"))
    assert not alike(autoclusters, job(Taste="sweet"), job(Taste="sour"))


def test_new_settings_hold_for_what_the_negotiator_said_before() -> None:
    autoclusters = Autoclusters(ScheddSettings())
    autoclusters.set_significant(["Colour"])
    assert autoclusters.reconfigure(ScheddSettings(remove_significant_attributes=("Colour",)))
    assert alike(autoclusters, job(Colour="red"), job(Colour="blue"))
    assert autoclusters.reconfigure(ScheddSettings())
    assert not alike(autoclusters, job(Colour="red"), job(Colour="blue"))
    assert not autoclusters.reconfigure(ScheddSettings())


def test_what_a_cluster_lacks_its_procs_may_differ_in() -> None:
    """DeferralTime of a repeating job is the proc's own; the cluster ad has none."""
    clusters = Autoclusters(ScheddSettings())
    parent = ClassAd.from_text_items([("Requirements", "TARGET.HasX && DeferralTime > 5")])
    numbers = set()
    for text in ("4", "9"):
        proc = ClassAd.from_text_items([("DeferralTime", text), ("HasX", text)])
        proc.chain(parent)
        numbers.add(clusters.number(proc))
    assert len(numbers) == 2


def test_numbers_start_afresh_when_other_attributes_matter() -> None:
    """A kind of jobs that had a number before has another, with a job that stands for it."""
    autoclusters = Autoclusters(ScheddSettings())
    autoclusters.set_significant(["Color"])
    before = autoclusters.number(job())
    autoclusters.set_significant(["Colos"])
    number = autoclusters.number(job())
    assert number != before
    assert autoclusters.representative(number).eval_str("Owner") == "alice"


def test_what_the_job_itself_asks_with_its_requirements_tells_it_apart() -> None:
    autoclusters = Autoclusters(ScheddSettings())
    wish = "Size > 3 && Kind == 1"
    jobs = [ClassAd.from_text_items([("Requirements", wish), ("Size", a), ("Kind", b)]) for a, b in ("11", "12", "21")]
    assert len({autoclusters.number(one) for one in jobs}) == 3
    same = ClassAd.from_text_items([("Requirements", wish), ("Size", "1"), ("Kind", "1"), ("Other", "5")])
    assert autoclusters.number(same) == autoclusters.number(jobs[0])
