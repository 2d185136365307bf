"""What must not happen while two accounts attack a pool of root, and the look at it after each attack."""

from __future__ import annotations

import errno
import os
import pwd
import re
import stat
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

from colluders import ACCOUNTS, COLLUDERS, DAEMONS, SECRET, VICTIM, AttackedPool
from pool import PATIENCE, runs, wait_for

from condor_py.model.ids import JobId
from condor_py.store.job_queue import JobQueue

_TRACEBACK = re.compile("Traceback [(]most recent call last[)]")
_FAULT = re.compile(r"Traceback \(most recent call last\)| ERROR ")
#: How a line of a daemon's log begins: with the time, or as a further line of a message.
_LINE = re.compile(r"\d\d/\d\d/\d\d \d\d:\d\d:\d\d|\s|$")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
#: What the victim's job keeps, whatever others do.
_KEPT = ("Owner", "User", "Cmd", "Iwd", "JobStatus", "JobPrio", "JobUniverse", "Out", "Args", "NumJobStarts")
#: What a daemon may grow by until the end, in KB.
_MOST_GROWTH = 400_000
#: Bytes of a file that are searched for the secret.
_SEARCHED = 1 << 20


class Judge:
    """The victim's side of one pool: ``check`` says what an attack has achieved."""

    def __init__(self, pool: AttackedPool) -> None:
        self.pool = pool
        self.daemons = {name: pool.pid(name) for name in DAEMONS}
        self._memory = {name: _resident(pid) for name, pid in self.daemons.items()}
        self._seen: dict[str, int] = {}
        # A job with RunAsOwner = false runs as nobody, where the pool has no other account for it.
        self._uids = {*(ACCOUNTS[name] for name in COLLUDERS), pwd.getpwnam("nobody").pw_uid}
        self._known: set[str] = set()
        self._closed = [self.pool.private, self.pool.crown]
        self._before = [_tree(path) for path in self._closed]
        self._count = 0
        done = pool.submit_as(
            VICTIM,
            "executable = /bin/sleep\ntransfer_executable = false\narguments = 100000\nlog = long.log\n"
            "output = long.out\nrequest_memory = 10\nrequest_disk = 1\nqueue\n",
        )
        found = re.search(r"cluster (\d+)", done.stdout)
        assert found, done.stderr
        self.job = JobId(int(found[1]), 0)
        wait_for(lambda: self._ad()["NumJobStarts"] == "1", "the victim's job runs")
        self._kept = self._ad()

    def _ad(self) -> dict[str, str]:
        queue = JobQueue(str(self.pool.spool / "job_queue.log"), readonly=True, lasting=False)
        ad = queue.job(self.job)
        return {name: (ad.text(name) or "") if ad is not None else "" for name in _KEPT}

    def check(self, heard: str) -> list[str]:
        """What an attack has achieved; ``heard`` is all that its accounts were told."""
        checks: tuple[Callable[[], Iterator[str]], ...] = (
            self._trophies, self._places, self._owned, self._daemons, self._logs, self._queue,
        )  # fmt: skip
        found = [f"they have read what is the victim's: {heard[-300:]!r}"] if SECRET in heard else []
        return found + [told for check in checks for told in check() if self._is_new(told)]

    def _is_new(self, told: str) -> bool:
        """Each is a finding once, with the attack that it came with."""
        if told in self._known:
            return False
        self._known.add(told)
        return True

    def _trophies(self) -> Iterator[str]:
        """Programs of theirs have run as themselves only."""
        for entry in os.scandir(self.pool.trophies):
            owner = entry.stat(follow_symlinks=False).st_uid
            if owner not in self._uids:
                yield f"a program of theirs ran as uid {owner}: {entry.name}"

    def _places(self) -> Iterator[str]:
        """Nothing has changed behind closed doors."""
        for path, before in zip(self._closed, self._before, strict=True):
            now = _tree(path)
            if now != before:
                yield f"{path.name} of {path.owner()} was changed: {sorted(set(now) ^ set(before))}"

    def _owned(self) -> Iterator[str]:
        """What is in their directories is theirs, and has nothing of the victim's."""
        for name in COLLUDERS:
            # They may exchange a directory for a link elsewhere at any moment: fwalk does not follow it.
            for top, folders, files, handle in os.fwalk(self.pool.home_of(name)):
                for each in (*folders, *files):
                    shown = os.path.join(top, each).removeprefix(str(self.pool.directory))
                    yield from self._about(each, handle, shown, name)

    def _about(self, file_name: str, folder: int, shown: str, name: str) -> Iterator[str]:
        try:
            status = os.stat(file_name, dir_fd=folder, follow_symlinks=False)
        except OSError:
            return
        if status.st_uid not in self._uids:
            yield f"{shown} belongs to uid {status.st_uid}, in a directory of {name}"
        if stat.S_ISREG(status.st_mode) and status.st_size:
            try:
                handle = os.open(file_name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
            except OSError as error:
                if error.errno in (errno.ENOENT, errno.ELOOP):  # taken away, or a link by now
                    return
                raise
            with open(handle, "rb") as file:
                has_secret = SECRET.encode() in file.read(_SEARCHED)
            if has_secret:
                yield f"{shown} has what is the victim's"

    def _daemons(self) -> Iterator[str]:
        for name, pid in self.daemons.items():
            if not runs(pid) or self.pool.pid(name) != pid:
                yield f"the {name} has ended"
            elif (grown := _resident(pid) - self._memory[name]) > _MOST_GROWTH:
                yield f"the {name} has grown by {grown} KB"

    def _logs(self) -> Iterator[str]:
        """Logs tell of no fault, and each line is a daemon's own."""
        for log in self.pool.log.glob("*Log*"):
            if log.name.startswith("SchedAudit"):
                continue
            before = self._seen.get(log.name, 0)
            with log.open("rb") as file:
                file.seek(before)
                data = file.read()
            data = data[: data.rfind(b"\n") + 1]  # the daemon may be at work on the last line
            self._seen[log.name] = before + len(data)
            text = data.decode("utf-8", "surrogateescape")
            of_theirs = log.name.startswith("Gridmanager")  # it works for one account, and says what is wrong there
            if fault := (_TRACEBACK if of_theirs else _FAULT).search(text):
                yield f"{log.name}: {text[max(0, fault.start() - 200) : fault.start() + 2500]}"
            for line in text.split("\n"):
                if not _LINE.match(line) or _CONTROL.search(line):
                    yield f"{log.name} has a line that is no daemon's own: {line[:300]!r}"

    def _queue(self) -> Iterator[str]:
        """The victim's job is untouched, and no job of theirs is called another's."""
        now = self._ad()
        if now != self._kept:
            yield f"the victim's job was changed: {sorted(set(now.items()) ^ set(self._kept.items()))}"
        queue = JobQueue(str(self.pool.spool / "job_queue.log"), readonly=True, lasting=False)
        for job, ad in queue.jobs():
            owner, user = ad.eval_str("Owner", ""), ad.eval_str("User", "")
            if job != self.job and owner not in COLLUDERS and not (owner == VICTIM and ad.text("OfTheVictim")):
                yield f"a job of theirs is called {owner}'s: {job}"
            if user and user.partition("@")[0] != owner:
                yield f"job {job} of {owner} counts for {user}"

    def serves(self) -> list[str]:
        """Whether the victim is served as ever: a job of theirs runs, and tools answer."""
        self._count += 1
        log = self.pool.home_of(VICTIM) / f"n{self._count}.log"
        done = self.pool.submit_as(
            VICTIM,
            f"executable = /bin/true\ntransfer_executable = false\nlog = {log.name}\n+OfTheVictim = true\n"
            "request_memory = 1\nrequest_disk = 1\npriority = 20\nqueue\n",
        )
        if done.returncode:
            return [f"the victim cannot submit: {done.stderr.strip()}"]
        try:
            wait_for(lambda: log.exists() and "\n005 " in log.read_text(), "it ran", 60)
        except AssertionError:
            return ["a job of the victim has not run for a minute"]
        return self._screens()

    def _screens(self) -> list[str]:
        """What root sees of their texts on a terminal has no control characters of theirs."""
        found = []
        for words in (
            ("condor_q", "-allusers", "-nobatch"), ("condor_q", "-allusers", "-hold"), ("condor_q", "-allusers"),
            ("condor_q", "-allusers", "-af", "Owner", "HoldReason", "Args", "JobBatchName", "Text"),
            ("condor_status", "-claimed"), ("condor_userprio", "-allusers"), ("condor_history", "-limit", "20"),
        ):  # fmt: skip
            shown = _on_a_terminal(self.pool, *words)
            if "\ufffd" not in shown and _CONTROL.search(_without_ours(shown)):
                found.append(f"{' '.join(words)} prints control characters: {shown[-500:]!r}")
            if "Traceback" in shown:
                found.append(f"{' '.join(words)} fails: {shown[-2000:]}")
        return [told for told in found if self._is_new(told)]


def _without_ours(shown: str) -> str:
    """A screen without what tools themselves send to a terminal: colours, line ends."""
    return re.sub(r"\x1b\[[0-9;]*m|\r\n|\r", "", shown)


def _on_a_terminal(pool: AttackedPool, *words: str) -> str:
    """Run a tool as root with a terminal as its output; what it prints."""
    reader, terminal = os.openpty()
    process = subprocess.Popen(
        [pool.python, "-I", "-S", str(Path(__file__).resolve().parents[2] / "condor_py" / "__main__.py"), *words],
        env={**pool.environment, "TERM": "xterm", "COLUMNS": "200"}, cwd=pool.work, stdin=subprocess.DEVNULL,
        stdout=terminal, stderr=terminal, start_new_session=True,
    )  # fmt: skip
    os.close(terminal)
    parts = []
    try:
        while part := os.read(reader, 1 << 16):
            parts.append(part)
    except OSError:  # the last process has closed the terminal
        pass
    os.close(reader)
    process.wait(60 * PATIENCE)
    return b"".join(parts).decode("utf-8", "surrogateescape")


def _tree(path: Path) -> list[tuple[str, int, int, int, bytes]]:
    """Name, mode, owner, number of names and content of all that is below a directory."""
    found = []
    for each in (path, *sorted(path.rglob("*"))):
        status = each.lstat()
        content = each.read_bytes() if stat.S_ISREG(status.st_mode) else b""
        names = status.st_nlink if stat.S_ISREG(status.st_mode) else 0
        found.append((str(each.relative_to(path)), status.st_mode, status.st_uid, names, content))
    return found


def _resident(pid: int) -> int:
    """KB of memory that a process has."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024
    except OSError:
        return 0
