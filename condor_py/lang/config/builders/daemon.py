"""Knobs of daemons in general and of the master."""

from __future__ import annotations

from condor_py.lang.config.build import build, parsed_expression
from condor_py.lang.config.settings import Config
from condor_py.model.errors import ConfigError
from condor_py.model.settings.daemon import DaemonSettings, LogSettings, Names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from condor_py.model.settings.master import Backoff, MailSettings, MasterSettings

#: Words of DAEMON_LIST that need no process here: the published ads are the collector, sockets are local.
BUILT_IN = frozenset({"MASTER", "COLLECTOR", "SHARED_PORT", "PROCD"})
#: Words whose work condor_credd does, unless their knobs name programs of the site.
CREDMONS = frozenset({"CREDMON_OAUTH", "CREDMON_KRB"})
KNOWN = ("SCHEDD", "NEGOTIATOR", "STARTD", "CREDD", "DEFRAG", "ROOSTER", "JOB_ROUTER", "GANGLIAD")
#: Our programs that are no daemons of this kind: they have no socket and no ad.
_OUR_PROGRAMS = {"ADSTASH": "$(LIBEXEC)/condor_adstash", "WEB": "$(BIN)/condor_web"}
#: The log of a daemon that was started with -t.
TERMINAL = "/dev/stderr"
#: The log of a daemon whose lines go to syslog.
SYSLOG = "SYSLOG"
#: Words of <SUBSYS>_DEBUG for what others show.
_SHOWN_BY = {"D_ALL": {"D_PID", "D_CAT"}, "D_CATEGORY": {"D_CAT"}, "D_LEVEL": {"D_CAT"}}
_LOG_NAMES = {
    "MASTER": "MasterLog",
    "SCHEDD": "SchedLog",
    "NEGOTIATOR": "NegotiatorLog",
    "STARTD": "StartLog",
    "CREDD": "CredLog",
    "CREDMON_OAUTH": "CredMonOAuthLog",
    "DEFRAG": "DefragLog",
    "JOB_ROUTER": "JobRouterLog",
    "ROOSTER": "RoosterLog",
    "GANGLIAD": "GangliadLog",
    "WEB": "WebLog",
    "STARTER": "StarterLog",
    "SHADOW": "ShadowLog",
    "NEGOTIATOR_MATCH": "MatchLog",
    "GRIDMANAGER": "GridmanagerLog",
    "DAGMAN": "default.dagman.out",
    "WRITELOG": "WritelogLog",
}


def debug_level(config: Config, subsystem: str, category: str) -> int:
    """Return the level of a category in <SUBSYS>_DEBUG: 0, 1, or 2 for ``D_X:2``."""
    import re

    words = _debug_words(config, subsystem)
    if category not in words:
        return 0
    found = re.search(rf"(?<![-\w]){category}(?::(\d))?(?!\w)", words)
    return min(2, int(found[1] or 1)) if found else 0


def _debug_words(config: Config, subsystem: str) -> str:
    own = config.string(f"{subsystem}_DEBUG") or config.string("DEFAULT_DEBUG")
    return f"{config.string('ALL_DEBUG')} {own}".upper()


def _shown(config: Config, subsystem: str) -> set[str]:
    """Return what log lines show: words of <SUBSYS>_DEBUG, of which a later ``-D_X`` or ``D_X:0`` takes one back."""
    shown: set[str] = set()
    for word in _debug_words(config, subsystem).replace(",", " ").replace("|", " ").split():
        name, _, level = word.removeprefix("+").removeprefix("-").partition(":")
        names = _SHOWN_BY.get(name) or {name}
        is_off = level[0] == "0" if level[:1].isdigit() else word[0] == "-"
        shown = shown - names if is_off else shown | names
    return shown


def log(config: Config, subsystem: str) -> LogSettings:
    """The log of a subsystem: <SUBSYS>_LOG, MAX_<SUBSYS>_LOG, MAX_NUM_<SUBSYS>_LOG, <SUBSYS>_DEBUG and what it looks
    like."""
    usual = _LOG_NAMES.get(subsystem, _LOG_NAMES["MASTER"])  # where programs of other names print to
    given = config.path(f"{subsystem}_LOG")
    path = given if given and given != SYSLOG else f"{config.path('LOG')}/{usual}"
    limit = f"MAX_{subsystem}_LOG"
    size, is_time = config.size(limit if config.string(limit) else "MAX_DEFAULT_LOG")
    flags = _shown(config, subsystem)
    as_number = "D_TIMESTAMP" in flags or config.boolean("LOGS_USE_TIMESTAMP")
    time_format = config.string("DEBUG_TIME_FORMAT").strip().strip('"') or LogSettings("").time_format
    return LogSettings(
        "" if path == TERMINAL else path,
        max_bytes=0 if is_time else size,
        keep=config.integer(f"MAX_NUM_{subsystem}_LOG", 1),
        max_age=size if is_time else 0,
        time_format="" if as_number else time_format,
        milliseconds="D_SUB_SECOND" in flags,
        pid="D_PID" in flags,
        truncate=config.boolean(f"TRUNC_{subsystem}_LOG_ON_OPEN", False),
        syslog=given == SYSLOG or config.boolean("LOG_TO_SYSLOG"),
        categories=frozenset(("D_TEST",) if debug_level(config, subsystem, "D_TEST") else ()),
        tells_category="D_CAT" in flags,
    )


