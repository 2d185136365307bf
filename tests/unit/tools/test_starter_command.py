"""condor_starter -classad: what starters can do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from condor_py.cli.entry import main
from condor_py.lang.classad import ClassAd

MAIN = Path(__file__).resolve().parents[3] / "condor_py" / "__main__.py"


@pytest.fixture(autouse=True)
def knobs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A configuration with a test of two methods, of which one succeeds."""
    (tmp_path / "log").mkdir()
    (tmp_path / "execute").mkdir()
    (tmp_path / "there").write_text("x")
    (tmp_path / "config").write_text(
        f"LOCAL_DIR = {tmp_path}\nFILETRANSFER_PLUGINS =\nFILE_TEST_URL = file://{tmp_path}/there\n"
        "HTTP_TEST_URL = http://nonexistent.invalid/x\n"
        f"CONDOR_IDS = {os.geteuid()}.{os.getegid()}\n"
    )
    monkeypatch.setenv("CONDOR_CONFIG", str(tmp_path / "config"))
    return tmp_path


def test_methods_that_do_not_work_are_not_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main("condor_starter", ["-classad"]) == 0
    out, err = capsys.readouterr()
    ad = ClassAd.from_text_items(tuple(line.split(" = ", 1)) for line in out.splitlines())  # type: ignore[misc]
    methods = (ad.eval_str("HasFileTransferPluginMethods", "") or "").split(",")
    assert "file" in methods
    assert "http" not in methods
    assert methods[-2:] == ["s3", "gs"], "which go with https"
    assert ad.eval_bool("HasFileTransfer", False) is True
    assert "http://nonexistent.invalid/x download failed" in err


@pytest.mark.skipif(os.geteuid() != 0, reason="only root's programs run as another account")
def test_methods_are_tried_as_an_account_that_may_not_read_this_python(knobs: Path) -> None:
    with open(knobs / "config", "a") as config:
        config.write("CONDOR_IDS = 65534.65534\n")
    words = (sys.executable, "-I", "-S", str(MAIN), "condor_starter", "-classad")
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout != "") == (0, True), done.stderr
    assert "http://nonexistent.invalid/x download failed" in done.stderr


def test_nobody_runs_a_starter_by_hand(capsys: pytest.CaptureFixture[str]) -> None:
    assert main("condor_starter", []) == 1
    assert "the condor_startd starts its starters itself" in capsys.readouterr().err


def test_without_a_pool_it_says_so(knobs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (knobs / "log").rmdir()
    assert main("condor_starter", ["-classad"]) == 1
    assert capsys.readouterr().err == f"condor_starter: there is no directory {knobs}/log (LOG)\n"
