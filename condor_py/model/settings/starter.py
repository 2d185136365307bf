"""The settings of a starter, already parsed."""

from __future__ import annotations

from typing import NamedTuple

from condor_py.model.settings.containers import DefaultContainer, DockerSettings, SingularitySettings
from condor_py.model.settings.credentials import CredentialSettings
from condor_py.model.settings.java import JavaSettings
from condor_py.model.settings.knob import Settings, boolean, expression, integer, path, string, words
from condor_py.model.settings.shared import (
    EXECUTE,
    MAX_CONCURRENT_DOWNLOADS,
    MAX_CONCURRENT_UPLOADS,
    NO_JOB_NETWORKING,
    SIGN_S3_URLS,
    SPOOL,
    TRANSFER_QUEUE_USER_EXPR,
)
from condor_py.model.settings.submit_policy import EditRules
from condor_py.model.settings.virtual import VmSettings


class StarterHooks(NamedTuple):
    """The programs behind a hook keyword that concern jobs; "" for those that are not set. ``prepare_arguments`` is
    raw text, ``exit_timeout`` in seconds."""

    keyword: str
    prepare_before_transfer: str = ""
    prepare: str = ""
    prepare_arguments: str = ""
    update: str = ""
    exit: str = ""
    exit_timeout: int = 30


class PluginOutput(NamedTuple):
    """Whether the starter's log shows what a plugin printed: LOG_FILETRANSFER_PLUGIN_STDOUT_ON_SUCCESS and
    LOG_FILETRANSFER_PLUGIN_STDOUT_ON_FAILURE."""

    on_success: bool = False
    on_failure: bool = True


class TransferSettings(Settings, group="Starter"):
    """File transfer: limits in MB (-1 none), plugin programs, seconds that a plugin may take.

    ``spool`` is SPOOL, where checkpoints wait for the next run, in directories of ``spool_mode``.
    """

    spool: str = SPOOL
    spool_mode: int = 0o700
    #: What MAX_TRANSFER_INPUT_MB and MAX_TRANSFER_OUTPUT_MB are for the job at hand.
    max_input_mb: int = -1
    max_output_mb: int = -1
    #: ENABLE_URL_TRANSFERS.
    urls: bool = True
    plugins: tuple[str, ...] = ()
    plugin_lifetime: int = integer(
        "MAX_FILE_TRANSFER_PLUGIN_LIFETIME", 72000, "Seconds after which a plugin is killed."
    )
    plugin_output: PluginOutput = PluginOutput()
    #: LIMIT_DIRECTORY_ACCESS: directories, or beginnings of paths with ``*``.
    allowed_directories: tuple[str, ...] = words(
        "LIMIT_DIRECTORY_ACCESS",
        "",
        "Directories that the transfers of all jobs may read from and write to; empty for all.",
    )
    #: MAX_REMAP_RECURSIONS.
    max_remaps: int = integer(
        "MAX_REMAP_RECURSIONS", 128, "Steps after which the rules of transfer_output_remaps are taken for a circle."
    )
    #: Whether staged common files are linked into a scratch directory, and not copied.
    hard_links: bool = True
    #: Whether the log has what is of interest to tests (D_TEST).
    tests: bool = False
    #: FILE_TRANSFER_STATS_LOG, "" for none.
    history: str = path("FILE_TRANSFER_STATS_LOG", "$(LOG)/transfer_history", "File about the transfers of jobs.")
    #: (method, URL) of <method>_TEST_URL, with which a plugin shows that it can move such URLs.
    test_urls: tuple[tuple[str, str], ...] = ()
    #: ASSUME_COMPATIBLE_MULTIFILE_PLUGINS: plugins of protocol 2 find PluginData in the ads of their files.
    plugin_data: bool = boolean(
        "ASSUME_COMPATIBLE_MULTIFILE_PLUGINS",
        None,
        "Take for granted that transfer plugins know all that the newest protocol asks.",
        without=True,
    )
    #: FILETRANSFER_PLUGIN_CLASSAD_TIMEOUT, in seconds.
    plugin_patience: int = integer(
        "FILETRANSFER_PLUGIN_CLASSAD_TIMEOUT", None, "Seconds that a plugin has to say what it can do.", without=20
    )
    #: BYTES_REQUIRED_TO_QUEUE_FOR_TRANSFER: what is larger waits for its turn.
    queue_bytes: int = integer(
        "BYTES_REQUIRED_TO_QUEUE_FOR_TRANSFER",
        None,
        "Smaller transfers need not wait for their turn.",
        without=104857600,
    )
    #: TRANSFER_QUEUE_USER_EXPR, an expression about the job.
    queue_user: str = TRANSFER_QUEUE_USER_EXPR
    sign_s3_urls: bool = SIGN_S3_URLS


