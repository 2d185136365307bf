"""Systems that run the same jobs as condor_py, each in a box of its own: how they are started, and how they get work.

A peer that is not installed says so, and where to get it. HTCondor runs in a Debian root of its own, which is made once
(two minutes, over the network) in the directory that ``BENCH_CACHE`` names.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, TypeVar

import box as boxes
from box import Box, BoxError
from rows.common import MAIN, PersonalPool, wait_for, wait_for_lines  # which makes tests/e2e known
from slurm_lines import LINES

T = TypeVar("T")
#: How a peer fails: a command, a file, a time limit of ``wait_for``.
FAILURES = (BoxError, OSError, subprocess.SubprocessError, AssertionError)
_HERE = Path(__file__).resolve().parent
_PLACES = "/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin"
#: Bytes that a job with file transfer gets, and gives back.
TRANSFERRED = 10_000
#: Seconds that one piece of work may take.
_LIMIT = 400
#: Seconds that a pool with many running jobs may take to its end.
_DOWN = 180
_ENDED = b"\n005 ("
#: MB of memory that a pool offers, so that memory is no limit: jobs request what they do not use.
_MEMORY = 1_000_000


@dataclass(frozen=True)
class Work:
    """So many jobs of a program. ``transfer``: each has a file ``in`` of 10 kB, and leaves a file ``out``; the program
    makes the one from the other."""

    name: str
    jobs: int
    words: tuple[str, ...] = ("/bin/true",)
    transfer: bool = False


@dataclass
class Peer:
    """A system in a box. Subclasses say how it starts and takes work."""

    box: Box
    slots: int
    #: Hands over work; each subclass has its own.
    submit: ClassVar[Callable[[Peer, Work], None]]
    #: Name in the table, programs that it needs, and where to get them.
    name = ""
    needs: tuple[str, ...] = ()
    source = ""
    #: Whether it can transfer files of jobs, whether it has a queue, and how many jobs it takes in a minute or so; 0
    #: for as many as are wanted.
    transfers = False
    queues = True
    most = 0

    @classmethod
    def missing(cls) -> str:
        """Why it cannot run here; empty where it can."""
        absent = [program for program in cls.needs if program_path(program) is None]
        return f"not installed ({cls.source})" if absent else ""

    @classmethod
    def root(cls) -> Path | None:
        """The file system that it needs; None for that of the machine."""
        return None

    def prepare(self) -> None:
        """Write its configuration."""

    def start(self) -> None:
        """Start its daemons; ``submit`` waits for them where that is needed."""

    def wait(self, work: Work) -> None:
        """Return when all jobs of the work have ended."""

    def stop(self) -> None:
        """Take its daemons down where they would leave something behind that ends with no box."""

    def share(self, work: Work) -> Work:
        """Return the work with as many jobs as it can take."""
        return replace(work, jobs=min(work.jobs, self.most)) if self.most else work

    def burst(self, work: Work) -> None:
        """Hand over work, and wait for its end."""
        self.submit(work)
        self.wait(work)


def program_path(name: str) -> str | None:
    """Return the path of a program of a peer: of the environment that runs this, or of the machine."""
    return shutil.which(name, path=f"{Path(sys.executable).parent}:{_PLACES}")


def quoted(words: Sequence[str]) -> str:
    """Return words as a shell reads them."""
    return " ".join(map(shlex.quote, words))


def until(command: str, tries: int = 300) -> str:
    """Return lines of the shell that run a command until it succeeds, ten times a second; they fail in the end."""
    return f"(i=0; until {command}; do i=$((i+1)); [ $i -lt {tries} ] || exit 1; sleep 0.1; done)"


def free_port() -> int:
    """Return a port of this machine that no process uses."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def description(work: Work) -> str:
    """Return the submit description of work, for HTCondor and for condor_py."""
    text = f"executable = {work.words[0]}\narguments = {quoted_arguments(work.words[1:])}\nlog = {work.name}.log\n"
    text += "request_disk = 1\n"
    if work.transfer:
        text += "should_transfer_files = YES\ntransfer_input_files = in\ntransfer_output_files = out\n"
        text += 'transfer_output_remaps = "out = copies/out.$(Process)"\n'
    else:
        text += "should_transfer_files = NO\n"
    return f"{text}queue {work.jobs}\n"


