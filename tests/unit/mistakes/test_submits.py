"""Recorded mistakes in submit files are answered, on a terminal, with the culprit's name; correct ones with nothing."""

from __future__ import annotations

import contextlib
import io
import tomllib
from pathlib import Path

import pytest

from condor_py.cli import entry

HERE = Path(__file__).parent
RECORDED: dict[str, dict[str, str]] = tomllib.loads((HERE / "submits.toml").read_text())


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "config").write_text(f"LOCAL_DIR = {tmp_path}/local\nSPOOL = {tmp_path}/spool\n")
    (tmp_path / "spool").mkdir()
    monkeypatch.setenv("CONDOR_CONFIG", str(tmp_path / "config"))
    monkeypatch.setattr("condor_py.client.progress.PATIENCE", 3600.0)  # a busy machine shows no progress
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "items.txt").write_text("a\nb\n")
    monkeypatch.chdir(tmp_path / "home")
    return tmp_path / "home"


def answer(text: str, place: Path, *words: str, err: io.StringIO | None = None) -> tuple[int, str]:
    """Exit status and what is said of a submit file; "executable" and "queue" are added where they lack."""
    if "xecut" not in text:
        text = f"executable = /bin/true\n{text}"
    if "que" not in text.lower().replace("request", ""):
        text += "\nqueue"
    (place / "c.sub").write_text(text + "\n")
    err = err or _Terminal()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(err):
        code = entry.main("condor_submit", [*words, "c.sub"])
    told = [line for line in err.getvalue().splitlines() if line.strip() and "condor_" not in line]
    told += [line for line in err.getvalue().splitlines() if "WARNING" in line or "ERROR" in line]
    return code, "\n".join(told)


@pytest.mark.parametrize("group", RECORDED)
def test_each_mistake_is_named(group: str, place: Path) -> None:
    answers = {(text, named): answer(text, place)[1] for text, named in RECORDED[group].items()}
    assert {key: said for key, said in answers.items() if key[1] not in said} == {}


@pytest.mark.parametrize("words", [(), ("-dry-run", "/dev/null")])
def test_no_terminal_is_needed(words: tuple[str, ...], place: Path) -> None:
    recorded = RECORDED["without_a_terminal"].items()
    answers = {(text, named): answer(text, place, *words, err=io.StringIO())[1] for text, named in recorded}
    assert {key: said for key, said in answers.items() if key[1] not in said} == {}


@pytest.mark.parametrize("text", tomllib.loads((HERE / "correct.toml").read_text())["submits"])
def test_what_is_correct_is_left_in_peace(text: str, place: Path) -> None:
    assert answer(text, place) == (0, "")
