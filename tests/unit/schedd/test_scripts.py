"""What the schedd core writes and does, step by step, as texts (see ``schedd_script``): one file a subject.

After a change of behaviour ``CONDOR_PY_REWRITE=1`` writes the files anew: look at the difference.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from schedd_script import Script

SCRIPTS = sorted(Path(__file__).with_name("scripts").glob("*.txt"))


#: Messages have local times.
pytestmark = pytest.mark.usefixtures("universal_time")


def blocks(text: str) -> Iterator[tuple[str, str]]:
    """Commands with the lines of comment before them, and what is expected of them."""
    for block in text.strip("\n").split("\n\n"):
        command, _, told = block.partition("\n----")
        yield command, told.strip("\n")


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_script(path: Path) -> None:
    script = Script()
    text = path.read_text()
    found = []
    for command, told in blocks(text):
        lines = [line for line in command.splitlines() if not line.startswith("#")]
        now = "\n".join(filter(None, (script.run(line) for line in lines)))
        found.append(f"{command}\n----\n{now}".rstrip("\n") if lines else command)
        if not os.environ.get("CONDOR_PY_REWRITE"):
            assert now == told, command
    if os.environ.get("CONDOR_PY_REWRITE"):
        path.write_text("\n\n".join(found) + "\n")
