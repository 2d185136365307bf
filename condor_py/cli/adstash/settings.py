"""The settings of condor_adstash: what knobs, the environment and the command line say, in this order."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from condor_py.cli.options import EXACT, Args, Opt
from condor_py.model.errors import CondorError

if TYPE_CHECKING:
    from condor_py.lang.config import Config

INTERFACES = ("null", "elasticsearch", "opensearch", "jsonfile")
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
_SOURCES = "Sources"
_HISTORIES = "Histories"
_ENGINE = "Search engine"
_FILES = "JSON files"
_TRUE, _FALSE = ("true", "yes", "1"), ("false", "no", "0")


class Row(NamedTuple):
    """One setting: its name as an option, the end of the names of its knob and its environment variable, what its value
    is called ("" for a switch), and what it is for. Its default is that of the knob ADSTASH_<knob>."""

    name: str
    knob: str
    value: str
    help: str
    group: str = "Options"
    #: Whether --es_NAME and <NAME>_ES_... mean it, too.
    engine: bool = False
    #: The default under another process name; None if it is the same.
    other: str | None = None

    @property
    def is_number(self) -> bool:
        """Whether the value is a whole number."""
        return self.value in ("SECONDS", "NUM_ADS", "NUM_DOCS", "THREADS")

    @property
    def option(self) -> str:
        """Name of the option: a switch that is on without it is turned off by it."""
        return "se_no_log_mappings" if self.name == "se_log_mappings" else self.name

    @property
    def ends(self) -> list[str]:
        """The ends of the names of its knobs and variables: the usual one, then that for Elasticsearch."""
        return [self.knob, self.knob.replace("SE_", "ES_", 1)] if self.engine else [self.knob]


ROWS = (
    Row("sample_interval", "SAMPLE_INTERVAL", "SECONDS", "time between two looks; at least 20"),
    Row("checkpoint_file", "CHECKPOINT_FILE", "PATH", "the file that says what has been sent"),
    Row("log_file", "LOG", "PATH", "the log"),
    Row("log_level", "LOG_LEVEL", "LEVEL", "CRITICAL, ERROR, WARNING, INFO or DEBUG"),
    Row("threads", "NUM_THREADS", "THREADS", "accepted; the files of one machine are read by one thread"),
    Row("interface", "INTERFACE", "INTERFACE", "null, elasticsearch, opensearch or jsonfile", other="null"),
    Row("schedd_history", "SCHEDD_HISTORY", "", "send the jobs that left the queue", _SOURCES),
    Row("startd_history", "STARTD_HISTORY", "", "send the jobs that ran here (STARTD_HISTORY)", _SOURCES),
    Row("schedd_job_epoch_history", "SCHEDD_JOB_EPOCH_HISTORY", "", "send each run of the jobs", _SOURCES),
    Row("schedd_transfer_epoch_history", "SCHEDD_TRANSFER_EPOCH_HISTORY", "",
        "send each transfer of files by plugins", _SOURCES),
    Row("ad_file", "AD_FILE", "PATH", "send the ads of this file, once, and no history", _SOURCES),
    Row("collectors", "READ_POOLS", "COLLECTORS", "the pools, with commas; this machine's is the only one", _HISTORIES),
    Row("schedds", "READ_SCHEDDS", "SCHEDDS", "names of schedds to read, with commas", _HISTORIES),
    Row("startds", "READ_STARTDS", "STARTDS", "names of machines to read, with commas", _HISTORIES),
    Row("schedd_history_max_ads", "SCHEDD_HISTORY_MAX_ADS", "NUM_ADS",
        "read no more ads of the schedd at a time", _HISTORIES),
    Row("startd_history_max_ads", "STARTD_HISTORY_MAX_ADS", "NUM_ADS",
        "read no more ads of the startd at a time", _HISTORIES),
    Row("schedd_history_timeout", "SCHEDD_HISTORY_TIMEOUT", "SECONDS",
        "accepted; files of this machine are read without waiting for a daemon", _HISTORIES, other="120"),
    Row("startd_history_timeout", "STARTD_HISTORY_TIMEOUT", "SECONDS",
        "accepted; files of this machine are read without waiting for a daemon", _HISTORIES, other="120"),
    Row("schedd_history_projection", "SCHEDD_HISTORY_PROJECTION", "ATTRIBUTES",
        "send these attributes of the schedd's ads only, with commas", _HISTORIES),
    Row("startd_history_projection", "STARTD_HISTORY_PROJECTION", "ATTRIBUTES",
        "send these attributes of the startd's ads only, with commas", _HISTORIES),
    Row("se_host", "SE_HOST", "HOST[:PORT]", "where it listens", _ENGINE, engine=True, other="localhost:9200"),
    Row("se_url_prefix", "SE_URL_PREFIX", "PREFIX", "what its paths begin with", _ENGINE),
    Row("se_username", "SE_USERNAME", "USERNAME",
        "the account; its password is in <NAME>_SE_PASSWORD_FILE", _ENGINE, engine=True),
    Row("se_use_https", "SE_USE_HTTPS", "", "use HTTPS", _ENGINE, engine=True),
    Row("se_timeout", "SE_TIMEOUT", "SECONDS", "how long an answer may take", _ENGINE, engine=True, other="120"),
    Row("se_bunch_size", "SE_BUNCH_SIZE", "NUM_DOCS", "documents that are sent together", _ENGINE, engine=True),
    Row("se_index_name", "SE_INDEX_NAME", "INDEX_NAME",
        "the index, which is made if it does not exist, or its alias", _ENGINE, engine=True),
    Row("se_ca_certs", "SE_CA_CERTS", "PATH", "certificates of authorities; else the system's", _ENGINE, engine=True),
    Row("se_log_mappings", "SE_LOG_MAPPINGS", "", "write the mappings of the index next to the log", _ENGINE),
    Row("json_dir", "JSON_DIR", "PATH", "where the files go, which are named by the time", _FILES, other=""),
)  # fmt: skip
#: The variable <NAME>_STANDALONE means --standalone.
_STANDALONE = Row("standalone", "STANDALONE", "", "read the histories once")
USUAL_NAME = "ADSTASH"


def options(shown: Mapping[str, Any] | None = None) -> tuple[Opt, ...]:
    """The options; ``shown`` are the values in force, which the help names."""
    found = []
    for row in ROWS:
        default = "" if shown is None or shown.get(row.name) in ("", None) else f" [default: {shown[row.name]}]"
        name, value = row.option, row.value or None
        text = row.help + default if name == row.name else "do not " + row.help
        takes = ""
        if row.value == "PATH":
            takes = "dir" if name == "json_dir" else "file"
        found.append(Opt(name, EXACT, value, text, group=row.group, takes=takes, dash_value=row.is_number))
        if row.engine:
            found.append(Opt(f"es_{name.removeprefix('se_')}", EXACT, value, same_as=name, hidden=True))
    found.append(Opt("se_password", EXACT, "PASSWORD", "the password, which every account can see", hidden=True))
    found.append(Opt("es_password", EXACT, "PASSWORD", same_as="se_password", hidden=True))
    return tuple(found)


def read(args: Args, config: Config, environment: Mapping[str, str]) -> dict[str, Any]:
    """Return the value of every setting by its name, ``standalone`` and ``se_password``. CondorError names what is
    wrong."""
    process = args.text("process_name") or USUAL_NAME
    found: dict[str, Any] = {}
    for row in ROWS:
        text, where = _find(row, process, args, config, environment)
        found[row.name] = _value(row, text.strip(), where)
    variable = f"{process}_{_STANDALONE.knob}"
    found["standalone"] = args.has("standalone") or _value(_STANDALONE, environment.get(variable, "false"), variable)
    found["log_level"] = found["log_level"] or _level(config.string(f"{process}_DEBUG"))
    found["json_dir"] = found["json_dir"] or os.getcwd()
    found["se_password"] = args.text("se_password") or _password(process, config, environment)
    return found


def _find(row: Row, process: str, args: Args, config: Config, environment: Mapping[str, str]) -> tuple[str, str]:
    """Return the text of a setting, and the knob, variable or option that it is from. Each overrides those before."""
    names = [f"{process}_{end}" for end in row.ends]
    text, where = config.expand(_default(row, process, config)), names[0]
    if row.name != "log_level":  # the knob for it is <NAME>_DEBUG
        for name in names:
            if config.string(name):
                text, where = config.string(name), name
    for name in reversed(names):
        if name in environment:
            text, where = environment[name], name
    if args.has(row.option):
        text = args.text(row.option, "") if row.value else str(row.option == row.name)
        where = f"--{row.option}"
    return text, where


def _default(row: Row, process: str, config: Config) -> str:
    if process != USUAL_NAME and row.other is not None:
        return row.other
    return config.default(f"{USUAL_NAME}_{row.knob}") or ""


def _value(row: Row, text: str, where: str) -> Any:
    if row.is_number:
        try:
            return int(text)
        except ValueError:
            raise CondorError(f"condor_adstash: {where} must be an integer (got: {text})") from None
    if not row.value:
        if text.lower() not in (*_TRUE, *_FALSE):
            raise CondorError(f"condor_adstash: {where} must be a boolean (got: {text})")
        return text.lower() in _TRUE
    if row.name == "interface" and text.lower() not in INTERFACES:
        raise CondorError(
            f"condor_adstash: {where}: Unknown interface selected: {text}.\nChoose from: {', '.join(INTERFACES)}."
        )
    if row.name == "log_level" and text and text.upper() not in LEVELS:
        raise CondorError(f"condor_adstash: {where}: Invalid log level: {text}")
    return {"interface": text.lower(), "log_level": text.upper()}.get(row.name, text)


def _level(debug: str) -> str:
    """The level that <NAME>_DEBUG asks for."""
    flags = set(debug.replace(",", " ").split())
    if flags & {"D_FULLDEBUG:2", "D_ALL:2"}:
        return "DEBUG"
    return "INFO" if flags & {"D_FULLDEBUG", "D_ALL"} else "WARNING"


def _password(process: str, config: Config, environment: Mapping[str, str]) -> str:
    for end in ("SE_PASSWORD", "ES_PASSWORD"):
        if environment.get(f"{process}_{end}"):
            return environment[f"{process}_{end}"]
    path = config.path(f"{process}_ES_PASSWORD_FILE") or config.path(f"{process}_SE_PASSWORD_FILE")
    if not path:
        return ""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            password = file.read(4096).split("\n")[0]
    except OSError as error:
        raise CondorError(f"condor_adstash: cannot read the password file {path}: {error.strerror}") from None
    if not password:
        raise CondorError(f"condor_adstash: Got empty string from password file {path}")
    return password
