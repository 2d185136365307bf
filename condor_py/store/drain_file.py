"""The state of draining that the startd keeps from one run to the next: SPOOL/startd_drain, one small JSON object."""

from __future__ import annotations

import json
from typing import Any

from condor_py.model.errors import StoreError
from condor_py.store.fs import FileSystem, RealFs, describe, replace_file

#: The name of the file in the spool.
STARTD_DRAIN = "startd_drain"
_MODE = 0o644


class DrainFile:
    """The file; one process writes it."""

    def __init__(self, spool: str, fs: FileSystem | None = None) -> None:
        self.path = f"{spool}/{STARTD_DRAIN}"
        self._fs = fs if fs is not None else RealFs()

    def read(self) -> dict[str, Any]:
        """Return what was remembered; empty when there is nothing, or nothing that can be read."""
        try:
            with open(self.path, encoding="utf-8") as file:
                found = json.load(file)
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def write(self, remembered: dict[str, Any]) -> None:
        """Remembers; it is on the medium on return. StoreError when it cannot be written."""
        data = json.dumps(remembered, sort_keys=True).encode() + b"\n"
        try:
            replace_file(self._fs, self.path, data, _MODE, durable=True)
        except OSError as error:
            raise StoreError(describe(error, "cannot remember the draining", self.path)) from None
