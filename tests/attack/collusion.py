"""Attacks by two accounts that work together: mallory, whose jobs they are, and eve, whose directories change.

An attack is a function of a ``Ring``; its text says what would be a success. The judge (collusion_judge.py) looks for
that, and for everything else that must never happen, after each of them.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from colluders import ACCOUNTS, EVE, MALLORY, VICTIM, AttackedPool
from hostile import VALUES
from pool import PATIENCE, Done, wait_for

from condor_py.model.ids import JobId
from condor_py.store.job_queue import JobQueue

_MAIN = Path(__file__).resolve().parents[2] / "condor_py" / "__main__.py"
_PROGRAMS = Path(__file__).resolve().parent / "collusion_programs.py"
#: Seconds that the jobs of an attack may take; what is left then is removed.
_PATIENCE = 8.0
#: Seconds after which a tool of theirs is ended.
_TOOL = 40.0
HEAD = "request_memory = 1\nrequest_disk = 1\nrequest_cpus = 1\n"
UNIVERSES = {
    "vanilla": "",
    "local": "universe = local\n",
    "scheduler": "universe = scheduler\n",
    "parallel": "universe = parallel\nmachine_count = 2\n",
    "container": "universe = container\ncontainer_image = docker://localhost/small\n",
    "grid": "universe = grid\ngrid_resource = batch slurm\n",
    "vm": "universe = vm\nvm_type = kvm\nvm_memory = 32\nvm_disk = disk.img:vda:w\ntransfer_input_files = disk.img\n",
}
#: Commands of a submit description that name a path, with what a job needs to use it.
PATHS = {
    "log": "log = @\n",
    "output": "output = @\n",
    "error": "error = @\n",
    "output of one that streams": "output = @\nstream_output = true\nshould_transfer_files = YES\n",
    "input": "input = @\noutput = got\n",
    "input that travels": "input = @\noutput = got\nshould_transfer_files = YES\n",
    "initialdir": "initialdir = @\noutput = got\n",
    "initialdir without transfer": "initialdir = @\nshould_transfer_files = NO\noutput = got\n",
    "executable": "executable = @\nshould_transfer_files = YES\n",
    "transfer_input_files": "transfer_input_files = @\nshould_transfer_files = YES\noutput = got\n",
    "input URL": "transfer_input_files = file://@\nshould_transfer_files = YES\noutput = got\n",
    "output remap": "transfer_output_files = out\ntransfer_output_remaps = \"out = @\"\nshould_transfer_files = YES\n",
    "output destination": "transfer_output_files = out\noutput_destination = file://@\nshould_transfer_files = YES\n",
    "checkpoint destination": "checkpoint_exit_code = 85\ntransfer_checkpoint_files = out\n"
    "checkpoint_destination = file://@\nshould_transfer_files = YES\n",
    "user log": "+UserLog = \"@\"\n",
    "Iwd": "+Iwd = \"@\"\noutput = got\n",
    "Cmd": "+Cmd = \"@\"\n",
    "In": "+In = \"@\"\noutput = got\n",
    "Out": "+Out = \"@\"\n",
    "Err": "+Err = \"@\"\n",
    "TransferInput": "+TransferInput = \"@\"\nshould_transfer_files = YES\noutput = got\n",
    "DAGMan's nodes log": "+DAGManNodesLog = \"@\"\n+DAGManNodesMask = \"0,1,2,4,5,9\"\n",
    "PreCmd": "+PreCmd = \"@\"\n+PostCmd = \"@\"\n",
    "proxy": "x509userproxy = @\n",
    "plugin": "transfer_plugins = zz=@\ntransfer_input_files = zz://x/y\nshould_transfer_files = YES\n",
    "tool daemon": "tool_daemon_cmd = @\ntool_daemon_output = @\n",
    "scratch mount": "+MountUnderScratch = \"@\"\n",
    "hook": "+HookKeyword = \"@\"\n",
    "manifest": "manifest = true\n+JobManifestDir = \"@\"\nshould_transfer_files = YES\n",
    "core": "coresize = 1\n+CoreFile = \"@\"\n",
    "OAuth service": "+OAuthServicesNeeded = \"@\"\nshould_transfer_files = YES\n",
    "container image": "+ContainerImage = \"@\"\n+WantContainer = true\n",
    "spooled output": "+SpooledOutputFiles = \"@\"\n",
    "job ad file": "+JobAdInformationAttrs = \"Owner\"\njob_ad_information_attrs = Owner\n+JobAdFile = \"@\"\n",
    "data catalog": "+CommonInputFiles = \"@\"\n+CommonInputCatalogs = \"my_common_files\"\n"
    "+_x_common_input_catalogs = \"a\"\nshould_transfer_files = YES\n",
}  # fmt: skip
#: What a job does in its scratch directory; PATH is where the trap leads, FLAG is a program that notes who runs it.
BODIES = (
    "cat; cat *; echo x >out",
    "cat; ln -s PATH out; sleep 1",
    "cat; rm -f _condor_stdout _condor_stderr .job.ad .machine.ad .chirp.config .update.ad; "
    "for n in _condor_stdout _condor_stderr .job.ad .machine.ad .chirp.config .update.ad out; do ln -s PATH $n; done",
    "mkdir out; ln -s PATH out/x; ln -s / out/root; ln PATH out/hard; chmod 4777 .; cp FLAG out/s; chmod 6777 out/s",
    "mkfifo out; (sleep 2; echo x >out) & sleep 0.2",
    "truncate -s 4T out; truncate -s 4T _condor_stdout",
    "cp FLAG condor_exec.exe; cp FLAG .job_wrapper_failure; cp FLAG out; exit 85",
    "mkdir out; i=0; while [ $i -lt 300 ]; do mkdir out/$i; cp FLAG out/$i/x; i=$((i+1)); done",
)
#: How ads and messages pretend to be another's.
PRETENCES = (
    ("Owner", '"victim"'), ("Owner", '"root"'), ("User", '"victim@example.net"'), ("OsUser", '"victim"'),
    ("OsUser", '"root"'), ("NTDomain", '"example.net"'), ("AcctGroupUser", '"victim"'), ("AcctGroup", '"root"'),
    ("AccountingGroup", '"victim@example.net"'), ("AccountingGroup", '"g.victim"'), ("x509userproxysubject", '"/CN=v"'),
    ("Submitter", '"victim@example.net"'), ("RemoteUser", '"victim@example.net"'), ("NiceUser", "true"),
    ("ClusterId", "1"), ("ProcId", "0"), ("GlobalJobId", '"x#1.0#1"'), ("JobStatus", "2"), ("JobStatus", "4"),
    ("ClaimId", '"<127.0.0.1:1>#1#1#x"'), ("RemoteHost", '"slot1@x"'), ("NumShadowStarts", "7"),
    ("HoldReasonCode", "16"), ("StageInStart", "1"), ("SUBMIT_Iwd", '"/"'), ("JobUniverse", "7"), ("JobUniverse", "12"),
    ("ShadowBday", "1"), ("ManagedManager", '"x"'), ("Managed", '"External"'), ("RunAsOwner", "false"),
    ("JobRunCount", "-1"), ("WantGracefulRemoval", "true"), ("KillSig", '"SIGKILL"'), ("JobNice", "-20"),
    ("OCUId", "1"), ("CumulativeSlotTime", "1e300"), ("JobLeaseDuration", "-1"), ("DAGManJobId", "1"),
)  # fmt: skip
NASTY_TEXTS = (
    "a\x1b[2J\x1b]0;owned\x07b", "a\rb", "a\nb", "a\n11/29/26 03:00:00 ** (pid:1) all is well", "\u202eabc", "\x9b31m",
    "<script>alert(1)</script>", "'\"><img src=x onerror=alert(1)>", "{{7*7}}", "${jndi:x}", "%s%n%x", "$(id)", "`id`",
    "\x00", "\udcff", "a\tb", "\x7f" * 8,
)  # fmt: skip


class Ring:
    """The two accounts in one pool. ``universes`` are those that it has; ``heard`` is all that tools told them."""

    def __init__(self, pool: AttackedPool, choose: random.Random, universes: list[str], victims_job: JobId) -> None:
        self.pool, self.choose, self.universes, self.victims_job = pool, choose, universes, victims_job
        self.heard = ""
        self.refused = 0
        self.flag = pool.file_of(EVE, "flag", f"#!/bin/sh\n: >{pool.trophies}/ran.$$.$(date +%N)\n")
        self._swapper: subprocess.Popen[str] | None = None
        self._number = 0

    # -- what attacks are made of --------------------------------------------------------------------------------------

    def universe(self, *without: str) -> str:
        """The commands of one of the universes."""
        return UNIVERSES[self.choose.choice([name for name in self.universes if name not in without])]

    def hear(self, name: str, *words: str, seconds: float = _TOOL) -> str:
        """Run a tool as one of them; what it tells."""
        done = self.pool.tool_as(name, *words, seconds=seconds)
        said = done.stdout + done.stderr
        self.heard += said
        if "Traceback (most recent call last)" in said:
            self.heard += "\nTRACEBACK"
        return said

    def submit(self, text: str, *options: str) -> str:
        """Submit a description of mallory's."""
        path = self.pool.file_of(MALLORY, "job.sub", text, 0o644)
        said = self.hear(MALLORY, "condor_submit", *options, str(path))
        self.refused += "submitted to cluster" not in said
        return said

    def program_words(self, name: str, *words: str) -> list[str]:
        """The command that runs one of collusion_programs.py."""
        return [self.pool.python, "-I", str(_PROGRAMS), name, *words]

    def program(self, name: str, *words: str, who: str = MALLORY) -> None:
        """Run one of collusion_programs.py as one of them."""
        done = self.pool.run_as(who, self.program_words(name, *words), _TOOL)
        self.heard += done.stdout + done.stderr

    @property
    def sockets(self) -> str:
        """The directory in which the daemons listen."""
        return str(self.pool.log / "daemon_sock")

    def seed(self) -> str:
        """The seed of a program."""
        return str(self.choose.randrange(1 << 30))

    def script(self, body: str, where: str = "") -> str:
        """A program of mallory's for a job; its path."""
        self._number += 1
        text = body.replace("PATH", where).replace("FLAG", str(self.flag)).replace("HOME", str(self.home))
        return str(self.pool.file_of(MALLORY, f"p{self._number}.sh", f"#!/bin/sh\n{text}\n"))

    @property
    def home(self) -> Path:
        """Mallory's directory."""
        return self.pool.home_of(MALLORY)

    def goal(self) -> str:
        """A path that is closed to them."""
        place = self.choose.choice((self.pool.private, self.pool.crown))
        return str(place / self.choose.choice(("inner/diary", "inner/diary", "inner", "inner/new")))

    def trap(self) -> str:
        """A name in eve's directory that is not what it should be."""
        path = self.pool.home_of(EVE) / f"trap{self.choose.randrange(1 << 30)}"
        goal = self.goal()
        kind = self.choose.choice(
            ("link", "link", "link", "directory link", "hard link", "pipe", "device", "full", "directory", "itself",
             "sparse", "goal", "dots", "proc", "descriptor", "socket", "program", "closed")
        )  # fmt: skip
        as_eve = {
            "link": f"ln -s {goal} {path}",
            "directory link": f"ln -s {os.path.dirname(goal)} {path}",
            "hard link": f"ln {goal} {path}",
            "pipe": f"mkfifo -m 666 {path}",
            "device": f"ln -s /dev/zero {path}",
            "full": f"ln -s /dev/full {path}",
            "directory": f"mkdir -m 777 {path}",
            "itself": f"ln -s {path} {path}",
            "sparse": f"truncate -s 2T {path}",
            "program": f"cp {self.flag} {path}; chmod 6777 {path}",
            "closed": f"mkdir -m 0 {path}",
        }.get(kind)
        if as_eve is not None:
            self.pool.run_as(EVE, ["sh", "-c", as_eve])
            return str(path)
        if kind == "socket":
            self.program("bind", str(path)[:100], who=EVE)
            return str(path)
        return {
            "goal": goal,
            "dots": f"../{'../' * 12}{goal.lstrip('/')}",
            "proc": self.choose.choice(("/proc/self/maps", "/proc/self/environ", "/proc/self/mem", "/proc/1/environ",
                                        f"/proc/self/root{goal}", f"/proc/self/cwd/../../{goal}", "/proc/self/auxv")),
            "descriptor": f"/proc/self/fd/{self.choose.randrange(30)}",
        }[kind]  # fmt: skip

    def swap(self, *targets: str) -> None:
        """Eve exchanges things for links as fast as she can, until the attack ends."""
        self._end_swapper()
        words = [
            str(self.pool.home_of(EVE)),
            str(self.home),
            str(self.pool.execute),
            str(self.choose.randrange(1 << 30)),
        ]
        who = self.choose.choice((EVE, MALLORY))
        self._swapper = self.pool.begin_as(who, self.program_words("swap", *words, *targets))

    def _end_swapper(self) -> None:
        if self._swapper is not None:
            self._swapper.kill()
            self._swapper.communicate()
            self._swapper = None

    def outputs(self) -> list[str]:
        """What their jobs have written into mallory's directory by now, as far as it is short."""
        found = []
        for path in self.home.glob("*"):
            if path.suffix not in (".py", ".c", ".sh") and path.is_file() and not path.is_symlink():
                with suppress(FileNotFoundError), path.open(errors="replace") as file:  # a job may take it away
                    found.append(file.read(1 << 18))
        return found

    def settle(self) -> None:
        """Wait until their jobs have ended or are held, for a while; the others are removed."""
        deadline = time.monotonic() + _PATIENCE
        while time.monotonic() < deadline and self.busy():
            time.sleep(0.1)
        self.heard = "".join(self.outputs())
        self._end_swapper()
        if self.jobs():
            self.pool.tool("condor_rm", MALLORY, EVE, check=False)
            wait_for(lambda: not self._runs(), lambda: f"their jobs end: {self.jobs()}", 90)
            self.pool.tool("condor_rm", "-forcex", MALLORY, EVE, check=False)
            wait_for(lambda: not self.jobs(), lambda: f"their jobs leave: {self.jobs()}", 60)
        for name in (MALLORY, EVE):
            self._clear(name)

    def jobs(self) -> dict[str, int]:
        """Their jobs in the queue, and the state of each."""
        queue = JobQueue(str(self.pool.spool / "job_queue.log"), readonly=True, lasting=False)
        return {
            str(job): ad.eval_int("JobStatus", 0) or 0 for job, ad in queue.jobs()
            if ad.eval_str("Owner", "") in (MALLORY, EVE)
        }  # fmt: skip

    def busy(self) -> bool:
        """Whether one of them waits, runs or is about to leave."""
        return any(status in (1, 2, 3, 6) for status in self.jobs().values())

    def _runs(self) -> bool:
        """Whether a job of theirs has not ended, or a starter still works for one."""
        places = [*self.pool.execute.glob("dir_*/scratch"), *self.pool.spool.glob("local_univ_execute/dir_*/scratch")]
        theirs = {ACCOUNTS[MALLORY], ACCOUNTS[EVE]}
        waits = any(status in (1, 2, 6) for status in self.jobs().values())
        return waits or any(place.lstat().st_uid in theirs for place in places)

    def _clear(self, name: str) -> None:
        """Their directories are as they were, but for the flag: a full disk is not what is tested."""
        for each in self.pool.home_of(name).iterdir():
            if each == self.flag:
                continue
            if each.is_dir() and not each.is_symlink():
                shutil.rmtree(each, ignore_errors=True)
            else:
                each.unlink(missing_ok=True)

    def run_of_mallory(self, body: str, more: str = "") -> str:
        """Submit a job that runs a shell script, and wait until it has started; its id, "" where it was refused."""
        said = self.submit(f"executable = {self.script(body)}\nlog = l\noutput = o\n{HEAD}{more}queue\n")
        found = re.search(r"cluster (\d+)", said)
        if not found:
            return ""
        try:
            wait_for(lambda: "\n001 " in (self.home / "l").read_text(errors="replace"), "it runs", 20)
        except AssertionError:
            pass
        return f"{found[1]}.0"


