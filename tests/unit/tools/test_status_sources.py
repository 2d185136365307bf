"""Where condor_status's ads come from, which of them are remarkable, and how two sets of them are merged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tool_runner import Spool

from condor_py.cli import status
from condor_py.cli.output.ads import write_ads
from condor_py.lang.classad import ClassAd
from condor_py.store.ad_store import AdStore


def slot(name: str, **attributes: Any) -> ClassAd:
    return ClassAd({"MyType": "Machine", "Name": f"{name}@vm", "Machine": "vm", "State": "Unclaimed", **attributes})


@pytest.fixture
def pool(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> Spool:
    """The published ads of a pool on the host vm.example.net."""
    monkeypatch.setenv("_CONDOR_FULL_HOSTNAME", "vm.example.net")
    monkeypatch.setenv("_CONDOR_NETWORK_HOSTNAME", "vm.example.net")
    monkeypatch.setenv("_CONDOR_SCHEDD_NAME", "queue@vm.example.net")
    monkeypatch.setenv("_CONDOR_STARTD_NAME", "cores@vm.example.net")
    ads = AdStore(f"{spool.path.parent}/ads")
    daemon = ClassAd({"MyType": "StartD", "Name": "vm", "Machine": "vm"})
    odd = ClassAd({"Name": "untyped", "Machine": "vm"})
    ads.publish("STARTD", [slot("slot1"), slot("slot2"), daemon, odd])
    ads.publish("SCHEDD", [ClassAd({"MyType": "Scheduler", "Name": "q", "Machine": "vm"})])
    ads.publish("SUBMITTERS", [ClassAd({"MyType": "Submitter", "Name": "ann@x", "Machine": "vm"})])
    return spool


def names(spool: Spool, *words: str) -> list[str]:
    done = spool.run("condor_status", *words, "-af", "Name")
    assert (done.err, done.code) == ("", 0)
    return done.out.split()


def test_columns_of_the_command_line_follow_those_of_a_print_format(pool: Spool, tmp_path: Path) -> None:
    (tmp_path / "format").write_text("SELECT\n   Machine AS HOST WIDTH -6\nWHERE MyType =?= undefined\n")
    for words in (["-pr", str(tmp_path / "format"), "-af", "Name"], ["-af", "Name", "-pr", str(tmp_path / "format")]):
        assert pool.run("condor_status", *words).out == "HOST   Name   \nvm     untyped\n"


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("", ["slot1@vm", "slot2@vm", "untyped"]),
        ("-startd", ["vm"]),
        ("-schedd", ["q"]),
        ("-submitters", ["ann@x"]),
        ("-generic", []),
        ("-subsystem odd", []),
        ('-sort Name -any -constraint Machine=="vm"', ["ann@x", "q", "slot1@vm", "slot2@vm", "untyped", "vm"]),
    ],
)
def test_ads_of_each_kind(pool: Spool, words: str, found: list[str]) -> None:
    assert names(pool, *words.split()) == found


@pytest.mark.parametrize(
    "name",
    [
        "vm.example.net",
        "VM",
        "localhost",
        "queue@vm.example.net",
        "cores@vm.example.net",
        "slot1@vm",
        "Slot2@vm",
        "untyped",
    ],
)
def test_daemons_of_this_machine_are_asked(pool: Spool, name: str) -> None:
    assert "slot1@vm" in names(pool, "-direct", name)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("-direct other", "Error: Failed to locate startd other\nunknown host other\n"),
        ("-direct a@b", "Error: Failed to locate startd a@b\nCan't find address for startd a@b\n"),
        ("-schedd -direct a@b", "Error: Failed to locate schedd a@b\nCan't find address for schedd a@b\n"),
        ("-submitters -direct other", "Error: Failed to locate schedd other\nunknown host other\n"),
    ],
)
def test_daemons_of_other_machines_are_not(pool: Spool, words: str, said: str) -> None:
    assert pool.run("condor_status", *words.split()) == ("", said, 1)


def test_a_pool_that_was_stopped_publishes_nothing(spool: Spool) -> None:
    """Only the records of the negotiator are left."""
    AdStore(f"{spool.path.parent}/ads").publish("ACCOUNTING", [ClassAd({"MyType": "Accounting", "Name": "ann@x"})])
    done = spool.run("condor_status")
    assert done.err.startswith("Error: communication error\nNo daemon has published anything in ")
    assert done.code == 1
    assert "No daemon" not in spool.run("condor_status", "-expert").err


HEALTH: list[tuple[str, dict[str, Any]]] = [
    ("good", {"Healthy": True, "HealthExprs": ["a"]}), ("bad", {"Healthy": False}), ("silent", {}),
    ("told", {"HealthExprs": ["a"]}), ("broken", {"Healthy": True, "BrokenReasons": "x"}),
    ("slot", {"Healthy": True, "SlotBrokenReason": "x"}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "left_out"),
    [("-slots -healthy", {"good", "silent"}), ("-slots -healthy:v", set()), ("-slots -healthy:x", {"good", "silent"}),
     ("", set())],
)  # fmt: skip
def test_what_is_healthy_is_left_out(spool: Spool, words: str, left_out: set[str]) -> None:
    AdStore(f"{spool.path.parent}/ads").publish("STARTD", [slot(name, **told) for name, told in HEALTH])
    assert set(names(spool, *words.split())) == {f"{name}@vm" for name, _ in HEALTH if name not in left_out}
    table = spool.run("condor_status", *words.split()).out
    assert {name for name, _ in HEALTH if f"{name}@vm" in table} == {name for name, _ in HEALTH} - left_out


def test_what_is_in_a_file_and_what_in_the_pool(pool: Spool) -> None:
    def found(where: str, *ads: str) -> str:
        return f"The following ads were found {where}:\n" + "".join(f"{ad}\n" for ad in ads)

    def file(*ads: ClassAd) -> None:
        Path("file").write_text("\n".join("".join(write_ads([ad], "long")) for ad in ads))

    def merged() -> str:
        return pool.run("condor_status", "-merge", "file", "-af", "Name", "-constraint", 'MyType == "Machine"').out

    here, both, there = "only in the query", "in both the query and in 'file'", "only in 'file'"
    file(slot("slot2"), slot("slot3"))
    assert merged() == "\n".join((found(here, "slot1@vm"), found(both, "slot2@vm"), found(there, "slot3@vm")))
    file(slot("slot1"), slot("slot2"))
    assert merged() == found(both, "slot1@vm", "slot2@vm")
    file(slot("slot3"))
    assert merged() == found(here, "slot1@vm", "slot2@vm") + found(there, "slot3@vm")
    Path("file").unlink()
    assert merged() == found(here, "slot1@vm", "slot2@vm")


@pytest.mark.parametrize("named", ["", " , "])
def test_a_list_that_names_no_attribute_is_one_of_all(pool: Spool, named: str) -> None:
    whole = pool.run("condor_status", "-startd", "-long")
    assert "Machine" in whole.out
    assert pool.run("condor_status", "-startd", "-long", "-attributes", named) == whole


def test_names_in_lists() -> None:
    assert status.words(["a,b c", " d ,e,"]) == ["a", "b", "c", "d", "e"]


def test_compact_whole_ads_are_one_a_machine(pool: Spool) -> None:
    words = ("-constraint", 'MyType == "Machine"')
    assert names(pool, "-compact", *words) == ["slot1@vm"]
    assert names(pool, *words) == ["slot1@vm", "slot2@vm"]
    assert pool.run("condor_status", "-compact", "-long", *words).out.count("Name = ") == 1
    assert names(pool, "-limit", "1") == ["slot1@vm"]
