"""The options of condor_submit_dag and condor_dagman: their flags, names and values.

A flag may be shortened and written in any case; of several that begin alike the first in order counts. Options that
are "deep" are passed on to sub-DAGs (`DagmanOptions.deep_arguments`), the others are of one DAG only.
"""

from __future__ import annotations

from typing import NamedTuple

from condor_py.lang.dag.words import integer
from condor_py.model.errors import CondorError

DEEP_TEXTS = ("DagmanPath", "OutfileDir", "BatchName", "Notification", "BatchId", "AcctGroup", "AcctGroupUser")
DEEP_NUMBERS = ("DoRescueFrom", "AutoRescue", "SubmitMethod")
DEEP_SWITCHES = ("Force", "ImportEnv", "UseDagDir", "AllowVersionMismatch", "Recurse", "UpdateSubmit",
                 "SuppressNotification", "Verbose")  # fmt: skip
DEEP_LISTS = ("AddToEnv", "GetFromEnv")
TEXTS = ("ScheddDaemonAdFile", "ScheddAddressFile", "ConfigFile", "SaveFile", "RemoteSchedd", "AppendFile",
         "PrimaryDagFile", "LibOut", "LibErr", "DebugLog", "SchedLog", "SubFile", "RescueFile", "LockFile",
         "CsdVersion", "Durations", *DEEP_TEXTS)  # fmt: skip
NUMBERS = ("MaxIdle", "MaxJobs", "MaxPre", "MaxPost", "MaxHold", "DebugLevel", "Priority", *DEEP_NUMBERS)
SWITCHES = (
    "PostRun",
    "RunValgrind",
    "DoSubmit",
    "DoRecovery",
    "DryRun",
    "OnlyDumpDot",
    "SetupOnly",
    "Forecast",
    "Wait",
    *DEEP_SWITCHES,
)
LISTS = ("AppendLines", "DagFiles", *DEEP_LISTS)

#: Number options that are not set.
UNSET = -1


class Flag(NamedTuple):
    """A flag: the option that it sets, the word for its value (True or False for a switch), what it does, and where it
    is shown: S condor_submit_dag, D condor_dagman, P the bindings."""

    name: str
    option: str
    value: str
    help: str
    shown: str = ""


