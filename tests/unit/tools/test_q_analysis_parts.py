"""The parts of condor_q -better-analyze: its options, slots, counts, priorities and the lines that it writes."""

from __future__ import annotations

from pathlib import Path

import pytest
from tool_runner import Spool

from condor_py.cli.options import Args, parse
from condor_py.cli.q.analysis.autoclusters import Numbers, known_of, represented
from condor_py.cli.q.analysis.counts import Counts, Mode, Situation, count_slots
from condor_py.cli.q.analysis.look import Look, look
from condor_py.cli.q.analysis.pretty import wrapped
from condor_py.cli.q.analysis.report import Page, requirements_analysis, run_state, summary, totals, unmatched
from condor_py.cli.q.analysis.requirements import own_attributes, target_attributes
from condor_py.cli.q.analysis.reverse import reverse_analysis
from condor_py.cli.q.analysis.slots import Slot, Slots, drained, find_slots
from condor_py.cli.q.analysis.standing import Standing, _from_file, is_nice
from condor_py.cli.q.spec import SPEC
from condor_py.lang.classad import ClassAd
from condor_py.lang.classad.exprtree import parse as parse_expression
from condor_py.model.errors import CondorError


def options(*words: str) -> Args:
    return parse(SPEC, words)


def ad(text: str) -> ClassAd:
    return ClassAd(f"[ {text} ]")


# ---- options ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "bits"),
    [
        ("-analyze", 0), ("-better-analyze", 0x10300), ("-be", 0x10300), ("-an:4", 4), ("-analyze:4+8", 12),
        ("-analyze:4,8", 12), ("-analyze:4,0", 0), ("-analyze:x", 0), ("-better-analyze:x4y", 0x10304),
        (f"-analyze:{'9' * 5000}", 0x7FFFFFFF),
        ("-analyze:noprune", 4), ("-analyze:nop", 4), ("-analyze:slot", 0x800), ("-analyze:slot-exprs:if", 0x808),
        ("-analyze:memory:4", 0), ("-analyze:mem:4,8", 8), ("-analyze:diag,4", 4), ("-analyze:show,4", 4),
        ("-reverse-analyze:2", 2), ("-analyze:4 -reverse-analyze:2", 6), ("-better-analyze -analyze:1", 0x10301),
        ("-analyze:no", 0), ("-analyze:i", 0), ("-analyze:slo", 0), ("-analyze:me,4", 4), ("-analyze:dia:4", 4),
    ],
)  # fmt: skip
def test_bits_that_say_how_much_is_shown(words: str, bits: int) -> None:
    """As HTCondor adds them (doJobMatchAnalysis): -better counts each step and analyses always."""
    assert look(options(*words.split())).detail == bits


@pytest.mark.parametrize(
    ("words", "mode", "reverse", "priorities"),
    [
        ("-analyze", "jobs", False, False), ("-analyze:summary", "summary", False, False),
        ("-analyze:priority:s", "summary", False, False), ("-analyze:rev", "jobs", True, False),
        ("-analyze:priority:rev", "jobs", True, False), ("-analyze:priority", "jobs", False, True),
        ("-analyze:pr", "jobs", False, True), ("-analyze:p", "jobs", False, False),
        ("-analyze -userprios f", "jobs", False, True), ("-analyze:prio -nouserprios", "jobs", False, False),
        ("-analyze:prio -reverse-analyze", "jobs", True, False), ("-unmatchable", "unmatchable", False, False),
        ("-analyze:summary -unmatchable", "unmatchable", False, False),
    ],
)  # fmt: skip
def test_later_words_of_an_analysis_override_earlier_ones(
    words: str, mode: str, reverse: bool, priorities: bool
) -> None:
    assert look(options(*words.split()))[:3] == (mode, reverse, priorities)


def test_each_bit_has_its_meaning() -> None:
    names = ("steps", "always", "attributes", "everything", "branches", "inline", "tall")
    plain = Look("jobs", False, False, False, 0)
    assert [name for name in names if getattr(plain, name)] == ["attributes", "tall"]
    full = plain._replace(detail=0x100 | 0x200 | 0x400 | 0x800 | 0x1000 | 0x0C)
    assert [name for name in names if getattr(full, name)] == ["steps", "always", "everything", "branches", "inline"]
    for bit, name in ((4, "everything"), (8, "branches"), (0x100, "steps"), (0x200, "always"), (0x800, "inline")):
        shown = plain._replace(detail=bit)
        assert [each for each in names if getattr(shown, each)] == [
            each for each in names if each in ("attributes", "tall", name)
        ]
    assert not plain._replace(detail=0x400).attributes
    assert not plain._replace(detail=0x1000).tall
    assert plain.each_step().steps
    assert plain._replace(detail=4).each_step().detail == 0x104
    assert [plain._replace(detail=bits).conditions for bits in (0, 1, 2, 3)] == [
        (False, False), (True, False), (False, True), (True, True),
    ]  # fmt: skip


