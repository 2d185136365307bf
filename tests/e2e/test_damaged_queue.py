"""A queue log that something has damaged: the schedd says so, keeps a copy, and serves what is left."""

from __future__ import annotations

from pool import PersonalPool, wait_for


def test_a_damaged_queue_is_served_and_the_damage_told(restarted: PersonalPool) -> None:
    pool, written = restarted, restarted.written("SchedLog")
    cluster = pool.submit("executable = /bin/true\nhold = true\nqueue 40\n")
    pool.tool("condor_off", "-fast", "-master")
    wait_for(lambda: not pool.processes(), "the pool is down")
    log = pool.spool / "job_queue.log"
    data = bytearray(log.read_bytes())
    at = data.index(f"101 {cluster}.20 ".encode()) + 7
    data[at : at + 100] = bytes(100)
    log.write_bytes(data)

    checked = pool.tool("condor_store_check", check=False)
    assert checked.returncode == 1
    assert f"{log}, byte " in checked.stdout
    pool.start()
    ids = {int(row[0]) for row in pool.queue("ProcId")}
    assert set(range(40)) - ids <= {19, 20, 21}
    assert bytes((pool.spool / "job_queue.log.damaged").read_bytes()) == bytes(data)
    told = written()
    assert "is damaged at byte" in told
    assert "was left out: it is no record" in told
    assert f"kept as it was in {log}.damaged" in told
    assert pool.tool("condor_store_check").stdout.endswith("nothing is wrong\n")
