"""PBS: qsub, qstat and qdel of OpenPBS and PBS Professional."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from condor_py.batch.system import MANUALLY, Found, NotUnderstood, Order, any_of
from condor_py.model.gridjobs import Seen, Stand

_STANDS = {
    "Q": Stand.WAITS,
    "W": Stand.WAITS,
    "T": Stand.WAITS,
    "M": Stand.WAITS,
    "B": Stand.RUNS,
    "R": Stand.RUNS,
    "E": Stand.RUNS,
    "X": Stand.OVER,
    "F": Stand.OVER,
    "C": Stand.OVER,
    "H": Stand.HELD,
    "S": Stand.SUSPENDED,
    "U": Stand.SUSPENDED,
}
_AWAY = (
    "connection refused",
    "cannot connect to server",
    "pbs_iff",
    "could not connect",
    "no route to host",
    "timeout",
)
#: Exit status of a job that was deleted while it ran: 256 and the signal.
_SIGNALLED = 256


class Pbs:
    """Names of jobs may have 15 characters in old versions: a job has a digest of ours."""

    name = "pbs"
    variable = "PBS_JOBID"

    def job_name(self, name: str) -> str:
        """Fifteen characters, the first a letter."""
        return "htc_" + hashlib.sha256(name.encode()).hexdigest()[:11]

    def submit(self, order: Order) -> list[str]:
        """One chunk with all that the job asks for."""
        words = ["qsub", "-N", self.job_name(order.name), "-S", "/bin/sh", "-o", "/dev/null", "-e", "/dev/null"]
        words += ["-m", "n", "-r", "n", "-C", ""]  # -C: no line of the script is an option
        for option, value in (("-q", order.queue), ("-A", order.project)):
            if value:
                words += [option, value]
        chunk = f"select=1:ncpus={order.cpus}"
        chunk += f":mem={order.memory}mb" if order.memory else ""
        chunk += f":ngpus={order.gpus}" if order.gpus else ""
        words += ["-l", chunk]
        if order.runtime:
            words += ["-l", f"walltime={order.runtime}"]
        return [*words, *order.extra, order.script]

    def submitted(self, printed: str, order: Order) -> str:
        """``NUMBER.SERVER``."""
        number = printed.strip().splitlines()[-1].strip() if printed.strip() else ""
        if not number.partition(".")[0].rstrip("[]").isdigit():
            raise NotUnderstood(f"qsub printed no job id: {printed.strip()[:200]!r}")
        return number

    def looks(self, user: str, numbers: Iterable[str]) -> list[list[str]]:
        """All jobs, with those that have ended."""
        return [["qstat", "-x", "-f", "-F", "json"]]

    def looked(self, printed: str, command: list[str], user: str) -> list[Found]:
        """The object ``Jobs`` of the answer, which has everybody's: a job of the same name may be somebody else's."""
        try:
            jobs = json.loads(printed or "{}").get("Jobs", {})
        except (ValueError, AttributeError) as error:
            raise NotUnderstood(f"qstat printed no JSON: {error}") from None
        return [
            Found(str(job.get("Job_Name", "")), _seen(number, job))
            for number, job in jobs.items()
            if str(job.get("Job_Owner", "")).partition("@")[0] == user
        ]

    def cancel(self, number: str) -> list[str]:
        """qdel."""
        return ["qdel", number]

    def knows_nothing(self, printed: str) -> bool:
        """It has ended."""
        return any_of(printed, ("unknown job id", "job has finished", "invalid state"))

    def is_away(self, printed: str) -> bool:
        """The server does not answer."""
        return any_of(printed, _AWAY)


def _seen(number: str, job: Mapping[str, Any]) -> Seen:
    stand = _STANDS.get(str(job.get("job_state", "")), Stand.RUNS)
    comment, status = str(job.get("comment", "")), job.get("Exit_status", 0)
    if stand is Stand.OVER and "walltime" in comment.lower():
        return Seen(number, Stand.STOPPED, f"Job exceeded its time limit in the batch system (PBS: {comment})")
    if stand is Stand.OVER and type(status) is int and (status < 0 or status >= _SIGNALLED):
        return Seen(number, Stand.STOPPED, f"{MANUALLY} (PBS: {comment})" if comment else MANUALLY)
    return Seen(number, stand, comment if stand is Stand.HELD else "")