class TransferQueueSettings(Settings, group="Starter"):
    """The number of transfers of input (uploads) and output that may be under way; 0 any number.

    ``longest`` is MAX_TRANSFER_QUEUE_AGE in seconds, 0 for none. While the mean of transfers under way is above
    ``high_load`` none begins, above ``low_load`` one for each that ends; 0 for no such limit. Horizons and waits are
    seconds.
    """

    uploads: int = MAX_CONCURRENT_UPLOADS
    downloads: int = MAX_CONCURRENT_DOWNLOADS
    longest: int = integer(
        "MAX_TRANSFER_QUEUE_AGE",
        None,
        "Seconds after which a transfer loses its place when others wait; 7200 when not set.",
        without=7200,
    )
    low_load: float = 1.8
    high_load: float = 2.0
    increment_wait: int = integer(
        "FILE_TRANSFER_DISK_LOAD_THROTTLE_WAIT_BETWEEN_INCREMENTS", 60, "Time between two steps of that throttle."
    )
    short_horizon: int = 60
    long_horizon: int = 300


class ChirpSettings(Settings, group="Starter"):
    """The requests that jobs may send to the Chirp server: ENABLE_CHIRP_IO, _UPDATES and _DELAYED, all false without
    ENABLE_CHIRP.

    ``delayed_names`` are patterns (CHIRP_DELAYED_UPDATE_PREFIX) of at most ``most_delayed`` attributes a run; ``rules``
    say what users may not change.
    """

    files: bool = True
    updates: bool = True
    delayed: bool = True
    delayed_names: tuple[str, ...] = words(
        "CHIRP_DELAYED_UPDATE_PREFIX", "Chirp*", "Names of the attributes that they may change so."
    )
    most_delayed: int = integer(
        "CHIRP_DELAYED_UPDATE_MAX_ATTRS", 100, "Most changes that may wait for the next update.", least=0
    )
    rules: EditRules = EditRules()


class DeviceVariables(NamedTuple):
    """ENVIRONMENT_FOR_Assigned<resource>: (variable, pattern in an id, what replaces the first that it finds, with
    groups as $1); ``unassigned`` is the value of the variables for jobs that have none, "" to leave them out."""

    resource: str
    variables: tuple[tuple[str, str, str], ...]
    unassigned: str = ""


class JobAccounts(Settings, group="Starter"):
    """Whom jobs run as where the pool belongs to root. ``allow_owner`` is an expression about job and slot; ``slots``
    are accounts by slot ("slot1", "slot1_2"), ``nobody`` that of the others, ``machines`` that of virtual machines in
    all slots ("" for none of their own); what runs as an account that matches ``dedicated`` ends with the job."""

    allow_owner: str = expression(
        "STARTER_ALLOW_RUNAS_OWNER",
        "",
        "Whether a job may run as its owner, about job and slot; empty for true.",
        empty="true",
    )
    slots: tuple[tuple[str, str], ...] = ()
    nobody: str = string(
        "NOBODY_SLOT_USER",
        "",
        "Account for jobs that may not, where SLOTn_USER is not set; empty for nobody.",
        empty="nobody",
    )
    dedicated: str = ""
    machines: str = string(
        "VM_UNIV_NOBODY_USER",
        None,
        "Account for virtual machines that may not, in all slots; empty for that of other jobs.",
    )

    def of_slot(self, name: str, *, is_machine: bool = False) -> str:
        """The account of a slot, for jobs that may not run as their owner."""
        if is_machine and self.machines:
            return self.machines
        return dict(self.slots).get(name.partition("@")[0].lower(), self.nobody)


class BackingFile(NamedTuple):
    """LVM_BACKING_FILE: a file of ``size_mb`` on which the startd makes a volume ``group``."""

    path: str
    size_mb: int
    group: str


class ScratchVolume(NamedTuple):
    """STARTD_ENFORCE_DISK_LIMITS: scratch directories are file systems of their own. ``thin``: blocks are taken when
    they are written (LVM_USE_THIN_PROVISIONING); ``hidden``: only starter and job see them (LVM_HIDE_MOUNT).

    ``group`` and ``pool`` name where logical volumes are made (LVM_VOLUME_GROUP_NAME, LVM_THINPOOL_NAME with thin ones,
    which are ``extra_mb`` larger); "": in that on ``file`` where the startd can make it, else files are taken."""

    thin: bool = False
    hidden: bool = False
    group: str = ""
    pool: str = ""
    extra_mb: int = 0
    file: BackingFile | None = None


