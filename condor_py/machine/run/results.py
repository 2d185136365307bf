"""Results of an ended program: its output, a core file, and its wrapper's message. The caller has the right identity
where nothing else is said."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace

from condor_py.machine.run.identity import Account, as_user
from condor_py.machine.run.job import TransferWishes
from condor_py.machine.run.places import STDERR_NAME
from condor_py.machine.run.transfer import Catalogue, Transfer
from condor_py.machine.run.userfiles import user_file
from condor_py.model.report import ExitReport, Usage, protocols_text

#: Characters of a wrapper's message that are read.
_MOST_OF_A_REASON = 2000
#: Bytes that are read of the end of standard error.
_MOST_OF_A_LINE = 300


def send_results(
    transfer: Transfer, wishes: TransferWishes, outcome: int | None, before: Catalogue, core_file: str | None
) -> None:
    """Streams and output to where the job wants them; of a run that failed only what it names for that.

    TransferError, OSError.
    """
    transfer.send_streams()
    if wishes.success is not None and wishes.success != outcome:
        transfer.send_named(wishes.failure_files)
    else:
        if wishes.manifest:
            write_manifest(transfer.scratch, wishes.manifest, "out")
            transfer.added_output.append(wishes.manifest)
        transfer.send_output(before, core_file)
    transfer.flush()


def how_it_failed(report: ExitReport, scratch: str) -> str:
    """Describe how a failed program ended, with the last line of its standard error; "" for one that did not fail.

    Output that a failed program never wrote is missing for that reason, which the hold is to name.
    """
    if report.exit_signal is not None:
        how = f"was killed by signal {report.exit_signal}"
    elif report.exit_code:
        how = f"had exited with status {report.exit_code}"
    else:
        return ""
    try:
        with user_file(os.path.join(scratch, STDERR_NAME), "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _MOST_OF_A_LINE))
            lines = file.read(_MOST_OF_A_LINE).decode(errors="replace").split("\n")
    except OSError:
        lines = []
    last = next((line.strip() for line in reversed(lines) if line.strip()), "")
    words = "".join(char if char.isprintable() else " " for char in last)
    return f"; the program {how}" + (f", its standard error ends with: {words}" if words else "")


def with_transfers(usage: Usage, transfer: Transfer | None) -> Usage:
    """Add the transferred bytes and files to the job's usage; ``transfer`` is None where nothing is transferred."""
    if transfer is None:
        return usage
    return replace(
        usage,
        bytes_sent=transfer.went.bytes,
        bytes_received=transfer.came.bytes,
        files_sent=transfer.went.files,
        files_received=transfer.came.files,
        sent_by_url=protocols_text(transfer.went.by_protocol),
        received_by_url=protocols_text(transfer.came.by_protocol),
        image_seconds=transfer.came.image_seconds,
    )


def keep_core(directory: str, job_id: str, pid: int) -> str | None:
    """Renames the job's core file to ``core.CLUSTER.PROC``; None when it left none where it ran (os_proc.cpp)."""
    kept = f"core.{job_id}"
    for name in (f"core.{pid}", "core"):
        try:
            os.rename(os.path.join(directory, name), os.path.join(directory, kept))
        except OSError:
            continue
        return kept
    return None


def wrapper_error(path: str, owner: Account | None) -> str:
    """Return the message that a wrapper that did not execute its job wrote to ``path``, read as ``owner``; "" when
    there is none. The job itself has not ended then: it will run again.
    """
    try:
        with as_user(owner), user_file(path, errors="replace") as file:
            text = file.read(_MOST_OF_A_REASON).strip().replace("\n", "|")
    except FileNotFoundError:
        return ""
    except OSError as error:
        text = error.strerror or ""
    return f"The job wrapper failed to execute the job: {text}"


def write_manifest(scratch: str, directory: str, name: str) -> None:
    """``DIRECTORY/NAME`` in the scratch directory: the paths below it, a line each, directories with a slash."""
    os.makedirs(os.path.join(scratch, directory), 0o700, exist_ok=True)
    path = os.path.join(scratch, directory, name)
    with user_file(path, "w") as file:
        file.writelines(f"./{line}\n" for line in _walk(scratch, ""))


def write_environment(scratch: str, directory: str, environment: Mapping[str, str]) -> None:
    """``DIRECTORY/environment``: the job's environment on one line."""
    path = os.path.join(scratch, directory, "environment")
    with user_file(path, "w") as file:
        file.write(" ".join(f"{name}={environment[name]}" for name in sorted(environment)) + "\n")


def _walk(top: str, below: str) -> Iterator[str]:
    with os.scandir(os.path.join(top, below)) as entries:
        found = sorted(entries, key=lambda entry: entry.name)
    for entry in found:
        path = f"{below}{entry.name}"
        if entry.is_dir(follow_symlinks=False):
            yield f"{path}/"
            yield from _walk(top, f"{path}/")
        else:
            yield path
