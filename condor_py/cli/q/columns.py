"""The columns of condor_q's displays."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from condor_py.cli.output import renderers
from condor_py.cli.output.mask import Column, Renderer
from condor_py.cli.output.values import integer
from condor_py.lang.classad.ad import ClassAd
from condor_py.model.states import OF_SCHEDD, JobStatus

_WAITING = (1, 5, 9)


class Clock:
    """Data for the renderers of condor_q besides the ad: the time, and which time RUN_TIME means.

    ``schedd_host`` is where local and scheduler universe jobs run.
    """

    __slots__ = ("cpu", "cumulative", "now", "schedd_host")

    def __init__(self, now: int, *, cpu: bool = False, cumulative: bool = False, schedd_host: str = "") -> None:
        self.now = now
        self.cpu = cpu
        self.cumulative = cumulative
        self.schedd_host = schedd_host

    def run_time(self, value: Any, ad: ClassAd) -> int | None:
        """CPU_TIME: seconds of the current run (of all runs, of CPU time); nothing without RemoteUserCpu."""
        cpu = ad.eval_real("RemoteUserCpu")
        if cpu is None:
            return None
        if self.cpu:
            return int(cpu)
        server_time = ad.eval_int("ServerTime")
        if not server_time:
            return -1
        total = ad.eval_real("RemoteWallClockTime", 0.0) if self.cumulative else 0.0
        status = ad.eval_int("JobStatus")
        started = ad.eval_int("ShadowBday")
        if status in (JobStatus.RUNNING, JobStatus.TRANSFERRING_OUTPUT, JobStatus.SUSPENDED) and started:
            return int(total + server_time - started)
        if status in _WAITING and not self.cumulative:
            last = ad.eval_real("LastRemoteWallClockTime")
            return int(total if last is None else last)
        return int(total)

    def status(self, value: Any, ad: ClassAd) -> str | None:
        """JOB_STATUS with ``c`` second while a cool-down lasts."""
        text = renderers.job_status(value, ad)
        if text is not None and ad.eval_int("JobCoolDownExpiration", 0) > self.now:
            return text[0] + "c"
        return text

    def host(self, value: Any, ad: ClassAd) -> str | None:
        """REMOTE_HOST; local and scheduler universe show the schedd's host."""
        if self.schedd_host and ad.eval_int("JobUniverse") in OF_SCHEDD:
            return self.schedd_host
        return renderers.remote_host(value, ad)

    def renderers(self) -> dict[str, tuple[Renderer, str | None]]:
        """The names that condor_q's own renderers take in print-format files."""
        return {"CPU_TIME": (self.run_time, "%T"), "JOB_STATUS": (self.status, None), "REMOTE_HOST": (self.host, None)}


def _ids() -> list[Column]:
    return [
        Column("ClusterId", " ID", 5, "%4d.", suffix=False, truncate=True),
        Column("ProcId", " ", 3, "%-3d", prefix=False, truncate=True),
    ]


def _owner(alt: str = "??") -> Column:
    return Column("Owner", "OWNER", -14, render=renderers.owner, truncate=True, alt=alt)


def _date(source: str, heading: str, alt: str = "") -> Column:
    return Column(source, heading, 11, "%Y", moment, truncate=True, alt=alt)


def moment(value: Any, ad: ClassAd) -> int | None:
    """Render a time: whole seconds, which the format of the column shows."""
    return integer(value)


def _time(clock: Clock, alt: str = "") -> Column:
    heading = "    CPU_TIME" if clock.cpu else "    RUN_TIME"
    return Column("RemoteUserCpu", heading, 12, "%T", clock.run_time, truncate=True, alt=alt)


def _status(clock: Clock) -> Column:
    return Column("JobStatus", "ST", -2, render=clock.status, auto=True)


def _job_tail(clock: Clock) -> list[Column]:
    return [
        _date("QDate", "  SUBMITTED"),
        _time(clock),
        _status(clock),
        Column("JobPrio", "PRI", -3, "%v", auto=True),
        Column("ImageSize", "SIZE", 4, "%.1f", renderers.memory_usage, truncate=True),
        Column("Cmd", "CMD", 0, render=renderers.description),
    ]


def job_columns(clock: Clock) -> list[Column]:
    """``-nobatch``."""
    return [*_ids(), _owner(), *_job_tail(clock)]


