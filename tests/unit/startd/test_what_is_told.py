"""What the ads of machine and slots tell: containers, universes, units, policies of consumption."""

from __future__ import annotations

import tracemalloc

import pytest
from startd_bench import START, Bench, ev, fx, job_ad, settings

from condor_py.core.slots import inventory
from condor_py.core.slots.cronoutput import CronOutput
from condor_py.core.slots.machineads import container_pairs
from condor_py.model.settings.containers import ContainerAbilities
from condor_py.model.settings.startd import MachineResource


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (ContainerAbilities(), {}),
        (
            ContainerAbilities(docker="Docker 27", networks=("none", "host"), volumes=("Data",), cached_mb=0),
            {
                "HasContainer": "true",
                "HasDockerURL": "true",
                "HasDocker": "true",
                "DockerVersion": '"Docker 27"',
                "DockerNetworks": '"none,host"',
                "HasDockerVolumeData": "true",
                "DockerCachedImageSizeMb": "0",
            },
        ),
        (ContainerAbilities(docker_broken="no daemon"), {"HasDocker": "false", "DockerOfflineReason": '"no daemon"'}),
        (
            ContainerAbilities(singularity="4.1", sandbox=True, pid_namespaces=False),
            {
                "HasContainer": "true",
                "HasDockerURL": "true",
                "HasSingularity": "true",
                "SingularityVersion": '"4.1"',
                "HasSandboxImage": "true",
                "HasPidNamespaces": "false",
            },
        ),
        (
            ContainerAbilities(singularity="4.1", sif=True, pid_namespaces=True, user_namespaces=True),
            {
                "HasContainer": "true",
                "HasDockerURL": "true",
                "HasSingularity": "true",
                "SingularityVersion": '"4.1"',
                "HasSIF": "true",
                "HasPidNamespaces": "true",
                "SingularityUserNamespaces": "true",
            },
        ),
        (
            ContainerAbilities(singularity="4.1", singularity_broken="no setuid", pid_namespaces=True),
            {"HasSingularity": "false", "SingularityVersion": '"4.1"', "SingularityOfflineReason": '"no setuid"'},
        ),
        (ContainerAbilities(sandbox=True, sif=True), {}),
    ],
)
def test_what_is_known_of_containers(found: ContainerAbilities, told: dict[str, str]) -> None:
    assert dict(container_pairs(found)) == told


@pytest.mark.parametrize(
    ("universe", "name"),
    [("5", '"VANILLA" (5)'), ("11", '"PARALLEL" (11)'), ("99", '"UNKNOWN" (99)'), ("x", '"VANILLA" (5)')],
)
def test_the_log_names_the_universe_of_a_job(universe: str, name: str) -> None:
    bench = Bench()
    bench.running(ad=job_ad(JobUniverse=universe))
    assert f"slot1_1: Got universe {name} from request classad" in bench.log


@pytest.mark.parametrize(("universe", "place"), [("5", "Preempting/Vacating"), ("11", "Claimed/Busy")])
def test_the_vanilla_form_of_a_knob_is_that_of_vanilla_jobs(universe: str, place: str) -> None:
    bench = Bench(settings({"vanilla": (("PREEMPT", "true"),)}))
    bench.running(ad=job_ad(JobUniverse=universe))
    bench.wait(5)
    assert bench.place("slot1_1") == place


def test_an_ad_is_asked_for_by_the_name_of_its_slot() -> None:
    startd = Bench().startd
    ad = startd.named_ad("slot1@vm", START)
    assert ad is not None
    assert ad.eval_str("Name") == "slot1@vm"
    assert startd.named_ad("slot9@vm", START) is None


@pytest.mark.promise("S67")
def test_a_program_that_prints_for_ever_is_kept_in_part() -> None:
    output, line = CronOutput(""), b"A = 1\n" + b"B" * 100_000
    for data in (b"x" * 700_000, b"x" * 700_000, b"\nC = 1\n- one\nD = 2\n- two\n"):
        found = list(output.feed(data, START))
    assert [(ad.tag, ad.left_out > 400_000, len(ad.pairs)) for ad in found] == [("one", True, 2), ("two", False, 2)]
    tracemalloc.start()
    try:
        for _ in range(100):
            assert not list(output.feed(line, START))
        assert tracemalloc.get_traced_memory()[0] < 4_000_000
    finally:
        tracemalloc.stop()
    (ad,) = output.finish(START)
    assert ad.left_out > 8_000_000


def test_units_may_have_ids_of_their_own_and_what_is_common_to_all() -> None:
    text = 'DetectedGPUs = "a, b"\nCommon = [ Capability = 8.0; Id = "all" ]\nb = [ Id = "B-1"; Clock = 5 ]\n'
    found = inventory.parse("GPUs", text, "MACHINE_RESOURCE_INVENTORY_GPUs")
    assert dict(found.properties)["b"] == (("Id", '"B-1"'), ("Capability", "8.0"), ("Clock", "5"))


