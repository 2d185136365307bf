"""The queue as its schedd shows it to those who may not read its file: a copy, and for a long one an index of it."""

from __future__ import annotations

import os

from condor_py.client.asking import granted
from condor_py.client.queue_view import QueueView
from condor_py.client.wire import Client, WireError
from condor_py.model.errors import CondorError
from condor_py.model.messages.queue import CopyIndex, Query, QueryIndex
from condor_py.store.job_queue import JobQueue

#: A shorter copy is read as quickly without an index.
_LONG = 1 << 20


def shown_queue(client: Client) -> QueueView:
    """The queue at this moment. CondorError."""
    answer = granted(client, Query())
    if not client.files:
        raise CondorError("the condor_schedd that runs is of another version: restart it (condor_restart)")
    index = _index(client) if os.fstat(client.files[0]).st_size > _LONG else None
    shown = f"/proc/self/fd/{client.files[0]}"  # which the table opens again
    return QueueView(JobQueue(shown, readonly=True, lasting=False, index=index), answer.now)


def _index(client: Client) -> bytes | None:
    """An index of the copy that has just come; None where there is none, and from a schedd that makes none."""
    try:
        answer = client.ask(QueryIndex())
        if not isinstance(answer, CopyIndex) or not answer.there or len(client.files) < 2:
            return None
        return os.pread(client.files[1], os.fstat(client.files[1]).st_size, 0)
    except (WireError, OSError):
        return None
