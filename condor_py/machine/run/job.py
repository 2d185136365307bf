"""Reading of a job ad for the starter, once."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from condor_py.lang.classad import ClassAd, whole
from condor_py.model.arguments import ArgumentError, split_v2
from condor_py.model.bounds import NICEST
from condor_py.model.commonfiles import QUEUED, common_files, queued_files, split_files, split_list
from condor_py.model.states import OF_SCHEDD, Universe


@dataclass(frozen=True, slots=True)
class KeyFiles:
    """The keys with which URLs of S3 and Google are signed: names of files, "" for none (``token`` is for temporary
    keys), and the region of URLs that name none."""

    access: str = ""
    secret: str = ""
    token: str = ""
    region: str = ""


@dataclass(frozen=True, slots=True)
class TransferWishes:
    """A job's requests of file transfer beyond its lists. Limits and sizes in MB, None where it has none.

    ``plugins`` are its own plugin programs by method; ``checkpoint_files`` None means everything that changed.
    """

    plugins: dict[str, str] = field(default_factory=dict)
    max_input_mb: int | None = None
    max_output_mb: int | None = None
    input_size_mb: int = 0
    #: Exit code (or, negative, signal) of a program that wants a checkpoint and is to continue.
    checkpoint_exit: int | None = None
    checkpoint_files: tuple[str, ...] | None = None
    #: URL below which checkpoints are kept; "" for the spool.
    checkpoint_destination: str = ""
    #: Exit code (or, negative, signal) of success; anything else brings only streams and failure files back.
    success: int | None = None
    failure_files: tuple[str, ...] = ()
    manifest: str = ""
    #: LimitDirectoryAccess, which counts where the configuration says nothing.
    allowed_directories: tuple[str, ...] = ()
    #: PluginData and <scheme>_PluginData, by lower-case name, as texts.
    plugin_data: dict[str, str] = field(default_factory=dict)
    #: Those of ``plugins`` that the machine refuses: whatever needs one of them fails.
    refused_plugins: dict[str, str] = field(default_factory=dict)
    keys: KeyFiles = KeyFiles()

    def without_plugins(self, fails: bool) -> TransferWishes:
        """Return the wishes where no plugin of a job may run; ``fails``: nor do others replace them."""
        return replace(self, plugins={}, refused_plugins=self.plugins if fails else {})


class ToolDaemon(NamedTuple):
    """A program that runs beside that of a job (tool_daemon_cmd). File names are as submitted, "" for /dev/null."""

    cmd: str
    arguments: tuple[str, ...] = ()
    stdin: str = ""
    stdout: str = ""
    stderr: str = ""


@dataclass(slots=True)
class Job:
    """A job as the starter sees it. File names are as submitted; ``iwd`` is absolute.

    ``own_program`` of an interactive job is what its user would have run; it is transferred for them, not started.
    """

    job_id: str
    owner: str
    iwd: str
    cmd: str
    arguments: tuple[str, ...]
    environment: dict[str, str]
    stdin: str
    stdout: str
    stderr: str
    transfer: bool
    when_to_transfer: str
    transfer_executable: bool = True
    #: Whether a program that is not transferred keeps its relative name, for USER_JOB_WRAPPER to look for.
    keeps_name: bool = False
    core_limit: int = 0
    stack_limit: int = 0
    nice: int = 0
    wishes: TransferWishes = TransferWishes()
    input_files: tuple[str, ...] = ()
    output_files: tuple[str, ...] | None = None
    output_remaps: dict[str, str] = field(default_factory=dict)
    output_destination: str = ""
    stream_input: bool = False
    stream_output: bool = False
    stream_error: bool = False
    preserve_relative_paths: bool = False
    #: Of a grid job: standard streams that are not copied are files there (transfer_input and its like).
    transfer_stdin: bool = True
    transfer_stdout: bool = True
    transfer_stderr: bool = True
    own_program: str = ""
    #: Whether a run adds to the output and the error of the one before.
    appends: bool = False
    skip_if_dataflow: bool = False
    #: Number of the last checkpoint, -1 for none.
    checkpoint_number: int = -1
    #: GlobalJobId.
    global_id: str = ""
    #: The X.509 proxy of x509userproxy, "" for none.
    proxy: str = ""
    #: Input that it shares with others, and where that is staged: directories. With these it is not fetched.
    common_files: tuple[str, ...] = ()
    staged: tuple[str, ...] = ()
    #: The input file or directory that is the image of its container, "" for none.
    image: str = ""
    #: A virtual machine, of the vm universe.
    is_machine: bool = False
    #: Where output goes in place of the submit directory, "" for there.
    output_directory: str = ""
    #: Where the copy of the starter's log goes, "" for nowhere.
    starter_log: str = ""
    #: Whether it is a node of a parallel job, whose script calls our commands.
    is_node: bool = False
    #: Whether its environment has a HOME that counts: in the scheduler universe, which has no starter in HTCondor.
    keeps_home: bool = False
    #: The group that the job's processes and files have, "" for that of its owner's account.
    primary_group: str = ""
    tool: ToolDaemon | None = None
    #: The directory in which the program starts (remote_initialdir), "" for the usual one.
    remote_iwd: str = ""
    #: Whether its program is stopped at its first instruction (suspend_job_at_exec), until a tool lets it go on.
    stops_at_start: bool = False

    @property
    def is_silent(self) -> bool:
        """Whether no file is named for any of its standard streams."""
        return self.stdin == self.stdout == self.stderr == os.devnull

    @property
    def output_top(self) -> str:
        """The directory that output goes to when it has no other place."""
        return os.path.join(self.iwd, self.output_directory) if self.output_directory else self.iwd

    def directory(self, scratch: str) -> str:
        """The directory in which the program starts."""
        top = scratch if self.transfer else self.iwd
        return os.path.join(top, self.remote_iwd) if self.remote_iwd else top

    @property
    def leaves_files(self) -> bool:
        """Whether a run may leave something for the next one."""
        checkpoints = self.wishes.checkpoint_exit is not None
        return self.transfer and (self.when_to_transfer == "ON_EXIT_OR_EVICT" or checkpoints)


def parse_remaps(text: str | None) -> dict[str, str]:
    """``a = b; c = d`` of TransferOutputRemaps; ``\\=`` and ``\\;`` are literal. The first rule for a name counts."""
    remaps: dict[str, str] = {}
    for item in _split_unescaped(text or "", ";"):
        source, found, target = _partition_unescaped(item)
        if found and source.strip():
            remaps.setdefault(_unescape(source.strip()), _unescape(target.strip()))
    return remaps


def _split_unescaped(text: str, separator: str) -> list[str]:
    parts, current, escaped = [], "", False
    for char in text:
        if char == separator and not escaped:
            parts.append(current)
            current = ""
            continue
        escaped = char == "\\" and not escaped
        current += char
    return [*parts, current]


def _partition_unescaped(item: str) -> tuple[str, str, str]:
    parts = _split_unescaped(item, "=")
    return parts[0], "=" if len(parts) > 1 else "", "=".join(parts[1:])


def _unescape(text: str) -> str:
    return text.replace("\\=", "=").replace("\\;", ";")


def wants_transfer(ad: ClassAd, same_file_system: bool) -> bool:
    """Whether files are copied: YES always, IF_NEEDED unless both sides share the file system. Never for jobs that the
    schedd runs itself: they are where they were submitted, or where their files were spooled."""
    if ad.eval_int("JobUniverse", 0) in OF_SCHEDD:
        return False
    choice = (ad.eval_str("ShouldTransferFiles", "IF_NEEDED") or "IF_NEEDED").upper()
    return choice == "YES" or (choice == "IF_NEEDED" and not same_file_system)


def _identity(ad: ClassAd) -> dict[str, str]:
    """The number of a job of the scheduler universe, which may be the manager of other jobs that name it."""
    stored = {"_CONDOR_SEC_CREDENTIAL_PRODUCER": "CREDENTIAL_ALREADY_STORED"}  # which its jobs need, too
    more = stored if ad.eval_bool("SendCredential", False) is True else {}
    return {"CONDOR_ID": f"{ad.eval_int('ClusterId', 0)}.{ad.eval_int('ProcId', 0)}", **more}


def _node(ad: ClassAd) -> dict[str, str]:
    """The variables of a node of a parallel job: its number, how many there are, and where all of them may leave
    files by condor_chirp."""
    node = ad.eval_int("Node", None)
    if node is None:
        return {}
    return {
        "_CONDOR_PROCNO": str(node),
        "_CONDOR_NPROCS": str(ad.eval_int("CurrentHosts", 1)),
        **({"_CONDOR_REMOTE_SPOOL_DIR": spool} if (spool := ad.eval_str("RemoteSpoolDir", "")) else {}),
    }


#: The end of the names of what jobs say to plugins.
_PLUGIN_DATA = "plugindata"


def read_job(ad: ClassAd, file_system_domain: str, staged: tuple[str, ...] = ()) -> Job:
    """The job of an ad; its common files are in the directories ``staged``, or else it fetches them itself."""
    domain = ad.eval_str("FileSystemDomain", None)
    universe = ad.eval_int("JobUniverse", 0)
    environment = environment_of(ad)
    job = Job(
        job_id=f"{ad.eval_int('ClusterId', 0)}.{ad.eval_int('ProcId', 0)}",
        owner=ad.eval_str("OsUser", None) or ad.eval_str("Owner", "") or "",
        iwd=ad.eval_str("Iwd", "/") or "/",
        cmd=ad.eval_str("Cmd", "") or "",
        arguments=arguments_of(ad),
        environment=environment | _identity(ad) if universe == Universe.SCHEDULER else environment,
        stdin=ad.eval_str("In", os.devnull) or os.devnull,
        stdout=ad.eval_str("Out", os.devnull) or os.devnull,
        stderr=ad.eval_str("Err", os.devnull) or os.devnull,
        transfer=wants_transfer(ad, domain is None or domain.lower() == file_system_domain.lower()),
        when_to_transfer=(ad.eval_str("WhenToTransferOutput", "ON_EXIT") or "ON_EXIT").upper(),
        global_id=ad.eval_str("GlobalJobId", None) or "",
        staged=staged,
        is_machine=universe == Universe.VM,
    )
    _read_details(ad, job, universe)
    return job


def _read_details(ad: ClassAd, job: Job, universe: int | None) -> None:
    """Read what few jobs say."""
    unwanted = ad.eval_bool("VMPARAM_No_Output_VM", False) is True and job.is_machine
    outputs = "" if unwanted else ad.eval_str("TransferOutput", None)
    job.transfer_executable = ad.eval_bool("TransferExecutable", True) is not False
    job.keeps_name = not job.transfer_executable and ad.eval_bool("PreserveRelativeExecutable", False) is True
    job.core_limit = ad.eval_int("CoreSize", 0) or 0
    job.stack_limit = ad.eval_int("StackSize", 0) or 0
    job.nice = whole(ad.eval_int("JobNice", 0), 0, NICEST)
    job.appends = (
        ad.eval_bool("WantFTOnCheckpoint", False) is True
        or ad.eval_bool("WantCheckpointSignal", False) is True
        or ad.eval_bool("EraseOutputAndErrorOnRestart", True) is False
    )
    job.input_files = (
        split_files(ad.eval_str("TransferInput", None))
        + split_files(ad.eval_str("PublicInputFiles", None))
        + queued_files(ad.text(QUEUED), ad.eval_str)
    )
    job.common_files = tuple(name for name in common_files(ad.eval_str) if name not in job.input_files)
    job.image = ad.eval_str("ContainerImageFullPath", None) or ""
    job.environment |= _node(ad)
    job.output_files = None if outputs is None else split_files(outputs)
    job.output_remaps = parse_remaps(ad.eval_str("TransferOutputRemaps", None))
    job.output_destination = ad.eval_str("OutputDestination", None) or ""
    job.stream_input = ad.eval_bool("StreamIn", False) is True and universe != Universe.GRID
    job.stream_output = ad.eval_bool("StreamOut", False) is True
    job.stream_error = ad.eval_bool("StreamErr", False) is True
    job.preserve_relative_paths = ad.eval_bool("PreserveRelativePaths", False) is True
    if universe == Universe.GRID:
        job.transfer_stdin = ad.eval_bool("TransferIn", True) is not False
        job.transfer_stdout = ad.eval_bool("TransferOut", True) is not False
        job.transfer_stderr = ad.eval_bool("TransferErr", True) is not False
    job.wishes = _transfer_wishes(ad)
    job.own_program = ad.eval_str("OrigCmd", None) or ""
    job.skip_if_dataflow = ad.eval_bool("SkipIfDataflow", False) is True
    job.checkpoint_number = ad.eval_int("CheckpointNumber", -1)
    job.proxy = ad.eval_str("x509userproxy", None) or ""
    job.output_directory = ad.eval_str("OutputDirectory", None) or ""
    job.starter_log = ad.eval_str("JobStarterLog", None) or ""
    job.is_node = ad.eval_int("Node", None) is not None
    job.keeps_home = universe == Universe.SCHEDULER and "HOME" in job.environment
    job.primary_group = ad.eval_str("PrimaryUnixGroup", None) or ""
    job.tool = _tool(ad)
    job.remote_iwd = "" if job.is_machine else ad.eval_str("RemoteIwd", None) or ""
    job.stops_at_start = ad.eval_bool("SuspendJobAtExec", False) is True


def _transfer_wishes(ad: ClassAd) -> TransferWishes:
    checkpoint = ad.eval_str("TransferCheckpoint", None)
    manifest = ad.eval_str("ManifestDir", None)
    if manifest is None and ad.eval_bool("ManifestDesired", False) is True:
        manifest = f"{ad.eval_int('ClusterId', 0)}_{ad.eval_int('ProcId', 0)}_manifest"
    return TransferWishes(
        plugins=parse_plugins(ad.eval_str("TransferPlugins", None)),
        max_input_mb=ad.eval_int("MaxTransferInputMB", None),
        max_output_mb=ad.eval_int("MaxTransferOutputMB", None),
        input_size_mb=ad.eval_int("TransferInputSizeMB", 0) or 0,
        checkpoint_exit=_checkpoint_exit(ad),
        checkpoint_files=None if checkpoint is None else split_list(checkpoint),
        checkpoint_destination=ad.eval_str("CheckpointDestination", None) or "",
        success=_desired(ad, "JobSuccess"),
        failure_files=split_files(ad.eval_str("FailureFiles", None)),
        manifest=manifest or "",
        allowed_directories=split_list(ad.eval_str("LimitDirectoryAccess", None)),
        plugin_data=_plugin_data(ad),
        keys=KeyFiles(
            access=ad.eval_str("EC2AccessKeyId", None) or "",
            secret=ad.eval_str("EC2SecretAccessKey", None) or "",
            token=ad.eval_str("EC2SessionToken", None) or "",
            region=ad.eval_str("AWSRegion", None) or "",
        ),
    )


def _plugin_data(ad: ClassAd) -> dict[str, str]:
    return {key: binding.text for key, binding in ad.merged().items() if key.endswith(_PLUGIN_DATA)}


def _desired(ad: ClassAd, prefix: str) -> int | None:
    """The exit code that attributes with ``prefix`` name, or the negative signal; None when the job says nothing."""
    code, number = ad.eval_int(f"{prefix}ExitCode", None), ad.eval_int(f"{prefix}ExitSignal", None)
    if code is None and number is None:
        return None
    return -(number or 0) if ad.eval_bool(f"{prefix}ExitBySignal", False) is True else code or 0


def _checkpoint_exit(ad: ClassAd) -> int | None:
    """checkpoint_exit_code; or the signal of SuccessCheckpointExitSignal, which WantFTOnCheckpoint has to allow."""
    if ad.eval_int("SuccessCheckpointExitCode", None) is None and ad.eval_bool("WantFTOnCheckpoint", False) is not True:
        return None
    return _desired(ad, "SuccessCheckpoint")


def parse_plugins(text: str | None) -> dict[str, str]:
    """``tar,zip=path; foo=other`` of TransferPlugins: the program of each method."""
    plugins: dict[str, str] = {}
    for item in (text or "").split(";"):
        methods, found, path = item.partition("=")
        if found and path.strip():
            plugins.update((method.strip().lower(), path.strip()) for method in methods.split(",") if method.strip())
    return plugins


def _words(text: str, attribute: str) -> list[str]:
    """The words of an attribute with quotes. ArgumentError names the attribute."""
    if not text:
        return []
    try:
        return split_v2(text)
    except ArgumentError as error:
        raise ArgumentError(f"{attribute} cannot be read: {error}") from None


def arguments_of(ad: ClassAd, kind: str = "") -> tuple[str, ...]:
    """The arguments of a job's program, or of what ``kind`` names: a script (Pre, Post), a tool daemon (ToolDaemon).
    ArgumentError."""
    raw = ad.eval_str(f"{kind}Arguments", None)
    if raw is not None:
        return tuple(_words(raw, f"{kind}Arguments"))
    return tuple((ad.eval_str(f"{kind}Args", "") or "").split())


def _tool(ad: ClassAd) -> ToolDaemon | None:
    cmd = ad.eval_str("ToolDaemonCmd", None)
    if not cmd:
        return None
    streams = (ad.eval_str(f"ToolDaemon{name}", None) or "" for name in ("Input", "Output", "Error"))
    return ToolDaemon(cmd, arguments_of(ad, "ToolDaemon"), *streams)


def environment_of(ad: ClassAd, kind: str = "") -> dict[str, str]:
    """The variables of a job's program, or of a script. ArgumentError."""
    raw = ad.eval_str(f"{kind}Environment", None)
    if raw is not None:
        words = _words(raw, f"{kind}Environment")
    else:
        words = (ad.eval_str(f"{kind}Env", "") or "").split(ad.eval_str("EnvDelim", None) or ";")
    if not words:
        return {}
    pairs = (word.partition("=") for word in words if "=" in word)
    return {name: value for name, _, value in pairs}
