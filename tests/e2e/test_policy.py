"""The policy examples of the manual with real jobs, which write down the signals that they get.

The owner of the machine is played with condor_update_machine_ad: what it says of KeyboardIdle, LoadAvg and the clock
replaces what the startd measures.
"""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from lending import LendingPool, lending, take_jobs_away
from pool import PersonalPool, wait_for

#: One worker runs all tests: their pools are made once.
pytestmark = pytest.mark.xdist_group("static slots")

RECORDER = """#!/bin/sh
for s in TERM CONT USR1; do trap "echo $s >> $1" $s; done
trap "echo TERM >> $1; [ -n \\"$2\\" ] && exit 0" TERM
echo START >> $1
while :; do sleep 0.05 & wait; done
"""
SLOT1 = ("-constraint", "SlotID == 1", "-af")
JOB = """executable = {recorder}
arguments = {arguments}
should_transfer_files = NO
log = log
{more}
queue
"""


class Machine:
    """A pool whose owner comes and goes, with jobs that record their signals."""

    def __init__(self, pool: PersonalPool, policy: str) -> None:
        self.pool = pool
        recorder = pool.work / "recorder"
        recorder.write_text(RECORDER)
        recorder.chmod(0o755)
        pool.configure(
            f"POLLING_INTERVAL = 1\nDISCONNECTED_KEYBOARD_IDLE_BOOST = 100000\nNEGOTIATOR_CYCLE_DELAY = 0\n{policy}\n"
        )
        self.jobs = 0

    def owner(self, **attributes: object) -> None:
        """Changes what the startd sees of the machine."""
        lines = "".join(f"{name} = {value}\n" for name, value in attributes.items())
        self.pool.tool("condor_update_machine_ad", stdin=lines)

    def submit(self, ends_at_term: bool = False, more: str = "") -> int:
        """A job; its number here, from 1."""
        self.jobs += 1
        arguments = f"signals.{self.jobs} {'x' if ends_at_term else ''}"
        self.pool.submit(JOB.format(recorder=self.pool.work / "recorder", arguments=arguments, more=more))
        return self.jobs

    def signals(self, job: int = 1) -> list[str]:
        """What the job has recorded."""
        path = self.pool.work / f"signals.{job}"
        return path.read_text().split() if path.exists() else []

    def runs(self, job: int = 1, times: int = 1) -> None:
        wait_for(lambda: self.signals(job).count("START") >= times, f"job {job} has started {times} times")

    def place(self, slot: str = "slot1_1") -> str:
        """State/Activity of a slot; empty when it is not there."""
        found = self.pool.tool("condor_status", "-af", "Name", "State", "Activity").stdout
        match = re.search(rf"^{slot}@\S+ (\w+) (\w+)$", found, re.MULTILINE)
        return f"{match[1]}/{match[2]}" if match else ""

    def becomes(self, place: str, slot: str = "slot1_1") -> None:
        wait_for(lambda: self.place(slot) == place, f"{slot} becomes {place}, it is {self.place(slot)}")

    def retires(self, times: int = 1) -> None:
        """Waits until the startd has told of jobs that retire; their slots may be somewhere else by now."""
        wait_for(lambda: self.log().count("Changing activity: Busy -> Retiring") >= times, "a job retires")

    def events(self) -> list[int]:
        """The numbers of the events of the jobs, without their sizes."""
        return [number for number, _ in self.pool.events("log") if number != 6]

    def log(self) -> str:
        return self.pool.logged("StartLog")

    def preemptions(self) -> int:
        """Jobs that had to go for others that the machine ranks higher."""
        shown = self.pool.tool("condor_status", *SLOT1, "JobRankPreemptions").stdout.strip()
        return 0 if shown == "undefined" else int(shown)


@pytest.fixture(scope="module")
def _desktop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LendingPool[PersonalPool]]:
    with lending(lambda: PersonalPool(tmp_path_factory.mktemp("desktop") / "pool", cpus=4)) as lender:
        yield lender


@pytest.fixture
def desktop(_desktop: LendingPool[PersonalPool]) -> Iterator[PersonalPool]:
    """A pool with four cpus. Its startd remembers what earlier tests have told it of the owner of the machine."""
    with _desktop.lent() as pool:
        yield pool
        take_jobs_away(pool)


@pytest.fixture
def static(static_pool: PersonalPool) -> Iterator[PersonalPool]:
    """A pool with static slots; START says which of them a test uses."""
    yield static_pool
    take_jobs_away(static_pool)