def dag_columns(clock: Clock) -> list[Column]:
    """``-dag -nobatch``."""
    owner = Column("Owner", "OWNER/NODENAME", -17, render=renderers.dag_owner, truncate=True)
    return [*_ids(), owner, *_job_tail(clock)]


def run_columns(clock: Clock) -> list[Column]:
    """``-run``."""
    host = Column("Owner", "HOST(S)", 0, render=clock.host, alt="??")
    return [*_ids(), _owner(), _date("QDate", "  SUBMITTED", "??"), _time(clock, "??"), host]


def idle_columns(clock: Clock) -> list[Column]:
    """``-idle``."""
    return [
        *_ids(),
        _owner(),
        Column("JobUniverse", "UNIVERSE ", -9, render=renderers.universe, auto=True),
        Column("RequestCpus", "CPUS", -4, "%4d", auto=True),
        Column("RequestMemory", "MEMORY", -6, "%6d", auto=True),
        Column("NumShadowStarts?:0", "STARTS", -6, "%6d", auto=True),
        Column("LastRemoteHost", "LAST_HOST", 0, "%v"),
    ]


def _hold_codes() -> list[Column]:
    return [
        Column("HoldReasonCode", "CODE", -4, "%4d", auto=True, suffix=False, alt="?"),
        Column("HoldReasonSubCode", "/SUB", -4, "/%-3d", auto=True, prefix=False, alt=" "),
    ]


def hold_columns(clock: Clock) -> list[Column]:
    """``-hold``."""
    since = _date("EnteredCurrentStatus", "HELD_SINCE", "??")
    reason = Column("HoldReason", "HOLD_REASON", 0, "%v")
    return [*_ids(), _owner(), since, *_hold_codes(), reason]


def hold_code_columns(clock: Clock) -> list[Column]:
    """``-hold-codes``; the count replaces the cell of the fourth column."""
    return [
        _owner(),
        *_hold_codes(),
        Column("JobStatus", "   COUNT ", -9, "%9d", auto=True, alt="_"),
        Column("ClusterId", "OLDEST_JOB_ID", -13, render=renderers.job_id, auto=True),
        _date("EnteredCurrentStatus", "HELD_SINCE", "??"),
        Column("HoldReason", "HOLD_REASON", 0, "%v"),
    ]


def io_columns(clock: Clock) -> list[Column]:
    """``-io``; INPUT, OUTPUT and RATE are plain byte counts in 25.14."""
    transfers = [
        ("IfThenElse(JobUniverse==1,FileReadBytes,BytesRecvd)", " INPUT"),
        ("IfThenElse(JobUniverse==1,FileWriteBytes,BytesSent)", " OUTPUT"),
    ]
    rate = "IfThenElse(JobUniverse==1,FileReadBytes+FileWriteBytes,BytesRecvd+BytesSent)"
    return [
        *_ids(),
        _owner(),
        Column("IfThenElse(JobUniverse==1,NumCkpts_RAW,NumJobStarts)", "RUNS", -4, "%4d", auto=True, alt="?"),
        _status(clock),
        *(Column(source, heading, -len(heading), "%v", auto=True) for source, heading in transfers),
        Column(rate, " RATE", 10, "%10.10v", truncate=True),
        Column("JobUniverse", "MISC", -4, "%v", auto=True),
    ]


def grid_columns(clock: Clock) -> list[Column]:
    """``-grid``."""
    return [
        *_ids(),
        _owner(""),
        Column("GridJobStatus", "STATUS", -10, render=renderers.grid_status, truncate=True),
        Column("GridResource", "GRID->MANAGER    HOST", -27, render=renderers.grid_resource, truncate=True),
        Column("GridJobId", "GRID_JOB_ID", 0, render=renderers.grid_job_id),
    ]


def ec2_columns(clock: Clock) -> list[Column]:
    """``-grid:ec2``."""
    return [
        *_ids(),
        _owner(""),
        Column("GridJobStatus", "STATUS", -10, render=renderers.grid_status, truncate=True),
        Column("GridJobId", "INSTANCE ID", -11, render=renderers.grid_job_id, auto=True),
        Column("Cmd", "CMD", -3, "%s", auto=True),
    ]


