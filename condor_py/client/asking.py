"""Requests of tools to daemons, and the answers."""

from __future__ import annotations

from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from condor_py.client.wire import Client
    from condor_py.model.messages.codec import A, Head, Request
    from condor_py.model.messages.queue import ForJobs, Results
    from condor_py.model.selection import Selection

#: Job ids that one request to the schedd names: what it does with them at once, others wait for.
_IDS_AT_ONCE = 4_000
if TYPE_CHECKING:
    #: Hears how many jobs of how many have been seen to.
    Listener = Callable[[int, int], None]


def granted(client: Client, request: Request[A], body: bytes = b"", listen: Callable[[Head], None] | None = None) -> A:
    """The answer to a request; CondorError with its words when it is refused. ``listen``: see ``Client.ask``."""
    from condor_py.model.messages.codec import Refused

    answer = client.ask(request, body, listen=listen)
    if isinstance(answer, Refused):
        raise CondorError(answer.error)
    return answer


def for_jobs(
    client: Client, request: ForJobs[Results], selection: Selection, listener: Listener | None = None
) -> dict[JobId, int]:
    """The results (see ``core.jobs.actions``) of a request about the selected jobs, as many messages as that takes.

    ``listener`` gets the progress. CondorError also says how many jobs were seen to when one of them failed: these are
    done.
    """
    found: dict[JobId, int] = {}
    ids = selection.ids
    request = request.but(constraint=selection.constraint, clusters=list(selection.clusters))
    if listener is not None:
        request = request.but(progress=True)
    for start in range(0, max(1, len(ids)), _IDS_AT_ONCE):
        try:
            listen = None if listener is None else _listener(listener, start, max(0, len(ids) - start - _IDS_AT_ONCE))
            answer = granted(client, request.but(ids=ids[start : start + _IDS_AT_ONCE]), listen=listen)
        except CondorError as error:
            if not found:
                raise
            raise CondorError(f"{error} (the first {len(found)} of {len(ids)} jobs were seen to)") from None
        for cluster, first, count, result in answer.spans:
            found.update((JobId(cluster, proc), result) for proc in range(first, first + count))
        request = request.but(constraint=None, clusters=[])
    return found


def _listener(listener: Listener, before: int, after: int) -> Callable[[Head], None]:
    """Return the function for the messages of one request; others see to ``before`` jobs before and ``after`` later."""
    from condor_py.model.messages.queue import BEFORE_THE_ANSWER, Progress

    def listen(head: Head) -> None:
        message = BEFORE_THE_ANSWER.read(head)
        if isinstance(message, Progress):
            listener(before + message.done, before + message.total + after)

    return listen
