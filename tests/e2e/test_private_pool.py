"""The pool of an ordinary account serves that account alone, and never runs a job of another one as itself."""

from __future__ import annotations

import itertools
import os
import pwd
import socket
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from lending import LendingPool, lending
from pool import wait_for
from shared_pool import STRANGER, StrangersPool

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="root starts the pool of somebody else"),
    pytest.mark.xdist_group("private pool"),
]

#: Another ordinary account of every Linux machine.
_THIRD = "daemon"
_SLEEP = "executable = /bin/sleep\narguments = 600\nlog = log\nqueue\n"


@contextmanager
def _place() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as top:
        os.chmod(top, 0o755)
        yield Path(top)


def _made(directory: Path) -> StrangersPool:
    made = StrangersPool(directory)
    for path in (made.directory, made.work, made.home):
        os.chown(path, pwd.getpwnam(STRANGER).pw_uid, -1)
    return made


@pytest.fixture
def own() -> Iterator[StrangersPool]:
    """A pool that the test starts itself."""
    with _place() as top:
        made = _made(top / "pool")
        try:
            yield made
        finally:
            made.stop()


@pytest.fixture(scope="module")
def _strangers() -> Iterator[LendingPool[StrangersPool]]:
    numbers = itertools.count()
    with _place() as top, lending(lambda: _made(top / f"pool{next(numbers)}")) as lender:
        yield lender


@pytest.fixture
def pool(_strangers: LendingPool[StrangersPool]) -> Iterator[StrangersPool]:
    """A pool that runs, for one test after the other."""
    with _strangers.lent() as pool:
        os.chown(pool.work, pwd.getpwnam(STRANGER).pw_uid, -1)
        yield pool


def _modes(pool: StrangersPool) -> dict[str, int]:
    places = [pool.spool, pool.log, pool.execute, pool.log / "daemon_sock", *(pool.log / "daemon_sock").iterdir()]
    return {place.name: stat.S_IMODE(place.stat().st_mode) for place in places}


@pytest.mark.promise("S2")
def test_nobody_else_is_served(pool: StrangersPool) -> None:
    job = pool.submit(_SLEEP)
    modes = _modes(pool)
    assert {modes.pop(name) for name in ("spool", "log", "execute", "daemon_sock")} == {0o700}
    assert modes
    assert set(modes.values()) == {0o600}
    theirs = Path(tempfile.mkdtemp())
    os.chown(theirs, pwd.getpwnam(_THIRD).pw_uid, -1)
    (theirs / "job.sub").write_text(_SLEEP)
    for words in (["condor_submit", "job.sub"], ["condor_q"], ["condor_rm", str(job)]):
        done = pool.as_account(_THIRD, *words, cwd=theirs)
        assert done.returncode, words
        assert "Traceback" not in done.stderr
        assert "ermission denied" in done.stderr, (words, done)
    told = f"permission denied: the pool in {pool.log.parent} serves only the account that it belongs to\n"
    for line in (
        "condor_off -master", "condor_on", "condor_reconfig", "condor_reconfig -startd", "condor_restart -schedd",
        "condor_reschedule", "condor_vacate", "condor_config_val -schedd SPOOL", "condor_config_val -rset A=1",
        "condor_ping", "condor_token_fetch", "condor_token_request_list", "condor_store_cred query-oauth",
        "condor_who -daemons", "condor_who -quickdaemons", "condor_who -wait:60 IsReady", "condor_now 1.0 2.0",
        "condor_ssh_to_job 1.0", "condor_submit -interactive", "condor_userprio -setprio a@example.net 3",
    ):  # fmt: skip
        done = pool.as_account(_THIRD, *line.split(), cwd=theirs)
        assert (done.stderr, done.returncode) == (told, 1), line
    done = pool.as_account(_THIRD, "htcondor", "server", "status", cwd=theirs)
    assert (told in done.stderr, done.returncode) == (True, 1), done
    done = pool.as_account(_THIRD, "condor_store_check", cwd=theirs)
    assert (done.stderr, done.returncode) == (told, 2)
    done = pool.as_account(_THIRD, "condor_preen", cwd=theirs)
    assert done.stderr.startswith(f"condor_preen: cannot read {pool.log.parent}")
    assert done.returncode == 1
    assert pool.queue("ClusterId", "Owner") == [[str(job), STRANGER]]


