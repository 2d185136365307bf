"""What condor_set_shutdown leaves behind."""

from __future__ import annotations

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
