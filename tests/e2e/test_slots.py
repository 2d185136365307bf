"""Slots of a running startd as the configuration makes them."""

from __future__ import annotations

import pytest
from pool import PersonalPool, wait_for

DEVICES = """#!/bin/sh
cat <<END
DetectedGPUs="GPU-aaaa, GPU-bbbb"
GPU_aaaa=[ id="GPU-aaaa"; Capability=8.6; ]
GPU_bbbb=[ id="GPU-bbbb"; Capability=7.0; ]
END
"""
JOB = """executable = /bin/sh
arguments = "-c 'echo $CUDA_VISIBLE_DEVICES $_CONDOR_AssignedGPUs'"
request_gpus = 1
require_gpus = Capability < 8.0
output = out
log = log
queue
"""


def test_a_job_gets_the_device_that_it_requires(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    program = pool.work / "devices"
    program.write_text(DEVICES)
    program.chmod(0o755)
    pool.knob("MACHINE_RESOURCE_INVENTORY_GPUs", str(program))
    pool.start()
    pool.submit(JOB)
    pool.wait("log")
    assert (pool.work / "out").read_text() == "GPU-bbbb GPU-bbbb\n"


def test_an_inventory_that_fails_stops_the_startd_with_a_reason(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    pool.knob("MACHINE_RESOURCE_INVENTORY_Widgets", "/nonexistent/widgets")
    done = pool.tool("condor_master", check=False)
    text = "MACHINE_RESOURCE_INVENTORY_Widgets: cannot run /nonexistent/widgets: No such file or directory"
    log = pool.log / "StartLog"
    assert text in log.read_text()
    warned, died = done.stderr.splitlines()
    assert warned.endswith("MACHINE_RESOURCE_INVENTORY_Widgets: there is no program /nonexistent/widgets")
    assert (done.returncode, died) == (1, f"condor_master: condor_startd does not start: {text}; see {log}")


def test_slots_that_do_not_fit_are_shown_and_told(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    pool.knob("NUM_SLOTS_TYPE_1", "1")
    pool.knob("SLOT_TYPE_1", "cpus=3")
    pool.knob("NUM_SLOTS_TYPE_2", "1")
    pool.knob("SLOT_TYPE_2", "cpus=3")
    pool.start()
    rows = pool.tool("condor_status", "-af", "Name", "Cpus", "SlotBrokenReason").stdout.splitlines()
    assert [row.partition("@")[0] for row in rows] == ["slot1", "slot2"]
    assert rows[1].endswith(" 0 Not enough Cpus (2.00 short)")
    told = (pool.log / "StartLog").read_text().partition("ERROR: Can't allocate 1st slot of type 2\n")[2].splitlines()
    assert told[0].startswith("\tRequesting: Cpus: 3.00, ")  # as HTCondor's, only the first line has a time
    assert told[1].startswith("\tAvailable:  ")


def test_an_impossible_configuration_is_told_on_the_screen(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    pool.knob("SLOT_CONFIG_FAILURE_MODE", "ABORT")
    pool.knob("NUM_SLOTS_TYPE_1", "1")
    pool.knob("SLOT_TYPE_1", "cpus=9")
    done = pool.tool("condor_master", check=False)
    assert done.returncode == 1
    assert "condor_startd does not start: " in done.stderr
    assert "Can't allocate 1st slot of type 1" in done.stderr
    assert "SLOT_TYPE_1" in done.stderr


def test_a_consumption_policy_decides_what_a_match_takes(pool: PersonalPool) -> None:
    pool.configure("CONSUMPTION_POLICY = True\nCONSUMPTION_CPUS = TARGET.RequestCpus * 2\n")
    pool.submit("executable = /bin/sleep\narguments = 1000\nlog = log\nqueue 3\n")

    def cpus() -> list[str]:
        return pool.tool("condor_status", "-constraint", "DynamicSlot", "-af", "Cpus").stdout.split()

    wait_for(lambda: cpus() == ["2", "2"], "two of three jobs fill four cpus")
    wait_for(lambda: sorted(row[0] for row in pool.queue("JobStatus")) == ["1", "2", "2"], "two run")


@pytest.mark.xdist_group("static slots")
def test_a_job_that_a_static_slot_ranks_higher_takes_it_over_at_once(static_pool: PersonalPool) -> None:
    """The starter that has to go takes the slot's control group with it: the next one makes another."""
    pool = static_pool
    pool.configure("START = SlotID == 1\nRANK = TARGET.Important ?: 0\nNEGOTIATOR_INTERVAL = 2\n")
    job = "executable = /bin/sleep\narguments = 600\n"
    pool.submit(f"{job}log = low.log\nqueue\n")
    wait_for(lambda: any(number == 1 for number, _ in pool.events("low.log")), "the first job runs")
    pool.submit(f"{job}+Important = 5\nlog = high.log\nqueue\n")
    wait_for(lambda: any(number == 1 for number, _ in pool.events("high.log")), "the second runs instead")
    preempted = "Reason: Preempted for a higher Ranked job"
    wait_for(lambda: preempted in (pool.work / "low.log").read_text(), "the log of the first tells why")
    assert [number for number, _ in pool.events("high.log") if number != 6] == [0, 1]


@pytest.mark.xdist_group("static slots")
def test_the_startd_hears_of_matches_if_the_negotiator_is_to_tell(static_pool: PersonalPool) -> None:
    pool = static_pool
    pool.configure("NEGOTIATOR_INFORM_STARTD = true\n")
    pool.submit("executable = /bin/true\nlog = job.log\nqueue\n")
    pool.wait("job.log")
    told = pool.logged("StartLog")
    assert "match notification protocol successful" in told
    assert told.index("Unclaimed -> Matched") < told.index("Matched -> Claimed")
