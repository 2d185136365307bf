"""``Submit.from_dag``: the submit description of the condor_dagman that runs a DAG, by way of condor_submit_dag."""

from __future__ import annotations

from collections.abc import Mapping

from condor_py.bindings.errors import HTCondorException
from condor_py.bindings.session import pool
from condor_py.client.dag.description import write
from condor_py.lang.config.builders.dagman import dagman
from condor_py.lang.dag.options import NUMBERS, SWITCHES, DagmanOptions, OptionError
from condor_py.model.errors import CondorError


def description(filename: str, given: Mapping[str, str]) -> str:
    """The text of the submit file, which lies beside the .dag file then. ``given`` are options by their names.

    RuntimeError for options that exclude each other, TypeError and ValueError for values that an option cannot have,
    HTCondorException for what condor_submit_dag would refuse.
    """
    config = pool().config
    settings = dagman(config)
    options = DagmanOptions(settings.auto_rescue, settings.insert_sub_file)
    options.dag_files.append(filename)
    for name, value in given.items():
        _set(options, name, value)
    try:
        write(options, settings, config, in_python=True)
    except CondorError as error:
        raise HTCondorException(str(error).removeprefix("ERROR: ")) from None
    with open(options.texts["SubFile"], encoding="utf-8", errors="surrogateescape") as file:
        return file.read()


def _set(options: DagmanOptions, name: str, value: str) -> None:
    try:
        options.exclude(name)
        options.set(name, value)
    except OptionError as error:
        raise RuntimeError(str(error)) from None
    except ValueError:
        kind = "bool" if name in SWITCHES else "integer" if name in NUMBERS else "string"
        raise TypeError(f"option {name} value needs to be a {kind}") from None
    except LookupError:
        raise ValueError(f"empty value provided for DAGMan option {name}") from None
