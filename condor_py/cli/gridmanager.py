"""condor_gridmanager: help for a program that only the schedd starts."""

from __future__ import annotations

import sys

from condor_py.cli.common import handle_help_and_version
from condor_py.cli.daemon_program import ABOUT
from condor_py.cli.options import ToolSpec, parse

_SPEC = ToolSpec(
    name="condor_gridmanager",
    usage="-version",
    summary="Follows the grid jobs of a user in other systems.",
    description=(
        "A gridmanager gives the jobs of the grid universe of one user to the systems that their grid_resource names, "
        "follows them there, and brings their output back. The condor_schedd starts one for each user who has such "
        "jobs, with the rights of that user, and ends it when there are none; it is not run by hand. When it is "
        "killed the next one finds the jobs again, by the names that they have there. Its log is GRIDMANAGER_LOG, "
        "with the name of the user added. GRIDMANAGER_JOB_PROBE_INTERVAL says how often it checks the jobs, "
        "GRIDMANAGER_MAX_SUBMITTED_JOBS_PER_RESOURCE how many a resource may have, and GRIDMANAGER_SANDBOX where their "
        "files are. condor_status -grid shows the resources, condor_q -grid the jobs."
    ),
    options=ABOUT,
    exit_status="0, or 1 when it is to run jobs: the condor_schedd does that.",
    examples=(("condor_status -grid", "the resources that have grid jobs"),),
    see_also=("condor_submit", "condor_q", "condor_status"),
)
SPECS = (_SPEC,)


def main(argv: list[str]) -> int:
    """Run condor_gridmanager."""
    args = parse(_SPEC, argv)
    if handle_help_and_version(args):
        return 0
    sys.stderr.write("condor_gridmanager is started by the condor_schedd, for users who have grid jobs\n")
    return 1