# -- the attacks -------------------------------------------------------------------------------------------------------


def path_of_a_job(ring: Ring) -> None:
    """A path of a job leads to what is the victim's or root's: it is read, written, executed, created or removed; or a
    pipe, a device or a file of terabytes stops a daemon."""
    name = ring.choose.choice(list(PATHS))
    where = ring.trap()
    program = (
        "" if "executable =" in PATHS[name] else f"executable = {ring.script(ring.choose.choice(BODIES), where)}\n"
    )
    text = f"{program}{ring.universe('vm')}{HEAD}initialdir = {ring.home}\nlog = l\noutput = o\n"
    options = ["-spool"] if ring.choose.random() < 0.2 else []
    ring.submit(f"{text}{PATHS[name].replace('@', where)}queue {ring.choose.choice((1, 1, 3))}\n", *options)


def path_in_a_race(ring: Ring) -> None:
    """Directories and files of a job are exchanged for links while daemons and root's tools work on them: something
    behind a closed door is read or changed."""
    ring.swap(
        str(ring.pool.private / "inner"),
        str(ring.pool.private / "inner" / "diary"),
        str(ring.pool.crown / "inner"),
        str(ring.pool.crown / "inner" / "diary"),
        "/proc/self/fd/3",
        "/etc",
    )
    work = ring.home / "work"
    ring.pool.run_as(MALLORY, ["mkdir", "-p", str(work)])
    transfer = ring.choose.choice(("YES", "NO", "YES\nwhen_to_transfer_output = ON_EXIT_OR_EVICT"))
    more = "transfer_output_files = out\n" if "YES" in transfer else ""
    body = "mkdir -p out; echo x >out/a; cat diary inner/diary; sleep 1; exit 85"
    spool = ["-spool"] if ring.choose.random() < 0.4 else []
    ring.submit(
        f"executable = {ring.script(body)}\n{ring.universe('vm', 'container')}{HEAD}initialdir = {work}\nlog = l\n"
        f"output = o\nerror = e\nshould_transfer_files = {transfer}\n{more}checkpoint_exit_code = 85\nqueue 2\n",
        *spool,
    )
    for _ in range(3):
        job = ring.choose.choice(list(ring.jobs()) or ["1.0"])
        ring.heard += ring.pool.tool("condor_tail", job, "out", check=False).stdout
        ring.hear(MALLORY, "condor_ssh_to_job", job, "cat diary inner/diary; ls -la")
        words = ring.choose.choice(
            (["condor_vacate_job"], ["condor_hold"], ["condor_release"], ["condor_transfer_data"])
        )
        ring.pool.tool(*words, MALLORY if words[0] != "condor_transfer_data" else "-all", check=False)


