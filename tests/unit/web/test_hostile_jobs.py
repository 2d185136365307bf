"""No text of a job, a slot or a user becomes markup, whatever it is."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from hostile_pages import problems, wrong
from tool_runner import Spool


@pytest.mark.promise("S53")
def test_hostile_texts_stay_texts(spool: Spool) -> None:
    assert problems(spool, 1, 300, 6) == []


def test_the_check_sees_markup() -> None:
    assert wrong("<p><x-evil onerror=1></p>") == ["element x-evil", "attribute onerror"]
    assert wrong('<script>evil()</script><a href="javascript:evil()">') == ["script {}", "address 'javascript:evil()'"]
    assert wrong('<a href="//evil.example">') == ["address '//evil.example'"]
