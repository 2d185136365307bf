"""The analysis turned round: what slots ask of jobs (``-better-analyze:reverse``, ``-reverse-analyze``)."""

from __future__ import annotations

from condor_py.cli.output.terminal import cut, text_width
from condor_py.cli.q.analysis.autoclusters import UNGROUPED, Clusters
from condor_py.cli.q.analysis.look import Look
from condor_py.cli.q.analysis.pretty import wrapped
from condor_py.cli.q.analysis.requirements import (
    expression,
    numbered,
    own_attributes,
    table,
    target_attributes,
    used_names,
)
from condor_py.cli.q.analysis.slots import Slot, Slots, drained
from condor_py.cli.q.source import job_key
from condor_py.lang.classad.ad import ClassAd
from condor_py.lang.classad.match import requirements_match
from condor_py.lang.classad.stepcounts import Target
from condor_py.lang.classad.values import as_bool

_OWN_PARTS = ("START", "WithinResourceLimits")


def reverse_analysis(slots: Slots, clusters: Clusters, look: Look, width: int) -> str:
    """A row a slot, or the details of each."""
    if not slots.read:
        return ""
    if len(slots.read) == 1 and not look.detail:
        look = look.each_step()
    if look.mode == "jobs" and look.detail:
        return "".join(_details(slot, clusters, look, width) for slot in slots.read)
    lines = []
    if look.mode != "unmatchable":
        lines = _heading(slots, clusters, look)
    return "".join(line + "\n" for line in [*lines, *(_row(slot, slots, clusters) for slot in slots.read)])


def _heading(slots: Slots, clusters: Clusters, look: Look) -> list[str]:
    jobs = [job for members in clusters.values() for job in members]
    lines = ["{}.{}: Analyzing matches for 1 job".format(*job_key(job)) for job in jobs[:1]]
    if len(jobs) > 1:
        groups = sum(number != UNGROUPED for number in clusters) + len(clusters.get(UNGROUPED, ()))
        lines = [f"Analyzing matches for {len(jobs)} jobs"]
        if look.verbose:
            lines = [f"Analyzing {len(jobs)} jobs in {groups} autoclusters"]
    width = slots.name_width
    form = "{:<" + str(width) + "} {:>4} {:>12} {:>12} {:>10}"
    return [
        *lines,
        form.format("", "Slot", "Slot's Req ", "  Job's Req ", "Both   "),
        form.format("Name", "Type", "Matches Job", "Matches Slot", "Match %"),
        form.format("-" * min(24, width), "----", "-" * 12, "-" * 12, "-" * 10),
    ]


def _row(slot: Slot, slots: Slots, clusters: Clusters) -> str:
    if slot.ad.eval_bool("Offline"):
        return _offline(slot)
    found = _Counts(slot, clusters)
    width = slots.name_width
    share = 100.0 * found.both / found.jobs if found.jobs else 0.0
    return f"{_fitted(slot.name, width)} {slot.type:<4} {found.accepted:12d} {found.accepting:12d} {share:10.2f}"


def _offline(slot: Slot) -> str:
    return f"{_fitted(slot.name, 24)}  is offline"


def _fitted(name: str, width: int) -> str:
    """A name cut or filled to a width."""
    shown = cut(name, width)
    return shown + " " * (width - text_width(shown))


class _Counts:
    """Counts of the jobs that a slot accepts, that accept it, and both; the same for the slot if drained."""

    def __init__(self, slot: Slot, clusters: Clusters) -> None:
        self.jobs = self.accepted = self.accepting = self.both = 0
        self.drained_accepted = self.drained_accepting = self.drained_both = 0
        self.drained: ClassAd | None = None
        self.targets: list[ClassAd] = []
        for number, members in clusters.items():
            self.jobs += len(members)
            weight = 1 if number == UNGROUPED else len(members)
            for job in members if number == UNGROUPED else members[:1]:
                self.targets.append(job)
                self._count(slot, job, weight)

    def _count(self, slot: Slot, job: ClassAd, weight: int) -> None:
        accepted, accepting = requirements_match(slot.ad, job), requirements_match(job, slot.ad)
        self.accepted += weight * accepted
        self.accepting += weight * accepting
        self.both += weight * (accepted and accepting)
        if not accepted and slot.partitionable and self.drained is None and _is_full(slot.ad, job):
            self.drained = drained(slot.ad)
        if self.drained is not None:
            accepted, accepting = requirements_match(self.drained, job), requirements_match(job, self.drained)
            self.drained_accepted += weight * accepted
            self.drained_accepting += weight * accepting
            self.drained_both += weight * (accepted and accepting)


def _is_full(slot: ClassAd, job: ClassAd) -> bool:
    return slot.has("WithinResourceLimits") and as_bool(slot.raw("WithinResourceLimits", job)) is False


def _details(slot: Slot, clusters: Clusters, look: Look, width: int) -> str:
    if slot.ad.eval_bool("Offline"):
        return _offline(slot) + "\n"
    found = _Counts(slot, clusters)
    text = f"\n-- Slot: {slot.name} : Analyzing matches for {found.jobs} Jobs in {len(found.targets)} autoclusters\n"
    if slot.ad.has("Requirements"):
        own = [name for name in _OWN_PARTS if slot.ad.has(name)]
        text += _expressions(slot.ad, own, width)
        text += numbered(slot.ad, frozenset(name.lower() for name in own), look) + "\n"
        if look.attributes:
            text += _attributes(slot, found, ["Requirements", *own])
        inline = frozenset(name.lower() for name in (own if look.inline else _OWN_PARTS))
        targets = [Target(job) for job in found.targets]
        text += table(slot.ad, inline, targets, "Cluster", look, width)
    return text + _summary(slot, found)


def _expressions(ad: ClassAd, own: list[str], width: int) -> str:
    text = wrapped(expression(ad, "Requirements") or "", 4, width)
    for name in own:
        text = wrapped(f"{text}\n\n  {name} is\n    {expression(ad, name)}", 4, width)
    return f"\nThe Requirements expression for this slot is\n\n    {text}\n\n"


def _attributes(slot: Slot, found: _Counts, hidden: list[str]) -> str:
    names, asked = used_names(slot.ad)
    text = "This slot defines the following attributes:\n\n" + own_attributes(slot.ad, names, hidden)
    if found.drained is not None:
        text += "When drained, this slot has the following attributes:\n\n"
        text += own_attributes(found.drained, used_names(found.drained)[0], hidden, evaluated=True)
    if len(found.targets) == 1:
        text += target_attributes(found.targets[0], asked, slot.ad)
    return text + "\nThe Requirements expression for this slot reduces to these conditions:\n\n"


def _summary(slot: Slot, found: _Counts) -> str:
    share = 100.0 * found.both / found.jobs if found.jobs else 0.0
    lines = [
        "",
        f"{slot.name}: Run analysis summary of {found.jobs} jobs.",
        f"{found.both:5d} ({share:.2f} %) match both slot and job requirements.",
        f"{found.accepted:5d} match the requirements of this slot.",
        f"{found.accepting:5d} have job requirements that match this slot.",
    ]
    if found.drained is not None:
        lines += [
            f"{found.drained_both:5d} would match both slot and job requirments if the slot was drained.",
            f"{found.drained_accepted:5d} would match the requirements of this slot when drained.",
            f"{found.drained_accepting:5d} would have job requirements that match this slot when drained",
        ]
    return "".join(line + "\n" for line in lines)
