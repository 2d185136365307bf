"""Knobs of job submission."""

from __future__ import annotations

import os

from condor_py.lang.classad import is_valid, quote_string
from condor_py.lang.config.build import build
from condor_py.lang.config.builders.daemon import daemon, most_auto_memory, names
from condor_py.lang.config.settings import Config
from condor_py.model.errors import ConfigError
from condor_py.model.settings.submit import SubmitSettings
from condor_py.model.settings.submit_policy import EditRules, Requirement, SubmitPolicy
from condor_py.model.version import CONDOR_VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: Rounding of attributes of jobs, by the name of the attribute.
_ROUNDING = "SCHEDD_ROUND_ATTR_"
#: Attributes that are rounded where no knob is set.
_USUALLY_ROUNDED = (
    "DiskUsage",
    "ExecutableSize",
    "ImageSize",
    "NumCkpts",
    "ProportionalSetSizeKb",
    "ResidentSetSize",
)
_MOST_PERCENT = 1000
_MOST_ZEROS = 9


class Limits:
    """The largest numbers of jobs allowed, whether only users with a record may submit, and what new records have."""

    __slots__ = (
        "known_users_only",
        "max_jobs_per_owner",
        "max_jobs_per_submission",
        "max_jobs_submitted",
        "project_defaults",
        "user_defaults",
    )

    def __init__(
        self,
        max_jobs_submitted: int,
        max_jobs_per_owner: int,
        max_jobs_per_submission: int,
        known_users_only: bool = False,
        user_defaults: str = "",
        project_defaults: str = "",
    ) -> None:
        self.known_users_only = known_users_only
        self.user_defaults = user_defaults
        self.project_defaults = project_defaults
        self.max_jobs_submitted = max_jobs_submitted
        self.max_jobs_per_owner = max_jobs_per_owner
        self.max_jobs_per_submission = max_jobs_per_submission


def limits(config: Config) -> Limits:
    """Return the schedd's settings that a tool needs that queues jobs itself."""
    return Limits(
        config.integer("MAX_JOBS_SUBMITTED"),
        config.integer("MAX_JOBS_PER_OWNER"),
        config.integer("MAX_JOBS_PER_SUBMISSION"),
        config.boolean("ALLOW_SUBMIT_FROM_KNOWN_USERS_ONLY"),
        config.string("SCHEDD_USER_DEFAULT_PROPERTIES"),
        config.string("SCHEDD_PROJECTREC_DEFAULT_PROPERTIES"),
    )


def notify_urls(config: Config) -> tuple[str, ...]:
    """Return NOTIFY_URLS. ConfigError names what is no prefix of URLs."""
    found = tuple(config.list("NOTIFY_URLS"))
    if found:
        from condor_py.model.notices import place_of

        for word in found:
            if place_of(word, is_prefix=True) is None:
                text = f"NOTIFY_URLS: {word!r} is no prefix of URLs: https://HOST[:PORT][/PATH], or https://* for any"
                raise ConfigError(text, "NOTIFY_URLS")
    return found


