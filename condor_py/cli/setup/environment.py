"""Installations of condor_py (environments of Python and checkouts), and the wheels that go in there and come out."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Sequence
from glob import glob
from importlib.metadata import Distribution
from typing import NamedTuple

from condor_py.model.errors import CondorError

_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
#: What a checkout has besides its sources. Old files in ``build`` would come into a new wheel.
_NOT_SOURCES = (".*_cache", ".git", ".hypothesis", ".venv*", "*.egg-info", "*.so", "__pycache__", "build", "dist")
#: Files of an installed package that pip writes again.
_OF_PIP = ("INSTALLER", "RECORD", "REQUESTED", "direct_url.json")
Done = subprocess.CompletedProcess[str]


class Place(NamedTuple):
    """An installation: ``root`` is the environment, the checkout, or a directory into which a wheel was unpacked."""

    root: str
    python: str
    package: str
    #: What comes before the name of a program of this installation.
    before: tuple[str, ...] = ()

    @property
    def is_checkout(self) -> bool:
        """Whether git, and not pip, brings new versions here."""
        return not self.before and self.package == f"{self.root}/condor_py"

    @property
    def version(self) -> str:
        """The version that is there now."""
        try:
            with open(f"{self.package}/__init__.py", encoding="utf-8") as file:
                found = re.search(r'^__version__ = "(.*)"', file.read(), re.MULTILINE)
        except OSError as error:
            raise CondorError(f"condor_setup: {self.package}: {error.strerror}") from None
        if found is None:
            raise CondorError(f"condor_setup: {self.package} is no package of condor_py")
        return found[1]

    def tool(self, program: str, *words: str) -> Done:
        """Run a command of this installation on the pool of this environment."""
        command = [*self.before, program] if self.before else [f"{self.root}/bin/{program}"]
        environment = {name: value for name, value in os.environ.items() if name != "CONDOR_PY_PYTHON"}
        if self.is_checkout:
            environment["CONDOR_PY_PYTHON"] = self.python
        return subprocess.run(
            [*command, *words], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            errors="surrogateescape", start_new_session=True, check=False,
        )  # fmt: skip

    def answer(self, program: str, *words: str) -> str:
        """Return what a command prints. CondorError when it fails."""
        done = self.tool(program, *words)
        if done.returncode:
            raise CondorError(f"condor_setup: {program} of {self.root}: {_line(done.stderr or done.stdout)}")
        return done.stdout


def place(prefix: str | None = None) -> Place:
    """Return the installation in ``prefix``; by default the one of this command. CondorError when there is none."""
    if prefix is None:
        root = os.path.dirname(_PACKAGE)
        prefix = os.path.normpath(f"{root}/../../..") if root.endswith("-packages") else root
    root = os.path.abspath(prefix)
    if os.path.exists(f"{root}/condor_py/__main__.py") and os.path.exists(f"{root}/bin/.setup"):
        own = f"{root}/.venv/bin/python"
        return Place(root, own if os.path.exists(own) else sys.executable, f"{root}/condor_py")
    found = glob(f"{glob_safe(root)}/lib*/python3*/*-packages/condor_py")
    if not found:
        raise CondorError(f"condor_setup: neither pip nor git has put condor_py into {root}")
    version = os.path.basename(os.path.dirname(os.path.dirname(found[0])))
    names = ("python", version) if os.path.exists(f"{root}/pyvenv.cfg") else (version,)
    pythons = [f"{root}/bin/{name}" for name in names]
    return Place(root, next(filter(os.path.exists, pythons), shutil.which(version) or sys.executable), found[0])


def glob_safe(path: str) -> str:
    """A path in which ``*`` and the like are themselves."""
    return re.sub(r"([*?[])", r"[\1]", path)


def unpacked(wheel: str, directory: str, python: str) -> Place:
    """Unpack a wheel (and those of ``directory`` that it needs), so that its commands run before it is installed."""
    try:
        for path in {wheel, *glob(f"{glob_safe(os.path.dirname(wheel))}/*.whl")}:
            with zipfile.ZipFile(path) as file:
                file.extractall(directory)
    except (OSError, zipfile.BadZipFile) as error:
        raise CondorError(f"condor_setup: {wheel}: {error}") from None
    main = f"{directory}/condor_py/__main__.py"
    if not os.path.exists(main):
        raise CondorError(f"condor_setup: {wheel} is no wheel of condor_py")
    return Place(directory, python, f"{directory}/condor_py", (python, "-I", "-S", main))


def size_of(wheel: str) -> int:
    """Bytes that the files of a wheel take."""
    with zipfile.ZipFile(wheel) as file:
        return sum(info.file_size for info in file.infolist())


class Pip:
    """The pip of an environment; ``log`` gets all that it prints."""

    def __init__(self, where: Place, log: str) -> None:
        self.where = where
        self.log = log

    def run(self, *words: str) -> str:
        """Run pip. CondorError with its last error and where the rest is."""
        command = [self.where.python, "-m", "pip", "--disable-pip-version-check", *words]
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, start_new_session=True, check=False
        )
        with open(self.log, "a", encoding="utf-8") as file:
            file.write(f"$ {' '.join(command)}\n{done.stdout}{done.stderr}\n")
        if done.returncode:
            if "No module named pip" in done.stderr:
                remedy = f"{self.where.python} -m ensurepip"
                raise CondorError(f"condor_setup: {self.where.root} has no pip: {remedy}")
            raise CondorError(f"condor_setup: pip {words[0]}: {_line(done.stderr)} (all of it is in {self.log})")
        return done.stdout

    def gather(self, source: str, into: str) -> str:
        """Put a wheel of ``source`` (a wheel, a directory, an archive; "" for the index) into a directory, with those
        of packages that are not there yet; return its path. Nothing is installed."""
        if source.endswith(".whl"):
            shutil.copy(source, into)
        elif os.path.isdir(source):
            copy = os.path.join(os.path.dirname(into), "source")
            shutil.copytree(source, copy, symlinks=True, ignore=shutil.ignore_patterns(*_NOT_SOURCES))
            self.run("wheel", "--no-deps", "-w", into, copy)
        else:
            self.run("wheel", "--no-deps", "-w", into, source or "condor_py")
        wheels = glob(f"{glob_safe(into)}/*.whl")
        if len(wheels) != 1 or not os.path.basename(wheels[0]).startswith("condor_py-"):
            raise CondorError(f"condor_setup: {source} is not condor_py")
        report = os.path.join(os.path.dirname(into), "report.json")
        self.run("install", "--dry-run", "--quiet", "--report", report, wheels[0])
        with open(report, encoding="utf-8") as file:
            wanted = [item["metadata"] for item in json.load(file)["install"]]
        others = [f"{item['name']}=={item['version']}" for item in wanted if item["name"] not in _NAMES]
        if others:
            self.run("wheel", "--no-deps", "-w", into, *others)
        return wheels[0]

    def install(self, wheels: Sequence[str]) -> None:
        """Install wheels in place of what is there. pip undoes what it has begun when it fails."""
        self.run("install", "--no-index", "--no-deps", "--no-compile", "--force-reinstall", *wheels)

    def compile(self) -> None:
        """Compile what was installed: accounts that may not write there would do it at each start."""
        command = [self.where.python, "-m", "compileall", "-q", self.where.package]
        subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)


#: How the metadata of wheels may call us.
_NAMES = ("condor_py", "condor-py")


def wheel_of(where: Place, into: str) -> str:
    """Make a wheel of what pip has installed, which is the way back; return its path.

    CondorError when pip has not installed it.
    """
    packages = os.path.dirname(where.package)
    found = next(iter(Distribution.discover(name="condor_py", path=[packages])), None)
    tags = (found.read_text("WHEEL") or "") if found is not None else ""
    names = re.findall(r"^Tag: (\S+)", tags, re.MULTILINE)
    if found is None or not found.files or not names:
        raise CondorError(f"condor_setup: pip has not installed {where.package}: upgrade it as it was installed")
    stem = f"condor_py-{found.version}"
    path = f"{into}/{stem}-{'.'.join(sorted({name.split('-')[0] for name in names}))}-{_rest(names[0])}.whl"
    records = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        # pip makes programs of entry points itself.
        made = {f"{where.root}/bin/{point.name}" for point in found.entry_points if point.group == "console_scripts"}
        for file, name in _members(where.root, packages, stem, map(str, found.files)):
            if file in made or not os.path.exists(file):
                continue
            wheel.write(file, name)
            with open(file, "rb") as content:
                data = content.read()
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            records.append(f"{name},sha256={digest},{len(data)}\n")
        record = f"{stem}.dist-info/RECORD"
        wheel.writestr(record, "".join([*records, f"{record},,\n"]))
    return path


def _rest(tag: str) -> str:
    return tag.partition("-")[2]


def _members(root: str, packages: str, stem: str, files: Iterator[str]) -> Iterator[tuple[str, str]]:
    """Each file that pip has installed, and its name in a wheel."""
    for name in files:
        path = os.path.normpath(os.path.join(packages, name))
        parts = path.split("/")
        if path.endswith(".pyc") or (parts[-2].endswith(".dist-info") and parts[-1] in _OF_PIP):
            continue
        if path.startswith(f"{packages}/"):
            yield path, path.removeprefix(f"{packages}/")
        elif path.startswith(f"{root}/bin/"):
            yield path, f"{stem}.data/scripts/{parts[-1]}"
        elif path.startswith(f"{root}/"):
            yield path, f"{stem}.data/data/{path.removeprefix(f'{root}/')}"


def make_ready(checkout: Place) -> None:
    """Install what a checkout needs and build its modules in C, where that has changed. CondorError."""
    script = 'say() { :; }; root=$1; extras=; . "$root/bin/.setup"'
    environment = dict(os.environ)
    if not checkout.python.startswith(f"{checkout.root}/") and sys.prefix != sys.base_prefix:
        environment["CONDOR_PY_VENV"] = sys.prefix
    done = subprocess.run(
        ["sh", "-euc", script, "setup", checkout.root], env=environment, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise CondorError(f"condor_setup: {checkout.root}/bin/.setup: {_line(done.stderr or done.stdout)}")


def _line(text: str) -> str:
    """The error that a program has printed, in one line: pip's last one, or the last line of all."""
    lines = [line.strip() for line in text.splitlines() if line.strip()] or ["failed"]
    return next((line for line in reversed(lines) if line.startswith("ERROR:")), lines[-1])
