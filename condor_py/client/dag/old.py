"""-update_submit: the limits of the submit file that is being replaced stay."""

from __future__ import annotations

from condor_py.lang.dag.options import DagmanOptions
from condor_py.lang.submit.args import ArgumentError, parse_v2
from condor_py.model.errors import CondorError


def keep_old_limits(options: DagmanOptions) -> None:
    """Take the limits (-MaxJobs and its like) of the submit file that is there, if there is one. Raises CondorError."""
    try:
        with open(options.texts["SubFile"], encoding="utf-8", errors="surrogateescape") as file:
            lines = [line.strip() for line in file]
    except FileNotFoundError:
        return
    except OSError as error:
        raise CondorError(f"Error reading submit file: {error.strerror}") from None
    for line in lines:
        if line.partition("=")[0].strip().lower() == "arguments":
            _take(line, options)


def _take(line: str, options: DagmanOptions) -> None:
    start, end = line.find('"'), line.rfind('"')
    if start < 0:
        raise CondorError(f"Missing quotes in arguments line: <{line}>")
    try:
        words = parse_v2(line[start : end + 1])
    except ArgumentError as error:
        raise CondorError(f"Error parsing arguments: {error}") from None
    for at, word in enumerate(words):
        if word.lower().startswith("-max"):
            options.take(word, words[at + 1 :])
