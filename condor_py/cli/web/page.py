"""A page as its module declares it: a function from the pool and what was asked to data; a template shows the data.

The data is the JSON answer of the page as well: it holds only what JSON can say, and only what the viewer may see.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from condor_py.model.errors import CondorError

if TYPE_CHECKING:
    from markupsafe import Markup

    from condor_py.cli.web.live import Watch

#: What a view returns.
Data = dict[str, Any]
TEXT: Mapping[str, object] = {"type": "string"}
NUMBER: Mapping[str, object] = {"type": "number"}
WHOLE: Mapping[str, object] = {"type": "integer"}
TRUTH: Mapping[str, object] = {"type": "boolean"}


def array(items: Mapping[str, object]) -> dict[str, object]:
    """Return the JSON schema of a list."""
    return {"type": "array", "items": items}


def record(**fields: Mapping[str, object]) -> dict[str, object]:
    """Return the JSON schema of an object that has all these fields."""
    return {"type": "object", "properties": fields, "required": list(fields)}


def maybe(schema: Mapping[str, object]) -> dict[str, object]:
    """Return the schema of a value that may be null."""
    return {"anyOf": [schema, {"type": "null"}]}


class NotHere(CondorError):
    """The page has nothing at this address; answered with status 404."""


class Forbidden(CondorError):
    """The viewer may not see this; answered with status 403."""


class BadRequest(CondorError):
    """A parameter has a value that it cannot have; answered with status 400."""


class Viewer(NamedTuple):
    """The account that looks at a page. An administrator sees everything of everyone's jobs."""

    name: str
    administrator: bool

    def may_see(self, owner: str) -> bool:
        """Whether arguments, environments, files and logs of jobs of ``owner`` are shown."""
        return self.administrator or (bool(owner) and owner == self.name)


class Asked(NamedTuple):
    """A request: ``path`` has the parts of the address behind the name of the page, ``now`` is in Unix seconds."""

    viewer: Viewer
    parameters: Mapping[str, str]
    path: tuple[str, ...]
    now: int

    def text(self, name: str, default: str = "", most: int = 200) -> str:
        """Return a parameter, at most ``most`` characters of it."""
        return self.parameters.get(name, default)[:most]

    def number(self, name: str, default: int, least: int = 0, most: int = 1 << 31) -> int:
        """Return a parameter that is a whole number, moved into its range. BadRequest."""
        text = self.parameters.get(name, "").strip()
        if not text:
            return default
        sign, digits = ("-", text[1:]) if text[0] == "-" else ("", text)
        if not (digits.isascii() and digits.isdecimal()) or len(digits) > 18:
            raise BadRequest(f"{name} is a whole number, not {text[:40]}")
        return min(most, max(least, int(sign + digits)))

    def choice(self, name: str, choices: tuple[str, ...], default: str = "") -> str:
        """Return a parameter that is one of ``choices``. BadRequest."""
        word = self.parameters.get(name, "")
        if not word:
            return default
        if word not in choices:
            raise BadRequest(f"{name} is one of {', '.join(choices)}, not {word[:40]}")
        return word


class Parameter(NamedTuple):
    """A parameter of the address."""

    name: str
    meaning: str
    schema: Mapping[str, object] = TEXT


class Place(NamedTuple):
    """Parts of an address behind the name of a page, with the schema of the answer there: ("{job}",)."""

    parts: tuple[str, ...]
    summary: str
    schema: Mapping[str, object]


class Page(NamedTuple):
    """A page, served at /NAME and below. ``view`` raises NotHere, Forbidden, BadRequest or any other CondorError."""

    name: str
    title: str
    view: Callable[[Watch, Asked], Data]
    #: The answer as JSON schema, of /NAME itself.
    schema: Mapping[str, object] = {"type": "object"}
    parameters: tuple[Parameter, ...] = ()
    #: The subjects (see live.py) whose changes show on the page.
    subjects: tuple[str, ...] = ()
    #: Addresses below it; without any, only /NAME is served.
    places: tuple[Place, ...] = ()
    #: Pictures by name, drawn from the data of the view: also served at ?format=svg&picture=NAME.
    pictures: Mapping[str, Callable[[Data], Markup]] = {}
    #: Whether the navigation leads to it.
    in_menu: bool = True
    #: Whether it fills a screen of its own, without navigation.
    bare: bool = False
