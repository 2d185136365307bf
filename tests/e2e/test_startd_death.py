"""kill -9 of the startd at each state of a claim: nothing is left running, and the job runs again, once."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable
from pathlib import Path

from pool import PersonalPool, of_processes, runs, wait_for

RECORDER = """#!/bin/sh
trap 'echo TERM >> {work}/signals.$1' TERM
echo $$ >> {work}/pids.$1
while :; do sleep 0.05 & wait; done
"""
POLICY = """
POLLING_INTERVAL = 1
MASTER_BACKOFF_CONSTANT = 0
MASTER_BACKOFF_FACTOR = 1.0
WANT_SUSPEND = (Freeze =?= True)
SUSPEND = (Freeze =?= True)
CONTINUE = False
PREEMPT = (OwnerIsBack =?= True)
KILL = (EndItNow =?= True)
MAXJOBRETIREMENTTIME = ifThenElse(Patient =?= True, 100000, 0)
MachineMaxVacateTime = 3600
KILLING_TIMEOUT = 3600
"""


class Story:
    """One pool; a job for each state."""

    def __init__(self, pool: PersonalPool) -> None:
        self.pool = pool
        recorder = pool.work / "recorder"
        recorder.write_text(RECORDER.format(work=pool.work))
        recorder.chmod(0o755)
        config = pool.directory / "config"
        config.write_text(POLICY)
        pool.environment["CONDOR_CONFIG"] = str(config)
        pool.start()
        self.number = 0

    def owner(self, **attributes: str) -> None:
        """Changes what the startd sees of the machine."""
        lines = "".join(f"{name} = {value}\n" for name, value in attributes.items())
        self.pool.tool("condor_update_machine_ad", stdin=lines)

    def pids(self) -> list[int]:
        path = self.pool.work / f"pids.{self.number}"
        return [int(word) for word in path.read_text().split()] if path.exists() else []

    def place(self) -> str:
        found = self.pool.tool("condor_status", "-af", "Name", "State", "Activity").stdout
        match = re.search(r"^slot1_1@\S+ (\w+) (\w+)$", found, re.MULTILINE)
        return f"{match[1]}/{match[2]}" if match else ""

    def startd_dies(self) -> None:
        old = self.pool.kill("startd", signal.SIGKILL)

        def back() -> bool:
            try:
                return self.pool.pid("startd") != old
            except (ValueError, FileNotFoundError):
                return False

        wait_for(back, "another startd")

    def kill_in_vain(self) -> int:
        """Has the job killed while its starter hangs; the pid of that."""
        [starter] = self.pool.starters()
        os.kill(starter, signal.SIGSTOP)
        self.pool.tool("condor_vacate", "-fast")
        return starter

    def state(self, bring: Callable[[], int | None], place: str) -> int | None:
        """Brings a job into a place, kills the startd there, and sees what becomes of the job; what ``bring``
        returns."""
        self.number += 1
        text = f"executable = {self.pool.work}/recorder\narguments = {self.number}\nshould_transfer_files = NO\nqueue\n"
        job = self.pool.submit(text)
        wait_for(lambda: len(self.pids()) == 1, "the job runs")
        brought = bring()
        wait_for(lambda: self.place() == place, f"the slot is {place}, it is {self.place()}")
        self.startd_dies()
        first = self.pids()[0]
        wait_for(lambda: not Path(f"/proc/{first}").exists(), "the job died with the startd")
        wait_for(lambda: len(self.pids()) == 2, "it runs again")
        assert len(list(self.pool.execute.glob("dir_*"))) == 1, "the old directory is gone"
        self.pool.tool("condor_rm", str(job))
        self.pool.tool("condor_rm", str(job), "-forcex")
        wait_for(lambda: not Path(f"/proc/{self.pids()[1]}").exists(), "it is gone")
        assert len(self.pids()) == 2, "never more than one at a time"
        wait_for(lambda: not self.pool.starters() and not self.place(), "the next job has the slot of this one")
        return brought


def test_the_startd_dies_in_every_state(stopped_pool: PersonalPool) -> None:
    story = Story(stopped_pool)
    story.state(lambda: None, "Claimed/Busy")
    story.state(lambda: story.owner(Freeze="true"), "Claimed/Suspended")
    story.state(lambda: story.owner(Patient="true", OwnerIsBack="true"), "Claimed/Retiring")
    story.state(lambda: story.owner(OwnerIsBack="true"), "Preempting/Vacating")
    stopped = story.state(story.kill_in_vain, "Preempting/Killing")
    assert stopped
    assert not runs(int(stopped)), "a starter that hangs does not outlive its startd"


def test_a_stopped_schedd_loses_its_jobs_and_gets_them_back_in_the_queue(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    pool.knob("ALIVE_INTERVAL", "1")
    pool.knob("POLLING_INTERVAL", "1")
    pool.start()
    pool.submit("executable = /bin/sleep\narguments = 600\n+JobLeaseDuration = 2\nlog = job.log\nqueue\n")
    wait_for(lambda: any(number == 1 for number, _ in pool.events("job.log")), "the job runs")

    def expired() -> int:
        return (pool.log / "StartLog").read_text().count("claim lease expired")

    def begun() -> int:
        return [number for number, _ in pool.events("job.log")].count(1)

    before = expired()
    schedd = pool.kill("schedd", signal.SIGSTOP)
    try:
        wait_for(lambda: expired() > before, "the lease runs out")
        wait_for(lambda: not pool.starters(), "the slot is free")
        begun_before = begun()
    finally:
        os.kill(schedd, signal.SIGCONT)
    wait_for(lambda: begun() > begun_before, "the job runs again")
    wait_for(lambda: pool.queue("JobStatus") == [["2"]], "and is shown so")


def test_what_a_killed_schedd_and_its_starters_leave_is_cleared(own_pool: PersonalPool) -> None:
    """Jobs of the local universe: their processes and directories go when the next schedd starts."""
    pool = own_pool
    mark = f"7{os.getpid()}9"
    pool.submit(f"universe = local\nexecutable = /bin/sleep\narguments = {mark}\nlog = job.log\nqueue 2\n")
    rooms = pool.spool / "local_univ_execute"
    wait_for(lambda: len(list(rooms.glob("dir_*"))) == 2 and len(_sleepers(mark)) == 2, "both run")
    before, programs = set(rooms.glob("dir_*")), _sleepers(mark)
    killed = pool.pid("schedd"), *(int(room.name[4:]) for room in before)
    for number in (signal.SIGSTOP, signal.SIGKILL):  # none of them sees that another one has died
        for pid in killed:
            os.kill(pid, number)
    wait_for(lambda: not before & set(rooms.glob("dir_*")), "their directories are gone")
    wait_for(lambda: not set(programs) & set(_sleepers(mark)), "and their processes")
    assert len(pool.queue("ProcId")) == 2, "no job is lost"
    pool.tool("condor_rm", "-all")
    wait_for(lambda: not _sleepers(mark), "all is gone")


def _sleepers(seconds: str) -> list[int]:
    return [pid for pid, words in of_processes("cmdline") if seconds.encode() in words.split(b"\0")]