def quoted_arguments(words: Sequence[str]) -> str:
    """Return words in the new syntax of ``arguments``."""
    inner = " ".join("'{}'".format(word.replace("'", "''")) for word in words)
    return '"{}"'.format(inner.replace('"', '""')) if words else ""


class Ours(Peer):
    """condor_py, as root."""

    name = "condor_py"
    transfers = True

    def prepare(self) -> None:
        room = {"MEMORY": str(_MEMORY), "MODIFY_REQUEST_EXPR_REQUESTDISK": "RequestDisk"}  # not a GB at least
        self.pool = PersonalPool(self.box.work / "pool", cpus=self.slots, **room)
        settings = " ".join(f"{key}={shlex.quote(value)}" for key, value in self.pool.environment.items())
        (self.pool.work / "in").write_bytes(bytes(TRANSFERRED))
        (self.pool.work / "copies").mkdir()
        self.box.run(f"export {settings}; cd {self.pool.work}")

    def tool(self, *words: str) -> str:
        """Return what a tool prints."""
        return self.box.run(quoted([sys.executable, "-I", "-S", str(MAIN), *words]))

    def start(self) -> None:
        self.tool("condor_master")

    def submit(self, work: Work) -> None:
        (self.pool.work / f"{work.name}.sub").write_text(description(work))
        self.tool("condor_submit", "-terse", f"{work.name}.sub")

    def wait(self, work: Work) -> None:
        wait_for_lines(self.pool.work / f"{work.name}.log", _ENDED, work.jobs, f"{work.name} has ended")

    def stop(self) -> None:
        self.box.run(f"kill -QUIT $(cat {self.pool.log}/InstanceLock)", check=False)
        try:
            wait_for(lambda: not self.box.pids(), "the pool is down", _DOWN)
        except AssertionError:  # the box ends it; groups of its jobs may be left in hierarchies of version 1
            print(f"condor_py: not down after {_DOWN} seconds", file=sys.stderr, flush=True)


class BareLoop(Peer):
    """A loop that starts one job after the other."""

    name = "bare loop"
    transfers = True
    queues = False

    def prepare(self) -> None:
        (self.box.work / "in").write_bytes(bytes(TRANSFERRED))

    def submit(self, work: Work) -> None:
        source = f"INPUT={self.box.work}/in " if work.transfer else ""
        words = [sys.executable, "-I", "-S", str(_HERE / "bare_loop.py"), str(work.jobs), *work.words]
        self.box.run(source + quoted(words))


class Parallel(Peer):
    """GNU parallel, with its log of jobs."""

    name = "GNU parallel"
    needs = ("parallel",)
    source = "apt: parallel"
    queues = False

    def submit(self, work: Work) -> None:
        command = f"parallel --will-cite -N0 -j{self.slots} --joblog {work.name}.log {shlex.quote(quoted(work.words))}"
        self.box.run(f"seq {work.jobs} | HOME={self.box.work} {command}")


class TaskSpooler(Peer):
    """task-spooler, whose command takes one job at a time."""

    name = "task-spooler"
    needs = ("tsp",)
    source = "apt: task-spooler"

    def prepare(self) -> None:
        self._given = 0
        limits = f"TS_SLOTS={self.slots} TS_MAXFINISHED=1000000 TS_MAXCONN=1000"
        self.box.run(f"export TMPDIR={self.box.work} TS_SOCKET={self.box.work}/socket {limits}")

    def submit(self, work: Work) -> None:
        self.box.run(f"i=0; while [ $i -lt {work.jobs} ]; do tsp -n {quoted(work.words)}; i=$((i+1)); done")
        self._given += work.jobs

    def wait(self, work: Work) -> None:
        last = range(max(self._given - self.slots, 0), self._given)  # they number jobs from 0, and start them in order
        self.box.run("; ".join(f"tsp -w {number}" for number in last), limit=_LIMIT)


