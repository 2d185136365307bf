"""The functions that PRINTAS and RENDERAS name, common to all tools.

A renderer gets the value of its column's source and the ad, and gives the value to show or None for nothing.
"""

from __future__ import annotations

from condor_py.cli.output import conversion
from condor_py.cli.output.values import integer, number, value_text
from condor_py.lang.classad.ad import ClassAd
from condor_py.lang.classad.nodes import Literal
from condor_py.lang.classad.unparse import unparse
from condor_py.lang.classad.values import UNDEFINED, ListValue
from condor_py.model.states import UNIVERSE_NAMES, Universe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_STATUS_LETTERS = " IRXCH>SFBP"
_STATUS_WORDS = {
    1: "Idle   ", 2: "Running", 3: "Removed", 4: "Complet", 5: "Held   ", 6: "XFerOut", 7: "Suspend",
    8: "Failed ", 9: "Blocked", 10: "Preparing",
}  # fmt: skip
_GRID_STATUS = {
    1: "IDLE", 2: "RUNNING", 3: "REMOVED", 4: "COMPLETED", 5: "HELD", 6: "XFER_OUT", 7: "SUSPENDED",
    8: "FAILED", 9: "BLOCKED", 10: "PREPARING",
}  # fmt: skip
_FACTORY_MODES = {-1: "Errs", 0: "Norm", 1: "Held", 2: "Done", 3: "Gone"}
_STATES = {
    "owner": "O", "unclaimed": "U", "matched": "M", "claimed": "C", "preempting": "P", "shutdown": "S",
    "delete": "X", "backfill": "F", "drained": "D",
}  # fmt: skip
_ACTIVITIES = {
    "idle": "i", "busy": "b", "retiring": "r", "vacating": "v", "suspended": "s", "benchmarking": "e",
    "killing": "k",
}  # fmt: skip
_METRIC = ("B ", "KB", "MB", "GB", "TB")


def owner(value: Any, ad: ClassAd) -> str | None:
    """OWNER."""
    return ad.eval_str("Owner")


def dag_owner(value: Any, ad: ClassAd) -> str | None:
    """DAG_OWNER: the node name of a DAG node job, else the owner."""
    if ad.text("DAGManJobId") is not None:
        node = ad.eval_str("DAGNodeName")
        if node is not None:
            return node
    return owner(value, ad)


def batch_name(value: Any, ad: ClassAd) -> str | None:
    """BATCH_NAME: JobBatchName, else ``DAG: C`` for scheduler universe, else ``NODE: name``."""
    name = ad.eval_str("JobBatchName")
    if name is not None:
        return name
    if ad.eval_int("JobUniverse") == Universe.SCHEDULER:
        return f"DAG: {ad.eval_int('ClusterId') or 0}"
    node = ad.eval_str("DAGNodeName") if ad.text("DAGManJobId") is not None else None
    return None if node is None else f"NODE: {node}"


def job_id(value: Any, ad: ClassAd) -> str | None:
    """JOB_ID: ``Cluster.Proc``."""
    cluster = ad.eval_int("ClusterId")
    if cluster is None:
        return ad.eval_str("JobId")
    return f"{cluster}.{ad.eval_int('ProcId', -1)}"


def job_status(value: Any, ad: ClassAd) -> str | None:
    """JOB_STATUS: the letter of the state, with ``<`` and ``>`` for file transfer."""
    status = ad.eval_int("JobStatus")
    if status is None:
        return None
    first = _STATUS_LETTERS[status] if 0 < status < len(_STATUS_LETTERS) else " "
    second = " "
    queued = ad.eval_bool("TransferQueued")
    if ad.eval_bool("TransferringInput"):
        first, second = "<", "q" if queued else " "
    if status == 6 or ad.eval_bool("TransferringOutput"):
        first, second = "q" if queued else " ", ">"
    return first + second


def job_status_raw(value: Any, ad: ClassAd) -> str | None:
    """JOB_STATUS_RAW: the state in seven letters."""
    status = integer(value)
    return None if status is None else _STATUS_WORDS.get(status, "Unk    ")


def universe(value: Any, ad: ClassAd) -> str | None:
    """JOB_UNIVERSE: its name."""
    code = integer(value)
    return None if code is None else UNIVERSE_NAMES.get(code, "Unknown")


def memory_usage(value: Any, ad: ClassAd) -> float | None:
    """MEMORY_USAGE: MemoryUsage in MB, else ImageSize (KB) as MB."""
    memory = ad.eval_int("MemoryUsage")
    if memory is not None:
        return float(memory)
    image = ad.eval_int("ImageSize")
    return None if image is None else image / 1024.0


def description(value: Any, ad: ClassAd) -> str | None:
    """JOB_DESCRIPTION: ``(JobDescription)``, else the command's base name and its arguments."""
    command = ad.eval_str("Cmd")
    if command is None:
        return None
    given = ad.eval_str("MATCH_EXP_JobDescription") or ad.eval_str("JobDescription")
    if given:
        return f"({given})"
    arguments = ad.eval_str("Arguments")
    if arguments is None:
        arguments = ad.eval_str("Args")
    base = command.rsplit("/", 1)[-1]
    return f"{base} {arguments}" if arguments else base


