"""Man pages and completions are what the tables of the tools say."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from condor_py.tools.application import application
from condor_py.tools.catalogue import specs
from condor_py.tools.command import help_text
from condor_py.tools.entry import PROGRAMS
from condor_py.tools.generate import generate
from condor_py.tools.options import ToolSpec

_ROOT = Path(__file__).resolve().parents[3]


def test_every_program_has_one_table() -> None:
    assert [spec.name for spec in specs()] == sorted(PROGRAMS)


def test_generated_files_are_current() -> None:
    stale = [
        path
        for path, text in generate(specs()).items()
        if not (_ROOT / path).exists() or (_ROOT / path).read_text(encoding="utf-8") != text
    ]
    assert not stale, "run python -m condor_py.tools.generate"
    pages = {path.name for path in (_ROOT / "man" / "man1").glob("*.1")}
    assert pages == {f"{program}.1" for program in PROGRAMS}


@pytest.mark.parametrize("spec", specs(), ids=lambda spec: spec.name)
def test_help_names_every_option_that_is_not_hidden(spec: ToolSpec) -> None:
    text = help_text(spec)
    for option in spec.options:
        if not option.hidden and not option.same_as:
            assert f"-{option.name}" in text
            assert option.help, f"{spec.name} -{option.name} says nothing about itself"


def test_the_bash_completion_offers_options() -> None:
    script = (
        f"source {_ROOT}/completions/condor.bash\n"
        "COMP_WORDS=(condor_q -cons) COMP_CWORD=1\n"
        "_condor_py condor_q -cons condor_q\n"
        'printf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "-constraint\n"


def test_the_typer_application_has_every_program() -> None:
    assert [command.name for command in application().registered_commands] == sorted(PROGRAMS)


def test_the_typer_application_runs_the_tools(capsys: pytest.CaptureFixture[str]) -> None:
    application()(args=["condor_version", "-arch", "-o"], standalone_mode=False)
    assert capsys.readouterr().out == f"{os.uname().machine.upper()}\nLINUX\n"
