"""The events of jobs of the grid universe, which run on another system.

The methods of the classes are those of ``base.JobEvent``, which says what they do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from condor_py.lang.events.base import LONGEST, Attributes, Common, JobEvent, Lines, one_line, string
from condor_py.model.event_types import JobEventType


def _named(text: str) -> str:
    return one_line(text)[:LONGEST] or "UNKNOWN"


def _value(lines: Lines, number: int) -> str:
    return lines.line(number).partition(": ")[2]


@dataclass(slots=True, kw_only=True)
class _OfResource(JobEvent):
    """An event about the resource of a grid job; ``head`` is its first line."""

    head: ClassVar[str] = ""

    resource: str

    def body(self) -> str:
        return f"{self.head}\n    GridResource: {_named(self.resource)}\n"

    def attributes(self) -> Attributes:
        return string("GridResource", self.resource)

    @classmethod
    def read(cls, lines: Lines, common: Common) -> JobEvent:
        return cls(resource=_value(lines, 0), **common)


@dataclass(slots=True, kw_only=True)
class GridResourceUp(_OfResource):
    """Event 025: the resource of a grid job answers again."""

    number: ClassVar[JobEventType] = JobEventType.GRID_RESOURCE_UP
    my_type: ClassVar[str] = "GridResourceUpEvent"
    head: ClassVar[str] = "Grid Resource Back Up"


@dataclass(slots=True, kw_only=True)
class GridResourceDown(_OfResource):
    """Event 026: the resource of a grid job does not answer."""

    number: ClassVar[JobEventType] = JobEventType.GRID_RESOURCE_DOWN
    my_type: ClassVar[str] = "GridResourceDownEvent"
    head: ClassVar[str] = "Detected Down Grid Resource"


@dataclass(slots=True, kw_only=True)
class GridSubmit(JobEvent):
    """Event 027: a remote system has taken a job, under ``job_id`` (GridJobId)."""

    number: ClassVar[JobEventType] = JobEventType.GRID_SUBMIT
    my_type: ClassVar[str] = "GridSubmitEvent"

    resource: str
    job_id: str

    def body(self) -> str:
        resource = f"    GridResource: {_named(self.resource)}\n"
        return f"Job submitted to grid resource\n{resource}    GridJobId: {_named(self.job_id)}\n"

    def attributes(self) -> Attributes:
        return string("GridResource", self.resource) + string("GridJobId", self.job_id)

    @classmethod
    def read(cls, lines: Lines, common: Common) -> JobEvent:
        return cls(resource=_value(lines, 0), job_id=_value(lines, 1), **common)


@dataclass(slots=True, kw_only=True)
class JobStatusUnknown(JobEvent):
    """Event 029: the remote system does not tell the state of the job."""

    number: ClassVar[JobEventType] = JobEventType.JOB_STATUS_UNKNOWN

    def body(self) -> str:
        return "The job's remote status is unknown\n"


@dataclass(slots=True, kw_only=True)
class JobStatusKnown(JobEvent):
    """Event 030: the remote system tells the state of the job again."""

    number: ClassVar[JobEventType] = JobEventType.JOB_STATUS_KNOWN

    def body(self) -> str:
        return "The job's remote status is known again\n"
