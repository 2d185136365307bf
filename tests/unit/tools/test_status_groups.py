"""condor_status -group-by."""

from __future__ import annotations

from condor_py.cli.status.main import grouped, words
from condor_py.lang.classad import ClassAd


def test_slots_that_say_the_same() -> None:
    ads = [ClassAd.from_text_items([("Name", f'"slot{n}"'), ("Cpus", str(n % 2)), ("Start", "n")]) for n in (1, 2, 3)]
    assert grouped(ads, words(["Cpus,Start", "GPUs"])).split("\n\n")[:2] == [
        'Count = 2\nCpus = 1\nId = 1\nMembers = "slot1 slot3"\nStart = n',
        'Count = 1\nCpus = 0\nId = 2\nMembers = "slot2"\nStart = n',
    ]
    assert grouped([], ["Cpus"]) == ""
