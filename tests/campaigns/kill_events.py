"""What history and event logs tell of the jobs that a pool has had."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

#: Events that tell nothing of runs.
_OTHERS = (3, 6, 14, 15, 21, 25, 26, 27, 28, 33, 40)


class History:
    """The records of a history file, as it grows."""

    def __init__(self, path: Path) -> None:
        self._path, self._offset = path, 0
        self._records: dict[str, list[dict[str, str]]] = {}

    def read(self) -> dict[str, list[dict[str, str]]]:
        """Attributes of each job, once for each record."""
        if not self._path.exists():
            return self._records
        with self._path.open("rb") as file:
            file.seek(self._offset)
            data = file.read()
        attributes: dict[str, str] = {}
        for line in data[: data.rfind(b"\n*** ") + 1].decode(errors="replace").splitlines():
            self._take(line, attributes)
        end = data.rfind(b"\n*** ")
        whole = data.find(b"\n", end + 1) + 1 if end >= 0 else 0
        if whole:
            self._take(data[end + 1 : whole].decode(errors="replace"), attributes)
            self._offset += whole
        return self._records

    def _take(self, line: str, attributes: dict[str, str]) -> None:
        if not line.startswith("*** "):
            name, _, value = line.partition(" = ")
            attributes[name] = value
            return
        job = f"{attributes['ClusterId']}.{attributes['ProcId']}"
        self._records.setdefault(job, []).append(dict(attributes))
        attributes.clear()


def told_events(logs: Iterable[Path]) -> dict[str, list[int]]:
    """The numbers of the events of each job that tell of its runs."""
    found: dict[str, list[int]] = {}
    for log in logs:
        text = log.read_text(errors="replace") if log.exists() else ""
        for number, cluster, proc in re.findall(r"^(\d{3}) \((\d+)\.(\d+)\.\d+\)", text, re.MULTILINE):
            if int(number) not in _OTHERS:
                found.setdefault(f"{int(cluster)}.{int(proc)}", []).append(int(number))
    return found
