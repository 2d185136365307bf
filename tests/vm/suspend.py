"""Real nights: a machine with Debian's kernel and a pool in it is suspended to memory (ACPI S3), and its clock wakes
it. First somebody suspends it by hand while a job runs, then HIBERNATE does, and it wakes for a job that waits for its
time. Then HIBERNATE puts it on its disk (S4): it is switched off, switched on again here, and goes on with its pool.
At last HIBERNATE switches it off for good (S5). Everything else that the machine has lies in its memory; the processor
is emulated unless MACHINE_KVM=1 is set. qemu's monitor tells what a machine does that says nothing for long; then it is
woken, so that it shows the logs of its pool. It needs of Debian qemu-system-x86, linux-image-cloud-amd64,
busybox-static and cpio.
"""

from __future__ import annotations

import compileall
import json
import os
import queue
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pool import PersonalPool

ROOT = Path(__file__).resolve().parents[2]
#: Seconds: for everything, and for which the machine may say nothing before somebody looks.
SECONDS, SILENT = 1800, 400
#: What the kernel needs for its image of the machine (MB), and where that disk is.
SWAP, DISK = 1500, "/dev/nvme0n1"
#: The last words of the machine.
ON_DISK, OFF = "the machine goes to its disk", "the machine is switched off"
WaitFor = Callable[[Callable[[], object], str], None]
INIT = """#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev
until [ -e /sys/class/block/nvme0n1/dev ]; do sleep 1; done
cat /sys/class/block/nvme0n1/dev > /sys/power/resume # who was put on his disk wakes here
mkswap DISK > /dev/null; swapon DISK
mkdir -p /dev/shm /tmp; mount -t tmpfs -o mode=1777 tmp /tmp; mount -t tmpfs shm /dev/shm
ip link set lo up; hostname sleeper
export PATH=/bin HOME=/ LANG=C.UTF-8 CONDOR_PY_TEST_PATIENCE=10
/python/bin/python3 /app/tests/vm/suspend.py inside </dev/null
echo "the machine ends with $?"
sleep 60
poweroff -f
""".replace("DISK", DISK)


# -- outside ----------------------------------------------------------------------------------------------------------


def main() -> int:
    kernels = sorted(Path("/boot").glob("vmlinuz-*-cloud-amd64"))
    busybox = shutil.which("busybox")
    if not kernels or busybox is None or not shutil.which("cpio") or not shutil.which("qemu-system-x86_64"):
        print("skipped: no kernel, qemu, busybox or cpio (Debian: linux-image-cloud-amd64, qemu-system-x86,"
              " busybox-static, cpio)")  # fmt: skip
        return 0
    with tempfile.TemporaryDirectory(prefix="suspend.") as name:
        top, end = Path(name), time.monotonic() + SECONDS
        words = machine(kernels[-1], pack(top, busybox), disk(top), top / "monitor")
        for last in (ON_DISK, OFF):
            if wrong := watch(words, top / "monitor", end, last):
                print(f"failed: {wrong}")
                return 1
    print("all nights are over, and all was well")
    return 0


def disk(top: Path) -> Path:
    """An empty one."""
    path = top / "swap"
    with path.open("wb") as file:
        file.truncate(SWAP << 20)
    return path


