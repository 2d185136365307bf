"""File transfer: what is moved, when, and how much disk the job is thought to need."""

from __future__ import annotations

import os

from condor_py.lang.submit.errors import SubmitError
from condor_py.lang.submit.job import JobMaker, is_url, split_commas, strip_quotes
from condor_py.lang.submit.program import check_open
from condor_py.lang.submit.units import parse_size
from condor_py.model.states import Universe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_SHOULD = {
    "yes": "YES", "true": "YES", "always": "YES", "no": "NO", "false": "NO", "never": "NO",
    "if_needed": "IF_NEEDED", "auto": "IF_NEEDED",
}  # fmt: skip
_WHEN = {
    "on_exit_or_evict": "ON_EXIT_OR_EVICT", "always": "ON_EXIT_OR_EVICT", "on_exit": "ON_EXIT", "onexit": "ON_EXIT",
    "none": "NONE", "null": "NONE", "on_success": "ON_SUCCESS", "onsuccess": "ON_SUCCESS",
    "never": "ON_EXIT", "no": "ON_EXIT", "false": "ON_EXIT",  # as HTCondor has it
}  # fmt: skip
#: How the lists of protected URLs are called, before the name of the queue.
_PROTECTED = "TransferInputFrom_"
_INCOMPATIBLE = (
    '"when_to_transfer_output = ON_EXIT_OR_EVICT" and "should_transfer_files = IF_NEEDED" are incompatible.  The '
    "behavior of these two settings together would produce incorrect file access in some cases.  Please decide which "
    'one of those two settings you\'re more interested in. If you really want "IF_NEEDED", set '
    '"when_to_transfer_output = ON_EXIT".  If you really want "ON_EXIT_OR_EVICT", please set "should_transfer_files '
    '= YES".  After you have corrected this incompatibility, please try running condor_submit again.\n'
)
_EXECUTABLE_WITHOUT_TRANSFER = (
    "You explicitly requested that the executable be transfered, but for this to work, you must enable Condor's file "
    'transfer functionality.  You need to define either: "when_to_transfer_output = ON_EXIT" or '
    '"when_to_transfer_output = ON_EXIT_OR_EVICT".  Optionally, you can define "should_transfer_files = IF_NEEDED" '
    "if you do not want any files to be transfered if the job executes on a machine in the same FileSystemDomain.  "
    "See the Condor manual for more details."
)


def _wrapped(text: str, width: int = 78) -> SubmitError:
    """The error with its text broken into lines as HTCondor breaks them: a space follows every word."""
    out = ""
    column = 0
    for word in f"\nERROR: {text}".replace("\t", " ").split(" "):
        if not word:
            continue
        if len(word) >= width - column:
            out += "\n"
            column = 0
        out += word
        column += len(word)
        out += " " if column < width else "\n"
        column = column + 1 if column < width else 0
    return SubmitError(out + "\n")


def set_transfer_files(job: JobMaker) -> None:
    """TransferInput, TransferOutput, ShouldTransferFiles, WhenToTransferOutput, remaps, sizes and DiskUsage."""
    given = job.param("transfer_input_files", "TransferInputFiles")
    inputs = split_commas(strip_quotes(given)) if given else []
    _common_input(job)
    size_kb = 0
    for name in inputs:
        check_open(job, name, os.O_RDONLY)
        size_kb += job.size_kb(name)
    if job.is_container:
        size_kb += _container_input(job, inputs)
    _check_docker_credentials(job)
    has_inputs = bool(inputs) or (job.is_container and job.boolean("ContainerIsCommon", False))
    standard_input = job.string("In")
    if standard_input and job.boolean("TransferIn", True):
        size_kb += job.size_kb(standard_input)
    wanted = job.param("transfer_output_files", "TransferOutputFiles")
    outputs = split_commas(strip_quotes(wanted)) if wanted is not None else None
    should, when = _should_and_when(job, has_inputs, outputs is not None)
    job.assign_string("ShouldTransferFiles", should)
    if should != "NO":
        job.assign_string("WhenToTransferOutput", when)
    if should != "YES" and not job.has("FileSystemDomain") and job.settings.filesystem_domain:
        job.assign_string("FileSystemDomain", job.settings.filesystem_domain)
    if should != "NO":
        size_kb += _tool_input(job, inputs)
        if job.universe == Universe.JAVA:
            size_kb += _java_input(job, inputs)
    _sizes(job, size_kb)
    if should != "NO":
        is_java = job.universe == Universe.JAVA and job.param_bool("transfer_executable", "TransferExecutable", True)
        if has_inputs or is_java:
            job.assign_string("TransferInput", ",".join(_without_protected(job, inputs)))
        _public_input(job)
        if outputs is not None:
            job.assign_string("TransferOutput", ",".join(outputs))
    elif job.universe not in (Universe.GRID, Universe.JAVA) and job.param_bool(
        "transfer_executable", "TransferExecutable"
    ):
        raise _wrapped(_EXECUTABLE_WITHOUT_TRANSFER)
    given_remaps = job.param("transfer_output_remaps", "TransferOutputRemaps")
    remaps = [strip_quotes(given_remaps)] if given_remaps is not None and strip_quotes(given_remaps) else []
    if job.is_remote:
        remaps += _plain_streams(job)
    if remaps:
        job.assign_string("TransferOutputRemaps", ";".join(remaps))