def pretended_identity(ring: Ring) -> None:
    """Attributes of an ad claim that the job is another's, or has ended, or runs: it runs as another, is charged to
    another, or its claim is believed."""
    chosen = ring.choose.sample(PRETENCES, ring.choose.randint(1, 4))
    lines = "".join(f"+{name} = {text}\n" for name, text in chosen)
    body = f": >{ring.pool.trophies}/job.$$.$(date +%N); id"
    options = ring.choose.choice(([], [], ["-spool"]))
    ring.submit(
        f"executable = {ring.script(body)}\n{ring.universe('vm')}{HEAD}output = o\nlog = l\n{lines}queue 2\n", *options
    )


def pretended_message(ring: Ring) -> None:
    """A message of any kind to any daemon names the victim, their job or their claim: it is obeyed."""
    pretences = json.dumps([list(pair) for pair in PRETENCES])
    ring.program("forge", ring.sockets, ring.seed(), str(ring.victims_job.cluster), str(ring.pool.execute), pretences)


def raw_submit(ring: Ring) -> None:
    """A submit past all tools: names of attributes and values with NUL, newlines and quotes, ids of other jobs."""
    told = {
        "home": str(ring.home),
        "program": str(ring.flag),
        "trap": ring.trap(),
        "values": VALUES,
        "pretences": PRETENCES,
        "texts": [text for text in NASTY_TEXTS if "\x00" not in text],
    }
    ring.program("submit", ring.sockets, ring.seed(), str(ring.victims_job.cluster), json.dumps(told))


