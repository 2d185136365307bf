"""Messages between the schedd and the gridmanager of a user.

The gridmanager receives the facts that it needs about each job of its user, asks for the whole ad where it needs that,
and reports what becomes of the jobs. Reports are numbered; what they changed is durable when the schedd says so.
"""

from __future__ import annotations

from collections.abc import Sequence

from condor_py.model.ids import JobId
from condor_py.model.messages.codec import Message, Refused, Vocabulary
from condor_py.model.messages.kinds import Natural, Pairs
from condor_py.model.texts import Line

# -- from the schedd --------------------------------------------------------------------------------------------------


class GridJob(Message, op="grid-job"):
    """A job of the user, as the queue has it now: JobStatus, GridResource, GridJobId, GridAttempt (how often it was
    submitted) and GridJobStatus. ``global_id`` is its GlobalJobId."""

    job: JobId
    status: int
    resource: str
    global_id: str
    grid_id: str = ""
    attempt: int = 0
    grid_status: str = ""


class GridAllTold(Message, op="grid-all"):
    """The gridmanager has heard of all jobs that are in the queue."""


class GridJobGone(Message, op="grid-gone"):
    """A job is not in the queue any more."""

    job: JobId


class GridAd(Message, op="grid-ad"):
    """The ad of a job, as JSON in the body: expressions by name. Empty for one that has left the queue."""

    job: JobId


class GridSettled(Message, op="grid-settled"):
    """All reports up to this number are in the queue."""

    number: Natural


class GridReconfig(Message, op="grid-reconfig"):
    """Read the configuration again."""


# -- from the gridmanager ---------------------------------------------------------------------------------------------


class GridReport(Message):
    """The report of a change of a job. ``step`` is a ``model.gridjobs.GridStep``; the assignments are attributes with
    their expressions, ``when`` Unix seconds, 0 for now."""

    job: JobId
    step: str
    assignments: Pairs = ()
    deletions: Sequence[str] = ()
    reason: Line = ""
    code: int = 0
    subcode: int = 0
    when: float = 0.0


class GridReports(Message, op="grid-reports"):
    """Reports in the order in which they are true; the last one has this number."""

    number: Natural
    reports: Sequence[GridReport]


class GridAds(Message, op="grid-ads"):
    """The ads of the resources that have jobs of the user, as ``condor_status -grid`` shows them."""

    ads: Sequence[Pairs]


class GridAdWanted(Message, op="grid-ad-wanted"):
    """The ad of a job, please."""

    job: JobId


class GridJobWanted(Message, op="grid-job-wanted"):
    """Ask for the present state of a job in the queue."""

    job: JobId


FROM_SCHEDD = Vocabulary(GridJob, GridAllTold, GridJobGone, GridAd, GridSettled, GridReconfig, Refused)
FROM_GRIDMANAGER = Vocabulary(GridReports, GridAds, GridAdWanted, GridJobWanted, Refused)
