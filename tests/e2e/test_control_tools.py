"""What condor_set_shutdown leaves behind."""

from __future__ import annotations

from pathlib import Path

from pool import PersonalPool, wait_for


def test_the_master_becomes_the_shutdown_program(pool: PersonalPool) -> None:
    told = pool.work / "told"
    program = pool.work / "farewell"
    program.write_text(f"#!/bin/sh\necho gone > {told}\n")
    program.chmod(0o755)
    done = pool.tool("condor_set_shutdown", "-exec", "nosuch")
    assert done.stdout == 'Set exec to nosuch\nSent "Set-Shutdown-Program" command to local master\n'
    wait_for(lambda: "No shutdown program defined for 'MASTER_SHUTDOWN_NOSUCH'" in _log(pool), "the master says so")
    pool.tool("condor_off", "-master")
    wait_for(lambda: not pool.processes(), "the pool is down")
    assert not told.exists()

    pool.knob("MASTER_SHUTDOWN_FAREWELL", str(program))
    pool.start()
    pool.tool("condor_set_shutdown", "-exec", "farewell")
    pool.tool("condor_off", "-master")
    wait_for(lambda: told.exists() and told.read_text() == "gone\n", "the program ran")
    assert f"EXITING BY EXECING {program}" in _log(pool)


def test_exec_is_for_set_shutdown_only(pool: PersonalPool) -> None:
    done = pool.tool("condor_set_shutdown", check=False)
    assert done.stderr == 'ERROR: "-exec" required for condor_set_shutdown\nUse "-help" to see usage information\n'
    assert done.returncode == 1
    assert pool.tool("condor_off", "-exec", "x", check=False).returncode == 1


def _log(pool: PersonalPool) -> str:
    return (pool.log / "MasterLog").read_text()


def test_off_and_reconfig_wait_for_the_drain(tmp_path: Path) -> None:
    pool = PersonalPool(tmp_path / "pool", cpus=2, MAXJOBRETIREMENTTIME="3600")
    pool.start()
    try:
        job = f"until [ -e {pool.work}/gate ]; do sleep 0.05; done"
        pool.submit(f"executable = /bin/sh\narguments = \"-c '{job}'\"\nlog = run.log\nqueue\n")
        wait_for(lambda: pool.status_of("1.0") == 2, "the job runs")
        done = pool.tool("condor_reconfig", "-drain", "-reason", "new settings")
        assert done.stdout == 'Sent "Reconfig" command to local master\n'
        wait_for(lambda: "Retiring" in pool.tool("condor_status", "-af", "Activity").stdout, "it drains")
        assert pool.status_of("1.0") == 2
        (pool.work / "gate").touch()
        pool.wait("run.log")
        wait_for(lambda: "Drained" not in pool.tool("condor_status", "-af", "State").stdout, "it is back")
        pool.submit("executable = /bin/true\nlog = next.log\nqueue\n")
        pool.wait("next.log")
        pool.tool("condor_off", "-drain", "-startd")
        wait_for(lambda: "Draining before off" in _log(pool), "it drains")
        wait_for(lambda: not (pool.spool / "ads" / "STARTD.ads").exists() or not _lives(pool, "startd"), "it is off")
        assert _lives(pool, "schedd")
        pool.tool("condor_on", "-startd")
        wait_for(lambda: _lives(pool, "startd"), "it is on again")
        assert pool.tool("condor_off", "-reason", "x", check=False).returncode == 1
    finally:
        pool.stop()


def _lives(pool: PersonalPool, daemon: str) -> bool:
    try:
        return Path(f"/proc/{pool.pid(daemon)}").exists()
    except (OSError, ValueError):
        return False
