"""Amounts that a job gets: its request, rounded up by MODIFY_REQUEST_EXPR_* where that still fits. Pure."""

from __future__ import annotations

from functools import lru_cache

from condor_py.core.slots import expressions
from condor_py.core.slots.resources import Resources
from condor_py.lang.classad import ClassAd, finite, parse, whole
from condor_py.lang.classad.dependencies import names_in
from condor_py.model.settings.startd import SlotPolicy


def requested(job: ClassAd, slot: ClassAd | None, custom: tuple[str, ...]) -> Resources | None:
    """Resources that ``job`` requests, evaluated against ``slot``; None without a memory or a disk request.

    cpus default to 1; the result has the custom resources ``custom``, 0 where the job names none. Fractions of
    a cpu, MB or KB are cut off; at least 1 cpu and 1 MB are given (manual: RequestCpus, RequestMemory).
    """
    cpus = expressions.number(job, "RequestCpus", slot)
    memory = expressions.number(job, "RequestMemory", slot)
    disk = expressions.number(job, "RequestDisk", slot)
    if memory is None or disk is None:
        return None
    swap = expressions.number(job, "RequestVirtualMemory", slot)
    return Resources(
        cpus=float(whole(1 if cpus is None else cpus, 1)),
        memory=whole(memory, 1),
        disk=whole(disk, 0),
        swap=whole(swap or 0, 0),
        custom=tuple((name, _amount(job, f"Request{name}", slot)) for name in custom),
    )


def _amount(job: ClassAd, attribute: str, slot: ClassAd | None) -> float:
    return max(0.0, expressions.number(job, attribute, slot) or 0.0)


def looks_at_slot(job: ClassAd, custom: tuple[str, ...], policy: SlotPolicy) -> bool:
    """Whether the slot's ad, which is much work to make, may have a part in what ``job`` gets. It has none where the
    job asks for plain numbers and MODIFY_REQUEST_EXPR_* look at nothing else."""
    if policy.consumption:
        return True
    plain = set()
    for name in ("Cpus", "Memory", "Disk", "VirtualMemory", *custom):
        text = job.text(f"Request{name}")
        if text is not None:
            if not text.isdecimal():
                return True
            plain.add(f"request{name}".lower())
    return not _names_modified_by(policy.modify_request) <= plain


@lru_cache(maxsize=64)
def _names_modified_by(modify_request: tuple[tuple[str, str], ...]) -> frozenset[str]:
    """The attributes that MODIFY_REQUEST_EXPR_* look at, in lower case."""
    return frozenset().union(*(names_in(parse(text).node) for _, text in modify_request if text))


def taken(job: ClassAd, slot: ClassAd | None, custom: tuple[str, ...], policy: SlotPolicy) -> Resources | None:
    """Resources that a match takes from the slot: by its consumption policy if it has one, else the request of the job.

    None when it requests no memory or no disk, or when the policy gives no amounts, or only zeros.
    """
    if slot is None or not policy.consumption:
        return requested(job, slot, custom)
    asked = job.copy()
    asked.set_texts((f"Request{name}", "0") for name, _ in policy.consumption if not job.has(f"Request{name}"))
    amounts: dict[str, float] = {}
    for name, text in policy.consumption:
        value = finite(expressions.evaluate(text, slot, asked))
        if value is None or value < 0:
            return None
        amounts[name.lower()] = value
    if not any(amounts.values()):
        return None
    return Resources(
        cpus=float(amounts.get("cpus", 0)),
        memory=whole(amounts.get("memory", 0), 0),
        disk=whole(amounts.get("disk", 0), 0),
        swap=whole(expressions.number(job, "RequestVirtualMemory", slot) or 0, 0),
        custom=tuple((name, float(amounts.get(name.lower(), 0.0))) for name in custom),
    )


def rounded(job: ClassAd, slot: ClassAd | None, policy: SlotPolicy) -> ClassAd:
    """A copy of ``job`` whose requests are modified; an expression that gives no number leaves its request
    alone."""
    modified = job.copy()
    for attribute, text in policy.modify_request:
        if not text:
            continue
        value = finite(expressions.evaluate(text, modified, slot))
        if value is not None:
            modified.set_int(attribute, whole(value))
    return modified


def candidates(job: ClassAd, slot: ClassAd | None, policy: SlotPolicy) -> list[ClassAd]:
    """The job ads to try, best first: modified, then (unless MUST_MODIFY_REQUEST_EXPRS) as it is."""
    if policy.consumption:
        return [job]
    first = rounded(job, slot, policy)
    return [first] if policy.must_modify_requests else [first, job]
