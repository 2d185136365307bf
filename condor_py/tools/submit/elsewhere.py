"""``condor_submit -remote NAME -pool HOST``: jobs for the schedd of another pool, with their input files."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING

from condor_py.access.elsewhere import OtherSchedd

if TYPE_CHECKING:
    from condor_py.access.pool import Pool
    from condor_py.tools.submit.request import Request


#: Where the first queue statement begins: what is appended stands before it.
_QUEUE = re.compile(r"^[ \t]*queue\b", re.IGNORECASE | re.MULTILINE)


def submit_elsewhere(pool: Pool, request: Request, text: str, host: str) -> int:
    """Queues what a submit description says there; 0. Its output waits there for condor_transfer_data. CondorError."""
    first = _QUEUE.search(text)
    before, after = (text, "") if first is None else (text[: first.start()], text[first.start() :])
    lines = [*(f"{key} = {value}" for key, value in request.defines), before, *request.appends, after]
    if request.queue is not None:
        lines.append(request.queue)
    cluster, count = OtherSchedd(pool, request.schedd or "", host).queue("\n".join(lines) + "\n", os.getcwd())
    sys.stdout.write(f"Submitting job(s){'.' * count}\n{count} job(s) submitted to cluster {cluster}.\n")
    return 0
