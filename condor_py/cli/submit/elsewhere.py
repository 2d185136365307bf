"""``condor_submit -remote NAME -pool HOST``: jobs for the schedd of another pool, with their input files."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from condor_py.client.elsewhere import OtherSchedd

if TYPE_CHECKING:
    from condor_py.cli.submit.request import Request
    from condor_py.client.pool import Pool


def submit_elsewhere(pool: Pool, request: Request, text: str, host: str) -> int:
    """Queues what a submit description says there; 0. Its output waits there for condor_transfer_data. CondorError."""
    defines = "".join(f"{key} = {value}\n" for key, value in request.defines)
    queue = (request.queue or "").partition(" ")[2].strip()
    if request.queue is not None:
        queue = queue or "1"
    schedd = OtherSchedd(pool, request.schedd or "", host)
    cluster, count = schedd.queue(defines + text, request.appends, queue, os.getcwd())
    sys.stdout.write(f"Submitting job(s){'.' * count}\n{count} job(s) submitted to cluster {cluster}.\n")
    return 0
