"""The settings of DAGMan, already parsed."""

from __future__ import annotations

from condor_py.model.settings.knob import Settings, boolean, integer, path, string, words


class LanguageSettings(Settings, group="DAGMan"):
    """The settings for reading .dag files.

    ``strict`` (0 to 3) is DAGMAN_USE_STRICT; ``munge_names``: nodes of several files are called ``0.A``, ``1.A``;
    ``any_characters``: names of nodes may contain ``+``; ``append_vars``: VARS go behind the submit description.
    """

    strict: int = integer("DAGMAN_USE_STRICT", 1, "Which warnings count as errors.", at_least=0, at_most=3)
    munge_names: bool = boolean("DAGMAN_MUNGE_NODE_NAMES", True, "Make node names of several DAGs differ.")
    any_characters: bool = boolean(
        "DAGMAN_ALLOW_ANY_NODE_NAME_CHARACTERS", False, "Allow dots and plus signs in node names."
    )
    use_join_nodes: bool = boolean(
        "DAGMAN_USE_JOIN_NODES", True, "Join many parents and children through one empty node."
    )
    append_vars: bool = boolean("DAGMAN_DEFAULT_APPEND_VARS", False, "Put variables after the submit description.")


class ThrottleSettings(Settings, group="DAGMan"):
    """Most of what may be there at a time; 0 is no limit."""

    max_idle: int = integer("DAGMAN_MAX_JOBS_IDLE", 1000, "Most idle jobs before no more are submitted.", at_least=0)
    max_jobs: int = integer("DAGMAN_MAX_JOBS_SUBMITTED", 0, "Most clusters in the queue.", at_least=0)
    max_pre: int = integer("DAGMAN_MAX_PRE_SCRIPTS", 20, "Most PRE scripts at a time.", at_least=0)
    max_post: int = integer("DAGMAN_MAX_POST_SCRIPTS", 20, "Most POST scripts at a time.", at_least=0)
    max_hold: int = integer("DAGMAN_MAX_HOLD_SCRIPTS", 20, "Most HOLD scripts at a time.", at_least=0)
    max_submits_per_interval: int = integer(
        "DAGMAN_MAX_SUBMITS_PER_INTERVAL", 100, "Most submits between two looks.", at_least=1
    )

    def under(self, caps: ThrottleSettings) -> ThrottleSettings:
        """These limits where they are lower than ``caps``, else ``caps``."""
        lowest = {}
        for name in ("max_idle", "max_jobs", "max_pre", "max_post", "max_hold", "max_submits_per_interval"):
            mine, cap = max(getattr(self, name), 0), getattr(caps, name)
            lowest[name] = cap if cap > 0 and (mine > cap or mine == 0) else mine
        return ThrottleSettings(**lowest)


#: Limits that stop nothing.
NO_LIMITS = ThrottleSettings(0, 0, 0, 0, 0, 0)


