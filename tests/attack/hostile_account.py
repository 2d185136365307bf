"""An account that attacks a pool of root over the daemons' sockets, and the measure of what others notice of it.

It says what the Python bindings could send if they were changed by hand: every operation with arguments of every kind,
ads of every value, messages that never end, requests for everything at once. Meanwhile somebody else asks for an
answer, and the memory of the daemons is looked at.
"""

from __future__ import annotations

import json
import os
import pwd
import random
import shutil
import signal
import socket
import struct
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from hostile import VALUES, attributes
from pool import PersonalPool

from condor_py.client.wire import Client, WireError, connect, encode
from condor_py.model.messages.claims import BY_STARTD
from condor_py.model.messages.cycles import BY_NEGOTIATOR
from condor_py.model.messages.master import BY_MASTER
from condor_py.model.messages.queue import BY_SCHEDD

ACCOUNT = "nobody"
DAEMONS = ("master", "schedd", "startd", "negotiator")
#: What a daemon may grow by while it is attacked, and what may be left of it afterwards, in KB.
MOST_GROWTH = 900_000
MOST_LEFT = 250_000
#: A policy that asks the jobs for what they may well answer at length.
ASKING = {
    "START": "TARGET.Mischief =!= 5",
    "PREEMPT": "TARGET.Mischief =?= 5",
    "RANK": "TARGET.Mischief",
    "MAXJOBRETIREMENTTIME": "TARGET.Mischief",
    "POLLING_INTERVAL": "1",
}
#: Seconds that somebody else may wait for an answer.
MOST_WAIT = 3.0
_VOCABULARIES = (BY_MASTER, BY_SCHEDD, BY_STARTD, BY_NEGOTIATOR)
_OPS = sorted({op for words in _VOCABULARIES for op in words.kinds} | {"x"})
_KEYS = sorted({name for words in _VOCABULARIES for kind in words.kinds.values() for name in kind.__match_args__})
_ACTIONS = ("hold", "release", "remove", "removex", "suspend", "continue", "vacate", "vacate-fast", "nothing")


