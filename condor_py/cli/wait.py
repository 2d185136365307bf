"""condor_wait: waits for the jobs of an event log."""

from __future__ import annotations

import re
import sys
import time
from typing import NamedTuple

from condor_py.cli.options import EXACT, Args, Opt, ToolSpec, UsageError, parse
from condor_py.cli.outcomes import Outcomes
from condor_py.cli.suggest import hint, name_culprit
from condor_py.client.progress import Meter
from condor_py.model.errors import CondorError
from condor_py.model.event_types import JobEventType
from condor_py.model.texts import as_integer, leading_number
from condor_py.store.event_log import EventReader, FormatOptions, LogEvent, time_stamp

_HEAD = re.compile(r"(\d{3,} \([-\d.]+\)) \S+[ T]\S+ ?")
_LEGACY = FormatOptions(iso_date=False)


def echo(event: LogEvent, options: str) -> str:
    """The text of ``event`` as ``-echo:options`` shows it (default: text with the legacy date)."""
    chosen = FormatOptions.parse(options, _LEGACY)
    words = options.upper().replace(",", " ").split()
    if "JSON" in words or "XML" in words:
        return _structured(event, "JSON" in words, chosen.utc)
    stamped = f"\\g<1> {time_stamp(event.time, chosen)} "
    text = _HEAD.sub(stamped, event.text, count=1)
    if event.number == JobEventType.JOB_AD_INFORMATION:  # by name, as HTCondor, which has read them into an ad
        head, *body = text.splitlines(keepends=True)
        text = head + "".join(sorted(body, key=str.lower))
    return text + "...\n"


def _structured(event: LogEvent, as_json: bool, utc: bool) -> str:
    from condor_py.cli.output import ads as forms
    from condor_py.lang.classad import ClassAd
    from condor_py.store.event_log import event_items, parse, typed

    if event.text[:1] in "<{":
        items = parse(event)
    else:
        read = typed(event)
        items = [*event_items(read, utc=utc), *read.structured_notes()]
    return forms.renderer(forms.JSON if as_json else forms.XML, None, False)(ClassAd.from_text_items(items))


_TERMINATED, _ABORTED = JobEventType.JOB_TERMINATED, JobEventType.JOB_ABORTED
_TAKEN = (JobEventType.SUBMIT, JobEventType.EXECUTE, _TERMINATED, _ABORTED)
_HELD = 2  # the exit status
#: Seconds between two looks of the line about the progress.
_LOOK = 0.6
_HOST = re.compile(r"Job executing on host: (.*)")


_SPEC = ToolSpec(
    name="condor_wait",
    usage="[options] <log-file> [job-number]",
    summary="Wait until jobs have ended.",
    positional="<log-file> [job-number]",
    positional_help="the event log to watch, and the CLUSTER, CLUSTER.PROC or CLUSTER.PROC.SUBPROC to wait for",
    description=(
        "It reads the event log of the jobs and returns when all jobs that the log mentions (or those of "
        "job-number) have completed or were removed. No daemon is needed."
    ),
    options=(
        Opt("help", EXACT, help="this text"),
        Opt("version", EXACT, help="the version and the platform"),
        Opt("debug", 1, help="accepted; messages go to standard error in any case", colon="FLAGS"),
        Opt("status", EXACT, help="a line for every submission, start and end"),
        Opt("echo", EXACT, help="copy the events; FMT of ISO_DATE, UTC, SUB_SECOND, XML, JSON", colon="FMT"),
        Opt("event-id", EXACT, "ID", "wait for an event of type ID, or for COUNT of them", colon="COUNT",
            convert=leading_number, missing="-event-id requires an id", dash_value=True),
        Opt("allevents", 3, help="read all there is and return, whatever the jobs do"),
        Opt("wait", EXACT, "SECONDS", "wait no longer than this", convert=leading_number, dash_value=True,
            missing="-wait requires an argument"),
        Opt("num", EXACT, "N", "wait until N jobs have ended", convert=leading_number, dash_value=True,
            missing="-num requires an argument"),
        Opt("on-hold", EXACT, "WHAT", "fail: return when a job is held; wait (the default): say so and continue",
            dash_value=True, missing="-on-hold requires fail or wait"),
        Opt("exit-status", EXACT, help="return the highest exit status of the jobs (128 + N for signal N)"),
        Opt("log", EXACT, "FILE", "the event log", takes="file", missing="-log requires an argument"),
    ),
    examples=(
        ("condor_wait run.log", "wait for all jobs of the log"),
        ("condor_wait -wait 60 run.log 35", "wait at most a minute for cluster 35"),
        ("condor_wait -exit-status -on-hold fail run.log", "in a script that continues only when all went well"),
    ),
    exit_status=(
        "0 when the jobs have ended, 1 when time expired, the log cannot be read or does not mention the job, 2 when a "
        "job is held (with -on-hold fail). With -exit-status the highest of the jobs: 128 and its number for a signal, "
        "1 for a job that was removed."
    ),
    unknown="",
    see_also=("condor_q", "condor_submit"),
)  # fmt: skip
SPECS = (_SPEC,)


