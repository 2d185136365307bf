"""condor_q -grid and condor_status -grid, line by line as the programs of 25.14 print the same ads."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
#: GridResource, GridJobId, GridJobStatus, and what is printed after the owner.
JOBS = [
    ('"batch slurm"', '"batch slurm a_10.0_1 slurm/20261122/123"', '"RUNNING"',
     "RUNNING    batch->[?] slurm            /20261122/123"),
    ('"batch slurm"', '"batch slurm a_10.0_1 "', '"IDLE"', "IDLE       batch->[?] slurm"),
    ('"batch slurm"', "", "", "           batch->[?] slurm"),
    ('"batch slurm me@there.example.org"', '"batch slurm me@there.example.org x slurm/20261122/9"', '"COMPLETED"',
     "COMPLETED  batch->me@there.example.org /20261122/9"),
    ('"condor submit.example.org cm.example.org"', '"condor submit.example.org cm.example.org 12.0"', '"1"',
     "1          condor->cm.example.org subm 12.0"),
    ('"condor schedd@host.example.org collector.example.org:9618"', '"condor s c 12.0"', "5",
     "HELD       condor->collector.example.o 12.0"),
    ('"condor schedd pool"', '"condor schedd pool 1.0"', '"UNSUBMITTED"', "UNSUBMITTE condor->pool schedd         1.0"),
    ('"arc https://ce.example.org:443/arex"', '"arc x https://ce.example.org:443/arex/rest/1.0/jobs/abc"', '"INLRMS"',
     "INLRMS     arc->[?] ce.example.org     /arex/rest/1.0/jobs/abc"),
    ('"pbs"', '"pbs pbs/20261122/77"', '"RUNNING"', "RUNNING    globus->[?] pbs             /20261122/77"),
    ('""', '""', '""', "           globus->[?]"),
    ('"gt5 host.example.org/jobmanager-fork"', "", '"ACTIVE"', "ACTIVE     gt5->fork host.example.org"),
    ('"batch slurm"', '"batch slurm n slurm/20261122/5"', "99", "99         batch->[?] slurm            /20261122/5"),
    ("", "", '"RUNNING"', "RUNNING"),
]  # fmt: skip
STATUS = """\
Name                               NumJobs Allowed  Wanted RunningJobs IdleJobs

a resource whose name is longer than others       5       2       1           1        1
bare                               [?????] [?????] [?????] [?????????] [??????]
batch slurm                         123456   61728   41152       30864    24691
"""
WIDE = """\
Name                                        NumJobs Allowed  Wanted RunningJobs IdleJobs

a resource whose name is longer than others       5       2       1           1        1
bare                                        [?????] [?????] [?????] [?????????] [??????]
batch slurm                                  123456   61728   41152       30864    24691
"""


def _printed(*words: str) -> list[str]:
    environment = {"PATH": os.defpath, "CONDOR_CONFIG": "ONLY_ENV", "TZ": "UTC"}
    program = [sys.executable, "-I", "-S", str(ROOT / "condor_py" / "__main__.py")]
    done = subprocess.run([*program, *words], env=environment, capture_output=True, text=True, check=True)
    return [line.rstrip() for line in done.stdout.splitlines()]


def test_condor_q_grid(tmp_path: Path) -> None:
    with (tmp_path / "ads").open("w") as file:
        for number, (resource, grid_id, status, _) in enumerate(JOBS):
            head = f'MyType = "Job"\nClusterId = {10 + number}\nProcId = 0\nOwner = "alice"\nJobUniverse = 9\n'
            named = (("GridResource", resource), ("GridJobId", grid_id), ("GridJobStatus", status))
            file.write(head + "".join(f"{name} = {value}\n" for name, value in named if value) + "\n")
    lines = _printed("condor_q", "-jobads", str(tmp_path / "ads"), "-grid")
    at = lines.index(" ID      OWNER          STATUS     GRID->MANAGER    HOST       GRID_JOB_ID")
    wanted = [f"  {10 + number}.0   alice          {row[3]}" for number, row in enumerate(JOBS)]
    assert lines[at + 1 : at + 1 + len(JOBS)] == wanted


@pytest.mark.parametrize(("more", "wanted"), [((), STATUS), (("-wide",), WIDE)])
def test_condor_status_grid(tmp_path: Path, more: tuple[str, ...], wanted: str) -> None:
    names = ("NumJobs", "SubmitsAllowed", "SubmitsWanted", "RunningJobs", "IdleJobs")
    with (tmp_path / "ads").open("w") as file:
        for name, count in (("batch slurm", 123456), ("a resource whose name is longer than others", 5)):
            file.write(f'MyType = "Grid"\nName = "{name}"\nHashName = "{name}#a"\nOwner = "a"\n')
            file.write("".join(f"{one} = {count // number}\n" for number, one in enumerate(names, 1)) + "\n")
        file.write('MyType = "Grid"\nName = "bare"\nHashName = "bare#b"\nOwner = "b"\n')
    assert _printed("condor_status", "-ads", str(tmp_path / "ads"), "-grid", *more) == wanted.splitlines()
