"""The messages that every daemon understands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from condor_py.model.messages.access import (
    ApproveToken,
    AutoApproveTokens,
    FetchToken,
    FinishToken,
    ListTokenRequests,
    Ping,
    RequestToken,
)
from condor_py.model.messages.codec import A, Answer, Request
from condor_py.model.messages.kinds import How
from condor_py.model.messages.wakeups import Done, Ring


class Order(Request[A]):
    """A request that only users may send who may command the daemon."""


class Shutdown(Order[Done], op="shutdown"):
    """Leave."""

    how: How = "graceful"


class SetPeaceful(Order[Done], op="set-peaceful"):
    """A peaceful shutdown will follow (the master does what is needed)."""


class Reconfigured(Answer):
    """The outcome of a reconfiguration, see ``daemons.common.configuration.Outcome``; of the master also the daemons
    that run."""

    failed: str = ""
    refused: Sequence[str] = ()
    restart: Sequence[str] = ()
    daemons: Sequence[str] = ()


class Reconfig(Order[Reconfigured], op="reconfig"):
    """Read the configuration again; ``alone``: the master does not tell the others."""

    alone: bool = False


class ConfigRequest(Request[A]):
    """A request that ``daemons.common.configuration`` answers."""


class ConfigValues(Answer):
    """For each name [name, value, raw, place, default, uses, references], or null for one that is not defined."""

    values: Sequence[Any]


class ConfigGet(ConfigRequest[ConfigValues], op="config-get"):
    """Settings as the daemon holds them."""

    names: Sequence[str]


class ConfigNames(Answer):
    """All names."""

    names: Sequence[str]


class ConfigList(ConfigRequest[ConfigNames], op="config-names"):
    """The names of all settings (a pattern of a stranger could keep the daemon busy for hours)."""


class ConfigSources(Answer):
    """[source, [[name, raw], ...]] in the order of reading."""

    sources: Sequence[Any]


class ConfigSummary(ConfigRequest[ConfigSources], op="config-summary"):
    """Ask for the settings by source, with detected ones if wanted."""

    detected: bool = False


class ConfigNumbers(Answer):
    """Numbers by name."""

    stats: dict[str, Any]


class ConfigStats(ConfigRequest[ConfigNumbers], op="config-stats"):
    """Ask for the size of the configuration."""


class ConfigChange(ConfigRequest[Done]):
    """A setting of run time, for the time after the next reconfiguration; ``persistent``: after restarts as well."""

    key: str
    text: str = ""
    persistent: bool = False


class ConfigSet(ConfigChange, op="config-set"):
    """``text`` is the whole assignment."""


class ConfigUnset(ConfigChange, op="config-unset"):
    """It is as if it had not been set."""


#: The messages that every daemon receives.
BY_EVERYBODY = (
    Ring, Shutdown, SetPeaceful, Reconfig,
    ConfigGet, ConfigList, ConfigSummary, ConfigStats, ConfigSet, ConfigUnset,
    Ping, FetchToken, RequestToken, FinishToken, ListTokenRequests, ApproveToken, AutoApproveTokens,
)  # fmt: skip
