"""Python is started without what most tools do not need; who needs it has it."""

from __future__ import annotations

import os
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
    "command",
    [
        ("condor_version",),
        ("condor_config_val", "SPOOL"),
        ("condor_status",),
        ("condor_q",),
        ("condor_submit", "-dry-run", "/dev/null", "one.sub"),
    ],
)
def test_common_tools_need_none_of_these(
    command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONDOR_CONFIG", "ONLY_ENV")
    monkeypatch.setenv("_CONDOR_LOCAL_DIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.sub").write_text("executable = /bin/true\nqueue\n")
    said = _python("-S", "-X", "importtime", str(_MAIN), *command)
    imported = {line.rpartition("|")[2].strip() for line in said.splitlines() if line.startswith("import time:")}
    assert "condor_py.tools.entry" in imported
    assert not imported & {"site", "inspect", "typing", "re", "collections", "copy", "importlib"}
    assert not imported & {"dataclasses", "enum", "functools", "contextlib", "json", "signal", "struct", "warnings"}


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


@pytest.mark.parametrize(("program", "light"), [("condor_q", True), ("condor_starter", False)])
def test_daemons_make_their_classes_before_they_fork(program: str, light: bool) -> None:
    text = "import condor_py.model.plan as o; print(o.Plan.__init__.__code__.co_filename)"
    start = f"import sys; sys.path.insert(0, sys.argv[1]); {_PROGRAM.replace('condor_q', program)}"
    done = _python("-S", "-c", start + text, str(_MAIN.parents[1]))
    assert ("lightclasses.py" in done) is light


def test_every_module_is_one_that_tools_can_import() -> None:
    """None has a class that only Python's own ``dataclasses`` or ``enum`` would make."""
    text = """
import os
root = os.path.dirname(__import__('condor_py').__file__)
for folder, _, files in os.walk(root):
    for name in sorted(files):
        path = os.path.relpath(os.path.join(folder, name), os.path.dirname(root))
        if name.endswith('.py') and name != '__main__.py' and 'shims' not in path:
            try: __import__(path[:-3].replace('/', '.').removesuffix('.__init__'))
            except ModuleNotFoundError as error: print(error.name)
from condor_py.tools.lightclasses import _shapes
for shape in list(_shapes.values()):
    shape.fields
print(len(_shapes) > 400)
"""
    said = _run(f"\n{text}").splitlines()
    assert said[-1] == "True"
    assert not [name for name in said[:-1] if name.startswith("condor_py")]


_LEFT = "import sys; print(type(sys.modules['typing']).__name__, type(sys.modules['collections']).__name__)"


@pytest.mark.parametrize(
    "text",
    [
        "from typing import List, Optional; print(List[int], Optional[str])",
        "import typing; print(typing.get_type_hints(typing.NamedTuple('Two', [('a', int)])))",
        "from collections import Counter, namedtuple, deque; print(Counter('aab'), namedtuple('A', 'b')(1), deque)",
        "import collections.abc, collections; print(collections.abc.Mapping, collections.ChainMap({1: 2})[1])",
        "import copy; print(copy.deepcopy([[1]]))",
        "from collections import Counter; import typing; print(typing.Hashable, Counter())",
        "import re; print(re.escape('a.b'), re.sub('(a)', r'<\\1>', 'cat'), re.I | re.X, re.compile('x', re.I).flags)",
        "import functools; f = functools.singledispatch(lambda x: 2); f.register(int, lambda x: 1); print(f(1))",
    ],
)
def test_who_asks_python_for_more_gets_it(text: str) -> None:
    """Programs and packages that are none of ours see the modules as they are."""
    assert _run(text) == _python("-c", text)
    assert "Error" not in _run(text)


def test_packages_that_are_none_of_ours_are_imported_as_ever() -> None:
    assert _run("from typing import TYPE_CHECKING; import typer, psutil; print(typer.Option(1))") != ""
    words = [sys.executable, "-I", "-S", str(_MAIN), "condor_q", "-help"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr, done.stdout.startswith("Usage: condor_q")) == (0, "", True)


def test_named_tuples_are_like_those_of_typing(tmp_path: Path) -> None:
    program = tmp_path / "condor_py" / "pairs.py"
    program.parent.mkdir()
    (program.parent / "__init__.py").touch()
    names = ", ".join(f"n{number}" for number in range(14))
    fields = "\n".join(f"    n{number}: int = {number}" for number in range(14))
    program.write_text(
        "from typing import NamedTuple, Protocol, Generic, TypeVar, cast\n"
        "T = TypeVar('T')\n"
        "class Shape(Protocol):\n    def area(self): ...\n"
        "class Box(Generic[T]): pass\n"
        "class Of(Box[int]): pass\n"
        "class Point(NamedTuple):\n    'Doc.'\n    x: int\n    y: 'int' = 2\n"
        "    def both(self): return self.x + self.y\n    @property\n    def double(self): return 2 * self.x\n"
        f"class Long(NamedTuple):\n{fields}\n"
        "p = Point(1)\n"
        "print(p, p == (1, 2), hash(p) == hash((1, 2)), p._replace(y=5), p._asdict(), Point._make([3, 4]), p.both())\n"
        "print(Point._fields, Point._field_defaults, Point.__match_args__, Point.__doc__, Point.__name__, p.double)\n"
        f"print(Long(), Long(n3=9).n3, Long(*range(14)) == tuple(range(14)), {names!r})\n"
        "for wrong in (lambda: Point(), lambda: Point(1, 2, 3), lambda: Point(1, z=2), lambda: p._replace(z=1),\n"
        "              lambda: Point._make([1]), lambda: setattr(p, 'x', 2)):\n"
        "    try: wrong()\n    except Exception as error: print(type(error).__name__, str(error).partition('.')[2])\n"
        "match p:\n    case Point(1, y): print('matched', y)\n"
        "import pickle; print(pickle.loads(pickle.dumps(p)) == p, cast('int', 1), isinstance(Of(), Box))\n"
    )
    start = f"import sys; sys.path.insert(0, {str(program.parents[1])!r}); "
    ours = (
        f"sys.path.insert(0, {str(_MAIN.parents[1])!r}); import condor_py.tools.startup as s; s.lighten('condor_q'); "
    )
    ours += f"import condor_py; condor_py.__path__.append({str(program.parent)!r}); import condor_py.pairs; {_LEFT}"
    plain = _python("-c", f"{start} import condor_py.pairs")
    assert _python("-S", "-c", start + ours) == plain + "Shared _Collections\n"
    assert plain.count("Error") == 6


def _module(folder: Path, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "__init__.py").touch()
    module = folder / "found.py"
    module.write_text(text)
    return module


def _found(folder: Path, more: str = "") -> str:
    """What a module of a package of ours prints when our finder looks for it."""
    text = f"import sys; sys.path.insert(0, {str(_MAIN.parents[1])!r}); import condor_py; "
    text += "from condor_py.tools import lightfinder; lightfinder.install(); "
    text += f"condor_py.__path__.append({str(folder)!r}); {more}import condor_py.found"
    return _python("-S", "-c", text)


def test_a_module_that_was_changed_is_compiled_anew(tmp_path: Path) -> None:
    """What was compiled counts only with the time and size of its source, as everywhere in Python."""
    folder = tmp_path / "more"
    module = _module(folder, "print('one', __file__, __spec__.loader.get_source(__name__))")
    first = _found(folder)
    assert first.startswith(f"one {module} print('one'")
    assert _found(folder) == first
    module.write_text("print('three')")
    assert _found(folder) == "three\n"
    stamp = module.stat().st_mtime
    module.write_text("print('eight')")
    os.utime(module, (stamp - 100, stamp - 100))
    assert _found(folder) == "eight\n"


@pytest.mark.parametrize("broken", [b"", b"\0" * 40])
def test_a_compiled_module_that_is_damaged_is_compiled_anew(tmp_path: Path, broken: bytes) -> None:
    folder = tmp_path / "more"
    module = _module(folder, "print('whole')")
    assert _found(folder) == "whole\n"
    compiled = next((folder / "__pycache__").glob("found.*.pyc"))
    compiled.write_bytes(broken)
    assert _found(folder) == "whole\n"
    module.unlink()
    assert "No module named 'condor_py.found'" in _found(folder)


def test_an_error_in_a_module_names_its_line(tmp_path: Path) -> None:
    folder = tmp_path / "more"
    module = _module(folder, "x = 1\nraise ValueError('here')\n")
    _found(folder)
    assert f'File "{module}", line 2, in <module>\n    raise ValueError' in _found(folder)
