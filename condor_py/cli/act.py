"""condor_rm, condor_hold, condor_release, condor_suspend, condor_continue and condor_vacate_job."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, NamedTuple

from condor_py.cli.common import HELP, VERSION, check_address, check_place, elsewhere, handle_help_and_version
from condor_py.cli.options import Args, Opt, ToolSpec, UsageError, parse
from condor_py.client.progress import ticking
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId
from condor_py.model.texts import as_integer

if TYPE_CHECKING:
    from condor_py.client.elsewhere import OtherSchedd
    from condor_py.client.pool import ActResult, Pool
    from condor_py.model.selection import Selection

_ERROR, _SUCCESS, _NOT_FOUND, _BAD_STATUS, _ALREADY_DONE, _DENIED, _LIMIT = range(7)
_RESULT_WORDS = ("Succeeded", "Failed", "Not Found", "Bad Status", "Already Done", "Permission Denied")
#: How many reasons a person reads at once.
_REASONS = 3
_RESULT_CODES = (_SUCCESS, _ERROR, _NOT_FOUND, _BAD_STATUS, _ALREADY_DONE, _DENIED)


class Words(NamedTuple):
    """The wording for one action; ``{job}`` is the job id. ``number`` is HTCondor's JobAction."""

    number: int
    verb: str
    one: str
    wrong_state: str
    already: str
    many: str


_ACTIONS: dict[str, Words] = {
    "remove": Words(3, "remove", "Job {job} marked for removal", "Job {job} already marked for removal",
                    "Job {job} already marked for removal", "marked for removal"),
    "remove-transfer": Words(10, "transfer and remove", "Job {job} marked for removal after file transfer",
                             "Job {job} already marked for removal", "Job {job} already marked for removal",
                             "marked for removal after file transfer"),
    "removex": Words(4, "remove", "Job {job} removed locally (remote state unknown)",
                     "Job {job} not in `X' state to be forcibly removed",
                     "Job {job} not in `X' state to be forcibly removed", "removed locally (remote state unknown)"),
    "hold": Words(1, "hold", "Job {job} held", "Job {job} already held", "Job {job} already held", "held"),
    "release": Words(2, "release", "Job {job} released", "Job {job} not held to be released",
                     "Job {job} not held to be released", "released"),
    "suspend": Words(8, "suspend", "Job {job} suspended", "Job {job} not running to be suspended",
                     "Job {job} already suspended", "suspended"),
    "continue": Words(9, "continue", "Job {job} continued", "Job {job} not running to be continued",
                      "Job {job} already running", "continued"),
    "vacate": Words(5, "vacate", "Job {job} vacated", "Job {job} not running to be vacated",
                    "Job {job} not running to be vacated", "vacated"),
    "vacate-fast": Words(6, "fast-vacate", "Job {job} fast-vacated", "Job {job} not running to be fast-vacated",
                         "Job {job} not running to be fast-vacated", "fast-vacated"),
}  # fmt: skip


_EXAMPLES = {
    "condor_rm": (
        ("condor_rm 12", "remove all jobs of cluster 12"),
        ("condor_rm 12.3 14", "remove job 12.3 and cluster 14"),
        ("condor_rm -constraint 'JobStatus == 5'", "remove your held jobs"),
        ("condor_rm -all", "remove all your jobs"),
    ),
    "condor_hold": (
        ("condor_hold 12", "put all jobs of cluster 12 on hold; running ones stop"),
        ("condor_hold -reason 'wrong input' 12.3", "record why"),
    ),
    "condor_release": (
        ("condor_release 12", "release all held jobs of cluster 12"),
        ("condor_release -constraint 'HoldReasonCode == 34'", "release the jobs that used too much memory or disk"),
    ),
    "condor_suspend": (("condor_suspend 12.3", "stop the processes of a running job"),),
    "condor_continue": (("condor_continue 12.3", "let them run again"),),
    "condor_vacate_job": (("condor_vacate_job 12.3", "let the job run again later, perhaps in another slot"),),
}


# ---- the six programs ---------------------------------------------------------------------------------------


