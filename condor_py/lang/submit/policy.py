"""Commands for a job's policy: hold, policy expressions, retries, signals, rank, notification, deferral, accounting."""

from __future__ import annotations

from functools import cache

from condor_py.lang.submit import text as classad_text
from condor_py.lang.submit import units
from condor_py.lang.submit.commands import DOES_NOTHING
from condor_py.lang.submit.job import JobMaker, split_list
from condor_py.model.later import Later
from condor_py.model.record import is_attribute_name
from condor_py.model.states import ON_CLAIMS, HoldCode, Universe
from condor_py.model.submitters import fault_of, shown
from condor_py.model.texts import leading_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    import signal
else:
    signal = Later("signal")

#: Characters of a refused word that are shown.
_SHOWN = 60
_NOTIFICATIONS = {"never": 0, "always": 1, "complete": 2, "error": 3, "start": 4}

CRON_ATTRIBUTES = ("CronMinute", "CronHour", "CronDayOfMonth", "CronMonth", "CronDayOfWeek")


def set_status(job: JobMaker) -> None:
    """JobStatus: idle, or held with the reason."""
    hold = job.param_bool("hold")
    if hold and job.is_remote:
        raise job.fail("Cannot set hold to 'true' when using -remote or -spool\n")
    if hold or job.is_remote:
        job.assign_int("JobStatus", 5)
        code = HoldCode.SUBMITTED_ON_HOLD if hold else HoldCode.SPOOLING_INPUT
        job.assign_int("HoldReasonCode", int(code))
        job.assign_string("HoldReason", "submitted on hold at user's request" if hold else "Spooling input data files")
    else:
        job.assign_int("JobStatus", 1)
    job.assign_int("EnteredCurrentStatus", job.now)


def set_rank(job: JobMaker) -> None:
    """Rank, with the configuration's default and addition."""
    rank = job.param("rank", "preferences")
    vanilla = job.universe == Universe.VANILLA
    rank = rank or (job.settings.default_rank if vanilla else "")
    addition = job.settings.append_rank if vanilla else ""
    if addition:
        rank = f"({rank}) + ({addition})" if rank else addition
    if rank:
        job.assign_expr("Rank", rank)
    else:
        job.assign("Rank", "0.0")


_PERIODIC = (
    ("periodic_hold", "PeriodicHold", "false"),
    ("periodic_hold_reason", "PeriodicHoldReason", ""),
    ("periodic_hold_subcode", "PeriodicHoldSubCode", ""),
    ("periodic_release", "PeriodicRelease", "false"),
    ("periodic_remove", "PeriodicRemove", "false"),
    ("periodic_vacate", "PeriodicVacate", "false"),
    ("on_exit_hold_reason", "OnExitHoldReason", ""),
    ("on_exit_hold_subcode", "OnExitHoldSubCode", ""),
)


def set_periodic(job: JobMaker) -> None:
    """The periodic expressions and the reasons and subcodes of holds."""
    for command, attribute, default in _PERIODIC:
        if job.expr_command(command, attribute):
            continue
        if default and job.settings.insert_default_policy and not job.has(attribute):
            job.assign(attribute, default)


def set_leave_in_queue(job: JobMaker) -> None:
    """LeaveJobInQueue; spooled jobs stay ten days so that their output can be fetched."""
    if job.expr_command("leave_in_queue", "LeaveJobInQueue") or job.has("LeaveJobInQueue"):
        return
    if job.is_remote:
        job.assign_expr(
            "LeaveJobInQueue",
            "JobStatus == 4 && (time() - (CompletionDate ?: time())) < 864000"
            " && (StageOutFinish ?: 0) < EnteredCurrentStatus",
        )
    else:
        job.assign("LeaveJobInQueue", "false")


