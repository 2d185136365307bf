"""The limits of a DAG: what options and configuration ask for, below what the administrator has set."""

from __future__ import annotations

from collections.abc import Callable

from condor_py.daemons.dagman.managerjob import ManagerJob
from condor_py.daemons.dagman.quitting import warn
from condor_py.lang.dag.options import UNSET, DagmanOptions
from condor_py.model.settings.dagman import DagmanSettings, ThrottleSettings

#: The limits in the ad of condor_dagman's job.
ATTRIBUTES = {
    "DAGMan_MaxJobs": "max_jobs",
    "DAGMan_MaxIdle": "max_idle",
    "DAGMan_MaxPreScripts": "max_pre",
    "DAGMan_MaxPostScripts": "max_post",
    "DAGMan_MaxHoldScripts": "max_hold",
    "DAGMan_MaxSubmitsPerInterval": "max_submits_per_interval",
}
_DEFAULTS = ThrottleSettings()
_DEFAULT_SCAN = DagmanSettings().user_log_scan_interval
#: DAGMAN_USE_STRICT from which on these warnings are errors.
_STRICT = 2


def with_options(
    settings: DagmanSettings, options: DagmanOptions, limits: ThrottleSettings, say: Callable[[str], None]
) -> DagmanSettings:
    """Return the settings with the limits of the command line, below those of the administrator. ``say`` receives lines
    about changes for that. Raises Quit."""
    given = {
        field: options.numbers[name]
        for field, name in (("max_idle", "MaxIdle"), ("max_jobs", "MaxJobs"), ("max_pre", "MaxPre"),
                            ("max_post", "MaxPost"), ("max_hold", "MaxHold"))
        if options.numbers[name] != UNSET
    }  # fmt: skip
    wanted = settings.changed(throttles=settings.throttles.changed(**given))
    if wanted.throttles.max_idle != _DEFAULTS.max_idle:
        wanted = _suited(wanted, say)
    throttles = wanted.throttles.under(limits)
    always_post = options.switches.get("PostRun", settings.always_run_post)
    return wanted.changed(throttles=throttles, always_run_post=always_post)


def recovered(limits: ThrottleSettings, job: ManagerJob, caps: ThrottleSettings) -> ThrottleSettings:
    """Return the limits that the job of condor_dagman has from before a restart, where it has any: users may have
    changed them since. They stay below those of the administrator (``caps``)."""
    kept = {field: value for name, field in ATTRIBUTES.items() if (value := job.number(name)) >= 0}
    return limits.changed(**kept).under(caps)


def _suited(settings: DagmanSettings, say: Callable[[str], None]) -> DagmanSettings:
    """With a limit of idle jobs fewer nodes are submitted at a time, as the limit counts jobs that are seen."""
    idle, submits = settings.throttles.max_idle, settings.throttles.max_submits_per_interval
    say(
        "Note:  DAGMAN_MAX_JOBS_IDLE has been changed from the default setting; if your submit files create multiple "
        "procs, you should probably set DAGMAN_MAX_SUBMITS_PER_INTERVAL to 1")  # fmt: skip
    most = max(1, idle // 10)
    of_idle = f"DAGMAN_MAX_JOBS_IDLE setting of {idle}"
    if submits > most:
        name = "DAGMAN_MAX_SUBMITS_PER_INTERVAL"
        if submits == _DEFAULTS.max_submits_per_interval:
            say(f"Note:  {name} has been changed to {most} because of your {of_idle}")
            settings = settings.changed(throttles=settings.throttles.changed(max_submits_per_interval=most))
            submits = most
        else:
            warn(settings, say, f"Warning: your {name} setting of {submits} may interfere with your {of_idle}", _STRICT)
    scan = settings.user_log_scan_interval
    if scan <= submits:
        return settings
    name, of_submits = "DAGMAN_USER_LOG_SCAN_INTERVAL", f"DAGMAN_MAX_SUBMITS_PER_INTERVAL setting of {submits}"
    if scan == _DEFAULT_SCAN:
        say(f"Note:  {name} has been changed to {submits} because of the {of_submits}")
        return settings.changed(user_log_scan_interval=submits)
    warn(settings, say, f"Warning: your {name} setting of {scan} may interfere with the {of_submits}", _STRICT)
    return settings