def _spec(program: str, does: str, *own: Opt) -> ToolSpec:
    common = (
        Opt("debug", 1, help="accepted; messages go to standard error in any case", colon="FLAGS"),
        Opt("long", 1, help="print the result ad"),
        Opt("totals", 3, help="print how many jobs it worked for, and for how many not and why"),
        Opt("constraint", 1, "EXPR", "jobs for which EXPR is true", dash_value=True),
        Opt("all", 1, help="all your jobs (all jobs for a queue superuser)"),
        Opt("held", 3, help="with -all or users: only held jobs"),
        Opt("hold", 3, same_as="held"),
        Opt("addr", 2, "ADDR", "the schedd at this address"),
        Opt("reason", 1, "TEXT", "the reason to record", dash_value=True),
        *own,
        Opt("name", 1, "NAME", "the schedd to ask"),
        Opt("pool", 1, "HOST", "the pool of the schedd that -name names"),
        VERSION,
        HELP,
    )
    return ToolSpec(
        name=program,
        usage="[options] [constraints]",
        summary=f"{does[0].upper()}{does[1:]}.",
        positional="CLUSTER.PROC | CLUSTER | USER",
        positional_help="a job, all jobs of a cluster, or all jobs of a user",
        description="Every single job is reported on its own line, everything else once, after them.",
        options=common,
        examples=_EXAMPLES[program],
        exit_status="0 when the action worked for at least one job, else 1.",
        unknown="Unrecognized option: {arg}",
        dash=False,
        usage_after=("unknown", "usage"),
        see_also=("condor_q", "condor_submit"),
    )


_FORCE = Opt("forcex", 1, help="forget jobs that are marked for removal and do not go away")
_FAST = Opt("fast", 1, help="kill the jobs at once")
_SUBCODE = Opt("subcode", 1, "N", "the HoldReasonSubCode to record", dash_value=True)
_NO_SUBCODE = Opt("subcode", 1, "N", "accepted; only condor_hold records it", dash_value=True)
_TRANSFER = Opt("transfer", 2, help="bring the output of running jobs back before they are removed")

_RM = _spec("condor_rm", "remove jobs from the queue", _FORCE, _TRANSFER, _NO_SUBCODE)
_HOLD = _spec("condor_hold", "put jobs on hold", _SUBCODE)
_RELEASE = _spec("condor_release", "release held jobs", _NO_SUBCODE)
_SUSPEND = _spec("condor_suspend", "suspend running jobs", _NO_SUBCODE)
_CONTINUE = _spec("condor_continue", "continue suspended jobs", _NO_SUBCODE)
_VACATE = _spec("condor_vacate_job", "take running jobs off their machines, back into the queue", _FAST, _NO_SUBCODE)
SPECS = (_RM, _HOLD, _RELEASE, _SUSPEND, _CONTINUE, _VACATE)


def remove(argv: list[str]) -> int:
    """Run condor_rm."""
    return _run(_RM, "remove", argv)


def hold(argv: list[str]) -> int:
    """Run condor_hold."""
    return _run(_HOLD, "hold", argv)


def release(argv: list[str]) -> int:
    """Run condor_release."""
    return _run(_RELEASE, "release", argv)


def suspend(argv: list[str]) -> int:
    """Run condor_suspend."""
    return _run(_SUSPEND, "suspend", argv)


def resume(argv: list[str]) -> int:
    """Run condor_continue."""
    return _run(_CONTINUE, "continue", argv)


def vacate_job(argv: list[str]) -> int:
    """Run condor_vacate_job."""
    return _run(_VACATE, "vacate", argv)


# ---- what is asked ------------------------------------------------------------------------------------------


class Request(NamedTuple):
    """Single jobs, and one constraint for all the rest ("" for none) with the phrase that names it."""

    action: str
    jobs: tuple[JobId, ...]
    constraint: str
    phrase: str


def _run(spec: ToolSpec, action: str, argv: list[str]) -> int:
    args = parse(spec, argv)
    if handle_help_and_version(args):
        return 0
    request = _understand(args, action)
    subcode = _subcode(args)
    from condor_py.client.pool import open_pool

    pool = open_pool()
    other = elsewhere(args, pool)
    if other is not None:
        return _ReportElsewhere(args, pool, request, other).run(args.text("reason"), subcode)
    check_place(args, pool, f"{spec.name}: unknown host {{name}}")
    check_address(args, pool)
    return _Report(args, pool, request).run(args.text("reason"), subcode)


