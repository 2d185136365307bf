"""The tools' way to the schedd of another pool: HTCondor's own Python module, in a process of its own.

That is ``batch/remotepool.py``, as for grid jobs; GRIDMANAGER_CONDOR_CONFIG names its configuration.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from condor_py.classad import ClassAd
from condor_py.model.errors import CondorError

if TYPE_CHECKING:
    from condor_py.access.pool import Pool

#: Seconds that the other schedd may take.
_PATIENCE = 300.0


class OtherSchedd:
    """The schedd ``name`` of the pool whose central manager is ``host``."""

    def __init__(self, pool: Pool, name: str, host: str) -> None:
        self.name, self.host = name, host
        self._config = pool.config.path("GRIDMANAGER_CONDOR_CONFIG") or "ONLY_ENV"

    def ask(self, what: str, **fields: Any) -> Any:
        """What comes of a request. CondorError tells why nothing does."""
        from condor_py.batch import remotepool

        environment = {name: value for name, value in os.environ.items() if not name.upper().startswith("_CONDOR_")}
        line = json.dumps({"id": 1, "do": what, **fields}).encode()
        try:
            done = subprocess.run(
                [sys.executable, "-I", remotepool.__file__, self.name, self.host],
                input=line + b"\n",
                stdout=subprocess.PIPE,
                env={**environment, "CONDOR_CONFIG": self._config},
                timeout=_PATIENCE,
                check=False,
            )
            answer = json.loads(done.stdout)
        except (OSError, ValueError, subprocess.TimeoutExpired) as error:
            raise CondorError(f"Error: no answer about {self.name} of {self.host}: {error}") from None
        if "error" in answer:
            raise CondorError(f"Error: {self.name} of {self.host}: {answer['error']}")
        return answer["value"]

    def jobs(self, constraint: str = "true") -> list[ClassAd]:
        """The jobs in its queue. CondorError."""
        found = self.ask("jobs", constraint=constraint, attributes=[])
        return [ClassAd.from_text_items(items.items()) for items in found]

    def queue(self, text: str, directory: str) -> tuple[int, int]:
        """Queues what a submit description says, with its input files: the cluster, and how many jobs. CondorError."""
        cluster, count = self.ask("queue", text=text, directory=directory)
        return int(cluster), int(count)
