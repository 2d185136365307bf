"""File transfer on one machine: copies between the submit directory and the sandbox, done with the owner's rights.

What goes wrong with one file does not stop the others; the first failure holds the job. Messages are HTCondor's.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from condor_py.lang.classad import ClassAd, parseAds
from condor_py.machine.run import places
from condor_py.machine.run.copying import Copier, LinkToDirectory, Moved
from condor_py.machine.run.destination import Checkpoint
from condor_py.machine.run.failures import (
    Failures,
    TooMuch,
    TransferError,
    UrlError,
    check_size,
    method_of,
    scheme_of,
    without_secrets,
)
from condor_py.machine.run.job import Job
from condor_py.machine.run.mapping import map_staged
from condor_py.machine.run.medium import Flusher, Medium, flush_tree
from condor_py.machine.run.plugins import Mover, Told
from condor_py.machine.run.signing import SCHEMES, Keys, SigningError, read_keys, signed
from condor_py.machine.run.spool import copy_names
from condor_py.model.settings.starter import TransferSettings
from condor_py.model.states import HoldCode

#: Errors that only writes have.
_OF_WRITES = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG})
_MOST = 5_000_000


class Copied(NamedTuple):
    """One item that was copied into a sandbox, and how long that took."""

    name: str
    bytes: int
    seconds: float


def append(path: str, job: Job, copied: Iterable[Copied], by_plugins: Iterable[str], now: float) -> None:
    """Append the files that were ``copied``, and those that plugins reported (``by_plugins``, ads in the new form).
    OSError."""
    text = "".join(_text(ad, job, now) for ad in (*map(_ad_of, copied), *_ads(by_plugins)))
    if not text:
        return
    if os.path.exists(path) and os.path.getsize(path) > _MOST:
        os.rename(path, path + ".old")
    with open(path, "a", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)


def _ads(by_plugins: Iterable[str]) -> Iterator[ClassAd]:
    for text in by_plugins:
        yield from parseAds(text)


def _ad_of(item: Copied) -> ClassAd:
    ad = ClassAd()
    ad.set_bool("TransferSuccess", True)
    ad.set_str("TransferProtocol", "cedar")
    ad.set_str("TransferType", "download")
    ad.set_str("TransferFileName", item.name)
    ad.set_int("TransferFileBytes", item.bytes)
    ad.set_int("TransferTotalBytes", item.bytes)
    ad.set_real("ConnectionTimeSeconds", item.seconds)
    return ad


def _text(ad: ClassAd, job: Job, now: float) -> str:
    """The lines of an ad. A plugin need not have said when it moved the file: it is just over."""
    if "TransferEndTime" not in ad:
        ad.set_int("TransferStartTime", int(now - (ad.eval_real("ConnectionTimeSeconds", 0.0) or 0.0)))
        ad.set_int("TransferEndTime", int(now))
    cluster, _, proc = job.job_id.partition(".")
    ad.set_int("JobClusterId", int(cluster))
    ad.set_int("JobProcId", int(proc))
    ad.set_str("JobOwner", job.owner)
    return "***\n" + "".join(f"{name} = {text}\n" for name, text in sorted(ad.text_items()))


_MEGABYTE = 1024 * 1024
#: TransferClass of a plugin's work.
INPUT_CLASS, OUTPUT_CLASS, CHECKPOINT_CLASS = 1, 2, 3
#: Subcode of input that could not be signed.
_NOT_SIGNED = 3
#: Bytes that are there in a moment.
_MUCH = 32 * _MEGABYTE


@dataclass(slots=True)
class Catalogue:
    """The contents of the scratch directory when the job started: name -> (mtime in ns, size)."""

    entries: dict[str, tuple[int, int]]


class Progress(NamedTuple):
    """The progress of a transfer. ``restored`` are the names that an earlier run had left."""

    came: Moved
    went: Moved
    refused: bool
    restored: frozenset[str]
    told: tuple[tuple[int, Told], ...] = ()
    #: Why the checkpoint that came is no good.
    invalid: str = ""
    copied: tuple[Copied, ...] = ()
    #: Whether the checkpoint that went did not get there.
    lost: bool = False


class Transfer:
    """The transfers of one run into ``scratch`` and from there. Messages name both ends as HTCondor does; ``log`` takes
    lines for the starter's log; ``clock`` gives the time, in seconds since 1970, at which a URL is signed."""

    def __init__(
        self,
        job: Job,
        scratch: str,
        slot: str,
        access_point: str,
        settings: TransferSettings,
        log: Callable[..., None],
        clock: Callable[[], float],
        medium: Medium | None = None,
    ) -> None:
        self.job = job
        self.scratch = scratch
        self.slot = slot
        self.access_point = access_point
        self.settings = settings
        self.came = Moved()
        self.went = Moved()
        #: The input is too large by what the job says itself: nothing was done.
        self.refused = False
        #: Paths that a manifest or the like adds to the job's output.
        self.added_output: list[str] = []
        self._failures = Failures()
        self._restored: frozenset[str] = frozenset()
        #: Why the checkpoint that came is no good.
        self.invalid = ""
        #: Whether the last checkpoint did not get to its destination.
        self.lost = False
        #: Reports of plugins, by TransferClass.
        self.told: list[tuple[int, Told]] = []
        #: What was copied into the scratch directory.
        self.copied: list[Copied] = []
        self.log = log
        self._clock = clock
        self._medium = medium
        self._flusher = Flusher(medium, job.iwd)
        #: (URL, path) of output that plugins are to move.
        self._urls: list[tuple[str, str]] = []
        self._limits = DirectoryLimits(settings.allowed_directories or job.wishes.allowed_directories)

    def refuse_checkpoint(self, reason: str) -> None:
        """Note why the checkpoint that came is no good."""
        self.invalid = reason

    # -- input ------------------------------------------------------------------------------------------------------

    def fetch_input(self, left_behind: str | None = None, checkpoint: Checkpoint | None = None) -> Catalogue:
        """Copies executable, stdin and input files into the scratch directory, and over them what an earlier run left:
        a directory, or a checkpoint at a destination.

        TransferError 13, or 32 for too many megabytes; InvalidCheckpoint.
        """
        job = self.job
        limit = self._limit(job.wishes.max_input_mb, self.settings.max_input_mb)
        if limit >= 0 and job.wishes.input_size_mb > limit:
            size = f"TransferInputSizeMB ({job.wishes.input_size_mb})"
            text = f"{size} is greater than MAX_TRANSFER_INPUT_MB ({limit}) at submit time"
            self.refused = True
            raise TransferError(HoldCode.MAX_TRANSFER_INPUT_SIZE_EXCEEDED, 0, text)
        self._failures = Failures()
        urls: list[tuple[str, str]] = []
        for source, target, executable in self._inputs():
            if scheme_of(source) and not os.path.isdir(places.path_of(source)):
                urls.append((source, os.path.join(self.scratch, target)))
            else:
                self._fetch(places.path_of(source), target, executable, limit)
        if self._failures.first is None:
            self._fetch_urls(urls)
        self._raise_input_failure()
        if left_behind is not None:
            self._restored = frozenset(os.listdir(left_behind)) - places.OURS
            self.came.add(*copy_names(left_behind, self.scratch, sorted(os.listdir(left_behind))))
        if checkpoint is not None:
            self._restore(checkpoint)
        map_staged(job, self.scratch, self.settings, self.log)
        return self.catalogue()

    def _restore(self, checkpoint: Checkpoint) -> None:
        """Brings a checkpoint from its destination. TransferError 13, InvalidCheckpoint."""
        urls = checkpoint.announce(self.scratch)
        self.copied.append(Copied(f"./{checkpoint.list_name}", checkpoint.list_size, 0.0))
        # What was input and has stayed as it was is no result.
        self._restored = frozenset(name.partition("/")[0] for name in checkpoint.changed(self.scratch)) - places.OURS
        for _, path in urls:
            os.makedirs(os.path.dirname(os.path.join(self.scratch, path)), exist_ok=True)
        self._fetch_urls([(url, os.path.join(self.scratch, path)) for url, path in urls])
        self._raise_input_failure()
        checkpoint.check(self.scratch)

    def is_much(self) -> bool:
        """Whether the input may take a while to come."""
        size = 0
        if self.job.staged and not self.settings.hard_links:
            return True
        for source, _, _ in self._inputs():
            if scheme_of(source) and not source.startswith("file://"):
                return True
            try:
                status = os.stat(os.path.join(self.job.iwd, places.path_of(source)))
            except OSError:
                continue
            size += status.st_size
            if stat.S_ISDIR(status.st_mode) or size > _MUCH:
                return True
        return False

    def progress(self) -> Progress:
        """Return the state that a child that did the transfer reports."""
        told, copied = tuple(self.told), tuple(self.copied)
        return Progress(self.came, self.went, self.refused, self._restored, told, self.invalid, copied, self.lost)

    def take(self, progress: Progress) -> None:
        """Takes over what a child did."""
        self.came, self.went = progress.came, progress.went
        self.refused, self._restored = progress.refused, progress.restored
        self.told, self.copied = list(progress.told), list(progress.copied)
        self.invalid, self.lost = progress.invalid, progress.lost

    def record(self, now: float) -> list[tuple[int, Told]]:
        """Return the plugins' reports since the last call; they and the copied files go to the history of transfers."""
        told, copied = self.told, self.copied
        self.told, self.copied = [], []
        if self.settings.history and (told or copied):
            files = (text for _, one in told for text in one.files)
            try:
                append(self.settings.history, self.job, copied, files, now)
            except OSError as error:
                self.log(f"FILETRANSFER: failed to write to statistics file {error.filename}: {error.strerror}")
        return told

    def _inputs(self) -> Iterator[tuple[str, str, bool]]:
        """Everything to fetch: source, name in the scratch directory, whether it is the program."""
        job = self.job
        if job.transfer_executable:
            yield job.cmd, os.path.basename(job.cmd), True
        if job.stdin != os.devnull and not job.stream_input and job.transfer_stdin:
            yield job.stdin, os.path.basename(job.stdin), False
        if job.proxy:
            yield job.proxy, os.path.basename(job.proxy), False
        for path in job.wishes.plugins.values():
            yield path, os.path.basename(path), True
        for name in job.input_files if job.staged else (*job.input_files, *job.common_files):
            yield from self._input_item(name)
        if job.own_program and job.own_program not in job.input_files:
            yield job.own_program, os.path.basename(job.own_program), True
        if job.tool is not None:  # condor_submit lists them only among other input
            for name in (job.tool.cmd, job.tool.stdin):
                if name and name not in job.input_files:
                    yield name, os.path.basename(name), name == job.tool.cmd

    def _input_item(self, name: str) -> Iterator[tuple[str, str, bool]]:
        source = os.path.join(self.job.iwd, places.path_of(name))
        target = self._input_name(name)
        if name.endswith("/") and name != self.job.image and os.path.isdir(source):
            try:
                entries = sorted(os.listdir(source))
            except OSError as error:
                self._failures.add(error, source)
                return
            directory = target if self._keeps_path(name) else os.path.dirname(target)
            for entry in entries:
                yield os.path.join(source, entry), os.path.normpath(os.path.join(directory, entry)), False
        else:
            yield name, target, False

    def _keeps_path(self, name: str) -> bool:
        """Whether an item keeps its directories, and one that ends with a slash its own, by preserve_relative_paths.
        The image of a container does not."""
        if name == self.job.image:
            return False
        return self.job.preserve_relative_paths and not os.path.isabs(name) and not scheme_of(name)

    def _input_name(self, name: str) -> str:
        if self._keeps_path(name):
            return places.inside(name)
        return os.path.basename(name.partition("?")[0].rstrip("/") if scheme_of(name) else name.rstrip("/"))

    def _fetch(self, name: str, target: str, executable: bool, limit: int) -> None:
        source = os.path.join(self.job.iwd, name)
        destination = os.path.join(self.scratch, target)
        try:
            begun, before = time.monotonic(), self.came.bytes
            check_size(source, before, limit, "upload")
            os.makedirs(os.path.dirname(destination), exist_ok=True)
            Copier(self.came, self._input_failed, lambda here, _: self._limits.check(here)).copy(source, destination)
            if executable:
                os.chmod(destination, os.stat(destination).st_mode | 0o700)
            seconds = time.monotonic() - begun
            self.copied.append(Copied(target, self.came.bytes - before, seconds))
            if name == self.job.image:
                self.came.image_seconds = int(seconds)
        except OSError as error:
            self._input_failed(error, source)
        except TooMuch as error:
            self._failures.add(error, source)

    def _input_failed(self, error: OSError, source: str) -> None:
        """Count a failure with a file of the submit directory, or with its copy in the scratch directory."""
        path = error.filename2 if error.errno in _OF_WRITES and error.filename2 else error.filename
        self._failures.add(error, str(path) if self._is_ours(path) else source)

    def _is_ours(self, path: object) -> bool:
        return isinstance(path, str) and path.startswith(self.scratch + "/")

    def _fetch_urls(self, urls: list[tuple[str, str]]) -> None:
        if not urls:
            return
        try:
            urls = self._move(urls, INPUT_CLASS)
        except UrlError as error:
            self._failures.add(error)
            return
        for url, path in urls:
            if os.path.exists(path):
                self.came.add(os.path.getsize(path), protocol=method_of(url))
        program = os.path.join(self.scratch, os.path.basename(self.job.cmd))
        if self.job.transfer_executable and os.path.isfile(program):
            os.chmod(program, os.stat(program).st_mode | 0o700)

    def _move(self, urls: list[tuple[str, str]], kind: int) -> list[tuple[str, str]]:
        """Move URLs, keep the reports of the plugins, and return the URLs as they were moved. UrlError."""
        mover, upload = self._mover(), kind != INPUT_CLASS
        urls = self._signed(urls, upload)
        try:
            mover.move(urls, kind, upload)
        finally:
            self.told += [(kind, told) for told in mover.told]
        return urls

    def _signed(self, urls: list[tuple[str, str]], upload: bool) -> list[tuple[str, str]]:
        """Return ``urls`` with those of S3 and Google signed, unless the job has neither keys nor need of them.
        TransferError."""
        wishes = self.job.wishes
        if not self.settings.sign_s3_urls:
            return urls
        unsigned = () if wishes.keys.access else wishes.plugins
        keys: Keys | None = None
        found = []
        for url, path in urls:
            target = url
            if scheme_of(url) in SCHEMES and scheme_of(url) not in unsigned:
                try:
                    keys = keys or read_keys(wishes.keys, self.job.iwd)
                    target = signed(url, keys, wishes.keys.region, "PUT" if upload else "GET", self._clock())
                except SigningError as error:
                    raise self._unsigned(url, error, upload) from None
            found.append((target, path))
        return found

    def _unsigned(self, url: str, error: SigningError, upload: bool) -> TransferError:
        """Return the failure of a transfer with a URL that could not be signed, in HTCondor's words."""
        here, there = f"access point {self.access_point}", f"execution point {self.slot}"
        why = f"Failure when signing URL '{without_secrets(url)}': {error}"
        if upload:
            side = f"{here} while receiving files from {there}"
            text = f"Transfer output files failure at {side}. Details: DoDownload: {why}"
            return TransferError(HoldCode.DOWNLOAD_FILE_ERROR, error.code, text)
        side = f"{here} while sending files to {there}"
        text = f"Transfer input files failure at {side}. Details: DoUpload: {why}"
        return TransferError(HoldCode.UPLOAD_FILE_ERROR, _NOT_SIGNED, text)

    def _mover(self) -> Mover:
        paths = self.job.wishes.plugins.items()
        own = {method: os.path.join(self.scratch, os.path.basename(path)) for method, path in paths}
        wishes = self.job.wishes
        return Mover(
            own, self.settings, self.scratch, self.log, self.job.environment, wishes.plugin_data, wishes.refused_plugins
        )

    def _raise_input_failure(self) -> None:
        error = self._failures.first
        if error is None:
            return
        here, there = f"access point {self.access_point}", f"execution point {self.slot}"
        if isinstance(error, UrlError):
            text = f"Transfer input files failure at {there} using protocol {error.scheme}. Details: {error}"
            raise TransferError(HoldCode.UPLOAD_FILE_ERROR, error.subcode, text)
        writing = self._is_ours(self._failures.path)
        text = self._failures.told("writing to" if writing else "reading from")
        if isinstance(error, TooMuch):
            raise TransferError(HoldCode.MAX_TRANSFER_INPUT_SIZE_EXCEEDED, 0, text)
        side = f"{there} while receiving files from {here}" if writing else f"{here} while sending files to {there}"
        text = f"Transfer input files failure at {side}. Details: {text}"
        raise TransferError(HoldCode.UPLOAD_FILE_ERROR, error.errno or 0, text)

    def _limit(self, asked: int | None, configured: int) -> int:
        """Megabytes that may be transferred, -1 for any number: the job's wish, else the knob."""
        return configured if asked is None else asked

    def catalogue(self) -> Catalogue:
        """Return the present contents of the scratch directory."""
        entries = {}
        with os.scandir(self.scratch) as found:
            for entry in found:
                status = entry.stat(follow_symlinks=False)
                entries[entry.name] = (status.st_mtime_ns, status.st_size)
        return Catalogue(entries)

    # -- output -----------------------------------------------------------------------------------------------------

    def flush(self) -> None:
        """Wait until the names of all that was sent are on the medium, as its content is. OSError."""
        self._flusher.finish()

    def send_output(self, before: Catalogue, core_file: str | None = None) -> None:
        """Copies results back to the submit directory, a core file whatever the job lists. TransferError 12 or 33."""
        names = self.changed(before) if self.job.output_files is None else list(self.job.output_files)
        names += [name for name in (*self.added_output, core_file) if name is not None and name not in names]
        self._failures = Failures()
        for name in names:
            self._send_item(name)
        if self._urls:
            self._send_urls(self._urls)
        self._raise_output_failure()

    def _send_item(self, name: str) -> None:
        """One item of the output list: a file, a directory, or with a slash at its end what is in a directory."""
        source = os.path.join(self.scratch, places.inside(name))
        if os.path.isabs(name) and not os.path.lexists(source):
            source = name.rstrip("/")  # elsewhere on the machine, read with the owner's rights like everything here
        if name.endswith("/") and os.path.isdir(source):
            try:
                entries = sorted(os.listdir(source))
            except OSError as error:
                self._failures.add(error, source)
                return
            directory = places.inside(name) if self._leaves_with_path(name) else ""
            for entry in entries:
                self._send(os.path.join(source, entry), os.path.normpath(os.path.join(directory, entry)))
        else:
            self._send(source, self._output_name(name))

    def send_streams(self) -> None:
        """Copies stdout, stderr and a starter's log to where the job wants them. TransferError 12."""
        self._failures = Failures()
        self._make_output_directory()
        job = self.job
        log = (places.STARTER_LOG_NAME, job.starter_log or os.devnull)
        out, err = (
            target if brought else os.devnull
            for target, brought in ((job.stdout, job.transfer_stdout), (job.stderr, job.transfer_stderr))
        )
        for name, target in ((places.STDOUT_NAME, out), (places.STDERR_NAME, err), log):
            source = os.path.join(self.scratch, name)
            if target != os.devnull and os.path.lexists(source):
                self._send_stream(source, target)
        self._raise_output_failure()

    def _send_stream(self, source: str, target: str) -> None:
        destination = target
        try:
            place = find(self.job.output_remaps, target, self.settings.max_remaps) or target
            if scheme_of(place) not in ("", "file"):
                self._send_urls([(place, source)])
                return
            destination = os.path.join(self.job.output_top, places.path_of(place))
            self._send_to(source, destination, lambda _, there: there, scheme_of(place))
        except OSError as error:
            self._failures.add(error, _path_in(error, destination))
        except TooMuch as error:
            self._failures.add(error, source)

    def send_named(self, names: Iterable[str]) -> None:
        """Copies those of some files that are there: failure_files of a job without success. TransferError 12 or 33."""
        self._failures = Failures()
        self._make_output_directory()
        for name in names:
            if os.path.lexists(os.path.join(self.scratch, places.inside(name))):
                self._send_item(name)
        if self._urls:
            self._send_urls(self._urls)
        self._raise_output_failure()

    def changed(self, before: Catalogue) -> list[str]:
        """Top-level files that are new or differ, or that an earlier run had made; never directories."""
        names = []
        job = self.job
        stay = {job.stdout: not job.transfer_stdout, job.stderr: not job.transfer_stderr}
        with os.scandir(self.scratch) as found:
            for entry in found:
                if entry.name in places.OURS or stay.get(entry.name) or not entry.is_file(follow_symlinks=True):
                    continue
                status = entry.stat(follow_symlinks=False)
                known = before.entries.get(entry.name)
                if known != (status.st_mtime_ns, status.st_size) or entry.name in self._restored:
                    names.append(entry.name)
        return sorted(names)

    def save(self, target: str, names: list[str]) -> None:
        """Copies what the next run is to find to the directory of a spool. TransferError 12."""
        try:
            self.went.add(*copy_names(self.scratch, target, self._to_keep(names)))
            flush_tree(self._medium, target)
        except OSError as error:
            self._failures = Failures()
            self._failures.add(error, _path_in(error, target))
            self._raise_output_failure()

    def _to_keep(self, names: list[str]) -> list[str]:
        """List the paths that belong to a checkpoint of ``names``, relative to the scratch directory. OSError."""
        streams = [name for name in places.STREAMS if os.path.lexists(os.path.join(self.scratch, name))]
        for name in names:
            path = os.path.join(self.scratch, places.inside(name))
            if os.path.islink(path) and os.path.isdir(path):
                raise LinkToDirectory(path)
        return list(dict.fromkeys([*map(places.inside, names), *streams]))

    def upload(self, checkpoint: Checkpoint, names: list[str]) -> None:
        """Sends a checkpoint to its destination. TransferError 12; when a plugin ends well (exit status 0) and reports
        a file that it could not move, the checkpoint is ``lost`` and the job continues."""
        self._failures, self.lost = Failures(), False
        try:
            urls = checkpoint.begin(self.scratch, self._to_keep(names))
            urls = self._move(urls, CHECKPOINT_CLASS)
            checkpoint.complete()
            for url, path in urls:
                self.went.add(os.path.getsize(path), protocol=method_of(url))
        except (OSError, UrlError) as error:
            if isinstance(error, UrlError) and not error.subcode:
                self.lost = True
                self.log(f"Failed to transfer checkpoint: {error}")
                return
            self._failures.add(error, _path_in(error, self.scratch) if isinstance(error, OSError) else "")
            self._raise_output_failure()

    def _place(self, name: str) -> str:
        """The URL or absolute path for a file of the job that is called so. RemapCycle."""
        found = find(self.job.output_remaps, name, self.settings.max_remaps)
        target, top = name if found is None else found, self.job.output_destination
        if scheme_of(top) and not scheme_of(target):
            target = f"{top.rstrip('/')}/{target}"
        if scheme_of(target) not in ("", "file"):
            return target
        return os.path.join(self.job.output_top, places.path_of(top), places.path_of(target))

    def _output_name(self, name: str) -> str:
        if name in self.job.output_remaps:
            return name
        if self._leaves_with_path(name):
            return places.inside(name)
        return os.path.basename(name.rstrip("/"))

    def _leaves_with_path(self, name: str) -> bool:
        """Whether an item of the output keeps its directories: below output_destination each does, as in HTCondor."""
        return bool(self.job.output_destination) or self._keeps_path(name)

    def _send_urls(self, items: list[tuple[str, str]]) -> None:
        """Plugins get files only: of a directory all that is in it."""
        urls = [pair for url, path in items for pair in places.files_of(url, path)]
        try:
            urls = self._move(urls, OUTPUT_CLASS)
        except UrlError as error:
            self._failures.add(error)
        else:
            for url, path in urls:  # a plugin may find that a file need not be there
                self.went.add(os.path.getsize(path) if os.path.exists(path) else 0, protocol=method_of(url))

    def _send(self, source: str, name: str) -> None:
        """Sends a file or directory of the job that the rules of transfer_output_remaps know as ``name``."""
        destination = name
        try:
            destination = self._place(name)
            if scheme_of(destination):
                self._urls.append((destination, source))
            else:
                place = lambda inner, there: self._inner_place(source, name, inner, there)  # noqa: E731
                self._send_to(source, destination, place, self._file_scheme(name))
        except OSError as error:
            self._failures.add(self._of_file_url(name, error), _path_in(error, destination))
        except TooMuch as error:
            self._failures.add(error, source)

    def _file_scheme(self, name: str) -> str:
        """Return "file" where a file goes to a ``file:`` URL, else ""."""
        target = find(self.job.output_remaps, name, self.settings.max_remaps) or ""
        return "file" if "file" in (scheme_of(target), scheme_of(self.job.output_destination)) else ""

    def _of_file_url(self, name: str, error: OSError) -> OSError | UrlError:
        """A file of the job that is not there and was to go to a ``file:`` URL: the plugin for it would tell."""
        url = find(self.job.output_remaps, name, self.settings.max_remaps) or ""
        if scheme_of(url) != "file" or error.errno != errno.ENOENT:
            return error
        return UrlError(url, f"could not open local file {error.filename}, error {error.errno} ({error.strerror})")

    def _inner_place(self, top: str, name: str, source: str, destination: str) -> str:
        """Return the destination of an entry in a sent directory: the rules may name it, or a directory above it."""
        known = name + source.removeprefix(top)
        if find(self.job.output_remaps, known, self.settings.max_remaps) is None:
            return destination
        target = self._place(known)
        if scheme_of(target):
            self._urls.append((target, source))
            return ""
        self._make_room(target)
        return target

    def _send_to(self, source: str, destination: str, place: Callable[[str, str], str], protocol: str) -> None:
        """Copies a file or directory to a path, which a URL with that protocol names ("": none). OSError, TooMuch."""
        limit = self._limit(self.job.wishes.max_output_mb, self.settings.max_output_mb)
        check_size(source, self.went.bytes, limit, "download")
        if os.path.isdir(destination) and not destination.endswith("/") and not os.path.isdir(source):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), destination)
        self._limits.check(destination)
        self._make_room(destination)
        check = lambda _, there: self._limits.check(there)  # noqa: E731
        copier = Copier(self.went, self._failures.add, check, place, self._flusher.written, protocol)
        copier.copy(source, destination)

    def _make_room(self, destination: str) -> None:
        top, private = self.job.output_top, not self.job.preserve_relative_paths
        places.make_above(destination, top, private=private)
        if self.job.output_destination:
            places.make_above(
                destination, os.path.join(top, places.path_of(self.job.output_destination)), private=private
            )

    def _make_output_directory(self) -> None:
        """Makes output_directory, and what is missing above it."""
        top = self.job.output_top
        try:
            if self.job.output_directory:
                self._limits.check(top)
                os.makedirs(top, 0o700, exist_ok=True)
        except OSError as error:
            self._failures.add(error, top)
            self._raise_output_failure()

    def _raise_output_failure(self) -> None:
        error = self._failures.first
        if error is None:
            return
        point, place = f"execution point {self.slot}", f"access point {self.access_point}"
        if isinstance(error, UrlError):
            text = f"Transfer output files failure at {point} using protocol {error.scheme}. Details: {error}"
            raise TransferError(HoldCode.DOWNLOAD_FILE_ERROR, error.subcode, text)
        if isinstance(error, TooMuch):
            details = self._failures.told("")
            text = f"Error from {self.slot}: STARTER failed to send file(s) to {place}: |Error: {details}"
            raise TransferError(HoldCode.MAX_TRANSFER_OUTPUT_SIZE_EXCEEDED, 0, text)
        sending = self._is_ours(self._failures.path)
        side = f"{point} while sending files to {place}" if sending else f"{place} while receiving files from {point}"
        details = self._failures.told("reading from" if sending else "writing to")
        text = f"Transfer output files failure at {side}. Details: {details}"
        raise TransferError(HoldCode.DOWNLOAD_FILE_ERROR, error.errno or 0, text)


