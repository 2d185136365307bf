"""Jobs by autocluster: ``-analyze:summary``, and the list of jobs that no slot takes."""

from __future__ import annotations

from condor_py.cli.q.analysis.autoclusters import Clusters, Row, represented
from condor_py.cli.q.analysis.counts import AT_WORK, IDLE, Situation, count_slots
from condor_py.cli.q.select import job_key

_ROW = "{:<13} {:>12} {:>12} {:>11} {:>11} {:>10} {:>9} {}"
_HEADS = (
    ("", " Autocluster", "   Matches  ", "  Machine  ", "  Running  ", "  Serving ", "", ""),
    (" JobId", "Members/Idle", "Requirements", "Rejects Job", " Users Job ", "Other User", "Available", "Owner"),
    ("-" * 13, "-" * 12, "-" * 12, "-" * 11, "-" * 11, "-" * 10, "-" * 9, "-----"),
)


def summary(clusters: Clusters, situation: Situation, *, verbose: bool) -> str:
    """A row an autocluster: how many slots it matches, and what they do."""
    slots = situation.slots
    label = "" if slots.label is None else f"{slots.label}: "
    lines = [f"{label}Analyzing matches for {len(slots)} slots", *(_ROW.format(*head) for head in _HEADS)]
    lines += [_summary_row(row, situation, verbose=verbose) for row in represented(clusters)]
    return "".join(line + "\n" for line in lines)


def _summary_row(row: Row, situation: Situation, *, verbose: bool) -> str:
    counts = count_slots(row.job, situation, "all")
    states = [ad.eval_int("JobStatus") for ad in row.members]
    running = sum(state in AT_WORK for state in states)
    shown = f"{f'{running}/' if running else ''}{len(counts.mine)}"
    cluster, proc = job_key(row.job)
    group = ""
    if row.number >= 0:
        group = f"{f'{row.number}:' if verbose else ''}{len(states)}/{states.count(IDLE)}"
    return (
        f"{f'{cluster}.{proc}':<13} {group:<12} {counts.total - len(counts.rejected):>12} "
        f"{len(counts.rejecting):>11} {shown:>11} {counts.serving - len(counts.mine):>10} "
        f"{len(counts.willing):>9} {row.job.eval_str('Owner', '')}"
    )


def unmatched(clusters: Clusters, situation: Situation) -> str:
    """A line for each autocluster that no slot takes, not even if it were drained."""
    lines = []
    for row in represented(clusters):
        counts = count_slots(row.job, situation, "whole")
        if not counts.both:
            what = "All slots reject" if counts.matched else "No slots match"
            ids = "".join(" {}.{}".format(*job_key(job)) for job in row.members)
            lines.append(f"{what} autocluster {row.number}, jobs :{ids}\n")
    return "".join(lines)
