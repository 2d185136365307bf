"""``htcondor snake submit``: a workflow of Snakemake, whose rules become jobs."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, NamedTuple

from condor_py.bindings.schedd import Schedd
from condor_py.bindings.submit import Submit
from condor_py.model.arguments import join_v2
from condor_py.model.errors import CondorError

if TYPE_CHECKING:
    from condor_py.cli.nouns.words import Say

_FILE, _DIRECTORY = "Snakefile", "logs"


class _Asked(NamedTuple):
    """The workflow, the directory of its logs, and the arguments of Snakemake itself."""

    snakefile: str
    jobdir: str
    words: list[str]


def submit(say: Say, jobdir: str | None, words: list[str]) -> None:
    """Queue a local job that runs Snakemake. Raises CondorError, HTCondorException and OSError."""
    asked = _understood(jobdir, words)
    if not os.path.exists(asked.snakefile):
        raise CondorError(f"Could not find Snakefile: {asked.snakefile}")
    program = shutil.which("snakemake")
    if program is None:
        raise CondorError("Could not find 'snakemake' executable on PATH: is its environment active?")
    os.makedirs(asked.jobdir, exist_ok=True)
    print(f"Snakemake managment job submitted with JobID {_queue(program, asked)}.0")  # HTCondor spells it like this
    print(f"Logs can be found in {asked.jobdir}")


def _understood(jobdir: str | None, words: list[str]) -> _Asked:
    """``[SNAKEFILE] [--jobdir DIR] [-- WORDS]``; other words are Snakemake's as well."""
    end = words.index("--") if "--" in words else len(words)
    before, after = iter(words[:end]), words[end + 1 :]
    ours: list[str] = []
    for word in before:
        name, equals, value = word.partition("=")
        if name != "--jobdir":
            ours.append(word)
            continue
        jobdir = value if equals else next(before, "")
        if not jobdir or jobdir.startswith("-"):
            raise CondorError("--jobdir wants a directory")
    has_file = bool(ours) and not ours[0].startswith("-")
    return _Asked(ours.pop(0) if has_file else _FILE, jobdir or os.path.join(os.getcwd(), _DIRECTORY), ours + after)


def _queue(program: str, asked: _Asked) -> int:
    given = ["-s", asked.snakefile, "--executor", "htcondor", "--htcondor-jobdir", asked.jobdir, *asked.words]
    arguments = join_v2(given).replace('"', '""')
    logs = {word: os.path.join(asked.jobdir, f"snakemake-mgmt-$(ClusterId).{word}") for word in ("log", "out", "err")}
    description = {
        "executable": program, "arguments": f'"{arguments}"', "universe": "local", "getenv": "true",
        "request_cpus": "1", "request_memory": "512MB", "request_disk": "512MB",
        "log": logs["log"], "output": logs["out"], "error": logs["err"],
        "JobBatchName": "snakemake-mgmt-$(ClusterId)",
    }  # fmt: skip
    return Schedd().submit(Submit(description)).cluster()
