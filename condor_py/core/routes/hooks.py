"""The router's hooks: programs that translate a job, report its state, and receive its end. Here is which of them run,
and their results.

Nothing of this is in the queue. A hook is asked for by an action, its answer is kept until it has been written, and a
router that restarts asks again: a hook may run twice for one event, and is never left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from condor_py.core.jobs.actions import delete, set_text
from condor_py.core.jobs.rights import IMMUTABLE, PROTECTED
from condor_py.lang.classad import ClassAd, is_valid, quote_string
from condor_py.lang.classad.formats.old import sorted_lines, split_line
from condor_py.model.ids import JobId
from condor_py.model.record import Change
from condor_py.model.settings.router import RouterHooks, RouterSettings

#: Between two ads of an input.
_BETWEEN = "\n------\n"
#: Seconds of the longest pause after failures.
_LONGEST_PAUSE = 600
#: Attributes that hooks cannot change: the owner of a job, its state, and its link to its copy. Lower case.
GUARDED = IMMUTABLE | PROTECTED | frozenset(
    (
        "jobstatus", "lastjobstatus", "enteredcurrentstatus", "managed", "managedmanager", "routedby",
        "routedfromjobid", "routedtojobid", "routename", "routerhookkeyword", "leavejobinqueue", "jobfinishedhookdone",
        "holdcopiedfromtargetjob", "jobleaveforced", "qdate", "autoclusterid", "autoclusterattrs",
    )
)  # fmt: skip
#: Which hooks a copy has, whose job may be gone when they are wanted.
KEYWORD = "RouterHookKeyword"


class Kind(Enum):
    """The value is the part of the knob after ``<Keyword>_HOOK_``."""

    TRANSLATE = "TRANSLATE_JOB"
    UPDATE = "UPDATE_JOB_INFO"
    FINALIZE = "JOB_FINALIZE"
    CLEANUP = "JOB_CLEANUP"


@dataclass(frozen=True, slots=True)
class HookCall:
    """A hook that is to run: its kind, its job (the copy, unless it translates), and its account.

    ``source`` has None where the job of a copy is gone, ``route`` is a name, ``before`` the ad that a job edited in
    place has at the start.
    """

    kind: Kind
    job: JobId
    source: JobId | None
    program: str
    route: str
    before: ClassAd | None = field(default=None, compare=False)

    @property
    def what(self) -> str:
        """For the log."""
        dest = "" if self.kind is Kind.TRANSLATE else f",dest={self.job}"
        return f"(src={self.source or 'none'}{dest},route={self.route})"


@dataclass(frozen=True, slots=True)
class Answer:
    """Output of a hook, as attributes; ``problem`` is the reason why it does not count, "" where it does."""

    call: HookCall
    texts: tuple[tuple[str, str], ...] = ()
    problem: str = ""


Key = tuple[Kind, JobId]


class Hooks:
    """Hooks that run, that have answered, and that have to wait because they failed."""

    def __init__(self, settings: RouterSettings) -> None:
        self.configure(settings)
        self._running: dict[Key, HookCall] = {}
        self._answers: dict[Key, Answer] = {}
        #: When what has failed is tried again, and the length of the pause.
        self._pauses: dict[Key, tuple[int, int]] = {}

    def configure(self, settings: RouterSettings) -> None:
        """New settings; running hooks continue."""
        self._known = {hooks.keyword.lower(): hooks for hooks in settings.hooks}
        self._default = settings.hook_keyword
        self._shortest = settings.polling_period
        self.has_updates = any(hooks.update for hooks in settings.hooks)

    def of(self, ad: ClassAd) -> RouterHooks:
        """The hooks of a job: of its HookKeyword, which a copy has noted, else of JOB_ROUTER_HOOK_KEYWORD."""
        if not self._known:
            return RouterHooks()
        keyword = ad.eval_str(KEYWORD, None)
        if keyword is None:
            keyword = ad.eval_str("HookKeyword", None)
        return self._known.get((self._default if keyword is None else keyword).lower(), RouterHooks())

    def ask(self, call: HookCall, now: int) -> HookCall | None:
        """Notes that a hook runs; None when it does already, or has to wait."""
        key = (call.kind, call.job)
        if key in self._running or not self.is_free(*key, now):
            return None
        self._running[key] = call
        return call

    def is_free(self, kind: Kind, job: JobId, now: int) -> bool:
        """Whether a hook has not just failed."""
        return self._pauses.get((kind, job), (0, 0))[0] <= now

    def runs(self, kind: Kind, job: JobId) -> HookCall | None:
        """The call, while a hook is at work."""
        return self._running.get((kind, job))

    def answered(self, answer: Answer, now: int) -> None:
        """A hook has ended."""
        call = answer.call
        key = (call.kind, call.job)
        if self._running.pop(key, None) is None:
            return
        self._answers[key] = answer
        if answer.problem:
            pause = min(_LONGEST_PAUSE, max(self._shortest, 2 * self._pauses.get(key, (0, 0))[1]))
            self._pauses[key] = now + pause, pause
        else:
            self._pauses.pop(key, None)

    def answer(self, kind: Kind, job: JobId) -> Answer | None:
        """Answer of a hook that has not been written yet."""
        return self._answers.get((kind, job))

    def answer_again(self, answer: Answer, now: int) -> None:
        """Count an answer that cannot be applied as a failure of its hook."""
        key = (answer.call.kind, answer.call.job)
        self._running[key] = answer.call
        self.answered(answer, now)

    def settle(self, key: Key) -> None:
        """An answer has been written, or counts no more."""
        self._answers.pop(key, None)

    def abandon(self, key: Key) -> None:
        """A hook that was asked for will not run."""
        self._running.pop(key, None)

    def forget(self, job: JobId) -> None:
        """A job has left. Answers of its hooks that still run are ignored."""
        for kind in Kind:
            self._answers.pop((kind, job), None)
            self._pauses.pop((kind, job), None)

    def translating(self) -> Iterator[HookCall]:
        """The jobs that are on their way to a route: their hooks run, or have answered."""
        for call in (*self._running.values(), *(answer.call for answer in self._answers.values())):
            if call.kind is Kind.TRANSLATE and call.before is None:
                yield call

    def due(self, now: int) -> list[JobId]:
        """Copies whose hooks have waited for long enough."""
        return [job for (kind, job), (until, _) in self._pauses.items() if kind is Kind.CLEANUP and until <= now]


def read(call: HookCall, out: bytes) -> Answer:
    """Reads what a hook printed: a ``Name = expression`` a line."""
    texts: dict[str, tuple[str, str]] = {}
    for line in out.decode("utf-8", "surrogateescape").split("\n"):
        if not line.strip():
            continue
        pair = split_line(line)
        if pair is None or not is_valid(pair[1]):
            return Answer(call, (), f"printed what is no attribute: {line.strip()[:200]!r}")
        texts[pair[0].lower()] = pair
    if call.kind is Kind.TRANSLATE and not {"cmd", "iwd"} <= texts.keys():
        return Answer(call, (), "printed no job: one has Cmd and Iwd")
    return Answer(call, tuple(texts.values()))


def translation_input(route: str, universe: int, grid_resource: str, job: ClassAd) -> str:
    """Input of TRANSLATE_JOB: the route, then the job."""
    resource = f"GridResource = {quote_string(grid_resource)}; " if grid_resource else ""
    head = f"[ Name = {quote_string(route)}; {resource}TargetUniverse = {universe} ]"
    return f"{head}{_BETWEEN}{sorted_lines(job.text_items())}"


def finalizing_input(job: ClassAd, copy: ClassAd) -> str:
    """Input of JOB_FINALIZE: the job, then its copy."""
    return f"{sorted_lines(job.text_items())}{_BETWEEN}{sorted_lines(copy.text_items())}"


def changes(job: JobId, ad: ClassAd, answer: Answer) -> list[Change]:
    """The records of what a hook printed about a job; what is guarded stays as it is."""
    return [
        set_text(job, name, text)
        for name, text in answer.texts
        if name.lower() not in GUARDED and ad.text(name) != text
    ]


def model(ad: ClassAd, answer: Answer) -> ClassAd:
    """The job that TRANSLATE_JOB printed, with what it has no say about as it is in the job's ad."""
    made = ClassAd.from_text_items(pair for pair in answer.texts if pair[0].lower() not in GUARDED)
    made.set_texts((name, text) for name, text in ad.pairs() if name.lower() in GUARDED)
    return made


def differences(job: JobId, before: ClassAd, after: ClassAd) -> list[Change]:
    """The records that make the one ad the other, but for what is guarded."""
    names = {name.lower(): name for name, _ in (*before.pairs(), *after.pairs()) if name.lower() not in GUARDED}
    found: list[Change] = []
    for name in names.values():
        text = after.text(name)
        if text is None:
            found.append(delete(job, name))
        elif text != before.text(name):
            found.append(set_text(job, name, text))
    return found
