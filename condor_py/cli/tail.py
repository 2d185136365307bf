"""condor_tail: the end of what a running job has written so far (manual, condor_tail)."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from condor_py.cli.options import EXACT, Args, Opt, ToolSpec, UsageError, parse
from condor_py.lang.classad.ad import ClassAd
from condor_py.machine.run.identity import as_user
from condor_py.machine.run.places import STDERR_NAME, STDOUT_NAME
from condor_py.machine.run.sandbox import Sandbox
from condor_py.machine.run.userfiles import open_user_file, user_file
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId
from condor_py.model.texts import as_integer

if TYPE_CHECKING:
    from condor_py.lang.classad import ClassAd


#: Seconds between two attempts to find the job running, and between two checks of a file that is followed.
_PAUSE = 2.0
#: Characters that are read of an ad in a scratch directory.
_LONGEST = 1 << 24
_RUNNING, _HELD, _TRANSFERRING_OUTPUT, _SUSPENDED = 2, 5, 6, 7

_SPEC = ToolSpec(
    name="condor_tail",
    usage="[options] <job-id> [filename1 [filename2 ...]]",
    summary="Print the end of a running job's output.",
    description=(
        "Of a job's standard output, and of the files of its transfer_output_files that are named, it prints the last "
        "1024 bytes at this moment. Without -follow it returns at once."
    ),
    positional="<job-id> [filename ...]",
    positional_help="CLUSTER or CLUSTER.PROC, and files that the job lists in transfer_output_files",
    options=(
        Opt("help", EXACT, help="this text"),
        Opt("version", EXACT, help="the version and the platform"),
        Opt("pool", EXACT, "HOST", help="the pool to ask; this machine is the only one"),
        Opt("name", EXACT, "NAME", help="the schedd of this name"),
        Opt("debug", EXACT, help="print progress messages"),
        Opt("maxbytes", EXACT, "N", help="at most this many bytes of a file at a time (1024)", convert=int,
            invalid="Error: maxbytes ({value}) is not valid\n"),
        Opt("auto-retry", EXACT, help="wait until the job runs"),
        Opt("follow", EXACT, help="continue until the job ends"),
        Opt("f", EXACT, same_as="follow", help="as -follow"),
        Opt("no-stdout", EXACT, help="leave out standard output"),
        Opt("stderr", EXACT, help="standard error in place of standard output"),
    ),
    examples=(
        ("condor_tail -follow 17.0", "watch what job 17.0 prints"),
        ("condor_tail -stderr -maxbytes 10000 17", "the last 10,000 bytes of the errors of job 17.0"),
    ),
    missing="-{name} requires an argument.\n",
    usage_after=("unknown", "missing", "value", ""),
    unknown="Error: unknown option {arg}\n",
    see_also=("condor_ssh_to_job", "condor_q", "condor_who"),
)  # fmt: skip
SPECS = (_SPEC,)


class _Wish(NamedTuple):
    job: JobId
    streams: tuple[str, ...]
    files: tuple[str, ...]
    max_bytes: int
    follow: bool
    retry: bool
    is_debug: bool
    #: The owner of the job, from the queue.
    owner: str = ""


class _NotYet(CondorError):
    """The job does not run now, but may later."""


def main(argv: list[str]) -> int:
    """Run condor_tail."""
    args = parse(_SPEC, argv)
    if args.has("help"):
        from condor_py.cli.command import help_text

        sys.stderr.write(help_text(_SPEC))
        return 0
    if args.has("version"):
        from condor_py.cli.version import version_lines

        sys.stdout.write(version_lines())
        return 0
    wish = _wish(args)
    from condor_py.cli.common import check_place
    from condor_py.client.pool import open_pool

    pool = open_pool()
    check_place(args, pool, "No such schedd named {name} in local pool")
    directories = [pool.config.string("EXECUTE"), pool.config.string("LOCAL_UNIV_EXECUTE")]
    while True:
        try:
            owner = _check_queue(pool.read_queue().job(wish.job), wish.job, pool.owner, pool.is_superuser)
            wish = wish._replace(owner=owner)
            tails = _tails(directories, wish)
        except _NotYet:
            if not wish.retry:
                raise
            time.sleep(_PAUSE)
            continue
        for tail in tails:
            tail.show()
        if wish.follow:
            _follow(directories, wish, tails)
        return 0


def _wish(args: Args) -> _Wish:
    streams = () if args.has("no-stdout") else ("Out",)
    if args.has("stderr"):
        streams = ("Err",)
    words = list(args.positional)
    if not streams and len(words) < 2:
        raise UsageError("No file transfer specified.\n", _SPEC)
    if not words:
        raise UsageError("Job ID not specified.", _SPEC)
    cluster, _, proc = words[0].partition(".")
    if not cluster.isdecimal() or not (proc.isdecimal() or not proc):
        raise UsageError(f"Invalid Job ID: {words[0]}", _SPEC)
    limit = args.number("maxbytes")
    return _Wish(
        job=JobId(as_integer(cluster), as_integer(proc or "0")),
        streams=streams,
        files=tuple(words[1:]),
        max_bytes=1024 if limit is None else limit,
        follow=args.has("follow"),
        retry=args.has("auto-retry"),
        is_debug=args.has("debug"),
    )


def _check_queue(ad: ClassAd | None, job: JobId, owner: str, is_superuser: bool) -> str:
    """Return the owner of a job that runs and may be read. Raises CondorError for any other."""
    if ad is None:
        raise CondorError(f"No such job: {job}")
    if not is_superuser and ad.eval_str("Owner", "") != owner:
        raise CondorError(f"{owner} is not authorized for access to the starter for job {job}")
    status = ad.eval_int("JobStatus", 0)
    if status == _HELD:
        raise CondorError(f"Job {job} is on hold: {ad.eval_str('HoldReason', '') or ''}")
    if status not in (_RUNNING, _TRANSFERRING_OUTPUT, _SUSPENDED):
        raise _NotYet(f"Job {job} is not running.")
    return ad.eval_str("Owner", "")


def _tails(directories: list[str], wish: _Wish) -> list[_Tail]:

    place = find(directories, wish.job, wish.owner)
    if place is None:
        raise _NotYet(f"Job {wish.job} is not running.")
    paths = [path for stream in wish.streams if (path := place.stream(stream))]
    base = place.sandbox.scratch if place.transfers else place.ad.eval_str("Iwd", "/") or "/"
    allowed = [name.strip() for name in place.ad.eval_str("TransferOutput", "").split(",")]
    for name in wish.files:
        if name not in allowed:
            raise CondorError(f"Failed to peek at file from starter: {name} is not in the job's transfer_output_files")
        paths.append(os.path.join(base, name))
    if wish.is_debug:
        sys.stderr.write("".join(f"condor_tail: {path}\n" for path in paths))
    with as_user(place.sandbox.account()):  # root reads what the job may read, and no more
        return [_Tail(path, wish.max_bytes) for path in paths]


class _Tail:
    """One file. It stays open: what is written before the job's end is not lost with the sandbox."""

    def __init__(self, path: str, max_bytes: int) -> None:
        self.path = path
        self._max_bytes = max_bytes
        self._offset = 0
        try:
            self._handle = open_user_file(path, links=True)
        except OSError as error:
            raise CondorError(f"Failed to peek at file from starter: {path}: {error.strerror}") from None

    def show(self) -> None:
        """Print what is new, of it at most the last bytes."""
        size = os.fstat(self._handle).st_size
        if size < self._offset:  # it was written again
            self._offset = 0
        self._offset = max(self._offset, size - self._max_bytes)
        data = os.pread(self._handle, size - self._offset, self._offset)
        self._offset += len(data)
        sys.stdout.write(data.decode("utf-8", "surrogateescape"))
        sys.stdout.flush()


