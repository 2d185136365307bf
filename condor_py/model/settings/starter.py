"""What a starter takes from the configuration, already understood."""

from __future__ import annotations

from dataclasses import dataclass, field

from condor_py.model.settings.containers import DefaultContainer, DockerSettings, SingularitySettings
from condor_py.model.settings.submit_policy import EditRules
from condor_py.model.settings.virtual import VmSettings


@dataclass(frozen=True, slots=True)
class StarterHooks:
    """The programs behind a hook keyword that concern jobs; "" for those that are not set. ``prepare_arguments`` is
    raw text, ``exit_timeout`` in seconds."""

    keyword: str
    prepare_before_transfer: str = ""
    prepare: str = ""
    prepare_arguments: str = ""
    update: str = ""
    exit: str = ""
    exit_timeout: int = 30


@dataclass(frozen=True, slots=True)
class PluginOutput:
    """Whether the starter's log shows what a plugin printed: LOG_FILETRANSFER_PLUGIN_STDOUT_ON_SUCCESS and
    LOG_FILETRANSFER_PLUGIN_STDOUT_ON_FAILURE."""

    on_success: bool = False
    on_failure: bool = True


@dataclass(frozen=True, slots=True)
class TransferSettings:
    """File transfer: limits in MB (-1 none), plugin programs, seconds that a plugin may take.

    ``spool`` is SPOOL, where checkpoints wait for the next run.
    """

    spool: str = ""
    max_input_mb: int = -1
    max_output_mb: int = -1
    plugins: tuple[str, ...] = ()
    plugin_lifetime: int = 72000
    plugin_output: PluginOutput = PluginOutput()
    #: LIMIT_DIRECTORY_ACCESS: directories, or beginnings of paths with ``*``.
    allowed_directories: tuple[str, ...] = ()
    #: MAX_REMAP_RECURSIONS.
    max_remaps: int = 128
    #: Whether staged common files are linked into a scratch directory, and not copied.
    hard_links: bool = True
    #: Whether the log has what is of interest to tests (D_TEST).
    tests: bool = False
    #: FILE_TRANSFER_STATS_LOG, "" for none.
    history: str = ""
    #: (method, URL) of <method>_TEST_URL, with which a plugin shows that it can move such URLs.
    test_urls: tuple[tuple[str, str], ...] = ()
    #: ASSUME_COMPATIBLE_MULTIFILE_PLUGINS: plugins of protocol 2 find PluginData in the ads of their files.
    plugin_data: bool = True
    #: FILETRANSFER_PLUGIN_CLASSAD_TIMEOUT, in seconds.
    plugin_patience: int = 20
    #: BYTES_REQUIRED_TO_QUEUE_FOR_TRANSFER: what is larger waits for its turn.
    queue_bytes: int = 100 * 1024 * 1024
    #: TRANSFER_QUEUE_USER_EXPR, an expression about the job.
    queue_user: str = 'strcat("Owner_",Owner)'


@dataclass(frozen=True, slots=True)
class TransferQueueSettings:
    """How many transfers of input (uploads) and output may be under way; 0 any number.

    ``longest`` is MAX_TRANSFER_QUEUE_AGE in seconds, 0 for none. Above ``high_load`` transfers under way in the mean
    none begins, above ``low_load`` one for each that ends; 0 for no such limit. Horizons and waits are seconds.
    """

    uploads: int = 100
    downloads: int = 100
    longest: int = 7200
    low_load: float = 1.8
    high_load: float = 2.0
    increment_wait: int = 60
    short_horizon: int = 60
    long_horizon: int = 300


@dataclass(frozen=True, slots=True)
class ChirpSettings:
    """What jobs may ask of the Chirp server: ENABLE_CHIRP_IO, _UPDATES and _DELAYED, all false without ENABLE_CHIRP.

    ``delayed_names`` are patterns (CHIRP_DELAYED_UPDATE_PREFIX) of at most ``most_delayed`` attributes a run; ``rules``
    say what users may not change.
    """

    files: bool = True
    updates: bool = True
    delayed: bool = True
    delayed_names: tuple[str, ...] = ("Chirp*",)
    most_delayed: int = 100
    rules: EditRules = field(default_factory=EditRules)


@dataclass(frozen=True, slots=True)
class DeviceVariables:
    """ENVIRONMENT_FOR_Assigned<resource>: (variable, pattern in an id, what replaces it); ``unassigned`` is the value
    of the variables for jobs that have none, "" to leave them out."""

    resource: str
    variables: tuple[tuple[str, str, str], ...]
    unassigned: str = ""


