"""condor_ssh_to_job: a shell or a command inside a running job."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from condor_py.cli.options import EXACT, Args, Opt, ToolSpec, UsageError, parse
from condor_py.cli.ssh_to_job import copying
from condor_py.model.errors import CondorError
from condor_py.model.texts import as_integer

if TYPE_CHECKING:
    from condor_py.cli.ssh_to_job.session import Wish
    from condor_py.model.ids import JobId

_SPEC = ToolSpec(
    name="condor_ssh_to_job",
    usage="[options] {cluster | cluster.proc | cluster.proc.node} [command]",
    summary="Open a shell in a running job, or run a command there.",
    positional="CLUSTER[.PROC] [COMMAND ...]",
    positional_help="the job, and what to run; without a command, a login shell",
    description=(
        "The shell or command runs as the job's user, in the job's directory, with the job's environment and limits, "
        "and belongs to the job: it is suspended and killed with it, and what it uses counts as the job's. It needs "
        "no ssh: on one machine the starter opens the session itself. If the job ends first, its slot stays busy "
        "until the last session ends. _CONDOR_JOB_PIDS holds the process ids of the job. In a shell on a terminal, "
        "~. at the start of a line ends the session. -ssh sftp and -ssh scp run these programs of OpenSSH with the job "
        "at the other end, in its directory. They need OpenSSH's sftp-server and no ssh server; any host name refers "
        "to the job."
    ),
    options=(
        Opt("debug", 1, colon="FLAGS", help="tell on stderr what is done"),
        Opt("help", 1, help="this text"),
        Opt("name", 1, "NAME", "the schedd to ask"),
        Opt("pool", 1, "HOST", "the pool to ask; this machine is the only one"),
        Opt(
            "ssh",
            1,
            "COMMAND",
            "ssh -t (a terminal for a command), -T (none), -X; or sftp, or scp",
            dash_value=True,
        ),
        Opt("keygen-options", 1, "OPTIONS", "accepted; no keys are needed", dash_value=True),
        Opt("auto-retry", 1, help="wait until the job runs"),
        Opt("remove-on-interrupt", 1, help="remove the job when interrupted or killed"),
        Opt("shells", 2, "SHELL[,SHELL...]", "shells to try in this order, then /bin/sh; default $SHELL"),
        Opt("X", EXACT, help="let X11 programs use your display"),
        Opt("x", EXACT, help="do not let them (the default)"),
    ),
    examples=(
        ("condor_ssh_to_job 32.0", "a shell in job 32.0"),
        ("condor_ssh_to_job 32 ps -f", "what job 32.0 runs"),
        ("condor_ssh_to_job -auto-retry -ssh 'ssh -t' 33 top", "wait for job 33.0, then watch it"),
        ("condor_ssh_to_job -ssh scp 32.0 remote:out.txt .", "copy a file from the directory of job 32.0"),
    ),
    exit_status=(
        "That of the shell or command (128 and the signal that killed it); 255 when the session was lost with the "
        "job; 1 when none could be opened; 2 for a wrong command line."
    ),
    unknown="Unrecognized argument: {arg}",
    missing="{spelling} requires an argument",
    usage_after=(),
    see_also=("condor_submit", "condor_q", "condor_tail"),
)
SPECS = (_SPEC,)
_USAGE_EXIT = 2
#: Options of ssh that change nothing here: verbosity, compression, agent, escape character, address family.
_SSH_INDIFFERENT = frozenset("vqCakn46AKgNf")


class _WrongUse(UsageError):
    exit_code = _USAGE_EXIT


def main(argv: list[str]) -> int:
    """Run condor_ssh_to_job."""
    options, rest = _split(copying.session_words(argv) or argv)
    try:
        args = parse(_SPEC, options)
    except UsageError as error:
        raise _WrongUse(str(error), _SPEC) from None
    if args.has("help"):
        from condor_py.cli.command import help_text

        sys.stdout.write(help_text(_SPEC))
        return 0
    if not rest:
        raise _WrongUse("ERROR: You must specify a job!", _SPEC)
    job, node = _job_id(rest[0])
    if program := _copying_program(args):
        copying.copy(program, [*_without_ssh(options), rest[0]], rest[1:])
    wish = _wish(args, rest[1:], node)
    from condor_py.cli.common import check_place
    from condor_py.cli.ssh_to_job.session import attach
    from condor_py.client.pool import open_pool

    pool = open_pool()
    check_place(args, pool, "No such schedd named {name} in local pool")
    try:
        return attach(pool, job, wish)
    except CondorError as error:
        if str(job) not in str(error):
            from condor_py.cli.suggest import hint

            hint(f"condor_ssh_to_job: no session in job {job}:")
        raise


def _split(argv: list[str]) -> tuple[list[str], list[str]]:
    """The options, and what begins with the job: the words of a command are never options of ours."""
    from condor_py.cli.options import match_option

    at = 0
    while at < len(argv) and argv[at].startswith("-"):
        if argv[at] == "--":
            return argv[:at], argv[at + 1 :]
        found = match_option(_SPEC.options, argv[at])
        at += 1 + (found[0].value_count if found else 0)
    return argv[:at], argv[at:]


def _job_id(text: str) -> tuple[JobId, int]:
    """The job of CLUSTER, CLUSTER.PROC or CLUSTER.PROC.NODE, and the node; -1 without one."""
    from condor_py.model.ids import JobId

    parts = text.split(".")
    if len(parts) > 3 or not all(part.isascii() and part.isdigit() for part in parts):
        raise _WrongUse(f"Invalid job id: {text}", _SPEC)
    node = as_integer(parts[2]) if len(parts) == 3 else -1
    return JobId(as_integer(parts[0]), as_integer(parts[1]) if len(parts) > 1 else 0), node


def _wish(args: Args, words: list[str], node: int) -> Wish:
    from condor_py.cli.ssh_to_job.session import Wish

    terminal: bool | None = None
    forwards = False
    for use in args.uses:
        if use.name in ("X", "x"):
            forwards = use.name == "X"
    letters = _ssh_options(args.text("ssh") or "ssh")
    while words and words[0].startswith("-") and len(words[0]) > 1:  # as ssh reads options behind the host
        word = words.pop(0)
        if word == "--":
            break
        letters += _letters(word)
    for letter in letters:
        if letter in "tT":
            terminal = letter == "t"
        elif letter in "XY":
            forwards = True
    return Wish(
        command=" ".join(words),
        shells=tuple(filter(None, (args.text("shells") or os.environ.get("SHELL", "")).split(","))),
        terminal=terminal,
        display=forwards,
        retry=args.has("auto-retry"),
        remove=args.has("remove-on-interrupt"),
        debug=args.has("debug"),
        node=node,
    )


def _copying_program(args: Args) -> list[str]:
    """The words of ``-ssh "scp -r"`` and its like; none where a shell or command is wanted."""
    words = _words(args.text("ssh") or "ssh")
    return words if words and os.path.basename(words[0]) in copying.PROGRAMS else []


def _without_ssh(options: list[str]) -> list[str]:
    """Options without -ssh and its value."""
    from condor_py.cli.options import match_option

    kept: list[str] = []
    at = 0
    while at < len(options):
        found = match_option(_SPEC.options, options[at])
        count = 1 + (found[0].value_count if found else 0)
        if not found or found[0].name != "ssh":
            kept += options[at : at + count]
        at += count
    return kept


def _ssh_options(text: str) -> str:
    """The letters of the options of ``-ssh "ssh -t"``. CondorError for another program."""
    words = _words(text)
    program = os.path.basename(words[0]) if words else ""
    if program != "ssh":
        raise CondorError(f"-ssh {program}: only ssh, sftp and scp can be asked for")
    return "".join(_letters(word) for word in words[1:])


def _words(text: str) -> list[str]:
    from shlex import split

    try:
        return split(text)
    except ValueError as error:
        raise CondorError(f"-ssh {text}: {error}") from None


def _letters(word: str) -> str:
    letters = word[1:]
    if not word.startswith("-") or not letters or not set(letters) <= _SSH_INDIFFERENT | set("tTXYx"):
        raise CondorError(f"ssh option {word} has no meaning here: there is no ssh connection (-t, -T and -X have one)")
    return letters
