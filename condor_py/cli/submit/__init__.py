"""condor_submit: put the jobs of a submit description into the queue."""

from __future__ import annotations

import os
import sys

from condor_py.cli.common import check_address, check_pool, handle_help_and_version
from condor_py.cli.options import Opt, ToolSpec, parse
from condor_py.cli.submit.request import Request, understand
from condor_py.cli.submit.run import Run
from condor_py.lang.submit.errors import SubmitError
from condor_py.model.errors import CondorError
from condor_py.model.texts import as_integer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from condor_py.client.pool import Pool
    from condor_py.model.settings.submit import SubmitSettings

_NO_ARGUMENT = "{tool}: {spelling} requires at least one argument"
_NO_NUMBER = "Error: Unable to convert argument ({value}) to a number for -maxjobs."

#: Commands that HTCondor's words about their errors do not name: letters of the command -> part of the words.
_ALSO_BLAMED = {
    "x509userproxy": "proxy file", "usex509userproxy": "proxy file", "useoauthservices": "credential requests",
}  # fmt: skip

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
            colon="full|hash|digest|cluster=N",
            takes="file",
        ),
        Opt("spool", 1, help="copy the input files into the spool; condor_transfer_data brings the output"),
        Opt("file", 2, "FILE", "the submit description", dash_value=True, takes="file"),
        Opt("digest", 6, "FILE", "keep a copy of the digest of a factory in FILE", dash_value=True, takes="file"),
        Opt("factory", 2, help="let the schedd make the jobs when there is room for them, as max_materialize does"),
        Opt("generator", 1, same_as="factory", hidden=True),
        Opt("address", 2, "ADDRESS", "submit to the schedd at this address, which is this pool's", dash_value=True),
        Opt("remote", 1, "NAME", "submit to the schedd of this name, with -spool", dash_value=True),
        Opt("name", 1, "NAME", "submit to the schedd of this name; with -pool, that needs -spool", dash_value=True),
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
        Opt("table", 5, "FILE", "a table whose first row names the variables: one job a row", missing=_NO_ARGUMENT),
        Opt("maxjobs", 3, "N", "fail when there are more jobs", convert=int, dash_value=True, invalid=_NO_NUMBER),
        Opt("single-cluster", 3, help="fail when the jobs need more than one cluster"),
        Opt("pool", 2, "HOST", "the pool of the schedd that -remote or -name names", dash_value=True),
        Opt("unused", 1, help="switch the warnings about unused lines off (or on again)"),
        Opt("dump", 2, "FILE", "write the job ads to FILE instead of submitting", dash_value=True, takes="file"),
        Opt("allow-crlf-script", 8, help="accept scripts with DOS line ends"),
        Opt("help", 0, help="this text"),
        Opt("capabilities", 3, colon="N", help="what the schedd can do"),
        Opt("wait", 4, help="return when all jobs have ended (with their highest exit status), or none can continue"),
        Opt("interactive", 1, help="submit one job and open a shell in its slot; the job leaves when the shell ends"),
    ),
    unknown="",
    examples=(
        ("condor_submit job.sub", "submit job.sub"),
        ("condor_submit job.sub -append 'priority = 5'", "the same with another priority"),
        ("condor_submit -dry-run - job.sub", "show the job ads"),
    ),
    exit_status=(
        "0 when all jobs are in the queue, 1 when none is. With -wait the highest exit status of the jobs: 128 and its "
        "number for a signal, 1 for a job that was removed; 75 when no job that is left can continue, because all are "
        "held or can never run here. With -interactive that of the shell, 255 when the session "
        "was lost with its job."
    ),
    see_also=("condor_submit_description(5)", "condor_q", "condor_rm", "condor_ssh_to_job", "condor_wait"),
)
SPECS = (_SPEC,)


def main(argv: list[str]) -> int:
    """Run condor_submit."""
    args = parse(_SPEC, argv)
    if handle_help_and_version(args):
        return 0
    from condor_py.client.pool import open_pool
    from condor_py.lang.config.builders.submit import submit as submit_settings

    request = understand(args, argv)
    pool = open_pool("SUBMIT")
    settings = submit_settings(pool.config)
    check_address(args, pool, "address")
    is_elsewhere = args.has("pool") and not _is_ours(request.schedd, settings)
    if is_elsewhere and request.target is None:
        return _submit_elsewhere(pool, request, str(args.text("pool")))
    if not is_elsewhere:
        check_pool(args, pool)
        _check_schedd(request, settings)
    if not pool.config.boolean("WARN_ON_UNUSED_SUBMIT_FILE_MACROS"):
        request.warn_unused = not request.warn_unused
    if request.interactive:
        from condor_py.cli.submit.interactive import prepare

        prepare(request, settings, pool)
    if args.has("capabilities"):
        from condor_py.cli.submit.capabilities import describe

        level = args.colon("capabilities") or ""
        sys.stdout.writelines(f"{line}\n" for line in describe(settings, as_integer(level) if level.isdecimal() else 1))
        return 0
    if args.has("disable"):
        settings = settings.changed(skip_filechecks=True)
    text, name = _description(request)
    _hint_at_defines(request, text)
    run = Run(request, settings, pool)
    try:
        code = run.submit(text, name)
    except SubmitError as error:
        run.close()
        sys.stdout.flush()
        sys.stderr.write(error.report)
        if request.queue is not None and "ueue" in error.report and sys.stderr.isatty():
            sys.stderr.write(f"The command line has: {request.queue}\n")
        _suggest(text, error.report)
        return 1
    if request.digest is not None and not os.path.exists(request.digest):
        from condor_py.cli.suggest import hint

        hint(f"condor_submit: no digest in {request.digest}: only -factory and max_materialize make one")
    if request.interactive and request.target is None and run.clusters:
        from condor_py.cli.submit.interactive import session

        return session(pool, run.clusters[0][0], debug=args.has("debug"))
    if args.has("wait") and not code and request.target is None and run.clusters:
        from condor_py.cli.submit.following import wait_for_jobs

        return wait_for_jobs(pool, run.clusters, quiet=request.terse)
    return code


