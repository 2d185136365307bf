"""Each probe on machines that are not this one, and all of them on this one against psutil."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from condor_py.machine.probes import idle
from condor_py.machine.probes import machine as machine_probes
from condor_py.machine.probes.disks import disk_space
from condor_py.machine.probes.machine import Machine, facts
from condor_py.model import limits
from condor_py.model.settings.power import ProbeSettings


def machine(**files: str) -> Callable[[str], str | None]:
    """A reader of a machine that has just these files (``__`` in a name stands for ``/``)."""
    return {"/" + name.replace("__", "/"): text for name, text in files.items()}.get


V2 = {"/proc/self/cgroup": "0::/pool/job\n"}


@pytest.mark.parametrize(
    ("files", "limit"),
    [
        ({}, None),
        (V2, None),
        (
            {
                **V2,
                "/sys/fs/cgroup/pool/job/memory.max": "max\n",
                "/sys/fs/cgroup/pool/memory.max": "1048576\n",
            },
            1048576,
        ),
        (
            {
                **V2,
                "/sys/fs/cgroup/pool/job/memory.max": "5000\n",
                "/sys/fs/cgroup/pool/memory.max": "1048576\n",
            },
            5000,
        ),
        (
            {
                "/proc/self/cgroup": "4:memory:/docker/x\n3:cpu,cpuacct:/\n",
                "/sys/fs/cgroup/memory/memory.limit_in_bytes": "2048\n",
            },
            2048,
        ),
        (
            {
                "/proc/self/cgroup": "4:memory:/a\n",
                "/sys/fs/cgroup/memory/a/memory.limit_in_bytes": "9223372036854771712\n",
            },
            None,
        ),
    ],
)
def test_memory_limit_is_the_smallest_on_the_way_up(files: dict[str, str], limit: int | None) -> None:
    assert limits.memory_limit(files.get) == limit


@pytest.mark.parametrize(
    ("affinity", "files", "expected"),
    [
        (8, {}, 8),
        (8, {**V2, "/sys/fs/cgroup/pool/cpu.max": "250000 100000\n"}, 2),
        (8, {**V2, "/sys/fs/cgroup/pool/cpu.max": "50000 100000\n"}, 1),
        (2, {**V2, "/sys/fs/cgroup/pool/cpu.max": "max 100000\n"}, 2),
        (2, {**V2, "/sys/fs/cgroup/cpu.max": "800000 100000\n"}, 2),
        (
            8,
            {
                "/proc/self/cgroup": "3:cpu,cpuacct:/x\n",
                "/sys/fs/cgroup/cpu/x/cpu.cfs_quota_us": "400000\n",
                "/sys/fs/cgroup/cpu/x/cpu.cfs_period_us": "100000\n",
            },
            4,
        ),
        (8, {"/proc/self/cgroup": "3:cpu:/\n", "/sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n"}, 8),
    ],
)
def test_cores_obey_affinity_and_quota(affinity: int, files: dict[str, str], expected: int) -> None:
    assert machine_probes.count(files.get, range(affinity)) == expected


def test_memory_is_that_of_the_machine_or_the_smaller_limit() -> None:
    read = machine(proc__meminfo="MemTotal:   8388608 kB\nSwapTotal: 10 kB\nSwapFree:  7 kB\n")
    assert (machine_probes.total_mb(read), machine_probes.swap_kb(read)) == (8192, 7)
    files = {**V2, "/proc/meminfo": "MemTotal: 8388608 kB\n", "/sys/fs/cgroup/memory.max": str(512 << 20)}
    assert machine_probes.total_mb(files.get) == 512


@pytest.mark.parametrize(
    ("issue", "release", "name", "long_name", "major", "number"),
    [
        ("Debian GNU/Linux 12 \\n \\l\n\n", None, "Debian", "Debian GNU/Linux 12", 12, 1200),
        ("Ubuntu 22.04.3 LTS \\n \\l\n", None, "Ubuntu", "Ubuntu 22.04.3 LTS", 22, 2204),
        (
            "\\S\nKernel \\r\n",
            'NAME=x\nPRETTY_NAME="AlmaLinux 9.4 (Seafoam)"\n',
            "AlmaLinux",
            "AlmaLinux 9.4 (Seafoam)",
            9,
            904,
        ),
        (None, 'PRETTY_NAME="Alpine Linux v3.19"\n', "LINUX", "Alpine Linux v3.19", 3, 319),
        (None, None, "LINUX", "Unknown", 0, 0),
    ],
)
def test_operating_system(
    issue: str | None, release: str | None, name: str, long_name: str, major: int, number: int
) -> None:
    read = {"/etc/issue": issue, "/etc/os-release": release}.get
    found = machine_probes.probe(read)
    assert (found.name, found.short_name, found.long_name) == (name, name, long_name)
    assert (found.major_ver, found.opsys_ver) == (major, number)


def test_names_made_of_the_operating_system() -> None:
    found = machine_probes.probe({"/etc/issue": "Debian GNU/Linux 12 \\n \\l\n"}.get)
    assert (found.and_ver, found.platform_tag) == ("Debian12", "Debian_12")


def test_processor_reads_the_first_of_many() -> None:
    text = (
        "processor\t: 0\ncpu family\t: 26\nmodel\t\t: 2\nmodel name\t: X\ncache size\t: 1024 KB\n"
        "flags\t\t: fpu ssse3 sse4_1 sse4_2 cx16 lahf_lm popcnt avx\n\nprocessor\t: 1\nmodel\t\t: 3\n"
    )
    found = machine_probes.processor_facts("x86_64", machine(proc__cpuinfo=text))
    assert (found.arch, found.family, found.model, found.cache_kb) == ("X86_64", 26, 2, 1024)
    assert found.microarch == "x86_64-v2"
    assert found.flags == {"ssse3", "sse4_1", "sse4_2", "avx"}


@pytest.mark.parametrize(
    ("machine_name", "arch"),
    [("x86_64", "X86_64"), ("i686", "INTEL"), ("aarch64", "aarch64"), ("ppc64le", "ppc64le")],
)
def test_arch(machine_name: str, arch: str) -> None:
    assert machine_probes.arch(machine_name) == arch
    assert machine_probes.processor_facts(machine_name, machine()).family == 0


def test_load_and_boot_time() -> None:
    read = machine(proc__loadavg="1.25 0.5 0.1 1/200 77\n", proc__stat="cpu 1 2\nbtime 1795000000\n")
    assert machine_probes.average(read) == 1.25
    assert machine_probes.boot_time(read) == 1795000000
    assert machine_probes.average(machine()) == 0.0
    assert machine_probes.boot_time(machine()) == 0


def test_idle_time_is_that_of_the_latest_touch() -> None:
    times = {"/dev/tty1": 100.0, "/dev/pts/3": 940.0}
    assert idle.since(["tty1", "pts/3", "gone"], 1000.0, 7, times.get) == 60
    assert idle.since(["gone"], 1000.0, 7, times.get) == 7
    assert idle.since(["pts/3"], 900.0, 7, times.get) == 0


def test_disk_of_a_directory_that_is_not_there_yet(tmp_path: object) -> None:
    there, later = str(tmp_path), f"{tmp_path}/execute/dir_1"
    assert disk_space(later).free_kb == pytest.approx(disk_space(there).free_kb, rel=0.01)
    assert disk_space(later).volume == str(os.stat(there).st_dev)


def test_facts_of_this_machine_agree_with_psutil(tmp_path: object) -> None:
    psutil = pytest.importorskip("psutil")
    free, load = [psutil.disk_usage(str(tmp_path)).free >> 10], [psutil.getloadavg()[0]]
    found = facts(str(tmp_path), 2_000_000_000.0)
    free.append(psutil.disk_usage(str(tmp_path)).free >> 10)  # both change while others work
    load.append(psutil.getloadavg()[0])
    assert 1 <= found.cpus <= psutil.cpu_count()
    assert 0 < found.memory_mb <= psutil.virtual_memory().total >> 20
    assert min(free) * 0.99 <= found.disk_kb <= max(free) * 1.01
    assert found.boot_time == pytest.approx(psutil.boot_time(), abs=2)
    assert min(load) - 0.01 <= found.load_avg <= max(load) + 0.01
    assert found.host == os.uname().nodename
    assert found.os.uts_release == os.uname().release


def test_threads_of_a_core_count_once_where_that_is_wanted() -> None:
    files = {
        f"/sys/devices/system/cpu/cpu{cpu}/topology/{name}": text
        for cpu in range(8)
        for name, text in (("core_id", f"{cpu % 2}\n"), ("physical_package_id", f"{cpu // 4}\n"))
    }
    assert machine_probes.count(files.get, range(8)) == 8
    assert machine_probes.count(files.get, range(8), hyperthreads=False) == 4
    assert machine_probes.count(files.get, range(3), hyperthreads=False) == 2
    assert machine_probes.count({}.get, range(3), hyperthreads=False) == 3


def test_interrupts_of_keyboard_and_mouse_are_noticed() -> None:
    files = {"/proc/interrupts": "  1:  9  2  IO-APIC  1-edge  i8042\n 24:  5  6  PCI-MSI  eth0\n"}
    watch = idle.InputWatch(lambda path: files.get(path))
    watch.look(100.0)
    watch.look(105.0)
    assert watch.last == 0.0
    files["/proc/interrupts"] = files["/proc/interrupts"].replace(" 5 ", " 50 ")
    watch.look(110.0)
    assert watch.last == 0.0
    files["/proc/interrupts"] = files["/proc/interrupts"].replace(" 9 ", " 10 ")
    watch.look(115.0)
    assert watch.last == 115.0


def test_a_machine_without_such_interrupts_is_looked_at_once_a_minute() -> None:
    read: list[str] = []
    watch = idle.InputWatch(lambda path: read.append(path) or " 24:  5  6  PCI-MSI  eth0\n")
    for moment in range(100, 159, 5):
        watch.look(float(moment))
    assert len(read) == 1
    watch.look(161.0)
    watch.look(50.0)  # somebody has set the clock back
    assert len(read) == 3
    assert watch.last == 0.0


def test_what_seldom_changes_is_read_once_a_minute_and_after_a_reconfig() -> None:
    read: list[str] = []
    settings = ProbeSettings("here", "/tmp")
    looks = Machine(settings, lambda path: read.append(path))
    for moment in (1000.0, 1005.0, 1059.0):
        assert looks.facts(moment).load_avg == 0.0
    assert (read.count("/proc/stat"), read.count("/proc/loadavg")) == (1, 3)
    looks.facts(1060.5)
    looks.settings = ProbeSettings("here", "/tmp", count_hyperthreads=False)
    looks.facts(1061.0)
    assert read.count("/proc/stat") == 3


def test_terminals_are_those_of_users_who_are_logged_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    psutil = pytest.importorskip("psutil")
    users = [SimpleNamespace(terminal="pts/3"), SimpleNamespace(terminal=None), SimpleNamespace(terminal="tty1")]
    monkeypatch.setattr(psutil, "users", lambda: users)
    monkeypatch.setattr(idle, "_LOGINS", str(tmp_path / "utmp"))
    assert idle.terminals() == []
    (tmp_path / "utmp").touch()
    assert idle.terminals() == ["pts/3", "tty1"]


def test_the_interface_that_is_asked_for() -> None:
    assert machine_probes.interface("127.*").address == "127.0.0.1"
    assert machine_probes.interface("lo").netmask == "255.0.0.0"
    assert machine_probes.interface("no-such-interface") == machine_probes.LOOPBACK
    found = machine_probes.interface()
    assert machine_probes.interface(found.address) == found


def test_size_of_a_file_system(tmp_path: Path) -> None:
    total = disk_space(str(tmp_path / "not" / "yet")).total_kb
    assert total >= disk_space(str(tmp_path)).free_kb > 0
