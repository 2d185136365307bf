"""The table of macros: case-insensitive name -> text and where it was set."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


class Origin:
    """The place where a macro was set: file name (or ``<Environment>``, ``<Over>`` ...) and line (the last of a
    continued one).

    ``template`` is "ROLE:Personal" when the line comes from ``use ROLE : Personal``, ``offset`` its line in there (from
    0).
    """

    __slots__ = ("line", "offset", "source", "template")

    def __init__(self, source: str, line: int = 0, template: str = "", offset: int = 0) -> None:
        self.source = source
        self.line = line
        self.template = template
        self.offset = offset

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Origin) and all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    def __hash__(self) -> int:
        return hash((self.source, self.line, self.template, self.offset))


class Macro:
    """One setting as it was spelled: name, unexpanded text and where."""

    __slots__ = ("name", "origin", "value")

    def __init__(self, name: str, value: str, origin: Origin) -> None:
        self.name = name
        self.value = value
        self.origin = origin


class MacroSet:
    """Macros by case-insensitive name. A name keeps its first spelling and its last text."""

    __slots__ = ("_macros",)

    def __init__(self) -> None:
        self._macros: dict[str, Macro] = {}

    def set(self, name: str, value: str, origin: Origin) -> None:
        """Set ``name`` to ``value`` (unexpanded text)."""
        key = name.lower()
        known = self._macros.get(key)
        self._macros[key] = Macro(known.name if known else name, value, origin)

    def get(self, name: str) -> Macro | None:
        """The macro ``name``, or None."""
        return self._macros.get(name.lower())

    def text(self, name: str) -> str | None:
        """The unexpanded text of ``name``, or None: this bound method is a lookup for ``expand``."""
        macro = self._macros.get(name.lower())
        return None if macro is None else macro.value

    def unset(self, name: str) -> None:
        """Forget ``name`` if it is there."""
        self._macros.pop(name.lower(), None)

    def copy(self) -> MacroSet:
        """An independent copy."""
        other = MacroSet()
        other._macros = self._macros.copy()
        return other

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.lower() in self._macros

    def __iter__(self) -> Iterator[Macro]:
        """The macros in the order in which they were first set."""
        return iter(self._macros.values())

    def __len__(self) -> int:
        return len(self._macros)
