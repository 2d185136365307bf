"""condor_submit: put the jobs of a submit description into the queue."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import IO, TYPE_CHECKING

from condor_py.model.errors import CondorError
from condor_py.submit.errors import SubmitError
from condor_py.tools.common import handle_help_and_version
from condor_py.tools.options import Args, Opt, ToolSpec, parse

if TYPE_CHECKING:
    from condor_py.daemon.submission import SubmittedCluster
    from condor_py.model.settings.submit import SubmitSettings
    from condor_py.submit.build import BuildOptions, ClusterDraft
    from condor_py.submit.job import Attributes
    from condor_py.submit.submit_file import SubmitFile, Surroundings
    from condor_py.tools.access import Pool
    from condor_py.tools.progress import Meter

_NO_ARGUMENT = "{tool}: {spelling} requires at least one argument"
_NO_NUMBER = "Error: Unable to convert argument ({value}) to a number for -maxjobs."

_SPEC = ToolSpec(
    name="condor_submit",
    usage="[options] [attribute=value ...] [submit-file | -]",
    summary="Put the jobs of a submit description into the queue.",
    positional="[submit-file]",
    positional_help="the submit description; - or a pipe reads standard input",
    options=(
        Opt("verbose", 1, help="print the job ids and the whole job ads"),
        Opt("terse", 3, help="print only the ranges of job ids"),
        Opt("disable", 3, help="make no checks of files"),
        Opt("debug", 2, colon="LEVEL", help="accepted; errors go to standard error anyway"),
        Opt(
            "dry-run",
            3,
            "FILE",
            "write the job ads to FILE (- for standard output) instead of submitting",
            colon="full|hash|cluster=N",
            takes="file",
        ),
        Opt("spool", 1, help="not available: there is no other machine to spool to"),
        Opt("file", 2, "FILE", "the submit description", dash_value=True, takes="file"),
        Opt("factory", 2, help="let the schedd make the jobs when there is room for them, as max_materialize does"),
        Opt("generator", 1, same_as="factory", hidden=True),
        Opt("address", 2, "ADDRESS", "accepted; there is one pool", dash_value=True),
        Opt("remote", 1, "NAME", "not available, as -spool", dash_value=True),
        Opt("name", 1, "NAME", "submit to the schedd of this name", dash_value=True),
        Opt("append", 1, "LINE", "put LINE before the queue statement (repeatable)", dash_value=True),
        Opt("batch-name", 1, "NAME", "the batch name of the jobs", dash_value=True),
        Opt("batch-id", 1, "ID", "the batch id of the jobs", dash_value=True),
        Opt(
            "queue",
            1,
            "ARGS",
            "the queue statement, when the description has none",
            variadic=True,
            missing=_NO_ARGUMENT,
        ),
        Opt("iterate", 2, "ARGS", variadic=True, hidden=True, missing=_NO_ARGUMENT),
        Opt("table", 5, "FILE", variadic=True, hidden=True, missing=_NO_ARGUMENT),
        Opt("maxjobs", 3, "N", "fail when there are more jobs", convert=int, dash_value=True, invalid=_NO_NUMBER),
        Opt("single-cluster", 3, help="fail when the jobs need more than one cluster"),
        Opt("pool", 2, "HOST", "accepted; there is one pool", dash_value=True),
        Opt("unused", 1, help="switch the warnings about unused lines off (or on again)"),
        Opt("dump", 2, "FILE", "write the job ads to FILE instead of submitting", dash_value=True, takes="file"),
        Opt("allow-crlf-script", 8, help="accept scripts with DOS line ends"),
        Opt("help", 0, help="this text"),
        Opt("capabilities", 3, colon="N", help="what the schedd can do"),
        Opt("interactive", 1, help="not available"),
    ),
    unknown="",
    examples=(
        ("condor_submit job.sub", "submit job.sub"),
        ("condor_submit job.sub -append 'priority = 5'", "the same with another priority"),
        ("condor_submit -dry-run - job.sub", "look at the job ads"),
    ),
    see_also=("condor_q", "condor_rm", "condor_wait"),
)
SPECS = (_SPEC,)

_ATTRIBUTE = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*\Z")
_HELP_PAGE = "https://htcondor.readthedocs.io/en/latest/auto-redirect.html"
_SEVERAL_QUEUES = (
    "\nWarning: Use of multiple queue statements in a single submit file is deprecated."
    "\n         This functionality will be removed in the 25.x feature series. To see"
    "\n         how multiple queue statements can be converted into one visit:"
    f"\n{_HELP_PAGE}?category=example&tag=convert-multi-queue-statements\n"
)


@dataclass(slots=True)
class _Request:
    """What the command line asks for."""

    file: str | None = None
    defines: list[tuple[str, str]] = field(default_factory=list)
    appends: list[str] = field(default_factory=list)
    queue: str | None = None
    verbose: bool = False
    terse: bool = False
    dry_run: str | None = None
    dry_run_options: frozenset[str] = frozenset()
    first_cluster: int = 1
    dump: str | None = None
    max_jobs: int = 0
    single_cluster: bool = False
    warn_unused: bool = True
    allow_crlf: bool = False
    factory: bool = False
    schedd: str | None = None

    @property
    def is_stdin(self) -> bool:
        """True for ``-`` as the submit file."""
        return self.file == "-"

    @property
    def target(self) -> str | None:
        """The file that the ads go to instead of a queue."""
        return self.dry_run if self.dry_run is not None else self.dump


def main(argv: list[str]) -> int:
    """Run condor_submit."""
    args = parse(_SPEC, argv)
    if handle_help_and_version(args):
        return 0
    from condor_py.config.rooms.submit import submit as submit_settings
    from condor_py.tools.access import open_pool

    request = _understand(args, argv)
    pool = open_pool("SUBMIT")
    settings = submit_settings(pool.config)
    _check_schedd(request, settings)
    if args.has("capabilities"):
        sys.stdout.write(f"Schedd {settings.host}\n Has Late Materialization enabled\n")
        return 0
    if args.has("disable"):
        settings = replace(settings, skip_filechecks=True)
    text, name = _description(request)
    run = _Run(request, settings, pool)
    try:
        return run.submit(text, name)
    except SubmitError as error:
        run.close()
        sys.stdout.flush()
        sys.stderr.write(error.report)
        return 1


# The command line


def _understand(args: Args, argv: list[str]) -> _Request:
    request = _Request()
    batch: dict[str, str] = {}
    for use in args.uses:
        if use.name == "":
            _positional(request, str(use.values[0]))
        elif use.name == "verbose":
            request.verbose, request.terse = True, False
        elif use.name == "terse":
            request.verbose, request.terse = False, True
        elif use.name in ("queue", "iterate", "table"):
            _set_queue(request, use.spelling, _queue_line(use.name, use.values, argv, use.position))
        elif use.name == "append":
            _append(request, str(use.values[0]))
        elif use.name in ("batch-name", "batch-id"):
            value = str(use.values[0])
            attribute = "JobBatchName" if use.name == "batch-name" else "JobBatchId"
            batch[attribute] = value if value.startswith('"') else f'"{value}"'
        elif use.name == "unused":
            request.warn_unused = not request.warn_unused
        elif use.name == "file":
            request.file = str(use.values[0])
    for attribute in ("JobBatchName", "JobBatchId"):
        if attribute in batch:
            request.appends.append(f"MY.{attribute} = {batch[attribute]}")
    _set_outputs(request, args)
    _set_limits(request, args)
    if request.is_stdin and not request.terse:
        request.verbose = True
    return request


def _positional(request: _Request, word: str) -> None:
    if "=" not in word:
        request.file = word
        return
    name, _, value = word.partition("=")
    name = name.strip()
    if name.startswith("+"):
        name = "MY." + name[1:]
    if not _ATTRIBUTE.match(name):
        raise CondorError(f"condor_submit: invalid attribute name '{name}' for attrib=value assigment")
    request.defines.append((name, value.strip()))


def _queue_line(option: str, values: tuple[str, ...], argv: list[str], position: int) -> str:
    words = list(values)
    after = position + len(words) + 1
    if after < len(argv) and argv[after] == "-":
        words.append("-")
    keyword = {"queue": "queue", "iterate": "iterate", "table": "iterate from table"}[option]
    return f"{keyword} {' '.join(words)}"


def _set_queue(request: _Request, spelling: str, line: str) -> None:
    if request.queue is not None:
        raise CondorError(f"condor_submit: only one {spelling} command allowed")
    request.queue = line


def _append(request: _Request, line: str) -> None:
    from condor_py.submit.queue_args import queue_arguments

    if queue_arguments(line) is None:
        request.appends.append(line)
    else:
        _set_queue(request, "-queue", line)


def _set_outputs(request: _Request, args: Args) -> None:
    dry_run = args.last("dry-run")
    dump = args.last("dump")
    if dry_run is not None and dump is not None:
        first, second = ("dump", "dry-run") if dump.position < dry_run.position else ("dry-run", "dump")
        raise CondorError(f"condor_submit: -{second} <file> and -{first} <file> cannot be used together")
    if dump is not None:
        request.dump = str(dump.values[0])
    if dry_run is None:
        return
    request.dry_run = str(dry_run.values[0])
    options = set()
    for option in (dry_run.colon or "").replace(",", " ").split():
        if option.startswith("cluster="):
            digits = option[len("cluster=") :]
            request.first_cluster = max(int(digits) if digits.isdigit() else 1, 1)
        elif option in ("full", "hash"):
            options.add(option)
        else:
            raise CondorError(f"unknown option {option} for -dry-run:<opts>")
    request.dry_run_options = frozenset(options)


def _set_limits(request: _Request, args: Args) -> None:
    for option in ("spool", "remote", "interactive"):
        if args.has(option):
            raise CondorError(f"ERROR: -{option} is not supported: submit to the local queue without it")
    request.max_jobs = args.number("maxjobs") or 0
    if request.max_jobs < -1:
        raise CondorError(f"Error: {request.max_jobs} is not a valid for -maxjobs.")
    request.single_cluster = args.has("single-cluster")
    request.allow_crlf = args.has("allow-crlf-script")
    request.factory = args.has("factory")
    request.schedd = args.text("name")
    if request.file is None and request.target is not None:
        raise CondorError(
            f"\nERROR: No submit filename was provided, and '{request.target}'\n"
            "  was given as the output filename for -dump or -dry-run. Was this intended?\n"
            "  To to avoid confusing the output file with the submit file when using these\n"
            "  commands, an explicit submit filename argument must be given. You can use -\n"
            "  as the submit filename argument to read from stdin."
        )


# Surroundings


def _check_schedd(request: _Request, settings: SubmitSettings) -> None:
    name = request.schedd
    if name is not None and name.lower() not in (
        settings.host.lower(),
        settings.host.partition("@")[2].lower(),
    ):
        raise CondorError(f"condor_submit: unknown host {name.partition('@')[2] or name}")


def _description(request: _Request) -> tuple[str, str]:
    """The text of the submit description and its name. CondorError when it cannot be read."""
    from condor_py.config.loader import read_text
    from condor_py.submit.submit_file import STDIN

    if request.file is None and (request.defines or request.appends) and request.queue is not None:
        return "", "null"
    if request.file is None or request.is_stdin:
        return sys.stdin.read(), STDIN
    try:
        return read_text(request.file), request.file
    except OSError as error:
        raise CondorError(
            f"\nERROR: Failed to open command file ({request.file}) ({error.strerror})"
        ) from None


def _surroundings() -> Surroundings:
    from condor_py.config.loader import read_text, run_command
    from condor_py.submit.items import ItemSources
    from condor_py.submit.submit_file import Surroundings

    def read(path: str) -> str:
        return sys.stdin.read() if path == "-" else read_text(path)

    def run(command: str) -> str:
        return run_command(command)[1]

    def glob(pattern: str) -> list[str]:
        from glob import glob as names

        return sorted(
            name if name.endswith("/") or not os.path.isdir(name) else name + "/" for name in names(pattern)
        )

    def warn(text: str) -> None:
        sys.stdout.flush()
        sys.stderr.write(text)

    sources = ItemSources(read, run, glob, warn)
    try:
        here = os.getcwd()
    except OSError:
        text = "\nERROR: the current directory does not exist any more; submit from one that does"
        raise CondorError(text) from None
    return Surroundings(os.environ, None, int(time.time()), here, sources)


class _Run:
    """One submit: making the jobs, showing progress, giving them to the queue or to a file."""

    def __init__(self, request: _Request, settings: SubmitSettings, pool: Pool) -> None:
        self.request = request
        self.settings = settings
        self.pool = pool
        self.progress: list[str] = []
        self.jobs = 0
        self.jobs_of_cluster = 0
        self.warnings: list[str] = []
        self.full: list[str] = []
        self.meter: Meter | None = None
        self._target: IO[str] | None = None
        #: (cluster, number of jobs) in order.
        self.clusters: list[tuple[int, int]] = []

    def submit(self, text: str, name: str) -> int:
        """Carry the request out; the exit code. Raises SubmitError."""
        from condor_py.submit.submit_file import parse as parse_description
        from condor_py.tools.progress import Meter

        request = self.request
        self._header()
        file = parse_description(
            text,
            name,
            settings=self.settings,
            surroundings=_surroundings(),
            defines=request.defines,
            appends=request.appends,
            queue_args=request.queue,
        )
        self.meter = Meter(file.job_count, "jobs made")
        try:
            if request.target is None:
                self._to_queue(file)
            else:
                self._to_file(file, request.target)
        finally:
            self.meter.done()
            if file.has_several_queues:
                sys.stdout.flush()
                sys.stderr.write(_SEVERAL_QUEUES)
        self._summary(file)
        return 0

    def close(self) -> None:
        """Close the file that ads were written to."""
        if self._target is not None and self._target is not sys.stdout:
            self._target.close()
        self._target = None

    # Making jobs

    def _options(self, user: str) -> BuildOptions:
        from condor_py.submit.build import BuildOptions

        return BuildOptions(
            user=user,
            check_executable=self.request.dump is None,
            allow_crlf_script=self.request.allow_crlf,
            before_job=self._before_job,
            after_job=self._after_job,
        )

    def _before_job(self) -> None:
        request, settings = self.request, self.settings
        if 0 < request.max_jobs <= self.jobs:
            raise SubmitError(
                f"\nERROR: Number of submitted jobs would exceed -maxjobs ({request.max_jobs})\n"
            )
        if request.target is None and self.jobs_of_cluster >= settings.max_jobs_per_submission:
            raise SubmitError(
                "\nERROR: Failed to create proc\nNumber of submitted jobs would exceed MAX_JOBS_PER_SUBMISSION\n"
            )
        if 0 < settings.max_procs_in_cluster <= self.jobs_of_cluster:
            raise SubmitError("\nERROR: number of procs exceeds SUBMIT_MAX_PROCS_IN_CLUSTER\n")

    def _after_job(self, cluster: int, proc: int, ad: Attributes, own: Attributes) -> None:
        from condor_py.submit import listing

        self.jobs += 1
        self.jobs_of_cluster = proc + 1
        request = self.request
        if self.meter is not None:
            self.meter.at(self.jobs)
        if "full" in request.dry_run_options:
            self.full.append(listing.full_ad(cluster, proc, ad, own))
        elif self._target is not None:
            self._target.write(listing.proc_listing(cluster, proc, ad, own))
        if request.dump == "-":
            return
        if request.verbose:
            self._show(f"\n** Proc {cluster}.{proc}:\n{listing.full_ad(cluster, proc, ad, own)}")
        elif not request.terse and "hash" not in request.dry_run_options:
            self._show(".")

    def _show(self, text: str) -> None:
        """Progress: at once where ads go to a file, after the commit (or failure) where they go to the queue."""
        if self.request.target is None:
            self.progress.append(text)
        else:
            sys.stdout.write(text)

    def _each_cluster(self, file: SubmitFile, first: int, make: Callable[[int, int], int]) -> None:
        """Call ``make`` (draft number, cluster number -> number of jobs) for each cluster, then the due failure."""
        for number in range(len(file.clusters())):
            if number and self.request.single_cluster:
                raise SubmitError(
                    "\nERROR: Number of submitted clusters would exceed 1 and -single-cluster was specified\n"
                )
            self.jobs_of_cluster = 0
            self.clusters.append((first + number, make(number, first + number)))
        if file.failure is not None:
            raise file.failure

    def _to_queue(self, file: SubmitFile) -> None:
        from condor_py.daemon.submission import SubmittedCluster

        drafts = file.clusters()
        if not drafts:
            if file.failure is not None:
                raise file.failure
            return

        def build(first: int, user: str, owner: str, _now: int) -> list[SubmittedCluster]:
            # A schedd that is asked over its socket has the jobs made twice: the first time only counts clusters.
            options = self._options(owner)
            self.progress.clear()
            self.clusters.clear()
            self.jobs = 0
            built: list[SubmittedCluster] = []

            def make(number: int, cluster: int) -> int:
                if self._is_factory(drafts):
                    built.append(self._factory_cluster(drafts[0], cluster, user, owner))
                    return drafts[0].job_count
                made = drafts[number].build(cluster, user, owner, options)
                built.append(SubmittedCluster(cluster, made.ad_items, made.procs))
                return len(made.procs)

            self._each_cluster(file, first, make)
            return built

        try:
            self.pool.submit(build)
            self.warnings = self.pool.warnings
        except CondorError as error:
            if isinstance(error, SubmitError):
                raise
            text = str(error)
            reason = text if text.startswith("Failed to commit") else _failed_step(error) + text.strip()
            raise SubmitError(f"\nERROR: {reason.removeprefix('ERROR: ')}\n") from None
        finally:
            sys.stdout.write("".join(self.progress))

    def _is_factory(self, drafts: list[ClusterDraft]) -> bool:
        """Whether the schedd makes the jobs: one queue statement that asks for it, and a schedd that allows it."""
        from condor_py.submit.factory import wants_factory

        if not self.settings.late_materialize or len(drafts) > 1 or len(drafts[0].statements) > 1:
            return False
        return wants_factory(drafts[0]) or (self.request.factory and drafts[0].job_count > 1)

    def _factory_cluster(self, draft: ClusterDraft, cluster: int, user: str, owner: str) -> SubmittedCluster:
        from condor_py.daemon.submission import SubmittedCluster, factory_folder
        from condor_py.submit.factory import cluster_items, make_text

        options = replace(self._options(owner), after_job=lambda _cluster, _proc, _ad, _own: None)
        made = draft.build_factory(cluster, user, owner, options)
        text = make_text(draft, cluster)
        late = cluster_items(text, cluster, factory_folder(self.pool.paths.spool, cluster), made.ad_items)
        hidden = {name for name, _ in late}
        self.jobs += text.total
        return SubmittedCluster(cluster, [*(item for item in made.ad_items if item[0] not in hidden), *late], [], text)

    def _to_file(self, file: SubmitFile, target: str) -> None:
        drafts = file.clusters()
        self._open(target)
        if "hash" in self.request.dry_run_options and drafts:
            sys.stdout.write("\n----- submit hash at queue begin -----\n")
            for macro in sorted(drafts[0].statements[0].table, key=lambda macro: macro.name.lower()):
                sys.stdout.write(f"  {macro.name} = {macro.value}\n")
        options = self._options(_login_name())

        def make(number: int, cluster: int) -> int:
            if self._is_factory(drafts):
                return self._show_factory(drafts[0], cluster, options)
            return sum(1 for _ in drafts[number].make(cluster, options).own)

        self._each_cluster(file, self.request.first_cluster, make)

    def _show_factory(self, draft: ClusterDraft, cluster: int, options: BuildOptions) -> int:
        """The cluster of a late materialization, whose jobs nobody makes now; how many there will be."""
        from condor_py.submit import listing

        made = draft.make(cluster, replace(options, after_job=lambda _cluster, _proc, _ad, _own: None))
        if self._target is not None and "full" not in self.request.dry_run_options:
            self._target.write(listing.cluster_listing(cluster, made.attributes))
        self.jobs += draft.job_count
        return draft.job_count

    def _open(self, target: str) -> None:
        if target == "-":
            self._target = sys.stdout
            return
        try:
            self._target = open(target, "w", encoding="utf-8", errors="surrogateescape")  # noqa: SIM115
        except OSError as error:
            what = "-dry-run output file" if self.request.dry_run is not None else "to dump ClassAds into"
            raise SubmitError(f"\nERROR: Failed to open file {what} ({error.strerror})\n") from None

    # Telling

    def _header(self) -> None:
        request = self.request
        if request.dump is not None:
            if request.dump != "-" and not request.terse:
                sys.stdout.write("Storing job ClassAd(s)")
        elif not request.is_stdin and not request.terse:
            sys.stdout.write("Dry-Run job(s)" if request.dry_run is not None else "Submitting job(s)")

    def _summary(self, file: SubmitFile) -> None:
        request = self.request
        err: list[str] = []
        if not self.jobs and not request.terse:
            shown = "(stdin)" if request.is_stdin else request.file or "(stdin)"
            err.append(f'\nWARNING: "{shown}" has only empty "queue" commands -- no jobs queued\n')
        if self.warnings:
            sys.stdout.flush()
            told = ["Committed job submission into the queue with the following warning(s):", *self.warnings]
            sys.stderr.write("\n" + "".join(f"WARNING: {text}\n" for text in told))
        if not request.is_stdin and not request.terse:
            sys.stdout.write("\n")
        if not request.verbose and request.dump != "-":
            for cluster, count in self.clusters:
                if request.terse:
                    sys.stdout.write(f"{cluster}.0 - {cluster}.{count - 1}\n")
                else:
                    verb = "dry-run" if request.dry_run is not None else "submitted"
                    sys.stdout.write(f"{count} job(s) {verb} to cluster {cluster}.\n")
            if not request.terse and request.dry_run is None and self.clusters:
                numbers = " ".join(str(cluster) for cluster, _ in self.clusters)
                err.append(f"To monitor your job(s), run: condor_watch_q -clusters {numbers}\n")
        if self.full:
            self._write_full()
        self.close()
        err.append(file.messages.warnings())
        if request.warn_unused and self.jobs:
            if request.verbose:
                sys.stdout.write("\n")
            err.extend(_unused_lines(file))
        sys.stdout.flush()
        sys.stderr.write("".join(err))

    def _write_full(self) -> None:
        target = self._target or sys.stdout
        if target is sys.stdout:
            target.write("\n")
        target.write("\n".join(self.full))


def _unused_lines(file: SubmitFile) -> list[str]:
    """The warnings about unused lines, newest name first; on a terminal each with what may have been meant."""
    lines = []
    for name, text in reversed(file.unused().items()):
        lines.append(f"WARNING: {text}")
        meant = file.meant(name) if sys.stderr.isatty() else ""
        if meant:
            lines.append(f"         Did you mean {meant}?\n")
    return lines


def _failed_step(error: CondorError) -> str:
    """The line that condor_submit puts before the reason why a commit failed."""
    from condor_py.tools.access import NoSchedd

    if isinstance(error, NoSchedd):
        return "Failed to connect to local queue manager\n"
    return "Failed to create proc\n" if "would exceed" in str(error) else ""


def _login_name() -> str:
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())