def submit(config: Config) -> SubmitSettings:
    """Settings of the submit language; ConfigError names the knob."""
    common = names(config)
    attributes, forced = _attributes(config)
    return build(
        SubmitSettings,
        config,
        arch=config.string("ARCH"),
        notify_urls=notify_urls(config),
        opsys=config.string("OPSYS"),
        opsys_and_ver=config.string("OPSYSANDVER"),
        opsys_ver=config.string("OPSYSVER"),
        opsys_major_ver=config.string("OPSYSMAJORVER"),
        host=common.schedd_name,
        uid_domain=common.uid_domain,
        filesystem_domain=common.file_system_domain,
        condor_version=CONDOR_VERSION,
        condor_platform=config.string("CondorPlatform"),
        default_rank=config.expression("DEFAULT_RANK_VANILLA") or config.expression("DEFAULT_RANK"),
        append_rank=config.expression("APPEND_RANK_VANILLA") or config.expression("APPEND_RANK"),
        schedd_interval=config.expression("SCHEDD_INTERVAL"),
        interactive_file=_interactive_file(config),
        attributes=attributes,
        forced_attributes=forced,
        templates=_templates(config),
        extended_commands=_extended_commands(config),
        protected_urls=_protected_urls(config),
        auto_memory_max=most_auto_memory(config),
        rounding=rounding(config),
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


def _interactive_file(config: Config) -> str:
    """The site's submit file for interactive jobs; "" when it is not set and LIBEXEC has none."""
    knob = "INTERACTIVE_SUBMIT_FILE"
    path = config.path(knob)
    return path if config.raw(knob) != config.default(knob) or os.path.exists(path) else ""


def _templates(config: Config) -> tuple[tuple[str, str], ...]:
    """Name and unexpanded text of the submit templates."""
    found = []
    for name in config.list("SUBMIT_TEMPLATE_NAMES"):
        text = config.raw(f"SUBMIT_TEMPLATE_{name}")
        if name.upper() != "NAMES" and text is not None:
            found.append((name, text))
    return tuple(found)


def _protected_urls(config: Config) -> Callable[[str, str], str | None] | None:
    """Return a function that looks URLs up in PROTECTED_URL_TRANSFER_MAPFILE; None where this account has no such
    file."""
    path = config.path("PROTECTED_URL_TRANSFER_MAPFILE")
    if not path:
        return None
    from condor_py.lang.config.builders import usermaps

    try:
        return usermaps.of_file(path, prefixes=True).output
    except OSError:
        return None


def _extended_commands(config: Config) -> tuple[tuple[str, str], ...]:
    """The attributes of EXTENDED_SUBMIT_COMMANDS, a long form ad; a later line replaces an earlier one."""
    found: dict[str, tuple[str, str]] = {}
    for line in config.string("EXTENDED_SUBMIT_COMMANDS").splitlines():
        name, equals, value = line.partition("=")
        if not name.strip() or name.strip().startswith("#"):
            continue
        if not equals or not is_valid(value):
            knob = "EXTENDED_SUBMIT_COMMANDS"
            raise ConfigError(f"{knob}: {line.strip()!r} is not an attribute of a ClassAd: write Name = value", knob)
        found[name.strip().lower()] = (name.strip(), value.strip())
    return tuple(found.values())


def submit_policy(config: Config) -> SubmitPolicy:
    """Return what the schedd does to submitted jobs: JOB_TRANSFORM_* and SUBMIT_REQUIREMENT_*."""
    wanted = _policy_names(config, "JOB_TRANSFORM_NAMES"), _policy_names(config, "SUBMIT_REQUIREMENT_NAMES")
    with_time = config.boolean("GLOBAL_JOB_ID_WITH_TIME")
    if not any(wanted):
        return SubmitPolicy(ids_with_time=with_time)
    notes: list[str] = []
    return SubmitPolicy(
        transforms=tuple(_transforms(config, wanted[0], notes)),
        requirements=tuple(_requirements(config, wanted[1], notes)),
        macro=config.raw,
        schedd=tuple(_schedd_ad(config)),
        notes=tuple(notes),
        ids_with_time=with_time,
    )


def _schedd_ad(config: Config) -> Iterator[tuple[str, str]]:
    """Yield the attributes of a schedd's ad before it has published one."""
    common = daemon(config, "SCHEDD")
    for name, value in (
        ("MyType", "Scheduler"),
        ("Name", common.schedd_name),
        ("Machine", common.host),
        ("MyAddress", common.address),
        ("ScheddIpAddr", common.address),
        ("CondorVersion", CONDOR_VERSION),
        ("CondorPlatform", common.platform),
    ):
        yield name, quote_string(value)
    yield "DetectedCpus", str(common.detected_cpus)
    yield "DetectedMemory", str(common.detected_memory)
    yield "MaxJobsRunning", str(config.integer("MAX_JOBS_RUNNING"))
    yield "StartLocalUniverse", config.expression("START_LOCAL_UNIVERSE")
    yield "StartSchedulerUniverse", config.expression("START_SCHEDULER_UNIVERSE")
    yield from common.attributes


def _policy_names(config: Config, knob: str) -> list[str]:
    return [name for name in config.list(knob) if name.upper() != "NAMES"]


def _transforms(config: Config, names: list[str], notes: list[str]) -> Iterator[tuple[str, str]]:
    for name in names:
        text = config.raw(f"JOB_TRANSFORM_{name}")
        if not text:
            notes.append(f"JOB_TRANSFORM_{name} not defined, ignoring.")
        else:
            yield name, config.expand(text) if text.lstrip().startswith("[") else text


def _requirements(config: Config, names: list[str], notes: list[str]) -> Iterator[Requirement]:
    for name in names:
        knob = f"SUBMIT_REQUIREMENT_{name}"
        expression, reason = config.expression(knob), config.expression(f"{knob}_REASON")
        if not expression:
            notes.append(f"Submit requirement {name} not defined, ignoring.")
            continue
        if not is_valid(expression):
            notes.append(f"Unable to parse submit requirement {name}, ignoring.")
            continue
        if reason and not is_valid(reason):
            notes.append(f"Unable to parse submit requirement reason {name}, ignoring.")
            reason = ""
        yield Requirement(name, expression, reason, config.boolean(f"{knob}_IS_WARNING", False))


def edit_rules(config: Config) -> EditRules:
    """Return the attributes of queued jobs that may not be changed: IMMUTABLE_, PROTECTED_ and SECURE_JOB_ATTRS."""

    def names(knob: str) -> frozenset[str]:
        return frozenset(word.lower() for prefix in ("", "SYSTEM_") for word in config.list(prefix + knob))

    return EditRules(
        immutable=names("IMMUTABLE_JOB_ATTRS"),
        protected=names("PROTECTED_JOB_ATTRS"),
        secure=names("SECURE_JOB_ATTRS"),
        refuse_secure=not config.boolean("IGNORE_ATTEMPTS_TO_SET_SECURE_JOB_ATTRS"),
    )


def rounding(config: Config) -> tuple[tuple[str, str], ...]:
    """Return attributes and their rules: the usual ones, and those for which the administrator has set one."""
    names = {name.lower(): name for name in _USUALLY_ROUNDED}
    for macro in config.macros:
        name = macro.name.rpartition(".")[2]
        if name.upper().startswith(_ROUNDING):
            names.setdefault(name[len(_ROUNDING) :].lower(), name[len(_ROUNDING) :])
    return tuple((name, rounding_rule(config, name)) for name in names.values())


def rounding_rule(config: Config, attribute: str) -> str:
    """Return the rule of an attribute: ``25%``, a number of zeros, or "" for none. ConfigError: it is neither."""
    knob = f"{_ROUNDING}{attribute}"
    text = config.string(knob).strip()
    number, is_percent = text.removesuffix("%"), text.endswith("%")
    try:
        valid = not text or (0 <= float(number) <= _MOST_PERCENT if is_percent else 0 <= int(number) <= _MOST_ZEROS)
    except ValueError:
        valid = False
    if not valid or (text and not text.isascii()):
        raise ConfigError(
            f"{knob}: {text!r} is neither a percentage such as 25% nor a number of zeros from 0 to 9", knob
        )
    return text
