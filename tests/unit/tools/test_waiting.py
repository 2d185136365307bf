"""Why jobs wait: what the pool lacks, who holds what they need, times, drained machines, limits."""

from __future__ import annotations

import pytest

from condor_py.cli.waiting import Around, Reason, amount, blocked, cannot_run, may_lack, why_it_waits
from condor_py.cli.waiting.reasons import Expected, expected_start
from condor_py.lang.classad import ClassAd

PLAIN = ClassAd('[ SlotID = 1; HasFileTransfer = true; HasFileTransferPluginMethods = "data,https,HTTP" ]')
DOCKER = ClassAd("[ SlotID = 2; HasDocker = true; HasContainer = true; HasDockerURL = true ]")


def job(requirements: str = "true", universe: int = 5, more: str = "") -> ClassAd:
    return ClassAd(f"[ JobUniverse = {universe}; Requirements = {requirements}; {more} ]")


@pytest.mark.parametrize(("universe", "name"), [(8, "MPI"), (1, "standard")])
def test_universes_that_the_pool_does_not_have(universe: int, name: str) -> None:
    assert cannot_run(job(universe=universe), []) == f"this pool runs no jobs of the {name} universe"


@pytest.mark.parametrize("universe", [5, 7, 12])
def test_universes_that_it_has(universe: int) -> None:
    assert not cannot_run(job(universe=universe), [PLAIN])


@pytest.mark.parametrize(
    ("requirements", "word"),
    [
        ('(TARGET.Arch == "X86_64") && TARGET.HasDocker && (TARGET.Memory >= RequestMemory)', "docker or podman"),
        ("TARGET.HasContainer && TARGET.HasDockerURL", "containers"),
        ("(TARGET.HasVM is true) && (Memory > 1)", "virtual machines"),
        ("((TARGET.HasJava)) && true", "Java"),
        ('(TARGET.HasFileTransfer && stringListIMember("s3",TARGET.HasFileTransferPluginMethods))', "for s3://"),
        ('stringListIMember("gs", HasFileTransferPluginMethods) && stringListMember("S3",HasFileTransferPluginMethods)',
         "for gs:// and s3://"),
    ],
)  # fmt: skip
def test_abilities_that_no_slot_has(requirements: str, word: str) -> None:
    assert word in cannot_run(job(requirements), [PLAIN])


@pytest.mark.parametrize(
    "requirements",
    [
        "TARGET.HasDocker",  # another slot has it
        "TARGET.HasJava || true",  # asked for, but not needed
        '(FileSystemDomain == "here") || stringListIMember("s3",TARGET.HasFileTransferPluginMethods)',
        'stringListIMember("http",TARGET.HasFileTransferPluginMethods)',
        "TARGET.HasJava is undefined",
        "!TARGET.HasJava",
    ],
)
def test_jobs_that_a_slot_may_run(requirements: str) -> None:
    assert not cannot_run(job(requirements), [PLAIN, DOCKER])


def test_checkpoints_need_their_plugin_too() -> None:
    assert "osdf://" in cannot_run(job(more='CheckpointDestination = "osdf://a/b"'), [PLAIN])
    assert not cannot_run(job(more='CheckpointDestination = "https://a/b"'), [PLAIN])


def test_nothing_is_said_of_abilities_while_no_slot_is_known() -> None:
    assert not cannot_run(job("TARGET.HasDocker"), [])


def test_plain_jobs_need_no_look_at_the_slots() -> None:
    plain = '(TARGET.Arch == "X86_64") && (TARGET.HasFileTransfer)'
    assert not may_lack({"jobuniverse": "5", "requirements": plain})
    assert may_lack({"jobuniverse": "8", "requirements": plain})
    assert may_lack({"jobuniverse": "5", "requirements": plain + " && TARGET.HasDocker"})
    assert may_lack({"jobuniverse": "5", "checkpointdestination": '"s3://a"'})


# ---- what a slot is short of ------------------------------------------------------------------------------

_HAS = 'PartitionableSlot = true; Cpus = 2; Memory = 100; Disk = 24576; MachineResources = "Cpus Memory Disk"'
_ALL = "TotalSlotCpus = 4; TotalSlotMemory = 8192; TotalSlotDisk = 10485760.0"
_SLOT = ClassAd(f'[ Name = "slot1@m"; Machine = "m"; SlotID = 1; {_HAS}; {_ALL} ]')


