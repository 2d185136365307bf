"""Knobs of the clean-up of checkpoints at destinations, and the account that it runs as (CONDOR_IDS)."""

from __future__ import annotations

import re
from collections.abc import Mapping

from condor_py.lang.config.build import build
from condor_py.lang.config.settings import Config
from condor_py.model.errors import ConfigError
from condor_py.model.settings.checkpoints import CheckpointSettings


def checkpoints(config: Config) -> CheckpointSettings:
    """Settings of the clean-up; ConfigError names the knob."""
    return build(
        CheckpointSettings,
        config,
        pool_ids=condor_ids(config, config.environ),
    )


_PAIR = re.compile(r"\s*(\d{1,10})\.(\d{1,10})\s*\Z")


def condor_ids(config: Config, environment: Mapping[str, str]) -> tuple[int, int] | None:
    """User and group id; the variable CONDOR_IDS of ``environment`` comes first. None when nothing says so; ConfigError
    for anything but two numbers."""
    text = environment.get("CONDOR_IDS") or config.string("CONDOR_IDS")
    if not text:
        return None
    found = _PAIR.match(text)
    if found is None:
        raise ConfigError(
            f"CONDOR_IDS: {text!r} is not the user and the group id of an account, as in 64.64", "CONDOR_IDS"
        )
    return int(found[1]), int(found[2])