def pack(top: Path, busybox: str) -> Path:
    """Everything that the machine has: busybox, this Python with what it needs, condor_py, and this file."""
    root = top / "root"
    for name in ("bin", "sbin", "proc", "sys", "dev", "tmp", "etc", "app/tests/vm", "app/tests/e2e", "python/bin"):
        (root / name).mkdir(parents=True)
    shutil.copy(busybox, root / "bin/busybox")
    (root / "init").write_text(INIT)
    (root / "init").chmod(0o755)
    (root / "sbin/poweroff").write_text(f"#!/bin/busybox sh\necho {OFF} > /dev/console\nexec /bin/poweroff -f\n")
    (root / "sbin/poweroff").chmod(0o755)
    (root / "etc/passwd").write_text("root:x:0:0:root:/:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/sh\n")
    (root / "etc/group").write_text("root:x:0:\nnogroup:x:65534:\n")
    (root / "etc/hosts").write_text("127.0.0.1 localhost sleeper\n")
    import psutil

    python = Path(sys.executable).resolve()
    shutil.copy(python, root / "python/bin/python3")
    library = Path(os.__file__).parent
    leave = shutil.ignore_patterns("test", "*-packages", "config-3*", "idlelib", "tkinter", "ensurepip", "lib2to3",
                                   "pydoc_data", "*.opt-*")  # fmt: skip
    shutil.copytree(library, root / "python/lib" / library.name, ignore=leave)
    for package in (ROOT / "condor_py", Path(psutil.__file__).parent):
        shutil.copytree(package, root / "app" / package.name, ignore=shutil.ignore_patterns("*.c", "*.h", "tests"))
    compileall.compile_dir(root / "app/condor_py", quiet=2)
    for name in ("vm/suspend.py", "e2e/pool.py"):
        shutil.copy(ROOT / "tests" / name, root / "app/tests" / name)
    programs = [python, *(root / "python").rglob("*.so"), *(root / "app").rglob("*.so")]
    for path in sorted(libraries(programs)):
        place = root / path.relative_to("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, place)
    packed = top / "initrd"
    with packed.open("wb") as file:
        names = subprocess.run(["find", "."], cwd=root, check=True, capture_output=True).stdout
        subprocess.run(["cpio", "-o", "-H", "newc", "--quiet"], cwd=root, input=names, stdout=file, check=True)
    return packed


def libraries(programs: Iterable[Path]) -> set[Path]:
    """The shared libraries that these need, by the paths at which they are looked for."""
    done = subprocess.run(["ldd", *map(str, programs)], capture_output=True, text=True, check=False)
    found = re.findall(r"(?:=> |^\t)(/\S+) \(0x", done.stdout, re.MULTILINE)
    return {Path(text) for text in found}


def machine(kernel: Path, initrd: Path, swap: Path, monitor: Path) -> list[str]:
    """qemu's command line. The clock of the machine is that of the host."""
    processor = ["-enable-kvm", "-cpu", "host"] if os.environ.get("MACHINE_KVM") == "1" else \
        ["-accel", "tcg,thread=multi", "-cpu", "max"]  # fmt: skip
    return [
        "qemu-system-x86_64", *processor, "-machine", "pc", "-global", "PIIX4_PM.disable_s3=0", "-m", "2500M",
        "-drive", f"file={swap},if=none,id=swap,format=raw,cache=unsafe", "-device", "nvme,drive=swap,serial=1",
        "-smp", "1", "-nodefaults", "-no-user-config", "-no-reboot", "-nographic", "-serial", "stdio",
        "-qmp", f"unix:{monitor},server=on,wait=off",
        "-rtc", "base=utc,clock=host", "-kernel", str(kernel), "-initrd", str(initrd),
        "-append", "console=ttyS0 quiet loglevel=4 panic=-1 no_console_suspend hibernate=nocompress",
    ]  # fmt: skip


def watch(words: list[str], monitor: Path, end: float, last: str) -> str:
    """Shows what the machine says; "" when ``last`` was the last word before it was off, otherwise what is wrong."""
    said, wrong = "", ""
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, errors="replace") as qemu:
        threading.Thread(target=listen, args=(qemu, lines), daemon=True).start()
        while True:
            try:
                line = lines.get(timeout=max(0.0, min(SILENT, end - time.monotonic())))
            except queue.Empty:
                now = state(monitor)
                if wrong or time.monotonic() >= end:
                    qemu.kill()
                    return wrong or f"all that took more than {SECONDS} seconds; since {said!r} {now}"
                print(f"nothing said for {SILENT} seconds since {said!r}: {now}", flush=True)
                if "suspended" in now:
                    wrong = f"it sleeps for more than {SILENT} seconds since {said!r}, and is woken to show more"
                    print(wrong, flush=True)
                    ask(monitor, "system_wakeup")
                continue
            if not line:
                break
            print(line, end="", flush=True)
            if line.strip() and not line.startswith("["):  # that would be the kernel
                said = line.strip()
            if said.startswith("the machine ends with"):
                qemu.kill()
    return wrong or ("" if said == last else f"its last words were {said!r} instead of {last!r}")


