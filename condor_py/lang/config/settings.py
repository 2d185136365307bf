"""The settings of one process: raw text by name through the layers, expansion, and typed access."""

from __future__ import annotations

from condor_py.lang.config import detected as automatic
from condor_py.lang.config import installed, values
from condor_py.lang.config.params import PARAMS, Param
from condor_py.lang.macro import Expander, MacroError, MacroSet, Origin
from condor_py.model.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from condor_py.lang.config.detected import Detected

DEFAULT = Origin("<Default>")
DETECTED = Origin("<Detected>")
ENVIRONMENT = Origin("<Environment>")
OVERRIDE = Origin("<Over>")

_KINDS = {"i": "an integer", "r": "a number", "b": "True or False", "z": "a size"}


class Setting:
    """The source of a value: ``name`` as it was found (``SCHEDD.X`` for a prefixed one), ``raw`` its text."""

    __slots__ = ("name", "origin", "raw")

    def __init__(self, name: str, raw: str, origin: Origin) -> None:
        self.name = name
        self.raw = raw
        self.origin = origin

    @property
    def place(self) -> str:
        """``FILE, line N`` and the template with its line; ``<Default>`` and the like without a line."""
        origin = self.origin
        if origin in (DEFAULT, DETECTED, ENVIRONMENT, OVERRIDE):
            return origin.source
        place = f"{origin.source}, line {origin.line}"
        if not origin.template:
            return place
        from condor_py.lang.config.templates import spelled

        return f"{place}, use {spelled(origin.template)}+{origin.offset}"


