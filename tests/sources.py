"""The syntax trees of the package and of its tests, each read once by those who check them (the group ``sources``)."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path


@cache
def tree_of(path: Path) -> ast.Module:
    """The tree of a file; nobody may change it."""
    return ast.parse(path.read_text(encoding="utf-8"))
