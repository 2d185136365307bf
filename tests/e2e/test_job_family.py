"""What a job starts cannot get away, what it may use is limited, and what it used is measured."""

from __future__ import annotations

import os
import pwd
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from pool import PATIENCE, PersonalPool, of_processes, wait_for
from shared_pool import SharedPool

from condor_py.daemons.starter.jobfamily import clear_group, clear_groups, group_name
from condor_py.machine.probes import jobgroup
from condor_py.model.settings.starter import StarterSettings

#: Leaves its session, its parents and its environment behind; its argument tells whose it is.
DAEMON = f"""#!{sys.executable} -I
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.setsid()
        os.execve("/bin/sleep", ["sleep", sys.argv[1]], {{}})
    os._exit(0)
time.sleep(600)
"""


def program(pool: PersonalPool, name: str, text: str) -> Path:
    """An executable in the work directory."""
    path = pool.work / name
    path.write_text(text)
    path.chmod(0o755)
    return path


def sleepers(seconds: str) -> list[int]:
    """Processes that execute ``sleep SECONDS``."""
    return [pid for pid, words in of_processes("cmdline") if words == f"sleep\0{seconds}\0".encode()]


@pytest.fixture
def _groups() -> None:
    """Skips where no control group may be made."""
    group = jobgroup.create("condor_py_test", f"try_{os.getpid()}")
    if group is None:
        pytest.skip("control groups may not be made here")
    group.clear()


def test_a_daemon_of_a_job_ends_with_it(pool: PersonalPool) -> None:
    mark = f"7{os.getpid()}1"
    path = program(pool, "daemon.py", DAEMON)
    cluster = pool.submit(f"executable = {path}\narguments = {mark}\nlog = job.log\nqueue\n")
    wait_for(lambda: sleepers(mark), "the daemon runs")
    pool.started("job.log", f"{cluster}.0")
    pool.tool("condor_rm", str(cluster))
    wait_for(lambda: not sleepers(mark), "the daemon is gone")
    wait_for(lambda: not pool.queue("ClusterId"), "its job is gone, too")
    assert [number for number, _ in pool.events("job.log") if number != 6] == [0, 1, 4, 9]
    assert pool.history("JobStatus", "NumJobStarts") == [["3", "1"]]