def listen(qemu: subprocess.Popen[str], lines: queue.SimpleQueue[str]) -> None:
    """What it says, line by line; an empty one when it is off."""
    assert qemu.stdout is not None
    for line in qemu.stdout:
        lines.put(line)
    lines.put("")


def state(monitor: Path) -> str:
    """Whether the machine sleeps, and whether its processor has something to do."""
    status = ask(monitor, "info status").strip()
    halted = "HLT=1" in ask(monitor, "info registers")
    return f"{status}, its processor {'waits' if halted else 'works'}"


def ask(monitor: Path, command: str) -> str:
    """What qemu's monitor answers; "" when it does not."""
    with suppress(OSError, ValueError, KeyError), socket.socket(socket.AF_UNIX) as line:
        line.settimeout(10)
        line.connect(str(monitor))
        with line.makefile("rw") as file:
            file.readline()
            for word in (
                {"execute": "qmp_capabilities"},
                {"execute": "human-monitor-command", "arguments": {"command-line": command}},
            ):
                file.write(json.dumps(word))
                file.flush()
                while "return" not in (answer := json.loads(file.readline())):
                    pass
            return str(answer["return"])
    return ""


# -- inside -----------------------------------------------------------------------------------------------------------


def inside() -> int:
    """What happens in the machine."""
    sys.path[:0] = ["/app", "/app/tests/e2e"]
    from pool import PersonalPool, wait_for

    print("the kernel offers:", Path("/sys/power/state").read_text().strip(), flush=True)
    pool = PersonalPool(Path("/tmp/pool"), cpus=1)
    for name, value in {
        "HIBERNATE": 'ifThenElse(State == "Unclaimed" && time() < MY.Dawn, MY.Night, "NONE")',
        "HIBERNATE_CHECK_INTERVAL": "5", "HIBERNATION_OVERRIDE_WOL": "True", "HIBERNATION_MINIMUM_UPTIME": "30",
        "HIBERNATION_WAKE_EARLY": "5", "LINUX_HIBERNATION_METHOD": "/sys", "SCHEDD_INTERVAL": "5",
    }.items():  # fmt: skip
        pool.knob(name, value)
    try:
        return nights(pool, wait_for)
    except BaseException:
        for path in sorted(pool.log.glob("*Log")):
            print(path.name, path.read_text()[-6000:], flush=True)
        raise


def nights(pool: PersonalPool, wait_for: WaitFor) -> int:
    """All of them; the last one has no end."""
    begun = time.monotonic()
    pool.start()
    told = ("condor_status", "-af", "CanHibernate", "HibernationSupportedStates")
    wait_for(lambda: "true S3,S4,S5" in pool.tool(*told).stdout, "the startd knows that it can sleep")
    slowness = max(1.0, (time.monotonic() - begun) / 30)
    print(f"the pool is up, {slowness:.1f} times as slow as on a quiet machine", flush=True)
    by_hand(pool, wait_for, slowness)
    by_policy(pool, wait_for, slowness)
    to_disk(pool, wait_for, slowness)
    switched_off(pool, wait_for, slowness)
    return 1


def by_hand(pool: PersonalPool, wait_for: WaitFor, slowness: float) -> None:
    """A job runs across the night, which is longer than its lease: it ends once, as if there had been none, and its
    claim goes on."""
    lease = 20 + int(10 * slowness)
    command = "import time; b = time.monotonic(); time.sleep(20); print(time.monotonic() - b)"
    (pool.work / "job.py").write_text(command)
    job = pool.submit(
        f"executable = {sys.executable}\narguments = job.py\nlog = log\noutput = out\n"
        f"job_lease_duration = {lease}\n"
        "transfer_input_files = job.py\nshould_transfer_files = YES\ntransfer_executable = false\n"
        "request_disk = 1000\nqueue\n"
    )
    wait_for(lambda: "001 (" in (pool.work / "log").read_text(), "it runs")
    slept = night(lease + 15)
    print(f"slept for {slept:.0f} seconds, by hand", flush=True)
    assert slept > lease
    assert pool.tool("condor_q", "-af", "JobStatus").stdout.split() == ["2"]
    pool.wait("log")
    worked = float((pool.work / "out").read_text())
    events = re.findall(r"^(\d{3}) \(", (pool.work / "log").read_text(), re.MULTILINE)
    wall, code = pool.history("RemoteWallClockTime", "ExitCode")[0]
    print(f"job {job}: {worked:.1f} s of its own, {wall} s by the clock, events {' '.join(events)}", flush=True)
    assert worked < slept
    assert float(wall) > slept + 15
    assert code == "0"
    assert [number for number in events if number not in ("006", "040")] == ["000", "001", "005"]
    assert "while this machine did not" in (pool.log / "StartLog").read_text()