# ---- long expressions ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "indent", "width", "lines"),
    [
        ("aa && bb", 0, 8, ["aa && bb"]),
        ("aa && bb && cc", 0, 9, ["aa &&", "bb && cc"]),
        ("aa && bb && cc", 2, 9, ["aa &&", "  bb &&", "  cc"]),
        ("aa || bb || cc", 0, 9, ["aa ||", "bb || cc"]),
        ("aa | bb & cc", 0, 5, ["aa | bb & cc"]),
        ("(aa && bb) && cc", 0, 8, ["(aa &&", "  bb) &&", "cc"]),
        ("((aa && bb && cc))", 0, 8, ["((aa &&", "    bb &&", "    cc))"]),
        ("aa && bb && cc", 90, 6, ["aa &&", "    bb &&", "    cc"]),
    ],
)  # fmt: skip
def test_expressions_are_broken_behind_joins(text: str, indent: int, width: int, lines: list[str]) -> None:
    """Two columns more for each open parenthesis; an indent beyond the width becomes two thirds of it."""
    assert wrapped(text, indent, width).splitlines() == lines


# ---- slots --------------------------------------------------------------------------------------------------------


def test_slots_are_in_order_of_machine_number_and_name() -> None:
    ads = [
        ad('Machine = "b"; SlotID = 1; Name = "slot1@b"'),
        ad('Machine = "a"; SlotID = 10; Name = "slot10@a"'),
        ad('Machine = "a"; SlotID = 2; Name = "slot2@a"'),
        ad('Machine = "a"; SlotID = 2; DSlotID = 11; Name = "slot2_11@a"; DynamicSlot = true'),
        ad('Machine = "a"; SlotID = 2; DSlotID = 3; Name = "slot2_3@a"; DynamicSlot = true'),
    ]
    slots = Slots(ads)
    assert [slot.name for slot in slots] == ["slot2_3@a", "slot2_11@a", "slot2@a", "slot10@a", "slot1@b"]
    assert [slot.name for slot in slots.read] == ["slot1@b", "slot10@a", "slot2@a", "slot2_11@a", "slot2_3@a"]
    assert Slot(ads[0]).key() == "b/001/slot1@b"
    assert Slot(ads[4]).key() == "a/002.003/slot2_3@a"
    assert Slot(ad('Machine = "a"')).key() == "a/000"


@pytest.mark.parametrize(
    ("text", "kind", "dynamic"),
    [
        ("PartitionableSlot = true", "Part", False), ("DynamicSlot = true", "Dyn", True), ("SlotID = 1", "Stat", False),
        ("PartitionableSlot = false; DynamicSlot = true", "Dyn", False), ("DynamicSlot = false", "Stat", False),
    ],
)  # fmt: skip
def test_kinds_of_slots(text: str, kind: str, dynamic: bool) -> None:
    slot = Slot(ad(text))
    assert (slot.type, slot.dynamic) == (kind, dynamic)


@pytest.mark.parametrize(
    ("kinds", "only"), [("d", False), ("dd", True), ("ddp", False), ("dds", True), ("ss", False), ("dp", False)]
)
def test_several_dynamic_slots_without_the_slot_that_they_are_parts_of(kinds: str, only: bool) -> None:
    texts = {"d": "DSlotID = 1; DynamicSlot = true", "p": "PartitionableSlot = true", "s": "SlotID = 1"}
    assert Slots([ad(texts[kind]) for kind in kinds]).only_parts is only


def test_the_column_of_names_has_room_for_the_longest() -> None:
    assert Slots([]).name_width == 16
    assert Slots([ad('Machine = "m"; Name = "slot1@m"')]).name_width == 16
    assert Slots([ad('Machine = "abcdefghij"; Name = "x"')]).name_width == 17  # slot1_1@ would fit before the machine
    assert Slots([ad('Machine = "m"; Name = "a_very_long_name@m"')]).name_width == 18


def test_drained_slots_are_counted_too() -> None:
    whole, part = (
        ad('Name = "slot1@m"; PartitionableSlot = true'),
        ad('Name = "slot1_1@m"; DSlotID = 1; DynamicSlot = true'),
    )
    slots = Slots([whole, part])
    assert [target.ad.eval_str("Name") for target in slots.targets(parts=True)] == ["slot1@m", "slot1_1@m"]
    assert [target.ad.eval_str("Name") for target in slots.targets(parts=False)] == ["slot1@m"]
    empty = ad('Name = "empty"')
    slots.drain(slots.read[0], empty)
    assert len(slots) == 3
    assert slots.read[0].drained is empty
    assert [(one.ad.eval_str("Name"), one.supposed) for one in slots.targets(parts=False)] == [
        ("slot1@m", False), ("empty", True),
    ]  # fmt: skip


def test_a_drained_slot_has_all_that_it_has() -> None:
    slot = ad('Cpus = 1; TotalSlotCpus = 8; Memory = 5; TotalSlotMemory = 90; Disk = 3; TotalSlotDisk = 7; State = "x"')
    found = drained(slot)
    assert found is not None
    assert [found.eval_int(name) for name in ("Cpus", "Memory", "Disk")] == [8, 90, 7]
    assert found.eval_str("State") == "x"
    slot.set_text("MachineResources", '" Cpus,Tapes "')
    slot.set_text("TotalSlotTapes", "4")
    found = drained(slot)
    assert found is not None
    assert [found.eval_int(name) for name in ("Cpus", "Memory", "Tapes")] == [8, 5, 4]
    slot.set_text("MachineResources", '""')
    assert drained(slot) is None


