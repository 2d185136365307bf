"""Commands that become an attribute directly: the table, and how each kind of value is written."""

from __future__ import annotations

from enum import Enum

from condor_py.lang.submit import text as classad_text
from condor_py.lang.submit import units
from condor_py.lang.submit.job import JobMaker, split_list, strip_quotes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Kind(Enum):
    """The form in which the value of a simple command is written into the job."""

    EXPR = "an expression"
    BOOL = "true or false"
    INT = "an integer"
    UINT = "a non-negative integer"
    STRING = "a string"
    UNQUOTED = "a string, one pair of quotes around it removed"
    LIST = "a string list, separated by commas"
    FILE = "a path, made absolute from the job's directory"
    UNQUOTED_FILE = "such a path, one pair of quotes around it removed"
    UNQUOTED_LIST = "a string list, separated by commas, one pair of quotes around it removed"
    DISABLED = "nothing: the administrator has disabled the command"


class Simple:
    """One simple command; ``other`` spellings count only when the row before was not used."""

    __slots__ = ("attribute", "command", "kind", "other")

    def __init__(self, command: str, attribute: str, kind: Kind, other: bool = False) -> None:
        self.command = command
        self.attribute = attribute
        self.kind = kind
        self.other = other


def _rows() -> tuple[Simple, ...]:
    rows = []
    for kind, names in _TABLE:
        for pair in names.split():
            command, _, attribute = pair.partition(":")
            rows.append(Simple(command.lstrip("~"), attribute, kind, command.startswith("~")))
    return tuple(rows)


_FORMER = "it belongs to former releases"
_UNSIGNED = "URLs of S3 are not signed here"
#: Commands that are accepted and do nothing here, each with the reason that is given to a user.
DOES_NOTHING = {
    **dict.fromkeys(
        (
            "append_files", "buffer_block_size", "buffer_files", "buffer_size", "compress_files", "fetch_files",
            "file_remaps", "local_files", "rendezvousdir", "want_ads",
        ),
        _FORMER,
    ),
    **dict.fromkeys(
        (
            "aws_access_key_id_file", "aws_region", "aws_secret_access_key_file", "gs_access_key_id_file",
            "gs_secret_access_key_file", "s3_access_key_id_file", "s3_secret_access_key_file",
        ),
        _UNSIGNED,
    ),
    "delegate_job_gsi_credentials_lifetime": "no proxy is handed on",
    "load_profile": "it is for Windows",
    "remote_initialdir": "the job runs in its scratch directory, or in initialdir",
    "parallel_script_shadow": "parallel jobs do not run here",
    "parallel_script_starter": "parallel jobs do not run here",
}  # fmt: skip


