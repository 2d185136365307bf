"""The parser, -help, the man page and the three completions of a tool name the same options."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest
from tool_runner import run

from condor_py.cli.application import specs
from condor_py.cli.options import ToolSpec, match_option

_ROOT = Path(__file__).resolve().parents[3]
_COMPLETIONS = _ROOT / "completions"
#: Their -help exits with another code, as in HTCondor.
_NO_HELP = {
    "classad_eval",
    "condor_config_val",
    "condor_master",
    "condor_now",
    "condor_run",
    "condor_test_match",
    "condor_wait",
}
_each_tool = pytest.mark.parametrize("spec", specs(), ids=lambda spec: spec.name)


def _names(spec: ToolSpec, synonyms: bool) -> set[str]:
    return {option.name for option in spec.options if not option.hidden and (synonyms or not option.same_as)}


def _needs(program: str) -> str:
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"{program} is not installed")
    return found


@_each_tool
def test_the_parser_knows_every_name(spec: ToolSpec) -> None:
    for option in spec.options:
        found = match_option(spec.options, f"--{option.name}")
        assert found is not None
        assert found[0].key == option.key


@_each_tool
def test_help_lists_the_options(spec: ToolSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONDOR_CONFIG", "ONLY_ENV")
    done = run(spec.name, "-help")
    assert done.code == 0 or spec.name in _NO_HELP
    listed = set(re.findall(r"^  -([\w-]+)", done.out + done.err, re.MULTILINE))
    assert listed == _names(spec, synonyms=False)


@_each_tool
def test_the_man_page_lists_the_options(spec: ToolSpec) -> None:
    text = (_ROOT / "man" / "man1" / f"{spec.name}.1").read_text(encoding="utf-8").replace("\\-", "-")
    body = text.partition(".SH EXAMPLES")[0]
    assert set(re.findall(r"^\.B -([\w-]+)", body, re.MULTILINE)) == _names(spec, synonyms=False)
    for option in spec.options:
        if option.same_as and not option.hidden:
            assert f"-{option.name}" in body


@cache
def _offered_by_bash() -> Mapping[str, set[str]]:
    lines = ["compopt() { :; }", f"source {_COMPLETIONS}/condor.bash"]  # it is no function of a key here
    for spec in specs():
        lines.append(f"COMP_WORDS=({spec.name} -) COMP_CWORD=1 COMP_LINE='{spec.name} -' COMP_POINT=99")
        lines.append(f"_condor_py {spec.name} - {spec.name}")
        lines.append(f'echo {spec.name} "${{COMPREPLY[@]}}"')
    return _offered(["bash", "-c", "\n".join(lines)])


@cache
def _offered_by_zsh() -> Mapping[str, set[str]]:
    """What the function hands to zsh's ``_arguments``, one tool after the other."""
    lines = ["_arguments() { for each; do [[ $each == \\*-* ]] && print -rn -- ${${each#\\*}%%\\[*}' '; done }"]
    for spec in specs():
        lines.append(f"print -rn -- '{spec.name} '; service={spec.name}; source {_COMPLETIONS}/condor.zsh; print")
    return _offered(["zsh", "-fc", "\n".join(lines)])


@cache
def _offered_by_fish() -> Mapping[str, set[str]]:
    lines = [f"source {_COMPLETIONS}/condor.fish"]
    lines += [f"echo {spec.name} (complete -C '{spec.name} -' | string split -f1 \\t)" for spec in specs()]
    return _offered(["fish", "--no-config", "-c", "\n".join(lines)])


def _offered(command: list[str]) -> Mapping[str, set[str]]:
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stderr == ""
    rows = [line.split() for line in done.stdout.splitlines()]
    return {row[0]: {word.lstrip("-") for word in row[1:] if word.startswith("-")} for row in rows if row}