@pytest.mark.parametrize(
    ("change", "gpus"),
    [
        ("", "{ GPUs_a_1,GPUs_b }"), ("OfflineGPUs = \"b\"", "{ GPUs_a_1 }"), ("TotalSlotGPUs = 1", None),
        ("AvailableGPUs = {1,2}", None), ("AssignedGPUs = undefined", None), ("TotalSlotGPUs = undefined", None),
    ],
)  # fmt: skip
def test_a_drained_slot_has_all_gpus_that_are_online(change: str, gpus: str | None) -> None:
    slot = ad('MachineResources = "GPUs"; TotalSlotGPUs = 2; AssignedGPUs = "a-1, b,c"; GPUs_a_1 = 1; GPUs_b = 2')
    slot.set_text("AvailableGPUs", "{ GPUs_b }")
    for name, text in ad(change).local_items():
        slot.set_text(name, text)
    found = drained(slot)
    assert found is not None
    own = found.text("AvailableGPUs")
    assert own == (slot.text("AvailableGPUs") if gpus is None else gpus)


_FILE = """Name = "slot1@a.b.c"
Machine = "a.b.c"
State = "Unclaimed"
Cpus = 1

Name = "slot2@a.b.c"
Machine = "a.b.c"
State = "Unclaimed"
Cpus = 4

Name = "slot2_1@a.b.c"
Machine = "a.b.c"
DynamicSlot = true
Cpus = 4

Name = "odd\\"name"
Machine = "c"
Cpus = 9
"""


@pytest.mark.parametrize(
    ("words", "found", "label"),
    [
        ((), ["slot1@a.b.c", "slot2@a.b.c", "slot2_1@a.b.c", 'odd"name'], None),
        (("-slotconstraint", "Cpus > 1"), ["slot2@a.b.c", "slot2_1@a.b.c", 'odd"name'], None),
        (("-slotconstraint", "a.b.c"), ["slot1@a.b.c", "slot2@a.b.c", "slot2_1@a.b.c"], "a.b.c"),
        (("-slotconstraint", "slot2@a.b.c"), ["slot2@a.b.c"], "slot2@a.b.c"),
        (("-slotconstraint", "MY.Cpus"), ["slot1@a.b.c", "slot2@a.b.c", "slot2_1@a.b.c", 'odd"name'], None),
        (("-machine", "c"), ['odd"name'], "c"),
        (("-machine", 'odd"name'), ['odd"name'], 'odd"name'),
        (("-machine", "a.b.c", "-slotconstraint", "Cpus > 1"), ["slot2@a.b.c", "slot2_1@a.b.c"], None),
    ],
)  # fmt: skip
def test_slots_of_a_file_that_are_named(
    tmp_path: Path, words: tuple[str, ...], found: list[str], label: str | None
) -> None:
    """A constraint with two dots and nothing but letters of names is the name of a machine or slot."""
    (tmp_path / "slots").write_text(_FILE)
    slots = find_slots(options("-analyze", "-slotads", str(tmp_path / "slots"), *words), None)
    assert [slot.name for slot in slots.read] == found
    assert slots.label == label


def test_what_verbose_tells_about_the_slots(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "slots").write_text(_FILE)
    words = ("-analyze", "-verbose", "-slotads", str(tmp_path / "slots"))
    find_slots(options(*words), None)
    find_slots(options(*words, "-machine", "c", "-slotconstraint", "Cpus > 1"), None)
    assert capsys.readouterr().err == (
        "Fetching Slot ads...from file with constraint: \n 4 ads.\n"
        'Fetching Slot ads...from file with constraint: ((Cpus > 1) && ((Name == "c" || Machine == "c")))\n 1 ads.\n'
    )


# ---- counts -------------------------------------------------------------------------------------------------------


def job(text: str = "", **more: str) -> ClassAd:
    common = {
        "ClusterId": "7", "ProcId": "3", "Owner": '"ann"', "User": '"ann@x"', "JobStatus": "1", "JobUniverse": "5",
        "Requirements": "TARGET.Memory >= 100",
    } | more  # fmt: skip
    found = ClassAd.from_text_items(list(common.items()))
    for name, value in ad(text).local_items():
        found.set_text(name, value)
    return found


def slot(name: str, text: str = "") -> ClassAd:
    return ad(f'Name = "{name}@m"; Machine = "m"; Memory = 100; Requirements = true; {text}')


@pytest.mark.parametrize(
    ("change", "state"),
    [
        ("", ""), ("JobStatus = 2", "Job is running."), ("JobStatus = 6", "Job is running."),
        ("JobStatus = 7", "Job is running."), ("JobStatus = 3", "Job is removed."),
        ("JobStatus = 4", "Job is completed."), ("JobStatus = 5", "Job is held."),
        ('JobStatus = 5; HoldReason = "why"', "Job is held.\n\nHold reason: why"),
        ("JobCoolDownExpiration = 101; ServerTime = 100", "Job is in cool down."),
        ("JobCoolDownExpiration = 100; ServerTime = 100", ""),
        ("JobStatus = 2; JobCoolDownExpiration = 101; ServerTime = 100", "Job is running."),
        ("Owner = undefined", "Nothing here."),
    ],
)  # fmt: skip
def test_why_a_job_waits_for_no_slot(change: str, state: str) -> None:
    assert count_slots(job(change), Situation(Slots([])), "whole").state == state


def test_every_slot_is_counted_where_it_belongs() -> None:
    ads = [
        slot("free"),
        slot("small", "Memory = 99"),
        slot("closed", "Requirements = false"),
        slot("mine", 'RemoteUser = "ann@x"'),
        slot("bobs", 'RemoteUser = "bob@x"'),
        slot("asleep", "Offline = true"),
        slot("part", 'DynamicSlot = true; DSlotID = 1; Machine = "n"'),
    ]
    counts = count_slots(job(), Situation(Slots(ads)), "whole")
    assert (counts.total, counts.machines, counts.matched, counts.both, counts.serving) == (6, 2, 5, 4, 2)
    assert (counts.rejected, counts.rejecting, counts.offline) == (["small@m"], ["closed@m"], ["asleep@m"])
    assert (counts.mine, counts.better, counts.kept) == (["mine@m"], ["bobs@m"], [])
    assert counts.willing == ["asleep@m", "free@m"]
    assert count_slots(job(), Situation(Slots(ads)), "all").total == 7