def names(config: Config) -> Names:
    """Return the names of the pool, its daemons and its machine."""
    host = config.string("FULL_HOSTNAME")
    return Names(
        host=host,
        uid_domain=config.string("UID_DOMAIN") or host,
        file_system_domain=config.string("FILESYSTEM_DOMAIN") or host,
        schedd_name=_qualified(config.string("SCHEDD_NAME"), host),
        master_name=_qualified(config.string("MASTER_NAME"), host),
        startd_name=_qualified(config.string("STARTD_NAME"), host),
        address=address(config),
        first_cluster=config.integer("SCHEDD_CLUSTER_INITIAL_VALUE", 1),
    )


def daemon(config: Config, subsystem: str) -> DaemonSettings:
    """Names, address and log of one daemon."""
    known = names(config)
    return DaemonSettings(
        host=known.host,
        uid_domain=known.uid_domain,
        file_system_domain=known.file_system_domain,
        schedd_name=known.schedd_name,
        master_name=known.master_name,
        startd_name=known.startd_name,
        address=known.address,
        first_cluster=known.first_cluster,
        log=log(config, subsystem),
        platform=config.string("CondorPlatform"),
        update_interval=max(1, _update_interval(config, subsystem)),
        detected_cpus=config.integer("DETECTED_CPUS", 0),
        detected_memory=config.integer("DETECTED_MEMORY", 0),
        attributes=_attributes(config, subsystem),
        shutdown_when=parsed_expression(config, "DAEMON_SHUTDOWN"),
        shutdown_fast_when=parsed_expression(config, "DAEMON_SHUTDOWN_FAST"),
        ad_file=config.path(f"{subsystem}_DAEMON_AD_FILE"),
        is_public=config.boolean("PERSONAL_POOL_IS_PUBLIC"),
    )


_LONG_NUMBER = 18


def most_auto_memory(config: Config) -> int:
    """Megabytes that a request found from the history may have: AUTO_REQUEST_MEMORY_MAX, else what slots may have."""
    given = config.string("MEMORY")
    known = given.isdecimal() and len(given) < _LONG_NUMBER
    offered = int(given) if known else config.integer("DETECTED_MEMORY", 0) - config.integer("RESERVED_MEMORY")
    return config.integer("AUTO_REQUEST_MEMORY_MAX") or max(0, offered)


def _update_interval(config: Config, subsystem: str) -> int:
    """Seconds between two ads of a daemon."""
    return config.integer("SCHEDD_INTERVAL", 300) if subsystem == "SCHEDD" else config.integer("UPDATE_INTERVAL")


def _attributes(config: Config, subsystem: str) -> tuple[tuple[str, str], ...]:
    """Return what <SUBSYS>_ATTRS and its relatives put into a daemon's ad; those of the startd are of its slots."""
    if subsystem == "STARTD":
        return ()
    lists = (f"SYSTEM_{subsystem}_ATTRS", f"{subsystem}_ATTRS", f"{subsystem}_EXPRS")
    names = {name.lower(): name for knob in lists for name in config.list(knob)}
    found = (
        (name, parsed_expression(config, f"{subsystem}_{name}") or parsed_expression(config, name))
        for name in names.values()
    )
    return tuple((name, text) for name, text in found if text)


def mail(config: Config) -> MailSettings:
    """Return the settings with which e-mail is sent from this machine."""
    from condor_py.model.settings.master import MailSettings

    host = config.string("FULL_HOSTNAME")
    admin = config.string("CONDOR_ADMIN") or f"root@{host}"
    sendmail = config.path("SENDMAIL", "sendmail")
    support, signature = config.string("CONDOR_SUPPORT_EMAIL"), config.string("EMAIL_SIGNATURE")
    return MailSettings(host, sendmail, config.path("MAIL"), config.string("MAIL_FROM"), admin, support, signature)


def _qualified(name: str, host: str) -> str:
    """SCHEDD_NAME and STARTD_NAME get ``@host`` when they have no ``@``; without one the host is the name."""
    if not name:
        return host
    return name if "@" in name else f"{name}@{host}"


def address(config: Config) -> str:
    """The sinful string shown for this pool. Nothing listens on the port: everything here is a Unix socket."""
    alias = config.string("HOST_ALIAS")
    return f"<127.0.0.1:9618?addrs=127.0.0.1-9618&alias={alias}&noUDP&sock=condor_py>"