def other_peoples_processes(ring: Ring) -> None:
    """A job signals, traces and reads the processes of daemons and of the victim's job, and talks to all sockets and
    ports that it finds: one of them dies, tells or obeys."""
    words = f"{_PROGRAMS} probe {ring.pool.execute} {ring.pool.log} {ring.pool.spool}"
    ring.submit(
        f"executable = {ring.pool.python}\ntransfer_executable = false\narguments = {words}\n"
        f"{ring.universe('vm', 'container', 'grid')}{HEAD}output = o\nerror = e\nlog = l\n"
        "should_transfer_files = NO\nwant_io_proxy = true\n+WantRemoteUpdates = true\nqueue\n"
    )


def environment_of_helpers(ring: Ring) -> None:
    """Variables that change a loader, a shell or an interpreter are set for a job: a program that does not run as the
    job's owner loads what they name."""
    library = ring.home / "evil.so"
    source = ring.pool.file_of(MALLORY, "evil.c", _EVIL % str(ring.pool.trophies))
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler:
        ring.pool.run_as(MALLORY, [compiler, "-shared", "-fPIC", "-o", str(library), str(source)])
    ring.pool.file_of(MALLORY, "evil.py", f"open('{ring.pool.trophies}/python.%d' % __import__('os').getpid(), 'w')\n")
    for name in ("sitecustomize", "usercustomize", "json", "condor_py", "encodings", "psutil"):
        shutil.copyfile(ring.home / "evil.py", ring.home / f"{name}.py")
        os.chown(ring.home / f"{name}.py", ring.home.stat().st_uid, ring.home.stat().st_gid)
    evil = (
        f"LD_PRELOAD={library} "
        f"LD_AUDIT={library} LD_LIBRARY_PATH={ring.home} PYTHONPATH={ring.home} PYTHONHOME=/nowhere "
        f"PYTHONSTARTUP={ring.home}/evil.py BASH_ENV={ring.flag} ENV={ring.flag} PERL5LIB={ring.home} PATH={ring.home} "
        f"CONDOR_CONFIG={ring.home}/config "
        f"_CONDOR_LOCAL_DIR={ring.home} _CONDOR_SPOOL={ring.home} CONDOR_PY_PYTHON={ring.flag} "
        f"IFS=x TMPDIR={ring.home} HOME={ring.home} TZ=:{ring.goal()} GCONV_PATH={ring.home} LOCPATH={ring.home} "
        f"NOTIFY_SOCKET=@x DOCKER_HOST=unix://{ring.home}/d SLURM_CONF={ring.home}/s SSL_CERT_FILE={ring.goal()}"
    )
    ring.submit(
        "executable = /bin/sh\ntransfer_executable = false\narguments = \"-c 'cat; sleep 2; exit 85'\"\n"
        f"{ring.universe('vm')}"
        f'{HEAD}environment = "{evil}"\nlog = l\noutput = o\nnotification = always\nnotify_user = mallory\n'
        f"want_io_proxy = true\ncheckpoint_exit_code = 85\ntransfer_input_files = file://{ring.home}/evil.py\n"
        "should_transfer_files = YES\nqueue\n"
    )
    job = next(iter(ring.jobs()), "1.0")
    ring.pool.tool("condor_ssh_to_job", job, "true", check=False)
    ring.pool.tool("condor_tail", job, check=False)
    ring.pool.tool("condor_vacate_job", MALLORY, check=False)


