"""The pool: its slots as a picture of cores, memory, disk and GPUs, and who is on them."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING

from markupsafe import Markup

from condor_py.cli.web import svg
from condor_py.cli.web.page import NUMBER, TEXT, TRUTH, WHOLE, Data, Page, array, maybe, record
from condor_py.cli.web.texts import amount, disk, memory
from condor_py.model.states import JobStatus

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from condor_py.cli.web.live import Watch
    from condor_py.cli.web.page import Asked
    from condor_py.lang.classad import ClassAd

#: Slots that are listed and drawn; a machine with more of them says how many are left out.
_MOST_SLOTS = 1000
_FREE = frozenset(("Unclaimed", "Owner", "Drained"))
#: Amounts of a slot: field, attribute, heading, and how it is printed.
_RESOURCES = (("cpus", "Cpus", "Cores", amount), ("memory", "Memory", "Memory", memory), ("disk", "Disk", "Disk", disk),
              ("gpus", "GPUs", "GPUs", amount))  # fmt: skip
#: Amounts up to which a picture marks each one.
_MOST_MARKED = 128


def view(watch: Watch, asked: Asked) -> Data:
    """Return the slots and totals of the machine, and its users with what they hold."""
    slots = [_slot(ad, asked.now) for ad in watch.slots()]
    groups = _groups(slots)
    first = next(iter(watch.slots()), None)
    return {
        "host": watch.pool.settings.host,
        "runs": _runs(watch),
        "load": round(os.getloadavg()[0], 2),
        "job_load": _rounded(first.eval_real("TotalCondorLoadAvg", None) if first is not None else None),
        "totals": {field: _total(slots, field) for field, _, _, _ in _RESOURCES},
        "jobs": _jobs(watch),
        "users": _users(watch, slots),
        "groups": [_shown(group) for group in groups],
        "left_out": max(0, len(slots) - _MOST_SLOTS),
    }


def _runs(watch: Watch) -> bool:
    from condor_py.client.lockfile import lock_holder

    return bool(lock_holder(watch.pool.paths.daemon_lock("MASTER")))


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)


def _slot(ad: ClassAd, now: int) -> Data:
    user = ad.eval_str("AccountingGroup") or ad.eval_str("RemoteUser") or ad.eval_str("RemoteOwner", "")
    state = ad.eval_str("State", "")
    return {
        "name": ad.eval_str("Name", "").partition("@")[0],
        "kind": "partitionable" if ad.eval_bool("PartitionableSlot", False) else
        "dynamic" if ad.eval_bool("DynamicSlot", False) else "static",
        "parent": ad.eval_int("SlotID", 0),
        "state": state,
        "activity": ad.eval_str("Activity", ""),
        "seconds": max(0, now - (ad.eval_int("EnteredCurrentActivity", now) or now)),
        **{field: ad.eval_real(attribute, 0.0) for field, attribute, _, _ in _RESOURCES},
        "load": round(ad.eval_real("LoadAvg", 0.0), 2),
        "user": user.partition("@")[0],
        "owner": ad.eval_str("RemoteOwner", "").partition("@")[0],
        "job": ad.eval_str("JobId", ""),
        "free": state in _FREE,
        "note": _note(ad, state),
    }  # fmt: skip


def _note(ad: ClassAd, state: str) -> str:
    """Return why a slot takes no jobs: it drains, or the machine sleeps."""
    if ad.eval_bool("Offline", False):
        return "asleep"
    if state == "Drained" or ad.eval_bool("Draining", False):
        reason = ad.eval_str("DrainReason", "")
        return f"drains: {reason}" if reason else "drains"
    return ""


def _groups(slots: list[Data]) -> list[list[Data]]:
    """Return each partitionable slot with its parts behind it, and all other slots together."""
    shown = slots[:_MOST_SLOTS]
    found: dict[int, list[Data]] = {slot["parent"]: [slot] for slot in shown if slot["kind"] == "partitionable"}
    others: list[Data] = []
    for slot in shown:
        if slot["kind"] != "partitionable":
            found.get(slot["parent"] if slot["kind"] == "dynamic" else -1, others).append(slot)
    return [*found.values(), *([others] if others else [])]


def _shown(group: list[Data]) -> Data:
    whole = group[0]["kind"] == "partitionable"
    return {
        "name": group[0]["name"] if whole else "slots",
        "partitionable": whole,
        "totals": {field: _total(group, field) for field, _, _, _ in _RESOURCES},
        "note": next((slot["note"] for slot in group if slot["note"]), ""),
        "slots": [{name: value for name, value in slot.items() if name != "parent"} for slot in group],
    }


def _total(slots: Iterable[Data], field: str) -> Data:
    found = [(slot[field], slot["free"]) for slot in slots]
    return {"used": sum(value for value, free in found if not free), "total": sum(value for value, _ in found)}


def _jobs(watch: Watch) -> Data:
    counts = watch.jobs.counts()
    return {
        "running": counts.get(JobStatus.RUNNING, 0) + counts.get(JobStatus.TRANSFERRING_OUTPUT, 0),
        "idle": counts.get(JobStatus.IDLE, 0),
        "held": counts.get(JobStatus.HELD, 0),
    }


def _users(watch: Watch, slots: list[Data]) -> list[Data]:
    """Return the users with jobs or slots, those with most cores first."""
    held: dict[str, Counter[str]] = {}
    for slot in slots:
        if slot["user"] and not slot["free"]:
            own = held.setdefault(slot["user"], Counter())
            own["slots"] += 1
            for field, _, _, _ in _RESOURCES:
                own[field] += slot[field]
    queued: dict[str, Counter[int]] = {}
    for known, count in watch.jobs.tally.items():
        if count:
            queued.setdefault(known.submitter, Counter())[known.status] += count
    rows = [_user(name, held.get(name, Counter()), queued.get(name, Counter())) for name in {*held, *queued}]
    return sorted(rows, key=lambda row: (-row["cpus"], -row["idle"], row["name"]))


def _user(name: str, held: Counter[str], queued: Counter[int]) -> Data:
    return {
        "name": name, "slots": held["slots"], **{field: held[field] for field, _, _, _ in _RESOURCES},
        "running": queued[JobStatus.RUNNING] + queued[JobStatus.TRANSFERRING_OUTPUT],
        "idle": queued[JobStatus.IDLE], "held": queued[JobStatus.HELD],
    }  # fmt: skip


# ---- the picture ----------------------------------------------------------------------------------------------------

_LABEL, _BAR, _GAP = 20, 30, 12
#: The part of the width that a job number needs.
_SMALL = 0.04


def picture(data: Data) -> Markup:
    """Return all slots: a group of bars for each partitionable slot, with its parts side by side."""
    drawn: list[Markup] = []
    top = 0
    for group in data["groups"]:
        rows = [row for row in _RESOURCES if group["totals"][row[0]]["total"] > 0]
        if len(data["groups"]) > 1:
            drawn.append(svg.words(0, top + 15, group["name"], "strong"))
            top += _LABEL
        for row in rows:
            drawn += _bar(group, row, top)
            top += _LABEL + _BAR + _GAP
        top += _GAP
    return svg.strip(max(1, top - 2 * _GAP), "What the slots hold of the machine", *drawn)


def _bar(group: Data, row: tuple[str, str, str, object], top: int) -> list[Markup]:
    field, _, heading, _ = row
    shown = _RESOURCES[[each[0] for each in _RESOURCES].index(field)][3]
    totals = group["totals"][field]
    total = totals["total"]
    label = f"{shown(totals['used'])} of {shown(total)} in use"
    drawn = [
        svg.words(0, top + 14, heading, "strong"),
        svg.element("text", label, x="100%", y=top + 14, text_anchor="end", class_="faint"),
        svg.element("rect", x=0, y=top + _LABEL, width="100%", height=_BAR, rx=3, class_="free"),
    ]
    at = 0.0
    for slot in sorted(group["slots"], key=lambda slot: (slot["free"], slot["user"])):
        part = slot[field] / total
        if part > 0 and not (slot["free"] and group["partitionable"]):
            drawn.append(_part(slot, field, at, part, top + _LABEL))
        at += part
    if field in ("cpus", "gpus") and total <= _MOST_MARKED and total == int(total):
        drawn += _marks(int(total), top + _LABEL)
    return drawn


def _part(slot: Data, field: str, at: float, part: float, top: int) -> Markup:
    """Return the part of a bar that a slot is; what does not fit of its text is cut."""
    who = slot["user"] or slot["state"]
    summary = (
        f"{slot['name']}: {who}" + (f", job {slot['job']}" if slot["job"] else "") + f", {slot['activity'].lower()}"
    )
    amounts = ", ".join(f"{heading}: {show(slot[name])}" for name, _, heading, show in _RESOURCES if slot[name])
    colour = svg.colour(slot["user"]) if slot["user"] else "free"
    inside = svg.element(
        "svg",
        svg.element("title", f"{summary}\n{amounts}"),
        svg.element("rect", x=0.5, y=0.5, width="100%", height=_BAR - 1, rx=2, class_=f"part {colour}"),
        svg.words(6, 19, _label(who, slot["job"], part), "on-colour" if slot["user"] else "faint"),
        x=f"{100 * at:.4f}%", y=top, width=f"{100 * part:.4f}%", height=_BAR,
    )  # fmt: skip
    return svg.link(f"/queue/{slot['job']}", inside) if slot["job"] else inside


def _label(who: str, job: str, part: float) -> str:
    """Return what fits into a part of the picture; very small ones say nothing."""
    if part < _SMALL:
        return ""
    return f"{who} {job}".strip() if part > 2 * _SMALL or not job else job


def _marks(count: int, top: int) -> list[Markup]:
    """Return a line between each two of ``count`` equal parts."""
    places = [f"{100 * number / count:.4f}%" for number in range(1, count)]
    return [svg.element("line", x1=place, x2=place, y1=top, y2=top + _BAR, class_="mark") for place in places]


def legend(users: Sequence[Data]) -> list[str]:
    """Return the users that have a colour in the picture."""
    return [user["name"] for user in users if user["slots"]]


_AMOUNT = record(used=NUMBER, total=NUMBER)
_TOTALS = record(cpus=_AMOUNT, memory=_AMOUNT, disk=_AMOUNT, gpus=_AMOUNT)
_SLOT = record(
    name=TEXT, kind=TEXT, state=TEXT, activity=TEXT, seconds=WHOLE, cpus=NUMBER, memory=NUMBER, disk=NUMBER,
    gpus=NUMBER, load=NUMBER, user=TEXT, owner=TEXT, job=TEXT, free=TRUTH, note=TEXT,
)  # fmt: skip
_USER = record(
    name=TEXT, slots=WHOLE, cpus=NUMBER, memory=NUMBER, disk=NUMBER, gpus=NUMBER, running=WHOLE, idle=WHOLE, held=WHOLE
)
PAGE = Page(
    "pool",
    "Pool",
    view,
    schema=record(
        host=TEXT, runs=TRUTH, load=NUMBER, job_load=maybe(NUMBER), totals=_TOTALS,
        jobs=record(running=WHOLE, idle=WHOLE, held=WHOLE), users=array(_USER),
        groups=array(record(name=TEXT, partitionable=TRUTH, totals=_TOTALS, note=TEXT, slots=array(_SLOT))),
        left_out=WHOLE,
    ),
    subjects=("slots", "queue", "daemons"),
    pictures={"slots": picture},
)  # fmt: skip