class StarterSettings(Settings, group="Starter"):
    """Field names are the knobs' names; times in seconds, sizes in MB. Defaults are HTCondor's.

    ``job_environment`` are (name, value) pairs of STARTER_JOB_ENVIRONMENT; ``inherited`` is
    JOB_INHERITS_STARTER_ENVIRONMENT: () for nothing, ("*",) for everything, else names and patterns.
    ``job_renice_increment`` may be an expression, ``enable_ssh_to_job`` is one about slot and job;
    ``queue_super_users`` may open sessions in all users' jobs.
    """

    execute: str = EXECUTE
    update_interval: int = integer(
        "STARTER_UPDATE_INTERVAL", 300, "Seconds between two reports about a running job.", least=1
    )
    sync_output: bool = boolean(
        "STARTER_SYNC_OUTPUT",
        True,
        "Whether the output of a job is on the disk, and not only in memory, before the end of the job is reported: "
        "its standard output and error, transferred files, and checkpoints. Not in HTCondor.",
    )
    usage_record_interval: int = integer(
        "JOB_USAGE_RECORD_INTERVAL",
        15,
        "Seconds between two points of the record of a job's use (condor_history -plot), at first: a run has at most "
        "240 points. 0 for no record. Not in HTCondor.",
        least=0,
        most=86400,
    )
    initial_update_interval: int = integer(
        "STARTER_INITIAL_UPDATE_INTERVAL", 8, "Seconds from the start of a job to the first report."
    )
    job_environment: tuple[tuple[str, str], ...] = ()
    inherited: tuple[str, ...] = ()
    num_threads_env_vars: tuple[str, ...] = words(
        "STARTER_NUM_THREADS_ENV_VARS",
        "CUBACORES GOMAXPROCS JULIA_NUM_THREADS MKL_NUM_THREADS NUMEXPR_NUM_THREADS OMP_NUM_THREADS OMP_THREAD_LIMIT"
        " OPENBLAS_NUM_THREADS PYTHON_CPU_COUNT ROOT_MAX_THREADS TF_LOOP_PARALLEL_ITERATIONS TF_NUM_THREADS",
        "Variables that tell a job how many cpus it has.",
    )
    sets_home_env: bool = boolean("STARTER_SETS_HOME_ENV", True, "Whether a job gets HOME.")
    user_job_wrapper: str = path("USER_JOB_WRAPPER", "", "Program through which every job is started.")
    job_renice_increment: str = expression("JOB_RENICE_INCREMENT", "0", "Nice value of jobs.", needed=True)
    job_execdir_permissions: str = "user"
    always_hold_on_oom: bool = boolean(
        "STARTER_ALWAYS_HOLD_ON_OOM", True, "Whether a job that the kernel kills for memory is put on hold."
    )
    rlimit_as_expr: str = expression(
        "STARTER_RLIMIT_AS",
        "0",
        "Megabytes of address space of each process of a job, about slot and job; 0 without limit.",
        needed=True,
        checked=True,
    )
    scratch_volume: ScratchVolume | None = None
    #: Scratch directories of all jobs, or of none, are encrypted.
    encrypt_execute_directory: bool = boolean(
        "ENCRYPT_EXECUTE_DIRECTORY",
        False,
        "Encrypt the scratch directories of all jobs. Pools of root only, with cryptsetup and a kernel with dm-crypt.",
    )
    disable_execute_directory_encryption: bool = boolean(
        "DISABLE_EXECUTE_DIRECTORY_ENCRYPTION",
        False,
        "Never encrypt scratch directories; jobs that ask for it do not match.",
    )
    base_cgroup: str = string("BASE_CGROUP", "htcondor", "Control group below which jobs get theirs.")
    cgroup_memory_limit_policy: str = "hard"
    cgroup_hard_memory_limit_expr: str = expression(
        "CGROUP_HARD_MEMORY_LIMIT_EXPR", "", "Hard limit in megabytes with the policy custom."
    )
    cgroup_soft_memory_limit_expr: str = expression(
        "CGROUP_SOFT_MEMORY_LIMIT_EXPR", "", "Soft limit in megabytes with the policy custom."
    )
    cgroup_low_memory_limit: str = ""
    #: How many processes and threads a job may have at a time; 0 for any number.
    cgroup_pids_limit_expr: str = expression(
        "CGROUP_PIDS_LIMIT_EXPR",
        "4096 + 1024 * Cpus",
        "How many processes and threads a job may have; 0 for any number. Not in HTCondor.",
        needed=True,
    )
    cgroup_ignore_cache_memory: bool = boolean(
        "CGROUP_IGNORE_CACHE_MEMORY", True, "Whether memory of the page cache is not counted."
    )
    #: Whether the kernel's own peak of memory counts in addition to what the looks have seen.
    cgroup_use_peak_memory: bool = False
    cgroup_polling_interval: int = integer(
        "CGROUP_POLLING_INTERVAL", 5, "Seconds between two measurements of a job's usage."
    )
    disable_swap_for_job: bool = boolean("DISABLE_SWAP_FOR_JOB", True, "Whether jobs are kept from swap space.")
    starter_hide_gpu_devices: bool = boolean("STARTER_HIDE_GPU_DEVICES", True, "Whether a job sees only its GPUs.")
    pid_snapshot_interval: int = integer(
        "PID_SNAPSHOT_INTERVAL", 15, "Seconds between two readings of a job's processes."
    )
    memory_usage_metric: str = expression(
        "MEMORY_USAGE_METRIC", "((ResidentSetSize+1023)/1024)", "How MemoryUsage comes from what was measured."
    )
    memory_usage_metric_vm: str = expression(
        "MEMORY_USAGE_METRIC_VM",
        "((ImageSize+1023)/1024)",
        "How MemoryUsage of a vm universe job comes from what was measured.",
    )
    transfer: TransferSettings = TransferSettings()
    max_transfer_input: str = expression(
        "MAX_TRANSFER_INPUT_MB",
        "-1",
        "Megabytes of input of a job, about the job; -1 without limit.",
        needed=True,
        checked=True,
    )
    max_transfer_output: str = expression(
        "MAX_TRANSFER_OUTPUT_MB",
        "-1",
        "Megabytes of output of a job, about the job; -1 without limit.",
        needed=True,
        checked=True,
    )
    credentials: CredentialSettings = CredentialSettings()
    assign_cpu_affinity: str = expression(
        "ASSIGN_CPU_AFFINITY", "false", "Whether a job is bound to its cpus, about the job.", needed=True, checked=True
    )
    device_variables: tuple[DeviceVariables, ...] = ()
    accounts: JobAccounts = JobAccounts()
    #: The text behind the name of the starter's log: "slot", "cluster", "jobid", or "" for nothing.
    log_name_append: str = "slot"
    enable_ssh_to_job: str = expression(
        "ENABLE_SSH_TO_JOB", "true", "Whether the owner may enter a running job.", needed=True
    )
    mount_under_scratch: str = string(
        "MOUNT_UNDER_SCRATCH",
        "",
        "Directories of which a job of root's pool gets its own, below its scratch directory.",
    )
    mount_private_dev_shm: bool = boolean(
        "MOUNT_PRIVATE_DEV_SHM", True, "Whether such a job has a /dev/shm of its own, too."
    )
    per_job_namespaces: bool = boolean(
        "PER_JOB_NAMESPACES",
        True,
        "Whether jobs may have directories of their own in the place of the machine's at all.",
    )
    use_pid_namespaces: bool = boolean(
        "USE_PID_NAMESPACES",
        False,
        "Whether a job sees only its own processes; without root only where the kernel lets users have namespaces.",
    )
    no_job_networking: bool = NO_JOB_NETWORKING
    queue_super_users: tuple[str, ...] = words(
        "QUEUE_SUPER_USERS",
        "root, condor",
        "Accounts, and groups of them as %NAME, that may change and remove everyone's jobs.",
    )
    hooks: tuple[StarterHooks, ...] = ()
    check_reactivate: bool = boolean(
        "CHECK_REACTIVATE_AFTER_CHECKPOINT", True, "Look whether the slot still wants the job after each checkpoint."
    )
    job_hook_keyword: str = string(
        "STARTER_JOB_HOOK_KEYWORD", "", "Keyword of the hooks of all jobs, whatever they name."
    )
    default_job_hook_keyword: str = string(
        "STARTER_DEFAULT_JOB_HOOK_KEYWORD", None, "Keyword of the hooks of jobs that name none."
    )
    chirp: ChirpSettings = ChirpSettings()
    docker: DockerSettings = DockerSettings()
    singularity: SingularitySettings = SingularitySettings()
    default_container: DefaultContainer = DefaultContainer()
    virtual: VmSettings = VmSettings()
    java: JavaSettings = JavaSettings()
    #: The lowest and the highest group id that mark the processes of jobs; none with USE_GID_PROCESS_TRACKING = false.
    tracking_gids: tuple[int, int] | None = None
    allow_scripts: str = expression(
        "STARTER_ALLOW_JOB_PRE_AND_POST_CMD",
        None,
        "Whether jobs may run programs before and after their own, about slot and job.",
        checked=True,
    )
    #: STARTER_DISABLE_USER_SUPPLIED_TRANSFER_PLUGINS, an expression about slot and job.
    disable_user_plugins: str = expression(
        "STARTER_DISABLE_USER_SUPPLIED_TRANSFER_PLUGINS",
        "",
        "Whether plugins that a job brings along do not run, about slot and job: 2 passes over them, other true"
        " values fail the transfers.",
        checked=True,
    )

    @property
    def scratch_mode(self) -> int:
        """Permissions of the scratch directory (JOB_EXECDIR_PERMISSIONS)."""
        return {"group": 0o750, "world": 0o755}.get(self.job_execdir_permissions, 0o700)
