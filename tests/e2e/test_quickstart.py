"""bin/quickstart: a first job in a pool of its own, and a set-up that says what it does and what it lacks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from pool import PATIENCE, ROOT, PersonalPool

#: Stands for the Python of a virtual environment: the network that pip needs is not there in tests.
_PYTHON = """#!/bin/sh
case " $* " in *" -m pip "*) {pip} ;; *" -m venv "*) {venv} ;; *" condor_version "*) {version} ;; esac
exec {python} "$@"
"""


def fake_python(path: Path, pip: str = "exit 0", venv: str = "exit 0", version: str = "exit 0") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_PYTHON.format(python=sys.executable, pip=pip, venv=venv, version=version))
    path.chmod(0o755)
    return path


def quickstart(pool: PersonalPool, *options: str, python: bool = True, **more: str) -> subprocess.CompletedProcess[str]:
    """Runs it in the environment of a pool, from another directory than the checkout."""
    venv = pool.directory / "venv"
    if python:
        fake_python(venv / "bin" / "python")
    temporary = pool.directory / "tmp"
    temporary.mkdir(exist_ok=True)
    return subprocess.run(
        [ROOT / "bin" / "quickstart", *options],
        env={**pool.environment, "CONDOR_PY_VENV": str(venv), "TMPDIR": str(temporary), **more},
        cwd=pool.work,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120 * PATIENCE,
        check=False,
    )


def test_it_runs_a_job_beside_a_pool_that_runs_and_leaves_it_alone(pool: PersonalPool) -> None:
    cluster = pool.submit("executable = /bin/sleep\narguments = 1000\nqueue")
    done = quickstart(pool)
    assert done.returncode == 0, done.stderr
    assert "Hello from job 1.0" in done.stdout
    assert "1.0.0 completed" in done.stdout
    assert pool.queue("ClusterId", "NumJobStarts > 1")[0][0] == str(cluster)
    assert pool.history("ClusterId") == []
    assert list((pool.directory / "tmp").iterdir()) == []


def test_it_says_what_it_does(pool: PersonalPool) -> None:
    for option in ("-h", "-help", "--help"):
        done = quickstart(pool, option)
        assert done.returncode == 0
        assert "runs a first job" in done.stdout
        assert "--keep" in done.stdout
    assert quickstart(pool, "--keeep").returncode == 2


def test_it_neither_starts_nor_stops_a_pool_that_runs_and_is_to_be_kept(pool: PersonalPool) -> None:
    done = quickstart(pool, "--keep")
    assert done.returncode == 0
    assert f"A pool runs already: {pool.directory}/local" in done.stdout
    assert pool.queue("ClusterId") == pool.history("ClusterId") == []
    assert pool.tool("condor_status", "-af", "Name").stdout


def test_it_keeps_the_pool_that_it_has_started(tmp_path: Path) -> None:
    pool = PersonalPool(tmp_path / "pool")
    try:
        done = quickstart(pool, "--keep")
        assert done.returncode == 0, done.stdout + done.stderr
        assert "Hello from job 1.0" in done.stdout
        pool.recorded([["1", "0"]], "ClusterId", "ExitCode")
        assert pool.tool("condor_status", "-af", "Name").stdout
    finally:
        pool.stop()


def test_a_half_made_environment_is_made_anew(tmp_path: Path) -> None:
    pool = PersonalPool(tmp_path / "pool")
    venv = tmp_path / "pool" / "venv"
    fake_python(venv / "bin" / "python", pip="exit 1")
    (venv / "pyvenv.cfg").touch()
    makes = f"mkdir -p {venv}/bin; cp {fake_python(tmp_path / 'whole')} {venv}/bin/python; exit 0"
    fake_python(tmp_path / "path" / "python3", venv=makes)
    done = quickstart(pool, python=False, PATH=f"{tmp_path}/path:/usr/bin:/bin")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"a virtual environment of {tmp_path}/path/python3 ... " in done.stdout
    assert "Hello from job 1.0" in done.stdout


def test_a_python_without_venv_is_said_and_nothing_half_made_stays(tmp_path: Path) -> None:
    pool = PersonalPool(tmp_path / "pool")
    venv = tmp_path / "pool" / "venv"
    breaks = f"mkdir -p {venv}/bin; touch {venv}/pyvenv.cfg; echo ensurepip is not available; exit 1"
    fake_python(tmp_path / "path" / "python3", venv=breaks)
    done = quickstart(pool, python=False, PATH=f"{tmp_path}/path:/usr/bin:/bin")
    assert done.returncode == 1
    assert "ensurepip is not available" in done.stderr
    assert "apt-get install python3-venv" in done.stderr
    assert not venv.exists()


@pytest.mark.parametrize("uv", [True, False])
def test_with_an_older_python_it_says_what_to_do(uv: bool, tmp_path: Path) -> None:
    pool = PersonalPool(tmp_path / "pool")
    places = tmp_path / "path"
    places.mkdir()
    for name in ("python3", "python3.14", "python3.13", "python3.12", "python3.11"):
        (places / name).write_text('#!/bin/sh\n[ "$1" = --version ] || exit 1\necho Python 3.9.2\n')
        (places / name).chmod(0o755)
    newer = fake_python(tmp_path / "newer", venv="exit 1")
    (places / "uv").write_text(f"#!/bin/sh\n{f'echo {newer}' if uv else 'exit 1'}\n")
    (places / "uv").chmod(0o755)
    done = quickstart(pool, python=False, PATH=f"{places}:/usr/bin:/bin", HOME="/nowhere")
    assert done.returncode == 1
    if uv:
        assert f"a virtual environment of {newer} ... " in done.stdout
    else:
        assert "condor_py needs Python 3.11 or newer; here is Python 3.9.2." in done.stderr
        assert "uv python install" in done.stderr


def test_without_a_compiler_it_says_what_that_costs(pool: PersonalPool, tmp_path: Path) -> None:
    venv = tmp_path / "venv"
    fake_python(venv / "bin" / "python")
    places = tmp_path / "path"
    places.mkdir()
    for directory in ("/usr/bin", "/bin"):
        for program in Path(directory).iterdir():
            if "cc" not in program.name and not (places / program.name).exists():
                (places / program.name).symlink_to(program)
    here = {"PATH": str(places), "CONDOR_PY_VENV": str(venv)}
    done = quickstart(pool, **here)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "No C compiler was found. Everything runs, more slowly" in done.stdout
    assert "Hello from job 1.0" in done.stdout
    done = quickstart(pool, "--keep", **here)  # it is set up, and a pool runs
    assert done.returncode == 0, done.stdout + done.stderr
    assert "No C compiler" not in done.stdout


def test_a_compiler_that_builds_nothing_is_named(pool: PersonalPool, tmp_path: Path) -> None:
    venv, compiler = tmp_path / "venv", tmp_path / "cc"
    fake_python(venv / "bin" / "python", version="echo _spawn: not in use: there is none; exit 0")
    compiler.touch(mode=0o755)
    done = quickstart(pool, "--keep", CC=str(compiler), CONDOR_PY_VENV=str(venv))  # a pool runs: none is started
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{compiler} could not build the modules in C (condor_version -compiled). Everything runs" in done.stdout
