"""The options of condor_qsub, read as getopt reads them, from the command line and from the script."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from condor_py.cli.options import EXACT, Opt, ToolSpec, UsageError
from condor_py.model.errors import CondorError

SPEC = ToolSpec(
    name="condor_qsub",
    usage="[options] [<command> [<command_args>]]",
    summary="Submit a job described in the manner of PBS or SGE.",
    description=(
        "It makes a submit description of the options, of those on lines that begin with '#$ ' in the script (and with "
        "'#PBS ' in a file given with -f), and submits it. Without a command it reads a script from standard input."
    ),
    positional="<command> [<command_args>]",
    positional_help="the script, which a shell runs on the slot, and its arguments",
    options=(
        Opt("a", EXACT, "DATE", help="do not run before [[[[CC]YY]MM]DD]hhmm[.SS]"),
        Opt("A", EXACT, "GROUP", help="the accounting group of the job"),
        Opt("b", EXACT, "y|n", help="y: the command is a program, not a script to look for options in"),
        Opt("c", EXACT, "WHEN", help="n: do not checkpoint; others are accepted"),
        Opt("condor-keep-files", EXACT, help="do not remove the temporary files"),
        Opt("cwd", EXACT, help="run in the present directory"),
        Opt("d", EXACT, "PATH", help="run in this directory", takes="dir"),
        Opt("wd", EXACT, "PATH", same_as="d", help="run in this directory", takes="dir"),
        Opt("e", EXACT, "FILE", help="standard error; a directory gets the default name", takes="file"),
        Opt("f", EXACT, "FILE", help="submit this script, with the options of its '#PBS ' and '#$ ' lines",
            takes="file"),
        Opt("h", EXACT, help="submit the job on hold"),
        Opt("help", EXACT, help="this text"),
        Opt("hold_jid", EXACT, "JIDS", help="run when these jobs have ended, and not with exit code 100"),
        Opt("i", EXACT, "FILE", help="standard input", takes="file"),
        Opt("I", EXACT, help="an interactive job"),
        Opt("j", EXACT, "eo|n", help="eo: standard error goes where standard output goes"),
        Opt("l", EXACT, "LIST", help="resources: arch, file, host, mem, nodes, opsys, procs, as name=value"),
        Opt("m", EXACT, "a|e|n", help="mail when the job fails, ends, never"),
        Opt("M", EXACT, "ADDRESS", help="where the mail goes"),
        Opt("N", EXACT, "NAME", help="the name of the job, of which those of its files are made"),
        Opt("o", EXACT, "FILE", help="standard output; a directory gets the default name", takes="file"),
        Opt("p", EXACT, "N", help="the priority among your jobs"),
        Opt("print", EXACT, help="print the submit description"),
        Opt("q", EXACT, "QUEUE", help="accepted; there is one queue"),
        Opt("r", EXACT, "y|n", help="n: do not run the job a second time"),
        Opt("S", EXACT, "SHELL", help="the shell that runs the script", takes="file"),
        Opt("shell", EXACT, "y|n", help="accepted; the script is always run by a shell"),
        Opt("t", EXACT, "FIRST[-LAST[:STEP]]", help="an array of jobs; SGE_TASK_ID is their number"),
        Opt("test", EXACT, help="do not submit"),
        Opt("v", EXACT, "LIST", help="environment of the job: NAME=VALUE,..."),
        Opt("V", EXACT, help="give the job the present environment"),
        Opt("version", EXACT, help="the version and the platform"),
        Opt("W", EXACT, "LIST", help="stagein=, stageout=: files to transfer"),
        Opt("z", EXACT, help="do not print the job's number"),
        Opt("sentinel", EXACT, "JOB", help="what -hold_jid runs", hidden=True),
    ),
    examples=(
        ("condor_qsub -N sim -l mem=2gb,procs=4 run.sh 17", "run.sh 17 with 2 GB and four processors"),
        ("condor_qsub -t 1-10 -hold_jid 33 collect.sh", "ten jobs, once job 33 has ended"),
    ),
    unknown="condor_qsub: unrecognized option '{arg}'",
    missing="condor_qsub: option requires an argument -- '{name}'",
    usage_after=("missing",),
    see_also=("condor_submit", "condor_run"),
)  # fmt: skip
_SHORT = {option.name: option for option in SPEC.options if len(option.name) == 1}
_LONG = {option.name: option for option in SPEC.options if len(option.name) > 1}


@dataclass(slots=True)
class Request:
    """The options by their letters (later ones replace earlier ones), flags as an empty text; the command."""

    values: dict[str, str] = field(default_factory=dict)
    resources: list[str] = field(default_factory=list)
    staging: list[str] = field(default_factory=list)
    command: list[str] = field(default_factory=list)

    def has(self, name: str) -> bool:
        """Whether an option was given."""
        return name in self.values

    def text(self, name: str, default: str = "") -> str:
        """The value of an option."""
        return self.values.get(name, default)

    @property
    def is_binary(self) -> bool:
        """-b y: a program with arguments, not a script."""
        return self.text("b") == "y"

    def take(self, words: Sequence[str]) -> None:
        """Reads options, and the command behind them if there is one. Raises UsageError."""
        at = 0
        while at < len(words):
            word = words[at]
            at += 1
            if word == "--" or not word.startswith("-") or word == "-":
                self.command = list(words[at if word == "--" else at - 1 :])
                return
            at = self._option(word, words, at)

    def _option(self, word: str, words: Sequence[str], at: int) -> int:
        name, equals, given = word.lstrip("-").partition("=")
        found = _long(name)
        if found is not None:
            if found.arg is None or equals:
                self._set(found, given)
                return at
            return self._next(found, words, at)
        letters = word[1:]
        while letters:
            option = _SHORT.get(letters[0])
            if option is None or word.startswith("--"):
                raise UsageError(SPEC.unknown.format(arg=word), SPEC, kind="unknown", argument=word)
            letters = letters[1:]
            if option.arg is None:
                self._set(option, "")
            elif letters:
                self._set(option, letters)
                return at
            else:
                return self._next(option, words, at)
        return at

    def _next(self, option: Opt, words: Sequence[str], at: int) -> int:
        if at == len(words):
            raise UsageError(SPEC.missing.format(name=option.name), SPEC, option.name, kind="missing")
        self._set(option, words[at])
        return at + 1

    def _set(self, option: Opt, value: str) -> None:
        if option.name == "l":
            self.resources += value.split(",")
        elif option.name == "W":
            self.staging += re.split(r",(?=stage(?:in|out)=)", value.replace("'", ""))
        else:
            self.values[option.key] = value


def _long(name: str) -> Opt | None:
    """The option whose long name begins so; two letters at least, and only one such option."""
    if name in _LONG:
        return _LONG[name]
    found = [option for long, option in _LONG.items() if len(name) > 1 and long.startswith(name)]
    return found[0] if len(found) == 1 else None


def request_of(argv: Sequence[str]) -> Request:
    """The command line, and what the script says. Raises CondorError."""
    request = Request()
    request.take(argv)
    if request.has("f"):
        path = request.text("f")
        words = list(_script_words(path, ("#PBS ", "#$ ")))
        request.take(words)
        request.command = [path, *request.command]
    elif request.command and not request.is_binary and os.path.isfile(request.command[0]):
        command = request.command
        request.take(list(_script_words(command[0], ("#$ ",))))
        request.command = command
    return request


def _script_words(path: str, marks: tuple[str, ...]) -> Iterable[str]:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            for line in file:
                for mark in marks:
                    if line.startswith(mark):
                        yield from line[len(mark) :].split()
    except OSError as error:
        raise CondorError(f"condor_qsub: cannot read {path}: {error.strerror}") from None
