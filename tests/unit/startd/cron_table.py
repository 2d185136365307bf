"""A table of cron jobs that notes what it starts."""

from __future__ import annotations

from typing import Any

from startd_bench import START

from condor_py.core.slots.cron import CronTable
from condor_py.model.settings.cron import CronJobSettings, CronMode, CronSettings


class Table:
    """A cron list on a clock of its own; what runs ends when the test says so."""

    def __init__(self, *jobs: CronJobSettings, max_load: float = 0.1) -> None:
        self.now = START
        self.log: list[str] = []
        self.forbidden: set[str] = set()
        self.settings = CronSettings("STARTD_CRON", jobs, max_load)
        self.table = CronTable(self.settings, self.now, lambda job: job.name not in self.forbidden, self.log.append)

    def at(self, second: float, **options: Any) -> list[str]:
        """What is due ``second`` seconds after the start."""
        self.now = START + second
        return [f"{action.order} {action.job.name}" for action in self.table.due(self.now, **options)]

    def ends(self, name: str, second: float) -> None:
        self.table.exited(name, START + second)

    def change(self, *jobs: CronJobSettings) -> list[str]:
        settings = CronSettings("STARTD_CRON", jobs, 0.1)
        return [f"{action.order} {action.job.name}" for action in self.table.configure(settings, self.now)]


def job(name: str = "a", mode: CronMode = CronMode.PERIODIC, period: int = 60, **fields: Any) -> CronJobSettings:
    return CronJobSettings(name, f"/bin/{name}", mode, period, **fields)
