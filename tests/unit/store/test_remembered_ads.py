"""Machines that programs advertised: how long they are known, and what is remembered of them in a log."""

from __future__ import annotations

from pathlib import Path

import pytest

from condor_py.lang.classad import ClassAd
from condor_py.model.errors import StoreError
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


@pytest.mark.parametrize("left", [b"\0" * 4096, b"\xff\xfe\n", b"Name\n"], ids=["zeros", "bytes", "half"])
def test_what_a_crash_of_the_machine_leaves_of_the_file_is_no_end_of_the_pool(tmp_path: Path, left: bytes) -> None:
    """The file is not synced. No tool could show the slots any more, and no program could advertise anything."""
    ads = advertised(tmp_path)
    ads.update("STARTD", [machine("far", Offline=True), machine("near")], 1000, 900)
    (tmp_path / "ads/ADVERTISED.ads").write_bytes(left)
    again = advertised(tmp_path)
    assert names(again, 1001) == ["far"]
    again.update("STARTD", [machine("next")], 1001, 900)
    assert names(advertised(tmp_path), 1002) == ["far", "next"]


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    ads = advertised(tmp_path)
    (tmp_path / "ads/ADVERTISED.ads").mkdir(parents=True)
    with pytest.raises(StoreError, match="cannot read published ads"):
        names(ads, 1001)


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


def test_an_ad_that_is_taken_back_may_become_absent(tmp_path: Path) -> None:
    """EXPIRE_INVALIDATED_ADS: as if it had expired, so only what ABSENT_REQUIREMENTS wants, and once."""
    ads = advertised(tmp_path, absent='Name != "other"', absent_seconds=100, keeps_invalidated=True)
    ads.update("STARTD", [machine("gone"), machine("other"), machine("stays")], 1000, 900)
    ads.remove("STARTD", lambda ad: ad.get("Name") != "stays", 1010)
    assert names(ads, 1011) == ["stays"]
    assert names(ads, 1011, absent=True) == ["stays", "gone"]
    (found,) = [ad for ad in ads.read("STARTD", 1011, absent=True) if ad.get("Name") == "gone"]
    assert (found["Absent"], found["LastHeardFrom"], found["ClassAdLifetime"]) == (True, 1010, 100)
    assert list(AdTable(str(tmp_path / "offline.ads"), readonly=True).ads) == ["<gone>"]
    ads.remove("STARTD", lambda ad: ad.get("Name") == "gone", 1020)
    assert names(ads, 1021, absent=True) == ["stays"]
    assert AdTable(str(tmp_path / "offline.ads"), readonly=True).ads == {}


def test_without_that_it_is_gone(tmp_path: Path) -> None:
    ads = advertised(tmp_path, absent="true")
    ads.update("STARTD", [machine("gone")], 1000, 900)
    ads.remove("STARTD", lambda ad: True, 1010)
    ads.left("STARTD", [machine("own")], 1010)
    assert names(ads, 1011, absent=True) == []


def test_a_daemon_leaves_and_comes_back(tmp_path: Path) -> None:
    """Its slots are absent meanwhile; the ad of the daemon itself is no machine."""
    ads = advertised(tmp_path, absent="true", keeps_invalidated=True)
    daemon = ClassAd({"MyType": "StartDaemon", "Name": "here"})
    slots = [machine("slot1@here"), machine("slot2@here")]
    ads.left("STARTD", [*slots, daemon], 1000)
    (tmp_path / "ads/ADVERTISED.ads").unlink()  # as after a start of the machine
    assert names(ads, 2000) == []
    assert names(ads, 2000, absent=True) == ["slot1@here", "slot2@here"]
    ads.returned("STARTD", [slots[0], daemon], 2010)
    assert names(ads, 2020, absent=True) == ["slot2@here"]
    ads.returned("STARTD", slots, 2030)
    assert names(ads, 2040, absent=True) == []