def _path_in(error: OSError, destination: str) -> str:
    """Return the file that an error is about: ``destination`` where it names none, as errors of open files."""
    where = error.filename2 if error.filename2 and error.errno != errno.ENOENT else error.filename
    return destination if where is None else str(where)


class RemapCycle(OSError):
    """The rules lead in a circle."""

    def __init__(self, name: str) -> None:
        super().__init__(errno.EPERM, f"remaps resulted in a cycle: {name}", name)


def find(rules: Mapping[str, str], name: str, most: int = 128) -> str | None:
    """Return the new name of ``name``, None when it stays. RemapCycle after ``most`` steps (MAX_REMAP_RECURSIONS)."""
    if not rules:
        return None
    if most < 0:
        raise RemapCycle(name)
    given = rules.get(name)
    if given is not None:
        further = find(rules, given, most - 1)
        return given if further is None else further
    above, slash, last = name.rpartition("/")
    if not slash or not above:
        return None
    moved = find(rules, above, most - 1)
    return None if moved is None else f"{moved}/{last}"


class DirectoryLimits:
    """LIMIT_DIRECTORY_ACCESS: the directories of the access point that file transfer may read from and write to.

    ``prefixes`` are directories, or beginnings of paths that end with ``*``; without any, everything is allowed.
    """

    def __init__(self, prefixes: Sequence[str]) -> None:
        self._prefixes = [_canonical(prefix) for prefix in prefixes]

    def check(self, path: str) -> None:
        """PermissionError for a path that is not in any of the directories, links resolved."""
        if not self._prefixes or path == os.devnull:
            return
        real = os.path.realpath(path)
        if not any(real.startswith(prefix) or real + "/" == prefix for prefix in self._prefixes):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)


def _canonical(prefix: str) -> str:
    if prefix.endswith("*"):
        return prefix[:-1]
    return os.path.join(os.path.realpath(prefix), "")
