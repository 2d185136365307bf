"""From a bare machine to the output of a first job: ``python tests/bench/first_job.py [options] [NAME ...]``.

Each contestant starts in a fresh copy of the same Debian root, in which there are Python with its venv module, git and
an account ``alice``, and gets the lines that its own papers tell a newcomer to type. The clock runs from the first line
to ``hello`` in the output of a job. Packages come over the network: compare figures of one run only. For root (chroot,
overlayfs); the first run makes the root with debootstrap.

    -roots DIR     where the Debian root is kept (.first-job below the checkout)
    -suite NAME    Debian's suite (trixie)
    -rounds N      rounds, of which medians are printed; contestants take turns (1)
    -show          print what each contestant prints, too
    -json          a line of JSON for each contestant instead of the table
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_PACKAGES = "ca-certificates,git,python3,python3-venv"
#: Where the certificates of the machine are: a proxy between it and the network may have its own.
_CERTIFICATES = "etc/ssl/certs/ca-certificates.crt"
#: Seconds after which a contestant has failed.
_LIMIT = 600
#: Without other processes: what a contestant leaves running ends with it.
_ALONE = ("unshare", "--mount", "--pid", "--fork", "--kill-child", "--ipc")
#: Of the environment: how packages are fetched on this machine.
_NETWORK = ("http_proxy", "https_proxy", "no_proxy")


@dataclass(frozen=True)
class Contestant:
    """What a newcomer types: first as root, then as an ordinary account in an empty home. ``offers`` is what the lines
    give besides one job that has run."""

    name: str
    offers: str
    user: str
    root: str = ""


_SLURM = """\
apt-get update
apt-get install -y slurm-wlm
cat >/etc/slurm/slurm.conf <<END
ClusterName=first
SlurmctldHost=$(hostname)
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SlurmUser=root
StateSaveLocation=/var/lib/slurm/state
SlurmdSpoolDir=/var/lib/slurm/slurmd
ReturnToService=2
NodeName=$(hostname) CPUs=$(nproc)
PartitionName=all Nodes=ALL Default=YES
END
echo CgroupPlugin=disabled >/etc/slurm/cgroup.conf
mkdir -p /var/lib/slurm/state /var/lib/slurm/slurmd /run/munge
chown munge: /run/munge
runuser -u munge munged
slurmctld
slurmd
"""
_HTCONDOR = """\
apt-get update
apt-get install -y htcondor
cat >/etc/condor/config.d/00-one-machine <<END
use ROLE: CentralManager
use ROLE: Submit
use ROLE: Execute
CONDOR_HOST = 127.0.0.1
NETWORK_INTERFACE = 127.0.0.1
use SECURITY: HOST_BASED
ALLOW_READ = *
ALLOW_WRITE = *
ALLOW_DAEMON = *
END
condor_master
"""
_SUBMIT = """\
cat >hello.sub <<END
executable = /bin/echo
arguments  = hello
output     = hello.out
log        = hello.log
queue
END
condor_submit hello.sub
condor_wait hello.log
cat hello.out
"""
_APT = "apt-get update\napt-get install -y {}\n"
_HYPERQUEUE = """\
python3 -m venv hq
hq/bin/pip install hyperqueue
cat >hello.py <<END
from hyperqueue import Job, LocalCluster
from hyperqueue.cluster import WorkerConfig
with LocalCluster(worker_config=WorkerConfig()) as cluster:
    client = cluster.client()
    job = Job()
    job.program(["/bin/echo", "hello"], stdout="hello.out")
    client.wait_for_jobs([client.submit(job)])
