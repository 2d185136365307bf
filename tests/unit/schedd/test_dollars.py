"""$$(...) of a job filled in from a slot."""

from __future__ import annotations

import pytest

from condor_py.core.jobs.policing import SCRATCH_MARK, CannotExpand, expand
from condor_py.lang.classad import ClassAd

SLOT = ClassAd.from_text_items(
    [("Memory", "4000"), ("Name", '"slot1@vm"'), ("Quoted", '"a \\"b\\""'), ("Half", "Memory / 2"), ("Cpus", "4")]
)


def _job(**texts: str) -> ClassAd:
    return ClassAd.from_text_items(texts.items())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"--mem $$(Memory)"', '"--mem 4000"'),
        ('"$$(NAME).out"', '"slot1@vm.out"'),
        ('"$$(Memory) $$(Cpus)$$(Cpus)"', '"4000 44"'),
        ('"$$(Quoted)"', '"a \\"b\\""'),
        ('"$$(Half)"', '"Memory / 2"'),
        ('"$$(NoSuch:a turkey)"', '"a turkey"'),
        ('"$$(NoSuch:)"', '""'),
        ('"$$(Memory:7)"', '"4000"'),
        ('"$$([ Memory * 0.9 ])"', '"3.600000000000000E+03"'),
        ('"$$([ Memory > 1000 ? \\"big\\" : \\"small\\" ])"', '"big"'),
        ('"$$([ strcat(MY.Tag, \\"\\\\\\"\\") ])"', '"t\\""'),
        ('"$$([TARGET.Cpus])-$$(Cpus)"', '"4-4"'),
        ('"$$(DOLLARDOLLAR)(Memory)"', '"$$(Memory)"'),
        ("RequestCpus * $$(Memory)", "RequestCpus * 4000"),
    ],
)
def test_values_of_the_slot_go_in(text: str, expected: str) -> None:
    expansion = expand(_job(Arguments=text, Tag='"t"'), SLOT)
    assert expansion.run == {"Arguments": expected}
    assert expansion.kept["MATCH_EXP_Arguments"] == expected


def test_what_is_kept_in_the_queue() -> None:
    expansion = expand(_job(Out='"out.$$(Cpus).$$(Gpu:none)"', Args='"plain"'), SLOT)
    assert expansion.run == {"Out": '"out.4.none"'}
    assert expansion.kept == {"MATCH_EXP_Out": '"out.4.none"', "MATCH_Cpus": "4", "MATCH_Gpu": '"none"'}


def test_earlier_expansions_and_single_dollars_stay() -> None:
    job = _job(MATCH_EXP_Args='"$$(Memory)"', Args='"$(Memory) $$ $$Memory $$( $$(9x)"', Out='"o"')
    expansion = expand(job, SLOT)
    assert expansion.run == {}
    assert expansion.kept == {}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('"$$(NoSuch)"', "NoSuch"),
        ('"$$(Memory) $$(a.b)"', "a.b"),
        ('"$$([ NoSuch ])"', "[ NoSuch ]"),
        ('"$$([ (( ])"', "[ (( ]"),
        ('"$$([ formatTime(0, \\"a%nb\\") ])"', "Arguments"),  # the queue holds no newline
    ],
)
def test_what_cannot_be_expanded_is_named(text: str, shown: str) -> None:
    with pytest.raises(CannotExpand) as caught:
        expand(_job(Arguments=text), SLOT)
    assert str(caught.value) == f"Cannot expand $$ expression ({shown})."


def test_attributes_of_the_cluster_are_expanded_too() -> None:
    job = _job(ProcId="0")
    job.chain(_job(Cmd='"$$(Name)"'))
    assert expand(job, SLOT).run == {"Cmd": '"slot1@vm"'}


def test_only_the_quotes_around_a_value_go() -> None:
    slot = ClassAd.from_text_items([("Sum", "1 + 1"), ("Both", '"a" + "b"'), ("Empty", '""')])
    found = [expand(_job(Arguments=f"$$({name})"), slot).run["Arguments"] for name in ("Sum", "Empty")]
    assert found == ["1 + 1", ""]


def test_the_scratch_directory_is_filled_in_where_the_job_runs() -> None:
    expansion = expand(_job(Arguments='"$$(CondorScratchDir)/x"'), SLOT)
    assert expansion.run == {"Arguments": f'"{SCRATCH_MARK}/x"'}


def test_a_name_with_a_scope_is_none() -> None:
    slot = ClassAd.from_text_items([("Memory", "1")])
    with pytest.raises(CannotExpand, match=r"TARGET\.Memory"):
        expand(_job(Arguments='"$$(TARGET.Memory)"'), slot)
