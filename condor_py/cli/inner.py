"""One tool running another, in its own process."""

from __future__ import annotations

import contextlib
import io
from typing import NamedTuple


class Ran(NamedTuple):
    """A tool's exit code and what it printed."""

    code: int
    out: str
    err: str


def quietly(program: str, *argv: str) -> Ran:
    """Runs ``program`` without letting it print."""
    from condor_py.cli import entry

    out, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        code = entry.main(program, list(argv))
    return Ran(code, out.getvalue(), errors.getvalue())