class HyperQueue(Peer):
    """HyperQueue: its program ``hq`` where it is installed, else its Python package, where server, worker and client
    are one process (the start of the client's interpreter is not counted then)."""

    name = "HyperQueue"
    source = "pip: hyperqueue"

    @classmethod
    def missing(cls) -> str:
        if program_path("hq") is not None:
            return ""
        done = subprocess.run([sys.executable, "-c", "import hyperqueue"], capture_output=True, check=False)
        return f"not installed ({cls.source})" if done.returncode else ""

    def prepare(self) -> None:
        self._hq = program_path("hq")
        (self.box.work / "server").mkdir()
        self.box.run(f"export HOME={self.box.work}")

    def start(self) -> None:
        if self._hq is None:
            words = [sys.executable, str(_HERE / "peer_hyperqueue.py"), "-serve", f"{self.box.work}/server"]
            self.box.run(f"mkfifo orders; {quoted([*words, str(self.slots)])} <>orders >log 2>&1 &")
            return
        self.box.run(f"{self._hq} server start >log 2>&1 &")
        self.box.run(until(f"{self._hq} server info >tried 2>&1"))
        self.box.run(f"{self._hq} worker start --cpus {self.slots} >log2 2>&1 &")

    def submit(self, work: Work) -> None:
        if self._hq is None:
            order = {"jobs": work.jobs, "words": work.words, "done": str(self.box.work / f"{work.name}.done")}
            self.box.run(f"echo {shlex.quote(json.dumps(order))} >orders")
            return
        array = f"{self._hq} submit --array 1-{work.jobs} --stdout none --stderr none --wait {quoted(work.words)}"
        self.box.run(f"(cd {self.box.work}; {array}; touch {work.name}.done) >{work.name}.said 2>&1 &")

    def wait(self, work: Work) -> None:
        wait_for((self.box.work / f"{work.name}.done").exists, f"{work.name} has ended", _LIMIT)


