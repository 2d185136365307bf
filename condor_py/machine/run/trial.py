"""Trying the engines of containers, as the startd does at its start."""

from __future__ import annotations

import io
import json
import os
import re
import struct
import subprocess
import tempfile
from collections.abc import Callable

from condor_py.machine.run.dockerimages import Images
from condor_py.machine.run.dockerwords import extra_words
from condor_py.machine.run.engine import PATH, Answer, Engine, of_dead, one_line, unfinished
from condor_py.machine.run.identity import Account
from condor_py.machine.run.singularitywords import containment, first_complaint
from condor_py.machine.run.spawning import Launch, answer_of, start
from condor_py.model.arguments import ArgumentError
from condor_py.model.settings.containers import (
    ContainerAbilities,
    DockerSettings,
    DockerTest,
    SingularitySettings,
)

Tell = Callable[[str], None]
#: Seconds for an engine to say that it is there, and for a container of its to run.
_PATIENCE = 60.0
#: Characters of a version, and of what a broken engine says.
_SHOWN = 200
_MB = 1024 * 1024
#: What is wrong with an engine that runs containers, but none under a program that reaps their processes.
_NO_INIT = (
    "containers do not run with --init: install catatonit (podman) or docker-init (docker), "
    "or set DOCKER_RUN_UNDER_INIT = false ({})"
)


class Broken(Exception):
    """A failure of an engine in a trial."""


def try_docker(docker: DockerSettings, test: DockerTest, found: ContainerAbilities, tell: Tell) -> ContainerAbilities:
    """``found`` with what docker's engine says of itself and what the images of jobs take, or why it does not work."""
    engine = Engine(docker.command)
    try:
        version = _asked(engine, "-v").out.strip().partition("\n")[0][:_SHOWN]
        _asked(engine, "info")
        if test.wanted:
            _run_test(engine, docker, test)
            tell("Docker test container ran correctly!  Docker works!")
    except (Broken, OSError, ArgumentError) as error:
        tell(f"DOCKER: {error}: no jobs in containers")
        return found._replace(docker_broken=one_line(str(error))[:_SHOWN])
    mb = images_mb(docker) if test.look_interval else -1
    return found._replace(docker=version, cached_mb=mb)


