"""Below the table of ``condor_q -dag``: why nodes failed, and why others are held (ours)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from condor_py.lang.classad import ClassAd
from condor_py.model.states import JobStatus

_MOST_HELD = 10


def dag_notes(jobs: Iterable[ClassAd]) -> str:
    """The notes on these jobs, "" when there is nothing to tell."""
    failed: list[str] = []
    held: list[ClassAd] = []
    for ad in jobs:
        failed += _failed(ad)
        if ad.has("DAGManJobId") and ad.eval_int("JobStatus") == JobStatus.HELD:
            held.append(ad)
    lines = ["", "Failed nodes:", *failed] if failed else []
    if held:
        lines += ["", "Held nodes:", *(_held(ad) for ad in held[:_MOST_HELD])]
        if len(held) > _MOST_HELD:
            lines.append(f"  and {len(held) - _MOST_HELD} more: condor_q -hold")
    return "".join(f"{line}\n" for line in lines)


def _failed(ad: ClassAd) -> Iterator[str]:
    """Yield lines on the failed nodes in the ad of a condor_dagman."""
    if not ad.has("DAG_FailedNodes"):
        return
    stories = ad.eval("DAG_FailedNodes")
    for story in stories if isinstance(stories, list) else ():
        if isinstance(story, ClassAd):
            node, reason, submit, place = (
                story.eval_str(name) or "?" for name in ("Node", "Reason", "Submit", "Place")
            )
            yield f"  {ad.eval_int('ClusterId', 0)} {node}: {reason}"
            yield f"      submitted from {submit}, node of {place}"
            tail = story.eval("Tail") if story.has("Tail") else ()
            if isinstance(tail, list):
                yield from (f"      | {line}" for line in tail if isinstance(line, str))


def _held(ad: ClassAd) -> str:
    job = f"{ad.eval_int('ClusterId', 0)}.{ad.eval_int('ProcId', 0)}"
    where = f" ({file})" if (file := ad.eval_str("JobSubmitFile")) else ""
    node = f"{ad.eval_int('DAGManJobId', 0)} {ad.eval_str('DAGNodeName') or '?'}"
    return f"  {node} {job}{where}: {ad.eval_str('HoldReason') or ''}"