def _part(number: int, user: str, disk: int) -> ClassAd:
    text = f'Machine = "m"; SlotID = 1; DSlotID = {number}; DynamicSlot = true; RemoteOwner = "{user}"; Disk = {disk}'
    return ClassAd(f"[ {text}; Cpus = 1; Memory = 10 ]")


def _job(**wants: object) -> ClassAd:
    return ClassAd("[ " + "".join(f"Request{name} = {value}; " for name, value in wants.items()) + "]")


@pytest.mark.parametrize(
    ("wants", "expected"),
    [
        ({"Cpus": 1, "Disk": 1048576}, "disk: wants 1 GB, 24 MB of 10 GB free on slot1@m; held by bob (9 GB)"),
        ({"Cpus": 3, "Memory": 50}, "cpus: wants 3, 2 of 4 free on slot1@m; held by alice (1), bob (1)"),
        ({"Cpus": 64, "Memory": 10000}, "no slot is large enough: cpus: wants 64, there is 4; memory: wants 9.8 GB, "
                                        "there is 8 GB on slot1@m"),
        ({"Memory": "Cpus * 100"}, "memory: wants 200 MB, 100 MB of 8 GB free on slot1@m; held by alice (10 MB), bob "
                                   "(10 MB)"),
    ],
)  # fmt: skip
def test_what_a_job_lacks(wants: dict[str, object], expected: str) -> None:
    found = blocked(_job(**wants), [_SLOT, _part(1, "alice", 0), _part(2, "bob", 9 << 20)])
    assert found is not None
    assert found.reason().text == expected


def test_nothing_is_lacking_where_one_slot_has_room() -> None:
    other = ClassAd(
        '[ Name = "slot1@n"; Machine = "n"; PartitionableSlot = true; Cpus = 8; Memory = 9999; Disk = 9999 ]'
    )
    assert blocked(_job(Cpus=3), [_SLOT, other]) is None
    assert blocked(_job(Cpus=3), []) is None


def test_the_slot_that_could_fit_is_told_of() -> None:
    small = ClassAd('[ Name = "slot1@n"; Machine = "n"; PartitionableSlot = true; Cpus = 1; TotalSlotCpus = 1 ]')
    found = blocked(_job(Cpus=3), [small, _SLOT])
    assert found is not None
    assert found.slot is _SLOT
    assert not found.for_ever


def test_amounts_are_for_people() -> None:
    assert [amount("cpus", 1.5), amount("disk", 500), amount("memory", 1536)] == ["1.5", "500 KB", "1.5 GB"]


# ---- the list of reasons ------------------------------------------------------------------------------------

_NOW = 1_800_000_000
_POOL = ClassAd(
    """[ Name = "slot1@m"; Machine = "m"; SlotID = 1; PartitionableSlot = true; State = "Unclaimed"; OpSys = "LINUX";
    Cpus = 4; Memory = 8192; Disk = 10485760; TotalSlotCpus = 4; TotalSlotMemory = 8192; TotalSlotDisk = 10485760;
    MachineResources = "Cpus Memory Disk"; Start = TARGET.NiceUser =!= true; Requirements = Start ]"""
)
_TAKEN = ClassAd(
    """[ Name = "slot1_1@m"; Machine = "m"; SlotID = 1; DynamicSlot = true; State = "Claimed"; Cpus = 4;
    RemoteOwner = "bob@here"; RemoteUser = "bob@here" ]"""
)


def _with(ad: ClassAd, text: str) -> ClassAd:
    changed = ad.flat_copy()
    for name, value in ClassAd(f"[ {text} ]").local_items():
        changed.set_text(name, value)
    return changed


