"""condor_master, and the tools that command daemons: off, on, restart, reconfig, reschedule, vacate, set_shutdown."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NamedTuple, cast

from condor_py.cli.common import check_pool, host_and_port
from condor_py.cli.daemon_program import core_options, take_core_options
from condor_py.cli.idle_pool import say_when_nothing_runs
from condor_py.cli.options import Args, Opt, ToolSpec, UsageError, parse
from condor_py.cli.version import version_lines
from condor_py.model.copies import changed
from condor_py.model.errors import CondorError
from condor_py.model.messages import common, machine
from condor_py.model.messages import master as to_master
from condor_py.model.messages.codec import A, Refused, Request

if TYPE_CHECKING:
    from condor_py.model.messages.common import Reconfigured
    from condor_py.model.messages.kinds import DrainHow, How
    from condor_py.model.messages.machine import DrainWish


HINT = 'Use "-help" to see usage information'
DAEMON_FLAGS = ("negotiator", "master", "collector", "kbdd", "schedd", "startd", "web", "preen")


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
    Opt("drain", 2, help="first drain the machine's slots: no job starts, and running jobs may end"),
    Opt("quick", 1, help="jobs get their vacate time only", group=DRAIN_GROUP),
    Opt("reason", 3, arg="TEXT", help="shown by the slots while they drain", group=DRAIN_GROUP),
    Opt("check", 2, arg="EXPR", help="drain only if this is true of every slot", group=DRAIN_GROUP, dash_value=True),
    Opt("start", 5, arg="EXPR", help="jobs that may start while draining", group=DRAIN_GROUP, dash_value=True),
)


_EXAMPLES = {
    "condor_off": (
        ("condor_off -master", "stop the pool; jobs get their retirement time and wait in the queue"),
        ("condor_off -peaceful", "stop the daemons when the running jobs have ended"),
        ("condor_off -startd", "stop running jobs; the queue stays open"),
    ),
    "condor_on": (("condor_on", "start what condor_off stopped"), ("condor_on -startd", "start the startd only")),
    "condor_restart": (
        ("condor_restart", "restart all daemons with the programs that are installed now"),
        ("condor_restart -schedd", "restart the schedd; running jobs continue"),
    ),
    "condor_reconfig": (
        ("condor_config_val -lint && condor_reconfig", "check the configuration, then use it"),
        ("condor_reconfig -startd", "let one daemon read it"),
    ),
    "condor_reschedule": (("condor_reschedule", "negotiate now"),),
    "condor_vacate": (("condor_vacate", "evict all jobs; they run again later"),),
    "condor_set_shutdown": (("condor_set_shutdown -exec reboot", "run MASTER_SHUTDOWN_REBOOT when the master ends"),),
}


#: Options that only some of the programs take.
ONLY_WITH = {
    "peaceful": ("condor_off", "condor_restart"),
    "full": ("condor_reconfig",),
    "fast": ("condor_off", "condor_restart", "condor_vacate"),
    "force-graceful": ("condor_off",),
}
_DESCRIPTIONS = {
    "condor_off": "Without a daemon it stops all daemons but the master, and condor_on starts them again; -master "
    "stops the master, too. Running jobs get their retirement and vacate time, unless -peaceful or -fast says "
    "otherwise. Jobs that were stopped wait in the queue.",
    "condor_restart": "Without a daemon it restarts the master and everything else, with the programs that are "
    "installed now. Jobs continue to run when the schedd or the negotiator alone is restarted.",
    "condor_reconfig": "A wrong value leaves the previous one in force and is reported. Knobs that take effect only "
    "after a restart are named.",
}


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
        description=_DESCRIPTIONS.get(name, ""),
        options=(
            Opt("version", 1, help="print the version and exit"),
            Opt("help", 1, help="this text"),
            Opt("peaceful", 2, help="let running jobs finish", hidden=name not in ONLY_WITH["peaceful"]),
            Opt("pool", 1, arg="HOST", help="the pool to ask; this machine is the only one"),
            Opt("full", 2, help="all of the configuration (the default)", hidden=name not in ONLY_WITH["full"]),
            Opt("fast", 2, help="kill running jobs", hidden=name not in ONLY_WITH["fast"]),
            Opt(
                "force-graceful",
                2,
                help="graceful, even if a peaceful shutdown is under way",
                hidden=name not in ONLY_WITH["force-graceful"],
            ),
            Opt("debug", 1, help="accepted; messages go to standard error in any case", colon="FLAGS"),
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
            Opt("preen", 5, help="run condor_preen now", hidden=name != "condor_on"),
            Opt("web", 1, help="the server of the pages, condor_web"),
            Opt("subsystem", 2, arg="NAME", help="the daemon of this subsystem"),
        ),
        positional="[NAME...]",
        positional_help="names of slots" if name == "condor_vacate" else "names of machines; this one is the only one",
        unknown='ERROR: invalid argument "{arg}"',
        dash=False,
        missing="ERROR: -{name} requires another argument\n" + HINT,
        examples=_EXAMPLES[name],
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

MASTER = ToolSpec(
    name="condor_master",
    usage="[-f] [-t] [-b] [-v] [-k PIDFILE] [-pidfile FILE] [-l DIR] [-c FILE]",
    summary="Start the pool: the master daemon, which starts and supervises all the others.",
    description=(
        "Goes to the background, and returns when each daemon of DAEMON_LIST has published its ad or has died (at most "
        "30 seconds): it names those that do not serve, why, and in which log more is. With -f it stays in the "
        "foreground, and prints the same on standard error."
    ),
    options=(
        Opt("name", arg="NAME", help="name of the master (MASTER_NAME)"),
        *core_options(background=True),
    ),
    examples=(
        ("condor_master", "start the pool; return when it serves"),
        ("condor_master -f", "stay in the foreground, as systemd and containers expect"),
        ("condor_master -t -f", "the same, with the log on the terminal"),
        ("CONDOR_CONFIG=$PWD/pool.config condor_master", "a pool with a configuration of its own"),
    ),
    exit_status="0 when the pool runs (or did already), 1 when it or one of its daemons could not be started, 4 for a "
    "wrong command line.",
    see_also=("condor_off", "condor_on", "condor_restart", "condor_config_val"),
)


SPECS = (MASTER, *COMMANDS.values())


def off(argv: list[str]) -> int:
    """Run condor_off."""
    return _run("condor_off", argv)


def on(argv: list[str]) -> int:
    """Run condor_on."""
    return _run("condor_on", argv)


def restart(argv: list[str]) -> int:
    """Run condor_restart."""
    return _run("condor_restart", argv)


def reconfig(argv: list[str]) -> int:
    """Run condor_reconfig."""
    return _run("condor_reconfig", argv)


def reschedule(argv: list[str]) -> int:
    """Run condor_reschedule."""
    return _run("condor_reschedule", argv)


def vacate(argv: list[str]) -> int:
    """Run condor_vacate."""
    return _run("condor_vacate", argv)


def set_shutdown(argv: list[str]) -> int:
    """Run condor_set_shutdown."""
    return _run("condor_set_shutdown", argv)


def _run(program: str, argv: list[str]) -> int:
    spec = COMMANDS[program]
    for argument in argv:
        text = AMBIGUOUS_TOO.get(argument, "")
        if argument in AMBIGUOUS:
            text = f'ERROR: ambiguous parameter: "{argument}"\nPlease specify {AMBIGUOUS[argument]}\n{HINT}\n'
        if text:
            sys.stderr.write(text)
            return 1
    args = _parse(spec, argv)
    if args.has("version"):
        sys.stdout.write(version_lines())
        return 0
    if args.has("help"):
        from condor_py.cli.command import help_text

        sys.stdout.write(help_text(spec))
        return 0
    for name, programs in ONLY_WITH.items():
        if args.has(name) and program not in programs:
            raise CondorError(f'ERROR: "-{name}" is not valid with {program}\n{HINT}')
    daemon = _daemon_flag(program, spec, args)
    _check_exec(program, args)
    _check_targets(args)
    return _Command(program, daemon, args).send()


def _parse(spec: ToolSpec, argv: list[str]) -> Args:
    """Without -drain the options that modify it are unknown: ``-start`` is the startd then."""
    if not any(word.lstrip("-") in ("dr", "dra", "drai", "drain") for word in argv):
        spec = changed(spec, options=tuple(option for option in spec.options if option.group != DRAIN_GROUP))
    return parse(spec, argv)


def _daemon_flag(program: str, spec: ToolSpec, args: Args) -> str:
    flags = [flag for flag in DAEMON_FLAGS if args.has(flag)]
    flags += [name.lower() for name in args.texts("daemon") + args.texts("subsystem")]
    if len(flags) > 1:
        raise UsageError("ERROR: can only specify one daemon flag.", spec, kind="unknown")
    if flags and not TOOLS[program].takes_daemon:
        raise UsageError(f"ERROR: Can't specify a daemon flag with {program}.", spec, kind="unknown")
    return flags[0] if flags else ""


def _manner(args: Args) -> tuple[How, bool]:
    """Return how daemons are to end, and whether -force-graceful says so: the last of the options counts."""
    last = args.last("fast", "peaceful", "graceful", "force-graceful")
    forced = args.last("fast", "peaceful", "force-graceful")
    how = "graceful" if last is None else last.name.removeprefix("force-")
    return cast("How", how), forced is not None and forced.name == "force-graceful"


def _check_exec(program: str, args: Args) -> None:
    """-exec belongs to condor_set_shutdown, which needs it, and to -drain."""
    if program == "condor_set_shutdown" and not args.has("exec"):
        raise CondorError(f'ERROR: "-exec" required for condor_set_shutdown\n{HINT}')
    if args.has("exec") and program != "condor_set_shutdown" and not args.has("drain"):
        without = " without -drain" if program in DRAINERS else ""
        raise CondorError(f'ERROR: "-exec" is not valid with {program}{without}\n{HINT}')
    if args.has("exec"):
        sys.stdout.write(f"Set exec to {args.text('exec')}\n")


def _check_targets(args: Args) -> None:
    """Refuse a second constraint, and one next to names or addresses: which daemons are meant would be a guess."""
    constraints = args.all("constraint")
    if len(constraints) > 1:
        raise CondorError("ERROR: only one -constraint argument is allowed")
    if constraints and not args.has("all") and (args.positional or args.has("name") or args.has("addr")):
        raise CondorError(
            "ERROR: -constraint conflicts with other arguments that have names or addresses.\n"
            f'Add Name == "NAME" or Machine == "NAME" to the constraint instead.\n{HINT}'
        )


class _Command:
    """One command on its way to a daemon of the local pool."""

    def __init__(self, program: str, daemon: str, args: Args) -> None:
        from condor_py.client.pool import open_pool

        self.pool = open_pool()
        check_pool(args, self.pool)
        self.program = program
        self.daemon = daemon
        self.how, self.force = _manner(args)
        targets = list(args.positional) + args.texts("name") + args.texts("addr")
        self.names = [target for target in targets if not target.startswith("<")]
        self.addresses = [target for target in targets if target.startswith("<")]
        self.constraint = args.text("constraint")
        self.program_name = args.text("exec")
        #: What is added to a command that waits until the slots are drained.
        self.drain: DrainWish | None = None
        if args.has("drain"):
            self.drain = self._drain_wish(args)
        self.all = args.has("all")
        if self.all:  # as the manual says, it overrides other targets
            self.names, self.addresses, self.constraint = [], [], None
        self._hint_at_names()

    def _hint_at_names(self) -> None:
        """On a terminal, name a daemon that the master does not start, or a program that no knob names."""
        from condor_py.cli.suggest import hint
        from condor_py.model.spelling import nearest

        daemons = ["master", "preen", *(name.lower() for name in self.pool.config.list("DAEMON_LIST"))]
        if self.daemon and self.daemon not in daemons:
            like = nearest(self.daemon, daemons)
            meant = f": did you mean {like}?" if like else f", which has {', '.join(daemons[2:])}"
            hint(f"{self.program}: {self.daemon} is not in DAEMON_LIST{meant}")
        knob = f"MASTER_SHUTDOWN_{self.program_name}" if self.program_name else ""
        if knob and not self.pool.config.string(knob):
            hint(f"{self.program}: {knob} is not set: the master will run nothing when it ends")

    def _drain_wish(self, args: Args) -> DrainWish:
        how: DrainHow = "fast" if self.how == "fast" else "quick" if args.has("quick") else "graceful"
        reason = args.text("reason") or f"by {self.pool.owner}"
        return machine.DrainWish(how, reason, args.text("check", ""), args.text("start", ""))

    def send(self) -> int:
        """Sends it and reports in HTCondor's words; the exit code. Nothing is sent when a name is not of this pool."""
        self._check_names()
        elsewhere = self._check_addresses()
        if elsewhere and len(elsewhere) == len(self.addresses) and not self.names and self.constraint is None:
            return 1
        self.addresses = [address for address in self.addresses if address not in elsewhere]
        self._check_constraint()
        handler = {
            "condor_off": self._off,
            "condor_on": self._on,
            "condor_restart": self._restart,
            "condor_reconfig": self._reconfig,
            "condor_reschedule": self._reschedule,
            "condor_vacate": self._vacate,
            "condor_set_shutdown": self._set_shutdown,
        }[self.program]
        return max(handler(), 1 if elsewhere else 0)

    def _check_names(self) -> None:
        """A name is this machine's, or that of one of its daemons or slots (``NAME@HOST``)."""
        settings = self.pool.settings
        host = settings.host.lower()
        hosts = {host, host.partition(".")[0], "localhost"}
        daemons = {name.lower() for name in (settings.master_name, settings.schedd_name, settings.startd_name)}
        for name in self.names:
            if name.lower().rpartition("@")[2] not in hosts and name.lower() not in daemons:
                raise CondorError(f"{self.program}: unknown host {name}")

    def _check_addresses(self) -> list[str]:
        """The addresses that are not this pool's, each with a complaint; nothing of theirs can be asked from here."""
        here = host_and_port(self.pool.settings.address)
        for address in self.addresses:
            if not host_and_port(address):
                raise CondorError(
                    f"Address {address} is not valid.\nShould be of the form <ip.address.here:port>.\n"
                    "For example: <123.456.789.123:6789>"
                )
        elsewhere = [address for address in self.addresses if host_and_port(address) != here]
        for address in elsewhere:
            sys.stderr.write(f"Can't connect to daemon at <{host_and_port(address)}>\n")
        return elsewhere

    def _check_constraint(self) -> None:
        if self.constraint is None:
            return
        from condor_py.lang.classad import ClassAdParseError

        daemon = "startd" if self.program == "condor_vacate" else "master"
        try:
            found = any(ad.eval_text(self.constraint) is True for ad in self.pool.ads(daemon.upper()))
        except ClassAdParseError as error:
            raise CondorError(f"{self.program}: invalid constraint '{self.constraint}': {error}") from None
        if not found:
            raise CondorError(
                "Found no ClassAds when querying pool (local)\n"
                f"Can't find addresses for {daemon}'s for constraint '{self.constraint}'\n"
                "Perhaps you need to query another pool."
            )

    def _reconfigure(self, daemon: str, heard: dict[str, Reconfigured]) -> None:
        """Without words: a daemon that is just starting reads the configuration anyway."""
        from condor_py.client.wire import WireError

        try:
            answer = self.pool.ask(daemon, common.Reconfig())
        except WireError:
            return
        if not isinstance(answer, Refused):
            heard[daemon] = answer

    def _tell(
        self,
        daemon: str,
        request: Request[A],
        shown: str,
        wording: str = "",
        heard: dict[str, A] | None = None,
        named: str = "",
        place: str = "",
    ) -> int:
        """Ask a daemon and print that; ``named`` is the daemon that is printed when another one is asked."""
        from condor_py.client.wire import WireError

        place = place or self._place(named or daemon)
        try:
            answer = self.pool.ask(daemon, request)
        except WireError:
            self._say_not_found(place)
            return 1
        if isinstance(answer, Refused) and self.drain and answer.error != "denied":
            raise CondorError(f"{self.program}: {answer.error}")
        if isinstance(answer, Refused):
            sys.stderr.write(
                f'ERROR\nSECMAN:2010:Received "DENIED" from server for user {self.pool.user} using method FS.\n'
                f"Can't send {shown} command to {place}\n"
            )
            return 1
        if heard is not None:
            heard[daemon] = answer
        sys.stdout.write(f'Sent "{shown}" command{wording} to {place}\n')
        return 0

    def _say_not_found(self, place: str) -> None:
        from condor_py.client.pool import why_closed

        closed = why_closed(self.pool.paths)
        text = closed or f"Can't find address for {place}\nPerhaps you need to query another pool."
        sys.stderr.write(f"{text}\n")
        if not closed:
            say_when_nothing_runs(self.pool, on_screen=False)

    def _place(self, daemon: str) -> str:
        """Return a daemon's name for the reports; HTCondor looks for the negotiator in the pool, not on the machine."""
        if self.addresses:
            return f"daemon at <{host_and_port(self.addresses[0])}>"
        in_pool = self.all or bool(self.names) or daemon == "negotiator"
        return f"{daemon} {self.pool.settings.host}" if in_pool else f"local {daemon}"

    def _runs(self, daemon: str) -> bool:
        from condor_py.client import wire

        try:
            wire.connect(self.pool.paths.socket(daemon), 1.0).close()
        except wire.WireError:
            return False
        return True

    def _is_further(self, daemon: str) -> bool:
        """Whether this is a daemon that runs and that only some pools have."""
        from condor_py.lang.config.builders.daemon import listed

        return daemon.upper() in listed(self.pool.config) and self._runs(daemon)

    def _announce(self, daemons: tuple[str, ...]) -> None:
        """HTCondor first tells startd and schedd how the shutdown will be; here the master does that."""
        shown = {"peaceful": "Set-Peaceful-Shutdown"}.get(self.how, "")
        if self.force:
            shown = "Set-Force-Shutdown"
        for daemon in daemons if shown and not self.drain else ():
            if self._runs(daemon):
                self._tell(daemon, common.SetPeaceful(), shown)

    def _command(self, kind: type[to_master.Command], daemon: str = "") -> to_master.Command:
        """One for the master, with all that was asked."""
        if self.drain is None:
            return kind(self.how, daemon.upper())
        return kind(self.how, daemon.upper(), self.drain, self.program_name)

    def _suffix(self) -> str:
        return {"fast": "-Fast", "peaceful": "-Peacefully", "graceful": ""}[self.how]

    def _off(self) -> int:
        if self.drain:
            leaves = self.daemon == "master" or self.program_name
            stop = self._command(to_master.OffMaster) if leaves else self._command(to_master.Off, self.daemon)
            return self._tell("master", stop, "Shutdown-Daemons")
        if self.daemon == "master":
            return self._tell("master", common.Shutdown(self.how), "Kill-Daemon" + self._suffix(), ' for "master"')
        if self.daemon:
            is_peaceful = self.daemon in ("startd", "schedd") and self.how == "peaceful"
            self._announce((self.daemon,) if self.daemon in ("startd", "schedd") else ())
            wording = "" if is_peaceful else f' for "{self.daemon}"'
            stop = self._command(to_master.Off, self.daemon)
            return self._tell("master", stop, "Kill-Daemon" + self._suffix(), wording)
        self._announce(("startd", "schedd"))
        return self._tell("master", self._command(to_master.Off), "Kill-All-Daemons" + self._suffix())

    def _on(self) -> int:
        if self.daemon and self.daemon != "master":
            start = to_master.On(daemon=self.daemon.upper())
            return self._tell("master", start, "Spawn-Daemon", f' for "{self.daemon}"')
        return self._tell("master", to_master.On(), "Spawn-All-Daemons")

    def _is_collector(self) -> bool:
        """Whether the collector is meant, and DAEMON_LIST has it: the master represents it."""
        return self.daemon == "collector" and "COLLECTOR" in map(str.upper, self.pool.config.list("DAEMON_LIST"))

    def _restart(self) -> int:
        suffix = {"fast": "-Fast", "peaceful": "-Peaceful", "graceful": ""}[self.how]
        if self._is_collector():
            return self._tell("master", to_master.Status(), "Restart" + suffix, named=self.daemon)  # it is no process
        if self.daemon and self.daemon != "master":
            if not self._runs(self.daemon):
                self._say_not_found(self._place(self.daemon))
                return 1
            again = self._command(to_master.Restart, self.daemon)
            return self._tell("master", again, "Restart" + suffix, named=self.daemon)
        self._announce(("startd", "schedd"))
        return self._tell("master", self._command(to_master.RestartMaster), "Restart" + suffix)

    def _reconfig(self) -> int:
        target = self.daemon or "master"
        asked = "master" if self._is_collector() else target
        if asked not in ("master", "schedd", "negotiator", "startd") and not self._is_further(asked):
            self._say_not_found(f"local {target}")
            return 1
        if self.drain:
            return self._tell("master", self._command(to_master.ReconfigDrained), "Reconfig")
        answers: dict[str, Reconfigured] = {}
        code = self._tell(asked, common.Reconfig(alone=True), "Reconfig", heard=answers, named=target)
        for daemon in answers[target].daemons if target in answers else ():
            self._reconfigure(daemon.lower(), answers)
        return max(code, _reconfigured(answers))

    def _reschedule(self) -> int:
        from condor_py.model.messages.queue import Reschedule

        return self._tell("schedd", Reschedule(), "Reschedule")

    def _set_shutdown(self) -> int:
        return self._tell("master", to_master.SetShutdown(self.program_name or ""), "Set-Shutdown-Program")

    def _vacate(self) -> int:
        """Every target in turn: addresses, machines and slots by name, and what the constraint picks."""
        host = self.pool.settings.host
        if not self.names and self.constraint is None:
            return self._vacate_one(None, self._place("startd"))
        code = 0
        if self.addresses:
            code = self._vacate_one(None, self._place("startd"))
        slots = {ad.eval_str("Name", ""): ad for ad in self.pool.ads("STARTD")}
        for name in self.names:
            if "@" not in name:
                code = max(code, self._vacate_one(None, f"startd {host}"))
            elif name in slots:
                code = max(code, self._vacate_one(name, f"startd {name}"))
            else:
                sys.stderr.write(
                    f"Can't find address for startd {name}\nCan't find address for {name}\n"
                    "Perhaps you need to query another pool.\n"
                )
                code = 1
        if self.constraint is not None:
            for name, ad in slots.items():
                if ad.eval_text(self.constraint) is True:
                    code = max(code, self._vacate_one(name, f"startd {name}"))
        return code

    def _vacate_one(self, slot: str | None, place: str) -> int:
        shown = ("Vacate-All-Claims" if slot is None else "Vacate-Claim") + ("-Fast" if self.how == "fast" else "")
        return self._tell("startd", machine.Vacate(slot, self.how != "fast"), shown, place=place)


