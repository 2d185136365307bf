"""A program of its own: connects to the schedd of another pool for a gridmanager, with HTCondor's own Python module.
For a second pool of this machine, which the path of its configuration names, that is condor_py's own module instead.

That module and ours have the same name, and it keeps state of its process: so this is a process of its own, which is
started in isolation (``python -I``) and imports nothing of condor_py. Requests come as lines of JSON, answers go as
lines of JSON: ``{"id": 1, "do": "jobs", ...}`` -> ``{"id": 1, "value": ...}``, or ``{"id": 1, "error": "...", "away":
true}``. ``away`` says that the schedd could not be reached, which has nothing to do with the job.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import sys
from collections.abc import Iterator
from typing import Any

_AWAY = (
    "connect", "locate", "timeout", "timed out", "authenticat", "communicat", "contact", "no response",
    "unable to query",
    "failed to fetch ads", "could not find", "read response", "end of message", "security",
)  # fmt: skip
#: The schedd's counts for an action, in the order of HTCondor's numbers; ``Total`` is before each in its answer.
OUTCOMES = ("Error", "Success", "NotFound", "BadStatus", "AlreadyDone", "PermissionDenied")
_NO_MODULE = "the Python package htcondor is not installed (pip install 'condor_py[grid]')"


class Failure(Exception):
    """An operation that failed; ``away``: the other pool could not be reached."""

    def __init__(self, text: str, away: bool = False) -> None:
        super().__init__(text)
        self.away = away


class Remote:
    """One schedd of one pool; it is looked for again after every failure, as it may have moved."""

    def __init__(self, schedd: str, pool: str) -> None:
        self.module: Any = None
        self.schedd, self.pool = schedd, pool
        if pool.startswith("/"):
            self._choose_own(pool)
        try:
            self.module = importlib.import_module("htcondor2")
        except ImportError:
            pass  # the caller gets the error
        self._found: Any = None

    def _choose_own(self, config: str) -> None:
        """Use condor_py's own module, with the configuration of a pool of this machine."""
        sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "bindings", "shims"))
        os.environ["CONDOR_CONFIG"], self.pool = config, ""

    def there(self) -> Any:
        """The schedd."""
        if self.module is None:
            raise Failure(_NO_MODULE)
        if self._found is None:
            collector = self.module.Collector(self.pool) if self.pool else self.module.Collector()
            ad = collector.locate(self.module.DaemonType.Schedd, self.schedd)
            if ad is None:
                raise Failure(f"cannot locate the schedd {self.schedd} in the pool {self.pool}", True)
            self._found = self.module.Schedd(ad)
        return self._found

    def forget(self) -> None:
        """Look for it again."""
        self._found = None

    def submit(self, request: dict[str, Any]) -> str:
        """Queues a job and brings its input there; its id. One whose input does not come is removed again."""
        os.chdir(request["directory"])
        schedd = self.there()
        made = schedd.submit(self.module.Submit(request["description"]), spool=True)
        job = f"{made.cluster()}.{made.first_proc()}"
        try:
            schedd.spool(made)
        except Exception:
            self.act({"action": "Remove", "ids": [job]})
            raise
        return job

    def queue(self, request: dict[str, Any]) -> list[int]:
        """Queues the jobs of a submit description and brings their input there: the cluster, and how many."""
        os.chdir(request["directory"])
        schedd = self.there()
        description = self.module.Submit(request["text"])
        for line in request["appends"]:  # HTCondor's own parser knows where the queue statement is
            name, _, value = line.partition("=")
            name = name.strip()
            description[f"MY.{name[1:].strip()}" if name.startswith("+") else name] = value.strip()
        if request["queue"]:
            description.setQArgs(request["queue"])
        made = schedd.submit(description, spool=True)
        schedd.spool(made)
        return [made.cluster(), made.num_procs()]

    def jobs(self, request: dict[str, Any]) -> list[dict[str, str]]:
        """The jobs that a constraint chooses: expressions by name."""
        found = self.there().query(constraint=request["constraint"], projection=request["attributes"])
        return [{name: str(ad.lookup(name)) for name in ad} for ad in found]

    def act(self, request: dict[str, Any]) -> dict[str, int]:
        """Does something with jobs, by their ids or a constraint; how many had which outcome. A job that is not there
        has left."""
        jobs = request["constraint"] if "constraint" in request else list(request["ids"])
        why = request.get("reason", ""), request.get("subcode", 0)  # the module passes over a reason that is no pair
        found = self.there().act(getattr(self.module.JobAction, request["action"]), jobs, why)
        counts = {name: int(found.get(f"Total{name}", 0)) for name in OUTCOMES}
        if counts["PermissionDenied"] and not counts["Success"]:
            raise Failure("permission denied")
        return counts

    def edit(self, request: dict[str, Any]) -> list[int]:
        """Attributes of a job, or of those that a constraint chooses; how many jobs got each.

        The module changes one attribute at a time. With ``undo`` what was changed before one that is refused is
        changed back.
        """
        schedd, assignments = self.there(), request["assignments"]
        if len(assignments) == 1 or not request.get("undo"):
            return [schedd.edit(request["job"], name, text) for name, text in assignments.items()]
        before = self._values(request["job"], list(assignments))
        counts: list[int] = []
        try:
            for name, text in assignments.items():
                counts.append(schedd.edit(request["job"], name, text))
        except Exception:
            for job, values in before:
                for name in list(assignments)[: len(counts)]:
                    with contextlib.suppress(Exception):  # of a job that has left meanwhile nothing is to be undone
                        schedd.edit(job, name, values.get(name.lower(), "undefined"))
            raise
        return counts

    def _values(self, job: str, names: list[str]) -> list[tuple[str, dict[str, str]]]:
        """The jobs that are chosen, and what they say of these names (in lower case)."""
        cluster, _, proc = job.partition(".")
        chosen = f"ClusterId == {cluster} && ProcId == {proc}" if cluster.isdigit() and proc.isdigit() else job
        if cluster.isdigit() and not proc:
            chosen = f"ClusterId == {cluster}"
        found = self.there().query(constraint=chosen, projection=["ClusterId", "ProcId", *names])
        return [
            (f"{ad['ClusterId']}.{ad['ProcId']}", {name.lower(): str(ad.lookup(name)) for name in ad}) for ad in found
        ]

    def ping(self, request: dict[str, Any]) -> list[dict[str, Any]]:
        """For each word the expressions of what was agreed on with a daemon (its address, or its type and name), or
        the reason why nothing was."""
        if self.module is None:
            raise Failure(_NO_MODULE)
        where = request["address"] or self._located(request["type"], request["name"])
        found: list[dict[str, Any]] = []
        for word in request["words"]:
            try:
                ad = self.module.ping(where, word)
                found.append({"ad": {name: str(ad.lookup(name)) for name in ad}})
            except Exception as error:
                found.append({"error": " ".join(str(error).split())})
        return found

    def _located(self, kind: str, name: str) -> Any:
        """The ad of a daemon; without a name that of the first of its kind. A collector is that of the pool."""
        collector, kinds = self.module.Collector(self.pool), self.module.DaemonType
        if kind in ("Any", "Collector"):
            kind, name = "Collector", ""
        sort = getattr(kinds, kind, None)
        if sort is None:
            raise Failure(f"no {kind} can be asked there")
        found = collector.locate(sort, name) if name else next(iter(collector.locateAll(sort)), None)
        if found is None:
            raise Failure("there is none in that pool", True)
        return found

    def fetch(self, request: dict[str, Any]) -> None:
        """The output of a job comes to where its ad says."""
        os.chdir(request["directory"])
        self.there().retrieve(request["job"])


def answer(remote: Remote, request: dict[str, Any]) -> dict[str, Any]:
    """Carry out a request and return its value, or the error and whether the other pool is unreachable."""
    try:
        handler = {
            "submit": remote.submit, "queue": remote.queue, "jobs": remote.jobs,
            "act": remote.act, "edit": remote.edit, "fetch": remote.fetch,
            "ping": remote.ping,
        }[request["do"]]  # fmt: skip
        return {"id": request["id"], "value": handler(request)}
    except Exception as error:
        remote.forget()
        text = " ".join(str(error).split()) or type(error).__name__
        away = error.away if isinstance(error, Failure) else any(word in text.lower() for word in _AWAY)
        return {"id": request["id"], "error": text, "away": away}


def lines() -> Iterator[str]:
    """The requests, as they come."""
    while line := sys.stdin.readline():
        yield line


def main() -> int:
    """``remotepool.py SCHEDD POOL``: until the requests end."""
    remote = Remote(sys.argv[1], sys.argv[2])
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what the module prints is no answer
    for line in lines():
        out.write(json.dumps(answer(remote, json.loads(line))) + "\n")
        out.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
