"""condor_config_val: what HTCondor's does not have (lint, JSON, TOML, help about knobs, suggestions)."""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from condor_py.cli.entry import main

Run = Callable[..., tuple[int, str, str]]
CONFIG = """MAX_JOB_RUNNING = 10
NUM_CPUS = four
START = (Owner == "me"
SPOOL = $(LOCAL_DIR)/spool2
LOCAL_DIR = /pool
SCHEDD.SPOOL = /elsewhere
"""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    (tmp_path / "root").write_text(CONFIG)
    monkeypatch.setenv("CONDOR_CONFIG", str(tmp_path / "root"))

    def call(*argv: str) -> tuple[int, str, str]:
        code = main("condor_config_val", list(argv))
        out, err = capsys.readouterr()
        return code, out.replace(str(tmp_path), "DIR"), err.replace(str(tmp_path), "DIR")

    return call


def test_lint_shows_file_by_file_what_is_wrong(run: Run) -> None:
    code, out, err = run("-lint")
    lines = out.splitlines()
    assert code == 1
    assert lines[0] == "DIR/root"
    assert lines[1].split()[:3] == ["1", "warning", "MAX_JOB_RUNNING"]
    assert "MAX_JOBS_RUNNING" in lines[1]
    assert [line.split()[:3] for line in lines[2:]] == [["2", "error", "NUM_CPUS"], ["3", "error", "START"]]
    assert err == "2 errors, 1 warning\n"
    assert len({line.index(line.split()[3]) for line in lines[1:]}) == 1, "the columns are aligned"
    code, out, err = run("-lint", "MAX_JOB_RUNNING")
    assert (code, len(out.splitlines()), err) == (0, 2, "1 warning\n")
    assert run("-lint", "SPOOL") == (0, "", "nothing found\n")


def test_lint_for_programs(run: Run) -> None:
    code, out, err = run("-lint", "-json")
    found = json.loads(out)
    assert (code, err) == (1, "")
    assert [(one["severity"], one["knob"], one["line"]) for one in found[1:]] == [
        ("error", "NUM_CPUS", 2),
        ("error", "START", 3),
    ]
    assert found[0].keys() == {"severity", "knob", "file", "line", "message"}
    assert tomllib.loads(run("-lint", "-toml")[1])["finding"] == json.loads(run("-lint", "-json")[1])


def test_values_for_programs(run: Run) -> None:
    code, out, _ = run("-json", "spool", "NOSUCH")
    default = "$(LOCAL_DIR)/spool"
    spool = {"value": "/pool/spool2", "raw": "$(LOCAL_DIR)/spool2", "at": "DIR/root, line 4", "default": default}
    assert (code, json.loads(out)) == (1, {"SPOOL": spool, "NOSUCH": None})
    dump = json.loads(run("-dump", "-json")[1])
    assert dump["SPOOL"] == spool
    assert dump["SCHEDD.SPOOL"]["value"] == "/elsewhere"
    assert len(dump) > 400
    assert tomllib.loads(run("-dump", "-toml", "SPOOL$")[1])["SCHEDD.SPOOL"]["raw"] == "/elsewhere"


def test_help_about_a_knob(run: Run) -> None:
    code, out, err = run("-help-knob", "num_cpus")
    assert (code, err) == (0, "")
    assert out.startswith("NUM_CPUS\n  ")
    assert "\n  default: " in out
    assert "\n  type:    an integer" in out
    assert "\n  change:  with a restart of startd\n" in out
    assert "\n  change:  with condor_reconfig\n" in run("-help-knob", "NEGOTIATOR_INTERVAL")[1]
    assert run("-help-knob", "MAX_JOB_RUNNING") == (
        1,
        "",
        "Not a knob: MAX_JOB_RUNNING; did you mean MAX_JOBS_RUNNING?\n",
    )


def test_misspelled_names_and_options(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("SPOOLL") == (1, "", "Not defined: SPOOLL\n")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert run("SPOOLL") == (1, "", "Not defined: SPOOLL\nDid you mean SPOOL?\n")
    code, _, err = run("-dmup")
    assert (code, err.splitlines()[:2]) == (1, ["-dmup is not a valid argument", "Did you mean -dump?"])


def test_one_more_file_for_a_trial(run: Run, tmp_path: Path) -> None:
    (tmp_path / "trial").write_text("SPOOL = $(SPOOL)/trial\n")
    assert run("-reconfig", str(tmp_path / "trial"), "SPOOL")[1] == "/pool/spool2/trial\n"
    assert run("-reconfig", "/no/such/file", "SPOOL") == (1, "", "ERROR: Can't read config source /no/such/file\n")
