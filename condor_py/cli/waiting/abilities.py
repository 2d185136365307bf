"""Demands of a job that no slot of the pool meets: universes, abilities, file transfer plugins."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from condor_py.lang.classad.ad import ClassAd
from condor_py.lang.classad.nodes import Attr, Binary, Call, Literal, Node, Paren
from condor_py.model.states import NEVER_IN_SLOTS, UNIVERSE_NAMES

_NEVER_IN_SLOTS = frozenset(str(int(number)) for number in NEVER_IN_SLOTS)
#: Attributes of slots that requirements ask for, and what a slot without them lacks.
_ABILITIES = {
    "hasjava": "no slot has Java (HasJava): JAVA names no Java interpreter that works",
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


#: Attributes (their keys) that decide whether to analyse the slots for a job.
LOOKED_AT = ("jobuniverse", "requirements", "checkpointdestination")


def may_lack(texts: Mapping[str, str]) -> bool:
    """Whether it is worth while to analyse the slots for a job with these expressions by key."""
    universe, requirements, destination = (texts.get(key) or "" for key in LOOKED_AT)
    return universe in _NEVER_IN_SLOTS or bool(destination) or _MAY_LACK.search(requirements) is not None


def cannot_run(job: ClassAd, slots: Sequence[ClassAd]) -> str:
    """Return why none of the slots of a pool will ever run a job; "" where they may, or no slot is known."""
    universe = job.eval_int("JobUniverse", 0)
    if universe in NEVER_IN_SLOTS:
        name = UNIVERSE_NAMES[universe]
        return f"this pool runs no jobs of the {name if name.isupper() else name.lower()} universe"
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
    """Return what Requirements require in any case: attributes by key, methods of transfer as ``http://``."""
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
