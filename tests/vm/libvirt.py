"""The driver for libvirt: a machine is paused, suspended, saved and resumed, by a daemon of libvirt's for it alone."""

from __future__ import annotations

import json
import os
import pwd
import select
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "e2e")]

import small_machine
from pool import wait_for
from shared_pool import STRANGER, SharedPool

from condor_py.machine.run.identity import account, as_user
from condor_py.machine.run.vm.drivers import home_maker, work_of
from condor_py.machine.run.vm.executor import enter_as
from condor_py.machine.run.vm.keeper import start_keeper
from condor_py.machine.run.vm.spec import Disk, VmSpec
from condor_py.model.settings.virtual import LIBVIRT, VmSettings

COUNTS = 40
#: What is told to the machine, and so many seconds after it runs.
ORDERS = ((0.7, "pause"), (1.0, "continue"), (1.2, "suspend"), (2.5, "continue"), (2.9, "evict"))


def main() -> int:
    virsh, qemu = shutil.which("virsh"), shutil.which("qemu-system-x86_64")
    if virsh is None or qemu is None:
        print("skipped: no virsh or no qemu (Debian: libvirt-clients, libvirt-daemon, qemu-system-x86)")
        return 0
    emulates = bool(small_machine.why_not(kvm=True))
    settings = VmSettings("kvm", 500, driver=LIBVIRT, emulates=emulates, qemu=qemu, virsh=virsh)
    for scripted in (False, True):
        with tempfile.TemporaryDirectory(prefix="vm.", dir="/tmp") as top:
            check(settings, Path(top), scripted)
    if os.geteuid() == 0:  # whose own machines would be those of the system's libvirt
        with tempfile.TemporaryDirectory(prefix="vm.", dir="/tmp") as top:
            os.chmod(top, 0o755)
            kill_keeper(SharedPool(Path(top) / "pool"), emulates)
    return 0


def kill_keeper(pool: SharedPool, emulates: bool) -> None:
    """In a pool whose paths are too long for libvirt: what its keeper cannot remove any more the starter does."""
    knobs = {"VM_TYPE": "kvm", "VM_MEMORY": "200", "VM_DRIVER": "libvirt", "VM_EMULATE": str(emulates)}
    for name, value in knobs.items():
        pool.knob(name, value)
    pool.start()
    try:
        wait_for(lambda: "true" in pool.tool("condor_status", "-af", "HasVM").stdout, "a machine was tried", 90)
        disk = pool.theirs / "disk.img"
        small_machine.make_disk(disk, 100_000)
        shutil.chown(disk, STRANGER)
        text = f"universe = vm\nexecutable = x\nvm_type = kvm\nvm_memory = 32\nvm_disk = {disk}:vda:w\nqueue\n"
        before = homes()
        pool.submit_as_stranger(text)
        wait_for(lambda: keepers(pool) and homes() - before, "the machine runs", 60)
        (home,) = homes() - before
        os.kill(keepers(pool)[0], signal.SIGKILL)
        wait_for(lambda: not home.exists(), "what libvirt had is gone")
        wait_for(lambda: keepers(pool), "another one runs", 60)
        pool.tool("condor_rm", "-all")
        wait_for(lambda: not homes() - before, "nothing is left")
    finally:
        pool.stop()
    print("nothing is left of a machine whose keeper was killed")


def homes() -> set[Path]:
    """What libvirt has of machines at this moment."""
    return set(Path("/tmp").glob("condor_vm.*"))


def keepers(pool: SharedPool) -> list[int]:
    """The keepers of the machines that run: children of starters that are not qemu."""
    return [pid for starter in pool.starters() for pid in children(starter)]


def children(pid: int) -> list[int]:
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def check(settings: VmSettings, place: Path, scripted: bool) -> None:
    """With the description that is ours, or with one that a script has written."""
    disk = place / "disk.img"
    small_machine.make_disk(disk, COUNTS)
    who = account("nobody" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name)
    if os.geteuid() == 0:
        for path in (place, disk):
            os.chown(path, who.uid, who.gid)
    spec = VmSpec("condor_1.0", 64, 1, (Disk(str(disk), "vda", True),), checkpoints=True, console=f"{place}/console")
    if scripted:
        settings = settings.changed(xml_script=str(script(place, settings, spec)), xml_arguments=("one", "two"))
    make_home = home_maker(settings)
    with as_user(who):
        home = make_home(str(place))
    path = {"PATH": os.environ["PATH"]}
    work = work_of(settings, spec, path, str(place), lambda: "ClusterId = 1\n", home=home)
    for orders, end in ((ORDERS, "saved"), ((), "done")):
        pid, line = start_keeper(work, lambda: enter_as(who, str(place)))
        told = follow(line, list(orders))
        os.waitpid(pid, 0)
        assert [found.get("end") for found in told[-1:]] == [end], told
    assert small_machine.read_disk(disk) == (COUNTS, "DONE")
    assert (place / "console").read_text() == "." * COUNTS
    left = {path.name for path in place.iterdir()} - {"script", "description.xml", ".libvirt"}
    assert left == {"console", "disk.img"}, left
    print(f"every count came once{', with the description of a script' if scripted else ''}")


def script(place: Path, settings: VmSettings, spec: VmSpec) -> Path:
    """LIBVIRT_XML_SCRIPT: it writes what it finds in a file, if it gets the ad and its arguments."""
    from condor_py.machine.run.vm.libvirt import domain

    (place / "description.xml").write_text(domain(settings, spec))
    path = place / "script"
    path.write_text(f"#!/bin/sh\n[ \"$*\" = 'one two' ] && grep -q VMPARAM_VM_NAME && cat {place}/description.xml\n")
    path.chmod(0o755)
    return path


def follow(line: object, orders: list[tuple[float, str]]) -> list[dict[str, object]]:
    """Gives the orders at their times, and takes what the keeper tells until it has ended."""
    told: list[dict[str, object]] = []
    running = 0.0
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if select.select([line], [], [], 0.05)[0]:
            text = line.recv(1 << 16)
            if not text:
                return told
            told.append(json.loads(text))
            if told[-1].get("running") and not running:
                running = time.monotonic()
        if running and orders and time.monotonic() - running > orders[0][0]:
            line.send(orders.pop(0)[1].encode())
    raise TimeoutError(told)


if __name__ == "__main__":
    sys.exit(main())
