"""The records of jobs that were found again or given up (SHADOW_RECONNECT_LOG): one line of CSV each.

The fields are HTCondor's: job id, when the run was activated, when it was last heard of, whether it was found again,
when that was decided, its lease in seconds, SHADOW_RECONNECT_TIMEOUT_VERSION, and whether its starter is dead for sure.
Times are Unix seconds.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from condor_py.core.jobs.effects import Reconnect
from condor_py.model.settings.history import ReconnectSettings


class ReconnectLog:
    """Appends records; what cannot be written is complained about and lost."""

    def __init__(self, settings: ReconnectSettings, complain: Callable[[str], None]) -> None:
        self.settings = settings
        self._complain = complain

    def add(self, record: Reconnect) -> None:
        """One more line."""
        path = self.settings.path
        if not path:
            return
        found, dead = (str(value).lower() for value in (record.found, record.starter_dead))
        fields = (record.job, record.activated, record.heard, found, record.when, record.lease)
        line = ",".join([*map(str, fields), self.settings.version.replace(",", " "), dead])
        try:
            self._rotate(path)
            with open(path, "a", encoding="utf-8") as file:
                file.write(line + "\n")
        except OSError as error:
            self._complain(f"cannot write {path}: {error.strerror}")

    def _rotate(self, path: str) -> None:
        if not os.path.exists(path) or os.path.getsize(path) < self.settings.max_size:
            return
        for number in range(self.settings.rotations, 0, -1):
            older = path if number == 1 else f"{path}.{number - 1}"
            if os.path.exists(older):
                os.replace(older, f"{path}.{number}")