def test_a_slot_with_a_consumption_policy_says_how_many_claims_it_may_have() -> None:
    policy = {"consumption": (("Cpus", "TARGET.RequestCpus"), ("Memory", "128"), ("Disk", "1"))}
    for number, before, after in ((None, 8, 7), (1, 1, 0), (0, 0, 0)):
        bench = Bench(settings({**policy, "num_claims": number}))
        assert bench.ads()["slot1@vm"].eval_int("NumClaims") == before
        bench.claim()
        ads = bench.ads()
        assert ads["slot1@vm"].eval_int("NumClaims") == after
        assert ads["slot1_1@vm"].eval_int("NumClaims") is None
        assert ads["slot1@vm"].text("ConsumptionMemory") == "128"


def test_custom_resources_of_dynamic_slots_are_listed_in_their_parent() -> None:
    resources = (MachineResource("zebra", 3.0), MachineResource("Ape", 2.0))
    bench = Bench(settings(resources=resources))
    bench.claim(ad=job_ad(RequestApe="1"))
    bench.claim(ad=job_ad(Requestzebra="2"))
    ad = bench.ads()["slot1@vm"]
    assert (ad.text("ChildApe"), ad.text("Childzebra")) == ("{ 1,0 }", "{ 0,2 }")
    assert "slot1_1: \tCpus: 1.00, Memory: 128, Swap: 0, Disk: 1024, Ape: 1, GPUs: 0, zebra: 0" in bench.log


def test_what_a_claim_tells_of_who_is_charged_for_it() -> None:
    bench = Bench()
    ad = job_ad(
        AccountingGroup='"g.alice"', ConcurrencyLimits='"Lic:2,DB"', IsOCUHolder="true", OCUId="7", OCUName='"o"'
    )
    request = ev.ClaimRequest(
        "r", "slot1@vm", "g.alice@example.net", "alice", ad, "g", True, "g", "schedd@ap", "10.0.0.9"
    )
    bench.do(request)
    told = bench.ads()["slot1_1@vm"]
    texts = {
        "AccountingGroup": '"g.alice@example.net"',
        "ConcurrencyLimits": '"lic:2,db"',
        "RemoteGroup": '"g"',
        "RemoteNegotiatingGroup": '"g"',
        "RemoteAutoregroup": "true",
        "RemoteScheddName": '"schedd@ap"',
        "ClientMachine": '"10.0.0.9"',
        "OCU": "true",
        "OCUId": "7",
        "OCUName": '"o"',
    }
    assert {name: told.text(name) for name in texts} == texts
    assert bench.ads()["slot1@vm"].text("ChildAccountingGroup") == '{ "g.alice@example.net" }'
    plain = Bench()
    plain.claim()
    assert not any(plain.ads()["slot1_1@vm"].has(name) for name in ("AccountingGroup", "RemoteGroup", "OCU", "OCUId"))


def test_who_waits_for_a_slot_holds_its_licenses() -> None:
    bench = Bench(settings({"max_job_retirement_time": "900"}))
    bench.running()
    wanted = job_ad(ConcurrencyLimits='"LIC"')
    bench.do(ev.BetterClaim(ev.ClaimRequest("b", "slot1_1@vm", "bob@example.net", "bob", wanted), False))
    assert bench.ads()["slot1_1@vm"].text("PreemptingConcurrencyLimits") == '"lic"'


def test_when_time_runs_out_for_a_claim_the_startd_looks_again() -> None:
    """Of several timers the first one counts."""
    bench = Bench(settings({"machine_max_vacate_time": "30"}))
    claims = [bench.running() for _ in (1, 2)]
    assert bench.startd.next_wakeup() is None
    bench.do(ev.Vacate("slot1_1@vm"))
    bench.now += 10
    bench.do(ev.Vacate("slot1_2@vm"))
    assert bench.startd.next_wakeup() == START + 30
    assert bench.startd.restless
    bench.end(claims[0], vacated=True)
    assert bench.startd.next_wakeup() == START + 40
    assert bench.only(fx.ClaimLost).claim == claims[0]
    bench.end(claims[1], vacated=True)
    assert not bench.startd.restless


def test_where_nobody_reads_log_and_records_all_else_is_the_same() -> None:
    told: list[str] = []
    silent: list[str] = []
    for bench, found in ((Bench(), told), (Bench(quiet=True), silent)):
        claim = bench.running()
        bench.now += 60
        bench.end(claim, exit_code=0)
        bench.do(ev.ReleaseClaim(claim))
        found += [str(effect) for effect in bench.all_effects if not isinstance(effect, fx.ClaimGranted)]
        found += [str(ad) for ad in bench.ads().values()]
        assert bool(bench.log) is (found is told)
    assert [text for text in told if not text.startswith("RunOver(")] == silent
    assert any(text.startswith("RunOver(") for text in told)
