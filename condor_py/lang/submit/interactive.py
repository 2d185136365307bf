"""Interactive jobs (condor_submit -interactive): a program that only waits takes the place of the job's own.

What the description says of executable and arguments stays in OrigCmd and OrigArguments. The program that waits is
that of the commands interactive_executable and interactive_args, which the tool sets from the configuration.
"""

from __future__ import annotations

from condor_py.lang.submit.job import JobMaker
from condor_py.model.arguments import ArgumentError, join_v2, parse_arguments

EXECUTABLE = "interactive_executable"
ARGUMENTS = "interactive_args"
DESCRIPTION = "interactive job"


def executable(job: JobMaker, path: str, is_given: bool) -> str:
    """The program to run in place of ``path``, which ``is_given`` unless the description names none."""
    waiter = job.param(EXECUTABLE) if job.is_interactive else None
    if waiter is None:
        return path
    if job.boolean("TransferExecutable", True):
        if is_given:
            job.assign_string("OrigCmd", path)
        job.assign_bool("TransferExecutable", False)
    return waiter


def set_arguments(job: JobMaker, had_old_syntax: bool) -> None:
    """The arguments of the waiting program over those of the description, in old syntax if both have it."""
    text = job.param(ARGUMENTS) if job.is_interactive else None
    if text is None:
        return
    try:
        words, is_old = parse_arguments(text)
    except ArgumentError as error:
        job.warn(f"ignoring invalid {ARGUMENTS} : {error}\n")
        return
    old = had_old_syntax and is_old
    name = "Args" if old else "Arguments"
    before = job.string(name)
    if before is not None and not job.has(f"Orig{name}"):
        job.assign_string(f"Orig{name}", before)
    job.assign_string(name, " ".join(words) if old else join_v2(words))


def set_description(job: JobMaker) -> None:
    """JobDescription of an interactive job that has none."""
    if job.is_interactive and not job.has("JobDescription"):
        job.assign_string("JobDescription", DESCRIPTION)
