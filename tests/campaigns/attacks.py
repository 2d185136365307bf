#!/usr/bin/env python3
"""Attacks a pool of root by two accounts that work together, in all universes that the pool has.

Mallory's jobs, files and messages are the attack; directories of eve change meanwhile; a third account, whose job
runs all the time, and root must not notice. -n attacks are drawn, each with paths, texts and universes that the seed
chooses. tests/attack/collusion.py has them, each with what would be a success; what must not happen in any of them
(collusion_judge.py) is looked for after each: something behind a closed door is read or changed, a program of theirs
runs as another account, a file of theirs belongs to another, a daemon ends, fails or grows, a log has lines of theirs,
a terminal gets control characters of theirs, the victim is not served within a minute.

It needs root, mount namespaces, and a Python that all accounts may run. Containers are attacked where there are podman,
runc and busybox, grid jobs with a batch system of scripts, virtual machines where there is qemu.
"""

from __future__ import annotations

import argparse
import importlib.util
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

_TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(_TESTS / each) for each in ("attack", "e2e", "unit/starter", "campaigns")]
sys.path.insert(0, str(_TESTS.parent))

import campaign as campaigns
from campaign import Campaign, CannotRun
from colluders import VICTIM, AttackedPool, attacked_pool, interpreter, why_not
from collusion import ATTACKS, UNIVERSES, WEIGHTS, Ring, signs_of_success
from collusion_judge import Judge
from containers import LIMITS, make_engine, remove_engine
from containers import why_not as why_no_engine

#: Attacks between two looks at what the victim is served.
_OFTEN = 5
#: A batch system of scripts: what is submitted runs at once, and is known as long as it does.
_SLURM = {
    "sbatch": "f=$(mktemp -p {top}); cat >$f 2>/dev/null\n"
    "for a; do last=$a; case $a in --chdir=*) d=${{a#*=}};; esac; done\n"
    '[ -s $f ] || f=$last\ncd "$d" 2>/dev/null; setsid sh $f >/dev/null 2>&1 & echo $!\n',
    "squeue": "exit 0\n",
    "scancel": "kill $2 $1 2>/dev/null; exit 0\n",
}  # fmt: skip


def options(parser: argparse.ArgumentParser) -> None:
    """Options of this campaign."""
    parser.add_argument("-only", nargs="+", choices=sorted(ATTACKS), metavar="ATTACK", help="these attacks alone")
    parser.add_argument("-v", action="store_true", help="print each attack and how long it took")
    parser.add_argument("-quick", action="store_true", help="load the modules of their tools once")
    parser.add_argument("-plain", action="store_true", help="without containers and virtual machines")


@contextmanager
def pool_of_all_universes(plain: bool) -> Iterator[tuple[AttackedPool, list[str]]]:
    """A pool, and the names of the universes that it has."""
    knobs = {"WEB_PORT": "0", "WEB_ALLOW_ACTIONS": "true", "JOB_RENICE_INCREMENT": "0"}
    if importlib.util.find_spec("starlette") and importlib.util.find_spec("uvicorn"):
        knobs["DAEMON_LIST"] = "MASTER SCHEDD NEGOTIATOR STARTD CREDD WEB"
    with ExitStack() as stack:
        top = Path(tempfile.mkdtemp(prefix="condor_py-universes-"))
        stack.callback(shutil.rmtree, top, ignore_errors=True)
        top.chmod(0o755)
        there = ["vanilla", "local", "scheduler", "parallel", "grid"]
        (top / "bin").mkdir()
        (top / "batch").mkdir()
        (top / "batch").chmod(0o1777)
        for name, text in _SLURM.items():
            (top / "bin" / name).write_text(f"#!/bin/sh\n{text.format(top=top / 'batch')}")
            (top / "bin" / name).chmod(0o755)
        if not plain and not why_no_engine():
            engine = make_engine(top)
            stack.callback(remove_engine, engine)
            knobs |= {"DOCKER": engine, "DOCKER_TRUST_LOCAL_IMAGES": "true", "DOCKER_EXTRA_ARGUMENTS": LIMITS}
            there.append("container")
        if not plain and shutil.which("qemu-system-x86_64"):
            knobs |= {"VM_TYPE": "kvm", "VM_MEMORY": "100", "VM_MAX_NUMBER": "2", "VM_EMULATE": "true"}
            there.append("vm")
        pool = stack.enter_context(attacked_pool(path=str(top / "bin"), **knobs))
        yield pool, there


def carry_out(campaign: Campaign) -> None:
    """All attacks of a run."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # the pool is taken down then, too
    if reason := why_not() or ("" if interpreter() else "no Python 3.11 here that all accounts may run"):
        raise CannotRun(reason)
    chosen = campaign.options.only or list(ATTACKS)
    weights = [WEIGHTS.get(name, 1) for name in chosen]
    kinds: Counter[str] = Counter()
    with pool_of_all_universes(campaign.options.plain) as (pool, universes):
        pool.is_quick = campaign.options.quick
        judge = Judge(pool)
        store_secret(pool)
        ring = Ring(pool, campaign.choose, universes, judge.job)
        for number in range(campaign.size):
            name = campaign.choose.choices(chosen, weights)[0]
            kinds[name] += 1
            begun = time.monotonic()
            told = one(ring, judge, name)
            if campaign.options.v:
                print(f"{number} {name}: {time.monotonic() - begun:.1f} s", file=sys.stderr)
            campaign.step()
            if number % _OFTEN == _OFTEN - 1 or number == campaign.size - 1:
                told += judge.serves()
            for finding in told:
                campaign.found(f"attack {number} ({name}): {finding}")
            if any("has ended" in finding for finding in told):
                break  # the others would only say the same
        campaign.figures |= {
            "universes": [name for name in UNIVERSES if name in universes], "kinds": dict(sorted(kinds.items())),
            "refused": ring.refused,
        }  # fmt: skip


def one(ring: Ring, judge: Judge, name: str) -> list[str]:
    """Try one attack; what it has achieved."""
    ring.heard = ""
    told: list[str] = []
    try:
        ATTACKS[name](ring)
    except AssertionError as error:
        told.append(str(error))
    told += signs_of_success(ring.heard) + judge.check(ring.heard)
    try:
        ring.settle()
    except AssertionError as error:
        told.append(str(error))
    return told + signs_of_success(ring.heard) + judge.check(ring.heard)


def store_secret(pool: AttackedPool) -> None:
    """The victim has a credential, which is as secret as the diary."""
    pool.file_of(VICTIM, "token", "dear diary\n", 0o600)
    done = pool.tool_as(VICTIM, "condor_store_cred", "add-oauth", "-s", "box", "-P", "-i", "token")
    if done.returncode:
        raise CannotRun(f"the victim cannot store a credential: {done.stderr.strip()}")


if __name__ == "__main__":
    sys.exit(campaigns.main(carry_out, name="attacks", about=__doc__, unit="attacks", size=200, options=options))
