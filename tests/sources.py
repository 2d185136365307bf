"""The syntax trees of the package and of its tests, each read once by those who check them (the group ``sources``)."""

from __future__ import annotations

import ast
import gc
from functools import cache
from pathlib import Path


@cache
def tree_of(path: Path) -> ast.Module:
    """The tree of a file; nobody may change it. The collector passes trees over: to look for garbage among them takes
    three times as long as to read them."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        return ast.parse(path.read_text(encoding="utf-8"))
    finally:
        gc.freeze()
        if was_on:
            gc.enable()


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """All nodes of the tree of a file, in the order of ``ast.walk``."""
    return tuple(ast.walk(tree_of(path)))
