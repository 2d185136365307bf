"""Knobs of job submission."""

from __future__ import annotations

from condor_py.config.rooms.daemon import daemon
from condor_py.config.settings import Config
from condor_py.model.settings.submit import SubmitSettings
from condor_py.model.version import CONDOR_VERSION

_ROUNDED = (
    "DiskUsage",
    "ExecutableSize",
    "ImageSize",
    "NumCkpts",
    "ProportionalSetSizeKb",
    "ResidentSetSize",
)


def submit(config: Config) -> SubmitSettings:
    """Settings of the submit language; ConfigError names the knob."""
    common = daemon(config, "SCHEDD")
    attributes, forced = _attributes(config)
    return SubmitSettings(
        arch=config.string("ARCH"),
        opsys=config.string("OPSYS"),
        opsys_and_ver=config.string("OPSYSANDVER"),
        opsys_ver=config.string("OPSYSVER"),
        opsys_major_ver=config.string("OPSYSMAJORVER"),
        spool=config.path("SPOOL"),
        host=common.schedd_name,
        uid_domain=common.uid_domain,
        filesystem_domain=common.file_system_domain,
        condor_version=CONDOR_VERSION,
        condor_platform=common.platform,
        default_universe=config.string("DEFAULT_UNIVERSE"),
        default_rank=config.expression("DEFAULT_RANK_VANILLA") or config.expression("DEFAULT_RANK"),
        append_rank=config.expression("APPEND_RANK_VANILLA") or config.expression("APPEND_RANK"),
        append_requirements=config.expression("APPEND_REQUIREMENTS"),
        append_req_vanilla=config.expression("APPEND_REQ_VANILLA"),
        request_cpus=config.expression("JOB_DEFAULT_REQUESTCPUS"),
        request_memory=config.expression("JOB_DEFAULT_REQUESTMEMORY"),
        request_disk=config.expression("JOB_DEFAULT_REQUESTDISK"),
        request_gpus=config.expression("JOB_DEFAULT_REQUESTGPUS"),
        notification=config.string("JOB_DEFAULT_NOTIFICATION"),
        lease_duration=config.expression("JOB_DEFAULT_LEASE_DURATION"),
        job_max_retries=config.integer("DEFAULT_JOB_MAX_RETRIES", 2),
        nice_user_group=config.string("NICE_USER_ACCOUNTING_GROUP_NAME"),
        should_transfer_files=config.string("SUBMIT_DEFAULT_SHOULD_TRANSFER_FILES"),
        schedd_interval=config.expression("SCHEDD_INTERVAL"),
        missing_units=config.string("SUBMIT_REQUEST_MISSING_UNITS"),
        allow_getenv=config.boolean("SUBMIT_ALLOW_GETENV", True),
        skip_filechecks=config.boolean("SUBMIT_SKIP_FILECHECKS", True),
        insert_default_policy=config.boolean("SUBMIT_INSERT_DEFAULT_POLICY_EXPRS", False),
        custom_resource_requirements=config.boolean("SUBMIT_GENERATE_CUSTOM_RESOURCE_REQUIREMENTS", True),
        condor_c_requirements=config.boolean("SUBMIT_GENERATE_CONDOR_C_REQUIREMENTS", True),
        deprecation_warnings=config.boolean("ENABLE_DEPRECATION_WARNINGS", False),
        prevent_multi_queue=config.boolean("SUBMIT_PREVENT_MULTI_QUEUE", False),
        sign_s3_urls=config.boolean("SIGN_S3_URLS", True),
        container_never_transfer_absolute=config.boolean("SUBMIT_CONTAINER_NEVER_XFER_ABSOLUTE_CMD", False),
        container_shared_fs=config.string("CONTAINER_SHARED_FS"),
        max_procs_in_cluster=config.integer("SUBMIT_MAX_PROCS_IN_CLUSTER", 0),
        max_jobs_per_submission=config.integer("MAX_JOBS_PER_SUBMISSION", 20000),
        max_jobs_per_owner=config.integer("MAX_JOBS_PER_OWNER", 100000),
        attributes=attributes,
        forced_attributes=forced,
        templates=_templates(config),
        rounding=tuple((name, config.string(f"SCHEDD_ROUND_ATTR_{name}")) for name in _ROUNDED),
    )


def _attributes(config: Config) -> tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]:
    """The (name, expression) pairs of SUBMIT_ATTRS and its relatives: plain ones, and those written ``+Name``."""
    plain: dict[str, str] = {}
    forced: dict[str, str] = {}
    for knob in ("SUBMIT_ATTRS", "SUBMIT_EXPRS", "SYSTEM_SUBMIT_ATTRS"):
        for word in config.list(knob):
            is_forced = word.startswith("+") or word.lower().startswith("my.")
            name = word.removeprefix("+") if word.startswith("+") else word[3:] if is_forced else word
            value = config.expression(name)
            if value:
                (forced if is_forced else plain)[name] = value
    return tuple(plain.items()), tuple(forced.items())


def _templates(config: Config) -> tuple[tuple[str, str], ...]:
    """Name and unexpanded text of the submit templates."""
    found = []
    for name in config.list("SUBMIT_TEMPLATE_NAMES"):
        text = config.raw(f"SUBMIT_TEMPLATE_{name}")
        if name.upper() != "NAMES" and text is not None:
            found.append((name, text))
    return tuple(found)
