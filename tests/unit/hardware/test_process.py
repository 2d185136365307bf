"""Real processes: found by session, group, parent and mark; measured; killed to the last."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from condor_py.machine.probes import process

#: One write, so that the lines of two processes never mix.
SAY = 'os.write(1, b"%d\\n" % os.getpid())'

FORKS_AWAY = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.write(1, b"%d\\n" % os.getpid())
        time.sleep(600)
    os._exit(0)
os.wait()
os.write(1, b"%d\\n" % os.getpid())
time.sleep(600)
"""

#: Keeps forking children, which do the same: a family that grows while it is being killed.
BREEDS = """
import os, time
os.write(1, b"%d\\n" % os.getpid())
end = time.monotonic() + 20
count = 0
while time.monotonic() < end and count < 60:
    count += 1
    if os.fork() == 0:
        os.setsid()
        count += 20
    time.sleep(0.005)
time.sleep(600)
"""


@contextmanager
def running(code: str, lines: int, **environment: str) -> Iterator[tuple[subprocess.Popen[str], list[int]]]:
    """A Python child that has printed ``lines`` pids, and those but its own; all its kin is dead afterwards."""
    child = subprocess.Popen(
        [sys.executable, "-S", "-c", code],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "CONDOR_PY_TEST": str(os.getpid()), **environment},
        start_new_session=True,
    )
    assert child.stdout is not None
    try:
        pids = [int(child.stdout.readline()) for _ in range(lines)]
        yield child, [pid for pid in pids if pid != child.pid]
    finally:
        for pid in process.find_by_environ("CONDOR_PY_TEST", str(os.getpid())):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        child.wait()
        child.stdout.close()


def test_a_session_holds_the_child_but_not_what_left_it() -> None:
    with running(FORKS_AWAY, 2) as (child, (escaped,)):
        assert process.session_pids(child.pid) == {child.pid}
        assert process.alive(escaped)


def test_mark_in_the_environment_finds_what_left_session_and_parent() -> None:
    mine = os.getpid()  # others may run this test at the same time
    with running(FORKS_AWAY, 2, _CONDOR_ANCESTOR_77=f"{mine}:1:x") as (child, (escaped,)):
        assert process.find_by_environ("_CONDOR_ANCESTOR_", f"{mine}:1:x") == {child.pid, escaped}
        assert process.find_by_environ("_CONDOR_ANCESTOR_", f"{mine}:1") == set()


def test_below_finds_processes_of_a_directory_but_not_of_its_namesake() -> None:
    code = f"import os, time\n{SAY}\ntime.sleep(600)"
    top = f"/of.{os.getpid()}"
    with running(code, 1, _CONDOR_SCRATCH_DIR=f"{top}/x/dir_1/scratch") as (child, _):
        assert process.find_by_environ("_CONDOR_SCRATCH_DIR", f"{top}/x", below=True) == {child.pid}
        assert process.find_by_environ("_CONDOR_SCRATCH_DIR", f"{top}/x/", below=True) == {child.pid}
        assert process.find_by_environ("_CONDOR_SCRATCH_DIR", top, below=True) == {child.pid}
        assert process.find_by_environ("_CONDOR_SCRATCH_DIR", f"{top}/x/di", below=True) == set()


def test_descendants_follow_children_of_children() -> None:
    code = f"import os, time\nif os.fork() == 0:\n {SAY}\ntime.sleep(600)"
    with running(code, 1) as (child, (grandchild,)):
        assert process.children(child.pid) == {grandchild}
        assert {child.pid, grandchild} <= process.descendants(os.getpid())
        assert process.descendants(child.pid) == {grandchild}


def test_usage_counts_memory_and_cpu_of_the_family() -> None:
    code = f"import os, time\nblob = bytearray(40 << 20)\nsum(range(3000000))\n{SAY}\ntime.sleep(600)"
    with running(code, 1) as (child, _):
        used = process.usage([child.pid, 999_999_999])
        assert used.processes == 1
        assert 40 * 1024 <= used.rss_kb <= used.image_kb
        assert used.user_cpu + used.sys_cpu > 0.0


