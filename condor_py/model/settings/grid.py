"""What the gridmanager is configured to do."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Limits:
    """A number for every resource, and others for resources whose name has a text in it."""

    default: int
    by_text: tuple[tuple[str, int], ...] = ()

    def of(self, resource: str) -> int:
        """The number for a resource; of those that fit the last one counts."""
        fitting = [number for text, number in self.by_text if text in resource]
        return fitting[-1] if fitting else self.default


@dataclass(frozen=True, slots=True)
class GridSettings:
    """Times in seconds. ``pool`` is what the names of remote jobs begin with."""

    pool: str = "NoPool"
    #: Jobs that a resource may have of ours, by its type (``batch``); "" for those that have no number of their own.
    max_submitted: dict[str, Limits] = field(default_factory=lambda: {"": Limits(1000)})
    #: Submits (with the transfer of their input) that are under way to one resource.
    max_pending_submits: int = 5
    #: Between two looks at the jobs of a resource, by type; "" for the others.
    probe_interval: dict[str, int] = field(default_factory=lambda: {"": 60})
    #: Between two looks at a resource that is down.
    down_interval: int = 300
    #: For how long a resource without jobs is remembered.
    empty_delay: int = 300
    #: How often a look at a resource may fail before that counts as down.
    look_attempts: int = 5

    def submitted_limit(self, kind: str, resource: str) -> int:
        """Jobs that ``resource`` of a type may have."""
        return self.max_submitted.get(kind, self.max_submitted[""]).of(resource)

    def look_interval(self, kind: str) -> int:
        """Seconds between two looks."""
        return self.probe_interval.get(kind, self.probe_interval[""])


@dataclass(frozen=True, slots=True)
class GridPlaces:
    """Where a gridmanager keeps the files of remote jobs, which must be there on the machines that run them, too; and
    how long a command of a remote system may take, in seconds."""

    sandbox: str
    call_timeout: int = 300
    #: The configuration of HTCondor's own module for jobs that go to other pools; "" for none but its environment.
    condor_config: str = ""
