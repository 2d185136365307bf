"""A pool whose directories, and those of one of its two users, are places that can be in trouble."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

_TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(_TESTS), str(_TESTS / "e2e")]

from disk_places import PLACES, Place
from pool import MAIN, PATIENCE, PersonalPool, runs, wait_for
from shared_pool import usable_python

DAEMONS = ("master", "schedd", "startd", "negotiator")
#: Seconds in which a command of a user whose files are elsewhere has to answer.
BOUND = 60.0


class Command:
    """A condor tool that runs as an account; what it prints goes to files that are in no trouble."""

    def __init__(self, pool: BadPool, account: Account, words: tuple[str, ...]) -> None:
        self.words, self._begun = words, time.monotonic()
        self._paths = [pool.said / f"{len(list(pool.said.iterdir()))}.{kind}" for kind in ("out", "err")]
        # The shell changes the directory: it may be one that does not answer, and this process has to go on.
        inside = ["/bin/sh", "-c", 'cd "$0" || cd /; exec "$@"', str(account.folder), usable_python(), "-I", str(MAIN)]
        with self._paths[0].open("wb") as out, self._paths[1].open("wb") as err:
            self._process = subprocess.Popen(
                [*inside, *words],
                env={**pool.environment, "HOME": str(account.home), "USER": account.name},
                user=account.uid,
                group=account.uid,
                extra_groups=[],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                cwd="/",
            )

    def __str__(self) -> str:
        return " ".join(self.words)

    def wait(self, seconds: float = BOUND) -> float | None:
        """Seconds that it took; None when it does not end in time (it is killed then)."""
        try:
            self._process.wait(seconds * PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return None
        return time.monotonic() - self._begun

    @property
    def status(self) -> int | None:
        return self._process.poll()

    @property
    def out(self) -> str:
        return self._paths[0].read_text(errors="replace")

    @property
    def err(self) -> str:
        return self._paths[1].read_text(errors="replace")

    def wrong(self) -> str:
        """What is wrong with how it failed or succeeded; "" for nothing."""
        if self._process.returncode is None or self._process.returncode < 0:
            return f"ended by signal {self._process.returncode}"
        if "Traceback" in self.err or "Traceback" in self.out:
            return f"a traceback: {self.err[-1500:]}"
        if self._process.returncode != 0 and not self.err.strip() and not self.out.strip():
            return f"exit status {self._process.returncode} without a word"
        return ""


class Account:
    """A user of the pool: ``folder`` for jobs, ``logs`` for event logs, ``home``; ``real_`` ones see past trouble."""

    def __init__(self, name: str, uid: int, folder: Path, logs: Path, home: Path) -> None:
        self.name, self.uid, self.folder, self.logs, self.home = name, uid, folder, logs, home
        self.real_folder, self.real_logs = folder, logs


class BadPool(PersonalPool):
    """The pool, its places, ``alice`` whose files are in some of them, and ``bob``, whose files are elsewhere.

    Both accounts are known only in the mount namespace of the campaign.
    """

    def __init__(self, top: Path) -> None:
        super().__init__(top / "pool", cpus=8)
        del self.environment["_CONDOR_CONDOR_IDS"]
        self.places = {name: Place(name, top / "places") for name in PLACES}
        self.said, self.runs = top / "said", top / "runs"
        self.said.mkdir()
        self.runs.mkdir()
        self.runs.chmod(0o777)
        for name in ("SPOOL", "EXECUTE", "LOG"):
            self.knob(name, self.places[name].path)
            self.places[name].path.chmod(0o755)
        self._locks = top / "lock"
        self.knob("LOCK", self._locks)
        for name, value in (
            ("PERIODIC_EXPR_INTERVAL", "2"),
            ("NEGOTIATOR_INTERVAL", "5"),
            ("SCHEDULER_UNIVERSE_COOL_DOWN_DURATION", "1"),
            ("JOB_DEFAULT_REQUESTMEMORY", "10"),
            ("JOB_DEFAULT_REQUESTDISK", "1000"),
        ):
            self.knob(name, value)
        homes = self.places["homes"]
        self.alice = self._account(
            "disksalice", 47001, *(self.places[name].path / "alice" for name in ("work", "logs", "homes"))
        )
        self.alice.real_folder = self.places["work"].real / "alice"
        self.alice.real_logs = self.places["logs"].real / "alice"
        self.at_home = Account("disksalice", 47001, self.alice.home, self.alice.logs, self.alice.home)
        self.at_home.real_folder, self.at_home.real_logs = homes.real / "alice", self.alice.real_logs
        plain = top / "users"
        plain.mkdir()
        self.bob = self._account("disksbob", 47002, plain / "bob", plain / "bob", plain / "bob")
        self._pids: dict[str, int] = {}
        self._read_to: dict[str, int] = {}
        self._sizes: dict[str, int] = {}
        for file in ("passwd", "group"):
            text = Path("/etc", file).read_text()
            for who in (self.alice, self.bob):
                rest = f"{who.uid}::{who.home}:/bin/sh" if file == "passwd" else ""
                text += f"{who.name}:x:{who.uid}:{rest}\n"
            (top / file).write_text(text)
            (top / file).chmod(0o644)
            subprocess.run(["mount", "--bind", str(top / file), f"/etc/{file}"], check=True)

    def _account(self, name: str, uid: int, folder: Path, logs: Path, home: Path) -> Account:
        for path in {folder, logs, home}:
            path.mkdir()
            os.chown(path, uid, uid)
        return Account(name, uid, folder, logs, home)

    @property
    def spool(self) -> Path:
        return self.places["SPOOL"].real

    @property
    def log(self) -> Path:
        return self.places["LOG"].real

    @property
    def execute(self) -> Path:
        return self.places["EXECUTE"].real

    def _lock(self, daemon: str) -> Path:
        return self._locks / ("InstanceLock" if daemon == "master" else f"{daemon}.lock")

    def begin(self, account: Account, *words: str) -> Command:
        """Starts a tool."""
        return Command(self, account, words)

    def start(self) -> None:
        super().start()
        self._pids = {name: self.pid(name) for name in DAEMONS}
        wait_for(lambda: self.tool("condor_status", "-af", "Name").stdout, "the slots are there")
        self._sizes = {name: self._kilobytes(name) for name in DAEMONS}

    def gone(self) -> list[str]:
        """The daemons that have ended since the start."""
        return [name for name, pid in self._pids.items() if not runs(pid)]

    def _kilobytes(self, name: str) -> int:
        text = Path(f"/proc/{self._pids[name]}/status").read_text()
        return int(text.partition("VmRSS:")[2].split()[0])

    def growth(self) -> dict[str, int]:
        """KB by which each daemon has grown since the start."""
        return {name: self._kilobytes(name) - before for name, before in self._sizes.items()}

    def new_lines(self) -> list[str]:
        """Lines that daemons have written to their logs since the last call."""
        found = []
        for path in sorted(self.log.glob("*Log")):
            data = path.read_bytes()
            begin = self._read_to.get(path.name, 0)
            found += [f"{path.name}: {line}" for line in data[begin:].decode(errors="replace").splitlines()]
            self._read_to[path.name] = len(data)
        return found
