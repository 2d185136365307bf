"""condor_rooster: the daemon that wakes machines which sleep although they are wanted, run by hand."""

from __future__ import annotations

from condor_py.tools.common import handle_help_and_version
from condor_py.tools.options import EXACT, Opt, ToolSpec, parse

_SPEC = ToolSpec(
    name="condor_rooster",
    usage="[-f] [-v]",
    summary="The daemon that wakes machines which sleep although they are wanted.",
    description=(
        "Usually nobody runs it: the master does, when DAEMON_LIST contains ROOSTER. Every ROOSTER_INTERVAL seconds it "
        "looks at the ads of machines and runs ROOSTER_WAKEUP_CMD, with the ad on standard input, for those that meet "
        "ROOSTER_UNHIBERNATE: by default machines that are offline and whose Unhibernate is true, which is so when the "
        "negotiator has a job for them. ROOSTER_UNHIBERNATE_RANK says which come first, ROOSTER_MAX_UNHIBERNATE how "
        "many at a time. Its log is ROOSTER_LOG."
    ),
    options=(
        Opt("f", EXACT, help="stay in the foreground (always)"),
        Opt("version", EXACT, help="print the version and exit"),
        Opt("v", EXACT, same_as="version", help="print the version and exit"),
        Opt("help", EXACT, help="this text"),
        Opt("h", EXACT, same_as="help", help="this text"),
    ),
    examples=(("condor_config_val -set 'DAEMON_LIST = $(DAEMON_LIST) ROOSTER'", "let the master start it"),),
    exit_status="0 when it was told to stop, 1 when it could not start.",
    see_also=("condor_power", "condor_status", "condor_master"),
)
SPECS = (_SPEC,)


def main(argv: list[str]) -> int:
    """Run condor_rooster until it is told to stop."""
    args = parse(_SPEC, argv)
    if handle_help_and_version(args):
        return 0
    from condor_py.daemon.main import main as run_daemon

    return run_daemon("ROOSTER")
