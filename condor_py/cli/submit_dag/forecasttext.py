"""What ``condor_submit_dag -forecast`` prints."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from condor_py.lang.dag.graph import DONE, NONE, Dag
from condor_py.simulate.dagmachine import Slot
from condor_py.simulate.dagpath import critical_path, longest_wait, moments
from condor_py.simulate.dagruns import Outcome

#: Up to so many nodes have a line each; of more the states are shown at so many moments.
_MOST_LINES, _MOMENTS = 40, 20
_BAR = 40
_MOST_NAMES = 20
_MOST_PROBLEMS = 5


def span(seconds: float) -> str:
    """``0+01:02:03``: days, hours, minutes, seconds."""
    whole = round(seconds)
    days, rest = divmod(whole, 86400)
    return f"{days}+{rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}"


def forecast_text(
    primary: str,
    dag: Dag,
    outcome: Outcome,
    slots: Sequence[Slot],
    sources: Mapping[str, int],
    problems: Mapping[str, str],
    now: int,
) -> str:
    """The forecast of the DAG ``primary``. ``sources`` counts what told the durations; ``now`` is Unix seconds."""
    cores, memory = sum(slot.free.cpus for slot in slots), sum(slot.free.memory for slot in slots)
    done = sum(1 for node in dag.order if dag.flags[node] & DONE)
    told = ", ".join(f"{count} {source}" for source, count in sources.items())
    lines = [f"Forecast of {primary}: {len(dag.order)} nodes on {cores:.0f} cores and {memory:.0f} MB of memory"]
    lines += [f"Done already: {done}"] if done else []
    lines += [f"Durations: {told}"] if told else []
    if "unknown" in sources:
        lines.append("(unknown ones are taken as one hour; -durations SECONDS, or -durations FILE, tells them)")
    lines += [f"WARNING: node {name}: {why}" for name, why in list(problems.items())[:_MOST_PROBLEMS]]
    lines += ["", *_timeline(dag, outcome), "", *_ending(dag, outcome, cores, now)]
    return "\n".join(lines) + "\n"


def _timeline(dag: Dag, outcome: Outcome) -> list[str]:
    ran = [node for node in range(len(dag)) if outcome.times.begun[node] >= 0]
    return _by_node(dag, outcome, ran) if len(ran) <= _MOST_LINES else _by_time(dag, outcome)


def _by_node(dag: Dag, outcome: Outcome, ran: list[int]) -> list[str]:
    """A line a node, in the order in which they begin."""
    times, whole = outcome.times, max(outcome.seconds, 1e-9)
    width = max([4, *(len(dag.names[node]) for node in ran)])
    lines = [f"{'NODE':<{width}}  {'BEGIN':<10}  {'TAKES':<10}"]
    for node in sorted(ran, key=lambda node: (times.begun[node], node)):
        begun, ended = times.begun[node], times.ended[node]
        ended = ended if ended >= 0 else outcome.seconds
        first = min(_BAR - 1, int(_BAR * begun / whole))
        marks = max(1, round(_BAR * ended / whole) - first)
        lines.append(f"{dag.names[node]:<{width}}  {span(begun)}  {span(ended - begun)}  {' ' * first}{'=' * marks}")
    return lines


def _by_time(dag: Dag, outcome: Outcome) -> list[str]:
    """The states of the nodes at some moments."""
    lines = [f"{'TIME':<10}  {'DONE':>8}  {'RUNNING':>8}  {'WAITING':>8}"]
    total = max(1, len(dag.order))
    for moment in moments(dag, outcome.times, outcome.seconds, _MOMENTS):
        bar = "#" * round(_BAR * moment.done / total)
        lines.append(f"{span(moment.when)}  {moment.done:>8}  {moment.running:>8}  {moment.waiting:>8}  {bar}".rstrip())
    return lines


def _ending(dag: Dag, outcome: Outcome, cores: float, now: int) -> list[str]:
    path = critical_path(dag, outcome.times)
    names = [dag.names[node] for node in path.nodes]
    if len(names) > _MOST_NAMES:
        half = _MOST_NAMES // 2
        names = [*names[:half], f"... {len(names) - 2 * half} more ...", *names[-half:]]
    end = time.strftime("%m/%d/%Y %H:%M:%S", time.localtime(now + outcome.seconds))
    lines = [
        f"Critical path: {span(path.seconds)}  {' > '.join(names)}",
        f"Work:          {span(outcome.core_seconds)} of one core, at most {outcome.most_running} jobs at a time",
    ]
    node, waited = longest_wait(dag, outcome.times)
    if node != NONE:
        lines.append(f"Longest wait:  {span(waited)} for room or a limit, by node {dag.names[node]}")
    if cores and outcome.seconds:
        lines.append(f"Cores in use:  {100 * outcome.core_seconds / cores / outcome.seconds:.0f} %")
    state = "" if outcome.code == 0 else f" (with exit code {outcome.code})"
    return [*lines, f"End:           in {span(outcome.seconds)}, {end}{state}"]
