"""The records of runs that were found again or given up."""

from __future__ import annotations

from pathlib import Path

from condor_py.core.jobs.effects import Reconnect
from condor_py.daemons.schedd.daemon import ReconnectLog
from condor_py.model.ids import JobId
from condor_py.model.settings.history import ReconnectSettings

LOST = Reconnect(JobId(7, 1), 100, 150, False, 160, 40, True)


def test_a_record_has_the_fields_of_htcondor_and_old_files_are_kept(tmp_path: Path) -> None:
    complaints: list[str] = []
    log = ReconnectLog(ReconnectSettings(str(tmp_path / "log"), 60, 2, "v1"), complaints.append)
    log.add(LOST)
    assert (tmp_path / "log").read_text() == "7.1,100,150,false,160,40,v1,true\n"
    for _ in range(7):
        log.add(LOST)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["log", "log.1", "log.2"]
    log.configure(ReconnectSettings(str(tmp_path / "missing" / "log")))
    log.add(LOST)
    assert "cannot write" in complaints[0]