_EVIL = """
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
__attribute__((constructor)) static void noted(void) {
    char path[4096];
    snprintf(path, sizeof path, "%s/library.%%d", getpid());
    close(open(path, O_WRONLY | O_CREAT | O_EXCL, 0644));
}
"""


def tools_in_a_hostile_directory(ring: Ring) -> None:
    """Root and the victim run tools in a directory of eve's with modules, programs and configuration of hers: those
    are executed or believed."""
    eve = ring.pool.home_of(EVE)
    evil = f"open('{ring.pool.trophies}/tool.%d' % __import__('os').getpid(), 'w')\n"
    for name in ("json", "os", "condor_py", "sitecustomize", "htcondor", "re", "typing", "argparse", "pwd", "struct"):
        ring.pool.file_of(EVE, f"{name}.py", evil)
    ring.pool.file_of(EVE, "condor_config", f"SPOOL = {eve}\nMAIL = {ring.flag}\n")
    ring.pool.file_of(EVE, "python3", f"#!/bin/sh\nexec {ring.flag}\n")
    ring.pool.file_of(EVE, ".condor_py", f"exec {ring.flag}\n")
    programs = Path(__file__).resolve().parents[2] / "bin"
    for tool in ring.choose.sample(
        (
            "condor_q",
            "condor_status",
            "condor_history",
            "condor_userprio",
            "condor_who",
            "condor_config_val",
            "condor_version",
            "condor_submit",
            "condor_store_check",
        ),
        3,
    ):
        subprocess.run(
            [str(programs / tool)],
            cwd=eve,
            env={**ring.pool.environment, "CONDOR_PY_PYTHON": ring.pool.python},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=60,
        )


def text_for_screens(ring: Ring) -> None:
    """Texts with control characters, newlines and marks of languages come into ads, reasons, logs and names of files:
    a terminal obeys them, or a log has a line that no daemon wrote."""
    text, other = ring.choose.choice(NASTY_TEXTS), ring.choose.choice(NASTY_TEXTS)
    quoted = json.dumps(text.replace("\x00", ""), ensure_ascii=False).replace("\\u001b", "\x1b")
    ring.submit(
        f"executable = {ring.script('exit 3')}\n"
        f"{HEAD}batch_name = {other.replace(chr(0), '').splitlines()[0] if other.strip(chr(0)) else 'x'}\n"
        f"+Text = {quoted}\nlog = l\non_exit_hold = true\non_exit_hold_reason = {quoted}\n"
        f"+SubmitEventNotes = {quoted}\n"
        f"+PeriodicHoldReason = {quoted}\ndescription = x\n+JobDescription = {quoted}\nqueue\n"
    )
    ring.program("talk", ring.sockets, text.replace("\x00", "\\0"), str(ring.victims_job.cluster))
    for job in list(ring.jobs())[:2]:
        for tool in ("condor_hold", "condor_rm", "condor_release"):
            ring.hear(MALLORY, tool, "-reason", text.replace("\x00", "") or "x", job)


def credentials_of_another(ring: Ring) -> None:
    """Names of users, services and handles lead to the victim's credentials: a job or a tool of theirs has them, or
    they are gone or replaced."""
    who = ring.choose.choice(("victim", "victim@example.net", "../victim", "root", "VICTIM", "victim\n"))
    service = ring.choose.choice(
        ("box", "../victim/box", "victim/box", "*", "box.use", ".", "..", "a\nb", "box_x/../box")
    )
    for words in (
        ("query-oauth", "-u", who),
        ("delete-oauth", "-u", who, "-s", "box"),
        ("add-oauth", "-u", who, "-s", "box", "-P", "-i", "token"),
        ("add-oauth", "-s", service, "-P", "-i", "token"),
        ("delete-oauth", "-s", service),
    ):
        ring.pool.file_of(MALLORY, "token", "of mallory\n")
        ring.hear(MALLORY, "condor_store_cred", *words)
    services = ring.choose.choice((service, f"box*{service}", f"{service}*", "box"))
    ring.submit(
        f"executable = {ring.script('cat $_CONDOR_CREDS/* ../*/* ; ls -laR $_CONDOR_CREDS')}\n"
        f"{HEAD}{ring.universe('vm', 'grid')}"
        f"output = o\nlog = l\n+OAuthServicesNeeded = {json.dumps(services)}\n+SendCredential = true\n"
        f'+Owner = "victim"\nqueue\n'
    )
    ring.submit(
        f"executable = {ring.script('cat $_CONDOR_CREDS/*')}\n{HEAD}output = o2\nlog = l\n"
        f"+OAuthServicesNeeded = {json.dumps(services)}\nqueue\n"
    )


