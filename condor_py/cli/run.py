"""condor_run: a shell command as a job, waited for (manual, condor_run)."""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from types import FrameType
from typing import TYPE_CHECKING, NamedTuple, TextIO

from condor_py.cli.inner import quietly
from condor_py.cli.options import EXACT, Opt, ToolSpec, match_option, missing_value
from condor_py.model.errors import CondorError
from condor_py.model.event_types import JobEventType

if TYPE_CHECKING:
    from condor_py.model.ids import JobId
    from condor_py.store.event_log import LogEvent

#: Seconds for a removed job to go.
_GRACE = 5
#: Seconds after which the reason is written why a job has not started.
_PATIENCE = 3.0
_SIGNALS = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM)

_SPEC = ToolSpec(
    name="condor_run",
    usage='[-u <universe>] [-getenv] [-a <submit command>] [-summary] "shell command"',
    summary="Run a shell command as a job and wait for it.",
    description=(
        "The job runs in the present directory with the shell that SHELL names. Its output comes when it has ended; "
        "condor_run ends with its exit status. On a terminal a last line, on standard error, says where and how long "
        "the job ran and what it used; while it waits, a line says why. CONDOR_REQUIREMENTS, CONDOR_ARCH and "
        "CONDOR_OPSYS of the environment become requirements of the job."
    ),
    positional='"shell command"',
    positional_help="what the shell runs; several words are joined with spaces",
    options=(
        Opt("help", 1, help="this text"),
        Opt("u", EXACT, "UNIVERSE", help="the universe of the job (vanilla)"),
        Opt("a", EXACT, "COMMAND", help="a further submit command, like -a request_memory=1024", dash_value=True),
        Opt("getenv", EXACT, help="give the job the present environment"),
        Opt("summary", EXACT, help="the lines about the job even without a terminal (not in HTCondor)"),
    ),
    examples=(
        ('condor_run "sort big.txt | uniq -c > counts.txt"', "sort on a slot, and wait"),
        ("condor_run -a request_cpus=4 make -j4", "build with four processors"),
    ),
    exit_status="that of the command; 128 and the signal's number when one killed it, 1 when the job was removed.",
    missing="condor_run: -{name} requires an argument",
    usage_after=("unknown", "missing", ""),
    usage_stream="stdout",
    see_also=("condor_submit", "condor_wait", "condor_qsub"),
)  # fmt: skip
SPECS = (_SPEC,)


class _Wish(NamedTuple):
    universe: str
    commands: tuple[str, ...]
    getenv: bool
    summary: bool
    shell_command: str


