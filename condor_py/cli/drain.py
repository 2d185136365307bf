"""condor_drain: empties this machine's startd, or cancels that."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, cast

from condor_py.cli.common import check_pool, handle_help_and_version
from condor_py.cli.options import Args, Opt, ToolSpec, UsageError, parse
from condor_py.cli.suggest import hint
from condor_py.lang.classad.exprtree import is_valid
from condor_py.model.errors import CondorError

if TYPE_CHECKING:
    from condor_py.client.pool import Pool
    from condor_py.model.messages.codec import Request
    from condor_py.model.messages.kinds import DrainHow, OnCompletion
    from condor_py.model.messages.machine import Draining

_HOW = "How"
_THEN = "When all jobs are gone"
_ON_COMPLETION: dict[str, OnCompletion] = {
    "resume-on-completion": "resume",
    "exit-on-completion": "exit",
    "restart-on-completion": "restart",
    "reconfig-on-completion": "reconfig",
}
_MISSING = "{tool}: '{spelling}' requires another argument"

_SPEC = ToolSpec(
    name="condor_drain",
    usage="[OPTIONS] machine",
    summary="Stop giving jobs to this machine and let those that run end.",
    positional="MACHINE",
    positional_help="a slot, the name of the startd, or the host; this machine when it is left out",
    description=(
        "Draining gives the startd no new jobs. Those that run get their retirement and their vacate time, unless "
        "you say otherwise. When all slots are empty the machine is Drained/Idle, until -cancel or one of the "
        "-on-completion options ends that. One drain can be on at a time; it concerns all slots of the startd, "
        "whichever of its names is given."
    ),
    sections=(
        (
            "HOW JOBS END",
            "-graceful  each job may run for its retirement time (MAXJOBRETIREMENTTIME, or less if the job says so)\n"
            "           and is then asked to end and has its vacate time for that. Until then -cancel undoes it all.\n"
            "-quick     jobs are asked to end at once, and have their vacate time.\n"
            "-fast      jobs are killed at once.\n"
            "Jobs that are evicted wait in the queue; the code of the eviction is 1014.",
        ),
        (
            "WHILE DRAINING",
            "Slots without a job are Drained/Retiring while others still have one. With -start (or the knob\n"
            "DEFAULT_DRAINING_START_EXPR) they take jobs for which the expression is true in place of START; when the\n"
            "last of the older jobs has ended these have to go, too, and their retirement time is 0. With -quick and\n"
            "-fast no job is let in.\n"
            "The ads show Draining, DrainReason, DrainingRequestId, LastDrainStartTime, LastDrainStopTime,\n"
            "TotalMachineDrainingBadput and TotalMachineDrainingUnclaimedTime (cpu-seconds), and at all times what a\n"
            "drain would cost now: ExpectedMachineGracefulDrainingCompletion and -Badput, and the same for Quick.\n"
            "A drain continues when the startd is restarted or dies; it ends with a boot of the machine.",
        ),
    ),
    options=(
        Opt("help", 1, help="this text"),
        Opt("version", 1, help="the version and the platform"),
        Opt("debug", 3, help="accepted; messages go to standard error in any case", colon="FLAGS"),
        Opt("verbose", 4, help="also print the id of the request"),
        Opt("pool", 1, "HOST", "the pool to ask; this machine is the only one", missing=_MISSING),
        Opt("cancel", 1, help="end the draining; jobs that were to retire continue", group=_HOW),
        Opt("fast", 1, help="kill the jobs", group=_HOW),
        Opt("quick", 1, help="give jobs their vacate time but no retirement", group=_HOW),
        Opt("graceful", 1, help="give jobs retirement and vacate time (the default)", group=_HOW),
        Opt("resume-on-completion", 1, help="take jobs again", group=_THEN),
        Opt("exit-on-completion", 2, help="end the startd and do not restart it", group=_THEN),
        Opt("restart-on-completion", 4, help="restart the startd", group=_THEN),
        Opt("reconfig-on-completion", 3, help="read the configuration and take jobs again", group=_THEN),
        Opt("reason", 3, "TEXT", "shown while draining as DrainReason", dash_value=True, missing=_MISSING),
        Opt("request-id", 3, "ID", "with -cancel: only if this is the request", dash_value=True, missing=_MISSING),
        Opt("check", 2, "EXPR", "drain only if EXPR is true for every slot", dash_value=True, missing=_MISSING),
        Opt(
            "start", 5, "EXPR", "while draining, let in jobs for which EXPR is true", dash_value=True, missing=_MISSING
        ),
    ),
    examples=(
        ("condor_drain -reason 'new disk' myhost", "drain, telling why"),
        ("condor_drain", "drain this machine"),
        ("condor_drain -cancel myhost", "take jobs again"),
        (
            "condor_drain -start 'TARGET.Interruptible =?= True' -resume-on-completion myhost",
            "make room for whole-machine jobs, and let interruptible ones use the time until then",
        ),
        ("condor_drain -quick -check 'TotalJobRunTime < 3600' myhost", "unless a job would lose more than an hour"),
    ),
    exit_status="0 on success, 1 when the startd refused or is not there, 2 when the command line is wrong.",
    unknown="ERROR: unexpected argument: {arg}",
    dash=False,
    usage_after=("missing", ""),
    see_also=("condor_status", "condor_off", "condor_vacate", "condor_update_machine_ad"),
)
SPECS = (_SPEC,)
_WRONG = 2


class _Refused(CondorError):
    """The startd said no, or did not answer."""


def main(argv: list[str]) -> int:
    """Run condor_drain."""
    try:
        args = parse(_SPEC, argv)
    except UsageError as error:
        error.exit_code = _WRONG if error.kind == "unknown" else 1
        raise
    if handle_help_and_version(args):
        return 0
    on_completion = _on_completion(args)
    _check(args, len(argv), on_completion)
    from condor_py.client.pool import open_pool
    from condor_py.model.messages.machine import CancelDrain, Drain

    pool = open_pool()
    check_pool(args, pool)
    name = _startd_of(pool, args.positional[0] if args.positional else pool.settings.host)
    if args.has("cancel"):
        _send(pool, name, "CANCEL_DRAIN_JOBS", CancelDrain(args.text("request-id")))
        sys.stdout.write(f"Sent request to cancel draining on {name}\n")
        return 0
    for condition in ("check", "start"):
        if not is_valid(text := args.text(condition) or "true"):
            hint(f"condor_drain: not an expression: {text}")
    how = args.last("fast", "quick", "graceful")
    if args.has("start") and how is not None and how.name != "graceful":
        hint(f"condor_drain: -start lets no job in with -{how.name}")
    request = Drain(
        how="graceful" if how is None else cast("DrainHow", how.name),
        reason=args.text("reason", ""),
        on_completion=on_completion,
        check=args.text("check", ""),
        start=args.text("start", ""),
    )
    answer = _send(pool, name, "DRAIN_JOBS", request)
    sys.stdout.write(
        f"Sent request to drain the startd {pool.settings.address} with {name}. This only affects the single startd; "
        "any other startds running on the same host will not be drained.\n"
    )
    if args.has("verbose") and answer.request_id:
        sys.stdout.write(f"\tRequest id: {answer.request_id}\n")
    return 0


def _on_completion(args: Args) -> OnCompletion:
    """Return the action at the end of the drain; UsageError when two are requested."""
    uses = [use for use in args.uses if use.name in _ON_COMPLETION]
    if len(uses) > 1:
        text = f"condor_drain: '{uses[1].spelling}' conflicts with previous use of '-{uses[0].name}'"
        raise UsageError(text, _SPEC, uses[1].name)
    return _ON_COMPLETION[uses[0].name] if uses else "nothing"


def _check(args: Args, count: int, on_completion: str) -> None:
    """The rules about what goes with what: at most one machine, at the end; errors exit 2."""
    last = args.uses[-1] if args.positional else None
    if len(args.positional) > 1 or (last is not None and (last.name or last.position != count - 1)):
        raise _wrong("ERROR: must specify one target machine")
    if not args.has("cancel"):
        if args.has("request-id"):
            raise _wrong("ERROR: -request-id may only be used with -cancel")
        return
    if args.has("check"):
        raise _wrong("ERROR: -check may not be used with -cancel")
    if on_completion != "nothing":
        raise _wrong("ERROR: cannot use an -on-completion option with -cancel")
    if args.has("reason"):
        raise _wrong("ERROR: cannot use -reason with -cancel")


def _wrong(text: str) -> CondorError:
    error = CondorError(text)
    error.exit_code = _WRONG
    return error


def _startd_of(pool: Pool, target: str) -> str:
    """The name by which messages call the target, which must be a slot, a startd or a host of this pool."""
    wanted = target.lower()
    for ad in pool.ads("STARTD"):
        names = [ad.eval_str("Name", ""), ad.eval_str("Machine", "")]
        found = next((name for name in names if name.lower() == wanted), None)
        if found is not None:
            return found
    if "@" in target or wanted in (pool.settings.host.lower(), "localhost"):
        from condor_py.cli.idle_pool import with_remedy

        raise CondorError(with_remedy(f"ERROR: Can't find address for startd {target}", pool))
    raise CondorError(f"ERROR: unknown host {target}")


def _send(pool: Pool, name: str, command: str, request: Request[Draining]) -> Draining:
    """The startd's answer. _Refused, in HTCondor's words, when it says no or does not answer."""
    from condor_py.client.wire import WireError
    from condor_py.model.messages.codec import Refused

    first = f"Attempt to send {command} to startd {pool.settings.address} failed"
    try:
        answer = pool.ask("startd", request)
    except WireError:
        raise _Refused(f"{first}\nFailed to start {command} command to {name}") from None
    if not isinstance(answer, Refused):
        return answer
    if not answer.error_code:
        denied = f"{pool.user} may not: only root and the account that the startd runs as may drain it"
        why = denied if answer.error == "denied" else answer.error
        raise _Refused(f"{first}\nFailed to start {command} command to {name}: {why}")
    raise _Refused(
        f"{first}\nReceived failure from {name} in response to {command} request: error code "
        f"{answer.error_code}: {answer.error}"
    )
