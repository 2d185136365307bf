"""Makes the modules beside these tests importable, and starters for them."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).resolve().parents[2] / "e2e")]

from starter_process import Make, Starter


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """Starts starters, and ends them. Whatever a job does, nothing in its starter fails."""
    made: list[Starter] = []

    def starter(**settings: object) -> Starter:
        made.append(Starter(tmp_path, **settings))  # type: ignore[arg-type]
        return made[-1]

    yield starter
    for one in made:
        one.close()
        one.status()
    logs = "".join(path.read_text() for path in tmp_path.glob("StarterLog*"))
    assert "failed, the daemon continues" not in logs
