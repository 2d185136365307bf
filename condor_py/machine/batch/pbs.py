"""PBS: qsub, qstat and qdel of OpenPBS and PBS Professional, and those of Torque."""

from __future__ import annotations

import hashlib
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any

from condor_py.machine.batch.system import MANUALLY, BatchSystem, Found, NotUnderstood, OfOneVersion, Order, any_of
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
#: Substate of a job that was deleted while it ran, whatever its exit status.
_TERMINATED = 91
_STATUS = re.compile(r"-?[0-9]{1,9}")


class _Commands(ABC):
    """The common part of all variants. Names of jobs have at most 15 characters in old versions, so that a job's name
    is a digest of ours."""

    name = "pbs"
    variable = "PBS_JOBID"
    #: qsub leaves a process running for the next one, unless that is forbidden.
    _alone: tuple[str, ...] = ()

    def job_name(self, name: str) -> str:
        """Fifteen characters, the first a letter."""
        return "htc_" + hashlib.sha256(name.encode()).hexdigest()[:11]

    def submit(self, order: Order) -> list[str]:
        """One machine with all that the job asks for."""
        words = ["qsub", *self._alone, "-N", self.job_name(order.name), "-S", "/bin/sh"]
        words += ["-o", "/dev/null", "-e", "/dev/null"]
        words += ["-m", "n", "-r", "n", "-C", ""]  # -C: no line of the script is an option
        for option, value in (("-q", order.queue), ("-A", order.project), ("-l", self._request(order))):
            if value:
                words += [option, value]
        if order.runtime:
            words += ["-l", f"walltime={order.runtime}"]
        return [*words, *order.extra, order.script]

    @abstractmethod
    def _request(self, order: Order) -> str:
        """Return the resources that the job requests, as an argument of -l."""

    def submitted(self, printed: str, order: Order) -> str:
        """``NUMBER.SERVER``."""
        number = printed.strip().splitlines()[-1].strip() if printed.strip() else ""
        if not number.partition(".")[0].rstrip("[]").isdigit():
            raise NotUnderstood(f"qsub printed no job id: {printed.strip()[:200]!r}")
        return number

    def cancel(self, number: str) -> list[str]:
        """qdel."""
        return ["qdel", number]

    def knows_nothing(self, printed: str) -> bool:
        """It has ended."""
        return any_of(printed, ("unknown job id", "job has finished", "invalid state"))

    def is_away(self, printed: str) -> bool:
        """The server does not answer."""
        return any_of(printed, _AWAY)


class _OpenPbs(_Commands):
    """OpenPBS and PBS Professional since version 14."""

    _alone = ("-f",)
    #: Whether the server reports jobs that have ended; the server keeps them where ``job_history_enable`` is set.
    _options: tuple[str, ...] = ()

    @property
    def older(self) -> BatchSystem:
        """Torque, and PBS before version 14."""
        return _TORQUE

    def is_older(self, printed: str) -> bool:
        """qstat prints no JSON, or there is no resource ``select``."""
        return any_of(printed, ("invalid option -- 'f'", "illegal option -- f")) or _knows_no_select(printed)

    def _request(self, order: Order) -> str:
        chunk = f"select=1:ncpus={order.cpus}"
        chunk += f":mem={order.memory}mb" if order.memory else ""
        return chunk + (f":ngpus={order.gpus}" if order.gpus else "")

    def looks(self, user: str, numbers: Iterable[str]) -> list[list[str]]:
        """All jobs; it does not take the name of a user with the rest."""
        return [["qstat", *self._options, "-f", "-F", "json"]]

    def looked(self, printed: str, command: list[str], user: str) -> list[Found]:
        """The object ``Jobs`` of the answer, which has those of all users: a job of the same name may be another
        user's."""
        try:
            found = json.loads(printed or "{}")
        except (ValueError, RecursionError) as error:
            raise NotUnderstood(f"qstat printed no JSON: {error}") from None
        jobs = found.get("Jobs", {}) if isinstance(found, dict) else None
        if not isinstance(jobs, dict):
            raise NotUnderstood("qstat printed JSON without an object Jobs")
        return _of_user(((number, job) for number, job in jobs.items() if isinstance(job, dict)), user)


class Pbs(_OpenPbs):
    """One that keeps its history; with the others' commands where it does not."""

    _options = ("-x",)

    @property
    def older(self) -> BatchSystem:
        """Without history."""
        return _FORGETFUL

    def is_older(self, printed: str) -> bool:
        """There is no history, or no JSON."""
        return "not configured to maintain job history" in printed or super().is_older(printed)


class _Torque(_Commands, OfOneVersion):
    """Its answers are text: ``Job Id: NUMBER``, and indented lines ``ATTRIBUTE = VALUE``, folded at a tab."""

    def _request(self, order: Order) -> str:
        request = f"nodes=1:ppn={order.cpus}" + (f":gpus={order.gpus}" if order.gpus else "")
        return request + (f",mem={order.memory}mb" if order.memory else "")

    def looks(self, user: str, numbers: Iterable[str]) -> list[list[str]]:
        """All jobs; the server keeps those that have ended for a time."""
        return [["qstat", "-f"]]

    def looked(self, printed: str, command: list[str], user: str) -> list[Found]:
        """The jobs of a user."""
        jobs: dict[str, dict[str, Any]] = {}
        for line in printed.replace("\n\t", "").splitlines():
            if line.startswith("Job Id:"):
                job = jobs[line.partition(":")[2].strip()] = {}
            elif " = " in line and jobs:
                name, _, value = line.strip().partition(" = ")
                job[name] = int(value) if name == "exit_status" and _STATUS.fullmatch(value) else value
        for job in jobs.values():
            job["Exit_status"] = job.pop("exit_status", job.get("Exit_status", 0))
        return _of_user(jobs.items(), user)


_TORQUE = _Torque()
_FORGETFUL = _OpenPbs()


def _knows_no_select(printed: str) -> bool:
    lowered = printed.lower()
    return "select" in lowered and ("unknown resource" in lowered or "illegally formed" in lowered)


def _of_user(jobs: Iterable[tuple[str, Mapping[str, Any]]], user: str) -> list[Found]:
    return [
        Found(str(job.get("Job_Name", "")), _seen(number, job))
        for number, job in jobs
        if str(job.get("Job_Owner", "")).partition("@")[0] == user
    ]


def _seen(number: str, job: Mapping[str, Any]) -> Seen:
    stand = _STANDS.get(str(job.get("job_state", "")), Stand.RUNS)
    comment, status = str(job.get("comment", "")), job.get("Exit_status", 0)
    if stand is Stand.OVER and "walltime" in comment.lower():
        return Seen(number, Stand.STOPPED, f"Job exceeded its time limit in the batch system (PBS: {comment})")
    deleted = job.get("substate") == _TERMINATED or (type(status) is int and (status < 0 or status >= _SIGNALLED))
    if stand is Stand.OVER and deleted:
        return Seen(number, Stand.STOPPED, f"{MANUALLY} (PBS: {comment})" if comment else MANUALLY)
    return Seen(number, stand, comment if stand is Stand.HELD else "")
