"""condor_power_state: what low power states this machine has, and the way into them (HIBERNATION_PLUGIN)."""

from __future__ import annotations

import sys

from condor_py.cli.common import handle_help_and_version
from condor_py.cli.options import EXACT, Opt, ToolSpec, parse
from condor_py.model.errors import CondorError

_SPEC = ToolSpec(
    name="condor_power_state",
    usage="[-d] [-m METHOD] (ad|set STATE)",
    summary="Show the low power states of this machine, or enter one.",
    positional="ad|set STATE",
    positional_help="ad: print what the machine can do; set: enter a state (S1 to S5, or a word of HIBERNATE)",
    description=(
        "The startd asks this program, or another that HIBERNATION_PLUGIN names, which states there are, and runs it "
        "to enter one. The methods are tried in the order pm-utils, systemd, /sys, /proc; LINUX_HIBERNATION_METHOD "
        "names one. Entering a state needs root; the program returns when the machine is awake again."
    ),
    options=(
        Opt("help", EXACT, help="this text"),
        Opt("h", EXACT, same_as="help", help="this text"),
        Opt("version", EXACT, help="the version and the platform"),
        Opt("debug", EXACT, help="tell on stderr what is done"),
        Opt("d", EXACT, same_as="debug", help="tell on stderr what is done"),
        Opt("method", EXACT, "METHOD", help="pm-utils, systemd, /sys or /proc"),
        Opt("m", EXACT, "METHOD", same_as="method", help="pm-utils, systemd, /sys or /proc"),
        Opt("sys", EXACT, "DIR", help="look there instead of in /sys (for trials)", takes="dir"),
    ),
    examples=(("condor_power_state ad", "what this machine can do"), ("condor_power_state set S3", "sleep")),
    exit_status="0 when all went well, 1 otherwise.",
    see_also=("condor_power", "condor_rooster"),
)
SPECS = (_SPEC,)


def main(argv: list[str]) -> int:
    """Run condor_power_state."""
    args = parse(_SPEC, argv)
    if handle_help_and_version(args):
        return 0
    from condor_py.client.pool import open_pool
    from condor_py.machine.probes.power import METHODS, Power, PowerError
    from condor_py.model.power import is_sleep_state, sleep_state, states_mask, states_text

    method = args.text("method") or open_pool().config.string("LINUX_HIBERNATION_METHOD")
    if method and method.lower() not in METHODS:
        raise CondorError(f"condor_power_state: unknown method {method}: {', '.join(METHODS)} are known")
    power = Power(args.text("sys") or "/sys")
    match [*args.positional]:
        case ["ad"]:
            found = power.abilities(method)
            sys.stdout.write(
                f'HibernationMethod = "{found.method}"\nHibernationRawMask = {states_mask(found.states)}\n'
                f'HibernationSupportedStates = "{states_text(found.states)}"\n'
            )
        case ["set", state] if is_sleep_state(state):
            if args.has("debug"):
                sys.stderr.write(f"entering {sleep_state(state).name} by {power.abilities(method).method}\n")
            try:
                power.enter(sleep_state(state), method)
            except PowerError as error:
                raise CondorError(f"condor_power_state: failed to switch the machine's power state: {error}") from None
            sys.stderr.write("Power level change.\n")
        case ["set", state]:
            raise CondorError(f"condor_power_state: {state} is no power state")
        case _:
            raise CondorError("condor_power_state: wrong number of arguments: ad or set STATE is needed")
    return 0