@pytest.mark.parametrize(
    ("shell", "offered"), [("bash", _offered_by_bash), ("zsh", _offered_by_zsh), ("fish", _offered_by_fish)]
)
def test_the_completions_offer_the_options(shell: str, offered: object) -> None:
    _needs(shell)
    assert callable(offered)
    # htcondor, whose options depend on noun and verb, is asked through condor_complete (tests/e2e/test_completion.py)
    wanted = {spec.name: _names(spec, synonyms=True) if spec.name != "htcondor" else set() for spec in specs()}
    assert offered() == wanted


class _Terminal:
    """A shell on a terminal."""

    def __init__(self, command: list[str], place: Path) -> None:
        self._pid, self._handle = pty.fork()
        if self._pid == 0:
            os.chdir(place)
            environment = {"PATH": os.environ["PATH"], "TERM": "dumb", "HOME": str(place), "PS1": "READY>"}
            os.execvpe(command[0], command, environment)

    def send(self, text: str) -> None:
        os.write(self._handle, text.encode())

    def shows(self, text: str) -> str:
        """Reads until ``text`` has come, and gives all that came; fails with what came instead."""
        seen = ""
        deadline = time.monotonic() + 60
        while text not in seen:
            ready, _, _ = select.select([self._handle], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, f"{text!r} did not come: {seen!r}"
            seen += os.read(self._handle, 65536).decode(errors="replace")
        return seen

    def close(self) -> None:
        os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        os.close(self._handle)


@pytest.mark.parametrize(
    ("shell", "command", "setup"),
    [
        ("bash", ["bash", "--norc", "--noprofile", "-i"], f"source {_COMPLETIONS}/condor.bash; echo REA''DY"),
        (
            "zsh",
            ["zsh", "-f", "-i"],
            f"fpath=(./functions $fpath); mkdir -p functions; cp {_COMPLETIONS}/condor.zsh functions/_condor_py; "
            "autoload -Uz compinit; compinit -u -d dump; echo REA''DY",
        ),
    ],
)
def test_the_tab_key_completes_options_and_files(shell: str, command: list[str], setup: str, tmp_path: Path) -> None:
    _needs(shell)
    (tmp_path / "some_run.sub").touch()
    terminal = _Terminal(command, tmp_path)
    try:
        terminal.send(setup + "\n")
        terminal.shows("READY")
        terminal.send("condor_q -constr\t")
        assert "no matches" not in terminal.shows("-constraint")
        terminal.send("\x15condor_submit some_\t")
        assert "no matches" not in terminal.shows("some_run.sub")
        terminal.send("\x15condor_transform_ads -rul\t")
        assert "no matches" not in terminal.shows("-rules")
        terminal.send(" some\t")
        assert "no matches" not in terminal.shows("some_run.sub")
    finally:
        terminal.close()


def test_fish_completes_options_and_files(tmp_path: Path) -> None:
    _needs("fish")
    (tmp_path / "some_run.sub").touch()
    for line, expected in (("condor_q -constr", "-constraint"), ("condor_transform_ads -rules some_", "some_run.sub")):
        done = subprocess.run(
            ["fish", "--no-config", "-c", f"source {_COMPLETIONS}/condor.fish; complete -C '{line}'"],
            cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True,
        )  # fmt: skip
        assert done.stdout.split("\t")[0].strip() == expected
        assert done.stderr == ""


# ---- man pages ------------------------------------------------------------------------------------------------------

_PAGES = sorted((_ROOT / "man").glob("man*/*"))


def test_man_renders_every_page_without_a_warning() -> None:
    man = _needs("man")
    environment = os.environ | {"MANWIDTH": "80", "MANROFFOPT": "-ww", "LC_ALL": "C.UTF-8", "MANPAGER": "cat"}
    done = subprocess.run(
        [man, "--warnings", "-l", *map(str, _PAGES)],
        env=environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.stderr == ""
    assert done.returncode == 0
    for page in _PAGES:
        assert page.stem.upper() in done.stdout.upper()


def test_mandoc_finds_nothing() -> None:
    mandoc = _needs("mandoc")
    done = subprocess.run(
        [mandoc, "-Tlint", "-Wstyle", *map(str, _PAGES)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout + done.stderr == ""