def files_of_a_dag(ring: Ring) -> None:
    """Files of a DAG and of its nodes are links and pipes, or are exchanged while condor_dagman works: it reads or
    writes as another, or the schedd or another's tool stops."""
    goal, eve = ring.goal(), ring.pool.home_of(EVE)
    ring.pool.file_of(
        MALLORY,
        "n.sub",
        "executable = /bin/true\ntransfer_executable = false\n"
        f"{HEAD}log = {ring.choose.choice(('l', goal, ring.trap()))}\nqueue\n",
    )
    ring.pool.file_of(
        MALLORY,
        "d.dag",
        f"JOB A n.sub\nJOB B n.sub DIR {ring.choose.choice((str(eve), '.', os.path.dirname(goal)))}\n"
        f"PARENT A CHILD B\nSCRIPT PRE A {ring.flag}\nSCRIPT POST B {ring.flag}\n"
        f"DOT {ring.choose.choice((goal, 'x.dot'))}\n"
        f"NODE_STATUS_FILE {ring.choose.choice((goal, 's'))}\nJOBSTATE_LOG {ring.choose.choice((goal, 'j'))}\n"
        f"INCLUDE {ring.choose.choice((goal, '/dev/null'))}\n",
    )
    for name in ring.choose.sample(
        (
            "d.dag.dagman.out",
            "d.dag.lib.out",
            "d.dag.dagman.log",
            "d.dag.nodes.log",
            "d.dag.lock",
            "d.dag.rescue001",
            "d.dag.metrics",
            "d.dag.condor.sub",
            "d.dag.halt",
        ),
        3,
    ):
        trap = ring.trap()
        ring.pool.run_as(MALLORY, ["sh", "-c", f"ln -s {trap} {ring.home}/{name}"])
    if ring.choose.random() < 0.4:
        ring.swap(goal)
    ring.hear(MALLORY, "condor_submit_dag", *ring.choose.choice(([], ["-f"])), "d.dag")
    time.sleep(1)
    ring.pool.tool("condor_q", "-allusers", "-dag", "-nobatch", check=False)
    ring.pool.tool("condor_rm", MALLORY, check=False)


def tools_on_their_files(ring: Ring) -> None:
    """Root and the victim use tools on logs, ads and output of theirs, which are pipes, links and huge: a tool hangs,
    fails, shows or writes what is another's."""
    job = ring.run_of_mallory(
        f"rm -f _condor_stdout; ln -s {ring.goal()} _condor_stdout; ln -s {ring.goal()} x; mkfifo p; "
        "truncate -s 3T huge; printf '\\033[2J' >esc; rm -f .job.ad; ln -s /dev/zero .job.ad; sleep 8"
    )
    if not job:
        return
    tools = [("condor_tail", job, *name) for name in ((), ("x",), ("p",), ("huge",), ("esc",))]
    tools += [("condor_transfer_data", MALLORY), ("condor_evicted_files", "list", job), ("condor_who",)]
    for words in ring.choose.sample(tools, 4):
        command = [ring.pool.python, "-I", str(_MAIN), *words]
        for done in (ring.pool.run_as(VICTIM, command, 60), _as_root(ring, command)):
            ring.heard += done.stdout
            if done.returncode == 124:
                ring.heard += f"\nHANGS {words}"
            if "Traceback (most" in done.stderr:
                ring.heard += f"\nTRACEBACK {words}: {done.stderr[-1500:]}"


def _as_root(ring: Ring, command: list[str]) -> Done:
    try:
        return subprocess.run(
            command, env=ring.pool.environment, cwd=ring.pool.work, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, errors="replace", timeout=60 * PATIENCE, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, "", "")


def spooled_files(ring: Ring) -> None:
    """Files travel to the spool and back while directories are exchanged there and here: what is another's is read or
    written, a directory of the spool stays or belongs to another."""
    where = ring.trap()
    ring.submit(
        f"executable = {ring.script(ring.choose.choice(BODIES), where)}\n{ring.universe('vm', 'grid')}{HEAD}log = l\n"
        f"output = o\ntransfer_input_files = {ring.choose.choice((where, str(ring.flag)))}\n"
        "should_transfer_files = YES\n"
        f'transfer_output_remaps = "out = {where}"\nqueue 2\n',
        "-spool",
    )
    for room in ring.pool.spool.glob("[0-9]*/*/cluster*"):
        ring.pool.run_as(
            MALLORY,
            [
                "sh",
                "-c",
                f"cd {room} && ln -s {ring.goal()} out; ln -s {ring.goal()} x; mkfifo p; "
                f"mkdir -p a/b; chmod 0 a; cp {ring.flag} s; chmod 6777 s",
            ],
        )
    deadline = time.monotonic() + 6
    while time.monotonic() < deadline and ring.busy():
        time.sleep(0.1)
    for _ in range(2):
        ring.hear(MALLORY, "condor_transfer_data", "-all")
        ring.hear(EVE, "condor_transfer_data", "-all")
        ring.pool.tool("condor_transfer_data", "-all", check=False)


def greedy_processes(ring: Ring) -> None:
    """A job forks without end, keeps memory, open files and connections: others wait or are refused."""
    bodies = (
        "f() { f | f & }; f; sleep 3",
        "i=0; while [ $i -lt 400 ]; do sleep 30 & i=$((i+1)); done; sleep 1",
        "head -c 40000000 /dev/zero | tail; sleep 1",
        "setsid sh -c 'trap \"\" TERM; sleep 100' & trap '' TERM; sleep 3",
        "i=0; while [ $i -lt 3000 ]; do : >f$i; i=$((i+1)); done; mkfifo p; head -c 100000000 /dev/zero >big",
        "kill -STOP $$",
        "kill -9 -1",
    )
    ring.submit(
        f"executable = {ring.script(ring.choose.choice(bodies))}\n"
        f"{HEAD}{ring.universe('vm', 'grid', 'scheduler', 'local')}"
        "output = o\nlog = l\nqueue 2\n"
    )