def factory_columns(clock: Clock) -> list[Column]:
    """``-factory``."""
    counts = (
        ("JobMaterializeLimit", " LIMIT"), ("JobsPresent", "PRESNT"), ("JobsRunning", "  RUN "),
        ("JobsIdle", "  IDLE"), ("JobsHeld", "  HOLD"), ("JobMaterializeNextProcId", "NEXTID"),
    )  # fmt: skip
    return [
        *_ids(),
        _owner(),
        _date("QDate", "  SUBMITTED"),
        *(Column(source, heading, 6, "%6d", truncate=True) for source, heading in counts),
        Column("JobMaterializePaused?:JobFactoryPaused", "MODE", -4, render=renderers.factory_mode, auto=True, alt="_"),
        Column("JobMaterializeDigestFile", "DIGEST", -6, "%v", auto=True),
    ]


def autocluster_columns(clock: Clock) -> list[Column]:
    """``-autocluster``."""
    return [
        Column("AutoClusterId", "   ID", 5, "%5d", truncate=True),
        Column("JobCount", "COUNT", 5, "%5d", truncate=True),
        Column("JobUniverse", "UNIVERSE", -8, render=renderers.universe, truncate=True, alt="??"),
        Column("RequestCPUs", "CPUS", 4, "%4d", truncate=True, alt="??"),
        Column("RequestMemory", "MEMORY", 6, "%6d", truncate=True, alt="??"),
        Column("RequestDisk", "    DISK", 8, "%8d", truncate=True, alt="??"),
        Column("Requirements", "REQUIREMENTS", -12, "%r", auto=True),
    ]


def grouped(names: Iterable[str]) -> Display:
    """``-group-by``: the number of each group, its count, the attributes that its jobs agree in, and its jobs."""

    def columns(clock: Clock) -> list[Column]:
        return [
            Column("Id", "   ID", 5, "%5d"),
            Column("JobCount", "COUNT", 5, "%5d"),
            *(Column(name, name.upper(), -len(name), "%v", auto=True) for name in names),
            Column("JobIds", "JOB_IDS", 0, "%v"),
        ]

    return Display(columns, totals=False, standard=False)


def jobset_columns(clock: Clock) -> list[Column]:
    """``-jobset``."""
    counts = (
        ("NumCompleted", "COMPLETE", 8), ("NumRemoved", "REMOVED", 7), ("NumIdle", "   IDLE", 7),
        ("NumRunning", "RUNNING", 7), ("NumHeld", "   HELD", 7),
    )  # fmt: skip
    return [
        Column("JobSetId", "JOBSETID", 8, "%8d", truncate=True),
        Column("JobSetName", "NAME", -4, "%v", auto=True),
        Column("Owner", "OWNER", -5, render=renderers.owner, auto=True, alt="??"),
        *(Column(source, heading, width, f"%{width}d", truncate=True) for source, heading, width in counts),
    ]


class Display:
    """One of condor_q's tables: its columns, whether totals follow it, and the constraint it adds."""

    __slots__ = ("columns", "constraint", "standard", "totals")

    def __init__(
        self, columns: Callable[[Clock], list[Column]], *, totals: bool, constraint: str = "", standard: bool = True
    ) -> None:
        self.columns = columns
        self.totals = totals
        self.constraint = constraint
        self.standard = standard


_IO_ONLY = "JobUniverse==1 || TransferQueued=?=true || TransferringOutput=?=true || TransferringInput=?=true"
_FACTORIES = "(ProcId is undefined) && (JobMaterializeDigestFile isnt undefined)"

DISPLAYS: dict[str, Display] = {
    "jobs": Display(job_columns, totals=True),
    "dag": Display(dag_columns, totals=True),
    "run": Display(run_columns, totals=False),
    "hold": Display(hold_columns, totals=True),
    "hold-codes": Display(hold_code_columns, totals=False, standard=False),
    "idle": Display(idle_columns, totals=False),
    "io": Display(io_columns, totals=True, constraint=_IO_ONLY),
    "grid": Display(grid_columns, totals=False),
    "grid:ec2": Display(ec2_columns, totals=False, standard=False),
    "factory": Display(factory_columns, totals=False, constraint=_FACTORIES),
    "autocluster": Display(autocluster_columns, totals=False, standard=False),
    "jobset": Display(jobset_columns, totals=False, constraint="ProcId is undefined", standard=False),
}
