"""Knobs of the starter: accounts, devices, transfers, limits and virtual machines."""

from __future__ import annotations

import math
import os
import re
import shutil
from collections.abc import Iterator

from condor_py.lang.config.build import build
from condor_py.lang.config.builders.containers import default_container, docker, singularity
from condor_py.lang.config.builders.daemon import debug_level
from condor_py.lang.config.builders.paths import spool_mode
from condor_py.lang.config.builders.submit import edit_rules
from condor_py.lang.config.builders.superusers import super_users
from condor_py.lang.config.settings import DEFAULT, Config
from condor_py.lang.config.values import to_list
from condor_py.model.arguments import ArgumentError, words_of
from condor_py.model.errors import ConfigError
from condor_py.model.settings.credentials import CredentialSettings
from condor_py.model.settings.java import JavaSettings
from condor_py.model.settings.starter import (
    BackingFile,
    ChirpSettings,
    DeviceVariables,
    JobAccounts,
    PluginOutput,
    ScratchVolume,
    StarterHooks,
    StarterSettings,
    TransferQueueSettings,
    TransferSettings,
)
from condor_py.model.settings.virtual import LIBVIRT, QEMU, VmSettings

_MEMORY_POLICIES = ("hard", "soft", "none", "custom")
_HOOK = re.compile(r"(\w+?)_HOOK_(?:PREPARE_JOB|PREPARE_JOB_BEFORE_TRANSFER|UPDATE_JOB_INFO|JOB_EXIT)\Z", re.IGNORECASE)
_PERMISSIONS = ("user", "group", "world")


