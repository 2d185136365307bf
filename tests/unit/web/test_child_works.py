"""Children that do long work for the pages: what they say while they work, and at their end."""

from __future__ import annotations

import io
import json
import sys
from typing import Any

import pytest

from condor_py.cli.web import work, works
from condor_py.cli.web.works import Works
from condor_py.model.errors import CondorError


def said(monkeypatch: pytest.MonkeyPatch, does: Any, request: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the lines that a child prints whose work is ``does``."""
    out = io.StringIO()
    monkeypatch.setattr("condor_py.cli.web.pages.history.work", does)
    monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps(request) + "\n"))
    monkeypatch.setattr(sys, "stdout", out)
    assert work.main("history") == 0
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_a_child_tells_its_steps_and_then_its_result(spool: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps are told of every 256th at most, and not more often than from time to time."""
    monkeypatch.setattr(work, "_EVERY", 0.0)

    def does(pool: object, request: dict[str, Any], steps: work.Steps) -> dict[str, Any]:
        for count in range(600):
            steps.at(count)
        steps.done()
        return {"asked": request}

    lines = said(monkeypatch, does, {"last": "week"})
    assert lines[:-1] == [{"steps": 0}, {"steps": 256}, {"steps": 512}]
    assert lines[-1]["result"] == {"asked": {"last": "week"}}
    assert lines[-1]["seconds"] > 0
    monkeypatch.setattr(work, "_EVERY", 3600.0)
    assert len(said(monkeypatch, does, {})) == 1


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (CondorError(" no such user\n"), "no such user"),
        (TimeoutError(), f"it takes longer than {work._LONGEST} seconds: ask for a shorter time"),
        (MemoryError(), "there is not enough memory for it: ask for a shorter time"),
        (KeyError("x"), "a fault of condor_web: KeyError: 'x'"),
    ],
)
def test_a_child_that_cannot_do_it_says_why(
    spool: object, monkeypatch: pytest.MonkeyPatch, error: Exception, told: str
) -> None:
    def does(*_: object) -> None:
        raise error

    (line,) = said(monkeypatch, does, {})
    assert (line["failed"], line["seconds"] > 0) == (told, True)


class Clock:
    """A clock that a test sets."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("program", "state"),
    [
        ('print(\'{"steps": 256}\'); print(\'{"result": {"a": 1}, "seconds": 4.5}\')', ({"a": 1}, 256, "", 450.0)),
        ('print(\'{"failed": "no", "seconds": 1}\')', (None, 0, "no", 100.0)),
        ("print('{\"steps\": 512}')", (None, 512, "the work ended without a result", 10.0)),
        ("pass", (None, 0, "the work ended without a result", 10.0)),
    ],
)
def test_what_a_page_knows_of_a_child(
    spool: object, tmp_path: Any, monkeypatch: pytest.MonkeyPatch, program: str, state: tuple[Any, ...]
) -> None:
    """A real child: the page asks until it has ended. A result is shown for a hundred times as long as it took."""
    script = tmp_path / "child.py"
    script.write_text(
        f"import sys\nassert sys.argv[1] == 'history'\nassert sys.stdin.readline() == '{{}}\\n'\n{program}\n"
    )
    monkeypatch.setattr(works.work, "__file__", str(script))
    clock = Clock()
    bench = Works(clock=clock)
    while (found := bench.ask("history", "k", {}, patience=0.1, newer_than=0.0)).works is not None:
        assert found.again == 1.0
    assert (found.result, found.steps, found.failed, found.again) == state
    assert found.made == clock.now
    clock.now += state[-1] - 1
    assert bench.ask("history", "k", {}).works is None
    assert bench.knows("history", "k")
    bench.close()
    assert not bench.knows("history", "k")


def test_a_child_that_cannot_be_started(spool: object) -> None:
    def start(name: str, request: dict[str, Any]) -> Any:
        raise OSError(12, "Cannot allocate memory")

    found = Works(start, Clock()).ask("history", "k", {})
    assert found.failed == "the work cannot be started: Cannot allocate memory"