def frozen(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


DESKTOP = """
BackgroundLoad = 0.3
HighLoad = 0.5
NonCondorLoadAvg = (LoadAvg - CondorLoadAvg)
KeyboardBusy = (KeyboardIdle < 60)
CPUIdle = ($(NonCondorLoadAvg) <= $(BackgroundLoad))
CPUBusy = ($(NonCondorLoadAvg) >= $(HighLoad))
START = ($(CPUIdle) || (State != "Unclaimed" && State != "Owner")) && (KeyboardIdle > 900)
IS_OWNER = (START =?= False)
WANT_SUSPEND = True
WANT_VACATE = True
SUSPEND = ($(KeyboardBusy) || $(CPUBusy))
CONTINUE = ($(CPUIdle) && (KeyboardIdle > 300))
TooLong = ((Activity == "Suspended") && ($(ActivityTimer) > 2) && Patient =!= True)
PREEMPT = ($(TooLong) || (SUSPEND && (WANT_SUSPEND == False)))
MachineMaxVacateTime = 3
KILL = False
"""


def test_a_desktop_suspends_continues_and_at_last_vacates(desktop: PersonalPool) -> None:
    machine = Machine(desktop, DESKTOP)
    machine.owner(KeyboardIdle=10, LoadAvg=0.0, CondorLoadAvg=0.0, Patient="True")
    machine.becomes("Owner/Idle", "slot1")
    machine.owner(KeyboardIdle=1000)
    machine.becomes("Unclaimed/Idle", "slot1")
    # Once: a second start, on the claim that the first has lost, would be refused, and the reason of the eviction gone.
    machine.submit(more="requirements = NumShadowStarts =!= 1")
    machine.runs()
    machine.owner(KeyboardIdle=5)
    machine.becomes("Claimed/Suspended")
    machine.owner(KeyboardIdle=1000)
    wait_for(lambda: machine.signals() == ["START", "CONT"], "the job goes on")
    machine.becomes("Claimed/Busy")
    wait_for(lambda: machine.events()[-2:] == [10, 11], "the log tells of both")
    machine.owner(KeyboardIdle=5, Patient="False")
    wait_for(lambda: 4 in machine.events(), "it is evicted")
    # A shell runs the traps of signals that came together in the order of their numbers.
    assert sorted(machine.signals()) == ["CONT", "CONT", "START", "TERM"]
    assert "max vacate time expired.  Escalating to a fast shutdown of the job." in machine.log()
    machine.becomes("Owner/Idle", "slot1")
    assert machine.pool.queue("JobStatus", "VacateReasonCode") == [["1", "1011"]]


def test_the_owner_of_a_test_job_is_never_disturbed(desktop: PersonalPool) -> None:
    machine = Machine(
        desktop,
        DESKTOP
        + """
START = ($(START)) || TARGET.Tester =?= True
SUSPEND = ($(SUSPEND)) && TARGET.Tester =!= True
PREEMPT = ($(PREEMPT)) && TARGET.Tester =!= True
IS_OWNER = False
""",
    )
    machine.owner(KeyboardIdle=1000, LoadAvg=0.0, CondorLoadAvg=0.0)
    machine.submit(more="+Tester = True")
    machine.submit()
    machine.runs(1)
    machine.runs(2)
    machine.owner(KeyboardIdle=5)
    machine.becomes("Claimed/Suspended", "slot1_2")
    assert machine.place("slot1_1") == "Claimed/Busy"
    machine.submit(more="+Tester = True")
    machine.submit()
    machine.runs(3)
    assert machine.signals(1) == ["START"]
    assert machine.signals(4) == []


def test_jobs_run_after_hours_only(desktop: PersonalPool) -> None:
    machine = Machine(
        desktop,
        """
AfterHours = ((ClockMin < 480 || ClockMin >= 1020) || (ClockDay == 0 || ClockDay == 6))
START = $(AfterHours)
IS_OWNER = (START =?= False)
PREEMPT = (! $(AfterHours))
MachineMaxVacateTime = 10
""",
    )
    machine.owner(ClockMin=600, ClockDay=3)
    machine.becomes("Owner/Idle", "slot1")
    machine.submit(ends_at_term=True)
    machine.owner(ClockMin=1020)
    machine.runs()
    machine.owner(ClockMin=480, ClockDay=4)
    wait_for(lambda: machine.signals() == ["START", "TERM"], "the soft signal comes at eight in the morning")
    machine.becomes("Owner/Idle", "slot1")
    machine.owner(ClockDay=6)
    machine.runs(times=2)
    assert machine.signals() == ["START", "TERM", "START"]


PAIRS = """
IsSuspendableSlot = SlotID > 1
NonSuspendableSlotState = eval(strcat("slot", SlotID - 1, "_State"))
STARTD_SLOT_ATTRS = State
STARTD_ATTRS = $(STARTD_ATTRS) IsSuspendableSlot NonSuspendableSlotState
MyNonSuspendableSlotIsIdle = (NonSuspendableSlotState =!= "Claimed" && NonSuspendableSlotState =!= "Preempting")
START = SlotID <= 2 && (IsSuspendableSlot != True && IsSuspendableJob =!= True || \\
        IsSuspendableSlot && IsSuspendableJob == True && $(MyNonSuspendableSlotIsIdle))
WANT_SUSPEND = True
SUSPEND = IsSuspendableSlot && $(MyNonSuspendableSlotIsIdle) != True
CONTINUE = $(MyNonSuspendableSlotIsIdle)
"""


def test_one_job_sleeps_while_another_uses_the_machine(static: PersonalPool) -> None:
    machine = Machine(static, PAIRS)
    machine.submit(more="+IsSuspendableJob = True")
    machine.runs(1)
    machine.becomes("Claimed/Busy", "slot2")
    other = machine.pool.submit("executable = /bin/sleep\narguments = 1000\nqueue\n")
    machine.becomes("Claimed/Busy", "slot1")
    machine.becomes("Claimed/Suspended", "slot2")
    pid = int(machine.pool.tool("condor_status", "-constraint", "SlotID == 2", "-af", "JobPid").stdout)
    wait_for(lambda: frozen(pid), "it stands still")
    of_slot2 = ("condor_status", "-constraint", "SlotID == 2", "-af")
    wait_for(
        lambda: int(machine.pool.tool(*of_slot2, "time() - EnteredCurrentActivity").stdout) > 1,
        "the suspension has lasted for a whole second, as it is counted",
    )
    machine.pool.tool("condor_rm", str(other))
    machine.becomes("Claimed/Busy", "slot2")
    wait_for(lambda: machine.signals(1) == ["START", "CONT"], "it goes on")
    suspended = machine.pool.tool("condor_status", "-constraint", "SlotID == 2", "-af", "TotalJobSuspendTime").stdout
    assert int(suspended) >= 1


PATIENT = """
START = (OwnerIsBack =!= True)
PREEMPT = (OwnerIsBack =?= True)
MAXJOBRETIREMENTTIME = 600
MachineMaxVacateTime = 1000
WANT_HOLD = TARGET.HoldMe =?= True
WANT_HOLD_REASON = "the owner is back"
WANT_HOLD_SUBCODE = 55
WANT_VACATE = TARGET.Rude =!= True
KILL = (EndItNow =?= True)
"""


def test_each_way_out(desktop: PersonalPool) -> None:
    """Retirement that the job gives up, a hold, no soft signal, and KILL, all at the same moment."""
    machine = Machine(desktop, PATIENT)
    gone = machine.submit(True, "max_job_retirement_time = 0")
    held = machine.submit(True, "max_job_retirement_time = 0\n+HoldMe = True")
    rude = machine.submit(True, "max_job_retirement_time = 0\n+Rude = True")
    deaf = machine.submit(False, "max_job_retirement_time = 0\njob_max_vacate_time = 900")
    for job in (gone, held, rude, deaf):
        machine.runs(job)
    machine.owner(OwnerIsBack="true")
    wait_for(lambda: 12 in machine.events(), "the job is held")
    rows = machine.pool.queue("JobStatus", "HoldReasonCode", "HoldReasonSubCode")
    assert ["5", "21", "55"] in rows
    wait_for(lambda: machine.signals(deaf) == ["START", "TERM"], "the deaf one was asked")
    wait_for(lambda: machine.signals(gone)[:2] == ["START", "TERM"], "and the one that obeys")
    assert machine.signals(rude)[:2] == ["START"]
    places = [f"slot1_{number}" for number in range(1, 5)]
    wait_for(lambda: "Preempting/Vacating" in map(machine.place, places), "the slot of the deaf one is shown so")
    machine.owner(EndItNow="true")
    wait_for(lambda: "State change: KILL is TRUE" in machine.log(), "KILL ends it")
    assert "WANT_VACATE is FALSE" in machine.log()


def test_retirement_ends_with_the_job_or_the_time(stopped_pool: PersonalPool) -> None:
    """The time counts for condor_off, and not for condor_off -peaceful."""
    pool = stopped_pool
    config = pool.directory / "config"
    config.touch()
    pool.environment["CONDOR_CONFIG"] = str(config)
    pool.start()
    machine = Machine(pool, "MAXJOBRETIREMENTTIME = 6\nMachineMaxVacateTime = 4\n")
    begun = time.time()
    machine.submit()
    machine.runs()
    pool.tool("condor_off", "-startd")
    machine.retires()
    wait_for(lambda: pool.queue("JobStatus") == [["1"]], "the job is back in the queue")
    killed = time.time()
    assert machine.signals() == ["START", "TERM"]
    asked = (pool.work / "signals.1").stat().st_mtime
    assert asked - begun > 1.0, "so early that the vacate time ends with the retirement"
    assert killed - begun > 3.0
    assert killed - asked > 1.0
    pool.tool("condor_rm", "-all")
    pool.tool("condor_on", "-startd")
    second = machine.submit()
    machine.runs(second)
    pool.tool("condor_off", "-startd", "-peaceful")
    machine.retires(2)
    assert machine.signals(second) == ["START"]
    pool.tool("condor_off", "-startd", "-fast")


RANKED = """
START = SlotID == 1
RANK = TARGET.Worth
MAXJOBRETIREMENTTIME = {retirement}
MachineMaxVacateTime = 4
NEGOTIATOR_CONSIDER_EARLY_PREEMPTION = True
"""


def test_a_better_job_gets_the_slot_when_the_other_has_retired(static: PersonalPool) -> None:
    machine = Machine(static, RANKED.format(retirement=5))
    before = machine.preemptions()
    worse = machine.submit(ends_at_term=True, more="+Worth = 1")
    machine.runs(worse)
    better = machine.submit(more="+Worth = 7")
    machine.retires()
    machine.runs(better)
    assert machine.signals(worse) == ["START", "TERM"]
    wait_for(lambda: 4 in machine.events(), "the log tells of it")
    lines = machine.log()
    assert "Changing state and activity: Preempting/Vacating -> Claimed/Idle" in lines
    wait_for(lambda: machine.preemptions() == before + 1, "it is counted")


def test_a_job_goes_on_when_the_better_one_is_removed(static: PersonalPool) -> None:
    machine = Machine(static, RANKED.format(retirement=1000))
    worse = machine.submit(more="+Worth = 1")
    machine.runs(worse)
    machine.submit(more="+Worth = 7")
    machine.becomes("Claimed/Retiring", "slot1")
    shown = machine.pool.tool("condor_status", *SLOT1, "CurrentRank", "PreemptingRank").stdout
    assert shown == "1.0 7.0\n"
    machine.pool.tool("condor_rm", "-constraint", "Worth == 7")
    machine.becomes("Claimed/Busy", "slot1")
    assert machine.signals(worse) == ["START"]


LIMITS = """
START = SlotID == 1
KILLING_TIMEOUT = 2
CLAIM_WORKLIFE = 0
WANT_SUSPEND = False
SUSPEND = False
WANT_SUSPEND_VANILLA = True
SUSPEND_VANILLA = (Freeze =?= True)
CONTINUE_VANILLA = (Freeze =!= True)
"""


def test_vanilla_forms_a_starter_that_does_not_obey_and_claims_of_one_job(
    static: PersonalPool,
) -> None:
    machine = Machine(static, LIMITS)
    first = machine.submit(ends_at_term=True)
    machine.runs(first)
    machine.owner(Freeze="true")
    machine.becomes("Claimed/Suspended", "slot1")
    machine.owner(Freeze="false")
    machine.becomes("Claimed/Busy", "slot1")
    pid, starter = machine.pool.tool("condor_status", *SLOT1, "JobPid", "StarterPid").stdout.split()
    os.kill(int(starter), signal.SIGSTOP)
    machine.pool.tool("condor_vacate", "-fast")
    wait_for(lambda: not Path(f"/proc/{pid}").exists(), "the job is dead though its starter did nothing")
    assert "is not responding to the request to hardkill its job" in machine.log()
    machine.runs(first, times=2)
    machine.pool.tool("condor_rm", "-all")
    for _ in range(2):
        machine.pool.submit("executable = /bin/true\nlog = short\nqueue\n")
    machine.pool.wait("short")
    granted = machine.log().count("slot1: Request accepted.")
    assert granted == 4, "a claim for each job"
