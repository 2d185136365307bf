"""Resource requests of a job: RequestCpus, RequestMemory (MB), RequestDisk (KB), RequestGPUs and custom resources."""

from __future__ import annotations

from functools import cache

from condor_py.lang.submit import text as classad_text
from condor_py.lang.submit import units
from condor_py.lang.submit.auto import is_wanted, refuse, set_auto
from condor_py.lang.submit.evict import set_retry_request
from condor_py.lang.submit.job import JobMaker
from condor_py.model.states import Universe

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

_MB = 1024 * 1024
_SPECIAL = frozenset(("request_cpus", "request_cpu", "request_gpus", "request_gpu", "request_disk", "request_memory"))
_REFUSED = frozenset(("request_gpu_memory", "request_gpus_memory"))


def custom_requests(names: list[str]) -> list[str]:
    """The ``request_<tag>`` commands among these that ask for a custom resource."""
    found = []
    for name in names:
        lowered = name.lower()
        tag = lowered.removeprefix("request_")
        if lowered in _SPECIAL or lowered in _REFUSED or tag == lowered or len(tag) < 2 or tag[0] == "_":
            continue
        found.append(name)
    return found


def warn_misspelled(job: JobMaker) -> None:
    """Warn of request_cpu and request_gpu, which are not commands."""
    for name in ("request_cpu", "request_gpu"):
        if job.macros.defined(name):
            job.warn(f"{name} is not a valid submit keyword, did you mean {name}s?\n", once=name)


def set_custom(job: JobMaker, name: str) -> None:
    """Request<tag> from ``request_<tag>``."""
    value = job.param(name)
    if value is not None:
        job.assign_expr("Request" + name[len("request_") :], value)


def _default(job: JobMaker, knob: str) -> str | None:
    """The configuration's default of a request; jobs for another batch system get none."""
    return None if job.grid_type == "batch" else knob or None


def set_cpus(job: JobMaker) -> None:
    """RequestCpus."""
    value = job.param("request_cpus", "RequestCpus")
    refuse(job, "request_cpus", value)
    if value is None and not job.has("RequestCpus"):
        value = _default(job, job.settings.request_cpus)
    if value is not None and value.lower() != "undefined":
        job.assign_expr("RequestCpus", value)


def set_memory(job: JobMaker) -> None:
    """RequestMemory in MB; a number may have a unit."""
    value = job.param("request_memory", "RequestMemory")
    if is_wanted(job, value, "RequestMemory"):
        set_auto(job, "request_memory", "RequestMemory", value, _MB)
        return
    if value is None and not job.has("RequestMemory"):
        if job.has("JobVMMemory"):
            job.warn("request_memory was NOT specified.  Using RequestMemory = MY.JobVMMemory\n", once="vm_memory")
            job.assign_expr("RequestMemory", "MY.JobVMMemory")
        else:
            value = _default(job, job.settings.request_memory)
    _set_size(job, "request_memory", "RequestMemory", value, _MB, "megabytes", "K, M, G or T")


def set_disk(job: JobMaker) -> None:
    """RequestDisk in KB; a number may have a unit."""
    value = job.param("request_disk", "RequestDisk")
    if is_wanted(job, value, "RequestDisk"):
        set_auto(job, "request_disk", "RequestDisk", value, 1024)
        return
    if value is None and not job.has("RequestDisk"):
        value = _default(job, job.settings.request_disk)
    _set_size(job, "request_disk", "RequestDisk", value, 1024, "kilobytes", "K, M, or B")


def _set_size(
    job: JobMaker, command: str, attribute: str, value: str | None, base: int, unit_name: str, letters: str
) -> None:
    if value is None:
        return
    size = units.parse_size(value, base, ",")
    if size is None:
        if value.lower() != "undefined":
            job.assign_expr(attribute, value)
        return
    number, unit, rest = size
    if not unit:
        _missing_unit(job, f"{command}={value} defaults to {unit_name},", letters)
    job.assign_int(attribute, number)
    set_retry_request(job, command, attribute, base, rest[1:])


def _missing_unit(job: JobMaker, subject: str, letters: str) -> None:
    rule = job.settings.missing_units
    if not rule:
        return
    if rule.lower() == "error":
        raise job.fail(f"\nERROR: {subject} but must contain a units suffix (i.e {letters})\n")
    job.warn(f"\nWARNING: {subject} but should contain a units suffix (i.e {letters})\n", once=subject)


