"""Finding and reading the configuration: root file, local directories and files, user file, environment."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable

from condor_py.lang.config.detected import MACHINE_DIRECTORIES, MACHINE_FILES, Detected, condor_home, is_of_machine
from condor_py.lang.config.params import PARAMS
from condor_py.lang.config.settings import DEFAULT, ENVIRONMENT, Config
from condor_py.lang.config.values import to_list
from condor_py.lang.macro import Assign, CommandFailed, Host, Macro, MacroSet, StatementError, StatementReader, Warning
from condor_py.model.copies import changed
from condor_py.model.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Mapping

    from condor_py.lang.config.dynamic import Dynamic

Read = Callable[[str], str]
#: Runs a command line: (exit code, output); OSError when it cannot be started.
Run = Callable[[str], "tuple[int, str]"]

ONLY_ENV = "ONLY_ENV"
_ENV_PREFIX = "_condor_"
_AUTO_USE = "auto_use_"
#: Daemons that start when nothing says otherwise, and to which ``$(DAEMON_LIST) X`` adds; a first role adds to MASTER.
DEFAULT_DAEMONS = "MASTER SCHEDD NEGOTIATOR STARTD"
#: Knobs with another default than the table's (DEFAULT_DAEMONS, config.installed): what is set counts always.
_COUNT_ALWAYS = ("DAEMON_LIST", "RELEASE_DIR", "SBIN", "LIBEXEC")


def read_text(path: str) -> str:
    """The text of a file; bytes that are not UTF-8 survive as surrogates. OSError when it cannot be read."""
    if "\0" in path:
        raise FileNotFoundError(errno.ENOENT, "a name with a zero byte", path)
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return file.read()


def run_command(command: str) -> tuple[int, str]:
    """Run a command line (words separated by spaces, or the quoted syntax of submit arguments) without a shell."""
    import subprocess

    done = subprocess.run(_words(command), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False)
    return done.returncode, done.stdout.decode("utf-8", "surrogateescape")


def _words(command: str) -> list[str]:
    import re

    text = command.strip()
    if not (len(text) > 1 and text[0] == text[-1] == '"'):
        return text.split()
    pattern = re.compile(r"(?:'((?:[^']|'')*)'|[^\s'])+")
    inner = text[1:-1].replace('""', '"')
    return [re.sub(r"'((?:[^']|'')*)'", _unquote, match[0]) for match in pattern.finditer(inner)]


def _unquote(match: re.Match[str]) -> str:
    return str(match[1]).replace("''", "'")


def find_root(environ: Mapping[str, str]) -> str:
    """The path of the root configuration: CONDOR_CONFIG, else the usual places; "" without one.

    ConfigError (two lines) when CONDOR_CONFIG names no file. ``ONLY_ENV`` is returned as it is.
    """
    named = environ.get("CONDOR_CONFIG")
    if named is not None:
        if named.upper() == ONLY_ENV:
            return ONLY_ENV
        header = "File specified in CONDOR_CONFIG environment variable:\n"
        if os.path.isdir(named):
            raise ConfigError(f'{header}"{named}" is a directory.  Please specify a file.')
        if not os.path.exists(named) and not named.rstrip().endswith("|"):
            raise ConfigError(f'{header}"{named}" does not exist.')
        return named
    home = condor_home()
    candidates = [*MACHINE_FILES, f"{home}/condor_config"] if home else list(MACHINE_FILES)
    for path in candidates:
        if os.access(path, os.R_OK):
            return path
    return ""


def load(
    environ: Mapping[str, str],
    *,
    subsystem: str = "TOOL",
    local_name: str | None = None,
    root: str | None = None,
    defaults: Mapping[str, str] | None = None,
    read: Read = read_text,
    run: Run = run_command,
    trace: Callable[[Macro], None] | None = None,
    dynamic: Dynamic | None = None,
    keep_defaults: bool = False,
    last: str | None = None,
) -> Config:
    """The configuration as ``environ`` and the files that it leads to say.

    ``root`` names the first file (as CONDOR_CONFIG does otherwise); ``defaults`` replace those of the
    table, by name. Where nothing sets LOCAL_DIR, the directories are those of the machine's pool (``is_of_machine``) or
    of a personal pool below the user's state directory.
    ``trace`` gets every setting that another one replaces. ``dynamic`` are the settings of run time (by default the
    persistent ones of ``subsystem``); ``keep_defaults`` keeps settings that only repeat the default as settings;
    ``last`` is a file that is read after all other files and the environment.
    ConfigError names file and line.
    """
    source = find_root(environ) if root is None else root
    only_env = source.upper() == ONLY_ENV
    source = "" if only_env else source
    loader = _Loader(environ, subsystem, local_name or "", source, dict(defaults or {}), read, run, trace)
    loader.keep_defaults = keep_defaults
    loader.read_files(only_env)
    loader.read_environment()
    loader.settle_directories()
    if last is not None:
        loader.read_last(last)
    loader.read_dynamic(dynamic)
    loader.use_automatic()
    return loader.finish()


class _Loader:
    """One run of ``load``."""

    def __init__(
        self,
        environ: Mapping[str, str],
        subsystem: str,
        local_name: str,
        root: str,
        defaults: dict[str, str],
        read: Read,
        run: Run,
        trace: Callable[[Macro], None] | None,
    ) -> None:
        self._read = read
        self._run = run
        self._trace = trace
        self.keep_defaults = False
        self.environ = environ
        self._given = {name.lower(): value for name, value in defaults.items()}
        detected = Detected(subsystem, local_name, environ, read, root)
        machine = MACHINE_DIRECTORIES if is_of_machine(root, environ) else {}
        self.config = Config(detected, MacroSet(), {"daemon_list": DEFAULT_DAEMONS, **machine, **self._given})
        self._host = Host(
            lookup=self.config.raw,
            expand=self.config.expand,
            read=read,
            run=self._included,
            save=_save,
            template=_template,
            prefixes=self.config.prefixes,
            opened=self.config.files.append,
            similar=_similar,
            env=environ,
        )

    def _included(self, command: str) -> str:
        """The output of a command that an include names."""
        code, text = self._run(command)
        if code:
            raise CommandFailed(code, text)
        return text

    def read_files(self, only_env: bool) -> None:
        """Read the root file and all that it leads to; with ``only_env`` only LOCAL_CONFIG_FILE of the environment."""
        config = self.config
        if config.root:
            config.files.append(config.root)
            self._source(config.root, "global config source", required=True)
        directories = config.string("LOCAL_CONFIG_DIR")
        if not only_env:
            self._directories(directories)
        self._locals()
        changed = config.string("LOCAL_CONFIG_DIR")
        if not only_env and changed != directories:
            self._directories(changed)
        if not only_env:
            self._user_file()

    def read_last(self, path: str) -> None:
        """Read one more file, which must be there."""
        self._source(path, "config source", required=True)
        self.config.files.append(path)

    def _source(self, path: str, kind: str, *, required: bool, knob: str = "") -> None:
        """Read one file, or the output of a command that ends in ``|``; ``knob`` is the one that names it."""
        piped = path.rstrip().endswith("|")
        try:
            if piped:
                code, text = self._run(path.rstrip("| "))
            else:
                code, text = 0, self._read(path)
        except OSError as error:
            if required:
                origin = self.config.source(knob) if knob else None
                place = f" ({knob} of {origin.source}, line {origin.line})" if origin and origin.line else ""
                raise ConfigError(f"ERROR: Can't read {kind} {path}{place}") from error
            return
        self._statements(text, path, kind)
        if code:
            raise ConfigError(f'Error "{path}": command terminated with exit code {code}')

    def _statements(self, text: str, name: str, kind: str) -> None:
        try:
            self._take(text, name)
        except StatementError as error:
            raise ConfigError(
                f"Configuration Error Line {error.line} while reading {kind} {error.source}: {error.reason}"
            ) from error

    def _take(self, text: str, name: str) -> None:
        """Carry out the statements of ``text``; StatementError for a bad one."""
        for statement in StatementReader(text, name, self._host):
            if isinstance(statement, Assign):
                self._set(statement)
            elif isinstance(statement, Warning):
                origin = statement.origin
                where = f'Config source Warning "{origin.source}", Line {origin.line}:'
                self.config.warnings.append(f"{' Warning :' if origin.template else where} {statement.text}")

    def _set(self, statement: Assign) -> None:
        """Store a setting. One that only repeats the default is not stored, so that its source stays the default."""
        config = self.config
        known = config.macros.get(statement.name)
        if known is not None:
            if self._trace is not None:
                self._trace(known)
        elif not self.keep_defaults and statement.name.lower() not in config.defaults and _repeats_default(statement):
            return
        value = statement.value
        if known is None and statement.name.lower() == "daemon_list" and statement.origin.template.startswith("ROLE:"):
            value = value.replace(DEFAULT_DAEMONS, "MASTER", 1)
        config.macros.set(statement.name, value, statement.origin)

    def _directories(self, names: str) -> None:
        required = self._required()
        for directory in to_list(names):
            for path in self._directory(directory):
                self._source(path, "config source", required=required, knob="LOCAL_CONFIG_DIR")
                self.config.files.append(path)

    def _required(self) -> bool:
        text = self.config.string("REQUIRE_LOCAL_CONFIG_FILE", "true").strip().lower()
        return text not in ("false", "f", "no", "n", "0")

    def _directory(self, directory: str) -> list[str]:
        """The configuration files of a directory, sorted by name; none when it is not there."""
        import re

        pattern = self.config.string("LOCAL_CONFIG_DIR_EXCLUDE_REGEXP")
        try:
            excluded = re.compile(pattern) if pattern else None
        except re.error as error:
            raise ConfigError(
                f"LOCAL_CONFIG_DIR_EXCLUDE_REGEXP is not a valid regular expression: {pattern} ({error})"
            ) from error
        try:
            with os.scandir(directory) as entries:
                names = [entry.name for entry in entries if not entry.is_dir()]
        except OSError:
            return []
        kept = sorted(name for name in names if not (excluded and excluded.search(name)))
        return [os.path.join(directory, name) for name in kept]

    def _locals(self) -> None:
        """Read the files of LOCAL_CONFIG_FILE; where one changes the list, the rest of the new list counts."""
        config = self.config
        required = self._required()
        text = config.string("LOCAL_CONFIG_FILE")
        done: list[str] = []
        pending = _sources(text)
        while pending:
            path = pending.pop(0)
            config.files.append(path)
            self._source(path, "config source", required=required, knob="LOCAL_CONFIG_FILE")
            done.append(path)
            now = config.string("LOCAL_CONFIG_FILE")
            if now != text and now:
                text = now
                pending = [name for name in _sources(now) if name not in done]

    def _user_file(self) -> None:
        """Read the user's own file, ~/.condor/user_config by default; root has none."""
        name = self.config.string("USER_CONFIG_FILE")
        if not name or os.geteuid() == 0:
            return
        home = "" if name.startswith("/") else account_home()
        path = os.path.join(home, ".condor", name) if home else name
        if path.startswith("/") and os.access(path, os.R_OK):
            self._source(path, "user_config source", required=False)
            self.config.files.append(path)

    def read_environment(self) -> None:
        """Take over the variables ``_CONDOR_NAME`` (in any case) of the environment."""
        from condor_py.lang.macro import expand_self

        config = self.config
        for variable, value in self.environ.items():
            if variable[: len(_ENV_PREFIX)].lower() != _ENV_PREFIX:
                continue
            name = variable[len(_ENV_PREFIX) :].rstrip()
            if name:
                text = expand_self(value.lstrip(), name, config.raw, prefixes=config.prefixes, env=self.environ)
                config.macros.set(name, text, ENVIRONMENT)

    def settle_directories(self) -> None:
        """Let the directories of the machine count together or not at all: where LOCAL_DIR is set, all are below it."""
        config = self.config
        origin = config.source("LOCAL_DIR")
        if origin is not None and origin != DEFAULT:
            for name in MACHINE_DIRECTORIES.keys() - self._given.keys():
                config.defaults.pop(name, None)

    def read_dynamic(self, dynamic: Dynamic | None) -> None:
        """Take over the settings that the process received at run time; ``None`` means its persistent settings."""
        from condor_py.lang.config.dynamic import Dynamic, persistent_path, pieces

        config = self.config
        if dynamic is None:
            dynamic = Dynamic(persistent_path(config))
        for piece in pieces(dynamic):
            try:
                for statement in StatementReader(piece.text, piece.source, self._host):
                    if isinstance(statement, Assign):
                        origin = changed(statement.origin, line=piece.line)
                        config.macros.set(statement.name, statement.value, origin)
            except StatementError as error:
                raise ConfigError(f"Configuration Error while reading {piece.source}: {error.reason}") from error

    def use_automatic(self) -> None:
        """Read the templates that a true AUTO_USE_<category>_<template> asks for, after all else.

        What is wrong with such a knob is a warning only.
        """
        asked = [macro.name for macro in self.config.macros if macro.name.lower().startswith(_AUTO_USE)]
        for name in sorted(asked, key=str.lower):
            category, _, template = name[len(_AUTO_USE) :].partition("_")
            condition = " ".join(self.config.string(name).split())
            if condition and template:
                try:
                    self._take(f"if {condition}\nuse {category} : {template}\nendif\n", name)
                except StatementError as error:
                    self.config.warnings.append(f"Configuration error while interpreting {name} : {error.reason}")

    def finish(self) -> Config:
        """Fill in what depends on everything that was read."""
        config = self.config
        host = config.string("NETWORK_HOSTNAME")
        domain_name = config.string("DEFAULT_DOMAIN_NAME")
        if domain_name and "." not in (host or config.string("FULL_HOSTNAME")):
            host = f"{host or config.string('HOSTNAME')}.{domain_name}"
        if host:
            config.detected.name_host(host)
        for domain in ("UID_DOMAIN", "FILESYSTEM_DOMAIN"):
            if domain in config.macros and not config.string(domain):
                config.macros.unset(domain)
        return config


