"""Job ads of generated submit descriptions are those of HTCondor's own submit library (release 24.0)."""

from __future__ import annotations

import glob
import importlib.util
import json
import os
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from condor_py.lang.submit.build import BuildOptions, clusters_of
from condor_py.lang.submit.errors import SubmitError
from condor_py.lang.submit.items import ItemSources
from condor_py.lang.submit.submit_file import Surroundings, parse
from condor_py.model.settings.submit import SubmitSettings

HERE = Path(__file__).parent
ORACLE = os.environ.get("CONDOR_PY_ORACLE24", str(HERE.parents[2] / ".venv24" / "bin" / "python"))
NOW = 1_700_000_000
#: Random descriptions; CONDOR_PY_WALKS asks for more or fewer.
RANDOM_COUNT = 12 * int(os.environ.get("CONDOR_PY_WALKS", "150"))

#: Attributes that say who made the ad, that newer releases write otherwise, or that they added.
IGNORED = frozenset(
    name.lower()
    for name in (
        "CondorVersion", "SubmitVersion", "CondorPlatform", "JobSubmitMethod", "JobSubmitFile", "Owner", "ClusterId",
        "TransferInputSizeMB", "MountUnderScratch", "PrimaryUnixGroup", "ContainerImageFullPath",
    )
)  # fmt: skip

#: Lines for which we differ on purpose: newer than the oracle, or an accident of it that shows from job 1 on.
DELIBERATE = (
    "notification = start",  # accepted since 25
    "requirements = Requirements",  # refused as circular since 25
    'transfer_input_files = "a,b"',  # quotes are removed since 25
    "when_to_transfer_output = never",  # 24 takes it for ON_EXIT
    "job_lease_duration = 5",  # raised to 20 in job 0 only
    "transfer_input = true",  # the null device is transferred from job 1 on
    "transfer_output = true",
    "transfer_error = true",
    "universe = vm",  # not supported here
)

CONFIG = """UID_DOMAIN = example.net
FILESYSTEM_DOMAIN = example.net
JOB_DEFAULT_REQUESTMEMORY = 128
JOB_DEFAULT_REQUESTDISK = MAX({1024, (TransferInputSizeMB+1) * 1.25}) * 1024
JOB_DEFAULT_REQUESTCPUS = 1
USER_CONFIG_FILE =
"""

pytestmark = [
    pytest.mark.skipif(
        not os.access(ORACLE, os.X_OK), reason="no oracle: set CONDOR_PY_ORACLE24 to a python that has htcondor 24.0"
    ),
    pytest.mark.xdist_group("submit_oracle"),  # the oracle is asked once
]

Jobs = list[dict[str, tuple[str, str]]]


def _module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"submit_{name}", HERE / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _texts() -> list[str]:
    generator = _module("generator")
    found = generator.singles()
    found += [generator.description(random.Random(seed)) for seed in range(RANDOM_COUNT)]
    return [text for text in found if not any(line in text.splitlines() for line in DELIBERATE)]


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An empty directory that both submit from."""
    path = tmp_path_factory.mktemp("submit")
    (path / "condor_config").write_text(CONFIG)
    before = Path.cwd()
    os.chdir(path)
    yield path
    os.chdir(before)


@pytest.fixture(scope="module")
def answers(workplace: Path) -> list[tuple[str, Jobs | str]]:
    """Every text with the oracle's jobs or its error."""
    return _asked(_texts(), workplace)


def _asked(texts: list[str], workplace: Path) -> list[tuple[str, Jobs | str]]:
    done = subprocess.run(
        [ORACLE, str(HERE / "oracle_jobs.py")],
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        env={**os.environ, "CONDOR_CONFIG": str(workplace / "condor_config")},
        check=True,
    )
    found: list[Jobs | str] = []
    for answer in json.loads(done.stdout):
        if isinstance(answer, str):
            found.append(answer)
        else:
            found.append([{name.lower(): (name, text) for name, text in ad} for ad in answer])
    return list(zip(texts, found, strict=True))


def _sources() -> ItemSources:
    def run(command: str) -> str:
        return subprocess.run(command.split(), capture_output=True, text=True, check=True).stdout

    def names(pattern: str) -> list[str]:
        return sorted(name + ("/" if os.path.isdir(name) else "") for name in glob.glob(pattern))

    return ItemSources(lambda name: Path(name).read_text(), run, names, lambda _text: None)


