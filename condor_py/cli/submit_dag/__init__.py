"""condor_submit_dag: give a DAG to condor_dagman."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from condor_py.cli.common import HELP, VERSION
from condor_py.cli.options import Opt, ToolSpec
from condor_py.cli.suggest import hint
from condor_py.client.dag.description import DagFileError, with_own_config, write
from condor_py.client.pool import Pool
from condor_py.client.progress import Line
from condor_py.core.dag.rescue import save_point_name
from condor_py.core.dag.states import DagStatus
from condor_py.lang import events
from condor_py.lang.classad import ClassAd
from condor_py.lang.dag.options import FLAGS, NUMBERS, SWITCHES, DagmanOptions, OptionError, find_flag
from condor_py.model.errors import CondorError
from condor_py.model.event_types import JobEventType
from condor_py.model.ids import JobId
from condor_py.model.states import JobStatus
from condor_py.store.event_log import EventReader, LogEvent, typed

if TYPE_CHECKING:
    from condor_py.client.pool import Pool
    from condor_py.model.settings.dagman import DagmanSettings


_FILES = frozenset({"ConfigFile", "AppendFile", "SaveFile", "RescueFile", "LockFile", "DagmanPath",
                    "ScheddAddressFile", "ScheddDaemonAdFile"})  # fmt: skip
_RULER = "-" * 71


def _options() -> tuple[Opt, ...]:
    shown = []
    for flag in FLAGS:
        arg = None if flag.option in SWITCHES else flag.value.strip("<>").replace(" ", "-")
        takes = "file" if flag.option in _FILES else "dir" if flag.option == "OutfileDir" else ""
        shown.append(Opt(flag.name[1:], 1, arg, flag.help, dash_value=True, hidden="S" not in flag.shown, takes=takes))
    return (*shown, HELP, VERSION)


_SPEC = ToolSpec(
    name="condor_submit_dag",
    usage="[options] dag-file [dag-file ...]",
    summary="Give a DAG, or several as one, to condor_dagman, which runs as a job of its own.",
    description="Options may be shortened and written in any case; they come before the .dag files. Next to the "
    "first .dag file are the submit file of condor_dagman (.condor.sub), its log (.dagman.out), the event log of its "
    "job (.dagman.log), what it printed (.lib.out, .lib.err) and, later, the events of all nodes (.nodes.log) and "
    "rescue files (.rescue001).",
    positional="dag-file",
    positional_help="the .dag files; nodes of several are called 0.A, 1.A",
    options=_options(),
    exit_status="0 when the DAG is in the queue (or, with -no_submit, its submit file is there), else 1; with -wait "
    "the exit code of the DAG: 0 when it succeeded, 1 when it failed, 2 when it was removed, else what ABORT-DAG-ON "
    "says.",
    examples=(
        ("condor_submit_dag diamond.dag", "run a DAG"),
        ("condor_submit_dag -maxjobs 10 diamond.dag", "with no more than ten nodes in the queue"),
        ("condor_submit_dag diamond.dag", "after a failure: continue from the newest rescue file"),
        ("condor_submit_dag -f diamond.dag", "start from the beginning; rescue files are renamed"),
        ("condor_submit_dag -wait diamond.dag && ./publish", "run a DAG, and then what wants its results"),
        ("condor_submit_dag -forecast -durations 600 diamond.dag", "how it would run here with jobs of ten minutes"),
    ),
    see_also=("condor_dag_checker", "condor_submit", "condor_q", "condor_rm"),
)
SPECS = (_SPEC,)


class _UsageNeeded(Exception):
    """The usage has to follow; ``code`` is the exit code."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class _VersionAsked(Exception):
    """The version is all that is asked for."""


