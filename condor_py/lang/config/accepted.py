"""Knobs that are accepted and change nothing, and why: what they are for does not exist on one machine, or is done
another way."""

from __future__ import annotations

_PROCESS = "there is no collector, shadow or shared port process"
_NETWORK = "nothing goes over a network"
_NEWS = "daemons tell each other of news at once"
_BINARIES = "daemons are started again by condor_restart"
_NEGOTIATION = "the negotiator has the whole demand in memory"
_CLAIMS = "claims are recycled by the schedd's own rules"
_LOCKS = "files are locked by flock(2) on themselves"

#: Knob (lower case) -> why it has no effect.
ACCEPTED: dict[str, str] = {
    name.lower(): why
    for why, names in (
        (
            _PROCESS,
            "SHADOW COLLECTOR_LOG SHADOW_LOG COLLECTOR_DEBUG SHADOW_DEBUG MAX_COLLECTOR_LOG MAX_SHADOW_LOG"
            " SHADOW_WORKLIFE SHADOW_LAZY_QUEUE_UPDATE SHADOW_QUEUE_UPDATE_INTERVAL MAX_SHADOW_EXCEPTIONS"
            " SHADOW_SIZE_ESTIMATE SHARED_PORT_PORT USE_SHARED_PORT SCHEDD_QUERY_WORKERS",
        ),
        (
            _NETWORK,
            "NO_DNS ALLOW_ADMINISTRATOR ALLOW_CONFIG SETTABLE_ATTRS_CONFIG"
            " SETTABLE_ATTRS_ADMINISTRATOR QUEUE_ALL_USERS_TRUSTED Q_QUERY_TIMEOUT QUERY_TIMEOUT NEGOTIATOR_TIMEOUT"
            " NEGOTIATOR_SOCKET_CACHE_SIZE EXEC_TRANSFER_ATTEMPTS",
        ),
        (
            _NEWS,
            "SCHEDD_MIN_INTERVAL SCHEDD_SEND_RESCHEDULE SUBMIT_SEND_RESCHEDULE"
            " TOUCH_LOG_INTERVAL NOT_RESPONDING_TIMEOUT",
        ),
        ("the programs are condor_py's own", "MASTER SCHEDD STARTD NEGOTIATOR COLLECTOR STARTER"),
        (_BINARIES, "MASTER_CHECK_NEW_EXEC_INTERVAL MASTER_NEW_BINARY_DELAY MASTER_NEW_BINARY_RESTART"),
        (
            _NEGOTIATION,
            "NEGOTIATOR_MATCHLIST_CACHING NEGOTIATOR_PREFETCH_REQUESTS NEGOTIATOR_PREFETCH_REQUESTS_MAX_TIME"
            " NEGOTIATOR_NUM_THREADS USE_RESOURCE_REQUEST_COUNTS NEGOTIATE_ALL_JOBS_IN_CLUSTER"
            " NEGOTIATOR_RESOURCE_REQUEST_LIST_SIZE",
        ),
        (_CLAIMS, "CLAIM_PARTITIONABLE_LEFTOVERS CURB_MATCHMAKING"),
        (
            _LOCKS,
            "EVENT_LOG_LOCKING EVENT_LOG_ROTATION_LOCK ENABLE_USERLOG_LOCKING CREATE_LOCKS_ON_LOCAL_DISK"
            " LOCAL_DISK_LOCK_DIR LOG_ON_NFS_IS_ERROR",
        ),
        ("every transaction is on disk before it is acknowledged", "SCHEDD_JOB_QUEUE_LOG_FLUSH_DELAY CONDOR_FSYNC"),
        (
            "all policies of 100,000 jobs are judged in a second",
            "MAX_PERIODIC_EXPR_INTERVAL PERIODIC_EXPR_TIMESLICE",
        ),
        (
            "jobs end together: there are no shadows to be spared",
            "JOB_STOP_COUNT JOB_STOP_DELAY JOB_IS_FINISHED_COUNT JOB_IS_FINISHED_INTERVAL",
        ),
        ("spooled files belong to the job's owner from the start", "CHOWN_JOB_SPOOL_FILES KEEP_OUTPUT_SANDBOX"),
        (
            "the schedd does not measure it",
            "SCHEDD_ROUND_ATTR_ExecutableSize SCHEDD_ROUND_ATTR_NumCkpts SCHEDD_ROUND_ATTR_ProportionalSetSizeKb",
        ),
        ("condor_history reads everything that it is asked for", "HISTORY_HELPER_MAX_HISTORY"),
        ("temporary files are made where they are needed", "TMP_DIR"),
        ("neither headers nor libraries are installed", "INCLUDE LIB"),
        ("tools say what is wrong and keep no log", "TOOL_DEBUG"),
        ("idle jobs weigh the cores they ask for", "SCHEDD_USE_SLOT_WEIGHT SCHEDD_SLOT_WEIGHT"),
        ("settings of the kernel are the administrator's", "ENABLE_KERNEL_TUNING"),
        ("control groups are for slots", "LOCAL_UNIVERSE_CGROUP_ENFORCEMENT"),
        ("no process of a job outlives it", "DEFAULT_KILL_CHILDREN_ON_EXIT"),
        (
            "scratch directories are always nested, and files are copied at once",
            "STARTER_NESTED_SCRATCH STARTER_UPLOAD_TIMEOUT",
        ),
        (
            "libraries for HTCondor's programs are not loaded: CLASSAD_USER_PYTHON_MODULES has functions in Python",
            "CLASSAD_USER_LIBS",
        ),
        (
            "rescue files are always partial ones; condor_submit_dag warns when it is false",
            "DAGMAN_WRITE_PARTIAL_RESCUE",
        ),
    )
    for name in names.split()
}