_FULL = [_with(_POOL, "Cpus = 0"), _TAKEN]
_IDLE = ClassAd(
    """[ JobStatus = 1; JobUniverse = 5; ClusterId = 7; ProcId = 2; RequestCpus = 1; RequestMemory = 100;
    User = "alice@here"; Requirements = TARGET.OpSys == "LINUX" && TARGET.Memory >= RequestMemory ]"""
)
_GROUP = ClassAd(
    """[ Name = "bio"; IsAccountingGroup = true; EffectiveQuota = 2.0; WeightedResourcesUsed = 2.0;
    SurplusPolicy = "no" ]"""
)
_USER = ClassAd(
    """[ Name = "alice@here"; IsAccountingGroup = false; Ceiling = 3; WeightedResourcesUsed = 3.0;
    SubmitterShare = 0.25 ]"""
)


def _reasons(change: str = "", slots: list[ClassAd] | None = None, accounts: tuple[ClassAd, ...] = ()) -> list[Reason]:
    around = Around([_POOL] if slots is None else slots, _NOW, lambda: accounts)
    return why_it_waits(_with(_IDLE, change), around)


@pytest.mark.parametrize("change", ["", "JobStatus = 2", "JobUniverse = 9", f"DeferralTime = {_NOW - 5}"])
def test_nothing_keeps_a_job_that_may_run(change: str) -> None:
    assert _reasons(change) == []


@pytest.mark.parametrize(
    ("change", "slots", "text", "final"),
    [
        ("JobUniverse = 8", None, "this pool runs no jobs of the MPI universe", True),
        ("RequestCpus = 5", None, "no slot is large enough: cpus: wants 5, there is 4 on slot1@m", True),
        ('Requirements = TARGET.OpSys == "WINDOWS" && true', None,
         'no slot meets its Requirements: TARGET.OpSys == "WINDOWS"', True),
        ('Requirements = (TARGET.OpSys == "A") && (TARGET.Nosuch > 1)', None,
         'no slot meets its Requirements: TARGET.OpSys == "A" && TARGET.Nosuch > 1', True),
        ("NiceUser = true", None, "slot1@m (Unclaimed) does not accept it: START = TARGET.NiceUser =!= true", False),
        ("", [], "the pool has no slots", False),
        ("", [_with(_POOL, 'Draining = true; DrainReason = "upgrade"; Start = false')],
         "machine m is being drained (upgrade)", False),
        ("", _FULL, "cpus: wants 1, 0 of 4 free on slot1@m; held by bob@here (4)", False),
        ("", [_with(_TAKEN, 'DynamicSlot = false; OpSys = "LINUX"; Memory = 100; Requirements = true')],
         "all 1 slots for it are in use; held by bob@here (1)", False),
        ("", [_with(_POOL, "Offline = true")], "every machine for it sleeps, such as m", False),
    ],
)  # fmt: skip
def test_the_first_reason(change: str, slots: list[ClassAd] | None, text: str, final: bool) -> None:
    found = _reasons(change, slots)[0]
    assert (found.text, found.final) == (text, final)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (f"DeferralTime = {_NOW + 90000}; DeferralPrepTime = 300", "it waits for its time: it starts at "),
        (f"JobCoolDownExpiration = {_NOW + 60}", "it cools down after a failed attempt until "),
    ],
)
def test_a_job_that_waits_for_a_time(change: str, text: str) -> None:
    (found,) = _reasons(change)
    assert found.text.startswith(text)
    assert not found.final
    assert not _reasons(change.replace(" = 18", " = 17"))


def test_a_crontab_that_the_schedd_has_not_seen_is_a_time_to_wait_for_and_no_condition_that_none_meets() -> None:
    cron = 'CronHour = "3"; Requirements = TARGET.OpSys == "LINUX" && time() < DeferralTime'
    (found,) = _reasons(cron)
    assert found.text.startswith("it waits for its time: it starts at ")
    assert not found.final


def test_a_share_is_a_reason_only_for_who_has_it() -> None:
    less = _with(_USER, "WeightedResourcesUsed = 0.0; Ceiling = -1")
    other = _with(_USER, 'Name = "bob@here"; WeightedResourcesUsed = 3.0; Ceiling = -1')
    assert [reason.text.partition(":")[0] for reason in _reasons("", _FULL, (less, other))] == ["cpus"]


def test_a_drained_machine_beside_one_that_is_full() -> None:
    drained = _with(_POOL, 'Machine = "n"; Name = "slot1@n"; Draining = true')
    found = _reasons("", [drained, *_FULL])
    assert [reason.text.partition(" ")[0] for reason in found] == ["machine", "cpus:"]
    assert found[0].help == "condor_drain -cancel n"