def main(argv: list[str]) -> int:
    """Run condor_submit_dag."""
    from condor_py.client.pool import open_pool
    from condor_py.lang.config.builders.dagman import dagman

    sys.stdout.write("\n")
    pool = open_pool("TOOL")
    settings = dagman(pool.config)
    options = DagmanOptions(settings.auto_rescue, settings.insert_sub_file)
    options.texts["ScheddDaemonAdFile"] = settings.schedd_daemon_ad_file
    options.texts["ScheddAddressFile"] = settings.schedd_address_file
    try:
        understand(argv, options)
        return _run(options, settings, pool)
    except _VersionAsked:
        from condor_py.cli.version import version_lines

        sys.stdout.write(version_lines())
        return 0
    except _UsageNeeded as usage:
        from condor_py.cli.command import help_after_error, help_text

        sys.stdout.write(help_after_error(_SPEC, sys.stdout) if usage.code else help_text(_SPEC))
        return usage.code
    except DagFileError as error:
        _complain(_with_hints(str(error)))
        return 1
    except CondorError as error:
        _complain(str(error))
        return 1


def _complain(text: str) -> None:
    from condor_py.client.dag.prepare import complain

    complain(text)


def understand(argv: list[str], options: DagmanOptions) -> None:
    """The command line into the options. Raises _UsageNeeded, _VersionAsked and CondorError."""
    at = 0
    noted = False
    while at < len(argv):
        word = argv[at]
        at += 1
        if not word.startswith("-"):
            options.dag_files.append(word)
            continue
        if options.primary:
            sys.stdout.write("ERROR: no arguments allowed after DAG file name(s)\n")
            raise _UsageNeeded(1)
        lowered = word.lower()
        if "-vers" in lowered:
            raise _VersionAsked
        if "-h" in lowered:
            raise _UsageNeeded(0)
        if "-insert_s" in lowered:
            if not noted and options.texts["AppendFile"] and at < len(argv):
                _note_insert(argv[at], options.texts["AppendFile"])
            noted = True
        try:
            taken = options.take(lowered, argv[at:])
            _hint_at_number(word, argv[at : at + taken])
            at += taken
        except OptionError as error:
            _complain(str(error))
            if error.culprit:
                hint(f"condor_submit_dag: not understood: {error.culprit}")
            raise _UsageNeeded(1) from None
    _check(options)


#: Limits, which begin at 0.
_LIMITS = ("MaxIdle", "MaxJobs", "MaxPre", "MaxPost", "MaxHold")


def _hint_at_number(word: str, values: list[str]) -> None:
    """On a terminal, name a value that only begins with a number, which counts."""
    flag = find_flag(word)
    if flag is not None and flag.option in NUMBERS and values and not values[0].lstrip("+-").isdecimal():
        hint(f"condor_submit_dag: {word} takes a whole number, not {values[0]}")
    elif flag is not None and flag.option in _LIMITS and values and values[0].startswith("-"):
        hint(f"condor_submit_dag: {word} {values[0]} is less than 0")


def _note_insert(given: str, configured: str) -> None:
    text = f"Note: -insert_sub_file value ({given}) overriding DAGMAN_INSERT_SUB_FILE setting ({configured})"
    sys.stdout.write(text + "\n")


def _check(options: DagmanOptions) -> None:
    config = options.texts["ConfigFile"]
    if config:
        options.texts["ConfigFile"] = config if config.startswith("/") else f"{os.getcwd()}/{config}"
    if not options.primary:
        _complain("ERROR: no dag file specified; aborting.")
        raise _UsageNeeded(1)
    if options.numbers["DoRescueFrom"] < 0:
        _complain("-DoRescueFrom value must be non-negative; aborting.")
        raise _UsageNeeded(1)


def _run(options: DagmanOptions, settings: DagmanSettings, pool: Pool) -> int:
    from condor_py.client.dag.recurse import sub_dags

    if options.on("Forecast"):
        return _forecast(options, settings, pool)
    if options.on("Recurse") and sub_dags(options, main):
        raise CondorError("Recursive submit(s) failed; exiting without attempting top-level submit")
    write(options, settings, pool.config)
    _warn(options, settings)
    return _submit(options, pool)


