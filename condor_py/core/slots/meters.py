"""Measurements of resource monitors (STARTD_CRON_<job>_METRICS): sums and peaks for each device, over the life of the
startd and over the run of a job.

A monitor prints ads for each device: ``Uptime<resource>Seconds`` (SUM) are the seconds that the device was busy since
its last ad, ``Uptime<resource>PeakUsage`` (PEAK) is the most that was seen since then. A slot shows for its devices
``Device<resource>AverageUsage`` and ``Device<resource>PeakUsage``, and of its job ``<resource>AverageUsage`` (devices
that were busy on average, between the first and the last ad of its run) and ``<resource>Usage`` (the peak).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from condor_py.core.slots.expressions import constant
from condor_py.lang.classad import finite

Pairs = tuple[tuple[str, str], ...]
SUM, PEAK = "SUM", "PEAK"


class Sample(NamedTuple):
    """Values of monitors for one device: values by resource, and the time of the last ad in Unix seconds."""

    when: float
    sums: tuple[tuple[str, float], ...]
    peaks: tuple[tuple[str, float], ...]

    def on_top_of(self, former: Sample | None) -> Sample:
        """Combine this ad with those before it."""
        if former is None:
            return self
        sums, peaks = dict(former.sums), dict(former.peaks)
        for resource, value in self.sums:
            sums[resource] = sums.get(resource, 0.0) + value
        for resource, value in self.peaks:
            peaks[resource] = max(value, peaks.get(resource, value))
        return Sample(self.when, tuple(sums.items()), tuple(peaks.items()))


@dataclass(slots=True)
class Meters:
    """Measurements of one run, by device: the first ad after its start, and the peaks since."""

    first: dict[str, Sample] = field(default_factory=dict)
    peaks: dict[tuple[str, str], float] = field(default_factory=dict)

    def add(self, device: str, known: Sample, ad: Sample) -> None:
        """A new ad about a device of the run; ``known`` is what is known with it."""
        self.first.setdefault(device, known)
        for resource, value in ad.peaks:
            self.peaks[device, resource] = max(value, self.peaks.get((device, resource), value))


def _attribute(kind: str, resource: str) -> str:
    return f"Uptime{resource}{'Seconds' if kind == SUM else 'PeakUsage'}"


def without_metrics(pairs: Pairs, metrics: Iterable[tuple[str, str]]) -> Pairs:
    """Attributes of a monitor without its metrics: they go into the slots' ads as from any other program."""
    names = {_attribute(kind, resource).lower() for kind, resource in metrics}
    return tuple(pair for pair in pairs if pair[0].lower() not in names)


def sample_of(pairs: Pairs, metrics: Iterable[tuple[str, str]], now: float) -> Sample:
    """The values of an ad for ``metrics``, which are (SUM or PEAK, resource)."""
    values = {name.lower(): finite(constant(text)) for name, text in pairs}
    sums: list[tuple[str, float]] = []
    peaks: list[tuple[str, float]] = []
    for kind, resource in metrics:
        value = values.get(_attribute(kind, resource).lower())
        if value is not None:
            (sums if kind == SUM else peaks).append((resource, float(value)))
    return Sample(now, tuple(sums), tuple(peaks))


def device_pairs(samples: Iterable[Sample], age: float, raw: bool = False) -> Iterator[tuple[str, str]]:
    """Attributes of a slot's devices; ``age`` is how long the startd has been running, in seconds. ``raw``: the seconds
    themselves, too (ADVERTISE_CMR_UPTIME_SECONDS)."""
    totals: dict[str, float] = {}
    peaks: dict[str, float] = {}
    for sample in samples:
        for resource, value in sample.sums:
            totals[resource] = totals.get(resource, 0.0) + value
        for resource, value in sample.peaks:
            peaks[resource] = max(value, peaks.get(resource, value))
    for resource, total in totals.items():
        yield f"Device{resource}AverageUsage", _real(total / max(1.0, age))
        if raw:
            yield _attribute(SUM, resource), _real(total)
    for resource, peak in peaks.items():
        yield f"Device{resource}PeakUsage", _real(peak)


def run_pairs(meters: Meters, latest: dict[str, Sample]) -> Iterator[tuple[str, str]]:
    """Attributes of a slot's job; ``latest`` are the last ads by device. Only whole intervals count."""
    busy: dict[str, float] = {}
    spans: dict[str, float] = {}
    for device, first in meters.first.items():
        last = latest.get(device)
        if last is None or last.when <= first.when:
            continue
        before = dict(first.sums)
        for resource, value in last.sums:
            if resource in before:
                busy[resource] = busy.get(resource, 0.0) + value - before[resource]
                spans[resource] = max(last.when - first.when, spans.get(resource, 0.0))
    for resource, seconds in busy.items():
        yield f"{resource}AverageUsage", _real(seconds / spans[resource])
    peaks: dict[str, float] = {}
    for (_, resource), value in meters.peaks.items():
        peaks[resource] = max(value, peaks.get(resource, value))
    for resource, peak in peaks.items():
        yield f"{resource}Usage", _real(peak)


def _real(value: float) -> str:
    text = f"{value:.15G}"
    return text if any(mark in text for mark in ".EN") else f"{text}.0"
