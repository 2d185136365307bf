"""Why jobs wait, in detail: words, limits that are just reached, which slot and which user is named first."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from condor_py.cli.waiting import Around, amount, blocked, cannot_run, emptied, held_because, may_lack, why_it_waits
from condor_py.cli.waiting.alike import Alike
from condor_py.cli.waiting.reasons import Expected, Holder, Reason, Shortage, clock, expected_start, moment, named
from condor_py.cli.waiting.rows import FREE, Part, rows_of
from condor_py.cli.waiting.slots import holders, shortages
from condor_py.lang.classad import ClassAd

NOW = 1_800_000_000  # 2027-01-15 08:00:00 UTC


@pytest.fixture(autouse=True)
def _at_now(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The time is NOW, in Greenwich."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    monkeypatch.setattr("time.time", lambda: float(NOW))
    yield
    monkeypatch.undo()
    time.tzset()


def ad(text: str) -> ClassAd:
    return ClassAd(f"[ {text} ]")


def job(text: str = "") -> ClassAd:
    found = ad(
        """JobStatus = 1; JobUniverse = 5; ClusterId = 7; ProcId = 2; RequestCpus = 1; RequestMemory = 100;
        User = "ann@x"; Requirements = TARGET.OpSys == "LINUX"; QDate = 5"""
    )
    for name, value in ad(text).local_items():
        found.set_text(name, value)
    return found


def slot(name: str = "slot1@m", text: str = "") -> ClassAd:
    found = ad(
        f"""Name = "{name}"; Machine = "m"; SlotID = 1; PartitionableSlot = true; State = "Unclaimed"; OpSys = "LINUX";
        Cpus = 4; Memory = 8192; TotalSlotCpus = 4; TotalSlotMemory = 8192; MachineResources = "Cpus Memory";
        Requirements = true"""
    )
    for each, value in ad(text).local_items():
        found.set_text(each, value)
    return found


def part(user: str, cpus: int, text: str = "") -> ClassAd:
    return ad(f'Machine = "m"; SlotID = 1; DynamicSlot = true; RemoteOwner = "{user}"; Cpus = {cpus}; {text}')


def reasons(job: ClassAd, *slots: ClassAd, accounts: tuple[ClassAd, ...] = (), **more: object) -> list[Reason]:
    return why_it_waits(job, Around(slots, NOW, lambda: accounts, **more))  # type: ignore[arg-type]


# ---- words --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("cpus", 2, "2"), ("gpus", 0.25, "0.25"), ("memory", 1, "1 MB"), ("memory", 1023, "1023 MB"),
        ("memory", 1024, "1 GB"), ("Memory", 1100, "1.1 GB"), ("memory", 102300, "99.9 GB"),
        ("memory", 102500, "100 GB"), ("disk", 1, "1 KB"), ("disk", 0.5, "512 bytes"), ("disk", 1 << 20, "1 GB"),
        ("disk", 1 << 30, "1 TB"), ("disk", 1 << 40, "1 PB"), ("disk", 1 << 51, "2048 PB"), ("memory", 0, "0 bytes"),
    ],
)  # fmt: skip
def test_amounts(name: str, value: float, text: str) -> None:
    assert amount(name, value) == text


@pytest.mark.parametrize(
    ("away", "text"),
    [
        (0, "08:00"), (43199, "19:59"), (43200, "01/15 20:00"), (-43199, "20:00"), (-43200, "01/14 20:00"),
        (59, "08:00"), (60, "08:01"),
    ],
)  # fmt: skip
def test_a_time_has_its_day_where_it_is_half_a_day_away(away: int, text: str) -> None:
    assert clock(NOW + away) == text


def test_a_moment_has_its_day_where_that_is_another() -> None:
    assert moment(NOW + 61, NOW) == "08:01:01"
    assert moment(NOW + 86400, NOW) == "01/16 08:00"
    assert moment(NOW - 8 * 3600 - 1, NOW) == "01/14 23:59"


@pytest.mark.parametrize(
    ("shortage", "text"),
    [
        (Shortage("cpus", 4, 2, 3), "cpus: wants 4, there is 3"),
        (Shortage("cpus", 4, 2, 4), "cpus: wants 4, 2 of 4 free"),
        (Shortage("memory", 2048, 0, 4096), "memory: wants 2 GB, 0 bytes of 4 GB free"),
    ],
)  # fmt: skip
def test_what_is_short(shortage: Shortage, text: str) -> None:
    assert shortage.text() == text


@pytest.mark.parametrize(
    ("holder", "text", "line"),
    [
        (Holder("bob", "4"), "bob (4)", "bob (4)"),
        (Holder("bob", "4", ("7.0",), NOW - 60, NOW + 60), "bob (4, the first until about 08:01)",
         "bob (4): job 7.0, since 07:59, until about 08:01"),
        (Holder("bob", "4", ("7.0", "7.1"), 0, NOW + 60), "bob (4, the first until about 08:01)",
         "bob (4): jobs 7.0, 7.1, the first until about 08:01"),
        (Holder("bob", "4", ("1.0", "1.1", "1.2"), NOW), "bob (4)", "bob (4): jobs 1.0, 1.1, 1.2, since 08:00"),
        (Holder("bob", "4", ("1.0", "1.1", "1.2", "1.3", "1.4")), "bob (4)",
         "bob (4): jobs 1.0, 1.1, 1.2 and 2 more"),
    ],
)  # fmt: skip
def test_a_holder(holder: Holder, text: str, line: str) -> None:
    assert (holder.text, holder.line) == (text, line)


def test_three_holders_are_named() -> None:
    assert named([Holder(name, "1") for name in "abcd"]) == "a (1), b (1), c (1)"
    assert Reason("cpus").text == "cpus"
    assert Reason("cpus", holders=(Holder("a", "1"),)).text == "cpus; held by a (1)"


def test_a_reason_of_a_job_names_it_and_its_time() -> None:
    one = Reason("x", "condor_release {job}").of_job("7.0", 5)
    assert (one.help, one.since) == ("condor_release 7.0", 5)
    assert Reason("x", since=3).of_job("7.0", 5).since == 3


def test_the_last_of_several_times_is_the_start() -> None:
    first, second, open_end = (Reason("x", apart=True, until=until) for until in (5, 9, 0))
    assert expected_start([first, second], None) == Expected(9)
    assert expected_start([second, first, Reason("y")], Expected(99)) == Expected(9)
    assert expected_start([first, open_end], Expected(99)) is None
    assert expected_start([], None) is None


# ---- slots --------------------------------------------------------------------------------------------------------


def test_the_largest_share_is_named_first_and_each_user_once() -> None:
    parts = [
        part("bob", 1, f'JobId = "1.0"; JobStart = {NOW - 50}'),
        part("eve", 2, f'JobId = "2.0"; JobStart = {NOW - 90}'),
        part("bob", 2, f'JobId = "1.1"; JobStart = {NOW - 70}'),
        ad('RemoteUser = "dan"; Cpus = 1'),
        ad("Cpus = 9"),
    ]
    ends = {"1.0": NOW + 20.0, "1.1": NOW + 10.0, "2.0": float("inf"), "": 5.0}
    shares = [(one, one.eval_real("Cpus", 0.0)) for one in parts]
    assert holders(shares, "{:g}".format, lambda one: ends[one.eval_str("JobId", "")]) == (
        Holder("bob", "3", ("1.0", "1.1"), NOW - 70, NOW + 10.0),
        Holder("eve", "2", ("2.0",), NOW - 90, 0),
        Holder("dan", "1", (), 0, 5.0),
    )
    assert [one.until for one in holders(shares, "{:g}".format, None)] == [0, 0, 0]


def test_what_a_slot_has_not_enough_left_of() -> None:
    asked = ad("RequestCpus = 3; RequestMemory = 100; RequestTapes = 2; RequestDisk = 5")
    there = slot(text='Cpus = 2; Memory = 100; Tapes = 1; MachineResources = "Cpus, Memory Tapes"')
    assert shortages(asked, there) == [Shortage("cpus", 3, 2, 4), Shortage("tapes", 2, 1, 1)]
    assert shortages(ad("RequestDisk = 5"), ad("Disk = 4; Memory = 1")) == [Shortage("disk", 5, 4, 4)]


def test_the_nearest_slot_is_the_one_that_lacks_least() -> None:
    """One that is never large enough comes after one that is full; of these, the one that lacks fewer things."""
    small = slot("small@m", "Cpus = 2; TotalSlotCpus = 2")
    both = slot("both@m", "Cpus = 1; Memory = 1")
    full = slot("full@m", "Cpus = 2; SlotID = 2")
    wanted = ad("RequestCpus = 3; RequestMemory = 50")
    mine, other = part("bob", 2, "SlotID = 2"), part("bob", 2)
    found = blocked(wanted, [small, both, full, mine, other])
    assert found is not None
    assert (found.slot, found.parts) == (full, [mine])
    found = blocked(wanted, [small, both])
    assert found is not None
    assert found.slot is both
    assert blocked(wanted, [ad("Cpus = 1")]) is None


@pytest.mark.parametrize(
    ("wants", "text", "helps"),
    [
        ("RequestCpus = 9", "no slot is large enough: cpus: wants 9, there is 4 on slot1@m",
         "let it ask for less: condor_qedit 7.2 RequestCpus 4"),
        ("RequestMemory = 9000; RequestCpus = 3", "no slot is large enough: cpus: wants 3, 2 of 4 free; memory: wants "
         "8.8 GB, there is 8 GB on slot1@m", "let it ask for less: condor_qedit 7.2 RequestMemory 8192"),
        ("RequestCpus = 3", "cpus: wants 3, 2 of 4 free on slot1@m",
         "it starts when enough of that is free; or let it ask for less: condor_qedit 7.2 RequestCpus 2"),
        ("RequestMemory = 200", "memory: wants 200 MB, 0 bytes of 8 GB free on slot1@m",
         "it starts when enough of that is free"),
        ("RequestTapes = 2", "tapes: wants 2, 1 of 2 free on slot1@m",
         "it starts when enough of that is free; or let it ask for less: condor_qedit 7.2 RequestTapes 1"),
    ],
)  # fmt: skip
def test_what_would_help_a_job_that_does_not_fit(wants: str, text: str, helps: str) -> None:
    resources = 'Cpus = 2; Memory = 0; Tapes = 1; TotalSlotTapes = 2; MachineResources = "Cpus Memory Tapes"'
    (found,) = reasons(job(f"RequestMemory = 0; {wants}"), slot(text=resources))
    assert (found.text, found.help) == (text, helps)


def test_the_scarcest_resource_says_who_holds_it() -> None:
    """Cpus lack 1 of 4, memory 4000 of 8192: those who hold memory are named, and what is left of it."""
    there = slot(text="Cpus = 0; Memory = 192")
    wanted = job("RequestCpus = 1; RequestMemory = 4192")
    (found,) = reasons(wanted, there, part("cpu", 4, "Memory = 0"), part("mem", 0, "Memory = 8000"))
    assert [holder.user for holder in found.holders] == ["mem"]
    assert found.help.endswith("RequestMemory 192")


def test_a_slot_is_as_it_is_when_nothing_runs_on_it() -> None:
    empty = emptied(slot(text="Cpus = 0; Memory = 5"))
    assert (empty.eval_real("Cpus"), empty.eval_real("Memory")) == (4.0, 8192.0)
    static = ad("Cpus = 1; TotalSlotCpus = 4")
    assert emptied(static) is static
    plain = emptied(ad("PartitionableSlot = true; Disk = 1; TotalSlotDisk = 9; Tapes = 1; TotalSlotTapes = 9"))
    assert (plain.eval_real("Disk"), plain.eval_real("Tapes")) == (9.0, 1.0)


@pytest.mark.parametrize(
    ("change", "slots", "text"),
    [
        ("Requirements = (TARGET.Nosuch)", [slot()], "no slot meets its Requirements: (TARGET.Nosuch)"),
        ("Requirements = undefined", [slot()], "no slot meets its Requirements: undefined"),
        ('Requirements = TARGET.OpSys == "LINUX" && (TARGET.Memory > 9 && (TARGET.Cpus > 9))', [slot()],
         "no slot meets its Requirements: TARGET.Cpus > 9"),
        ('Requirements = TARGET.Kind == "a" && TARGET.Size > 3',
         [slot(text='Kind = "a"; Size = 1'), slot(text='Kind = "b"; Size = 9')],
         "no slot meets all of its Requirements at once"),
        ("", [slot(text='Requirements = TARGET.User == "bob@x"')],
         'slot1@m (Unclaimed) does not accept it: Requirements = TARGET.User == "bob@x"'),
        ("", [slot(text='Requirements = TARGET.User == "bob@x"; Start = true')],
         'slot1@m (Unclaimed) does not accept it: Requirements = TARGET.User == "bob@x"'),
        ("", [slot(text="Start = false; Requirements = Start"), slot("slot2@m", "Requirements = false")],
         "slot1@m (Unclaimed) does not accept it: START = false"),
    ],
)  # fmt: skip
def test_conditions_that_are_not_met(change: str, slots: list[ClassAd], text: str) -> None:
    (found,) = reasons(job(change), *slots)
    assert found.text == text


def test_a_job_without_requirements_matches_nothing() -> None:
    wanted = job()
    wanted.remove("Requirements")
    (found,) = reasons(wanted, slot())
    assert (found.text, found.final) == ("it has no Requirements, so it matches nothing", True)
    assert found.help == "condor_qedit 7.2 Requirements true"


def test_static_slots_in_use_name_their_users() -> None:
    used = 'PartitionableSlot = false; RemoteUser = "{}"; JobId = "{}"'
    slots = [slot(f"slot{at}@m", used.format(user, f"{at}.0")) for at, user in enumerate(("eve", "bob", "bob"))]
    (found,) = reasons(job(), *slots, end=lambda one: NOW + 60.0)
    assert found.text == (
        "all 3 slots for it are in use; held by bob (2, the first until about 08:01), eve (1, the first until "
        "about 08:01)"
    )
    assert not reasons(job(), *slots, slot("slot9@m", "PartitionableSlot = false"))
    asleep = slot("slot9@m", 'PartitionableSlot = false; Offline = true; Machine = "z"')
    assert reasons(job(), *slots, asleep)[0].text.startswith("all 3 slots")
    (found,) = reasons(job(), asleep)
    assert found.help == "condor_power -m z wakes it"


# ---- limits -------------------------------------------------------------------------------------------------------


def user(name: str, used: float, text: str = "") -> ClassAd:
    return ad(f'Name = "{name}"; WeightedResourcesUsed = {used}; {text}')


FULL = (slot(text="Cpus = 0"), part("bob", 4))


@pytest.mark.parametrize(
    ("accounts", "texts"),
    [
        ((user("ann@x", 2.9, "Ceiling = 3"),), []),
        ((user("ann@x", 3.0, "Ceiling = 3"),), ["ann@x uses 3 of the ceiling of 3"]),
        ((user("ann@y", 3.0, "Ceiling = 3"),), ["ann@y uses 3 of the ceiling of 3"]),
        ((user("bob@x", 3.0, "Ceiling = 3"),), []),
        ((user("ann@x", 0.0, "Ceiling = 0"),), ["ann@x uses 0 of the ceiling of 0"]),
        ((user("ann@x", 3.0, "Ceiling = -1"),), []), ((ad('Name = "ann@x"; Ceiling = 1'),), []),
        ((user("ann@x", 1.0, "SubmitterShare = 0.25"), user("bob@x", 3.0)),
         ["ann@x uses 1 of the 4 in use, and its share is 25%"]),
        ((user("ann@x", 1.0, "SubmitterShare = 0.25"), user("bob@x", 3.1)), []),
        ((user("ann@x", 9.0, "SubmitterShare = 1.0"),), []),
        ((user("ann@x", 9.0, "SubmitterShare = 0.0"),), []),
        ((user("ann@x", 1.0, "SubmitterShare = 0.25"), user("g", 9.0, "IsAccountingGroup = true")),
         ["ann@x uses 1 of the 1 in use, and its share is 25%"]),
        ((user("bio", 2.0, 'IsAccountingGroup = true; EffectiveQuota = 2.0; SurplusPolicy = "no"'),),
         ["accounting group bio uses 2 of its quota of 2"]),
        ((user("bio", 1.9, 'IsAccountingGroup = true; EffectiveQuota = 2.0; SurplusPolicy = "no"'),), []),
        ((user("bio", 2.0, 'IsAccountingGroup = true; EffectiveQuota = 2.0; SurplusPolicy = "regroup"'),), []),
        ((user("geo", 2.0, 'IsAccountingGroup = true; EffectiveQuota = 2.0; SurplusPolicy = "no"'),), []),
    ],
)  # fmt: skip
def test_limits_of_the_negotiator(accounts: tuple[ClassAd, ...], texts: list[str]) -> None:
    found = reasons(job('AcctGroup = "bio"'), *FULL, accounts=accounts)
    assert [reason.text for reason in found[1:]] == texts


def test_the_group_of_a_job_is_whose_limits_count() -> None:
    accounts = (user("bio.ann@x", 3.0, "Ceiling = 3"), user("ann@x", 9.0, "Ceiling = 3"))
    found = reasons(job('AccountingGroup = "bio.ann"'), *FULL, accounts=accounts)
    assert [reason.text for reason in found[1:]] == ["bio.ann@x uses 3 of the ceiling of 3"]
    assert found[1].help == "an administrator changes it: condor_userprio -setceiling bio.ann@x N"


def test_limits_are_nothing_to_a_job_that_never_fits() -> None:
    accounts = (user("ann@x", 3.0, "Ceiling = 3"),)
    assert len(reasons(job("RequestCpus = 9"), *FULL, accounts=accounts)) == 1


@pytest.mark.parametrize(
    ("text", "reached"),
    [
        ('MyType = "Owner"; User = "ANN@x"; MaxJobsRunning = 2; NumRunning = 2', True),
        ('MyType = "Owner"; User = "ann@x"; MaxJobsRunning = 2; NumRunning = 1; NumSuspended = 1', True),
        ('MyType = "Owner"; User = "ann@x"; MaxJobsRunning = 2; NumRunning = 1', False),
        ('MyType = "Owner"; User = "bob@x"; MaxJobsRunning = 2; NumRunning = 5', False),
        ('MyType = "Project"; Name = "p"; MaxJobsRunning = 2; NumRunning = 5', True),
        ('MyType = "Project"; Name = "q"; MaxJobsRunning = 2; NumRunning = 5', False),
        ('MyType = "Owner"; Name = "p"; User = "p"; MaxJobsRunning = 2; NumRunning = 5', False),
    ],
)  # fmt: skip
def test_limits_on_running_jobs(text: str, reached: bool) -> None:
    found = reasons(job('ProjectName = "P"'), slot(), limited=lambda: [ad(text)])
    assert bool(found) is reached
    assert all(reason.apart and not reason.final for reason in found)


# ---- times, holds, other universes --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "until"),
    [
        (f"DeferralTime = {NOW}", None), (f"DeferralTime = {NOW + 1}", NOW + 1),
        (f"DeferralTime = {NOW + 9}; DeferralPrepTime = 9", None),
        (f"DeferralTime = {NOW + 9}; DeferralPrepTime = 4; ScheddInterval = 4", NOW + 9),
        (f"DeferralTime = {NOW + 9}; DeferralPrepTime = 5; ScheddInterval = 4", None),
        (f"JobCoolDownExpiration = {NOW}", None), (f"JobCoolDownExpiration = {NOW + 1}", NOW + 1),
        ('CronMinute = "30"', NOW + 1800), ('CronMinute = "nonsense"', None), ('CronHour = "8"', NOW + 60),
    ],
)  # fmt: skip
def test_times_that_a_job_waits_for(text: str, until: int | None) -> None:
    """It is given to a slot so long before its time as it says (deferral_prep_time), and the schedd needs."""
    found = reasons(job(text), slot())
    assert [reason.until for reason in found] == ([] if until is None else [until])
    assert all(reason.apart for reason in found)


def test_a_job_that_cools_down_says_after_what() -> None:
    (found,) = reasons(job(f'JobCoolDownExpiration = {NOW + 9}; VacateReason = "disk"'), slot())
    assert found.text == "it cools down after a failed attempt (disk) until 08:00:09"
    both = reasons(job(f"JobCoolDownExpiration = {NOW + 9}; DeferralTime = {NOW + 5}"), slot())
    assert [reason.text.split()[1] for reason in both] == ["cools", "waits"]


@pytest.mark.parametrize(
    ("text", "since"),
    [("EnteredCurrentStatus = 9", 9), ("EnteredCurrentStatus = 0", 5), ("", 5), ("QDate = undefined", 0)],
)
def test_since_when_a_job_waits(text: str, since: int) -> None:
    assert reasons(job(text))[0].since == since


def test_a_hold_is_told_with_its_time_and_what_helps() -> None:
    found = held_because(job('JobStatus = 5; HoldReasonCode = 14; HoldReason = "no dir"; EnteredCurrentStatus = 8'))
    assert found == Reason(
        "it is held: no dir", "make its initial directory accessible; then condor_release 7.2", True, since=8
    )
    assert held_because(ad("")).text == "it is held: no reason is given"
    assert held_because(ad("")).help == "condor_release 0.0"


@pytest.mark.parametrize(
    ("universe", "schedd", "text"),
    [
        (12, "StartLocalUniverse = false; StartSchedulerUniverse = true", "START_LOCAL_UNIVERSE = false"),
        (7, "StartLocalUniverse = true; StartSchedulerUniverse = false", "START_SCHEDULER_UNIVERSE = false"),
        (7, "StartLocalUniverse = false; StartSchedulerUniverse = true", ""),
        (12, "StartLocalUniverse = TARGET.ClusterId == 7; StartSchedulerUniverse = false", ""), (12, "", ""),
    ],
)  # fmt: skip
def test_what_the_schedd_starts_itself(universe: int, schedd: str, text: str) -> None:
    found = reasons(job(f"JobUniverse = {universe}; Requirements = true"), schedd=lambda: ad(schedd))
    told = [f"the schedd does not start it: {text} is not true"] if text else []
    assert [reason.text for reason in found] == told
    assert reasons(job(f"JobUniverse = {universe}; DeferralTime = {NOW + 9}"))[0].apart
    if "TARGET" in schedd:
        (found_too,) = reasons(job("JobUniverse = 12; Requirements = TARGET.GPUs > 0"), schedd=lambda: ad(schedd))
        assert found_too.text == "the schedd does not meet its Requirements: TARGET.GPUs > 0"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", []), ('GridJobId = "1"', ["it waits at batch slurm"]),
        ('GridJobId = "1"; GridJobStatus = "Q"', ["it waits at batch slurm (Q)"]),
        ("GridResourceUnavailableTime = 9; EnteredCurrentStatus = 3", ["batch slurm does not answer"]),
    ],
)  # fmt: skip
def test_grid_jobs(text: str, told: list[str]) -> None:
    found = reasons(job(f'JobUniverse = 9; GridResource = "batch slurm"; {text}'))
    assert [reason.text for reason in found] == told
    assert [reason.since for reason in found if "answer" in reason.text] == [9] * ("answer" in "".join(told))


@pytest.mark.parametrize(
    ("said", "final"),
    [
        ("the slots of this pool cannot hold all nodes of the parallel job", True),
        ("2 of 4 nodes of the parallel job fit now", False),
    ],
)
def test_the_nodes_of_a_parallel_job(said: str, final: bool) -> None:
    (found,) = reasons(job(f'LastRejMatchReason = "{said}"'), slot())
    assert (found.text, found.final) == (said, final)
    assert found.help.startswith("let it ask for fewer nodes" if final else "it starts when all are free")
    assert not reasons(job('LastRejMatchReason = "no match found"'), slot())


def test_each_drained_machine_is_told_once() -> None:
    drained = 'Draining = true; LastDrainStartTime = 77; Machine = "{}"'
    slots = [slot(text=drained.format("n")), slot(text=drained.format("n")), slot(text=drained.format("o"))]
    found = reasons(job(), *slots)
    assert [(one.text, one.help, one.since) for one in found] == [
        ("machine n is being drained", "condor_drain -cancel n", 77),
        ("machine o is being drained", "condor_drain -cancel o", 77),
    ]


# ---- abilities ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ability", "word"),
    [
        ("HasJava", "Java"), ("HasVM", "virtual machines"), ("HasDocker", "docker or podman"),
        ("HasContainer", "containers"), ("HasDockerURL", "registries"), ("HasSIF", "SIF images"),
        ("HasSandboxImage", "directories"), ("HasTDP", "tool daemons"),
        ("HasEncryptExecuteDirectory", "encrypts scratch directories"),
    ],
)  # fmt: skip
def test_an_ability_that_no_slot_has(ability: str, word: str) -> None:
    wanted = job(f"Requirements = TARGET.{ability}")
    assert word in cannot_run(wanted, [slot(), slot(text=f"{ability} = false")])
    assert cannot_run(wanted, [slot(), slot(text=f"{ability} = true")]) == ""
    assert may_lack({"requirements": f"TARGET.{ability}"})


@pytest.mark.parametrize(
    ("requirements", "lacks"),
    [
        ("TARGET.HasJava == true", True), ("TARGET.HasJava =?= true", True), ("TARGET.HasJava == false", False),
        ("TARGET.HasJava =!= true", False), ("(TARGET.HasJava)", True), ("true && TARGET.HasJava", True),
        ("TARGET.HasJava && true", True), ("true || TARGET.HasJava", False),
    ],
)  # fmt: skip
def test_abilities_that_requirements_need_in_any_case(requirements: str, lacks: bool) -> None:
    assert bool(cannot_run(job(f"Requirements = {requirements}"), [slot()])) is lacks


@pytest.mark.parametrize(
    ("call", "lacks"),
    [
        ('stringListMember("s3", HasFileTransferPluginMethods)', "s3://"),
        ('stringListIMember("S3", TARGET.HasFileTransferPluginMethods)', "s3://"),
        ('stringListMember("https", HasFileTransferPluginMethods)', ""),
        ('stringListMember("s3", HasFileTransferPluginMethods, ",")', ""),
        ('stringListMember("s3", Others)', ""), ("stringListMember(X, HasFileTransferPluginMethods)", ""),
        ('strcat("s3", HasFileTransferPluginMethods)', ""), ("stringListMember()", ""),
    ],
)  # fmt: skip
def test_methods_of_transfer_that_no_slot_has(call: str, lacks: str) -> None:
    has = slot(text='HasFileTransferPluginMethods = "http, HTTPS,data"')
    told = cannot_run(job(f"Requirements = {call}"), [slot(), has])
    assert told == (f"no slot has a file transfer plugin for {lacks} (HasFileTransferPluginMethods)" if lacks else "")


# ---- rows ---------------------------------------------------------------------------------------------------------


def test_rows_add_up_what_waits_for_the_same() -> None:
    lack, hold = [Reason("cpus")], [Reason("it is held: why", final=True)]

    def one(cluster: int, count: int, since: int, expected: Expected | None, **other: Any) -> Part:
        found = Alike(cluster, list(range(count)), False, lack, since)._replace(**other)
        return Part(found, "ann", "sweep", expected)

    rows = rows_of([
        one(1, 2, 9, Expected(50)), one(2, 3, 7, Expected(40)), one(3, 1, 0, None),
        one(4, 1, 5, None, held=True, reasons=hold), one(5, 1, 0, None, reasons=[]),
        one(6, 1, 0, None, reasons=[Reason("x", final=True), Reason("y")]),
    ])  # fmt: skip
    assert [(row.text, row.held, row.jobs, row.since, row.expected) for row in rows] == [
        ("cpus", False, 6, 7, Expected(40)), ("it is held: why", True, 1, 5, None), (FREE, False, 1, 0, None),
        ("never runs here: x; y", False, 1, 0, None),
    ]  # fmt: skip
