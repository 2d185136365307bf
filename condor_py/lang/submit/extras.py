"""Rarer parts of a job: tool daemons, credentials, container services, grid jobs, forced attributes, job sets."""

from __future__ import annotations

import os
from functools import cache

from condor_py.lang.submit import text as classad_text
from condor_py.lang.submit import units
from condor_py.lang.submit.job import JobMaker, split_list, strip_quotes
from condor_py.model import arguments
from condor_py.model.later import loaded
from condor_py.model.record import is_attribute_name
from condor_py.model.states import Universe
from condor_py.model.texts import as_integer

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re


def set_tool_daemon(job: JobMaker) -> None:
    """ToolDaemonCmd and what belongs to it."""
    command = job.param("tool_daemon_cmd", "ToolDaemonCmd")
    if command is None:
        return
    if job.is_docker or job.is_container or job.universe == Universe.VM:
        job.warn(
            "tool_daemon_cmd: no tool daemon runs beside a container or a machine; the job will be held\n", once="tdp"
        )
    elif job.universe == Universe.GRID:
        job.warn("tool_daemon_cmd does nothing: it is for jobs that run here\n", once="tdp")
    job.assign_string("ToolDaemonCmd", command)
    for name, attribute in (
        ("tool_daemon_input", "ToolDaemonInput"),
        ("tool_daemon_output", "ToolDaemonOutput"),
        ("tool_daemon_error", "ToolDaemonError"),
    ):
        job.string_command(name, attribute)
    if job.param("suspend_job_at_exec", "SuspendJobAtExec") is not None:
        job.assign_bool("SuspendJobAtExec", job.param_bool("suspend_job_at_exec", "SuspendJobAtExec"))
    _tool_arguments(job)


def _tool_arguments(job: JobMaker) -> None:
    plain = job.param("tool_daemon_args")
    old = job.param("tool_daemon_arguments", "ToolDaemonArgs")
    if plain and old:
        raise job.fail("you specified both tdp_daemon_args and tdp_daemon_arguments\n")
    old = old or plain
    new = job.param("tool_daemon_arguments2")
    if old and new and not job.param_bool("allow_arguments_v1"):
        raise job.fail(
            "If you wish to specify both 'tool_daemon_arguments' and\n'tool_daemon_arguments2' for maximal "
            "compatibility with different\nversions of Condor, then you must also specify\nallow_arguments_v1=true.\n"
        )
    if not old and not new:  # nothing to parse, and no patterns to load for it
        return
    try:
        words, is_v1 = (arguments.parse_v2(new), False) if new else arguments.parse_arguments(old or "")
    except arguments.ArgumentError as error:
        raise job.fail(
            f"failed to parse tool daemon arguments: {error}\nThe arguments you specified were: {new or old}\n"
        ) from None
    if words:
        name, joined = (
            ("ToolDaemonArgs", " ".join(words)) if is_v1 else ("ToolDaemonArguments", arguments.join_v2(words))
        )
        job.assign_string(name, joined)


def set_credentials(job: JobMaker) -> None:
    """ScitokensFile and the services of use_oauth_services."""
    file = job.param("scitokens_file", "ScitokensFile")
    wish = job.param("use_scitokens", "use_scitoken")
    wanted = file is not None
    token = job.env.get("BEARER_TOKEN_FILE", "")
    if wish is not None:
        if wish.lower() == "auto":
            wanted = wanted or bool(token)
        else:
            flag = units.parse_bool(wish, classad_text.evaluate)
            if flag is None:
                raise job.fail("use_scitokens error. Value should be true, false, or auto.\n")
            wanted = flag
    if wanted:
        path = file or token
        if not path:
            raise job.fail(
                "No Scitokens filename specified. Expected either scitokens_file command or the BEARER_TOKEN_FILE "
                "environment variable to be set.\n"
            )
        job.assign_string("ScitokensFile", job.full_path(path))
    services = job.param("use_oauth_services", "UseOAuthServices")
    if services is not None:
        from condor_py.lang.submit.services import with_handles  # of no use to most jobs

        job.assign_string("OAuthServicesNeeded", ",".join(with_handles(split_list(services), job.macros)))


def set_container_services(job: JobMaker) -> None:
    """ContainerServiceNames and a port for each."""
    if not (job.is_docker or job.is_container):
        return
    names = job.param("container_service_names", "ContainerServiceNames")
    if names is None:
        return
    job.assign_string("ContainerServiceNames", names)
    for name in split_list(names):
        port = job.param_int(f"{name}_container_port", is_int32=True)
        if port is None or not 0 <= port <= 65535:
            raise job.fail(
                f"Requested container service '{name}' was not assigned a port, or the assigned port was not valid.\n"
            )
        job.assign_int(f"{name}_ContainerPort", port)


_GRID_STRINGS = (
    ("arc_rte", "ArcRte"), ("arc_resources", "ArcResources"), ("arc_application", "ArcApplication"),
    ("arc_data_staging", "ArcDataStaging"), ("batch_extra_submit_args", "BatchExtraSubmitArgs"),
    ("batch_project", "BatchProject"), ("batch_queue", "BatchQueue"),
)  # fmt: skip


