"""Startd.rehome: a machine is offered to one schedd, now and after a restart, and rebooted where that is allowed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from pool import PersonalPool, wait_for

ROOT = Path(__file__).resolve().parents[2]
KNOB = "STARTD_DIRECT_ATTACH_SCHEDD_NAME"


def rehome(pool: PersonalPool, arguments: str) -> str:
    """What the bindings complain of; "" when it is done."""
    text = (
        "import htcondor2 as h\nstartd = h.Startd()\n"
        f"try:\n    startd.rehome({arguments})\nexcept h.HTCondorException as error:\n    print(error)\n"
    )
    path = f"{ROOT}:{ROOT}/condor_py/bindings/shims"
    done = subprocess.run(
        [sys.executable, "-c", text], env=pool.environment | {"PYTHONPATH": path}, capture_output=True, text=True,
        timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.strip().rpartition(": ")[2]


def told(pool: PersonalPool, text: str) -> bool:
    return text in (pool.log / "StartLog").read_text()


def test_a_machine_changes_its_schedd(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    kept = pool.work / "kept"
    kept.mkdir(0o700)
    for name, text in {
        "ENABLE_PERSISTENT_CONFIG": "true", "PERSISTENT_CONFIG_DIR": str(kept), "SCHEDD_NAME": "here@$(FULL_HOSTNAME)",
        "STARTD_DIRECT_ATTACH_INTERVAL": "1", "STARTD_REHOME_ALLOW_REBOOT": "MY.PartitionableSlot =?= true",
        "STARTD_REBOOT_COMMAND": f"/bin/cp {kept}/.config.STARTD.rehome {pool.work}/went",
    }.items():  # fmt: skip
        pool.knob(name, text)
    pool.start()
    job = pool.submit("executable = /bin/sleep\narguments = 300\nlog = job.log\nqueue\n")
    wait_for(lambda: "\n001 (" in (pool.work / "job.log").read_text(), "the job runs")
    name = pool.tool("condor_config_val", "SCHEDD_NAME").stdout.strip()
    assert rehome(pool, "") == "ScheddName not specified"
    no_reboot = "Reboot on rehome not permitted by STARTD_REHOME_ALLOW_REBOOT"
    assert rehome(pool, f"{name!r}, reboot=True") == no_reboot
    assert not (kept / ".config.STARTD.rehome").exists()
    assert "\n004 (" not in (pool.work / "job.log").read_text()

    assert rehome(pool, f"{name!r}, schedd_pool='there'") == ""
    setting = f"{KNOB} = {name}\nSTARTD_DIRECT_ATTACH_SCHEDD_POOL = there\n"
    assert [(kept / f".config.{one}.rehome").read_text() for one in ("STARTD", "SCHEDD")] == [setting, setting]
    wait_for(lambda: "\n004 (" in (pool.work / "job.log").read_text(), "the job was evicted")
    assert rehome(pool, f"{name!r}") == "Already attached to this schedd"
    assert rehome(pool, f"{name!r}, cancel=True") == ""
    assert not list(kept.iterdir())

    pool.tool("condor_rm", str(job))
    wait_for(lambda: rehome(pool, f"{name!r}, reboot=True") == "", "no slot but the partitionable one is left")
    wait_for(lambda: told(pool, "reboot command returned status 0"), "the command for the reboot ran")
    assert (pool.work / "went").read_text() == f"{KNOB} = {name}\n", "with the setting on disk"
    pool.submit("executable = /bin/true\nlog = after.log\nqueue\n")
    pool.wait("after.log")
