"""Jobs of the vm universe in a real pool, with machines of real qemu whose processor is imitated."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import small_machine
from pool import PersonalPool, wait_for
from shared_pool import STRANGER, SharedPool

BRIDGE = f"cvm{os.getpid()}"
JOB = """
universe = vm
executable = counter
vm_type = kvm
vm_memory = 32
vm_disk = disk.img:vda:w
transfer_input_files = disk.img
should_transfer_files = yes
log = job.log
+VMConsole = "console"
"""


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PersonalPool]:
    """A pool whose machine has qemu; several tests use it."""
    if reason := small_machine.why_not():
        pytest.skip(reason)
    made = PersonalPool(tmp_path_factory.mktemp("vm") / "pool", cpus=4)
    for name, value in (("VM_TYPE", "kvm"), ("VM_MEMORY", "200"), ("VM_MAX_NUMBER", "2"), ("VM_EMULATE", "true")):
        made.knob(name, value)
    made.knob("VM_NETWORKING", "true")
    made.knob("VM_NETWORKING_TYPE", "nat, user, bridge")
    made.knob("VM_NETWORKING_BRIDGE_INTERFACE", BRIDGE)
    made.knob("JOB_RENICE_INCREMENT", "0")
    made.start()
    try:
        wait_for(lambda: "true" in made.tool("condor_status", "-af", "HasVM").stdout, "a machine was tried")
        yield made
    finally:
        made.stop()


@pytest.fixture
def bridge() -> Iterator[Path]:
    """A bridge of the kernel, with nothing in it: where its ports are seen."""
    if os.geteuid() != 0 or shutil.which("ip") is None or not os.path.exists("/dev/net/tun"):
        pytest.skip("a bridge needs root, ip (Debian: iproute2) and /dev/net/tun")
    made = subprocess.run(["ip", "link", "add", "name", BRIDGE, "type", "bridge"], capture_output=True, text=True)
    if made.returncode:
        pytest.skip(f"no bridge can be made here: {made.stderr.strip()}")
    try:
        subprocess.run(["ip", "link", "set", BRIDGE, "up"], check=True)
        yield Path(f"/sys/class/net/{BRIDGE}/brif")
    finally:
        subprocess.run(["ip", "link", "del", BRIDGE], check=True)


@pytest.fixture
def small_room(tmp_path: Path) -> Iterator[Path]:
    """A file system of half a megabyte."""
    room = tmp_path / "room"
    room.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", "size=512k,mode=755", "tmpfs", str(room)]
    if os.geteuid() != 0 or subprocess.run(words, capture_output=True).returncode:
        pytest.skip("a small file system needs the right to mount one")
    try:
        yield room
    finally:
        subprocess.run(["umount", "-l", str(room)], check=True)


@pytest.fixture
def place(machines: PersonalPool, request: pytest.FixtureRequest) -> Path:
    """A directory for the jobs of one test."""
    made = machines.work / request.node.name
    made.mkdir()
    return made


def submit(pool: PersonalPool, place: Path, limit: int, more: str = "") -> str:
    small_machine.make_disk(place / "disk.img", limit)
    (place / "job.sub").write_text(f"{JOB}{more}\nqueue\n")
    done = pool.tool("condor_submit", "-terse", "job.sub", cwd=place)
    return done.stdout.split()[0]


def wait(pool: PersonalPool, place: Path) -> None:
    pool.wait(str(place / "job.log"), 120.0)


def qemus(pool: PersonalPool) -> list[int]:
    """The machines of the pool that live."""
    found = []
    for pid in pool.processes():
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if os.path.basename(words[0]).startswith(b"qemu"):
            found.append(pid)
    return found


def parent(pid: int) -> int:
    """The keeper of a machine."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def dots(pool: PersonalPool) -> int:
    """How far the machine that runs has counted, from its serial line."""
    found = list(pool.execute.glob("dir_*/scratch/console"))
    return found[0].stat().st_size if found else 0


def test_a_machine_runs_until_it_switches_itself_off(machines: PersonalPool, place: Path) -> None:
    """What the machine ad tells, and that its disk comes back."""
    told = machines.tool(
        "condor_status", "-af:,", "VM_Type", "VM_Memory", "VM_AvailNum", "VM_Networking", "VM_Networking_Types"
    ).stdout
    assert told.strip() == "kvm, 200, 2, true, nat,user,bridge"
    submit(machines, place, 8, "vm_networking = true\nvm_macaddr = 52:54:00:12:34:56")
    wait(machines, place)
    assert small_machine.read_disk(place / "disk.img") == (8, "DONE")
    assert (place / "console").read_text() == "." * 8
    assert sorted(path.name for path in place.iterdir()) == ["console", "disk.img", "job.log", "job.sub"]
    ended = ["0", "52:54:00:12:34:56"]
    wait_for(lambda: machines.history("ExitCode", "VM_MACAddr", "ImageSize_RAW")[0][:2] == ended, "it is recorded")