FLAGS = (
    Flag("-AllowVersionMismatch", "AllowVersionMismatch", "True",
         "continue although the version of -CsdVersion is invalid or too old", "SDP"),
    Flag("-AlwaysRunPost", "PostRun", "True", "run the POST script although the PRE script failed", "SDP"),
    Flag("-a", "AppendLines", "<command>", "the same as -Append"),
    Flag("-Append", "AppendLines", "<command>", "put a line into the submit file of condor_dagman (repeatable)", "S"),
    Flag("-AutoRescue", "AutoRescue", "<0|1>", "continue from the newest rescue file (1) or not (0)", "SDP"),
    Flag("-Batch-Name", "BatchName", "<name>", "the batch name of condor_dagman and its jobs", "SDP"),
    Flag("-Config", "ConfigFile", "<filename>", "configuration of this DAG", "SP"),
    Flag("-CsdVersion", "CsdVersion", "<Version String>", "the version of condor_submit_dag", "D"),
    Flag("-Dag", "DagFiles", "<NAME.dag>", "a .dag file (repeatable)", "D"),
    Flag("-DAGMan", "DagmanPath", "<path>", "another condor_dagman", "SP"),
    Flag("-Debug", "DebugLevel", "<level>", "how much condor_dagman writes, 0 to 7", "SDP"),
    Flag("-do_recurse", "Recurse", "True", "make the submit files of sub-DAGs now", "S"),
    Flag("-dont_suppress_notification", "SuppressNotification", "False", "let jobs send mails", "SDP"),
    Flag("-DontAlwaysRunPost", "PostRun", "False", "run no POST script when the PRE script failed", "SDP"),
    Flag("-DoRecovery", "DoRecovery", "True", "continue from the event log of the nodes", "SDP"),
    Flag("-DoRescueFrom", "DoRescueFrom", "<N>", "continue from the rescue file of this number", "SDP"),
    Flag("-Dot", "OnlyDumpDot", "True", "write the DOT file and run nothing", "D"),
    Flag("-DryRun", "DryRun", "True", "name the nodes in order, and run nothing", "D"),
    Flag("-durations", "Durations", "<seconds|file>", "with -forecast: seconds of every job, or a file with lines "
         "NODE SECONDS (not in HTCondor)", "S"),
    Flag("-f", "Force", "True", "the same as -Force"),
    Flag("-Force", "Force", "True", "overwrite the files of an earlier run", "SP"),
    Flag("-forecast", "Forecast", "True", "print how the DAG will run here; submit nothing (not in HTCondor)", "S"),
    Flag("-import_env", "ImportEnv", "True", "give condor_dagman the whole environment", "SP"),
    Flag("-include_env", "GetFromEnv", "<variables>", "give condor_dagman these variables too (commas; repeatable)",
         "SP"),
    Flag("-insert_env", "AddToEnv", "<key=value>", "set variables for condor_dagman (semicolons; repeatable)", "SP"),
    Flag("-insert_sub_file", "AppendFile", "<filename>", "put the lines of a file into the submit file", "SP"),
    Flag("-load_save", "SaveFile", "<filename>", "continue from a save point file", "SDP"),
    Flag("-Lockfile", "LockFile", "<filename>", "accepted; the lock is always next to the .dag file", "SDP"),
    Flag("-MaxIdle", "MaxIdle", "<N>", "most idle jobs before no more are submitted", "SDP"),
    Flag("-MaxHold", "MaxHold", "<N>", "most HOLD scripts at a time", "SDP"),
    Flag("-MaxJobs", "MaxJobs", "<N>", "most nodes with jobs in the queue", "SDP"),
    Flag("-MaxPost", "MaxPost", "<N>", "most POST scripts at a time", "SDP"),
    Flag("-MaxPre", "MaxPre", "<N>", "most PRE scripts at a time", "SDP"),
    Flag("-no_recurse", "Recurse", "False", "make the submit files of sub-DAGs when they start (the default)", "S"),
    Flag("-no_submit", "DoSubmit", "False", "write the submit file and submit nothing", "S"),
    Flag("-Notification", "Notification", "<option>", "when condor_dagman sends a mail", "SP"),
    Flag("-outfile_dir", "OutfileDir", "<path>", "where the .dagman.out file is", "SP"),
    Flag("-Priority", "Priority", "<priority>", "least priority of the jobs", "SDP"),
    Flag("-r", "RemoteSchedd", "<schedd name>", "the same as -Remote"),
    Flag("-Remote", "RemoteSchedd", "<schedd name>", "submit to the schedd of this name", "S"),
    Flag("-RescueFile", "RescueFile", "<filename>", "continue from this rescue file", "SDP"),
    Flag("-schedd-address-file", "ScheddAddressFile", "<path>", "where the schedd's address is", "SP"),
    Flag("-schedd-daemon-ad-file", "ScheddDaemonAdFile", "<path>", "where the schedd's ad is", "SP"),
    Flag("-SetupOnly", "SetupOnly", "True", "set the DAG up and run nothing"),
    Flag("-suppress_notification", "SuppressNotification", "True", "let neither condor_dagman nor jobs send mails",
         "SDP"),
    Flag("-SubmitMethod", "SubmitMethod", "<value>", "JobSubmitMethod of the jobs (0 or 1), which are submitted "
         "directly in any case", "SDP"),
    Flag("-update_submit", "UpdateSubmit", "True", "rewrite the submit file and keep its limits", "SDP"),
    Flag("-UseDagDir", "UseDagDir", "True", "run each DAG in the directory of its file", "SDP"),
    Flag("-v", "Verbose", "True", "the same as -Verbose"),
    Flag("-Valgrind", "RunValgrind", "True", "run condor_dagman under valgrind", "SP"),
    Flag("-Verbose", "Verbose", "True", "accepted; errors are always printed in full", "S"),
    Flag("-wait", "Wait", "True", "wait for the end of the DAG; its exit code becomes ours (ours)", "S"),
)  # fmt: skip
_IN_ORDER = sorted(FLAGS, key=lambda flag: flag.name.lower())

