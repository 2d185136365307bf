"""The program of a job: universe, directory, executable, arguments, environment and the standard streams."""

from __future__ import annotations

import os

from condor_py.lang.submit import env as environment
from condor_py.lang.submit import interactive, units
from condor_py.lang.submit import text as classad_text
from condor_py.lang.submit.errors import SubmitError
from condor_py.lang.submit.job import JobMaker, is_url, strip_quotes
from condor_py.model import arguments
from condor_py.model.states import UNIVERSE_KINDS, UNIVERSE_NAMES, Universe, universe_number
from condor_py.model.texts import as_integer

_SUPPORTED = frozenset(int(universe) for universe in Universe)
_GRID_TYPES = frozenset(("blah", "batch", "pbs", "sge", "lsf", "nqs", "naregi", "condor", "arc", "ec2", "gce", "azure"))
_CLOUDS = frozenset(("ec2", "gce", "azure"))


def _universe_number(word: str) -> int:
    digits = word.strip()
    if digits.isdecimal() and as_integer(digits):
        return as_integer(digits)
    return universe_number(digits)


def set_universe(job: JobMaker) -> None:
    """JobUniverse, and what docker, container and grid jobs add to it."""
    word = job.param("universe", "JobUniverse") or job.settings.default_universe
    job.is_docker = job.is_container = False
    job.grid_type = ""
    number = int(Universe.VANILLA)
    if word:
        number = _universe_number(word)
        lowered = word.strip().lower()
        if not number and lowered in UNIVERSE_KINDS:
            number = int(Universe.VANILLA)
            job.is_docker, job.is_container = lowered == "docker", lowered == "container"
    if number not in _SUPPORTED:
        if number:
            raise job.fail(f"'{UNIVERSE_NAMES.get(number, 'Unknown')}' is not a supported universe.\n")
        raise job.fail(f"I don't know about the '{word}' universe.\n")
    job.universe = Universe(number)
    can_contain = job.universe in (Universe.VANILLA, Universe.LOCAL)
    if can_contain:
        _find_image(job)
    job.assign_int("JobUniverse", number)
    _remote_universe(job)
    if job.param_bool("WantParallelScheduling"):
        job.assign_bool("WantParallelScheduling", True)
    if can_contain:
        if job.is_docker:
            job.assign_bool("WantDocker", True)
        if job.is_container:
            job.assign_bool("WantContainer", True)
    elif job.universe == Universe.GRID:
        _grid_type(job)


def _find_image(job: JobMaker) -> None:
    container = job.param("container_image", "ContainerImage")
    if job.is_docker:
        if container:
            raise job.fail("docker universe does not allow use of container_image.\n")
        return
    docker = job.param("docker_image", "DockerImage")
    if docker and container:
        raise job.fail("cannot declare both docker_image and container_image\n")
    if docker or container:
        job.is_container = True
        if docker:
            job.assign_bool("WantDockerImage", True)


def _remote_universe(job: JobMaker) -> None:
    for prefix in ("Remote_", "Remote_Remote_"):
        word = job.param(prefix + "universe", prefix + "JobUniverse")
        if word is None:
            return
        number = _universe_number(word)
        if not number:
            raise job.fail(f"Unknown {prefix}Universe of '{word}' specified\n")
        job.assign_int(prefix + "JobUniverse", number)


def _grid_type(job: JobMaker) -> None:
    resource = job.param("grid_resource", "GridResource") or job.string("GridResource")
    if not resource:
        raise job.fail("grid_resource attribute not defined for grid universe job\n")
    job.grid_type = resource.partition(" ")[0].lower()
    if job.grid_type not in _GRID_TYPES:
        raise job.fail(
            f"Invalid value '{resource.partition(' ')[0]}' for grid type\n"
            "Must be one of: condor, batch, arc, ec2, gce, or azure\n"
        )


def set_file_checks(job: JobMaker) -> None:
    """Read ``skip_filechecks``: true for no checks at all, ``warn`` to let a bad executable pass."""
    value = job.param("skip_filechecks")
    job.skip_checks = job.checks_warn = False
    if value is None:
        return
    if value.lower() == "warn":
        job.checks_warn = True
        return
    skip = units.parse_bool(value, classad_text.evaluate)
    if skip is None:
        raise job.fail(f"skip_filechecks={value} is invalid, must be 'warn' or a boolean\n")
    job.skip_checks = skip


