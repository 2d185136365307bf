"""The programs of daemons that the master starts, for users who run, debug or query them by hand."""

from __future__ import annotations

import os
import sys
from typing import Any, NamedTuple

from condor_py.cli.common import handle_help_and_version
from condor_py.cli.options import EXACT, Args, Opt, ToolSpec, UsageError, parse
from condor_py.model.errors import CondorError
from condor_py.model.texts import leading_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

#: Options of every program that is no tool.
ABOUT = (
    Opt("version", EXACT, help="print the version and exit"),
    Opt("v", EXACT, same_as="version", help="print the version and exit"),
    Opt("help", EXACT, help="this text"),
    Opt("h", EXACT, same_as="help", help="this text"),
)


def _more(option: str, what: str) -> str:
    """The error of a missing value."""
    return f"DaemonCore: ERROR: -{option} needs another argument.\n   Please specify {what}."


def core_options(background: bool = False) -> tuple[Opt, ...]:
    """The options that HTCondor's daemons share; ``background`` is whether the program leaves the shell by itself."""
    usual = " (the default)"
    return (
        Opt("foreground", help="stay in the foreground" + usual * (not background)),
        Opt("terminal", help="log to standard error, in the foreground"),
        Opt("background", help="go to the background" + usual * background),
        Opt("version", help="print the version and exit"),
        Opt("kill", arg="PIDFILE", help="shut down gracefully the daemon whose pid is in this file", takes="file",
            missing=_more("kill", "a file that holds the pid you want to kill")),
        Opt("pidfile", 2, arg="FILE", help="write the pid to this file, which is below LOG if it is no absolute path",
            takes="file", missing=_more("pidfile", "a filename to store the pid")),
        Opt("local-name", EXACT, arg="NAME", help="look knobs up under NAME. first",
            missing=_more("local-name", "the local config to use")),
        Opt("log", arg="DIR", takes="dir", help="directory of the log" + "s (LOG)" * background,
            missing="DaemonCore: ERROR: -log needs another argument"),
        Opt("config", arg="FILE", help="the configuration file (CONDOR_CONFIG)", takes="file",
            missing=_more("config", "the filename of the config file")),
        Opt("port", arg="PORT", help="accepted; nothing listens on a port",
            missing=_more("port", "the port to use for the command socket")),
        Opt("sock", EXACT, arg="NAME", help="accepted; the socket has the name of the daemon, by which tools find it",
            missing=_more("sock", "a socket name")),
        Opt("runfor", arg="MINUTES", convert=leading_number, help="shut down gracefully after this many minutes",
            missing=_more("runfor", "the number of minutes to run for")),
        Opt("append", arg="TAG", help="add .TAG to the name of the log",
            missing=_more("append", "a string to append to our log's filename")),
        Opt("quiet", help="accepted; nothing is printed that could be left out"),
        Opt("help", EXACT, help="this text"),
        Opt("h", EXACT, same_as="help", help="this text"),
    )  # fmt: skip


class CoreOptions(NamedTuple):
    """The options of ``core_options`` that are left after ``take_core_options``."""

    foreground: bool
    background: bool
    #: An absolute path, "" for none.
    pidfile: str
    #: Minutes after which the daemon shuts down; 0 for never.
    minutes: int
    local_name: str


def take_core_options(args: Args, subsystem: str) -> CoreOptions | None:
    """Put the options into the environment, from which the configuration is read, and return the others. None: -kill
    has been done, and no daemon is wanted."""
    from condor_py.lang.config import load

    local = args.text("local-name", "")
    if args.has("config"):
        os.environ["CONDOR_CONFIG"] = os.path.abspath(args.text("config", ""))
    if args.has("name"):
        os.environ[f"_CONDOR_{subsystem}_NAME"] = args.text("name", "")
    where = os.path.abspath(args.text("log", "")) if args.has("log") else ""
    if where and subsystem == "MASTER":
        os.environ["_CONDOR_LOG"] = where
    config = load(os.environ, subsystem=subsystem, local_name=local)

    def beside(path: str | None) -> str:
        return os.path.join(config.path("LOG"), path) if path else ""

    if args.has("kill"):
        _kill(beside(args.text("kill")))
        return None
    log = f"_CONDOR_{f'{local}.' if local else ''}{subsystem}_LOG"
    if args.has("terminal"):
        os.environ[log] = "/dev/stderr"
    elif where or args.has("append"):
        path = config.path(f"{subsystem}_LOG")
        if where and subsystem != "MASTER":
            path = os.path.join(_directory(where), os.path.basename(path))
        os.environ[log] = f"{path}.{args.text('append')}" if args.has("append") else path
    return CoreOptions(
        args.has("foreground") or args.has("terminal"),
        args.has("background") and not args.has("terminal"),
        beside(args.text("pidfile")),
        args.number("runfor", 0),
        local,
    )


