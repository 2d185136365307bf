"""Claims: granted by cutting a partitionable slot, reused, given back, refused."""

from __future__ import annotations

import pytest
from startd_bench import START, Bench, ev, fx, job_ad, settings

from condor_py.model.report import ExitReport
from condor_py.model.settings.startd import SlotPolicy, SlotType
from condor_py.model.states import VacateCode


def test_life_of_a_dynamic_slot_in_the_log() -> None:
    bench = Bench()
    bench.log.clear()
    claim = bench.running()
    bench.end(claim, exit_code=0)
    bench.do(ev.ReleaseClaim(claim))
    assert bench.log == [
        "slot1_1: New dSlot allocated",
        "slot1_1: \tCpus: 1.00, Memory: 128, Swap: 0, Disk: 1024, GPUs: 0",
        "slot1: Request accepted.",
        "slot1_1: Remote owner is alice@example.net",
        "slot1_1: Changing state: Owner -> Claimed",
        "slot1_1: State change: claiming protocol successful",
        "slot1_1: Got activate_claim request from shadow (127.0.0.1)",
        "slot1_1: Remote job ID is 1.0",
        'slot1_1: Got universe "VANILLA" (5) from request classad',
        "slot1_1: State change: claim-activation protocol successful, Starter 4711",
        "slot1_1: Changing activity: Idle -> Busy",
        "slot1_1: Received final job ClassAd update from starter.",
        "slot1_1: Changing activity: Busy -> Cleaning",
        "slot1_1: Changing activity: Cleaning -> Idle",
        "slot1_1: State change: received RELEASE_CLAIM command",
        "slot1_1: Changing state and activity: Claimed/Idle -> Preempting/Killing",
        "slot1_1: State change: No preempting claim, returning to owner",
        "slot1_1: Changing state and activity: Preempting/Killing -> Owner/Idle",
        "slot1_1: State change: IS_OWNER is false",
        "slot1_1: Changing state: Owner -> Unclaimed",
        "slot1_1: Slot slot1_1 no longer needed, deleting",
    ]


def test_claim_gets_a_secret_id_and_a_starter() -> None:
    bench = Bench()
    bench.ask()
    granted = bench.only(fx.ClaimGranted)
    assert granted.claim == f"<127.0.0.1:9618>#{int(START)}#1#secret1"
    assert granted.slot_name == "slot1_1@vm"
    assert bench.only(fx.StartStarter) == fx.StartStarter(granted.claim, "slot1_1@vm")
    ad = granted.slot_ad
    assert (ad.eval_int("Cpus"), ad.eval_int("Memory"), ad.eval_str("State")) == (1, 128, "Claimed")
    assert "secret" not in str(ad)
    assert ad.eval_str("PublicClaimId") == f"<127.0.0.1:9618>#{int(START)}#1#..."


def test_claiming_cuts_and_releasing_gives_back() -> None:
    bench = Bench()
    first = bench.claim()
    second = bench.claim(ad=job_ad(RequestCpus="3", RequestMemory="1000"))
    ads = bench.ads()
    assert set(ads) == {"slot1@vm", "slot1_1@vm", "slot1_2@vm", "vm"}
    assert ads["slot1@vm"].eval_int("Cpus") == 4
    assert ads["slot1@vm"].eval_int("Memory") == 16000 - 128 - 1024
    bench.do(ev.ReleaseClaim(first))
    assert bench.has(fx.StopStarter)
    assert not bench.has(fx.ClaimLost)
    assert set(bench.ads()) == {"slot1@vm", "slot1_2@vm", "vm"}
    bench.claim()
    assert "slot1_1@vm" in bench.ads()
    bench.do(ev.ReleaseClaim(second))
    assert bench.ads()["slot1@vm"].eval_int("Cpus") == 7


def test_rounded_request_that_does_not_fit_is_tried_as_it_is() -> None:
    """Measured: 1000 MB, two requests of 400: 512 and 400, 88 are left."""
    bench = Bench(settings(memory_mb=1000))
    for _ in range(2):
        bench.claim(ad=job_ad(RequestMemory="400"))
    ads = bench.ads()
    assert [ads[f"slot1_{n}@vm"].eval_int("Memory") for n in (1, 2)] == [512, 400]
    assert ads["slot1@vm"].eval_int("Memory") == 88


