"""Runs client programs that are too slow to install, or too rare, for the suite: ``tests/clients/more/run.py``.

Makes an environment beside itself (once), starts a pool, runs each of ``programs`` and compares what its last line of
output says in JSON. Exit status 0 when all of them (or those that are named) answer as expected.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "e2e")]

from pool import PersonalPool

EXPECTED: dict[str, object] = {
    "asimov_job": [True, 1.0],
    "auditor_records": [[["physics"], ["physics"]], [[["Cores", 1], ["Memory", 64]], [["Cores", 1], ["Memory", 64]]]],
    "batchspawner_server": [True, True, None, "served", "", 1],
    "cfut_executor": [0, 1, 4],
    "cluster_utils_grid": [[14, 19, 24, 29]],
    "coffea_casa_cluster": [[0, 1, 4, 9, 16], 2, [True]],
    "condor_assistant_jobs": ["hello one", "hello two"],
    "condor_log_utils_table": [
        ["0", "0", "0", "1", "False"],
        ["3", "0", "0", "1", "False"],
        ["None", "1", "1", "0", "False"],
    ],
    "conpy_tasks": [True, True, True],
    "dask_lxplus_cluster": [[0, 1, 4, 9, 16], 2, ["CernCluster-0", "CernCluster-1"]],
    "dirac_batch": [["Done", "Done"], ["aa", "bb"], True, 0, ["Aborted"]],
    "ezdag_workflow": [3, 0, 3, 3],
    "falconry_jobs": ["one\n", ["FalconryStatus.COMPLETE", "FalconryStatus.COMPLETE"]],
    "ganga_job": [["completed"], True],
    "git_config": ["42", ""],
    "globus_compute_engine": [[9, True], [16, True]],
    "htc_utils_jobs": [["one", "three", "two"], ["five", "four", "one", "three", "two"]],
    "htchirp_session": [
        ["42 from the submitter from", "['renamed.txt'] 18 True"],
        "from the job",
        "line\n",
        True,
        ["7 undefined", "42 soon"],
    ],
    "htcondor_dags_workflow": [6, 2, 5],
    "htmap_map": [[0, 2, 4], ["COMPLETED"]],
    "iceprod_tasks": [
        [["task0", "instance0", 127], ["task1", "instance1", 127]],
        ["os_arch.sh: not found"] * 2,
        ["task0", True],
        "enough (by user root)",
    ],
    "lsst_bps_queries": [True, True, "isr", 3, ["slot1"]],
    "mcmtest_jobs": [True, "JOB_TERMINATED", 0, "one"],
    "nipype_qsub": [42],
    "obob_condor_cluster": [{"2.txt": "4", "3.txt": "9", "4.txt": "16"}],
    "pulsar_condor": ["complete", "from", True, "running", "complete"],
    "pycondor_job": ["one", "two"],
    "queue_poller": ["3", 0],
    "reproman_run": ["given", True],
    "resource_availability": [True, True, True],
    "simanager_study": ["number: 1", "number: 2"],
    "snakemake_ihep": ["one\none\n"],
    "typer_htcondor_eventlog": [[[True, 1, 0, 0], [True, 1, 1, 0]], True, [["Job", "Host"], 3]],
}
_PATIENCE = 120.0


def environment() -> Path:
    """The directory of programs of the environment, which is made when it is not there."""
    place = Path(os.environ.get("CONDOR_PY_MORE_CLIENTS", HERE / ".venv"))
    if not (place / "installed").exists():
        subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
        pip = [str(place / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([*pip[:-1], "setuptools", "-r", _needs(place)], check=True)
        subprocess.run([*pip, "--no-compile", "-r", _programs(place)], check=True)
        (place / "installed").touch()
    return place / "bin"


def _lines() -> list[str]:
    return [line for line in (HERE / "requirements.txt").read_text().splitlines() if line and line[0] != "#"]


def _needs(place: Path) -> str:
    path = place / "needs.txt"
    path.write_text("\n".join(line for line in _lines() if "==" not in line))
    return str(path)


def _programs(place: Path) -> str:
    path = place / "programs.txt"
    path.write_text("\n".join(line for line in _lines() if "==" in line))
    return str(path)


def answer_of(pool: PersonalPool, place: Path, name: str) -> object:
    """What a program's last line of output says, or what went wrong."""
    work = pool.directory / name
    shutil.copytree(HERE / "programs", work)
    command = [str(place / "python"), "-W", "ignore", f"{name}.py"]
    try:
        done = subprocess.run(
            command, cwd=work, env=pool.environment, capture_output=True, text=True, timeout=_PATIENCE,
            stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        line = done.stdout.splitlines()[-1]
        return json.loads(line[line.index("[") :]) if done.returncode == 0 else done.stderr[-2000:]
    except (subprocess.TimeoutExpired, IndexError, ValueError) as error:
        return f"{type(error).__name__}: {error}"


def main(names: list[str]) -> int:
    """Run the programs of these names, or all of them; the exit status."""
    place = environment()
    failures = 0
    with tempfile.TemporaryDirectory(prefix="condor-") as directory:
        pool = PersonalPool(Path(directory, "pool"), cpus=4)
        pool.environment |= {
            "PATH": f"{ROOT / 'bin'}:{place}:{os.environ.get('PATH', '/usr/bin:/bin')}",
            "CONDOR_PY_PYTHON": sys.executable,
            "PYTHONPATH": str(ROOT / "condor_py" / "bindings" / "shims"),
            "USER": "tester",
            "LOGNAME": "tester",
        }
        pool.start()
        try:
            for name in names or sorted(EXPECTED):
                begun = time.monotonic()
                answer = answer_of(pool, place, name)
                good = answer == EXPECTED[name]
                failures += not good
                print(f"{name:24} {'as expected' if good else f'FAILED: {answer}'} ({time.monotonic() - begun:.1f} s)")
        finally:
            pool.stop()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