def by_policy(pool: PersonalPool, wait_for: WaitFor, slowness: float) -> None:
    """Nobody needs the machine, and HIBERNATE has it sleep; its clock wakes it for a job that waits for its time."""
    due, window = int(time.time() + 60 + 25 * slowness), int(100 * slowness)
    job = pool.submit(
        f"executable = /bin/date\narguments = +%s\noutput = when\nlog = later\ndeferral_time = {due}\n"
        f"deferral_prep_time = 20\ndeferral_window = {window}\nshould_transfer_files = NO\nrequest_disk = 1000\nqueue\n"
    )
    apart = time.time() - time.monotonic()
    fall_asleep(pool, "RAM", due - 40)
    wait_for(lambda: "back from S3" in (pool.log / "StartLog").read_text(), "it slept and woke")
    slept, woken = time.time() - time.monotonic() - apart, time.time()
    print(f"slept for {slept:.0f} seconds, by HIBERNATE; awake {due - woken:.0f} seconds before the job", flush=True)
    assert slept > 10
    pool.wait("later")
    ran = int((pool.work / "when").read_text())
    events = re.findall(r"^(\d{3}) \(", (pool.work / "later").read_text(), re.MULTILINE)
    print(f"job {job} ran {ran - due} seconds after its time, events {' '.join(events)}", flush=True)
    assert 0 <= ran - due <= window
    assert [number for number in events if number not in ("006", "040")] == ["000", "001", "005"]


def to_disk(pool: PersonalPool, wait_for: WaitFor, slowness: float) -> None:
    """HIBERNATE puts everything on the disk; when the machine is switched on again its pool goes on."""
    apart = time.time() - time.monotonic()
    print(ON_DISK, flush=True)
    fall_asleep(pool, "DISK", int(time.time() + 20 + 20 * slowness))
    wait_for(lambda: "back from S4" in (pool.log / "StartLog").read_text(), "it went to its disk and came back")
    print(f"was on its disk for {time.time() - time.monotonic() - apart:.0f} seconds, by HIBERNATE", flush=True)
    pool.submit("executable = /bin/true\nlog = after\nshould_transfer_files = NO\nrequest_disk = 1000\nqueue\n")
    pool.wait("after")
    print("a job has run since", flush=True)


def switched_off(pool: PersonalPool, wait_for: WaitFor, slowness: float) -> None:
    """HIBERNATE switches the machine off; nothing comes after that."""
    fall_asleep(pool, "OFF", int(time.time() + 200 + 20 * slowness))
    wait_for(lambda: False, "it is switched off")


def fall_asleep(pool: PersonalPool, state: str, dawn: int) -> None:
    """HIBERNATE names ``state`` until ``dawn`` (Unix seconds), and no more when the machine wakes."""
    pool.tool("condor_update_machine_ad", stdin=f'Night = "{state}"\nDawn = {dawn}\n')


def night(seconds: int) -> float:
    """Suspends the machine until its clock rings; by how much the time went on without us."""
    before = time.time() - time.monotonic()
    alarm = Path("/sys/class/rtc/rtc0/wakealarm")
    alarm.write_text("0")
    alarm.write_text(f"+{seconds}")
    Path("/sys/power/state").write_text("mem")
    return time.time() - time.monotonic() - before


if __name__ == "__main__":
    sys.exit(inside() if sys.argv[1:] == ["inside"] else main())
