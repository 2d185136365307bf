"""What the kernel gives of the limits that a daemon is configured to have."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = """
import resource
from condor_py.lang.config import load
from condor_py.daemons.common.service import limit_resources
limit_resources(load({"CONDOR_CONFIG": "ONLY_ENV", "_CONDOR_KNOB": "VALUE"}), "SUBSYS", print)
print(*resource.getrlimit(resource.RLIMIT_NOFILE))
"""


def limited(subsystem: str, knob: str, value: int, soft: int, hard: int) -> list[str]:
    """The lines of a process that may not raise its hard limit of open files, even if it is root's."""
    program = PROGRAM.replace("SUBSYS", subsystem).replace("KNOB", knob).replace("VALUE", str(value))
    command = [sys.executable, "-c", program]
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("there is no setpriv here")
        command = ["setpriv", "--bounding-set", "-sys_resource", *command]
    return subprocess.run(
        command,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard)),
    ).stdout.splitlines()


@pytest.mark.parametrize(
    ("subsystem", "knob"), [("SCHEDD", "SCHEDD_MAX_FILE_DESCRIPTORS"), ("STARTD", "MAX_FILE_DESCRIPTORS")]
)
def test_a_hard_limit_below_the_knob_is_taken_and_told(subsystem: str, knob: str) -> None:
    assert limited(subsystem, knob, 20000, 256, 1000) == [
        f"WARNING: {knob} is 20000, but this process may have no more than 1000 open files: using 1000",
        "1000 1000",
    ]


def test_a_hard_limit_above_the_knob_is_kept() -> None:
    assert limited("SCHEDD", "SCHEDD_MAX_FILE_DESCRIPTORS", 777, 256, 1000) == ["777 1000"]


def test_a_daemon_that_may_open_hardly_anything_says_so() -> None:
    program = PROGRAM.replace("SUBSYS", "SCHEDD").replace("KNOB", "MAX_FILE_DESCRIPTORS").replace("VALUE", "0")
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (16, 16)),
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith(
        "condor_schedd may have 16 open files (ulimit -n shows it): it needs 32 at least"
    )


def test_a_knob_that_asks_for_too_few_is_named() -> None:
    program = PROGRAM.replace("SUBSYS", "STARTD").replace("KNOB", "STARTD_MAX_FILE_DESCRIPTORS").replace("VALUE", "31")
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert "condor_startd may have 31 open files (STARTD_MAX_FILE_DESCRIPTORS is 31)" in done.stderr