@pytest.mark.usefixtures("_groups")
def test_nothing_is_left_when_startd_and_starter_die(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    pool.start()
    mark = f"7{os.getpid()}2"
    path = program(pool, "daemon.py", DAEMON)
    pool.submit(f"executable = {path}\narguments = {mark}\nlog = job.log\nmax_retries = 0\nqueue\n")
    wait_for(lambda: sleepers(mark), "the daemon runs")
    pool.started("job.log", "1.0")
    pool.tool("condor_hold", "1")  # so that the job does not start again once its machine is back
    wait_for(lambda: pool.status_of("1.0") == 5, "held")
    wait_for(lambda: not sleepers(mark) and not pool.starters(), "the daemon is gone, and its starter")
    pool.tool("condor_release", "1")
    wait_for(lambda: sleepers(mark), "the daemon runs again")
    pool.started("job.log", "1.0", 2)
    (starter,) = pool.starters()
    escaped = sleepers(mark)
    ((slot,),) = pool.queue("RemoteHost")
    name = group_name(str(pool.execute), slot, starter)
    wait_for(
        lambda: any(set(escaped) <= group.members() for group in jobgroup.left_over("htcondor", name)),
        "it is in the group of its slot",
    )
    killed = pool.pid("startd"), starter
    for number in (signal.SIGSTOP, signal.SIGKILL):  # none of them sees that the other has died
        for pid in killed:
            os.kill(pid, number)
    wait_for(lambda: not set(escaped) & set(sleepers(mark)), "the next startd has killed it")
    wait_for(lambda: not (pool.execute / f"dir_{starter}").exists(), "and cleared its directory")
    pool.tool("condor_rm", "1")
    wait_for(lambda: not sleepers(mark) and not pool.queue("ClusterId"), "all is gone")
    wait_for(lambda: not jobgroup.left_over("htcondor", name), "nor is the group of the starter left")
    told = [number for number, _ in pool.events("job.log") if number in (1, 5, 9, 12, 13)]
    assert told[:4] == [1, 12, 13, 1]
    assert told[-1] == 9
    assert 5 not in told, "nobody takes what was killed for an end of the job"


@pytest.mark.usefixtures("_groups")
@pytest.mark.promise("S63")
def test_memory_is_limited(pool: PersonalPool) -> None:
    if "memory" not in jobgroup.hierarchies() and not Path("/sys/fs/cgroup/memory.stat").exists():
        pytest.skip("no memory controller")
    path = program(pool, "big.py", f"#!{sys.executable} -I\nx = bytearray(400 << 20)\n")
    cluster = pool.submit(f"executable = {path}\nrequest_memory = 128\nlog = job.log\nqueue\n")
    wait_for(lambda: pool.status_of(str(cluster)) == 5, "held")
    assert pool.queue("HoldReasonCode", "HoldReasonSubCode") == [["34", "102"]]
    reason = pool.tool("condor_q", "-af", "HoldReason").stdout
    assert "Job has gone over cgroup memory limit of 128 megabytes" in reason


@pytest.mark.usefixtures("_groups")
def test_a_job_over_its_memory_runs_again_with_more(pool: PersonalPool) -> None:
    if "memory" not in jobgroup.hierarchies() and not Path("/sys/fs/cgroup/memory.stat").exists():
        pytest.skip("no memory controller")
    path = program(pool, "big.py", f"#!{sys.executable} -I\nx = bytearray(150 << 20)\n")
    pool.submit(f"executable = {path}\nrequest_memory = 64M, 300M\nlog = job.log\nqueue\n")
    wait_for(lambda: not pool.queue("ClusterId"), "completed")
    assert pool.history("RequestMemory", "NumShadowStarts", "ExitCode", "NumHolds") == [["300", "2", "0", "undefined"]]
    assert [number for number, _ in pool.events("job.log") if number in (1, 4, 5, 12)] == [1, 4, 1, 5]


@pytest.mark.usefixtures("_groups")
def test_requests_follow_what_like_jobs_have_used(pool: PersonalPool) -> None:
    if "memory" not in jobgroup.hierarchies() and not Path("/sys/fs/cgroup/memory.stat").exists():
        pytest.skip("no memory controller")
    path = program(pool, "big.py", f"#!{sys.executable} -I\nx = bytearray(150 << 20)\n")
    text = f"executable = {path}\nrequest_memory = auto\nlog = job.log\n"
    pool.submit(text + "queue 3\n")
    wait_for(lambda: not pool.queue("ClusterId"), "completed")
    grown = "retry 1 of 4: 128 MB were not enough"
    assert pool.history("RequestMemory", "NumShadowStarts", "MemoryRequestSource") == [["384", "2", *grown.split()]] * 3
    pool.submit(text + "queue\n")
    wait_for(lambda: not pool.queue("ClusterId"), "completed")
    found = "history: 99 % of 3 jobs, 1.2 headroom"
    assert pool.history("RequestMemory", "NumShadowStarts", "MemoryRequestSource")[0] == ["256", "1", *found.split()]


SHARING = f"""#!{sys.executable} -I
import os, sys, time
for _ in range(4):  # none of them is too big, together they are
    if os.fork() == 0:
        held = bytearray(40 << 20)
        time.sleep(600)
time.sleep(600)
"""


@pytest.mark.usefixtures("_groups")
@pytest.mark.promise("S62")
def test_not_a_page_is_had_before_the_limit_is_there(pool: PersonalPool) -> None:
    """A job of 150 MB that takes them at once, and one whose processes have them together, with 100 MB asked for."""
    if "memory" not in jobgroup.hierarchies() and not Path("/sys/fs/cgroup/memory.stat").exists():
        pytest.skip("no memory controller")
    quick = program(pool, "quick.sh", "#!/bin/sh\nexec /usr/bin/head -c 150m /dev/zero | tail -c 150m >/dev/null\n")
    many = program(pool, "many.py", SHARING)
    clusters = [
        pool.submit(f"executable = {path}\nrequest_memory = 100\nlog = job.log\nqueue\n") for path in (quick, many)
    ]
    wait_for(lambda: [pool.status_of(str(cluster)) for cluster in clusters] == [5, 5], "both are held")
    assert pool.queue("HoldReasonCode", "HoldReasonSubCode") == [["34", "102"]] * 2


@pytest.mark.usefixtures("_groups")
def test_every_process_of_a_job_is_in_its_group_from_the_first_on(pool: PersonalPool) -> None:
    text = "#!/bin/sh\ncat /proc/self/cgroup\n(cat /proc/self/cgroup) &\nwait\n"
    path = program(pool, "where.sh", text)
    pool.submit(f"executable = {path}\noutput = o.$(Process)\nlog = job.log\nqueue 12\n")
    pool.wait("job.log")
    wanted = [kind for kind in jobgroup.hierarchies() if kind != "unified"] or ["unified"]
    for number in range(12):
        lines = (pool.work / f"o.{number}").read_text().splitlines()
        seen = [line for line in lines if line.split(":")[1] in wanted or (wanted == ["unified"])]
        assert len(seen) == 2 * len(wanted)
        assert all("/htcondor/" in line and "_slot1_" in line for line in seen), lines


BOMB = f"""#!{sys.executable} -I
import os, sys, time
made = 0
while True:
    try:
        if os.fork() == 0:
            time.sleep(600)
    except OSError:
        break
    made += 1
open(sys.argv[1], "w").write(str(made))
time.sleep(600)
"""


@pytest.mark.usefixtures("_groups")
@pytest.mark.promise("S64")
def test_a_fork_bomb_is_bounded_and_gone_with_its_job(pool: PersonalPool) -> None:
    unified = Path("/sys/fs/cgroup/cgroup.controllers")
    if "pids" not in jobgroup.hierarchies() and not (unified.exists() and "pids" in unified.read_text().split()):
        pytest.skip("no controller of processes")
    pool.configure("CGROUP_PIDS_LIMIT_EXPR = 50 * Cpus\n")
    path, made = program(pool, "bomb.py", BOMB), pool.work / "made"
    cluster = pool.submit(f"executable = {path}\narguments = {made}\nrequest_memory = 500\nlog = job.log\nqueue\n")
    wait_for(lambda: made.exists() and made.read_text(), "the bomb has met its limit")
    assert int(made.read_text()) == 49
    pool.tool("condor_rm", str(cluster))
    wait_for(lambda: pool.status_of(str(cluster)) is None, "it is gone")
    wait_for(
        lambda: str(path).encode() not in b"".join(words for _, words in of_processes("cmdline")),
        "with all that it has started",
    )


@pytest.mark.usefixtures("_groups")
def test_cpu_of_processes_nobody_waits_for_counts(pool: PersonalPool) -> None:
    work = (
        "import os, time\n"
        "end, busy = os.pipe()\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork():\n"
        "        os._exit(0)\n"
        "    while time.process_time() < 0.6:\n"
        "        pass\n"
        "    os._exit(0)\n"
        "os.close(busy)\n"
        "os.read(end, 1)\n"
    )
    path = program(pool, "work.py", f"#!{sys.executable} -I\n{work}")
    pool.submit(f"executable = {path}\nlog = job.log\nqueue\n")
    pool.wait("job.log")
    wait_for(lambda: pool.history("RemoteUserCpu", "RemoteSysCpu") != [], "in the history")
    assert sum(map(float, pool.history("RemoteUserCpu", "RemoteSysCpu")[0])) >= 0.5


def test_renice(pool: PersonalPool) -> None:
    pool.configure("JOB_RENICE_INCREMENT = JobPrio + 3\n")
    path = program(pool, "nice.sh", "#!/bin/sh\nsleep 0.3\nnice\n")
    pool.submit(f"executable = {path}\noutput = o\nlog = job.log\npriority = 4\nqueue\n")
    pool.wait("job.log")
    assert (pool.work / "o").read_text() == f"{max(7, os.nice(0))}\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may let jobs run as somebody else")
