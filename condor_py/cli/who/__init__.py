"""condor_who: whose jobs run on this machine, and whether its daemons do."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from condor_py.cli.common import handle_help_and_version
from condor_py.cli.options import Args, Opt, ToolSpec, parse
from condor_py.cli.output import renderers
from condor_py.cli.output.mask import Column, Mask
from condor_py.cli.output.values import is_true, value_text
from condor_py.client.lockfile import lock_holder
from condor_py.client.pool import Pool
from condor_py.lang.classad import ClassAd
from condor_py.lang.classad.exprtree import is_valid
from condor_py.lang.classad.exprtree import parse as parse_expression
from condor_py.lang.classad.values import UNDEFINED
from condor_py.model.errors import CondorError
from condor_py.model.texts import as_integer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from condor_py.cli.output.printformat import PrintFormat
    from condor_py.client.pool import Pool


__all__ = ["SPECS", "main"]

_DAEMONS = "Daemons"
_WHERE = "Which startd"
_FORM = "Output"
_HINT = '\nUse "{tool} -help" for details'
_NEEDS_ATTRIBUTE = "Error: Argument {spelling} requires at least one attribute parameter" + _HINT

_OPTIONS = (
    Opt("help", 1, help="this text"),
    Opt("debug", 1, help="accepted; messages go to standard error in any case", colon="FLAGS"),
    Opt("daemons", 3, help="a table of the daemons: alive, pid, address", group=_DAEMONS),
    Opt("quickdaemons", 4, help="the readiness ad of the master", group=_DAEMONS),
    Opt("wait-for-ready", 4, "EXPR", "wait up to SECONDS until EXPR is true of the readiness ad", colon="SECONDS",
        group=_DAEMONS, dash_value=True, missing="Error: Argument {spelling} requires a requirements expression"),
    Opt("timed", 5, help="accepted; nothing is measured", hidden=True),
    Opt("address", 4, "ADDRESS", "the startd at this address", group=_WHERE,
        missing="Error: Argument -address requires a host address"),
    Opt("logdir", 3, "DIR", "the pool whose daemons log in DIR", group=_WHERE, takes="dir",
        missing="Error: Argument -logdir requires a directory"),
    Opt("pid", 3, "PID", "the startd with this process id", group=_WHERE,
        missing="Error: Argument -pid requires a process id parameter"),
    Opt("allpids", 2, help="every startd of this machine", group=_WHERE),
    Opt("wide", 1, help="do not cut rows (or cut them at N columns)", colon="N", group=_FORM),
    Opt("long", 1, help="whole ads", colon="FORM", group=_FORM),
    Opt("snapshot", 4, help="JOB_DIR is the scratch directory; -long has set-up, state and claim as ads of their own",
        colon="DETAIL", group=_FORM),
    Opt("statistics", 4, "SET:N", "accepted; all statistics are published", group=_FORM,
        missing="Error: Argument -statistics requires a value"),
    Opt("format", 1, "FMT EXPR", "print EXPR by a printf format; may be repeated", group=_FORM, dash_value=True,
        missing="Error: Argument -format requires format and attribute parameters"),
    Opt("autoformat", 5, "EXPR", "print values; LETTERS are of jlhVrTY,tng", colon="LETTERS", variadic=True,
        group=_FORM, missing=_NEEDS_ATTRIBUTE),
    Opt("af", 2, "EXPR", colon="LETTERS", variadic=True, same_as="autoformat", missing=_NEEDS_ATTRIBUTE),
    Opt("aaf", 3, "EXPR", "append columns to the table", colon="LETTERS", variadic=True, group=_FORM,
        missing=_NEEDS_ATTRIBUTE),
    Opt("print-format", 2, "FILE", "columns as a print-format file says", colon="...", group=_FORM, takes="file",
        missing="Error: -print-format requires a filename argument"),
    Opt("constraint", 3, "EXPR", "ads for which EXPR is true", group=_FORM, dash_value=True,
        missing="Error: -constraint requires an expression"),
    Opt("limit", 3, "N", "at most N ads", group=_FORM, missing="Error: -limit requires a number"),
    Opt("verbose", 4, help="also the log of each daemon", group=_DAEMONS),
    Opt("diagnostic", 4, help="accepted; nothing is measured", hidden=True),
    Opt("jobs", 3, help="the jobs instead of the slots", group=_FORM),
    Opt("startd", 6, help="the startd's own ad instead of the slots", group=_FORM),
)  # fmt: skip

SPEC = ToolSpec(
    name="condor_who",
    usage="[help-opt] [addr-opt] [display-opt]",
    summary="Show whose jobs run on this machine.",
    description=(
        "Reads what the startd has published. With -daemons, -quickdaemons or -wait-for-ready it tells about the "
        "daemons of the pool instead."
    ),
    options=_OPTIONS,
    examples=(
        ("condor_who", "running jobs with owner, slot, run time, pid and directory"),
        ("condor_who -daemons", "are the daemons alive?"),
        ("condor_who -wait:60 'IsReady && STARTD_State =?= \"Ready\"'", "wait until the pool can run jobs"),
    ),
    unknown="Error: {arg} is not a valid argument",
    dash=False,
    usage_after=(),
    see_also=("condor_status", "condor_q"),
)
SPECS = (SPEC,)


# The startds of this machine: where their pools keep what they publish.


@dataclass(frozen=True, slots=True)
class Place:
    """A startd: the directory of the ads of its pool, and its process id (0: it does not run)."""

    ads: str
    pid: int


def configured(pool: Pool) -> Place:
    """The startd of the configured pool."""
    return Place(pool.paths.ads, lock_holder(f"{pool.paths.lock}/startd.lock"))


def of_log_directory(pool: Pool, log: str) -> Place | None:
    """The pool that logs in a directory: the configured one, or one with the usual paths next to it."""
    if os.path.realpath(log) == os.path.realpath(pool.paths.log):
        return configured(pool)
    ads = f"{os.path.dirname(os.path.abspath(log))}/spool/ads"
    return Place(ads, lock_holder(f"{log}/startd.lock")) if os.path.isdir(ads) else None


def running(pool: Pool) -> list[Place]:
    """Every startd whose open files may be read: one's own processes, or all for root."""
    found = {}
    here = configured(pool)
    for name in os.listdir("/proc"):
        log = _startd_log(name) if name.isdigit() else None
        if log is None:
            continue
        place = of_log_directory(pool, log)
        if place is not None and place.pid and os.path.isdir(place.ads):  # starters hold the file open too
            found[place.pid] = place
    if here.pid:
        found[here.pid] = here
    return [found[pid] for pid in sorted(found)]