#: Option -> those that it cannot be used with.
EXCLUSIONS: dict[str, frozenset[str]] = {
    "DoRecovery": frozenset({"SaveFile"}),
    "DoRescueFrom": frozenset({"SaveFile", "RescueFile"}),
    "RescueFile": frozenset({"SaveFile", "DoRescueFrom"}),
    "SaveFile": frozenset({"DoRecovery", "DoRescueFrom", "RescueFile"}),
}


class OptionError(CondorError):
    """An option that cannot be parsed, or not combined with another; ``culprit`` is what the text does not name."""

    def __init__(self, text: str, culprit: str = "") -> None:
        super().__init__(text)
        self.culprit = culprit


def find_flag(text: str) -> Flag | None:
    """The flag that ``text`` is, or begins."""
    lowered = text.lower()
    return next((flag for flag in _IN_ORDER if flag.name.lower().startswith(lowered)), None)


class DagmanOptions:
    """The options of one DAG. ``switches`` has what was set only; numbers that were not are UNSET or 0."""

    def __init__(self, auto_rescue: bool = True, append_file: str = "") -> None:
        self.texts = dict.fromkeys(TEXTS, "")
        self.numbers = dict.fromkeys(NUMBERS, UNSET) | {
            "Priority": 0,
            "DoRescueFrom": 0,
            "AutoRescue": int(auto_rescue),
        }
        self.switches: dict[str, bool] = {"DoSubmit": True}
        self.lists: dict[str, list[str]] = {name: [] for name in LISTS}
        self.texts["AppendFile"] = append_file
        self._given: set[str] = set()
        self._flags: dict[str, Flag] = {}

    @property
    def dag_files(self) -> list[str]:
        """The .dag files in order."""
        return self.lists["DagFiles"]

    @property
    def primary(self) -> str:
        """The first .dag file, after which the others are named; "" without any."""
        return self.dag_files[0] if self.dag_files else ""

    @property
    def is_multi(self) -> bool:
        """Whether there are several .dag files."""
        return len(self.dag_files) > 1

    def on(self, switch: str) -> bool:
        """Whether a switch is on."""
        return self.switches.get(switch, False)

    def take(self, flag_text: str, rest: list[str]) -> int:
        """Set what a flag says; ``rest`` is what follows it. How many of these words it takes. Raises OptionError."""
        flag = find_flag(flag_text)
        if flag is None:
            raise OptionError(f"Error: Unknown flag '{flag_text}' provided")
        self.exclude(flag.option, flag.name)
        if flag.option in SWITCHES:
            self._switch(flag)
            return 0
        if not rest or (flag.option not in NUMBERS and rest[0].startswith("-")):
            raise OptionError(f"Error: Option {flag.name} ({flag_text}) requires an additional argument")
        kind = "integer" if flag.option in NUMBERS else "string"
        try:
            self.set(flag.option, rest[0])
        except ValueError:
            text = f"Error: {flag_text} ({flag.name}) additional argument required to be a {kind}"
            raise OptionError(text, rest[0]) from None
        except LookupError:
            raise OptionError(f"Error: {flag_text} ({flag.name}) additional argument was empty") from None
        return 1

    def _switch(self, flag: Flag) -> None:
        before = self._flags.setdefault(flag.option, flag)
        if before.value != flag.value:
            raise OptionError(f"Error: Both {before.name} and {flag.name} can't be used at the same time")
        self.switches[flag.option] = flag.value == "True"

    def exclude(self, option: str, flag: str = "") -> None:
        """Note that an option is given. OptionError when another forbids that; it names flags if ``flag`` is one."""
        conflicts = sorted(EXCLUSIONS.get(option, frozenset()) & self._given, key=str.lower)
        if conflicts:
            what = "flag" if flag else "option"
            shown = [one.name for one in _IN_ORDER if one.option in conflicts] if flag else conflicts
            plural = "s" if len(conflicts) > 1 else ""
            text = f"{flag or option} can not be used with the following {what}{plural}: {','.join(shown)}"
            raise OptionError(f"Error: {text}" if flag else text)
        self._given.add(option)

    def set(self, option: str, value: str) -> None:
        """Set an option by its name. ValueError for a value that it cannot have, LookupError for an empty one."""
        if option == "AddToEnv":
            value = value.strip()
        elif option == "BatchName" and len(value) > 1 and value[0] == value[-1] == '"':
            value = value[1:-1]
        if not value:
            raise LookupError(option)
        if option in LISTS:
            self.lists[option].append(value)
        elif option in NUMBERS:
            self.numbers[option] = integer(value)
        elif option in SWITCHES:
            words = {"true": True, "false": False}
            self.switches[option] = words[value.lower()] if value.lower() in words else integer(value) > 0
        else:
            self.texts[option] = value

    def deep_arguments(self, for_submit_file: bool = True) -> list[str]:
        """The arguments that are passed on to sub-DAGs, and, ``for_submit_file``, those that condor_dagman gets
        in addition."""
        texts, numbers, found = self.texts, self.numbers, list[str]()
        if self.on("Verbose"):
            found.append("-verbose")
        if texts["Notification"]:
            found += ["-notification", "never" if self.on("SuppressNotification") else texts["Notification"]]
        if texts["DagmanPath"]:
            found += ["-dagman", texts["DagmanPath"]]
        if self.on("UseDagDir"):
            found.append("-UseDagDir")
        if texts["OutfileDir"]:
            found += ["-outfile_dir", texts["OutfileDir"]]
        found += ["-AutoRescue", str(numbers["AutoRescue"])]
        if numbers["DoRescueFrom"]:
            found += ["-DoRescueFrom", str(numbers["DoRescueFrom"])]
        found += self._deep_rest()
        if for_submit_file:
            found += ["-force"] if self.on("Force") else []
            found += ["-update_submit"] if self.on("UpdateSubmit") else []
        return found

    def _deep_rest(self) -> list[str]:
        found = list[str]()
        if self.on("AllowVersionMismatch"):
            found.append("-AllowVersionMismatch")
        if self.on("ImportEnv"):
            found.append("-import_env")
        for flag, option in (("-include_env", "GetFromEnv"), ("-insert_env", "AddToEnv")):
            for value in self.lists[option]:
                found += [flag, value]
        if self.on("Recurse"):
            found.append("-do_recurse")
        suppressed = self.switches.get("SuppressNotification")
        if suppressed is not None:
            found.append("-suppress_notification" if suppressed else "-dont_suppress_notification")
        if self.numbers["SubmitMethod"] >= 0:
            found += ["-SubmitMethod", str(self.numbers["SubmitMethod"])]
        return found

    def submit_arguments(self) -> list[str]:
        """The arguments that condor_dagman gets for its limits and for where it begins, in HTCondor's order, without
        the deep ones and those that only the writer of the submit file knows."""
        found = list[str]()
        for flag in ("MaxIdle", "MaxJobs", "MaxPre", "MaxPost", "MaxHold"):
            if self.numbers[flag] >= 0:
                found += [f"-{flag}", str(self.numbers[flag])]
        post = self.switches.get("PostRun")
        if post is not None:
            found.append("-AlwaysRunPost" if post else "-DontAlwaysRunPost")
        if self.on("DoRecovery"):
            found.append("-DoRecov")
        if self.on("SetupOnly"):
            found.append("-SetupOnly")
        return found
