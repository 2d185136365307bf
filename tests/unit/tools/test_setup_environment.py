"""Installations that condor_setup -upgrade exchanges: where they are, and the wheels that go in and come out."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import sys
import zipfile
from pathlib import Path

import pytest

from condor_py.cli.setup.environment import Pip, Place, glob_safe, make_ready, place, size_of, unpacked, wheel_of
from condor_py.model.errors import CondorError

INIT = '"""x"""\n__version__ = "1.5"\n'


def _write(path: Path, text: str, mode: int = 0o644) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)


def _installed(root: Path, *, environment: bool = True) -> Path:
    """An environment into which pip has installed a small condor_py; its packages."""
    packages = root / "lib" / "python3.11" / "site-packages"
    stem = "condor_py-1.5.dist-info"
    files = {
        "condor_py/__init__.py": INIT, "condor_py/__pycache__/__init__.cpython-311.pyc": "x",
        f"{stem}/METADATA": "Metadata-Version: 2.1\nName: condor_py\nVersion: 1.5\n",
        f"{stem}/WHEEL": "Wheel-Version: 1.0\nTag: cp311-cp311-linux_x86_64\nTag: cp310-cp311-linux_x86_64\n",
        f"{stem}/entry_points.txt": "[console_scripts]\ncondor_made = condor_py:m\n[other]\nplain = condor_py:m\n",
        f"{stem}/INSTALLER": "pip", f"{stem}/REQUESTED": "", f"{stem}/direct_url.json": "{}",
        "../../../bin/condor_made": "made", "../../../bin/plain": "plain", "../../../share/man/x.1": "page",
        "../../../../outside": "not ours",
    }  # fmt: skip
    for name, text in files.items():
        _write(Path(os.path.normpath(packages / name)), text)
    _write(
        packages / stem / "RECORD", "".join(f"{name},,\n" for name in [*files, "condor_py/gone.py", f"{stem}/RECORD"])
    )
    _write(root / "bin" / ("python" if environment else "python3.11"), "", 0o755)
    if environment:
        _write(root / "pyvenv.cfg", "")
    return packages


def _wheel(path: Path, name: str = "condor_py/__main__.py", text: str = "") -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as file:
        file.writestr(name, text)
    return str(path)


@pytest.mark.parametrize("environment", [True, False])
def test_where_pip_has_installed_it(tmp_path: Path, environment: bool) -> None:
    root = tmp_path / "a[b]*"
    packages = _installed(root, environment=environment)
    found = place(str(root))
    python = "python" if environment else "python3.11"
    assert found == Place(str(root), f"{root}/bin/{python}", f"{packages}/condor_py")
    assert not found.is_checkout
    assert found.version == "1.5"
    (packages / "condor_py" / "__init__.py").write_text("")
    with pytest.raises(CondorError, match=r"condor_py is no package of condor_py$"):
        assert found.version
    (packages / "condor_py" / "__init__.py").unlink()
    with pytest.raises(CondorError, match=r"condor_py: No such file or directory$"):
        assert found.version


def test_a_checkout_and_its_python(tmp_path: Path) -> None:
    _write(tmp_path / "condor_py" / "__main__.py", "")
    with pytest.raises(CondorError, match=f"^condor_setup: neither pip nor git has put condor_py into {tmp_path}$"):
        place(str(tmp_path))
    _write(tmp_path / "bin" / ".setup", "")
    assert place(str(tmp_path)) == Place(str(tmp_path), sys.executable, f"{tmp_path}/condor_py")
    _write(tmp_path / ".venv" / "bin" / "python", "")
    found = place(str(tmp_path))
    assert found.python == f"{tmp_path}/.venv/bin/python"
    assert found.is_checkout
    assert place().package == str(Path(__file__).resolve().parents[3] / "condor_py")


def test_commands_of_an_installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONDOR_PY_PYTHON", "other")
    _write(tmp_path / "bin" / "tool", '#!/bin/sh\necho "$CONDOR_PY_PYTHON $*"; cat; [ "$1" != bad ] || exit 3\n', 0o755)
    checkout = Place(str(tmp_path), "/our/python", f"{tmp_path}/condor_py")
    assert checkout.answer("tool", "a", "b") == "/our/python a b\n"
    installed = checkout._replace(package="/else/condor_py")
    assert installed.answer("tool", "a") == " a\n"
    with pytest.raises(CondorError, match=f"^condor_setup: tool of {tmp_path}: bad$"):
        installed.answer("tool", "bad")
    aside = Place("/x", "/y", "/z", ("/bin/echo", "main"))
    assert aside.answer("tool", "a") == "main tool a\n"
    assert not aside.is_checkout


def test_a_wheel_is_unpacked_with_those_that_it_needs(tmp_path: Path) -> None:
    wheel = _wheel(tmp_path / "w" / "condor_py-2-py3-none-any.whl", text="12345")
    _wheel(tmp_path / "w" / "other-1-py3-none-any.whl", "other.py")
    into = tmp_path / "out"
    found = unpacked(wheel, str(into), "/py")
    assert found == Place(str(into), "/py", f"{into}/condor_py", ("/py", "-I", "-S", f"{into}/condor_py/__main__.py"))
    assert (into / "other.py").exists()
    assert size_of(wheel) == 5
    for name, text in (("none", "is no wheel of condor_py"), ("bad", "File is not a zip file")):
        path = tmp_path / name / "condor_py-2-py3-none-any.whl"
        _wheel(path, "x")
        if name == "bad":
            path.write_text("x")
        with pytest.raises(CondorError, match=f"condor_py-2-py3-none-any.whl:? {text}$"):
            unpacked(str(path), str(tmp_path / name / "out"), "/py")


def test_the_wheel_of_what_is_installed(tmp_path: Path) -> None:
    root = tmp_path / "env"
    packages = _installed(root)
    path = wheel_of(place(str(root)), str(tmp_path))
    assert path == f"{tmp_path}/condor_py-1.5-cp310.cp311-cp311-linux_x86_64.whl"
    with zipfile.ZipFile(path) as wheel:
        names = wheel.namelist()
        record = wheel.read("condor_py-1.5.dist-info/RECORD").decode().splitlines()
    info = "condor_py-1.5.dist-info"
    assert names == [
        "condor_py/__init__.py", f"{info}/METADATA", f"{info}/WHEEL", f"{info}/entry_points.txt",
        "condor_py-1.5.data/scripts/plain", "condor_py-1.5.data/data/share/man/x.1", f"{info}/RECORD",
    ]  # fmt: skip
    digest = base64.urlsafe_b64encode(hashlib.sha256(INIT.encode()).digest()).decode().rstrip("=")
    assert record[0] == f"condor_py/__init__.py,sha256={digest},{len(INIT)}"
    assert record[-1] == f"{info}/RECORD,,"
    assert len(record) == len(names)
    (packages / info / "WHEEL").unlink()
    with pytest.raises(CondorError, match=r"condor_py: upgrade it as it was installed$"):
        wheel_of(place(str(root)), str(tmp_path))


class NotedPip(Pip):
    """Notes what pip would do, and does so much of it as is needed."""

    def __init__(
        self, where: Place, wanted: tuple[tuple[str, str], ...] = (), wheel: str = "condor_py-2-x.whl"
    ) -> None:
        super().__init__(where, "/dev/null")
        self.wanted, self.wheel = wanted, wheel
        self.ran: list[str] = []

    def run(self, *words: str) -> str:
        self.ran.append(" ".join(words))
        if words[0] == "wheel" and not os.listdir(words[3]):
            (Path(words[3]) / self.wheel).touch()
        if "--report" in words:
            items = [{"metadata": {"name": name, "version": version}} for name, version in self.wanted]
            Path(words[4]).write_text(json.dumps({"install": items}))
        return ""


def test_a_new_version_is_gathered(tmp_path: Path) -> None:
    def gather(source: str, *wanted: tuple[str, str], **more: str) -> tuple[str, list[str]]:
        work = tmp_path / str(len(os.listdir(tmp_path)))
        (work / "wheels").mkdir(parents=True)
        pip = NotedPip(Place("/env", "/py", "/env/p"), wanted, **more)
        found = pip.gather(source, f"{work}/wheels")
        return found.removeprefix(f"{work}/"), [line.replace(str(work), "W") for line in pip.ran]

    def dry(wheel: str) -> str:
        return f"install --dry-run --quiet --report W/report.json W/wheels/{wheel}"

    own = "condor_py-2-x.whl"
    assert gather("") == (f"wheels/{own}", ["wheel --no-deps -w W/wheels condor_py", dry(own)])
    found = gather("condor_py==2", ("condor-py", "2"), ("condor_py", "2"), ("six", "1"), ("attrs", "3"))
    assert found[1] == ["wheel --no-deps -w W/wheels condor_py==2", dry(own),
                        "wheel --no-deps -w W/wheels six==1 attrs==3"]  # fmt: skip
    wheel = _wheel(tmp_path / "given" / "condor_py-3-x.whl")
    assert gather(wheel) == ("wheels/condor_py-3-x.whl", [dry("condor_py-3-x.whl")])
    source = tmp_path / "source"
    for name in ("condor_py/a.py", "condor_py/a.so", "build/b", ".git/x", "dist/c", "condor_py/__pycache__/a.pyc"):
        _write(source / name, "")
    assert gather(str(source))[1] == ["wheel --no-deps -w W/wheels W/source", dry(own)]
    copied = next(path for path in tmp_path.glob("*/source") if path.is_dir())
    assert sorted(str(path.relative_to(copied)) for path in copied.rglob("*")) == ["condor_py", "condor_py/a.py"]
    with pytest.raises(CondorError, match=r"^condor_setup: six is not condor_py$"):
        gather("six", wheel="six-1.whl")


def test_pip_and_its_errors(tmp_path: Path) -> None:
    python = tmp_path / "python"
    _write(python, '#!/bin/sh\necho "$@"\ncat err >&2 2>/dev/null\ntest ! -s err\n', 0o755)
    pip = Pip(Place("/env", str(python), "/env/p"), f"{tmp_path}/log")
    before = os.getcwd()
    os.chdir(tmp_path)
    try:
        assert pip.run("list", "-v") == "-m pip --disable-pip-version-check list -v\n"
        pip.install(["a.whl", "b.whl"])
        told = (tmp_path / "log").read_text().splitlines()
        assert told[0] == f"$ {python} -m pip --disable-pip-version-check list -v"
        assert told[-2].endswith("install --no-index --no-deps --no-compile --force-reinstall a.whl b.whl")
        for text, line in (
            ("ERROR: one\nERROR: two\n  hint\n\n", f"pip list: ERROR: two (all of it is in {tmp_path}/log)"),
            ("first\n last \n", f"pip list: last (all of it is in {tmp_path}/log)"),
            ("\n", f"pip list: failed (all of it is in {tmp_path}/log)"),
            ("x: No module named pip\n", f"/env has no pip: {python} -m ensurepip"),
        ):
            (tmp_path / "err").write_text(text)
            with pytest.raises(CondorError) as caught:
                pip.run("list")
            assert str(caught.value) == f"condor_setup: {line}"
    finally:
        os.chdir(before)


def test_a_checkout_is_made_ready_by_its_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CONDOR_PY_VENV", raising=False)
    _write(tmp_path / "bin" / ".setup", f'echo "$root $extras ${{CONDOR_PY_VENV-none}}" > {tmp_path}/told; . ./more\n')
    _write(tmp_path / "more", "")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "prefix", "/venv")
    own = Place(str(tmp_path), f"{tmp_path}/.venv/bin/python", f"{tmp_path}/condor_py")
    for where, venv in ((own, "none"), (own._replace(python="/other"), "/venv")):
        make_ready(where)
        assert (tmp_path / "told").read_text() == f"{tmp_path}  {venv}\n"
    _write(tmp_path / "more", "echo no room >&2; exit 4\n")
    with pytest.raises(CondorError, match=f"^condor_setup: {tmp_path}/bin/.setup: no room$"):
        make_ready(own)


def test_names_with_signs_of_patterns() -> None:
    assert glob_safe("/a*b?c[d]") == "/a[*]b[?]c[[]d]"
