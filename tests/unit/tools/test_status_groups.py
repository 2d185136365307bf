"""condor_status -group-by, and what totals count."""

from __future__ import annotations

from tool_runner import Spool

from condor_py.cli.status import grouped, words
from condor_py.lang.classad import ClassAd
from condor_py.store.ad_store import AdStore


def test_slots_that_say_the_same() -> None:
    ads = [ClassAd.from_text_items([("Name", f'"slot{n}"'), ("Cpus", str(n % 2)), ("Start", "n")]) for n in (1, 2, 3)]
    assert grouped(ads, words(["Cpus,Start", "GPUs"])).split("\n\n")[:2] == [
        'Count = 2\nCpus = 1\nId = 1\nMembers = "slot1 slot3"\nStart = n',
        'Count = 1\nCpus = 0\nId = 2\nMembers = "slot2"\nStart = n',
    ]
    assert grouped([], ["Cpus"]) == ""


def test_backfill_slots_are_counted_apart(spool: Spool) -> None:
    """They have the machine a second time: an idle one is no slot more, one at work counts as backfill."""
    common = 'MyType="Machine"; Machine="vm"; Arch="X86_64"; OpSys="LINUX"; Cpus=1; Memory=10; SlotType="Static"'
    states = (("slot1", "Claimed", "false"), ("slot2", "Unclaimed", "false"), ("b1", "Claimed", "true"),
              ("b2", "Unclaimed", "true"), ("b3", "Unclaimed", "true"), ("b4", "Owner", "true"))  # fmt: skip
    slots = [
        ClassAd(f'[{common}; Name="{name}@vm"; State="{state}"; Activity="Idle"; BackfillSlot={backfill}]')
        for name, state, backfill in states
    ]
    AdStore(f"{spool.path.parent}/ads").publish("STARTD", slots)
    *_, heading, _, _, _, total = spool.run("condor_status", "-compact").out.rstrip("\n").splitlines()
    assert heading.split() == [
        "Total", "Owner", "Claimed", "Unclaimed", "Matched", "Preempting", "Drain", "Backfill", "BkIdle",
    ]  # fmt: skip
    assert total.split() == ["Total", "4", "1", "1", "1", "0", "0", "0", "1", "2"]