def test_root_looks_and_commands_but_its_jobs_are_refused(pool: StrangersPool) -> None:
    pool.submit(_SLEEP)
    looked = pool.as_account("root", "condor_q", "-allusers", "-af", "Owner")
    assert looked.stdout == f"{STRANGER}\n"
    (pool.work / "root.sub").write_text(_SLEEP)
    done = pool.as_account("root", "condor_submit", "root.sub")
    assert done.returncode
    assert f"this pool belongs to {STRANGER} and cannot run jobs of root" in done.stderr
    assert pool.as_account("root", "condor_rm", "-all").returncode == 0
    wait_for(lambda: not pool.queue("ClusterId"), "the job is gone")


_CONNECT = """
import socket, sys
sock = socket.socket(socket.AF_UNIX)
sock.connect(sys.argv[1])
sys.stdout.buffer.write(sock.recv(4096))
assert not sock.recv(4096)
"""


@pytest.mark.promise("S14")
def test_a_connection_is_judged_by_the_kernel_before_it_says_anything(own: StrangersPool) -> None:
    """Even where the way to the socket is open."""
    pool = own
    pool.start()
    for place in (pool.directory / "local", pool.log, pool.log / "daemon_sock"):
        place.chmod(0o755)
    for path in (pool.log / "daemon_sock").iterdir():
        path.chmod(0o666)
        done = subprocess.run(
            ["/usr/bin/python3", "-I", "-c", _CONNECT, str(path)],
            user=_THIRD, group=pwd.getpwnam(_THIRD).pw_gid, extra_groups=[],
            capture_output=True, check=True, timeout=60,
        )  # fmt: skip
        assert b"this pool serves only the account that it belongs to" in done.stdout, path


@pytest.mark.promise("S15")
def test_a_public_pool_is_looked_at_and_nothing_else(own: StrangersPool) -> None:
    pool = own
    pool.knob("PERSONAL_POOL_IS_PUBLIC", "true")
    pool.start()
    job = pool.submit(_SLEEP)
    third = Path(tempfile.mkdtemp())
    os.chown(third, pwd.getpwnam(_THIRD).pw_uid, -1)
    (third / "job.sub").write_text(_SLEEP)
    wait_for(lambda: pool.queue("JobStatus") == [["2"]], "the job runs")
    assert pool.as_account(_THIRD, "condor_q", "-allusers", "-af", "Owner").stdout == f"{STRANGER}\n"
    for words in (
        ["condor_submit", "job.sub"],
        ["condor_submit", "-spool", "job.sub"],
        ["condor_rm", str(job)],
        ["condor_hold", "-all"],
        ["condor_qedit", str(job), "Requirements", "true"],
        ["condor_prio", "-p", "5", str(job)],
        ["condor_userprio", "-setfactor", STRANGER, "7"],
        ["condor_drain", "-graceful", socket.gethostname()],
        ["condor_off", "-master"],
        ["condor_reconfig"],
    ):
        done = pool.as_account(_THIRD, *words, cwd=third)
        assert done.returncode, (words, done)
        assert "Traceback" not in done.stderr
    assert pool.queue("ClusterId", "JobStatus", "JobPrio") == [[str(job), "2", "0"]]


@pytest.mark.promise("S16")
def test_a_job_of_another_account_in_the_queue_is_held(own: StrangersPool) -> None:
    """However it got there."""
    pool = own
    pool.start()
    pool.submit(_SLEEP.replace("queue", "hold = true\nqueue"))
    pool.stop()
    log = pool.spool / "job_queue.log"
    text = log.read_text()
    assert f'Owner "{STRANGER}"' in text
    log.write_text(text.replace(f'Owner "{STRANGER}"', f'Owner "{_THIRD}"'))
    pool.start()
    assert pool.as_account("root", "condor_release", "-all").returncode == 0
    refusal = f"this pool belongs to {STRANGER} and cannot run jobs of {_THIRD}"
    wait_for(lambda: refusal in pool.tool("condor_q", "-allusers", "-af", "HoldReason").stdout, "the job is held again")