@pytest.mark.parametrize(("mode", "counted"), [("whole", ([], ["full@m"])), ("all", ([], []))])
def test_full_slots_are_counted_as_if_drained(mode: Mode, counted: tuple[list[str], list[str]]) -> None:
    """Their job asks for 100 MB and 10 are left of 200."""
    fits = "WithinResourceLimits = MY.Memory >= TARGET.RequestMemory"
    text = f"PartitionableSlot = true; Memory = 10; TotalSlotMemory = 200; {fits}"
    slots = Slots([slot("full", text)])
    counts = count_slots(job("RequestMemory = 100"), Situation(slots), mode)
    assert (counts.willing, counts.if_drained) == counted
    assert (slots.read[0].drained is not None) is (mode == "whole")


def test_a_slot_that_is_too_small_even_when_drained_is_counted_as_it_is() -> None:
    fits = "WithinResourceLimits = MY.Memory >= TARGET.RequestMemory"
    slots = Slots([slot("full", f"PartitionableSlot = true; Memory = 10; TotalSlotMemory = 50; {fits}")])
    counts = count_slots(job("RequestMemory = 100"), Situation(slots), "whole")
    assert (counts.rejected, counts.if_drained, len(slots)) == (["full@m"], [], 1)


@pytest.mark.parametrize(
    ("universe", "schedd", "both", "text"),
    [
        (12, "StartLocalUniverse = true; StartSchedulerUniverse = false", 1,
         "This schedd's StartLocalUniverse evalutes to true for this job.\n"),
        (7, "StartLocalUniverse = true; StartSchedulerUniverse = false", 0,
         "This schedd's StartSchedulerUniverse evalutes to false for this job.\n"),
        (7, "StartLocalUniverse = true", 0,
         "This schedd's StartSchedulerUniverse policy failed to evalute for this job.\n"),
    ],
)  # fmt: skip
def test_the_schedd_is_the_only_slot_of_its_jobs(universe: int, schedd: str, both: int, text: str) -> None:
    ads = Slots([slot("free")])
    found = job(JobUniverse=str(universe), Requirements="TARGET.Memory > 1")
    counts = count_slots(found, Situation(ads, lambda: ad(f"{schedd}; Memory = 2")), "whole")
    assert (counts.total, counts.matched, counts.both, counts.schedd_only) == (1, 1, both, True)
    assert counts.state == text
    assert counts.rejecting == ([""] if "to false" in text else [])
    too_small = count_slots(found, Situation(ads, lambda: ad(f"{schedd}; Memory = 1")), "whole")
    assert too_small.both == 0
    assert ("does not meet the Requirements" in too_small.state) is ("failed" not in text)
    held_job = job(JobUniverse=str(universe), JobStatus="5", Requirements="true")
    held = count_slots(held_job, Situation(ads, lambda: ad(schedd)), "whole")
    assert held.state == f"Job is held.\n\n{text}"
    none = count_slots(job(JobUniverse=str(universe)), Situation(ads), "whole")
    assert (none.total, none.schedd_only) == (0, False)
    assert none.state.startswith("WARNING: A schedd ClassAd is needed")


# ---- priorities ---------------------------------------------------------------------------------------------------


def known(preemption: str = "true", **priorities: float) -> Standing:
    return Standing({f"{name}@x": value for name, value in priorities.items()}, parse_expression(preemption), "x")


@pytest.mark.parametrize(
    ("change", "submitter"),
    [
        ("", "ann@x"), ('User = "ann"', "ann@x"), ('User = "bob@x"', None), ('User = "ann@y"', None),
        ("NiceUser = true", None), ("NiceUser = false", "ann@x"),
    ],
)  # fmt: skip
def test_the_submitter_of_a_job(change: str, submitter: str | None) -> None:
    assert known(ann=5.0).submitter(job(change)) == submitter
    nice = Standing({"nice-user.ann@x": 1.0}, parse_expression("true"), "x")
    assert nice.submitter(job("NiceUser = true")) == "nice-user.ann@x"
    assert [is_nice(job(text)) for text in ("", "NiceUser = true", "NiceUser = false")] == [False, True, False]


@pytest.mark.parametrize(
    ("bob", "preemption", "rank", "place"),
    [
        (5.5, "true", "", "better"), (5.6, "true", "", "willing"), (4.0, "true", "", "better"),
        (9.0, "false", "Rank = 1; CurrentRank = 1", "kept"), (9.0, "false", "Rank = 0; CurrentRank = 1", "willing"),
        (9.0, "true", "Rank = 1; CurrentRank = 1", "willing"),
        (9.0, "undefined", "Rank = 2; CurrentRank = 1", "willing"),
    ],
)  # fmt: skip
def test_a_slot_is_taken_from_users_with_a_worse_priority(bob: float, preemption: str, rank: str, place: str) -> None:
    """By more than a half; where the new job is preferred but PREEMPTION_REQUIREMENTS is false, the old one stays."""
    ads = [slot("one", f'RemoteUser = "bob@x"; {rank}')]
    users = known(preemption, ann=5.0, bob=bob)
    users.tell(ads)
    counts = count_slots(job(), Situation(Slots(ads), known=users), "whole")
    assert [name for name in ("better", "kept", "willing") if getattr(counts, name)] == [place]
    unknown = count_slots(job('User = "eve@x"'), Situation(Slots(ads), known=users), "whole")
    assert unknown.better == ["one@m"]