def test_a_machine_whose_owner_wants_nothing_back(machines: PersonalPool, place: Path) -> None:
    """vm_no_output_vm: the disk stays as it was given."""
    submit(machines, place, 8, "vm_no_output_vm = true")
    given = (place / "disk.img").read_bytes()
    wait(machines, place)
    assert "005" in (place / "job.log").read_text()
    assert (place / "disk.img").read_bytes() == given


def test_an_evicted_machine_goes_on_where_it_was(machines: PersonalPool, place: Path) -> None:
    """Its memory and its disk wait in the spool; the serial line shows each count once."""
    job = submit(machines, place, 200, "vm_checkpoint = true")
    wait_for(lambda: dots(machines) > 2, "it counts")
    machines.tool("condor_vacate_job", job)
    wait(machines, place)
    assert small_machine.read_disk(place / "disk.img") == (200, "DONE")
    assert (place / "console").read_text() == "." * 200
    assert sorted(path.name for path in place.iterdir()) == ["console", "disk.img", "job.log", "job.sub"]
    assert "004" in (place / "job.log").read_text()
    starts = ("condor_history", job, "-af", "NumJobStarts")
    wait_for(lambda: machines.tool(*starts).stdout.split() == ["2"], "it is recorded")


def test_a_suspended_machine_gives_its_memory_back(machines: PersonalPool, place: Path) -> None:
    """It is a file until it goes on. Its screen is a port of this machine."""
    job = submit(machines, place, 100_000, "vm_vnc = true")
    wait_for(lambda: dots(machines) > 4, "it counts")
    wait_for(lambda: machines.tool("condor_q", job, "-af", "JobVMVNCPort").stdout.strip().isdigit(), "the port is told")
    machines.tool("condor_suspend", job)
    wait_for(lambda: not qemus(machines), "there is no machine any more")
    assert list(machines.execute.glob("dir_*/scratch/_condor_vm_state"))
    before = dots(machines)
    machines.tool("condor_continue", job)
    wait_for(lambda: dots(machines) > before + 4, "it counts on")
    (disk,) = machines.execute.glob("dir_*/scratch/disk.img")
    wait_for(lambda: small_machine.read_disk(disk)[0] > before, "with what it had counted")
    wait_for(lambda: not list(machines.execute.glob("dir_*/scratch/_condor_vm_state")), "its memory is no file")
    machines.tool("condor_rm", job)
    wait_for(lambda: not qemus(machines), "it was switched off")


def test_what_must_not_be_left(machines: PersonalPool, place: Path) -> None:
    """No machine outlives its job, its starter or its keeper; one that has no checkpoint begins anew. Who kills his own
    does not take them from the others."""
    job = submit(machines, place, 100_000)
    wait_for(lambda: qemus(machines) and len(machines.starters()) == 1, "it runs, and no job of another test does")
    (first,) = qemus(machines)
    (starter,) = machines.starters()
    os.kill(starter, signal.SIGKILL)
    wait_for(lambda: first not in (alive := qemus(machines)) and len(alive) == 1, "another one runs")
    (second,) = qemus(machines)
    os.kill(parent(second), signal.SIGKILL)
    wait_for(lambda: second not in (alive := qemus(machines)) and len(alive) == 1, "a third one runs")
    assert "true" in machines.tool("condor_status", "-af", "HasVM").stdout
    machines.tool("condor_rm", job)
    wait_for(lambda: not qemus(machines), "it was switched off")
    wait_for(lambda: not machines.queue("ClusterId"), "the job is gone")
    assert small_machine.read_disk(place / "disk.img") == (0, "")


def test_a_machine_in_a_bridged_network(machines: PersonalPool, place: Path, bridge: Path) -> None:
    """It is a port of the administrator's bridge, on which its hardware address is heard, and which is gone with the
    machine, whatever it dies of."""
    more = "vm_networking = true\nvm_networking_type = bridge\nvm_macaddr = 52:54:00:ab:cd:ef"
    job = submit(machines, place, 100_000, more)
    wait_for(lambda: dots(machines) > 1, "it counts")
    (port,) = bridge.iterdir()
    machines.tool("condor_suspend", job)
    wait_for(lambda: not qemus(machines), "it is a file")
    machines.tool("condor_continue", job)
    addresses = ["bridge", "fdb", "show", "br", BRIDGE]  # a machine that goes on says where it is
    wait_for(lambda: "52:54:00:ab:cd:ef" in subprocess.check_output(addresses, text=True), "it was heard on the bridge")
    assert [path.name for path in bridge.iterdir()] == [port.name]
    os.kill(parent(qemus(machines)[0]), signal.SIGKILL)
    wait_for(lambda: not port.exists(), "its port is gone")
    machines.tool("condor_rm", job)
    wait_for(lambda: not qemus(machines) and not list(bridge.iterdir()), "nothing is left")


