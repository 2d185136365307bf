"""Declare settings: classes whose fields name their knobs, each with default, range and meaning in one place.

    class DefragSettings(Settings, group="Draining"):
        interval: int = integer("DEFRAG_INTERVAL", 600, "Seconds between two looks at the machines.", least=0)
        name: str = "DEFRAG"

``lang/config/build.py`` makes such settings from a configuration. The table of knobs that tools and users read
(``lang/config/knobs/fields.tsv``) is written from these classes by ``python -m condor_py.lang.config.fieldtable``.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self, dataclass_transform
else:

    def dataclass_transform(**_):
        """Return what leaves a class as it is: type checkers alone read the decorator."""
        return lambda kind: kind


class Knob:
    """One knob of the configuration.

    ``form`` is how its text is read (integer, real, boolean, string, path, list, expression, parsed), ``default``
    its text where it is not set, None where it is then undefined. ``value`` is what a field has without a
    configuration, and where the knob is undefined; ``empty`` what an undefined or empty text counts as.
    ``at_least`` raises smaller numbers, ``at_most`` lowers greater ones; ``factor`` converts the unit.
    """

    __slots__ = (
        "at_least",
        "at_most",
        "default",
        "empty",
        "factor",
        "form",
        "least",
        "meaning",
        "most",
        "name",
        "value",
    )

    def __init__(self, form: str, name: str, default: str | None, value: Any, meaning: str) -> None:
        self.form = form
        self.name = name
        self.default = default
        self.value = value
        self.meaning = meaning
        self.least: float | None = None
        self.most: float | None = None
        self.at_least: float | None = None
        self.at_most: float | None = None
        self.factor = 1
        self.empty = ""

    @property
    def kind(self) -> str:
        """The letter of its kind in the table of knobs (``lang/config/params.py``)."""
        return _KINDS[self.form]


_KINDS = {
    "integer": "i", "real": "r", "boolean": "b",
    "string": "s", "path": "p", "list": "s", "expression": "e", "parsed": "e",
}  # fmt: skip


def integer(
    name: str,
    default: int | str | None,
    meaning: str,
    *,
    least: int | None = None,
    most: int | None = None,
    at_least: int | None = None,
    at_most: int | None = None,
    factor: int = 1,
    without: int | None = None,
) -> Any:
    """A whole number. Outside ``least`` and ``most`` it is an error. ``without`` is the value that a field has without
    a configuration where ``default`` is an expression or None (0)."""
    value = without if without is not None else int(default or 0) * factor
    made = Knob("integer", name, None if default is None else str(default), value, meaning)
    made.least, made.most, made.at_least, made.at_most, made.factor = least, most, at_least, at_most, factor
    return made


def real(
    name: str, default: float | str | None, meaning: str, *, least: float | None = None, most: float | None = None
) -> Any:
    """A number. ``default`` may be text where HTCondor writes the number in a way of its own (``1e10``)."""
    made = Knob("real", name, None if default is None else str(default), float(default or 0), meaning)
    made.least, made.most = least, most
    return made


def boolean(name: str, default: bool | None, meaning: str, *, without: bool = False) -> Any:
    """A truth value."""
    text = None if default is None else "true" if default else "false"
    return Knob("boolean", name, text, without if default is None else default, meaning)


def string(name: str, default: str | None, meaning: str, *, empty: str = "", needed: bool = False) -> Any:
    """Text. ``empty`` is what an empty one counts as; where it is ``needed``, that is the default."""
    return _text("string", name, default, meaning, (default or "") if needed else empty)


def path(name: str, default: str | None, meaning: str) -> Any:
    """The path of a file or directory."""
    return _text("path", name, default, meaning, "")


def expression(
    name: str, default: str | None, meaning: str, *, empty: str = "", needed: bool = False, checked: bool = False
) -> Any:
    """A ClassAd expression. A daemon with one that is ``checked`` and cannot be parsed does not start."""
    empty = (default or "") if needed else empty
    return _text("parsed" if checked else "expression", name, default, meaning, empty)


def words(name: str, default: str | None, meaning: str) -> Any:
    """A list of words, separated by commas or spaces."""
    known = default is not None and "$" not in default
    return Knob("list", name, default, tuple(default.replace(",", " ").split()) if known and default else (), meaning)


def _text(form: str, name: str, default: str | None, meaning: str, empty: str) -> Knob:
    """A default that refers to other knobs has no value without a configuration: the field is then empty."""
    known = default is not None and "$" not in default
    made = Knob(form, name, default, (default if known else "") or empty, meaning)
    made.empty = empty
    return made


@dataclass_transform(frozen_default=True)
class Settings:
    """Values that do not change. A field that is not given has the value of its knob without a configuration, or the
    default that the class gives it."""

    #: The group of its knobs in the table that users see.
    group = ""
    #: Field -> its knob, or its default; ... for one that must be given.
    declared: dict[str, object] = {}  # noqa: RUF012

    def __init_subclass__(cls, group: str = "") -> None:
        cls.group = group
        cls.declared = {name: cls.__dict__.get(name, ...) for name in cls.__annotations__}

    def __init__(self, *given: Any, **values: Any) -> None:
        own = self.__dict__
        for name, value in zip(self.declared, given, strict=False):
            if name in values:
                raise TypeError(f"{type(self).__name__} has two values of {name}")
            values[name] = value
        if len(given) > len(self.declared):
            raise TypeError(f"{type(self).__name__} has {len(self.declared)} fields, not {len(given)}")
        for name, default in self.declared.items():
            if name in values:
                own[name] = values.pop(name)
            elif default is ...:
                raise TypeError(f"{type(self).__name__} needs {name}")
            else:
                own[name] = default.value if isinstance(default, Knob) else default
        if values:
            raise TypeError(f"{type(self).__name__} has no {min(values)}")

    @classmethod
    def knobs(cls) -> list[Knob]:
        """The knobs of its fields, in order."""
        return [knob for knob in cls.declared.values() if isinstance(knob, Knob)]

    def changed(self, **values: Any) -> Self:
        """Return a copy with other ``values``."""
        return type(self)(**{**self.__dict__, **values})

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be changed: make a copy with changed()")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.__dict__ == self.__dict__

    def __hash__(self) -> int:
        return hash(tuple(self.__dict__.values()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.__dict__.items())})"
