"""condor_web as it is typed: where the pages are served, and the address that lets its caller in."""

from __future__ import annotations

from typing import Any

import pytest
from tool_runner import Spool


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch, spool: Spool) -> list[Any]:
    """Servers that were started."""
    found: list[Any] = []

    def serve(pool: Any, settings: Any, wall: bool) -> int:
        found.append((settings.port, settings.socket, wall))
        return 5

    monkeypatch.setenv("_CONDOR_WEB_PORT", "9999")
    monkeypatch.setattr("condor_py.cli.web.serve.serve", serve)
    return found


@pytest.mark.parametrize(
    ("words", "where"),
    [
        ("", (9999, "", False)),
        ("-wall", (9999, "", True)),
        ("-port 0", (0, "", False)),
        ("-port 65535 -f", (65535, "", False)),
        ("-socket /run/x", (9999, "/run/x", False)),
    ],
)
def test_where_pages_are_served(spool: Spool, served: list[Any], words: str, where: tuple[int, str, bool]) -> None:
    assert spool.run("condor_web", *words.split()).code == 5
    assert served == [where]


def test_a_port_takes_the_place_of_the_socket_of_the_configuration(
    spool: Spool, served: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_CONDOR_WEB_SOCKET", "/run/configured")
    spool.run("condor_web")
    spool.run("condor_web", "-port", "80")
    assert served == [(9999, "/run/configured", False), (80, "", False)]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("-port 1 -socket x", "condor_web: -port and -socket cannot be used together"),
        ("-port 65536", "condor_web: -port is a number from 0 to 65535, not 65536"),
        ("-port x", "condor_web: x is not a valid value for -port"),
        ("-login -port 1",
         "condor_web: -login asks the pages that are served already: it takes no -port or -socket"),
        ("-login -socket x",
         "condor_web: -login asks the pages that are served already: it takes no -port or -socket"),
        ("-login", "condor_web: no pages are served: start them with condor_web, or put WEB into DAEMON_LIST and "
         "restart the pool"),
        ("-name elsewhere", "condor_web: elsewhere is not the schedd of this machine, the only one that is shown"),
    ],
)  # fmt: skip
def test_what_is_not_served(
    spool: Spool, served: list[Any], monkeypatch: pytest.MonkeyPatch, words: str, told: str
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(spool.path.parent))
    done = spool.run("condor_web", *words.split())
    assert (done.err.splitlines()[0], done.code, done.out) == (told, 1, "")
    assert served == []


@pytest.mark.parametrize(
    ("words", "open_to_all", "address"),
    [
        ("-login", "false", "http://127.0.0.1:9680/login/abc"),
        ("-login -wall", "false", "http://127.0.0.1:9680/login/abc?to=wall"),
        ("-login -wall", "true", "http://127.0.0.1:9680/wall"),
    ],
)
def test_the_address_that_lets_in(
    spool: Spool, served: list[Any], monkeypatch: pytest.MonkeyPatch, words: str, open_to_all: str, address: str
) -> None:
    monkeypatch.setenv("_CONDOR_WEB_WALL", open_to_all)
    monkeypatch.setattr("condor_py.cli.web.places.ask_for_login", lambda pool: "http://127.0.0.1:9680/login/abc")
    assert spool.run("condor_web", *words.split()) == (f"{address}\n", "", 0)


def test_packages_that_are_missing_are_named(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "condor_py.cli.web.serve", None)
    done = spool.run("condor_web")
    assert done.err.startswith("condor_web: it needs packages that are not installed (no condor_py.cli.web.serve): ")
    assert done.err.endswith(" -m pip install 'condor_py[web]'\n")
