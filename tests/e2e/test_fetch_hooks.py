"""A running startd that fetches its work with hooks."""

from __future__ import annotations

import getpass
import re

from pool import PersonalPool, wait_for

FETCH = """#!/bin/sh
cat > {work}/fetch.$$
mv {work}/fetch.$$ {work}/fetch.in
n=$(cat {work}/count 2>/dev/null || echo 0)
[ $n -ge 2 ] && exit 0
echo $((n + 1)) > {work}/count
echo 'Cmd = "/bin/sh"'
echo "Arguments = \\"-c 'echo job $n; exit $n'\\""
echo 'Owner = "{owner}"'
echo 'User = "{owner}@example.net"'
echo 'JobUniverse = 5'
echo 'Iwd = "{work}"'
echo "Out = \\"out.$n\\""
echo "StarterUserLog = \\"user.$n\\""
[ $n = 1 ] && echo "StarterUserLogUseXML = true"
exit 0
"""
REPLY = "#!/bin/sh\ncd %s\n{ echo $1; cat; } > reading.$$\nmv reading.$$ reply.$1.$$\n"


def test_jobs_are_fetched_until_there_are_none(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    for name, text in (
        ("fetch", FETCH.replace("{work}", str(pool.work)).replace("{owner}", getpass.getuser())),
        ("reply", REPLY % pool.work),
        ("ending", f"#!/bin/sh\ncat > {pool.work}/exit.$$\n"),
    ):
        path = pool.work / name
        path.write_text(text)
        path.chmod(0o755)
    pool.knob("SLOT1_JOB_HOOK_KEYWORD", "MINE")
    pool.knob("NUM_SLOTS", "1")
    pool.knob("SLOT_TYPE_0_PARTITIONABLE", "False")
    pool.knob("FetchWorkDelay", "1")
    pool.knob("POLLING_INTERVAL", "1")
    pool.knob("MINE_HOOK_FETCH_WORK", str(pool.work / "fetch"))
    pool.knob("MINE_HOOK_REPLY_FETCH", str(pool.work / "reply"))
    pool.knob("MINE_HOOK_JOB_EXIT", str(pool.work / "ending"))
    pool.start()
    wait_for(lambda: (pool.work / "out.1").exists() and (pool.work / "out.1").read_text(), "both jobs have run")
    assert (pool.work / "out.0").read_text() == "job 0\n"
    wait_for(lambda: len(list(pool.work.glob("reply.accept.*"))) == 2, "both replies")
    asked = (pool.work / "fetch.in").read_text()
    assert 'Name = "slot1@' in asked
    names = [line.partition(" = ")[0] for line in asked.splitlines()]
    assert names == sorted(names)
    reply = next(pool.work.glob("reply.accept.*")).read_text()
    job, slot = reply.split("-----\n")
    assert job.startswith("accept\n")
    assert 'HookKeyword = "MINE"' in job
    assert re.search(r'^ClaimId = "<.*#.*"$', slot, re.MULTILINE)

    def idle() -> bool:
        return pool.tool("condor_status", "-af", "State", "RemoteOwner").stdout.split() == ["Unclaimed", "undefined"]

    wait_for(idle, "the slot is free again")
    assert [number for number, _ in pool.events("user.0")] == [1, 5]
    assert "<s>JobTerminatedEvent</s>" in (pool.work / "user.1").read_text()
    ended = next(pool.work.glob("exit.*")).read_text()
    assert re.search(r"^ImageSize = \d+$", ended, re.MULTILINE)
    assert "MemoryUsage = ((ResidentSetSize + 1023) / 1024)\n" in ended
    log = (pool.log / "StartLog").read_text()
    assert "State change: Finished fetching work successfully" in log
    assert pool.queue("ClusterId") == []
