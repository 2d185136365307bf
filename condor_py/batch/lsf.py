"""LSF: bsub, bjobs, bkill."""

from __future__ import annotations

import re
from collections.abc import Iterable

from condor_py.batch.system import MANUALLY, Found, NotUnderstood, Order, any_of, minutes
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
_STOPPED = re.compile(r"TERM_(\w+)")


class Lsf:
    """IBM Spectrum LSF."""

    name = "lsf"
    variable = "LSB_JOBID"

    def job_name(self, name: str) -> str:
        """LSF takes any name."""
        return name

    def submit(self, order: Order) -> list[str]:
        """All cpus on one host."""
        words = ["bsub", "-J", order.name, "-cwd", order.directory, "-n", str(order.cpus), "-R", "span[hosts=1]"]
        words += ["-i", "/dev/null", "-o", "/dev/null", "-e", "/dev/null"]
        for option, value in (
            ("-q", order.queue),
            ("-P", order.project),
            ("-W", minutes(order.runtime)),
            ("-M", f"{order.memory}MB" if order.memory else ""),
            ("-R", f"rusage[mem={order.memory}MB]" if order.memory else ""),
            ("-gpu", f"num={order.gpus}" if order.gpus else ""),
        ):
            if value:
                words += [option, str(value)]
        return [*words, *order.extra, order.script]

    def submitted(self, printed: str, order: Order) -> str:
        """``Job <NUMBER> is submitted to ...``."""
        found = re.search(r"Job <(\d+)>", printed)
        if found is None:
            raise NotUnderstood(f"bsub printed no job id: {printed.strip()[:200]!r}")
        return found[1]

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

    def cancel(self, number: str) -> list[str]:
        """bkill."""
        return ["bkill", number]

    def knows_nothing(self, printed: str) -> bool:
        """It has ended."""
        return any_of(printed, ("already finished", "no matching job", "is not found"))

    def is_away(self, printed: str) -> bool:
        """No daemon of LSF answers."""
        return any_of(printed, _AWAY)


def _seen(number: str, state: str, reason: str) -> Seen:
    if state != "EXIT":
        return Seen(number, _STANDS.get(state, Stand.RUNS))
    stopped = _STOPPED.search(reason)
    if stopped is None:
        return Seen(number, Stand.OVER)
    if "RUNLIMIT" in stopped[1] or "CPULIMIT" in stopped[1]:
        return Seen(number, Stand.STOPPED, f"Job exceeded its time limit in the batch system (LSF: {stopped[0]})")
    return Seen(number, Stand.STOPPED, f"{MANUALLY} (LSF: {stopped[0]})")
