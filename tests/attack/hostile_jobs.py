"""An account whose jobs are the attack: trees that are hard to remove, processes that do not end, files that are pipes,
digests and expressions that cost, copies that name jobs of others. After each attack a job of another account must
start within seconds, every daemon must be alive, no log may have a traceback, and nothing of others may be changed.
"""

from __future__ import annotations

import os
import pwd
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import shared_pool
from pool import MAIN, Done, wait_for
from shared_pool import SharedPool, usable_python

#: The account that attacks, and that must not notice anything. Attacks that signal every process of the account are
#: done by an account that is named for this alone.
ALONE = os.environ.get("CONDOR_PY_HOSTILE", "")
STRANGER = shared_pool.STRANGER = ALONE or shared_pool.STRANGER
NEIGHBOUR = os.environ.get("CONDOR_PY_NEIGHBOUR", "daemon")
#: Asked for once: later no process of the hostile account may live long enough to answer.
PYTHON = usable_python()
#: Seconds until a job of the neighbour has started, whatever the other account does.
MOST_WAIT = 5.0
SECRET = "dear diary"
DAEMONS = ("master", "schedd", "startd", "negotiator", "job_router")
ROUTES = """JOB_ROUTER_ROUTE_Here @=jrt
  REQUIREMENTS WantRoute =?= true
  UNIVERSE vanilla
  SET WantRoute false
@jrt
JOB_ROUTER_ROUTE_NAMES = Here
JOB_ROUTER_POLLING_PERIOD = 1
"""
#: What a job does to its scratch directory before it ends; Python, with ``os`` and ``sys`` there.
TREES = {
    "deep": "for n in range(20000):\n  os.mkdir('d'); os.chdir('d')",
    "wide": "os.mkdir('w')\nfor n in range(100000): os.close(os.open(f'w/{n}', os.O_CREAT | os.O_WRONLY))",
    "closed": "for n in range(60):\n  os.mkdir('c'); os.mkdir('c/x'); os.chdir('c')\n"
    "for n in range(60):\n  os.chdir('..'); os.chmod('c', 0)",
    "names": "for n in (b'a\\nb', b'\\xff\\xfe', b'-rf', b'*', b'\\x1b[31m', b'x' * 255, b'$(X)', b'a,b', b'\"'):\n"
    "  os.mkdir(n); open(n + b'/' + n, 'w').close(); open(b'f' + n[:254], 'w').close()",
    "pipes": "import socket\nos.mkfifo('p'); socket.socket(socket.AF_UNIX).bind('s'); os.mkdir('q'); os.mkfifo('q/p')",
    "own files": "for n in ('.job.ad', '.machine.ad', '.chirp.config', '.update.ad', '_condor_stdout', "
    "'_condor_stderr', '.job_wrapper_failure', '.condor_creds', 'condor_exec.exe', '_condor_job_ad', 'out'):\n"
    "  try: os.unlink(n)\n  except OSError: pass\n  os.mkfifo(n)",
    "links": "for n in ('.job.ad', '.machine.ad', '.chirp.config', '.update.ad', '_condor_stdout', '_condor_stderr',"
    " 'out', 'tmp'):\n  try: os.unlink(n)\n  except OSError: pass\n  os.symlink(PRIVATE + '/inner/diary', n)",
    "gone": "import shutil\nshutil.rmtree('.', ignore_errors=True)",
    "closed itself": "os.chmod('.', 0)",
}
#: What the processes of a job do; they go on until they are killed.
PROCESSES = {
    "forks": "import resource\nresource.setrlimit(resource.RLIMIT_NPROC, (300, 300))\n"
    "while True:\n  try: os.fork()\n  except OSError: time.sleep(0.05)",
    "descriptors": "held = []\nwhile True:\n  try: held.append(os.pipe())\n  except OSError: time.sleep(0.1)",
    "away": "import signal\nfor n in range(40):\n  if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
    "      for s in range(1, 65):\n        try: signal.signal(s, signal.SIG_IGN)\n"
    "        except (OSError, ValueError): pass\n"
    "      os.environ.clear(); time.sleep(1000)\n    os._exit(0)\ntime.sleep(1000)",
    "stopped": "import signal\nfor n in range(20):\n  if os.fork() == 0: os.kill(os.getpid(), signal.SIGSTOP)\n"
    "os.kill(os.getpid(), signal.SIGSTOP)",
    "zombies": "for n in range(200):\n  if os.fork() == 0: os._exit(0)\ntime.sleep(1000)",
    "kills all": "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True:\n"
    "  try: os.kill(-1, signal.SIGTERM)\n  except OSError: pass\n  time.sleep(0.2)",
    "stops all": "import signal\nend = time.monotonic() + 8\nwhile time.monotonic() < end:\n"
    "  for p in os.listdir('/proc'):\n    if p.isdigit() and int(p) != os.getpid():\n"
    "      try: os.kill(int(p), signal.SIGSTOP)\n      except OSError: pass\n  time.sleep(0.02)",
}
#: Submit descriptions; ``@`` is the private directory.
DESCRIPTIONS = {
    "log is a pipe": "executable = /bin/true\nlog = a.pipe\nqueue 3\n",
    "log is full": "executable = /bin/true\nlog = /dev/full\nqueue 3\n",
    "log is a directory": "executable = /bin/true\nlog = .\nqueue 3\n",
    "log of another": "executable = /bin/true\nlog = @/inner/diary\nqueue 3\n",
    "output is a pipe": "executable = /bin/date\noutput = a.pipe\nerror = b.pipe\n"
    "should_transfer_files = NO\nqueue 2\n",
    "output is a pipe at the end": "executable = /bin/date\noutput = a.pipe\nerror = b.pipe\n"
    "should_transfer_files = YES\nqueue 2\n",
    "input is a pipe": "executable = /bin/cat\ninput = a.pipe\nshould_transfer_files = YES\n"
    "transfer_input_files = b.pipe\nqueue 2\n",
    "executable is a pipe": "executable = a.pipe\nshould_transfer_files = YES\nallow_x = 1\nqueue\n",
    "remaps": 'executable = /bin/sh\narguments = "-c \'echo x >out; echo y >>out\'"\ntransfer_executable = false\n'
    "should_transfer_files = YES\ntransfer_output_files = out\n"
    'transfer_output_remaps = "out = @/inner/diary"\nqueue\n',
    "destination": "executable = /bin/sh\narguments = \"-c 'echo x >out'\"\ntransfer_executable = false\n"
    "should_transfer_files = YES\ntransfer_output_files = out\noutput_destination = file://@/inner\nqueue\n",
    "input of another": "executable = /bin/cat\narguments = diary\nshould_transfer_files = YES\n"
    "transfer_input_files = @/inner/diary\noutput = got\nqueue\n",
    "input URL": "executable = /bin/cat\narguments = diary\nshould_transfer_files = YES\n"
    "transfer_input_files = file://@/inner/diary\noutput = got2\nqueue\n",
    "input of another in the spool": "executable = /bin/cat\narguments = diary\nshould_transfer_files = YES\n"
    "+TransferInput = \"@/inner/diary\"\noutput = got3\nqueue\n",
    "backtracking": "executable = /bin/true\nrequirements = regexp(\"^(a+)+$\", strcat(\"" + "a" * 60
    + "\", \"b\"))\nperiodic_hold = regexp(\"^(([a-z])+.)+[A-Z]([a-z])+$\", \"" + "a" * 80 + "\")\n"
    "rank = regexps(\"(x+x+)+y\", \"" + "x" * 60 + "\", \"\\0\")\nqueue 20\n",
    "strings that grow": "executable = /bin/true\n+S0 = \"" + "x" * 1000 + "\"\n"
    + "".join(f"+S{n} = strcat(S{n - 1}, S{n - 1}, S{n - 1}, S{n - 1})\n" for n in range(1, 20))
    + "requirements = size(S19) > 3\nperiodic_release = size(S19) > 3\nperiodic_hold = size(S19) == 3\nqueue 3\n",
    "lists that grow": "executable = /bin/true\n+L0 = {1,2,3,4}\n"
    + "".join(f"+L{n} = {{ L{n - 1}, L{n - 1}, L{n - 1}, L{n - 1} }}\n" for n in range(1, 30))
    + "requirements = size(string(L29)) > 3\nrank = size(string(L29))\nqueue 3\n",
    "digest that doubles": "executable = /bin/true\nM0 = xxxxxxxxxxxxxxxx$(Process)\n"
    + "".join(f"M{n} = $(M{n - 1})$(M{n - 1})$(M{n - 1})\n" for n in range(1, 22))
    + "+Big = \"$(M21)\"\nmax_materialize = 3\nqueue 100\n",
    "digest in a circle": "executable = /bin/true\nA = $(B)$(Process)\nB = $(A)\narguments = $(A)\n"
    "max_materialize = 3\nqueue 10\n",
    "digest of a command": "executable = /bin/true\nmax_idle = 2\nX = $ENV(HOME) $REALPATH(@/inner) $(Process)\n"
    "arguments = $(X)\nqueue 10\n",
    "digest of many": "executable = /bin/true\nmax_materialize = 2\nqueue 2000000000\n",
    "router": "executable = /bin/sleep\narguments = 1\n+WantRoute = true\n+RouteName = \"Here\"\n"
    "+Managed = \"External\"\n"
    "+ManagedManager = \"Here\"\n+RoutedFromJobId = \"1.0\"\n+RoutedToJobId = \"1.0\"\n"
    "+RoutedBy = \"Here\"\n+HookKeyword = \"../../x\"\nqueue 2\n",
    "router's odd attributes": "executable = /bin/true\n+WantRoute = ifThenElse(true, true, RouteName)\n"
    "+RoutedFromJobId = error\n+RouteName = {1}\n+Cmd2 = \"\x1b[31m\"\n+GridResource = \"batch ; id\"\nqueue 2\n",
    "environment": "executable = /bin/true\nenvironment = \"LD_PRELOAD=/nonexistent/x.so PYTHONPATH=@ "
    "PYTHONSTARTUP=@/x BASH_ENV=@/x ENV=@/x IFS=x PATH=. LD_LIBRARY_PATH=. _CONDOR_LOG=@ CONDOR_CONFIG=@/x "
    "PYTHONHOME=/nonexistent\"\nqueue 2\n",
}  # fmt: skip