def _submit_elsewhere(pool: Pool, request: Request, host: str) -> int:
    """Queue the jobs in another pool, with their input files; 0. Their output waits there for condor_transfer_data.
    CondorError."""
    if not request.spool:
        raise CondorError("condor_submit: jobs for the schedd of another pool need -spool, or -remote instead of -name")
    from condor_py.client.elsewhere import OtherSchedd

    defines = "".join(f"{key} = {value}\n" for key, value in request.defines)
    queue = (request.queue or "").partition(" ")[2].strip()
    if request.queue is not None:
        queue = queue or "1"
    schedd = OtherSchedd(pool, request.schedd or "", host)
    text = defines + _description(request)[0]
    cluster, count = schedd.queue(text, request.appends, queue, os.getcwd())
    sys.stdout.write(f"Submitting job(s){'.' * count}\n{count} job(s) submitted to cluster {cluster}.\n")
    return 0


def _hint_at_defines(request: Request, text: str) -> None:
    """On a terminal: NAME=VALUE of the command line whose name is a misspelled command."""
    if request.defines and sys.stderr.isatty():
        from condor_py.cli.suggest import hint, meant_by_commands

        given = {name.lower() for name, _ in request.defines}
        lines = [f"{name} = {value}" for name, value in request.defines]
        for name, like in meant_by_commands("\n".join([*lines, text])):
            if name in given:
                hint(f"{name}: did you mean {like}?")


def _suggest(text: str, report: str) -> None:
    """On a terminal: what was probably meant by a description that cannot be understood."""
    if sys.stderr.isatty():
        sys.stderr.writelines(f"{line}\n" for line in _hints(text, report))


def _hints(text: str, report: str) -> Iterator[str]:
    import re

    from condor_py.cli.suggest import meant_by_commands, meant_by_queue_line
    from condor_py.model.spelling import nearest

    yield from _blamed_lines(text, report)
    found = re.search(r"on Line (\d+) of ", report)
    if found is not None:
        lines = text.split("\n")
        number = int(found[1])
        meant = meant_by_queue_line(lines[number - 1]) if number <= len(lines) else ""
        if meant:
            yield f"Did you mean: {meant}"
        return
    universe = re.search(r"I don't know about the '(.+)' universe", report)
    if universe is not None:
        from condor_py.model.states import universe_words

        like = nearest(universe[1].lower(), universe_words())
        if like:
            yield f"Did you mean {like}?"
    for name, like in meant_by_commands(text):
        yield f"{name}: did you mean {like}?"


def _blamed_lines(text: str, report: str) -> Iterator[str]:
    """The lines of a submit file that an error report is about, as far as it numbers or names them."""
    import re

    lines = text.split("\n")
    found = re.search(r"on Line (\d+) of ", report)
    if found is not None:
        if int(found[1]) <= len(lines):
            yield f"Line {found[1]}: {lines[int(found[1]) - 1].strip()}"
        return
    said = re.sub(r"[^a-z0-9]", "", report.lower())
    for number, line in enumerate(lines, 1):
        match = re.match(r"\s*([\w.+]+)\s*=\s*(.*?)\s*\Z", line)
        if match is None:
            continue
        name = re.sub(r"[^a-z0-9]", "", match[1].lower())
        also = _ALSO_BLAMED.get(name)
        is_named = len(name) > 2 and name in said
        if is_named or (also and also in report) or (len(match[2]) > 1 and match[2] in report) or not name:
            yield f"Line {number}: {line.strip()}"


def _is_ours(name: str | None, settings: SubmitSettings) -> bool:
    """Whether a schedd of this name is this machine's."""
    return name is None or name.lower() in (settings.host.lower(), settings.host.partition("@")[2].lower())


def _check_schedd(request: Request, settings: SubmitSettings) -> None:
    name = request.schedd
    if name is not None and not _is_ours(name, settings):
        raise CondorError(f"condor_submit: unknown host {name.partition('@')[2] or name}")


def _description(request: Request) -> tuple[str, str]:
    """The text of the submit description and its name. CondorError when it cannot be read."""
    from condor_py.lang.config.loader import read_text
    from condor_py.lang.submit.submit_file import STDIN

    if request.file is None and request.interactive:
        from condor_py.cli.submit.interactive import DESCRIPTION

        return DESCRIPTION, "interactive.sub"
    if request.file is None and (request.defines or request.appends) and request.queue is not None:
        return "", "null"
    if request.file is None or request.is_stdin:
        if sys.stdin.isatty():
            from condor_py.cli.suggest import hint

            taken = f" ({request.appends[-1]} is what -append adds)" if request.appends else ""
            hint(f"condor_submit: no file is named{taken}: type the submit description, and ^D at its end")
        return sys.stdin.read(), STDIN
    try:
        return read_text(request.file), request.file
    except OSError as error:
        raise CondorError(f"\nERROR: Failed to open command file ({request.file}) ({error.strerror})") from None
