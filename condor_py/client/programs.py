"""Paths of our own programs: daemons start programs from the package that they are from."""

from __future__ import annotations

import os

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
#: Takes the name of a command as its first argument.
COMMANDS = os.path.join(_PACKAGE, "__main__.py")
#: Takes the name of a daemon as its first argument.
DAEMONS = os.path.join(_PACKAGE, "daemons", "main.py")
