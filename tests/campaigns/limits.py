"""Pools on a machine that gives little: whole lives of pools, each under a limit.

    tests/campaigns/run limits [-n COUNT] [-seed SEED] [-jobs COUNT] [-only NAME ...]

A life: condor_master, submits of several kinds (file transfer, local and scheduler universe, spooled input, late
materialization, a DAG), the tools that look, hold, release and remove, condor_off. Each situation is a limit: few
descriptors, processes or control group pids, little memory or processor time, no capabilities, no user namespaces, a
read-only root, a hidden /proc, closed streams, odd umasks and so on. Without -n each limit comes once; more situations
than there are limits are combinations of two, which the seed draws. -only takes names of limits (``a+b`` for two).

What must hold in each: a tool works, or says why not in lines of its own (no traceback, no signal, no hanging) and
exits above 0; what it refused is not in the queue, what it accepted is; daemons that cannot work use no processor time
and have logged a reason; no log has a traceback; after the limit is lifted every accepted job ends once, with its
output.

SELinux and AppArmor are in force where the kernel has them; the last line says which it has.

Needs root (mount namespaces, control groups of version 1 or 2, accounts in a private /etc/passwd), util-linux and a
Python of the system with psutil for pools of an ordinary account.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parents[1] / "e2e")]

from campaign import Campaign, CannotRun, main
from pool import MAIN, PATIENCE, Done, PersonalPool, runs, wait_for

from condor_py.model.errors import StoreError
from condor_py.store.job_queue import JobQueue

#: The account of pools that are not root's, in a private /etc/passwd: no other process of the machine counts for it.
ACCOUNT, UID = "limited", 61036
JOBS = 50
#: Seconds that a tool may take, and a pool without any progress before it counts as stuck.
TOOL_SECONDS, STUCK_SECONDS = 120.0, 30.0
#: CPU seconds in each second that an idle or stuck pool may use.
IDLE_CPU = 0.25
_LOOK = 6.0
#: Reasons in a log for which a pool may stand still.
_REASONS = re.compile(
    r"too many open files|resource temporarily unavailable|cannot allocate|out of memory|memory|no space|"
    r"read-only|permission denied|operation not permitted|not permitted|killed|descriptors|signal 9",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Group:
    """A control group that the pool begins in: a controller and what is written, for version 1 and 2."""

    controller: str
    first: dict[str, str]
    second: dict[str, str]


@dataclass(frozen=True)
class Limit:
    """One limit. ``words`` start a command under it, ``rights`` are options of setpriv; ``rank`` is the order in
    which the words of two limits follow.

    ``account`` is whether an ordinary account has the pool. ``refuses`` is whether the pool may be unable to work
    under it: then it has to say so. ``silent`` is whether tools have no output.
    """

    name: str
    words: Callable[[Path], list[str]] = lambda place: []
    rights: tuple[str, ...] = ()
    environment: dict[str, str | None] = field(default_factory=dict)
    rank: int = 5
    account: bool = False
    refuses: bool = False
    silent: bool = False
    group: Group | None = None
    jobs: int = 0
    slow: float = 1.0


def _shell(text: str) -> Callable[[Path], list[str]]:
    return lambda place: ["/bin/sh", "-c", text.replace("PLACE", str(place)) + '; exec "$@"', "sh"]


def _mounts(text: str) -> Callable[[Path], list[str]]:
    return lambda place: ["unshare", "-m", *_shell("set -e; " + text)(place)]


def _prlimit(*words: str) -> Callable[[Path], list[str]]:
    return lambda place: ["prlimit", *words]


_NO_USERS = """
import ctypes, os, sys
ready, go = os.pipe(), os.pipe()
if os.fork() == 0:
    os.read(ready[0], 1)
    for name in ("uid_map", "gid_map"):
        with open(f"/proc/{os.getppid()}/{name}", "w") as file:
            file.write("0 0 65536")
    os.write(go[1], b".")
    os._exit(0)
if ctypes.CDLL(None, use_errno=True).unshare(0x10000000):
    sys.exit("no user namespace: " + os.strerror(ctypes.get_errno()))
os.write(ready[1], b".")
os.read(go[0], 1)
os.wait()
with open("/proc/sys/user/max_user_namespaces", "w") as file:
    file.write("0")
