"""Which sleeping machines condor_rooster wakes, and in what order. Pure: ads in, ads out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from condor_py.lang.classad import ClassAd, finite, parse
from condor_py.model.settings.power import RoosterSettings


@dataclass(slots=True)
class Wakes:
    """The ads of machines to wake, the first one first, and what the log says of them."""

    ads: list[ClassAd] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)


def choose(ads: Iterable[ClassAd], settings: RoosterSettings) -> Wakes:
    """One ad a machine: that of its best slot by ROOSTER_UNHIBERNATE_RANK. Ads of the same rank keep their order."""
    wanted = [ad for ad in ads if ad.eval_text(settings.unhibernate) is True]
    wanted.sort(key=lambda ad: -_rank(ad, settings.rank))
    chosen, done = Wakes(), set()
    for ad in wanted:
        machine = ad.eval_str("Machine", "") or ad.eval_str("Name", "")
        if machine in done:
            continue
        done.add(machine)
        chosen.ads.append(ad)
        if len(chosen.ads) == settings.most:
            chosen.lines.append(f"Reached ROOSTER_MAX_UNHIBERNATE={settings.most} in this cycle.")
            break
    return chosen


def _rank(ad: ClassAd, rank: str) -> float:
    """Evaluated in an ad of its own, with the machine as TARGET, as a job's Rank is."""
    if not rank:
        return 0.0
    return finite(ClassAd().raw(parse(rank), ad)) or 0.0
