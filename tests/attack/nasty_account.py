"""The account that is nasty, as a program: ``nasty_account.py SOCKETS HOME`` takes [kind, door, attribute, values], a
line of JSON each, puts jobs into the queue, and answers [what was refused and why, how it failed].
"""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from condor_py import bindings as htcondor
from condor_py.client.wire import Client

#: Jobs of each value; the first of each three runs before the others.
_EACH = 3
_FIRST = "ifThenElse(ProcId % 3 == 0, 10, 0)"
#: What a costly expression doubles: each attribute is twice the one before.
_DOUBLING = {"A0": "1"} | {f"A{n}": f"A{n - 1} + A{n - 1}" for n in range(1, 41)}
_BASE = {
    "JobUniverse": "5", "Cmd": '"/bin/true"', "TransferExecutable": "false", "ShouldTransferFiles": '"IF_NEEDED"',
    "RequestCpus": "1", "RequestMemory": "1", "RequestDisk": "1", "Requirements": "true", "In": '"/dev/null"',
    "Out": '"/dev/null"', "Err": '"/dev/null"', "JobPrio": _FIRST,
}  # fmt: skip


#: Kinds of jobs, by what they have beside that: each lets other attributes count.
KINDS = {
    "plain": {},
    "transfer": {
        "ShouldTransferFiles": '"YES"', "WhenToTransferOutput": '"ON_EXIT_OR_EVICT"', "TransferInput": '"n.in"',
        "TransferExecutable": "true", "Out": '"n.out"', "Err": '"n.err"',
    },
    "local": {"JobUniverse": "12"},
    "scheduler": {"JobUniverse": "7"},
    "again": {"OnExitRemove": "NumJobStarts > 2", "JobMaxRetries": "2", "SuccessCheckpointExitCode": "85"},
    "fails": {"Args": '"-c false"', "Arguments": '"-c false"', "Cmd": '"/bin/sh"', "OnExitHold": "true"},
    "cron": {"CronMinute": '"*"', "DeferralWindow": "60"},
    "docker": {"WantDocker": "true", "DockerImage": '"nowhere/nothing"'},
    "container": {"WantContainer": "true", "ContainerImage": '"/tmp/nothing.sif"'},
    "vm": {"JobUniverse": "13", "JobVMType": '"kvm"', "JobVMMemory": "64", "VMPARAM_vm_Disk": '"n.img:vda:w:raw"'},
    "grid": {"JobUniverse": "9", "GridResource": '"batch slurm"'},
    "parallel": {"JobUniverse": "11", "MinHosts": "2", "MaxHosts": "2"},
    "java": {"JobUniverse": "10"},
}  # fmt: skip
#: What submit descriptions of other universes cannot do without.
_NEEDED = {
    "vm": {"vm_type": "kvm", "vm_memory": "64", "vm_disk": "n.img:vda:w:raw"},
    "grid": {"grid_resource": "batch slurm"},
    "parallel": {"machine_count": "2"},
    "java": {"arguments": "Main"},
}
_UNIVERSES = {"12": "local", "7": "scheduler", "13": "vm", "9": "grid", "11": "parallel", "10": "java"}
#: What is told of a value: why it was refused, or (a traceback) how the client failed over it.
Told = dict[str, str]