def test_only_slots_that_serve_known_users_are_told() -> None:
    ads = [slot("a", 'RemoteUser = "bob@x"'), slot("b", 'RemoteUser = "eve@x"'), slot("c")]
    known(bob=2.5).tell(ads)
    assert [one.eval_real("RemoteUserPrio") for one in ads] == [2.5, None, None]


def test_priorities_of_a_file(tmp_path: Path) -> None:
    """The first of two users of one name counts; numbers from 1; a priority that is no number is 0."""
    (tmp_path / "prios").write_text(
        'Name1 = "ann@x"\nPriority1 = 20.5\n  Name2 = "bob@x"\nPriority2 = x\nName3="ann@x"\nPriority3 = 3\n'
        "Name4 = eve@x\nPriority4 = 1e2\nName0 = \"zero\"\nOther9 = 4\nnonsense\nName5 = \"dan@x\"\nPriority7 = -.5\n"
    )  # fmt: skip
    found, count = _from_file(str(tmp_path / "prios"))
    assert found == {"ann@x": 20.5, "bob@x": 0.0, "eve@x": 100.0, "dan@x": 0.0}
    assert list(found) == ["ann@x", "bob@x", "eve@x", "dan@x"]
    assert count == 7
    (tmp_path / "empty").write_text("")
    assert _from_file(str(tmp_path / "empty")) == ({}, 0)
    (tmp_path / "large").write_text("Name1 = u\nPriority1 = 1e300\nName2 = v\nPriority2 = -1e300\n")
    assert _from_file(str(tmp_path / "large"))[0] == {"u": float("inf"), "v": float("-inf")}
    with pytest.raises(CondorError, match="Can't open file of user priorities: /no/such"):
        _from_file("/no/such")


# ---- autoclusters -------------------------------------------------------------------------------------------------


def test_jobs_of_an_autocluster_are_together_in_order_of_its_number() -> None:
    jobs = [job(ProcId=str(proc), **({"AutoClusterId": number} if number else {}))
            for proc, number in enumerate(("9", "", "4", "9", ""))]  # fmt: skip
    clusters = Numbers(online=False).clusters(jobs)
    procs = {number: [one.eval_int("ProcId") for one in members] for number, members in clusters.items()}
    assert list(procs.items()) == [(-1, [1, 4]), (4, [2]), (9, [0, 3])]
    rows = [(row.number, row.job.eval_int("ProcId"), len(row.members)) for row in represented(clusters)]
    assert rows == [(-1, 1, 1), (-1, 4, 1), (4, 2, 1), (9, 0, 2)]
    numbers = Numbers(online=True)
    assert [numbers.of(job(RequestMemory=size)) for size in ("1", "2", "1", "3")] == [1, 2, 1, 3]


def test_what_the_queue_knows_of_an_autocluster() -> None:
    """Where the first job was not refused: the last match and refusal of all, and how many run and have completed."""
    like = {"AutoClusterId": "4"}
    wanted = [job(**like)]
    refused = {"LastRejMatchReason": '"no match"', "LastRejMatchNegotiator": '"here"'}
    queue = [
        *wanted,
        job(**like, JobStatus="2", LastMatchTime="50"),
        job(**like, JobStatus="7", LastMatchTime="70"),
        job(**like, JobStatus="4", LastRejMatchTime="30", **refused),
        job(**like, LastRejMatchTime="20", LastRejMatchReason='"older"'),
        job(AutoClusterId="5", JobStatus="2", LastMatchTime="99", LastRejMatchTime="99"),
    ]
    numbers = Numbers(online=False)
    (told,) = known_of(numbers, wanted, queue).values()
    assert {name: told.raw(name) for name in told} == {
        "LastRejMatchTime": 30, "LastRejMatchReason": "no match", "LastRejMatchNegotiator": "here",
        "LastMatchTime": 70, "NumRunning": 2, "NumCompleted": 1,
    }  # fmt: skip
    (told,) = known_of(numbers, [queue[4]], queue).values()
    assert {name: told.raw(name) for name in told} == {"LastRejMatchTime": 20, "LastRejMatchReason": "older"}
    assert not len(known_of(numbers, wanted, wanted)[4])


# ---- lines --------------------------------------------------------------------------------------------------------


def counted(**lists: int) -> Counts:
    """Counts with lists of so many slots."""
    counts = Counts()
    counts.total, counts.machines, counts.matched, counts.both = 20, 2, 9, 5
    for name, number in lists.items():
        setattr(counts, name, [f"s{at}" for at in range(number)])
    return counts


