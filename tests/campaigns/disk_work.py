"""Jobs of every kind that a user has while a disk is in trouble, and whether all of them ended as they had to."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "crash"))

from disk_pool import Account, BadPool, Command
from stories import story_of

from condor_py.model.errors import StoreError
from condor_py.store.event_log import EventReader

#: Events that say nothing of the state of a job.
_ASIDE = (6, 8, 21, 22, 23, 28, 33, 35, 36, 40)
_INPUT = "".join(f"line {number} of the input\n" for number in range(2000))
_HEAD = """executable = /bin/sh
arguments = "-c 'echo run >> {runs} && cat in && sleep {sleep} && printf %0{size}d 0 && cat in > made && echo whole'"
output = {name}.out.$(Process)
error = {name}.err.$(Process)
log = {log}
initialdir = {folder}
"""
_TRANSFER = """should_transfer_files = YES
transfer_input_files = in
transfer_output_files = made
transfer_output_remaps = "made = {name}.made.$(Process)"
"""
_PLAIN = "should_transfer_files = NO\n"
#: The forms of work and what is added to the description of each.
FORMS: dict[str, str] = {
    "transfer": _TRANSFER + "queue {count}\n",
    "plain": _PLAIN + "queue {count}\n",
    "local": "universe = local\n" + _PLAIN + "queue {count}\n",
    "factory": _TRANSFER + "max_materialize = 1\nqueue {count}\n",
    "spooled": _TRANSFER + "queue {count}\n",
    "dag": _TRANSFER + "queue\n",
}


class Work:
    """One submit of a form, whether it was told yes, and the jobs that came of it."""

    def __init__(self, pool: BadPool, account: Account, form: str, number: int, chance: Random) -> None:
        self.pool, self.account, self.form, self.name = pool, account, form, f"{form}{number}"
        self.count = chance.randint(1, 3)
        self._size = chance.choice([1, 5000, 200_000])
        self.cluster = 0
        self.log = account.real_logs / f"{self.name}.log"
        self._words = {
            "runs": pool.runs / f"{self.name}.$(Cluster).$(Process)", "sleep": f"{chance.uniform(0.0, 2.0):.1f}",
            "size": self._size, "name": self.name, "log": account.logs / f"{self.name}.log",
            "folder": account.folder, "count": self.count,
        }  # fmt: skip
        self.command: Command | None = None
        #: A command about its jobs that was given while the disk was in trouble: condor_qedit or condor_rm.
        self.order: Command | None = None

    def prepare(self) -> None:
        """Writes its files, past all trouble."""
        text = (_HEAD + FORMS[self.form]).format(**self._words)
        self._put(f"{self.name}.sub", text.replace(self.name + ".", "$(node).") if self.form == "dag" else text)
        self._put("in", _INPUT)
        if self.form == "dag":
            nodes = "".join(
                f'JOB {node} {self.name}.sub\nVARS {node} node="{self.name}{node}"\n' for node in ("A", "B")
            )
            self._put(f"{self.name}.dag", nodes + "PARENT A CHILD B\n")

    def _put(self, name: str, text: str) -> None:
        path = self.account.real_folder / name
        path.write_text(text)
        path.chmod(0o644)

    def submit(self) -> Command:
        """Begins the command; its answer counts once it has ended."""
        path = f"{self.account.folder}/{self.name}.sub"
        words = {
            "dag": ("condor_submit_dag", f"{self.name}.dag"),
            "spooled": ("condor_submit", "-spool", path),
        }.get(self.form, ("condor_submit", path))
        self.command = self.pool.begin(self.account, *words)
        return self.command

    def answered(self) -> str:
        """Takes what the command said; what is wrong with that, "" for nothing."""
        assert self.command is not None
        found = re.search(r"submitted to cluster (\d+)", self.command.out)
        if found and self.command.status == 0:
            self.cluster = int(found[1])
        if wrong := self.command.wrong():
            return f"{self.command}: {wrong}"
        if self.command.status == 0 and not found:
            return f"{self.command}: exit status 0, and no cluster: {self.command.out!r} {self.command.err!r}"
        return ""

    def give(self, order: str) -> None:
        """Begins an order about its jobs."""
        words = ("Noted", "7") if order == "condor_qedit" else ()
        self.order = self.pool.begin(self.account, order, str(self.cluster), *words)

    def _told_yes(self, order: str) -> bool:
        """Whether a command succeeded."""
        return self.order is not None and self.order.words[0] == order and self.order.status == 0

    def _told_later(self, order: str) -> bool:
        """Whether a command succeeded, or said that it will when the disk can be written again."""
        if self.order is None or self.order.words[0] != order:
            return False
        return self.order.status == 0 or "it is done when the queue can be written again" in self.order.err

    def _edited(self) -> int:
        """The number of jobs that condor_qedit says it has changed."""
        said = self.order.out if self.order is not None and self.order.status == 0 else ""
        found = re.search(r"for (\d+) matching jobs", said)
        return int(found[1]) if found else 0

    @property
    def jobs(self) -> list[str]:
        """The jobs that were acknowledged."""
        if not self.cluster:
            return []
        count = 1 if self.form == "dag" else self.count
        return [f"{self.cluster}.{proc}" for proc in range(count)]

    def check(self, history: dict[str, dict[str, str]], may_fail: bool) -> list[str]:
        """What is wrong with its jobs, all of which have left the queue."""
        wrong = []
        noted = [job for job in self.jobs if history.get(job, {}).get("Noted") == "7"]
        if self.form != "factory" and len(noted) < self._edited():
            wrong.append(f"{self.name} lost what condor_qedit gave {self._edited()} jobs: only {noted} have it")
        for job in self.jobs:
            record = history.get(job)
            if record is None and self.form == "factory" and self._told_later("condor_rm"):
                continue  # it was never made
            if record is None:
                wrong.append(f"{job} ({self.name}) is not in the history")
                continue
            if self.order is not None and self.order.words[0] == "condor_rm" and record["JobStatus"] == "3":
                continue
            if self._told_yes("condor_rm") and self.form != "factory" and not self._had_ended(record, history):
                wrong.append(f"{job} ({self.name}) was removed, and ended with JobStatus {record['JobStatus']}")
            if record["JobStatus"] != "4":
                wrong.append(
                    f"{job} ({self.name}) ended with JobStatus {record['JobStatus']}: {record['RemoveReason']}"
                )
            elif record["ExitCode"] != "0" and not may_fail:
                wrong.append(f"{job} ({self.name}) ended with exit code {record['ExitCode']}")
            if self.form != "dag":
                wrong += self._check_runs(job, record)
                if record["ExitCode"] == "0":
                    wrong += self._check_output(job.partition(".")[2], job)
        if self.jobs and self.form != "dag":
            wrong += self.check_log()
        return wrong

    def _had_ended(self, record: dict[str, str], history: dict[str, dict[str, str]]) -> bool:
        """Whether a job had ended by itself when others of its cluster were removed, which is a success for all."""
        others = [history[job] for job in self.jobs if job in history]
        removed = [int(other["EnteredCurrentStatus"]) for other in others if other["JobStatus"] == "3"]
        return record["JobStatus"] == "4" and int(record["EnteredCurrentStatus"]) <= max(removed, default=0)

    def _check_runs(self, job: str, record: dict[str, str]) -> list[str]:
        path = self.pool.runs / f"{self.name}.{job}"
        runs = path.read_text().count("run") if path.exists() else 0
        starts = record["NumShadowStarts"] if self.form != "local" else record["NumJobStarts"]
        if runs == 0 or (starts.isdecimal() and runs > int(starts)):
            return [f"{job} ({self.name}) ran {runs} times, and was started {starts} times as its ad has it"]
        return []

    def _check_output(self, proc: str, job: str) -> list[str]:
        wanted = f"{_INPUT}{'0' * self._size}whole\n"
        names = {f"{self.name}.out.{proc}": wanted}
        if self.form not in ("plain", "local"):
            names[f"{self.name}.made.{proc}"] = _INPUT
        wrong = []
        for name, text in names.items():
            path = self.account.real_folder / name
            found = path.read_text(errors="replace") if path.exists() else None
            if found != text:
                size = "missing" if found is None else f"{len(found)} bytes"
                wrong.append(f"{job}: its output {name} is {size}, not {len(text)}")
        return wrong

    def check_log(self) -> list[str]:
        """What is wrong with the event log."""
        stories: dict[str, list[int]] = {}
        try:
            for event in EventReader(str(self.log)).all():
                if event.proc >= 0 and event.number not in _ASIDE:
                    stories.setdefault(f"{event.cluster}.{event.proc}", []).append(event.number)
        except StoreError as error:
            return [f"the event log of {self.name} cannot be read: {error}"]
        for story in stories.values():
            if self._told_later("condor_rm") and story[-2:] == [5, 9]:  # removed while its output waited to be fetched
                story.pop()
        made = [job for job in self.jobs if job in stories or not self._told_later("condor_rm")]
        wrong = {job: (story_of(stories.get(job, [])), stories.get(job)) for job in made}
        return [
            f"the event log of {self.name} says of {job}: {why} {said}" for job, (why, said) in wrong.items() if why
        ]

    def clean(self) -> None:
        """Removes its files."""
        for folder in (self.account.real_folder, self.account.real_logs, self.pool.runs):
            for path in folder.glob(f"{self.name}*"):
                path.unlink()


def history_of(pool: BadPool, first: int) -> tuple[dict[str, dict[str, str]], list[str]]:
    """What the history has of the clusters from ``first`` on, and the jobs that it has more than once."""
    names = ["ClusterId", "ProcId", "JobStatus", "EnteredCurrentStatus", "ExitCode", "NumShadowStarts", "NumJobStarts"]
    names += ["Noted", "RemoveReason"]
    words = ("condor_history", "-constraint", f"ClusterId >= {first}", "-af:,", *names)
    rows = [line.split(", ", len(names) - 1) for line in pool.tool(*words).stdout.splitlines()]
    found = {f"{row[0]}.{row[1]}": dict(zip(names, row, strict=True)) for row in rows}
    counts = Counter(f"{row[0]}.{row[1]}" for row in rows)
    return found, [job for job, count in counts.items() if count > 1]


def settled(pool: BadPool, seen: Callable[[str, str, str], None], fetch: Callable[[int], None]) -> list[list[str]]:
    """Does what users do after a trouble: releases what is held, fetches what was spooled. The rest of the queue."""
    names = ("ClusterId", "ProcId", "JobStatus", "HoldReasonCode", "StageInFinish", "Owner", "HoldReason")
    done = pool.tool("condor_q", "-allusers", "-af:,", *names)
    rows = [line.split(", ", len(names) - 1) for line in done.stdout.splitlines()]
    held = [row for row in rows if row[2] == "5" and row[3] != "16"]
    for row in held:
        seen(f"{row[0]}.{row[1]}", row[3], row[6])
    if held:
        pool.tool("condor_release", *[f"{row[0]}.{row[1]}" for row in held], check=False)
    for cluster in {int(row[0]) for row in rows if row[2] == "4" and row[4] != "undefined"}:
        fetch(cluster)
    return rows
