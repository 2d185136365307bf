"""The settings of condor_submit, already parsed."""

from __future__ import annotations

from condor_py.model.settings.knob import Settings, boolean, expression, integer, string, words
from condor_py.model.settings.shared import (
    AUTO_REQUEST_DISK_MAX,
    JOB_DEFAULT_LEASE_DURATION,
    JOB_DEFAULT_REQUESTDISK,
    JOB_DEFAULT_REQUESTMEMORY,
    MAX_JOBS_PER_OWNER,
    MAX_JOBS_PER_SUBMISSION,
    NICE_USER_ACCOUNTING_GROUP_NAME,
    NOTIFY_URLS,
    SIGN_S3_URLS,
    SPOOL,
)
from condor_py.model.version import CONDOR_VERSION, condor_platform

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class SubmitSettings(Settings, group="Submit"):
    """Defaults and limits of job submission; the knob of each field is next to it.

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
    spool: str = SPOOL
    host: str = "localhost"  # the schedd's name: SCHEDD_NAME or FULL_HOSTNAME
    uid_domain: str = "localhost"  # UID_DOMAIN
    filesystem_domain: str = "localhost"  # FILESYSTEM_DOMAIN
    condor_version: str = CONDOR_VERSION
    condor_platform: str = condor_platform("X86_64", "Linux")

    default_universe: str = string("DEFAULT_UNIVERSE", "", "Universe of jobs that do not say.")
    default_rank: str = ""  # DEFAULT_RANK_VANILLA, else DEFAULT_RANK
    append_rank: str = ""  # APPEND_RANK_VANILLA, else APPEND_RANK
    append_requirements: str = expression("APPEND_REQUIREMENTS", "", "Requirements added to every job's.")
    append_req_vanilla: str = expression("APPEND_REQ_VANILLA", "", "The same for vanilla jobs; it wins.")
    append_req_vm: str = expression("APPEND_REQ_VM", "", "APPEND_REQUIREMENTS for virtual machines; it wins.")
    request_cpus: str = expression("JOB_DEFAULT_REQUESTCPUS", "1", "RequestCpus of jobs that do not say.")
    request_memory: str = JOB_DEFAULT_REQUESTMEMORY
    request_disk: str = JOB_DEFAULT_REQUESTDISK
    request_gpus: str = expression("JOB_DEFAULT_REQUESTGPUS", None, "RequestGPUs of jobs that do not say.")
    auto_requests: bool = boolean(
        "SUBMIT_AUTO_REQUESTS",
        False,
        "Whether RequestMemory and RequestDisk of jobs that do not say are found from the history (auto).",
    )
    auto_retries: int = integer(
        "AUTO_REQUEST_RETRIES",
        4,
        "How often a job whose request is found from the history is tried again with three times as much when it needs"
        " more.",
        least=0,
        most=100,
    )
    auto_memory_max: int | None = None  # AUTO_REQUEST_MEMORY_MAX
    auto_disk_max: int = AUTO_REQUEST_DISK_MAX
    notification: str = string(
        "JOB_DEFAULT_NOTIFICATION", None, "Notification of jobs that do not say; never when empty."
    )
    #: NOTIFY_URLS: prefixes of URLs that notices may go to.
    notify_urls: tuple[str, ...] = NOTIFY_URLS
    lease_duration: str = JOB_DEFAULT_LEASE_DURATION
    job_max_retries: int = integer(
        "DEFAULT_JOB_MAX_RETRIES", 2, "Retries of a job that gives a retry condition and no number."
    )
    nice_user_group: str = NICE_USER_ACCOUNTING_GROUP_NAME
    should_transfer_files: str = string(
        "SUBMIT_DEFAULT_SHOULD_TRANSFER_FILES", "", "should_transfer_files of jobs that do not say."
    )
    schedd_interval: str = ""  # SCHEDD_INTERVAL

    missing_units: str = string(
        "SUBMIT_REQUEST_MISSING_UNITS",
        None,
        "What happens with a request without unit: error, warn, or nothing when empty.",
    )
    allow_getenv: bool = boolean("SUBMIT_ALLOW_GETENV", True, "Whether getenv = true is accepted.")
    skip_filechecks: bool = boolean(
        "SUBMIT_SKIP_FILECHECKS", True, "Whether condor_submit leaves input and output files unchecked."
    )
    insert_default_policy: bool = boolean(
        "SUBMIT_INSERT_DEFAULT_POLICY_EXPRS", False, "Whether jobs get policy expressions that they do not say."
    )
    custom_resource_requirements: bool = boolean(
        "SUBMIT_GENERATE_CUSTOM_RESOURCE_REQUIREMENTS",
        True,
        "Whether request_xxx of any resource becomes a requirement.",
    )
    condor_c_requirements: bool = boolean(
        "SUBMIT_GENERATE_CONDOR_C_REQUIREMENTS", True, "Whether grid universe jobs of type condor get requirements."
    )
    deprecation_warnings: bool = boolean(
        "ENABLE_DEPRECATION_WARNINGS", True, "Whether tools warn of what will go away."
    )
    prevent_multi_queue: bool = boolean(
        "SUBMIT_PREVENT_MULTI_QUEUE", False, "Whether a second queue statement in a submit file is refused."
    )
    factory_by_default: bool = boolean(
        "SUBMIT_FACTORY_JOBS_BY_DEFAULT",
        False,
        "Whether a submit of several jobs lets the schedd make them when there is room, as max_materialize does.",
    )
    groups: tuple[str, ...] = words("GROUP_NAMES", "", "Names of the accounting groups that have quotas.")
    min_proxy_time: int = integer(
        "CRED_MIN_TIME_LEFT", 120, "Seconds that an X.509 proxy must still be valid to be accepted at submit."
    )
    sign_s3_urls: bool = SIGN_S3_URLS
    container_never_transfer_absolute: bool = boolean(
        "SUBMIT_CONTAINER_NEVER_XFER_ABSOLUTE_CMD",
        False,
        "Whether an executable with a full path stays inside the container.",
    )
    container_shared_fs: str = string(
        "CONTAINER_SHARED_FS", "/cvmfs", "Directories that containers share with the machine."
    )
    legacy_disk_clause: bool = False  # the Disk clause of releases before 25.12, without the version test

    interactive_file: str = ""  # INTERACTIVE_SUBMIT_FILE
    interactive_executable: str = string(
        "INTERACTIVE_SUBMIT_CMD_OVERRIDE",
        "/bin/sh",
        "The program that waits for the session in the place of a submit file's own (condor_submit -interactive).",
    )
    interactive_args: str = string(
        "INTERACTIVE_SUBMIT_ARGS_OVERRIDE",
        "\"-c 'sleep 180 && while test -d ${_CONDOR_SCRATCH_DIR}/.condor_ssh_to_job_1; do /bin/sleep 3; done'\"",
        "Its arguments.",
    )

    late_materialize: bool = boolean(
        "SCHEDD_ALLOW_LATE_MATERIALIZE", True, "Whether jobs may be made when they are needed."
    )
    use_jobsets: bool = boolean("USE_JOBSETS", False, "Allow sets of jobs.")
    max_procs_in_cluster: int = integer(
        "SUBMIT_MAX_PROCS_IN_CLUSTER", 0, "Most jobs of one submit; 0 without limit.", least=0
    )
    max_jobs_per_submission: int = MAX_JOBS_PER_SUBMISSION
    max_jobs_per_owner: int = MAX_JOBS_PER_OWNER

    attributes: tuple[tuple[str, str], ...] = ()
    forced_attributes: tuple[tuple[str, str], ...] = ()
    templates: tuple[tuple[str, str], ...] = ()
    extended_commands: tuple[tuple[str, str], ...] = ()
    extended_help: str = string("EXTENDED_SUBMIT_HELPFILE", None, "Text that explains them.")
    containers_are_common: bool = boolean(
        "CONTAINER_IMAGES_COMMON_BY_DEFAULT", False, "Count container images among the files common to many jobs."
    )
    common_containers: str = string(
        "CONTAINER_REGEX_COMMON_BY_DEFAULT",
        "",
        "Count container images whose whole names match this among the files common to many jobs.",
    )
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