def _reconfigured(answers: dict[str, Reconfigured]) -> int:
    """Says on stderr what daemons did not take over, the same for several of them once; 1 when something is wrong."""
    said: dict[str, list[str]] = {}
    wrong = False
    for daemon, answer in answers.items():
        lines = [*answer.refused, *answer.restart]
        wrong = wrong or bool(answer.refused)
        if answer.failed:
            wrong = True
            lines.append(f"the old configuration stays in force: {answer.failed}")
        for line in lines:
            said.setdefault(line, []).append(daemon)
    sys.stdout.flush()
    for line, daemons in said.items():
        sys.stderr.write(f"{', '.join(daemons)}: {line}\n")
    return 1 if wrong else 0


#: Exit status of condor_master after its usage.
_MASTER_USAGE = 4


def master(argv: list[str]) -> int:
    """Run condor_master."""
    try:
        args = parse(MASTER, argv)
    except UsageError as error:
        from condor_py.cli.command import help_after_error

        sys.stderr.write(f"{error}\n{help_after_error(MASTER, sys.stderr)}")
        return _MASTER_USAGE
    if args.has("version"):
        sys.stdout.write(version_lines())
        return 0
    if args.has("help") or args.positional:
        from condor_py.cli.command import help_text

        sys.stderr.write(help_text(MASTER))
        return _MASTER_USAGE
    asked = take_core_options(args, "MASTER")
    if asked is None:
        return 0
    from condor_py.daemons.master.launch import launch

    return launch(asked.foreground, asked.pidfile, asked.minutes, asked.local_name)
