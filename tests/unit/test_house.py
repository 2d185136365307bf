"""Tests stand by themselves."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_tests_import_no_tests() -> None:
    """What two of them use stands in a module beside them: names of tests are not unique, so one may get another."""
    paths = (path for path in (ROOT / "tests").rglob("test_*.py") if ".venv" not in path.parts)
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module] if isinstance(node, ast.ImportFrom) else []
            names += [name.name for name in node.names] if isinstance(node, ast.Import) else []
            assert not any(str(name).startswith("test_") for name in names), f"{path.relative_to(ROOT)} imports {names}"