def _ours(text: str, opsys_and_ver: str) -> Jobs | str:
    settings = SubmitSettings(
        uid_domain="example.net",
        filesystem_domain="example.net",
        legacy_disk_clause=True,
        opsys_and_ver=opsys_and_ver,
    )
    around = Surroundings(dict(os.environ), None, NOW, os.getcwd(), _sources())
    jobs: Jobs = []
    try:
        file = parse(text, "job.sub", settings=settings, surroundings=around)
        for draft in clusters_of(file):
            made = draft.make(7, BuildOptions(user="alice", check_executable=False))
            for proc, own in enumerate(made.own):
                jobs.append({**made.attributes, **own, "procid": ("ProcId", str(proc))})
        if file.failure is not None:
            raise file.failure
    except SubmitError as error:
        return error.report
    return jobs


def _differences(ours: Jobs | str, theirs: Jobs | str) -> list[str]:
    if isinstance(ours, str) or isinstance(theirs, str):
        same = isinstance(ours, str) and isinstance(theirs, str)
        return [] if same else [f"ours: {_short(ours)}", f"oracle: {_short(theirs)}"]
    if len(ours) != len(theirs):
        return [f"{len(ours)} jobs, oracle {len(theirs)}"]
    found = []
    for proc, (mine, other) in enumerate(zip(ours, theirs, strict=True)):
        for key in sorted((mine.keys() | other.keys()) - IGNORED):
            if key == "transferinput" and mine.get("jobuniverse") == ("JobUniverse", "10"):
                continue  # the oracle transfers the class and the jar files only together with other input
            if mine.get(key) != other.get(key):
                found.append(f"job {proc}: ours {mine.get(key)}, oracle {other.get(key)}")
    return found


def _short(answer: Jobs | str) -> str:
    return repr(answer) if isinstance(answer, str) else f"{len(answer)} jobs"


def test_jobs_are_those_of_the_oracle(answers: list[tuple[str, Jobs | str]]) -> None:
    wrong = []
    for text, theirs in answers:
        differences = _differences(_ours(text, ""), theirs)
        if differences:
            wrong.append("\n".join([text, *differences[:4]]))
    assert len(answers) > 400 + RANDOM_COUNT / 2
    assert not wrong, f"{len(wrong)} of {len(answers)} descriptions differ:\n\n" + "\n\n".join(wrong[:5])


def test_the_comparison_is_not_empty(answers: list[tuple[str, Jobs | str]]) -> None:
    made = [jobs for _, jobs in answers if not isinstance(jobs, str)]
    assert len(made) > len(answers) // 2
    assert sum(len(jobs) for jobs in made) > 600 + RANDOM_COUNT / 2


#: What the oracle says of descriptions with more than one mistake, or where its library says less than its program.
SAID_OTHERWISE = (
    "Failed to get next job",
    "Requested container service 'a' was not assigned a port",
    "Parse error in expression: Requirements = ((()",
)


def _wrong(texts: list[str], workplace: Path) -> list[str]:
    """What of these descriptions is other than the oracle has it: jobs, or what is said of a mistake."""
    wrong = []
    for text, theirs in _asked(texts, workplace):
        ours = _ours(text, "")
        wrong += ["\n".join([text, *found[:4]])] if (found := _differences(ours, theirs)) else []
        if isinstance(ours, str) and isinstance(theirs, str):
            said = _plain(theirs)
            if said not in _plain(ours) and not said.startswith(SAID_OTHERWISE):
                wrong.append(f"{text}\nours: {_plain(ours)}\noracle: {said}")
    return wrong


def test_commands_that_need_each_other_become_the_same_jobs_and_errors(workplace: Path) -> None:
    wrong = _wrong(_module("directed").texts(), workplace)
    assert not wrong, "\n\n".join(wrong[:5])


SUBJECTS: dict[str, list[str]] = _module("subjects").texts()


@pytest.mark.parametrize("subject", SUBJECTS)
def test_values_at_their_edges_become_the_same_jobs_and_errors(workplace: Path, subject: str) -> None:
    wrong = _wrong(SUBJECTS[subject], workplace)
    assert not wrong, "\n\n".join(wrong[:5])


def _plain(report: str) -> str:
    return " ".join(report.replace("ERROR:", "").split())
