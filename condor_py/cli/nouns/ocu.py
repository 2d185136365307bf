"""``htcondor ocu VERB``: owner capacity units, which are slots that stay with their owner."""

from __future__ import annotations

from typing import TYPE_CHECKING

from condor_py.bindings import Schedd
from condor_py.bindings.collector import Collector
from condor_py.bindings.enums import AdType
from condor_py.lang.classad import ClassAd, parseOne
from condor_py.model.errors import CondorError

if TYPE_CHECKING:
    from condor_py.cli.nouns.words import Say

_HEADING = "OCUId  OCUName              Owner                    State CPUs  Memory Disk Activations"


def create(say: Say, request_file: str) -> None:
    """Make the unit that a file with an ad describes."""
    with open(request_file, encoding="utf-8") as file:
        request = parseOne(file.read())
    made = _done(Schedd().create_ocu(request), "create ocu")
    print(f"OCU created with Id {made.eval_int('OCUId', 0)} and name {made.eval_str('OCUName', '')}.")


def query(say: Say, raw: bool) -> None:
    """A row for each unit, or its whole ad."""
    units = Schedd().query_ocu(ClassAd())
    if raw:
        for ad in units:
            print(ad)
        return
    print(_HEADING)
    for ad in units:
        number, name, owner = ad.eval_int("OCUId", 0), ad.eval_str("OCUName", ""), ad.eval_str("Owner", "")
        cpus, memory, disk = (ad.eval_int(f"Request{what}", 0) for what in ("Cpus", "Memory", "Disk"))
        runs, state = ad.eval_int("OCUOwnerActivations", 0), ad.eval_str("OCUState", "?")
        print(f"{number:<6} {name:<20} {owner:<24} {state:<5} {cpus:<4} {memory:<6} {disk:<4} {runs}")


def status(say: Say) -> None:
    """A row for each submitter: their units and their jobs that want one."""
    ads = Collector().query(AdType.Submitter)
    if not ads:
        print("There are no submitters in this pool, therefore no OCUs.")
        return
    print(f"{'Owner':<30} OCUClaimed  OCUClaimedBorrowed OCUsWantedJobs  OCURunningJobs")
    print(f"{'-----':<30} ----------  ------------------ --------------  --------------")
    for ad in ads:
        names = ("OCUClaimsClaimed", "OCUClaimsBorrowed", "OCUWantedJobs", "OCURunningJobs")
        claimed, borrowed, wanted, running = (ad.eval_int(name, 0) for name in names)
        print(f"{ad.eval_str('Name', 'unknown'):<30} {claimed:>10} {borrowed:>19} {wanted:>14} {running:>14}")


def remove(say: Say, ocu_id: int) -> None:
    """Give the slot of a unit back."""
    _done(Schedd().remove_ocu(ocu_id), f"remove ocu {ocu_id}")
    say(f"Removed {ocu_id}.")


def _done(answer: ClassAd, what: str) -> ClassAd:
    if answer.eval_int("Result", -1):
        raise CondorError(f"Failed to {what}: {answer.eval_str('ErrorString', '')}")
    return answer
