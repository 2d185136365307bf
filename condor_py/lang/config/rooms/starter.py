"""Knobs of the starter."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from condor_py.lang.config.rooms.accounts import job_accounts
from condor_py.lang.config.rooms.daemon import debug_level
from condor_py.lang.config.rooms.devices import device_variables
from condor_py.lang.config.rooms.docker import docker
from condor_py.lang.config.rooms.expressions import parsed_expression
from condor_py.lang.config.rooms.singularity import default_container, singularity
from condor_py.lang.config.rooms.submit import edit_rules
from condor_py.lang.config.rooms.virtual import virtual
from condor_py.lang.config.settings import Config
from condor_py.model.errors import ConfigError
from condor_py.model.settings.starter import (
    BackingFile,
    ChirpSettings,
    PluginOutput,
    ScratchVolume,
    StarterHooks,
    StarterSettings,
    TransferQueueSettings,
    TransferSettings,
)

_MEMORY_POLICIES = ("hard", "soft", "none", "custom")
_HOOK = re.compile(r"(\w+?)_HOOK_(?:PREPARE_JOB|PREPARE_JOB_BEFORE_TRANSFER|UPDATE_JOB_INFO|JOB_EXIT)\Z", re.IGNORECASE)
_PERMISSIONS = ("user", "group", "world")


def starter(config: Config) -> StarterSettings:
    """Settings of the starter; ConfigError names the knob."""
    return StarterSettings(
        execute=config.path("EXECUTE"),
        update_interval=config.integer("STARTER_UPDATE_INTERVAL"),
        initial_update_interval=config.integer("STARTER_INITIAL_UPDATE_INTERVAL"),
        job_environment=_environment(config),
        inherited=_inherited(config),
        num_threads_env_vars=tuple(config.list("STARTER_NUM_THREADS_ENV_VARS")),
        sets_home_env=config.boolean("STARTER_SETS_HOME_ENV"),
        user_job_wrapper=config.path("USER_JOB_WRAPPER"),
        job_renice_increment=config.expression("JOB_RENICE_INCREMENT", "0"),
        job_execdir_permissions=_word(config, "JOB_EXECDIR_PERMISSIONS", "user", _PERMISSIONS),
        always_hold_on_oom=config.boolean("STARTER_ALWAYS_HOLD_ON_OOM"),
        rlimit_as_mb=config.integer("STARTER_RLIMIT_AS"),
        scratch_volume=_scratch_volume(config),
        encrypt_execute_directory=config.boolean("ENCRYPT_EXECUTE_DIRECTORY"),
        disable_execute_directory_encryption=config.boolean("DISABLE_EXECUTE_DIRECTORY_ENCRYPTION"),
        base_cgroup=config.string("BASE_CGROUP"),
        cgroup_memory_limit_policy=_word(config, "CGROUP_MEMORY_LIMIT_POLICY", "hard", _MEMORY_POLICIES),
        cgroup_hard_memory_limit_expr=config.expression("CGROUP_HARD_MEMORY_LIMIT_EXPR"),
        cgroup_soft_memory_limit_expr=config.expression("CGROUP_SOFT_MEMORY_LIMIT_EXPR"),
        cgroup_low_memory_limit=config.expression("CGROUP_LOW_MEMORY_LIMIT")
        or config.expression("CGROUP_LOW_MEMORY_LIMIT_EXPR"),
        cgroup_pids_limit_expr=config.expression("CGROUP_PIDS_LIMIT_EXPR", "4096 + 1024 * Cpus"),
        cgroup_ignore_cache_memory=config.boolean("CGROUP_IGNORE_CACHE_MEMORY"),
        cgroup_use_peak_memory=config.boolean("CGROUP_USE_PEAK_MEMORY")
        or not config.boolean("CGROUP_IGNORE_CACHE_MEMORY"),
        cgroup_polling_interval=config.integer("CGROUP_POLLING_INTERVAL"),
        starter_hide_gpu_devices=config.boolean("STARTER_HIDE_GPU_DEVICES"),
        disable_swap_for_job=config.boolean("DISABLE_SWAP_FOR_JOB"),
        pid_snapshot_interval=config.integer("PID_SNAPSHOT_INTERVAL"),
        memory_usage_metric=config.expression("MEMORY_USAGE_METRIC"),
        memory_usage_metric_vm=config.expression("MEMORY_USAGE_METRIC_VM"),
        transfer=transfer(config),
        hooks=tuple(_hooks(config)),
        check_reactivate=config.boolean("CHECK_REACTIVATE_AFTER_CHECKPOINT"),
        job_hook_keyword=config.string("STARTER_JOB_HOOK_KEYWORD"),
        default_job_hook_keyword=config.string("STARTER_DEFAULT_JOB_HOOK_KEYWORD"),
        device_variables=device_variables(config),
        accounts=job_accounts(config),
        assign_cpu_affinity=config.boolean("ASSIGN_CPU_AFFINITY"),
        mount_under_scratch=config.expression("MOUNT_UNDER_SCRATCH"),
        mount_private_dev_shm=config.boolean("MOUNT_PRIVATE_DEV_SHM"),
        per_job_namespaces=config.boolean("PER_JOB_NAMESPACES"),
        use_pid_namespaces=config.boolean("USE_PID_NAMESPACES"),
        no_job_networking=config.boolean("NO_JOB_NETWORKING"),
        log_name_append=_log_name_append(config),
        enable_ssh_to_job=config.expression("ENABLE_SSH_TO_JOB", "true"),
        queue_super_users=tuple(config.list("QUEUE_SUPER_USERS")),
        chirp=_chirp(config),
        docker=docker(config),
        singularity=singularity(config),
        default_container=default_container(config),
        virtual=virtual(config),
        tracking_gids=_tracking_gids(config),
        disable_user_plugins=parsed_expression(config, "STARTER_DISABLE_USER_SUPPLIED_TRANSFER_PLUGINS"),
    )


def _tracking_gids(config: Config) -> tuple[int, int] | None:
    """USE_GID_PROCESS_TRACKING and its range, for a pool of root; others cannot give their processes groups."""
    if not config.boolean("USE_GID_PROCESS_TRACKING") or os.geteuid() != 0:
        return None
    lowest, highest = config.integer("MIN_TRACKING_GID"), config.integer("MAX_TRACKING_GID")
    for knob, value in (("MIN_TRACKING_GID", lowest), ("MAX_TRACKING_GID", highest)):
        if value <= 0:
            raise ConfigError(f"USE_GID_PROCESS_TRACKING enabled, but {knob} is {value}", knob)
    if lowest > highest:
        raise ConfigError(f"invalid tracking gid range: {lowest} - {highest}", "MIN_TRACKING_GID")
    return lowest, highest


def enforces_disk(config: Config) -> bool:
    """Whether scratch directories are file systems of their own (STARTD_ENFORCE_DISK_LIMITS); only root can mount."""
    return config.boolean("STARTD_ENFORCE_DISK_LIMITS") and os.geteuid() == 0


def _scratch_volume(config: Config) -> ScratchVolume | None:
    if not enforces_disk(config):
        return None
    hides = config.string("LVM_HIDE_MOUNT").lower()
    if hides not in ("auto", "true", "false"):
        raise ConfigError(f"LVM_HIDE_MOUNT: {hides!r} is not one of auto, true, false", "LVM_HIDE_MOUNT")
    thin, group = config.boolean("LVM_USE_THIN_PROVISIONING"), config.string("LVM_VOLUME_GROUP_NAME")
    pool = config.string("LVM_THINPOOL_NAME") if thin else ""
    extra_mb = config.integer("LVM_THIN_LV_EXTRA_SIZE_MB") if thin else 0
    if group and (pool or not thin):
        return ScratchVolume(thin, hides == "true", group, pool, extra_mb)
    return ScratchVolume(thin, hides == "true", extra_mb=extra_mb, file=_backing_file(config))


def _backing_file(config: Config) -> BackingFile | None:
    """Where a group of the startd's own lies, and its name: HTCondor's."""
    path, size_mb = config.path("LVM_BACKING_FILE"), config.integer("LVM_BACKING_FILE_SIZE_MB")
    words = ("condor", *filter(None, (config.local_name,)), "STARTD")
    group = config.string("LVM_AUTO_VG_NAME") or "_".join(words)
    return BackingFile(path, size_mb, group) if path and size_mb > 0 else None


def _chirp(config: Config) -> ChirpSettings:
    """Settings of the Chirp server."""
    enabled = config.boolean("ENABLE_CHIRP")
    return ChirpSettings(
        files=enabled and config.boolean("ENABLE_CHIRP_IO"),
        updates=enabled and config.boolean("ENABLE_CHIRP_UPDATES"),
        delayed=enabled and config.boolean("ENABLE_CHIRP_DELAYED"),
        delayed_names=tuple(config.list("CHIRP_DELAYED_UPDATE_PREFIX")),
        most_delayed=config.integer("CHIRP_DELAYED_UPDATE_MAX_ATTRS"),
        rules=edit_rules(config),
    )


_TEST_URL = "_test_url"


def transfer(config: Config) -> TransferSettings:
    """Settings of file transfer."""
    plugins = config.list("FILETRANSFER_PLUGINS") if config.boolean("ENABLE_URL_TRANSFERS") else []
    return TransferSettings(
        spool=config.path("SPOOL"),
        max_input_mb=config.integer("MAX_TRANSFER_INPUT_MB"),
        max_output_mb=config.integer("MAX_TRANSFER_OUTPUT_MB"),
        plugins=tuple(plugins),
        plugin_lifetime=config.integer("MAX_FILE_TRANSFER_PLUGIN_LIFETIME"),
        plugin_output=PluginOutput(
            on_success=_shows(config, "LOG_FILETRANSFER_PLUGIN_STDOUT_ON_SUCCESS", ""),
            on_failure=_shows(config, "LOG_FILETRANSFER_PLUGIN_STDOUT_ON_FAILURE", "D_ALWAYS"),
        ),
        allowed_directories=tuple(config.list("LIMIT_DIRECTORY_ACCESS")),
        max_remaps=config.integer("MAX_REMAP_RECURSIONS"),
        hard_links=mapping_method(config) == "Hardlink",
        tests=debug_level(config, "STARTER", "D_TEST") > 0,
        history=config.path("FILE_TRANSFER_STATS_LOG"),
        test_urls=tuple(_test_urls(config)),
        plugin_data=config.boolean("ASSUME_COMPATIBLE_MULTIFILE_PLUGINS", True),
        plugin_patience=config.integer("FILETRANSFER_PLUGIN_CLASSAD_TIMEOUT", 20),
        queue_bytes=config.integer("BYTES_REQUIRED_TO_QUEUE_FOR_TRANSFER", 100 * 1024 * 1024),
        queue_user=parsed_expression(config, "TRANSFER_QUEUE_USER_EXPR"),
    )


def transfer_queue(config: Config) -> TransferQueueSettings:
    """How many large transfers may be under way at a time."""
    low, high = _throttle(config, "FILE_TRANSFER_DISK_LOAD_THROTTLE")
    return TransferQueueSettings(
        uploads=config.integer("MAX_CONCURRENT_UPLOADS"),
        downloads=config.integer("MAX_CONCURRENT_DOWNLOADS"),
        longest=config.integer("MAX_TRANSFER_QUEUE_AGE", 7200),
        low_load=low,
        high_load=high,
        increment_wait=config.integer("FILE_TRANSFER_DISK_LOAD_THROTTLE_WAIT_BETWEEN_INCREMENTS"),
        short_horizon=_horizon(config, "FILE_TRANSFER_DISK_LOAD_THROTTLE_SHORT_HORIZON"),
        long_horizon=_horizon(config, "FILE_TRANSFER_DISK_LOAD_THROTTLE_LONG_HORIZON"),
    )


def _throttle(config: Config, name: str) -> tuple[float, float]:
    """``HIGH`` or ``LOW to HIGH``; without LOW it is 90 % of HIGH. (0, 0) for none."""
    text = config.string(name)
    if not text:
        return 0.0, 0.0
    words = text.split()
    try:
        if len(words) == 1:
            return 0.9 * float(words[0]), float(words[0])
        low, to, high = words
        if to.lower() == "to" and float(low) <= float(high):
            return float(low), float(high)
    except ValueError:
        pass
    raise ConfigError(f"{name} must be a number, or 'LOW to HIGH' with numbers: {text}", name)


def _horizon(config: Config, name: str) -> int:
    """The seconds of a span that TRANSFER_IO_REPORT_TIMESPANS names."""
    spans = dict(span.split(":", 1) for span in config.list("TRANSFER_IO_REPORT_TIMESPANS") if ":" in span)
    wanted = config.string(name)
    if not spans.get(wanted, "").isdecimal():
        raise ConfigError(f"{name} = {wanted} names no NAME:SECONDS of TRANSFER_IO_REPORT_TIMESPANS", name)
    return int(spans[wanted])


def mapping_method(config: Config) -> str:
    """How staged common files get into a scratch directory; "" for not at all."""
    if enforces_disk(config):  # no file has links on two file systems
        allowed = config.boolean("ALLOW_COMMON_FILES_ON_LVS") and not config.boolean("FORBID_COPY_MAPPING")
        return "Copy" if allowed else ""
    if not config.boolean("FORBID_HARDLINK_MAPPING"):
        return "Hardlink"
    return "" if config.boolean("FORBID_COPY_MAPPING") else "Copy"


def _test_urls(config: Config) -> Iterator[tuple[str, str]]:
    """The URLs of <method>_TEST_URL, by method."""
    for name in {macro.name.lower() for macro in config.macros if macro.name.lower().endswith(_TEST_URL)}:
        url = config.string(name)
        if url:
            yield name.rpartition(".")[2].removesuffix(_TEST_URL), url


def _shows(config: Config, name: str, default: str) -> bool:
    """Whether the starter's log has what is written at the level that a knob names."""
    category, _, verbosity = config.string(name, default).upper().partition(":")
    if category in ("D_ALWAYS", "D_ERROR", "D_STATUS") and verbosity in ("", "0", "1"):
        return True
    return bool(category) and debug_level(config, "STARTER", category) >= int(verbosity == "2") + 1