def _without_protected(job: JobMaker, inputs: list[str]) -> list[str]:
    """``inputs`` without the URLs that PROTECTED_URL_TRANSFER_MAPFILE names, which get lists of their own by queue."""
    import re

    queue_of = job.settings.protected_urls
    if queue_of is None:
        return inputs
    others: list[str] = []
    lists: dict[str, list[str]] = {}
    for name in inputs:
        scheme, _, place = name.partition("://")
        queue = (queue_of(scheme.lower(), place) or "").upper() if is_url(name) else ""
        queue = "LOCAL" if queue == "*" else queue
        if re.fullmatch("[A-Z0-9_]+", queue):
            lists.setdefault(f"{_PROTECTED}{queue}", []).append(name)
        else:
            others.append(name)
    unused = {name for name, _ in job.cluster.values() if name.startswith(_PROTECTED)} - lists.keys()
    for attribute, names in sorted(lists.items()):
        job.assign_string(attribute, ",".join(names))
    for attribute in sorted(unused):  # the first job of the cluster has some
        job.assign_string(attribute, "")
    if lists or unused:
        job.assign_expr("TransferQueueInputList", f"{{ {', '.join(sorted(lists))} }}")
    return others


def input_urls(job: JobMaker) -> list[str]:
    """The URLs among the input files of a job."""
    lists = [name for name, _ in {**job.cluster, **job.own}.values() if name.startswith(_PROTECTED)]
    names = [name for attribute in ("TransferInput", *lists) for name in split_commas(job.string(attribute) or "")]
    return [name for name in names if is_url(name)]


def _plain_streams(job: JobMaker) -> Iterator[str]:
    """Give the output streams of a spooled job names without directories; the remaps that lead back to their places.

    The spool has none of the submitter's directories: condor_transfer_data puts the files where they belong.
    """
    places: dict[str, str] = {}
    for attribute, stream, plain in (("Out", "StreamOut", "_condor_stdout"), ("Err", "StreamErr", "_condor_stderr")):
        place = job.string(attribute)
        if not place or "/" not in place or place == "/dev/null" or job.boolean(stream, False):
            continue
        name = places.setdefault(place, plain)
        job.assign_string(attribute, name)
        yield f"{name}={_escaped(place)}"


def _escaped(name: str) -> str:
    """A file name as TransferOutputRemaps takes it."""
    return "".join(f"\\{char}" if char in ";=\\" else char for char in name)


def _check_docker_credentials(job: JobMaker) -> None:
    """docker_send_credentials wants the submitter's file of them."""
    if not job.looks_at_files or not job.boolean("DockerSendCredentials", False):
        return
    home = job.env.get("HOME")
    if home is None:
        raise job.fail("ERROR: DOCKER_CONFIG directory is not defined\n")
    path = f"{home}/.docker/config.json"
    try:
        os.stat(path)
    except OSError as error:
        raise job.fail(f"ERROR: Cannot locate docker credentials file {path}: {error.strerror}\n") from None


def _public_input(job: JobMaker) -> None:
    given = job.param("public_input_files", "PublicInputFiles")
    names = split_commas(given) if given is not None else []
    for name in names:
        check_open(job, name, os.O_RDONLY)
    if names:
        job.assign_string("PublicInputFiles", ",".join(names))


def _common_input(job: JobMaker) -> None:
    common = job.param("transfer_common_input", "CommonInputFiles")
    if common is not None:
        job.assign_string("CommonInputFiles", ",".join(split_commas(strip_quotes(common))))


def _container_input(job: JobMaker, inputs: list[str]) -> int:
    """Add a container image that must be transferred to ``inputs``; its size in KB."""
    if not job.boolean("TransferContainer", True):
        job.assign_string("ContainerImageSource", "local")
        return 0
    given = job.param("container_image", "ContainerImage")
    if given is None:
        return 0
    if any(given.startswith(base) for base in split_commas(job.settings.container_shared_fs)):
        job.assign_string("ContainerImageSource", "local")
        return 0
    for scheme in ("docker", "oras"):
        if given.startswith(scheme + "://"):
            job.assign_string("ContainerImageSource", scheme)
            return 0
    is_common = job.boolean("ContainerIsCommon", _is_common_by_default(job, given))
    if is_common:
        _common_container(job, given)
    else:
        inputs.append(given)
    image = given.removesuffix("/")
    job.assign_string("ContainerImage", image.rpartition("/")[2])
    job.assign_string("ContainerImageFullPath", given)
    scheme, colon, _ = image.partition(":")
    job.assign_string("ContainerImageSource", scheme if colon else "cedar")
    return 0 if is_common else job.size_kb(given)


def _is_common_by_default(job: JobMaker, image: str) -> bool:
    """Whether the administrator makes an image common whose job does not set container_is_common."""
    import re

    settings = job.settings
    if settings.containers_are_common or not settings.common_containers:
        return settings.containers_are_common
    try:
        return re.fullmatch(settings.common_containers, image) is not None
    except re.error:
        return False


