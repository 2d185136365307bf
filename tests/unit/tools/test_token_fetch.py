"""condor_token_fetch: the daemons and lifetimes that its words mean, and where the token goes."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import pytest
from tool_runner import Spool

from condor_py.cli import tokens
from condor_py.client.pool import Pool
from condor_py.model.messages.access import FetchToken


@pytest.fixture
def asked(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The daemons that are asked and what for; each answers with a token."""
    asked: list[Any] = []

    class Fetched:
        token = "the.token.itself"

    def ask(self: Pool, daemon: str, request: Any) -> Any:
        asked.append((daemon, request))
        return Fetched()

    monkeypatch.setattr(Pool, "ask", ask)
    monkeypatch.setattr(tokens, "runs", lambda pool, daemon: True)
    return asked


@pytest.mark.parametrize(
    ("words", "daemon", "request_"),
    [
        ("", "schedd", ([], -1, "")),
        ("-lifetime 600", "schedd", ([], 600, "")),
        ("-lifetime 0", "schedd", ([], 0, "")),
        ("-lifetime -5", "schedd", ([], -5, "")),
        ("-lifetime 9x", "schedd", ([], 9, "")),
        ("-authz READ -authz WRITE -key other", "schedd", (["READ", "WRITE"], -1, "other")),
        ("-type startd", "startd", ([], -1, "")),
        ("-type Collector", "master", ([], -1, "")),
        ("-type ANY", "master", ([], -1, "")),
        ("-type negotiator -name localhost", "negotiator", ([], -1, "")),
    ],
)
def test_what_is_asked(
    asked: list[Any], spool: Spool, words: str, daemon: str, request_: tuple[list[str], int, str]
) -> None:
    assert spool.run("condor_token_fetch", *words.split()) == ("the.token.itself\n", "", 0)
    assert asked == [(daemon, FetchToken(*request_))]


@pytest.mark.parametrize("words", ["-file made", "-token x -file made"])
def test_a_token_in_a_file(asked: list[Any], spool: Spool, words: str) -> None:
    """The last of -token and -file counts; no other account may read it."""
    assert spool.run("condor_token_fetch", *words.split()) == ("", "", 0)
    assert Path("made").read_text() == "the.token.itself\n"
    assert stat.S_IMODE(Path("made").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("text", "number"),
    [("60", 60), (" 60", 60), ("+60", 60), ("-60", -60), ("60s", 60), (str((1 << 63) - 1), (1 << 63) - 1),
     (str(-(1 << 63)), -(1 << 63)), (str(1 << 63), None), ("", None), ("s", None), ("9" * 32, None),
     ("0" * 29 + "60", 60), ("0" * 30 + "60", None)],
)  # fmt: skip
def test_numbers_of_seconds(text: str, number: int | None) -> None:
    """What follows the number does not count; it has 64 bits."""
    if number is None:
        with pytest.raises(ValueError):
            tokens.seconds(text)
    else:
        assert tokens.seconds(text) == number


@pytest.mark.parametrize(
    ("daemon", "name", "is_it"),
    [
        ("schedd", "night@here", True), ("schedd", "NIGHT@HERE", True), ("startd", "night@here", False),
        ("schedd", "localhost", True), ("schedd", "{host}", True), ("negotiator", "{host}", True),
        ("schedd", "{short}", True), ("schedd", "x{host}", False), ("master", "", False),
    ],
)  # fmt: skip
def test_names_of_a_daemon(spool: Spool, monkeypatch: pytest.MonkeyPatch, daemon: str, name: str, is_it: bool) -> None:
    monkeypatch.setenv("_CONDOR_SCHEDD_NAME", "night@here")
    pool = Pool()
    host = pool.settings.host
    assert tokens.is_named(pool, daemon, name.format(host=host, short=host.partition(".")[0])) == is_it
