"""What condor_dag_checker looks at besides the .dag file: other files, and the jobs that descriptions make."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from condor_py.client.dag.files import DagFiles
from condor_py.lang.dag.reader import FileProblem
from condor_py.model.errors import CondorError

if TYPE_CHECKING:
    from condor_py.client.pool import Pool
    from condor_py.lang.submit.errors import ParseFailure
    from condor_py.lang.submit.submit_file import SubmitFile

_COMMON = "commoninputfiles"
_BEHIND = "\nqueue\n"


class Outside(DagFiles):
    """The file system, and the submit language with the settings of the pool."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    def exists(self, path: str) -> bool:
        """Whether there is something at ``path``."""
        return os.path.exists(path)

    def job_problem(self, text: str | None, path: str, directory: str, every: bool) -> tuple[str, str]:
        """What is wrong with a submit description; see `dagman.check.checker.Outside`."""
        name = path
        if text is None:
            try:
                text = self.read(os.path.join(directory, path))
            except FileProblem as error:
                return str(error), ""
        else:
            name = "internal-jdl"
        with _in_directory(directory):
            return self._problem(text, name, every)

    def _problem(self, text: str, name: str, every: bool) -> tuple[str, str]:
        from condor_py.client.surroundings import surroundings
        from condor_py.lang.config.builders.submit import submit as submit_settings
        from condor_py.lang.submit.errors import ParseFailure, SubmitError
        from condor_py.lang.submit.submit_file import parse

        settings = submit_settings(self._pool.config).changed(skip_filechecks=True)
        try:
            # A description without a queue statement makes one job.
            file = parse(text + _BEHIND, name, settings=settings, surroundings=surroundings())
        except ParseFailure as error:
            return _unread(error, text), ""
        except SubmitError as error:
            return _first_message(error), ""
        del file.statements[1:]
        try:
            common = _make(file, every)
        except SubmitError as error:
            return f"Submit:-1:{_first_message(error)}", ""
        except CondorError as error:
            return str(error), ""
        warnings = [line for line in file.messages.warnings().split("WARNING: ") if line]
        warnings += [line.replace("by condor_submit.", "by DAGMAN.") for line in file.unused().values()]
        if warnings:
            return "Submit warning: " + "|".join(f"Submit:0:{line.rstrip()}" for line in reversed(warnings)), ""
        return "", common


def _unread(error: ParseFailure, text: str) -> str:
    """Why a description could not be read."""
    word, _, args = text.split("\n")[error.line - 1].strip().partition(" ")
    if word.lower() == "queue" and args:
        return f"Invalid queue args: {args.strip()}"
    return f"Failed to parse to queue line: {error.detail}".rstrip("\n")


def _make(file: SubmitFile, every: bool) -> str:
    """Make the first job, or every one; its CommonInputFiles. Raises SubmitError."""
    from condor_py.lang.submit.build import BuildOptions

    common = ""
    for draft in file.clusters():
        made = draft.make(1, BuildOptions(user="dagman", check_executable=False))
        found = made.attributes.get(_COMMON)
        common = found[1] if found else common
        for _ in made.own:
            if not every:
                return common
    return common


def _first_message(error: CondorError) -> str:
    """The message of an error without the word in front of it."""
    text = str(getattr(error, "report", error)).strip("\n")
    return text.partition("ERROR: ")[2].split("\nWARNING: ")[0].rstrip("\n") or text


@contextmanager
def _in_directory(directory: str) -> Iterator[None]:
    """Submit descriptions see their files from the directory of the process."""
    before = os.getcwd()
    os.chdir(directory)
    try:
        yield
    finally:
        os.chdir(before)
