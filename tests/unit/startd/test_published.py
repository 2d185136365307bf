"""Everything that a startd publishes, in scenes that together show every attribute; held in published.txt beside this.

Attributes are an interface: requirements of jobs, queries of users and programs go by their names and forms. Where one
changes on purpose, ``python tests/unit/startd/test_published.py`` (with PYTHONPATH=.) writes the file anew.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))

from startd_bench import FACTS, START, Bench, ev, fx, job_ad, settings

from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.settings.startd import DiskStore, MachineResource, SlotPolicy, SlotType

HELD = Path(__file__).with_name("published.txt")
OS = FACTS.os._replace(
    uts_machine="x86_64", uts_nodename="vm", uts_release="6.1.0", uts_sysname="Linux", uts_version="#1 SMP"
)
HOST = FACTS._replace(
    os=OS,
    user_namespaces=True,
    hardware_address="00:11:22:33:44:55",
    subnet_mask="255.255.255.0",
    utc_offset=3600,
)


def serving() -> Bench:
    """A machine with GPUs that runs a job of a group in a dynamic slot; another of its claims is idle."""
    gpus = MachineResource(
        "GPUs", 2.0, ids=("GPU-a", "GPU-b"),
        properties=tuple((unit, (("Id", f'"{unit}"'), ("Capability", "8.0"))) for unit in ("GPU-a", "GPU-b")),
        attrs=(("CUDADriverVersion", "12.4"),),
    )  # fmt: skip
    made = settings(
        {"attrs": (("HasProject", "true"),)}, resources=(gpus,), uid_domain="example.net", filesystem_domain="vm",
        collector_host="vm:9618", job_attrs=("Department",), slot_attrs=("Activity",),
        missing_isolation=("MOUNT_UNDER_SCRATCH",), daemon_attrs=(("Site", '"here"'),),
    )  # fmt: skip
    bench = Bench(made, HOST)
    job = job_ad(
        RequestCpus="2", RequestGPUs="1", AccountingGroup='"physics.alice"', AcctGroup='"physics"',
        ConcurrencyLimits='"LIC:2"', Department='"optics"',
    )  # fmt: skip
    asked = ev.ClaimRequest(
        "r1", "slot1@vm", "physics.alice@example.net", "alice", job, group="physics", autoregroup=True,
        own_group="physics", schedd="access@vm", client="login.example.net",
    )  # fmt: skip
    bench.do(asked)
    claim = bench.only(fx.ClaimGranted).claim
    bench.do(ev.Ready(claim, 4711))
    bench.run(claim, ad=job)
    bench.wait(30)
    bench.do(
        ev.RunUpdate(claim, JobId(1, 0), 1, {"RemoteUserCpu": "40.0", "RemoteSysCpu": "5.0", "ResidentSetSize": "2048"})
    )
    bench.claim(user="bob@example.net")
    bench.wait(30, load_avg=1.5)
    return bench


def preempting() -> Bench:
    """Two static slots: on one a job makes way for a better one, on the other a job is suspended."""
    policy = SlotPolicy(rank='TARGET.User == "carol@example.net" ? 5 : 0', max_job_retirement_time="6000")
    bench = Bench(settings(types=(SlotType(1, 2, partitionable=False, policy=policy),)))
    bench.running("slot1@vm")
    claim = bench.running("slot2@vm", job_ad(GlobalJobId='"vm#2.0#1"'))
    bench.do(ev.SuspendClaim(claim))
    bench.wait(10)
    better = job_ad(User='"carol@example.net"', ConcurrencyLimits='"SW"')
    request = ev.ClaimRequest("r9", "slot1@vm", "carol@example.net", "carol", better)
    bench.do(ev.BetterClaim(request, True))
    bench.wait(10)
    return bench


def draining() -> Bench:
    """A machine that drains gracefully, with slots that cannot be made."""
    types = (SlotType(1, 1, policy=SlotPolicy(max_job_retirement_time="6000")),)
    bench = Bench(settings(types=types))
    bench.running()
    bench.wait(100)
    bench.do(ev.Drain("graceful", reason="new kernel"))
    bench.wait(20)
    return bench


SCENES = {"serving": serving, "preempting": preempting, "draining": draining}


def lines_of(ad: ClassAd) -> dict[str, str]:
    found = dict(ad.text_items())
    for name in ("CondorVersion", "CondorPlatform"):
        found[name] = re.sub(r": .*", ": OURS", found[name])
    return found


def transcript() -> Iterator[str]:
    """The first ad as it is; of the others what they have of their own, and what they lack."""
    first: dict[str, str] | None = None
    for scene, make in SCENES.items():
        for name, ad in make().ads().items():
            found = lines_of(ad)
            before, first = first or {}, first or found
            yield f"== {scene}: {name}"
            yield from (
                f"{key} = {found[key]}" for key in sorted(found, key=str.lower) if before.get(key) != found[key]
            )
            lacking = [key for key in sorted(before, key=str.lower) if key not in found]
            if lacking:
                yield f"without {' '.join(lacking)}"
            yield ""


def test_what_is_published_is_what_is_held() -> None:
    assert list(transcript()) == HELD.read_text().split("\n")[:-1]


def test_the_scenes_begin_where_they_say() -> None:
    assert serving().now == START + 60
    assert serving().place("slot1_1") == "Claimed/Busy"
    assert [preempting().place(slot) for slot in ("slot1", "slot2")] == ["Claimed/Retiring", "Claimed/Suspended"]
    assert draining().place("slot1_1") == "Claimed/Retiring"


if __name__ == "__main__":
    HELD.write_text("".join(f"{line}\n" for line in transcript()))


def test_what_disks_of_jobs_lie_in() -> None:
    store = DiskStore("group/pool", True, True, 209715200, 8388608, 4194304)
    ads = Bench(settings(enforces_disk=True, disk_store=store, disk_kb=180000), HOST).ads()
    slot, daemon = ads["slot1@vm"], ads["vm"]
    for ad in (slot, daemon):
        assert (ad.text("IsEnforcingDiskUsage"), ad.text("LvmUsingLoopback")) == ("true", "true")
        assert (ad.text("LvmBackingStore"), ad.text("LvmIsThinProvisioning")) == ('"group/pool"', "true")
        assert (ad.text("DiskQuantum"), ad.text("DetectedDisk")) == ("4096", "204800")
    told = [(ad.text("LvmDetectedDisk"), ad.text("LvmNonCondorDiskUsage")) for ad in (daemon, slot)]
    assert told == [("209715200", "8388608"), (None, None)]