def test_rounded_request_is_a_must_when_configured() -> None:
    bench = Bench(settings({"must_modify_requests": True}, memory_mb=1000))
    bench.claim(ad=job_ad(RequestMemory="400"))
    bench.ask(ad=job_ad(RequestMemory="400"))
    assert bench.only(fx.ClaimRefused).reason == "Not enough Memory (24 short)"


@pytest.mark.parametrize(
    ("attributes", "reason"),
    [
        ({"RequestCpus": "9"}, "Not enough Cpus (1.00 short)"),
        ({"RequestMemory": "16001"}, "Not enough Memory (1 short)"),
        ({"RequestDisk": "undefined"}, "the job requests no memory or no disk"),
        ({"RequestGPUs": "1"}, "Not enough GPUs (1.00 short)"),
    ],
)
def test_request_that_does_not_fit_is_refused(attributes: dict[str, str], reason: str) -> None:
    bench = Bench()
    bench.ask(ad=job_ad(**attributes))
    assert bench.only(fx.ClaimRefused).reason == reason
    assert bench.place("slot1_1") == "gone"


def test_unknown_slot_is_refused() -> None:
    bench = Bench()
    bench.ask("slot9@vm")
    assert bench.only(fx.ClaimRefused) == fx.ClaimRefused("r1", "There is no slot slot9@vm")


def test_start_decides() -> None:
    bench = Bench(settings({"start": 'TARGET.Owner == "bob" && MY.TotalCpus > 4'}))
    bench.ask(ad=job_ad(Owner='"alice"'))
    assert bench.only(fx.ClaimRefused).reason.endswith("START is not true")
    bench.ask(ad=job_ad(Owner='"bob"'))
    assert bench.has(fx.ClaimGranted)


def test_claim_takes_job_after_job() -> None:
    bench = Bench()
    claim = bench.claim()
    for proc in range(5):
        bench.run(claim, f"7.{proc}")
        assert bench.only(fx.StartJob) == fx.StartJob(claim, f"7.{proc}", 1)
        bench.end(claim, f"7.{proc}")
        assert bench.place("slot1_1") == "Claimed/Idle"
    assert not bench.has(fx.StartStarter)
    assert bench.ads()["slot1@vm"].eval_int("JobStarts") == 5


def test_job_waits_for_its_starter() -> None:
    bench = Bench()
    bench.ask()
    claim = bench.only(fx.ClaimGranted).claim
    bench.do(ev.Activate(claim, "1.0", 1, job_ad()))
    assert not bench.has(fx.StartJob)
    assert bench.place("slot1_1") == "Claimed/Idle"
    bench.do(ev.Ready(claim, 4711))
    assert bench.has(fx.StartJob)
    assert bench.place("slot1_1") == "Claimed/Busy"


def test_activation_of_a_busy_unknown_or_too_small_claim_is_refused() -> None:
    bench = Bench()
    claim = bench.claim()
    bench.run(claim, ad=job_ad(RequestCpus="2"))
    assert bench.only(fx.RunEnded).report.error == "Not enough Cpus (1.00 short)"
    bench.run(claim)
    bench.run(claim, "1.1")
    assert bench.only(fx.RunEnded).report == ExitReport(claim, "1.1", 1, error="Slot is not idle")
    bench.run("no such claim")
    assert bench.only(fx.RunEnded).report.error == "ClaimId not found"


@pytest.mark.parametrize(("worklife", "after", "lost"), [(1200, 1199, False), (1200, 1201, True), (-1, 10**6, False)])
def test_worklife_ends_an_idle_claim(worklife: int, after: float, lost: bool) -> None:
    bench = Bench(settings(claim_worklife=worklife))
    bench.claim()
    bench.wait(after)
    assert bench.has(fx.ClaimLost) is lost


def test_the_current_rank_is_that_of_the_job_that_runs() -> None:
    bench = Bench(settings(types=(SlotType(1, 1, partitionable=False, policy=SlotPolicy(rank="TARGET.Bonus")),)))
    claim = bench.running("slot1@vm", ad=job_ad(Bonus="3"))
    assert bench.ads()["slot1@vm"].eval_real("CurrentRank") == 3.0
    bench.end(claim)
    bench.run(claim, ad=job_ad(Bonus="7"))
    assert bench.ads()["slot1@vm"].eval_real("CurrentRank") == 7.0