def _common_container(job: JobMaker, image: str) -> None:
    """container_is_common: the image is in a catalog of its own, named after its path."""
    catalog = _catalog_of(job, image)
    job.assign_string(f"_x_catalog_{catalog}", image)
    _list_catalog(job, catalog)


def _catalog_of(job: JobMaker, image: str) -> str:
    import hashlib

    path = image if is_url(image) else job.full_path(image)
    digest = hashlib.sha256(path.encode("utf-8", "surrogateescape")).hexdigest()
    return f"container_{digest[:8]}"


def _list_catalog(job: JobMaker, catalog: str) -> None:
    catalogs = job.string("CommonInputCatalogs") or ""
    if catalog not in catalogs:
        job.assign_string("CommonInputCatalogs", f"{catalogs}, {catalog}" if catalogs else catalog)


def list_common_image(job: JobMaker) -> None:
    """MY.CommonInputCatalogs replaces the list of catalogs: that of the image is added again."""
    image = job.string("ContainerImageFullPath")
    if image is not None and job.has(f"_x_catalog_{_catalog_of(job, image)}"):
        _list_catalog(job, _catalog_of(job, image))


def _tool_input(job: JobMaker, inputs: list[str]) -> int:
    size_kb = 0
    tool = job.string("ToolDaemonCmd")
    for name in (tool, job.string("ToolDaemonInput")) if tool else ():
        if name and name not in inputs:
            inputs.append(name)
            size_kb += job.size_kb(name)
    return size_kb


def _java_input(job: JobMaker, inputs: list[str]) -> int:
    """The class file and the jar files travel as input files; the executable becomes ``java``."""
    size_kb = 0
    command = job.program
    if not command or command == "java":
        return 0
    names = [] if command in inputs else [command]
    for name in [*names, *split_commas(job.string("JarFiles") or "")]:
        inputs.append(name)
        check_open(job, name, os.O_RDONLY)
        size_kb += job.size_kb(name)
    job.assign_string("Cmd", "java")
    job.assign_bool("TransferExecutable", False)
    return size_kb


def _sizes(job: JobMaker, size_kb: int) -> None:
    usage = job.param("disk_usage", "DiskUsage")
    if usage is not None:
        size = parse_size(usage, 1024)
        if size is None or size[0] < 1:
            raise job.fail(f"'{usage}' is not valid for disk_usage. It must be >= 1\n")
        job.assign_int("DiskUsage", size[0])
        return
    if not job.looks_at_files:  # what the first job needs is in the cluster ad
        return
    total = job.integer("ExecutableSize", 0) + size_kb
    job.assign_int("TransferInputSizeMB", (total + 1023) // 1024)
    job.assign_int("DiskUsage", total)


def _should_and_when(job: JobMaker, has_inputs: bool, has_outputs: bool) -> tuple[str, str]:
    """Canonical should_transfer_files and when_to_transfer_output. Raises SubmitError for contradictions."""
    if job.universe == Universe.VM:
        from condor_py.lang.submit import vm  # few jobs are machines

        moment = vm.when_to_transfer(job)
        if moment is None:
            raise _wrapped(vm.CHECKPOINT_AND_NETWORK)
        return "YES", moment
    word = job.param("ShouldTransferFiles", "should_transfer_files") or job.string("ShouldTransferFiles")
    is_default = word is None
    if word is None and job.settings.should_transfer_files.lower() in _SHOULD:
        word = job.settings.should_transfer_files
    word = word or "IF_NEEDED"
    should = _SHOULD.get(word.lower())
    if should is None:
        raise _wrapped(
            f"invalid value ({word}) for ShouldTransferFiles.  "
            "Please either specify YES, NO, or IF_NEEDED and try again."
        )
    if should == "NO" and (has_inputs or has_outputs):
        both = '"transfer_input_files" and "transfer_output_files",' if has_inputs and has_outputs else ""
        one = '"transfer_input_files",' if has_inputs else '"transfer_output_files",'
        raise _wrapped(
            f"you specified files you want Condor to transfer via {both or one} but you disabled should_transfer_files."
        )
    time_word = job.param("WhenToTransferOutput", "when_to_transfer_output") or job.string("WhenToTransferOutput")
    when = _WHEN.get((time_word or "ON_EXIT").lower())
    if when is None:
        raise _wrapped(
            f"invalid value ({time_word}) for WhenToTransferOutput.  "
            "Please either specify ON_EXIT, or ON_EXIT_OR_EVICT and try again."
        )
    if should == "NO" and not is_default and time_word is None:
        time_word, when = "NEVER", "NONE"
    if (should == "NO") != (when == "NONE"):
        raise _wrapped(
            f"WhenToTransferOutput specified as {time_word or 'ON_EXIT'} yet ShouldTransferFiles defined as {word}.  "
            "Please remove this contradiction from your submit file and try again."
        )
    if when == "ON_EXIT_OR_EVICT" and should == "IF_NEEDED":
        if not is_default:
            raise _wrapped(_INCOMPATIBLE)
        should = "YES"
    return should, when