def set_retries(job: JobMaker) -> None:
    """OnExitRemove and OnExitHold, joined with max_retries, retry_until and success_exit_code."""
    remove = job.param("on_exit_remove", "OnExitRemove")
    hold = job.param("on_exit_hold", "OnExitHold")
    retries = job.param_int("max_retries", "JobMaxRetries")
    success = job.param_int("success_exit_code", "JobSuccessExitCode", is_int32=True)
    until = job.param("retry_until")
    if retries is None and success is None and until is None:
        _plain_exit_policy(job, remove, hold)
        return
    if until is not None:
        until = _retry_until(job, until)
    if retries is None and not job.has("JobMaxRetries"):
        retries = job.settings.job_max_retries
    if retries is not None:
        job.assign_int("JobMaxRetries", retries)
    if hold is not None:
        job.assign_expr("OnExitHold", hold)
    elif not job.has("OnExitHold"):
        job.assign("OnExitHold", "false")
    if job.has("OnExitRemove") and success is None and until is None:
        return
    check = "0"
    if success is not None:
        job.assign_int("JobSuccessExitCode", success)
        check = "JobSuccessExitCode"
    rule = f"NumJobCompletions > JobMaxRetries || ExitCode =?= {check}"
    if until is not None:
        rule += f" || {until}"
    if remove is not None:
        wrapped = classad_text.wrap_for_or(remove)
        if wrapped is None:
            raise job.fail(f"on_exit_remove={remove} is invalid, it must be a boolean expression.\n")
        rule += f" || {wrapped}"
    job.assign_expr("OnExitRemove", rule)


def _plain_exit_policy(job: JobMaker, remove: str | None, hold: str | None) -> None:
    for attribute, text, default in (("OnExitRemove", remove, "true"), ("OnExitHold", hold, "false")):
        if text is not None:
            job.assign_expr(attribute, text)
        elif job.settings.insert_default_policy and not job.has(attribute):
            job.assign(attribute, default)


def _retry_until(job: JobMaker, text: str) -> str:
    wrapped = classad_text.wrap_for_or(text)
    code = None
    if wrapped is not None and not classad_text.references(text):
        code = units.parse_int(text, classad_text.evaluate)
    if wrapped is None or (code is not None and not -(2**31) <= code < 2**31):
        raise job.fail(f"retry_until={text} is invalid, it must be an integer or boolean expression.\n")
    return f"ExitCode =?= {code}" if code is not None else wrapped


def _signal_name(job: JobMaker, word: str | None) -> str | None:
    if word is None:
        return None
    number = leading_number(word)
    try:
        if number:
            return signal.Signals(number).name
        return signal.Signals[word.strip().upper()].name
    except (KeyError, ValueError):
        raise job.fail(f"invalid signal {word}\n") from None


def set_kill_signals(job: JobMaker) -> None:
    """KillSig, RemoveKillSig, HoldKillSig by name, and KillSigTimeout."""
    name = _signal_name(job, job.param("kill_sig", "KillSig"))
    if name is None and job.universe != Universe.VANILLA:
        name = "SIGTERM"
    if name is not None:
        job.assign_string("KillSig", name)
    for command, attribute in (("remove_kill_sig", "RemoveKillSig"), ("hold_kill_sig", "HoldKillSig")):
        name = _signal_name(job, job.param(command, attribute))
        if name is not None:
            job.assign_string(attribute, name)
    timeout = job.param("kill_sig_timeout", "KillSigTimeout")
    if timeout is not None:
        job.assign_int("KillSigTimeout", leading_number(timeout))


def set_notification(job: JobMaker) -> None:
    """JobNotification and NotifyUrl; a URL alone asks for the notice at the end."""
    url = job.param("notify_url", "NotifyUrl")
    if url is not None:
        _check_notify_url(job, url)
        job.assign_string("NotifyUrl", url)
    default = job.settings.notification or ("complete" if url is not None else "never")
    word = job.param("notification", "JobNotification") or default
    number = _NOTIFICATIONS.get(word.lower())
    if number is None:
        raise job.fail("Notification must be 'Never', 'Always', 'Complete', 'Start', or 'Error'\n")
    job.assign_int("JobNotification", number)


def _check_notify_url(job: JobMaker, url: str) -> None:
    """Refuse a URL that this pool does not post to."""
    from condor_py.model.notices import place_of, prefix_for

    prefixes = job.settings.notify_urls
    if not prefixes:
        raise job.fail("notify_url: this pool posts no notices (NOTIFY_URLS is empty)\n")
    if place_of(url) is None:
        raise job.fail(f"notify_url = {url[:_SHOWN]} is no URL that notices can go to: http or https, without a user\n")
    if prefix_for(url, prefixes) is None:
        raise job.fail(f"notify_url = {url[:_SHOWN]} does not begin with any of NOTIFY_URLS: {', '.join(prefixes)}\n")


