"""Machines that programs advertised: how long they are known, and what is remembered of them in a log."""

from __future__ import annotations

from pathlib import Path

from condor_py.classad import ClassAd
from condor_py.model.settings.remembered import RememberedSettings
from condor_py.store.ad_store import AdStore
from condor_py.store.advertised import Advertised
from condor_py.store.table import AdTable


def machine(name: str, **more: object) -> ClassAd:
    return ClassAd({"MyType": "Machine", "Name": name, **more})


def advertised(folder: Path, **settings: object) -> Advertised:
    """The ads below a directory, with a log beside it."""
    remembered = RememberedSettings(log=str(folder / "offline.ads"), **settings)  # type: ignore[arg-type]
    return Advertised(AdStore(str(folder / "ads")), remembered)


def names(ads: Advertised, now: int, *, absent: bool = False) -> list[str]:
    return [ad.eval_str("Name", "") for ad in ads.read("STARTD", now, absent=absent)]


def test_an_ad_lives_as_long_as_it_says(tmp_path: Path) -> None:
    ads = advertised(tmp_path)
    ads.update("STARTD", [machine("short", ClassAdLifetime=5), machine("usual")], 1000, 900)
    assert names(ads, 1004) == ["short", "usual"]
    assert names(ads, 1006, absent=True) == ["usual"]
    assert names(ads, 1900, absent=True) == []
    assert not (tmp_path / "offline.ads").exists()


def test_an_offline_machine_outlives_the_published_ads(tmp_path: Path) -> None:
    ads = advertised(tmp_path)
    ads.update("STARTD", [machine("far a", Offline=True), machine("near")], 1000, 900)
    text = (tmp_path / "offline.ads").read_text()
    assert "101 <fara> Machine" in text
    assert '103 <fara> Name "far a"' in text
    assert "<near>" not in text
    (tmp_path / "ads/ADVERTISED.ads").unlink()
    again = advertised(tmp_path)
    assert names(again, 10_000_000) == ["far a"]
    (found,) = again.read("STARTD", 10_000_000)
    assert found["Offline"] is True
    assert not [name for name in found if name.startswith("CondorPy")]
    again.remove("STARTD", lambda ad: ad.get("Name") == "far a", 10_000_000)
    assert names(again, 10_000_000) == []
    assert "102 <fara>\n" in (tmp_path / "offline.ads").read_text()
    assert AdTable(str(tmp_path / "offline.ads"), readonly=True).ads == {}


def test_what_is_offline_may_be_forgotten(tmp_path: Path) -> None:
    ads = advertised(tmp_path, offline_seconds=2000)
    ads.update("STARTD", [machine("far", Offline=True)], 1000, 900)
    assert names(ads, 2999) == ["far"]
    assert names(ads, 3001) == []


def test_a_machine_that_is_not_heard_of_becomes_absent(tmp_path: Path) -> None:
    ads = advertised(tmp_path, absent='Name != "other"', absent_seconds=100)
    ads.update("STARTD", [machine("gone", ClassAdLifetime=5), machine("other", ClassAdLifetime=5)], 1000, 900)
    assert names(ads, 1006) == []
    (found,) = ads.read("STARTD", 1007, absent=True)
    assert (found["Name"], found["Absent"], found["LastHeardFrom"], found["ClassAdLifetime"]) == (
        "gone",
        True,
        1006,
        100,
    )
    assert "103 <gone> Absent true" in (tmp_path / "offline.ads").read_text()
    assert names(ads, 1107, absent=True) == []
    ads.update("STARTD", [machine("gone")], 1200, 900)
    assert names(ads, 1201) == ["gone"]
    assert AdTable(str(tmp_path / "offline.ads"), readonly=True).ads == {}


def test_only_machines_are_remembered_and_only_in_a_log(tmp_path: Path) -> None:
    ads = advertised(tmp_path, absent="true")
    ads.update("GENERIC", [machine("thing", ClassAdLifetime=5, Offline=True)], 1000, 900)
    assert ads.read("GENERIC", 1006, absent=True) == []
    without = Advertised(AdStore(str(tmp_path / "ads")), RememberedSettings(absent="true"))
    without.update("STARTD", [machine("far", Offline=True, ClassAdLifetime=5)], 1000, 900)
    assert names(without, 1006, absent=True) == []


def test_a_log_that_others_write_to_keeps_what_is_theirs(tmp_path: Path) -> None:
    log = tmp_path / "offline.ads"
    log.write_text('107 1 CreationTimestamp 1\n101 <theirs> Machine (empty)\n103 <theirs> Name "theirs"\n')
    ads = advertised(tmp_path)
    ads.update("STARTD", [machine("far", Offline=True)], 1000, 900)
    assert sorted(AdTable(str(log), readonly=True).ads) == ["<far>", "<theirs>"]
