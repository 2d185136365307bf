"""Functions of Python modules in expressions (CLASSAD_USER_PYTHON_MODULES)."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from condor_py.lang.classad import ClassAd
from condor_py.lang.classad.allowance import Allowance
from condor_py.lang.classad.functions import condor, python
from condor_py.lang.config import load
from condor_py.lang.config.builders import expressions, usermodules
from condor_py.lang.config.lint import lint

MODULE = """
import classad

def kinds(*values):
    return [type(value).__name__ for value in values]

def twice(value):
    return 2 * value

def nothing():
    return None

def ad():
    return {"a": 1, "b": [2, "c"]}

def fails():
    raise KeyError("no")

def strange():
    return object()

def spins():
    while True:
        try:
            pass
        except Exception:
            pass

def long():
    return "x" * 5_000_000

def _hidden():
    return 1

def registered(a, b):
    return a + b

classad.register(registered)
"""


@pytest.fixture
def said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """A process that has the module ``lab_functions``; what was said of what cannot be used."""
    (tmp_path / "lab_functions.py").write_text(MODULE)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name, value in (("modules", {}), ("limit", 0.0), ("complain", python.complain)):
        monkeypatch.setattr(python, name, value)
    found: list[str] = []
    usermodules.install(load(environment("lab_functions, no_such_module")), found.append)
    python.limit = 0.05
    yield found
    sys.modules.pop("lab_functions", None)


def environment(modules: str) -> dict[str, str]:
    return {
        "CONDOR_CONFIG": "ONLY_ENV", "_CONDOR_LOCAL_DIR": "/nowhere", "_CONDOR_CLASSAD_USER_PYTHON_MODULES": modules,
        "_CONDOR_CLASSAD_USER_LIBS": "/usr/lib/x.so",
    }  # fmt: skip


def value(expression: str) -> object:
    return ClassAd(f"[x = {expression}]").raw("x")


@pytest.mark.parametrize(
    ("expression", "same"),
    [
        ('python_invoke("lab_functions", "twice", 21)', "42"),
        ('Python_Invoke("lab_functions", "twice", "ab")', '"abab"'),
        (
            'join(",", python_invoke("lab_functions", "kinds", 1, 2.5, "x", true, undefined, {1}, [a = 1]))',
            '"int,float,str,bool,Value,list,ClassAd"',
        ),
        ('python_invoke("lab_functions", "nothing")', "undefined"),
        ('python_invoke("lab_functions", "ad").b[1]', '"c"'),
        ('python_invoke("lab_functions", "fails")', "error"),
        ('python_invoke("lab_functions", "strange")', "error"),
        ('python_invoke("lab_functions", "twice")', "error"),
        ('python_invoke("lab_functions", "no_such")', "error"),
        ('python_invoke("lab_functions", "_hidden")', "error"),
        ('python_invoke("lab_functions", "long")', "error"),
        ('python_invoke("lab_functions")', "error"),
        ('python_invoke("os", "getpid")', "error"),
        ("python_invoke(1, 2)", "error"),
    ],
)
def test_values(said: list[str], expression: str, same: str) -> None:
    assert ClassAd(f"[x = {expression}; y = x =?= {same}]").eval("y") is True


def test_functions_that_a_module_registers_count_as_those_of_htcondor(said: list[str]) -> None:
    assert ClassAd("[x = registered(1, 2) + 1]").eval("x") == 4


def test_what_cannot_be_loaded_or_fails_is_said(said: list[str]) -> None:
    for _ in range(3):
        value('python_invoke("lab_functions", "fails")')
    assert said == [
        "Failed to load ClassAd user library /usr/lib/x.so: it is made for HTCondor's programs;"
        " CLASSAD_USER_PYTHON_MODULES has functions in Python",
        "CLASSAD_USER_PYTHON_MODULES: cannot load no_such_module: there is no module no_such_module in PYTHONPATH or"
        " among the installed packages",
        "ClassAd function lab_functions.fails: KeyError: 'no'",
    ]


def test_a_function_that_hangs_is_ended_and_its_account_pays(said: list[str]) -> None:
    steps = Allowance(100_000)
    with steps:
        value('python_invoke("lab_functions", "spins")')
    assert steps.used_up
    assert said[-1] == "ClassAd function lab_functions.spins took more than 0.05 s"


def test_root_loads_no_module_that_others_may_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "open_to_all.py"
    path.write_text("")
    path.chmod(0o666)
    assert usermodules.foreign_place(str(path)) == os.path.realpath(path)
    path.chmod(0o644)
    assert usermodules.foreign_place(str(path)) == ""
    tmp_path.chmod(0o777)
    assert usermodules.foreign_place(str(path)) == os.path.realpath(tmp_path)
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    assert "root does not load it" in usermodules.problem("open_to_all")


def test_modules_of_packages(tmp_path: Path, said: list[str]) -> None:
    (tmp_path / "lab_pack").mkdir()
    (tmp_path / "lab_pack" / "__init__.py").write_text("")
    (tmp_path / "lab_pack" / "part.py").write_text("def three():\n    return 3\n")
    said.clear()
    usermodules.install(load(environment("lab_pack.part, lab_pack.gone, no_pack.part")), said.append)
    assert value('python_invoke("lab_pack.part", "three")') == 3
    assert [line.partition(": ")[2] for line in said if line.startswith("CLASSAD")] == [
        f"cannot load {name}: there is no module {missing} in PYTHONPATH or among the installed packages"
        for name, missing in (("lab_pack.gone", "lab_pack.gone"), ("no_pack.part", "no_pack"))
    ]
    assert usermodules.problem("no_pack.part") == ""  # nothing is known of it before it is loaded
    assert sys.path[-1] == str(tmp_path)


def test_a_module_that_fails_is_named_with_its_error(tmp_path: Path, said: list[str]) -> None:
    (tmp_path / "lab_broken.py").write_text("1 / 0\n")
    said.clear()
    usermodules.install(load(environment("lab_broken")), said.append)
    assert said[-1] == "CLASSAD_USER_PYTHON_MODULES: cannot load lab_broken: ZeroDivisionError: division by zero"
    assert value('python_invoke("lab_functions", "twice", 21)').name == "Error"  # type: ignore[attr-defined]


def test_only_full_paths_of_pythonpath_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lab_relative.py").write_text("")
    monkeypatch.chdir(tmp_path.parent)
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path])
    for given, missing in ((tmp_path.name, True), (f"{tmp_path.name}:{tmp_path}", False)):
        monkeypatch.setenv("PYTHONPATH", given)
        assert bool(usermodules.problem("lab_relative")) is missing


@pytest.mark.skipif(os.getuid() != 0, reason="only root looks at the rights of directories")
def test_root_looks_into_no_directory_that_others_may_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lab_open.py").write_text("")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(sys, "path", list(sys.path))
    for mode, missing in ((0o777, True), (0o775, True), (0o757, True), (0o755, False)):
        tmp_path.chmod(mode)
        assert usermodules.problem("lab_open").startswith("there is no module lab_open") is missing, oct(mode)
    assert (usermodules.problem("sys"), usermodules.problem("zipimport"), usermodules.problem("json")) == ("", "", "")
    assert usermodules.foreign_place("/not/there") == "/not/there"


def test_only_so_many_failing_calls_are_said(said: list[str]) -> None:
    said.clear()
    for number in range(60):
        python.complain(f"lab.fails: {number}")
    assert [line for line in said if line.startswith("ClassAd function")] == [
        f"ClassAd function lab.fails: {number}" for number in range(50)
    ]


def test_lint_names_modules_that_cannot_be_loaded(tmp_path: Path) -> None:
    path = tmp_path / "condor_config"
    path.write_text(f"LOCAL_DIR = {tmp_path}\nCLASSAD_USER_PYTHON_MODULES = json no_such_module\n")
    found = lint(load({"CONDOR_CONFIG": str(path)}))
    assert [(one.severity, one.message.partition(":")[0]) for one in found] == [
        ("warning", "cannot load no_such_module")
    ]


def test_home_directories_are_told_where_the_configuration_lets_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(condor, "find_home", condor.find_home)
    base = {"CONDOR_CONFIG": "ONLY_ENV", "_CONDOR_LOCAL_DIR": "/nowhere"}
    expressions.install(load({**base, "_CONDOR_CLASSAD_ENABLE_USER_HOME": "false"}), "TOOL")
    assert ClassAd('[x = userHome("root", "none")]').eval("x") == "none"
    expressions.install(load(base), "TOOL")
    assert ClassAd('[x = userHome("root", "none")]').eval("x") != "none"
