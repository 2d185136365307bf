"""What programs find under HTCondor's module names, in this environment and in any other."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

SHIMS = Path(__file__).parents[2] / "condor_py" / "bindings" / "shims"
_CLASSAD2 = [
    "ClassAd",
    "ClassAdException",
    "ExprTree",
    "Parser",
    "ParserType",
    "Value",
    "lastError",
    "parseAds",
    "parseNext",
    "parseOne",
    "quote",
    "unquote",
    "version",
]
_HTCONDOR2 = [
    "AdType",
    "AdTypes",
    "Collector",
    "CommonFilesEventType",
    "CompletionType",
    "CredCheck",
    "CredType",
    "CredTypes",
    "Credd",
    "DAGMan",
    "DaemonCommand",
    "DaemonCommands",
    "DaemonType",
    "DaemonTypes",
    "DrainType",
    "DrainTypes",
    "FileTransferEventType",
    "HTCondorException",
    "HistorySrc",
    "JobAction",
    "JobEvent",
    "JobEventLog",
    "JobEventType",
    "JobStatus",
    "LogLevel",
    "Negotiator",
    "Placementd",
    "QueryOpt",
    "QueryOpts",
    "RemoteParam",
    "Schedd",
    "SecurityContext",
    "Startd",
    "Submit",
    "SubmitMethod",
    "SubmitResult",
    "SubsystemType",
    "TransactionFlag",
    "TransactionFlags",
    "VacateType",
    "classad",
    "disable_debug",
    "enable_debug",
    "enable_log",
    "load_a_config_usermap_file",
    "log",
    "param",
    "ping",
    "platform",
    "reload_config",
    "reload_config_usermaps",
    "send_alive",
    "send_command",
    "set_ready_state",
    "set_subsystem",
    "version",
]


def told(program: str) -> object:
    """What a program prints as JSON that runs without this environment's packages."""
    done = subprocess.run(
        [sys.executable, "-P", "-S", "-c", f"import json, sys\n{program}\nprint(json.dumps(answer))"],
        env={"PYTHONPATH": str(SHIMS), "CONDOR_CONFIG": "/dev/null", "HOME": "/nonexistent"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_second_version_has_exactly_its_public_names() -> None:
    program = """
import htcondor2, classad2
answer = [sorted(name for name in dir(module) if name[0] != "_") for module in (classad2, htcondor2)]
answer.append([str(type(classad2.ClassAd())), str(classad2.ExprTree)])
"""
    classad2, htcondor2, types = told(program)  # type: ignore[misc]
    assert classad2 == sorted([*_CLASSAD2, "classad2_impl"])
    assert htcondor2 == sorted(_HTCONDOR2)
    assert types == ["<class 'classad2._class_ad.ClassAd'>", "<class 'classad2._expr_tree.ExprTree'>"]


def test_ads_are_pickled_under_the_name_of_the_module() -> None:
    program = """
import classad2, pickle
text = pickle.dumps(classad2.ClassAd("[a = b + 1]"))
answer = [b"classad2" in text, pickle.loads(text)["a"].eval(classad2.ClassAd({"b": 2}))]
"""
    assert told(program) == [True, 3]


def test_the_first_version_has_the_names_that_the_second_lost() -> None:
    program = """
import htcondor, classad
wanted = '''Attribute Function Literal register registerLibrary parse parseOld parseOldAds ClassAdEnumError
    ClassAdInternalError ClassAdOSError ClassAdTypeError ClassAdValueError'''
answer = [[name for name in wanted.split() if not hasattr(classad, name)]]
wanted = '''SecMan Token TokenRequest Claim poll read_events lock LockType LogReader EntryType Transaction EditResult
    HTCondorIOError HTCondorLocateError HTCondorReplyError HTCondorEnumError ProvisionerState BlockingMode
    QueryIterator HistoryIterator BulkQueryIterator EventIterator FileLock enable_classad_extensions'''
answer.append([name for name in wanted.split() if not hasattr(htcondor, name)])
answer.append([int(htcondor.AdTypes.names["None"]), str(htcondor.AdTypes.values[10]), repr(htcondor.JobAction.Hold)])
answer.append([str(type(classad.ClassAd())), issubclass(htcondor.HTCondorIOError, OSError)])
"""
    assert told(program) == [
        [],
        [],
        [-1, "Any", "htcondor.htcondor.JobAction.Hold"],
        ["<class 'classad.classad.ClassAd'>", True],
    ]


def test_jobs_find_chirp_where_the_packages_have_it() -> None:
    program = """
import htchirp, htcondor.htchirp, htcondor2.htchirp
from htcondor2.htchirp.htchirp import HTChirp
answer = [module.HTChirp is HTChirp for module in (htchirp, htcondor.htchirp, htcondor2.htchirp)]
"""
    assert told(program) == [True, True, True]


def test_the_first_version_says_which_release_it_is() -> None:
    """Programs compare it to find out what they may call; the second version has no such name."""
    program = """
import htcondor, classad, htcondor2, classad2
answer = [htcondor.__version__ == htcondor.version().split()[1], classad.__version__ == classad.version()]
answer += [hasattr(module, "__version__") for module in (htcondor2, classad2)]
"""
    assert told(program) == [True, True, False, False]
