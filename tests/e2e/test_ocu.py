"""Owner capacity units: a slot that stays with its owner, also through the death of the schedd."""

from __future__ import annotations

import json
import subprocess
import sys

from pool import ROOT, PersonalPool, wait_for

_SHIMS = ROOT / "condor_py" / "bindings" / "shims"


def asked(pool: PersonalPool, expression: str) -> object:
    """What the bindings answer, through JSON."""
    text = "import json, getpass, htcondor2, classad2\nschedd = htcondor2.Schedd()\n"
    text += f"print(json.dumps({expression}, default=str))\n"
    words = [sys.executable, "-c", text]
    environment = pool.environment | {"PYTHONPATH": f"{ROOT}:{_SHIMS}"}
    done = subprocess.run(
        words, env=environment, cwd=pool.work, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def states(pool: PersonalPool) -> object:
    return asked(pool, '[ad["OCUState"] for ad in schedd.query_ocu(classad2.ClassAd())]')


def status(pool: PersonalPool) -> list[str]:
    """Claimed, borrowed, wanted and running of the one submitter."""
    return pool.tool("htcondor", "ocu", "status").stdout.splitlines()[-1].split()[1:]


def units(pool: PersonalPool) -> list[list[str]]:
    """Name, activity and job of the slots that units hold."""
    done = pool.tool("condor_status", "-constraint", "OCU", "-af", "OCUName", "Activity", "JobId")
    return [line.split() for line in done.stdout.splitlines()]


def test_an_owner_keeps_a_slot_for_the_jobs_that_want_it(own_pool: PersonalPool) -> None:
    pool = own_pool
    request = '{"Owner": getpass.getuser(), "RequestCpus": 1, "RequestMemory": 512, "RequestDisk": 4096}'
    pool.submit("executable = /bin/true\nlog = first.log\nqueue\n")
    pool.wait("first.log")
    assert asked(pool, 'dict(schedd.create_ocu(classad2.ClassAd({"Owner": "nobody-here"})))')["Result"] == -1  # type: ignore[index]
    made = asked(pool, f"dict(schedd.create_ocu(classad2.ClassAd({request})))")
    assert isinstance(made, dict)
    assert (made["Result"], made["OCUName"]) == (0, f"OCU-{made['OCUId']}")
    wait_for(lambda: units(pool) == [[made["OCUName"], "Idle", "undefined"]], "the unit has a slot")
    wait_for(lambda: states(pool) == ["I"], "the schedd has heard of it")
    pool.submit("executable = /bin/true\nlog = other.log\nqueue\n")
    pool.wait("other.log")
    assert "OCU-" not in (pool.work / "other.log").read_text()
    assert states(pool) == ["I"]
    job = pool.submit(
        "executable = /bin/sleep\narguments = 600\nlog = mine.log\nrequest_disk = 1MB\n+OCUWanted = true\nqueue\n"
    )
    wait_for(lambda: units(pool) == [[made["OCUName"], "Busy", f"{job}.0"]], "the job runs on the unit's slot")
    pool.started("mine.log", f"{job}.0")
    pool.kill("schedd")
    wait_for(lambda: any(number == 23 for number, _ in pool.events("mine.log")), "the new schedd has found the job")
    wait_for(lambda: states(pool) == ["R"], "and its unit")
    pool.tool("condor_rm", str(job))
    wait_for(lambda: units(pool) == [[made["OCUName"], "Idle", "undefined"]], "the slot waits for the next job")
    wait_for(lambda: states(pool) == ["I"], "the schedd says so, too")
    shown = pool.tool("htcondor", "ocu", "query").stdout.splitlines()[1].split()
    assert (shown[0], shown[1], shown[3:]) == (str(made["OCUId"]), made["OCUName"], ["I", "1", "512", "4096", "0"])
    assert asked(pool, f"dict(schedd.remove_ocu({made['OCUId']}))") == {"Result": 0, "OCUId": made["OCUId"]}
    wait_for(lambda: units(pool) == [], "the slot is everybody's again")
    assert states(pool) == []
    (pool.work / "unit.ad").write_text(f'Owner = "{shown[2]}"\nOCUName = "mine"\n')
    said = pool.tool("htcondor", "ocu", "create", "unit.ad").stdout
    number = said.split()[4]
    assert said == f"OCU created with Id {number} and name mine.\n"
    wait_for(lambda: status(pool) == ["1", "0", "0", "0"], "the new unit is claimed and counted")
    assert pool.tool("htcondor", "ocu", "remove", number).stderr == f"Removed {number}.\n"
    gone = pool.tool("htcondor", "ocu", "remove", number, check=False)
    assert (gone.returncode, gone.stderr.splitlines()[-1]) == (
        1,
        f"Failed to remove ocu {number}: OCU not found: {number}",
    )