def _warn(options: DagmanOptions, settings: DagmanSettings) -> None:
    """Warn of cycles, and a person of files that are not there; large files are not read twice."""
    from condor_py.cli.dag_places import absent, cycle_in, is_small
    from condor_py.lang.dag.check.checker import CheckOptions

    checks = CheckOptions(settings.language.any_characters, use_dag_dir=options.on("UseDagDir"))
    saved = options.texts["SaveFile"]
    if saved and not os.path.exists(save_point_name(options.primary, saved, os.getcwd())):
        hint(f"condor_submit_dag: there is no save point file {saved}")
    for file in options.dag_files:
        if is_small(file):
            missing = absent(file, checks) if sys.stderr.isatty() else ()
            sys.stderr.writelines(f"{line}\n" for line in (*cycle_in(file, checks), *missing))


def _forecast(options: DagmanOptions, settings: DagmanSettings, pool: Pool) -> int:
    """Say how the DAG will run; nothing is written."""
    from condor_py.cli.submit_dag.forecast import forecast
    from condor_py.client.dag.prepare import set_up

    try:
        set_up(options, pool.config.path("BIN"))
    except CondorError as error:
        raise DagFileError(f"ERROR: {error}") from None
    sys.stdout.write(forecast(options, with_own_config(options.texts["ConfigFile"], settings), pool))
    return 0


def _with_hints(report: str) -> str:
    """Return the errors of a DAG; on a terminal with suggestions for misspelled words."""
    if not sys.stderr.isatty():
        return report
    from condor_py.cli.suggest import meant_by_dag_commands

    return "\n".join([report, *meant_by_dag_commands(report)])


@contextlib.contextmanager
def _at_once() -> Iterator[None]:
    """In a pipe or file the lines of condor_submit come first, as from HTCondor's, which is a program of its own."""
    try:
        own = sys.stdout.fileno()
    except (OSError, ValueError):  # another process reads what is printed
        own = -1
    if own < 0 or os.isatty(own):
        yield
        return
    ours = sys.stdout
    with os.fdopen(os.dup(own), "w", encoding="utf-8", errors="surrogateescape") as theirs:
        sys.stdout = theirs
        try:
            yield
        finally:
            sys.stdout = ours


def _submit(options: DagmanOptions, pool: Pool) -> int:
    texts = options.texts
    print(_RULER)
    print(f"File for submitting this DAG to HTCondor           : {texts['SubFile']}")
    print(f"Log of DAGMan debugging messages                   : {texts['DebugLog']}")
    print(f"Log of HTCondor library output                     : {texts['LibOut']}")
    print(f"Log of HTCondor library error messages             : {texts['LibErr']}")
    print(f"Log of the life of condor_dagman itself            : {texts['SchedLog']}\n")
    if options.on("DoSubmit"):
        return _give(options, pool)
    print("-no_submit given, not submitting DAG to HTCondor. You can do this with:")
    print(f'"condor_submit {texts["SubFile"]}"')
    print(_RULER)
    return 0


def _give(options: DagmanOptions, pool: Pool) -> int:
    """Submit condor_dagman's job and, with -wait, wait for its end."""
    from condor_py.cli.submit import main as condor_submit

    texts, waiting = options.texts, None
    if options.on("Wait"):
        waiting = Waiting(pool, options.primary, texts["SchedLog"])
    remote = ["-remote", texts["RemoteSchedd"]] if texts["RemoteSchedd"] else []
    try:
        with _at_once():
            code = condor_submit([*remote, texts["SubFile"]])
    except CondorError as error:
        _complain(str(error))
        code = 1
    if code:
        _complain("ERROR: condor_submit failed; aborting.")
        return 1
    print(_RULER, flush=True)
    return 0 if waiting is None else waiting.wait()


_ENDS = (JobEventType.JOB_TERMINATED, JobEventType.JOB_ABORTED)
_REMOVED = 2
_SIGNALLED = 128
#: Seconds between two checks of the queue for the line on the terminal; without one only the log is followed.
_LOOK = 1.0
_BAR = 20


