"""Every command of HTCondor is there, or the papers say why not."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from condor_py.cli.entry import PROGRAMS

ROOT = Path(__file__).resolve().parents[3]
CENSUS = runpy.run_path(str(ROOT / "tests" / "tools_census"))


def test_each_command_is_there_or_refused() -> None:
    names = set(CENSUS["LISTED"].read_text().split())
    assert names - set(PROGRAMS) - set(CENSUS["refused"]()) == set()
    assert not set(CENSUS["refused"]()) & set(PROGRAMS), "what is there is not refused"


def test_names_are_found_in_a_list_of_a_package(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    listed = tmp_path / "list"
    listed.write_text(
        "/.\n/usr/bin/condor_q\n/usr/libexec/condor/condor_kflops\n/usr/share/doc/condor_x\ncondor_rm.rst\n"
    )
    assert CENSUS["main"]([str(listed)]) == 0
    assert capsys.readouterr().out == "condor_kflops\tthere\ncondor_q\tthere\ncondor_rm\tthere\n"
    listed.write_text("/usr/sbin/condor_had\n/usr/bin/condor_nosuch\n")
    assert CENSUS["main"]([str(listed)]) == 1
    assert capsys.readouterr().out == "condor_had\tno second machine takes over\ncondor_nosuch\t?\n"
