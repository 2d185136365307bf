"""Requests of tools, bindings and jobs that use Chirp to the schedd.

The kernel says of a connection which user asks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from condor_py.model.ids import JobId
from condor_py.model.messages.codec import A, Answer, Message, Request, Vocabulary
from condor_py.model.messages.common import BY_EVERYBODY
from condor_py.model.messages.kinds import ChosenJobs, Jobs, OcuAction, Pairs
from condor_py.model.messages.sessions import Locate
from condor_py.model.messages.wakeups import Done, Sync
from condor_py.model.texts import Line


class Reschedule(Request[Done], op="reschedule"):
    """Negotiate now."""


class QueueCopy(Answer):
    """A descriptor of a copy of the queue comes along, which is of the time ``now``."""

    now: int


class Query(Request[QueueCopy], op="query"):
    """The queue, for who may not read its file."""


class CopyIndex(Answer):
    """A descriptor of an index of the copy comes along if ``there`` is one."""

    there: bool


class QueryIndex(Request[CopyIndex], op="query-index"):
    """Ask for the index that makes reading the copy of a long queue quicker. Sent after Query."""


# -- submitting ------------------------------------------------------------------------------------------------------


class FirstCluster(Answer):
    """The first of the new numbers."""

    first: int


class NewClusters(Request[FirstCluster], op="new-clusters"):
    """Cluster numbers, for a Submit over this connection."""

    count: int


class Submitted(Answer):
    """It is in the queue. If ``first`` is not 0 it is not: the clusters are to be sent again, numbered from ``first``
    on."""

    warnings: Sequence[str] = ()
    first: int = 0


class Submit(Request[Submitted], op="submit"):
    """The body has the clusters, as JSON (see ``client.submission.SubmittedCluster``). ``count`` clusters are numbered
    from ``expected`` on, if that is the next number; if it is 0, by numbers of NewClusters."""

    expected: int = 0
    count: int = 0


class SpoolFolders(Answer):
    """For each job that waits for files [cluster, proc, directory]."""

    folders: Sequence[Any]
    now: int = 0


class SpoolBegin(Request[SpoolFolders], op="spool-begin"):
    """Directories for the input files of these jobs."""

    ids: ChosenJobs


class JobsDone(Answer):
    """The jobs concerned."""

    jobs: Jobs


class SpoolEnd(Request[JobsDone], op="spool-end"):
    """The files are there, since ``begun`` (Unix time): the jobs may run."""

    begun: int
    ids: ChosenJobs


# -- changing jobs ---------------------------------------------------------------------------------------------------


class Results(Answer):
    """[cluster, first proc, procs, result] of neighbours with one result; results are those of
    ``core.jobs.actions``."""

    spans: Sequence[Any]


class Progress(Message, op="progress"):
    """So many of the jobs of a request have been seen to; the answer follows when all have."""

    done: int
    total: int


#: What a sender that wants to know how far its request is gets before the answer.
BEFORE_THE_ANSWER = Vocabulary(Progress)


class ForJobs(Request[A], kw_only=True):
    """Something for jobs by id, by cluster, and all for which ``constraint`` is true.

    ``progress``: the sender wants messages about how far it is.
    """

    ids: ChosenJobs = ()
    clusters: Sequence[int] = ()
    constraint: str | None = None
    progress: bool = False


class Act(ForJobs[Results], op="act", kw_only=True):
    """Hold, release, remove ...: an ``action`` of ``core.jobs.actions``."""

    action: str
    reason: Line | None = None
    subcode: int | None = None


class Edit(ForJobs[Results], op="edit", kw_only=True):
    """Attributes and the expressions that they get, in one transaction."""

    assignments: Pairs


class RunNow(Request[Done], op="now"):
    """Evict the victims and start the job in their place (condor_now)."""

    job: JobId
    victims: Jobs


class WriteEvent(Request[Done], op="ulog"):
    """A line of one's own in the event log of one's job."""

    job: JobId
    text: Line


# -- for other managers of jobs, and administrators ------------------------------------------------------------------


class ManageElsewhere(Request[JobsDone], op="external"):
    """``export`` or ``unexport`` the jobs of clusters, or ``import`` what the body says became of them, as JSON:
    [cluster, proc, [[name, text], ...]]."""

    action: str
    clusters: Sequence[int] = ()


class UserRecord(Answer):
    """An ad of what was done."""

    ad: Pairs


class ActOnUsers(Request[UserRecord], op="users"):
    """Records of users (kind Owner) or projects (Project); ``requests`` as ``core.jobs.userrecs.from_wire`` takes
    them."""

    kind: str
    action: str
    requests: Sequence[Any]
    reason: Line | None = None


class OcuUnits(Answer):
    """The unit that was made or removed, or the ads of all."""

    id: int = 0
    name: str = ""
    ads: Sequence[Pairs] = ()


class Ocu(Request[OcuUnits], op="ocu"):
    """Slots that stay with an owner: ``create`` one for a request, ``remove`` that of an id, ``query``."""

    action: OcuAction
    request: Pairs = ()
    id: int = 0


BY_SCHEDD = Vocabulary(
    *BY_EVERYBODY, Locate, Reschedule, Sync, Query, QueryIndex, NewClusters, Submit, SpoolBegin, SpoolEnd, Act, Edit,
    RunNow, WriteEvent, ManageElsewhere, ActOnUsers, Ocu,
)  # fmt: skip