def _startd_log(pid: str) -> str | None:
    """The log directory of a process that is a startd of this package."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            words = file.read().split(b"\0")
        by_master = b"STARTD" in words and any(word.endswith(b"daemons/main.py") for word in words)
        if not by_master and b"condor_startd" not in words:
            return None
        for name in os.listdir(f"/proc/{pid}/fd"):
            target = os.readlink(f"/proc/{pid}/fd/{name}")
            if os.path.basename(target) == ".startd.lock":
                return os.path.dirname(target)
    except OSError:
        return None
    return None


def main(argv: list[str]) -> int:
    """Run condor_who."""
    args = parse(SPEC, argv)
    if handle_help_and_version(args):
        return 0
    chosen = _print_format(args)
    wanted = _constraint([*args.texts("constraint"), *(chosen.conditions if chosen is not None else ())])
    from condor_py.client.pool import open_pool

    pool = open_pool()
    if any(args.has(name) for name in ("daemons", "quickdaemons", "wait-for-ready", "verbose")):
        _check_open(pool)
    if args.has("daemons") or args.has("quickdaemons") or args.has("wait-for-ready"):
        return _daemons(args, pool)
    if args.has("verbose"):
        from condor_py.cli.who.daemons import logs

        sys.stdout.write(logs(pool))
    mask, framed = _mask(args, chosen)
    for place in _places(args, pool):
        _show(args, pool, place, wanted, mask, framed=framed)
    from condor_py.cli.idle_pool import say_when_nothing_runs

    say_when_nothing_runs(pool)
    return 0


def _check_open(pool: Pool) -> None:
    """Refuse to tell of daemons that cannot be seen: those of another account's pool. CondorError."""
    from condor_py.client.pool import why_closed

    if closed := why_closed(pool.paths):
        raise CondorError(closed)


def _print_format(args: Args) -> PrintFormat | None:
    """The columns and conditions of -print-format. CondorError where the file cannot be read."""
    path = args.text("print-format")
    if path is None:
        return None
    from condor_py.cli.output.printformat import read_print_format

    return read_print_format(path, _RENDERERS, width_is_format=False)


