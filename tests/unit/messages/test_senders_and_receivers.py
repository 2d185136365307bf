"""Whoever reads the code goes from a sender to a receiver by the class of a message: each has both, and nothing else
speaks of what lies on the wire."""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from declared_messages import declared
from sources import nodes_of

from condor_py.model.messages.codec import Message, Request, answer_of

#: One worker runs all tests: the package is read once.
pytestmark = pytest.mark.xdist_group("sources")

PACKAGE = Path(__file__).resolve().parents[3] / "condor_py"
HOME = PACKAGE / "model" / "messages"
PREFIX = "condor_py.model.messages"
#: Packages that make messages or take them: a message is an event of the core that receives it.
SPEAKERS = ("bindings", "cli", "client", "core", "daemons", "machine", "simulate")
#: Its requests are ads of DAGMan's, not our messages.
OF_DAGMAN = PACKAGE / "client" / "dagman_desk.py"


def modules() -> list[Path]:
    found = [path for path in PACKAGE.rglob("*.py") if path.relative_to(PACKAGE).parts[0] in SPEAKERS]
    return sorted(path for path in found if path != OF_DAGMAN)


class Uses:
    """The messages that one module sends and receives."""

    def __init__(self, nodes: Sequence[ast.AST]) -> None:
        self._names: dict[str, object] = {}
        for node in nodes:
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(PREFIX):
                self._take(node)
        self.received: set[type[Message]] = set()
        self.sent: set[type[Message]] = set()
        silent = {id(part) for node in nodes for part in _not_sending(node)}
        for node in nodes:
            if isinstance(node, ast.MatchClass):
                self.received |= self._of(node.cls)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance":
                self.received |= {kind for part in ast.walk(node.args[1]) for kind in self._of(part)}
            elif isinstance(node, ast.Dict):
                self.received |= {kind for key in node.keys if key is not None for kind in self._of(key)}
            elif id(node) not in silent:
                self.sent |= self._of(node)

    def _take(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            module = importlib.import_module(node.module or "")
            if node.module == PREFIX:
                module = importlib.import_module(f"{PREFIX}.{alias.name}")
                self._names[alias.asname or alias.name] = module
            else:
                self._names[alias.asname or alias.name] = getattr(module, alias.name)

    def _of(self, node: ast.AST) -> set[type[Message]]:
        """The message that an expression names, if it does."""
        found: object = None
        if isinstance(node, ast.Name):
            found = self._names.get(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found = getattr(self._names.get(node.value.id), node.attr, None)
        return {found} if isinstance(found, type) and issubclass(found, Message) else set()


def _not_sending(node: ast.AST) -> Iterator[ast.AST]:
    """Patterns, questions and annotations below a node."""
    if isinstance(node, ast.MatchClass):
        yield from ast.walk(node.cls)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance":
        yield from ast.walk(node.args[1])
    elif isinstance(node, ast.Dict):  # handlers by class
        for key in filter(None, node.keys):
            yield from ast.walk(key)
    elif isinstance(node, ast.FunctionDef):
        arguments = [part.annotation for part in ast.walk(node.args) if isinstance(part, ast.arg)]
        for part in filter(None, (node.returns, *arguments)):
            yield from ast.walk(part)
    elif isinstance(node, ast.AnnAssign):
        yield from ast.walk(node.annotation)


@pytest.fixture(scope="module")
def nodes() -> dict[Path, Sequence[ast.AST]]:
    return {path: nodes_of(path) for path in modules()}


@pytest.fixture(scope="module")
def uses(nodes: dict[Path, Sequence[ast.AST]]) -> list[Uses]:
    return [Uses(found) for found in nodes.values()]


def test_every_message_has_a_sender(uses: list[Uses]) -> None:
    sent = {kind for one in uses for kind in one.sent}
    assert [kind.__name__ for kind in declared() if kind not in sent] == []


def test_every_message_has_a_receiver(uses: list[Uses]) -> None:
    """It is matched, as itself or as one of its kind; or it is the answer to a request that is sent."""
    received = {kind for one in uses for kind in one.received}
    sent = {kind for one in uses for kind in one.sent}
    answers = {answer_of(kind.__new__(kind)) for kind in declared() if issubclass(kind, Request) and kind in sent}
    lost = [kind.__name__ for kind in declared() if kind not in answers and not received & set(kind.__mro__[:-2])]
    assert lost == []


def test_nobody_else_looks_into_heads(nodes: dict[Path, Sequence[ast.AST]]) -> None:
    over_sockets = {path: part for path, part in nodes.items() if path.relative_to(PACKAGE).parts[0] != "core"}
    found = [f"{path}:{line}" for path, part in over_sockets.items() for line in _looks_into_heads(part)]
    assert found == []


def _looks_into_heads(nodes: Sequence[ast.AST]) -> Iterator[int]:
    for node in nodes:
        if isinstance(node, ast.Constant) and node.value == "op":
            yield node.lineno
        elif isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.value, ast.Name):
            taken = isinstance(node, ast.Subscript) or node.attr in ("get", "items", "pop")
            if node.value.id == "head" and taken:
                yield node.lineno
