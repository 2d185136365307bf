"""The order in which condor_status shows slots, and what its compact rows add up."""

from __future__ import annotations

import io
import random
import sys
from pathlib import Path

import pytest
from tool_runner import run

from condor_py.cli import entry
from condor_py.cli.status.select import natural_key
from condor_py.client import pool
from condor_py.client.pool import open_pool
from condor_py.lang.classad import ClassAd
from condor_py.lang.config import load
from condor_py.store.ad_store import AdStore

#: Pairs in HTCondor's order.
_ORDERED = [
    ("slot2@a", "slot10@a"), ("slot1@a", "slot1_1@a"), ("slot1_9@a", "slot1_10@a"), ("a01", "a1"), ("a001", "a01"),
    ("a\u00e4", "a"), ("\u00e4", "a"), ("a", "ab"), ("a9", "ab"), ("A", "a"), ("1.9", "1.10"), ("x0", "x1"),
]  # fmt: skip


@pytest.mark.parametrize(("first", "second"), _ORDERED)
def test_names_compare_as_people_count(first: str, second: str) -> None:
    assert natural_key(f"{first}\n") < natural_key(f"{second}\n")


def slot(name: str, machine: str, **attributes: str) -> str:
    """The lines of a slot's ad."""
    common = {
        "MyType": '"Machine"', "Name": f'"{name}@{machine}"', "Machine": f'"{machine}"', "State": '"Unclaimed"',
        "Activity": '"Idle"', "SlotType": '"Static"', "SlotTypeID": "1", "Cpus": "1", "TotalSlotCpus": "1",
        "Memory": "1024", "TotalSlotMemory": "1024", "LoadAvg": "0.5", "OpSysAndVer": '"Debian12"', "Arch": '"X86_64"',
    }  # fmt: skip
    return "".join(f"{key} = {text}\n" for key, text in (common | attributes).items())


@pytest.fixture
def ads(tmp_path: Path) -> str:
    """Slots of three machines, mixed up."""
    found = [slot(f"slot{number}", machine) for number in (1, 2, 10) for machine in ("b2", "b10", "\u00e4")]
    random.Random(1).shuffle(found)
    path = tmp_path / "ads"
    path.write_text("\n".join(found))
    return str(path)


def names(ads: str, *words: str) -> list[str]:
    """The names in the order shown."""
    return run("condor_status", "-ads", ads, "-af", "Name", *words).out.split()


@pytest.mark.parametrize("words", [(), ("-natural",), ("-natural:off",)])
def test_machines_and_slots_by_their_numbers(ads: str, words: tuple[str, ...]) -> None:
    assert names(ads, *words) == [f"slot{n}@{machine}" for machine in ("\u00e4", "b2", "b10") for n in (1, 2, 10)]


def test_the_order_that_is_asked_for(ads: str) -> None:
    assert names(ads, "-sort", "Name")[:4] == ["slot1@\u00e4", "slot1@b2", "slot1@b10", "slot2@\u00e4"]
    assert names(ads, "-sort", '-1 * (Name == "slot10@b2")')[0] == "slot10@b2"
    assert names(ads, "-sort", 'Name == "slot10@b2" ? 0.25 : 0.5')[0] == "slot10@b2"


def test_compact_rows_lack_what_their_first_slot_lacks(tmp_path: Path) -> None:
    path = tmp_path / "ads"
    path.write_text(
        "\n".join((slot("slot1", "m", State="undefined"), slot("slot2", "m", RecentJobStarts="3"), slot("slot1", "n")))
    )
    rows = [line.split() for line in run("condor_status", "-ads", str(path), "-compact").out.splitlines()[2:4]]
    assert rows[0][:3] == ["m", "x64/Debian12", "2S"]
    assert (rows[0][-2:], rows[1][-3]) == (["_", "1.00"], "Ui")


def test_slots_that_do_not_tell_their_type_share_a_row(tmp_path: Path) -> None:
    path = tmp_path / "ads"
    slots = [slot(f"slot{n}", machine) for machine in ("node10", "node2") for n in (1, 2)]
    path.write_text("\n".join(slots).replace("SlotTypeID = 1\n", ""))
    rows = [line.split() for line in run("condor_status", "-ads", str(path), "-compact").out.splitlines()[2:4]]
    assert [(row[0], row[2]) for row in rows] == [("node2", "2S"), ("node10", "2S")]


def test_the_platform_of_slots_that_tell_little(tmp_path: Path) -> None:
    """Without Arch the operating system is in its place; without its version totals go by Arch and OpSys."""
    path = tmp_path / "ads"
    bare = slot("slot1", "a", OpSys='"LINUX"').replace('Arch = "X86_64"\n', "")
    plain = slot("slot1", "b", OpSys='"LINUX"').replace('OpSysAndVer = "Debian12"\n', "")
    path.write_text(f"{bare}\n{plain}")
    out = run("condor_status", "-ads", str(path), "-compact").out
    assert out.splitlines()[2].split()[:2] == ["a", "LINUX/Debian12"]
    rows = [line.split()[:2] for line in out.splitlines() if "/" in line and "    1 " in line]
    assert rows[-2:] == [["LINUX/Debian12", "1"], ["X86_64/LINUX", "1"]]
    assert "malformed" not in out


class _Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_configuration_is_read_once_on_a_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONDOR_CONFIG", "ONLY_ENV")
    monkeypatch.setenv("_CONDOR_LOCAL_DIR", str(tmp_path))
    ad = ClassAd.from_text_items([("MyType", '"DaemonMaster"'), ("Name", '"m"')])
    AdStore(open_pool().paths.ads).publish("MASTER", [ad])
    loads: list[str] = []
    monkeypatch.setattr(pool, "load", lambda *words, **more: loads.append("once") or load(*words, **more))
    error = _Screen()
    monkeypatch.setattr(sys, "stderr", error)
    assert entry.main("condor_status", ["-master", "-direct", "localhost", "-af", "Name"]) == 0
    assert error.getvalue() == f"\n-- Pool: {tmp_path}\n"
    assert loads == ["once"]