class Waiting:
    """Begin before the submit: what stands in the log of condor_dagman's job then is of earlier runs."""

    def __init__(self, pool: Pool, name: str, log: str) -> None:
        self._pool, self._name = pool, name
        self._reader = EventReader(log)
        self._reader.all()
        self._cluster = -1
        self._begun = time.monotonic()
        self._shows = sys.stderr.isatty()
        self._line = Line()
        self._last: ClassAd | None = None

    def wait(self) -> int:
        """The exit code of the DAG, when it is over. Raises CondorError, and KeyboardInterrupt when the caller does
        not want to wait any longer; the DAG continues then."""
        from condor_py.client.watch import FileWatch

        watch = FileWatch(self._reader.path)
        try:
            while (code := self._ended()) is None:
                self._show()
                watch.wait(_LOOK if self._shows else None)
        except KeyboardInterrupt:
            self._line.clear()
            sys.stderr.write(f"{self._name} continues as job {self._cluster}.\n")
            return _SIGNALLED + signal.SIGINT
        finally:
            watch.close()
        self._farewell(code)
        return code

    def _ended(self) -> int | None:
        for event in self._reader.read():
            if event.number == JobEventType.SUBMIT:
                self._cluster = event.cluster
            elif event.cluster == self._cluster and event.number in _ENDS:
                return _code(event)
        if self._cluster < 0:
            raise CondorError(f"ERROR: {self._reader.path} does not mention the job of {self._name}")
        return None

    # ---- the line ------------------------------------------------------------------------------------------------

    def _show(self) -> None:
        if not self._shows:
            return
        try:
            ad = self._pool.read_queue().job(JobId(self._cluster, 0))
        except CondorError:
            return  # nothing to show for now
        if ad is not None:
            self._last = ad
            text = progress_line(self._name, ad, time.monotonic() - self._begun)
            self._line.show(text[: max(10, shutil.get_terminal_size().columns - 1)])

    def _farewell(self, code: int) -> None:
        self._line.clear()
        if code:
            sys.stderr.write(f"ERROR: {self._name} ended with {code}: {self._name}.dagman.out says why\n")
        elif self._shows:
            sys.stderr.write(f"{self._name} is done after {_clock(time.monotonic() - self._begun)}.\n")


def _code(event: LogEvent) -> int:
    """Return the exit code of condor_dagman; for a signal the one that a shell would report."""
    if event.number == JobEventType.JOB_ABORTED:
        return _REMOVED
    read = typed(event)
    assert isinstance(read, events.JobTerminated)
    return read.return_value if read.return_value is not None else _SIGNALLED + (read.signal or 0)


def _clock(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 3600:d}:{whole // 60 % 60:02d}:{whole % 60:02d}"


def progress_line(name: str, ad: ClassAd, seconds: float) -> str:
    """``t.dag [#####-----] 20 of 40 nodes done, 3 running, 1 idle 0:00:12`` from the ad of condor_dagman's job."""

    def number(attribute: str) -> int:
        return ad.eval_int(f"DAG_{attribute}", 0)

    status = ad.eval_int("JobStatus", 0)
    if status == JobStatus.HELD:
        return f"{name} is held: {ad.eval_str('HoldReason') or ''}"
    total, done = number("NodesTotal"), number("NodesDone")
    if not total:
        return f"{name} {'starts' if status == JobStatus.RUNNING else 'waits for its start'} {_clock(seconds)}"
    marks = _BAR * done // total
    counts = (
        ("running", number("JobsRunning")),
        ("idle", number("JobsIdle")),
        ("held", number("JobsHeld")),
        ("in scripts", number("NodesPrerun") + number("NodesPostrun")),
        ("failed", number("NodesFailed")),
        ("never to run", number("NodesFutile")),
    )
    told = "".join(f", {count} {what}" for what, count in counts if count)
    bar = f"[{'#' * marks}{'-' * (_BAR - marks)}]"
    halted = " (halted)" if number("Status") == DagStatus.HALTED else ""
    return f"{name} {bar} {done} of {total} nodes done{told} {_clock(seconds)}{halted}"