def test_lines_about_slots_without_priorities() -> None:
    text = totals(
        job(), counted(rejected=11, rejecting=4, mine=1, offline=2, willing=3, if_drained=1), None, verbose=True
    )
    assert text.splitlines() == [
        "",
        "007.003:  Run analysis summary ignoring user priority.  Of 20 slots on 2 machines,",
        "     11 slots are rejected by your job's requirements: s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, ...",
        "      4 slots reject your job because of their own requirements: s0, s1, s2, s3",
        "      1 slots match and are already running your jobs",
        "      2 slots match but are currently offline: s0, s1",
        "      3 slots match and are willing to run your job: s0, s1, s2",
        "      1 slots would match if drained: s0",
    ]
    counts = counted(rejected=10)
    counts.serving = 1
    brief = totals(job(), counts, None, verbose=True).splitlines()
    assert brief[2].endswith("s8, s9")
    assert brief[4:] == [
        "      0 slots match but are serving other users", "      0 slots match and are willing to run your job",
    ]  # fmt: skip
    assert "s0" not in totals(job(), counted(rejected=3), None, verbose=False)
    counts.schedd_only = True
    assert "s0" not in totals(job(), counts, None, verbose=True)


def test_lines_about_slots_with_priorities() -> None:
    users = Standing({"nice-user.ann@x": 12.3456}, parse_expression("true"), "x")
    text = totals(job("NiceUser = true"), counted(mine=1, better=2, kept=1, offline=1), users, verbose=True)
    assert text.splitlines() == [
        "Submittor nice-user.ann@x has a priority of 12.346",
        "",
        "007.003:  Run analysis summary considering user priority.  Of 20 slots on 2 machines,",
        "      0 slots are rejected by your job's requirements",
        "      0 slots reject your job because of their own requirements",
        "      1 slots match and are already running one of your jobs",
        "      2 slots match but are serving users with a better priority in the pool(*): s0, s1",
        "      1 slots match but will not currently preempt their existing job: s0",
        "      1 slots match but are currently offline",
        ": s0",
        "      0 slots match and are willing to run your job",
        "",
        '\t(*)  Since this is a "nice-user" job, it has a',
        "\t     very low priority and is unlikely to preempt other jobs.",
    ]
    assert "(*)" not in totals(job(), counted(better=2), users, verbose=False)


def test_a_warning_says_which_side_refuses() -> None:
    counts = counted()
    counts.both = 0
    assert "Job did not match any machines' constraints" in totals(job(), counts, None, verbose=False)
    counts.matched = 0
    warned = totals(job(), counts, None, verbose=False).splitlines()[-3:]
    assert warned == ["", "WARNING:  Be advised:", "   No machines matched the job's constraints"]
    counts.both = 1
    assert "WARNING" not in totals(job(), counts, None, verbose=False)