@dataclass(frozen=True, slots=True)
class JobAccounts:
    """Whom jobs run as where the pool belongs to root. ``allow_owner`` is an expression about job and slot; ``slots``
    are accounts by slot ("slot1", "slot1_2"), ``nobody`` that of the others, ``machines`` that of virtual machines in
    all slots ("" for none of their own); what runs as an account that matches ``dedicated`` ends with the job."""

    allow_owner: str = "true"
    slots: tuple[tuple[str, str], ...] = ()
    nobody: str = "nobody"
    dedicated: str = ""
    machines: str = ""

    def of_slot(self, name: str, *, is_machine: bool = False) -> str:
        """The account of a slot, for jobs that may not run as their owner."""
        if is_machine and self.machines:
            return self.machines
        return dict(self.slots).get(name.partition("@")[0].lower(), self.nobody)


@dataclass(frozen=True, slots=True)
class BackingFile:
    """LVM_BACKING_FILE: a file of ``size_mb`` on which the startd makes a volume ``group``."""

    path: str
    size_mb: int
    group: str


@dataclass(frozen=True, slots=True)
class ScratchVolume:
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


@dataclass(frozen=True, slots=True)
class StarterSettings:
    """Field names are the knobs' names; times in seconds, sizes in MB. Defaults are HTCondor's.

    ``job_environment`` are (name, value) pairs of STARTER_JOB_ENVIRONMENT; ``inherited`` is
    JOB_INHERITS_STARTER_ENVIRONMENT: () for nothing, ("*",) for everything, else names and patterns.
    ``job_renice_increment`` may be an expression, ``enable_ssh_to_job`` is one about slot and job;
    ``queue_super_users`` may open sessions in everybody's jobs.
    """

    execute: str
    update_interval: int = 300
    initial_update_interval: int = 8
    job_environment: tuple[tuple[str, str], ...] = ()
    inherited: tuple[str, ...] = ()
    num_threads_env_vars: tuple[str, ...] = ()
    sets_home_env: bool = True
    user_job_wrapper: str = ""
    job_renice_increment: str = "0"
    job_execdir_permissions: str = "user"
    always_hold_on_oom: bool = True
    rlimit_as_mb: int = 0
    scratch_volume: ScratchVolume | None = None
    #: Scratch directories of all jobs, or of none, are encrypted.
    encrypt_execute_directory: bool = False
    disable_execute_directory_encryption: bool = False
    base_cgroup: str = "htcondor"
    cgroup_memory_limit_policy: str = "hard"
    cgroup_hard_memory_limit_expr: str = ""
    cgroup_soft_memory_limit_expr: str = ""
    cgroup_low_memory_limit: str = ""
    #: How many processes and threads a job may have at a time; 0 for any number.
    cgroup_pids_limit_expr: str = ""
    cgroup_ignore_cache_memory: bool = True
    #: Whether the kernel's own peak of memory counts beside what the looks have seen.
    cgroup_use_peak_memory: bool = False
    cgroup_polling_interval: int = 5
    disable_swap_for_job: bool = True
    starter_hide_gpu_devices: bool = True
    pid_snapshot_interval: int = 15
    memory_usage_metric: str = "((ResidentSetSize+1023)/1024)"
    memory_usage_metric_vm: str = "((ImageSize+1023)/1024)"
    transfer: TransferSettings = TransferSettings()
    assign_cpu_affinity: bool = False
    device_variables: tuple[DeviceVariables, ...] = ()
    accounts: JobAccounts = JobAccounts()
    #: What stands behind the name of the starter's log: "slot", "cluster", "jobid", or "" for nothing.
    log_name_append: str = "slot"
    enable_ssh_to_job: str = "true"
    mount_under_scratch: str = ""
    mount_private_dev_shm: bool = True
    per_job_namespaces: bool = True
    use_pid_namespaces: bool = False
    no_job_networking: bool = False
    queue_super_users: tuple[str, ...] = ()
    hooks: tuple[StarterHooks, ...] = ()
    check_reactivate: bool = True
    job_hook_keyword: str = ""
    default_job_hook_keyword: str = ""
    chirp: ChirpSettings = ChirpSettings()
    docker: DockerSettings = field(default_factory=DockerSettings)
    singularity: SingularitySettings = field(default_factory=SingularitySettings)
    default_container: DefaultContainer = field(default_factory=DefaultContainer)
    virtual: VmSettings = field(default_factory=VmSettings)
    #: The lowest and the highest group id that mark the processes of jobs; none with USE_GID_PROCESS_TRACKING = false.
    tracking_gids: tuple[int, int] | None = None
    #: STARTER_DISABLE_USER_SUPPLIED_TRANSFER_PLUGINS, an expression about slot and job.
    disable_user_plugins: str = ""

    @property
    def scratch_mode(self) -> int:
        """Permissions of the scratch directory (JOB_EXECDIR_PERMISSIONS)."""
        return {"group": 0o750, "world": 0o755}.get(self.job_execdir_permissions, 0o700)
