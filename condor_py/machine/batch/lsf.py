"""LSF: bsub, bjobs, bkill; those of IBM Spectrum LSF, and those of older versions and OpenLava."""

from __future__ import annotations

import re
from collections.abc import Iterable

from condor_py.machine.batch.system import (
    MANUALLY,
    BatchSystem,
    Found,
    NotUnderstood,
    OfOneVersion,
    Order,
    any_of,
    minutes,
)
from condor_py.model.gridjobs import Seen, Stand

_STANDS = {
    "PEND": Stand.WAITS,
    "WAIT": Stand.WAITS,
    "PROV": Stand.WAITS,
    "RUN": Stand.RUNS,
    "DONE": Stand.OVER,
    "PSUSP": Stand.HELD,
    "USUSP": Stand.SUSPENDED,
    "SSUSP": Stand.SUSPENDED,
}
_AWAY = ("lsf is down", "cannot connect", "failed in an lsf library call", "please wait", "not responding")
_NO_JOB = ("already finished", "no matching job", "is not found", "no job found", "no unfinished job found")
#: bjobs without -o; bsub without units of memory (OpenLava's spelling).
_OLDER = ("invalid option -- 'o'", "illegal option -- o", "memlimt")
_STOPPED = re.compile(r"TERM_(\w+)")


class _Commands:
    """The common part of all versions."""

    name = "lsf"
    variable = "LSB_JOBID"

    def job_name(self, name: str) -> str:
        """LSF takes any name."""
        return name

    def submitted(self, printed: str, order: Order) -> str:
        """``Job <NUMBER> is submitted to ...``."""
        found = re.search(r"Job <(\d+)>", printed)
        if found is None:
            raise NotUnderstood(f"bsub printed no job id: {printed.strip()[:200]!r}")
        return found[1]

    def cancel(self, number: str) -> list[str]:
        """bkill."""
        return ["bkill", number]

    def knows_nothing(self, printed: str) -> bool:
        """It has ended."""
        return any_of(printed, _NO_JOB)

    def is_away(self, printed: str) -> bool:
        """No daemon of LSF answers."""
        return any_of(printed, _AWAY)


class Lsf(_Commands):
    """IBM Spectrum LSF, version 9 and later."""

    @property
    def older(self) -> BatchSystem:
        """Earlier versions, and OpenLava."""
        return _OLD

    def is_older(self, printed: str) -> bool:
        """An option or a unit that they do not know."""
        return any_of(printed, _OLDER)

    def submit(self, order: Order) -> list[str]:
        """All cpus on one host."""
        memory = f"{order.memory}MB" if order.memory else ""
        gpus = ["-gpu", f"num={order.gpus}"] if order.gpus else []
        return _submit(order, memory, f" rusage[mem={memory}]" if memory else "", gpus)

    def looks(self, user: str, numbers: Iterable[str]) -> list[list[str]]:
        """Those that have ended, too."""
        return [["bjobs", "-a", "-u", user, "-noheader", "-o", "jobid stat exit_reason job_name delimiter='|'"]]

    def looked(self, printed: str, command: list[str], user: str) -> list[Found]:
        """``ID|STATE|REASON|NAME`` lines."""
        found = []
        for line in printed.splitlines():
            if line.count("|") >= 3:
                number, state, reason, name = line.strip().split("|", 3)
                found.append(Found(name, _seen(number, state, reason)))
        return found


class _OldLsf(_Commands, OfOneVersion):
    """Memory is given in KB as a limit and in MB as a request, and the reason why a job was stopped is not reported."""

    def submit(self, order: Order) -> list[str]:
        """All cpus on one host."""
        requests = f" rusage[mem={order.memory}]" if order.memory else ""
        selects = f"select[ngpus>={order.gpus}] " if order.gpus else ""
        return _submit(order, str(order.memory * 1024) if order.memory else "", requests, [], selects)

    def looks(self, user: str, numbers: Iterable[str]) -> list[list[str]]:
        """Those that have ended, too; wide, for then no name is cut off."""
        return [["bjobs", "-a", "-w", "-u", user]]

    def looked(self, printed: str, command: list[str], user: str) -> list[Found]:
        """``ID USER STATE QUEUE FROM_HOST EXEC_HOST NAME MONTH DAY TIME`` lines; no name of ours has spaces."""
        rows = (line.split() for line in printed.splitlines())
        return [Found(row[-4], _seen(row[0], row[2], "")) for row in rows if len(row) >= 8 and row[0].isdigit()]


_OLD = _OldLsf()


def _submit(order: Order, limit: str, requests: str, more: list[str], selects: str = "") -> list[str]:
    """The job's own script goes into its directory. There is one -R, for older versions take the last one only."""
    words = ["bsub", "-J", order.name, "-n", str(order.cpus), "-R", f"{selects}span[hosts=1]{requests}"]
    words += ["-i", "/dev/null", "-o", "/dev/null", "-e", "/dev/null"]
    runtime = minutes(order.runtime)
    for option, value in (("-q", order.queue), ("-P", order.project), ("-W", str(runtime or "")), ("-M", limit)):
        if value:
            words += [option, value]
    return [*words, *more, *order.extra, order.script]


def _seen(number: str, state: str, reason: str) -> Seen:
    if state != "EXIT":
        return Seen(number, _STANDS.get(state, Stand.RUNS))
    stopped = _STOPPED.search(reason)
    if stopped is None:
        return Seen(number, Stand.OVER)
    if "RUNLIMIT" in stopped[1] or "CPULIMIT" in stopped[1]:
        return Seen(number, Stand.STOPPED, f"Job exceeded its time limit in the batch system (LSF: {stopped[0]})")
    return Seen(number, Stand.STOPPED, f"{MANUALLY} (LSF: {stopped[0]})")
