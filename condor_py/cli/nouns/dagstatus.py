"""``htcondor dag status`` in words: the state of a DAG by the ad of condor_dagman's job, with a bar of its nodes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

from condor_py.cli.nouns.words import duration
from condor_py.core.dag.states import DagStatus
from condor_py.lang.classad import ClassAd
from condor_py.model.states import JobStatus
from condor_py.model.texts import printable

#: Seconds after which the figures of a running DAG count as old.
_OLD = 600
_DAY = 86400
_RED, _GREEN, _YELLOW, _CYAN = "\033[31m", "\033[32m", "\033[33m", "\033[36m"
_BRIGHT_CYAN, _BRIGHT_WHITE, _RESET = "\033[96m", "\033[97m", "\033[0m"
_STATES = {1: "idle", 2: "running", 3: "removed from the queue", 4: "is completed", 5: "held", 6: "transfering output",
           7: "suspended"}  # fmt: skip
#: DAG_Status in words.
_MEANINGS = ("is running normally.", "had an error occur.", "had at least one node fail.",
             "is aborting because it recieved a DAG abort value.", "has recieved a signal to be remove.",
             "has detected a cycle.", "has been halted.")  # fmt: skip

Paint = Callable[[str, str], str]


class Part(NamedTuple):
    """One part of the bar: its letter, its colour, how many nodes it represents."""

    mark: str
    color: str
    nodes: int


def painter(colors: bool) -> Paint:
    """Puts a text into a colour, or leaves it."""
    return (lambda text, color: f"{color}{text}{_RESET}") if colors else (lambda text, color: text)


def status_lines(
    dag: str, ad: ClassAd, moves: Mapping[str, int], now: float, columns: int, *, colors: bool
) -> list[str]:
    """Return the lines of the status.

    ``moves`` counts the jobs that wait for a transfer ("queued") or are in one ("input", "output"); ``columns`` is the
    width of the terminal; ``now`` Unix seconds.
    """
    paint = painter(colors)
    name = (ad.eval_str("JobBatchName") or "UNKNOWN+1").rpartition("+")[0]
    lines = _state(f"DAG {dag} [{printable(name)}]", dag, ad, now, paint)
    if ad.has("DAG_JobsSubmitted"):
        lines += _jobs(ad, moves)
    return [*lines, *_nodes(ad, paint), *_bar(ad, paint, round(columns / 2) - 2)]


def _number(ad: ClassAd, name: str) -> int:
    return ad.eval_int(f"DAG_{name}", 0)


def _since(seconds: float) -> str:
    """``2 days and 01:00:00``, ``00:12:31``."""
    whole = max(0, int(seconds))
    days, rest = divmod(whole, _DAY)
    clock = f"{rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}"
    return f"{days} day{'s' if days > 1 else ''} and {clock}" if days else clock


def _state(title: str, dag: str, ad: ClassAd, now: float, paint: Paint) -> list[str]:
    status = ad.eval_int("JobStatus", 0)
    changed = ad.eval_int("EnteredCurrentStatus", int(now)) or now
    cool_down = ad.eval_int("JobCoolDownExpiration", 0) - now
    if status == JobStatus.RUNNING:
        return _running(title, dag, ad, now, paint)
    if status == JobStatus.COMPLETED:
        from time import localtime, strftime

        return [f"{title} completed {strftime('%Y-%m-%d %H:%M:%S', localtime(changed))}"]
    if status == JobStatus.IDLE and cool_down >= 0:
        return [f"{title} is in cool down. Remaining time: {duration(cool_down)}"]
    lines = [f"{title} has been {_STATES.get(status, 'in an unknown state')} for {_since(now - changed)}"]
    if status == JobStatus.HELD:
        lines.append(f"Hold Reason: {printable(ad.eval_str('HoldReason') or '')}")
    return lines


def _running(title: str, dag: str, ad: ClassAd, now: float, paint: Paint) -> list[str]:
    lines = []
    age = now - (ad.eval_int("DAG_AdUpdateTime", int(now)) or now)
    if age > _OLD:
        warning = f"Warning: DAG information for ID {dag} has not been updated for {_since(age)}."
        advice = "         Information may be outdated. This indicates a possible issue with the DAG job."
        lines = [paint(warning, _RED), paint(advice, _RED)]
    if ad.eval_bool("DAG_InRecovery"):
        return [*lines, f"{title} is in recovery mode and attempting to restore previous progress."]
    state = "halted" if _number(ad, "Status") == DagStatus.HALTED else "running"
    begun = ad.eval_int("JobStartDate", int(now)) or now
    return [*lines, f"{title} has been {state} for {_since(now - begun)}"]


def _are(count: int) -> str:
    return f"{count:3d} {'are' if count > 1 else 'is'}"


def _have(count: int) -> str:
    return f"{count:3d} {'have' if count > 1 else 'has'}"


def _jobs(ad: ClassAd, moves: Mapping[str, int]) -> list[str]:
    submitted = _number(ad, "JobsSubmitted")
    idle, held, running, done = (_number(ad, f"Jobs{name}") for name in ("Idle", "Held", "Running", "Completed"))
    kinds = (
        (idle, _are, "submitted and waiting for resources."),
        (held, _are, "held."),
        (running, _are, "running."),
        (done, _have, "completed."),
        (submitted - idle - held - running - done, _have, "failed."),
        (moves.get("queued", 0), _are, "in the file transfer queue."),
        (moves.get("input", 0), _are, "transferring input files to the EP."),
        (moves.get("output", 0), _are, "transferring output files back."),
    )
    lines = [f"\t    {verb(count)} {text}" for count, verb, text in kinds if count > 0]
    return [f"DAG has submitted {submitted} job(s), of which:", *lines]


def _parts(ad: ClassAd) -> dict[str, Part]:
    at_work = sum(_number(ad, f"Nodes{name}") for name in ("Prerun", "Queued", "Postrun"))
    return {
        "done": Part("#", _GREEN, _number(ad, "NodesDone")),
        "running": Part("=", _CYAN, at_work),
        "ready": Part("»", _BRIGHT_CYAN, _number(ad, "NodesReady")),
        "waiting": Part("-", _BRIGHT_WHITE, _number(ad, "NodesUnready")),
        "futile": Part("!", _YELLOW, _number(ad, "NodesFutile")),
        "failed": Part("!", _RED, _number(ad, "NodesFailed")),
    }


def _nodes(ad: ClassAd, paint: Paint) -> list[str]:
    parts = _parts(ad)
    at_work = ", ".join(
        f"{_number(ad, name)} {what}{'s' if _number(ad, name) > 1 else ''}"
        for name, what in (("NodesPrerun", "pre-script"), ("NodesQueued", "job"), ("NodesPostrun", "post-script"))
        if _number(ad, name)
    )
    sentences = {
        "done": f"{_have(parts['done'].nodes)} completed.",
        "running": f"{_are(parts['running'].nodes)} running: {at_work}.",
        "ready": f"{_are(parts['ready'].nodes)} ready to start.",
        "waiting": f"{_are(parts['waiting'].nodes)} waiting on other nodes to finish.",
        "futile": f"{parts['futile'].nodes:3d} will never run.",
        "failed": f"{_have(parts['failed'].nodes)} failed.",
    }
    lines = [f"\t[{paint(part.mark, part.color)}] {sentences[name]}" for name, part in parts.items() if part.nodes]
    return [f"DAG contains {_number(ad, 'NodesTotal')} node(s) total, of which:", *lines]


def _bar(ad: ClassAd, paint: Paint, width: int) -> list[str]:
    """The last two lines: what becomes of the DAG, and how far it is."""
    total = _number(ad, "NodesTotal")
    parts = _parts(ad)
    lengths = {name: math.ceil(part.nodes / total * width) if total else 0 for name, part in parts.items()}
    longest = max(lengths, key=lambda name: lengths[name])
    lengths[longest] += max(0, width - sum(lengths.values()))
    bar = "".join(paint(part.mark * lengths[name], part.color) for name, part in parts.items() if lengths[name])
    complete = 100 * parts["done"].nodes / total if total else 100.0
    lost = parts["futile"].nodes + parts["failed"].nodes
    rest = f" Only {100 * (1 - lost / total):.2f}% of the DAG can complete." if lost and total else ""
    status = _number(ad, "Status")
    meaning = _MEANINGS[status] if 0 <= status < len(_MEANINGS) else f"has status {status}."
    return [f"DAG {meaning}{rest}", f"[{bar}] DAG is {complete:.2f}% complete."]