def test_limits_that_are_reached_are_told() -> None:
    found = _reasons('AcctGroup = "bio"; LastRejMatchReason = "concurrency limit sw reached"', _FULL, (_GROUP, _USER))
    assert [reason.text for reason in found[1:]] == [
        "concurrency limit sw reached",
        "accounting group bio uses 2 of its quota of 2",
        "alice@here uses 3 of the ceiling of 3",
        "alice@here uses 3 of the 3 in use, and its share is 25%",
    ]


@pytest.mark.parametrize(
    ("code", "helps"),
    [
        (1, "condor_release 7.2"),
        (3, "the job's own policy holds it again as long as it is true: condor_qedit changes it; then condor_release"),
        (34, "let it ask for more first, e.g. condor_qedit 7.2 RequestMemory 2048; then condor_release 7.2"),
    ],
)
def test_a_held_job_says_what_helps(code: int, helps: str) -> None:
    (found,) = _reasons(f'JobStatus = 5; HoldReasonCode = {code}; HoldReason = "because"')
    assert found.text == "it is held: because"
    assert found.help.startswith(helps)
    assert found.final


def test_a_job_whose_input_is_spooled_is_not_for_a_person_to_release() -> None:
    (found,) = _reasons("JobStatus = 5; HoldReasonCode = 16")
    assert not found.final


def test_the_schedd_may_refuse_local_jobs() -> None:
    schedd = ClassAd("[ StartLocalUniverse = TotalLocalJobsRunning < 2; TotalLocalJobsRunning = 2 ]")
    around = Around([_POOL], _NOW, schedd=lambda: schedd)
    (found,) = why_it_waits(_with(_IDLE, "JobUniverse = 12"), around)
    assert found.text == "the schedd does not start it: START_LOCAL_UNIVERSE = TotalLocalJobsRunning < 2 is not true"


def test_a_limit_on_running_jobs_comes_before_the_slots() -> None:
    user = ClassAd({"MyType": "Owner", "User": "alice@x", "MaxJobsRunning": 2, "NumRunning": 1, "NumSuspended": 1})
    project = ClassAd({"MyType": "Project", "Name": "Optics", "MaxJobsRunning": 0, "NumRunning": 0})
    mine, free = job(), job()
    mine["User"], mine["ProjectName"], mine["JobStatus"] = "alice@x", "optics", 1
    free["User"], free["JobStatus"] = "bob@x", 1
    around = Around([_POOL], _NOW, limited=lambda: [user, project])
    assert [reason.text for reason in why_it_waits(mine, around)] == [
        "alice@x has 2 running jobs, and the limit is 2 (MaxJobsRunning)",
        "project Optics has 0 running jobs, and the limit is 0 (MaxJobsRunning)",
    ]
    assert not any("MaxJobsRunning" in reason.text for reason in why_it_waits(free, around))
    user["MaxJobsRunning"], project["MaxJobsRunning"] = 3, "many"
    assert not any("MaxJobsRunning" in reason.text for reason in why_it_waits(mine, around))


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ("GridResourceUnavailableTime = 1799999000", "batch slurm does not answer"),
        ('GridJobId = "slurm 5"; GridJobStatus = "PENDING"', "it waits at batch slurm (PENDING)"),
    ],
)
def test_a_grid_job_waits_for_its_remote_system(change: str, text: str) -> None:
    (found,) = _reasons(f'JobUniverse = 9; GridResource = "batch slurm"; {change}')
    assert found.text == text
    assert not found.final


def test_a_start_is_foreseen_only_where_the_negotiator_decides() -> None:
    user = ClassAd({"MyType": "Owner", "User": "alice@here", "MaxJobsRunning": 0, "NumRunning": 0})
    limited = why_it_waits(_IDLE, Around([_POOL], _NOW, limited=lambda: [user]))
    assert expected_start(limited, Expected(_NOW)) is None
    assert expected_start(_reasons(f"DeferralTime = {_NOW + 99}"), Expected(_NOW)) == Expected(_NOW + 99)
    assert expected_start(_reasons("", _FULL), Expected(_NOW + 5, 1, 9)) == Expected(_NOW + 5, 1, 9)
