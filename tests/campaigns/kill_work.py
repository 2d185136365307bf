"""The kinds of work that the campaign ``kills`` gives to a pool, and what of each must be there in the end.

A ``Kind`` says what it needs of the machine, sets the knobs of a pool, and submits batches. A ``Batch`` is what one
submit has brought: the jobs that the command has told of, and the files that they write. Every program says first, in
the file ``ran``, which job it is of, so that a run which no event tells of is found.
"""

from __future__ import annotations

import getpass
import http.client
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

import containers
import slurm_engine
from pool import MAIN, PersonalPool, of_processes

from condor_py.lang.classad import ClassAd
from condor_py.model.states import HoldCode

#: A job that somebody kills, or whose program fails because somebody killed a part of it, runs again.
_AGAIN = """on_exit_remove = ExitBySignal =?= false && ExitCode =?= 0
My.DisableCoolDown = true
request_memory = 20
request_disk = 1000
"""
#: Seconds between two trials of an engine of containers.
_TRIED_AGAIN = 5.0
#: The size of the files that jobs get and give.
_BYTES = 100_000


@dataclass
class Batch:
    """Jobs of one submit. ``jobs``: what the command has told of; ``log`` and ``ran`` are in the work directory, and
    so is what begins with ``name``."""

    kind: Kind
    name: str
    work: Path
    jobs: set[str] = field(default_factory=set)
    is_over: bool = False

    @property
    def log(self) -> Path:
        """The event log of its jobs."""
        return self.work / f"{self.name}.log"

    @property
    def ran(self) -> Path:
        """What the programs say when they begin."""
        return self.work / f"{self.name}.ran"

    def live(self) -> int:
        """How many jobs have not ended by their log."""
        if self.is_over or not self.jobs:
            return 0
        ended = self.log.read_text(errors="replace").count("\n005 (") if self.log.exists() else 0
        left = max(0, len(self.jobs) - ended)
        self.is_over = left == 0
        return left

    def file(self, ending: str, job: str = "") -> Path:
        """A file of the batch, or of one of its jobs."""
        return self.work / (f"{self.name}.{job}.{ending}" if job else f"{self.name}.{ending}")


@dataclass(frozen=True)
class Said:
    """What a command printed; ``was_killed`` when it took longer than it was given."""

    code: int
    out: str
    complaint: str
    was_killed: bool


