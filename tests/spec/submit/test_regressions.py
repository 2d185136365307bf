"""HTCondor's own data for condor_submit -dry-run: every submit file gives the attributes that it expects.

The data is read from the folder that CONDOR_PY_HTCONDOR_TESTS names (src/condor_tests of HTCondor's sources).
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
NAME = "cmd_submit_regress_dry"
#: HTCondor's own test ignores what comes of it.
APART = {"x509.sub"}
_HEAD = re.compile(r"==+(.*\.\S+)\s*\Z")
_EXPECTED = re.compile(r"\s*([a-zA-Z_0-9]+)=(.*)\Z")


def sections(path: Path) -> dict[str, list[str]]:
    """The lines below each ``==name`` line."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        head = _HEAD.match(line)
        if head is not None:
            lines = found.setdefault(head[1], [])
        else:
            lines.append(line)
    return found


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, list[str]]]:
    """The folder with the submit files, and what each is to give."""
    folder = os.environ.get("CONDOR_PY_HTCONDOR_TESTS")
    if not folder:
        pytest.skip("CONDOR_PY_HTCONDOR_TESTS does not name HTCondor's src/condor_tests")
    work = tmp_path_factory.mktemp("regressions")
    for number, (name, lines) in enumerate(sections(Path(folder, f"{NAME}.subs")).items(), 1):
        (work / f"{number}{name}").write_text("\n".join(lines) + "\n")  # what is expected tells of these names
    (work / "basic.cmd").write_text("#!/bin/sh\n")
    for place in ("70", "216", "240"):
        (work / "Multilevel_Thesis_WheatData" / place).mkdir(parents=True)
    return work, sections(Path(folder, f"{NAME}.expect"))


def ads(text: str) -> tuple[dict[str, str], list[dict[str, str]]]:
    """The cluster's attributes and those of each job from the output of a dry-run."""
    cluster: dict[str, str] = {}
    jobs: list[dict[str, str]] = []
    for line in text.split("\n"):  # other line breaks occur in values
        name, sign, value = line.partition("=")
        if not sign or " " in name:
            continue
        if name == "ProcId":
            jobs.append({})
        (jobs[-1] if jobs else cluster)[name] = value.strip()
    return cluster, jobs


def differences(expected: list[str], cluster: dict[str, str], jobs: list[dict[str, str]]) -> Iterator[str]:
    proc = 0
    for line in expected:
        if line.startswith("."):
            proc += 1
        match = _EXPECTED.match(line)
        if match is None:
            continue
        name, wanted = match[1], match[2].strip()
        own = jobs[proc] if proc < len(jobs) else {}
        found = own.get(name, cluster.get(name, "undefined"))
        if len(wanted) > 1 and wanted[0] == wanted[-1] == "/":
            if re.search(wanted[1:-1], found) is None:
                yield f"job {proc}: {name} = {found} does not match {wanted}"
        elif found != wanted:
            yield f"job {proc}: {name} = {found}, not {wanted}"


def test_every_submit_file_gives_what_htcondor_expects(data: tuple[Path, dict[str, list[str]]]) -> None:
    work, expected = data
    wrong: dict[str, list[str]] = {}
    for path in work.glob("*.sub"):
        number, name = re.findall(r"(\d+)(.*)", path.name)[0]
        if name in APART or name not in expected:
            continue
        done = subprocess.run(
            [sys.executable, "-I", str(ROOT / "condor_py" / "__main__.py"), "condor_submit",
             f"-dry-run:cluster={number}", "-", path.name],
            cwd=work, env={"PATH": "/usr/bin:/bin", "HOME": str(work), "CONDOR_CONFIG": "ONLY_ENV"},
            capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip
        found = [*differences(expected[name], *ads(done.stdout))]
        if done.returncode or found:
            wrong[name] = [f"exit {done.returncode} {done.stderr.strip()}", *found]
    assert not wrong
