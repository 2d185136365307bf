"""Python is started without what most tools do not need; who needs it has it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

_MAIN = Path(__file__).resolve().parents[3] / "condor_py" / "__main__.py"
_PROGRAM = "from condor_py.tools.startup import lighten; lighten(); "


def _python(*words: str) -> str:
    done = subprocess.run([sys.executable, "-I", *words], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def _run(text: str) -> str:
    return _python("-S", "-c", f"import sys; sys.path.insert(0, {str(_MAIN.parents[1])!r}); {_PROGRAM}{text}")


def test_an_installed_package_is_found_when_it_is_asked_for() -> None:
    assert _run("print('site' in sys.modules); import psutil; print('site' in sys.modules)") == "False\nTrue\n"
    assert "No module named 'no_such_package'" in _run("import no_such_package")


def test_inspect_is_there_for_who_uses_it() -> None:
    text = "import dataclasses, inspect; print(inspect.signature(len)); print(sys.modules['inspect'].getdoc(len)[:6])"
    assert _run(text) == "(obj, /)\nReturn\n"
    assert _run("from inspect import signature; print(signature(len))") == "(obj, /)\n"


@pytest.mark.parametrize(
    "command", [("condor_version",), ("condor_config_val", "SPOOL"), ("condor_status",), ("condor_q",)]
)
def test_common_tools_need_neither(command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONDOR_CONFIG", "ONLY_ENV")
    monkeypatch.setenv("_CONDOR_LOCAL_DIR", str(tmp_path))
    said = _python("-S", "-X", "importtime", str(_MAIN), *command)
    imported = {line.rpartition("|")[2].strip() for line in said.splitlines() if line.startswith("import time:")}
    assert "condor_py.tools.entry" in imported
    assert not imported & {"site", "inspect"}
