"""The request on the command line of condor_submit."""

from __future__ import annotations

from functools import cache

from condor_py.cli.options import Args
from condor_py.model.errors import CondorError
from condor_py.model.texts import as_integer

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re


@cache
def _attribute() -> re.Pattern[str]:
    import re

    return re.compile(r"[A-Za-z_][A-Za-z0-9_.]*\Z")


class Request:
    """The request on the command line."""

    __slots__ = (
        "allow_crlf",
        "appends",
        "defines",
        "digest",
        "dry_run",
        "dry_run_options",
        "dump",
        "factory",
        "file",
        "first_cluster",
        "interactive",
        "max_jobs",
        "queue",
        "schedd",
        "single_cluster",
        "spool",
        "terse",
        "verbose",
        "warn_unused",
    )

    def __init__(
        self,
        file: str | None = None,
        defines: list[tuple[str, str]] | None = None,
        appends: list[str] | None = None,
        queue: str | None = None,
        verbose: bool = False,
        terse: bool = False,
        dry_run: str | None = None,
        dry_run_options: frozenset[str] = frozenset(),
        first_cluster: int = 1,
        dump: str | None = None,
        max_jobs: int = 0,
        single_cluster: bool = False,
        warn_unused: bool = True,
        allow_crlf: bool = False,
        factory: bool = False,
        interactive: bool = False,
        schedd: str | None = None,
        digest: str | None = None,
        spool: bool = False,
    ) -> None:
        self.file = file
        self.defines: list[tuple[str, str]] = [] if defines is None else defines
        self.appends: list[str] = [] if appends is None else appends
        self.queue = queue
        self.verbose = verbose
        self.terse = terse
        self.dry_run = dry_run
        self.dry_run_options = dry_run_options
        self.first_cluster = first_cluster
        self.dump = dump
        self.max_jobs = max_jobs
        self.single_cluster = single_cluster
        self.warn_unused = warn_unused
        self.allow_crlf = allow_crlf
        self.factory = factory
        self.interactive = interactive
        self.schedd = schedd
        self.digest = digest
        self.spool = spool

    @property
    def is_stdin(self) -> bool:
        """True for ``-`` as the submit file."""
        return self.file == "-"

    @property
    def target(self) -> str | None:
        """The file that the ads go to instead of a queue."""
        return self.dry_run if self.dry_run is not None else self.dump


def understand(args: Args, argv: list[str]) -> Request:
    """Return the request on a command line. Raises CondorError."""
    request = Request()
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
        elif use.name == "interactive":
            request.interactive = True
            request.appends.append("MY.InteractiveJob=True")
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


def _positional(request: Request, word: str) -> None:
    if "=" not in word:
        if request.file is not None:
            from condor_py.cli.suggest import hint

            hint(f"condor_submit: one description at a time: {word} is submitted, {request.file} is not")
        request.file = word
        return
    name, _, value = word.partition("=")
    name = name.strip()
    if name.startswith("+"):
        name = "MY." + name[1:]
    if not _attribute().match(name):
        raise CondorError(f"condor_submit: invalid attribute name '{name}' for attrib=value assigment")
    request.defines.append((name, value.strip()))


def _queue_line(option: str, values: tuple[str, ...], argv: list[str], position: int) -> str:
    if option == "table":
        return f"iterate from table {values[0]}"
    words = list(values)
    after = position + len(words) + 1
    if after < len(argv) and argv[after] == "-":
        words.append("-")
    return f"{option} {' '.join(words)}"


def _set_queue(request: Request, spelling: str, line: str) -> None:
    if request.queue is not None:
        raise CondorError(f"condor_submit: only one {spelling} command allowed")
    request.queue = line


def _append(request: Request, line: str) -> None:
    from condor_py.lang.submit.queue_args import queue_arguments

    if queue_arguments(line) is None:
        request.appends.append(line)
    else:
        _set_queue(request, "-queue", line)


def _set_outputs(request: Request, args: Args) -> None:
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
            request.first_cluster = max(as_integer(digits) if digits.isdecimal() else 1, 1)
        elif option in ("full", "hash", "digest", "def", "jobset"):
            options.add(option)
        elif option == "tpl" or option.startswith("template"):
            options.add("tpl")
        else:
            raise CondorError(f"unknown option {option} for -dry-run:<opts>")
    request.dry_run_options = frozenset(options)


def _set_limits(request: Request, args: Args) -> None:
    request.spool = args.has("spool") or args.has("remote")
    request.max_jobs = args.number("maxjobs", 0)
    if request.max_jobs < -1:
        raise CondorError(f"Error: {request.max_jobs} is not a valid for -maxjobs.")
    request.single_cluster = args.has("single-cluster")
    request.allow_crlf = args.has("allow-crlf-script")
    request.factory = args.has("factory")
    request.schedd = args.text("remote") or args.text("name")
    request.digest = args.text("digest")
    if request.factory and request.interactive:
        raise CondorError("\nERROR: Interactive jobs cannot be materialized late")
    if request.file is None and request.target is not None and not request.interactive:
        raise CondorError(
            f"\nERROR: No submit filename was provided, and '{request.target}'\n"
            "  was given as the output filename for -dump or -dry-run. Was this intended?\n"
            "  To to avoid confusing the output file with the submit file when using these\n"
            "  commands, an explicit submit filename argument must be given. You can use -\n"
            "  as the submit filename argument to read from stdin."
        )
