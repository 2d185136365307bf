"""Control groups of jobs: on pretended hierarchies, and on those of this machine where they may be used."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest

from condor_py.machine.probes import jobgroup
from condor_py.machine.probes.jobgroup import GroupDoor, JobGroup, Limits
from condor_py.machine.run import spawning
from condor_py.machine.run.spawning import Launch, start_on

#: A job that leaves its session, its group, its parent and its environment behind.
ESCAPE = """
import os, sys
os.setsid()
if os.fork():
    os._exit(0)
os.setsid()
if os.fork():
    os._exit(0)
os.execve("/bin/sleep", ["sleep", "600"], {})
"""


def command_of(pid: int) -> bytes:
    """Its words, each with a zero byte behind it; none of a process that has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def files(directory: Path, **texts: str) -> Path:
    """A pretended directory of a hierarchy."""
    directory.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (directory / name.replace("__", ".")).write_text(text)
    return directory


def test_version_2(tmp_path: Path) -> None:
    place = files(
        tmp_path / "job", cgroup__procs="7\n8\n", cgroup__kill="", memory__max="", memory__high="", memory__low="",
        memory__swap__max="", memory__oom__group="", cpu__weight="", memory__events="oom 1\noom_kill 2\n",
        cpu__stat="usage_usec 3500000\nuser_usec 2500000\nsystem_usec 1000000\n",
        memory__stat="anon 2048000\nfile 999424\nshmem 1024\n",
    )  # fmt: skip
    group = JobGroup({"unified": str(place)})
    assert group.members() == {7, 8}
    assert group.usage() == (2.5, 1.0, 2001)
    assert JobGroup({"unified": str(place)}, cache=True).usage().rss_kb == 2976
    assert group.oom_kills() == 2
    group.begin()
    assert (group.oom_kills(), group.usage().user_cpu) == (0, 0.0)
    group.limit(Limits(hard=1 << 30, soft=1 << 29, swap=False, cpus=4))
    assert (place / "memory.max").read_text() == "1073741824"
    assert (place / "memory.high").read_text() == "536870912"
    assert (place / "memory.swap.max").read_text() == "0"
    assert (place / "cpu.weight").read_text() == "400"
    group.kill()
    assert (place / "cgroup.kill").read_text() == "1"


def test_version_1(tmp_path: Path) -> None:
    memory = files(
        tmp_path / "memory", cgroup__procs="9\n", memory__limit_in_bytes="", memory__memsw__limit_in_bytes="",
        memory__soft_limit_in_bytes="", memory__oom_control="oom_kill_disable 0\nunder_oom 0\noom_kill 1\n",
        memory__stat="cache 4096000\ntotal_cache 4096000\ntotal_rss 8192\ntotal_swap 1024\n",
    )  # fmt: skip
    cpu = files(tmp_path / "cpu", cgroup__procs="9\n", cpu__shares="", cpuacct__stat="user 150\nsystem 50\n")
    group = JobGroup({"memory": str(memory), "cpu": str(cpu), "cpuacct": str(cpu)})
    assert group.directories == (str(memory), str(cpu))
    assert group.members() == {9}
    ticks = os.sysconf("SC_CLK_TCK")
    assert group.usage() == (150 / ticks, 50 / ticks, 9)
    assert group.oom_kills() == 1
    group.limit(Limits(hard=4096, swap=False, cpus=2))
    assert (memory / "memory.limit_in_bytes").read_text() == "4096"
    assert (memory / "memory.memsw.limit_in_bytes").read_text() == "4096"
    assert (cpu / "cpu.shares").read_text() == "200"


def test_the_peak_of_memory(tmp_path: Path) -> None:
    """What a job before this one had is not its; page cache is taken away unless it counts."""
    new = files(tmp_path / "new", memory__peak="40960\n", memory__stat="anon 1024\nfile 12288\nshmem 4096\n")
    group = JobGroup({"unified": str(new)})
    assert group.peak_kb() == 32
    group.begin_peak()
    assert group.peak_kb() == 0
    files(new, memory__peak="81920\n")
    assert group.peak_kb() == 72
    assert JobGroup({"unified": str(new)}, cache=True).peak_kb() == 80
    old = files(tmp_path / "old", memory__max_usage_in_bytes="40960\n", memory__stat="total_cache 8192\n")
    group = JobGroup({"memory": str(old)})
    assert group.peak_kb() == 32
    group.begin_peak()
    assert (old / "memory.max_usage_in_bytes").read_text().startswith("0"), "the kernel begins anew"
    assert JobGroup({"memory": str(tmp_path / "none")}).peak_kb() == 0


