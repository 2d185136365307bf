"""condor_setup -upgrade: another version under a pool with jobs, one that cannot start, and the way back.

tests/campaigns/upgrades.py does the same with older versions of condor_py and more kinds of jobs.
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from event_logs import check_event_logs
from pool import PATIENCE, ROOT, PersonalPool, runs, wait_for

from condor_py.cli.entry import PROGRAMS

#: One worker runs all tests: wheels are made once.
pytestmark = pytest.mark.xdist_group("upgrade")
PACKAGES = sysconfig.get_path("purelib")


def wheel(directory: Path, version: str, **changed: str) -> Path:
    """A wheel of the present code under another version; ``changed`` are modules with other texts."""
    path = directory / f"condor_py-{version}-py3-none-any.whl"
    info, data = f"condor_py-{version}.dist-info", f"condor_py-{version}.data"
    begin = (ROOT / "condor_py" / "__init__.py").read_text().rpartition("__version__")[0]
    members: dict[str, Path | str] = {
        str(source.relative_to(ROOT)): source
        for source in (ROOT / "condor_py").rglob("*")
        if source.is_file() and source.suffix not in (".pyc", ".c", ".h")
    }
    members |= {f"{data}/scripts/{name}": ROOT / "bin" / name for name in (".condor_py", *PROGRAMS)}
    members |= {
        f"{data}/data/share/condor_py/condor_config": ROOT / "etc" / "condor_config",
        "condor_py/__init__.py": f'{begin}__version__ = "{version}"\n',
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: condor_py\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        **{f"condor_py/{name}.py": text for name, text in changed.items()},
    }
    with zipfile.ZipFile(path, "w") as file:
        for name, content in members.items():
            member = zipfile.ZipInfo(name)
            member.external_attr = (0o100755 if "/scripts/" in name else 0o100644) << 16
            file.writestr(member, content if isinstance(content, str) else content.read_bytes())
        file.writestr(f"{info}/RECORD", "".join(f"{name},,\n" for name in members))
    return path


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Wheels by their versions: an old one, a new one, and one whose daemons do not start."""
    place = tmp_path_factory.mktemp("wheels")
    broken = {"daemons/main": 'raise SystemExit("broken")\n'}
    made = [wheel(place, "0.2.9"), wheel(place, "0.3.9"), wheel(place, "0.3.8", **broken)]
    return {path.name.split("-")[1]: str(path) for path in made}


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory, wheels: dict[str, str]) -> Path:
    """An environment with version 0.2.9, which the last test exchanges; pip and other packages are those of the
    tests."""
    place = tmp_path_factory.mktemp("prefix") / "env"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place)], check=True)
    (packages,) = place.glob("lib/python*/site-packages")
    (packages / "more.pth").write_text(f"{PACKAGES}\n")
    pip = [
        str(place / "bin" / "python"),
        "-m",
        "pip",
        "install",
        "-q",
        "--no-deps",
        "--no-compile",
        "--force-reinstall",
    ]
    subprocess.run([*pip, "--no-index", wheels["0.2.9"]], check=True, capture_output=True)
    return place


@pytest.fixture(scope="module")
def running(prefix: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PersonalPool]:
    """The pool of that environment, for one test after the other."""
    made = PersonalPool(tmp_path_factory.mktemp("installed") / "pool")
    try:
        condor(made, prefix, "condor_master")
        wait_for(made.ready, "the pool is up")
        yield made
    finally:
        made.stop()


@pytest.fixture
def installed(running: PersonalPool, tmp_path: Path) -> Iterator[PersonalPool]:
    """It, with an empty queue and another work directory."""
    running.work = tmp_path
    running.first_cluster = running.read_queue().next_cluster
    yield running
    check_event_logs(tmp_path)
    running.tool("condor_rm", "-all", check=False)
    wait_for(lambda: not running.read_queue().clusters() and not running.starters(), "the queue is empty")


def condor(pool: PersonalPool, prefix: Path, program: str, *words: str) -> subprocess.CompletedProcess[str]:
    """A command of the environment."""
    return subprocess.run(
        [str(prefix / "bin" / program), *words], env=pool.environment, cwd=pool.work, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=120 * PATIENCE, check=False,
    )  # fmt: skip


