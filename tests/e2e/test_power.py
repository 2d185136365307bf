"""A machine that sleeps when it is told to, wakes for a job that waits for its time, and wakes another one."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pool import PersonalPool, wait_for
from python_job import run
from startd_programs import shows, startd_log

HARDWARE = "00:1a:2b:3c:4d:5e"
ADVERTISE = """
ad = classad2.ClassAd({"MyType": "Machine", "Name": "slot1@far", "Machine": "far", "SlotID": 1, "Offline": True,
    "Cpus": 4, "Memory": 9000, "Disk": 9000000, "HardwareAddress": "%s", "SubnetMask": "255.255.255.255",
    "MyAddress": "<127.0.0.1:9>", "Arch": "X86_64", "OpSys": "LINUX", "HasFileTransfer": True,
    "CondorVersion": "$CondorVersion: 25.14.0 2026-01-01 $"})
ad["Unhibernate"] = classad2.ExprTree("MY.MachineLastMatchTime =!= undefined")
ad["Requirements"] = classad2.ExprTree("true")
htcondor2.Collector().advertise([ad], "UPDATE_STARTD_AD")
answer = True
"""


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as heard:
        heard.bind(("127.0.0.1", 0))
        heard.settimeout(30)
        yield heard


def plugin(pool: PersonalPool) -> Path:
    """A hibernation plugin that notes what it is told; the machine sleeps while the file ``night`` is there."""
    noted, night = pool.work / "noted", pool.work / "night"
    sys = pool.work / "sys/class/rtc/rtc0"
    sys.mkdir(parents=True)
    (sys / "wakealarm").touch()
    (pool.work / "night").touch()
    text = (
        'test "$2" = ad && echo \'HibernationSupportedStates = "S3,RAM,disk"\' && exit\n'
        f"echo $* $(cat {sys}/wakealarm) >> {noted}\n"
        f"while [ -e {night} ]; do sleep 0.05; done\n"
    )
    pool.knob("HIBERNATION_PLUGIN", pool.script("plugin", text))
    pool.knob("HIBERNATION_PLUGIN_ARGS", "here")
    pool.knob("HIBERNATION_SYS_DIRECTORY", str(pool.work / "sys"))
    return noted


def test_sleep_and_wake(stopped_pool: PersonalPool, listener: socket.socket) -> None:
    pool = stopped_pool
    noted = plugin(pool)
    for name, value in {
        "DAEMON_LIST": "MASTER, COLLECTOR, SCHEDD, NEGOTIATOR, STARTD, ROOSTER",
        "HIBERNATE": 'ifThenElse(MY.Tired =?= True && State == "Unclaimed", "RAM", "NONE")',
        "HIBERNATE_CHECK_INTERVAL": "1", "HIBERNATION_OVERRIDE_WOL": "True", "POLLING_INTERVAL": "1",
        "ROOSTER_INTERVAL": "1", "ROOSTER_MAX_UNHIBERNATE": "1",
        "ROOSTER_WAKEUP_CMD": f'"$(BIN)/condor_power -d -i -p {listener.getsockname()[1]}"',
        "COLLECTOR_PERSISTENT_AD_LOG": str(pool.directory / "offline.log"),
    }.items():  # fmt: skip
        pool.knob(name, value)
    pool.start()
    wait_for(lambda: shows(pool, "CanHibernate", "HibernationSupportedStates") == ["true S3,S4"], "the plugin is asked")
    another_machine_is_woken(pool, listener)
    due = int(time.time()) + 5000
    pool.submit(
        f"executable = /bin/true\ndeferral_time = {due}\ndeferral_prep_time = 100\nlog = later\n"
        "should_transfer_files = NO\nqueue\n"
    )
    pool.tool("condor_update_machine_ad", stdin="Tired = True\n")
    mine = ("-constraint", 'Machine != "far"', "-af", "Offline", "HibernationState", "HibernationLevel")
    wait_for(
        lambda: pool.tool("condor_status", *mine).stdout.split() == ["true", "S3", "3"], "the slot is shown as offline"
    )
    wait_for(lambda: noted.read_text().endswith("\n"), "the machine is put to sleep")
    assert noted.read_text().split() == ["here", "set", "S3", str(due - 160)], "it wakes a minute before the job"
    job = "executable = /bin/true\nshould_transfer_files = NO\nlog = log\nqueue\n"
    pool.submit(job)
    (pool.work / "night").unlink()
    pool.wait("log")
    assert shows(pool, "Offline", "HibernationState")[-1] == "undefined NONE"
    assert (pool.work / "sys/class/rtc/rtc0/wakealarm").read_text().startswith("0")
    log = startd_log(pool)
    assert "This machine is about to enter hibernation (S3)" in log
    assert "This machine is back from S3" in log
    assert len(noted.read_text().splitlines()) == 1, "it stays awake for a while"


def another_machine_is_woken(pool: PersonalPool, listener: socket.socket) -> None:
    """A job that only a sleeping machine could run: the negotiator notes it, and the rooster crows."""
    assert run(pool, ADVERTISE % HARDWARE)
    pool.submit(
        'executable = /bin/true\nrequirements = Machine == "far"\nshould_transfer_files = YES\nlog = far\nqueue\n'
    )
    packet = listener.recv(1000)
    assert packet == b"\xff" * 6 + bytes.fromhex(HARDWARE.replace(":", "")) * 16
    shown = pool.tool(
        "condor_status",
        "-nocompact",
        "-constraint",
        'Machine == "far"',
        "-af",
        "MachineLastMatchTime",
        "MachineMatchCount",
    ).stdout.split()
    assert abs(int(shown[0]) - time.time()) < 60
    assert int(shown[1]) >= 1
    assert "Sending wakeup call to slot1@far." in (pool.log / "RoosterLog").read_text()
    assert (pool.log / "NegotiatorLog").read_text().count("Matched with offline slot1@far")
