"""Map files that knobs name; what they include lies beside them, wherever the process is."""

from __future__ import annotations

from pathlib import Path

import pytest

from condor_py.lang.config import load
from condor_py.lang.config.builders import usermaps
from condor_py.lang.config.builders.submit import submit
from condor_py.model.settings.submit import SubmitSettings

KNOB = "PROTECTED_URL_TRANSFER_MAPFILE"


@pytest.fixture
def map_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder, elsewhere = tmp_path / "etc", tmp_path / "elsewhere"
    folder.mkdir()
    elsewhere.mkdir()
    (folder / "urls").write_text("osdf /secret Tapes\n@include more\n")
    (folder / "more").write_text("osdf /slow Disks\n")
    monkeypatch.chdir(elsewhere)
    return folder / "urls"


def settings(path: str) -> SubmitSettings:
    return submit(load({"CONDOR_CONFIG": "ONLY_ENV", f"_CONDOR_{KNOB}": path}))


def test_protected_urls_are_those_of_the_file_and_what_it_includes(map_file: Path) -> None:
    queue_of = settings(str(map_file)).protected_urls
    assert queue_of is not None
    assert [queue_of("osdf", place) for place in ("/secret/a", "/slow/b", "/open/c")] == ["Tapes", "Disks", None]
    assert settings(str(map_file.with_name("missing"))).protected_urls is None


def test_a_file_may_be_named_from_where_the_process_is(map_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(map_file.parents[1])
    assert usermaps.of_file("etc/urls", prefixes=True).output("osdf", "/slow/b") == "Disks"