for pipe in (*ready, *go):
    os.close(pipe)
os.execvp(sys.argv[1], sys.argv[1:])
"""
_NO_SHM = (
    "mkdir -p PLACE/dev; mount -t tmpfs none PLACE/dev;"
    "for each in null zero full random urandom tty; do : >PLACE/dev/$each; mount --bind /dev/$each PLACE/dev/$each;"
    "done; ln -s /proc/self/fd PLACE/dev/fd; mount --rbind PLACE/dev /dev"
)


def _files(count: int) -> Limit:
    return Limit(f"files-{count}", _prlimit(f"--nofile={count}:{count}"), refuses=count < 32)


def _memory(megabytes: int, *, refuses: bool) -> Limit:
    size = str(megabytes << 20)
    group = Group(
        "memory",
        {"memory.limit_in_bytes": size, "memory.memsw.limit_in_bytes": size},
        {"memory.max": size, "memory.swap.max": "0"},
    )
    # With a starter in each of four slots the kernel ends the largest process: the pool knows what memory there is.
    known = {"_CONDOR_MEMORY": str(megabytes)}
    return Limit(f"memory-{megabytes}", group=group, refuses=refuses, environment=known)


LIMITS = {
    limit.name: limit
    for limit in (
        Limit("none"),
        Limit("account", account=True),
        *(_files(count) for count in (64, 48, 32, 24, 20, 16, 12, 10, 8)),
        Limit("processes-60", _prlimit("--nproc=60:60"), account=True),
        Limit("processes-12", _prlimit("--nproc=12:12"), account=True, refuses=True),
        Limit("processes-6", _prlimit("--nproc=6:6"), account=True, refuses=True),
        Limit("processes-3", _prlimit("--nproc=3:3"), account=True, refuses=True),
        Limit("pids-20", group=Group("pids", {"pids.max": "20"}, {"pids.max": "20"}), refuses=True),
        Limit("pids-6", group=Group("pids", {"pids.max": "6"}, {"pids.max": "6"}), refuses=True),
        _memory(150, refuses=False),
        _memory(70, refuses=True),
        _memory(40, refuses=True),
        Limit("space-150", _prlimit(f"--as={150 << 20}")),
        Limit("space-60", _prlimit(f"--as={60 << 20}"), refuses=True),
        Limit("space-30", _prlimit(f"--as={30 << 20}"), refuses=True),
        Limit(
            "cpu-5",
            group=Group("cpu", {"cpu.cfs_quota_us": "5000"}, {"cpu.max": "5000 100000"}),
            jobs=5,
            slow=12.0,
        ),
        Limit("no-capabilities", rights=("--bounding-set=-all", "--inh-caps=-all")),
        Limit("no-capabilities-account", rights=("--bounding-set=-all",), account=True),
        Limit("no-new-privileges", rights=("--no-new-privs",)),
        Limit("no-new-privileges-account", rights=("--no-new-privs",), account=True),
        Limit("no-user-namespaces", lambda place: [_system_python(), "-I", "-c", _NO_USERS], rank=3, account=True),
        Limit("in-a-user-namespace", lambda place: [_system_python(), "-I", "-c", _NO_USERS], rank=3),
        Limit("hidden-proc", _mounts("mount -t proc -o hidepid=2 proc /proc"), rank=2, account=True),
        Limit(
            "read-only-root",
            _mounts(
                "mount --bind PLACE PLACE; mount -o remount,bind,ro /; mount -o remount,bind,rw PLACE; cd PLACE/work"
            ),
            rank=2,
        ),
        Limit(
            "read-only-root-account",
            _mounts(
                "mount --bind PLACE PLACE; mount -o remount,bind,ro /; mount -o remount,bind,rw PLACE; cd PLACE/work"
            ),
            rank=2,
            account=True,
        ),
        Limit("no-shm", _mounts(_NO_SHM), rank=2),
        Limit("no-shm-account", _mounts(_NO_SHM), rank=2, account=True),
        Limit("no-home", environment={"HOME": None, "USER": None, "LOGNAME": None}),
        Limit("home-that-is-none", environment={"HOME": "/nonexistent/place"}, account=True),
        Limit("no-environment", environment={"HOME": None, "PATH": None, "TMPDIR": None, "LANG": None}),
        Limit("no-temporary-place", environment={"TMPDIR": "/nonexistent"}),
        Limit("no-streams", _shell("exec <&- >&- 2>&-"), rank=9, silent=True),
        Limit("no-input", _shell("exec <&-"), rank=9),
        Limit("no-output", _shell("exec >&-"), rank=9, silent=True),
        Limit("full-output", _shell("exec >/dev/full"), rank=9, silent=True),
        Limit("umask-0777", _shell("umask 0777"), rank=9),
        Limit("umask-0777-account", _shell("umask 0777"), rank=9, account=True, refuses=True),
        Limit("umask-077", _shell("umask 077"), rank=9, account=True),
        Limit("nice-19", lambda place: ["nice", "-n", "19"], rank=9),
        Limit("signals-ignored", _shell("trap '' HUP INT QUIT TERM CHLD PIPE USR1 ALRM"), rank=9),
    )
}


def _system_python() -> str:
    return "/usr/bin/python3"


# -- a pool under limits --------------------------------------------------------------------------------------------


class LimitedPool(PersonalPool):
    """A pool whose daemons and tools all run under the limits, until ``lift``."""

    def __init__(self, directory: Path, limits: tuple[Limit, ...]) -> None:
        super().__init__(
            directory,
            cpus=4,
            PERIODIC_EXPR_INTERVAL="2",
            SYSTEM_ON_VACATE_COOL_DOWN="1",
            SCHEDULER_UNIVERSE_COOL_DOWN_DURATION="1",
        )
        self.limits = limits
        self.account = any(limit.account for limit in limits)
        self.slow = max(limit.slow for limit in limits)
        self._groups = Groups(limits)
        self._lifted = False
        for limit in limits:
            for name, value in limit.environment.items():
                if value is None:
                    self.environment.pop(name, None)
                else:
                    self.environment[name] = value
        self._prepare_account()

    def _prepare_account(self) -> None:
        if not self.account:
            return
        for name in ("passwd", "group"):
            line = f"{ACCOUNT}:x:{UID}:" + (f"{UID}::{self.home}:/bin/sh\n" if name == "passwd" else "\n")
            (self.directory / name).write_text(Path("/etc", name).read_text() + line)
        for path in (self.directory, self.work, self.home):
            os.chown(path, UID, UID)
        self.environment["_CONDOR_CONDOR_IDS"] = f"{UID}.{UID}"

    def words(self, *words: str) -> list[str]:
        """The command line of a tool under all limits that are in force."""
        python = _system_python() if self.account else sys.executable
        command: list[str] = []
        limits = () if self._lifted else sorted(self.limits, key=lambda limit: limit.rank)
        if not self._lifted:
            command += self._groups.words()
        if self.account:
            binds = "; ".join(f"mount --bind {self.directory}/{name} /etc/{name}" for name in ("passwd", "group"))
            command += ["unshare", "-m", "/bin/sh", "-c", binds + '; exec "$@"', "sh"]
        for limit in limits:
            if limit.rank < 4:
                command += limit.words(self.directory)
        rights = [f"--reuid={UID}", f"--regid={UID}", "--clear-groups"] if self.account else []
        rights += [word for limit in limits for word in limit.rights if word not in rights]
        command += ["setpriv", *rights] if rights else []
        # What makes a process less comes after it has its account: limits of processes count for that.
        late = [word for limit in limits if limit.rank >= 4 for word in limit.words(self.directory)]
        return [*command, *late, python, "-I", "-S", "-X", "utf8", str(MAIN), *words]

    def run(self, *words: str, seconds: float = TOOL_SECONDS) -> Done:
        """Runs a tool to its end; TimeoutExpired when it does not come."""
        return subprocess.run(
            self.words(*words),
            env=self.environment,
            cwd=self.work,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="surrogateescape",
            timeout=seconds * PATIENCE * (1 if self._lifted else self.slow),
            check=False,
        )

    def tool(self, *words: str, check: bool = True, stdin: str | None = None, cwd: Path | None = None) -> Done:
        done = self.run(*words)
        assert not check or done.returncode == 0, f"{words}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    def lift(self) -> bool:
        """Takes the limits away; whether those of the running daemons are gone too."""
        self._lifted = True
        for limit in self.limits:
            self.environment.update({name: "" for name in limit.environment if name == "HOME"})
        self.environment.update(HOME=str(self.home), PATH=os.environ.get("PATH", "/usr/bin:/bin"))
        self._groups.lift()
        return all(limit.group is not None for limit in self.limits)

    def jobs(self) -> dict[str, Counter[int]]:
        """The jobs of the queue: JobStatus of those with each mark."""
        found: dict[str, Counter[int]] = {}
        with contextlib.suppress(StoreError, FileNotFoundError):
            queue = JobQueue(str(self.spool / "job_queue.log"), readonly=True, lasting=False)
            for _, ad in queue.jobs():
                mark = str(ad.eval_str("Mark", "") or "dag")
                found.setdefault(mark, Counter())[ad.eval_int("JobStatus", 0)] += 1
        return found

    def kept(self) -> Counter[str]:
        """How many jobs of each mark are in the history."""
        found: Counter[str] = Counter()
        for path in self.spool.glob("history*"):
            text = path.read_text(errors="replace") if path.is_file() else ""
            found.update(re.findall(r'^Mark = "(.*)"$', text, re.MULTILINE))
        return found

    def cpu(self) -> float:
        """CPU seconds that the daemons that live have used."""
        ticks = 0
        for pid in self.processes():
            with contextlib.suppress(OSError, IndexError):
                words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                if b"condor_py" in Path(f"/proc/{pid}/cmdline").read_bytes():
                    ticks += int(words[11]) + int(words[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def logged(self) -> str:
        """All logs of daemons."""
        return "\n".join(path.read_text(errors="replace") for path in sorted(self.log.glob("*Log*")) if path.is_file())

    def end(self) -> None:
        """Kills whatever is left, and removes the control groups."""
        for _ in range(50):
            left = self.processes()
            for pid in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            if not left:
                break
            time.sleep(0.1)
        self._groups.remove()


class Groups:
    """The control groups of a pool, of version 1 or 2."""

    def __init__(self, limits: tuple[Limit, ...]) -> None:
        self._paths: list[tuple[Path, Group]] = []
        self._two = Path("/sys/fs/cgroup/cgroup.controllers").exists()
        for limit in limits:
            if limit.group is not None:
                self._make(limit.group)

    def _make(self, group: Group) -> None:
        top = Path("/sys/fs/cgroup") if self._two else Path("/sys/fs/cgroup", group.controller)
        if not top.is_dir() or (self._two and group.controller not in (top / "cgroup.controllers").read_text()):
            raise CannotRun(f"there is no control group controller '{group.controller}'")
        path = top / f"condor_py_limits_{os.getpid()}_{len(self._paths)}"
        path.mkdir()
        self._paths.append((path, group))
        for name, value in (group.second if self._two else group.first).items():
            if (path / name).exists():
                (path / name).write_text(value)

    def words(self) -> list[str]:
        """What enters them."""
        if not self._paths:
            return []
        into = "; ".join(f"echo $$ >{path}/cgroup.procs" for path, _ in self._paths)
        return ["/bin/sh", "-c", f'{into}; exec "$@"', "sh"]

    def lift(self) -> None:
        """Nothing is limited any more, also for those who are in them."""
        for path, group in self._paths:
            for name in reversed(list(group.second if self._two else group.first)):
                for word in ("max", "-1"):
                    with contextlib.suppress(OSError):
                        if (path / name).exists():
                            (path / name).write_text(word)
                            break

    def remove(self) -> None:
        """Takes the empty groups away."""
        for path, _ in self._paths:
            for each in (*sorted(path.rglob("*/"), reverse=True), path):
                with contextlib.suppress(OSError):
                    each.rmdir()


# -- a life ---------------------------------------------------------------------------------------------------------

_TRANSFER = """\
executable = /bin/cat
arguments = in.txt
transfer_executable = false
should_transfer_files = YES
transfer_input_files = in.txt
output = transfer.$(Process).out
error = transfer.$(Process).err
log = transfer.log
My.Mark = "transfer"
queue {jobs}
"""
_PLAIN = """\
executable = /bin/cat
arguments = {work}/in.txt
output = {name}.$(Process).out
log = {name}.log
{more}
My.Mark = "{name}"
queue {count}
"""
_DAG = "JOB A node.sub\nJOB B node.sub\nJOB C node.sub\nPARENT A CHILD B C\n"
#: Each kind of submit: its commands, how many jobs.
_KINDS = {
    "plain": ("", 4),
    "local": ("universe = local", 2),
    "scheduler": ("universe = scheduler", 2),
    "late": ("max_materialize = 2", 6),
    "held": ("hold = true", 1),
    "periodic": ("on_exit_hold = NumJobStarts < 2\nperiodic_release = NumJobStarts < 2", 1),
}
_LOOKS = (
    ("condor_q", "-allusers"),
    ("condor_q", "-allusers", "-nobatch"),
    ("condor_q", "-better-analyze"),
    ("condor_status",),
    ("condor_userprio", "-all"),
    ("condor_history", "-limit", "5"),
    ("condor_who",),
    ("condor_config_val", "SPOOL"),
    ("condor_ping", "-type", "schedd", "WRITE"),
    ("condor_prio", "-p", "1", "1"),
)


def _may_refuse(limits: Iterable[Limit]) -> bool:
    """Whether tools may say that they cannot work. An account cannot read what it makes with a umask of 0777."""
    names = {limit.name for limit in limits}
    is_account = any(limit.account for limit in limits)
    return any(limit.refuses for limit in limits) or (is_account and "umask-0777" in names)


class Life:
    """The life of one pool under limits; what must not be goes to ``found``."""

    def __init__(self, pool: LimitedPool, jobs: int, found: Callable[[str], None]) -> None:
        self._pool, self._jobs, self._found = pool, jobs, found
        self.accepted: Counter[str] = Counter()
        self.refusals: Counter[str] = Counter()

    def live(self) -> str:
        """All of it; in a word how far it came under the limit: worked, partly, refused."""
        began = self._begin()
        if began:
            self._submit_all()
            for words in _LOOKS:
                self._tool(*words)
            self._tool("condor_release", "-constraint", 'Mark == "held"')
            over = self._wait(STUCK_SECONDS * self._pool.slow)
            if not over:
                self._stuck()
            self._check_idle()
            self._end("condor_off", "-master", "-fast")
        self._after()
        if not began:
            return "refused"
        return "worked" if over and not self.refusals else "partly"

    # -- tools

    def _tool(self, *words: str) -> Done | None:
        """Runs a tool, and judges how it ends; None when it does not end."""
        try:
            done = self._pool.run(*words)
        except subprocess.TimeoutExpired as late:
            self._found(f"{words[0]} hangs ({' '.join(words[1:])}): {str(late.stderr or b'')[-300:]}")
            return None
        told = done.stderr + done.stdout
        silent = any(limit.silent for limit in self._pool.limits) and not self._pool._lifted
        line = f"{' '.join(words)}: exit {done.returncode}: {told[-600:].strip()}"
        if "Traceback" in told or "internal error" in told:
            self._found(f"traceback: {line}")
        elif done.returncode < 0 and not self._is_memory():
            self._found(f"dies of a signal: {line}")
        elif done.returncode and not told.strip() and not silent and not self._is_memory():
            self._found(f"fails without a word: {line}")
        if done.returncode:
            self.refusals[words[0]] += 1
            excused = _may_refuse(self._pool.limits) or any(limit.silent for limit in self._pool.limits)
            if not excused and done.returncode > 0:
                self._found(f"refused under a limit in which it has to work: {line}")
        return done

    def _is_memory(self) -> bool:
        """Whether the kernel may have killed for want of memory."""
        return any(limit.group is not None and limit.group.controller == "memory" for limit in self._pool.limits)

    # -- steps

    def _begin(self) -> bool:
        done = self._tool("condor_master")
        if done is None:
            return False
        if done.returncode == 0:
            try:
                wait_for(self._pool.ready, "the pool is up", 60 * self._pool.slow)
                return True
            except AssertionError:
                logged = self._pool.logged()
                if not (self._is_memory() and "died due to signal 9" in logged):  # the kernel took one that had served
                    self._found(f"condor_master says 0, but the pool does not serve: {logged[-800:]}")
                    return False
                self.refusals["condor_master"] += 1
        alive = [pid for pid in self._pool.processes() if runs(pid)]
        if alive:  # the master says what does not serve, and goes on trying
            self._check_idle()
            self._end("condor_off", "-master", "-fast")
        return False

    def _submit_all(self) -> None:
        work = self._pool.work
        texts = {"transfer": (_TRANSFER.format(jobs=self._jobs), self._jobs)}
        for name, (more, count) in _KINDS.items():
            texts[name] = (_PLAIN.format(work=work, name=name, more=more, count=count), count)
        texts["removed"] = ('executable = /bin/sleep\narguments = 1000\nMy.Mark = "removed"\nqueue 2\n', 2)
        for name, (text, count) in texts.items():
            _write(work / f"{name}.sub", text)
            self._submitted(name, count, self._tool("condor_submit", f"{name}.sub"))
        _write(work / "node.sub", _PLAIN.format(work=work, name="node", more="", count=1))
        _write(work / "nodes.dag", _DAG)
        self._tool("condor_submit_dag", "-f", "nodes.dag")
        self._tool("condor_rm", "-constraint", 'Mark == "removed"')

    def _submitted(self, name: str, count: int, done: Done | None) -> None:
        """Compares what a submit said with what is in the queue and the history."""
        if done is None:
            return
        there = sum(self._pool.jobs().get(name, {}).values()) + self._pool.kept()[name]
        if done.returncode == 0:
            self.accepted[name] = count
            if there == 0 and name != "late":
                time.sleep(1)  # between the queue and the history
                if not self._pool.jobs().get(name) and not self._pool.kept()[name]:
                    self._found(f"condor_submit accepted '{name}', and it is nowhere")
        elif there:
            self.accepted[name] = count
            if done.returncode > 0 and not any(limit.silent for limit in self._pool.limits):
                self._found(f"condor_submit refused '{name}' ({done.stderr.strip()[-200:]}), and it is in the queue")

    def _wait(self, patience: float) -> bool:
        """Whether all jobs have left the queue; not when nothing moves any more for ``patience`` seconds."""
        last: object = None
        since = time.monotonic()
        while True:
            jobs = self._pool.jobs()
            if not jobs:
                return True
            now = (
                sorted((mark, sorted(count.items())) for mark, count in jobs.items()),
                sum(self._pool.kept().values()),
            )
            if now != last:
                last, since = now, time.monotonic()
            if time.monotonic() - since > patience * PATIENCE:
                return False
            time.sleep(0.2)

    def _stuck(self) -> None:
        told = self._tool("condor_q", "-allusers", "-af:j", "Mark", "JobStatus", "HoldReason")
        state = "" if told is None else told.stdout[-500:]
        if not _may_refuse(self._pool.limits):
            self._found(f"jobs do not end: {self._pool.jobs()} {state} {self._pool.logged()[-1500:]}")
        elif not _REASONS.search(self._pool.logged() + state):
            self._found(f"jobs do not end, and no log says why: {self._pool.jobs()} {state}")

    def _check_idle(self) -> None:
        before, since = self._pool.cpu(), time.monotonic()
        time.sleep(_LOOK)  # what is measured is how little happens in a time
        used = self._pool.cpu() - before
        share = used / (time.monotonic() - since)
        if share > IDLE_CPU:
            self._found(f"daemons with nothing to do use {share:.2f} of a processor")

    def _end(self, *words: str) -> None:
        """Asks for the end. What cannot be asked for under the limit is done by a signal to the master."""
        done = self._tool(*words)
        if done is None or done.returncode:
            with contextlib.suppress(LookupError, ProcessLookupError, FileNotFoundError):
                os.kill(self._pool.pid("master"), signal.SIGQUIT)
        try:
            wait_for(lambda: not self._pool.processes(), "", 60 * self._pool.slow)
        except AssertionError:
            names = [
                Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ")[-80:] for pid in self._pool.processes()
            ]
            self._found(f"processes are left after the end: {names}")
            for pid in self._pool.processes():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    def _after(self) -> None:
        """Looks at the logs, then lifts the limit: all that was accepted comes to its end."""
        self._check_logs()
        self._pool.lift()
        try:
            self._pool.start()
        except AssertionError as error:
            self._found(f"without the limit the pool does not start: {error}"[:1500])
            return
        if any(5 in states for states in self._pool.jobs().values()):
            self._tool("condor_release", "-all")
        if "removed" in self._pool.jobs():
            self._tool("condor_rm", "-constraint", 'Mark == "removed"')
        if not self._wait(STUCK_SECONDS):
            told = self._pool.tool("condor_q", "-allusers", "-better-analyze", check=False).stdout
            self._found(f"without the limit jobs do not end: {self._pool.jobs()} {told[:1500]}")
        self._audit()
        self._end("condor_off", "-master", "-fast")

    def _audit(self) -> None:
        kept = self._pool.kept()
        for name, count in self.accepted.items():
            if kept[name] != count:
                self._found(f"{kept[name]} of {count} jobs '{name}' are in the history")
            if name == "removed":
                continue
            for number in range(count):
                path = self._pool.work / f"{name}.{number}.out"
                if not path.exists() or path.read_text() != "input\n":
                    self._found(
                        f"the output of '{name}' {number} is {path.read_text()!r}"
                        if path.exists()
                        else f"there is no output {path.name}"
                    )

    def _check_logs(self) -> None:
        text = self._pool.logged()
        at = text.find("Traceback")
        if at >= 0:
            self._found(f"a log has a traceback: {text[max(0, at - 300) : at + 2500]}")


def _write(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o644)


# -- the campaign ---------------------------------------------------------------------------------------------------


def _situations(campaign: Campaign) -> Iterator[tuple[Limit, ...]]:
    """Each limit once; then pairs, as the seed draws them."""
    if campaign.options.only:
        for names in campaign.options.only:
            yield tuple(LIMITS[name] for name in names.split("+"))
        return
    names = list(LIMITS)
    for name in names[: campaign.size]:
        yield (LIMITS[name],)
    for _ in range(campaign.size - len(names)):
        yield tuple(LIMITS[name] for name in campaign.choose.sample(names, 2))


def _body(campaign: Campaign) -> None:
    if os.geteuid() != 0:
        raise CannotRun("it needs root")
    for program in ("unshare", "setpriv", "prlimit"):
        if shutil.which(program) is None:
            raise CannotRun(f"there is no {program}")
    if subprocess.run([_system_python(), "-I", "-c", "import psutil"], check=False, capture_output=True).returncode:
        raise CannotRun(f"{_system_python()} has no psutil, which pools of an ordinary account need")
    ends: Counter[str] = Counter()
    for limits in _situations(campaign):
        name = "+".join(limit.name for limit in limits)
        with tempfile.TemporaryDirectory(prefix="limits-", ignore_cleanup_errors=True) as top:
            os.chmod(top, 0o755)
            pool = LimitedPool(Path(top) / "pool", limits)
            _write(pool.work / "in.txt", "input\n")
            jobs = min([campaign.options.jobs, *(limit.jobs for limit in limits if limit.jobs)])
            life = Life(pool, jobs, lambda text, name=name: campaign.found(f"{name}: {text}"))
            try:
                end = life.live()
            finally:
                pool.end()
            ends[end] += 1
            print(f"limits: {name}: {end} {dict(life.refusals) or ''}", file=sys.stderr, flush=True)
        campaign.step()
    campaign.figures.update(ends)
    modules = Path("/sys/kernel/security/lsm")
    campaign.figures["security modules"] = modules.read_text() if modules.exists() else "none in this kernel"


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-jobs", type=int, default=JOBS, help=f"jobs with file transfer in each life (default {JOBS})")
    parser.add_argument("-only", nargs="+", metavar="NAME", help=f"these limits: {', '.join(LIMITS)}")


def run(arguments: list[str] | None = None) -> int:
    """The campaign as a command; its exit status."""
    return main(
        _body, name="limits", about=__doc__, unit="situations", size=len(LIMITS), options=_options, arguments=arguments
    )


if __name__ == "__main__":
    sys.exit(run())