def _directory(path: str) -> str:
    """A directory for the log, made if it does not exist."""
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise CondorError(f"DaemonCore: ERROR: can't create directory {path}: {error.strerror}") from None
    return path


def _kill(path: str) -> None:
    """SIGTERM to the pid in a file, and wait until it is gone. CondorError."""
    import select
    import signal

    try:
        with open(path, encoding="ascii") as file:
            pid = int(file.read(64).split()[0])
    except OSError as error:
        raise CondorError(f"DaemonCore: ERROR: Can't open pid file {path} for reading: {error.strerror}") from None
    except (ValueError, IndexError):
        raise CondorError(f"DaemonCore: ERROR: there is no pid in pid file {path}") from None
    if pid <= 0:
        raise CondorError(f"DaemonCore: ERROR: pid ({pid}) in pid file ({path}) is invalid.")
    try:
        handle = os.pidfd_open(pid)
        signal.pidfd_send_signal(handle, signal.SIGTERM)
    except (OSError, OverflowError) as error:
        why = error.strerror if isinstance(error, OSError) else "no such process"
        raise CondorError(f"DaemonCore: ERROR: can't send SIGTERM to pid ({pid}): {why}") from None
    poller = select.poll()
    poller.register(handle, select.POLLIN)
    poller.poll()


def write_pid(path: str) -> None:
    """Write the pid of this process to a file. CondorError."""
    try:
        with open(path, "w", encoding="ascii") as file:
            file.write(f"{os.getpid()}\n")
    except OSError as error:
        raise CondorError(f"DaemonCore: ERROR: Can't open pid file {path}: {error.strerror}") from None


def _spec(
    subsystem: str,
    summary: str,
    description: str,
    see_also: tuple[str, ...],
    examples: tuple[tuple[str, str], ...] = (),
    options: tuple[Opt, ...] = (),
    is_usual: bool = False,
) -> ToolSpec:
    """The program of the daemon ``subsystem``; ``options`` are its own, ``examples`` those besides that by which the
    master starts it. ``is_usual`` is whether DAEMON_LIST has it by default."""
    start = f"condor_config_val -set 'DAEMON_LIST = $(DAEMON_LIST) {subsystem}'"
    program = f"condor_{subsystem.lower()}"
    by_hand = (f"condor_off -{subsystem.lower()} && {program} -f -t", "run it by hand, with its log on the terminal")
    return ToolSpec(
        name=program,
        usage="[-f] [-t] [-b] [-v] [-k PIDFILE] [-pidfile FILE] [-local-name NAME] [-log DIR] [-c FILE] [-r MINUTES]"
        + "".join(f" [-{option.name[0]} {option.arg or ''}]" for option in options),
        summary=summary,
        description=f"The master starts it when DAEMON_LIST contains {subsystem}. {description}",
        options=(*options, *core_options()),
        examples=(by_hand if is_usual else (start, "let the master start it"), *examples),
        exit_status="0 when it was stopped, 1 when it could not start.",
        see_also=see_also,
    )


def _name(knob: str) -> Opt:
    return Opt("name", arg="NAME", help=f"the name in its ad ({knob})")


