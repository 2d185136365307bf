"""The command line and the environment with which a job runs in a container of singularity's (apptainer's)."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from condor_py.lang.classad import ClassAd, is_valid, parse
from condor_py.machine.run.dockervolumes import scratch_places
from condor_py.machine.run.executor import Execution
from condor_py.machine.run.identity import as_user
from condor_py.machine.run.job import Job
from condor_py.machine.run.places import LAUNCHED_NAME
from condor_py.machine.run.process import StartError, program_of
from condor_py.model.arguments import parse_arguments
from condor_py.model.settings.containers import SingularitySettings
from condor_py.model.states import HoldCode

#: Variables with which a job could make something else of its container, but for those of its own repository.
_OWN = ("APPTAINER_", "SINGULARITY_")
_ALLOWED = {f"{own}DOCKER_{name}" for own in _OWN for name in ("USERNAME", "PASSWORD")}
#: Where the scratch directory is inside when the job's own directory takes the place that was asked for.
_SCRATCH = "/condor_scratch"
_OPENCL = "/etc/OpenCL/vendors"
#: The shell script that starts the program inside.
_LAUNCHER = "/condor_container_launcher.sh"
_SCRIPT = f'#!/bin/sh\n: >"$_CONDOR_SCRATCH_DIR/{LAUNCHED_NAME}"\nexec "$@"\n'
#: What the program colours its complaints with, and how many characters of one are shown.
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_SHOWN = 255
#: Hold subcode of an image that does not pass its test.
TEST_FAILED = -1000


@dataclass(frozen=True, slots=True)
class Inside:
    """A container to be: the program that makes it is apptainer or what it was before (``apptainer`` False)."""

    settings: SingularitySettings
    slot_ad: ClassAd
    job_ad: ClassAd
    apptainer: bool = True

    @property
    def target(self) -> str:
        """Path of the job's directory inside the container; "" for the same path as outside."""
        return self.settings.target_dir or self.job_ad.eval_str("ContainerTargetDir", None) or ""

    def scratch_places(self, execution: Execution) -> list[str]:
        """Directories inside that are in the scratch directory; none that would cover the job's own ones, as far as
        these have the same paths inside."""
        own = [] if execution.directory == execution.place.sandbox.scratch else [execution.directory]
        if not self.target:
            own.append(execution.place.sandbox.root)
        wanted = scratch_places(self.settings.mount_under_scratch, self.job_ad)
        return [place for place in wanted if not any(_covers(place, each) for each in own)]

    @property
    def prefix(self) -> str:
        """Prefix of the names of variables that are for the inside."""
        return "APPTAINERENV_" if self.apptainer else "SINGULARITYENV_"

    def told(self, text: str, otherwise: str = "") -> str:
        """The string that an expression about slot and job gives; ``otherwise`` where it gives none."""
        value = self.slot_ad.raw(parse(text), self.job_ad) if text and is_valid(text) else None
        return value if isinstance(value, str) else otherwise


def dressed(inside: Inside, execution: Execution, log: Callable[[str], None]) -> Job:
    """The job as it is executed: the program is singularity's. StartError 45 for a job without an image, ArgumentError
    for SINGULARITY_EXTRA_ARGUMENTS."""
    job = execution.job
    options = inner_options(inside, execution, log)
    image = _image(inside, execution)
    how = "exec" if job.cmd else "run"
    command: tuple[str, ...] = (_program(inside, execution),) if job.cmd else ()
    if command and inside.settings.uses_launcher:
        command = (_LAUNCHER, *command)
    words = (*_verbosity(inside), how, *options, image, *command, *job.arguments)
    return replace(job, cmd=inside.settings.command, arguments=words, transfer_executable=False)


def test_words(inside: Inside, execution: Execution, log: Callable[[str], None]) -> list[str]:
    """The command line that tries the image of a job."""
    options = inner_options(inside, execution, log)
    return [inside.settings.command, *_verbosity(inside), "-q", "test", *options, _image(inside, execution)]


def _verbosity(inside: Inside) -> tuple[str, ...]:
    return (inside.settings.verbosity,) if inside.settings.verbosity else ()