def set_iwd(job: JobMaker) -> None:
    """Iwd from initialdir; the directory must exist."""
    short = job.param("initialdir", "Iwd") or job.param("initial_dir", "job_iwd")
    iwd = job.full_path(short, use_iwd=False) if short else job.directory
    if iwd != job.iwd or "iwd" not in job.once:
        job.once.add("iwd")
        if job.checks_directory and not os.access(iwd, os.F_OK | os.X_OK):
            raise job.fail(f"No such directory: {iwd}\n")
        job.iwd = iwd
    job.macros.expander.directory = iwd
    job.assign_string("Iwd", iwd)
    submit_file = job.param("SUBMIT_FILE")
    if submit_file:
        job.assign_string("JobSubmitFile", submit_file)


def set_executable(job: JobMaker) -> None:
    """Cmd, TransferExecutable and the images of containers."""
    if job.is_docker or job.is_container:
        _set_images(job)
    if job.param("shell") and not job.is_interactive:
        job.assign_string("Cmd", "/bin/sh")
        job.assign_bool("TransferExecutable", False)
        return
    ignore = job.universe == Universe.VM or (job.universe == Universe.GRID and job.grid_type in _CLOUDS)
    name = job.param("executable", "Cmd")
    is_given = name is not None
    if name is None and job.is_interactive:
        name = job.param(interactive.EXECUTABLE)
    if name is None:
        if job.has("Cmd"):
            return
        if not (job.is_docker or job.is_container):
            raise job.fail("No 'executable' parameter was provided\n")
        ignore = True
    transfer = True
    flag = job.param("transfer_executable", "TransferExecutable")
    if flag is not None:
        if flag[0] in "fF":
            job.assign_bool("TransferExecutable", False)
            transfer = False
    elif _never_transferred(job, name):
        job.assign_bool("TransferExecutable", False)
        transfer = False
        ignore = True
    if ignore and transfer:
        job.assign_bool("TransferExecutable", False)
        transfer = False
    path = job.full_path(name, use_iwd=False) if transfer and name else name or ""
    job.program = path = interactive.executable(job, path, is_given)
    job.assign_string("Cmd", path)
    if transfer and name:
        check_executable(job, name)


def _never_transferred(job: JobMaker, name: str | None) -> bool:
    contained = job.is_docker or job.is_container
    return job.settings.container_never_transfer_absolute and contained and bool(name) and str(name)[0] == "/"


def check_executable(job: JobMaker, name: str) -> None:
    """Refuse an executable that is missing, empty or a script with CRLF line ends. Raises SubmitError."""
    if not job.checks_executable or "$$" in name:
        return
    path = job.full_path(name, use_iwd=False)
    try:
        status = os.stat(path)
    except OSError as error:
        _executable_problem(job, f"Can't access executable file {name}: {error.strerror}")
        return
    if status.st_size == 0:
        _executable_problem(job, f"Executable file {name} has zero length")
    elif _is_crlf_script(path):
        problem = f"Executable file {name} is a script with CRLF (DOS/Windows) line endings."
        if job.allow_crlf_script or job.checks_warn:
            _show_warning(job, problem)
            return
        raise SubmitError(
            f"\nERROR: {problem}\nThis generally doesn't work, and you should probably run 'dos2unix {name}' -- or a "
            "similar tool -- before you resubmit.\n"
        )


def _executable_problem(job: JobMaker, problem: str) -> None:
    if not job.checks_warn:
        raise SubmitError(f"\nERROR: {problem}\n")
    _show_warning(job, problem)


def _show_warning(job: JobMaker, problem: str) -> None:
    job.warn(f"\n{problem}\n", once=problem)


