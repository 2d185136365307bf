"""What a killed startd and its children have left in EXECUTE is removed by the next."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from condor_py.daemons.common.leftovers import clear_execute
from condor_py.daemons.common.loop import Loop
from condor_py.daemons.common.remover import Remover
from condor_py.daemons.startd.containers import in_execute


@pytest.fixture
def short() -> Iterator[Path]:
    """A directory with a short name; the usual place for temporary files is another in the end."""
    usual = tempfile.tempdir
    with tempfile.TemporaryDirectory(dir="/tmp") as path:
        yield Path(path)
    tempfile.tempdir = usual


def test_directories_of_trials_that_were_killed_are_removed(
    short: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("condor_py.daemons.common.remover._PATIENCE", 60.0)  # none of the trees is large
    told, loop = list[str](), Loop()
    for kind in ("docker", "singularity", "java", "vm"):
        in_execute((str(short), "/other"), lambda name=kind: tempfile.mkdtemp(prefix=f"{name}_test."))()
    (short / "test_file_transfer.x").mkdir()
    (short / "of the administrator").mkdir()
    assert len(list(short.iterdir())) == 6
    clear_execute(str(short), str(tmp_path / "log"), Remover(loop, told.append), told.append)
    assert [path.name for path in short.iterdir()] == ["of the administrator"]
    assert len(told) == 5
    loop.close()


def test_a_trial_has_no_sockets_with_paths_that_are_too_long(short: Path) -> None:
    tempfile.tempdir = str(short)
    made = in_execute((f"/nowhere/{'x' * 60}",), lambda: tempfile.mkdtemp(prefix="vm_test."))()
    assert Path(made).parent == short
