"""Data slots: made of a claim, shown with their catalogs, mapped into jobs of their owner, gone with the claim."""

from __future__ import annotations

from startd_bench import Bench, ev, fx, job_ad, settings

from condor_py.model.messages.runs import CatalogStaged

KEY = "k" * 64
CATALOG = CatalogStaged("A", "", "id" * 32, KEY, "1", "ClusterId", "vm", "/execute/dir_1/scratch/staging/k", 300)


def staging(bench: Bench) -> str:
    """A claim whose starter fetches common files."""
    claim = bench.claim(ad=job_ad(RequestDisk="1024"))
    bench.do(ev.Activate(claim, "1.-1000", 1, job_ad(), stages=True))
    return claim


def staged(bench: Bench) -> str:
    claim = staging(bench)
    bench.do(ev.CatalogsStaged(claim, (CATALOG,)))
    return claim


def test_a_data_slot_keeps_its_resources_while_it_fetches_and_then_only_the_disk_of_the_files() -> None:
    bench = Bench()
    whole = bench.ads()["slot1@vm"]
    claim = staging(bench)
    assert bench.has(fx.StartJob)
    ad = bench.ads()["data1_1@vm"]
    assert (ad.eval_bool("IsDataSlot"), ad.eval_int("Cpus"), ad.eval_str("Activity")) == (True, 1, "Busy")
    bench.do(ev.CatalogsStaged(claim, (CATALOG,)))
    assert bench.only(fx.FilesStaged).claim == claim
    ads = bench.ads()
    ad = ads["data1_1@vm"]
    assert [ad.eval_int(name) for name in ("Cpus", "Memory", "Disk")] == [0, 0, 300]
    parent = ads["slot1@vm"]
    assert parent.eval_int("Cpus") == whole.eval_int("Cpus")
    assert parent.eval_int("Disk") == (whole.eval_int("Disk") or 0) - 300


def test_all_slots_show_the_catalogs_while_the_claim_lasts() -> None:
    bench = Bench()
    claim = staged(bench)
    for ad in bench.ads().values():
        if ad.eval_str("MyType") == "Machine":
            assert ad.text("catalogs") == "{ catalog_1 }" or ad.text("catalogs") == "{catalog_1}"
            assert ad.eval_text("catalog_1.CatalogSize") == 300
            assert ad.eval_text("catalogs[0].CatalogID") == "id" * 32
    bench.do(ev.ReleaseClaim(claim))
    assert bench.only(fx.SoftKill).claim == claim
    bench.end(claim, "1.-1000", vacated=True)
    assert bench.place("data1_1") == "gone"
    assert bench.ads()["slot1@vm"].text("catalogs") is None


def test_a_job_gets_the_directory_of_its_own_catalog_and_nobody_elses() -> None:
    bench = Bench()
    staged(bench)
    mine = bench.claim()
    bench.do(ev.Activate(mine, "1.0", 1, job_ad(), common=(KEY,)))
    assert bench.only(fx.StartJob).common == (CATALOG.path,)
    others = bench.claim(user="bob@example.net")
    bench.do(ev.Activate(others, "2.0", 1, job_ad(), common=(KEY,)))
    assert "not there any more" in bench.only(fx.RunEnded).report.error


def test_a_request_shrinks_by_what_is_there_already() -> None:
    """And a job may be started on the smaller slot, though its ad asks for more."""
    there = "sum(evalInEachContext(member(CatalogID, RequestedCatalogIDs) ? CatalogSize : 0, catalogs))"
    bench = Bench(
        settings(
            {"modify_request": (("RequestDisk", f"RequestDisk - ifThenElse(catalogs =?= undefined, 0, {there})"),)}
        )
    )
    staged(bench)
    wanted = job_ad(RequestDisk="2048", RequestedCatalogs='{"A"}', RequestedCatalogIDs=f'{{"{CATALOG.identity}"}}')
    claim = bench.claim(ad=wanted)
    assert bench.ads()["slot1_2@vm"].eval_int("Disk") == 2048 - CATALOG.size_kb
    bench.do(ev.Activate(claim, "1.0", 1, wanted, common=(KEY,)))
    assert bench.has(fx.StartJob)


def test_a_static_slot_or_one_that_drains_stages_nothing() -> None:
    bench = Bench()
    claim = bench.claim()
    bench.do(ev.Drain())
    bench.do(ev.Activate(claim, "1.-1000", 1, job_ad(), stages=True))
    assert not bench.has(fx.StartJob)


def test_a_dead_starter_takes_the_files_with_it() -> None:
    bench = Bench()
    claim = staged(bench)
    bench.do(ev.StarterGone(claim, 9))
    assert bench.only(fx.ClaimLost).claim == claim
    assert bench.ads()["slot1@vm"].text("catalogs") is None


def test_a_drain_does_not_wait_for_data_slots() -> None:
    bench = Bench()
    claim = staged(bench)
    bench.do(ev.Drain())
    assert bench.only(fx.SoftKill).claim == claim
