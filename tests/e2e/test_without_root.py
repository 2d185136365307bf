"""The own pool of an ordinary account: its jobs have what namespaces of users can give, and what not is told."""

from __future__ import annotations

import os
import pwd
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from pool import MAIN, Done, wait_for
from shared_pool import STRANGER, StrangersPool, usable_python

from condor_py.lang.config.builders.isolation import promise_of
from condor_py.machine.run.spawning import quick

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="root starts the pool of somebody else"),
    pytest.mark.skipif(not quick(), reason="it takes the C module"),
    pytest.mark.skipif(
        not Path("/proc/sys/user/max_user_namespaces").exists() or bool(promise_of("NO_JOB_NETWORKING")),
        reason="the machine lets nobody make namespaces of users",
    ),
]


@pytest.fixture
def pool() -> Iterator[StrangersPool]:
    with tempfile.TemporaryDirectory() as top:
        os.chmod(top, 0o755)
        made = StrangersPool(Path(top) / "pool")
        for path in (made.directory, made.work, made.home):
            os.chown(path, pwd.getpwnam(STRANGER).pw_uid, -1)
        try:
            yield made
        finally:
            made.stop()


def test_jobs_of_an_ordinary_account_are_by_themselves(pool: StrangersPool) -> None:
    wanted = {
        "USE_PID_NAMESPACES": "true",
        "MOUNT_UNDER_SCRATCH": "/var/tmp",
        "NO_JOB_NETWORKING": "true",
        "STARTD_ENFORCE_DISK_LIMITS": "true",
    }
    for name, value in wanted.items():
        pool.knob(name, value)
    lint = pool.tool("condor_config_val", "-lint", check=False)
    assert "STARTD_ENFORCE_DISK_LIMITS" in lint.stdout + lint.stderr
    assert "USE_PID_NAMESPACES" not in lint.stdout + lint.stderr
    pool.start()
    mark = f"own.{os.getpid()}"
    places = f"/var/tmp/{mark} /dev/shm/{mark}"
    script = f"id -un; echo $$; ls /proc | grep -c ^[0-9]; grep -c : /proc/net/dev; touch {places} started"
    job = pool.submit(
        f"executable = /bin/sh\narguments = \"-c '{script}; while [ ! -e go ]; do sleep 0.1; done; kill -9 $$'\"\n"
        "output = o\nerror = e\nlog = log\nwant_job_networking = false\nqueue\n"
    )
    wait_for(lambda: (pool.work / "started").exists(), "the job runs")
    assert not any(Path(place).exists() for place in places.split())
    look = f"ls {places} && cat /proc/2/comm && grep -c : /proc/net/dev && id -u && pwd"
    said = pool.tool("condor_ssh_to_job", f"{job}.0", look).stdout.split()
    own = pwd.getpwnam(STRANGER).pw_uid
    assert said == [*sorted(places.split()), "sh", "1", str(own), str(pool.work)]
    (pool.work / "go").touch()
    pool.tool("condor_wait", "-wait", "60", "log")
    name, program, processes, interfaces = (pool.work / "o").read_text().split()
    assert (name, program, interfaces) == (STRANGER, "2", "1")
    assert int(processes) <= 5
    assert "(0) Abnormal termination (signal 9)" in (pool.work / "log").read_text()
    assert pool.tool("condor_status", "-af", "IsolationNotProvided", "HasJobNetworking").stdout.split() \
        == ["STARTD_ENFORCE_DISK_LIMITS", "false"]  # fmt: skip
    log = (pool.log / "StartLog").read_text()
    assert log.count("WARNING: STARTD_ENFORCE_DISK_LIMITS is set, but only root can mount") == 1


class DelegatedPool(StrangersPool):
    """Its daemons begin in a control group that was given to the account, as systemd does with Delegate=yes."""

    group = ""

    def tool(self, *words: str, check: bool = True, stdin: str | None = None, cwd: Path | None = None) -> Done:
        if words[0] != "condor_master":
            return super().tool(*words, check=check, stdin=stdin, cwd=cwd)
        into = f'echo $$ >{self.group}/cgroup.procs && exec "$@"'
        account = pwd.getpwnam(STRANGER)
        rights = "setpriv", f"--reuid={account.pw_uid}", f"--regid={account.pw_gid}", "--clear-groups"
        argv = ["/bin/sh", "-c", into, "sh", *rights, usable_python("psutil"), "-I", str(MAIN), *words]
        return subprocess.run(argv, env=self.environment, cwd=self.work, check=True, text=True)


@pytest.fixture
def delegated() -> Iterator[str]:
    """A group that belongs to the other account, with the controllers of this machine."""
    root = Path("/sys/fs/cgroup")
    if not (root / "cgroup.controllers").exists():
        pytest.skip("control groups have version 1 here, which nobody can be given the care of")
    controllers = (root / "cgroup.controllers").read_text().split()
    if "memory" not in controllers:
        pytest.skip("version 2 of control groups has no controller of memory here")
    (root / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in controllers))
    group = root / f"condor_py_test_{os.getpid()}"
    group.mkdir()
    account = pwd.getpwnam(STRANGER)
    for path in (group, *(group / name for name in ("cgroup.procs", "cgroup.subtree_control", "cgroup.threads"))):
        os.chown(path, account.pw_uid, account.pw_gid)
    yield str(group)
    for below in sorted(group.rglob("*/"), reverse=True):
        below.rmdir()
    group.rmdir()


def test_a_pool_limits_memory_in_a_group_that_it_was_given(delegated: str) -> None:
    with tempfile.TemporaryDirectory() as top:
        os.chmod(top, 0o755)
        pool = DelegatedPool(Path(top) / "pool")
        pool.group = delegated
        for path in (pool.directory, pool.work, pool.home):
            os.chown(path, pwd.getpwnam(STRANGER).pw_uid, -1)
        try:
            pool.start()
            (pool.work / "big.py").write_text(f"#!{usable_python('psutil')} -I\nx = bytearray(200 << 20)\n")
            (pool.work / "big.py").chmod(0o755)
            pool.submit("executable = big.py\nrequest_memory = 100\nlog = log\nqueue\n")
            wait_for(lambda: pool.status_of("1.0") == 5, "held")
            assert pool.queue("HoldReasonCode", "HoldReasonSubCode") == [["34", "102"]]
            told = pool.tool("condor_q", "-af", "HoldReason").stdout
            assert "Job has gone over cgroup memory limit of 128 megabytes" in told
        finally:
            pool.stop()
