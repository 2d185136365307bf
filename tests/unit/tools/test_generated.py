"""Man pages and completions are what the tables of the tools say."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from condor_py.cli import generate as generating
from condor_py.cli.application import application, specs
from condor_py.cli.entry import PROGRAMS
from condor_py.cli.generate import generate
from condor_py.cli.options import ToolSpec

_ROOT = Path(__file__).resolve().parents[3]


def test_every_program_has_one_table() -> None:
    assert [spec.name for spec in specs()] == sorted(PROGRAMS)


def test_generated_files_are_current() -> None:
    stale = [
        path
        for path, text in generate(specs()).items()
        if not (_ROOT / path).exists() or (_ROOT / path).read_text(encoding="utf-8") != text
    ]
    assert not stale, "run python -m condor_py.cli.generate"
    pages = {path.name for path in (_ROOT / "man" / "man1").glob("*.1")}
    assert pages == {f"{program}.1" for program in PROGRAMS}


def test_all_kinds_of_files_are_generated(tmp_path: Path) -> None:
    """Below the directory that is named."""
    files = generate(specs())
    kinds = {re.sub(r"[^/]+\.1$", "*.1", path) for path in files}
    assert {"man/man1/*.1", "completions/condor.bash", "completions/condor.zsh", "completions/condor.fish"} <= kinds
    assert any(path.endswith(".5") for path in files)
    assert generating.main([str(tmp_path)]) == 0
    made = {str(path.relative_to(tmp_path)): path for path in tmp_path.rglob("*") if path.is_file()}
    assert {path: made[path].read_text(encoding="utf-8") for path in made} == files


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"), (".x", "\\&.x"), ("'x", "\\&'x"), ("x.'", "x.'"), ("a-b\\n", "a\\-b\\en"),
        ("a." * 45 + " .b 'c", "a." * 45 + "\n\\&.b 'c"),
    ],
)  # fmt: skip
def test_no_line_of_a_page_is_a_request_of_roff(text: str, shown: str) -> None:
    """Lines have 80 bytes at most, unless a word is longer."""
    assert generating._filled(text) == shown


#: Words of condor_py's own past that a stranger would have to guess, and pronouns for a user.
_HOUSE = re.compile(
    r"\b(anew|beside|everybody|goes on|he|him|his|nobody|pretended|somebody|stands for|told|whoever)\b", re.IGNORECASE
)


@pytest.mark.parametrize("spec", specs(), ids=lambda spec: spec.name)
def test_every_page_is_plain_and_has_examples_and_an_exit_status(spec: ToolSpec) -> None:
    page = generate([spec])[f"man/man1/{spec.name}.1"]
    assert "\n.SH EXAMPLES\n" in page
    assert "\n.SH EXIT STATUS\n" in page
    text = page.replace("\\-", "-").replace("-he.", "")  # the short form of -help
    assert _HOUSE.findall(text.replace("\n", " ")) == []


def test_every_program_has_a_launcher() -> None:
    launchers = {path.name for path in (_ROOT / "bin").iterdir() if not path.name.startswith(".")}
    assert launchers == {*PROGRAMS, "quickstart"}


@pytest.mark.parametrize("spec", specs(), ids=lambda spec: spec.name)
def test_every_option_says_something_about_itself(spec: ToolSpec) -> None:
    primary = [option for option in spec.options if not option.hidden and not option.same_as]
    assert [option.name for option in primary if not option.help] == []


def test_the_typer_application_has_every_program() -> None:
    assert [command.name for command in application().registered_commands] == sorted(PROGRAMS)


def test_the_typer_application_runs_the_tools(capsys: pytest.CaptureFixture[str]) -> None:
    application()(args=["condor_version", "-arch", "-o"], standalone_mode=False)
    assert capsys.readouterr().out == f"{os.uname().machine.upper()}\nLINUX\n"
