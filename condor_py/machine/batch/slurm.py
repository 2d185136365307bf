"""Slurm: sbatch, squeue, scancel."""

from __future__ import annotations

from collections.abc import Iterable

from condor_py.machine.batch.system import MANUALLY, Found, NotUnderstood, OfOneVersion, Order, any_of, minutes
from condor_py.model.gridjobs import Seen, Stand

_WAITS = ("PENDING", "CONFIGURING", "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "SPECIAL_EXIT", "RESV_DEL_HOLD")
_RUNS = ("RUNNING", "COMPLETING", "SIGNALING", "STAGE_OUT", "STOPPED", "RESIZING")
_STANDS = {
    **dict.fromkeys(_WAITS, Stand.WAITS),
    **dict.fromkeys(_RUNS, Stand.RUNS),
    "SUSPENDED": Stand.SUSPENDED,
    "COMPLETED": Stand.OVER,
    "FAILED": Stand.OVER,
}
_REASONS = {
    "CANCELLED": MANUALLY,
    "TIMEOUT": "Job exceeded its time limit in the batch system (Slurm: TIMEOUT)",
    "OUT_OF_MEMORY": "Job exceeded its memory limit in the batch system (Slurm: OUT_OF_MEMORY)",
}
#: Reasons that every job may have to wait: they are not reported.
_ORDINARY = ("", "None", "Priority", "Resources")
#: Why a job has FAILED that never began: nothing else reports its end.
_NEVER_BEGAN = ("BadConstraints", "JobLaunchFailure")
_AWAY = (
    "unable to contact slurm controller",
    "connection refused",
    "connection failure",
    "connection timed out",
    "socket timed out",
    "unable to connect",
    "zero bytes",
    "authentication error",
    "authentication plugin",
    "munge",
    "temporarily unable",
    "resource temporarily unavailable",
    "could not establish a configuration source",
    "unable to process configuration file",
)


class Slurm(OfOneVersion):
    """A number of another cluster is ``NUMBER@CLUSTER``; its jobs ask for it with ``batch_queue = QUEUE@CLUSTER``."""

    name = "slurm"
    variable = "SLURM_JOB_ID"

    def job_name(self, name: str) -> str:
        """Slurm takes any name."""
        return name

    def submit(self, order: Order) -> list[str]:
        """One task with as many cpus as the job asks for."""
        queue, _, cluster = order.queue.partition("@")
        words = ["sbatch", "--parsable", f"--job-name={order.name}", f"--chdir={order.directory}", "--ntasks=1"]
        words += ["--input=/dev/null", "--output=/dev/null", "--error=/dev/null", f"--cpus-per-task={order.cpus}"]
        for option, value in (
            ("--partition", queue),
            ("--clusters", cluster),
            ("--account", order.project),
            ("--time", minutes(order.runtime)),
            ("--mem", f"{order.memory}M" if order.memory else ""),
            ("--gres", f"gpu:{order.gpus}" if order.gpus else ""),
        ):
            if value:
                words.append(f"{option}={value}")
        return [*words, *order.extra, order.script]

    def submitted(self, printed: str, order: Order) -> str:
        """``NUMBER[;CLUSTER]``."""
        number, _, cluster = printed.strip().splitlines()[-1].partition(";") if printed.strip() else ("", "", "")
        if not number.isdigit():
            raise NotUnderstood(f"sbatch printed no job id: {printed.strip()[:200]!r}")
        return f"{number}@{cluster}" if cluster and "@" in order.queue else number

    def looks(self, user: str, numbers: Iterable[str]) -> list[list[str]]:
        """squeue, once a cluster."""
        clusters = sorted({number.partition("@")[2] for number in numbers} | {""})
        plain = ["squeue", "--noheader", "--states=all", f"--user={user}", "--format=%i|%T|%r|%j"]
        return [[*plain, f"--clusters={cluster}"] if cluster else plain for cluster in clusters]

    def looked(self, printed: str, command: list[str], user: str) -> list[Found]:
        """``ID|STATE|REASON|NAME`` lines."""
        cluster = command[-1].removeprefix("--clusters=") if command[-1].startswith("--clusters=") else ""
        found = []
        for line in printed.splitlines():
            if line.count("|") < 3:
                continue  # squeue names the cluster first
            number, state, reason, name = line.strip().split("|", 3)
            found.append(Found(name, _seen(f"{number}@{cluster}" if cluster else number, state, reason)))
        return found

    def cancel(self, number: str) -> list[str]:
        """scancel."""
        plain, _, cluster = number.partition("@")
        return ["scancel", *([f"--clusters={cluster}"] if cluster else []), plain]

    def knows_nothing(self, printed: str) -> bool:
        """Jobs that have ended are forgotten after some minutes (MinJobAge)."""
        return any_of(printed, ("invalid job id", "already completing or completed"))

    def is_away(self, printed: str) -> bool:
        """The controller or munge does not answer."""
        return any_of(printed, _AWAY)


def _seen(number: str, state: str, reason: str) -> Seen:
    stand, reason = _STANDS.get(state), reason.strip("()")
    if stand is Stand.WAITS and reason not in _ORDINARY:
        return Seen(number, stand, reason)
    if stand is not None and not (stand is Stand.OVER and reason in _NEVER_BEGAN):
        return Seen(number, stand)
    more = "" if reason in ("None", "") else f", {reason}"
    why = _REASONS.get(state, f"Job was ended by the batch system (Slurm: {state}{more})")
    return Seen(number, Stand.STOPPED, why)
