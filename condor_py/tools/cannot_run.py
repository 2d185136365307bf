"""What a pool has not and a job needs whatever else is free: a universe, containers, a way to transfer files (ours)."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from condor_py.classad.ad import ClassAd
from condor_py.classad.nodes import Attr, Binary, Call, Literal, Node, Paren
from condor_py.model.states import JobStatus, Universe

if TYPE_CHECKING:
    from condor_py.access.pool import Pool
    from condor_py.tools.q.source import Source

_UNIVERSES = {
    1: "standard",
    4: "PVM",
    8: "MPI",
    Universe.PARALLEL: "parallel",
}
_NUMBERS = frozenset(str(int(number)) for number in _UNIVERSES)
#: Attributes of slots that requirements ask for, and what a slot without them lacks.
_ABILITIES = {
    "hasjava": "no slot has Java (HasJava)",
    "hasvm": "no slot runs virtual machines (HasVM)",
    "hasdocker": "no slot has docker or podman (HasDocker)",
    "hascontainer": "no slot runs containers (HasContainer)",
    "hasdockerurl": "no slot runs images of registries (HasDockerURL)",
    "hassif": "no slot runs SIF images (HasSIF)",
    "hassandboximage": "no slot runs images that are directories (HasSandboxImage)",
    "hastdp": "no slot runs tool daemons (HasTDP)",
    "hasencryptexecutedirectory": "no slot encrypts scratch directories (HasEncryptExecuteDirectory)",
}
_METHODS = "hasfiletransferpluginmethods"
_URL = "://"
#: Occurs in Requirements that ask for any of these.
_MAY_LACK = re.compile(r"\bHas(?!FileTransfer\b)", re.IGNORECASE)


#: Attributes (their keys) that tell whether it is worth while to look at the slots for a job.
_LOOKED_AT = ("jobuniverse", "requirements", "checkpointdestination")
#: A table of condor_q is not kept waiting for more.
_MOST_CLUSTERS = 1000


def may_lack(texts: Mapping[str, str]) -> bool:
    """Whether it is worth while to look at the slots for a job with these expressions by key."""
    universe, requirements, destination = (texts.get(key) or "" for key in _LOOKED_AT)
    return universe in _NUMBERS or bool(destination) or _MAY_LACK.search(requirements) is not None


def cannot_run(job: ClassAd, slots: Sequence[ClassAd]) -> str:
    """Why none of the slots of a pool will ever run a job; "" where they may, or no slot is known."""
    name = _UNIVERSES.get(job.eval_int("JobUniverse", 0))
    if name is not None:
        return f"this pool runs no jobs of the {name} universe"
    if not slots:
        return ""
    asked = _asked(job)
    for key, text in _ABILITIES.items():
        if key in asked and not any(slot.eval_bool(key) for slot in slots):
            return text  # the first word says enough: a slot without containers lacks all kinds of images as well
    return _transfers(job, asked, slots)


def _transfers(job: ClassAd, asked: Iterable[str], slots: Sequence[ClassAd]) -> str:
    """The methods of transfer that no slot has."""
    known = {method for slot in slots for method in re.findall(r"[^\s,]+", slot.eval_str(_METHODS, "").lower())}
    wanted = [method.removesuffix(_URL) for method in asked if method.endswith(_URL)]
    if job.has("CheckpointDestination"):
        wanted.append(job.eval_str("CheckpointDestination", "").partition(_URL)[0].lower())
    missing = sorted({method for method in wanted if method and method not in known})
    if not missing:
        return ""
    urls = " and ".join(method + _URL for method in missing)
    return f"no slot has a file transfer plugin for {urls} (HasFileTransferPluginMethods)"


def _asked(job: ClassAd) -> set[str]:
    """What Requirements ask for whatever else they say: attributes by key, methods of transfer as ``http://``."""
    if not job.has("Requirements"):
        return set()
    found: set[str] = set()
    work: list[Node] = [job.lookup("Requirements").node]
    while work:
        node = work.pop()
        if isinstance(node, Paren):
            work.append(node.inner)
        elif isinstance(node, Binary) and node.op == "&&":
            work += (node.left, node.right)
        elif isinstance(node, Binary) and node.op in ("==", "=?=") and _is_true(node.right):
            work.append(node.left)
        elif isinstance(node, Attr):
            found.add(node.key)
        elif isinstance(node, Call):
            found.add(_method(node))
    return found


def _is_true(node: Node) -> bool:
    return isinstance(node, Literal) and node.value is True


def _method(call: Call) -> str:
    """The method of transfer that a call looks for, as ``http://``."""
    if call.name.lower() in ("stringlistmember", "stringlistimember") and len(call.args) == 2:
        word, where = call.args
        if isinstance(word, Literal) and isinstance(where, Attr) and where.key == _METHODS:
            return f"{word.value}{_URL}".lower()
    return ""


def slots_of(pool: Pool) -> list[ClassAd]:
    """The slots that the pool advertises."""
    return [ad for ad in pool.ads("STARTD") if ad.has("SlotID")]


def say_what_cannot_run(pool: Pool, clusters: Iterable[Iterable[tuple[str, str]]]) -> None:
    """On a terminal, a line for each reason why new jobs will wait for ever. ``clusters`` are items of cluster ads."""
    if not sys.stderr.isatty():
        return
    slots: list[ClassAd] | None = None
    told: set[str] = set()
    for items in clusters:
        texts = {name.lower(): text for name, text in items}
        if not may_lack(texts):
            continue
        slots = slots_of(pool) if slots is None else slots
        reason = cannot_run(ClassAd.from_text_items(texts.items()), slots)
        if reason and reason not in told:
            told.add(reason)
            sys.stderr.write(f"WARNING: nothing here will run this: {reason}\n")


def waiting_in_vain(source: Source) -> str:
    """A line about the idle jobs of the queue that this pool cannot run, for a terminal; "" where there are none."""
    view, pool = source.view, source.pool
    if view is None or pool is None:
        return ""
    slots: list[ClassAd] | None = None
    reasons: dict[str, list[int]] = {}
    for cluster, procs in source.groups(mine=not source.superuser)[-_MOST_CLUSTERS:]:
        texts = {key: view.cluster_text(cluster, key) or "" for key in _LOOKED_AT}
        if may_lack(texts) and source.states(cluster, procs)[JobStatus.IDLE]:
            slots = slots_of(pool) if slots is None else slots
            ad = source.cluster(cluster)
            reason = cannot_run(ad, slots) if ad is not None else ""
            if reason:
                reasons.setdefault(reason, []).append(cluster)
    return "".join(f"Will never run: {_some(clusters)} ({reason})\n" for reason, clusters in reasons.items())


def _some(clusters: list[int]) -> str:
    more = f" and {len(clusters) - 5} more" if len(clusters) > 5 else ""
    return ", ".join(map(str, clusters[:5])) + more
