"""What condor_submit takes from the configuration, already understood."""

from __future__ import annotations

from condor_py.model.version import CONDOR_VERSION, condor_platform

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class SubmitSettings:
    """Defaults and limits of job submission; the knob of each field stands beside it.

    Expressions are ClassAd text, and an empty text means that the knob is not set. ``attributes`` and
    ``forced_attributes`` are the (name, expression) pairs that SUBMIT_ATTRS, SUBMIT_EXPRS and
    SYSTEM_SUBMIT_ATTRS name; the forced ones (written ``+Name`` there) win over the submit file.
    ``templates`` holds (name, text) of SUBMIT_TEMPLATE_<name>; ``extended_commands`` the pairs of
    EXTENDED_SUBMIT_COMMANDS, and ``extended_help`` is EXTENDED_SUBMIT_HELPFILE.

    The values given are attributes of the object, the defaults are those of the class.
    """

    arch: str = "X86_64"  # ARCH
    opsys: str = "LINUX"  # OPSYS
    opsys_and_ver: str = ""  # OPSYSANDVER
    opsys_ver: str = ""  # OPSYSVER
    opsys_major_ver: str = ""  # OPSYSMAJORVER
    spool: str = ""  # SPOOL
    host: str = "localhost"  # the schedd's name: SCHEDD_NAME or FULL_HOSTNAME
    uid_domain: str = "localhost"  # UID_DOMAIN
    filesystem_domain: str = "localhost"  # FILESYSTEM_DOMAIN
    condor_version: str = CONDOR_VERSION
    condor_platform: str = condor_platform("X86_64", "Linux")

    default_universe: str = ""  # DEFAULT_UNIVERSE
    default_rank: str = ""  # DEFAULT_RANK_VANILLA, else DEFAULT_RANK
    append_rank: str = ""  # APPEND_RANK_VANILLA, else APPEND_RANK
    append_requirements: str = ""  # APPEND_REQUIREMENTS
    append_req_vanilla: str = ""  # APPEND_REQ_VANILLA
    append_req_vm: str = ""  # APPEND_REQ_VM
    request_cpus: str = "1"  # JOB_DEFAULT_REQUESTCPUS
    request_memory: str = "128"  # JOB_DEFAULT_REQUESTMEMORY
    request_disk: str = "MAX({1024, (TransferInputSizeMB+1) * 1.25}) * 1024"  # JOB_DEFAULT_REQUESTDISK
    request_gpus: str = ""  # JOB_DEFAULT_REQUESTGPUS
    notification: str = ""  # JOB_DEFAULT_NOTIFICATION
    lease_duration: str = "2400"  # JOB_DEFAULT_LEASE_DURATION
    job_max_retries: int = 2  # DEFAULT_JOB_MAX_RETRIES
    nice_user_group: str = "nice-user"  # NICE_USER_ACCOUNTING_GROUP_NAME
    should_transfer_files: str = ""  # SUBMIT_DEFAULT_SHOULD_TRANSFER_FILES
    schedd_interval: str = ""  # SCHEDD_INTERVAL

    missing_units: str = ""  # SUBMIT_REQUEST_MISSING_UNITS: "", "warn" or "error"
    allow_getenv: bool = True  # SUBMIT_ALLOW_GETENV
    skip_filechecks: bool = True  # SUBMIT_SKIP_FILECHECKS
    insert_default_policy: bool = False  # SUBMIT_INSERT_DEFAULT_POLICY_EXPRS
    custom_resource_requirements: bool = True  # SUBMIT_GENERATE_CUSTOM_RESOURCE_REQUIREMENTS
    condor_c_requirements: bool = True  # SUBMIT_GENERATE_CONDOR_C_REQUIREMENTS
    deprecation_warnings: bool = True  # ENABLE_DEPRECATION_WARNINGS
    prevent_multi_queue: bool = False  # SUBMIT_PREVENT_MULTI_QUEUE
    factory_by_default: bool = False  # SUBMIT_FACTORY_JOBS_BY_DEFAULT
    groups: tuple[str, ...] = ()  # GROUP_NAMES
    min_proxy_time: int = 120  # CRED_MIN_TIME_LEFT, in seconds
    sign_s3_urls: bool = True  # SIGN_S3_URLS
    container_never_transfer_absolute: bool = False  # SUBMIT_CONTAINER_NEVER_XFER_ABSOLUTE_CMD
    container_shared_fs: str = ""  # CONTAINER_SHARED_FS
    legacy_disk_clause: bool = False  # the Disk clause of releases before 25.12, without the version test

    interactive_file: str = ""  # INTERACTIVE_SUBMIT_FILE
    interactive_executable: str = ""  # INTERACTIVE_SUBMIT_CMD_OVERRIDE
    interactive_args: str = ""  # INTERACTIVE_SUBMIT_ARGS_OVERRIDE

    late_materialize: bool = True  # SCHEDD_ALLOW_LATE_MATERIALIZE
    use_jobsets: bool = False  # USE_JOBSETS
    max_procs_in_cluster: int = 0  # SUBMIT_MAX_PROCS_IN_CLUSTER; 0 is no limit
    max_jobs_per_submission: int = 20000  # MAX_JOBS_PER_SUBMISSION
    max_jobs_per_owner: int = 100000  # MAX_JOBS_PER_OWNER

    attributes: tuple[tuple[str, str], ...] = ()
    forced_attributes: tuple[tuple[str, str], ...] = ()
    templates: tuple[tuple[str, str], ...] = ()
    extended_commands: tuple[tuple[str, str], ...] = ()
    extended_help: str = ""
    containers_are_common: bool = False  # CONTAINER_IMAGES_COMMON_BY_DEFAULT
    common_containers: str = ""  # CONTAINER_REGEX_COMMON_BY_DEFAULT: those that match it
    #: PROTECTED_URL_TRANSFER_MAPFILE: the transfer queue of a URL (scheme, what is behind ``://``); None: it has none.
    protected_urls: Callable[[str, str], str | None] | None = None
    #: (attribute, rule) of SCHEDD_ROUND_ATTR_<attribute>: "25%" or a power of ten.
    rounding: tuple[tuple[str, str], ...] = (
        ("DiskUsage", "25%"),
        ("ExecutableSize", "25%"),
        ("ImageSize", "25%"),
        ("NumCkpts", "4"),
        ("ProportionalSetSizeKb", "25%"),
        ("ResidentSetSize", "25%"),
    )

    def __init__(self, **values: object) -> None:
        for name, value in values.items():
            if not hasattr(self, name):
                raise TypeError(f"there is no setting {name}")
            setattr(self, name, value)

    def changed(self, **values: object) -> SubmitSettings:
        """Return a copy with other values."""
        made = SubmitSettings()
        vars(made).update(vars(self) | values)
        return made
