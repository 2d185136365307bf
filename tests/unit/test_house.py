"""Habits of the project: tests stand by themselves, docstrings begin plainly."""

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


def test_docstrings_begin_with_a_verb_or_a_noun() -> None:
    """A question word says nothing until the end of its sentence."""
    questions = {"What", "Who", "How", "Where", "When", "Which", "Whoever", "Nobody", "Somebody", "Everybody"}
    wrong = []
    for path in sorted((ROOT / "condor_py").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                words = (ast.get_docstring(node) or "").split(maxsplit=1)
                if words and words[0].strip("`*,.:") in questions:
                    wrong.append(f"{path.relative_to(ROOT)}: {getattr(node, 'name', 'the module')}")
    assert wrong == []