def _constraint(texts: Sequence[str]) -> Any:
    """All conditions together, None without any. CondorError for one that does not parse."""
    for text in texts:
        if not is_valid(text):
            raise CondorError(f"Error: could not parse constraint {text}")
    return parse_expression(" && ".join(f"({text})" for text in texts)) if texts else None


def _daemons(args: Args, pool: Any) -> int:
    from condor_py.cli.output.ads import write_ads
    from condor_py.cli.who import daemons

    if args.has("daemons") and not args.has("quickdaemons"):
        sys.stdout.write(daemons.table(pool))
        return 0
    text = args.text("wait-for-ready")
    seconds = args.colon("wait-for-ready") or "0"
    limit = float(seconds) if seconds.isdecimal() else 0.0
    ad = daemons.readiness(pool) if text is None else daemons.wait(pool, text, limit)
    mask = _custom(args)
    if ad is None:
        sys.stdout.write(daemons.gone(pool))
    elif mask.columns:
        row = mask.display(ad)  # before the heading, which is as wide
        sys.stdout.write(f"{mask.heading() if mask.has_headings() else ''}{row}\n")
    else:
        sys.stdout.write("".join(write_ads([ad], "long")))
    if args.has("daemons"):
        sys.stdout.write(daemons.table(pool))
    return 0


def _places(args: Args, pool: Any) -> list[Place]:
    address = args.text("address")
    if address is not None and not _is_address(address, pool.settings.address):
        raise CondorError(f"Error: communication error\nCEDAR:6001:Failed to connect to {address}")
    if args.has("logdir"):
        place = of_log_directory(pool, args.text("logdir", ""))
        if place is None:
            from condor_py.cli.suggest import hint

            hint(f"condor_who: {args.text('logdir')} is not the log directory of a pool")
        return [place] if place is not None else []
    if args.has("allpids"):
        return running(pool)
    if args.has("pid"):
        if not any(str(place.pid) == args.text("pid") for place in running(pool)):
            from condor_py.cli.suggest import hint

            hint(f"condor_who: no startd has the process id {args.text('pid')}")
        return [place for place in running(pool) if str(place.pid) == args.text("pid")]
    return [configured(pool)]


def _is_address(asked: str, ours: str) -> bool:
    """Whether both name the same host and port, with or without what follows them."""
    return asked.strip("<>").partition("?")[0] == ours.strip("<>").partition("?")[0]


def _ads(args: Args, pool: Any, place: Place) -> list[ClassAd]:
    from condor_py.store.ad_store import AdStore

    if place.ads == pool.paths.ads:
        pool.freshen()
    published = AdStore(place.ads).read("STARTD")
    daemon = [ad for ad in published if ad.eval_str("MyType") == "StartD"]
    if args.has("startd") and not (args.has("snapshot") and args.has("long")):
        return daemon
    slots = [ad for ad in published if ad.has("JobId") or (args.has("startd") and ad.has("SlotID"))]
    slots.sort(key=lambda ad: (ad.eval_int("SlotID", 0), ad.eval_int("DSlotId", 0)))
    if args.has("startd"):
        return [*daemon, *slots]
    return [_job(pool, slot) for slot in slots] if args.has("jobs") else slots


def _job(pool: Any, slot: ClassAd) -> ClassAd:
    """The ad of the job of a slot, with what the startd adds to it."""
    from condor_py.model.ids import JobId

    found = pool.read_queue().job(JobId.parse(slot.eval_str("JobId") or "0.0"))
    job: ClassAd = found.copy() if found is not None else ClassAd()
    for name in ("JobPid", "StarterPid"):
        text = slot.text(name)
        if text is not None:
            job.set_text(name, text)
    job.set_str("RemoteHost", slot.eval_str("Name", ""))
    return job


def _show(args: Args, pool: Any, place: Place, wanted: Any, mask: Mask, *, framed: bool) -> None:
    ads = [ad for ad in _ads(args, pool, place) if wanted is None or is_true(ad.raw(wanted))]
    limit = args.text("limit", "")
    if limit.isdecimal():
        ads = ads[: as_integer(limit)]
    whole = args.has("snapshot") and args.has("long") and not args.has("jobs")
    extras = _extras(pool) if whole and place.ads == pool.paths.ads and wanted is None else []
    if not ads and not extras:
        return
    if args.has("long"):
        from condor_py.cli.output.ads import form_of, write_ads

        form, in_order = form_of(args.colon("long"))
        shown = [*_snapshot(pool, ads, daemon=args.has("startd")), *extras] if whole else ads
        sys.stdout.write("".join(write_ads(shown, form, None, in_order)))
        return
    cells = [mask.cells(ad) for ad in ads]
    mask.max_width = _width(args)
    heading = mask.heading() if mask.has_headings() else ""
    rows = "".join(mask.row(row) for row in cells)
    if framed or heading:
        name = ads[0].eval_str("Name", None) or ads[0].eval_str("RemoteHost", "")
        host = name.partition("@")[2] or name
        pid = f" PID {place.pid}" if args.has("pid") or args.has("allpids") else ""
        title = "" if args.has("startd") else f"--Startd : {host}{pid} has {len(ads)} job(s) running:\n"
        rows = f"\n{title}{heading}{rows}\n"
    sys.stdout.write(rows)


