"""Knobs about the accounts that jobs run as."""

from __future__ import annotations

import re

from condor_py.lang.config.build import build
from condor_py.lang.config.settings import Config
from condor_py.model.errors import ConfigError
from condor_py.model.settings.starter import JobAccounts

_SLOT_USER = re.compile(r"(SLOT\d+(?:_\d+)?)_USER\Z", re.IGNORECASE)
#: EXECUTE_LOGIN_IS_DEDICATED, the older knob, means every account.
_ALL = ".*"


def job_accounts(config: Config) -> JobAccounts:
    """STARTER_ALLOW_RUNAS_OWNER, SLOT<N>_USER and their like; ConfigError names the knob."""
    slots = []
    for name in config.names():
        match = _SLOT_USER.match(name)
        if match and config.string(name):
            slots.append((match[1].lower(), config.string(name)))
    dedicated = config.string("DEDICATED_EXECUTE_ACCOUNT_REGEXP")
    try:
        re.compile(dedicated)
    except re.error as error:
        raise ConfigError(
            f"DEDICATED_EXECUTE_ACCOUNT_REGEXP: {dedicated!r} is no pattern: {error}",
            "DEDICATED_EXECUTE_ACCOUNT_REGEXP",
        ) from None
    return build(
        JobAccounts,
        config,
        slots=tuple(slots),
        dedicated=dedicated or (_ALL if config.boolean("EXECUTE_LOGIN_IS_DEDICATED") else ""),
    )