END
hq/bin/python hello.py
cat hello.out
"""
_GFLOW = """\
python3 -m venv gflow
gflow/bin/pip install runqd
export PATH=$PWD/gflow/bin:$PATH
gflowd up
printf '#!/bin/sh\\necho hello >hello.out\\n' >hello.sh
chmod +x hello.sh
gbatch ./hello.sh
until [ -s hello.out ]; do sleep 0.1; done
cat hello.out
"""

CONTESTANTS = (
    Contestant(
        "condor_py, wheel",
        "queue, fair share",
        "python3 -m venv condor\ncondor/bin/pip install /wheel/*.whl\nexport PATH=$PWD/condor/bin:$PATH\n"
        "condor_master\ncondor_run echo hello\n",
    ),
    Contestant(
        "condor_py, cloned",
        "queue, fair share",
        "git clone -q /source condor_py\ncondor_py/bin/quickstart --keep\nexport PATH=$PWD/condor_py/bin:$PATH\n"
        "condor_run echo hello\n",
    ),
    Contestant("HTCondor", "queue, fair share", _SUBMIT, _HTCONDOR),
    Contestant("Slurm", "queue; fair share needs a database", "srun echo hello\n", _SLURM),
    Contestant("HyperQueue", "queue", _HYPERQUEUE),
    Contestant("gflow", "queue, fair share", _GFLOW, _APT.format("tmux")),
    Contestant("task-spooler", "queue", "tsp echo hello\ntsp -c\n", _APT.format("task-spooler")),
    Contestant("GNU parallel", "no queue", "parallel echo ::: hello\n", _APT.format("parallel")),
)  # fmt: skip


@dataclass
class Result:
    """What the rounds of a contestant gave; ``failed`` is why there are no figures."""

    seconds: list[float] = field(default_factory=list)
    printed: int = 0
    megabytes: int = 0
    failed: str = ""


def make_root(directory: Path, suite: str) -> Path:
    """Return the Debian root that contestants start from; made once."""
    root = directory / suite
    if not (root / "made").exists():
        print(f"first_job: debootstrap {suite} into {root}", file=sys.stderr)
        shutil.rmtree(root, ignore_errors=True)
        directory.mkdir(parents=True, exist_ok=True)
        command = ["debootstrap", "--variant=minbase", f"--include={_PACKAGES}", suite, str(root)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["chroot", root, "useradd", "-m", "-s", "/bin/bash", "alice"], check=True)
        (root / "made").touch()
    return root


def build_wheel(directory: str) -> None:
    """Put a wheel without modules in C of this checkout into a directory: what an index would offer for any machine."""
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "-q",
        "--no-deps",
        "--no-build-isolation",
        "-w",
        directory,
        str(ROOT),
    ]
    subprocess.run(command, check=True, env={**os.environ, "CONDOR_PY_PURE": "1"})
    os.chmod(directory, 0o755)


@contextmanager
def fresh_copy(root: Path, wheel: str) -> Iterator[tuple[Path, Path]]:
    """Mount an overlay of the root, with this checkout in /source; yield it and its changes."""
    with tempfile.TemporaryDirectory(prefix="first-job.", dir=root.parent) as name:
        top = Path(name)
        upper, merged = top / "upper", top / "merged"
        for directory in (upper, top / "work", merged):
            directory.mkdir()
        options = f"lowerdir={root},upperdir={upper},workdir={top / 'work'}"
        subprocess.run(["mount", "-t", "overlay", "overlay", "-o", options, merged], check=True)
        mounts = [merged]
        try:
            for source, target in ((ROOT, "source"), (wheel, "wheel"), (f"/{_CERTIFICATES}", _CERTIFICATES)):
                place = merged / target
                if not place.exists():
                    place.mkdir()
                subprocess.run(["mount", "--bind", "-o", "ro", source, place], check=True)
                mounts.append(place)
            for path in ("etc/resolv.conf", "etc/hosts"):
                shutil.copyfile(f"/{path}", merged / path)
            yield merged, upper
        finally:
            for place in reversed(mounts):
                subprocess.run(["umount", "-l", place], check=False)


def race(contestant: Contestant, root: Path, wheel: str, show: bool) -> tuple[float, int, int]:
    """Return the seconds to the job's output, lines printed until then, and megabytes that were installed.
    RuntimeError where there was no output."""
    with fresh_copy(root, wheel) as (merged, upper):
        steps = [("root", contestant.root)] if contestant.root else []
        steps.append(("alice", contestant.user))
        (merged / "tmp/begin").write_text(
            "mount -t proc proc /proc; mount -t sysfs sys /sys\n"
            "mount -t tmpfs tmpfs /dev/shm; mount -t devpts pts /dev/pts\n"
            "git config --system --add safe.directory '*'\n"
            + "".join(
                f"su - {user} -w {','.join(_NETWORK)} -c 'set -e; . /tmp/{user}' || exit 1\n" for user, _ in steps
            )
        )
        for user, lines in steps:
            (merged / "tmp" / user).write_text("export DEBIAN_FRONTEND=noninteractive\n" * (user == "root") + lines)
        command = [*_ALONE, "chroot", str(merged), "sh", "/tmp/begin"]
        environment = {name: value for name, value in os.environ.items() if name.lower() in _NETWORK}
        begin = time.perf_counter()
        done = subprocess.run(
            command, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", **environment}, text=True, errors="replace",
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=_LIMIT,
        )  # fmt: skip
        seconds = time.perf_counter() - begin
        lines = done.stdout.rstrip("\n").split("\n")
        if show:
            print(f"== {contestant.name}\n{done.stdout}")
        if done.returncode or "hello" not in lines:
            raise RuntimeError(lines[-1] or f"status {done.returncode}")
        used = subprocess.run(["du", "-sm", upper], stdout=subprocess.PIPE, text=True, check=True).stdout
        return seconds, len(lines), int(used.split()[0])


def count_typed(contestant: Contestant) -> int:
    """Return how many lines are typed: commands, and what is written into files."""
    return len([line for line in (contestant.root + contestant.user).splitlines() if line != "END"])


def _print_table(results: dict[str, Result]) -> None:
    print(f"{'':<20} {'seconds':>8} {'typed':>6} {'printed':>8} {'MB':>5}  {'root':<5} offers")
    for contestant in CONTESTANTS:
        result = results.get(contestant.name)
        if result is None:
            continue
        if not result.seconds:
            print(f"{contestant.name:<20} {'-':>8}  {result.failed}")
            continue
        print(
            f"{contestant.name:<20} {statistics.median(result.seconds):>8.1f} {count_typed(contestant):>6} "
            f"{result.printed:>8} {result.megabytes:>5}  {'yes' if contestant.root else 'no':<5} {contestant.offers}"
        )


def _print_json(results: dict[str, Result]) -> None:
    for contestant in CONTESTANTS:
        result = results.get(contestant.name)
        if result is not None:
            figures = {
                "name": contestant.name, "seconds": result.seconds, "typed": count_typed(contestant),
                "printed": result.printed, "megabytes": result.megabytes, "root": bool(contestant.root),
                "offers": contestant.offers, "failed": result.failed,
            }  # fmt: skip
            print(json.dumps(figures))


def main(argv: Sequence[str]) -> int:
    """Run the race. Exit code 1 if a contestant of ours did not reach its job's output."""
    parser = argparse.ArgumentParser(usage=__doc__, add_help=False)
    parser.add_argument("-roots", type=Path, default=ROOT / ".first-job")
    parser.add_argument("-suite", default="trixie")
    parser.add_argument("-rounds", type=int, default=1)
    parser.add_argument("-show", action="store_true")
    parser.add_argument("-json", action="store_true")
    parser.add_argument("names", nargs="*", type=str.lower)
    wish = parser.parse_args(argv)
    chosen = [one for one in CONTESTANTS if not wish.names or any(name in one.name.lower() for name in wish.names)]
    results = {one.name: Result() for one in chosen}
    root = make_root(wish.roots.resolve(), wish.suite)
    with tempfile.TemporaryDirectory(prefix="first-job-wheel.") as wheel:
        build_wheel(wheel)
        for _ in range(wish.rounds):
            for one in chosen:
                if sys.stderr.isatty():
                    print(f"first_job: {one.name} ...", file=sys.stderr)
                result = results[one.name]
                try:
                    seconds, result.printed, result.megabytes = race(one, root, wheel, wish.show)
                except (RuntimeError, subprocess.TimeoutExpired) as error:
                    result.failed = str(error)
                else:
                    result.seconds.append(seconds)
    (_print_json if wish.json else _print_table)(results)
    return 1 if any(not results[one.name].seconds for one in chosen if "condor_py" in one.name) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