class Nasty:
    """Each public method is a way into the queue: it puts jobs with all the values there, and returns which of them
    were refused, and why."""

    def __init__(self, sockets: str, home: str) -> None:
        self._path = f"{sockets}/schedd"
        self._home = home
        self._schedd = htcondor.Schedd()
        self.kind: dict[str, str] = {}
        Path(home, "n.in").write_text("in\n")

    def submit(self, name: str, values: list[str]) -> Told:
        """Submit descriptions."""
        return {value: why for value in values if (why := _refusal(lambda value=value: self._described(name, value)))}

    def _described(self, name: str, value: str) -> None:
        self._schedd.submit(htcondor.Submit(self._description({f"+{name}": value})), count=_EACH)

    def qedit(self, name: str, values: list[str]) -> Told:
        """Edits of jobs that are held, and released then."""
        held = htcondor.Submit(self._description({"hold": "true"}))
        cluster = self._schedd.submit(held, count=_EACH * len(values)).cluster()
        refused: Told = {}
        for number, value in enumerate(values):
            jobs = [f"{cluster}.{proc}" for proc in range(_EACH * number, _EACH * (number + 1))]
            if why := _refusal(lambda jobs=jobs, value=value: self._schedd.edit(jobs, name, value)):
                refused[value] = why
        self._schedd.act(htcondor.JobAction.Release, str(cluster))
        return refused

    def raw(self, name: str, values: list[str]) -> Told:
        """Messages to the schedd, past all that our own tools look at."""
        return self._raw([({name: value}, value) for value in values])

    def transform(self, name: str, values: list[str]) -> Told:
        """A job transform of the pool's sets the attribute."""
        return self._raw([({"NastyName": f'"{name}"', "NastyValue": value}, value) for value in values])

    def router(self, name: str, values: list[str]) -> Told:
        """A route sets the attribute in the copy."""
        more = {"NastyRoute": "true", "NastyRouted": f'"{name}"'}
        return self._raw([({**more, "NastyValue": value}, value) for value in values])

    def _description(self, more: dict[str, str]) -> dict[str, str]:
        files = {"executable": "/bin/true", "transfer_executable": "false", "initialdir": self._home, "log": "n.log"}
        wants = {"request_memory": "1", "request_disk": "1", "requirements": "true", "+JobPrio": _FIRST}
        kind = {f"+{name}": text for name, text in self.kind.items() if name != "JobUniverse"}
        universe = _UNIVERSES.get(self.kind.get("JobUniverse", ""), "vanilla")
        late = {f"+{name}": text for name, text in _DOUBLING.items()}
        return {**files, **wants, **kind, **late, "universe": universe, **_NEEDED.get(universe, {}), **more}

    def _raw(self, wanted: list[tuple[dict[str, str], str]]) -> Told:
        """Each a cluster of its own."""
        with Client(self._path, 60.0) as client:
            client.send({"op": "new-clusters", "count": len(wanted)})
            first = client.receive()[0]["first"]
            return self._sent(client, [(number, *one) for number, one in enumerate(wanted, first)])

    def _sent(self, client: Client, wanted: list[tuple[int, dict[str, str], str]]) -> Told:
        """All in one message; where that is refused, each half by itself."""
        jobs = [[["JobStatus", "1"]]] * _EACH
        clusters = [[number, self._ad(more), jobs, None] for number, more, _ in wanted]
        client.send({"op": "submit"}, json.dumps(clusters).encode())
        answer = client.receive()[0]
        if answer.get("ok"):
            return {}
        if len(wanted) == 1:
            return {wanted[0][2]: str(answer.get("error"))}
        half = len(wanted) // 2
        return self._sent(client, wanted[:half]) | self._sent(client, wanted[half:])

    def _ad(self, more: dict[str, str]) -> list[tuple[str, str]]:
        base = {**_BASE, "Iwd": f'"{self._home}"', "UserLog": f'"{self._home}/n.log"', **_DOUBLING, **self.kind}
        lower = {name.lower() for name in more}
        return [(name, text) for name, text in base.items() if name.lower() not in lower] + [*more.items()]


def _refusal(step: Callable[[], object]) -> str:
    """What a refusal says, or how else the client failed; "" for what was done."""
    try:
        step()
    except (htcondor.HTCondorException, ValueError, TypeError) as error:
        return str(error) or traceback.format_exc()
    except Exception:
        return traceback.format_exc()
    return ""


def main() -> None:
    """Answers with what was refused, and how the account's own program failed."""
    nasty = Nasty(*sys.argv[1:])
    for line in sys.stdin:
        kind, door, name, values = json.loads(line)
        refused, failed = {}, ""
        nasty.kind = KINDS[kind]
        try:
            refused = getattr(nasty, door)(name, values)
        except Exception:
            failed = traceback.format_exc()
        print(json.dumps([refused, failed]), flush=True)


if __name__ == "__main__":
    main()
