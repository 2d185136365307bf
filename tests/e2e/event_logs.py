"""What HTCondor's own reader makes of the event logs that a test has left."""

from __future__ import annotations

import re
from pathlib import Path

from condor_py.store.event_log import EventReader

_BEGINS = re.compile(r"\d{3} \(|<c>|\{\n")


def check_event_logs(directory: Path) -> None:
    """Reads every event log in a directory with ``htcondor2.JobEventLog`` where it is installed: it takes every event
    without an error, and finds the same ones as our reader.
    """
    try:
        import htcondor2
    except ImportError:
        return
    for path in sorted(directory.iterdir()):
        if not path.is_file() or path.stat().st_size == 0:
            continue
        with path.open(errors="replace") as file:
            if not _BEGINS.match(file.read(10)):
                continue
        # HTCondor calls every proc below 0 -1; those of stagings have numbers of their own.
        ours = [(event.number, event.cluster, max(event.proc, -1)) for event in EventReader(str(path)).read()]
        found = htcondor2.JobEventLog(str(path)).events(stop_after=0)
        theirs = [(int(event.type), event.cluster, event.proc) for event in found]
        assert theirs == ours, f"{path.name}: HTCondor reads {theirs}, we wrote {ours}"
