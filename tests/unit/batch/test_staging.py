"""The streams of grid jobs that are files where the job runs: transfer_input, transfer_output, transfer_error."""

from __future__ import annotations

import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from condor_py.daemons.gridmanager.arcengine import ArcStager
from condor_py.daemons.gridmanager.host import Host
from condor_py.daemons.gridmanager.staging import Moved, Sandboxes, Stager, job_of
from condor_py.lang.classad import ClassAd
from condor_py.model.gridjobs import Ending
from condor_py.model.settings.starter import TransferSettings

NAME = "one"


class Way:
    """A job of ``top/home`` that goes there, runs as a batch system would run it, and comes back."""

    def __init__(self, top: Path, **more: object) -> None:
        self.home, self.there = top / "home", Sandboxes(str(top / "there"))
        self.home.mkdir()
        self.there.make()
        host = SimpleNamespace(access_point="here", transfer=TransferSettings(), log=print)
        self.host = cast("Host", host)
        bare = {
            "ClusterId": 7, "ProcId": 3, "Owner": "ann", "Iwd": str(self.home), "JobUniverse": 9, "Cmd": "/bin/sh",
            "TransferExecutable": False, "Arguments": "-c 'cat; echo out; echo err >&2'",
        }  # fmt: skip
        self.job = job_of(ClassAd(cast("Any", {**bare, **more})))

    @property
    def scratch(self) -> Path:
        return Path(self.there.of(NAME).scratch)

    def run(self) -> None:
        stager = Stager(self.host, self.there, "slurm", "JOB")
        assert isinstance(stager.stage_in(self.job, NAME), Moved)
        subprocess.run(["/bin/sh", self.there.script(NAME)], env={"JOB": "1"}, check=False, timeout=20)
        assert isinstance(stager.stage_out(self.job, NAME, Ending(exit_code=0)), Moved)

    def texts(self) -> dict[str, str]:
        return {path.name: path.read_text() for path in self.home.iterdir()}


def test_streams_travel(tmp_path: Path) -> None:
    way = Way(tmp_path, In="in", Out="out", Err="err")
    (way.home / "in").write_text("given\n")
    way.run()
    assert way.texts() == {"in": "given\n", "out": "given\nout\n", "err": "err\n"}


def test_input_that_is_there_already(tmp_path: Path) -> None:
    (tmp_path / "there.txt").write_text("was there\n")
    way = Way(tmp_path, In=str(tmp_path / "there.txt"), Out="out", TransferIn=False)
    way.run()
    assert not (way.scratch / "there.txt").exists()
    assert way.texts() == {"out": "was there\nout\n"}


def test_output_that_stays_there(tmp_path: Path) -> None:
    way = Way(tmp_path, Out=str(tmp_path / "kept.out"), Err="kept.err", TransferOut=False, TransferErr=False)
    way.run()
    assert way.texts() == {}
    assert (tmp_path / "kept.out").read_text() == "out\n"
    assert (way.scratch / "kept.err").read_text() == "err\n"


def test_one_file_for_both_streams_of_which_one_travels(tmp_path: Path) -> None:
    way = Way(tmp_path, Out="both", Err="both", TransferErr=False)
    way.run()
    assert way.texts() == {"both": "out\n"}
    assert (way.scratch / "both").read_text() == "err\n"


@pytest.mark.parametrize("brought", [True, False])
def test_streams_of_a_job_of_arc(tmp_path: Path, brought: bool) -> None:
    flags = dict.fromkeys(("TransferIn", "TransferOut", "TransferErr"), brought)
    way = Way(tmp_path, In="/data/in", Out="a/out", Err="a/err", **flags)
    program = ArcStager(way.host, way.there, "", "")._program(way.job, way.there.of(NAME), NAME)
    streams = (program.stdin, program.stdout, program.stderr)
    assert streams == (("in", "_condor_stdout", "_condor_stderr") if brought else ("/data/in", "a/out", "a/err"))