def _repeats_default(statement: Assign) -> bool:
    """Whether a setting says what HTCondor's table and ours say without it."""
    param = PARAMS.get(statement.name.lower())
    if param is None or param[0] in _COUNT_ALWAYS or "." in param[0]:
        return False
    default, value = param[1], statement.value
    same = value == default or (value.lower() == default.lower() and value.lower() in ("true", "false"))
    return same and not _differs_in_htcondor(param[0])


def account_home() -> str:
    """The home directory of the user's account (not $HOME, as in HTCondor); "" without an account."""
    import pwd

    try:
        return pwd.getpwuid(os.geteuid()).pw_dir
    except KeyError:
        return ""


def _template(category: str, name: str) -> str | None:
    from condor_py.lang.config.templates import template

    return template(category, name)


def _similar(category: str, name: str) -> str:
    from condor_py.lang.config.templates import similar

    return similar(category, name)


def _differs_in_htcondor(name: str) -> bool:
    from condor_py.lang.config.shown import differs

    return differs(name)


def _save(path: str, text: str) -> None:
    """Write the cache of an include at once: others who read it meanwhile see all of it or nothing."""
    folder, name = os.path.split(path)
    own = os.path.join(folder, f".{name}.{os.getpid()}")
    try:
        with open(own, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
        os.replace(own, path)
    except OSError:
        if os.path.exists(own):
            os.unlink(own)
        raise


def _sources(text: str) -> list[str]:
    return [text] if "|" in text else to_list(text)
