"""Python is started without what most tools do not need; who needs it has it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

_MAIN = Path(__file__).resolve().parents[3] / "condor_py" / "__main__.py"
_PROGRAM = "from condor_py.tools.startup import lighten; lighten('condor_q'); "


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


def test_patterns_of_modules_wait_and_those_of_people_do_not() -> None:
    text = "import re; p = re.compile('a(b)'); print(type(p).__name__, p.sub('x', 'ab'), re.sub(p, 'y', 'ab'))"
    assert _run(text) == "_Pattern x y\n"
    program = (
        "\nimport re\ndef asked(text):\n try: re.compile(text)\n except re.error as error: print(error)\nasked('(')"
    )
    assert _run(program) == "missing ), unterminated subpattern at position 0\n"


def test_the_end_keeps_code_and_output_and_what_waits_for_it() -> None:
    text = "import atexit; from condor_py.tools.startup import leave; atexit.register(print, 'last'); print('first');"
    assert _run(f"{text} leave(0)") == "first\nlast\n"
    words = [sys.executable, "-I", "-S", str(_MAIN), "condor_q", "-nosuch"]
    assert subprocess.run(words, capture_output=True, check=False).returncode == 1
    thread = "import threading, time; threading.Thread(target=lambda: (time.sleep(0.2), print('thread'))).start();"
    assert _run(f"{thread} {text} leave(0)") == "first\nthread\nlast\n"


_CLASSES = """
from dataclasses import dataclass, field, replace
from typing import NamedTuple
@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: "int" = 2
    rest: list = field(default_factory=list)
@dataclass(order=True)
class Tall(Point.__base__):
    a: int
class More(Tall): pass
class Pair(NamedTuple):
    left: "int"
    right: "str" = "r"
"""


def test_classes_whose_methods_wait_are_like_all_others() -> None:
    """Methods of dataclasses are compiled at their first call, annotations of named tuples are not parsed."""
    asked = (
        "p = Point(1); print(p, replace(p, y=3), p == Point(1), p == Point(2), p.rest is Point(1).rest)",
        "print(Point.__init__.__name__, Point.__init__.__qualname__)",
        "try: p.x = 3\nexcept AttributeError as error: print(type(error).__name__, error)",
        "try: Point()\nexcept TypeError as error: print(error)",
        "try: Point(1, z=1)\nexcept TypeError as error: print(error)",
        "try: hash(p)\nexcept TypeError as error: print(error)",
        "print(More(1) < More(2), More(1), More(a=2) >= More(1), Tall(1) == More(1))",
        "print(Pair(1), Pair(left=2, right='x')._replace(left=5), Pair._fields, Pair._field_defaults)",
    )
    program = f"exec({_CLASSES!r})\n" + "\n".join(asked)
    plain = _python("-c", program)
    assert _run(f"\n{program}") == plain
    assert "FrozenInstanceError" in plain
    assert "More(a=1)" in plain


@pytest.mark.parametrize(("program", "waits"), [("condor_q", True), ("condor_master", False)])
def test_daemons_compile_before_they_fork(program: str, waits: bool) -> None:
    text = f"exec({_CLASSES!r}); print(Point.__init__.__code__.co_filename)"
    start = f"import sys; sys.path.insert(0, sys.argv[1]); {_PROGRAM.replace('condor_q', program)}"
    done = _python("-S", "-c", start + text, str(_MAIN.parents[1]))
    assert ("startup.py" in done) is waits