class Attacker:
    """Attacks in the attacking process, each a method; ``sockets`` is where the daemons listen."""

    def __init__(self, sockets: str, seed: int) -> None:
        self._sockets = sockets
        self._chance = random.Random(seed)
        self._jobs: list[list[int]] = [[1, 0]]

    def go(self, until: float) -> int:
        """Attacks until a monotonic time; how many there were."""
        attacks: list[Callable[[], None]] = [
            self.any_request, self.any_request, self.any_submit, self.any_submit, self.many_numbers, self.unfinished,
            self.empty_procs, self.many_ids, self.costly_constraint, self.costly_job, self.deaf, self.noise,
            self.descriptors,
        ]  # fmt: skip
        count = 0
        while time.monotonic() < until:
            try:
                self._chance.choice(attacks)()
            except (WireError, OSError):
                pass  # refused: so it should be
            count += 1
        return count

    def _path(self, daemon: str = "") -> str:
        return f"{self._sockets}/{daemon or self._chance.choice(DAEMONS)}"

    def _value(self, depth: int = 0) -> Any:
        chance = self._chance
        choices: list[Any] = [
            None, True, 0, -1, 1 << 70, 1e308, float("inf"), "", "x" * 1000, "\ud800", "a\nb", "\0",
            chance.choice(VALUES), chance.choice(self._jobs), self._jobs, "ProcId >= 0", chance.choice(attributes()),
            chance.choice(_ACTIONS),
        ]  # fmt: skip
        if depth < 3:
            choices += [[self._value(depth + 1) for _ in range(chance.randint(0, 4))]] * 3
            choices.append({chance.choice(_KEYS): self._value(depth + 1)})
        return chance.choice(choices)

    def any_request(self) -> None:
        """Every operation, with arguments of every kind."""
        head = {"op": self._chance.choice(_OPS)}
        head |= {key: self._value() for key in self._chance.sample(_KEYS, self._chance.randint(0, 6))}
        with Client(self._path(), 2.0) as client:
            client.send(head, json.dumps(self._value()).encode())
            client.receive()

    def any_submit(self) -> None:
        """A job of hostile attributes, then everything that may be done to one's own job."""
        chance = self._chance
        ad = {"Cmd": '"/bin/true"', "JobUniverse": "5", "RequestCpus": "1", "RequestMemory": "1", "RequestDisk": "1"}
        ad |= {name: chance.choice(VALUES) for name in chance.sample(attributes(), chance.randint(1, 8))}
        with Client(self._path("schedd"), 5.0) as client:
            client.send({"op": "new-clusters", "count": 1})
            first = client.receive()[0].get("first")
            if first is None:
                return
            procs = [[["ProcId", str(proc)], ["JobStatus", "1"]] for proc in range(2)]
            pairs = [[name, text] for name, text in ad.items() if text.isprintable()]
            client.send({"op": "submit"}, json.dumps([[first, pairs, procs, None]]).encode())
            client.receive()
            self._jobs = [*self._jobs[-20:], [first, 0], [first, 1]]
            change = [[chance.choice(attributes()), chance.choice(VALUES)]]
            client.send({"op": "edit", "ids": self._jobs, "assignments": change})
            client.receive()
            for action in chance.sample(_ACTIONS, 2):
                client.send({"op": "act", "action": action, "ids": self._jobs, "reason": "x" * 300})
                client.receive()

    def many_numbers(self) -> None:
        """All cluster numbers there are."""
        with Client(self._path("schedd"), 5.0) as client:
            for _ in range(50):
                client.send({"op": "new-clusters", "count": 10_000})
                client.receive()

    def unfinished(self) -> None:
        """Messages of 60 MB whose last byte never comes."""
        links = [connect(self._path("schedd"), 2.0) for _ in range(8)]
        data = struct.pack("!II", 2, 60 << 20) + b"{}" + b"x" * (4 << 20)
        for link in links:
            link.setblocking(False)
        for _ in range(200):
            for link in links:
                try:
                    link.send(data[: 1 << 20])
                except BlockingIOError:
                    time.sleep(0.001)
                except OSError:
                    continue
        for link in links:
            link.close()

    def empty_procs(self) -> None:
        """Millions of jobs without attributes in one submit."""
        with Client(self._path("schedd"), 30.0) as client:
            client.send({"op": "new-clusters", "count": 1})
            first = client.receive()[0].get("first", 1)
            count = self._chance.choice([100_000, 3_000_000, 20_000_000])
            client.send({"op": "submit"}, b'[[%d,[["Cmd","x"]],[' % first + b"[]," * count + b"[]],null]]")
            client.receive()

    def many_ids(self) -> None:
        """Half a million jobs that are not there."""
        with Client(self._path("schedd"), 30.0) as client:
            client.send({"op": "act", "action": "hold", "ids": [[1, n] for n in range(500_000)]})
            client.receive()

    def costly_constraint(self) -> None:
        """Work without end for each job of the queue."""
        deep = "(" * 300 + "ProcId" + " + 1)" * 300
        text = self._chance.choice([deep, "regexp('(a+)+$', strcat('" + "a" * 60 + "', 'b'))", "size({1}) == 1"])
        with Client(self._path("schedd"), 30.0) as client:
            client.send({"op": "act", "action": "hold", "constraint": text})
            client.receive()

    def costly_job(self) -> None:
        """Expressions that double, wherever an expression of a job is evaluated."""
        doubling = {"A0": "1"} | {f"A{n}": f"A{n - 1} + A{n - 1}" for n in range(1, 45)}
        ad = {"Cmd": '"/bin/sleep"', "Arguments": '"2"', "JobUniverse": "5", "RequestCpus": "1", "RequestMemory": "1"}
        ad |= {"RequestDisk": "1", "Mischief": "A44", "Requirements": "true", **doubling}
        ad |= dict.fromkeys(self._chance.sample(attributes(), self._chance.randint(0, 3)), "A44")
        with Client(self._path("schedd"), 5.0) as client:
            client.send({"op": "new-clusters", "count": 1})
            first = client.receive()[0].get("first")
            if first is not None:
                procs = [[["ProcId", str(proc)], ["JobStatus", "1"]] for proc in range(4)]
                client.send({"op": "submit"}, json.dumps([[first, list(ad.items()), procs, None]]).encode())
                client.receive()

    def deaf(self) -> None:
        """Asks and asks and never reads."""
        with connect(self._path("schedd"), 2.0) as link:
            link.setblocking(False)
            for _ in range(300):
                try:
                    link.send(encode({"op": "query"}) * 20)
                except OSError:
                    return

    def noise(self) -> None:
        """Bytes."""
        with connect(self._path(), 2.0) as link:
            link.sendall(self._chance.randbytes(self._chance.randint(1, 3000)))

    def descriptors(self) -> None:
        """Open files that nobody asked for."""
        with connect(self._path(), 2.0) as link, open("/dev/null", "rb") as file:
            socket.send_fds(link, [encode({"op": "sync"})], [file.fileno()] * 8)