def images_mb(docker: DockerSettings) -> int:
    """Total size of the images of jobs, in MB."""
    return (Images(Engine(docker.command), docker).bytes() + _MB // 2) // _MB


def _asked(engine: Engine, *words: str) -> Answer:
    answer = engine.ask(*words, patience=_PATIENCE)
    if answer.code != 0:
        said = " ".join(f"{answer.err} {answer.out}".split())[-_SHOWN:]
        raise Broken(f"{engine.argv[-1]} {words[0]} failed: {said}")
    return answer


def _run_test(engine: Engine, docker: DockerSettings, test: DockerTest) -> None:
    """Runs a container whose program ends with a known code. Broken when it does not, OSError."""
    if not test.image and not known():
        return
    image = test.name if test.image else f"{test.name}_{os.getpid()}"
    name = f"{_plain(test.name)}_{os.getpid()}"
    _remove_left(engine, test.name)
    with tempfile.TemporaryDirectory(prefix="docker_test.") as place:
        archive = test.image or f"{place}/image.tar"
        if not test.image:
            make_image(archive, image)
        _asked(engine, "load", "-i", archive)
    words = *extra_words(docker), image, PROGRAM
    init = ("--init",) if docker.under_init else ()
    answer = engine.ask("run", "--rm=true", f"--name={name}", *init, *words, patience=_PATIENCE)
    failed = answer.code != CODE
    plain = f"{name}_plain"
    without = failed and init and engine.ask("run", "--rm=true", f"--name={plain}", *words, patience=_PATIENCE)
    if failed:  # an engine that was killed has left its container
        engine.ask("rm", "--force", name, *([plain] if init else []), patience=_PATIENCE)
    engine.ask("rmi", image, patience=_PATIENCE)
    if without and without.code == CODE:
        raise Broken(_NO_INIT.format(answer.line))
    if failed:
        raise Broken(f"a test container returned {answer.code} instead of {CODE}: {answer.line}")


def _plain(name: str) -> str:
    """The name of an image as that of a container, which has no directories."""
    return re.sub(r"[^A-Za-z0-9_.-]", "_", name)


def _remove_left(engine: Engine, name: str) -> None:
    """Removes the containers and images of trials that were killed: each has the number of its process in its name."""
    containers = engine.ask("ps", "--all", "--format", "{{.Names}}", patience=_PATIENCE).out.split()
    containers += unfinished(engine)
    if left := of_dead(rf"{re.escape(_plain(name))}_(\d+)(?:_plain)?", containers):
        engine.ask("rm", "--force", *left, patience=_PATIENCE)
    images = engine.ask("images", "--format", "{{.Repository}}", patience=_PATIENCE).out.split()
    if left := of_dead(rf"(?:\S*/)?{re.escape(name)}_(\d+)", images):
        engine.ask("rmi", *left, patience=_PATIENCE)


def try_singularity(
    settings: SingularitySettings, user: Account | None, found: ContainerAbilities, tell: Tell
) -> ContainerAbilities:
    """``found`` with what singularity can run here, or why it does not work. ``user`` is whose rights it is tried with;
    None for ours."""
    trial = _Trial(settings, user)
    try:
        version = trial.ask("--version")
    except OSError as error:
        tell(f"SINGULARITY: cannot run {settings.command}: {error.strerror}")
        return found
    if version.code != 0 or not version.out.strip():
        tell(f"SINGULARITY: {settings.command} --version failed: {version.line}")
        return found
    tried = found._replace(singularity=version.out.strip().partition("\n")[0][:_SHOWN])
    with tempfile.TemporaryDirectory(prefix="singularity_test.") as place:
        os.chmod(place, 0o755)
        tried = _try_images(trial, place, tried)
    what = " and ".join(name for name, runs in (("directories", tried.sandbox), ("SIF files", tried.sif)) if runs)
    if what:
        tell(f"SINGULARITY: {tried.singularity} runs {what}")
        return tried
    reason = one_line(f"Both SIF and Sandbox tests on startup failed : {trial.complaint}")[:_SHOWN]
    tell(f"SINGULARITY: {reason}: no jobs in its containers")
    return tried._replace(singularity_broken=reason)


def _try_images(trial: _Trial, place: str, found: ContainerAbilities) -> ContainerAbilities:
    """Try to run a directory and a SIF file as images, with process namespaces if those work at all."""
    settings = trial.settings
    tree, sif = settings.test_sandbox, settings.test_sif
    if not tree and known():
        tree = f"{place}/tree"
        os.mkdir(tree, 0o755)
        make_tree(tree)
    if not tree:
        return found
    spaces = settings.pid_namespaces is not False
    said = trial.runs(tree, spaces)
    if said is None and spaces and settings.pid_namespaces is None:
        spaces, said = False, trial.runs(tree, False)
    if not sif:  # where none can be made, the program may still say that it does not mind
        sif = f"{place}/test.sif"
        trial.build(sif, tree)
    runs_sif = trial.runs(sif, spaces) is not None
    users = None if said is None or "user:[" not in said else os.readlink(os.fsdecode(NAMESPACE)) not in said
    return found._replace(sandbox=said is not None, sif=runs_sif, pid_namespaces=spaces, user_namespaces=users)


class _Trial:
    """Runs singularity as it is run for jobs, with the rights of ``user``."""

    def __init__(self, settings: SingularitySettings, user: Account | None) -> None:
        self.settings = settings
        self._user = user
        self.complaint = ""

    def ask(self, *words: str) -> Answer:
        """OSError when it cannot be run."""
        command = self.settings.command
        environment = {"PATH": os.environ.get("PATH") or PATH}
        launch = Launch((command, *words), environment, "/", self._user, command, umask=0o022)
        process = start(launch, subprocess.DEVNULL, subprocess.PIPE, subprocess.PIPE)
        said = answer_of(process, self.settings.test_patience)
        if said is None:
            return Answer(-1, "", f"it did not answer within {self.settings.test_patience} seconds")
        return Answer.of(process.returncode, *said)

    def runs(self, image: str, pid_namespaces: bool) -> str | None:
        """Return the output of the program in an image; None when it cannot be run."""
        answer = self.ask("exec", *containment(pid_namespaces), image, PROGRAM)
        if answer.code == CODE:
            return answer.out
        self.complaint = first_complaint(answer.err)
        return None

    def build(self, path: str, tree: str) -> None:
        """Makes a SIF file of a directory, if that works. It is made with our rights, as no other account writes
        there."""
        _Trial(self.settings, None).ask("-s", "build", path, tree)


#: The program in the image, and how it ends.
PROGRAM, CODE = "/exit_37", 37
#: What the program reads, and says: the user namespace that it is in.
NAMESPACE = b"/proc/self/ns/user"
#: For the processors that we know: the name of the architecture, its number in ELF, and what is executed. That is
#: write(1, buffer, readlink(NAMESPACE, buffer, 64)), exit(37), with the path behind it; or exit(37) alone.
_MACHINES = {
    "x86_64": (
        "amd64",
        62,
        bytes.fromhex(
            "b859000000 488d3d2f000000 488d742480 ba40000000 0f05 85c0 7813 89c2 488d742480 bf01000000 b801000000 0f05"
            "bf25000000 b83c000000 0f05"
        )
        + NAMESPACE
        + b"\0",
    ),
    "aarch64": ("arm64", 183, bytes.fromhex("a80b80d2 a00480d2 010000d4")),
}
_BASE, _HEADERS = 0x400000, 64 + 56


def known() -> bool:
    """Whether an image can be made for this machine."""
    return os.uname().machine in _MACHINES


def program() -> bytes:
    """The program: a file of ELF with one segment. KeyError for a processor that is not known."""
    _, machine, code = _MACHINES[os.uname().machine]
    size = _HEADERS + len(code)
    ident = b"\x7fELF\x02\x01\x01" + bytes(9)
    header = struct.pack("<HHIQQQIHHHHHH", 2, machine, 1, _BASE + _HEADERS, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    segment = struct.pack("<IIQQQQQQ", 1, 5, 0, _BASE, _BASE, size, size, 0x1000)
    return ident + header + segment + code


def make_image(path: str, name: str) -> None:
    """Writes an archive as ``docker save`` does. OSError."""
    from hashlib import sha256  # brings the library of OpenSSL, which daemons do not need otherwise

    layer = _tar({PROGRAM.lstrip("/"): program()}, mode=0o755)
    config = {
        "architecture": _MACHINES[os.uname().machine][0],
        "os": "linux",
        "config": {},
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{sha256(layer).hexdigest()}"]},
    }
    text = json.dumps(config).encode()
    file = f"{sha256(text).hexdigest()}.json"
    manifest = [{"Config": file, "RepoTags": [f"{name}:latest"], "Layers": ["layer.tar"]}]
    with open(path, "xb") as out:
        out.write(_tar({"manifest.json": json.dumps(manifest).encode(), file: text, "layer.tar": layer}))


def make_tree(path: str) -> None:
    """Makes the same as a directory, with what a container needs besides. OSError."""
    for name in ("dev", "proc", "etc", "tmp", "var", "var/tmp"):
        os.mkdir(f"{path}/{name}", 0o755)
    with open(path + PROGRAM, "xb") as out:
        out.write(program())
    os.chmod(path + PROGRAM, 0o755)


def _tar(files: dict[str, bytes], mode: int = 0o644) -> bytes:
    import tarfile  # of no use to a pool without containers

    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size, info.mode = len(data), mode
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()
