"""``condor_config_val -default`` of every name prints what HTCondor's prints, whatever default is in force here."""

from __future__ import annotations

from pathlib import Path

import pytest

from condor_py.cli.entry import main

RECORDED = [
    line.split("\t")
    for line in (Path(__file__).parent / "defaults.tsv").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]


@pytest.fixture(autouse=True)
def no_pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "condor_config").write_text("SPOOL = /elsewhere\nJOB_QUEUE_LOG =\n")
    monkeypatch.setenv("CONDOR_CONFIG", str(tmp_path / "condor_config"))


def test_every_default_is_printed_as_recorded(capsys: pytest.CaptureFixture[str]) -> None:
    defined = [(name, text[1:].replace("\\n", "\n")) for name, text in RECORDED if text != "-"]
    assert main("condor_config_val", ["-default", *(name for name, _ in defined)]) == 0
    assert capsys.readouterr().out == "".join(f"{text}\n" for _, text in defined)


def test_what_has_none_is_told_and_the_status_is_1(capsys: pytest.CaptureFixture[str]) -> None:
    missing = [name for name, text in RECORDED if text == "-"]
    assert main("condor_config_val", ["-default", "SPOOL", *missing]) == 1
    out, err = capsys.readouterr()
    assert out == "$(LOCAL_DIR)/spool\n"
    told = [line.removeprefix("Not defined: ").lower() for line in err.splitlines() if line.startswith("Not defined: ")]
    assert told == [name.lower() for name in missing]