def version(prefix: Path) -> str:
    """The version that is installed."""
    done = subprocess.run(
        [str(prefix / "bin" / "condor_version")],
        env={"PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.partition("condor_py-")[2].split()[0]


def began(pool: PersonalPool) -> int:
    """How often jobs have begun."""
    notes = pool.work / "began"
    return notes.read_text().count("\n") if notes.exists() else 0


def submit(pool: PersonalPool) -> int:
    """A cluster that runs, and ends at once when it runs again; the next one is held."""
    script = pool.script("job.sh", "echo began >>began\n[ $(($(wc -l <began) % 2)) = 0 ] || sleep 300\n")
    before = began(pool)
    cluster = pool.submit(f"executable = {script}\nshould_transfer_files = NO\nlog = job.log\nqueue\n")
    pool.submit("executable = /bin/true\nhold = true\nlog = held.log\nqueue\n")
    wait_for(lambda: began(pool) == before + 1, "the job has begun")
    return cluster


def test_a_dry_run_says_what_would_be_done(stopped_pool: PersonalPool, prefix: Path, wheels: dict[str, str]) -> None:
    told = condor(stopped_pool, prefix, "condor_setup", "-upgrade", "-from", wheels["0.3.9"], "-dry-run")
    assert (told.returncode, told.stderr) == (0, "")
    assert "no pool runs, and none is started\n" in told.stdout
    assert "would install condor_py-0.3.9-py3-none-any.whl\nnothing was changed (-dry-run)\n" in told.stdout
    assert version(prefix) == "0.2.9"
    assert not (stopped_pool.directory / "local" / "upgrade").exists()


def test_nothing_is_changed_by_what_cannot_work(installed: PersonalPool, prefix: Path, wheels: dict[str, str]) -> None:
    """A job that does not end in time, too, leaves all as it was, and the machine takes jobs again."""
    first = submit(installed)
    new = wheels["0.3.9"]
    refused = {
        ("-from", "nothing.whl"): "nothing.whl: No such file or directory; nothing was changed",
        ("-back",): "has no version to go back to; nothing was changed",
        ("-from", new, "-prefix", str(ROOT)): "is a checkout: for another version git checkout it",
        ("-from", new, "-drain", "-limit", "1"): "1 job still runs after 1 s; condor_py 0.2.9 is installed and runs",
    }
    for words, expected in refused.items():
        done = condor(installed, prefix, "condor_setup", "-upgrade", *words)
        assert expected in done.stderr, (words, done.stderr)
        assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    installed.environment["_CONDOR_MAX_JOBS_RUNNING"] = "many"
    done = condor(installed, prefix, "condor_setup", "-upgrade", "-from", new, "-dry-run")
    assert "0.3.9 refuses the configuration" in done.stderr
    del installed.environment["_CONDOR_MAX_JOBS_RUNNING"]
    assert version(prefix) == "0.2.9"
    assert installed.status_of(f"{first}.0") == 2
    assert began(installed) == 1
    installed.tool("condor_rm", str(first))
    second = installed.submit("executable = /bin/true\nlog = second.log\nqueue\n")
    installed.wait("second.log")
    installed.recorded([[str(second)], [str(first)]], "ClusterId")


def test_a_version_that_does_not_start_makes_way_for_the_old_one_and_one_that_does_runs_the_same_jobs(
    installed: PersonalPool, prefix: Path, wheels: dict[str, str]
) -> None:
    first = submit(installed)
    done = condor(installed, prefix, "condor_setup", "-upgrade", "-from", wheels["0.3.8"])
    assert done.returncode == 1
    assert done.stderr.endswith("; condor_py 0.2.9 is installed and runs as before\n")
    assert done.stderr.count("\n") == 1
    assert version(prefix) == "0.2.9"
    assert installed.ready()
    installed.wait("job.log")  # the second time it ends at once
    last = submit(installed)
    master = installed.pid("master")
    done = condor(installed, prefix, "condor_setup", "-upgrade", "-from", wheels["0.3.9"])
    assert (done.returncode, done.stderr) == (0, "")
    assert "1 job is asked to stop, and runs again afterwards" in done.stdout
    assert "0.3.9 reads the same 3 jobs as 0.2.9" in done.stdout
    assert done.stdout.splitlines()[-1] == "Back to 0.2.9: condor_setup -upgrade -back"
    assert version(prefix) == "0.3.9"
    assert not runs(master)
    installed.wait("job.log")
    assert began(installed) == 4
    installed.recorded([[str(last)], [str(first)]], "ClusterId")
    assert installed.status_of(f"{first + 1}.0") == installed.status_of(f"{last + 1}.0") == 5
    kept = [path.name for path in (installed.directory / "local" / "upgrade" / "before").iterdir()]
    assert sorted(kept) == ["Accountantnew.log", "condor_py-0.2.9-py3-none-any.whl", "job_queue.log"]