class _Killed(Exception):
    """A signal asks us to stop."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def main(argv: list[str]) -> int:
    """Run condor_run."""
    wish = _wish(argv)
    if wish is None:
        from condor_py.cli.command import help_text

        sys.stdout.write(help_text(_SPEC))
        return 1
    files = _Files(os.getpid())
    before = {number: signal.signal(number, _on_signal) for number in _SIGNALS}
    try:
        files.write(wish)
        return _run(files, wish.summary or sys.stderr.isatty())
    except _Killed as killed:
        sys.stderr.write(f"Killed by {signal.Signals(killed.number).name}.\n")
        return 128 + killed.number
    finally:
        files.clean()
        for number, handler in before.items():
            signal.signal(number, handler)


def _on_signal(number: int, frame: FrameType | None) -> None:
    raise _Killed(number)


def _wish(argv: list[str]) -> _Wish | None:
    """Return the request; None for the help text. Words that are no option of this tool belong to the shell command."""
    universe = "vanilla"
    flags: set[str] = set()
    commands: list[str] = []
    words: list[str] = []
    at = 0
    while at < len(argv):
        word = argv[at]
        found = match_option(_SPEC.options, word) if word.startswith("-") else None
        if found is not None and found[0].arg is not None:
            at += 1
            if at == len(argv):
                raise missing_value(_SPEC, found[0], word)
        if word.startswith("-u") and len(word) > 2:
            universe = word[2:]
        elif found is None:
            words.append(word)
        elif found[0].name == "help":
            return None
        elif found[0].name == "u":
            universe = argv[at]
        elif found[0].name == "a":
            commands.append(argv[at])
        else:
            flags.add(found[0].name)
        at += 1
    if not words:
        return None
    return _Wish(universe, tuple(commands), "getenv" in flags, "summary" in flags, " ".join(words))


class _Files:
    """The temporary files of one run, in the present directory because the job must see them."""

    def __init__(self, pid: int) -> None:
        self.script, self.description, self.log, self.out, self.error = (
            f".condor_{kind}.{pid}" for kind in ("run", "submit", "log", "out", "error")
        )

    def write(self, wish: _Wish) -> None:
        """The script and its submit description. Raises CondorError."""
        shell = os.environ.get("SHELL") or "/bin/sh"
        try:
            with open(self.script, "w", encoding="utf-8", errors="surrogateescape") as file:
                file.write(f"#!{shell}\n{wish.shell_command}\n")
            os.chmod(self.script, 0o700)
            with open(self.description, "w", encoding="utf-8", errors="surrogateescape") as file:
                file.write(self._text(wish))
        except OSError as error:
            raise CondorError(f"condor_run: cannot write {error.filename}: {error.strerror}") from None

    def _text(self, wish: _Wish) -> str:
        lines = [
            f"universe = {wish.universe}",
            f"executable = {self.script}",
            f"initialdir = {os.getcwd()}",
            "notification = NEVER",
            f"log = {self.log}",
            f"output = {self.out}",
            f"error = {self.error}",
        ]
        if wish.getenv:
            lines.append("getenv = True")
        requirements = _requirements()
        if requirements:
            lines.append(f"requirements = {requirements}")
        return "\n".join((*lines, *wish.commands, "queue", ""))

    def clean(self) -> None:
        """Remove what is there of them."""
        for path in (self.script, self.description, self.log, self.out, self.error):
            try:
                os.unlink(path)
            except FileNotFoundError:
                continue


def _requirements() -> str:
    parts = [os.environ.get("CONDOR_REQUIREMENTS", "")]
    for variable, attribute in (("CONDOR_ARCH", "Arch"), ("CONDOR_OPSYS", "OpSys")):
        if variable in os.environ:
            parts.append(f'{attribute} == "{os.environ[variable]}"')
    return " && ".join(part for part in parts if part)


def _run(files: _Files, summary: bool) -> int:
    """Submits, waits, shows the output; a job that is waited for no longer is removed."""
    cluster = _submit(files.description)
    try:
        end = _wait(files.log, summary)
    except BaseException:
        quietly("condor_rm", cluster)
        quietly("condor_wait", "-wait", str(_GRACE), files.log)  # its last event would create the log again
        raise
    _copy(files.out, sys.stdout, end.ran)
    _copy(files.error, sys.stderr, end.ran)
    if summary:
        sys.stdout.flush()
        sys.stderr.write(f"condor_run: {end.text}\n")
    return end.status


def _submit(description: str) -> str:
    """The number of the new cluster. Raises CondorError."""
    from condor_py.cli.idle_pool import say_that_it_waits
    from condor_py.client.pool import open_pool

    code, text, errors = quietly("condor_submit", "-terse", description)
    found = re.match(r"(\d+)\.\d+ - ", text)
    if code or found is None:
        raise CondorError(f"{errors}Failed to submit Condor job.")
    sys.stderr.write(errors.strip() + "\n" if errors.strip() else "")  # warnings
    say_that_it_waits(open_pool())
    return found[1]


class _End(NamedTuple):
    """Exit status, whether the job has run to its end, and what happened to it in words."""

    status: int
    ran: bool
    text: str


def _wait(log: str, summary: bool) -> _End:
    """Wait until the job has ended; ``summary``: say why, if it has not started after some seconds."""
    from condor_py.cli.outcomes import ending
    from condor_py.client.watch import FileWatch
    from condor_py.store.event_log import EventReader

    reader = EventReader(log)
    watch = FileWatch(log)
    submitted: LogEvent | None = None
    started: LogEvent | None = None
    asked = not summary
    while True:
        for event in reader.sound_events():
            if event.number == JobEventType.SUBMIT:
                submitted = event
            if event.number == JobEventType.EXECUTE:
                started = event
            if event.number == JobEventType.JOB_TERMINATED:
                status, number = ending(event)
                if number:
                    sys.stderr.write(f"Condor job killed by signal {number}.\n")
                return _End(status, True, _story(submitted, started, event, status, number))
            if event.number == JobEventType.JOB_ABORTED:
                sys.stderr.write("The job was aborted\n")
                return _End(1, False, f"job {event.job} was removed before its end")
            if event.number == JobEventType.JOB_HELD and summary:
                reason = event.lines[1].strip() if len(event.lines) > 1 else ""
                sys.stderr.write(f"condor_run: the job is held: {reason}; waiting for its release\n")
        if submitted and not started and not asked and time.time() - submitted.time >= _PATIENCE:
            asked = True
            _say_why_it_waits(submitted.job)
        watch.wait(None if asked or started else _PATIENCE)


def _story(submitted: LogEvent | None, started: LogEvent | None, ended: LogEvent, status: int, number: int) -> str:
    """Return in one line how long a job waited, where and how long it ran, what it used, and how it ended."""
    parts = [f"job {ended.job}"]
    if submitted and started:
        slot = re.search(r"^\tSlotName: (\S+)", started.text, re.MULTILINE)
        parts.append(f"waited {_seconds(submitted, started)} s and ran {_seconds(started, ended)} s")
        if slot:
            parts.append(f"on {slot[1]}")
    memory = re.search(r"^[^\S\n]+Memory \(MB\) +: +(\d+) +\d+ +(\d+)", ended.text, re.MULTILINE)
    used = f"; it used {memory[1]} of its {memory[2]} MB of memory" if memory else ""
    how = f"signal {number} ended it" if number else f"its exit status is {status}"
    return f"{' '.join(parts)}{used}; {how}"


def _seconds(first: LogEvent, last: LogEvent) -> int:
    return max(0, int(last.time) - int(first.time))


def _say_why_it_waits(job: JobId) -> None:
    """A line with the first reason why a job has not started."""
    from condor_py.cli.waiting import around_pool, why_it_waits
    from condor_py.client.pool import open_pool

    pool = open_pool()
    view = pool.read_queue()
    ad = view.job(job)
    if ad is None:
        return
    around = around_pool(pool, view)
    for reason in why_it_waits(ad, around)[:1] if around.slots else ():
        sys.stderr.write(f"condor_run: job {job} {'will never run here' if reason.final else 'waits'}: {reason.text}\n")


def _copy(path: str, stream: TextIO, must_exist: bool) -> None:
    """A file's bytes as they are to a standard stream."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
            while text := file.read(1 << 20):
                stream.write(text)
    except FileNotFoundError:
        if must_exist:
            raise CondorError(f"condor_run: Failed to open job output file {path}") from None
