"""Words for a person beside the values that were asked for."""

from __future__ import annotations

import sys


def words(text: str) -> None:
    """``text`` on stderr, in its place among the values on stdout."""
    sys.stdout.flush()
    sys.stderr.write(text)
    sys.stderr.flush()