def set_grid(job: JobMaker) -> None:
    """GridResource and the commands of arc, batch and cloud jobs."""
    if job.universe != Universe.GRID:
        return
    resource = job.param("grid_resource", "GridResource")
    if resource is not None:
        job.assign_string("GridResource", resource)
        if resource.lower() == "ec2":
            raise job.fail("EC2 grid jobs require a service URL\n")
    elif not job.has("GridResource"):
        raise job.fail("No resource identifier was found.\n")
    for command, attribute in _GRID_STRINGS:
        job.string_command(command, attribute)
    job.expr_command("batch_runtime", "BatchRuntime")
    from condor_py.lang.submit.cloud import set_cloud  # few jobs are of the grid universe

    set_cloud(job, (job.string("GridResource") or "").split(" ", 1)[0].lower())


def set_forced_by_config(job: JobMaker) -> None:
    """The attributes that the configuration forces on every job."""
    for name, expression in job.settings.forced_attributes:
        job.assign_expr(name, expression)


def set_forced(job: JobMaker, macro: str) -> None:
    """The attribute of one ``MY.Attr`` (or ``+Attr``) line."""
    raw = job.macros.lookup(macro) or ""
    job.macros.used.add(macro.lower())
    value = job.macros.expand(raw)
    name = macro[3:]
    if not is_attribute_name(name):
        raise job.fail(f"+{name} = {value}: {name or 'nothing'} is no name of an attribute\n")
    job.assign_expr(name, value or "undefined")


def set_job_set(job: JobMaker, names: list[str]) -> None:
    """JobSetName of ``JOBSET.Name`` (or ``JOBSET.JobSetName``), where no other command gives it. Other ``JOBSET.``
    lines belong to the set's own ad and only have to parse. The values of the first job count for all."""
    if job.cluster:
        return
    found = None
    for name in names:
        value = job.param(name)
        if value is None:
            continue
        found = found or job.macros.lookup("ClusterId")
        attribute = name.partition(".")[2]
        text = classad_text.canonical(value)
        if attribute.lower() == "name":
            found = strip_quotes(value)
        elif not is_attribute_name(attribute):
            raise job.fail(f"Unable to insert JOBSET expression: {attribute} = {value}\n")
        elif text is None:
            raise job.fail(f"Parse error in JOBSET expression: \n\t{attribute} = {value}\n\t")
        elif attribute.lower() == "jobsetname":
            found = classad_text.unquote(text) or found
    if found is not None and not job.has("JobSetName"):
        job.assign_string("JobSetName", found)


def check_job_set(job: JobMaker) -> None:
    """Refuse a job that is in another set than the first job of its cluster."""
    name = job.string("JobSetName")
    if job.cluster and "jobsetname" in job.own:
        first = classad_text.unquote(job.cluster["jobsetname"][1]) if "jobsetname" in job.cluster else None
        cluster = job.macros.lookup("ClusterId")
        found = f"({cluster}.0:{first or ''} != {cluster}.{job.proc}:{name or ''})"
        raise job.fail(f"{found} All jobs from a single submission must be in the same JOBSET\n")


@cache
def _number() -> re.Pattern[str]:
    import re

    return re.compile(r"\s*[+-]?\d*\Z")


def set_proxy(job: JobMaker) -> None:
    """x509userproxy and DelegateJobGSICredentialsLifetime (seconds). A proxy that cannot be read, or that is not valid
    for CRED_MIN_TIME_LEFT seconds more, fails the job."""
    file = job.param("x509userproxy") if job.looks_at_files else None
    if file is None and job.looks_at_files and job.param_bool("use_x509userproxy"):
        file = job.env.get("X509_USER_PROXY") or f"/tmp/x509up_u{os.getuid()}"
    if file is not None:
        path = job.full_path(file)
        expires = expiration(path)
        if expires is None:
            raise job.fail("unable to read proxy file\n")
        if expires < job.now:
            raise job.fail("proxy has expired\n")
        if expires < job.now + job.settings.min_proxy_time:
            raise job.fail("proxy lifetime too short\n")
        job.assign_string("x509userproxy", path)
    lifetime = job.param("delegate_job_gsi_credentials_lifetime", "DelegateJobGSICredentialsLifetime")
    if lifetime is not None:
        if not _number().match(lifetime):
            raise job.fail(f"invalid integer setting delegate_job_gsi_credentials_lifetime = {lifetime}\n")
        digits = lifetime.strip().lstrip("+-")
        sign = -1 if lifetime.strip().startswith("-") else 1
        job.assign_int("DelegateJobGSICredentialsLifetime", sign * as_integer(digits or "0"))


def expiration(path: str) -> int | None:
    """Return the Unix time until which the first certificate of a PEM file is valid; None without one. A pipe is not
    waited for."""
    if not os.path.isfile(path):
        return None
    try:
        # The standard library decodes the certificates of files only by this function, which it keeps for its tests.
        found = loaded("_ssl")._test_decode_cert(path)
        import ssl  # of no use to jobs without a proxy

        return int(ssl.cert_time_to_seconds(found["notAfter"]))
    except (OSError, ValueError, KeyError, AttributeError):
        return None
