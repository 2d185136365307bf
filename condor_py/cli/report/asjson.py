"""The figures of a report as JSON: hours, seconds and counts as numbers; nothing is left out and nothing rounded."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from condor_py.cli.report.advice import advice
from condor_py.cli.report.figures import Amounts, Cut, Figures


def text(figures: Figures, host: str, now: int) -> str:
    """One JSON object."""
    since, until = figures.period
    told = {
        "host": host, "made": now, "since": since, "until": until, "user": figures.owner,
        "jobs": asdict(figures.total), "users": _users(figures), "groups": _amounts(figures.groups),
        "waiting": figures.waits()._asdict(), "run_core_hours": figures.run_hours, "runs": figures.runs,
        "cut_short_core_hours": figures.badput, "drained_weight_hours": figures.drained,
        "drains": [asdict(one) for one in figures.drains],
        "entitlement": {name: asdict(one) for name, one in figures.entitled.items()},
        "quotas": {name: asdict(one) for name, one in figures.quotas.items()},
        "failures": [{"user": user, "how": how, "jobs": count} for (user, how), count in figures.failures.items()],
        "holds": _cuts(figures.holds), "every_hold": figures.every_hold,
        "cut_short": _cuts(figures.cuts),
        "advice": [one._asdict() for one in advice(figures.kinds.values(), len(figures.kinds) * 2)],
        "over_time": _over_time(figures), "notes": figures.notes,
    }  # fmt: skip
    return json.dumps(told, indent=1) + "\n"


def _amounts(amounts: Mapping[str, Amounts]) -> dict[str, Any]:
    return {name: asdict(one) for name, one in amounts.items()}


def _users(figures: Figures) -> dict[str, Any]:
    users = _amounts(figures.users)
    for name, one in users.items():
        one["waiting"] = figures.waits(name)._asdict() | {"never_started": figures.never_started.get(name, 0)}
    return users


def _cuts(cuts: Mapping[tuple[int, str], Cut]) -> list[dict[str, Any]]:
    return [asdict(one) for one in cuts.values()]


def _over_time(figures: Figures) -> dict[str, Any]:
    since, until = figures.period
    width = figures.cores.width
    begin, end = since // width * width, -(-until // width) * width
    return {
        "begin": begin, "seconds": width,
        "cores": {n: [v / width for v in figures.cores.values(n, begin, end)] for n in figures.cores.names},
        "jobs": {n: list(figures.finished.values(n, begin, end)) for n in figures.finished.names},
    }  # fmt: skip