def _hooks(config: Config) -> Iterator[StarterHooks]:
    """The hooks of every keyword that has one for jobs (``<Keyword>_HOOK_<HOOK>``)."""
    keywords: dict[str, str] = {}
    for macro in config.macros:
        match = _HOOK.match(macro.name.partition(".")[2] or macro.name)
        if match:
            keywords.setdefault(match[1].lower(), match[1])
    for keyword in keywords.values():
        yield StarterHooks(
            keyword=keyword,
            prepare_before_transfer=config.path(f"{keyword}_HOOK_PREPARE_JOB_BEFORE_TRANSFER"),
            prepare=config.path(f"{keyword}_HOOK_PREPARE_JOB"),
            prepare_arguments=config.string(f"{keyword}_HOOK_PREPARE_JOB_ARGS"),
            update=config.path(f"{keyword}_HOOK_UPDATE_JOB_INFO"),
            exit=config.path(f"{keyword}_HOOK_JOB_EXIT"),
            exit_timeout=config.integer(f"{keyword}_HOOK_JOB_EXIT_TIMEOUT", 30),
        )


def _word(config: Config, name: str, default: str, allowed: tuple[str, ...]) -> str:
    word = config.string(name, default).lower()
    if word not in allowed:
        raise ConfigError(f"{name}: {word!r} is not one of {', '.join(allowed)}", name)
    return word


