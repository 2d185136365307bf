"""The end of condor_dagman before its DAG runs."""

from __future__ import annotations

from collections.abc import Callable

from condor_py.core.dag.states import EXIT_ERROR
from condor_py.model.settings.dagman import DagmanSettings


class Quit(Exception):
    """End with this exit code; why has been said in the log."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def warn(settings: DagmanSettings, say: Callable[[str], None], text: str, strict: int = 1) -> None:
    """A warning; Quit if DAGMAN_USE_STRICT, from ``strict`` on, makes it an error."""
    say(text)
    if settings.language.strict >= strict:
        say("ERROR: Warning is fatal error because of DAGMAN_USE_STRICT setting")
        raise Quit(EXIT_ERROR)
