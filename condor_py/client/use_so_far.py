"""The use of a running job over time, as its starter has recorded it so far."""

from __future__ import annotations

from typing import TYPE_CHECKING

from condor_py.client.wire import Client
from condor_py.model.errors import CondorError
from condor_py.model.messages import sessions as say

if TYPE_CHECKING:
    from condor_py.client.pool import Pool
    from condor_py.model.ids import JobId

#: Seconds that schedd and starter may take.
_PATIENCE = 5.0


def use_so_far(pool: Pool, job: JobId, patience: float = _PATIENCE) -> str:
    """Return the record of a running job; "" where nothing is known: too early, not the caller's, no daemon.

    Schedd and starter have ``patience`` seconds each.
    """
    try:
        with Client(pool.paths.socket("schedd"), patience) as schedd:
            schedd.send(say.Locate(job))
            found = schedd.hear(say.BY_VISITOR)
        if not isinstance(found, say.Door):
            return ""
        with Client(found.door, patience) as starter:
            starter.send(say.AskUse(found.proc or str(job)))
            answer = starter.hear(say.BY_VISITOR)
    except CondorError:
        return ""
    return answer.record if isinstance(answer, say.UseSoFar) else ""
