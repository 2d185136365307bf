"""Habits of the project: tests stand by themselves, docstrings begin plainly."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from sources import nodes_of, tree_of

pytestmark = pytest.mark.xdist_group("sources")
ROOT = Path(__file__).resolve().parents[2]


def test_tests_import_no_tests() -> None:
    """What two of them use stands in a module beside them: names of tests are not unique, so one may get another."""
    imports = re.compile(r"^ *(?:from|import(?: .*,)?) +(test_\w+)", re.MULTILINE)
    for path in (ROOT / "tests").rglob("test_*.py"):
        if ".venv" not in path.parts:
            found = imports.findall(path.read_text(encoding="utf-8"))
            assert not found, f"{path.relative_to(ROOT)} imports {found}"


def test_docstrings_begin_with_a_verb_or_a_noun() -> None:
    """A question word says nothing until the end of its sentence."""
    questions = {"What", "Who", "How", "Where", "When", "Which", "Whoever", "Nobody", "Somebody", "Everybody"}
    wrong = []
    for path in sorted((ROOT / "condor_py").rglob("*.py")):
        for node in nodes_of(path):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                words = (ast.get_docstring(node) or "").split(maxsplit=1)
                if words and words[0].strip("`*,.:") in questions:
                    wrong.append(f"{path.relative_to(ROOT)}: {getattr(node, 'name', 'the module')}")
    assert wrong == []


def test_modules_named_in_comments_exist() -> None:
    """``core.jobs.actions``, or ``core.jobs.factory.act`` for a name in a module: folders and files move."""
    source = ROOT / "condor_py"
    layers = [folder.name for folder in source.iterdir() if (folder / "__init__.py").is_file()]
    reference = re.compile(rf"``((?:{'|'.join(layers)})(?:\.[a-z]\w*)+)((?:\.[A-Z]\w*)?)``")
    wrong = []
    for path in sorted(source.rglob("*.py")):
        for module, name in reference.findall(path.read_text(encoding="utf-8")):
            if not _is_there(source / module.replace(".", "/"), name[1:]):
                wrong.append(f"{path.relative_to(ROOT)}: {module}{name}")
    assert wrong == []


def _is_there(place: Path, name: str) -> bool:
    """Whether a folder or module is there that has ``name``; or the module above, and its last word is a name in it."""
    for file in (place.with_suffix(".py"), place / "__init__.py"):
        if file.is_file():
            return re.search(rf"\b{name}\b", file.read_text(encoding="utf-8")) is not None
    above = place.parent.with_suffix(".py")
    return above.is_file() and re.search(rf"\b{place.name}\b", above.read_text(encoding="utf-8")) is not None


def test_universes_have_names_in_code() -> None:
    """A number in the middle of the code is not found by who adds a universe; texts of expressions may have them."""
    number = re.compile(r"""JobUniverse"[,):\]]* *(?:==|!=|in|or)? *\(?"?[1-9]|UNIVERSE\w* = \(?[0-9]""")
    paths = sorted((ROOT / "condor_py").rglob("*.py"))
    lines = [(path, line) for path in paths for line in path.read_text(encoding="utf-8").splitlines()]
    assert [f"{path.relative_to(ROOT)}: {line.strip()}" for path, line in lines if number.search(line)] == []


#: Classes whose methods are named by somebody else, who describes them: commands of Chirp.
_NAMED_ELSEWHERE = {"Files"}


def test_what_is_public_says_what_it_does() -> None:
    """Classes, functions and methods; a method may leave that to the base or protocol that promises it."""
    paths = sorted((ROOT / "condor_py").rglob("*.py"))
    classes = [node for path in paths for node in nodes_of(path) if isinstance(node, ast.ClassDef)]
    promises: dict[str, set[str]] = {}
    for found in classes:
        promises.setdefault(found.name, set()).update(node.name for node in _documented(found))
    protocols = [found.name for found in classes if "Protocol" in _bases(found)]
    promised = set().union(*(promises[name] for name in protocols))
    by_name = {one.name: one for one in classes}
    wrong = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in paths
        for name in _silent(tree_of(path), promised, by_name, promises)
    ]
    assert wrong == []


def _bases(node: ast.ClassDef) -> list[str]:
    heads = (base.value if isinstance(base, ast.Subscript) else base for base in node.bases)
    return [getattr(head, "id", getattr(head, "attr", "")) for head in heads]


def _documented(node: ast.ClassDef) -> list[ast.FunctionDef]:
    return [part for part in node.body if isinstance(part, ast.FunctionDef) and ast.get_docstring(part)]


def _inherited(node: ast.ClassDef, classes: dict[str, ast.ClassDef], promises: dict[str, set[str]]) -> set[str]:
    """The methods that bases describe."""
    found: set[str] = set()
    for base in _bases(node):
        found |= promises.get(base, set())
        if base in classes and classes[base] is not node:
            found |= _inherited(classes[base], classes, promises)
    return found


def _silent(
    tree: ast.Module, promised: set[str], classes: dict[str, ast.ClassDef], promises: dict[str, set[str]]
) -> Iterator[str]:
    for node in tree.body:
        if not isinstance(node, ast.ClassDef | ast.FunctionDef) or node.name.startswith("_"):
            continue
        if not ast.get_docstring(node):
            yield node.name
        if not isinstance(node, ast.ClassDef) or node.name in _NAMED_ELSEWHERE or "Protocol" in _bases(node):
            continue
        known = promised | _inherited(node, classes, promises)
        for part in node.body:
            is_public = isinstance(part, ast.FunctionDef) and not part.name.startswith("_")
            setter = is_public and any(getattr(one, "attr", "") == "setter" for one in part.decorator_list)
            if is_public and not setter and not ast.get_docstring(part) and part.name not in known:
                yield f"{node.name}.{part.name}"
