"""Knobs of condor_preen."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from glob import escape

from condor_py.lang.config.build import build
from condor_py.lang.config.settings import Config
from condor_py.lang.macro import MacroError
from condor_py.model.settings.preen import PreenSettings

_HISTORIES = (
    "HISTORY", "JOB_EPOCH_HISTORY", "STARTD_HISTORY", "SCHEDD_DAEMON_HISTORY", "COLLECTOR_PERSISTENT_AD_LOG",
    "EVENT_LOG", "JOB_QUEUE_LOG", "ACCOUNTANT_DATABASE_FILE", "NEGOTIATION_HISTORY",
)  # fmt: skip


def preen(config: Config) -> PreenSettings:
    """Settings of condor_preen; ConfigError names the knob."""
    spool = config.path("SPOOL")
    valid = config.list("VALID_SPOOL_FILES") + config.list("SYSTEM_VALID_SPOOL_FILES")
    slots = [config.path(f"SLOT{number}_EXECUTE") for number in range(1, 100)]
    return build(
        PreenSettings,
        config,
        spool=spool,
        execute=tuple(dict.fromkeys(path for path in (config.path("EXECUTE"), *slots) if path)),
        valid_spool=tuple(dict.fromkeys((*valid, *_named(config, spool)))),
        histories=tuple(os.path.basename(path) for knob in _HISTORIES if (path := config.path(knob))),
        admin=config.string("PREEN_ADMIN") or config.string("CONDOR_ADMIN"),
    )


def _named(config: Config, spool: str) -> Iterator[str]:
    """Yield the names in the spool that any knob gives, or gives something below: it may be in use."""
    for knob in config.names():
        text = config.raw(knob) or ""
        if "/" not in text and "$" not in text:
            continue  # no absolute path
        with suppress(MacroError):  # of a value that cannot be expanded
            path = os.path.normpath(config.expand(text))
            if path.startswith(spool + "/"):
                yield escape(path[len(spool) + 1 :].partition("/")[0])