#: ``command:Attribute`` in the order in which they are carried out; ``~`` marks another spelling of the one before.
_TABLE: tuple[tuple[Kind, str], ...] = (
    (Kind.EXPR, "next_job_start_delay:NextJobStartDelay keep_claim_idle:KeepClaimIdle"),
    (
        Kind.STRING,
        "job_ad_information_attrs:JobAdInformationAttrs ulog_execute_attrs:UserLogExecuteEventAttrs",
    ),
    (Kind.EXPR, "max_idle:JobMaterializeMaxIdle ~materialize_max_idle:JobMaterializeMaxIdle"),
    (Kind.STRING, "docker_network_type:DockerNetworkType docker_pull_policy:DockerPullPolicy"),
    (
        Kind.BOOL,
        "docker_override_entrypoint:DockerOverrideEntrypoint docker_send_credentials:DockerSendCredentials",
    ),
    (Kind.UNQUOTED, "container_target_dir:ContainerTargetDir mount_under_scratch:MountUnderScratch"),
    (Kind.BOOL, "transfer_container:TransferContainer"),
    (Kind.STRING, "transfer_plugins:TransferPlugins"),
    (Kind.BOOL, "want_io_proxy:WantIOProxy want_job_networking:WantJobNetworking"),
    (Kind.UNQUOTED, "starter_debug:JobStarterDebug"),
    (Kind.UNQUOTED_FILE, "starter_log:JobStarterLog"),
    (Kind.BOOL, "container_is_common:ContainerIsCommon"),
    (Kind.STRING, "job_machine_attrs:JobMachineAttrs"),
    (Kind.INT, "job_machine_attrs_history_length:JobMachineAttrsHistoryLength"),
    (Kind.STRING, "notify_user:NotifyUser"),
    (Kind.LIST, "email_attributes:EmailAttributes"),
    (
        Kind.STRING,
        "remote_initialdir:RemoteIwd Remote_grid_resource:Remote_GridResource"
        " Remote_Remote_grid_resource:Remote_Remote_GridResource output_destination:OutputDestination",
    ),
    (Kind.FILE, "output_directory:OutputDirectory"),
    (Kind.EXPR, "want_graceful_removal:WantGracefulRemoval job_max_vacate_time:JobMaxVacateTime"),
    (Kind.BOOL, "encrypt_execute_directory:EncryptExecuteDirectory"),
    (
        Kind.STRING,
        "encrypt_input_files:EncryptInputFiles encrypt_output_files:EncryptOutputFiles"
        " dont_encrypt_input_files:DontEncryptInputFiles dont_encrypt_output_files:DontEncryptOutputFiles",
    ),
    (Kind.BOOL, "load_profile:LoadProfile"),
    (Kind.STRING, "primary_unix_group:PrimaryUnixGroup"),
    (
        Kind.EXPR,
        "file_remaps:FileRemaps buffer_files:BufferFiles buffer_size:BufferSize buffer_block_size:BufferBlockSize",
    ),
    (
        Kind.STRING,
        "fetch_files:FetchFiles compress_files:CompressFiles append_files:AppendFiles local_files:LocalFiles",
    ),
    (Kind.FILE, "log:UserLog dagman_log:DAGManNodesLog"),
    (Kind.BOOL, "log_xml:UserLogUseXML"),
    (
        Kind.EXPR,
        "noop_job:IsNoopJob noop_job_exit_signal:NoopJobExitSignal noop_job_exit_code:NoopJobExitCode",
    ),
    (Kind.STRING, "dag_node_name:DAGNodeName"),
    (Kind.INT, "match_list_length:LastMatchListLength"),
    (Kind.UINT, "dagman_job_id:DAGManJobId"),
    (
        Kind.STRING,
        "submit_event_notes:SubmitEventNotes submit_event_user_notes:SubmitEventUserNotes"
        " submit_event_notes_attrs:SubmitEventNotesAttrs",
    ),
    (Kind.EXPR, "stack_size:StackSize"),
    (
        Kind.STRING,
        "jar_files:JarFiles parallel_script_shadow:ParallelScriptShadow parallel_script_starter:ParallelScriptStarter"
        " cron_minute:CronMinute cron_hour:CronHour cron_day_of_month:CronDayOfMonth cron_month:CronMonth"
        " cron_day_of_week:CronDayOfWeek description:JobDescription",
    ),
    (Kind.UNQUOTED, "batch_name:JobBatchName batch_id:JobBatchId"),
    (Kind.EXPR, "max_job_retirement_time:MaxJobRetirementTime job_lease_duration:JobLeaseDuration"),
    (Kind.INT, "core_size:CoreSize priority:JobPrio ~prio:JobPrio"),
    (Kind.BOOL, "run_as_owner:RunAsOwner"),
    (Kind.EXPR, "max_transfer_input_mb:MaxTransferInputMB max_transfer_output_mb:MaxTransferOutputMB"),
    (Kind.BOOL, "manifest:ManifestDesired"),
    (Kind.STRING, "manifest_dir:ManifestDir"),
    (Kind.INT, "checkpoint_exit_code:SuccessCheckpointExitCode"),
    (
        Kind.STRING,
        "checkpoint_destination:CheckpointDestination aws_region:AWSRegion aws_access_key_id_file:EC2AccessKeyId"
        " aws_secret_access_key_file:EC2SecretAccessKey s3_access_key_id_file:EC2AccessKeyId"
        " s3_secret_access_key_file:EC2SecretAccessKey gs_access_key_id_file:EC2AccessKeyId"
        " gs_secret_access_key_file:EC2SecretAccessKey",
    ),
    (Kind.BOOL, "erase_output_and_error_on_restart:EraseOutputAndErrorOnRestart"),
    (Kind.STRING, "transfer_checkpoint_files:TransferCheckpoint"),
    (Kind.BOOL, "preserve_relative_paths:PreserveRelativePaths"),
    (Kind.STRING, "cuda_version:CUDAVersion"),
    (Kind.BOOL, "skip_if_dataflow:SkipIfDataflow"),
    (Kind.EXPR, "allowed_job_duration:AllowedJobDuration allowed_execute_duration:AllowedExecuteDuration"),
    (Kind.UNQUOTED, "jobset:JobSetName"),
)

SIMPLE = _rows()


def extended(commands: Iterable[tuple[str, str]]) -> Iterator[Simple]:
    """The commands of EXTENDED_SUBMIT_COMMANDS, (name, expression text): the value tells the kind by example."""
    for name, text in commands:
        kind = _kind_of(text)
        if kind is not None:
            yield Simple(name, name, kind)


def _kind_of(text: str) -> Kind | None:
    """None for undefined, which is no command."""
    word = text.strip().lower()
    if word in ("undefined", "error"):
        return None if word == "undefined" else Kind.DISABLED
    value = classad_text.literal(text)
    if isinstance(value, bool):
        return Kind.BOOL
    if isinstance(value, int):
        return Kind.INT if value < 0 else Kind.UINT
    if isinstance(value, str):
        if "," in value:
            return Kind.UNQUOTED_LIST
        return Kind.UNQUOTED_FILE if value.lower().startswith("file") else Kind.UNQUOTED
    return Kind.EXPR


def set_simple(job: JobMaker, row: Simple) -> bool:
    """Carry out one simple command; False when it is not given."""
    value = job.param(row.command, row.attribute)
    if value is None:
        return False
    kind = row.kind
    if kind is Kind.DISABLED:
        raise job.fail(f"{row.command}={value} has been disabled by the administrator.\n")
    if kind is Kind.EXPR:
        job.assign_expr(row.attribute, value)
    elif kind is Kind.BOOL:
        truth = units.parse_bool(value, classad_text.evaluate)
        if truth is None:
            raise job.fail(f"{row.command}={value} is invalid, must eval to a boolean.\n")
        job.assign_bool(row.attribute, truth)
    elif kind in (Kind.INT, Kind.UINT):
        number = units.parse_int(value, classad_text.evaluate)
        if number is None:
            raise job.fail(f"{row.command}={value} is invalid, must eval to an integer.\n")
        if number < 0 and kind is Kind.UINT:
            raise job.fail(f"{row.command}={value} is invalid, must eval to a non-negative integer.\n")
        job.assign_int(row.attribute, number)
    else:
        job.assign_string(row.attribute, _string(job, kind, value))
    return True


def _string(job: JobMaker, kind: Kind, value: str) -> str:
    if kind is Kind.UNQUOTED:
        return strip_quotes(value)
    if kind is Kind.UNQUOTED_LIST:
        return ",".join(split_list(strip_quotes(value)))
    if kind is Kind.LIST:
        return ",".join(split_list(value))
    if kind is Kind.FILE:
        return job.full_path(value)
    if kind is Kind.UNQUOTED_FILE:
        return job.full_path(strip_quotes(value))
    return value