class DagmanSettings(Settings, group="DAGMan"):
    """All knobs of DAGMan. Times in seconds."""

    language: LanguageSettings = LanguageSettings()
    throttles: ThrottleSettings = ThrottleSettings()
    config_file: str = path("DAGMAN_CONFIG_FILE", "", "Configuration of one run of DAGMan.")
    verbosity: int = integer("DAGMAN_VERBOSITY", 3, "How much it writes.", at_least=0, at_most=7)
    startup_cycle_detect: bool = boolean("DAGMAN_STARTUP_CYCLE_DETECT", False, "Look for cycles at the start.")
    abort_duplicates: bool = boolean("DAGMAN_ABORT_DUPLICATES", True, "Refuse to run one DAG twice.")
    # submitting
    default_priority: int = integer("DAGMAN_DEFAULT_PRIORITY", 0, "Least priority of node jobs.")
    hold_claim_time: int = integer(
        "DAGMAN_HOLD_CLAIM_TIME", 20, "Seconds that claims are kept for the next job.", at_least=0, at_most=3600
    )
    inherit_attrs: tuple[str, ...] = words(
        "DAGMAN_INHERIT_ATTRS", None, "Attributes that node jobs take from DAGMan's job."
    )
    inherit_attrs_prefix: str = string("DAGMAN_INHERIT_ATTRS_PREFIX", None, "Put before the names of these.")
    max_submit_attempts: int = integer(
        "DAGMAN_MAX_SUBMIT_ATTEMPTS", 6, "How often a submit is tried.", at_least=1, at_most=16
    )
    produce_credentials: bool = boolean(
        "DAGMAN_PRODUCE_JOB_CREDENTIALS", True, "Have the credentials ready that jobs of nodes need."
    )
    prohibit_multi_jobs: bool = boolean("DAGMAN_PROHIBIT_MULTI_JOBS", False, "Refuse nodes of several jobs.")
    record_machine_attrs: tuple[str, ...] = words("DAGMAN_RECORD_MACHINE_ATTRS", "", "Machine attributes noted there.")
    record_retry: bool = False
    remove_jobs_after_limit_change: bool = boolean(
        "DAGMAN_REMOVE_JOBS_AFTER_LIMIT_CHANGE", False, "Remove jobs that a lowered limit makes too many."
    )
    retry_node_first: bool = boolean("DAGMAN_RETRY_NODE_FIRST", False, "Try a failed node again before others.")
    retry_submit_first: bool = boolean("DAGMAN_RETRY_SUBMIT_FIRST", True, "Try a failed submit again before others.")
    submit_delay: int = integer("DAGMAN_SUBMIT_DELAY", 0, "Seconds between submits.", at_least=0)
    submit_depth_first: bool = boolean("DAGMAN_SUBMIT_DEPTH_FIRST", False, "Follow one branch to its end first.")
    suppress_job_logs: bool = boolean("DAGMAN_SUPPRESS_JOB_LOGS", False, "Ignore the log that a submit file names.")
    suppress_notification: bool = boolean("DAGMAN_SUPPRESS_NOTIFICATION", False, "No mails from node jobs.")
    user_log_scan_interval: int = integer(
        "DAGMAN_USER_LOG_SCAN_INTERVAL", 5, "Seconds between two readings of the event log.", at_least=1
    )
    # ends of jobs and nodes
    always_run_post: bool = boolean(
        "DAGMAN_ALWAYS_RUN_POST", False, "Run the POST script although the PRE script failed."
    )
    max_job_holds: int = integer(
        "DAGMAN_MAX_JOB_HOLDS", 100, "How often a job may be held before its node fails.", at_least=0, at_most=1000000
    )
    node_failure_tolerance: int = integer(
        "DAGMAN_NODE_JOB_FAILURE_TOLERANCE", None, "How many jobs of a node may fail.", at_least=0
    )
    put_failed_jobs_on_hold: bool = boolean(
        "DAGMAN_PUT_FAILED_JOBS_ON_HOLD", False, "Hold a failed job instead of failing its node."
    )
    remove_job_list_on_failure: bool = boolean(
        "DAGMAN_REMOVE_JOB_LIST_ON_FAILURE", None, "Remove the other jobs of a failed node.", without=True
    )
    remove_node_jobs: bool = boolean("DAGMAN_REMOVE_NODE_JOBS", True, "Remove the jobs when DAGMan is removed.")
    # rescue
    auto_rescue: bool = boolean("DAGMAN_AUTO_RESCUE", True, "Continue where an earlier run ended.")
    max_rescue_num: int = integer(
        "DAGMAN_MAX_RESCUE_NUM", 100, "Highest number of a rescue file.", at_least=0, at_most=999
    )
    reset_retries_upon_rescue: bool = boolean("DAGMAN_RESET_RETRIES_UPON_RESCUE", True, "Count retries from zero then.")
    # files and reports
    default_node_log: str = string(
        "DAGMAN_DEFAULT_NODE_LOG", "@(DAG_DIR)/@(DAG_FILE).nodes.log", "Event log of all node jobs."
    )
    metrics_file_version: int = integer(
        "DAGMAN_METRICS_FILE_VERSION", None, "Form of the metrics file.", at_least=1, at_most=2, without=2
    )
    report_graph_metrics: bool = boolean("DAGMAN_REPORT_GRAPH_METRICS", False, "Put figures of the graph into it.")
    pending_report_interval: int = integer(
        "DAGMAN_PENDING_REPORT_INTERVAL", 600, "Seconds between reports of what it waits for."
    )
    check_queue_interval: int = integer(
        "DAGMAN_CHECK_QUEUE_INTERVAL", 28800, "Seconds without news after which it asks the queue."
    )
    print_job_table_interval: int = integer(
        "DAGMAN_PRINT_JOB_TABLE_INTERVAL", None, "Seconds between tables in its log.", at_least=0, without=900
    )
    queue_update_interval: float = integer(
        "DAGMAN_QUEUE_UPDATE_INTERVAL", 300, "Seconds between two updates of the DAGMan job's ad.", at_least=1
    )
    generate_subdag_submits: bool = boolean(
        "DAGMAN_GENERATE_SUBDAG_SUBMITS", True, "Make the submit files of DAGs within DAGs."
    )
    # the job of condor_dagman
    disable_port: bool = boolean("DAGMAN_DISABLE_PORT", None, "Take no commands.")
    insert_sub_file: str = path("DAGMAN_INSERT_SUB_FILE", "", "Lines for the submit file of DAGMan itself.")
    append_getenv: str = string("DAGMAN_MANAGER_JOB_APPEND_GETENV", "", "Environment variables for DAGMan itself.")
    on_exit_remove: str = string(
        "DAGMAN_ON_EXIT_REMOVE",
        "(ExitSignal =?= 11 || (ExitCode =!= UNDEFINED && ExitCode >=0 && ExitCode <= 2))",
        "OnExitRemove of DAGMan itself.",
        needed=True,
    )
    write_partial_rescue: bool = boolean(
        "DAGMAN_WRITE_PARTIAL_RESCUE", True, "Write rescue files that hold what is done alone."
    )
    schedd_address_file: str = path(
        "SCHEDD_ADDRESS_FILE", "$(SPOOL)/.schedd_address", "File that holds the schedd's address."
    )
    schedd_daemon_ad_file: str = path(
        "SCHEDD_DAEMON_AD_FILE", "$(SPOOL)/.schedd_classad", "File that holds the schedd's ad."
    )
