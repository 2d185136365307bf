"""condor_store_check: says what is wrong with a spool, and mends it when asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from condor_py.cli import entry
from condor_py.model.ids import JobId
from condor_py.store.check import check_spool
from condor_py.store.job_queue import JobQueue

GOOD = (
    '107 1 CreationTimestamp 1700000000\n105 \n101 0.0 Job Machine\n103 0.0 NextClusterNum 2\n106 \n'
    '105 \n101 01.-1 Job Machine\n103 01.-1 ClusterId 1\n103 01.-1 Cmd "/bin/true"\n'
    '103 01.-1 Owner "alice"\n103 01.-1 User "alice@example.net"\n103 01.-1 JobUniverse 5\n'
    '101 1.0 Job Machine\n103 1.0 ProcId 0\n103 1.0 JobStatus 1\n106 \n'
)  # fmt: skip


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CONDOR_CONFIG", "ONLY_ENV")
    monkeypatch.setenv("_CONDOR_LOCAL_DIR", str(tmp_path / "elsewhere"))
    return tmp_path / "job_queue.log"


def _run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, list[str]]:
    code = entry.main("condor_store_check", list(words))
    return code, capsys.readouterr().out.splitlines()


def test_a_good_spool(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log.write_text(GOOD)
    assert _run(capsys, str(log.parent)) == (0, [f"{log.parent}: nothing is wrong"])
    assert _run(capsys, "-repair", str(log.parent))[0] == 0
    assert log.read_text() == GOOD
    assert not list(log.parent.glob("*.damaged*"))


def test_a_record_cut_by_a_crash_is_not_wrong(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log.write_text(GOOD + "105 \n103 1.0 JobSta")
    assert _run(capsys, str(log.parent))[0] == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (GOOD.replace("103 1.0 ProcId 0\n", "103 1.0\n"), "line 14: it is no record: '103 1.0'"),
        (GOOD.replace("107 1 CreationTimestamp 1700000000\n", ""), "the first record is no 107"),
        (GOOD + "105 \n103 9.9 JobStatus 2\n106 \n", "a record for ad 9.9, which is not there"),
        (GOOD + "105 \n101 07.-1 Job Machine\n103 07.-1 ClusterId 7\n106 \n", "cluster 7 has no jobs"),
        (GOOD.replace("NextClusterNum 2", "NextClusterNum 1"), "NextClusterNum is 1, but there is a cluster 1"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_and_mended(log: Path, capsys: pytest.CaptureFixture[str], text: str, said: str) -> None:
    log.write_text(text)
    spool = str(log.parent)
    code, lines = _run(capsys, spool)
    assert code == 1
    assert [line.count(str(log)) for line in lines] == [1] * len(lines)
    assert any(said in line for line in lines)
    assert log.read_text() == text, "looking changes nothing"
    code, lines = _run(capsys, "-repair", spool)
    assert (code, lines[-1]) == (0, f"{spool}: nothing is wrong")
    job = JobQueue(str(log), readonly=True).job(JobId(1, 0))
    assert job is not None
    held = "is no record" in said  # a job of which a line is lost waits for a person
    assert (job.text("JobStatus"), job.text("Cmd")) == ("5" if held else "1", '"/bin/true"')
    copies = list(log.parent.glob("job_queue.log.damaged*"))
    assert [copy.read_text() for copy in copies] in ([], [text])
    assert _run(capsys, spool)[0] == 0


def test_a_spool_that_is_not_there(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert entry.main("condor_store_check", [str(log.parent / "none")]) == 2
    assert "is no directory; name the SPOOL directory" in capsys.readouterr().err


def test_it_tells_how_much_it_has_checked(log: Path) -> None:
    log.write_text(GOOD)
    record = 'ClusterId = 7\nProcId = 0\n*** Offset = 0 ClusterId = 7 ProcId = 0 Owner = "a" CompletionDate = 5\n'
    (log.parent / "history").write_text(record)
    heard: list[tuple[int, int]] = []
    assert check_spool(str(log.parent), told=lambda done, total: heard.append((done, total))) == []
    size = len(GOOD) + len(record)
    assert {total for _, total in heard} == {size}
    assert heard == sorted(heard)
    assert heard[-1] == (size, size)