#: The words of STARTER_LOG_NAME_APPEND, and what they mean.
_APPENDED = {
    "": "slot", "slot": "slot", "true": "slot", "1": "slot", "false": "", "0": "",
    "cluster": "cluster", "clusterid": "cluster", "jobid": "jobid",
}  # fmt: skip


def _log_name_append(config: Config) -> str:
    return _APPENDED.get(config.string("STARTER_LOG_NAME_APPEND").lower(), "slot")


def _inherited(config: Config) -> tuple[str, ...]:
    """JOB_INHERITS_STARTER_ENVIRONMENT: true, false, or a list of names and patterns."""
    text = config.string("JOB_INHERITS_STARTER_ENVIRONMENT", "false")
    plain = {"true": ("*",), "1": ("*",), "yes": ("*",), "false": (), "0": (), "no": ()}.get(text.strip().lower())
    return tuple(config.list("JOB_INHERITS_STARTER_ENVIRONMENT")) if plain is None else plain


def _environment(config: Config) -> tuple[tuple[str, str], ...]:
    """STARTER_JOB_ENVIRONMENT in submit's quoted form, ``"A=1 B='x y'"``, or without the outer quotes."""
    text = config.string("STARTER_JOB_ENVIRONMENT").strip()
    if len(text) > 1 and text[0] == text[-1] == '"':
        text = text[1:-1].replace('""', '"')
    pairs: list[tuple[str, str]] = []
    for word in re.findall(r"(?:'(?:[^']|'')*'|[^\s'])+", text):
        bare = re.sub(r"'((?:[^']|'')*)'", lambda quoted: quoted[1].replace("''", "'"), word)
        name, equals, value = bare.partition("=")
        if not equals or not name:
            raise ConfigError(f"STARTER_JOB_ENVIRONMENT: {word!r} is not NAME=VALUE", "STARTER_JOB_ENVIRONMENT")
        pairs.append((name, value))
    return tuple(pairs)
