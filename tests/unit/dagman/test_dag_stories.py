"""What .dagman.out says and what is done, step by step: the stories beside this."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from dag_story import tell

STORIES = sorted(Path(__file__).with_name("stories").glob("*.story"))


@pytest.mark.parametrize("story", STORIES, ids=lambda path: path.stem)
def test_story(story: Path) -> None:
    """The first line says what a user relies on. To see what a changed or new story comes to, and to judge it:
    ``print(tell(...))``."""
    text = story.read_text()
    assert text.startswith("# ")
    assert tell(text) == text
