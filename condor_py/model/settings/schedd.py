"""Settings of the schedd core. Field names are the knobs' names; times in seconds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from condor_py.model.settings.credentials import CredentialSettings
from condor_py.model.settings.knob import Settings, boolean, expression, integer, real, string, words
from condor_py.model.settings.shared import (
    CLAIM_WORKLIFE,
    EVENT_LOGS_IN_SPOOL,
    JOB_DEFAULT_LEASE_DURATION,
    KNOWN_USERS_ONLY,
    MAX_CONCURRENT_DOWNLOADS,
    MAX_CONCURRENT_UPLOADS,
    MAX_JOBS_PER_OWNER,
    MAX_JOBS_PER_SUBMISSION,
    NEGOTIATOR_CYCLE_DELAY,
    NOTIFY_URLS,
    PROJECT_DEFAULTS,
    TRANSFER_QUEUE_USER_EXPR,
    USER_DEFAULTS,
)
from condor_py.model.settings.sizing import AutoRequests
from condor_py.model.settings.submit_policy import EditRules


class StatisticsSettings(NamedTuple):
    """Defaults are HTCondor's."""

    window: int = 1200  # STATISTICS_WINDOW_SECONDS
    quantum: int = 240  # STATISTICS_WINDOW_QUANTUM_SCHEDD, _QUANTUM: what leaves the window leaves it in such steps
    #: Of STATISTICS_TO_PUBLISH. 0: none, 1: the usual ones, 2 and 3: more.
    level: int = 1
    recent: bool = True
    nonzero: bool = False  # leave out rare ones that are zero
    named: frozenset[str] = frozenset()  # STATISTICS_TO_PUBLISH_LIST, in small letters: published at every level

    def shows(self, name: str, level: int = 1) -> bool:
        """Whether an attribute is published that belongs to ``level``."""
        return self.level >= level or name.lower() in self.named

    @property
    def steps(self) -> int:
        """Quanta of a window, the one that is being filled among them."""
        return max(1, self.window // max(1, self.quantum))


class PolicyRule(NamedTuple):
    """One SYSTEM_PERIODIC_* expression. ``macro`` is its name; ``reason`` and ``subcode`` are expressions or empty."""

    macro: str
    expression: str
    reason: str = ""
    subcode: str = ""


class ShadowHook(NamedTuple):
    """SHADOW_PREPARE_JOB of a keyword: the program, the raw text of its arguments, seconds that it may take."""

    keyword: str
    path: str
    arguments: str = ""
    timeout: int = 120


@dataclass(frozen=True, slots=True)
class ShadowHooks:
    """Hooks at the access point. ``job_keyword`` counts for all jobs, ``default_keyword`` for those that name none.
    ``credentials`` says where those of users are."""

    hooks: tuple[ShadowHook, ...] = ()
    job_keyword: str = ""
    default_keyword: str = ""
    credentials: CredentialSettings = field(default_factory=CredentialSettings)


class SystemPolicy(Settings, group="Schedd"):
    """SYSTEM_PERIODIC_*: those of the ..._NAMES first, as HTCondor asks them.

    ``max_releases`` is SYSTEM_MAX_RELEASES: jobs held that often are not released by policy, those held more often not
    by users; -1 for no limit.
    """

    hold: tuple[PolicyRule, ...] = ()
    release: tuple[PolicyRule, ...] = ()
    remove: tuple[PolicyRule, ...] = ()
    vacate: tuple[PolicyRule, ...] = ()
    max_releases: int = integer(
        "SYSTEM_MAX_RELEASES",
        -1,
        "How often a job may be released, by expressions and by users other than QUEUE_SUPER_USERS; -1 without limit.",
    )

    def judges_everybody(self) -> bool:
        """Whether there is any rule for all jobs."""
        return bool(self.hold or self.release or self.remove or self.vacate)


class Rounding(Settings, group="Schedd"):
    """The rounding of measured sizes when published (SCHEDD_ROUND_ATTR_*): "25%", or a number of zeros."""

    resident: str = string(
        "SCHEDD_ROUND_ATTR_ResidentSetSize", "25%", "How ResidentSetSize is rounded for autoclusters.", needed=True
    )
    image: str = string("SCHEDD_ROUND_ATTR_ImageSize", "25%", "How ImageSize is rounded for autoclusters.", needed=True)
    disk: str = string("SCHEDD_ROUND_ATTR_DiskUsage", "25%", "How DiskUsage is rounded for autoclusters.", needed=True)


class ScheddSettings(Settings, group="Schedd"):
    """Defaults are HTCondor's. ``accounting_domain`` is what submitters are of, "" for ``uid_domain``."""

    uid_domain: str = "localdomain"
    accounting_domain: str = string("ACCOUNTING_DOMAIN", "$(UID_DOMAIN)", "Domain in the names of submitters.")
    schedd_name: str = "localhost"
    schedd_address: str = "<127.0.0.1:9618>"
    shadow_renice_increment: int = integer(
        "SHADOW_RENICE_INCREMENT",
        0,
        "Nice level of what the schedd starts for jobs: hooks, and the starters of local jobs.",
        at_least=0,
        at_most=19,
    )
    #: Mode of the spool directories of jobs, less the umask (JOB_SPOOL_PERMISSIONS).
    spool_mode: int = 0o700
    #: Where jobs of the local universe have their directories, and what their Requirements may ask of this machine
    #: besides its size: (attribute, text).
    local_execute: str = "/"
    machine: tuple[tuple[str, str], ...] = ()
    event_logs_in_spool: bool = EVENT_LOGS_IN_SPOOL
    claim_worklife: int = CLAIM_WORKLIFE
    #: What a core that a job uses outside of this pool counts for its owner, compared with one of a slot.
    remote_usage_weight: float = real(
        "REMOTE_USAGE_WEIGHT",
        "1",
        "What a core that a grid job uses elsewhere counts for the priority of its owner, beside a core of a slot here;"
        " 0 for nothing.",
        least=0,
    )
    #: Seconds between offers of the startd to this schedd (STARTD_DIRECT_ATTACH_INTERVAL); 0 when it makes none.
    direct_attach_interval: int = 0
    direct_attach_submitter: str = string(
        "STARTD_DIRECT_ATTACH_SCHEDD_SUBMITTER", None, "The only submitter whose jobs it takes then."
    )
    periodic_expr_interval: int = integer(
        "PERIODIC_EXPR_INTERVAL", 60, "Seconds between two evaluations of the jobs' periodic expressions."
    )
    system_periodic: SystemPolicy = SystemPolicy()
    #: SPAWN_JOB_ATTRS: what the record of a start has beyond what it always has; ("all",) for the whole ad.
    spawn_attributes: tuple[str, ...] = ()
    #: (INPUT, OUTPUT or CHECKPOINT, names): <kind>_JOB_ATTRS or TRANSFER_JOB_ATTRS, the same for records of transfers.
    transfer_attributes: tuple[tuple[str, tuple[str, ...]], ...] = ()
    max_jobs_running: int = integer(
        "MAX_JOBS_RUNNING", "MIN({$(DETECTED_MEMORY), 10000})", "Most jobs that run at a time.", without=10000
    )
    #: MAX_CONCURRENT_UPLOADS, MAX_CONCURRENT_DOWNLOADS and TRANSFER_QUEUE_USER_EXPR, as the ad tells them.
    max_uploads: int = MAX_CONCURRENT_UPLOADS
    max_downloads: int = MAX_CONCURRENT_DOWNLOADS
    transfer_user: str = TRANSFER_QUEUE_USER_EXPR
    known_users_only: bool = KNOWN_USERS_ONLY
    user_defaults: str = USER_DEFAULTS
    project_defaults: str = PROJECT_DEFAULTS
    max_jobs_per_owner: int = MAX_JOBS_PER_OWNER
    max_jobs_submitted: int = integer("MAX_JOBS_SUBMITTED", 2147483647, "Most jobs in the queue.")
    max_jobs_per_submission: int = MAX_JOBS_PER_SUBMISSION
    significant_attributes: tuple[str, ...] = words(
        "SIGNIFICANT_ATTRIBUTES", None, "Attributes that alone tell autoclusters apart; found out when empty."
    )
    claim_recycling_consider_limits: bool = boolean(
        "CLAIM_RECYCLING_CONSIDER_LIMITS", True, "Whether concurrency limits keep a claim from the next job."
    )
    add_significant_attributes: tuple[str, ...] = words(
        "ADD_SIGNIFICANT_ATTRIBUTES", None, "Attributes that always tell autoclusters apart."
    )
    remove_significant_attributes: tuple[str, ...] = words(
        "REMOVE_SIGNIFICANT_ATTRIBUTES",
        "CpusUsage,DiskUsage,GPUsUsage,MemoryUsage,ResidentSetSize",
        "Attributes that never tell autoclusters apart.",
    )
    remove_significant_pattern: str = "^Slot[0-9]*_"
    queue_super_users: tuple[str, ...] = ("root", "condor")
    enable_ssh_to_job: str = expression(
        "SCHEDD_ENABLE_SSH_TO_JOB",
        None,
        "Whether a running job may be entered: an expression about the job.",
        empty="true",
    )
    queue_clean_interval: int = integer(
        "QUEUE_CLEAN_INTERVAL", 28800, "Seconds between two rewrites of the job queue log without history."
    )
    max_job_queue_log_rotations: int = integer("MAX_JOB_QUEUE_LOG_ROTATIONS", 1, "Old job queue logs to keep.")
    #: JOB_DEFAULT_LEASE_DURATION, for jobs that say nothing of JobLeaseDuration: an expression, in seconds.
    job_lease_duration: str = JOB_DEFAULT_LEASE_DURATION
    start_local_universe: str = expression(
        "START_LOCAL_UNIVERSE", "TotalLocalJobsRunning < 200", "Condition under which local universe jobs start."
    )
    start_scheduler_universe: str = expression(
        "START_SCHEDULER_UNIVERSE",
        "TotalSchedulerJobsRunning < 500",
        "Condition under which scheduler universe jobs start.",
    )
    scheduler_cool_down: int = integer(
        "SCHEDULER_UNIVERSE_COOL_DOWN_DURATION", 300, "The same for scheduler universe jobs."
    )
    max_running_scheduler_jobs_per_owner: int = integer(
        "MAX_RUNNING_SCHEDULER_JOBS_PER_OWNER", 200, "Most scheduler universe jobs that run of one user."
    )
    job_start_count: int = integer(
        "JOB_START_COUNT", 1, "Jobs that start together, JOB_START_DELAY apart from the next ones.", least=1
    )
    job_start_delay: int = integer("JOB_START_DELAY", 0, "Seconds between two such groups.")
    max_next_job_start_delay: int = integer(
        "MAX_NEXT_JOB_START_DELAY", None, "Longest next_job_start_delay that a job may ask for.", without=600
    )
    gracefully_remove_jobs: bool = boolean(
        "GRACEFULLY_REMOVE_JOBS", True, "Whether a removed job gets its soft kill signal and time to end."
    )
    wait_for_spooler: bool = boolean(
        "DEDICATED_SCHEDULER_WAIT_FOR_SPOOLER",
        False,
        "Whether a parallel job that is held until its files are in the spool holds back later ones of its submitter.",
    )
    statistics: StatisticsSettings = StatisticsSettings()
    on_vacate_cool_down: str = expression(
        "SYSTEM_ON_VACATE_COOL_DOWN", None, "Seconds for which an evicted job is not matched again."
    )
    #: Seconds that a job waits after PREEMPT has evicted it (NEGOTIATOR_CYCLE_DELAY).
    preempted_pause: int = NEGOTIATOR_CYCLE_DELAY
    email_domain: str = string("EMAIL_DOMAIN", "", "Domain to which mail about jobs goes.")
    #: NOTIFY_URLS: prefixes of URLs that notices may go to.
    notify_urls: tuple[str, ...] = NOTIFY_URLS
    notify_desktop: bool = boolean(
        "NOTIFY_DESKTOP", False, "Show notices about jobs on the desktops of their owners, too, with notify-send."
    )
    forbid_common_files: bool = boolean(
        "FORBID_COMMON_FILE_TRANSFER", False, "Whether every job fetches the files itself that it shares with others."
    )
    #: Seconds that a data slot is kept when no job needs it.
    keep_data_claim_idle: int = integer(
        "KEEP_DATA_CLAIM_IDLE", 300, "Seconds that files common to many jobs stay when no job needs them."
    )
    rounding: Rounding = Rounding()
    auto_requests: AutoRequests = AutoRequests()
    job_machine_attrs: tuple[str, ...] = words(
        "SYSTEM_JOB_MACHINE_ATTRS", "Cpus,SlotWeight", "Slot attributes copied into the jobs that run there."
    )
    job_machine_attrs_history_length: int = integer(
        "SYSTEM_JOB_MACHINE_ATTRS_HISTORY_LENGTH", 1, "How many runs' copies of them are kept.", least=0
    )
    #: Which attributes of queued jobs their owners may change.
    edit_rules: EditRules = EditRules()

    @property
    def submitter_domain(self) -> str:
        """The domain behind the @ of submitters."""
        return self.accounting_domain or self.uid_domain