def greedy_connections(ring: Ring) -> None:
    """Both accounts hold as many connections as they get, send half messages, never read, send open files: the victim
    waits or is refused."""
    words = ring.program_words("hold", ring.sockets, ring.seed())
    held = [ring.pool.begin_as(who, words) for who in (MALLORY, EVE)]
    time.sleep(1)
    done = ring.pool.tool_as(VICTIM, "condor_q", "-af", "ClusterId")
    if done.returncode:
        ring.heard += f"\nREFUSED the victim: {done.stderr[-300:]}"
    for each in held:
        each.kill()
        each.communicate()


#: Expressions that ask twice for the attribute before theirs, by way of functions that take longer than operators.
COSTLY = (
    "string(evalInEachContext(@, {[], []}))",
    "max({@, @})",
    'formatTime(@) =?= "" ? 1 : @',
    'stringListMember(string(@), "a,b") ? 1 : @',
    "splitTime(@) =?= 1 ? 1 : @",
    'userHome(string(@), "x") =?= 1 ? 1 : @',
    "strcat(absTime(@), @)",
)


def costly_work(ring: Ring) -> None:
    """Expressions, macros and digests that double: the victim's job waits, or a daemon grows."""
    doubling = "".join(f"+A{n} = A{n - 1} + A{n - 1}\n" for n in range(1, 45))
    link = ring.choose.choice(COSTLY)
    calls = "".join(f"+A{n} = {link.replace('@', f'A{n - 1}')}\n" for n in range(1, 45))
    kinds = (
        f"+A0 = 1\n{calls}requirements = A44 =!= 1\nrank = A44\nperiodic_hold = A44 =?= 1\n",
        f"+A0 = 1\n{doubling}requirements = A44 > 1\nrank = A44\nperiodic_hold = A44 < 0\n",
        f"+A0 = 1\n{doubling}concurrency_limits_expr = A44\naccounting_group = group_x\n",
        'requirements = regexp("(a+)+$", strcat("' + "a" * 50 + '", "b"))\n',
        "requirements = " + "(" * 390 + "true" + ")" * 390 + "\n",
        "max_materialize = 2\nX = $(Y)$(Y)$(Process)\nY = $(Z)$(Z)\nZ = $RANDOM_INTEGER(1,9)xxxxxxxxxxxx\n"
        "arguments = $(X)\n",
        "max_idle = 1\narguments = $ENV(HOME)$REALPATH(" + ring.goal() + ")$F(" + ring.goal() + ")$(Process)\n",
    )
    count = ring.choose.choice((1, 50, 2000))
    ring.submit(
        f"executable = /bin/true\ntransfer_executable = false\n{HEAD}{ring.choose.choice(kinds)}queue {count}\n"
    )


def session_in_another_job(ring: Ring) -> None:
    """Sessions, tails and changes ask for the victim's job, by its id and by forged ids: they get in or change it."""
    job = str(ring.victims_job)
    for words in (
        ("condor_ssh_to_job", job, "id"),
        ("condor_tail", job),
        ("condor_hold", job),
        ("condor_rm", job),
        ("condor_rm", "-forcex", job),
        ("condor_qedit", job, "Args", '"1"'),
        ("condor_prio", "-p", "20", job),
        ("condor_vacate_job", "-fast", job),
        ("condor_suspend", job),
        ("condor_now", job, job),
        ("condor_transfer_data", job),
        ("condor_rm", "victim"),
        ("condor_qedit", "victim", "JobPrio", "3"),
        ("condor_rm", "-constraint", "true"),
        ("condor_vacate", "-fast"),
        ("condor_off",),
        ("condor_reconfig",),
        ("condor_drain",),
        ("condor_userprio", "-setfactor", "victim@example.net", "1e9"),
        ("condor_userprio", "-delete", "victim@example.net"),
        ("condor_qusers", "-disable", "victim"),
        ("condor_update_machine_ad", "-"),
        ("condor_config_val", "-rset", "START=false", "-startd"),
        ("condor_config_val", "-schedd", "-set", "x=y"),
        ("condor_set_shutdown", "-exec", str(ring.flag), "x"),
        ("condor_advertise", "UPDATE_STARTD_AD", "/dev/null"),
        ("condor_store_check",),
        ("condor_preen",),
    ):
        if ring.choose.random() < 0.35:
            ring.hear(ring.choose.choice((MALLORY, EVE)), *words)
    mine = ring.run_of_mallory("sleep 5")
    if mine:
        ring.hear(EVE, "condor_ssh_to_job", mine, f": >{ring.pool.trophies}/session.$$; id")
        ring.hear(
            MALLORY,
            "condor_ssh_to_job",
            mine,
            f": >{ring.pool.trophies}/session.$$; cat {ring.goal()}; su victim -c id",
        )


def disks_of_a_machine(ring: Ring) -> None:
    """A disk of a virtual machine is a link or a path of another, its options are options of qemu: qemu opens it, or
    runs with more than the owner's rights."""
    where = ring.choose.choice(
        (ring.trap(), ring.goal(), f"x,file={ring.goal()}", "/dev/sda", f"{ring.goal()},format=raw", "json:{}")
    )
    ring.submit(
        f"universe = vm\nexecutable = m\nvm_type = kvm\nvm_memory = 32\nvm_disk = {where}:vda:w\n"
        f"vm_no_output_vm = false\nshould_transfer_files = YES\ntransfer_input_files = {ring.flag}\nlog = l\n"
        f'+VMPARAM_vm_Disk = "{where}:vda:w:raw"\n+VMConsole = "{where}"\nvm_vnc = true\n'
        f"vm_macaddr = a:b,script={ring.flag}\nqueue\n"
    )


