"""A log of one job: its head, and records of the job."""

from __future__ import annotations

from condor_py.model.record import NEW_AD, SET
from condor_py.store.adlog import Record

NOW = 1_795_245_119
HEAD = b"107 1 CreationTimestamp 5\n"
NEW = Record(NEW_AD, "1.0", "Job", "Machine")


def sets(name: str, text: str = "1") -> Record:
    return Record(SET, "1.0", name, text)
