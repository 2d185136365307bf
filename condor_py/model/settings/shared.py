"""Knobs that several settings share, and the table of those that may differ from slot to slot."""

from __future__ import annotations

from condor_py.model.settings.knob import boolean, expression, integer, path, string, words

AUTO_REQUEST_DISK_MAX = integer(
    "AUTO_REQUEST_DISK_MAX", 0, "Most kilobytes of a request that is found from the history; 0 without limit.", least=0
)
CLAIM_WORKLIFE = integer(
    "CLAIM_WORKLIFE", 1200, "Seconds for which a claim takes further jobs; -1 or nothing for no end."
)
EVENT_LOGS_IN_SPOOL = boolean(
    "EVENT_LOGS_IN_SPOOL",
    False,
    "Whether the event log of a spooled job is in the spool, as in HTCondor, instead of where the job was submitted.",
)
EXECUTE = path("EXECUTE", "$(LOCAL_DIR)/execute", "Directory below which every job gets its scratch directory.")
JOB_DEFAULT_LEASE_DURATION = expression(
    "JOB_DEFAULT_LEASE_DURATION", "2400", "Seconds for which a job survives without its schedd."
)
JOB_DEFAULT_REQUESTDISK = expression(
    "JOB_DEFAULT_REQUESTDISK",
    "MAX({1024, (TransferInputSizeMB+1) * 1.25}) * 1024",
    "RequestDisk in kilobytes of jobs that do not say.",
)
JOB_DEFAULT_REQUESTMEMORY = expression(
    "JOB_DEFAULT_REQUESTMEMORY", "128", "RequestMemory in megabytes of jobs that do not say."
)
MAX_CONCURRENT_DOWNLOADS = integer("MAX_CONCURRENT_DOWNLOADS", 100, "Output transfers at a time.", least=0)
MAX_CONCURRENT_UPLOADS = integer("MAX_CONCURRENT_UPLOADS", 100, "Input transfers at a time.", least=0)
MAX_JOBS_PER_OWNER = integer("MAX_JOBS_PER_OWNER", 100000, "Most jobs in the queue of one user.")
KNOWN_USERS_ONLY = boolean(
    "ALLOW_SUBMIT_FROM_KNOWN_USERS_ONLY", False, "Whether users without a record (condor_qusers -add) cannot submit."
)
USER_DEFAULTS = string(
    "SCHEDD_USER_DEFAULT_PROPERTIES", None, "Attributes of new records of users: a line NAME = EXPRESSION each."
)
PROJECT_DEFAULTS = string("SCHEDD_PROJECTREC_DEFAULT_PROPERTIES", None, "The same for new records of projects.")
MAX_JOBS_PER_SUBMISSION = integer("MAX_JOBS_PER_SUBMISSION", 20000, "Most jobs of one submission.")
#: Request attributes of jobs and the expressions that round them.
MODIFY_REQUEST = (
    ("RequestCpus", "quantize(RequestCpus,{1})"),
    ("RequestMemory", "quantize(RequestMemory,{128})"),
    ("RequestDisk", "quantize(RequestDisk,{1024})"),
)
MUST_MODIFY_REQUEST_EXPRS = boolean(
    "MUST_MODIFY_REQUEST_EXPRS", False, "Whether MODIFY_REQUEST_EXPR must be defined to match."
)
NEGOTIATOR_CYCLE_DELAY = integer(
    "NEGOTIATOR_CYCLE_DELAY", 20, "Least seconds between the end of a cycle and the start of the next.", least=0
)
NEGOTIATOR_USE_SLOT_WEIGHTS = boolean("NEGOTIATOR_USE_SLOT_WEIGHTS", True, "Whether slots count by their weight.")
NICE_USER_ACCOUNTING_GROUP_NAME = string(
    "NICE_USER_ACCOUNTING_GROUP_NAME", "nice-user", "Accounting group into which nice_user puts a job.", needed=True
)
NO_JOB_NETWORKING = boolean(
    "NO_JOB_NETWORKING",
    False,
    "Whether jobs have no network; only those with want_job_networking = false match then. Without root as"
    " USE_PID_NAMESPACES.",
)
NOTIFY_URLS = words(
    "NOTIFY_URLS",
    "",
    "Prefixes of the URLs that jobs may have notices posted to (notify_url): https://HOST[:PORT][/PATH], or https://* "
    "for any.",
)
SIGN_S3_URLS = boolean(
    "SIGN_S3_URLS", True, "Whether s3:// and gs:// URLs are signed with the job's keys; otherwise a plugin moves them."
)
SPOOL = path(
    "SPOOL", "$(LOCAL_DIR)/spool", "Directory of the job queue, the history, the accountant's log and spooled files."
)
TRANSFER_QUEUE_USER_EXPR = expression(
    "TRANSFER_QUEUE_USER_EXPR", 'strcat("Owner_",Owner)', "Whose transfer it is, for taking turns.", checked=True
)
UPDATE_INTERVAL = integer("UPDATE_INTERVAL", 300, "Seconds between two updates of the slot ads.")

#: Knobs of the policy of slots, and the fields of SlotPolicy that hold them.
POLICY_KNOBS = {
    "START": "start",
    "IS_OWNER": "is_owner",
    "WANT_SUSPEND": "want_suspend",
    "SUSPEND": "suspend",
    "CONTINUE": "continue_",
    "PREEMPT": "preempt",
    "WANT_VACATE": "want_vacate",
    "KILL": "kill",
    "WANT_HOLD": "want_hold",
    "WANT_HOLD_REASON": "want_hold_reason",
    "WANT_HOLD_SUBCODE": "want_hold_subcode",
    "RANK": "rank",
    "MAXJOBRETIREMENTTIME": "max_job_retirement_time",
    "MachineMaxVacateTime": "machine_max_vacate_time",
    "RunBenchmarks": "run_benchmarks",
    "START_BACKFILL": "start_backfill",
    "EVICT_BACKFILL": "evict_backfill",
    "FetchWorkDelay": "fetch_work_delay",
    "HIBERNATE": "hibernate",
}
