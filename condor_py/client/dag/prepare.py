"""Preparations of condor_submit_dag: names, the commands of .dag files that are meant for it, old files."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, field

from condor_py.client.dag.files import DagFiles
from condor_py.core.dag import rescue
from condor_py.lang.dag.build import SUBMIT_SUFFIX
from condor_py.lang.dag.commands import Env, Named, ParseError
from condor_py.lang.dag.keywords import SUBMIT_TIME, Command
from condor_py.lang.dag.options import DagmanOptions
from condor_py.lang.dag.reader import FileProblem, Reader
from condor_py.model.errors import CondorError

_DAGMAN = "condor_dagman"
_EXISTING = "\nSome file(s) needed by condor_dagman already exist. Either:\n- Rename them"
_FORCE = '- Use the "-f" option to force them to be overwritten'
_UPDATE = 'or\n- Use the "-update_submit" option to update the submit file and continue.'
_FORCE_IN_PYTHON = '\tor\n- Set the { "force" : True } option to force them to be overwritten.'


def say(text: str) -> None:
    """A line for standard output."""
    sys.stdout.write(text + "\n")


def complain(text: str) -> None:
    """A line for standard error."""
    sys.stdout.flush()
    sys.stderr.write(text + "\n")


@dataclass(slots=True)
class Found:
    """The commands of .dag files for condor_submit_dag: lines of SET_JOB_ATTR, files of CONFIG, and errors."""

    attributes: list[str] = field(default_factory=list)
    configs: set[str] = field(default_factory=set)
    errors: list[str] = field(default_factory=list)


def set_up(options: DagmanOptions, directory_of_programs: str) -> list[str]:
    """Fill in the names of files and what the .dag files say; the lines of SET_JOB_ATTR. Raises CondorError, whose text
    has no ``ERROR:`` in front."""
    primary, texts = options.primary, options.texts
    texts["LibOut"] = f"{primary}.lib.out"
    texts["LibErr"] = f"{primary}.lib.err"
    place = texts["OutfileDir"]
    texts["DebugLog"] = f"{os.path.join(place, os.path.basename(primary)) if place else primary}.dagman.out"
    texts["SchedLog"] = f"{primary}.dagman.log"
    texts["SubFile"] = primary + SUBMIT_SUFFIX
    texts["LockFile"] = f"{primary}.lock"
    texts["DagmanPath"] = texts["DagmanPath"] or _program(directory_of_programs)
    found = Found()
    for file in options.dag_files:
        _read(file, options, found)
    _choose_config(options, found)
    if found.errors:
        raise CondorError("; ".join(found.errors))
    return found.attributes


def _program(directory: str) -> str:
    """condor_dagman of PATH, else that of this installation. Raises CondorError."""
    found = shutil.which(_DAGMAN) or shutil.which(_DAGMAN, path=directory)
    if found is None:
        raise CondorError(f"Failed to locate {_DAGMAN} executable in PATH")
    return found


def _read(file: str, options: DagmanOptions, found: Found) -> None:
    """CONFIG, SET_JOB_ATTR and ENV of one file. Raises CondorError when it cannot be read at all."""
    directory, name = os.getcwd(), file
    files = DagFiles()
    if options.on("UseDagDir"):
        inside = os.path.dirname(file) or "."
        directory, name = os.path.normpath(os.path.join(directory, inside)), os.path.basename(file)
        try:
            files.enter(directory)
        except FileProblem as error:
            raise CondorError(f"Unable to change to DAG directory Unable to chdir to {inside}: {error}") from None
    try:
        text = files.read(os.path.join(directory, name))
    except FileProblem as error:
        raise FileProblem(f"{error}\n{file}: there is no such DAG file, or it cannot be read") from None
    for command in Reader(text, name, directory).commands(SUBMIT_TIME):
        if isinstance(command, ParseError):
            found.errors.append(str(command))
            return
        if isinstance(command, Env):
            options.set("AddToEnv" if command.is_set else "GetFromEnv", command.variables)
        elif isinstance(command, Named) and command.command is Command.CONFIG:
            found.configs.add(command.value)
        elif isinstance(command, Named):
            found.attributes.append(command.value)


def _choose_config(options: DagmanOptions, found: Found) -> None:
    """There may be one configuration file."""
    if len(found.configs) > 1:
        found.errors.append(f"Multiple ({len(found.configs)}) configuration files provided.")
    for config in found.configs if len(found.configs) == 1 else ():
        given = options.texts["ConfigFile"]
        if given and given != config:
            found.errors.append(f"Conflicting DAGMan config files specified: {given} and {config}")
        options.texts["ConfigFile"] = given or config


def make_room(options: DagmanOptions, max_rescue: int, in_python: bool = False) -> None:
    """Remove, rename or accept what an earlier run left, as the options say. Raises CondorError; its text is for
    standard error."""
    primary, multi, texts = options.primary, options.is_multi, options.texts
    number = options.numbers["DoRescueFrom"]
    if number > 0:
        name = rescue.rescue_name(primary, multi, number)
        if not _readable(name):
            raise CondorError(f"ERROR: -dorescuefrom {number} specified, but rescue DAG file {name} does not exist!")
    _remove(rescue.halt_name(primary))
    if options.on("Force"):
        for option in ("SubFile", "SchedLog", "LibOut", "LibErr"):
            _remove(texts[option])
        rename_rescues(primary, multi, 0, max_rescue, complain)
    runs_rescue = bool(options.numbers["AutoRescue"]) and _announce_rescue(primary, multi, max_rescue)
    wrong: list[str] = []
    keeps = runs_rescue or number > 0 or options.on("UpdateSubmit")
    if not (keeps or texts["RescueFile"] or texts["SaveFile"]):
        names = (texts[option] for option in ("SubFile", "LibOut", "LibErr", "SchedLog"))
        wrong += [f'ERROR: "{name}" already exists.' for name in names if _readable(name)]
    if not options.numbers["AutoRescue"] and number < 1:
        wrong += _old_rescue(options)
    if wrong:
        advice = [_EXISTING, _FORCE_IN_PYTHON] if in_python else [_EXISTING, _FORCE, "\t" + _UPDATE]
        raise CondorError("\n".join([*wrong, *advice]))


def _announce_rescue(primary: str, multi: bool, most: int) -> bool:
    number, said = rescue.last_rescue(primary, multi, most, os.path.exists)
    for line in said:
        say(line)
    if number:
        say(f"Running rescue DAG {number}")
    return number > 0


def _old_rescue(options: DagmanOptions) -> list[str]:
    """A rescue file without a number, as very old versions wrote it, stands in the way."""
    name = rescue.rescue_base(options.primary, options.is_multi)
    if options.on("UseDagDir"):
        name = os.path.join(os.getcwd(), name)
    if not _readable(name):
        return []
    return [
        f'ERROR: "{name}" already exists.',
        f'\tYou may want to resubmit your DAG using that file, instead of "{options.primary}"',
        "\tLook at the HTCondor manual for details about DAG rescue files.",
        f'\tPlease investigate and either remove "{name}",',
        "\tor use it as the input to condor_submit_dag.",
    ]


def rename_rescues(primary: str, multi: bool, number: int, most: int, tell: Callable[[str], None]) -> None:
    """Rescue files with higher numbers get ``.old`` behind their names. Raises CondorError."""
    tell(f"Renaming rescue DAGs newer than number {number}")
    last, said = rescue.last_rescue(primary, multi, most, os.path.exists)
    for line in said:
        say(line)
    for old in range(number + 1, last + 1):
        name = rescue.rescue_name(primary, multi, old)
        tell(f"Renaming {name}")
        try:
            os.replace(name, f"{name}.old")
        except FileNotFoundError:
            continue
        except OSError as error:
            text = f"Fatal error: unable to rename old rescue file {name}: error {error.errno} ({error.strerror})"
            raise CondorError(text) from None


def _readable(path: str) -> bool:
    try:
        os.close(os.open(path, os.O_RDONLY))
    except OSError:
        return False
    return True


def _remove(path: str) -> None:
    if not _readable(path):
        return
    try:
        os.unlink(path)
    except OSError as error:
        complain(f"ERROR: Failed to unlink file {path} ({error.errno}): {error.strerror}")
