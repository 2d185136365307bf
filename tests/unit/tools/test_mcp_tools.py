"""Each tool of condor_mcp: what it asks for with and without its arguments, and what it says that it changes."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest
from tool_runner import Spool

pytest.importorskip("mcp.server.mcpserver", reason="the extra mcp is not installed")

from condor_py.cli.mcp import changing, looking, server
from condor_py.cli.mcp.limits import Limits
from condor_py.client.pool import Pool
from condor_py.model.errors import CondorError

LIMITS = Limits(5, 1000)


class Server:
    """The tools that are added, with their hints."""

    def __init__(self) -> None:
        self.tools: dict[str, Callable[..., Any]] = {}
        self.hints: dict[str, Any] = {}

    def add_tool(self, function: Callable[..., Any], annotations: Any, structured_output: bool) -> None:
        assert structured_output
        self.tools[function.__name__] = function
        self.hints[function.__name__] = annotations


@pytest.fixture
def asked(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What the tools ask for, without the pool."""
    calls: list[tuple[Any, ...]] = []

    def noted(name: str) -> Callable[..., str]:
        def call(pool: Pool, *words: Any) -> str:
            assert isinstance(pool, Pool)
            calls.append((name, *words))
            return name

        return call

    for module, names in (
        (looking, ("queue", "job", "why", "why_all", "history", "log", "slots", "users")),
        (changing, ("submit", "act", "edit")),
    ):
        for name in names:
            monkeypatch.setattr(module, name, noted(name))
    return calls


@pytest.fixture
def tools() -> Server:
    made = Server()
    server.add_looking(made, LIMITS)  # type: ignore[arg-type]
    server.add_changing(made, LIMITS)  # type: ignore[arg-type]
    return made


ALL = looking.asked([], "")
SOME = looking.asked(["7", "8.1"], "JobPrio > 0")
MINE = looking.asked(["7", "8.1"], "JobPrio > 0", True)
WHICH = {"jobs": ["7", "8.1"], "constraint": "JobPrio > 0"}


@pytest.mark.parametrize(
    ("name", "arguments", "call"),
    [
        ("queue", {}, ("queue", ALL, False, 50, LIMITS)),
        ("queue", WHICH | {"mine": True, "each_job": True, "rows": 3}, ("queue", MINE, True, 3, LIMITS)),
        ("job", {"job": "7.0"}, ("job", "7.0", [], LIMITS)),
        ("job", {"job": "7.0", "attributes": ["Owner"]}, ("job", "7.0", ["Owner"], LIMITS)),
        ("why", {}, ("why_all", False, LIMITS)),
        ("why", {"mine": True, "constraint": " "}, ("why_all", True, LIMITS)),
        ("why", {"jobs": ["7"]}, ("why", looking.asked(["7"], ""), LIMITS)),
        ("why", {"constraint": "true"}, ("why", looking.asked([], "true"), LIMITS)),
        ("why", WHICH | {"mine": True}, ("why", MINE, LIMITS)),
        ("history", {}, ("history", ALL, 20, LIMITS)),
        ("history", WHICH | {"mine": True, "rows": 2}, ("history", MINE, 2, LIMITS)),
        ("log", {"job": "7.0"}, ("log", "7.0", "output", 4096, LIMITS)),
        ("log", {"job": "7.0", "which": "error", "max_bytes": 9}, ("log", "7.0", "error", 9, LIMITS)),
        ("slots", {}, ("slots", LIMITS)),
        ("users", {}, ("users", LIMITS)),
        ("submit", {}, ("submit", "", "", "")),
        ("submit", {"description": "queue", "file": "f", "confirm": "c"}, ("submit", "queue", "f", "c")),
        *((verb, WHICH | {"reason": "r", "confirm": "c"}, ("act", verb, SOME, "r", "c", LIMITS))
          for verb in ("hold", "release", "remove")),
        *((verb, {}, ("act", verb, ALL, "", "", LIMITS)) for verb in ("hold", "release", "remove")),
        ("prio", WHICH | {"priority": -3, "confirm": "c"}, ("edit", SOME, {"JobPrio": "-3"}, "c", LIMITS)),
        ("prio", {"priority": 5}, ("edit", ALL, {"JobPrio": "5"}, "", LIMITS)),
        ("edit", WHICH | {"attributes": {"A": "1"}, "confirm": "c"}, ("edit", SOME, {"A": "1"}, "c", LIMITS)),
        ("edit", {"attributes": {"A": "1"}}, ("edit", ALL, {"A": "1"}, "", LIMITS)),
    ],
)  # fmt: skip
def test_what_a_tool_asks_for(
    asked: list[tuple[Any, ...]], tools: Server, name: str, arguments: dict[str, Any], call: tuple[Any, ...]
) -> None:
    assert tools.tools[name](**arguments) == call[0]
    assert asked == [call]


def test_tools_say_what_they_change(tools: Server) -> None:
    reading = {"queue", "job", "why", "history", "log", "slots", "users"}
    assert set(tools.tools) == reading | {"submit", "hold", "release", "remove", "prio", "edit"}
    assert {name for name, hint in tools.hints.items() if hint.read_only_hint} == reading
    assert {name for name, hint in tools.hints.items() if hint.open_world_hint is False} >= reading
    assert all(inspect.getdoc(tool) for tool in tools.tools.values())


def test_an_error_of_the_pool_is_one_line(asked: list[tuple[Any, ...]], tools: Server) -> None:
    with pytest.raises(Exception, match="is no job id") as error:
        tools.tools["queue"](jobs=["x y"])
    assert "\n" not in str(error.value)
    assert asked == []
    assert issubclass(CondorError, Exception)
