"""Clearing checkpoints at a destination: the program that CHECKPOINT_DESTINATION_MAPFILE names deletes what a MANIFEST
lists.

The lists of checkpoints that no job needs any more wait in SPOOL, in
``checkpoint-cleanup/OWNER/cluster<C>.proc<P>.subproc0``, together with the job's ad, until all that they list is gone.
Everything there is done with the owner's rights.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import NamedTuple

from condor_py.lang.classad import ClassAd
from condor_py.lang.classad.usermap import UserMap
from condor_py.machine.run.checkpointlists import listed
from condor_py.machine.run.destination import list_name, lists_in
from condor_py.machine.run.identity import Account, UnknownAccount, account, account_of, as_user
from condor_py.machine.run.spawning import become, rights
from condor_py.machine.run.spool import CHECKPOINT
from condor_py.machine.run.userfiles import user_file
from condor_py.model.errors import CondorError
from condor_py.model.settings.checkpoints import CheckpointSettings

_LISTS = "MANIFEST"
_FAILURES = "FAILURE"
_FOLDER = "checkpoint-cleanup"
_JOB_AD = ".job.ad"
#: Characters of it that are read.
_MOST_OF_AN_AD = 16 << 20
#: Programs of ours that LIBEXEC need not have.
_OURS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libexec")


class _Plugin(NamedTuple):
    """The program with its first arguments, and how many seconds it may take for one file."""

    command: list[str]
    timeout: int


class Waiting(NamedTuple):
    """A job's checkpoints to be removed: the directory of the lists, its owner, and the URL of the checkpoints."""

    directory: str
    owner: Account | None
    url: str


def set_aside(
    spool: str, room: str, ad: ClassAd, owner: Account | None, extra: int = -1, lost: int = -1
) -> Waiting | None:
    """Lets the lists in a job's directory of the spool wait to be cleared: all of them, or with ``extra`` those that
    are older than that many checkpoints before the last, and those of failed ones up to number ``lost``. None when
    there are none. OSError."""
    with as_user(owner):
        lists = sorted(lists_in(room), key=lambda each: each[1])
        complete = [number for kind, number in lists if kind == _LISTS]
        if extra >= 0:
            kept = complete[-1 - extra :]
            lists = [
                (kind, number) for kind, number in lists
                if (kept and number not in kept and number < kept[-1]) or (kind == _FAILURES and number <= lost)
            ]  # fmt: skip
    name = ad.eval_str("Owner", "") or ""
    if not lists or not name or "/" in name or name.startswith("."):
        return None
    above = os.path.join(spool, _FOLDER, name)
    os.makedirs(os.path.dirname(above), 0o755, exist_ok=True)
    if not os.path.isdir(above):
        os.mkdir(above, 0o700)
        if owner is not None and os.geteuid() == 0:
            os.chown(above, owner.uid, owner.gid)
    directory = os.path.join(above, os.path.basename(room).removesuffix(CHECKPOINT))
    with as_user(owner):
        os.makedirs(directory, 0o700, exist_ok=True)
        with user_file(os.path.join(directory, _JOB_AD), "w") as file:
            file.writelines(f"{name} = {text}\n" for name, text in ad.text_items())
        for kind, number in lists:
            os.rename(os.path.join(room, list_name(kind, number)), os.path.join(directory, list_name(kind, number)))
    return Waiting(directory, owner, _url(ad))


def _url(ad: ClassAd) -> str:
    destination = (ad.eval_str("CheckpointDestination", None) or "").rstrip("/")
    return f"{destination}/{(ad.eval_str('GlobalJobId', None) or '').replace('#', '_')}"


def all_waiting(spool: str) -> Iterator[Waiting]:
    """Yield the checkpoints in a spool that wait for removal. OSError."""
    top = os.path.join(spool, _FOLDER)
    for name in sorted(os.listdir(top)) if os.path.isdir(top) else ():
        above = os.path.join(top, name)
        owner = account_of(os.stat(above).st_uid) if os.geteuid() == 0 else None
        if owner is None and os.geteuid() == 0:
            continue  # the account is gone, and nothing of it may be read with root's rights
        with as_user(owner):
            jobs = sorted(os.listdir(above)) if os.path.isdir(above) else []
            found = [(os.path.join(above, job), _read_ad(os.path.join(above, job, _JOB_AD))) for job in jobs]
        yield from (Waiting(directory, owner, _url(ad)) for directory, ad in found if ad is not None)


def _read_ad(path: str) -> ClassAd | None:
    try:
        with user_file(path) as file:
            pairs = (line.partition(" = ") for line in file.read(_MOST_OF_AN_AD).splitlines())
            return ClassAd.from_text_items((name, text.strip()) for name, _, text in pairs)
    except OSError:
        return None


def clear_waiting(waiting: Waiting, settings: CheckpointSettings, seconds: float | None = None) -> list[str]:
    """Clears what waits for a job; what went wrong. It may take so many ``seconds``."""
    deadline = None if seconds is None else time.monotonic() + seconds
    with as_user(waiting.owner):
        numbers = sorted({number for _, number in lists_in(waiting.directory)})
        stem = os.path.join(waiting.directory, f"_condor_checkpoint_{_LISTS}")
        try:
            return clear(waiting.url, stem, numbers, settings, lambda text: None, deadline)
        except CondorError as error:
            return [str(error)] if os.path.isdir(waiting.directory) else []  # another process was quicker


