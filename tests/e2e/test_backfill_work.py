"""Backfill work of a running startd: BOINC, and command lines."""

from __future__ import annotations

import getpass
import os
from contextlib import suppress
from pathlib import Path

import pytest
from pool import PersonalPool, runs, wait_for
from startd_programs import shows, startd_log

#: Backfill work gets the processor when nobody else wants it: on a busy machine it takes long to say anything.
AT_NICE_19 = 120.0


def test_backfill_work_makes_room_for_a_job(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    pool.knob("ENABLE_BACKFILL", "True")
    pool.knob("BACKFILL_SYSTEM", "BOINC")
    pool.knob("START_BACKFILL", "True")
    pool.knob("EVICT_BACKFILL", "False")
    pool.knob("SLOT_TYPE_0_PARTITIONABLE", "False")
    pool.knob("NUM_SLOTS", "1")
    marks = pool.work / "marks"
    pool.knob("BOINC_Executable", pool.script("client", f"echo $$ >> {marks}; sleep 1000 & wait"))
    pool.knob("BOINC_InitialDir", str(pool.work))
    pool.knob("BOINC_Owner", getpass.getuser())
    pool.start()
    wait_for(lambda: shows(pool, "State", "Activity") == ["Backfill Busy"], "backfill work has begun")
    wait_for(lambda: marks.exists() and marks.read_text(), "the client has come so far as to say so", AT_NICE_19)
    job = pool.submit(
        "executable = /bin/cat\narguments = marks\nshould_transfer_files = NO\noutput = out\nlog = log\nqueue\n"
    )
    pool.wait("log")
    client = int((pool.work / "out").read_text().split()[0])
    assert not runs(client), "the client is gone before the job runs"
    pool.recorded([[str(job), "0"]], "ClusterId", "ExitCode")
    wait_for(lambda: len(marks.read_text().split()) > 1, "the client is started again afterwards", AT_NICE_19)


def test_a_command_works_on_each_slot_that_nobody_wants(open_path: Path, stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    for name, value in {
        "ENABLE_BACKFILL": "True", "BACKFILL_SYSTEM": "COMMAND", "START_BACKFILL": "True", "NUM_SLOTS": "2",
        "SLOT_TYPE_0_PARTITIONABLE": "False", "POLLING_INTERVAL": "1", "BACKFILL_COMMAND_WAIT": "0",
        "BACKFILL_COMMAND_ENVIRONMENT": "Colour=blue", "BACKFILL_COMMAND_OUTPUT": str(pool.work / "told"),
        "SLOT2_BACKFILL_COMMAND": "/nonexistent/program",
    }.items():  # fmt: skip
        pool.knob(name, value)
    (pool.work / "told").touch()
    (pool.work / "told").chmod(0o666)
    told = (
        "touch here; setsid sleep 1000 & echo $1:$2 $_CONDOR_SLOT $Colour $(id -un) $(nice) $$ $(pwd) $!; "
        f"test $(wc -l < {pool.work}/told) -lt 2 && exit 7; sleep 1000"
    )
    pool.knob("BACKFILL_COMMAND", f"{pool.script('idle', told)} a $HOME;b")
    pool.start()
    told_by = pool.work / "told"
    wait_for(lambda: len(told_by.read_text().splitlines()) >= 2, "one bad end, and the second try works", AT_NICE_19)
    first, second = (line.split() for line in (pool.work / "told").read_text().splitlines()[:2])
    who = "nobody" if os.geteuid() == 0 else getpass.getuser()
    assert first[:5] == ["a:$HOME;b", "slot1", "blue", who, "19"], "no shell has read the command line"
    client, room, other = second[5], Path(second[6]), second[7]
    assert (room / "here").exists()
    assert not Path(first[6]).exists(), "its scratch directory goes with it"
    assert not runs(int(first[7])), "and what it has left behind"
    states = ["Backfill Busy", "Backfill Idle"]
    wait_for(lambda: shows(pool, "State", "Activity") == states, "one works, the other cannot")
    pool.submit(
        f"executable = /bin/sh\narguments = \"-c 'test ! -e /proc/{client} -a ! -e /proc/{other}'\"\n"
        "requirements = SlotID == 1\nshould_transfer_files = NO\nlog = log\nqueue\n"
    )
    pool.wait("log")
    pool.recorded([["0"]], "ExitCode")  # nothing of it is left when the job begins
    assert not room.exists()
    log = startd_log(pool)
    assert "ERROR spawning the backfill command of slot2@" in log
    assert "/nonexistent/program" in log
    pool.stop()
    found = [line.split()[7] for line in (pool.work / "told").read_text().splitlines()]
    assert not [pid for pid in found if runs(int(pid))], "a startd that leaves leaves nothing"


@pytest.mark.skipif(not Path("/usr/bin/boinc").exists(), reason="needs the Debian package boinc-client")
def test_the_real_boinc_client(open_path: Path, stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    home, owner = open_path / "boinc", "nobody" if os.geteuid() == 0 else getpass.getuser()
    home.mkdir()
    home.chmod(0o777)
    for name, value in {
        "ENABLE_BACKFILL": "True", "BACKFILL_SYSTEM": "BOINC", "START_BACKFILL": "True", "NUM_SLOTS": "2",
        "SLOT_TYPE_0_PARTITIONABLE": "False", "POLLING_INTERVAL": "1", "EVICT_BACKFILL": "MY.Guests =?= True",
        "BOINC_Executable": "/usr/bin/boinc", "BOINC_InitialDir": str(home), "BOINC_Universe": "vanilla",
        "BOINC_Owner": owner, "BOINC_Arguments": "--no_gui_rpc --no_gpus", "BOINC_Output": str(home / "out"),
        "BOINC_Error": str(home / "err"),
        "BOINC_Environment": "http_proxy=http://127.0.0.1:9;https_proxy=http://127.0.0.1:9",
        "IS_OWNER": "MY.Guests =?= True",
    }.items():  # fmt: skip
        pool.knob(name, value)
    pool.start()

    def attached() -> list[str]:
        """The client says so when it has looked at its directory."""
        text = (home / "out").read_text() if (home / "out").exists() else ""
        return [line for line in text.splitlines() if "not attached to any projects" in line]

    wait_for(attached, "the client works in its directory", AT_NICE_19)
    wait_for(lambda: shows(pool, "State", "Activity") == ["Backfill Busy"] * 2, "one client works for both slots")
    assert startd_log(pool).count("BOINC client running for") == 2
    assert (home / "client_state.xml").owner() == owner
    job = "executable = /bin/sleep\narguments = 0\nshould_transfer_files = NO\nlog = log\nqueue 2\n"
    pool.submit(job)
    pool.wait("log")
    wait_for(lambda: len(attached()) >= 2, "it was killed for the jobs, and works again", AT_NICE_19)
    pool.tool("condor_update_machine_ad", stdin="Guests = True\n")
    wait_for(lambda: shows(pool, "State", "Activity") == ["Owner Idle"] * 2, "the owner has the machine")
    wait_for(lambda: not boinc_clients(home), "for himself")


def boinc_clients(home: Path) -> list[str]:
    """The clients that work in this directory."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (place / "cwd").resolve() == home and (place / "comm").read_text().startswith("boinc"):
                found.append(place.name)
    return found
