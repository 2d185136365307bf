"""The command lines of condor_master and of the tools that command daemons."""

from __future__ import annotations

from typing import NamedTuple

from condor_py.cli.options import EXACT, Opt, ToolSpec

HINT = 'Use "-help" to see usage information'
DAEMON_FLAGS = ("negotiator", "master", "collector", "kbdd", "schedd", "startd")


class _Tool(NamedTuple):
    """Words of one program: the command's name as it is reported, and whether a daemon flag makes sense."""

    verb: str
    takes_daemon: bool = True


TOOLS = {
    "condor_off": _Tool("Kill"),
    "condor_on": _Tool("Spawn"),
    "condor_restart": _Tool("Restart"),
    "condor_reconfig": _Tool("Reconfig"),
    "condor_reschedule": _Tool("Reschedule", False),
    "condor_vacate": _Tool("Vacate", False),
    "condor_set_shutdown": _Tool("Set-Shutdown-Program", False),
}


DRAINERS = ("condor_off", "condor_restart", "condor_reconfig")
DRAIN_GROUP = "With -drain"
_DRAINING = (
    Opt("drain", 2, help="first drain the machine's slots: no job begins, and running ones have time to end"),
    Opt("quick", 1, help="jobs get their vacate time only", group=DRAIN_GROUP),
    Opt("reason", 3, arg="TEXT", help="what the slots tell meanwhile", group=DRAIN_GROUP),
    Opt("check", 2, arg="EXPR", help="drain only if this is true of every slot", group=DRAIN_GROUP, dash_value=True),
    Opt("start", 5, arg="EXPR", help="jobs that may begin meanwhile", group=DRAIN_GROUP, dash_value=True),
)


def _spec(name: str, summary: str) -> ToolSpec:
    daemon = "[general-options] [targets] [daemon]" if TOOLS[name].takes_daemon else "[general-options] [targets]"
    if name == "condor_off":
        daemon = "[general-options] [drain-options] [targets] [daemon]"
    if name == "condor_set_shutdown":
        daemon = "-exec <name> " + daemon
    program = Opt(
        "exec", 2, arg="NAME", help="the program that MASTER_SHUTDOWN_<NAME> of the configuration names",
        hidden=name != "condor_set_shutdown",
    )  # fmt: skip
    return ToolSpec(
        name=name,
        usage=daemon,
        summary=summary,
        options=(
            Opt("version", 1, help="print the version and exit"),
            Opt("help", 1, help="this text"),
            Opt("peaceful", 2, help="let running jobs finish"),
            Opt("pool", 1, arg="HOST", help="the pool to ask; this machine is the only one"),
            Opt("full", 2, help="all of the configuration (the default)"),
            Opt("fast", 2, help="kill running jobs"),
            Opt("force-graceful", 2, help="graceful, even if a peaceful shutdown is under way"),
            Opt("debug", 1, help="accepted; messages go to standard error in any case"),
            Opt("daemon", 2, arg="NAME", help="the daemon of this name"),
            *(_DRAINING if name in DRAINERS else ()),
            program,
            Opt("graceful", 1, help="jobs get their retirement and vacate time (the default)"),
            Opt("addr", 2, arg="ADDRESS", help="the daemon at this address, which is this pool's or cannot be reached"),
            Opt("all", 2, help="every machine of the pool: this one"),
            Opt("name", 2, arg="NAME", help="the machine of this name"),
            Opt("negotiator", 2, help="the negotiator"),
            Opt("master", 1, help="the master itself, and with it everything"),
            Opt("constraint", 3, arg="EXPR", help="the machines whose master ad matches"),
            Opt("collector", 3, help="accepted; there is no collector process"),
            Opt("kbdd", 1, help="accepted; there is no such daemon"),
            Opt("schedd", 2, help="the schedd"),
            Opt("startd", 2, help="the startd"),
            Opt("subsystem", 2, arg="NAME", help="the daemon of this subsystem"),
        ),
        positional="[NAME...]",
        positional_help="names of machines or, for condor_vacate, slots",
        unknown='ERROR: invalid argument "{arg}"',
        missing="ERROR: -{name} requires another argument\n" + HINT,
        see_also=("condor_master", *(("condor_config_val", "condor_config(5)") if name == "condor_reconfig" else ())),
    )


