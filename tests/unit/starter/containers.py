"""A real engine for tests of containers, with one small image, busybox: podman with a store of its own, or docker.

CONDOR_PY_TEST_DOCKER is a command of docker's whose daemon already runs (``/usr/bin/docker``, or a script that names
another socket); without it podman is taken.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

IMAGE = "localhost/small"
#: What podman needs where there is no systemd, and limits that a container of a container may not raise.
_OPTIONS = "--runtime runc --cgroup-manager cgroupfs"
LIMITS = "--ulimit nofile=1024:1024 --ulimit nproc=4096:4096"
#: A real docker, if there is one to be used.
DOCKER = os.environ.get("CONDOR_PY_TEST_DOCKER", "")
#: Notes what it is asked for, and gives containers stand-ins for the devices of GPUs, where there are none.
NOTING = """\
#!/bin/sh
echo "$*" >>{top}/calls
for word; do
    shift
    case $word in /dev/nvidia*) word=/dev/null:$word ;; esac
    set -- "$@" "$word"
done
exec {program} "$@"
"""


@cache
def why_not() -> str:
    """Why there is no engine here; "" when there is one."""
    if os.geteuid() != 0:
        return "podman is used by root here"
    if DOCKER and subprocess.run([DOCKER, "info"], capture_output=True, check=False).returncode:
        return f"{DOCKER} has no daemon"
    for program in ("busybox",) if DOCKER else ("podman", "runc", "busybox"):
        if shutil.which(program) is None:
            return f"{program} is not installed"
    linked = subprocess.run(["ldd", str(shutil.which("busybox"))], capture_output=True, check=False)
    return "busybox is not a static program (busybox-static)" if linked.returncode == 0 else ""


def make_engine(top: Path, registry: str = "") -> str:
    """A program that is podman with its store below ``top``, where the image lies, or docker; its path. ``registry`` is
    a repository that it may use without encryption."""
    engine = top / "engine"
    settings = top / "registries.conf"
    settings.touch()
    if registry:
        allow_registry(str(engine), registry)
    podman = f"podman {_OPTIONS} --root {top}/store --runroot {top}/run --tmpdir {top}/tmp"
    engine.write_text(f"#!/bin/sh\nexport CONTAINERS_REGISTRIES_CONF={settings}\n" + f'exec {DOCKER or podman} "$@"\n')
    engine.chmod(0o755)
    root = top / "image"
    (root / "bin").mkdir(parents=True)
    (root / "tmp").mkdir(mode=0o1777)
    (root / "tmp").chmod(0o1777)
    busybox = str(shutil.which("busybox"))
    shutil.copy(busybox, root / "bin" / "busybox")
    names = subprocess.run([busybox, "--list"], capture_output=True, text=True, check=True).stdout.split()
    for name in names:
        if name != "busybox":
            (root / "bin" / name).symlink_to("busybox")
    subprocess.run(["tar", "-C", str(root), "-cf", str(top / "image.tar"), "."], check=True)
    arguments = [str(engine), "import", "--change", "ENV PATH=/bin", str(top / "image.tar"), f"{IMAGE}:latest"]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    if done.returncode:  # the first two podmans of a machine, at once, may both make the directories that they share
        done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return str(engine)


def allow_registry(engine: str, registry: str) -> None:
    """A repository that an engine may use without encryption, and no other one. Docker may use all of this machine."""
    text = f'[[registry]]\nlocation = "{registry}"\ninsecure = true\n'
    Path(engine).with_name("registries.conf").write_text(text)


def remove_engine(engine: str) -> None:
    """Everything that was run with it, and its store. Docker's is not ours: it keeps its images."""
    everything = ["ps", "--all", "--quiet", *(["--filter", "label=org.htcondorproject=True"] if DOCKER else [])]
    found = subprocess.run([engine, *everything], capture_output=True, text=True, check=False).stdout.split()
    subprocess.run([engine, "rm", "--force", *found], capture_output=True, check=False)
    if not DOCKER:
        subprocess.run([engine, "rmi", "--all", "--force"], capture_output=True, check=False)
