"""Requests of tools to daemons, and the answers."""

from __future__ import annotations

from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId

TYPE_CHECKING = False
if TYPE_CHECKING:
    from condor_py.client.wire import Client
    from condor_py.core.jobs.requests import Selection
    from condor_py.model.messages.codec import A, Request
    from condor_py.model.messages.queue import ForJobs, Results

#: Job ids that one request to the schedd names: what it does with them at once, others wait for.
_IDS_AT_ONCE = 4_000


def granted(client: Client, request: Request[A], body: bytes = b"") -> A:
    """The answer to a request; CondorError with its words when it is refused."""
    from condor_py.model.messages.codec import Refused

    answer = client.ask(request, body)
    if isinstance(answer, Refused):
        raise CondorError(answer.error)
    return answer


def for_jobs(client: Client, request: ForJobs[Results], selection: Selection) -> dict[JobId, int]:
    """The results (see ``schedd.actions``) of a request about the selected jobs, as many messages as that takes.

    CondorError also says how many jobs were seen to when one of them failed: these are done.
    """
    found: dict[JobId, int] = {}
    ids = selection.ids
    request = request.but(constraint=selection.constraint, clusters=list(selection.clusters))
    for start in range(0, max(1, len(ids)), _IDS_AT_ONCE):
        try:
            answer = granted(client, request.but(ids=ids[start : start + _IDS_AT_ONCE]))
        except CondorError as error:
            if not found:
                raise
            raise CondorError(f"{error} (the first {len(found)} of {len(ids)} jobs were seen to)") from None
        for cluster, first, count, result in answer.spans:
            found.update((JobId(cluster, proc), result) for proc in range(first, first + count))
        request = request.but(constraint=None, clusters=[])
    return found
