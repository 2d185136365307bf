"""Rows of waiting and held jobs: those of one batch that wait for the same, for condor_q -why and condor_report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from condor_py.cli.output import renderers
from condor_py.cli.waiting.alike import Alike
from condor_py.cli.waiting.reasons import Expected, expected_start
from condor_py.client.queue_view import QueueView
from condor_py.model.ids import JobId
from condor_py.model.texts import printable

#: What is said of jobs that nothing keeps from starting.
FREE = "nothing keeps it from starting"


class Part(NamedTuple):
    """Jobs of one cluster that wait for the same, with their owner and batch, and when the first is expected to
    start."""

    found: Alike
    owner: str
    batch: str
    expected: Expected | None

    @property
    def text(self) -> str:
        """All reasons in one line."""
        reasons = self.found.reasons
        never = "never runs here: " if not self.found.held and any(one.final for one in reasons) else ""
        return printable(never + ("; ".join(one.text for one in reasons) or FREE))


class Row(NamedTuple):
    """Jobs of one batch that wait, or are held, for the same; ``since`` is when the first of them began to (Unix
    seconds; 0: not known)."""

    owner: str
    batch: str
    held: bool
    text: str
    jobs: int
    since: int
    expected: Expected | None


def part_of(view: QueueView, found: Alike, starts: Mapping[JobId, Expected]) -> Part | None:
    """Return what is known of jobs that wait for the same; None where they have left. ``starts`` are forecasts."""
    first = view.job(JobId(found.cluster, found.procs[0]))
    if first is None:
        return None
    times = [one for proc in found.procs if (one := starts.get(JobId(found.cluster, proc))) is not None]
    expected = None if found.held else expected_start(found.reasons, min(times, default=None))
    batch = renderers.batch_name(None, first) or f"ID: {found.cluster}"
    return Part(found, first.eval_str("Owner") or "?", batch, expected)


def rows_of(parts: Iterable[Part]) -> list[Row]:
    """The rows, in the order of their first jobs."""
    together: dict[tuple[str, str, bool, str], list[Part]] = {}
    for part in parts:
        together.setdefault((part.owner, part.batch, part.found.held, part.text), []).append(part)
    return [
        Row(
            *key,
            sum(len(part.found.procs) for part in members),
            min((part.found.since for part in members if part.found.since), default=0),
            min((part.expected for part in members if part.expected is not None), default=None),
        )
        for key, members in together.items()
    ]
