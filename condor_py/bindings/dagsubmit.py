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
    """The text of the submit file, which is next to the .dag file then. ``given`` are options by their names.

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


#: Name -> (type, what it does).
OPTIONS: dict[str, tuple[str, str]] = {
    "AllowVersionMismatch": ("bool", "Allow version difference between *.condor.sub file and condor_dagman"),
    "PostRun": ("bool", "Run POST script if PRE script fails"),
    "AutoRescue": ("integer", "Control automatically running new rescue DAG (0=False | 1=True)"),
    "BatchName": ("string", "Set DAG batch name"),
    "ConfigFile": ("string", "Specify DAGMan configuration file"),
    "DagmanPath": ("string", "Full path to alternate condor_dagman executable"),
    "DebugLevel": ("integer", "Set DAGMan debug logs verbosity"),
    "SuppressNotification": ("bool", "Suppress email notifications for DAGMan and all its submitted jobs"),
    "DoRecovery": ("bool", "Allow DAG submitted jobs to send email notifications"),
    "DoRescueFrom": ("integer", "Run DAG rescue of given number"),
    "Force": ("bool", "Overwrite used DAG file if they exist"),
    "ImportEnv": ("bool", "Import current environment into *.condor.sub file"),
    "GetFromEnv": ("string", "Comma separated list of environment variables to *.condor.sub file getenv filter"),
    "AddToEnv": ("string", "Delimited key=value pairs to explicitly set in the *.condor.sub file environment"),
    "AppendFile": ("string", "Append specified submit file to *.condor.sub file"),
    "SaveFile": ("string", "Run DAG from provided save point file"),
    "LockFile": ("string", "DAGMan lock filename"),
    "MaxHold": ("integer", "Maximum number of HOLD scripts to run at once"),
    "MaxIdle": ("integer", "Maximum number of Idle nodes allowed"),
    "MaxJobs": ("integer", "Maximum number of jobs submitted at once"),
    "MaxPost": ("integer", "Maximum number of POST scripts to run at once"),
    "MaxPre": ("integer", "Maximum number of PRE scripts to run at once"),
    "Notification": ("string", "Set HTCondor email notification level for DAG"),
    "OutfileDir": ("string", "Directory path to write *.dagman.out file"),
    "Priority": ("integer", "Default priority for all jobs submitted by DAGMan"),
    "RescueFile": ("string", "Run DAG from specified rescue file"),
    "ScheddAddressFile": ("string", "Submit DAG to Schedd provided by address file"),
    "ScheddDaemonAdFile": ("string", "Submit DAG to Schedd provided by ad file"),
    "SubmitMethod": ("integer", "Specify how DAGMan submits jobs for execution (0=condor_submit|1=DirectSubmit)"),
    "UpdateSubmit": ("bool", "Update *.condor.sub file if it exists"),
    "UseDagDir": ("bool", "Run DAGs in directories specified by DAG file paths"),
    "RunValgrind": ("bool", "Run DAGMan under Valgrind (Linux Only)"),
}
_OLD_NAMES = {
    "dagman": "DagmanPath",
    "schedd-daemon-ad-file": "ScheddDaemonAdFile",
    "schedd-address-file": "ScheddAddressFile",
    "alwaysrunpost": "PostRun",
    "debug": "DebugLevel",
    "outfile_dir": "OutfileDir",
    "config": "ConfigFile",
    "batch-name": "BatchName",
    "load_save": "SaveFile",
    "do_recurse": "Recurse",
    "update_submit": "UpdateSubmit",
    "import_env": "ImportEnv",
    "include_env": "GetFromEnv",
    "insert_env": "AddToEnv",
    "valgrind": "RunValgrind",
    "suppress_notification": "SuppressNotification",
    "dorecov": "DoRecovery",
}
_HIDDEN = {"recurse": "Recurse", "verbose": "Verbose"}
_BY_LOWER = {name.lower(): name for name in OPTIONS} | _HIDDEN


def table() -> str:
    """The options with their types and meanings, one a line."""
    return "".join(f"{name:>23} : {f'({kind})':<11}| {what}\n" for name, (kind, what) in OPTIONS.items())


def checked(options: Mapping[str, int | bool | str]) -> dict[str, str]:
    """The options by this interface's names, as texts. TypeError, ValueError, KeyError as in HTCondor's bindings."""
    if not isinstance(options, dict):
        raise TypeError("options must be a dict")
    found = {}
    for key, value in options.items():
        if not isinstance(key, str):
            raise TypeError("options keys must by strings")
        if not key:
            raise ValueError("options key is empty")
        if not isinstance(value, (int, bool, str)):
            raise TypeError("options values must be int, bool, or str")
        name = _BY_LOWER.get(_OLD_NAMES.get(key.lower(), key).lower())
        if name is None:
            raise KeyError(f"{_OLD_NAMES.get(key.lower(), key)} is not a recognized DAGMan option")
        found[name] = str(value)
    return found
