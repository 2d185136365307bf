#!/usr/bin/env python3
"""Print how heavy the package is: files, lines, imports, modules with one importer, circles of imports, layers.

    tests/weight.py [DIRECTORY]

DIRECTORY is a package (condor_py beside this folder). One figure a line, then the layers with files and lines. Imports
count wherever they are written: at the top, in functions, and under ``if TYPE_CHECKING``.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Container
from pathlib import Path

SMALL = 40


def modules_of(package: Path) -> dict[str, Path]:
    """Dotted name -> file."""
    paths = (path for path in package.rglob("*.py") if "__pycache__" not in path.parts)
    return {_name(path.relative_to(package.parent)): path for path in sorted(paths)}


def _name(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def imports_of(text: str, modules: Container[str]) -> tuple[int, set[str]]:
    """The lines that imports take in a module, and the modules that they name."""
    lines, found = 0, set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name in modules}
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found |= {name for name in (inner if inner in modules else node.module,) if name in modules}
        else:
            continue
        lines += (node.end_lineno or node.lineno) - node.lineno + 1
    return lines, found


def circles_of(graph: dict[str, set[str]]) -> list[set[str]]:
    """Groups of modules each of which reaches all of the others, by two walks (Kosaraju)."""
    order: list[str] = []
    seen: set[str] = set()
    for start in graph:
        _walk(graph, start, seen, order)
    back: dict[str, set[str]] = {name: set() for name in graph}
    for name, others in graph.items():
        for other in others:
            back[other].add(name)
    seen.clear()
    found = []
    for start in reversed(order):
        group: list[str] = []
        _walk(back, start, seen, group)
        if len(group) > 1:
            found.append(set(group))
    return found


def _walk(graph: dict[str, set[str]], start: str, seen: set[str], done: list[str]) -> None:
    """Append to ``done`` what ``start`` reaches and is not seen yet, each behind all that it reaches."""
    if start in seen:
        return
    seen.add(start)
    stack = [(start, iter(sorted(graph[start])))]
    while stack:
        name, rest = stack[-1]
        following = next((other for other in rest if other not in seen), None)
        if following is None:
            done.append(name)
            stack.pop()
        else:
            seen.add(following)
            stack.append((following, iter(sorted(graph[following]))))


def main(argv: list[str]) -> int:
    """Print the table."""
    package = Path(argv[0]) if argv else Path(__file__).resolve().parents[1] / "condor_py"
    modules = modules_of(package)
    texts = {name: path.read_text(encoding="utf-8") for name, path in modules.items()}
    graph: dict[str, set[str]] = {}
    lines_of_imports = 0
    for name, text in texts.items():
        lines, imported = imports_of(text, modules)
        lines_of_imports += lines
        graph[name] = imported - {name}
    importers = Counter(other for others in graph.values() for other in others)
    circles = circles_of(graph)
    c_files = [path for ending in ("*.c", "*.h") for path in package.rglob(ending)]
    rows = {
        "Python files": len(modules),
        "lines of Python": sum(text.count("\n") for text in texts.values()),
        "lines of C": sum(path.read_text(encoding="utf-8").count("\n") for path in c_files),
        "lines of imports": lines_of_imports,
        "files with one importer": sum(count == 1 for count in importers.values()),
        f"files below {SMALL} lines": sum(text.count("\n") < SMALL for text in texts.values()),
        "files in circles": sum(map(len, circles)),
        "largest circle": max(map(len, circles), default=0),
    }
    for what, figure in rows.items():
        print(f"{what:<24}{figure:>8,}")
    layers = Counter(name.split(".")[1] for name in modules if name.count(".") > 1)
    for layer, count in layers.most_common():
        lines = sum(text.count("\n") for name, text in texts.items() if name.split(".")[1:2] == [layer])
        print(f"  {layer:<22}{count:>8,} files {lines:>8,} lines")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
