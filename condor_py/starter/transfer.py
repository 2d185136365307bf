"""File transfer on one machine: copies between the submit directory and the sandbox, done with the owner's rights."""

from __future__ import annotations

import errno
import os
import shutil
from dataclasses import dataclass

from condor_py.model.states import HoldCode
from condor_py.starter.job import Job
from condor_py.starter.sandbox import Sandbox

_OURS = frozenset((".job.ad", ".machine.ad", "_condor_stdout", "_condor_stderr", "tmp", "var"))
STDOUT_NAME = "_condor_stdout"
STDERR_NAME = "_condor_stderr"


class TransferError(Exception):
    """A file that cannot be copied: the job is held with ``code``, ``subcode`` (errno) and this text."""

    def __init__(self, code: int, error: OSError | None, text: str) -> None:
        super().__init__(text)
        self.code = int(code)
        self.subcode = (error.errno or 0) if error is not None else 0


@dataclass(slots=True)
class Catalogue:
    """What lay in the scratch directory when the job started: name -> (mtime in ns, size)."""

    entries: dict[str, tuple[int, int]]


class Transfer:
    """The transfers of one run. Messages name both ends as HTCondor does."""

    def __init__(self, job: Job, sandbox: Sandbox, slot: str, access_point: str) -> None:
        self.job = job
        self.scratch = sandbox.scratch
        self.slot = slot
        self.access_point = access_point
        self.bytes_in = 0
        self.bytes_out = 0

    # -- input ------------------------------------------------------------------------------------------------------

    def fetch_input(self) -> Catalogue:
        """Copies executable, stdin and input files into the scratch directory. TransferError 13."""
        job = self.job
        if job.transfer_executable:
            self._fetch(job.cmd, os.path.basename(job.cmd), executable=True)
        if job.stdin != os.devnull:
            self._fetch(job.stdin, os.path.basename(job.stdin))
        for name in job.input_files:
            self._fetch_item(name)
        return self._catalogue()

    def _fetch_item(self, name: str) -> None:
        source = self._source(name)
        target = self._input_name(name)
        if name.endswith("/") and os.path.isdir(source):
            for entry in sorted(os.listdir(source)):
                self._fetch(os.path.join(source, entry), os.path.join(os.path.dirname(target), entry))
        else:
            self._fetch(name, target)

    def _input_name(self, name: str) -> str:
        if self.job.preserve_relative_paths and not os.path.isabs(name):
            return _inside(name)
        return os.path.basename(name.rstrip("/"))

    def _source(self, name: str) -> str:
        return os.path.join(self.job.iwd, _path_of(name))

    def _fetch(self, name: str, target: str, executable: bool = False) -> None:
        source = self._source(name)
        destination = os.path.join(self.scratch, target)
        try:
            os.makedirs(os.path.dirname(destination), exist_ok=True)
            self.bytes_in += _copy(source, destination)
            if executable:
                os.chmod(destination, os.stat(destination).st_mode | 0o700)
        except OSError as error:
            raise self._input_error(source, error) from None

    def _input_error(self, source: str, error: OSError) -> TransferError:
        text = (
            f"Transfer input files failure at access point {self.access_point} while sending files to execution point "
            f"{self.slot}. Details: reading from file {source}: (errno {error.errno}) {error.strerror}"
        )
        return TransferError(HoldCode.UPLOAD_FILE_ERROR, error, text)

    def _catalogue(self) -> Catalogue:
        entries = {}
        with os.scandir(self.scratch) as found:
            for entry in found:
                status = entry.stat(follow_symlinks=False)
                entries[entry.name] = (status.st_mtime_ns, status.st_size)
        return Catalogue(entries)

    # -- output -----------------------------------------------------------------------------------------------------

    def send_output(self, before: Catalogue, core_file: str | None = None) -> None:
        """Copies results back to the submit directory, a core file whatever the job lists. TransferError 12."""
        names = self._changed(before) if self.job.output_files is None else list(self.job.output_files)
        if core_file is not None and core_file not in names:
            names.append(core_file)
        top = _path_of(self.job.output_destination)
        for name in names:
            self._send(name, os.path.join(top, _path_of(self._output_name(name))))

    def send_streams(self) -> None:
        """Copies stdout and stderr to where the job wants them."""
        for name, target in ((STDOUT_NAME, self.job.stdout), (STDERR_NAME, self.job.stderr)):
            if target != os.devnull and os.path.lexists(os.path.join(self.scratch, name)):
                self._send(name, self.job.output_remaps.get(target, target))

    def _changed(self, before: Catalogue) -> list[str]:
        """Top-level files that are new or differ; never directories."""
        names = []
        with os.scandir(self.scratch) as found:
            for entry in found:
                if entry.name in _OURS or not entry.is_file(follow_symlinks=True):
                    continue
                status = entry.stat(follow_symlinks=False)
                if before.entries.get(entry.name) != (status.st_mtime_ns, status.st_size):
                    names.append(entry.name)
        return sorted(names)

    def _output_name(self, name: str) -> str:
        remapped = self.job.output_remaps.get(name)
        if remapped is not None:
            return remapped
        if self.job.preserve_relative_paths and not os.path.isabs(name):
            return _inside(name)
        return os.path.basename(name.rstrip("/"))

    def _send(self, name: str, target: str) -> None:
        source = os.path.join(self.scratch, _inside(name))
        destination = os.path.join(self.job.iwd, _path_of(target))
        try:
            if name.endswith("/") and os.path.isdir(source):
                top = os.path.join(self.job.iwd, _path_of(self.job.output_destination))
                for entry in sorted(os.listdir(source)):
                    self.bytes_out += _copy(os.path.join(source, entry), os.path.join(top, entry))
                return
            if os.path.isdir(destination) and not destination.endswith("/") and not os.path.isdir(source):
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), destination)
            if self.job.preserve_relative_paths:
                os.makedirs(os.path.dirname(destination), exist_ok=True)
            self.bytes_out += _copy(source, destination)
        except OSError as error:
            raise self._output_error(error) from None

    def _output_error(self, error: OSError) -> TransferError:
        where = str(error.filename2 if error.filename2 and error.errno != errno.ENOENT else error.filename)
        point, place = f"execution point {self.slot}", f"access point {self.access_point}"
        if where.startswith(self.scratch + "/"):
            what = f"at {point} while sending files to {place}. Details: reading from"
        else:
            what = f"at {place} while receiving files from {point}. Details: writing to"
        text = f"Transfer output files failure {what} file {where}: (errno {error.errno}) {error.strerror}"
        return TransferError(HoldCode.DOWNLOAD_FILE_ERROR, error, text)


def _path_of(name: str) -> str:
    """The path of a ``file:`` URL, the only kind that needs no plugin; other names are paths."""
    return name.removeprefix("file://")


def _inside(name: str) -> str:
    """A relative path that stays below the directory it is joined to."""
    clean = os.path.normpath("/" + name.removeprefix("./")).lstrip("/")
    return clean or "."


def _copy(source: str, destination: str) -> int:
    """Copies a file (with its mode) or a directory; the bytes copied."""
    if os.path.isdir(source):
        shutil.copytree(source, destination, symlinks=True, dirs_exist_ok=True)
        return sum(
            os.lstat(os.path.join(top, name)).st_size for top, _, names in os.walk(destination) for name in names
        )
    if os.path.isdir(destination):
        destination = os.path.join(destination, os.path.basename(source))
    shutil.copyfile(source, destination)
    mode = os.stat(source).st_mode & 0o777
    if os.stat(destination).st_mode & 0o777 != mode and os.path.isfile(destination):
        try:
            os.chmod(destination, mode)
        except PermissionError:
            pass  # somebody else's file that we may write: its mode is theirs
    return os.stat(source).st_size