def clear(
    destination: str, stem: str, numbers: Iterable[int], settings: CheckpointSettings, say: Callable[[str], object],
    deadline: float | None = None,
) -> list[str]:  # fmt: skip
    """Clears the checkpoints of one job until ``deadline`` (time.monotonic); what went wrong, one text a checkpoint.

    The list of checkpoint N is ``STEM.NNNN``, that of one that failed is called FAILURE instead of MANIFEST. The
    ad of the job next to them and their directory go last, when nothing else is left there.
    """
    directory = os.path.dirname(stem)
    job_ad = os.path.join(directory, ".job.ad")
    errors = []
    for number in numbers:
        path = f"{stem}.{number:04d}"
        failed = stem.endswith(_LISTS) and not os.path.exists(path)
        if failed:
            path = f"{stem.removesuffix(_LISTS)}{_FAILURES}.{number:04d}"
        try:
            _delete_listed(f"{destination}/{number:04d}", path, job_ad, failed, settings, deadline)
        except FileNotFoundError as error:
            if error.filename != path:
                raise
            continue  # the schedd and condor_preen may clear the same job: this one the other has cleared
        except CondorError as error:
            errors.append(str(error))
    _remove_empty(directory, job_ad, say)
    return errors


def _remove_empty(directory: str, job_ad: str, say: Callable[[str], object]) -> None:
    try:
        left = os.listdir(directory or ".")
    except OSError:
        raise CondorError(f"Unable to check contents of '{directory}', aborting.") from None
    if set(left) - {os.path.basename(job_ad)}:
        return
    for path, remove in ((job_ad, os.unlink), (directory, os.rmdir)):
        say(f"Removing {path} after successful clean-up.\n")
        try:
            remove(path)
        except OSError:
            continue  # it was not there, or others still need the directory


def _delete_listed(
    destination: str, path: str, job_ad: str, failed: bool, settings: CheckpointSettings, deadline: float | None
) -> None:
    own = os.path.basename(path).replace(_FAILURES, _LISTS)
    names = [name for name in listed(path) if name != own]
    plugin = _plugin(destination, settings)
    for name in names:
        command = [*plugin.command, "-from", destination, "-delete", name, "-jobad", job_ad]
        if failed:
            command.append("-ignore-missing-files")
        left = plugin.timeout if deadline is None else min(plugin.timeout, deadline - time.monotonic())
        if left <= 0:
            raise CondorError("Out of time before all files were deleted, aborting.")
        _run(command, left, _pool_account(settings))
    os.unlink(path)


def _plugin(destination: str, settings: CheckpointSettings) -> _Plugin:
    """The program that clears ``destination``. Raises CondorError."""
    path = settings.mapfile

    def read(file: str) -> str:
        with open(os.path.join(os.path.dirname(path), file), encoding="utf-8", errors="surrogateescape") as stream:
            return stream.read()

    try:
        words = (UserMap(read(path), read, prefixes=True).output("*", destination) or "").replace(",", " ").split()
    except OSError as error:
        raise CondorError(f"Failed to parse checkpoint destination map file ({path}), aborting") from error
    if not words:
        raise CondorError(f"Failed to find checkpoint destination {destination} in map file, aborting")
    program = os.path.join(settings.libexec, words[0])
    if not os.path.exists(program) and os.path.exists(ours := os.path.join(_OURS, os.path.basename(program))):
        program = ours
    if not os.path.exists(program):
        raise CondorError(f"Clean-up plug-in for '{destination}' ({program}) does not exist, aborting")
    return _Plugin([program, *words[1:]], settings.file_timeout)


def _pool_account(settings: CheckpointSettings) -> Account | None:
    """The account that the programs run as instead of the owner; None for the owner, and without another account."""
    if settings.as_owner or os.getuid() != 0:
        return None
    if settings.pool_ids is not None:
        return account_of(settings.pool_ids[0])
    try:
        return account("condor")
    except UnknownAccount:
        return None


def _run(command: list[str], timeout: float, pool: Account | None) -> None:
    said = f"'{' '.join(command)}'"
    user, group = rights() if pool is None else (None, None)
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout,
            check=False, user=user, group=group, preexec_fn=None if pool is None else partial(become, pool),
        )  # fmt: skip
    except OSError as error:
        raise CondorError(f"Failed to run {said}: {error.errno} ({error.strerror}), aborting.") from error
    except subprocess.TimeoutExpired as expired:
        output = _quoted("Partial output", expired.output or b"")
        raise CondorError(f"Timed out after {timeout:.0f} seconds waiting for {said}, aborting.\n{output}") from expired
    if done.returncode != 0:
        output = _quoted("Output", done.stdout)
        raise CondorError(f"Failure running {said}: exit code was {done.returncode}, aborting.\n{output}")


def _quoted(label: str, output: bytes) -> str:
    return f"({label}: '{output.decode('utf-8', 'surrogateescape')}')\n" if output else ""
