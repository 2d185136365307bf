"""Knobs of the history and of the records of runs."""

from __future__ import annotations

from condor_py.config.settings import Config
from condor_py.model.settings.history import HistorySettings

_MIB_20 = 20 * 1024 * 1024


def history(config: Config) -> HistorySettings:
    """Settings of the history files; ConfigError names the knob."""
    rotates = config.boolean("ENABLE_HISTORY_ROTATION", True)
    daily, monthly = (config.boolean(f"ROTATE_HISTORY_{word}", False) for word in ("DAILY", "MONTHLY"))
    return HistorySettings(
        max_size=config.size("MAX_HISTORY_LOG", _MIB_20)[0] if rotates else 0,
        rotations=config.integer("MAX_HISTORY_ROTATIONS", 2),
        every=("day" if daily else "month" if monthly else "") if rotates else "",
        environment=config.boolean("HISTORY_CONTAINS_JOB_ENVIRONMENT", True),
        per_job_directory=config.path("PER_JOB_HISTORY_DIR"),
        epoch_path=config.path("JOB_EPOCH_HISTORY"),
        epoch_max_size=config.size("MAX_EPOCH_HISTORY_LOG", _MIB_20)[0] if rotates else 0,
        epoch_rotations=config.integer("MAX_EPOCH_HISTORY_ROTATIONS", 2),
        epoch_directory=config.path("JOB_EPOCH_HISTORY_DIR"),
    )