def _follow(directories: list[str], wish: _Wish, tails: list[_Tail]) -> None:
    """Until the job has ended; at once for one file, every two seconds for several."""
    from condor_py.client.watch import FileWatch

    if not tails:
        return
    place = find(directories, wish.job, wish.owner)
    watch = FileWatch(tails[0].path)
    while place is not None and place.is_alive:
        watch.wait(_PAUSE)
        for tail in tails:
            tail.show()
    for tail in tails:
        tail.show()


class Workplace(NamedTuple):
    """The place of a running job: its directories and its ad as the starter received it."""

    sandbox: Sandbox
    ad: ClassAd

    @property
    def is_alive(self) -> bool:
        """Whether the job is still there."""
        return os.path.exists(self.sandbox.job_ad)

    def stream(self, attribute: str) -> str:
        """Path of what the job writes to ``Out`` or ``Err`` now; empty when it goes nowhere."""
        name = self.ad.eval_str(attribute, "")
        if name in ("", os.devnull):
            return ""
        streamed = self.ad.eval_bool(f"Stream{attribute}", False)
        if self.transfers and not streamed:
            both = self.ad.eval_str("Out", "") == self.ad.eval_str("Err", "")
            return f"{self.sandbox.scratch}/{STDERR_NAME if attribute == 'Err' and not both else STDOUT_NAME}"
        submitted = self.ad.eval_str("OrigIwd", None) if streamed else None
        return os.path.join(submitted or self.ad.eval_str("Iwd", "/") or "/", name)

    @property
    def transfers(self) -> bool:
        """Whether the job works in the scratch directory, and its files are brought there."""
        return os.path.exists(f"{self.sandbox.scratch}/{STDOUT_NAME}") or (
            (self.ad.eval_str("ShouldTransferFiles", "NO") or "").upper() == "YES"
        )


def find(directories: list[str], job: JobId, owner: str) -> Workplace | None:
    """Return where ``job`` runs below one of the EXECUTE directories; None when it does not, or cannot be seen.

    Anything may be in the ad of a sandbox: where several say that they are of this job, that of its owner counts.
    """
    others = None
    for sandbox in _sandboxes(directories):
        try:
            account = sandbox.account()
            with as_user(account), user_file(sandbox.job_ad) as file:
                ad = ClassAd.from_text_items(_items(file.read(_LONGEST)))
        except OSError:
            continue
        if (ad.eval_int("ClusterId", -1), ad.eval_int("ProcId", -1)) == tuple(job):
            if account is not None and account.name == owner:
                return Workplace(sandbox, ad)
            others = others or Workplace(sandbox, ad)
    return others


def _sandboxes(directories: list[str]) -> Iterator[Sandbox]:
    for directory in dict.fromkeys(directories):
        try:
            names = sorted(os.listdir(directory))
        except OSError:
            continue
        yield from (Sandbox(f"{directory}/{name}") for name in names if name.startswith("dir_"))


def _items(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        name, equals, value = line.partition(" = ")
        if equals:
            yield name, value
