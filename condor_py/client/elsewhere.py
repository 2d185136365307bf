"""The tools' way to the schedd of another pool: HTCondor's own Python module, in a process of its own.

That is ``machine/batch/remotepool.py``, as for grid jobs; GRIDMANAGER_CONDOR_CONFIG names its configuration.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from condor_py.lang.classad import ClassAd
from condor_py.machine.batch import remotepool
from condor_py.model.errors import CondorError
from condor_py.model.ids import JobId

if TYPE_CHECKING:
    from condor_py.client.pool import Pool

#: Seconds that the other schedd may take where no files are moved.
_PATIENCE = 300.0
_MOVE_FILES = ("queue", "fetch")
#: HTCondor's names of actions, by ours.
_ACTIONS = {
    "remove": "Remove", "removex": "RemoveX", "hold": "Hold", "release": "Release", "suspend": "Suspend",
    "continue": "Continue", "vacate": "Vacate", "vacate-fast": "VacateFast",
}  # fmt: skip
_NOT_FOUND = remotepool.OUTCOMES.index("NotFound")


class OtherSchedd:
    """The schedd ``name`` of the pool whose central manager is ``host``. For ``ping`` it may be another daemon, and
    without a name the first of its kind."""

    def __init__(self, pool: Pool, name: str, host: str) -> None:
        self.name, self.host = name, host
        self._shown = " of ".join(part for part in (name, host) if part) or "the other daemon"
        self._config = pool.config.path("GRIDMANAGER_CONDOR_CONFIG") or "ONLY_ENV"

    def ask(self, what: str, **fields: Any) -> Any:
        """Return the answer to a request. CondorError tells why there is none."""
        environment = {name: value for name, value in os.environ.items() if not name.upper().startswith("_CONDOR_")}
        line = json.dumps({"id": 1, "do": what, **fields}).encode()
        try:
            done = subprocess.run(
                [sys.executable, "-I", remotepool.__file__, self.name, self.host],
                input=line + b"\n",
                stdout=subprocess.PIPE,
                env={**environment, "CONDOR_CONFIG": self._config},
                timeout=None if what in _MOVE_FILES else _PATIENCE,
                check=False,
            )
            answer = json.loads(done.stdout)
        except (OSError, ValueError, subprocess.TimeoutExpired) as error:
            raise CondorError(f"Error: no answer about {self._shown}: {error}") from None
        if "error" in answer:
            raise CondorError(f"Error: {self._shown}: {answer['error']}")
        return answer["value"]

    def jobs(self, constraint: str = "true") -> list[ClassAd]:
        """The jobs in its queue. CondorError."""
        found = self.ask("jobs", constraint=constraint, attributes=[])
        return [ClassAd.from_text_items(items.items()) for items in found]

    def queue(self, text: str, appends: Sequence[str], queue: str, directory: str) -> tuple[int, int]:
        """Queues what a submit description says, with its input files: the cluster, and how many jobs. ``appends`` are
        lines that prevail, ``queue`` the words after the queue statement's first, "" for its own. CondorError."""
        cluster, count = self.ask("queue", text=text, appends=list(appends), queue=queue, directory=directory)
        return int(cluster), int(count)

    def act(self, action: str, jobs: Iterable[JobId] | str, reason: str, subcode: int | None) -> dict[JobId, int]:
        """Does something with jobs, or with those that a constraint chooses: the number of the outcome of each. The
        other schedd does not name those of a constraint. CondorError."""
        if action not in _ACTIONS:
            raise CondorError(f"Error: {action} is not possible in another pool")
        more = {"action": _ACTIONS[action], "reason": reason, "subcode": subcode or 0}
        if isinstance(jobs, str):
            counts = self.ask("act", constraint=jobs, **more)
            codes = [code for code, name in enumerate(remotepool.OUTCOMES) for _ in range(counts[name])]
            return {JobId(0, number): code for number, code in enumerate(codes)}
        found = {}
        for job in jobs:
            counts = self.ask("act", ids=[str(job)], **more)
            found[job] = next((code for code, name in enumerate(remotepool.OUTCOMES) if counts[name]), _NOT_FOUND)
        return found

    def edit(self, constraint: str, assignments: Mapping[str, str]) -> int:
        """Sets attributes of the jobs that a constraint chooses; how many these are. CondorError: none is set."""
        counts: list[int] = self.ask("edit", job=constraint, assignments=dict(assignments), undo=True)
        return min(counts)

    def ping(self, kind: str, address: str, words: Sequence[str]) -> list[ClassAd | str]:
        """Return, for each level or command, the ad of what was agreed on with a daemon, or why nothing was: that at
        ``address``, or of this ``kind`` (``Schedd``) with this name. CondorError."""
        found = self.ask("ping", type=kind, name=self.name, address=address, words=list(words))
        return [ClassAd.from_text_items(one["ad"].items()) if "ad" in one else str(one["error"]) for one in found]

    def fetch(self, constraint: str) -> None:
        """The output of the jobs that a constraint chooses comes to where their ads say. CondorError."""
        self.ask("fetch", job=constraint, directory=os.getcwd())