COMMANDS = {
    "condor_off": _spec("condor_off", "Stop the daemons of the pool, or one of them."),
    "condor_on": _spec("condor_on", "Start daemons that condor_off stopped."),
    "condor_restart": _spec("condor_restart", "Restart the daemons, or one of them."),
    "condor_reconfig": _spec("condor_reconfig", "Make the daemons read their configuration again."),
    "condor_reschedule": _spec("condor_reschedule", "Start a negotiation cycle now."),
    "condor_vacate": _spec("condor_vacate", "Evict the jobs of a slot, or of all slots."),
    "condor_set_shutdown": _spec("condor_set_shutdown", "Set the program that the master becomes when it ends."),
}
AMBIGUOUS = {
    "-f": '"-full" or "-fast"',
    "-a": '"-addr" or "-all"',
    "-n": '"-name" or "-negotiator"',
}
#: The two shortest options that say it in other words.
AMBIGUOUS_TOO = {
    "-co": f'ERROR: ambigous parameter: "-co"\nPlease specify "-collector" or "-constraint"\n{HINT}\n',
    "-s": f'ERROR: ambiguous argument "-s"\nPlease specify "-subsystem", "-startd" or "-schedd"\n{HINT}\n',
}
#: Options that only some of the programs take.
ONLY_WITH = {
    "peaceful": ("condor_off", "condor_restart"),
    "full": ("condor_reconfig",),
    "fast": ("condor_off", "condor_restart", "condor_vacate"),
    "force-graceful": ("condor_off",),
}

MASTER = ToolSpec(
    name="condor_master",
    usage="[-f] [-t] [-b] [-v] [-k PIDFILE] [-pidfile FILE] [-l DIR] [-c FILE]",
    summary="Start the personal pool: the master daemon, which starts and supervises all the others.",
    description=(
        "Goes to the background, and returns when each daemon of DAEMON_LIST has published its ad or has died (at most "
        "30 seconds): it names those that do not serve, why, and in which log more is. With -f it stays in the "
        "foreground, and tells the same on standard error."
    ),
    options=(
        Opt("f", EXACT, help="stay in the foreground"),
        Opt("t", EXACT, help="log to standard error, in the foreground"),
        Opt("b", EXACT, help="go to the background (the default)"),
        Opt("v", EXACT, help="print the version and exit"),
        Opt("version", EXACT, same_as="v", help="print the version and exit"),
        Opt("k", EXACT, arg="PIDFILE", help="shut down gracefully the master whose pid is in this file", takes="file"),
        Opt("pidfile", EXACT, arg="FILE", help="write the master's pid to this file", takes="file"),
        Opt("l", EXACT, arg="DIR", help="directory of the logs (LOG)", takes="dir"),
        Opt("c", EXACT, arg="FILE", help="the configuration file (CONDOR_CONFIG)", takes="file"),
        Opt("n", EXACT, arg="NAME", help="name of the master (MASTER_NAME)"),
        Opt("local-name", EXACT, arg="NAME", help="look knobs up under NAME. first"),
        Opt("p", EXACT, arg="PORT", help="accepted; nothing listens on a port"),
        Opt("r", EXACT, arg="MINUTES", help="shut down gracefully after this many minutes"),
        Opt("a", EXACT, arg="TAG", help="the master's log is MASTER_LOG.TAG"),
        Opt("h", EXACT, help="this text"),
        Opt("help", EXACT, same_as="h", help="this text"),
    ),
    exit_status="0 when the pool runs (or did already), 1 when it or one of its daemons could not be started, 4 for a "
    "wrong command line.",
    see_also=("condor_off", "condor_on", "condor_restart", "condor_config_val"),
)
