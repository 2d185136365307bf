"""condor_evicted_files: the files that an evicted or checkpointed job keeps in the spool for its next run."""

from __future__ import annotations

import os
import re
import subprocess
import sys

from condor_py.cli.common import handle_help_and_version
from condor_py.cli.options import EXACT, Opt, ToolSpec, UsageError, parse
from condor_py.model.ids import JobId

_SPEC = ToolSpec(
    name="condor_evicted_files",
    usage="[dir | list | get] CLUSTER.PROC ...",
    summary="Show or copy the files that jobs keep for their next run.",
    positional="COMMAND CLUSTER.PROC",
    positional_help="dir (also find; the default) prints the directory, list (ls) the names of the files, get (fetch) "
    "copies them into a directory named after the job",
    description=(
        "A job with when_to_transfer_output = ON_EXIT_OR_EVICT leaves files when it is evicted, one with a "
        "checkpoint_exit_code at each checkpoint. They are read with your own rights."
    ),
    options=(
        Opt("help", EXACT, help="this text"),
        Opt("version", EXACT, help="the version and the platform"),
    ),
    examples=(
        ("condor_evicted_files list 25.0", "the names of the files of a job"),
        ("condor_evicted_files get 25.0", "copies them into the directory 25.0"),
    ),
    exit_status="0; for a single job the number of the system's error, 2 when it has no files; 255 for a wrong command "
    "line.",
    unknown="Unknown command '{arg}', aborting.",
    usage_after=(),
    see_also=("condor_submit", "condor_transfer_data", "condor_vacate_job"),
)
SPECS = (_SPEC,)

_COMMANDS = {"dir": "dir", "find": "dir", "ls": "list", "list": "list", "get": "get", "fetch": "get"}
_WRONG = 255


def main(argv: list[str]) -> int:
    """Run condor_evicted_files."""
    try:
        args = parse(_SPEC, argv)
        if handle_help_and_version(args):
            return 0
        if not args.positional:
            from condor_py.cli.command import help_text

            sys.stdout.write(help_text(_SPEC))
            return _WRONG
        command, jobs = _understand(args.positional)
    except UsageError as error:
        error.exit_code = _WRONG
        raise
    from condor_py.client.pool import open_pool

    spool = open_pool().paths.spool
    codes = [_one(spool, command, job, len(jobs) == 1) for job in jobs]
    return codes[0] if len(codes) == 1 else 0


def _understand(words: tuple[str, ...]) -> tuple[str, list[JobId]]:
    """Return the command and the jobs. Raises UsageError."""
    command = "dir"
    if not words[0][:1].isdigit():
        known = _COMMANDS.get(words[0].lower())
        if known is None:
            raise UsageError(f"Unknown command '{words[0]}', aborting.", _SPEC, argument=words[0])
        command, words = known, words[1:]
    for word in words:
        if not re.fullmatch(r"[0-9]{1,9}\.[0-9]{1,9}", word):
            raise UsageError(f"'{word}' is not a job ID, aborting.", _SPEC, argument=word)
    return command, [JobId.parse(word) for word in words]


def _one(spool: str, command: str, job: JobId, alone: bool) -> int:
    """Do what the command says with the files of one job; the exit code."""
    lead = "" if alone else f"{job} "
    path, error = _folder(spool, job)
    if error is not None:
        code = error.errno or 1
        absent = isinstance(error, FileNotFoundError)
        text = f"[error {code}: '{error.strerror}' while looking for '{path}']"
        sys.stdout.write(f"{lead}{'No directory; job was never evicted.' if absent else text}\n")
        return code
    sys.stdout.write(lead)
    if command == "dir":
        sys.stdout.write(f"{path}\n")
        return 0
    if command == "list":
        sys.stdout.write("" if alone else "\n")
        sys.stdout.writelines(f"\t{name}\n" for name in sorted(os.listdir(path)))
        return 0
    return _get(path, str(job))


def _folder(spool: str, job: JobId) -> tuple[str, OSError | None]:
    """Return the directory with the files of a job, and why it cannot be read."""
    from condor_py.client.spooling import job_folder
    from condor_py.machine.run.spool import CHECKPOINT, LEAVING

    room = job_folder(spool, job)
    missing: OSError | None = None
    for path in (room + CHECKPOINT, room, room + LEAVING):
        try:
            os.scandir(path).close()
            return path, None
        except FileNotFoundError as error:
            missing = error
        except OSError as error:
            return path, error
    return room, missing


def _get(path: str, target: str) -> int:
    """Copy a directory, links as links; the exit code."""
    if os.path.isdir(target):
        sys.stdout.write(f"Destination directory '{target}' exists, not modifying.\n")
        return _WRONG
    sys.stdout.flush()
    code = subprocess.run(["cp", "-a", "--", path, target], check=False).returncode
    sys.stdout.write(f"Copy failed: return value {code}.\n" if code else f"Copied to '{target}'.\n")
    return code