def programs(config: Config) -> dict[str, str]:
    """Return the programs of DAEMON_LIST that are not daemons of ours, by name: knobs that were set to their paths."""
    words = [word.upper() for word in config.list("DAEMON_LIST")]
    others = [word for word in words if word not in KNOWN and word not in BUILT_IN]
    paths = {word: _path_of(config, word) for word in others if word.isascii() and word.isidentifier()}
    return {word: path for word, path in paths.items() if path}


def _path_of(config: Config, name: str) -> str:
    """The program that a knob was set to, or ours; "" for none. Other defaults name programs of HTCondor."""
    if config.macros.get(name) is not None:
        return config.path(name).strip()
    return config.expand(_OUR_PROGRAMS[name]) if name in _OUR_PROGRAMS else ""


def listed(config: Config) -> list[str]:
    """Return the words of DAEMON_LIST, with what is included of itself."""
    words = [word.upper() for word in config.list("DAEMON_LIST")]
    includes_credd = config.boolean("AUTO_INCLUDE_CREDD_IN_DAEMON_LIST") and "SCHEDD" in words
    return [*words, "CREDD"] if includes_credd else words


def built_in(config: Config) -> frozenset[str]:
    """Return the words of DAEMON_LIST that need no process of their own, where they name no program of the site."""
    return BUILT_IN | CREDMONS if "CREDD" in listed(config) else BUILT_IN


def master(config: Config) -> tuple[MasterSettings, list[str]]:
    """The master's settings, and words of DAEMON_LIST that name no daemon we know."""
    from condor_py.model.settings.master import MasterSettings, ObituarySettings

    words = listed(config)
    others = programs(config)
    daemons = tuple(dict.fromkeys(word for word in words if word in KNOWN or word in others))
    unknown = [word for word in words if word not in daemons and word not in built_in(config)]
    names = (*KNOWN, *others)
    settings = build(
        MasterSettings,
        config,
        daemons=daemons,
        programs=others,
        backoffs={name: _backoff(config, name) for name in names},
        base_cgroup=config.string("BASE_CGROUP"),
        is_wanted=_says_yes(config, "START_MASTER"),
        starts_daemons=_says_yes(config, "START_DAEMONS"),
        preen=config.path("PREEN"),
        preen_arguments=_preen_arguments(config),
        obituaries=ObituarySettings(
            config.boolean("PUBLISH_OBITUARIES", True),
            config.integer("OBITUARY_LOG_LENGTH"),
            {name: config.string(f"{name}_ADMIN_EMAIL") for name in names},
        ),
        environments=_texts(config, names, "ENVIRONMENT"),
        arguments=_texts(config, names, "ARGS"),
        users=_texts(config, tuple(others), "USERID"),
    )
    return settings, unknown


def _preen_arguments(config: Config) -> tuple[str, ...]:
    from condor_py.model.arguments import ArgumentError, words_of

    try:
        return tuple(words_of(config.string("PREEN_ARGS")))
    except ArgumentError as error:
        raise ConfigError(f"PREEN_ARGS: {error}", "PREEN_ARGS") from None


def _texts(config: Config, names: tuple[str, ...], knob: str) -> dict[str, str]:
    """<NAME>_<knob> of the daemons for which it is set."""
    return {name: text for name in names if (text := config.string(f"{name}_{knob}").strip())}


def _says_yes(config: Config, name: str) -> bool:
    """A truth value of which, as in HTCondor, the first letter counts; true where it is not set."""
    letter = config.string(name).strip()[:1].lower()
    return letter in "ty" if letter in ("t", "y", "f", "n") else config.boolean(name, True)


def _backoff(config: Config, name: str) -> Backoff:
    """MASTER_<name>_BACKOFF_... and where there is none MASTER_BACKOFF_..."""
    from condor_py.model.settings.master import Backoff

    own = f"MASTER_{name}_"
    factors = (config.real(f"{own}BACKOFF_FACTOR", 0.0), config.real("MASTER_BACKOFF_FACTOR"), Backoff().factor)
    return Backoff(
        config.integer(f"{own}BACKOFF_CONSTANT", config.integer("MASTER_BACKOFF_CONSTANT")),
        next(factor for factor in factors if factor > 0.0),
        config.integer(f"{own}BACKOFF_CEILING", config.integer("MASTER_BACKOFF_CEILING")),
        config.integer(f"{own}RECOVER_FACTOR", config.integer("MASTER_RECOVER_FACTOR")),
    )


def shutdown_program(config: Config, name: str) -> str | None:
    """Return the text of ``MASTER_SHUTDOWN_<name>`` (maybe empty); None when there is no such knob."""
    knob = f"MASTER_SHUTDOWN_{name.upper()}"
    return None if config.raw(knob) is None else config.string(knob).strip()


def sign_of_life(config: Config) -> float:
    """Seconds between two signs of life that the schedd gives the startd: leases of 20 seconds have to be kept, so that
    ALIVE_INTERVAL counts only where it is short."""
    return float(max(1, min(config.integer("ALIVE_INTERVAL"), 5)))
