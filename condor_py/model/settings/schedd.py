"""Settings of the schedd core. Field names are the knobs' names; times in seconds."""

from __future__ import annotations

from dataclasses import dataclass, field

from condor_py.model.settings.statistics import StatisticsSettings
from condor_py.model.settings.submit_policy import EditRules


@dataclass(frozen=True, slots=True)
class PolicyRule:
    """One SYSTEM_PERIODIC_* expression. ``macro`` is its name; ``reason`` and ``subcode`` are expressions or empty."""

    macro: str
    expression: str
    reason: str = ""
    subcode: str = ""


@dataclass(frozen=True, slots=True)
class ShadowHook:
    """SHADOW_PREPARE_JOB of a keyword: the program, the raw text of its arguments, seconds that it may take."""

    keyword: str
    path: str
    arguments: str = ""
    timeout: int = 120


@dataclass(frozen=True, slots=True)
class ShadowHooks:
    """Hooks at the access point. ``job_keyword`` counts for all jobs, ``default_keyword`` for those that name none."""

    hooks: tuple[ShadowHook, ...] = ()
    job_keyword: str = ""
    default_keyword: str = ""


@dataclass(frozen=True, slots=True)
class SystemPolicy:
    """SYSTEM_PERIODIC_*: those of the ..._NAMES first, as HTCondor asks them.

    ``max_releases`` is SYSTEM_MAX_RELEASES: jobs held that often are not released by policy; -1 for no limit.
    """

    hold: tuple[PolicyRule, ...] = ()
    release: tuple[PolicyRule, ...] = ()
    remove: tuple[PolicyRule, ...] = ()
    vacate: tuple[PolicyRule, ...] = ()
    max_releases: int = -1

    def judges_everybody(self) -> bool:
        """Whether there is any rule for all jobs."""
        return bool(self.hold or self.release or self.remove or self.vacate)


@dataclass(frozen=True, slots=True)
class Rounding:
    """How measured sizes are published (SCHEDD_ROUND_ATTR_*): "25%", or a number of zeros."""

    resident: str = "25%"
    image: str = "25%"
    disk: str = "25%"


@dataclass(frozen=True, slots=True)
class ScheddSettings:
    """Defaults are HTCondor's. ``accounting_domain`` is what submitters are of, "" for ``uid_domain``."""

    uid_domain: str = "localdomain"
    accounting_domain: str = ""
    schedd_name: str = "localhost"
    schedd_address: str = "<127.0.0.1:9618>"
    claim_worklife: int = 1200
    #: What a core that a job uses outside of this pool counts for its owner, beside one of a slot.
    remote_usage_weight: float = 1.0
    #: Seconds between offers of the startd to this schedd (STARTD_DIRECT_ATTACH_INTERVAL); 0 when it makes none.
    direct_attach_interval: int = 0
    direct_attach_submitter: str = ""  # STARTD_DIRECT_ATTACH_SCHEDD_SUBMITTER
    periodic_expr_interval: int = 60
    system_periodic: SystemPolicy = SystemPolicy()
    #: SPAWN_JOB_ATTRS: what the record of a start has beyond what it always has; ("all",) for the whole ad.
    spawn_attributes: tuple[str, ...] = ()
    #: (INPUT, OUTPUT or CHECKPOINT, names): <kind>_JOB_ATTRS or TRANSFER_JOB_ATTRS, the same for records of transfers.
    transfer_attributes: tuple[tuple[str, tuple[str, ...]], ...] = ()
    max_jobs_running: int = 10000
    #: MAX_CONCURRENT_UPLOADS, MAX_CONCURRENT_DOWNLOADS and TRANSFER_QUEUE_USER_EXPR, as the ad tells them.
    max_uploads: int = 100
    max_downloads: int = 100
    transfer_user: str = 'strcat("Owner_",Owner)'
    max_jobs_per_owner: int = 100000
    max_jobs_submitted: int = 2**31 - 1
    max_jobs_per_submission: int = 20000
    significant_attributes: tuple[str, ...] = ()
    claim_recycling_consider_limits: bool = True
    add_significant_attributes: tuple[str, ...] = ()
    remove_significant_attributes: tuple[str, ...] = ()
    remove_significant_pattern: str = "^Slot[0-9]*_"
    queue_super_users: tuple[str, ...] = ("root", "condor")
    enable_ssh_to_job: str = "true"
    queue_clean_interval: int = 28800
    max_job_queue_log_rotations: int = 1
    #: JOB_DEFAULT_LEASE_DURATION, for jobs that say nothing of JobLeaseDuration: an expression, in seconds.
    job_lease_duration: str = "2400"
    start_local_universe: str = "TotalLocalJobsRunning < 200"
    start_scheduler_universe: str = "TotalSchedulerJobsRunning < 500"
    scheduler_cool_down: int = 300
    max_running_scheduler_jobs_per_owner: int = 200
    job_start_count: int = 1
    job_start_delay: int = 0
    max_next_job_start_delay: int = 600
    gracefully_remove_jobs: bool = True
    statistics: StatisticsSettings = field(default_factory=StatisticsSettings)
    on_vacate_cool_down: str = ""
    #: Seconds that a job waits after PREEMPT has evicted it (NEGOTIATOR_CYCLE_DELAY).
    preempted_pause: int = 20
    email_domain: str = ""
    #: FORBID_COMMON_FILE_TRANSFER: every job fetches the files itself that it shares with others.
    forbid_common_files: bool = False
    #: Seconds that a data slot is kept when no job needs it.
    keep_data_claim_idle: int = 300
    rounding: Rounding = Rounding()
    job_machine_attrs: tuple[str, ...] = ("Cpus", "SlotWeight")
    job_machine_attrs_history_length: int = 1
    #: Which attributes of queued jobs their owners may change.
    edit_rules: EditRules = field(default_factory=EditRules)

    @property
    def submitter_domain(self) -> str:
        """What stands behind the @ of submitters."""
        return self.accounting_domain or self.uid_domain