def inner_options(inside: Inside, execution: Execution, log: Callable[[str], None]) -> list[str]:
    """List the words between the verb and the image, in HTCondor's order."""
    sandbox, iwd, target = execution.place.sandbox, execution.directory, inside.target
    at_home = iwd == sandbox.scratch
    words = [word for place in inside.scratch_places(execution) for word in ("-S", place)]
    if not at_home:
        words += ["-B", iwd]
    if inside.settings.uses_launcher:
        words += ["-B", f"{launcher(sandbox.root)}:{_LAUNCHER}"]
    words += ["-W", sandbox.scratch]
    bound = sandbox.root if at_home else iwd
    if not target:
        words += ["--pwd", iwd, "-B", sandbox.root]
    elif at_home:
        words += ["--pwd", moved(iwd, sandbox.root, target), "-B", f"{bound}:{target}"]
    else:
        words += ["--pwd", target, "-B", f"{sandbox.root}:{_SCRATCH}", "-B", f"{bound}:{target}"]
    words += _gpu_words(inside)
    if inside.settings.mounts_home:
        words += _home(execution)
    words += [word for bind in _binds(inside, execution, log) for word in ("-B", bind)]
    if at_home:
        words += ["--home", sandbox.scratch]
    if inside.settings.networkless or inside.job_ad.eval_str("DockerNetworkType", None) == "none":
        words += ["--net", "--network", "none"]
    words += containment(_has_pid_namespaces(inside))
    extra = inside.told(inside.settings.extra_arguments, otherwise=inside.settings.extra_arguments)
    return words + (parse_arguments(extra)[0] if extra else [])


def _home(execution: Execution) -> list[str]:
    """SINGULARITY_MOUNT_HOME: the home directory of the account that the program runs as, if there is one that the
    command line can name."""
    home = execution.owner.home if execution.owner is not None else os.path.expanduser("~")
    with as_user(execution.owner):
        there = home not in ("", "/") and not set(":,") & set(home) and os.path.isdir(home)
    return ["-B", home] if there else []


def launcher(root: str) -> str:
    """Return the path of the script outside, next to the scratch directory."""
    return f"{root}/launcher.sh"


def write_launcher(root: str) -> None:
    """Puts the script there (SINGULARITY_USE_LAUNCHER). OSError."""
    descriptor = os.open(launcher(root), os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o755)
    with open(descriptor, "w", encoding="ascii") as file:
        file.write(_SCRIPT)
    os.chmod(launcher(root), 0o755)


def _covers(place: str, path: str) -> bool:
    return f"{os.path.normpath(path)}/".startswith(f"{os.path.normpath(place).rstrip('/')}/")


def moved(path: str, top: str, to: str) -> str:
    """``path``, which is below ``top``, as it is below ``to``; any other path is itself."""
    if path == top:
        return to
    return f"{to.rstrip('/')}{path[len(top.rstrip('/')) :]}" if path.startswith(f"{top.rstrip('/')}/") else path


def containment(pid_namespaces: bool) -> list[str]:
    """Options that keep the job inside."""
    return ["-C"] if pid_namespaces else ["--contain", "--ipc", "--cleanenv"]


def _has_pid_namespaces(inside: Inside) -> bool:
    wanted = inside.settings.pid_namespaces
    return inside.slot_ad.eval_bool("HasPidNamespaces", False) is True if wanted is None else wanted


def _gpu_words(inside: Inside) -> list[str]:
    slot = inside.slot_ad
    if not slot.eval_str("AssignedGPUs", None):
        return []
    words = ["--nv"] if slot.eval_str("GPUs_NvidiaDriver", None) else []
    if (slot.eval_int("GPUs_Rocm", -1) or -1) > 0 or inside.settings.adds_rocm:
        words.append("--rocm")
    return words


def _binds(inside: Inside, execution: Execution, log: Callable[[str], None]) -> list[str]:
    """SINGULARITY_BIND_EXPR, and the drivers of OpenCL for a job with GPUs; those that are not there are left out."""
    wanted = inside.told(inside.settings.bind).replace(",", " ").split()
    if inside.slot_ad.eval_str("AssignedGPUs", None) and os.path.isdir(_OPENCL) and _OPENCL not in wanted:
        wanted.append(_OPENCL)
    with as_user(execution.owner):  # the job may name them, and learns from this what there is
        return [bind for bind in wanted if _is_fit(bind, inside, execution, log)]


