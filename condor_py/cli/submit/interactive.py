"""condor_submit -interactive: one job that waits, and a session in its slot."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from condor_py.model.errors import CondorError

if TYPE_CHECKING:
    from condor_py.cli.submit.request import Request
    from condor_py.client.pool import Pool
    from condor_py.model.settings.submit import SubmitSettings

#: The job when no description is named and the site has none (INTERACTIVE_SUBMIT_FILE). It waits three minutes for its
#: session, which then takes its place; shells that know TMOUT log out after two idle hours.
DESCRIPTION = """\
universe = vanilla
executable = /bin/sh
arguments = "-c 'sleep 180 && while test -d ${_CONDOR_SCRATCH_DIR}/.condor_ssh_to_job_1; do /bin/sleep 3; done'"
transfer_executable = false
environment = "TMOUT=7200"
notification = never
priority = 1000
request_memory = 512m
queue
"""


def prepare(request: Request, settings: SubmitSettings, pool: Pool) -> None:
    """Choose the description: without one that of the site; in the user's own, a program that waits replaces theirs.

    CondorError when no daemon would start the job.
    """
    if request.target is None and not pool.schedd_runs:
        from condor_py.cli.idle_pool import with_remedy
        from condor_py.client.pool import why_closed

        if closed := why_closed(pool.paths):
            raise CondorError(closed)
        text = "ERROR: Can't find address of local schedd: condor_schedd is not running"
        raise CondorError(with_remedy(text, pool))
    if request.file is None:
        request.file = settings.interactive_file or None
        return
    from condor_py.lang.submit.interactive import ARGUMENTS, EXECUTABLE

    knobs = ((EXECUTABLE, settings.interactive_executable), (ARGUMENTS, settings.interactive_args))
    request.defines.extend((command, value) for command, value in knobs if value)


def session(pool: Pool, cluster: int, debug: bool) -> int:
    """A shell in the job's slot; its exit code. The job leaves the queue with the session, or when we are killed."""
    from condor_py.cli.ssh_to_job.session import Wish, attach
    from condor_py.model.ids import JobId

    shell = os.environ.get("SHELL", "")
    wish = Wish(shells=(shell,) if shell else (), display=True, retry=True, remove=True, debug=debug)
    return attach(pool, JobId(cluster, 0), wish)
