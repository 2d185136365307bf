"""condor_starter: what the starter of a machine can do. The starters themselves are started by the startd alone."""

from __future__ import annotations

import os
import sys

from condor_py.cli.common import handle_help_and_version
from condor_py.cli.daemon_program import ABOUT
from condor_py.cli.options import EXACT, Opt, ToolSpec, UsageError, parse
from condor_py.model.errors import CondorError

_SPEC = ToolSpec(
    name="condor_starter",
    usage="-classad",
    summary="Show what the starter of this machine can do.",
    description=(
        "A starter runs jobs; the condor_startd makes one for each claim; it is not run by hand. With -classad it "
        "prints the attributes that it adds to the ads of slots: the kinds of URL that it moves (those of "
        "FILETRANSFER_PLUGINS, without those whose <METHOD>_TEST_URL cannot be fetched), and what else it knows."
    ),
    options=(
        Opt("classad", EXACT, help="print the attributes and exit"),
        *ABOUT,
    ),
    exit_status="0, or 1 when it is to run a job, or the configuration cannot be read.",
    examples=(("condor_starter -classad", "which URLs jobs may name here"),),
    see_also=("condor_status", "condor_master"),
)
SPECS = (_SPEC,)


def main(argv: list[str]) -> int:
    """Run condor_starter."""
    args = parse(_SPEC, argv)
    if handle_help_and_version(args):
        return 0
    if not args.has("classad"):
        raise UsageError("the condor_startd starts its starters itself; only -classad is for others", _SPEC)
    sys.stdout.write("".join(f"{name} = {text}\n" for name, text in _abilities()))
    return 0


def _abilities() -> list[tuple[str, str]]:
    """Names and ClassAd texts. What tests of methods say goes to standard error."""
    from condor_py.core.slots.machineads import starter_pairs
    from condor_py.daemons.common.condorids import Home, condor_account
    from condor_py.daemons.startd.containers import container_setup, find_out
    from condor_py.daemons.startd.transfermethods import with_methods
    from condor_py.lang.config import load
    from condor_py.lang.config.builders.paths import paths
    from condor_py.lang.config.builders.startd import startd
    from condor_py.lang.config.builders.starter import starter

    config = load(os.environ, subsystem="STARTER")
    home = Home(condor_account(config), paths(config).log)
    if not os.path.isdir(home.directory):
        raise CondorError(f"condor_starter: there is no directory {home.directory} (LOG)")
    found, lines = find_out(container_setup(config, home.user))
    for line in lines:
        _tell(line)
    settings = with_methods(startd(config), starter(config), home, _tell).changed(containers=found)
    return list(starter_pairs(settings))


def _tell(line: str) -> None:
    sys.stderr.write(f"{line}\n")