def test_a_short_peak_is_seen(real: JobGroup) -> None:
    if not real.limits_memory:
        pytest.skip("no memory controller")
    real.begin_peak()
    job = subprocess.Popen(
        [sys.executable, "-I", "-c", "import sys\nsys.stdin.read(1)\nx = bytearray(1 << 26)"], stdin=subprocess.PIPE
    )
    put_in(real, job.pid)
    job.communicate(b"x", 30)
    assert real.usage().rss_kb < 1 << 14, "nothing of it is left to be seen"
    if real.peak_kb():  # Linux 5.19 and later, or version 1
        assert real.peak_kb() > 1 << 16
    else:
        assert not any(Path(directory, "memory.peak").exists() for directory in real.directories)


def test_no_place_no_group(tmp_path: Path) -> None:
    assert jobgroup.create("htcondor", "x", {"unified": str(tmp_path / "none" / "such")}) is None
    (tmp_path / "file").write_text("")
    assert jobgroup.create("htcondor", "x", {"unified": str(tmp_path / "file")}) is None
    assert jobgroup.create("htcondor", "x", {}) is None


def test_hierarchies_of_a_machine(tmp_path: Path) -> None:
    assert jobgroup.hierarchies(str(tmp_path)) == {}
    (tmp_path / "cpu,cpuacct").mkdir()
    (tmp_path / "memory").mkdir()
    files(tmp_path / "unified", cgroup__controllers="")
    joint = f"{tmp_path}/cpu,cpuacct"
    assert jobgroup.hierarchies(str(tmp_path)) == {
        "memory": f"{tmp_path}/memory", "cpu": joint, "cpuacct": joint, "unified": f"{tmp_path}/unified"
    }  # fmt: skip


def put_in(group: JobGroup, pid: int) -> None:
    """Moves a process into the group."""
    for directory in group.directories:
        (Path(directory) / "cgroup.procs").write_text(str(pid))


@pytest.fixture
def real() -> Iterator[JobGroup]:
    group = jobgroup.create("condor_py_test", f"job_{os.getpid()}_1")  # a prefix no other test process shares
    if group is None:
        pytest.skip("control groups may not be made here")
    yield group
    group.clear()


def test_nothing_escapes(real: JobGroup) -> None:
    real.begin()
    read_end, write_end = os.pipe()
    job = subprocess.Popen([sys.executable, "-I", "-c", f"import os\nos.read({read_end}, 1)\n{ESCAPE}"],
                           pass_fds=(read_end,))  # fmt: skip
    put_in(real, job.pid)
    assert real.members() == {job.pid}
    os.write(write_end, b"x")
    job.wait(60)
    os.close(read_end)
    os.close(write_end)
    deadline = time.monotonic() + 30
    while [command_of(pid) for pid in real.members()] != [b"sleep\x00600\x00"]:  # its parents are about to end
        assert time.monotonic() < deadline, real.members()
    assert real.usage().user_cpu + real.usage().sys_cpu > 0.0
    assert jobgroup.create("condor_py_test", os.path.basename(real.directories[0])) is not None
    assert real.members() == set()
    assert real.clear()
    assert not any(os.path.exists(directory) for directory in real.directories)


def test_left_over_groups_are_found(real: JobGroup) -> None:
    found = jobgroup.left_over("condor_py_test", f"job_{os.getpid()}_")
    assert [set(group.directories) for group in found] == [set(real.directories)]
    assert found[0].close()
    assert jobgroup.left_over("condor_py_test", f"job_{os.getpid()}_") == []


GROW = "import sys\nx = bytearray(48 << 20)\nprint(len(x))"


def run_in(door: GroupDoor, out: int, *words: str) -> int:
    """Starts a program through the door and waits; its exit code."""
    launch = Launch(list(words), dict(os.environ), "/", program=words[0], door=door)
    program = start_on(launch, (0, out, out))
    return os.waitstatus_to_exitcode(os.waitpid(program.pid, 0)[1])


@pytest.fixture(params=["born in it", "joined", "forked"])
def door(request: pytest.FixtureRequest, real: JobGroup, monkeypatch: pytest.MonkeyPatch) -> Iterator[GroupDoor]:
    """The ways into a group: from birth, in a new process before it executes, and where there is no C module."""
    if request.param == "forked":
        monkeypatch.setattr(spawning, "_native", None)
    elif not spawning.quick():
        pytest.skip("the C module is not built")
    way = GroupDoor(real, spawning.Inhabitant if request.param == "born in it" else None)
    yield way
    way.close()


