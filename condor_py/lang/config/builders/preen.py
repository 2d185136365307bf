"""Knobs of condor_preen."""

from __future__ import annotations

import os

from condor_py.lang.config.build import build
from condor_py.lang.config.settings import Config
from condor_py.model.settings.preen import PreenSettings

_HISTORIES = (
    "HISTORY", "JOB_EPOCH_HISTORY", "STARTD_HISTORY", "SCHEDD_DAEMON_HISTORY", "COLLECTOR_PERSISTENT_AD_LOG",
    "EVENT_LOG", "JOB_QUEUE_LOG", "ACCOUNTANT_DATABASE_FILE", "NEGOTIATION_HISTORY",
)  # fmt: skip
_FOLDERS = ("LOCK", "DAEMON_SOCKET_DIR", "JOB_EPOCH_HISTORY_DIR", "PER_JOB_HISTORY_DIR", "LOG", "EXECUTE")


def preen(config: Config) -> PreenSettings:
    """Settings of condor_preen; ConfigError names the knob."""
    spool = config.path("SPOOL")
    valid = config.list("VALID_SPOOL_FILES") + config.list("SYSTEM_VALID_SPOOL_FILES")
    for knob in _FOLDERS:  # a directory of ours may be in the spool
        path = config.path(knob)
        if path.startswith(spool + "/"):
            valid.append(path[len(spool) + 1 :].partition("/")[0])
    if os.path.dirname(file := config.path("LVM_BACKING_FILE")) == spool:
        valid.append(os.path.basename(file))
    slots = [config.path(f"SLOT{number}_EXECUTE") for number in range(1, 100)]
    return build(
        PreenSettings,
        config,
        spool=spool,
        execute=tuple(dict.fromkeys(path for path in (config.path("EXECUTE"), *slots) if path)),
        valid_spool=tuple(valid),
        histories=tuple(os.path.basename(path) for knob in _HISTORIES if (path := config.path(knob))),
        admin=config.string("PREEN_ADMIN") or config.string("CONDOR_ADMIN"),
    )