def test_a_machine_that_starts_from_a_cdrom(machines: PersonalPool, place: Path) -> None:
    """What has .iso in its name is one, before the disks in the order of starting; it comes with the job's files, and
    its disk goes back as it was."""
    small_machine.make_cdrom(place / "boot.iso", 8)
    disks = "vm_disk = boot.iso:hdc:r, disk.img:vda:w\ntransfer_input_files = disk.img, boot.iso"
    submit(machines, place, 100_000, disks)
    given = (place / "disk.img").read_bytes()
    wait(machines, place)
    assert (place / "console").read_text() == "." * 8
    assert (place / "disk.img").read_bytes() == given
    assert "005" in (place / "job.log").read_text()


def test_a_machine_whose_disk_is_full(machines: PersonalPool, place: Path, small_room: Path) -> None:
    """The disk is a layer above another one on a file system without room: qemu stops the machine, and the job is
    held with the reason."""
    base, layer = place / "disk.img", small_room / "layer.qcow2"
    small_machine.make_disk(base, 100_000)
    layers = ["qemu-img", "create", "-q", "-f", "qcow2", "-F", "raw", "-b", str(base), str(layer)]
    subprocess.run(layers, check=True)
    with suppress(OSError), (small_room / "filler").open("wb", 0) as filler:
        while filler.write(bytes(4096)):
            pass
    job = submit(machines, place, 100_000, f"vm_disk = {layer}:vda:w:qcow2\ntransfer_input_files =")
    wait_for(lambda: machines.status_of(job) == 5, "it is held")
    assert "a disk cannot be written" in machines.tool("condor_q", job, "-af", "HoldReason").stdout
    machines.tool("condor_rm", job)
    wait_for(lambda: not qemus(machines), "nothing is left")


def test_refusals(machines: PersonalPool, place: Path) -> None:
    """What qemu says stands in the reason; what the machine has no room for waits."""
    bad = submit(machines, place, 5, "vm_disk = disk.img:vda:w:qcow2")
    wait_for(lambda: machines.status_of(bad) == 5, "held")
    told = machines.tool("condor_q", bad, "-af", "HoldReasonCode", "HoldReasonSubCode", "HoldReason").stdout
    assert told.startswith("6 12 Error from slot1"), told
    assert "VMGAHP_ERR_BAD_IMAGE" in told
    assert "Image is not in qcow2 format" in told
    large = submit(machines, place, 5, "vm_memory = 201")
    machines.tool("condor_reschedule")
    asked = ("condor_q", large, "-af", "LastRejMatchTime")
    wait_for(lambda: machines.tool(*asked).stdout.strip().isdigit(), "nobody has room for it")
    assert machines.status_of(large) == 1
    machines.tool("condor_rm", "-all")


@pytest.mark.promise("S69")
def test_roots_machines_are_their_owners(stopped_shared: SharedPool) -> None:
    """With the processor's own support, where it is there. When all daemons are killed at once no machine is left, and
    the next daemons begin with a new one."""
    if reason := small_machine.why_not():
        pytest.skip(reason)
    pool = stopped_shared
    for name, value in (("VM_TYPE", "kvm"), ("VM_MEMORY", "100"), ("VM_SOFT_SUSPEND", "true")):
        pool.knob(name, value)
    pool.knob("VM_EMULATE", "true" if small_machine.why_not(kvm=True) else "false")
    pool.start()
    wait_for(lambda: "true" in pool.tool("condor_status", "-af", "HasVM").stdout, "a machine was tried")
    disk = pool.theirs / "disk.img"
    small_machine.make_disk(disk, 1_000_000)
    stranger = pwd.getpwnam(STRANGER)
    os.chown(disk, stranger.pw_uid, stranger.pw_gid)
    pool.submit_as_stranger(
        JOB.replace("vm_disk = disk.img", f"vm_disk = {disk}").replace("transfer_input", "#") + "queue\n"
    )
    wait_for(lambda: small_machine.read_disk(disk)[0] > 0, "it counts")
    (first,) = qemus(pool)
    status = Path(f"/proc/{first}/status").read_text()
    assert f"Uid:\t{stranger.pw_uid}\t{stranger.pw_uid}" in status
    pool.tool("condor_suspend", "1.0")
    wait_for(lambda: pool.status_of("1.0") == 7, "suspended")
    assert qemus(pool) == [first], "it keeps its memory"
    pool.tool("condor_continue", "1.0")
    for pid in pool.processes():
        if pid != first:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    wait_for(lambda: not qemus(pool), "no machine is left")
    small_machine.make_disk(disk, 1_000_000)
    pool.start()
    wait_for(lambda: small_machine.read_disk(disk)[1] == "RUN", "it counts")
    pool.tool("condor_vacate_job", "1.0")
    wait_for(lambda: small_machine.read_disk(disk)[1] == "BYE", "its power button was pressed")
    pool.tool("condor_rm", "-all")
    wait_for(lambda: not qemus(pool), "it was switched off")
