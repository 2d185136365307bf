"""condor_nsenter and condor_docker_enter: a shell or a command where a job is, for those who stand outside."""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import signal
import sys
import termios
import tty
from collections.abc import Mapping
from typing import NoReturn

from condor_py.cli.common import HELP, VERSION, handle_help_and_version
from condor_py.cli.options import EXACT, Args, Opt, ToolSpec, UsageError, parse
from condor_py.model.errors import CondorError
from condor_py.model.texts import leading_number

_NSENTER = ToolSpec(
    name="condor_nsenter",
    usage="-t PID -S UID -G GID [-groups GID:GID...] [-- COMMAND [ARGUMENT ...]]",
    summary="Open a shell in the namespaces of a process, or run a command there.",
    description=(
        "It enters the user, host name, process and mount namespaces of the process, and its control group, gives up "
        "its rights for the account of -S and -G, and takes the environment of the process. Without a command it is a "
        "login shell on a terminal of its own. Root may enter those of every process; others may enter what the kernel "
        "lets them, which are user namespaces of their own. condor_ssh_to_job needs none of this: there the starter "
        "of the job opens the session."
    ),
    options=(
        Opt("groups", 2, "GIDS", "supplementary groups, with colons between them"),
        Opt("t", EXACT, "PID", "the process whose namespaces are entered", convert=leading_number),
        Opt("S", EXACT, "UID", "the account, which is not root's", convert=leading_number),
        Opt("G", EXACT, "GID", "its group", convert=leading_number),
        VERSION,
        HELP,
    ),
    examples=(("condor_nsenter -t 4711 -S 1000 -G 1000 -- ps -ef", "what a job sees of its machine (as root)"),),
    exit_status="that of the shell or command; 1 when it could not be started.",
    unknown="condor_nsenter: unrecognized argument {arg}",
    see_also=("condor_ssh_to_job", "condor_docker_enter"),
)
_DOCKER = ToolSpec(
    name="condor_docker_enter",
    usage="[COMMAND ...]",
    summary="Open a shell in the container of the job whose scratch directory this is, or run a command there.",
    positional="[COMMAND ...]",
    positional_help="what to run; without a command, a shell",
    description=(
        "It is run in the scratch directory of a running job of one's own, which .job.ad in it names, and does what "
        "condor_ssh_to_job does with that job."
    ),
    options=(HELP,),
    examples=(("condor_docker_enter ls /", "what the job sees of its machine"),),
    exit_status="that of the shell or command; 255 when this is no scratch directory of a job, or the job has ended.",
    see_also=("condor_ssh_to_job", "condor_nsenter"),
)
SPECS = (_NSENTER, _DOCKER)
#: Exit status of HTCondor's when it finds no job.
_NO_JOB = 255


def nsenter(argv: list[str]) -> int:
    """Run condor_nsenter."""
    at = argv.index("--") if "--" in argv else len(argv)
    args = parse(_NSENTER, argv[:at])
    if handle_help_and_version(args):
        return 0
    if args.positional:
        raise UsageError(f"condor_nsenter: unrecognized argument {args.positional[0]}", _NSENTER, kind="unknown")
    for option in ("t", "S", "G"):
        if args.number(option, 0) < 1:
            raise CondorError(f"missing -{option} argument > 1")
    try:
        return _enter(args, argv[at + 1 :])
    except OSError as error:
        name = f" {error.filename}" if error.filename else ""
        raise CondorError(f"condor_nsenter: cannot enter process {args.number('t')}:{name} {error.strerror}") from None


