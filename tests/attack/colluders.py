"""Two accounts that work together against a pool of root, and a third one that must not notice.

The accounts exist in a mount namespace alone (``accounts``), so that no file of the machine is changed and nothing else
runs as one of them. Their directories are open where a careless or a hostile account would open them.
"""

from __future__ import annotations

import ctypes
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

_TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(_TESTS / "e2e"), str(_TESTS.parent)]

from pool import MAIN, PATIENCE, Done, PersonalPool, preloaded, runs
from preloaded import PreloadedTools, may_be_preloaded

MALLORY, EVE, VICTIM = "mallory", "eve", "victim"
#: User ids, which are also those of groups. Each process has others: two pools may be attacked at once.
ACCOUNTS = {name: 61_000 + os.getpid() % 1000 * 3 + number for number, name in enumerate((MALLORY, EVE, VICTIM))}
COLLUDERS = (MALLORY, EVE)
SECRET = "dear diary"
DAEMONS = ("master", "schedd", "startd", "negotiator", "credd")
_CLONE_NEWNS, _MS_REC, _MS_PRIVATE, _MS_BIND = 0x20000, 0x4000, 1 << 18, 0x1000
_libc = ctypes.CDLL(None, use_errno=True)


def why_not() -> str:
    """Why there cannot be such accounts here; "" when there can."""
    if os.geteuid() != 0:
        return "only root's pools run jobs of other accounts"
    done = subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False)
    return "" if done.returncode == 0 else "this machine gives no mount namespace"


