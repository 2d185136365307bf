"""Other versions of Python than the one that runs the tests, where the machine has them: what is written in C is built
for them and does what it does here, and commands run."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
#: Every extension is imported, and the language asked for what its C parts do.
PROGRAM = """
import importlib, pathlib, sys
top = pathlib.Path(sys.path[0])
names = [str(p.relative_to(top)).split(".")[0].replace("/", ".") for p in (top / "condor_py").rglob("*.so")]
for name in names:
    importlib.import_module(name)
from condor_py.lang.classad import ClassAd, kernel
from condor_py.lang.classad.api import parseOne
assert kernel.native is not None
ad = parseOne('[a = 1; b = a + 1; c = strcat("x", b); d = {1, 2.5, undefined}; e = a - 1 ? 1 : 0 ? 2 : 3]')
print(len(names), ad["a"], ad.eval("b"), ad.eval("c"), ad.eval("d")[1], ad.eval("e"))
"""


def other(version: str) -> str | None:
    """A Python of that version, from the path or from pyenv."""
    places = [shutil.which(f"python{version}")]
    places += map(
        str, Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser().glob(f"versions/{version}.*/bin/python3")
    )
    for place in filter(None, places):
        if subprocess.run([place, "-c", "import ctypes"], capture_output=True, check=False).returncode == 0:
            return place
    return None


@pytest.mark.parametrize("version", VERSIONS)
def test_another_python_runs_what_is_written_in_c_and_the_commands(version: str, tmp_path: Path) -> None:
    if version == f"{sys.version_info.major}.{sys.version_info.minor}":
        pytest.skip("this is the Python of all other tests")
    python = other(version)
    if python is None:
        pytest.skip(f"there is no Python {version} here")
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler here")
    shutil.copytree(ROOT / "condor_py", tmp_path / "condor_py", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    shutil.copy(ROOT / "setup.py", tmp_path)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)

    def run(*words: str, **more: str) -> str:
        environment = {**os.environ, "HOME": str(tmp_path), "PYTHONPATH": "", **more}
        done = subprocess.run(
            [python, *words], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, (words, done.returncode, done.stdout, done.stderr)
        return done.stdout

    tools = sysconfig.get_paths()["purelib"]  # its own setuptools may be missing, ours is Python only
    compiler = tmp_path / "compiler"
    # The last words count: nothing is optimized or noted for a debugger, and headers have assertions.
    compiler.write_text('#!/bin/sh\nexec cc "$@" -O0 -g0 -UNDEBUG\n')
    compiler.chmod(0o755)
    run("setup.py", "-q", "build_ext", "--inplace", PYTHONPATH=tools, CC=str(compiler))
    (tmp_path / "program.py").write_text(PROGRAM)
    count, answer = run("program.py").split(None, 1)
    assert int(count) >= 5
    assert answer == "1 2 x2 2.5 3\n"
    main = ("-I", "-S", "condor_py/__main__.py")
    assert run(*main, "classad_eval", 'strcat("a", 1 + 1)').split() == ["[", "]", '"a2"']
    (tmp_path / "one.sub").write_text("executable = /bin/true\nrequest_memory = 1 GB\nqueue 2\n")
    assert "2 job(s) dry-run" in run(*main, "condor_submit", "-dry-run", "ads", "one.sub")
    assert "RequestMemory=1024" in (tmp_path / "ads").read_text()


#: What any Python reads first.
ENTRIES = ("__init__.py", "__main__.py", "bindings/shims/_condor_py_home.py")


@pytest.mark.parametrize("name", ENTRIES)
def test_an_older_python_can_read_what_tells_it_that_it_is_too_old(name: str) -> None:
    text = (ROOT / "condor_py" / name).read_text()
    tree = ast.parse(text, feature_version=(3, 6))
    futures = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
    assert not futures, "Python 3.6 knows no annotations from there"


@pytest.mark.parametrize("version", ["3.6", "3.7", "3.8", "3.9", "3.10"])
def test_a_python_that_is_too_old_says_so_in_one_line(version: str) -> None:
    python = other(version)
    if python is None:
        pytest.skip(f"there is no Python {version} here")
    launched = {**os.environ, "CONDOR_PY_PYTHON": python}
    main = str(ROOT / "condor_py" / "__main__.py")
    for words in (
        [str(ROOT / "bin" / "condor_q")],
        [str(ROOT / "bin" / "condor_master"), "-version"],
        [python, main, "condor_q"],
        [python, "-m", "condor_py", "condor_submit"],
    ):
        done = subprocess.run(words, cwd=ROOT, env=launched, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith(f"condor_py needs Python 3.11 or later, and {python} is Python {version}.")
        assert done.stderr.count("\n") == 1
    imported = [python, "-c", "import condor_py"]
    refused = subprocess.run(imported, cwd=ROOT, capture_output=True, text=True, check=False)
    assert refused.stderr.splitlines()[-1].startswith("ImportError: condor_py needs Python 3.11 or later, and ")