def _enter(args: Args, command: list[str]) -> int:
    """Enter everything, and run the command. Nothing is imported any more once the mounts are another's. OSError."""
    from condor_py.machine.run.namespaces import enter_all

    user, group = args.number("S", 0), args.number("G", 0)
    process = os.open(f"/proc/{args.number('t')}", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    place = f"/proc/self/fd/{process}"
    environment = _environment(place)
    directory = os.environ.get("_CONDOR_SCRATCH_DIR") or environment.get("_CONDOR_SCRATCH_DIR", "/")
    _join_group(place)
    groups = [leading_number(word) for word in args.text("groups", "").split(":") if word]
    try:
        os.setgroups(groups)
    except OSError as error:
        sys.stderr.write(f"warning: cannot set supplemental groups: {error.strerror}\n")
    enter_all(place)
    os.setgid(group)
    os.setuid(user)
    words = command or ["/bin/sh", "-l", "-i"]
    return _run_directly(words, environment, directory) if command else _run_on_terminal(words, environment, directory)


def _environment(place: str) -> dict[str, str]:
    """The environment of the process, with the paths that it has inside, and our display."""
    with open(f"{place}/environ", "rb") as file:
        data = file.read()
    outside = os.environ.get("_CONDOR_SCRATCH_DIR_OUTSIDE_CONTAINER", "")
    inside = os.environ.get("_CONDOR_SCRATCH_DIR", "")
    found: dict[str, str] = {}
    for item in data.split(b"\0"):
        name, equals, value = os.fsdecode(item).partition("=")
        if not equals or not name:
            continue
        is_path_outside = name == "_CONDOR_SCRATCH_DIR_OUTSIDE_CONTAINER"
        found[name] = value if is_path_outside or not outside else value.replace(outside, inside)
    if "DISPLAY" in os.environ:
        found["DISPLAY"] = os.environ["DISPLAY"]
    return found


def _join_group(place: str) -> None:
    """Share the limits of the process, as far as we may."""
    with open(f"{place}/cgroup", encoding="utf-8", errors="surrogateescape") as file:
        paths = [line.rstrip("\n")[3:] for line in file if line.startswith("0::")]
    for path in paths:
        try:
            with open(f"/sys/fs/cgroup{path}/cgroup.procs", "w", encoding="ascii") as file:
                file.write(f"{os.getpid()}\n")
        except OSError as error:
            sys.stderr.write(f"Warning: cannot move into job cgroup {path}: {error.strerror}\n")


def _exec(words: list[str], environment: Mapping[str, str], directory: str) -> NoReturn:
    """In the child: become the program."""
    with contextlib.suppress(OSError):
        os.chdir("/")
        os.chdir(directory)
    try:
        os.execvpe(words[0], words, environment)
    except (OSError, ValueError) as error:
        os.write(2, f"exec of {words[0]} failed: {error}\n".encode("utf-8", "surrogateescape"))
    os._exit(127 if not os.path.exists(words[0]) else 126)


def _run_directly(words: list[str], environment: Mapping[str, str], directory: str) -> int:
    sys.stderr.flush()
    child = os.fork()
    if not child:
        os.setsid()
        _exec(words, environment, directory)
    return _code(os.waitpid(child, 0)[1])


def _code(status: int) -> int:
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def _run_on_terminal(words: list[str], environment: Mapping[str, str], directory: str) -> int:
    """Run the program on a terminal of its own, and copy what is typed and shown."""
    sys.stderr.flush()
    child, ours = os.forkpty()
    if not child:
        _exec(words, environment, directory)
    before = termios.tcgetattr(0) if os.isatty(0) else None

    def resize(number: int = 0, frame: object = None) -> None:
        with contextlib.suppress(OSError):
            fcntl.ioctl(ours, termios.TIOCSWINSZ, fcntl.ioctl(0, termios.TIOCGWINSZ, b"\0" * 8))

    if before is not None:
        resize()
        signal.signal(signal.SIGWINCH, resize)
        tty.setraw(0, termios.TCSANOW)  # what has been typed already stays
    try:
        _copy(ours)
    finally:
        if before is not None:
            termios.tcsetattr(0, termios.TCSADRAIN, before)
    return _code(os.waitpid(child, 0)[1])


def _copy(ours: int) -> None:
    """Copy until the terminal has been closed. The end of the input is typed as ^D."""
    sources = [ours, 0]
    while True:
        ready, _, _ = select.select(sources, [], [])
        if ours in ready:
            try:
                data = os.read(ours, 4096)
            except OSError:
                return
            if not data:
                return
            os.write(1, data)
        if 0 in ready:
            data = os.read(0, 4096)
            if not data:
                sources.remove(0)
            os.write(ours, data or b"\x04")


def docker_enter(argv: list[str]) -> int:
    """Run condor_docker_enter."""
    if argv and argv[0].lstrip("-") and argv[0].startswith("-"):
        args = parse(_DOCKER, argv[:1])
        if handle_help_and_version(args):
            return 0
    from condor_py.cli.ssh_to_job.session import Wish, attach
    from condor_py.client.pool import open_pool
    from condor_py.model.ids import JobId

    try:
        return attach(open_pool(), JobId(*_job_here()), Wish(command=" ".join(argv), shells=()))
    except CondorError as error:
        error.exit_code = _NO_JOB
        raise


def _job_here() -> tuple[int, int]:
    """Cluster and proc of the job whose scratch directory this is. CondorError."""
    from condor_py.cli.adfile import read_ads

    if not os.path.exists(".job.ad"):
        raise CondorError(f"condor_docker_enter: {os.getcwd()} is no scratch directory of a job: it has no .job.ad")
    for ad in read_ads(".job.ad", "long"):
        cluster, proc = ad.eval_int("ClusterId", 0), ad.eval_int("ProcId", -1)
        if cluster > 0 and proc >= 0:
            return cluster, proc
    raise CondorError("condor_docker_enter: .job.ad names no job")
