"""Names of a job at the remote system: our name for it, by which it is found again, and its GridJobId."""

from __future__ import annotations

from time import localtime, strftime
from typing import NamedTuple

#: Characters that would not do in the name of a directory, or that some batch system does not take.
_PLAIN = str.maketrans(dict.fromkeys("@#:?, \t/'\"$;&|<>()`\\*[]{}~!", "_"))


class Remote(NamedTuple):
    """Content of a GridJobId: our name of the job and the remote system's, "" for what it does not contain."""

    name: str
    id: str


def name_of(pool: str, global_id: str, attempt: int) -> str:
    """The name that a job has elsewhere, another one at each attempt; it is also that of its directory there."""
    first = pool.replace(",", " ").split()
    name = f"{first[0] if first else 'NoPool'}_{global_id}".translate(_PLAIN)
    return name if attempt <= 1 else f"{name}_{attempt}"


def type_of(resource: str) -> str:
    """The type that a GridResource begins with, in small letters: ``batch``, ``condor`` ..."""
    words = resource.split(None, 1)
    kind = words[0].lower() if words else ""
    return "batch" if kind in ("pbs", "sge", "lsf") else kind


def normal(resource: str) -> str:
    """One text for all ways to name a resource: ``pbs`` is ``batch pbs``."""
    words = resource.split()
    if not words:
        return ""
    if words[0].lower() in ("pbs", "sge", "lsf"):
        words.insert(0, "batch")
    if type_of(resource) == "batch":
        words[:2] = [word.lower() for word in words[:2]]
    else:
        words[0] = words[0].lower()
    return " ".join(words)


def grid_job_id(resource: str, name: str, remote_id: str, now: int = 0) -> str:
    """GridJobId: ``batch SYSTEM NAME [SYSTEM/DAY/ID]``, and of other types ``RESOURCE [ID]``; ``now`` in Unix
    seconds."""
    words = normal(resource).split()
    if words[:1] == ["batch"]:
        words = [*words[:2], name]
        if remote_id:
            remote_id = f"{words[1]}/{strftime('%Y%m%d', localtime(now))}/{remote_id}"
    return " ".join([*words, remote_id] if remote_id else words)


def remote_of(resource: str, grid_id: str, name: str) -> Remote:
    """Parse a GridJobId of ``resource``; ``name`` is that of the job's attempt, for types whose id lacks it."""
    words = grid_id.split()
    if not words:
        return Remote("", "")
    if words[0].lower() == "batch":
        last = words[2] if len(words) > 2 else ""
        is_ours = last == last.translate(_PLAIN) and not last.startswith(".")  # it is that of a directory
        return Remote(last if last and is_ours else name, words[3].rpartition("/")[2] if len(words) > 3 else "")
    count = len(normal(resource).split())
    return Remote(name, words[count] if len(words) > count else "")