class Wish(NamedTuple):
    """The events to wait for. Numbers of None match any; ``stop`` is a Unix time; ``look_once`` does not wait."""

    log: str
    job: tuple[int | None, int | None, int | None]
    jobs: int | None
    event_id: int | None
    event_count: int
    all_events: bool
    stop: float | None
    look_once: bool
    status: bool
    echo: str | None
    on_hold: str
    exit_status: bool


def main(argv: list[str]) -> int:
    """Run condor_wait."""
    try:
        args = parse(_SPEC, argv)
        wish = None if args.has("help") or args.has("version") else _wish(args)
    except UsageError as error:
        sys.stderr.write(f"{error}\n" if str(error) else "")
        name_culprit(error.spec.name, error.argument, str(error))
        from condor_py.cli.command import help_after_error

        sys.stderr.write(_as_use(help_after_error(_SPEC, sys.stderr)) if str(error) else _help())
        return 1
    if args.has("help"):
        sys.stderr.write(_help())
        return 0
    if wish is None:
        from condor_py.cli.version import version_lines

        sys.stdout.write(version_lines())
        return 1
    return _Waiter(wish).run()


def _help() -> str:
    from condor_py.cli.command import help_text

    return _as_use(help_text(_SPEC))


def _as_use(text: str) -> str:
    return "\n" + text.replace("Usage:", "Use:", 1)


def _usage(text: str) -> UsageError:
    return UsageError(text, _SPEC, kind="usage")


def _wish(args: Args) -> Wish:
    words = list(args.positional)
    log = args.text("log")
    if log is None and words:
        log = words.pop(0)
    if log is None:
        raise _usage("")
    if len(words) > 1:
        raise _usage(f"Extra argument: {words[1]}\n")
    jobs = args.number("num")
    if jobs is not None and jobs < 1:
        raise _usage("-num must be greater than zero")
    if jobs is not None and args.has("allevents"):
        last = max(args.all("num") + args.all("allevents"), key=lambda use: use.position).name
        other = "allevents" if last == "num" else "num"
        raise _usage(f"-{last} cannot be used with -{other}")
    on_hold = args.text("on-hold") or "wait"
    if on_hold not in ("fail", "wait"):
        raise _usage("-on-hold requires fail or wait")
    seconds = args.number("wait")
    event = args.last("event-id")
    return Wish(
        log=log,
        job=_job_number(words[0]) if words else (None, None, None),
        jobs=jobs,
        event_id=None if event is None else int(event.values[0]),
        event_count=1 if event is None or event.colon is None else leading_number(event.colon),
        all_events=args.has("allevents"),
        stop=time.time() + seconds if seconds else None,
        look_once=seconds == 0 or (args.has("allevents") and not seconds),
        status=args.has("status"),
        echo=(args.colon("echo") or "") if args.has("echo") else None,
        on_hold=on_hold,
        exit_status=args.has("exit-status"),
    )


def _job_number(text: str) -> tuple[int | None, int | None, int | None]:
    match = re.match(r"\s*(-?\d+)(?:\.(-?\d+)(?:\.(-?\d+))?)?", text)
    if match is None:
        raise CondorError(f"Couldn't understand job number: {text}")
    numbers = [-1 if part is None else as_integer(part) for part in match.groups()]
    if match.end() < len(text.rstrip()):
        hint(f"condor_wait: {text} is no job number: {match[0].strip()} is waited for")
    cluster, proc, subproc = (number if number >= 0 else None for number in numbers)
    return cluster, proc, subproc