def _understand(args: Args, action: str) -> Request:
    if args.has("transfer"):
        action = "remove-transfer"
    if args.has("forcex"):
        action = "removex"
    if args.has("fast"):
        action = "vacate-fast"
    jobs: list[JobId] = []
    parts: list[tuple[str, str]] = []
    bad: list[str] = []
    for use in args.uses:
        if not use.name:
            _add_word(args, str(use.values[0]), jobs, parts, bad)
        elif use.name == "all":
            _check_all(args, use.position, bool(parts))
    for text in bad:
        sys.stderr.write(text + "\n")
    wants = [f"({text})" for text in args.texts("constraint")]
    if not (jobs or parts or wants or args.has("all") or args.has("held")):
        raise UsageError("You did not specify any jobs", args.spec, kind="usage")
    if args.has("held"):
        parts += [(f"(ClusterId == {job.cluster} && ProcId == {job.proc})", "") for job in jobs]
        jobs = []
    if wants and jobs and not parts:
        sys.stderr.write("Warning, -constraint is ignored for fully qualified job ids\n")
        wants = []
    elif wants and jobs:
        sys.stderr.write("Warning, -constraint is ignored for fully qualified job ids\n")
    constraint, phrase = _group(args, parts, wants)
    return Request(action, tuple(jobs), constraint, phrase)


def _check_all(args: Args, position: int, mixed: bool) -> None:
    if mixed or any(use.position < position for use in args.all("constraint")):
        raise CondorError(f"{args.spec.name}: can't mix -all with other constraints")
    if any(use.position > position and not use.name for use in args.uses):
        raise UsageError("", args.spec, kind="usage")


def _add_word(args: Args, word: str, jobs: list[JobId], parts: list[tuple[str, str]], bad: list[str]) -> None:
    match = re.fullmatch(r"(\d+)(?:\.(\d+))?", word)
    if match is None:
        parts.append((f'Owner == "{word}"', f' of user "{word}"'))
    elif as_integer(match[1]) == 0:
        bad.append(f"Invalid cluster # from {word}.")
    elif match[2] is not None:
        jobs.append(JobId(as_integer(match[1]), as_integer(match[2])))
    else:
        cluster = as_integer(match[1])
        parts.append((f"ClusterId == {cluster}", f" in cluster {cluster}"))


def _group(args: Args, parts: list[tuple[str, str]], wants: list[str]) -> tuple[str, str]:
    """The constraint for clusters, users and ``-constraint`` together, and how to name it."""
    held = args.has("held")
    if not parts and not wants:
        return ("JobStatus == 5" if held else "true" if args.has("all") else ""), ""
    named = " || ".join(constraint for constraint, _ in parts)
    if wants:
        whole = " && ".join([*wants, f"({named})"] if parts else wants)
        phrase = f" matching constraint {f'({whole})' if parts or len(wants) > 1 else whole}"
    else:
        whole = named
        phrase = (len(parts) == 1 and parts[0][1]) or f" matching constraint ({whole})"
    return (f"({whole}) && JobStatus == 5" if held else whole), phrase


def _subcode(args: Args) -> int | None:
    text = args.text("subcode")
    if text is None:
        return None
    if not re.fullmatch(r"-?\d+", text):
        raise CondorError(f"Invalid -subcode {text}!")
    return as_integer(text)


# ---- doing it and telling -----------------------------------------------------------------------------------


def told(action: str, job: JobId, result: int | None) -> tuple[str, bool]:
    """Return the result of an action on one job in HTCondor's words, and whether it worked. None: the job was not
    found."""
    words = _ACTIONS[action]
    if result == _SUCCESS:
        return words.one.format(job=job), True
    texts = {
        None: f"Job {job} not found",
        _NOT_FOUND: f"Job {job} not found",
        _BAD_STATUS: words.wrong_state.format(job=job),
        _ALREADY_DONE: words.already.format(job=job),
        _DENIED: f"Permission denied to {words.verb} job {job}",
        _LIMIT: f"Job {job} cannot be released again, has reached SYSTEM_MAX_RELEASES limit",
    }
    return texts.get(result, f"No result found for job {job}"), False


