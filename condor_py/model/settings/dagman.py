"""What DAGMan takes from the configuration, already understood."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class LanguageSettings:
    """How .dag files are read.

    ``strict`` (0 to 3) is DAGMAN_USE_STRICT; ``munge_names``: nodes of several files are called ``0.A``, ``1.A``;
    ``any_characters``: names of nodes may contain ``+``; ``append_vars``: VARS go behind the submit description.
    """

    strict: int = 1
    munge_names: bool = True
    any_characters: bool = False
    use_join_nodes: bool = True
    append_vars: bool = False


@dataclass(frozen=True, slots=True)
class ThrottleSettings:
    """Most of what may be there at a time; 0 is no limit."""

    max_idle: int = 1000
    max_jobs: int = 0
    max_pre: int = 20
    max_post: int = 20
    max_hold: int = 20
    max_submits_per_interval: int = 100

    def under(self, caps: ThrottleSettings) -> ThrottleSettings:
        """These limits where they are lower than ``caps``, else ``caps``."""
        lowest = {}
        for name in ("max_idle", "max_jobs", "max_pre", "max_post", "max_hold", "max_submits_per_interval"):
            mine, cap = max(getattr(self, name), 0), getattr(caps, name)
            lowest[name] = cap if cap > 0 and (mine > cap or mine == 0) else mine
        return ThrottleSettings(**lowest)


@dataclass(frozen=True, slots=True)
class DagmanSettings:
    """All knobs of DAGMan. Times in seconds."""

    language: LanguageSettings = field(default_factory=LanguageSettings)
    throttles: ThrottleSettings = field(default_factory=ThrottleSettings)
    config_file: str = ""
    verbosity: int = 3
    startup_cycle_detect: bool = False
    abort_duplicates: bool = True
    # submitting
    default_priority: int = 0
    hold_claim_time: int = 20
    inherit_attrs: tuple[str, ...] = ()
    inherit_attrs_prefix: str = ""
    max_submit_attempts: int = 6
    prohibit_multi_jobs: bool = False
    record_machine_attrs: tuple[str, ...] = ()
    record_retry: bool = False
    remove_jobs_after_limit_change: bool = False
    retry_node_first: bool = False
    retry_submit_first: bool = True
    submit_delay: int = 0
    submit_depth_first: bool = False
    suppress_job_logs: bool = False
    suppress_notification: bool = False
    user_log_scan_interval: int = 5
    # ends of jobs and nodes
    always_run_post: bool = False
    max_job_holds: int = 100
    node_failure_tolerance: int = 0
    put_failed_jobs_on_hold: bool = False
    remove_job_list_on_failure: bool = True
    remove_node_jobs: bool = True
    # rescue
    auto_rescue: bool = True
    max_rescue_num: int = 100
    reset_retries_upon_rescue: bool = True
    # files and reports
    default_node_log: str = "@(DAG_DIR)/@(DAG_FILE).nodes.log"
    metrics_file_version: int = 2
    report_graph_metrics: bool = False
    pending_report_interval: int = 600
    check_queue_interval: int = 28800
    print_job_table_interval: int = 900
    queue_update_interval: float = 300.0
    generate_subdag_submits: bool = True
    # the job of condor_dagman
    disable_port: bool = False
    insert_sub_file: str = ""
    append_getenv: str = ""
    on_exit_remove: str = ""
    write_partial_rescue: bool = True
    schedd_address_file: str = ""
    schedd_daemon_ad_file: str = ""