def test_worklife_is_looked_at_when_a_job_ends() -> None:
    bench = Bench(settings(claim_worklife=0))
    claim = bench.running()
    bench.wait(3)
    assert not bench.has(fx.ClaimLost)
    bench.end(claim)
    lost = bench.only(fx.ClaimLost)
    assert (lost.code, lost.idle) == (VacateCode.CLAIM_RELEASED, True)
    assert bench.place("slot1_1") == "gone"


def test_static_slot_is_claimed_as_it_is() -> None:
    bench = Bench(settings(types=(SlotType(1, 2, partitionable=False),)))
    claim = bench.claim("slot2@vm")
    assert bench.place("slot2") == "Claimed/Idle"
    assert bench.ads()["slot2@vm"].eval_int("Cpus") == 4
    bench.ask("slot2@vm")
    assert bench.only(fx.ClaimRefused).reason == "Slot is already claimed"
    bench.ask("slot1@vm", job_ad(RequestCpus="5"))
    assert bench.only(fx.ClaimRefused).reason == "Not enough Cpus (1.00 short)"
    bench.run(claim)
    bench.end(claim)
    bench.do(ev.ReleaseClaim(claim))
    assert bench.place("slot2") == "Unclaimed/Idle"


def test_release_of_a_busy_claim_ends_its_job_softly() -> None:
    bench = Bench()
    claim = bench.running()
    bench.do(ev.ReleaseClaim(claim))
    assert bench.has(fx.SoftKill)
    assert bench.place("slot1_1") == "Preempting/Vacating"
    bench.end(claim, vacated=True)
    assert bench.only(fx.RunEnded).vacate_code == VacateCode.CLAIM_RELEASED
    assert not bench.has(fx.ClaimLost)
    assert bench.place("slot1_1") == "gone"


def test_rank_of_the_job_is_shown() -> None:
    bench = Bench(settings({"rank": "TARGET.JobPrio * 2"}))
    bench.claim(ad=job_ad(JobPrio="21"))
    assert bench.ads()["slot1_1@vm"].eval_real("CurrentRank") == 42.0


def test_claims_tells_a_schedd_what_runs() -> None:
    bench = Bench()
    assert not bench.startd.has_claims
    idle = bench.claim()
    busy = bench.running()
    assert bench.startd.has_claims
    assert bench.startd.submitter_of(idle) == bench.startd.claims()[0].submitter != ""
    assert bench.startd.submitter_of("none") == ""
    found = {info.claim_id: info for info in bench.startd.claims()}
    assert set(found) == {idle, busy}
    assert (found[idle].job, found[idle].activity) == ("", "Idle")
    assert (found[busy].job, found[busy].run, found[busy].pid, found[busy].state) == (
        "1.0",
        1,
        5000,
        "Claimed",
    )


def test_the_event_log_tells_of_claims() -> None:
    bench = Bench()
    ad = job_ad(ClusterId="1", ProcId="0")
    bench.running(ad=ad)
    bench.do(ev.Vacate(None, graceful=False))
    bench.ask("slot1@vm", job_ad(RequestCpus="99"))
    told = [(effect.name, effect.where, dict(effect.attributes)) for effect in bench.all_effects
            if isinstance(effect, fx.EpEvent)]  # fmt: skip
    user = '"alice@example.net"'
    assert told == [
        (
            "EP_REQUEST_CLAIM",
            (1, 0),
            {"JobId": '"1.0"', "NewSlots": '"slot1_1"', "RemoteUser": user, "Success": "true"},
        ),
        ("EP_ACTIVATE_CLAIM", (1, 1), {"JobId": '"1.0"', "RemoteUser": user, "StarterPid": "4711", "Success": "true"}),
        ("EP_VACATE_CLAIM", (1, 1), {"Code": "1010", "Kill": "true", "Reason": '"Claim vacated by the administrator"'}),
        ("EP_REQUEST_CLAIM", (1, 0), {"JobId": '"0.0"', "RemoteUser": user, "Success": "false"}),
    ]