def test_accounts_of_slots(shared: SharedPool) -> None:
    pool = shared
    pool.configure(
        "STARTER_ALLOW_RUNAS_OWNER = TARGET.Trusted =?= true\n"
        "SLOT1_1_USER = news\n"  # an account of its own: the tests beside this one have others
        "EXECUTE_LOGIN_IS_DEDICATED = true\n"
    )
    path = program(pool, "who.sh", '#!/bin/sh\necho "$(id -un) $(cat given) $HOME"; id -un > made\n')
    (pool.work / "given").write_text("input")
    text = (
        f"executable = {path}\noutput = o\nlog = {{log}}\nshould_transfer_files = yes\n"
        "when_to_transfer_output = on_exit\ntransfer_input_files = given\n{more}queue\n"
    )
    # nobody uses the account but jobs: what it still runs goes with the job
    alien = subprocess.Popen(["/bin/sleep", "1000"], user="news", cwd="/")
    pool.submit(text.format(log="job.log", more=""))
    pool.wait("job.log")
    assert alien.wait(60 * PATIENCE) == -9
    assert (pool.work / "o").read_text() == f"news input {pwd.getpwnam('news').pw_dir}\n"
    assert (pool.work / "made").read_text() == "news\n"
    assert (pool.work / "made").stat().st_uid == 0
    pool.submit(text.format(log="trusted.log", more="+Trusted = true\n"))
    pool.wait("trusted.log")
    assert (pool.work / "o").read_text() == "root input /root\n"


