"""``htcondor ep``: the slots of a machine, and whose jobs it takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from condor_py.bindings.collector import Collector
from condor_py.bindings.enums import AdType, DaemonType
from condor_py.bindings.startd import Startd
from condor_py.lang.classad import quote_string
from condor_py.model.errors import CondorError

if TYPE_CHECKING:
    from condor_py.cli.nouns.words import Say
    from condor_py.lang.classad import ClassAd

_LEFT = ("Slot", "Type", "State", "Activity")


def status(say: Say, ep_name: str) -> None:
    """A row for each slot of a machine."""
    ads = Collector().query(AdType.Startd, f"Machine == {quote_string(ep_name)}")
    if not ads:
        raise CondorError(f"No slots found for execution point: {ep_name}")
    rows = sorted(map(_row, ads))
    widths = [max(len(row[column]) for row in [_LEFT, *rows]) for column in range(len(_LEFT))]
    for row in [(*_LEFT, "Cpus", "Memory"), *rows]:
        words = [word.ljust(width) for word, width in zip(row, widths, strict=False)]
        say("  ".join([*words, f"{row[-2]:>4}", f"{row[-1]:>8}"]))
    say(f"\nTotal slots: {len(rows)}\n")


def _row(ad: ClassAd) -> tuple[str, ...]:
    name, kind = ad.eval_str("Name", ""), ad.eval_str("SlotType", "")
    state, activity = ad.eval_str("State", "Unknown"), ad.eval_str("Activity", "Unknown")
    return name, kind, state, activity, str(ad.eval_int("Cpus", 0)), f"{ad.eval_int('Memory', 0)} MB"


def rehome(
    say: Say, ep_name: str, schedd_name: str, schedd_pool: str | None, cancel: bool, timeout: int, reboot: bool
) -> None:
    """Evict all jobs of a machine, and offer it to one schedd from now on."""
    schedds = Collector(schedd_pool) if schedd_pool else Collector()
    if not cancel and schedds.locate(DaemonType.Schedd, schedd_name) is None:
        raise CondorError(f"Cannot reach schedd {schedd_name}: the pool has none of that name")
    location = Collector().locate(DaemonType.Startd, ep_name)
    if location is None:
        raise CondorError(f"There is no execution point {ep_name}")
    Startd(location).rehome(schedd_name, schedd_pool, timeout, cancel, reboot)
    if cancel:
        say(f"Sent rehome cancel command to {ep_name}")
    else:
        say(f"Sent rehome command to {ep_name}{' (host will reboot if permitted)' if reboot else ''}")
