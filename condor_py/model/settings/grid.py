"""The settings of the gridmanager."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from condor_py.model.settings.knob import Settings, integer, path


class Limits(NamedTuple):
    """A number for every resource, and others for resources whose name has a text in it."""

    default: int
    by_text: tuple[tuple[str, int], ...] = ()

    def of(self, resource: str) -> int:
        """The number for a resource; of those that fit the last one counts."""
        fitting = [number for text, number in self.by_text if text in resource]
        return fitting[-1] if fitting else self.default


class GridSettings(Settings, group="The gridmanager"):
    """Times in seconds. ``pool`` is what the names of remote jobs begin with."""

    pool: str = "NoPool"
    #: Jobs that a resource may have of ours, by its type (``batch``); "" for those that have no number of their own.
    max_submitted: Mapping[str, Limits] = {"": Limits(1000)}
    #: Submits (with the transfer of their input) that are under way to one resource.
    max_pending_submits: int = integer(
        "GRIDMANAGER_MAX_PENDING_SUBMITS_PER_RESOURCE",
        5,
        "Submits that are under way to one resource at a time.",
        least=1,
    )
    #: Between two looks at the jobs of a resource, by type; "" for the others.
    probe_interval: Mapping[str, int] = {"": 60}
    #: Between two looks at a resource that is down.
    down_interval: int = integer(
        "GRIDMANAGER_RESOURCE_PROBE_INTERVAL", 300, "Seconds until a resource that is down is tried again.", least=1
    )
    #: For how long a resource without jobs is remembered.
    empty_delay: int = integer(
        "GRIDMANAGER_EMPTY_RESOURCE_DELAY", 300, "Seconds that a resource without jobs is remembered.", least=0
    )
    #: How often a look at a resource may fail before that counts as down.
    look_attempts: int = integer(
        "BATCH_GAHP_CHECK_STATUS_ATTEMPTS",
        5,
        "How often a question to a resource may fail before it counts as down.",
        least=1,
    )

    def submitted_limit(self, kind: str, resource: str) -> int:
        """Jobs that ``resource`` of a type may have."""
        return self.max_submitted.get(kind, self.max_submitted[""]).of(resource)

    def look_interval(self, kind: str) -> int:
        """Seconds between two looks."""
        return self.probe_interval.get(kind, self.probe_interval[""])


class GridPlaces(Settings, group="The gridmanager"):
    """The folders in which a gridmanager keeps the files of remote jobs, and the limit of a command of a remote system
    in seconds. The folders must also exist on the machines that run the jobs."""

    sandbox: str = path(
        "GRIDMANAGER_SANDBOX",
        "$(SPOOL)/grid",
        "Where the files of remote jobs lie; batch systems must see it under the same name.",
    )
    call_timeout: int = integer(
        "GRIDMANAGER_GAHP_CALL_TIMEOUT", 300, "Seconds that a command of a remote system may take.", least=1
    )
    #: The configuration of HTCondor's own module for jobs that go to other pools; "" for none but its environment.
    condor_config: str = path(
        "GRIDMANAGER_CONDOR_CONFIG",
        "",
        "Configuration of the HTCondor whose Python module takes jobs to other pools (`grid_resource = condor`);"
        " empty for none.",
    )
