"""Checkpoints at a destination: the program that CHECKPOINT_DESTINATION_MAPFILE names deletes what a MANIFEST lists."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterable
from typing import NamedTuple

from condor_py.model.errors import CondorError
from condor_py.starter.checkpointlists import listed

_LISTS = "MANIFEST"
_FAILURES = "FAILURE"


class _Plugin(NamedTuple):
    """The program with its first arguments, and how many seconds it may take for one file."""

    command: list[str]
    timeout: int


def clear(destination: str, stem: str, numbers: Iterable[int], say: Callable[[str], object]) -> list[str]:
    """Clears the checkpoints of one job; what went wrong, one text a checkpoint.

    The list of checkpoint N is ``STEM.NNNN``, that of one that failed is called FAILURE instead of MANIFEST. The
    ad of the job beside them and their directory go last, when nothing else is left there.
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
            _delete_listed(f"{destination}/{number:04d}", path, job_ad, failed)
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


def _delete_listed(destination: str, path: str, job_ad: str, failed: bool) -> None:
    names = listed(path)
    plugin = _plugin(destination)
    for name in names:
        command = [*plugin.command, "-from", destination, "-delete", name, "-jobad", job_ad]
        if failed:
            command.append("-ignore-missing-files")
        _run(command, plugin.timeout)
    os.unlink(path)


def _plugin(destination: str) -> _Plugin:
    """The program that clears ``destination``. Raises CondorError."""
    from condor_py.classad.usermap import UserMap
    from condor_py.tools.access import open_pool

    config = open_pool().config
    path = config.path("CHECKPOINT_DESTINATION_MAPFILE")

    def read(file: str) -> str:
        with open(os.path.join(os.path.dirname(path), file), encoding="utf-8", errors="surrogateescape") as stream:
            return stream.read()

    try:
        words = (UserMap(read(path), read, prefixes=True).output("*", destination) or "").replace(",", " ").split()
    except OSError as error:
        raise CondorError(f"Failed to parse checkpoint destination map file ({path}), aborting") from error
    if not words:
        raise CondorError(f"Failed to find checkpoint destination {destination} in map file, aborting")
    program = os.path.join(config.path("LIBEXEC"), words[0])
    if not os.path.exists(program):
        raise CondorError(f"Clean-up plug-in for '{destination}' ({program}) does not exist, aborting")
    return _Plugin([program, *words[1:]], config.integer("CHECKPOINT_CLEANUP_TIMEOUT", 20))


def _run(command: list[str], timeout: int) -> None:
    said = f"'{' '.join(command)}'"
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout,
            check=False,
        )  # fmt: skip
    except OSError as error:
        raise CondorError(f"Failed to run {said}: {error.errno} ({error.strerror}), aborting.") from error
    except subprocess.TimeoutExpired as expired:
        partial = _quoted("Partial output", expired.output or b"")
        raise CondorError(f"Timed out after {timeout} seconds waiting for {said}, aborting.\n{partial}") from expired
    if done.returncode != 0:
        output = _quoted("Output", done.stdout)
        raise CondorError(f"Failure running {said}: exit code was {done.returncode}, aborting.\n{output}")


def _quoted(label: str, output: bytes) -> str:
    return f"({label}: '{output.decode('utf-8', 'surrogateescape')}')\n" if output else ""