@cache
def _limit_name() -> re.Pattern[str]:
    import re

    return re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def set_concurrency_limits(job: JobMaker) -> None:
    """ConcurrencyLimits, in lower case and sorted."""
    limits = job.param("concurrency_limits")
    expression = job.param("concurrency_limits_expr")
    if limits is None:
        if expression is not None:
            job.assign_expr("ConcurrencyLimits", expression)
        return
    if expression is not None:
        raise job.fail("concurrency_limits and concurrency_limits_expr can't be used together\n")
    names = split_list(limits.lower())
    for name in names:
        group, dot, rest = name.partition(":")[0].partition(".")
        if not _limit_name().match(group) or (dot and not _limit_name().match(rest)):
            raise job.fail(f"Invalid concurrency limit '{name}'\n")
    if names:
        job.assign_string("ConcurrencyLimits", ",".join(sorted(names)))


def set_accounting_group(job: JobMaker) -> None:
    """AccountingGroup, AcctGroup, AcctGroupUser, and what nice_user means."""
    job.string_command("project_name", "ProjectName")
    group = job.param("accounting_group", "AccountingGroup")
    if job.param_bool("nice_user", "NiceUser"):
        nice = job.settings.nice_user_group
        if group is None:
            group = nice or None
        elif group != nice:
            job.warn("nice_user conflicts with accounting_group. nice_user will be ignored", once="nice_user")
        job.assign("MaxJobRetirementTime", "0")
    given = job.param("accounting_group_user", "AcctGroupUser")
    if group is None and given is None:
        if why := fault_of(job.user):  # the negotiator would never match the job
            raise job.fail(f"The account name {shown(job.user)} {why}: set accounting_group_user\n")
        return
    user = job.user if given is None else given
    if group is not None and fault_of(group):
        raise job.fail(f"Invalid accounting_group: {group}\n")
    if fault_of(user):
        raise job.fail(f"Invalid accounting_group_user: {user}\n")
    job.assign_string("AcctGroupUser", user)
    if group is None:
        job.assign_string("AccountingGroup", user)
        return
    job.assign_string("AcctGroup", group)
    job.assign_string("AccountingGroup", f"{group}.{user}")


def needs_deferral(job: JobMaker) -> str:
    """The attribute that makes this a deferred job, or ""."""
    return next((name for name in (*CRON_ATTRIBUTES, "DeferralTime") if job.has(name)), "")


def set_deferral(job: JobMaker) -> None:
    """DeferralTime, DeferralWindow, DeferralPrepTime of deferred and cron jobs."""
    _deferral_value(job, "deferral_time", job.param("deferral_time", "DeferralTime"), "DeferralTime")
    if not needs_deferral(job):
        return
    for name, attribute, cron, cron_attribute, default in (
        ("deferral_window", "DeferralWindow", "cron_window", "CronWindow", "0"),
        ("deferral_prep_time", "DeferralPrepTime", "cron_prep_time", "CronPrepTime", "300"),
    ):
        value = job.param(cron, cron_attribute) or job.param(name, attribute)
        if value is None:
            job.assign(attribute, default)
        else:
            _deferral_value(job, name, value, attribute)


def _deferral_value(job: JobMaker, command: str, value: str | None, attribute: str) -> None:
    if value is None:
        return
    job.assign_expr(attribute, value)
    text = job.lookup(attribute) or ""
    literal = classad_text.literal(text)
    is_number = type(literal) is int and literal >= 0
    if not is_number and (literal is not None or text in ("undefined", "error")):
        raise job.fail(f"{command} = {value} is invalid, must eval to a non-negative integer.\n")