_SLURM = (
    LINES
    + """\
JobCompType=jobcomp/filetxt
JobCompLoc={top}/ended
SchedulerParameters=batch_sched_delay=0
MaxArraySize=100001
MaxJobCount=200000
NodeName={host} NodeAddr=127.0.0.1 CPUs={slots} RealMemory=1000000 State=UNKNOWN
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""
)


class Slurm(Peer):
    """Slurm of one machine: controller, node daemon and munge, with a log of ended jobs. Work is an array of jobs."""

    name = "Slurm"
    needs = ("munged", "slurmctld", "slurmd", "sbatch", "sinfo")
    source = "apt: slurm-wlm"

    def prepare(self) -> None:
        top = self.box.work
        for directory in ("state", "spool"):
            (top / directory).mkdir()
        (top / "munge.key").write_bytes(os.urandom(1024))
        (top / "munge.key").chmod(0o600)
        ports = {"port": free_port(), "node_port": free_port()}
        host = socket.gethostname().partition(".")[0]
        (top / "slurm.conf").write_text(_SLURM.format(host=host, top=top, slots=self.slots, **ports))
        (top / "ended").touch()
        self._before: dict[str, int] = {}
        self.box.run(f"export PATH={_PLACES} SLURM_CONF={top}/slurm.conf")

    def start(self) -> None:
        files = {"key-file": "key", "socket": "socket", "pid-file": "pid", "log-file": "log", "seed-file": "seed"}
        words = " ".join(f"--{name}={self.box.work}/munge.{end}" for name, end in files.items())
        self.box.run(f"munged --force {words} >said 2>&1 && slurmctld >>said 2>&1 && slurmd >>said 2>&1")

    def submit(self, work: Work) -> None:
        self._before[work.name] = self._ended()
        array = f"--array=0-{work.jobs - 1} -o /dev/null -e /dev/null --wrap {shlex.quote(quoted(work.words))}"
        self.box.run(until(f"sbatch {array} >said 2>&1"))

    def wait(self, work: Work) -> None:
        wait_for(lambda: self._ended() - self._before[work.name] >= work.jobs, f"{work.name} has ended", _LIMIT)

    def _ended(self) -> int:
        return (self.box.work / "ended").read_bytes().count(b"\n")


class Gflow(Peer):
    """gflow: a daemon that starts each job in a session of tmux, about one a second. It has no limit for jobs without
    GPUs, so each array has one."""

    name = "gflow"
    needs = ("gflowd", "gbatch", "gqueue", "tmux")
    source = "apt: tmux, pip: runqd"
    most = 20

    def prepare(self) -> None:
        places = self.box.work / ".config" / "gflow"  # what its jobs run finds it only there
        places.mkdir(parents=True)
        (places / "gflow.toml").write_text(f'[daemon]\nhost = "127.0.0.1"\nport = {free_port()}\n')
        path = f"PATH={Path(sys.executable).parent}:$PATH"
        (self.box.work / ".profile").write_text(f"{path}\n")  # the shells of tmux read it
        settings = f"{path} HOME={self.box.work} TMUX_TMPDIR={self.box.work}"
        self.box.run(f"export GFLOW_DISABLE_DEV_AUTO=1 {settings} SHELL=/bin/sh")

    def start(self) -> None:
        self.box.run("gflowd up >said 2>&1", limit=60)

    def submit(self, work: Work) -> None:
        script = self.box.work / f"{work.name}.sh"
        script.write_text(f"#!/bin/sh\nexec {quoted(work.words)}\n")
        script.chmod(0o755)
        array = f"--array 1-{work.jobs} --max-concurrent {self.slots} --auto-close --name {work.name}"
        self.box.run(until(f"gbatch {array} {script} >said 2>&1"))

    def wait(self, work: Work) -> None:
        command = "gqueue -s Queued,Running -f JOBID -o csv"
        wait_for(lambda: not any(map(str.isdigit, self.box.run(command))), f"{work.name} has ended", _LIMIT)


_HTCONDOR = """\
use ROLE: CentralManager
use ROLE: Submit
use ROLE: Execute
CONDOR_HOST = 127.0.0.1
COLLECTOR_HOST = 127.0.0.1:{port}
SHARED_PORT_PORT = {port}
NETWORK_INTERFACE = 127.0.0.1
use SECURITY: HOST_BASED
ALLOW_READ = *
ALLOW_WRITE = *
ALLOW_DAEMON = *
NUM_CPUS = {slots}
MEMORY = {memory}
MOUNT_UNDER_SCRATCH =
MAX_JOBS_PER_SUBMISSION = 10000000
MAX_JOBS_PER_OWNER = 10000000
"""
#: What is installed into the root, and the account that submits there.
_PACKAGE, _ACCOUNT = "htcondor", "alice"


class HTCondor(Peer):
    """Debian's package of HTCondor, in its own root. It finds no control groups there, and uses none. Its jobs are
    those of an ordinary account, as it takes none of root's."""

    name = "HTCondor"
    transfers = True

    @classmethod
    def missing(cls) -> str:
        cache = os.environ.get("BENCH_CACHE")
        if not cache:
            return "needs -cache DIR (a Debian root)"
        if not (Path(cache) / _PACKAGE / "made").exists() and shutil.which("debootstrap", path=_PLACES) is None:
            return "not installed (apt: debootstrap)"
        return ""

    @classmethod
    def root(cls) -> Path:
        root = Path(os.environ["BENCH_CACHE"]).resolve() / _PACKAGE
        if not (root / "made").exists():
            make_root(root)
        return root

    def prepare(self) -> None:
        config = _HTCONDOR.format(port=free_port(), slots=self.slots, memory=_MEMORY)
        self.box.run(f"cat >/etc/condor/config.d/99-bench <<'END'\n{config}END")
        (self.box.work / "in").write_bytes(bytes(TRANSFERRED))
        (self.box.work / "copies").mkdir()
        self.box.run(f"cd {self.box.work}; chown -R {_ACCOUNT} .; export PATH={_PLACES}")

    def start(self) -> None:
        self.box.run("condor_master >/dev/null 2>&1")

    def tool(self, command: str) -> str:
        """Return what a command of the account prints."""
        return self.box.run(f"su {_ACCOUNT} -c {shlex.quote(command)} 2>&1")

    def submit(self, work: Work) -> None:
        (self.box.work / f"{work.name}.sub").write_text(description(work))
        self.submit_file(f"{work.name}.sub")

    def submit_file(self, name: str) -> None:
        """Submit a description, as soon as the daemons take it."""
        self.tool(until(f"condor_submit {name}"))

    def wait(self, work: Work) -> None:
        wait_for_lines(self.box.work / f"{work.name}.log", _ENDED, work.jobs, f"{work.name} has ended")


def make_root(root: Path) -> None:
    """Make a Debian root with HTCondor's package. OSError or subprocess.SubprocessError when that fails."""
    print(f"table: making a Debian root with {_PACKAGE} in {root}", file=sys.stderr, flush=True)
    shutil.rmtree(root, ignore_errors=True)
    root.parent.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}

    def call(*words: str) -> None:
        subprocess.run(words, check=True, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    call("debootstrap", "--variant=minbase", "--include=ca-certificates", "trixie", str(root))
    policy = root / "usr/sbin/policy-rc.d"  # no service of a package is started
    policy.write_text("#!/bin/sh\nexit 101\n")
    policy.chmod(0o755)
    call("chroot", str(root), "apt-get", "update")
    call("chroot", str(root), "apt-get", "install", "-y", "--no-install-recommends", _PACKAGE)
    call("chroot", str(root), "useradd", "-m", "-s", "/bin/sh", _ACCOUNT)
    (root / "made").touch()


#: Ours first; then in the order of the table.
PEERS: tuple[type[Peer], ...] = (Ours, BareLoop, HyperQueue, Parallel, TaskSpooler, Slurm, Gflow, HTCondor)


@dataclass
class Company:
    """Ours and its peers, started; ``absent`` maps the names of the others to why they are not here."""

    here: list[Peer] = field(default_factory=list)
    absent: dict[str, str] = field(default_factory=dict)

    def attempt(self, peer: Peer, action: Callable[[], T]) -> T | None:
        """Return what an action of a peer gives. A peer that fails is left out from then on, and None returned; the
        failure of ours is raised."""
        try:
            return action()
        except FAILURES as error:
            if isinstance(peer, Ours):
                raise
            self.leave_out(peer.name, error)
            return None

    def at_once(self, action: Callable[[Peer], T]) -> dict[str, T]:
        """Return what an action gives for each peer, by name; all of them run at the same time."""
        with ThreadPoolExecutor(max(1, len(self.here))) as threads:
            begun = [(peer, threads.submit(action, peer)) for peer in self.here]
        found = {}
        for peer, run in begun:
            result = self.attempt(peer, lambda run=run: (run.result(),))
            if result is not None:
                found[peer.name] = result[0]
        return found

    def leave_out(self, name: str, reason: object) -> None:
        """Go on without a peer that has failed."""
        print(f"{name}: {reason}", file=sys.stderr, flush=True)
        self.here = [one for one in self.here if one.name != name]
        self.absent[name] = "failed"


def chosen_peers(kinds: Sequence[type[Peer]], company: Company) -> Iterator[type[Peer]]:
    """Yield the peers that can run here, and that ``BENCH_PEERS`` names where it is set; note the others."""
    named = os.environ.get("BENCH_PEERS", "").lower().split(",")
    for kind in kinds:
        if kind is not Ours and any(named) and not any(name and name in kind.name.lower() for name in named):
            continue
        reason = kind.missing()
        if reason:
            company.absent[kind.name] = reason
        else:
            yield kind


@contextmanager
def company_of(slots: int, kinds: Sequence[type[Peer]] = PEERS, *, start: bool = True) -> Iterator[Company]:
    """Yield ours and its peers, each in a box; prepared, and started if ``start``. All of them end afterwards."""
    company = Company()
    with ExitStack() as stack:
        for kind in chosen_peers(kinds, company):
            try:
                label = "".join(filter(str.isalnum, kind.name.lower()))
                peer = kind(stack.enter_context(Box(label, root=kind.root())), slots)
                peer.prepare()
                company.here.append(peer)
                stack.callback(peer.stop)
                if start:
                    peer.start()
            except FAILURES as error:
                if kind is Ours:
                    raise
                company.leave_out(kind.name, error)
        yield company


def boxes_missing() -> str:
    """Why no boxes can be made here; empty where they can."""
    return boxes.missing()
