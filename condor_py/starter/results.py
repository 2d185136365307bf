"""What an ended program has left: its output, a core file, and what its wrapper tells. The caller has the right
identity where nothing else is said.
"""

from __future__ import annotations

import os
from dataclasses import replace

from condor_py.model.report import Usage
from condor_py.starter.identity import Account, as_user
from condor_py.starter.job import TransferWishes
from condor_py.starter.manifest import write_manifest
from condor_py.starter.transfer import Catalogue, Transfer
from condor_py.starter.userfiles import user_file

#: Characters that are read of what a wrapper tells.
_MOST_OF_A_REASON = 2000


def send_results(
    transfer: Transfer, wishes: TransferWishes, outcome: int | None, before: Catalogue, core_file: str | None
) -> None:
    """Streams and output to where the job wants them; of a run that failed only what it names for that.

    TransferError, OSError.
    """
    transfer.send_streams()
    if wishes.success is not None and wishes.success != outcome:
        transfer.send_named(wishes.failure_files)
        return
    if wishes.manifest:
        write_manifest(transfer.scratch, wishes.manifest, "out")
        transfer.added_output.append(wishes.manifest)
    transfer.send_output(before, core_file)


def with_transfers(usage: Usage, transfer: Transfer | None) -> Usage:
    """What came and went, beside what the job has used; ``transfer`` is None where nothing is transferred."""
    if transfer is None:
        return usage
    return replace(
        usage,
        bytes_sent=transfer.went.bytes,
        bytes_received=transfer.came.bytes,
        files_sent=transfer.went.files,
        files_received=transfer.came.files,
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
    """What a wrapper that did not execute its job wrote to ``path``, read as ``owner``; "" when there is nothing. What
    ended was not the job then: it will run again.
    """
    try:
        with as_user(owner), user_file(path, errors="replace") as file:
            text = file.read(_MOST_OF_A_REASON).strip().replace("\n", "|")
    except FileNotFoundError:
        return ""
    except OSError as error:
        text = error.strerror or ""
    return f"The job wrapper failed to execute the job: {text}"