class _Waiter:
    """Follows the log and counts."""

    def __init__(self, wish: Wish) -> None:
        self.wish = wish
        self.running: set[tuple[int, int, int]] = set()
        self.submitted = self.ended = self.special = 0
        #: Whether the log tells of a job that is waited for.
        self.mentioned = False
        self.has_events = False
        self.outcomes = Outcomes()
        self.named: set[tuple[int, int, int]] = set()
        tells = wish.look_once or wish.status or wish.echo is not None or wish.event_id is not None or wish.all_events
        self._meter = Meter(wish.jobs, "jobs ended", quiet=tells)

    def run(self) -> int:
        """Wait as requested; return the exit status."""
        wish = self.wish
        self._check_readable()
        if wish.stop is not None and wish.stop < time.time():
            sys.stdout.write("Time expired.\n")
            return 1
        from condor_py.client.watch import FileWatch

        watch = None if wish.look_once else FileWatch(wish.log)
        reader = EventReader(wish.log)
        first = True
        while True:
            events = reader.read()
            for event in events:
                done = self._take(event, first)
                if done is not None:
                    return self._finish(done)
            if events:
                continue  # to the end, or to damage, of which the next reading tells
            code = self._nothing_new(first)
            asks_once = wish.look_once and wish.on_hold == "fail"
            if (code is None or asks_once) and self._tell_held(first):
                code = _HELD
            if code is not None:
                return code
            if first:
                self._meter.before = self.ended
            first = False
            assert watch is not None
            if wish.stop is not None and time.time() >= wish.stop:
                return self._expired()
            sys.stdout.flush()
            self._show_progress()
            watch.wait(self._pause())

    def _show_progress(self) -> None:
        """Show on a terminal how many jobs have ended."""
        if self.submitted:
            self._meter.total = self.wish.jobs or self.submitted
            self._meter.at(self.ended)

    def _pause(self) -> float | None:
        """Return the seconds to wait for the log at most; None for no limit."""
        pauses = [_LOOK] if self._meter.is_shown else []
        if self.wish.stop is not None:
            pauses.append(self.wish.stop - time.time())
        return min(pauses, default=None)

    def _tell_held(self, first: bool) -> bool:
        """Print a line for each newly held job. Return whether that ends the wait.

        To a program only jobs that were held while it waited are named; it may know the others.
        """
        held = self.outcomes.held
        if held.keys() - self.named:
            self._meter.done()
        fails = self.wish.on_hold == "fail"
        for job in sorted(held.keys() - self.named):
            if fails or not first or sys.stderr.isatty():
                sys.stdout.flush()
                name = f"{job[0]}.{job[1]}"
                sys.stderr.write(
                    f"condor_wait: job {name} is held: {held[job]}; condor_release {name} lets it continue\n"
                )
        self.named = set(held)
        return fails and bool(held)

    def _check_readable(self) -> None:
        try:
            with open(self.wish.log, "rb"):
                pass
        except OSError as error:
            raise CondorError(f"Couldn't open {self.wish.log}: {error.strerror}") from error

    def _take(self, event: LogEvent, first: bool) -> str | None:
        """Count one event; the closing message when it ends the wait."""
        wish = self.wish
        key = (event.cluster, event.proc, event.subproc)
        self.has_events = True
        if all(wanted in (None, found) for wanted, found in zip(wish.job, key, strict=True)):
            if wish.echo is not None:
                sys.stdout.write(echo(event, wish.echo))
            self.mentioned = True
            self._count(event, key)
            self.outcomes.take(event)
            if key not in self.outcomes.held:
                self.named.discard(key)
        if wish.jobs is not None and self.ended >= wish.jobs:
            return f"Specifed number of jobs ({wish.jobs}) done."
        plain = wish.jobs is None and wish.event_id is None and not wish.all_events
        if plain and not first and self.submitted and not self.running:
            return "All jobs done."
        if wish.event_id is not None and self.special >= wish.event_count:
            return f"Got {self.special} events of id {wish.event_id}"
        return None

    def _count(self, event: LogEvent, key: tuple[int, int, int]) -> None:
        said = ""
        if event.number == JobEventType.SUBMIT:
            self.running.add(key)
            self.submitted += 1
            said = "submitted"
        elif event.number in (_TERMINATED, _ABORTED):
            self.running.discard(key)
            self.ended += 1
            said = "completed" if event.number == _TERMINATED else "aborted"
        elif event.number == JobEventType.CLUSTER_SUBMIT:  # more jobs of it may come as long as it is there
            self.running.add(key)
        elif event.number == JobEventType.CLUSTER_REMOVE:
            self.running.discard(key)
        elif event.number == JobEventType.EXECUTE:
            host = _HOST.search(event.text)
            said = f"executing on host {host[1] if host else ''}"
        elif event.number == self.wish.event_id:
            self.special += 1
            said = f"event {event.number} found"
        if said and self.wish.status:
            sys.stdout.write(f"{key[0]}.{key[1]}.{key[2]} {said}\n")

    def _nothing_new(self, first: bool) -> int | None:
        """The log is read to its end: an exit code when there is nothing to wait for."""
        wish = self.wish
        if first and not self.running and wish.jobs is None and wish.event_id is None and not wish.all_events:
            if wish.job[0] is not None and not self.mentioned:
                sys.stderr.write(self._not_mentioned() + "\n")
                hint(f"{wish.log} has no event of {'.'.join(str(part) for part in wish.job if part is not None)}")
                return 1
            if not self.has_events:
                hint(f"condor_wait: no event in {wish.log}")
            return self._finish("All jobs done.")
        return 0 if wish.look_once else None

    def _expired(self) -> int:
        """The time is over; says so, or that no job came at all."""
        self._meter.done()
        if self.running or self.submitted or self.wish.all_events:
            sys.stdout.write("Time expired.\n")
        else:
            sys.stdout.flush()
            sys.stderr.write(self._not_mentioned() + "\n")
        return 1

    def _not_mentioned(self) -> str:
        if self.wish.job[0] is not None:
            return "This log does not mention that job!"
        if self.wish.event_id is not None:
            return f"Saw only {self.special} events of id {self.wish.event_id}!"
        return "This log does not mention any jobs!"

    def _finish(self, message: str) -> int:
        self._meter.done()
        sys.stdout.write(message + "\n")
        return self.outcomes.status if self.wish.exit_status else 0
