"""The history of a daemon's own ads."""

from __future__ import annotations

from pathlib import Path

import pytest

from condor_py.lang.classad import ClassAd
from condor_py.model.errors import StoreError
from condor_py.store.daemon_history import append_daemon_ad
from condor_py.store.history import history_files, records_newest_first


def test_records_are_appended_and_rotated(tmp_path: Path) -> None:
    path = str(tmp_path / "schedd_daemon_history")
    ad = ClassAd('[MyType = "Scheduler"; TotalRunningJobs = 3]')
    for now in (1000, 2000, 3000, 4000):
        append_daemon_ad(path, "SCHEDD", ad, now, max_size=200, rotations=1)
    assert (tmp_path / "schedd_daemon_history").read_text().splitlines()[-2:] == [
        "RecordWriteDate = 4000",
        "*** SCHEDD CurrentTime=4000",
    ]
    assert len(history_files(path)) == 2, "one rotated file is kept"
    found = list(records_newest_first(path))
    assert found[0].kind() == "SCHEDD"
    assert [record.ad().eval_int("RecordWriteDate") for record in found][:2] == [4000, 3000]


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot write"):
        append_daemon_ad(str(tmp_path / "no" / "file"), "SCHEDD", ClassAd(), 1, max_size=0, rotations=1)