def starter(config: Config) -> StarterSettings:
    """Settings of the starter; ConfigError names the knob."""
    return build(
        StarterSettings,
        config,
        job_environment=_environment(config),
        inherited=_inherited(config),
        job_execdir_permissions=_word(config, "JOB_EXECDIR_PERMISSIONS", "user", _PERMISSIONS),
        scratch_volume=_scratch_volume(config),
        cgroup_memory_limit_policy=_word(config, "CGROUP_MEMORY_LIMIT_POLICY", "hard", _MEMORY_POLICIES),
        cgroup_low_memory_limit=config.expression("CGROUP_LOW_MEMORY_LIMIT")
        or config.expression("CGROUP_LOW_MEMORY_LIMIT_EXPR"),
        cgroup_use_peak_memory=config.boolean("CGROUP_USE_PEAK_MEMORY")
        or not config.boolean("CGROUP_IGNORE_CACHE_MEMORY"),
        transfer=transfer(config),
        credentials=build(CredentialSettings, config),
        hooks=tuple(_hooks(config)),
        device_variables=device_variables(config),
        accounts=job_accounts(config),
        queue_super_users=super_users(config),
        log_name_append=_APPENDED.get(config.string("STARTER_LOG_NAME_APPEND").lower(), "slot"),
        chirp=_chirp(config),
        docker=docker(config),
        singularity=singularity(config),
        default_container=default_container(config),
        virtual=virtual(config),
        java=build(JavaSettings, config),
        tracking_gids=_tracking_gids(config),
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
    """Return the backing file of a volume group that the startd makes itself, and the name of the group as HTCondor has
    it."""
    path, size_mb = config.path("LVM_BACKING_FILE"), config.integer("LVM_BACKING_FILE_SIZE_MB")
    words = ("condor", *filter(None, (config.local_name,)), "STARTD")
    group = config.string("LVM_AUTO_VG_NAME") or "_".join(words)
    return BackingFile(path, size_mb, group) if path and size_mb > 0 else None


def _chirp(config: Config) -> ChirpSettings:
    """Settings of the Chirp server."""
    enabled = config.boolean("ENABLE_CHIRP")
    return build(
        ChirpSettings,
        config,
        files=enabled and config.boolean("ENABLE_CHIRP_IO"),
        updates=enabled and config.boolean("ENABLE_CHIRP_UPDATES"),
        delayed=enabled and config.boolean("ENABLE_CHIRP_DELAYED"),
        rules=edit_rules(config),
    )


_TEST_URL = "_test_url"


def transfer(config: Config) -> TransferSettings:
    """Settings of file transfer."""
    return build(
        TransferSettings,
        config,
        spool_mode=spool_mode(config),
        plugins=tuple(config.list("FILETRANSFER_PLUGINS")),
        urls=config.boolean("ENABLE_URL_TRANSFERS"),
        plugin_output=PluginOutput(
            on_success=_shows(config, "LOG_FILETRANSFER_PLUGIN_STDOUT_ON_SUCCESS", ""),
            on_failure=_shows(config, "LOG_FILETRANSFER_PLUGIN_STDOUT_ON_FAILURE", "D_ALWAYS"),
        ),
        hard_links=mapping_method(config) == "Hardlink",
        tests=debug_level(config, "STARTER", "D_TEST") > 0,
        test_urls=tuple(_test_urls(config)),
    )


def transfer_queue(config: Config) -> TransferQueueSettings:
    """Return the limits of large transfers that may be under way at a time."""
    low, high = _throttle(config, "FILE_TRANSFER_DISK_LOAD_THROTTLE")
    return build(
        TransferQueueSettings,
        config,
        low_load=low,
        high_load=high,
        short_horizon=_horizon(config, "FILE_TRANSFER_DISK_LOAD_THROTTLE_SHORT_HORIZON"),
        long_horizon=_horizon(config, "FILE_TRANSFER_DISK_LOAD_THROTTLE_LONG_HORIZON"),
    )


def _throttle(config: Config, name: str) -> tuple[float, float]:
    """``HIGH`` or ``LOW to HIGH``, from 0 on; without LOW it is 90 % of HIGH. (0, 0) for none."""
    text = config.string(name)
    if not text:
        return 0.0, 0.0
    first, *rest = text.split()
    try:
        if not rest:
            low, high = 0.9 * float(first), float(first)
        elif len(rest) == 2 and rest[0].lower() == "to":
            low, high = float(first), float(rest[1])
        else:
            raise ValueError
        if not 0 <= low <= high < math.inf:
            raise ValueError
    except ValueError:
        raise ConfigError(f"{name} must be a number, or 'LOW to HIGH' with numbers: {text}", name) from None
    return low, high


def _horizon(config: Config, name: str) -> int:
    """The seconds of a span that TRANSFER_IO_REPORT_TIMESPANS names."""
    spans = dict(span.split(":", 1) for span in config.list("TRANSFER_IO_REPORT_TIMESPANS") if ":" in span)
    wanted = config.string(name)
    if not spans.get(wanted, "").isdecimal():
        raise ConfigError(f"{name} = {wanted} names no NAME:SECONDS of TRANSFER_IO_REPORT_TIMESPANS", name)
    return int(spans[wanted])


def mapping_method(config: Config) -> str:
    """Return the method that puts staged common files into a scratch directory: "Hardlink" or "Copy"; "" for none."""
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


#: The words of STARTER_LOG_NAME_APPEND that do not mean the slot.
_APPENDED = {"false": "", "0": "", "cluster": "cluster", "clusterid": "cluster", "jobid": "jobid"}


def _inherited(config: Config) -> tuple[str, ...]:
    """JOB_INHERITS_STARTER_ENVIRONMENT: true, false, or a list of names and patterns."""
    text = config.string("JOB_INHERITS_STARTER_ENVIRONMENT", "false")
    plain = {"true": ("*",), "1": ("*",), "yes": ("*",), "false": (), "0": (), "no": ()}.get(text.strip().lower())
    return tuple(to_list(text.replace(";", ","))) if plain is None else plain


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


_SLOT_USER = re.compile(r"(SLOT\d+(?:_\d+)?)_USER\Z", re.IGNORECASE)
#: EXECUTE_LOGIN_IS_DEDICATED, the older knob, means every account.
_ALL = ".*"


def job_accounts(config: Config) -> JobAccounts:
    """STARTER_ALLOW_RUNAS_OWNER, SLOT<N>_USER and their like; ConfigError names the knob."""
    slots = []
    for name in config.names():
        match = _SLOT_USER.match(name)
        if match and config.string(name):
            slots.append((match[1].lower(), config.string(name)))
    dedicated = config.string("DEDICATED_EXECUTE_ACCOUNT_REGEXP")
    try:
        re.compile(dedicated)
    except re.error as error:
        raise ConfigError(
            f"DEDICATED_EXECUTE_ACCOUNT_REGEXP: {dedicated!r} is no pattern: {error}",
            "DEDICATED_EXECUTE_ACCOUNT_REGEXP",
        ) from None
    return build(
        JobAccounts,
        config,
        slots=tuple(slots),
        dedicated=dedicated or (_ALL if config.boolean("EXECUTE_LOGIN_IS_DEDICATED") else ""),
    )


_KNOB = re.compile(r"ENVIRONMENT_FOR_Assigned(\w+)\Z", re.IGNORECASE)
#: ``NAME`` or ``NAME=/pattern/replacement/``, with any punctuation for the slashes.
_VARIABLE = re.compile(r"\s*([A-Za-z_]\w*)(?:=([^\w\s])(.*?)\2(.*?)\2(?:,|(?=\s|\Z))|(?=\s|\Z))")
#: Variables for which a device is a number: without a pattern they get that of CUDA0.
_OF_NUMBERS = ("CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL")
_WORD_BEFORE_NUMBER = r"\A[A-Za-z]+(?=\d+\Z)"


def device_variables(config: Config) -> tuple[DeviceVariables, ...]:
    """The variables of every resource that has some. ConfigError names the knob."""
    found = []
    for name in config.names():
        match = _KNOB.match(name)
        if match is None:
            continue
        text = config.string(name)
        value = config.string(f"ENVIRONMENT_VALUE_FOR_UnAssigned{match[1]}")
        found.append(DeviceVariables(match[1], _variables(name, text), value))
    return tuple(found)


def _variables(knob: str, text: str) -> tuple[tuple[str, str, str], ...]:
    found = []
    at = 0
    while text[at:].strip():
        match = _VARIABLE.match(text, at)
        if match is None:
            raise ConfigError(f"{knob}: {text[at:].strip()!r} is not NAME or NAME=/pattern/replacement/", knob)
        pattern = match[3] or (_WORD_BEFORE_NUMBER if match[1] in _OF_NUMBERS else "")
        try:
            re.compile(pattern)
        except re.error as error:
            raise ConfigError(f"{knob}: {pattern!r} is no pattern: {error}", knob) from None
        found.append((match[1], pattern, match[4] or ""))
        at = match.end()
    return tuple(found)


#: Where programs are looked for besides PATH.
_PLACES = "/usr/local/bin:/usr/bin:/bin:/usr/libexec"
_KVM_ONLY = "/usr/libexec/qemu-kvm"
_MAC_PREFIX = re.compile("[0-9a-f]{2}(:[0-9a-f]{2}){0,4}")


def virtual(config: Config) -> VmSettings:
    """VM_TYPE and what belongs to it; ConfigError names the knob."""
    networks = _networks(config)
    return build(
        VmSettings,
        config,
        kind=_bare(config, "VM_TYPE"),
        networks=networks,
        network=_network(config, networks),
        bridge=_bare(config, "VM_NETWORKING_BRIDGE_INTERFACE", lower=False),
        mac_prefix=_mac_prefix(config),
        driver=_driver(config),
        qemu=_program(config, "QEMU", f"qemu-system-{os.uname().machine}", _KVM_ONLY),
        virsh=_program(config, "VIRSH", "virsh"),
        xml_script=_script(config),
        xml_arguments=_words(config, "LIBVIRT_XML_SCRIPT_ARGS"),
    )


def _words(config: Config, knob: str) -> tuple[str, ...]:
    """Arguments, in double quotes or plain words."""
    try:
        return tuple(words_of(config.string(knob)))
    except ArgumentError as error:
        raise ConfigError(f"{knob}: {error}", knob) from None


def _bare(config: Config, knob: str, *, lower: bool = True) -> str:
    """A word that may be in quotes."""
    text = config.string(knob).strip().strip('"').strip()
    return text.lower() if lower else text


def _networks(config: Config) -> tuple[str, ...]:
    """The kinds of networks that jobs may have; none with VM_NETWORKING = false. A bridge has to be named."""
    if not config.boolean("VM_NETWORKING"):
        return ()
    named = _bare(config, "VM_NETWORKING_TYPE").replace(",", " ").split()
    there = bool(_bare(config, "VM_NETWORKING_BRIDGE_INTERFACE"))
    return tuple(dict.fromkeys(kind for kind in named if kind != "bridge" or there))


def _network(config: Config, networks: tuple[str, ...]) -> str:
    """The one for jobs that do not choose."""
    wanted = _bare(config, "VM_NETWORKING_DEFAULT_TYPE")
    if wanted in networks:
        return wanted
    return next((kind for kind in ("user", "nat") if kind in networks), networks[0] if networks else "")


def _mac_prefix(config: Config) -> str:
    given = _bare(config, "VM_NETWORKING_MAC_PREFIX").rstrip(":") or "52:54:00"
    if not _MAC_PREFIX.fullmatch(given):
        raise ConfigError(
            f"VM_NETWORKING_MAC_PREFIX: {given!r} is not how a hardware address begins", "VM_NETWORKING_MAC_PREFIX"
        )
    return given


def _driver(config: Config) -> str:
    """Return the driver that runs the machines; a site that has a script for libvirt means libvirt."""
    word = _bare(config, "VM_DRIVER")
    if not word:
        return LIBVIRT if _script(config) else QEMU
    if word not in (QEMU, LIBVIRT):
        raise ConfigError(f"VM_DRIVER: {word!r} is not one of {QEMU}, {LIBVIRT}", "VM_DRIVER")
    return word


def _script(config: Config) -> str:
    """LIBVIRT_XML_SCRIPT, if it is set and not only HTCondor's default."""
    return "" if config.source("LIBVIRT_XML_SCRIPT") in (None, DEFAULT) else config.path("LIBVIRT_XML_SCRIPT")


def _program(config: Config, knob: str, *names: str) -> str:
    """The path of a program: as it is set, or where it usually is; "" where it is not."""
    given = config.path(knob)
    if given:
        return given
    search = f"{os.environ.get('PATH', '')}:{_PLACES}"
    return next((found for name in names if (found := shutil.which(name, path=search))), "")
