"""Visits to the pages of condor_web without a server: requests, logins, and checks of what comes back."""

from __future__ import annotations

import warnings
from html.parser import HTMLParser
from typing import Any

from condor_py.cli.web.app import Site
from condor_py.cli.web.live import Watch
from condor_py.cli.web.login import Doorkeeper
from condor_py.model.settings.web import WebSettings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # the client of starlette would like a newer package
    from starlette.testclient import TestClient

ADMINISTRATOR = "boss"


class Clock:
    """Seconds that a test moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Visited:
    """A site with a clock of its own, and its visitors."""

    def __init__(self, only: str = "", **settings: Any) -> None:
        self.clock = Clock()
        self.door = Doorkeeper(WebSettings(**settings), lambda user: user == ADMINISTRATOR, only, self.clock)
        #: Lines for the log.
        self.complaints: list[str] = []
        self.site = Site(Watch(), self.door, self.complaints.append)
        self.application = self.site.application()

    def stranger(self, client: tuple[str, int] = ("127.0.0.1", 4000)) -> TestClient:
        """A browser that is not logged in."""
        return TestClient(self.application, base_url="http://localhost:9680", client=client, follow_redirects=False)

    def visitor(self, user: str = ADMINISTRATOR) -> TestClient:
        """A browser that is logged in."""
        browser = self.stranger()
        assert browser.get(f"/login/{self.door.token(user)}").status_code == 200
        return browser


class Markup(HTMLParser):
    """The elements of a page with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def misfits(value: Any, schema: Any, where: str = "") -> list[str]:
    """Where a value is not what a JSON schema says."""
    if "anyOf" in schema:
        found = [misfits(value, each, where) for each in schema["anyOf"]]
        return [] if any(not each for each in found) else found[0]
    if "enum" in schema:
        return [] if value in schema["enum"] else [f"{where}: {value!r}"]
    kinds = {
        "object": dict,
        "array": list,
        "string": str,
        "integer": int,
        "number": (int, float),
        "boolean": bool,
        "null": type(None),
    }
    kind = schema.get("type")
    if kind is None:
        return []
    names = [kind] if isinstance(kind, str) else kind
    fits = any(isinstance(value, kinds[name]) and (name == "boolean" or not isinstance(value, bool)) for name in names)
    if not fits:
        return [f"{where}: {value!r:.60} is no {kind}"]
    found = []
    if isinstance(value, dict):
        found += [f"{where}: no {name}" for name in schema.get("required", ()) if name not in value]
        for name, item in value.items():
            inner = schema.get("properties", {}).get(name, schema.get("additionalProperties", {}))
            found += misfits(item, inner, f"{where}.{name}")
    if isinstance(value, list):
        for number, item in enumerate(value):
            found += misfits(item, schema.get("items", {}), f"{where}[{number}]")
    return found
