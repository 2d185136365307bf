"""The rooms and the direction of imports, as condor_py/ARCHITECTURE.md describes them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "condor_py"

LANGUAGES = ("classad", "macro", "config", "submit")
CORES = ("accountant", "negotiator", "schedd", "startd", "dagman")
HANDS = ("store", "hardware", "starter")
#: From below: the simulator needs no pool; daemons, bindings and tools share ``access``; tools may use the bindings.
TOPS = {
    "simulator": set(),
    "access": set(),
    "daemon": {"access"},
    "htcondor": {"access"},
    "tools": {"access", "htcondor", "simulator"},
}
#: Who may reach further: commands that are daemons, and bindings whose function is a command of HTCondor's.
FURTHER = {
    "tools/control.py": "daemon",
    "tools/defrag.py": "daemon",
    "tools/starter.py": "daemon",
    "htcondor/dagsubmit.py": "tools",
    "htcondor/shims/": "tools",
}

#: What a core must not reach: the clock, files, sockets, processes, the environment.
FORBIDDEN_IN_CORES = {
    "time",
    "datetime",
    "os",
    "pathlib",
    "socket",
    "subprocess",
    "selectors",
    "asyncio",
    "threading",
    "tempfile",
    "shutil",
    "random",
    "secrets",
    "psutil",
}


def allowed(room: str) -> set[str]:
    """Rooms that ``room`` may import, itself included."""
    if room == "model":
        return {"model"}
    if room in LANGUAGES:
        return {"model", *LANGUAGES[: LANGUAGES.index(room) + 1]}
    if room in CORES:
        return {"model", "classad", "macro", *CORES}
    if room in HANDS:
        return {"model", *LANGUAGES, room}
    return {"model", *LANGUAGES, *CORES, *HANDS, room, *TOPS[room]}


def further(path: Path) -> set[str]:
    """Rooms that this module may import besides."""
    place = path.relative_to(PACKAGE).as_posix()
    return {room for start, room in FURTHER.items() if place.startswith(start)}


def modules() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if "__pycache__" not in path.parts)


def room_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE).parts
    return parts[0] if len(parts) > 1 else ""


def imports(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: relative import"
            base = node.module or ""
            if base == "time" and {alias.name for alias in node.names} <= {
                "localtime",
                "gmtime",
                "strftime",
                "struct_time",
            }:
                continue  # turning a given time into a date is no look at the clock
            yield node.lineno, base
            if base == "condor_py":
                for alias in node.names:
                    yield node.lineno, f"condor_py.{alias.name}"


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_down(path: Path) -> None:
    room = room_of(path)
    if not room:
        pytest.skip("the package itself")
    for line, name in imports(path):
        parts = name.split(".")
        if parts[0] == "condor_py" and len(parts) > 1:
            assert parts[1] in allowed(room) | further(path), f"{path.relative_to(ROOT)}:{line} imports {name}"


@pytest.mark.parametrize("room", CORES)
def test_cores_are_pure(room: str) -> None:
    for path in (PACKAGE / room).rglob("*.py"):
        for line, name in imports(path):
            assert name.split(".")[0] not in FORBIDDEN_IN_CORES or _environment_switch(path), (
                f"{path.relative_to(ROOT)}:{line} imports {name}"
            )


def _environment_switch(path: Path) -> bool:
    """The choice between the C kernel and its twin is made once, at import, from the environment."""
    return path == PACKAGE / "accountant" / "kernel.py"


def test_only_the_store_syncs() -> None:
    for path in modules():
        if room_of(path) == "store":
            continue
        text = path.read_text(encoding="utf-8")
        assert "os.fsync" not in text, path
        assert "os.fdatasync" not in text, path


def test_only_config_names_knobs() -> None:
    """Other rooms get frozen settings; daemons and tools, which load the configuration, may ask it."""
    for path in modules():
        if room_of(path) in (*CORES, *HANDS, "submit", "classad", "model"):
            for line, name in imports(path):
                assert not f"{name}.".startswith("condor_py.config.") or _runtime(path), f"{path}:{line} imports {name}"


def _runtime(path: Path) -> bool:
    """The files in which condor_config_val -set keeps knobs are configuration."""
    return path == PACKAGE / "store" / "runtime_config.py"


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_files_and_functions_stay_readable(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 700, f"{path.relative_to(ROOT)} has {text.count(chr(10))} lines"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno
            assert length <= 80, f"{path.relative_to(ROOT)}:{node.lineno} {node.name} has {length} lines"
