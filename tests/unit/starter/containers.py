"""A real engine for tests of containers: podman with a store of its own and one small image, busybox."""

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


@cache
def why_not() -> str:
    """Why there is no engine here; "" when there is one."""
    if os.geteuid() != 0:
        return "podman is used by root here"
    for program in ("podman", "runc", "busybox"):
        if shutil.which(program) is None:
            return f"{program} is not installed"
    linked = subprocess.run(["ldd", str(shutil.which("busybox"))], capture_output=True, check=False)
    return "busybox is not a static program (busybox-static)" if linked.returncode == 0 else ""


def make_engine(top: Path, registry: str = "") -> str:
    """A program that is podman with its store below ``top``, where the image lies; its path. ``registry`` is a
    repository that it may use without encryption."""
    engine = top / "engine"
    settings = top / "registries.conf"
    settings.touch()
    if registry:
        allow_registry(str(engine), registry)
    engine.write_text(
        f"#!/bin/sh\nexport CONTAINERS_REGISTRIES_CONF={settings}\n"
        f'exec podman {_OPTIONS} --root {top}/store --runroot {top}/run --tmpdir {top}/tmp "$@"\n'
    )
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
    arguments = [str(engine), "import", "--change", "ENV=PATH=/bin", str(top / "image.tar"), f"{IMAGE}:latest"]
    subprocess.run(arguments, check=True, capture_output=True)
    return str(engine)


def allow_registry(engine: str, registry: str) -> None:
    """A repository that an engine may use without encryption, and no other one."""
    text = f'[[registry]]\nlocation = "{registry}"\ninsecure = true\n'
    Path(engine).with_name("registries.conf").write_text(text)


def remove_engine(engine: str) -> None:
    """Everything that was run with it, and its store."""
    subprocess.run([engine, "rm", "--all", "--force"], capture_output=True, check=False)
    subprocess.run([engine, "rmi", "--all", "--force"], capture_output=True, check=False)