class _Report:
    """Performs a request and words its outcome: successes on stdout, failures on stderr at the end."""

    def __init__(self, args: Args, pool: Pool, request: Request) -> None:
        self.args = args
        self.pool = pool
        self.request = request
        self.words = _ACTIONS[request.action]
        self.complaint = ""
        self.failures: list[str] = []
        self.succeeded = False

    def _act(self, selection: Selection, reason: str | None, subcode: int | None) -> ActResult:
        with ticking(f"{self.args.spec.name}: changing the queue") as ticker:
            return self.pool.act(self.request.action, selection, reason, subcode, ticker.told)

    def run(self, reason: str | None, subcode: int | None) -> int:
        """Does it and says what became of it; the exit status."""
        from condor_py.model.selection import Selection

        request = self.request
        if request.jobs:
            done = self._act(Selection(ids=request.jobs), reason, subcode)
            self._details(done, single=True)
            for job in request.jobs:
                self._one(job, done.results.get(job, _NOT_FOUND))
        if request.constraint:
            self._constraint(reason, subcode)
        if self.failures:
            sys.stdout.flush()
            lead = "" if self.succeeded else self.complaint + "\n"
            sys.stderr.write(lead + "".join(line + "\n" for line in self.failures))
        return 0 if self.succeeded else 1

    def _constraint(self, reason: str | None, subcode: int | None) -> None:
        from condor_py.client.pool import ActResult
        from condor_py.lang.classad.exprtree import is_valid
        from condor_py.model.selection import Selection

        request = self.request
        if not is_valid(request.constraint):
            self.complaint = "DCSchedd::actOnJobs:1:Can't insert constraint into ClassAd"
            done = None
        else:
            done = self._act(Selection(constraint=request.constraint), reason, subcode)
            # The schedd of HTCondor asks only for jobs in a fitting state: of others it says nothing.
            kept = {job: code for job, code in done.results.items() if code != _BAD_STATUS}
            self._details(ActResult(kept), single=False)
        kind = " held" if self.args.has("held") else ""
        if done is not None and _SUCCESS in done.results.values():
            self.succeeded = True
            sys.stdout.write(f"All{kind} jobs{request.phrase} have been {self.words.many}\n")
        else:
            self.failures.append(f"Couldn't find/{self.words.verb} all{kind} jobs{request.phrase}")
            self._hint_at_reasons(done)

    def _hint_at_reasons(self, done: ActResult | None) -> None:
        """A person at a terminal hears why the jobs that were found are left as they are."""
        if done is not None and done.results and sys.stderr.isatty():
            reasons = [told(self.request.action, job, code)[0] for job, code in sorted(done.results.items())]
            more = f" and {len(reasons) - _REASONS} more" if len(reasons) > _REASONS else ""
            self.failures.append("; ".join(reasons[:_REASONS]) + more)

    def _one(self, job: JobId, result: int) -> None:
        text, worked = told(self.request.action, job, result)
        if worked:
            self.succeeded = True
            sys.stdout.write(text + "\n")
        else:
            self.failures.append(text)

    def _details(self, done: ActResult, *, single: bool) -> None:
        """``-long`` and ``-totals``."""
        if self.args.has("long"):
            sys.stdout.write(self._result_ad(done))
        if self.args.has("totals"):
            codes = [] if single else list(done.results.values())
            counts = [f"{codes.count(code)} {word}" for code, word in zip(_RESULT_CODES, _RESULT_WORDS, strict=True)]
            sys.stdout.write(", ".join(counts) + "\n")

    def _result_ad(self, done: ActResult) -> str:
        attributes = {
            "ActionResult": str(int(_SUCCESS in done.results.values())),
            "ActionResultType": "1",
            "IsQueueSuperUser": "true" if self.pool.is_superuser else "false",
            "JobAction": str(self.words.number),
            "TotalJobAds": str(sum(1 for _ in self.pool.read_queue().jobs())),
        }
        for job, result in done.results.items():
            attributes[f"job_{job.cluster}_{job.proc}"] = str(result)
        lines = [f"{name} = {attributes[name]}\n" for name in sorted(attributes)]
        return "".join(lines) + "\n"


class _ReportElsewhere(_Report):
    """The same in another pool."""

    def __init__(self, args: Args, pool: Pool, request: Request, other: OtherSchedd) -> None:
        super().__init__(args, pool, request)
        if args.has("long"):
            raise CondorError(f"{args.spec.name}: -long does not tell of another pool")
        self._other = other

    def _act(self, selection: Selection, reason: str | None, subcode: int | None) -> ActResult:
        from getpass import getuser

        from condor_py.client.pool import ActResult

        why = reason or f"via {self.args.spec.name} (by user {getuser()})"
        jobs = selection.ids if selection.ids else self.request.constraint
        return ActResult(self._other.act(self.request.action, jobs, why, subcode))