def test_a_wrapper_that_fails_is_not_the_job(pool: PersonalPool) -> None:
    wrapper = program(
        pool,
        "wrap.sh",
        "#!/bin/sh\n"
        f'if [ -e {pool.work}/ready ]; then exec "$@"; fi\n'
        f'echo "no licence" > "$_CONDOR_WRAPPER_ERROR_FILE"; touch {pool.work}/ready; exit 1\n',
    )
    pool.configure(f"USER_JOB_WRAPPER = {wrapper}\n")
    pool.submit("executable = /bin/echo\narguments = done\noutput = o\nlog = job.log\nqueue\n")
    pool.wait("job.log")
    assert (pool.work / "o").read_text() == "done\n"
    assert "The job wrapper failed to execute the job: no licence" in (pool.work / "job.log").read_text()
    pool.recorded([["2", "0"]], "NumJobStarts", "ExitCode")


@pytest.mark.usefixtures("_groups")
def test_only_the_groups_of_this_pool_are_cleared() -> None:
    base = f"condor_py_test_{os.getpid()}"
    names = {
        group_name(execute, slot, starter): execute == "/a/execute"
        for execute in ("/a/execute", "/a/execute_2", "/a/execute/2", "/a_execute")
        for slot, starter in (("slot1@vm", 7), ("slot1@vm", 77), ("slot1_2@vm", 7))
    }
    groups = {name: jobgroup.create(base, name) for name in names}
    assert len(groups) == 12
    settings = StarterSettings(execute="/a/execute", base_cgroup=base)

    def left() -> set[str]:
        return {os.path.basename(group.directories[0]) for group in jobgroup.left_over(base, "")}

    clear_group(settings, "slot1@vm", 7)
    assert left() == set(names) - {group_name("/a/execute", "slot1@vm", 7)}
    clear_groups(settings)
    assert left() == {name for name, ours in names.items() if not ours}
    for group in jobgroup.left_over(base, ""):
        group.clear()
    for place in jobgroup.hierarchies().values():
        if os.path.isdir(f"{place}/{base}"):
            os.rmdir(f"{place}/{base}")