def _is_crlf_script(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            line = file.read(127).partition(b"\n")
    except (OSError, ValueError):  # a name with a zero byte is no file
        return False
    return line[0].startswith(b"#!") and line[0].endswith(b"\r") and bool(line[1])


def _set_images(job: JobMaker) -> None:
    docker = job.param("docker_image", "DockerImage")
    if docker is not None:
        image = strip_quotes(docker)
        if not image:
            kind = "docker_image" if job.is_docker else "docker_image for container universe"
            raise job.fail(f"'{image}' is not a valid {kind}\n")
        job.assign_string("DockerImage", image)
    elif job.is_docker and not job.has("DockerImage"):
        raise job.fail("docker jobs require a docker_image\n")
    if not job.is_container:
        return
    container = job.param("container_image", "ContainerImage")
    if container is None:
        if not job.has("ContainerImage") and not job.has("DockerImage"):
            raise job.fail("container jobs require a container_image or docker_image\n")
        return
    image = strip_quotes(container)
    if not image or image.startswith(("instance://", "library://", "shub://")):
        raise job.fail(f"'{image}' is not a valid container image\n")
    job.assign_string("ContainerImage", image)
    job.assign_bool({"docker": "WantDockerImage", "sif": "WantSIF"}.get(image_kind(image), "WantSandboxImage"), True)


def image_kind(image: str) -> str:
    """ "docker" for a repository, "sif" for a SIF file, "sandbox" for a directory."""
    image = image.strip()
    if image.startswith("docker:"):
        return "docker"
    return "sif" if image.endswith(".sif") else "sandbox"


def set_arguments(job: JobMaker) -> None:
    """Args (old syntax) or Arguments (new syntax)."""
    old = job.param("arguments", "Args")
    new = job.param("arguments2")
    shell = job.param("shell")
    if shell is not None and not job.is_interactive:
        job.assign_string("Arguments", arguments.join_v2(["-c", shell]))
        return
    allow_v1 = job.param_bool("allow_arguments_v1")
    if old and new and not allow_v1:
        raise job.fail(
            "If you wish to specify both 'arguments' and\n'arguments2' for maximal compatibility with different\n"
            "versions of Condor, then you must also specify\nallow_arguments_v1=true.\n"
        )
    if old is None and new is None and (job.has("Args") or job.has("Arguments")):
        return
    words: list[str] = []
    is_v1 = False
    try:
        if new is not None:
            words = arguments.parse_v2(new)
        elif old is not None:
            words, is_v1 = arguments.parse_arguments(old)
    except arguments.ArgumentError as error:
        raise job.fail(f"{error}\nThe full arguments you specified were: {new or old}\n") from None
    if is_v1:
        job.assign_string("Args", " ".join(words))
    else:
        job.assign_string("Arguments", arguments.join_v2(words))
    if job.universe == Universe.JAVA and not words:
        raise job.fail("In Java universe, you must specify the class name to run.\nExample:\n\narguments = MyClass\n\n")
    interactive.set_arguments(job, is_v1)


def set_java_arguments(job: JobMaker) -> None:
    """JavaVMArgs (old syntax) or JavaVMArguments."""
    plain = job.param("java_vm_args")
    old = job.param("java_vm_arguments", "JavaVMArgs")
    if plain and old:
        raise job.fail("you specified a value for both java_vm_args and java_vm_arguments.\n")
    old = old or plain
    new = job.param("java_vm_arguments2")
    if old is None and new is None:  # nothing to parse, and no patterns to load for it
        return
    if old and new and not job.param_bool("allow_arguments_v1"):
        raise job.fail(
            "If you wish to specify both 'java_vm_arguments' and\n'java_vm_arguments2' for maximal compatibility "
            "with different\nversions of Condor, then you must also specify\nallow_arguments_v1=true.\n"
        )
    try:
        words, is_v1 = (arguments.parse_v2(new), False) if new else arguments.parse_arguments(old or "")
    except arguments.ArgumentError as error:
        raise job.fail(
            f"failed to parse java VM arguments: {error}\nThe full arguments you specified were {new or old}\n"
        ) from None
    if words:
        name, joined = ("JavaVMArgs", " ".join(words)) if is_v1 else ("JavaVMArguments", arguments.join_v2(words))
        job.assign_string(name, joined)


def set_environment(job: JobMaker) -> None:
    """Environment, or Env and EnvDelim when the command was spelled ``env`` in the old syntax."""
    old = job.param("environment", "env")
    new = job.param("environment2")
    prefer_v1 = False
    if old and not new:
        spelled_env = job.param("env")
        prefer_v1 = spelled_env is not None and not arguments.is_v2_quoted(spelled_env)
    if old and new and not job.param_bool("allow_environment_v1"):
        raise job.fail(
            "If you wish to specify both 'environment' and\n'environment2' for maximal compatibility with different\n"
            "versions of Condor, then you must also specify\nallow_environment_v1=true.\n"
        )
    try:
        table = environment.parse_v2(new) if new else environment.parse_environment(old or "")
    except arguments.ArgumentError as error:
        raise job.fail(f"{error}\nThe environment you specified was: '{new or old}'\n") from None
    _import_environment(job, table, v1=bool(old and not new))
    has_v1, has_v2 = job.has("Env"), job.has("Environment")
    write_v1, write_v2 = prefer_v1, not prefer_v1
    if not old and not new and not table and (has_v1 or has_v2):
        return
    if write_v1 and has_v2:
        write_v2 = True
    if write_v2 and has_v1:
        write_v1 = True
    if write_v1:
        try:
            raw = environment.join_v1(table)
        except arguments.ArgumentError as error:
            raise job.fail(f"failed to insert environment into job ad: {error}\n") from None
        job.assign_string("Env", raw)
        job.assign_string("EnvDelim", environment.DELIMITER)
    if write_v2:
        job.assign_string("Environment", environment.join_environment(table))


def _import_environment(job: JobMaker, table: environment.Table, *, v1: bool) -> None:
    names = job.param("getenv", "get_env")
    if names is None:
        return
    everything = units.parse_bool(names, classad_text.evaluate)
    if everything is None:
        environment.import_environment(table, names, job.env, v1=v1)
    elif everything:
        if not job.settings.allow_getenv:
            raise job.fail(
                "\ngetenv = true command not allowed because administrator has set SUBMIT_ALLOW_GETENV = false\n"
            )
        environment.import_environment(table, None, job.env, v1=v1)


#: (command, other spelling, attribute, transfer command and attribute, stream command and attribute).
_STREAMS = (
    ("input", "stdin", "In", "transfer_input", "TransferIn", "stream_input", "StreamIn"),
    ("output", "stdout", "Out", "transfer_output", "TransferOut", "stream_output", "StreamOut"),
    ("error", "stderr", "Err", "transfer_error", "TransferErr", "stream_error", "StreamErr"),
)
_NULL = "/dev/null"


def _set_stream(job: JobMaker, which: int) -> None:
    name, alt, attribute, transfer_name, transfer_attr, stream_name, stream_attr = _STREAMS[which]
    default = job.boolean(transfer_attr, True)
    transfer = job.param_bool(transfer_name, transfer_attr, default)
    must_set = transfer != default
    stream = job.param_bool(stream_name, stream_attr, job.boolean(stream_attr, False))
    value = job.param(name, alt)
    if value is not None or not job.has(attribute):
        file = value or _NULL
        if file == _NULL:
            transfer = stream = False
        elif job.universe == Universe.VM:
            raise job.fail(
                "You cannot use input, ouput, and error parameters in the submit description file for vm universe\n"
            )
        elif transfer and not job.skip_checks:
            check_open(job, file, os.O_RDONLY if which == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        job.assign_string(attribute, file)
    if not transfer:
        job.assign_bool(transfer_attr, False)
        return
    job.assign_bool(stream_attr, stream)
    if must_set:
        job.assign_bool(transfer_attr, True)


def set_stdin(job: JobMaker) -> None:
    """In, TransferIn, StreamIn."""
    _set_stream(job, 0)


def set_stdout(job: JobMaker) -> None:
    """Out, TransferOut, StreamOut."""
    _set_stream(job, 1)


def set_stderr(job: JobMaker) -> None:
    """Err, TransferErr, StreamErr."""
    _set_stream(job, 2)


def check_open(job: JobMaker, name: str, flags: int) -> None:
    """With SUBMIT_SKIP_FILECHECKS off, refuse a file that the submitter could not open with these flags.

    Nothing is opened: permissions of the file, or of its directory when it is to be created, are checked.
    """
    if job.settings.skip_filechecks or job.skip_checks or not job.looks_at_files:
        return
    if is_url(name) or "$$(" in name or name == _NULL:
        return
    path = job.full_path(name)
    wanted = os.R_OK if flags == os.O_RDONLY else os.W_OK
    if not os.path.exists(path):
        folder = os.path.dirname(path)
        if flags & os.O_CREAT and os.access(folder, os.W_OK | os.X_OK):
            return
        problem = (
            "No such file or directory" if not flags & os.O_CREAT or not os.path.isdir(folder) else "Permission denied"
        )
    elif os.path.isdir(path) or os.access(path, wanted):
        return
    else:
        problem = "Permission denied"
    raise job.fail(f'Can\'t open "{path}"  with flags 0{flags:o} ({problem})\n')