def _rss(pid: int) -> int:
    """Resident KB."""
    with open(f"/proc/{pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024


class Observer:
    """What somebody else sees of the pool meanwhile."""

    def __init__(self, pool: PersonalPool) -> None:
        self._pool = pool
        self.pids = {name: pool.pid(name) for name in DAEMONS}
        self._first = {name: _rss(pid) for name, pid in self.pids.items()}
        self.peak = dict(self._first)
        self.wait = 0.0

    def look(self) -> None:
        """Asks every daemon, and looks at its memory. AssertionError for what others would notice."""
        for name, pid in self.pids.items():
            assert self._pool.pid(name) == pid, f"the {name} ended"
            self.peak[name] = max(self.peak[name], _rss(pid))
            assert self.peak[name] - self._first[name] < MOST_GROWTH, f"the {name} has {self.peak[name]} KB"
        for name in ("schedd", "startd"):
            begun = time.monotonic()
            with Client(str(self._pool.log / "daemon_sock" / name), 30.0) as client:
                client.send({"op": "sync"} if name == "schedd" else {"op": "config-get", "names": ["START"]})
                client.receive()
            waited = time.monotonic() - begun
            self.wait = max(self.wait, waited)
            assert waited < MOST_WAIT, f"somebody else waited {waited:.1f} s for an answer of the {name}"

    def end(self) -> None:
        """A job of somebody else still runs, the memory is given back, no daemon failed over anything."""
        self._pool.submit("executable = /bin/true\nlog = good.log\nqueue 2\n")
        self._pool.wait("good.log", 60)
        for name, pid in self.pids.items():
            left = _rss(pid) - self._first[name]
            assert left < MOST_LEFT, f"{left} KB are left of the attack in the {name}"
        for log in self._pool.log.glob("*Log*"):
            lines = log.read_text(errors="replace").splitlines()
            for number, line in enumerate(lines):
                assert " ERROR " not in line, f"{log.name}: " + "\n".join(lines[number : number + 40])


def attack(until: float, seed: int) -> int:
    """A pool of root, attacked by another account until a monotonic time; the number of attacks."""
    if os.geteuid() != 0:
        print("an account that attacks needs a pool of root: not done")
        return 0
    folder = Path(tempfile.mkdtemp(prefix="attacked-", dir="/tmp"))
    folder.chmod(0o755)
    pool = PersonalPool(folder / "pool", cpus=2, MAX_JOBS_PER_OWNER="3000", **ASKING)
    pool.directory.chmod(0o755)
    pool.start()
    try:
        observer = Observer(pool)
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            _as_account(str(pool.log / "daemon_sock"), until, seed, writer)
        os.close(writer)
        while time.monotonic() < until:
            observer.look()
            time.sleep(0.05)
        with os.fdopen(reader) as told:
            count = int(told.read() or 0)
        os.waitpid(child, 0)
        pool.tool("condor_rm", "-all")
        observer.end()
        print(f"  longest wait of somebody else {observer.wait:.2f} s, peaks {observer.peak} KB")
        return count
    finally:
        pool.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _as_account(sockets: str, until: float, seed: int, writer: int) -> None:
    """The attacking process; does not return."""
    signal.alarm(int(until - time.monotonic()) + 120)
    count = 0
    try:
        account = pwd.getpwnam(ACCOUNT)
        os.setgroups([])
        os.setgid(account.pw_gid)
        os.setuid(account.pw_uid)
        count = Attacker(sockets, seed).go(until)
    finally:
        os.write(writer, str(count).encode())
        os._exit(0)