def set_automatic(job: JobMaker) -> None:
    """Attributes that every job has unless a command set them."""
    if not job.has("MaxHosts"):
        job.assign("MinHosts", "1")
        job.assign("MaxHosts", "1")
    if not job.has("CurrentHosts"):
        job.assign("CurrentHosts", "0")
    if job.has("SuccessCheckpointExitCode"):
        job.assign("WantFTOnCheckpoint", "true")
    if not job.has("MaxJobRetirementTime") and job.boolean("NiceUser", False):
        job.assign("MaxJobRetirementTime", "0")
    if job.boolean("OCUWanted", False):
        job.assign_int("MaxJobRetirementTime", 2**31 - 1)
    if job.universe in ON_CLAIMS and not job.has("JobLeaseDuration") and job.settings.lease_duration:
        job.assign_expr("JobLeaseDuration", job.settings.lease_duration)
    if not job.has("JobPrio"):
        job.assign("JobPrio", "0")
    if job.has("JobStarterLog") and not job.has("JobStarterDebug"):
        job.assign("JobStarterDebug", "true")


def set_materialize_limit(job: JobMaker) -> None:
    """JobMaterializeLimit of max_materialize."""
    limit = job.param_int("max_materialize", "JobMaterializeLimit", is_int32=True)
    if limit is not None:
        job.assign_int("JobMaterializeLimit", limit)


def report_what_does_nothing(job: JobMaker) -> None:
    """Warn of commands that are accepted and do nothing here."""
    for command, why in DOES_NOTHING.items():
        if job.macros.defined(command):
            job.macros.used.add(command)
            job.warn(f"{command} does nothing: {why}\n", once=command)


def report_mistakes(job: JobMaker) -> None:
    """Warn of, or refuse, values that are surely not meant."""
    who = job.string("NotifyUser")
    if who is not None and who.lower() in ("false", "never"):
        job.warn(
            f"You used  notify_user={who}  in your submit file.\n"
            f'This means notification email will go to user "{who}@{job.settings.uid_domain}".\n'
            "This is probably not what you expect!\n"
            'If you do not want notification email, put "notification = never"\ninto your submit file, instead.\n',
            once="notify_user",
        )
    for name in (job.string("JobMachineAttrs") or "").replace(",", " ").split():
        if not is_attribute_name(name):
            raise job.fail(f"job_machine_attrs: {name[:_SHOWN]!r} is not the name of an attribute\n")
    length = classad_text.literal(job.lookup("JobMachineAttrsHistoryLength") or "")
    if isinstance(length, int) and not 0 <= length < 2**31:
        raise job.fail(f"job_machine_attrs_history_length={length} is out of bounds 0 to {2**31 - 1}\n")
    lease = classad_text.literal(job.lookup("JobLeaseDuration") or "")
    if isinstance(lease, (int, float)) and 0 < lease < 20:
        job.warn("JobLeaseDuration less than 20 seconds is not allowed, using 20 instead\n", once="lease")
        job.assign("JobLeaseDuration", "20")
    if job.universe == Universe.SCHEDULER and job.has("DeferralTime"):
        raise job.fail(
            f"{needs_deferral(job)} does not work for scheduler universe jobs.\n"
            "Consider submitting this job using the local universe, instead\n"
        )
    if job.has("OutputDestination") and job.has("OutputDirectory"):
        raise job.fail("You cannot use both output_destination and output_directory in the same submit file\n")
    if job.has("RemoteIwd") and job.universe in (Universe.VM, Universe.GRID):
        job.warn(
            "remote_initialdir does nothing for this job: its directories are elsewhere\n", once="remote_initialdir"
        )
    if job.string("ShouldTransferFiles") == "NO":
        for attribute, command in (("OutputDirectory", "output_directory"), ("JobStarterLog", "starter_log")):
            if job.has(attribute):
                job.warn(f"{command} does nothing with should_transfer_files = NO\n", once=command)


def set_parallel(job: JobMaker) -> None:
    """The node count of parallel jobs."""
    is_parallel = job.universe == Universe.PARALLEL
    if not is_parallel and not job.boolean("WantParallelScheduling", False):
        return
    count = job.param("machine_count", "MachineCount") or job.param("node_count", "NodeCount")
    if count is not None:
        number = leading_number(count)
        job.assign_int("MinHosts", number)
        job.assign_int("MaxHosts", number)
    elif not job.has("MaxHosts"):
        raise job.fail("No machine_count specified!\n")
    job.assign("RequestCpus", "1")
    if is_parallel:
        job.assign("WantIOProxy", "true")
        job.assign("JobRequiresSandbox", "true")