def _is_fit(bind: str, inside: Inside, execution: Execution, log: Callable[[str], None]) -> bool:
    source, _, rest = bind.partition(":")
    place = (rest or source).partition(":")[0]
    if not os.path.exists(source):
        log(f"Skipping invalid singularity bind source directory {bind}")
        return False
    if inside.settings.ignores_missing_targets and not _has_place(_image(inside, execution), place):
        log(f"Target directory {place} does not exist in the image, skipping mount")
        return False
    return True


def _has_place(image: str, place: str) -> bool:
    """Whether an image that is a directory has a place for what is bound; of others that is unknown."""
    return not os.path.isdir(image) or os.path.isdir(f"{image}/{place.lstrip('/')}")


def image_of(inside: Inside) -> str:
    """SINGULARITY_IMAGE_EXPR, or what the job asks for; "" for nothing."""
    docker = inside.job_ad.eval_str("DockerImage", None)
    given = inside.told(inside.settings.image) or inside.job_ad.eval_str("ContainerImage", None)
    return given or (f"docker://{docker.removeprefix('docker://')}" if docker else "")


def _image(inside: Inside, execution: Execution) -> str:
    image = image_of(inside)
    if not image or image.startswith("-"):
        text = "Singularity support was requested but unable to determine the image to use."
        raise StartError(HoldCode.SINGULARITY_TEST_FAILED, 0, text)
    job = execution.job
    if image.startswith("/") or "://" in image:
        return image
    if job.transfer:
        return os.path.join(execution.place.sandbox.scratch, image) if job.remote_iwd else image
    whole = inside.job_ad.eval_str("ContainerImageFullPath", None)  # of a file that would have been transferred
    return os.path.join(job.iwd, whole or image)


def _program(inside: Inside, execution: Execution) -> str:
    """The job's program, as it is called inside."""
    job, sandbox = execution.job, execution.place.sandbox
    if job.transfer and not job.transfer_executable:
        return job.cmd
    program, target = program_of(job, sandbox.scratch), inside.target
    if not target:
        return program
    if job.transfer:
        return moved(program, sandbox.root, target if execution.directory == sandbox.scratch else _SCRATCH)
    return moved(program, execution.directory, target)


def inner_environment(inside: Inside, execution: Execution, environment: Mapping[str, str]) -> dict[str, str]:
    """The environment of singularity's program, with variables that set that of the job inside."""
    scratch = execution.place.sandbox.scratch
    allowed = _ALLOWED | set(inside.settings.allowed_variables)
    kept = {
        name: value
        for name, value in environment.items()
        if name != "HOME" and (name in allowed or not name.startswith(_OWN))
    }
    own = "APPTAINER_" if inside.apptainer else "SINGULARITY_"
    caches = {f"{own}CACHEDIR": scratch, f"{own}TMPDIR": scratch}
    inner = {f"{inside.prefix}{name}": value for name, value in {**kept, **caches}.items() if _plain(inside, name)}
    given = {name: value for name, value in kept.items() if not _plain(inside, name)}
    inner |= {f"{inside.prefix}{name}": value for name, value in _retargeted(inside, execution, kept).items()}
    prompt = {f"{inside.prefix}PS1": f"{inside.slot_ad.eval_str('Name', None) or execution.place.slot}$ "}
    return {**kept, **caches, **inner, **given, **prompt}


def _plain(inside: Inside, name: str) -> bool:
    return not name.startswith(inside.prefix)


def _retargeted(inside: Inside, execution: Execution, kept: Mapping[str, str]) -> dict[str, str]:
    """Variables that name the job's directories, as these are called inside."""
    if not inside.target:
        return {}
    root, at_home = execution.place.sandbox.root, execution.directory == execution.place.sandbox.scratch
    pairs = [(root, inside.target if at_home else _SCRATCH)]
    if not at_home:
        pairs.append((execution.directory, inside.target))
    found = {"_CONDOR_SCRATCH_DIR_OUTSIDE_CONTAINER": execution.place.sandbox.scratch}
    for name, value in kept.items():
        for outside, place in pairs:
            if value == outside or f"{outside}/" in value:
                found[name] = value = value.replace(outside, place)
    return {name: value for name, value in found.items() if _plain(inside, name)}


def first_complaint(said: str) -> str:
    """The first line of what singularity says that is worth to be read."""
    lines = [_COLOURS.sub("", line).strip() for line in said.splitlines()]
    wanted = [line for line in lines if line and not line.startswith(("WARNING", "INFO"))]
    return (wanted or [line for line in lines if line] or ["it says nothing"])[0][:_SHOWN]