class HostileJobs:
    """One pool under attack."""

    def __init__(self, pool: SharedPool) -> None:
        self.pool = pool
        self.count = 0
        self.waits: list[tuple[float, str]] = []
        self.daemons = {name: pool.pid(name) for name in DAEMONS}
        self.neighbours = pool.directory / "neighbours"
        self.neighbours.mkdir()
        entry = pwd.getpwnam(NEIGHBOUR)
        os.chown(self.neighbours, entry.pw_uid, entry.pw_gid)
        for name in ("a.pipe", "b.pipe"):
            os.mkfifo(pool.theirs / name)
            (pool.theirs / name).chmod(0o777)
            os.chown(pool.theirs / name, pwd.getpwnam(STRANGER).pw_uid, -1)
        self._seen: dict[str, int] = {}
        self._number = 0

    def as_neighbour(self, *words: str) -> Done:
        """Runs a tool with the rights of the account that must not notice anything."""
        return subprocess.run(
            [PYTHON, "-I", str(MAIN), *words], env={**self.pool.environment, "HOME": str(self.neighbours)},
            cwd=self.neighbours, user=NEIGHBOUR, group=pwd.getpwnam(NEIGHBOUR).pw_gid, extra_groups=[],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip

    def attacks(self) -> list[tuple[str, Callable[[], None]]]:
        """All of them, by name."""
        processes = PROCESSES if ALONE else [name for name in PROCESSES if not name.endswith(" all")]
        return [
            *((f"tree {name}", partial(self.tree, name)) for name in TREES),
            *((f"processes {name}", partial(self.processes, name)) for name in processes),
            *((f"submit {name}", partial(self.describe, name)) for name in DESCRIPTIONS),
            ("connections", self.connections),
            ("halves", self.halves),
        ]

    def program(self, body: str) -> str:
        """A job that runs a Python program in its scratch directory; the name of the file."""
        self._number += 1
        path = self.pool.theirs / f"p{self._number}.py"
        path.write_text(f"import os, sys, time\nPRIVATE = {str(self.pool.private)!r}\n{body}\n")
        path.chmod(0o755)
        return path.name

    def submit(self, text: str, *options: str) -> None:
        """Submits as the hostile account; a refusal is an answer, too."""
        (self.pool.theirs / "job.sub").write_text(text)
        done = self.pool.as_stranger("condor_submit", *options, "job.sub")
        assert "Traceback" not in done.stderr, done.stderr

    def tree(self, name: str) -> None:
        """A job leaves a scratch directory that is hard to transfer and to remove."""
        for more in ("", "transfer_output_files = .\n", "transfer_output_files = out, d, w, c, q\n"):
            self.submit(
                f"executable = {PYTHON}\ntransfer_executable = false\narguments = {self.program(TREES[name])}\n"
                f"transfer_input_files = p{self._number}.py\nshould_transfer_files = YES\noutput = o{self._number}\n"
                f"initialdir = {self.pool.theirs}\n{more}queue\n"
            )
            self.check(f"tree {name}")
        self.gone(60)

    def processes(self, name: str) -> None:
        """A job whose processes do what they can."""
        self.submit(
            f"executable = {PYTHON}\ntransfer_executable = false\narguments = {self.program(PROCESSES[name])}\n"
            f"transfer_input_files = p{self._number}.py\nshould_transfer_files = YES\nqueue 2\n"
        )
        wait_for(lambda: any(row[1] != "1" for row in self.theirs()) or not self.theirs(), "it runs", 20)
        time.sleep(1)
        self.check(f"processes {name}")
        self.gone(40)

    def describe(self, name: str) -> None:
        """A submit description, in the queue and in the spool."""
        text = DESCRIPTIONS[name].replace("@", str(self.pool.private))
        self.submit(text)
        self.check(f"submit {name}")
        self.submit(text, "-spool")
        time.sleep(1)
        self.check(f"submit -spool {name}")
        self.gone(40)

    def connections(self) -> None:
        """Connections that never say anything, as many as there can be."""
        self._as_account("held = [link(d) for d in names for n in range(600)]\ntime.sleep(5)")

    def halves(self) -> None:
        """Messages that begin and do not go on, a byte a moment."""
        self._as_account(
            "held = [link(d) for d in names for n in range(100)]\nend = time.monotonic() + 5\n"
            "data = struct.pack('!II', 50, 1 << 26) + b'{\"op\": \"submit\"}' + b'x' * 100\nn = 0\n"
            "while time.monotonic() < end:\n  for l in held:\n    try: l and l.send(data[n:n + 1])\n"
            "    except OSError: pass\n"
            "  n += 1\n  time.sleep(0.05)"
        )

    def _as_account(self, body: str) -> None:
        """A program of the hostile account with connections to the daemons, and the check meanwhile."""
        program = (
            "import os, socket, struct, sys, time, resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))\n"
            f"names = {[str(self.pool.log / 'daemon_sock' / name) for name in DAEMONS]!r}\n"
            "def link(path):\n  s = socket.socket(socket.AF_UNIX); s.setblocking(False)\n"
            "  try: s.connect(path)\n  except OSError: return None\n  return s\n" + body
        )
        child = subprocess.Popen([PYTHON, "-I", "-c", program], user=STRANGER,
                                 group=pwd.getpwnam(STRANGER).pw_gid, extra_groups=[], cwd="/")  # fmt: skip
        time.sleep(1)
        try:
            self.check("connections")
        finally:
            child.wait()

    def theirs(self) -> list[list[str]]:
        """Ids and states of the jobs of the hostile account."""
        done = self.pool.tool("condor_q", "-constraint", f'Owner == "{STRANGER}"', "-af", "ClusterId", "JobStatus")
        return [line.split() for line in done.stdout.splitlines()]

    def gone(self, seconds: float) -> None:
        """Removes the jobs of the hostile account: its slots are free and its scratch directories gone in a while."""
        time.sleep(0.5)
        self.pool.tool("condor_rm", STRANGER, check=False)
        wait_for(lambda: not self.theirs(), lambda: f"its jobs are gone: {self.theirs()}", seconds)
        wait_for(
            lambda: not list(self.pool.execute.glob("dir_*")), lambda: f"{list(self.pool.execute.iterdir())}", seconds
        )
        wait_for(lambda: not self.left(), lambda: f"processes are left: {self.left()}", seconds)

    def left(self) -> list[str]:
        """Processes of the hostile account that are none of the pool's helpers."""
        uid = pwd.getpwnam(STRANGER).pw_uid
        return [each for each in _of_account(uid) if "daemons/main.py" not in each] if ALONE else []

    def check(self, after: str) -> None:
        """AssertionError for what others notice."""
        self.count += 1
        log = self.neighbours / f"n{self.count}.log"
        (self.neighbours / "n.sub").write_text(f"executable = /bin/true\nlog = {log.name}\nqueue\n")
        begun = time.monotonic()
        done = self.as_neighbour("condor_submit", "n.sub")
        assert done.returncode == 0, f"after {after}: {done.stderr}"
        wait_for(lambda: log.exists() and "\n001 " in log.read_text(), f"after {after}: the neighbour's job starts", 60)
        waited = time.monotonic() - begun
        self.waits.append((waited, after))
        assert waited < MOST_WAIT, f"after {after}: the neighbour waited {waited:.1f} s"
        for name, pid in self.daemons.items():
            assert self.pool.pid(name) == pid, f"after {after}: the {name} died"
        self.check_logs(after)
        private = self.pool.private
        assert (private / "inner" / "diary").read_text() == SECRET + "\n", f"after {after}: the diary was written"
        assert sorted(os.listdir(private / "inner")) == ["diary"], f"after {after}: {os.listdir(private / 'inner')}"
        for path in self.pool.theirs.rglob("got*"):
            assert SECRET not in path.read_text(errors="replace"), f"after {after}: {path} has the diary"

    def check_logs(self, after: str) -> None:
        """AssertionError for a traceback in a log."""
        for log in self.pool.log.glob("*Log*"):
            with log.open(errors="replace") as file:
                file.seek(self._seen.get(log.name, 0))
                text = file.read()
                self._seen[log.name] = file.tell()
            found = re.search(r"Traceback| ERROR ", text)
            assert not found, f"after {after}: {log.name}: {text[max(0, found.start() - 300) : found.start() + 3000]}"


def _of_account(uid: int) -> list[str]:
    found = []
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                if entry.stat().st_uid == uid:
                    found.append(f"{entry.name} {Path(entry.path, 'cmdline').read_bytes()[:200]!r}")
            except OSError:
                continue
    return found


def start(top: Path) -> SharedPool:
    """A pool of root with a job router."""
    pool = SharedPool(top / "pool", cpus=6, MEMORY="6000", MachineMaxVacateTime="3")
    (pool.directory / "local").mkdir(exist_ok=True)
    config = pool.directory / "config"
    config.write_text("DAEMON_LIST = MASTER SCHEDD NEGOTIATOR STARTD JOB_ROUTER\n" + ROUTES)
    pool.environment["CONDOR_CONFIG"] = str(config)
    assert pool.private.exists()
    pool.start()
    wait_for((pool.log / "JobRouterLog").exists, "the router is there")
    return pool


def attack(until: float, seed: int) -> int:
    """How many checks were made until a monotonic time. AssertionError for what was found; the script must be root."""
    assert os.geteuid() == 0, "only root's pools run jobs of other accounts"
    top = Path(tempfile.mkdtemp(prefix="condor_py-jobs-"))
    top.chmod(0o755)
    pool = start(top)
    try:
        hostile = HostileJobs(pool)
        attacks = hostile.attacks()
        random.Random(seed).shuffle(attacks)
        while attacks and time.monotonic() < until:
            _, step = attacks.pop()
            step()
        print(f"  longest wait of the neighbour {max(hostile.waits)[0]:.2f} s")
        return hostile.count
    finally:
        pool.stop()
        shutil.rmtree(top)
