"""A real apptainer for tests: the package of Debian's unstable suite, unpacked beside everything else, once for all.

It lies outside the repository (CONDOR_PY_TEST_CACHE, or a cache directory), with the libraries that it needs.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

_KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"
_PROGRAMS = ("usr/bin/apptainer", "usr/lib/*/apptainer/bin/starter", "usr/bin/unsquashfs", "usr/bin/mksquashfs")


def _place() -> Path:
    """Root's jobs are other accounts', who may not look into root's home directory."""
    base = "/var/cache" if os.geteuid() == 0 else os.path.expanduser("~/.cache")
    return Path(os.environ.get("CONDOR_PY_TEST_CACHE") or f"{base}/condor_py_tests") / "apptainer"


@cache
def command() -> str:
    """The program; "" where it cannot be had (``why_not`` says why)."""
    if found := shutil.which("apptainer"):
        return found
    path = _place() / "root/usr/bin/apptainer"
    return str(path) if path.exists() and _answers(path) else ""


@cache
def why_not() -> str:
    """Why there is none; "" when there is one, which may have been fetched just now."""
    if command():
        return ""
    if os.geteuid() != 0 or not shutil.which("apt-get") or os.uname().machine != "x86_64":
        return "apptainer is not installed, and is unpacked by root on Debian only"
    try:
        _fetch(_place())
    except (OSError, subprocess.SubprocessError) as error:
        return f"apptainer cannot be had: {error}"
    command.cache_clear()
    return "" if command() else "the apptainer that was unpacked does not run"


def _answers(path: Path) -> bool:
    done = subprocess.run([str(path), "--version"], capture_output=True, check=False)
    return done.returncode == 0


def _run(*words: str, **variables: str) -> None:
    subprocess.run(words, check=True, capture_output=True, timeout=300, env={**os.environ, **variables})


def _mirror() -> str:
    """Where this machine gets its own packages. OSError."""
    words = ["apt-get", "indextargets", "--format", "$(REPO_URI)"]
    told = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
    found = next((uri for uri in told if uri.rstrip("/").endswith("/debian")), "")
    if not found:
        raise OSError(2, "apt knows no mirror of Debian")
    return found


def _fetch(place: Path) -> None:
    """Gets the packages and makes their programs use the libraries beside them."""
    for name in ("state/lists/partial", "cache/archives/partial", "etc", "root"):
        (place / name).mkdir(parents=True, exist_ok=True)
    (place / "etc/sources.list").write_text(f"deb [signed-by={_KEYS}] {_mirror()} sid main\n")
    (place / "state/status").touch()
    (place / "apt.conf").write_text(
        f'Dir::State "{place}/state"; Dir::Cache "{place}/cache"; Dir::State::status "{place}/state/status";\n'
        f'Dir::Etc::sourcelist "{place}/etc/sources.list"; Dir::Etc::sourceparts "/dev/null";\n'
        'APT::Sandbox::User "root";\n'
    )
    own = {"APT_CONFIG": str(place / "apt.conf")}
    _run("apt-get", "update", **own)
    wanted = "apptainer", "squashfs-tools", "patchelf"
    _run("apt-get", "-y", "--no-install-recommends", "-d", "-o", "Debug::NoLocking=1", "install", *wanted, **own)
    for package in (place / "cache/archives").glob("*.deb"):
        _run("dpkg-deb", "-x", str(package), str(place / "root"))
    _relocate(place / "root")
    for path in (place, place / "root"):
        path.chmod(0o755)


def _relocate(root: Path) -> None:
    libraries = next(root.glob("usr/lib/*-linux-gnu"))
    loader = libraries / "ld-linux-x86-64.so.2"
    patch = [str(loader), "--library-path", str(libraries), str(root / "usr/bin/patchelf")]
    for pattern in _PROGRAMS:
        for path in root.glob(pattern):
            _run(*patch, "--set-interpreter", str(loader), "--force-rpath", "--set-rpath", str(libraries), str(path))
    (root / "var/lib/apptainer/mnt/session").mkdir(parents=True, exist_ok=True)
    for link, to in (("usr/etc", "../etc"), ("usr/lib/etc", "../../etc"), ("usr/lib/var", "../../var")):
        if not (root / link).exists():
            (root / link).symlink_to(to)
    settings = root / "etc/apptainer/apptainer.conf"
    text = settings.read_text().replace("root default capabilities = full", "root default capabilities = no")
    settings.write_text(text)


def make_tree(top: Path) -> Path:
    """An image as a directory: busybox, and what apptainer wants to find in one."""
    tree = top / "tree"
    for name in ("bin", "dev", "etc", "home", "proc", "sys", "tmp", "var/tmp", ".singularity.d/actions"):
        (tree / name).mkdir(parents=True)
    busybox = str(shutil.which("busybox"))
    shutil.copy(busybox, tree / "bin/busybox")
    for name in subprocess.run([busybox, "--list"], capture_output=True, text=True, check=True).stdout.split():
        if name != "busybox":
            (tree / "bin" / name).symlink_to("busybox")
    for name, line in (("exec", 'exec "$@"'), ("run", "exec /bin/echo the image itself"), ("test", "exit 0")):
        path = tree / ".singularity.d/actions" / name
        path.write_text(f"#!/bin/sh\n{line}\n")
        path.chmod(0o755)
    (tree / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\n")
    (tree / "etc/group").write_text("root:x:0:\n")
    return tree


def make_sif(top: Path, tree: Path) -> Path:
    """The same as a file."""
    path = top / "small.sif"
    tools = str(Path(command()).parent)
    _run(command(), "-s", "build", str(path), str(tree), PATH=f"{tools}:{os.environ['PATH']}")
    return path


if __name__ == "__main__":
    sys.exit(why_not() or print(command()))