_CREDD = _spec(
    "CREDD",
    "The daemon that keeps the users' credentials for their jobs.",
    "It keeps OAuth2 tokens in SEC_CREDENTIAL_DIRECTORY_OAUTH and Kerberos caches in SEC_CREDENTIAL_DIRECTORY_KRB, "
    "in files that only its account may read, and shows each user their own alone. condor_store_cred stores them, "
    "condor_submit asks whether those are there that jobs name in use_oauth_services, and the starter puts them into "
    "the directory of the job, again every SEC_CREDENTIAL_REFRESH seconds if they have changed. "
    "SEC_CREDENTIAL_SWEEP_DELAY seconds after a user's last job has left, what the user stored is removed. The master "
    "starts it, too, where AUTO_INCLUDE_CREDD_IN_DAEMON_LIST is true. Its log is CREDD_LOG.",
    see_also=("condor_store_cred", "condor_submit", "condor_master"),
    examples=(("condor_status -any", "lists it with the other daemons"),),
)
_DEFRAG = _spec(
    "DEFRAG",
    "The daemon that drains machines, so that whole ones come to be.",
    "Every DEFRAG_INTERVAL seconds it checks the partitionable slots and drains those that meet DEFRAG_REQUIREMENTS, "
    "in the order of DEFRAG_RANK, at most DEFRAG_DRAINING_MACHINES_PER_HOUR an hour, DEFRAG_MAX_CONCURRENT_DRAINING at "
    "a time, and none while there are DEFRAG_MAX_WHOLE_MACHINES that meet DEFRAG_WHOLE_MACHINE_EXPR. "
    "DEFRAG_DRAINING_SCHEDULE (graceful, quick or fast) says how the jobs are treated, DEFRAG_DRAINING_START_EXPR "
    "which jobs may still start, and DEFRAG_CANCEL_REQUIREMENTS when a draining ends early. "
    "`condor_status -defrag -long` shows its ad, with how often it drained and what that has cost; its log is "
    "DEFRAG_LOG.",
    see_also=("condor_drain", "condor_status", "condor_master"),
    examples=(("condor_status -defrag", "what it does"),),
)
_JOB_ROUTER = _spec(
    "JOB_ROUTER",
    "The daemon that lets waiting jobs run elsewhere, as copies of another kind.",
    "Every JOB_ROUTER_POLLING_PERIOD seconds it looks for idle jobs that meet JOB_ROUTER_SOURCE_JOB_CONSTRAINT and the "
    "REQUIREMENTS of a route (JOB_ROUTER_ROUTE_NAMES, JOB_ROUTER_ROUTE_<name>), and queues a copy of each that the "
    "route has changed. The job shows what becomes of its copy, and ends with it; where the copy is removed the job "
    "waits here as before. MaxJobs and MaxIdleJobs say how many jobs a route takes, JobFailureTest and "
    "FailureRateThreshold when it takes fewer for a while. `condor_job_router_info -config` shows the routes, "
    "`condor_router_q -S` the jobs on them; its log is JOB_ROUTER_LOG.",
    see_also=("condor_job_router_info", "condor_router_q", "condor_router_rm", "condor_router_history"),
)
_ROOSTER = _spec(
    "ROOSTER",
    "The daemon that wakes machines which sleep although they are wanted.",
    "Every ROOSTER_INTERVAL seconds it reads the ads of machines and runs ROOSTER_WAKEUP_CMD, with the ad on "
    "standard input, for those that meet ROOSTER_UNHIBERNATE: by default machines that are offline and whose "
    "Unhibernate is true, which is so when the negotiator has a job for them. ROOSTER_UNHIBERNATE_RANK says which come "
    "first, ROOSTER_MAX_UNHIBERNATE how many at a time. Its log is ROOSTER_LOG.",
    see_also=("condor_power", "condor_status", "condor_master"),
)
_GANGLIAD = _spec(
    "GANGLIAD",
    "The daemon that sends figures of the pool to Ganglia.",
    "Every GANGLIAD_INTERVAL seconds it reads the ads of the pool and sends the metrics that the files in "
    "GANGLIAD_METRICS_CONFIG_DIR define, or HTCondor's own where there is no such directory, to the udp_send_channels "
    "of GANGLIA_CONFIG; with GANGLIA_GMETRIC that program sends them. GANGLIAD_VERBOSITY and GANGLIAD_REQUIREMENTS say "
    "which. Hosts that gmond does not know (GANGLIA_GSTAT_COMMAND asks it) are left out, unless "
    "GANGLIA_SEND_DATA_FOR_ALL_HOSTS. Its log is GANGLIAD_LOG.",
    see_also=("condor_metrics", "condor_adstash", "condor_status"),
)
_SCHEDD = _spec(
    "SCHEDD",
    "The daemon that owns the queue of jobs.",
    "It starts jobs on the slots that the negotiator gives their users, and writes their event logs and the history. "
    "Without a master it serves just as well: the condor_negotiator and the condor_startd find it when they start. Two "
    "of them never share a queue: the second says which process has the lock, and ends.",
    options=(_name("SCHEDD_NAME"),),
    see_also=("condor_master", "condor_q", "condor_config_val"),
    examples=(("condor_schedd -b -pidfile schedd.pid; condor_schedd -k schedd.pid", "start and stop one by its pid"),),
    is_usual=True,
)
_STARTD = _spec(
    "STARTD",
    "The daemon that owns the slots of the machine, and starts the jobs on them.",
    "It measures the machine, publishes the ads of its slots, and is the parent of the starters. Jobs end with it.",
    options=(_name("STARTD_NAME"), Opt("skip-benchmarks", EXACT, help="accepted; RunBenchmarks decides about them")),
    see_also=("condor_master", "condor_status", "condor_who"),
    is_usual=True,
)
_NEGOTIATOR = _spec(
    "NEGOTIATOR",
    "The daemon that decides which job gets which slot.",
    "It owns the priorities of users and their past use. Running jobs need no negotiator.",
    see_also=("condor_master", "condor_userprio", "condor_reschedule"),
    is_usual=True,
)
#: Programs of HTCondor that are no process here, and why.
_NO_PROCESS = {
    "condor_collector": "the daemons of this machine publish their ads as files, which condor_status reads: there is "
    "no collector process",
    "condor_shadow": "the condor_schedd follows the jobs that run itself: there are no shadow processes",
}


