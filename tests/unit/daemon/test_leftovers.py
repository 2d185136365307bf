"""What a killed startd and its children have left in EXECUTE is removed by the next."""

from __future__ import annotations

from pathlib import Path

import pytest

from condor_py.daemons.common.leftovers import clear_execute
from condor_py.daemons.common.loop import Loop
from condor_py.daemons.common.remover import Remover


def test_directories_of_trials_that_were_killed_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("condor_py.daemons.common.remover._PATIENCE", 60.0)  # none of the trees is large
    told, loop = list[str](), Loop()
    execute = tmp_path / "execute"
    for name in ("trial_7", "docker_test.x", "vm_test.x", "test_file_transfer.x", "of the administrator"):
        (execute / name / "files").mkdir(parents=True)
    clear_execute(str(execute), str(tmp_path / "log"), Remover(loop, told.append), told.append)
    assert [path.name for path in execute.iterdir()] == ["of the administrator"]
    assert len(told) == 4
    loop.close()