def test_a_program_is_in_all_parts_of_its_group_before_it_begins(
    door: GroupDoor, real: JobGroup, tmp_path: Path
) -> None:
    out = os.open(tmp_path / "out", os.O_RDWR | os.O_CREAT)
    for _ in range(2):
        assert run_in(door, out, "/bin/cat", "/proc/self/cgroup") == 0
        assert real.members() == set()
    text = (tmp_path / "out").read_text()
    os.close(out)
    name = f"condor_py_test/{os.path.basename(real.directories[0])}\n"
    assert text.count(name) == 2 * len(real.directories)
    assert name not in Path("/proc/self/cgroup").read_text()
    door.close()
    assert real.close()


def test_the_limits_hold_from_the_first_byte(door: GroupDoor, real: JobGroup, tmp_path: Path) -> None:
    if not real.limits_memory:
        pytest.skip("no memory controller")
    out = os.open(tmp_path / "out", os.O_RDWR | os.O_CREAT)
    real.limit(Limits(hard=32 << 20, swap=False))
    real.begin()
    assert run_in(door, out, sys.executable, "-I", "-c", GROW) == -9
    assert real.oom_kills() >= 1  # version 2 counts one that is killed with its group twice
    real.limit(Limits(processes=1))
    assert run_in(door, out, "/bin/sh", "-c", "exit 7") == 7
    assert run_in(door, out, "/bin/sh", "-c", "/bin/true; exit 7") != 7
    os.close(out)


def test_a_group_that_was_killed_takes_the_next_program(door: GroupDoor, real: JobGroup, tmp_path: Path) -> None:
    out = os.open(tmp_path / "out", os.O_RDWR | os.O_CREAT)
    assert run_in(door, out, "/bin/true") == 0
    real.kill()
    assert [run_in(door, out, "/bin/sh", "-c", f"exit {number}") for number in (3, 4)] == [3, 4]
    os.close(out)


def test_memory_limit(real: JobGroup) -> None:
    if not any(os.path.exists(f"{directory}/{name}") for directory in real.directories
               for name in ("memory.max", "memory.limit_in_bytes")):  # fmt: skip
        pytest.skip("no memory controller")
    real.begin()
    real.limit(Limits(hard=32 << 20, swap=False))
    job = subprocess.Popen(
        [sys.executable, "-I", "-c", "import sys\nsys.stdin.read(1)\nx = bytearray(1 << 28)"], stdin=subprocess.PIPE
    )
    put_in(real, job.pid)
    job.communicate(b"x", 30)
    assert job.returncode == -9
    assert real.oom_kills() >= 1
    assert real.close()


def test_a_group_that_an_account_has_the_care_of() -> None:
    """As systemd gives one to a service with Delegate=yes: our processes step aside, and groups of jobs have limits."""
    root = Path("/sys/fs/cgroup")
    told = root / "cgroup.controllers"
    if os.geteuid() != 0 or not told.exists() or "memory" not in told.read_text().split():
        pytest.skip("only root, on version 2 of control groups with the controller of memory (tests/engines/machine)")
    given = root / f"delegated.{os.getpid()}"
    for controller in ("memory", "pids", "cpu"):
        (root / "cgroup.subtree_control").write_text(f"+{controller}")
    given.mkdir()
    for path in (given, given / "cgroup.procs", given / "cgroup.subtree_control", given / "cgroup.threads"):
        os.chown(path, 65534, 65534)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            (given / "cgroup.procs").write_text("0")
            os.setresuid(65534, 65534, 65534)
            assert jobgroup.hierarchies() == {"unified": str(given)}
            group = jobgroup.create("htcondor", "job")
            assert group is not None
            assert group.limits_memory
            assert group.limit(Limits(hard=64 << 20, processes=50))
            assert (given / "htcondor/job/pids.max").read_text() == "50\n"
            assert jobgroup.hierarchies() == {"unified": str(given)}, "also when we have stepped aside"
            job = subprocess.Popen(["sleep", "1000"])
            (given / "htcondor/job/cgroup.procs").write_text(str(job.pid))
            assert group.members() == {job.pid}
            group.kill()
            assert job.wait() == -9
            assert group.close()
            code = 0
        except BaseException:
            traceback.print_exc()
        os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    for path in (given / "htcondor", given / "condor_daemons", given):
        path.rmdir()
