"""The events of a job's log on its page, in each form that a log has."""

from __future__ import annotations

from pathlib import Path

import pytest

from condor_py.cli.web import userfiles
from condor_py.model.ids import JobId

TEXT = """000 (007.001.000) 2026-01-02 03:04:05 Job submitted from host: <127.0.0.1:9618>
...
006 (007.001.000) 2026-01-02 03:05:05 Image size of job updated: 100
\t12  -  MemoryUsage of job (MB)
\t11264  -  ResidentSetSize of job (KB)
...
001 (007.002.000) 2026-01-02 03:06:05 Job executing on host: <127.0.0.1:9618>
...
"""
XML = """<c>
    <a n="MyType"><s>SubmitEvent</s></a>
    <a n="EventTypeNumber"><i>0</i></a>
    <a n="EventTime"><s>2026-01-02T03:04:05</s></a>
    <a n="Cluster"><i>7</i></a>
    <a n="Proc"><i>1</i></a>
    <a n="Subproc"><i>0</i></a>
</c>
<c>
    <a n="MyType"><s>JobImageSizeEvent</s></a>
    <a n="EventTypeNumber"><i>6</i></a>
    <a n="EventTime"><s>2026-01-02T03:05:05</s></a>
    <a n="Cluster"><i>7</i></a>
    <a n="Proc"><i>1</i></a>
    <a n="Subproc"><i>0</i></a>
    <a n="MemoryUsage"><i>12</i></a>
</c>
"""


def _shown(path: Path, text: str) -> list[tuple[object, ...]]:
    path.write_text(text)
    return [
        (event["number"], event["title"], event["text"], event["memory"])
        for event in userfiles._events(str(path), JobId(7, 1))
    ]


def test_events_of_a_log_of_text(tmp_path: Path) -> None:
    assert _shown(tmp_path / "log", TEXT) == [
        (0, "Job submitted from host: <127.0.0.1:9618>", "", None),
        (6, "Image size of job updated: 100",
         "12  -  MemoryUsage of job (MB)\n11264  -  ResidentSetSize of job (KB)", 12),
    ]  # fmt: skip


def test_events_of_a_log_of_ads(tmp_path: Path) -> None:
    assert _shown(tmp_path / "log", XML) == [(0, "SubmitEvent", "", None), (6, "JobImageSizeEvent", "", 12)]


def test_the_end_of_a_long_log_begins_with_a_whole_event(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(userfiles, "_LOG", len(TEXT) - 10)
    assert [number for number, *_ in _shown(tmp_path / "log", TEXT)] == [6]
    monkeypatch.setattr(userfiles, "_LOG", len(XML) - 10)
    assert [number for number, *_ in _shown(tmp_path / "log", XML)] == [6]


def test_logs_that_cannot_be_read_have_none(tmp_path: Path) -> None:
    assert userfiles._events(str(tmp_path / "none"), JobId(7, 1)) == []
    assert _shown(tmp_path / "log", "") == []
