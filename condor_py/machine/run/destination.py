"""Checkpoints that are kept at a destination of the job's (checkpoint_destination), below ``GLOBALJOBID/NNNN`` there.

What checkpoint N consists of is listed, with checksums, in ``_condor_checkpoint_MANIFEST.N`` in the job's directory of
the spool. While the files are on their way, and when one that came back was found to be damaged, the list is called
FAILURE instead: no job starts from it, and the cleanup knows what may lie there. A number is never used twice.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from condor_py.machine.run import checkpointlists
from condor_py.machine.run.job import Job
from condor_py.machine.run.userfiles import user_file
from condor_py.model.errors import CondorError

#: The list of a checkpoint: "MANIFEST" or "FAILURE", and the number.
LIST = re.compile(r"_condor_checkpoint_(MANIFEST|FAILURE)\.(\d+)", re.ASCII)


class InvalidCheckpoint(Exception):
    """A checkpoint that differs from what was sent to its destination."""


class Checkpoint:
    """One checkpoint; ``directory`` is the job's in the spool. Everything is done with the rights of the caller, who
    takes those of the job's owner before."""

    def __init__(self, directory: str, url: str, number: int) -> None:
        self.number = number
        self._url = f"{url}/{number:04d}"
        self.list_name = list_name("MANIFEST", number)
        self._list = os.path.join(directory, self.list_name)
        self._unsure = os.path.join(directory, list_name("FAILURE", number))

    @property
    def list_size(self) -> int:
        """Bytes of the list. OSError."""
        return os.path.getsize(self._list)

    def begin(self, scratch: str, names: list[str]) -> list[tuple[str, str]]:
        """Lists the files of ``names``, relative to the scratch directory; (URL, path) of each, and of the list itself.
        OSError."""
        files = list(dict.fromkeys(path for name in names for path in _files_of(scratch, name)))
        lines = (f"{checkpointlists.checksum(os.path.join(scratch, path))} *{path}\n" for path in files)
        text = checkpointlists.whole("".join(lines), self.list_name)
        with user_file(self._unsure, "wb") as file:
            file.write(text)
        return [(f"{self._url}/{path}", os.path.join(scratch, path)) for path in files]

    def complete(self) -> None:
        """All files have arrived."""
        os.rename(self._unsure, self._list)

    def announce(self, scratch: str) -> list[tuple[str, str]]:
        """Copies the list into the scratch directory; (URL, path below it) of every file. OSError."""
        with user_file(self._list, "rb") as file:
            text = file.read()
        with user_file(os.path.join(scratch, self.list_name), "wb") as file:
            file.write(text)
        names = (name for name, _ in checkpointlists.entries(text.splitlines()[:-1]))
        return [(f"{self._url}/{name}", name) for name in names]

    def changed(self, scratch: str) -> Iterator[str]:
        """Those files of the checkpoint that the scratch directory, with the input only, does not have like that.
        OSError."""
        with user_file(self._list, "rb") as file:
            lines = file.read().splitlines()[:-1]
        for name, wanted in checkpointlists.entries(lines):
            path = os.path.join(scratch, name)
            if not os.path.isfile(path) or checkpointlists.checksum(path) != wanted:
                yield name

    def check(self, scratch: str) -> None:
        """Compares what came with the list, which is removed from there. InvalidCheckpoint: it is not to be used any
        more."""
        path = os.path.join(scratch, self.list_name)
        try:
            if not checkpointlists.is_whole(path):
                raise InvalidCheckpoint("Invalid MANIFEST file")
            checkpointlists.check_files(path, scratch)
        except CondorError as error:
            if str(error):  # a checkpoint of no files has nothing wrong
                self._reject()
                raise InvalidCheckpoint(str(error)) from None
        except InvalidCheckpoint:
            self._reject()
            raise
        os.unlink(path)

    def _reject(self) -> None:
        os.rename(self._list, self._unsure)


def list_name(kind: str, number: int) -> str:
    """The name of a list; ``kind`` is MANIFEST or FAILURE."""
    return f"_condor_checkpoint_{kind}.{number:04d}"


def lists_in(directory: str) -> Iterator[tuple[str, int]]:
    """Kind and number of every list in a directory, which need not exist."""
    try:
        names = os.listdir(directory)
    except FileNotFoundError:
        return
    for name in names:
        found = LIST.fullmatch(name)
        if found is not None:
            yield found[1], int(found[2])


def latest(job: Job, directory: str) -> Checkpoint | None:
    """The last complete checkpoint whose list is sound; None for none."""
    complete = sorted((number for kind, number in lists_in(directory) if kind == "MANIFEST"), reverse=True)
    for number in complete:
        if checkpointlists.is_whole(os.path.join(directory, list_name("MANIFEST", number))):
            return Checkpoint(directory, _place(job), number)
    return None


def new_one(job: Job, directory: str, last: int) -> Checkpoint:
    """The next checkpoint; ``last`` is the number that the job knows of."""
    return Checkpoint(directory, _place(job), max([last, *(number for _, number in lists_in(directory))]) + 1)


def _place(job: Job) -> str:
    """The URL below which the job has its checkpoints."""
    return f"{job.wishes.checkpoint_destination.rstrip('/')}/{job.global_id.replace('#', '_')}"


def _files_of(scratch: str, name: str) -> Iterator[str]:
    """A file, or the files below a directory, as paths below the scratch directory. OSError for what is not there."""
    top = os.path.join(scratch, name)
    if not os.path.isdir(top):
        os.stat(top)
        yield name
        return
    for place, folders, names in os.walk(top):
        folders.sort()
        for each in sorted(names):
            yield os.path.normpath(os.path.relpath(os.path.join(place, each), scratch))