def _extras(pool: Pool) -> list[ClassAd]:
    """Return what programs and jobs add to the slots' ads; empty where no startd runs."""
    from condor_py.client.wire import WireError
    from condor_py.model.messages.codec import Refused
    from condor_py.model.messages.machine import Extras

    try:
        answer = pool.ask("startd", Extras(), timeout=10.0)
    except WireError:
        return []
    found = []
    for name, pairs in () if isinstance(answer, Refused) else answer.ads:
        ad = ClassAd.from_text_items((str(key), str(text)) for key, text in pairs)
        ad.set_str("MyType", "Machine.Extra")
        ad.set_str("Name", name)
        found.append(ad)
    return found


def _snapshot(pool: Any, slots: list[ClassAd], *, daemon: bool) -> list[ClassAd]:

    found: list[ClassAd] = []
    for slot in slots:
        if not slot.has("SlotID"):
            found.append(slot)
        else:
            found += parts(slot, None if daemon else _job(pool, slot))
    return found


def _width(args: Args) -> int | None:
    from condor_py.cli.output.terminal import display_width

    if not args.has("wide"):
        width = display_width()
        return None if width is None else width - 1
    colon = args.colon("wide") or ""
    return as_integer(colon) - 1 if colon.isdecimal() and as_integer(colon) else None


def _custom(args: Args) -> Mask:
    """The columns of -af and -format. CondorError for expressions that do not parse."""
    from condor_py.cli.output.autoformat import add_columns

    mask = Mask()
    add_columns(mask, args.uses, "Error:  Parse error of: ")
    return mask


def _mask(args: Args, chosen: PrintFormat | None) -> tuple[Mask, bool]:
    """The columns, and whether they are a table of ours. CondorError for expressions that do not parse."""
    from condor_py.cli.output.autoformat import add_autoformat, first_bad

    mask = _custom(args)
    custom = bool(mask.columns)
    if chosen is not None:
        mask, custom = chosen.mask, True
    if not custom:
        mask = Mask(_table(args))
    for use in args.all("aaf"):
        if not add_autoformat(mask, use.values, use.colon, append=True):
            raise CondorError(f"Error:  Parse error of: {first_bad(use.values)}")
    return mask, not custom


def _table(args: Args) -> list[Column]:
    if args.has("startd"):
        return [_text("Name", "NAME"), _text("MyAddress", "ADDRESS")]
    if args.has("jobs"):
        return [
            _text("splitslotname(RemoteHost)[0]", "SLOT"),
            _text("User", "USER"),
            _text("JobPid", "PID"),
            _text("MemoryUsage ?: RequestMemory", "MEM_USE", renderers.readable(1048576.0)),
            _text("Cmd", "PROGRAM"),
        ]
    return [
        _text("RemoteOwner", "OWNER"),
        _text("ClientMachine", "CLIENT"),
        _text("SlotID", "SLOT", _slot_id),
        _text("JobId", "JOB"),
        Column("TotalJobRunTime", "  RUNTIME", 12, None, renderers.elapsed),
        _text("JobPid", "PID"),
        _text("JobPid", "JOB_DIR", _scratch if args.has("snapshot") else _directory),
    ]


def _text(source: str, heading: str, render: Any = None) -> Column:
    """A column that grows with its values."""
    return Column(source, heading, -len(heading), None, render or _plain, auto=True, alt=" ")


def _plain(value: Any, ad: ClassAd) -> str | None:
    """Blank for what the ad does not tell (yet)."""
    return None if value is UNDEFINED else value_text(value)


def _slot_id(value: Any, ad: ClassAd) -> str:
    """``1`` or, for a dynamic slot, ``1_2``."""
    number = ad.eval_int("SlotID", 0)
    dynamic = ad.eval_int("DSlotId")
    return f"{number}_{dynamic}" if dynamic else str(number)