def command_line(value: Any, ad: ClassAd) -> str | None:
    """JOB_COMMAND: the whole command and its arguments."""
    command = ad.eval_str("Cmd")
    if command is None:
        return None
    arguments = ad.eval_str("Args")
    if arguments is None:
        arguments = ad.eval_str("Arguments")
    return command if arguments is None else f"{command} {arguments}"


def remote_host(value: Any, ad: ClassAd) -> str | None:
    """REMOTE_HOST: where the job runs (the resource of a grid job)."""
    if ad.eval_int("JobUniverse") == Universe.GRID:
        return ad.eval_str("EC2RemoteVirtualMachineName") or ad.eval_str("GridResource")
    return ad.eval_str("RemoteHost")


def factory_mode(value: Any, ad: ClassAd) -> str:
    """JOB_FACTORY_MODE: why a factory pauses, in four letters."""
    if value is UNDEFINED:
        return ""
    code = integer(value)
    return "????" if code is None else _FACTORY_MODES.get(code, "Unk")


def io_misc(value: Any, ad: ClassAd) -> str:
    """BUFFER_IO_MISC: the file transfer in progress."""
    words = (("TransferringInput", "in"), ("TransferringOutput", "out"), ("TransferQueued", "queued"))
    active = [word for name, word in words if ad.eval_bool(name)]
    return " transfer=" + ",".join(active) if active else ""


def grid_status(value: Any, ad: ClassAd) -> str | None:
    """GRID_STATUS: the state that the remote side reports."""
    text = ad.eval_str("GridJobStatus")
    code = ad.eval_int("GridJobStatus")
    return text if text is not None or code is None else _GRID_STATUS.get(code, str(code))


def grid_job_id(value: Any, ad: ClassAd) -> str | None:
    """GRID_JOB_ID: the id on the remote side without its address."""
    text = ad.eval_str("GridJobId")
    if text is None:
        return None
    last = text.rsplit(" ", 1)[-1]
    scheme = last.find("://")
    start = scheme + 3 if scheme >= 0 else 0
    slash = last.find("/", start)
    return last[slash if slash >= 0 else start :]


def grid_resource(value: Any, ad: ClassAd) -> str | None:
    """GRID_RESOURCE: ``type->manager host``; a word alone is the host of a resource of the oldest type."""
    text = ad.eval_str("GridResource")
    if text is None:
        return None
    kind, space, rest = text.partition(" ")
    if not space:
        kind, rest = "globus", text
    host, space, manager = rest.partition(" ")
    if not space:
        manager = host.partition("jobmanager-")[2]
    host = host.split("://", 1)[-1].split("/", 1)[0].split(":", 1)[0]
    if kind == "ec2":
        return f"{kind} {ad.eval_str('EC2RemoteVirtualMachineName') or host}"
    return f"{kind}->{manager.replace(' ', '/') or '[?]'} {host}"


def date(value: Any, ad: ClassAd) -> str | None:
    """DATE and QDATE: a Unix time as month, day, hour and minute."""
    moment = integer(value)
    return None if moment is None else conversion.date(moment)


def elapsed(value: Any, ad: ClassAd) -> str | None:
    """TIME and RUNTIME: seconds as days, hours, minutes, seconds."""
    seconds = integer(value)
    return None if seconds is None else conversion.elapsed(seconds)


def readable(factor: float) -> Any:
    """READABLE_BYTES, _KB and _MB: a size in the unit that suits it; ``factor`` is bytes per unit of the value."""

    def render(value: Any, ad: ClassAd) -> str:
        size = number(value)
        if size is None or isinstance(value, bool):
            return "        "
        amount = size * factor
        unit = 0
        while amount > 1024 and unit < len(_METRIC) - 1:
            amount /= 1024.0
            unit += 1
        return f"{amount:.1f} {_METRIC[unit]}"

    return render


def load_average(value: Any, ad: ClassAd) -> str | None:
    """LOAD_AVG: three decimals."""
    load = number(value)
    return None if load is None else f"{load:.3f}"


def platform(value: Any, ad: ClassAd) -> str | None:
    """PLATFORM: ``x64/Debian12``. Without Arch the column's own value (OpSys) is in its place, as in HTCondor."""
    windows = ad.eval_str("OpSys") == "WINDOWS"
    system = ad.eval_str("OpSysShortName" if windows else "OpSysAndVer")
    if system is None:
        return None
    arch = ad.eval_str("Arch") or (value if isinstance(value, str) else "")
    return f"{ {'X86_64': 'x64', 'X86': 'x86'}.get(arch, arch) }/{system}"


