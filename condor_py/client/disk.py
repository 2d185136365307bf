"""The disk on which output of jobs has to be before their end is reported."""

from __future__ import annotations

from condor_py.machine.run.medium import Medium
from condor_py.store.fs import RealFs

_FILES = RealFs()
DISK = Medium(_FILES.sync, _FILES.sync_dir)