def test_stat_agrees_with_psutil() -> None:
    psutil = pytest.importorskip("psutil")
    mine = process.stat(os.getpid())
    assert mine is not None
    oracle = psutil.Process()
    assert mine.parent == oracle.ppid()
    assert mine.session == os.getsid(0)
    assert mine.user_cpu == pytest.approx(oracle.cpu_times().user, abs=0.5)
    assert mine.rss_kb == pytest.approx(oracle.memory_info().rss / 1024, rel=0.2)


def test_command_names_with_parentheses_are_read() -> None:
    code = f"import os, time\nopen('/proc/self/comm', 'w').write(') R 1 (x')\n{SAY}\ntime.sleep(600)"
    with running(code, 1) as (child, _):
        found = process.stat(child.pid)
        assert found is not None
        assert found.parent == os.getpid()
        assert found.session == child.pid


def test_what_a_process_saw_that_ends_meanwhile_is_not_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Its mounts go with it: a look that has begun sees the directories below them."""
    child = subprocess.Popen(["sleep", "1000"])
    here = os.stat(tmp_path)
    assert process.sees(child.pid, str(tmp_path)) == (here.st_dev, here.st_ino)
    opened = os.open

    def ends(path: str, *arguments: int, **where: int) -> int:
        found = opened(path, *arguments, **where)
        child.kill()
        child.wait()
        return found

    monkeypatch.setattr(os, "open", ends)
    assert process.sees(child.pid, str(tmp_path)) is None


def test_links_lead_where_they_lead_for_the_process(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "up").symlink_to(f"../{tmp_path.name}/./real")
    (tmp_path / "whole").symlink_to(tmp_path / "up")
    (tmp_path / "round").symlink_to("round")
    here = os.stat(real)
    for name in ("real", "up", "whole", "./real/../whole"):
        assert process.sees(os.getpid(), f"{tmp_path}/{name}") == (here.st_dev, here.st_ino), name
    assert process.sees(os.getpid(), f"{tmp_path}/round") is None
    assert process.sees(os.getpid(), f"{tmp_path}/none") is None


def test_zombies_are_not_alive() -> None:
    child = subprocess.Popen(["/bin/true"])
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert not process.alive(child.pid)
    assert child.pid not in process.descendants(os.getpid())
    child.wait()
    assert process.stat(child.pid) is None


def test_kill_family_kills_what_escaped() -> None:
    with running(FORKS_AWAY, 2, CONDOR_PY_MARK="one") as (child, (escaped,)):
        left = process.kill_family(lambda: process.find_by_environ("CONDOR_PY_MARK", "one"))
        assert left == set()
        assert child.wait() == -signal.SIGKILL
        assert not process.alive(escaped)


def test_kill_family_kills_a_family_that_breeds() -> None:
    with running(BREEDS, 1, CONDOR_PY_MARK="two") as (child, _):
        left = process.kill_family(lambda: process.find_by_environ("CONDOR_PY_MARK", "two"))
        assert left == set()
        assert child.wait() == -signal.SIGKILL
        assert process.find_by_environ("CONDOR_PY_MARK", "two") == set()


def test_kill_family_gives_up_on_what_it_cannot_kill() -> None:
    """A finder that always names a process of which there is none to kill (as a foreign one would be)."""
    assert process.kill_family(lambda: [2**22 + 5], rounds=3, patience=0.01) == {2**22 + 5}
    assert process.kill_family(lambda: [os.getpid()]) == set()


def test_all_threads_are_bound() -> None:
    """Also one that has begun before: the thread that starts programs in control groups."""
    code = (
        "import os, threading\n"
        "from condor_py.machine.probes.process import bind\n"
        "over = threading.Event()\n"
        "thread = threading.Thread(target=over.wait, daemon=True)\n"
        "thread.start()\n"
        "cores = {min(os.sched_getaffinity(0))}\n"
        "bind(cores)\n"
        "assert [os.sched_getaffinity(one) for one in (0, thread.native_id)] == [cores, cores]\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