def interpreter() -> str:
    """A Python that every account may execute; "" where there is none."""
    for candidate in (sys.executable, "/usr/bin/python3"):
        probe = [candidate, "-I", "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]
        try:
            if subprocess.run(probe, user=65534, check=False, cwd="/", stderr=subprocess.DEVNULL).returncode == 0:
                return candidate
        except OSError:
            continue
    return ""


@contextmanager
def accounts() -> Iterator[None]:
    """The accounts are in /etc/passwd and /etc/group for this thread and what it starts. OSError."""
    top = Path(tempfile.mkdtemp(prefix="condor_py-accounts-"))
    home = os.open("/proc/thread-self/ns/mnt", os.O_RDONLY | os.O_CLOEXEC)
    where = os.getcwd()
    try:
        for name in ("passwd", "group"):
            lines = Path("/etc", name).read_text().splitlines()
            kept = [line for line in lines if line.partition(":")[0] not in ACCOUNTS]
            rest = "::/nonexistent:/bin/sh" if name == "passwd" else ""
            ours = [f"{who}:x:{uid}:{f'{uid}{rest}' if rest else ''}" for who, uid in ACCOUNTS.items()]
            (top / name).write_text("\n".join([*kept, *ours]) + "\n")
        _call(_libc.unshare(_CLONE_NEWNS))
        _call(_libc.mount(None, b"/", None, _MS_REC | _MS_PRIVATE, None))
        for name in ("passwd", "group"):
            _call(_libc.mount(str(top / name).encode(), f"/etc/{name}".encode(), None, _MS_BIND, None))
        yield
    finally:
        _libc.setns(home, _CLONE_NEWNS)
        os.chdir(where)
        os.close(home)
        shutil.rmtree(top, ignore_errors=True)


def _call(status: int) -> None:
    if status:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


class AttackedPool(PersonalPool):
    """A pool of root, and directories of the three accounts in it: ``home_of``. ``private`` is the victim's, ``crown``
    root's; nobody else is let into either, and what is in them is careless by itself."""

    def __init__(self, directory: Path, cpus: int = 8, **knobs: str) -> None:
        super().__init__(directory, cpus, **knobs)
        directory.chmod(0o755)
        self.python = interpreter()
        del self.environment["_CONDOR_CONDOR_IDS"]
        for name in ACCOUNTS:
            self._own(directory / name, name, 0o777 if name == EVE else 0o755)
        self.private = self._closed(self.home_of(VICTIM) / "private", VICTIM)
        self.crown = self._closed(directory / "crown", "root")
        #: Programs of the attackers write here; who owns a file is who they ran as.
        self.trophies = directory / "trophies"
        self.trophies.mkdir()
        self.trophies.chmod(0o777)
        #: Only processes that begin here know the accounts.
        self.tools = PreloadedTools(python=self.python)
        #: Whether tools of the accounts have their modules loaded, too.
        self.is_quick = False

    def home_of(self, name: str) -> Path:
        """The directory of an account."""
        return self.directory / name

    def _closed(self, path: Path, owner: str) -> Path:
        self._own(path, owner, 0o700)
        self._own(path / "inner", owner, 0o777)
        (path / "inner" / "diary").write_text(SECRET + "\n")
        os.chown(path / "inner" / "diary", pwd.getpwnam(owner).pw_uid, pwd.getpwnam(owner).pw_gid)
        (path / "inner" / "diary").chmod(0o666)
        return path

    @staticmethod
    def _own(path: Path, owner: str, mode: int) -> None:
        path.mkdir()
        path.chmod(mode)
        os.chown(path, pwd.getpwnam(owner).pw_uid, pwd.getpwnam(owner).pw_gid)

    def file_of(self, name: str, file: str, text: str, mode: int = 0o755) -> Path:
        """Write a file of an account."""
        path = self.home_of(name) / file
        if path.is_symlink() or path.exists():
            path.unlink()
        path.write_bytes(os.fsencode(text))
        path.chmod(mode)
        os.chown(path, ACCOUNTS[name], ACCOUNTS[name])
        return path

    def begin_as(self, name: str, words: Sequence[str], **more: str) -> subprocess.Popen[str]:
        """Start a program with the rights of an account, in its directory."""
        return subprocess.Popen(
            list(words), env={**self.environment, "HOME": str(self.home_of(name)), **more}, cwd=self.home_of(name),
            user=ACCOUNTS[name], group=ACCOUNTS[name], extra_groups=[], umask=0o022, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            errors="surrogateescape",
        )  # fmt: skip

    def run_as(self, name: str, words: Sequence[str], seconds: float = 120.0, **more: str) -> Done:
        """Run a program with the rights of an account until it ends, or ``seconds`` are over (status 124)."""
        process = self.begin_as(name, words, **more)
        try:
            out, err = process.communicate(timeout=seconds * PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            out, err = process.communicate()
            return subprocess.CompletedProcess(list(words), 124, out, err)
        return subprocess.CompletedProcess(list(words), process.returncode, out, err)

    def tool_as(self, name: str, *words: str, seconds: float = 120.0, **more: str) -> Done:
        """Run a condor tool with the rights of an account."""
        if self.is_quick and may_be_preloaded(words, self.environment):
            environment = {**self.environment, "HOME": str(self.home_of(name)), **more}
            try:
                return preloaded(words, environment, self.home_of(name), account=name, tools=self.tools)
            except subprocess.TimeoutExpired:
                return subprocess.CompletedProcess(list(words), 124, "", "")
        return self.run_as(name, [self.python, "-I", str(MAIN), *words], seconds, **more)

    def submit_as(self, name: str, text: str, *options: str) -> Done:
        """Submit a description of an account."""
        path = self.file_of(name, "job.sub", text, 0o644)
        return self.tool_as(name, "condor_submit", *options, str(path))

    def kill_processes_of(self, *names: str) -> None:
        """End all processes of some of the accounts."""
        uids = {ACCOUNTS[name] for name in names}
        for entry in os.scandir("/proc"):
            try:
                if entry.name.isdigit() and entry.stat().st_uid in uids and runs(int(entry.name)):
                    os.kill(int(entry.name), 9)
            except OSError:
                continue


@contextmanager
def attacked_pool(cpus: int = 8, path: str = "", **knobs: str) -> Iterator[AttackedPool]:
    """Such a pool, which runs, and is gone in the end with all processes of its accounts. ``path``: a directory of
    programs that its daemons find first."""
    top = Path(tempfile.mkdtemp(prefix="condor_py-attacked-", dir="/tmp"))
    top.chmod(0o755)
    try:
        with accounts():
            pool = AttackedPool(top / "pool", cpus, **{**_KNOBS, **knobs})
            pool.knob("SEC_CREDENTIAL_DIRECTORY_OAUTH", pool.directory / "tokens")
            if path:
                pool.environment["PATH"] = f"{path}:{pool.environment['PATH']}"
            try:
                pool.start()
                yield pool
            finally:
                pool.kill_processes_of(*ACCOUNTS)
                pool.stop()
                pool.kill_processes_of(*ACCOUNTS)
    finally:
        shutil.rmtree(top, ignore_errors=True)


_KNOBS = {
    "DAEMON_LIST": "MASTER SCHEDD NEGOTIATOR STARTD CREDD",
    "MachineMaxVacateTime": "3",
    "NEGOTIATOR_INTERVAL": "2",
    "RUNBENCHMARKS": "0",
    "DAGMAN_USER_LOG_SCAN_INTERVAL": "1",
}
