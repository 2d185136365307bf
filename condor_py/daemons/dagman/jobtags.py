"""The tags of nodes in the jobstate log: a command of the submit file, for programs that plan DAGs."""

from __future__ import annotations

import os

from condor_py.core.dag.progress import Progress
from condor_py.lang.config.loader import read_text

_NAMED_BY, _DEFAULT, _NONE = "+job_tag_name", "+pegasus_site", "-"


class JobTags:
    """Reads each submit file once."""

    def __init__(self, p: Progress) -> None:
        self._p = p
        self._known: dict[tuple[str, str], str] = {}

    def of(self, node: int) -> str:
        """The value of the command that ``+job_tag_name`` names, else of ``+pegasus_site``; "-" without one."""
        dag = self._p.dag
        key = (dag.directories[node], dag.submits[node])
        if key not in self._known:
            self._known[key] = _tag(os.path.join(*key) if key[0] else key[1])
        return self._known[key]


def _tag(path: str) -> str:
    try:
        commands = _commands(read_text(path))
    except (OSError, ValueError):
        return _NONE
    return commands.get(commands.get(_NAMED_BY, "").lower() or _DEFAULT) or _NONE


def _commands(text: str) -> dict[str, str]:
    """What stands in front of ``=`` in lower case, and behind it without quotes; the last one counts."""
    found = {}
    for line in text.replace("\\\n", "").split("\n"):
        name, equals, value = line.partition("=")
        if equals:
            found[name.strip().lower()] = value.strip().removeprefix('"').removesuffix('"')
    return found
