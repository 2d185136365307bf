"""Records of runs: their form, rotation, files of single jobs; and the history by day and without environment."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from condor_py.lang.classad import ClassAd
from condor_py.model.errors import StoreError
from condor_py.model.ids import JobId
from condor_py.model.settings.history import HistorySettings
from condor_py.store.epochs import EPOCH, SPAWN, EpochWriter, RunRecord
from condor_py.store.history import HistoryWriter, backwards, history_files

NOW = 1_795_245_119
ROOT = Path(__file__).resolve().parents[3]


def record(kind: str, proc: int = 0, run: int = 0) -> RunRecord:
    items = [
        ("Owner", '"alice"'),
        ("ClusterId", "7"),
        ("ProcId", str(proc)),
        ("JobStatus", "2"),
        ("ClaimId", '"secret"'),
    ]
    return RunRecord(kind, JobId(7, proc), run, "alice", items)


def test_the_form_is_htcondors(tmp_path: Path) -> None:
    path = tmp_path / "epoch_history"
    EpochWriter(HistorySettings(epoch_path=str(path))).append([record(SPAWN)], NOW)
    assert path.read_text() == (
        'ClusterId = 7\nEpochAdType = "SPAWN"\nJobStatus = 2\nOwner = "alice"\nProcId = 0\nRunInstanceID = 0\n'
        f"EpochWriteDate = {NOW}\n"
        f'*** SPAWN ClusterId=7 ProcId=0 RunInstanceId=0 Owner="alice" CurrentTime={NOW}\n'
    )


def test_names_and_values_may_have_any_characters_and_none_is_told_twice(tmp_path: Path) -> None:
    path = tmp_path / "epoch_history"
    items = [("100 %s", '"50 %d"'), ("RunInstanceID", "7"), ("capability", '"secret"')]
    writer = EpochWriter(HistorySettings(epoch_path=str(path)))
    writer.append([RunRecord(EPOCH, JobId(7, 0), 2, "alice", items)], NOW)
    assert path.read_text().splitlines()[:-2] == ['100 %s = "50 %d"', 'EpochAdType = "EPOCH"', "RunInstanceID = 2"]


def test_a_record_behind_a_torn_line_begins_anew(tmp_path: Path) -> None:
    path = tmp_path / "epoch_history"
    path.write_text('Owner = "al')
    EpochWriter(HistorySettings(epoch_path=str(path))).append([record(SPAWN)], NOW)
    EpochWriter(HistorySettings(epoch_path=str(path))).append([record(SPAWN, 1)], NOW)
    lines = path.read_text().split("\n")
    assert lines[:2] == ['Owner = "al', "ClusterId = 7"]
    assert lines.count("ClusterId = 7") == 2
    assert "" not in lines[:-1]


def test_rotation_and_files_of_single_jobs(tmp_path: Path) -> None:
    path, single = tmp_path / "epoch_history", tmp_path / "runs"
    single.mkdir()
    writer = EpochWriter(
        HistorySettings(
            epoch_path=str(path), epoch_max_size=1000, epoch_rotations=1, epoch_directory=str(single)
        )
    )  # fmt: skip
    for run in range(20):
        writer.append([record(SPAWN, 1, run), record(EPOCH, 1, run)], NOW + run)
    files = history_files(str(path))
    assert len(files) == 2
    assert all(os.path.getsize(name) <= 1000 for name in files)
    kept = list(backwards(str(single / "job.runs.7.1.ads")))
    assert [item.fields()["RunInstanceId"] for item in kept[:3]] == ["19", "19", "18"]
    assert len(kept) == 40


def test_what_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="records of runs"):
        EpochWriter(HistorySettings(epoch_path=str(tmp_path / "no" / "x"))).append([record(SPAWN)], NOW)


def history_of(tmp_path: Path, *words: str) -> str:
    environment = {
        "PATH": "/usr/bin:/bin", "CONDOR_CONFIG": "ONLY_ENV", "HOME": str(tmp_path),
        "_CONDOR_JOB_EPOCH_HISTORY": str(tmp_path / "epoch_history"),
        "_CONDOR_JOB_EPOCH_HISTORY_DIR": str(tmp_path / "runs"), "_CONDOR_LOCAL_DIR": str(tmp_path),
    }  # fmt: skip
    program = [sys.executable, "-I", str(ROOT / "condor_py" / "__main__.py"), "condor_history", *words]
    done = subprocess.run(program, env=environment, capture_output=True, text=True, check=True, timeout=60)
    return done.stdout


def test_condor_history_reads_them(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    settings = HistorySettings(epoch_path=str(tmp_path / "epoch_history"), epoch_directory=str(tmp_path / "runs"))
    records = [record(kind, proc, run) for proc in (0, 1) for run in (0, 1) for kind in (SPAWN, EPOCH)]
    EpochWriter(settings).append(records, NOW)
    wanted = ["-af", "ProcId", "RunInstanceID", "EpochAdType"]
    assert history_of(tmp_path, "-epochs", *wanted) == "1 1 EPOCH\n1 0 EPOCH\n0 1 EPOCH\n0 0 EPOCH\n"
    assert history_of(tmp_path, "-epochs", "-type", "spawn", "7.1", *wanted) == "1 1 SPAWN\n1 0 SPAWN\n"
    assert history_of(tmp_path, "-epochs", "-type", "all", "-limit", "2", *wanted) == "1 1 EPOCH\n1 1 SPAWN\n"
    oldest = history_of(tmp_path, "-epochs", "-directory", "-forwards", *wanted).splitlines()
    assert oldest[:3] == ["0 0 SPAWN", "0 0 EPOCH", "0 1 SPAWN"]  # forwards, all kinds, as HTCondor
    history_of(tmp_path, "-epochs:d", "-directory", *wanted)
    assert list((tmp_path / "runs").iterdir()) == []


def job(cluster: int) -> ClassAd:
    items = [("ClusterId", str(cluster)), ("ProcId", "0"), ("Owner", '"a"'), ("Environment", '"A=1"'), ("Env", '"B=2"')]
    return ClassAd.from_text_items(items)


@pytest.mark.parametrize(("every", "files"), [("day", 3), ("month", 2), ("", 1)])
def test_a_history_of_every_day_or_month(tmp_path: Path, every: str, files: int) -> None:
    path = tmp_path / "history"
    writer = HistoryWriter(str(path), rotations=5)
    writer.every = every
    day = 86400
    for number, when in enumerate((NOW, NOW + 60, NOW + day, NOW + 20 * day)):
        writer.append([job(number)], when)
        os.utime(path, (when, when))
    assert len(history_files(str(path))) == files


def test_a_history_without_environment(tmp_path: Path) -> None:
    writer = HistoryWriter(str(tmp_path / "history"))
    writer.environment = False
    writer.append([job(1)], NOW)
    text = (tmp_path / "history").read_text()
    assert "Env" not in text
    assert "ClusterId = 1\n" in text