@pytest.mark.parametrize(
    ("own", "autocluster", "lines"),
    [
        ("", "", []),
        ("LastMatchTime = 100", "", ["Last successful match: Thu Jan  1 00:01:40 1970"]),
        ("LastMatchTime = 100; LastRejMatchTime = 100", "", ["Last successful match: Thu Jan  1 00:01:40 1970"]),
        ("LastRejMatchTime = 100", "",
         ["No successful match recorded.", "Last failed match: Thu Jan  1 00:01:40 1970"]),
        ('LastMatchTime = 40; LastRejMatchTime = 100; LastRejMatchReason = "full"; LastRejMatchNegotiator = "here"', "",
         ["Last successful match: Thu Jan  1 00:00:40 1970", "Last failed match: Thu Jan  1 00:01:40 1970 from here",
          "Reason for last match failure: full"]),
        ("LastRejMatchTime = 100", "LastMatchTime = 7",
         ["No successful match recorded.", "Last failed match: Thu Jan  1 00:01:40 1970"]),
        ("", 'LastRejMatchTime = 40; LastRejMatchReason = "full"; LastRejMatchNegotiator = "n"; LastMatchTime = 7',
         ["Last failed match for this autocluster: Thu Jan  1 00:00:40 1970 from n", "\tReason: full",
          "Last successful match for this autocluster: Thu Jan  1 00:00:07 1970"]),
        ("LastMatchTime = 40", "LastRejMatchTime = 40", ["Last successful match: Thu Jan  1 00:00:40 1970"]),
        ("", "NumRunning = 2; NumCompleted = 1", ["This autocluster currently has 2 running and 1 completed jobs."]),
        ("", "NumCompleted = 1", ["This autocluster currently has 0 running and 1 completed jobs."]),
        ("", "NumRunning = 1", ["This autocluster currently has 1 running jobs."]),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("universal_time")
def test_when_a_job_was_matched_and_refused(own: str, autocluster: str, lines: list[str]) -> None:
    assert run_state(job(own), "", ad(autocluster)).splitlines() == lines
    assert run_state(job(own), "Job is held.", ad(autocluster)).splitlines() == [
        "", "007.003:  Job is held.", "", *lines,
    ]  # fmt: skip


def test_a_row_of_the_summary_has_the_counts_of_its_autocluster() -> None:
    ads = [slot("free"), slot("small", "Memory = 9"), slot("closed", "Requirements = false"),
           slot("mine", 'RemoteUser = "ann@x"'), slot("bobs", 'RemoteUser = "bob@x"')]  # fmt: skip
    jobs = [job(AutoClusterId="4"), job(AutoClusterId="4", JobStatus="2"), job(AutoClusterId="4", JobStatus="5")]
    clusters = Numbers(online=False).clusters([*jobs, job(ProcId="8", Requirements="false")])
    rows = summary(clusters, Situation(Slots(ads)), verbose=False).splitlines()
    assert rows[0] == "Analyzing matches for 5 slots"
    assert rows[4].split() == ["7.8", "0", "0", "0", "0", "0", "ann"]
    assert rows[5].split() == ["7.3", "3/1", "4", "1", "1/1", "1", "1", "ann"]
    rows = summary(clusters, Situation(Slots(ads, "m")), verbose=True).splitlines()
    assert rows[0] == "m: Analyzing matches for 5 slots"
    assert rows[5].split()[1] == "4:3/1"
    unmatchable = unmatched(clusters, Situation(Slots(ads)))
    assert unmatchable == "No slots match autocluster -1, jobs : 7.8\n"
    assert unmatched(clusters, Situation(Slots([ads[2]]))).splitlines()[1] == (
        "All slots reject autocluster 4, jobs : 7.3 7.3 7.3"
    )


@pytest.mark.parametrize(
    ("universe", "resource", "word"),
    [
        (5, "", ""), (9, "batch slurm", "Grid universe jobs using matchmaking"), (9, "$$(Machine)", ""),
        (8, "", "meaningless for MPI"), (7, "", "not complete for Scheduler or Local"), (11, "", ""),
        (12, "", "not complete for Scheduler or Local"), (99, "", "universe unknown"), (10, "", ""), (13, "", ""),
    ],
)  # fmt: skip
def test_universes_that_slots_say_little_about(universe: int, resource: str, word: str) -> None:
    told = job(JobUniverse=str(universe), GridResource=f'"{resource}"')
    quiet = Look("jobs", False, False, False, 0)
    text = requirements_analysis(told, Slots([]), quiet, Page(80, 80), parts=True)
    assert text.partition("WARNING")[2].partition(".")[2].count("WARNING") == 0
    assert ("WARNING" in text) is bool(word)
    assert word in text


def test_requirements_are_broken_at_the_width_of_the_screen() -> None:
    told = job(Requirements="TARGET.Memory >= 100 && TARGET.Disk >= 100 && TARGET.Cpus >= 1")
    text = requirements_analysis(told, Slots([]), Look("jobs", False, False, False, 0), Page(40, 80), parts=True)
    assert text.startswith(
        "The Requirements expression for job 7.003 is\n\n    TARGET.Memory >= 100 &&\n    TARGET.Disk >= 100 &&\n"
        "    TARGET.Cpus >= 1\n\n    [0]    : TARGET.Memory >= 100\n"
    )
    assert "attributes" not in text


def test_attributes_of_slots_are_shown_where_one_is_asked_about() -> None:
    told = job(Requirements="TARGET.Memory >= RequestMemory", RequestMemory="5")
    shows = Look("jobs", False, False, False, 0x100)
    ads = [slot("slot1", "SlotID = 1"), slot("slot2", "SlotID = 2")]

    def shown(slots: Slots, parts: bool = True, view: Look = shows) -> list[str]:
        text = requirements_analysis(told, slots, view, Page(80, 80), parts=parts)
        return [line.split()[0] for line in text.splitlines() if line.endswith("has the following attributes:")]

    assert shown(Slots(ads)) == []
    assert shown(Slots(ads[:1])) == ["slot1@m"]
    assert shown(Slots(ads, "m")) == ["slot1@m", "slot2@m"]
    assert shown(Slots(ads[:1]), view=shows._replace(detail=0x500)) == []
    part = slot("slot1_1", "SlotID = 1; DSlotID = 1; DynamicSlot = true")
    assert shown(Slots([*ads, part], "m"), parts=False) == ["slot1@m", "slot2@m"]
    assert shown(Slots([*ads, part], "m")) == ["slot1_1@m", "slot1@m", "slot2@m"]
    assert shown(Slots([part]), parts=False) == ["slot1_1@m"]


def test_attributes_have_their_units() -> None:
    told = job(RequestDisk="5", RequestMemory="Disk", Disk="3")
    names = ["RequestDisk", "RequestMemory", "Owner"]
    assert own_attributes(told, names, ["OWNER"]) == "    RequestDisk = 5 (kb)\n    RequestMemory = Disk (mb)\n"
    assert own_attributes(told, ["RequestMemory"], [], evaluated=True) == "    RequestMemory = 3 (mb)\n"
    machine = ad('Name = "m"; Disk = 8; Memory = 4; AvailableGPUs = { GPUs_a, 5, X.Y, Nosuch }; GPUs_a = "A100"')
    names = ["Memory", "Disk", "Nosuch", "AvailableGPUs"]
    assert target_attributes(machine, names, ad("Disk = 3"), drained=True).splitlines() == [
        "", "m has the following attributes when drained:", "",
        "    TARGET.Memory = 4 (mb)", "    TARGET.Disk = 3 (kb)",
        '    TARGET.AvailableGPUs = { GPUs_a,5,X.Y,Nosuch }', '       GPUs_a = "A100"',
    ]  # fmt: skip
    assert target_attributes(machine, ["Nosuch"], ad("")) == ""
    assert "\nJob 7.3 has the following attributes:\n" in target_attributes(job(), ["Owner"], ad(""))
    assert "\nTarget has the following attributes:\n" in target_attributes(ad("A = 1"), ["A"], ad(""))


def test_jobs_of_a_file_are_analysed_once(spool: Spool, tmp_path: Path) -> None:
    """One number twice is an error; without a proc each is a job of its own."""
    text = 'ClusterId = {}\n{}Owner = "ann"\nJobStatus = 1\nRequirements = TARGET.Memory > 5\nJobUniverse = 5\n\n'
    jobs = [text.format(1, "ProcId = 0\n")] * 2 + [text.format(2, "")] * 2
    (tmp_path / "jobs").write_text("".join(jobs))
    (tmp_path / "slots").write_text('Name = "slot1@m"\nMachine = "m"\nMemory = 9\nRequirements = true\n')
    files = ("-jobads", str(tmp_path / "jobs"), "-slotads", str(tmp_path / "slots"))
    done = spool.run("condor_q", "-analyze", *files)
    assert (done.err, done.code) == ("Error: Two results with the same ID.\n", 0)
    assert done.out.count("Run analysis summary ignoring user priority.  Of 1 slots on 1 machines,") == 3
    assert done.out.splitlines()[:4] == ["", "", f"-- Jobads: {tmp_path}/jobs", ""]
    done = spool.run("condor_q", "-analyze:summary", "-verbose", *files)
    assert done.err.splitlines() == [
        "Fetching Slot ads...from file with constraint: ", " 1 ads.", "Error: Two results with the same ID.",
        "Fetching job ads... 3 ads.", "", "",
        "Building autocluster map of 3 Jobs...0 autoclusters and 3 Jobs with no autocluster",
    ]  # fmt: skip
    unmatched_jobs = spool.run("condor_q", "-unmatchable", "-af", "ClusterId", *files)
    assert unmatched_jobs.out == ""
    (tmp_path / "slots").write_text('Name = "slot1@m"\nMachine = "m"\nMemory = 5\nRequirements = true\n')
    assert spool.run("condor_q", "-unmatchable", "-af", "ClusterId", *files).out == "1\n2\n2\n"


# ---- what slots ask of jobs ---------------------------------------------------------------------------------------


def test_a_row_for_each_slot_says_what_it_accepts() -> None:
    ads = [slot("free"), slot("anns", 'Requirements = TARGET.Owner == "ann"'), slot("small", "Memory = 9"),
           slot("asleep", "Offline = true")]  # fmt: skip
    jobs = [job(AutoClusterId="4"), job(AutoClusterId="4"), job(Owner='"bob"', User='"bob@x"', AutoClusterId="5"),
            job(Owner='"bob"')]  # fmt: skip
    clusters = Numbers(online=False).clusters(jobs)
    view = Look("summary", True, False, False, 0)
    lines = reverse_analysis(Slots(ads), clusters, view, 80).splitlines()
    assert lines[0] == "Analyzing matches for 4 jobs"
    assert [line.split() for line in lines[4:]] == [
        ["free@m", "Stat", "4", "4", "100.00"], ["anns@m", "Stat", "2", "4", "50.00"],
        ["small@m", "Stat", "4", "0", "0.00"], ["asleep@m", "is", "offline"],
    ]  # fmt: skip
    told = reverse_analysis(Slots(ads), clusters, view._replace(verbose=True), 80)
    assert told.startswith("Analyzing 4 jobs in 3 autoclusters\n")
    assert reverse_analysis(Slots(ads), Numbers(online=False).clusters(jobs[:1]), view, 80).startswith(
        "7.3: Analyzing matches for 1 job\n"
    )
    rows = reverse_analysis(Slots(ads), clusters, view._replace(mode="unmatchable"), 80).splitlines()
    assert [row.split()[0] for row in rows] == ["free@m", "anns@m", "small@m", "asleep@m"]
    assert reverse_analysis(Slots([]), clusters, view, 80) == ""
    assert reverse_analysis(Slots(ads), {}, view, 80).splitlines()[3].split() == ["free@m", "Stat", "0", "0", "0.00"]
    detailed = reverse_analysis(Slots(ads), clusters, view._replace(detail=0x300), 80)
    assert [line.split()[0] for line in detailed.splitlines()[4:]] == ["free@m", "anns@m", "small@m", "asleep@m"]
    none = reverse_analysis(Slots(ads[:1]), {}, view._replace(mode="jobs", detail=0x300), 80)
    assert "    0 (0.00 %) match both slot and job requirements.\n" in none
    assert reverse_analysis(Slots(ads[3:]), clusters, view._replace(mode="jobs", detail=0x300), 80).split() == [
        "asleep@m", "is", "offline",
    ]  # fmt: skip


def test_details_of_a_slot_count_jobs_also_as_if_it_were_drained() -> None:
    fits = "WithinResourceLimits = MY.Memory >= TARGET.RequestMemory; Requirements = WithinResourceLimits"
    ads = [slot("full", f"PartitionableSlot = true; Memory = 10; TotalSlotMemory = 200; {fits}")]
    wants = {"Requirements": "true", "Cpus": "1"}
    jobs = [
        job(AutoClusterId="1", RequestMemory="100", **wants),
        job(AutoClusterId="1", RequestMemory="100", **wants),
        job(AutoClusterId="2", RequestMemory="300", **wants),
        job(AutoClusterId="3", RequestMemory="5", **wants),
        job(AutoClusterId="4", RequestMemory="150", Requirements="TARGET.Memory < 100"),
    ]
    clusters = Numbers(online=False).clusters(jobs)
    text = reverse_analysis(Slots(ads), clusters, Look("jobs", True, False, False, 0x100), 80)
    assert "\n-- Slot: full@m : Analyzing matches for 5 Jobs in 4 autoclusters\n" in text
    assert text.splitlines()[-7:] == [
        "full@m: Run analysis summary of 5 jobs.",
        "    1 (20.00 %) match both slot and job requirements.",
        "    1 match the requirements of this slot.",
        "    5 have job requirements that match this slot.",
        "    3 would match both slot and job requirments if the slot was drained.",
        "    4 would match the requirements of this slot when drained.",
        "    4 would have job requirements that match this slot when drained",
    ]
