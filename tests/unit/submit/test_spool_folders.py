"""Directories that condor_submit makes in the spool."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from condor_py.client import submission
from condor_py.client.submission import SubmittedCluster
from condor_py.lang.submit.factory import FactoryText
from condor_py.store.fs import RealFs


@pytest.mark.parametrize("mask", [0o777, 0o077, 0])
def test_no_umask_keeps_the_owner_out_of_a_new_folder(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        submission._make_folder(str(tmp_path / "12" / "0"))
    finally:
        os.umask(before)
    assert [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("12", "12/0")] == [0o755] * 2


def test_the_names_of_a_factorys_files_and_of_their_directory_are_on_the_medium(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once the cluster is committed a loss of power leaves its files where they are looked for."""
    flushed: dict[str, list[str]] = {}
    monkeypatch.setattr(RealFs, "sync_dir", lambda _, path: flushed.update({path: os.listdir(path)}))
    submission.save_factories(str(tmp_path), [SubmittedCluster(10_012, [], [], FactoryText("Cmd=a", "x\ny\n", 2))])
    files = ["condor_submit.10012.digest", "condor_submit.10012.items"]
    assert {path: sorted(names) for path, names in flushed.items()} == {
        str(tmp_path): ["12"], str(tmp_path / "12"): files
    }  # fmt: skip