def _absent(name: str) -> ToolSpec:
    """A program that only tells why it is not run."""
    return ToolSpec(
        name=name,
        usage="[-v]",
        summary="Print the version, and why this program is not run here.",
        description=f"HTCondor's program of this name is not needed: {_NO_PROCESS[name]}.",
        options=ABOUT,
        exit_status="0 for -version and -help, 1 for everything else.",
        examples=((f"{name} -version", "the version and the platform"),),
        see_also=("condor_master", "condor_status"),
    )


_COLLECTOR, _SHADOW = map(_absent, _NO_PROCESS)
SPECS = (_CREDD, _DEFRAG, _JOB_ROUTER, _ROOSTER, _GANGLIAD, _SCHEDD, _STARTD, _NEGOTIATOR, _COLLECTOR, _SHADOW)


def _run(spec: ToolSpec, subsystem: str, argv: list[str]) -> int:
    """Run the daemon until it is asked to stop."""
    args = parse(spec, argv)
    if handle_help_and_version(args):
        return 0
    if args.positional:
        raise UsageError(f"Error:  Unknown option {args.positional[0]}", spec, kind="unknown")
    asked = take_core_options(args, subsystem)
    if asked is None:
        return 0
    if asked.background:
        return _in_background(lambda tell: _serve(subsystem, asked, tell))
    return _serve(subsystem, asked, lambda: None)


def _serve(subsystem: str, asked: CoreOptions, tell: Callable[[], None]) -> int:
    from condor_py.daemons.main import main

    def up(service: Any) -> None:
        if asked.pidfile:
            write_pid(asked.pidfile)
        if asked.minutes > 0:
            service.leave_after(asked.minutes * 60.0)
        tell()

    try:
        return main(subsystem, asked.local_name, up=up)
    finally:
        if asked.pidfile:
            _remove_pid(asked.pidfile)


def _remove_pid(path: str) -> None:
    """Remove a pid file, if it has the pid of this process."""
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            ours = file.read(64).strip() == str(os.getpid())
        if ours:
            os.unlink(path)
    except OSError:
        return


def _in_background(serve: Callable[[Callable[[], None]], int]) -> int:
    """Return 0 once the daemon in the background serves, or the exit status of one that could not start."""
    reading, writing = os.pipe2(os.O_CLOEXEC)
    pid = os.fork()
    if pid:
        os.close(writing)
        with open(reading, "rb") as pipe:
            serves = bool(pipe.read())
        return 0 if serves else os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os.close(reading)
    os.setsid()
    os.chdir("/")

    def tell() -> None:
        null = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(null, number)
        os.write(writing, b"1")
        os.close(writing)

    code = 1
    try:
        code = serve(tell)
    except CondorError as error:
        sys.stderr.write(f"{error}\n")
    finally:
        sys.stderr.flush()
        os._exit(code)


def _refuse(spec: ToolSpec, argv: list[str]) -> int:
    words = [word for word in argv if word.lstrip("-") in ("v", "version", "h", "help")]
    if handle_help_and_version(parse(spec, words)):
        return 0
    raise CondorError(f"{spec.name}: {_NO_PROCESS[spec.name]}")


def credd(argv: list[str]) -> int:
    """Run condor_credd until it is asked to stop."""
    return _run(_CREDD, "CREDD", argv)


def defrag(argv: list[str]) -> int:
    """Run condor_defrag until it is asked to stop."""
    return _run(_DEFRAG, "DEFRAG", argv)


def job_router(argv: list[str]) -> int:
    """Run condor_job_router until it is asked to stop."""
    return _run(_JOB_ROUTER, "JOB_ROUTER", argv)


def rooster(argv: list[str]) -> int:
    """Run condor_rooster until it is asked to stop."""
    return _run(_ROOSTER, "ROOSTER", argv)


def gangliad(argv: list[str]) -> int:
    """Run condor_gangliad until it is asked to stop."""
    return _run(_GANGLIAD, "GANGLIAD", argv)


def schedd(argv: list[str]) -> int:
    """Run condor_schedd until it is asked to stop."""
    return _run(_SCHEDD, "SCHEDD", argv)


def startd(argv: list[str]) -> int:
    """Run condor_startd until it is asked to stop."""
    return _run(_STARTD, "STARTD", argv)


def negotiator(argv: list[str]) -> int:
    """Run condor_negotiator until it is asked to stop."""
    return _run(_NEGOTIATOR, "NEGOTIATOR", argv)


def collector(argv: list[str]) -> int:
    """Tell why there is no condor_collector."""
    return _refuse(_COLLECTOR, argv)


def shadow(argv: list[str]) -> int:
    """Tell why there is no condor_shadow."""
    return _refuse(_SHADOW, argv)
