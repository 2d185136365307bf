"""Directories that condor_submit makes in the spool."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from condor_py.client import submission


@pytest.mark.parametrize("mask", [0o777, 0o077, 0])
def test_no_umask_keeps_the_owner_out_of_a_new_folder(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        submission._make_folder(str(tmp_path / "12" / "0"))
    finally:
        os.umask(before)
    assert [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("12", "12/0")] == [0o755] * 2
