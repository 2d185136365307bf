"""Retries with other requests: ``request_memory = 1G, 2G`` and retry_request_memory and its relatives.

The job carries a transform per attribute (``TransformBody_<Attr>``) that the schedd applies when the job was evicted
for using too much; the lines of the body are separated by the character 0x1E.
"""

from __future__ import annotations

from condor_py.lang.submit import text as classad_text
from condor_py.lang.submit import units
from condor_py.lang.submit.job import JobMaker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

#: Between the lines of a transform in an ad.
LINE = "\x1e"
#: The condition under which a job was evicted for using more than it requested.
EXCEEDED = {
    "RequestMemory": "(VacateReasonCode==21 || VacateReasonCode == 34) && VacateReasonSubCode == 102",
    "RequestDisk": "(VacateReasonCode==21 || VacateReasonCode == 34) && VacateReasonSubCode == 104",
}


class _Steps:
    """Numbers to try in order; ``last`` is the expression after them, "" when the last number is final."""

    __slots__ = ("last", "numbers")

    def __init__(self, numbers: list[int], last: str) -> None:
        self.numbers = numbers
        self.last = last


def set_retry_request(job: JobMaker, command: str, attribute: str, base: int, rest: str) -> None:
    """Set up the retry of a request: ``rest`` are the values after the first comma of the command itself."""
    if rest:
        _set_transform(job, attribute, command, base, rest, None)
        return
    prefix = "retry_" + command
    steps = job.param(prefix)
    if command != "request_memory":
        if steps is not None:
            _set_transform(job, attribute, command, base, steps, None)
        return
    highest = job.param(prefix + "_max")
    increase = job.param(prefix + "_increase")
    if steps is not None:
        if increase is not None:
            job.warn(
                "\nWARNING: retry_request_memory_increase will be ignored because retry_request_memory was used",
                once=prefix,
            )
        _set_transform(job, attribute, prefix, base, steps, None)
    elif highest is not None or increase is not None:
        _set_transform(job, attribute, prefix + "_max", base, highest, increase)


def _parse_steps(job: JobMaker, command: str, base: int, text: str) -> _Steps:
    numbers: list[int] = []
    rest = text
    while rest.strip():
        size = units.parse_size(rest, base, ",")
        if size is None:
            if classad_text.canonical(rest.strip()) is None:
                raise job.fail(f"{command}={rest.strip()} is invalid. must be an expression or number\n")
            return _Steps(numbers, rest.strip())
        numbers.append(size[0])
        rest = size[2][1:]
    previous = 0
    for number in numbers if len(numbers) > 1 else ():
        if number <= previous:
            raise job.fail(
                f"{command} must have an increasing sequence of values, but {number} is not greater than {previous}\n"
            )
        previous = number
    return _Steps(numbers, "")


def _set_transform(
    job: JobMaker, attribute: str, command: str, base: int, text: str | None, increase: str | None
) -> None:
    steps = _parse_steps(job, command, base, text) if text is not None else _Steps([], "")
    numbers = list(steps.numbers)
    final = steps.last or (str(numbers.pop()) if numbers else "")
    if not final and increase is None:
        return
    if numbers:
        body = _listed(job, attribute, [*map(str, numbers), final])
    elif increase is not None:
        body = _increasing(job, attribute, base, final, increase)
    else:
        verb = "EVALSET" if steps.last else "SET"
        body = f"{verb} {attribute} {classad_text.canonical(final)}"
    set_transform(job, attribute, (f"REQUIREMENTS {EXCEEDED[attribute]}", body))


def set_transform(job: JobMaker, attribute: str, lines: Iterable[str]) -> None:
    """Give the job the transform of a request, which the schedd applies when it was evicted."""
    job.assign_string("TransformBody_" + attribute, LINE.join(lines))
    listed = (job.string("TransformOnEvict") or "").split()
    if attribute not in listed:
        job.assign_string("TransformOnEvict", " ".join([*listed, attribute]))


def increment_rule(attribute: str) -> str:
    """Describe an increment that is neither a size nor about the request."""
    return f"{attribute} retry increment must be a positive number or an expression that references {attribute}\n"


def _listed(job: JobMaker, attribute: str, values: list[str]) -> str:
    retry = "Retry" + attribute
    index = retry + "Index"
    job.assign_expr(retry, "{" + ",".join(values) + "}")
    return f"EVALSET {attribute} {retry}[{index}?:0]{LINE}EVALSET {index} MIN({{size({retry})-1, ({index}?:0)+1}})"


def _increasing(job: JobMaker, attribute: str, base: int, highest: str, increase: str) -> str:
    rule = increment_rule(attribute)
    size = units.parse_size(increase, base)
    if size is not None:
        if size[0] <= 0:
            raise job.fail(rule)
        step = f"{attribute} + {size[0]}"
    else:
        if attribute.lower() not in classad_text.references(increase):
            raise job.fail(rule)
        step = increase
    if highest:
        job.assign_expr("Max" + attribute, highest)
        job.assign_expr("Next" + attribute, step)
        return f"EVALSET {attribute} MIN({{Next{attribute}, Max{attribute}}})"
    number = _substituted(step, attribute, job.lookup(attribute) or "0")
    if number is None:
        raise job.fail(f"{attribute} retry increment ({increase}) must evaluate to an integer at submit time\n")
    return f"SET {attribute} {number}"


def _substituted(expression: str, attribute: str, value: str) -> int | None:
    found = classad_text.evaluate(f"[ {attribute} = {value}; Result_ = {expression} ].Result_")
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def set_on_evict(job: JobMaker) -> None:
    """TransformOnEvict and the bodies of ``on_evict_checks``."""
    names = job.param("on_evict_checks", "TransformOnEvict")
    if names is None:
        return
    kept = []
    for name in names.replace(",", " ").split():
        raw = job.macros.lookup("transform_body_" + name) or job.macros.lookup("TransformBody_" + name)
        if raw is None:
            job.warn(f"on_evict_checks names {name}, but there is no transform_body_{name}\n", once=name)
            continue
        job.macros.used.update(("transform_body_" + name.lower(), "transformbody_" + name.lower()))
        lines = [job.macros.expand(line) for line in raw.split("\n")]
        kept_lines = [line for line in lines if line and line[0] != "#"]
        _warn_of_body(job, name, "\n".join(kept_lines))
        job.assign_string("TransformBody_" + name, LINE.join(kept_lines))
        kept.append(name)
    job.assign_string("TransformOnEvict", " ".join(kept))


def _warn_of_body(job: JobMaker, name: str, body: str) -> None:
    from condor_py.lang.submit.transform import (  # few jobs bring transforms
        TransformError,
        check_statements,
        read_rules,
    )

    try:
        wrong = check_statements(read_rules(body, name))
    except TransformError as error:
        wrong = str(error)
    if wrong:
        job.warn(f"transform_body_{name}: {wrong}\n", once=f"{name} {wrong}")