class Config:
    """The configuration of one process (made by ``load``).

    A name is looked up with each of ``prefixes`` and a dot, then as it is, each first among the settings
    and then in the table of defaults. ``files`` are the configuration files in the order in which they
    were read, ``root`` the first of them ("" without one), ``warnings`` lines for the user that
    stop nothing. ``defaults`` are the defaults of this process that differ from the table, by lower-case name.
    ``uses`` counts how often a value was asked for, ``references`` how often one was put into another, by lower-case
    name.
    """

    # A plain class: importing dataclasses would cost every tool some milliseconds.
    __slots__ = (
        "defaults",
        "detected",
        "environ",
        "files",
        "local_name",
        "macros",
        "references",
        "root",
        "subsystem",
        "uses",
        "warnings",
    )

    def __init__(self, detected: Detected, macros: MacroSet, defaults: dict[str, str]) -> None:
        self.subsystem = detected.subsystem
        self.local_name = detected.local_name
        self.environ: Mapping[str, str] = detected.environ
        self.root = detected.root_config
        self.detected = detected
        self.macros = macros
        self.defaults = defaults
        self.files: list[str] = []
        self.warnings: list[str] = []
        self.uses: dict[str, int] = {}
        self.references: dict[str, int] = {}

    def seen_by(self, subsystem: str) -> Config:
        """A copy of these settings for the daemon ``subsystem``: its prefixed ones and its automatic macros count."""
        detected = automatic.Detected(subsystem, self.local_name, self.environ, self.detected.read, self.root)
        detected.name_host(self.string("FULL_HOSTNAME"))
        copy = Config(detected, self.macros.copy(), dict(self.defaults))
        copy.files = list(self.files)
        return copy

    @property
    def prefixes(self) -> tuple[str, ...]:
        """The prefixes with which ``X`` is first looked up: ``SUBSYSTEM.LOCALNAME``, local name, subsystem; those that
        are set."""
        local, subsystem = self.local_name, self.subsystem
        if not local:
            return (subsystem,) if subsystem else ()
        return (f"{subsystem}.{local}", local, subsystem) if subsystem else (local,)

    def setting(self, name: str) -> Setting | None:
        """Return the setting that gives the value of ``name``; None when it is not defined at all."""
        key = name.lower()
        for prefix in self.prefixes:
            found = self._exact(f"{prefix}.{name}", f"{prefix.lower()}.{key}")
            if found is not None:
                return found
        return self._exact(name, key)

    def _exact(self, name: str, key: str) -> Setting | None:
        fixed = self.detected.fixed(key)
        if fixed is not None:
            return Setting(automatic.canonical(key) or name, fixed, DETECTED)
        macro = self.macros.get(key)
        if macro is not None:
            return Setting(macro.name, macro.value, macro.origin)
        initial = self.detected.initial(key)
        if initial is not None:
            return Setting(automatic.canonical(key) or name, initial, DETECTED)
        param = _row(key)
        own = self.defaults.get(key)
        if own is None and key in installed.OWN and "release_dir" not in self.macros:
            own = installed.default(key)
        if own is not None:
            return Setting(param[0] if param else name, own, DEFAULT)
        return None if param is None else Setting(param[0], param[1], DEFAULT)

    def default(self, name: str) -> str | None:
        """The default text of ``name``, whatever it is set to; None without one."""
        for key in (*(f"{prefix}.{name}".lower() for prefix in self.prefixes), name.lower()):
            if key in self.defaults:
                return self.defaults[key]
            row = _row(key)
            if row is not None:
                return row[1]
        return None

    def raw(self, name: str) -> str | None:
        """The unexpanded text of ``name``; None when it is not defined."""
        found = self.setting(name)
        return None if found is None else found.raw

    def source(self, name: str) -> Origin | None:
        """The file and line that set ``name`` (``<Default>`` and the like otherwise); None when it is not defined."""
        found = self.setting(name)
        return None if found is None else found.origin

    def take_back(self, name: str, former: Config) -> bool:
        """Give ``name`` (as an error names it) the setting that it has in ``former``; whether that changed anything."""
        before, after = former.macros.get(name), self.macros.get(name)
        if (before and before.value) == (after and after.value):
            return False
        if before is None:
            self.macros.unset(name)
        else:
            self.macros.set(before.name, before.value, before.origin)
        return True

    def pin(self, name: str, former: Config) -> bool:
        """Give ``name`` the expanded value that it has in ``former``; whether that changed it."""
        value = former.string(name)
        if self.raw(name) == value:
            return False
        self.macros.set(name, value, former.source(name) or DEFAULT)
        return True

    def names(self) -> list[str]:
        """Every name that has a value or a default, sorted without regard to case."""
        from condor_py.lang.config.table import with_defaults

        found = dict(with_defaults())
        found.update((name.lower(), name) for name in automatic.names())
        found.update((macro.name.lower(), found.get(macro.name.lower(), macro.name)) for macro in self.macros)
        return [found[key] for key in sorted(found)]

    def expand(self, text: str, *, directory: str = "") -> str:
        """``text`` with its macros expanded; ConfigError when that does not end or a macro function is misused."""
        if "$" not in text:
            return text
        return Expander(self._referred, env=self.environ, directory=directory).expand(text)

    def _referred(self, name: str) -> str | None:
        key = name.lower()
        self.references[key] = self.references.get(key, 0) + 1
        return self.raw(name)

    def expanded(self, name: str) -> str | None:
        """The expanded value of ``name``; None when it is not defined or empty."""
        key = name.lower()
        self.uses[key] = self.uses.get(key, 0) + 1
        found = self.setting(name)
        if found is None:
            return None
        if "$" not in found.raw:
            return found.raw or None
        try:
            return self.expand(found.raw) or None
        except MacroError as error:
            raise ConfigError(f"{_place(found)}: {error}", found.name) from error

    def string(self, name: str, default: str = "") -> str:
        """The expanded value of ``name``, ``default`` when it is not defined or empty."""
        value = self.expanded(name)
        return default if value is None else value

    def expression(self, name: str, default: str = "") -> str:
        """The text of a knob that holds a ClassAd expression (not evaluated), ``default`` when it is not defined."""
        return self.string(name, default)

    def list(self, name: str) -> list[str]:
        """The items of ``name``, separated by commas or white space."""
        return values.to_list(self.string(name))

    def path(self, name: str, default: str = "") -> str:
        """The path ``name`` without doubled slashes, ``default`` when it is not defined."""
        value = self.string(name, default)
        while "//" in value:
            value = value.replace("//", "/")
        return value

    def integer(self, name: str, default: int | None = None) -> int:
        """The value of ``name`` as an integer; it may be a ClassAd expression.

        ``default`` (else the table's default) when it is not defined. ConfigError when it is not an
        integer or outside the range of the table.
        """
        text = self._typed(name)
        if text is None:
            if default is None:
                raise ConfigError(f"{name} is not defined: set it to an integer")
            return default
        value = values.to_integer(text, _evaluate)
        if value is None:
            raise self._bad(name, text, "i")
        return int(self._in_range(name, text, value))

    def real(self, name: str, default: float | None = None) -> float:
        """The value of ``name`` as a real; as ``integer`` otherwise."""
        text = self._typed(name)
        if text is None:
            if default is None:
                raise ConfigError(f"{name} is not defined: set it to a number")
            return default
        value = values.to_real(text, _evaluate)
        if value is None:
            raise self._bad(name, text, "r")
        return self._in_range(name, text, value)

    def boolean(self, name: str, default: bool | None = None) -> bool:
        """The value of ``name`` as a truth value; as ``integer`` otherwise."""
        text = self._typed(name)
        if text is None:
            if default is None:
                raise ConfigError(f"{name} is not defined: set it to True or False")
            return default
        value = values.to_boolean(text, _evaluate)
        if value is None:
            raise self._bad(name, text, "b")
        return value

    def size(self, name: str, default: int | None = None) -> tuple[int, bool]:
        """The value of ``name`` as (bytes, False), or as (seconds, True) when it has a unit of time (log rotation)."""
        text = self._typed(name)
        if text is None:
            if default is None:
                raise ConfigError(f"{name} is not defined: set it to a size such as 10 Mb")
            return default, False
        value = values.to_size(text)
        if value is None:
            raise self._bad(name, text, "z")
        return value

    def _typed(self, name: str) -> str | None:
        """The expanded text of ``name``, else that of its default, None without either."""
        text = self.expanded(name)
        if text is not None:
            return text
        standard = self.default(name)
        return (self.expand(standard) or None) if standard else None

    def _in_range(self, name: str, text: str, value: float) -> float:
        param = self._param(name)
        if param is None:
            return value
        low, high = param[3], param[4]
        if (low is not None and value < low) or (high is not None and value > high):
            raise self._bad(name, text, param[2])
        return value

    def _param(self, name: str) -> Param | None:
        for key in (*(f"{prefix}.{name}".lower() for prefix in self.prefixes), name.lower()):
            row = _row(key)
            if row is not None:
                return row
        return None

    def _bad(self, name: str, text: str, kind: str) -> ConfigError:
        found = self.setting(name)
        where = _place(found) if found else name
        param = self._param(name)
        wanted = _KINDS.get(kind, "a number")
        if kind in ("i", "r"):
            wanted += " or an expression that evaluates to one"
        if param is not None and kind in ("i", "r"):
            wanted += _range_text(param)
        hint = f" (default {param[1]})" if param is not None and param[1] else ""
        return ConfigError(f"{where}: {text!r} is not valid, it must be {wanted}{hint}", found.name if found else name)


def _row(key: str) -> Param | None:
    """The default, kind and range of a knob by its lower-case name; None for one without a default."""
    param = PARAMS.get(key)
    if param is not None or "." in key:  # the others have no knob of one daemon alone
        return param
    from condor_py.lang.config.table import other

    return other(key)


def _place(found: Setting) -> str:
    """``NAME ("file", line N)``, or ``NAME (<Environment>)``."""
    origin = found.origin
    where = f'"{origin.source}", line {origin.line}' if origin.line else origin.source
    return f"{found.name} ({where})"


def _range_text(param: Param) -> str:
    low, high = param[3], param[4]
    if low is not None and high is not None:
        return f" from {low:g} to {high:g}"
    if low is not None:
        return f" of at least {low:g}"
    return f" of at most {high:g}" if high is not None else ""


def _evaluate(text: str) -> object:
    from condor_py.lang.macro.evaluate import classad_evaluate

    return classad_evaluate(text)
