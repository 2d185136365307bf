"""Requests that the schedd finds from the history: ``request_memory = auto`` and ``request_disk = auto``.

The job says ``RequestMemory = AutoRequestMemory``. AutoRequestMemory is what a job asks for that does not say, until
the schedd writes a number in its place, and MemoryRequestSource says where it came from. So whichever way a job comes
into the queue, its ad is the same. A job that needs more brings a transform that gives it more (see ``evict``).
"""

from __future__ import annotations

from condor_py.lang.submit import text as classad_text
from condor_py.lang.submit import units
from condor_py.lang.submit.evict import EXCEEDED, increment_rule, set_retry_request, set_transform
from condor_py.lang.submit.job import JobMaker
from condor_py.model.states import Universe

_AUTO = "auto"
_SOURCE = "default: too few like jobs have ended"
#: A job that needs more gets three times as much: of a default, which may be far too little, few tries are needed.
NEXT = "{name} * 3"
_UNIVERSES = (Universe.VANILLA, Universe.JAVA)


def is_auto(value: str | None) -> bool:
    """Whether the value of a command, or what is before its first comma, is ``auto``."""
    return value is not None and value.partition(",")[0].strip().lower() == _AUTO


def refuse(job: JobMaker, command: str, value: str | None) -> None:
    """Fail a job that has ``auto`` where the schedd finds nothing."""
    if is_auto(value):
        raise job.fail(f"{command} = auto is not supported: only request_memory and request_disk are found this way\n")


def is_wanted(job: JobMaker, value: str | None, attribute: str) -> bool:
    """Whether a request is to be found from the history: the job says so, or it says nothing and the pool does."""
    if value is None:
        return job.settings.auto_requests and not job.has(attribute) and _may_be_found(job)
    return is_auto(value)


def _may_be_found(job: JobMaker) -> bool:
    return job.universe in _UNIVERSES and not job.grid_type and not job.has("JobVMMemory")


def set_auto(job: JobMaker, command: str, attribute: str, value: str | None, base: int) -> None:
    """The request of such a job, and its retries. ``base``: bytes of the unit of the request."""
    if not _may_be_found(job):
        raise job.fail(
            f"{command} = auto needs a job that runs in one slot: the vanilla or java universe, a container\n"
        )
    settings = job.settings
    default, most = settings.request_disk, settings.auto_disk_max
    if attribute == "RequestMemory":
        default, most = settings.request_memory, settings.auto_memory_max or 0
    job.assign_expr(f"Auto{attribute}", default or "undefined")
    job.assign(attribute, f"Auto{attribute}")
    job.assign_string(f"{_resource(attribute)}RequestSource", _SOURCE)
    rest = "" if value is None else value.partition(",")[2]
    if rest.strip() or job.param(f"retry_{command}") is not None:
        set_retry_request(job, command, attribute, base, rest)
    else:
        _set_retries(job, command, attribute, base, most)


def _resource(attribute: str) -> str:
    """Memory or Disk. The names of other attributes do not begin with Request, which asks for a custom resource."""
    return attribute.removeprefix("Request")


def _set_retries(job: JobMaker, command: str, attribute: str, base: int, site: int) -> None:
    """A transform that gives the job more, as often and as much as it and the pool allow."""
    tries = _tries(job)
    if not tries:
        return
    most = _most(job, command, attribute, base, site)
    job.assign_expr(f"Next{attribute}", _next(job, command, attribute, base))
    if most:
        job.assign_int(f"Max{attribute}", most)
    set_transform(job, attribute, retry_lines(attribute, tries, is_limited=bool(most)))


def retry_lines(attribute: str, tries: int, *, is_limited: bool) -> tuple[str, ...]:
    """The transform that makes a request NextRequestMemory, which is MaxRequestMemory at most where it ``is_limited``,
    so many times."""
    resource = _resource(attribute)
    count = f"{resource}RequestRetries"
    limits, grown = f"({count} ?: 0) < {tries}", f"Next{attribute}"
    if is_limited:
        limits += f" && {attribute} < Max{attribute}"
        grown = f"MIN({{Next{attribute}, Max{attribute}}})"
    unit = "MB" if attribute == "RequestMemory" else "KB"
    source = f'strcat("retry ", {count}, " of {tries}: ", {attribute}, " {unit} were not enough")'
    return (
        f"REQUIREMENTS {EXCEEDED[attribute]} && {limits}",
        f"EVALSET {count} ({count} ?: 0) + 1",
        f"EVALSET {resource}RequestSource {source}",
        f"EVALSET {attribute} {grown}",
    )


def _tries(job: JobMaker) -> int:
    asked = job.param_int("auto_request_retries")
    if asked is not None and asked < 0:
        raise job.fail("auto_request_retries must not be negative\n")
    return job.settings.auto_retries if asked is None else min(asked, job.settings.auto_retries)


def _most(job: JobMaker, command: str, attribute: str, base: int, site: int) -> int:
    """The largest request that the job and the pool allow; 0 without limit."""
    text = job.param(f"retry_{command}_max")
    if text is None:
        return site
    size = units.parse_size(text, base)
    if size is None or size[0] <= 0:
        raise job.fail(f"retry_{command}_max={text} is invalid with {command} = auto, must be a size\n")
    return min(size[0], site) if site else size[0]


def _next(job: JobMaker, command: str, attribute: str, base: int) -> str:
    """The request after one that was not enough."""
    text = job.param(f"retry_{command}_increase")
    if text is None:
        return NEXT.format(name=attribute)
    size = units.parse_size(text, base)
    if size is not None and size[0] > 0:
        return f"{attribute} + {size[0]}"
    if size is not None or attribute.lower() not in classad_text.references(text):
        raise job.fail(increment_rule(attribute))
    return text