def _directory(value: Any, ad: ClassAd) -> str | None:
    """Return the working directory of the job's program, if permitted."""
    try:
        return os.readlink(f"/proc/{ad.eval_int('JobPid') or 0}/cwd")
    except OSError:
        return None


def _scratch(value: Any, ad: ClassAd) -> str | None:
    """Return the scratch directory that the job's environment names."""
    try:
        with open(f"/proc/{ad.eval_int('JobPid') or 0}/environ", "rb") as file:
            words = file.read().split(b"\0")
    except OSError:
        return None
    mark = b"_CONDOR_SCRATCH_DIR="
    return next((os.fsdecode(word[len(mark) :]) for word in words if word.startswith(mark)), None)


def _program(value: Any, ad: ClassAd) -> str | None:
    """Return the command that the job runs, with its arguments."""
    try:
        with open(f"/proc/{ad.eval_int('JobPid') or 0}/cmdline", "rb") as file:
            words = file.read().split(b"\0")
    except OSError:
        return None
    return os.fsdecode(b" ".join(words).rstrip()) or None


_RENDERERS: dict[str, tuple[Any, str | None]] = {
    "SLOT_ID": (_slot_id, None),
    "JOB_PID": (lambda value, ad: ad.eval_int("JobPid"), "%d"),
    "JOB_DIR": (_directory, None),
    "JOB_DIRCMD": (lambda value, ad: _directory(value, ad) or _program(value, ad), None),
    "JOB_PROGRAM": (_program, None),
}


#: What of a slot's ad tells of the moment; all else is how the slot was set up.
_STATE = frozenset(
    """
    AcceptedWhileDraining ActivationRequests Activity CanHibernate ClaimEndTime ClaimRequests ClientMachine ClockDay
    ClockMin CondorLoadAvg ConsoleIdle CpusUsage CurrentRank DaemonCoreDutyCycle DetectedCpus DetectedMemory Disk
    DiskUsage EnteredCurrentActivity EnteredCurrentState ExecutableSize ExpectedMachineGracefulDrainingBadput
    ExpectedMachineGracefulDrainingCompletion ExpectedMachineQuickDrainingBadput
    ExpectedMachineQuickDrainingCompletion GlobalJobId HardwareAddress HibernationLevel HibernationState
    HibernationSupportedStates ImageSize IsSplittable IsWakeAble IsWakeOnLanEnabled IsWakeOnLanSupported JobId JobPid
    JobPreemptions JobRankPreemptions JobStart JobStarts JobUniverse JobUserPrioPreemptions KeyboardIdle LastBenchmark
    LastFetchWorkCompleted LastFetchWorkSpawned LoadAvg MemoryUsage NewDSlotNotMatch NextFetchWorkDelay NumPids
    PublicClaimId RecentActivationRequests RecentClaimRequests RecentDaemonCoreDutyCycle RecentJobPreemptions
    RecentJobRankPreemptions RecentJobStarts RecentJobUserPrioPreemptions RecentNewDSlotNotMatch RemoteAutoregroup
    RemoteNegotiatingGroup RemoteOwner RemoteScheddName RemoteUser ResidentSetSize RetirementTimeRemaining StarterPid
    State SubnetMask TimeToLive TotalClaimRunTime TotalCondorLoadAvg TotalJobRunTime TotalLoadAvg TotalSlots
    TotalTimeClaimedBusy TotalTimeOwnerIdle TotalVirtualMemory WakeOnLanEnabledFlags WakeOnLanSupportedFlags
    """.lower().split()
)
_BOTH = frozenset(("name", "mytype", "mycurrenttime", "hasvm"))


def parts(slot: ClassAd, claim: ClassAd | None) -> list[ClassAd]:
    """The ads of one slot, in HTCondor's order; ``claim`` is the ad of its job, None to leave that out."""
    items = slot.text_items()
    config = [item for item in items if item[0].lower() not in _STATE]
    state = [item for item in items if item[0].lower() in _STATE | _BOTH or item[0].lower().startswith("monitorself")]
    found = [slot]
    for kind, ad in (
        ("Config", ClassAd.from_text_items(config)), ("State", ClassAd.from_text_items(state)), ("Claim", claim),
    ):  # fmt: skip
        if ad is not None:
            ad.set_str("MyType", f"Slot.{kind}")
            found.append(ad)
    return found