def mounts_of_a_container(ring: Ring) -> None:
    """Directories that a container gets are exchanged for links, its name and image are options or paths: the container
    has what is closed to its owner, or runs as another."""
    ring.swap(str(ring.pool.private), str(ring.pool.crown), "/etc", "/")
    work = ring.home / "work"
    ring.pool.run_as(MALLORY, ["mkdir", "-p", str(work)])
    image = ring.choose.choice(
        (
            "docker://localhost/small",
            "docker://--privileged",
            f"{ring.goal()}",
            "docker://localhost/small\n",
            "docker://localhost/small --volume=/:/x",
            "docker://../x",
        )
    )
    transfer = ring.choose.choice(("YES", "NO"))
    ring.submit(
        f"universe = container\ncontainer_image = {image.strip()}\nexecutable = /bin/sh\ntransfer_executable = false\n"
        "arguments "
        f"= \"-c 'id; cat diary inner/diary /x/etc/shadow; : >{ring.pool.trophies}/container; ls -la . /; sleep 1'\"\n"
        f"{HEAD}output = o\nlog = l\ninitialdir = {work}\nshould_transfer_files = {transfer}\n"
        "container_service_names = web\n"
        f'web_container_port = 22\n+DockerNetworkType = "host --privileged"\ndocker_pull_policy = always\n'
        '+DOCKER_EXTRA_ARGUMENTS = "--privileged"\n+ContainerTargetDir = "/.."\n'
        f"mount_under_scratch = {ring.goal()}\nqueue 2\n"
    )


def left_behind_for_the_next(ring: Ring) -> None:
    """A job leaves processes, files with rights, System V objects and locks for the job that comes after it in the
    slot, which is the victim's: it is changed, read or kept waiting."""
    ring.submit(
        f"executable = {ring.script(_LEAVER)}\n{HEAD}{ring.universe('vm', 'grid')}output = o\nlog = l\nqueue 4\n"
    )
    time.sleep(1)
    ring.submit(
        f"executable = {ring.script('cat ../*/* ../../*/*/*; ls -la .. ../..; env')}\n{HEAD}output = o2\n"
        "log = l\nqueue 4\n"
    )


_LEAVER = """
umask 0
(setsid sh -c 'while sleep 0.2; do for d in ../dir_*/scratch ../../dir_*/scratch; do
cp FLAG $d/condor_exec.exe; ln -s / $d/x; cat $d/*; done; done' >HOME/leaver 2>&1 &)
(exec -a condor_starter setsid sleep 300 &)
chmod 777 . ..
mkdir -m 0 closed; mkdir -p a/b/c/d; cp FLAG out; chmod 6777 out
ipcmk -M 1000 -p 0666 2>/dev/null
"""


def pages_of_another(ring: Ring) -> None:
    """Pages get texts of theirs, forged forms and cookies of each other: a page has markup of theirs or what is the
    victim's, an account uses the session of another, or a form acts on the victim's job."""
    text = ring.choose.choice([text for text in NASTY_TEXTS if "<" in text])
    quoted = json.dumps(text)
    said = ring.submit(
        f"executable = {ring.script('exit 3')}\n{HEAD}log = l\n+Text = {quoted}\n+JobBatchName = {quoted}\n"
        f"on_exit_hold = true\non_exit_hold_reason = {quoted}\narguments = <script>alert(1)</script>\nqueue\n"
    )
    address = ring.hear(MALLORY, "condor_web", "-login").strip().splitlines()
    if not address or not address[-1].startswith("http"):
        return  # this pool serves no pages
    job, found = str(ring.victims_job), re.search(r"cluster (\d+)", said)
    mine = f"{found[1]}.0" if found else "1.0"
    ring.program("browse", address[-1], job, mine)
    cookie = re.search(r"^cookie (\S+)", ring.heard, re.M)
    ring.program("browse", address[-1], job, mine, cookie[1] if cookie else "condor_web=x", who=EVE)


ATTACKS: dict[str, Callable[[Ring], None]] = {
    each.__name__: each
    for each in (
        path_of_a_job, path_in_a_race, pretended_identity, pretended_message, raw_submit, other_peoples_processes,
        environment_of_helpers, tools_in_a_hostile_directory, text_for_screens, credentials_of_another, files_of_a_dag,
        tools_on_their_files, spooled_files, greedy_processes, greedy_connections, costly_work, session_in_another_job,
        disks_of_a_machine, mounts_of_a_container, left_behind_for_the_next, pages_of_another,
    )
}  # fmt: skip
#: Those of which there are many kinds come more often.
WEIGHTS = {
    "pages_of_another": 2,
    "path_of_a_job": 8,
    "path_in_a_race": 3,
    "pretended_identity": 3,
    "raw_submit": 3,
    "tools_on_their_files": 2,
}


def signs_of_success(heard: str) -> list[str]:
    """What the accounts themselves have noted of a success: signals, traces and texts of others."""
    marks = (
        "SIGNALLED",
        "TRACED",
        "READ ",
        "WRITABLE",
        "SECRET FILE",
        "SESSION",
        "MARKUP",
        "TRACEBACK",
        "HANGS",
        "REFUSED the victim",
    )
    return [line[:1500] for line in heard.splitlines() if line.startswith(marks)]
