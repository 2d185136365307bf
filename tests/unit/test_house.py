"""Habits of the house that hold everywhere: tests stand by themselves, files and functions can be read at a glance."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted(path for path in (ROOT / "condor_py").rglob("*.py"))


def test_tests_import_no_tests() -> None:
    """What two of them use stands in a module beside them: names of tests are not unique, so one may get another."""
    paths = (path for path in (ROOT / "tests").rglob("test_*.py") if ".venv" not in path.parts)
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module] if isinstance(node, ast.ImportFrom) else []
            names += [name.name for name in node.names] if isinstance(node, ast.Import) else []
            assert not any(str(name).startswith("test_") for name in names), f"{path.relative_to(ROOT)} imports {names}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_and_functions_stay_readable(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 700, f"{path.relative_to(ROOT)} has {text.count(chr(10))} lines"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno
            assert length <= 60, f"{path.relative_to(ROOT)}:{node.lineno} {node.name} has {length} lines"
