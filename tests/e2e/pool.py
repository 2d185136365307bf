"""Running condor_py for real: a pool in a directory, its tools, and the questions that tests ask about it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

sys.path.insert(0, str(Path(__file__).parents[1]))

from preloaded import MAIN, PreloadedTools, may_be_preloaded, preloaded_tools

from condor_py.model.ids import JobId
from condor_py.store.job_queue import JobQueue

__all__ = ["MAIN"]

ROOT = Path(__file__).resolve().parents[2]
#: The daemons of a pool.
DAEMONS = ("master", "schedd", "negotiator", "startd")
#: How much longer than usual everything may take here (tests/engines/machine emulates a processor).
PATIENCE = float(os.environ.get("CONDOR_PY_TEST_PATIENCE") or 1)
Done = subprocess.CompletedProcess[str]


def wait_for(condition: Callable[[], object], what: str | Callable[[], str], seconds: float = 60.0) -> None:
    """Returns as soon as ``condition`` holds; fails with ``what`` when it does not within ``seconds``.

    A condition that looks for what is not there yet, or goes while it looks, does not hold: an item, a file, a process.
    Between two looks it is quiet three times as long as a look takes: what is waited for needs the processors, too.
    """
    deadline = time.monotonic() + seconds * PATIENCE
    while True:
        missing: Exception | None = None
        begun = time.monotonic()
        try:
            if condition():
                return
        except (LookupError, FileNotFoundError, ProcessLookupError) as error:
            missing = error
        assert time.monotonic() < deadline, f"timed out: {what if isinstance(what, str) else what()} {missing or ''}"
        time.sleep(min(max(0.02, 3 * (time.monotonic() - begun)), 0.2))


class PersonalPool:
    """A pool with its own LOCAL_DIR, configured by environment only."""

    def __init__(self, directory: Path, cpus: int = 4, **knobs: str) -> None:
        self.directory = directory
        self.work = directory / "work"
        self.work.mkdir(parents=True)
        self.home = directory / "home"
        self.home.mkdir()
        #: Where the history of a test begins whose pool other tests have used before.
        self.first_cluster = 1
        #: What runs its tools in processes that have their modules loaded, if not the same as for all pools.
        self.tools: PreloadedTools | None = None
        #: Where it begins in the logs of the daemons, by their names.
        self.log_sizes: dict[str, int] = {}
        self.environment = {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            **{name: os.environ[name] for name in ("TZ",) if name in os.environ},
            "HOME": str(self.home),
            "CONDOR_CONFIG": "ONLY_ENV",
            "CONDOR_PY_TRACEBACK": "1",
            "OF_THE_SHELL": "that started the pool",
            "_CONDOR_LOCAL_DIR": str(directory / "local"),
            "_CONDOR_NUM_CPUS": str(cpus),
            "_CONDOR_MEMORY": "8000",
            "_CONDOR_STARTD_DETECT_GPUS": "false",
            "_CONDOR_JAVA": "",  # trying it takes as long as a pool takes to start
            "_CONDOR_UID_DOMAIN": "example.net",
            # Programs of a pool are ours, in places that only we may read, whether or not there is an account condor.
            "_CONDOR_CONDOR_IDS": f"{os.geteuid()}.{os.getegid()}",
            **{f"_CONDOR_{name}": value for name, value in knobs.items()},
        }

    def knob(self, name: str, value: str | Path) -> None:
        """Sets a knob for daemons and tools started from now on."""
        self.environment[f"_CONDOR_{name}"] = str(value)

    def configure(self, text: str) -> Path:
        """The daemons of a lent pool, and all its tools, have these knobs from now on, and no earlier ones. The
        configuration file."""
        config = Path(self.environment["CONDOR_CONFIG"])
        config.write_text(text)
        self.tool("condor_reconfig")
        return config

    def script(self, name: str, text: str, interpreter: str = "/bin/sh") -> Path:
        """An executable script in the work directory."""
        path = self.work / name
        path.write_text(f"#!{interpreter}\n{text}")
        path.chmod(0o755)
        return path

    @property
    def spool(self) -> Path:
        return self.directory / "local" / "spool"

    @property
    def log(self) -> Path:
        return self.directory / "local" / "log"

    @property
    def execute(self) -> Path:
        return self.directory / "local" / "execute"

    # -- tools --------------------------------------------------------------------------------------------------------

    def tool(self, *words: str, check: bool = True, stdin: str | None = None, cwd: Path | None = None) -> Done:
        """Runs a condor tool in the work directory."""
        if may_be_preloaded(words, self.environment):
            done = preloaded(words, self.environment, cwd or self.work, stdin or "", tools=self.tools)
        else:
            done = self._by_itself(words, stdin, cwd)
        assert not check or done.returncode == 0, f"{words}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    def _by_itself(self, words: tuple[str, ...], stdin: str | None, cwd: Path | None) -> Done:
        return subprocess.run(
            [sys.executable, "-I", "-S", "-X", "utf8", str(MAIN), *words],
            env=self.environment,
            cwd=cwd or self.work,
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            text=True,
            errors="surrogateescape",
            timeout=120 * PATIENCE,
            check=False,
        )

    def submit(self, text: str, *options: str) -> int:
        """Submits a description; the cluster number."""
        path = self.work / "job.sub"
        path.write_text(text)
        done = self.tool("condor_submit", *options, str(path))
        found = re.search(r"submitted to cluster (\d+)", done.stdout)
        assert found, done.stdout + done.stderr
        return int(found[1])

    def wait(self, log: str, seconds: float = 60.0, *options: str) -> None:
        """condor_wait on an event log in the work directory."""
        self.tool("condor_wait", "-wait", str(int(seconds * PATIENCE)), *options, log)

    def queue(self, *attributes: str) -> list[list[str]]:
        """Rows of condor_q -af for all jobs."""
        done = self.tool("condor_q", "-allusers", "-af", *attributes)
        return [line.split() for line in done.stdout.splitlines()]

    def history(self, *attributes: str) -> list[list[str]]:
        """Rows of condor_history -af, newest first; only of jobs of this test."""
        own = ("-constraint", f"ClusterId >= {self.first_cluster}") if self.first_cluster > 1 else ()
        done = self.tool("condor_history", *own, "-af", *attributes)
        return [line.split() for line in done.stdout.splitlines()]

    def recorded(self, rows: list[list[str]], *attributes: str) -> None:
        """Waits until the history says so: its records come a moment after the events that tell of the end."""
        wait_for(lambda: self.history(*attributes) == rows, lambda: f"{rows}, it is {self.history(*attributes)}")

    def started(self, log: str, job: str, times: int = 1) -> None:
        """Waits for so many events 001 of a job in an event log in the work directory: a job that the queue shows as
        running may still be on its way to that."""
        wait_for(lambda: self.events(log).count((1, job)) >= times, f"{job} has started, {times} times in all")

    def status_of(self, job: str) -> int | None:
        """JobStatus in the queue, None when the job is not there. Tests ask so often that no tool is run for it."""
        cluster, _, proc = job.partition(".")
        ad = self.read_queue().job(JobId(int(cluster), int(proc or 0)))
        return None if ad is None else ad.eval_int("JobStatus", 0)

    def events(self, log: str) -> list[tuple[int, str]]:
        """(number, job) of the events of a log in the work directory."""
        text = (self.work / log).read_text() if (self.work / log).exists() else ""
        heads = re.findall(r"^(\d{3}) \((\d+)\.(\d+)\.\d+\)", text, re.MULTILINE)
        return [(int(number), f"{int(cluster)}.{int(proc)}") for number, cluster, proc in heads]

    def logged(self, pattern: str) -> str:
        """What the daemons have written into their logs of such names during this test."""
        return "".join(
            path.read_bytes()[self.log_sizes.get(path.name, 0) :].decode(errors="replace")
            for path in self.log.glob(pattern)
        )

    # -- daemons ------------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """condor_master, and wait until the slots are published and the schedd listens."""
        self.tool("condor_master")
        wait_for(self.ready, f"the pool is up; see {self.log}")

    def ready(self, *daemons: str) -> bool:
        """These daemons serve, or all of a pool."""
        return all(map(self.serves, daemons or DAEMONS))

    @contextmanager
    def without(self, daemon: str) -> Iterator[None]:
        """A daemon is off for a while."""
        pid = self.pid(daemon)
        self.tool("condor_off", f"-{daemon}")
        wait_for(lambda: not runs(pid), f"the {daemon} is off")
        yield
        self.tool("condor_on", f"-{daemon}")
        wait_for(self.ready, f"the {daemon} is on again")

    def written(self, log: str) -> Callable[[], str]:
        """A function that returns what a daemon writes to a log from now on."""
        path = self.log / log
        before = len(path.read_bytes()) if path.exists() else 0
        return lambda: path.read_bytes()[before:].decode(errors="replace") if path.exists() else ""

    def serves(self, daemon: str) -> bool:
        """Whether a daemon lives and has published since it began, and not only the one that was killed before it."""
        try:
            told = (self.spool / "ads" / f"{daemon.upper()}.ads").stat().st_mtime_ns
            return told >= self._lock(daemon).stat().st_mtime_ns and runs(self.pid(daemon))
        except (LookupError, FileNotFoundError):
            return False

    def _lock(self, daemon: str) -> Path:
        return self.log / ("InstanceLock" if daemon == "master" else f"{daemon}.lock")

    def pid(self, daemon: str) -> int:
        """Process id of a daemon (``master``, ``schedd``, ``negotiator``, ``startd``) by its lock; LookupError while it
        writes that."""
        text = self._lock(daemon).read_text().strip()
        if not text.isdecimal():
            raise LookupError(f"the lock of the {daemon} has {text!r}")
        return int(text)

    def kill(self, daemon: str, number: int = signal.SIGKILL) -> int:
        """Sends a signal to a daemon; its pid."""
        pid = self.pid(daemon)
        os.kill(pid, number)
        return pid

    def starters(self) -> list[int]:
        """Process ids of the starters."""
        return [int(path.name[4:]) for path in self.execute.glob("dir_*")]

    def processes(self) -> list[int]:
        """Every process that belongs to this pool: daemons and whatever runs below its directories."""
        mark = str(self.directory).encode()
        found = []
        for pid, data in of_processes("environ"):
            if mark in data and pid != os.getpid() and runs(pid):
                found.append(pid)
        return found

    @contextmanager
    def running(self) -> Iterator[PersonalPool]:
        """The pool runs for as long as a fixture or test needs it."""
        try:
            self.start()
            yield self
        finally:
            self.stop()

    def read_queue(self) -> JobQueue:
        """The queue as its log has it now."""
        return JobQueue(str(self.spool / "job_queue.log"), readonly=True, lasting=False)

    def stop(self) -> None:
        """Takes everything down, and fails if anything stays alive."""
        if not (self.log / "InstanceLock").exists():
            return
        with suppress(LookupError):
            kill(self.pid("master"), signal.SIGQUIT)
        try:
            wait_for(lambda: not self.processes(), lambda: f"the pool ends: {words_of(self.processes())}", 30)
        finally:
            for pid in self.processes():
                kill(pid)


def preloaded(
    words: Sequence[str],
    environment: Mapping[str, str],
    directory: Path,
    stdin: str = "",
    tools: PreloadedTools | None = None,
    account: str = "",
) -> Done:
    """Runs a tool in a process that has its modules loaded, with the rights of an account where one is named."""
    with ExitStack() as files:
        given, out, err = (files.enter_context(tempfile.TemporaryFile()) for _ in range(3))
        given.write(stdin.encode("utf-8", "surrogateescape"))
        given.seek(0)
        numbers = (given.fileno(), out.fileno(), err.fileno())
        tool = (tools or preloaded_tools()).begin(words, environment, directory, numbers, 120 * PATIENCE, account)
        return Done(words, tool.wait(), _text_of(out), _text_of(err))


def _text_of(file: IO[bytes]) -> str:
    """What a tool has written, as ``subprocess`` gives text."""
    file.seek(0)
    return re.sub("\r\n?", "\n", file.read().decode("utf-8", "surrogateescape"))


def kill(pid: int, number: int = signal.SIGKILL) -> None:
    """Sends a signal to a process, unless it has ended."""
    with suppress(ProcessLookupError):
        os.kill(pid, number)


def words_of(pids: Collection[int]) -> str:
    """The number of processes, and the command lines of the first."""
    found = dict(of_processes("cmdline"))
    lines = [f"{pid} {found.get(pid, b'').replace(bytes(1), b' ').decode(errors='replace')[:200]}" for pid in pids]
    return f"{len(lines)} processes: {'; '.join(lines[:4])}"


def of_processes(name: str) -> Iterator[tuple[int, bytes]]:
    """The ids of all processes, and what is in such a file of theirs in /proc ("cmdline", "environ"). A pattern of
    pathlib's would look at each by itself first, and fail over one that ends just then."""
    for pid in filter(str.isdecimal, os.listdir("/proc")):
        try:
            yield int(pid), Path("/proc", pid, name).read_bytes()
        except OSError:
            continue


def runs(pid: int) -> bool:
    """Whether there is such a process that has not ended: whose parent has not asked for its end is still in /proc."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return text.rpartition(")")[2].split()[0] not in "ZX"