@cache
def _version() -> re.Pattern[str]:
    import re

    return re.compile(r"\s*(\d+)(?:\.(\d+))?\s*\Z")


def set_gpus(job: JobMaker) -> None:
    """RequestGPUs and, with it, the limits on the properties of the GPUs."""
    value = job.param("request_gpus", "RequestGPUs")
    refuse(job, "request_gpus", value)
    if value is None and not job.has("RequestGPUs"):
        value = _default(job, job.settings.request_gpus)
    if value is not None and value.lower() != "undefined":
        job.assign_expr("RequestGPUs", value)
    if not job.has("RequestGPUs"):
        return
    job.expr_command("require_gpus", "RequireGPUs")
    job.expr_command("gpus_minimum_capability", "GPUsMinCapability")
    job.expr_command("gpus_maximum_capability", "GPUsMaxCapability")
    _gpu_memory(job)
    _gpu_runtime(job)


def _gpu_memory(job: JobMaker) -> None:
    value = job.param("gpus_minimum_memory", "GPUsMinMemory")
    if value is None:
        if job.param("request_gpu_memory", "request_gpus_memory") is not None:
            job.warn(
                "\nWARNING: request_gpu_memory is not a submit command, did you mean gpus_minimum_memory?",
                once="request_gpu_memory",
            )
        return
    size = units.parse_size(value, _MB)
    if size is None:
        job.assign_expr("GPUsMinMemory", value)
        return
    if not size[1]:
        _missing_unit(job, f"gpus_minimum_memory={value} defaults to megabytes,", "K, M, or B")
    job.assign_int("GPUsMinMemory", size[0])


def _gpu_runtime(job: JobMaker) -> None:
    value = job.param("gpus_minimum_runtime", "GPUsMinRuntime")
    if value is None:
        return
    version = _version().match(value)
    minor = int(version[2]) if version and version[2] else -1
    if version is None or minor >= 100:
        job.assign_expr("GPUsMinRuntime", value)
        return
    major = int(version[1])
    if minor < 0 and major > 1000:
        job.assign_int("GPUsMinRuntime", major)
    else:
        job.assign_int("GPUsMinRuntime", major * 1000 + (minor * 10 if minor > 0 else 0))


#: (job attribute, property it limits, comparison).
_GPU_LIMITS = (
    ("GPUsMinCapability", "Capability", ">="),
    ("GPUsMaxCapability", "Capability", "<="),
    ("GPUsMinMemory", "GlobalMemoryMb", ">="),
    ("GPUsMinRuntime", "MaxSupportedVersion", ">="),
)


def set_require_gpus(job: JobMaker) -> None:
    """RequireGPUs: the user's expression joined with the limits."""
    if not job.has("RequestGPUs"):
        return
    required = job.lookup("RequireGPUs")
    named = classad_text.references(required) if required else frozenset()
    clauses = [
        f"{prop} {comparison} {attribute}"
        for attribute, prop, comparison in _GPU_LIMITS
        if job.has(attribute) and prop.lower() not in named
    ]
    if not clauses:
        return
    if required is not None:
        clauses.insert(0, classad_text.wrap_for_and(required) or required)
    job.assign_expr("RequireGPUs", " && ".join(clauses))


def set_sizes(job: JobMaker) -> None:
    """ExecutableSize (measured for the first job of a cluster) and ImageSize, in KB."""
    if job.proc < 1 and job.universe != Universe.VM and job.looks_at_files:
        command = job.string("Cmd")
        measured = job.size_kb(command) if command and job.grid_type not in ("ec2", "gce", "azure") else 0
        job.assign_int("ExecutableSize", measured)
    value = job.param("image_size", "ImageSize")
    if value is None:
        if not job.has("ImageSize"):
            job.assign_int("ImageSize", job.integer("ExecutableSize", 0))
        return
    size = units.parse_size(value, 1024)
    if size is None:
        job.messages.items.append((True, f"'{value}' is not valid for Image Size\n"))
    if size is None or size[0] < 1:
        raise job.fail("Image Size must be positive\n")
    job.assign_int("ImageSize", size[0])
