"""What people meet every day with a pool, and what once went wrong."""

from __future__ import annotations

from pool import PersonalPool


def test_a_command_for_another_machine_touches_nothing_here(pool: PersonalPool) -> None:
    pids = {name: pool.pid(name) for name in ("schedd", "negotiator", "startd")}
    for words in (
        ("condor_off", "-name", "elsewhere"),
        ("condor_off", "-fast", "elsewhere"),
        ("condor_restart", "-startd", "-name", "elsewhere"),
        ("condor_vacate", "slot1@elsewhere"),
    ):
        done = pool.tool(*words, check=False)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr == f"{words[0]}: unknown host {words[-1]}\n"
    none = pool.tool("condor_off", "-constraint", 'Machine == "elsewhere"', check=False)
    assert none.returncode == 1
    assert none.stderr.startswith("Found no ClassAds when querying pool (local)\n")
    assert "local master" in pool.tool("condor_reconfig", "-constraint", "MyType == \"DaemonMaster\"").stdout
    assert pids == {name: pool.pid(name) for name in pids}