def condor_version(value: Any, ad: ClassAd) -> str | None:
    """CONDOR_VERSION: ``25.14.0.PRE`` out of the version string."""
    words = value.split() if isinstance(value, str) else []
    if len(words) < 2:
        return None
    rest = words[3:] if words[2].count("-") == 2 else words[5:]
    if rest and rest[0].startswith("B"):
        rest = rest[1:]
    build = rest[0].split("-")[0] if rest and not rest[0].startswith("$") else ""
    return f"{words[1]}.{build}" if build else words[1]


def condor_platform(value: Any, ad: ClassAd) -> str | None:
    """CONDOR_PLATFORM: ``x86_64_Debian_12`` out of the platform string."""
    words = value.split() if isinstance(value, str) else []
    if len(words) < 2:
        return None
    text = words[1].split(".")[0].replace("-", "_")
    return "x" + text[1:] if text.startswith("X") else text


def activity_code(value: Any, ad: ClassAd) -> str | None:
    """ACTIVITY_CODE: letters of State and Activity, ``Ui``."""
    state, activity = ad.eval_str("State", ""), ad.eval_str("Activity", "")
    word = value.lower() if isinstance(value, str) else ""
    if word not in _STATES and word not in _ACTIVITIES:
        return None
    return _STATES.get(state.lower(), " ") + _ACTIVITIES.get(activity.lower(), " ")


def activity_time(value: Any, ad: ClassAd) -> int | None:
    """ACTIVITY_TIME: seconds since the moment ``value``, by the ad's own clock."""
    now = ad.eval_int("MyCurrentTime")
    if now is None:
        now = ad.eval_int("LastHeardFrom")
    return None if now is None else max(0, now - (integer(value) or 0))


def elapsed_time(value: Any, ad: ClassAd) -> int | None:
    """ELAPSED_TIME: seconds from the moment ``value`` to LastHeardFrom."""
    now = ad.eval_int("LastHeardFrom")
    return None if now is None else now - (integer(value) or 0)


def due_date(value: Any, ad: ClassAd) -> int | None:
    """DUE_DATE: LastHeardFrom plus ``value`` seconds."""
    now = ad.eval_int("LastHeardFrom")
    return None if now is None else now + (integer(value) or 0)


def member_count(value: Any, ad: ClassAd) -> int | None:
    """MEMBER_COUNT: members of a list or of a comma separated string."""
    if isinstance(value, str):
        return len([part for part in value.replace(",", " ").split() if part])
    return len(value) if isinstance(value, ListValue) else None


def strings_from_list(value: Any, ad: ClassAd) -> str | None:
    """STRINGS_FROM_LIST: the strings of a list with commas between them."""
    if not isinstance(value, ListValue):
        return None
    literals = [item.value for item in value.items if isinstance(item, Literal)]
    return ", ".join(item for item in literals if isinstance(item, str))


def unique(value: Any, ad: ClassAd) -> str | None:
    """UNIQUE: the distinct members of a list or string list, sorted."""
    if isinstance(value, str):
        members = set(value.replace(",", " ").split())
    elif isinstance(value, ListValue):
        members = {value_text(item.value) if isinstance(item, Literal) else unparse(item) for item in value.items}
    else:
        return None
    return ", ".join(sorted(members))


#: PRINTAS name -> renderer and its default format (None: the renderer gives text).
RENDERERS: dict[str, tuple[Any, str | None]] = {
    "ACTIVITY_CODE": (activity_code, None),
    "ACTIVITY_TIME": (activity_time, "%T"),
    "BATCH_NAME": (batch_name, None),
    "BUFFER_IO_MISC": (io_misc, None),
    "CONDOR_PLATFORM": (condor_platform, None),
    "CONDOR_VERSION": (condor_version, None),
    "CPU_TIME": (elapsed, None),
    "DAG_OWNER": (dag_owner, None),
    "DATE": (date, None),
    "DUE_DATE": (due_date, "%Y"),
    "ELAPSED_TIME": (elapsed_time, "%T"),
    "GRID_JOB_ID": (grid_job_id, None),
    "GRID_RESOURCE": (grid_resource, None),
    "GRID_STATUS": (grid_status, None),
    "JOB_COMMAND": (command_line, None),
    "JOB_DESCRIPTION": (description, None),
    "JOB_FACTORY_MODE": (factory_mode, None),
    "JOB_ID": (job_id, None),
    "JOB_STATUS": (job_status, None),
    "JOB_STATUS_RAW": (job_status_raw, None),
    "JOB_UNIVERSE": (universe, None),
    "LOAD_AVG": (load_average, None),
    "MEMBER_COUNT": (member_count, "%d"),
    "MEMORY_USAGE": (memory_usage, "%.1f"),
    "OWNER": (owner, None),
    "PLATFORM": (platform, None),
    "QDATE": (date, None),
    "READABLE_BYTES": (readable(1.0), None),
    "READABLE_KB": (readable(1024.0), None),
    "READABLE_MB": (readable(1048576.0), None),
    "REMOTE_HOST": (remote_host, None),
    "RUNTIME": (elapsed, None),
    "STRINGS_FROM_LIST": (strings_from_list, None),
    "TIME": (elapsed, None),
    "UNIQUE": (unique, None),
}
