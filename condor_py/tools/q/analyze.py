"""``condor_q -better-analyze``: why jobs do not run."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from condor_py.access.aggregates import Key, Likeness
from condor_py.classad.ad import ClassAd
from condor_py.classad.exprtree import parse
from condor_py.classad.match import requirements_match
from condor_py.classad.references import attribute_references
from condor_py.tools.output.values import is_true, value_text
from condor_py.tools.q.clauses import numbered, reduced
from condor_py.tools.q.request import Request
from condor_py.tools.q.select import job_key
from condor_py.tools.q.source import Source
from condor_py.tools.q.standing import Standing, standing

_IDLE, _RUNNING, _REMOVED, _COMPLETED, _HELD, _TRANSFERRING, _SUSPENDED = range(1, 8)
_UNITS = {"requestdisk": " (kb)", "disk": " (kb)", "requestmemory": " (mb)", "memory": " (mb)"}
_BREAK = re.compile(r" (?:&&|\|\|) ")
_WIDTH = 79
_SUMMARY_ROW = "{:<13} {:>12} {:>12} {:>11} {:>11} {:>10} {:>9} {}"


def analysis(request: Request, source: Source, jobs: Sequence[ClassAd]) -> str:
    """The analysis of ``jobs`` against the slots of the pool (or of ``-slotads``)."""
    args = request.args
    slots = _slots(request, source)
    how = [word for word in (args.colon("better-analyze") or "").split(",") if word]
    if args.has("reverse-analyze") or any("reverse".startswith(word) for word in how):
        return reversed_analysis(slots, jobs)
    if args.has("unmatchable"):
        return _unmatched(jobs, slots)
    if any("summary".startswith(word) for word in how):
        return _summary(jobs, slots)
    detailed = any(use.spelling.lstrip("-").startswith("b") for use in args.all("better-analyze"))
    known = standing(args, source, how)
    everything = any(len(word) > 2 and "noprune".startswith(word) for word in how)
    refused = _Refusals(source.jobs)
    texts = []
    for ad in jobs:
        ad = refused.told(ad)
        texts.append(_job_analysis(ad, slots, _Look(detailed, args.has("verbose"), everything, known)))
    return "".join(texts)


class _Refusals:
    """The job of every autocluster of a user whose match failed last: the negotiator asks once for all of them."""

    def __init__(self, everything: Iterable[ClassAd]) -> None:
        self._likeness = Likeness()
        self._found: dict[tuple[str | None, Key], ClassAd] = {}
        for ad in everything:
            moment = ad.eval_int("LastRejMatchTime", 0) or 0
            if moment and ad.eval_int("JobStatus") == _IDLE:
                kind = ad.eval_str("User"), self._likeness.key(ad)
                known = self._found.get(kind)
                if known is None or moment > (known.eval_int("LastRejMatchTime", 0) or 0):
                    self._found[kind] = ad

    def told(self, ad: ClassAd) -> ClassAd:
        """An idle job with what the negotiator recorded for its like."""
        if ad.has("LastRejMatchTime") or ad.eval_int("JobStatus") != _IDLE:
            return ad
        like = self._found.get((ad.eval_str("User"), self._likeness.key(ad)))
        return ad if like is None else _with_refusal(ad, like)


def _with_refusal(ad: ClassAd, like: ClassAd) -> ClassAd:
    copy = ad.flat_copy()
    for name in ("LastRejMatchTime", "LastRejMatchReason", "LastRejMatchNegotiator"):
        text = like.text(name)
        if text is not None:
            copy.set_text(name, text)
    return copy


def unmatchable(request: Request, source: Source, jobs: Sequence[ClassAd]) -> list[ClassAd]:
    """The jobs that no slot and its job both accept (``-unmatchable``)."""
    slots = [ad for ad in _slots(request, source) if not ad.eval_bool("DynamicSlot")]
    return [
        ad for ad in jobs
        if not any(requirements_match(ad, slot) and requirements_match(slot, ad) for slot in slots)
    ]  # fmt: skip


def _slots(request: Request, source: Source) -> list[ClassAd]:
    args = request.args
    if args.has("slotads"):
        from condor_py.tools.adfile import read_ads

        slots = read_ads(args.text("slotads") or "", args.colon("slotads") or "auto")
    else:
        slots = [] if source.pool is None else source.pool.ads("STARTD")
    slots = [ad for ad in slots if ad.has("Name") and ad.has("State")]
    machine = args.text("machine")
    if machine is not None:
        slots = [ad for ad in slots if machine in (ad.eval_str("Name"), ad.eval_str("Machine"))]
    for text in args.texts("slotconstraint"):
        tree = parse(text)
        slots = [ad for ad in slots if is_true(ad.raw(tree))]
    return sorted(slots, key=lambda ad: ad.eval_str("Name") or "")


# ---- one job ------------------------------------------------------------------------------------------------


class Counts:
    """Slots sorted by what they and the job say of each other. Dynamic slots are not counted."""

    def __init__(self, job: ClassAd, slots: Sequence[ClassAd], known: Standing | None = None) -> None:
        self._known = known
        self.better: list[str] = []
        self.kept: list[str] = []
        self.offline: list[str] = []
        self.rejected: list[str] = []
        self.rejecting: list[str] = []
        self.mine: list[str] = []
        self.others: list[str] = []
        self.willing: list[str] = []
        static = [ad for ad in slots if not ad.eval_bool("DynamicSlot")]
        self.total = len(static)
        self.machines = len({ad.eval_str("Machine") for ad in slots})
        for slot in static:
            self._place(job, slot).append(slot.eval_str("Name") or "?")

    def _place(self, job: ClassAd, slot: ClassAd) -> list[str]:
        if not requirements_match(job, slot):
            return self.rejected
        if not requirements_match(slot, job):
            return self.rejecting
        user = slot.eval_str("RemoteUser")
        if user is None:
            return self.offline if self._known is not None and slot.eval_bool("Offline") else self.willing
        if user == job.eval_str("User"):
            return self.mine
        if self._known is None:
            return self.others
        if self._known.is_behind(job, slot):
            return self.better
        return self.willing if self._known.gives_way(job, slot) else self.kept


class _Look(NamedTuple):
    """How to analyse: in ``detailed`` form, with the names of slots (``verbose``), with steps that decide nothing
    (``everything``), and what is known of user priorities (None: ignore them)."""

    detailed: bool
    verbose: bool
    everything: bool
    known: Standing | None


def _job_analysis(job: ClassAd, slots: Sequence[ClassAd], look: _Look) -> str:
    status = _status(job)
    if status and not look.detailed:
        return "\n" + _run_state(job, status)
    counts = Counts(job, slots, look.known)
    text = _requirements(job, slots, look.everything) + "\n" if look.detailed or counts.rejected else ""
    if counts.total:
        lead = "" if look.known is None else look.known.heading(job)
        text += lead + _totals(job, counts, look.verbose, considered=look.known is not None)
    return text + "\n" + _run_state(job, status)


def _status(job: ClassAd) -> str:
    status = job.eval_int("JobStatus")
    if status in (_RUNNING, _TRANSFERRING, _SUSPENDED):
        return "Job is running."
    if status == _HELD:
        reason = job.eval_str("HoldReason")
        return f"Job is held.\n\nHold reason: {reason}" if reason else "Job is held."
    if status == _REMOVED:
        return "Job is removed."
    if status == _COMPLETED:
        return "Job is completed."
    cool_down = job.eval_int("JobCoolDownExpiration", 0) or 0
    if status == _IDLE and cool_down > (job.eval_int("ServerTime") or int(time.time())):
        return "Job is in cool down."
    return ""


def _run_state(job: ClassAd, status: str) -> str:
    cluster, proc = job_key(job)
    lines = [f"\n{cluster:03d}.{proc:03d}:  {status}\n\n"] if status else []
    matched = job.eval_int("LastMatchTime", 0) or 0
    rejected = job.eval_int("LastRejMatchTime", 0) or 0
    if matched:
        lines.append(f"Last successful match: {time.ctime(matched)}\n")
    elif rejected:
        lines.append("No successful match recorded.\n")
    if rejected > matched:
        negotiator = job.eval_str("LastRejMatchNegotiator")
        lines.append(f"Last failed match: {time.ctime(rejected)}{f' from {negotiator}' if negotiator else ''}\n")
        reason = job.eval_str("LastRejMatchReason")
        if reason is not None:
            lines.append(f"Reason for last match failure: {reason}\n")
    return "".join(lines)


def _totals(job: ClassAd, counts: Counts, verbose: bool, *, considered: bool) -> str:
    cluster, proc = job_key(job)
    how = "considering" if considered else "ignoring"
    lines = [
        f"\n{cluster:03d}.{proc:03d}:  Run analysis summary {how} user priority.  Of {counts.total} slots on "
        f"{counts.machines} machines,",
        _count_line(counts.rejected, "slots are rejected by your job's requirements", verbose),
        _count_line(counts.rejecting, "slots reject your job because of their own requirements", verbose),
    ]
    if considered:
        lines += [
            _count_line(counts.mine, "slots match and are already running one of your jobs", False),
            _count_line(counts.better, "slots match but are serving users with a better priority in the pool", verbose),
            _count_line(counts.kept, "slots match but will not currently preempt their existing job", verbose),
            _count_line(counts.offline, "slots match but are currently offline\n", False),
        ]
    elif counts.mine:
        lines.append(_count_line(counts.mine, "slots match and are already running your jobs", False))
    if not considered and (counts.mine or counts.others):
        lines.append(_count_line(counts.others, "slots match but are serving other users", verbose))
    lines.append(_count_line(counts.willing, "slots match and are willing to run your job", verbose))
    matches = counts.mine or counts.others or counts.willing or counts.better or counts.kept or counts.offline
    if not matches:
        lines.append("\nWARNING:  Be advised:")
        if counts.rejecting:
            lines += [
                "   Job did not match any machines' constraints",
                "   To see why, pick a machine that you think should match and add",
                "     -reverse -machine <name>",
                "   to your query.",
            ]
        else:
            lines.append("   No machines matched the job's constraints")
    return "\n".join(lines) + "\n"


def _count_line(names: list[str], text: str, verbose: bool) -> str:
    shown = f": {', '.join(names[:10])}{', ...' if len(names) > 10 else ''}" if verbose and names else ""
    return f"  {len(names):5d} {text}{shown}"


def _requirements(job: ClassAd, slots: Sequence[ClassAd], everything: bool = False) -> str:
    """The sections about the Requirements expression."""
    cluster, proc = job_key(job)
    name = f"{cluster}.{proc:03d}"
    text = job.text("Requirements")
    if text is None:
        return f"Job {name} has no Requirements expression.\n"
    tree = parse(text)
    single = len(slots) == 1
    static = list(slots) if single else [ad for ad in slots if not ad.eval_bool("DynamicSlot")]
    parts = [
        f"The Requirements expression for job {name} is\n\n    {wrapped(text)}\n\n",
        numbered(tree) + "\n",
        f"Job {name} defines the following attributes:\n\n",
    ]
    references = attribute_references(tree, job)
    parts += own_attributes(job, references.my)
    if single:
        parts += target_attributes(slots[0].eval_str("Name") or "?", slots[0], job, references.target)
    parts.append(f"\nThe Requirements expression for job {name} reduces to these conditions:\n\n")
    parts.append(reduced(job, tree, static, everything=everything))
    return "".join(parts)


def own_attributes(ad: ClassAd, names: Iterable[str]) -> list[str]:
    """Lines of the attributes that an expression takes from its own ad, as they are written."""
    return [f"    {name} = {ad.text(name)}{_UNITS.get(name.lower(), '')}\n" for name in names if ad.has(name)]


def target_attributes(title: str, ad: ClassAd, other: ClassAd, names: Iterable[str]) -> list[str]:
    """A heading, and the values that an expression of ``other`` takes from ``ad``."""
    lines = [f"\n{title} has the following attributes:\n\n"]
    for name in names:
        value = value_text(ad.raw(name, other), quoted=True)
        lines.append(f"    TARGET.{name} = {value}{_UNITS.get(name.lower(), '')}\n")
    return lines


def wrapped(text: str, indent: int = 4) -> str:
    """An expression broken after ``&&`` and ``||``, two more blanks for every open parenthesis."""
    lines: list[str] = []
    line = ""
    depth = 0
    start = 0
    pieces = []
    for match in _BREAK.finditer(text):
        pieces.append(text[start : match.end() - 1])
        start = match.end()
    pieces.append(text[start:])
    margin = indent
    for piece in pieces:
        if line and margin + len(line) + 1 + len(piece) > _WIDTH:
            lines.append(line if not lines else " " * margin + line)
            margin, line = indent + 2 * depth, piece
        else:
            line = f"{line} {piece}" if line else piece
        depth += _open_parentheses(piece)
    lines.append(line if not lines else " " * margin + line)
    return "\n".join(lines)


def _open_parentheses(piece: str) -> int:
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', "", piece)
    return bare.count("(") - bare.count(")")


# ---- turned round: what slots ask of jobs ---------------------------------------------------------------------


def reversed_analysis(slots: Sequence[ClassAd], jobs: Sequence[ClassAd]) -> str:
    """``-reverse-analyze``: a row a slot, or the details of the only one."""
    if len(slots) == 1:
        return _slot_analysis(slots[0], jobs)
    width = max([16, *(len(ad.eval_str("Name") or "") for ad in slots)])
    form = "{:<" + str(width) + "} {:>4} {:>12} {:>12} {:>10}"
    lines = [
        f"Analyzing matches for {len(jobs)} jobs",
        form.format("", "Slot", "Slot's Req ", "  Job's Req ", "Both   "),
        form.format("Name", "Type", "Matches Job", "Matches Slot", "Match %"),
        form.format("-" * min(24, width), "----", "-" * 12, "-" * 12, "-" * 10),
    ]
    for slot in slots:
        accepted, accepting, both = _slot_counts(slot, jobs)
        name = slot.eval_str("Name") or ""
        share = 100.0 * both / len(jobs) if jobs else 0.0
        lines.append(f"{name:<{width}} {_slot_type(slot):<4} {accepted:>12} {accepting:>12} {share:>10.2f}")
    return "\n".join(lines) + "\n"


def _slot_type(slot: ClassAd) -> str:
    if slot.eval_bool("DynamicSlot"):
        return "Dyn"
    return "Part" if slot.eval_bool("PartitionableSlot") else "Stat"


def _slot_counts(slot: ClassAd, jobs: Sequence[ClassAd]) -> tuple[int, int, int]:
    """Jobs that the slot accepts, jobs that accept the slot, and both."""
    accepted = [requirements_match(slot, job) for job in jobs]
    accepting = [requirements_match(job, slot) for job in jobs]
    return sum(accepted), sum(accepting), sum(map(min, accepted, accepting))


def _slot_analysis(slot: ClassAd, jobs: Sequence[ClassAd]) -> str:
    name = slot.eval_str("Name")
    likeness = Likeness()
    clusters = len({likeness.key(ad) for ad in jobs})
    parts = [f"\n-- Slot: {name} : Analyzing matches for {len(jobs)} Jobs in {clusters} autoclusters\n"]
    text = slot.text("Requirements")
    if text is not None:
        tree = parse(text)
        references = attribute_references(tree, slot)
        parts.append(f"\nThe Requirements expression for this slot is\n\n    {wrapped(text)}")
        for part in ("START", "WithinResourceLimits"):
            if slot.has(part):
                parts.append(f"\n\n  {part} is\n    {wrapped(slot.text(part) or '')}")
        parts.append(f"\n\n{numbered(tree)}\nThis slot defines the following attributes:\n\n")
        parts += own_attributes(slot, references.my)
        if len(jobs) == 1:
            cluster, proc = job_key(jobs[0])
            parts += target_attributes(f"Job {cluster}.{proc}", jobs[0], slot, references.target)
        parts.append("\nThe Requirements expression for this slot reduces to these conditions:\n\n")
        parts.append(reduced(slot, tree, jobs, "Clusters"))
    accepted, accepting, both = _slot_counts(slot, jobs)
    share = 100.0 * both / len(jobs) if jobs else 0.0
    parts.append(
        f"\n{name}: Run analysis summary of {len(jobs)} jobs.\n"
        f"{both:5d} ({share:.2f} %) match both slot and job requirements.\n"
        f"{accepted:5d} match the requirements of this slot.\n"
        f"{accepting:5d} have job requirements that match this slot.\n"
    )
    return "".join(parts)


def _unmatched(jobs: Sequence[ClassAd], slots: Sequence[ClassAd]) -> str:
    """``-better-analyze -unmatchable``: a line for each autocluster of these jobs, which no slot takes."""
    likeness = Likeness()
    groups: dict[Key, list[ClassAd]] = {}
    for ad in jobs:
        groups.setdefault(likeness.key(ad), []).append(ad)
    lines = []
    for number, members in enumerate(groups.values(), 1):
        first = members[0]
        found = first.eval_int("AutoClusterId") or number
        what = "All slots reject" if Counts(first, slots).rejecting else "No slots match"
        ids = "".join(" {}.{}".format(*job_key(ad)) for ad in members)
        lines.append(f"{what} autocluster {found}, jobs :{ids}\n")
    return "".join(lines)


# ---- the summary --------------------------------------------------------------------------------------------


def _summary(jobs: Sequence[ClassAd], slots: Sequence[ClassAd]) -> str:
    """``-better-analyze:summary``: one row for each autocluster."""
    heads = (
        ("", " Autocluster", "   Matches  ", "  Machine  ", "  Running  ", "  Serving ", "", ""),
        (" JobId", "Members/Idle", "Requirements", "Rejects Job", " Users Job ", "Other User", "Available", "Owner"),
        ("-" * 13, "-" * 12, "-" * 12, "-" * 11, "-" * 11, "-" * 10, "-" * 9, "-----"),
    )
    lines = [f"Analyzing matches for {len(slots)} slots", *(_SUMMARY_ROW.format(*head) for head in heads)]
    likeness = Likeness()
    groups: dict[Key, list[ClassAd]] = {}
    for ad in jobs:
        groups.setdefault(likeness.key(ad), []).append(ad)
    for members in groups.values():
        lines.append(_summary_row(members, slots))
    return "\n".join(lines) + "\n"


def _summary_row(members: list[ClassAd], slots: Sequence[ClassAd]) -> str:
    job = members[0]
    cluster, proc = job_key(job)
    counts = Counts(job, slots)
    states = [ad.eval_int("JobStatus") for ad in members]
    idle = states.count(_IDLE)
    running = sum(states.count(state) for state in (_RUNNING, _TRANSFERRING, _SUSPENDED))
    shown = f"{f'{running}/' if running else ''}{len(counts.mine)}"
    return (
        f"{f'{cluster}.{proc}':<13} {f'{len(members)}/{idle}':<12} {counts.total - len(counts.rejected):>12} "
        f"{len(counts.rejecting):>11} {shown:>11} {len(counts.others):>10} {len(counts.willing):>9} "
        f"{job.eval_str('Owner') or ''}"
    )