def command(pool: PersonalPool, words: list[str], patience: float | None) -> Said:
    """Runs a tool of the pool, and kills it after so many seconds."""
    tool = subprocess.Popen(
        [sys.executable, "-I", "-S", str(MAIN), *words], env=pool.environment, cwd=pool.work,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        out, complaint = tool.communicate(timeout=patience or 120)
        return Said(tool.returncode, out, complaint, False)
    except subprocess.TimeoutExpired:
        tool.kill()
        out, complaint = tool.communicate()
        return Said(tool.returncode, out, complaint, patience is not None and tool.returncode == -9)


class Kind:
    """One kind of work: plain vanilla jobs, unless a class below says otherwise."""

    name = "vanilla"
    #: Jobs of one batch, and how many of the batches of a round there are of it at most at a time.
    count = 12
    #: Words of condor_submit.
    options: tuple[str, ...] = ()
    #: Whether its command fails where there is no schedd.
    needs_schedd = False
    #: Whether the kind has jobs of its own, and not only programs that run beside those of others.
    has_jobs = True

    def why_not(self) -> str:
        """What this machine lacks for it; empty when it can run."""
        return ""

    def prepare(self, pool: PersonalPool) -> None:
        """Sets knobs and writes programs before the pool starts."""

    def close(self) -> None:
        """Ends what ``prepare`` has started beside the pool."""

    def lines(self, batch: Batch) -> str:
        """The lines of the description that make the kind."""
        script = f"echo $(ClusterId).$(ProcId) >> {batch.ran}; (setsid sleep 30 &); echo begun; sleep 0.$(ProcId)5"
        return f"arguments = \"-c '{script}; sleep 0.6 && echo ended'\"\nshould_transfer_files = no\n"

    def description(self, batch: Batch) -> str:
        """The whole description."""
        output = f"{batch.name}.$(ClusterId).$(ProcId).out"
        head = f"executable = /bin/sh\nlog = {batch.log.name}\noutput = {output}\n{_AGAIN}"
        return f"{head}{self.lines(batch)}queue {self.count}\n"

    def submit(self, pool: PersonalPool, name: str, patience: float | None = None) -> tuple[Batch, Said]:
        """Submits a batch; the command is killed after ``patience`` seconds."""
        batch = Batch(self, name, pool.work)
        batch.file("sub").write_text(self.description(batch))
        said = command(pool, ["condor_submit", "-terse", *self.options, batch.file("sub").name], patience)
        batch.jobs = self.acknowledged(said)
        return batch, said

    def acknowledged(self, said: Said) -> set[str]:
        """The jobs that the command has told of: a line of it is whole."""
        found = re.search(r"^(\d+)\.0 - \1\.(\d+)\n", said.out, re.MULTILINE)
        return {f"{found[1]}.{proc}" for proc in range(int(found[2]) + 1)} if found else set()

    def collect(self, pool: PersonalPool, batches: list[Batch], queue: dict[str, ClassAd]) -> list[str]:
        """Does what jobs that have ended wait for; what was wrong with that."""
        return []

    def is_held_by_a_kill(self, ad: ClassAd) -> bool:
        """Whether a held job of the pool is held for what somebody killed; the user releases it."""
        return False

    def wrong(self, batch: Batch, job: str) -> str:
        """What is wrong with the output of a job that has ended well; empty when nothing is."""
        return differs(batch.file("out", job), "begun\nended\n")

    def all_wrong(self, batch: Batch, ended: dict[str, dict[str, str]]) -> list[str]:
        """What is wrong with a batch as a whole. ``ended``: attributes from the history by job."""
        return []

    def still_wrong(self, pool: PersonalPool) -> str:
        """What is wrong with what runs beside the jobs, after the kills; asked until it is empty."""
        return ""

    def rest(self, is_resting: bool) -> None:
        """Lets what runs beside the jobs rest, or go on."""

    def strike(self, mark: str) -> str:
        """Kills what does the work beside the pool; its name, or nothing when it was not there. ``mark`` is another
        word each time."""
        return ""

    def traces(self, pool: PersonalPool) -> list[str]:
        """What jobs of the kind have left beside the pool."""
        return []


def differs(path: Path, wanted: str) -> str:
    """How a file differs from what it should be; empty when it does not."""
    try:
        found = path.read_text()
    except OSError as error:
        return f"{path.name}: {error.strerror}"
    return "" if found == wanted else f"{path.name} has {len(found)} bytes {found[:60]!r}, not {len(wanted)}"


class Transfer(Kind):
    """Files go to the job and come back."""

    name = "transfer"
    count = 8
    transfer = "should_transfer_files = yes\nwhen_to_transfer_output = on_success\nMy.JobSuccessExitCode = 0\n"
    shell = "/bin/sh"

    def __init__(self) -> None:
        self._given = "".join(f"line {number} of what a job gets\n" for number in range(_BYTES // 32))

    def prepare(self, pool: PersonalPool) -> None:
        (pool.work / "given").write_text(self._given)
        pool.script(f"{self.name}.sh", self.script(), self.shell)

    def script(self) -> str:
        """Lines of the program: its arguments are the job and the file ``ran``."""
        return (
            'set -e\necho $1 >> "$2"\n[ ! -e made ]\ncat given given > made.new\nsleep 0.8\nmv made.new made\n'
            "mkdir deep\ncp made deep/made\ncat given\necho ended\n"
        )

    def lines(self, batch: Batch) -> str:
        mine = f"{batch.name}.$(ClusterId).$(ProcId)"
        return (
            f"executable = {self.name}.sh\narguments = $(ClusterId).$(ProcId) {batch.ran}\n"
            f"{self.transfer}transfer_input_files = given\n"
            f'transfer_output_files = made, deep\ntransfer_output_remaps = "made={mine}.made;deep={mine}.deep"\n'
        )

    def wrong(self, batch: Batch, job: str) -> str:
        twice = self._given * 2
        return (
            differs(batch.file("out", job), f"{self._given}ended\n")
            or differs(batch.file("made", job), twice)
            or differs(batch.file("deep", job) / "made", twice)
        )


class Checkpoint(Transfer):
    """Jobs that save themselves after each of their steps, and continue from there."""

    name = "checkpoint"
    count = 6

    def script(self) -> str:
        return (
            'set -e\nn=0; [ ! -f state ] || n=$(cat state)\n[ -e begun ] || { : > begun; echo $1 >> "$2"; }\n'
            'echo $1 $n >> "$2.steps"\nsleep 0.3\nn=$((n+1)); echo $n > state.new; mv state.new state\necho step $n\n'
            "[ $n -ge 4 ] || exit 85\nexit 0\n"
        )

    def lines(self, batch: Batch) -> str:
        return (
            f"executable = {self.name}.sh\narguments = $(ClusterId).$(ProcId) {batch.ran}\n{self.transfer}"
            "checkpoint_exit_code = 85\ntransfer_checkpoint_files = state\n"
        )

    def wrong(self, batch: Batch, job: str) -> str:
        steps = batch.ran.with_name(f"{batch.ran.name}.steps").read_text().splitlines()
        begun = [int(line.split()[1]) for line in steps if line.split()[0] == job]
        if begun != sorted(begun):
            return f"begins at steps {begun}: what was saved is lost"
        return differs(batch.file("out", job), "step 1\nstep 2\nstep 3\nstep 4\n")


class Factory(Kind):
    """Late materialization."""

    name = "factory"
    count = 30

    def lines(self, batch: Batch) -> str:
        script = f"echo $(ClusterId).$(ProcId) >> {batch.ran}; echo begun; sleep 0.4 && echo ended"
        return f"arguments = \"-c '{script}'\"\nshould_transfer_files = no\nmax_materialize = 8\n"


class Local(Kind):
    """The local universe."""

    name = "local"
    count = 3

    def lines(self, batch: Batch) -> str:
        return f"universe = {self.name}\n{super().lines(batch)}"


class Scheduler(Local):
    """The scheduler universe."""

    name = "scheduler"


class Spool(Transfer):
    """Jobs whose files travel with them, in both directions."""

    name = "spool"
    count = 4
    needs_schedd = True
    options: tuple[str, ...] = ("-spool",)

    def acknowledged(self, said: Said) -> set[str]:
        """The line comes before the files travel: that they have arrived is told by the exit status."""
        return set() if said.code else super().acknowledged(said)

    def collect(self, pool: PersonalPool, batches: list[Batch], queue: dict[str, ClassAd]) -> list[str]:
        """Fetches the output of those that have ended; those that the command has not told of and whose files have not
        all arrived are removed."""
        told = set().union(*(batch.jobs for batch in batches))
        wrong = []
        for job, ad in queue.items():
            status, code = ad.eval_int("JobStatus", 0), ad.eval_int("HoldReasonCode", 0)
            if (status, code) == (5, 16) and job in told:
                wrong.append(f"{job} was told of, and waits for its files")
            if (status, code) == (5, 16):
                pool.tool("condor_rm", job, check=False)
            elif status == 4 and ad.text("SUBMIT_Iwd") is not None:
                said = command(pool, ["condor_transfer_data", job], None)
                if said.code and "is gone: its files were fetched" not in said.complaint:
                    wrong.append(f"condor_transfer_data {job} exits with {said.code}: {said.complaint.strip()[-300:]}")
        return wrong


class Parallel(Kind):
    """Jobs of two nodes."""

    name = "parallel"
    count = 1

    def lines(self, batch: Batch) -> str:
        begin = f"[ $_CONDOR_PROCNO = 1 ] || echo $(ClusterId).$(ProcId) >> {batch.ran}"
        script = f"{begin}; echo begun; sleep 0.8 && echo ended"
        return f"universe = parallel\nmachine_count = 2\narguments = \"-c '{script}'\"\nshould_transfer_files = no\n"


class Dag(Kind):
    """DAGs of seven nodes, with a script before and one after a node."""

    name = "dag"
    count = 1
    nodes = "ABCDEFG"

    def prepare(self, pool: PersonalPool) -> None:
        pool.knob("DAGMAN_AVOID_SLASH_TMP", "false")

    def submit(self, pool: PersonalPool, name: str, patience: float | None = None) -> tuple[Batch, Said]:
        batch = DagBatch(self, name, pool.work)
        script = f"echo $(ClusterId).$(ProcId) >> {batch.ran}; echo begun; sleep 0.3 && echo ended"
        batch.file("sub").write_text(
            f"executable = /bin/sh\nlog = {batch.nodes_log.name}\noutput = {name}.$(ClusterId).$(ProcId).out\n"
            f"{_AGAIN}arguments = \"-c '{script}'\"\nshould_transfer_files = no\nqueue\n"
        )
        jobs = "".join(f"JOB {node} {name}.sub\n" for node in self.nodes)
        edges = "PARENT A CHILD B C D\nPARENT B C CHILD E F\nPARENT D E F CHILD G\n"
        # a script that is killed fails its node
        scripts = "SCRIPT PRE B /bin/sleep 0.2\nSCRIPT POST E /bin/sh -c true\nRETRY B 99\nRETRY E 99\n"
        batch.file("dag").write_text(jobs + edges + scripts)
        words = ["condor_submit_dag", "-append", "My.DisableCoolDown = true", f"{name}.dag"]
        said = command(pool, words, patience)
        found = re.search(r"submitted to cluster (\d+)\.\n", said.out)
        batch.jobs = {f"{found[1]}.0"} if found else set()
        return batch, said

    def all_wrong(self, batch: Batch, ended: dict[str, dict[str, str]]) -> list[str]:
        manager = next((ad for ad in ended.values() if ad["JobUniverse"] == "7"), None)
        if manager is None:
            return []  # that it is missing is told by those who count jobs
        if manager.get("ExitCode") != "0":
            return [f"{batch.name}.dag ends with {manager.get('ExitCode')}"]
        done = Counter(ad.get("DAGNodeName", "?").strip('"') for ad in ended.values() if ad is not manager)
        told = batch.file("dag.dagman.out").read_text(errors="replace")
        again = len(re.findall(r"POST Script of node E died on signal 9", told))
        tries = done["E"]
        is_right = 1 <= tries <= 1 + again and done == Counter(self.nodes) + Counter(E=tries - 1)
        return [] if is_right else [f"{batch.name}.dag: the nodes of its jobs are {dict(done)}"]

    def wrong(self, batch: Batch, job: str) -> str:
        return "" if job in batch.jobs or not batch.ran.exists() or job not in batch.ran.read_text().split() else (
            differs(batch.file("out", job), "begun\nended\n")
        )  # fmt: skip


class DagBatch(Batch):
    """A DAG: its own job has the log, its nodes have another one."""

    @property
    def log(self) -> Path:
        return self.work / f"{self.name}.dag.dagman.log"

    @property
    def nodes_log(self) -> Path:
        """The event log of the jobs of nodes."""
        return self.work / f"{self.name}.log"


class Hooks(Transfer):
    """Jobs with hooks: one prepares them, one hears of their end."""

    name = "hooks"
    count = 6

    def prepare(self, pool: PersonalPool) -> None:
        super().prepare(pool)
        text = "cat > /dev/null\necho prepared > hooked\nsleep 0.1\n"
        pool.knob("KILLS_HOOK_PREPARE_JOB", pool.script("hook_prepare", text))
        pool.knob("KILLS_HOOK_UPDATE_JOB_INFO", pool.script("hook_update", "cat > /dev/null\n"))
        pool.knob("KILLS_HOOK_JOB_EXIT", pool.script("hook_exit", "cat > /dev/null\nsleep 0.1\n"))

    def script(self) -> str:
        return f"grep -q prepared hooked || exit 9\n{super().script()}"

    def lines(self, batch: Batch) -> str:
        return f'{super().lines(batch)}+HookKeyword = "kills"\n'

    def is_held_by_a_kill(self, ad: ClassAd) -> bool:
        """A program of the preparing hook was killed: its shell says so."""
        held = ad.eval_int("HoldReasonCode", 0), ad.eval_int("HoldReasonSubCode", 0)
        return held == (HoldCode.HOOK_PREPARE_JOB_FAILURE, 128 + signal.SIGKILL)


class Cron(Kind):
    """Programs of the startd and the schedd that run every second."""

    name = "cron"
    has_jobs = False

    def prepare(self, pool: PersonalPool) -> None:
        self._beats = {daemon: pool.work / f"{daemon}.beat" for daemon in ("STARTD", "SCHEDD")}
        for daemon, beat in self._beats.items():
            pool.knob(f"{daemon}_CRON_JOBLIST", "BEAT")
            text = f"echo Beat = $(date +%s)\ntouch {beat}\nsleep 0.2\n"
            pool.knob(f"{daemon}_CRON_BEAT_EXECUTABLE", pool.script(f"{daemon}.beat.sh", text))
            pool.knob(f"{daemon}_CRON_BEAT_PERIOD", "1s")

    def still_wrong(self, pool: PersonalPool) -> str:
        late = [
            name for name, beat in self._beats.items() if not beat.exists() or time.time() - beat.stat().st_mtime > 4
        ]
        return f"programs of {' and '.join(late)}_CRON_JOBLIST do not run any more" if late else ""


class Web(Kind):
    """The pages for browsers."""

    name = "web"
    has_jobs = False

    def why_not(self) -> str:
        missing = [name for name in ("jinja2", "starlette", "uvicorn") if find_spec(name) is None]
        return f"there is no module {missing[0]}" if missing else ""

    def prepare(self, pool: PersonalPool) -> None:
        pool.knob("DAEMON_LIST", "MASTER SCHEDD NEGOTIATOR STARTD WEB")
        pool.knob("WEB_PORT", "0")

    def still_wrong(self, pool: PersonalPool) -> str:
        ports = re.findall(r"Serving the pages at http://127\.0\.0\.1:(\d+)", (pool.log / "WebLog").read_text())
        if not ports:
            return "condor_web serves nothing"
        connection = http.client.HTTPConnection("127.0.0.1", int(ports[-1]), timeout=5)
        try:
            connection.request("GET", "/")
            answer = connection.getresponse()
            return "" if answer.status < 500 else f"condor_web answers with {answer.status}"
        except OSError as error:
            return f"condor_web does not answer: {error}"
        finally:
            connection.close()


class Fetch(Kind):
    """Work that a hook of the startd fetches for a slot of its own, again and again."""

    name = "fetch"
    has_jobs = False

    def prepare(self, pool: PersonalPool) -> None:
        self._ran, place = pool.work / "fetch.ran", pool.work / "fetched"
        self._pause = pool.work / "fetch.pause"
        place.mkdir()
        owner = getpass.getuser()
        text = f"""cat > /dev/null
[ ! -e {self._pause} ] || exit 0
n=$(date +%s%N)
echo 'Cmd = "/bin/sh"'
echo "Arguments = \\"-c 'echo $n >> {self._ran}; sleep 0.5'\\""
echo 'Owner = "{owner}"'
echo 'User = "{owner}@example.net"'
echo 'JobUniverse = 5'
echo 'Iwd = "{place}"'
echo "StarterUserLog = \\"$n\\""
"""
        for name, value in {
            "SLOT_TYPE_1": "cpus=14, memory=90%", "NUM_SLOTS_TYPE_1": "1", "SLOT_TYPE_1_PARTITIONABLE": "true",
            "SLOT_TYPE_2": "cpus=1, memory=5%", "NUM_SLOTS_TYPE_2": "1", "SLOT_TYPE_2_PARTITIONABLE": "false",
            "SLOT2_JOB_HOOK_KEYWORD": "FETCHED", "FetchWorkDelay": "1",
            "FETCHED_HOOK_FETCH_WORK": str(pool.script("fetch.sh", text)),
        }.items():  # fmt: skip
            pool.knob(name, value)

    def rest(self, is_resting: bool) -> None:
        self._pause.touch() if is_resting else self._pause.unlink(missing_ok=True)

    def still_wrong(self, pool: PersonalPool) -> str:
        if not self._ran.exists() or time.time() - self._ran.stat().st_mtime > 15:
            return "no work is fetched any more"
        return ""


class Docker(Transfer):
    """The docker universe, with podman and a store of its own."""

    name = "docker"
    count = 3
    shell = "/bin/sh"

    def why_not(self) -> str:
        return containers.why_not()

    def prepare(self, pool: PersonalPool) -> None:
        super().prepare(pool)
        self._pool = pool
        self._tried = 0.0
        self._top = pool.directory / "engine"
        self._top.mkdir(mode=0o755)
        self.engine = containers.make_engine(self._top)
        shared = pool.directory / "shared"
        shared.mkdir(mode=0o777)
        shared.chmod(0o777)
        for name, value in {
            "DOCKER": self.engine,
            "DOCKER_TRUST_LOCAL_IMAGES": "true",
            "DOCKER_EXTRA_ARGUMENTS": containers.LIMITS,
            "DOCKER_VOLUMES": "RAN",
            "DOCKER_MOUNT_VOLUMES": "RAN",
            "DOCKER_VOLUME_DIR_RAN": f"{pool.work}:{pool.work}:rw",
        }.items():
            pool.knob(name, value)

    def collect(self, pool: PersonalPool, batches: list[Batch], queue: dict[str, ClassAd]) -> list[str]:
        """Lets the startd try its engine again, which it does later and later by itself."""
        told = set().union(*(batch.jobs for batch in batches))
        waits = any(job in told and ad.eval_int("JobStatus", 0) == 1 for job, ad in queue.items())
        if waits and time.monotonic() - self._tried > _TRIED_AGAIN:
            self._tried = time.monotonic()
            pool.tool("condor_reconfig", "-daemon", "startd", check=False)
        return []

    def rest(self, is_resting: bool) -> None:
        """The next trial of the engine removes what one has left that was killed."""
        if is_resting:
            self._pool.tool("condor_reconfig", "-daemon", "startd", check=False)

    def close(self) -> None:
        if hasattr(self, "engine"):
            containers.remove_engine(self.engine)

    def lines(self, batch: Batch) -> str:
        return (
            f"{super().lines(batch)}universe = docker\ndocker_image = {containers.IMAGE}\ndocker_network_type = none\n"
        )

    def is_held_by_a_kill(self, ad: ClassAd) -> bool:
        """The engine was killed between making the container and starting it, and has no word about that."""
        return "did not start its container" in ad.eval_str("HoldReason", "")

    def traces(self, pool: PersonalPool) -> list[str]:
        asked = {"container": ("ps", "--all", "--format", "{{.Names}} {{.State}}"),
                 "image": ("images", "--format", "{{.Repository}}")}  # fmt: skip
        found: list[str] = []
        for what, words in asked.items():
            said = subprocess.run([self.engine, *words], capture_output=True, text=True, check=False)
            lines = said.stdout.splitlines() or [said.stderr] * bool(said.returncode)
            found += [f"{what} {line}" for line in lines if line != containers.IMAGE]
        return found


class Slurm(Kind):
    """The grid universe, with a Slurm of its own."""

    name = "slurm"
    count = 4
    #: Whether the controller was killed in this round.
    _forgets = False

    def why_not(self) -> str:
        missing = slurm_engine.missing()
        return f"there is no {' and no '.join(missing)}" if missing else "" if os.geteuid() == 0 else "it needs root"

    def prepare(self, pool: PersonalPool) -> None:
        self.engine = slurm_engine.Slurm(pool.directory.parent / "slurm")
        self.engine.start()
        pool.environment |= self.engine.environment
        pool.knob("GRIDMANAGER_JOB_PROBE_INTERVAL", "1")
        pool.knob("GRIDMANAGER_RESOURCE_PROBE_INTERVAL", "1")

    def close(self) -> None:
        if hasattr(self, "engine"):
            self.engine.stop()

    def strike(self, mark: str) -> str:
        if not self.engine.kill_controller(mark):
            return ""
        self._forgets = True
        return "slurmctld"

    def is_held_by_a_kill(self, ad: ClassAd) -> bool:
        """A controller that was killed has forgotten the jobs of its last seconds."""
        return self._forgets and "Job disappeared from the batch system" in ad.eval_str("HoldReason", "")

    def lines(self, batch: Batch) -> str:
        script = f"echo $(ClusterId).$(ProcId) >> {batch.ran}; echo begun; sleep 0.8 && echo ended"
        return (
            f"universe = grid\ngrid_resource = batch slurm\narguments = \"-c '{script}'\"\ntransfer_executable = no\n"
        )

    def collect(self, pool: PersonalPool, batches: list[Batch], queue: dict[str, ClassAd]) -> list[str]:
        """Lets the node take jobs again, where jobs wait."""
        if any(ad.eval_int("JobUniverse", 0) == 9 for ad in queue.values()):
            self.engine.resume()
        return []

    def rest(self, is_resting: bool) -> None:
        """A controller that was killed may think for ever that a job runs whose end it did not hear of."""
        self._forgets = False
        if is_resting:
            self.engine.tool("scancel", *self.engine.tool("squeue", "-h", "-o", "%i").split())

    def traces(self, pool: PersonalPool) -> list[str]:
        mark = f"SLURM_CONF={self.engine.top}/".encode()
        found = (pid for pid, data in of_processes("environ") if mark in data and b"SLURM_JOB_ID=" in data)
        return [f"process {pid} of a job of Slurm" for pid in found]


#: Every kind, in the order in which they are told of.
KINDS: dict[str, Callable[[], Kind]] = {
    made.name: made
    for made in (
        Kind, Transfer, Checkpoint, Factory, Local, Scheduler, Dag, Spool, Parallel, Hooks, Cron, Web, Fetch,
        Docker, Slurm,
    )
}  # fmt: skip
