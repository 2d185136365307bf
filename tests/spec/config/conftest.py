"""The real HTCondor as a function: configurations in, values out."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

Answers = list[dict[str, Any]]
Ask = Callable[[Sequence[tuple[str, Sequence[str]]]], Answers]
#: Of {root, names, environ, subsystem}; see condor_oracle.py.
AskFiles = Callable[[Sequence[dict[str, object]]], Answers]


@pytest.fixture(autouse=True)
def host() -> Iterator[None]:
    """A name of the machine for both. Without, HTCondor asks the resolver for each configuration."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("_CONDOR_NETWORK_HOSTNAME", "vm.example.org")
        yield


@pytest.fixture(scope="session")
def htcondor_files() -> AskFiles:
    """``htcondor_files([{"root": path, "names": names}, ...])`` gives a dict of values for each; stderr under "!"."""
    pytest.importorskip("htcondor2")
    script = Path(__file__).with_name("condor_oracle.py")

    def ask(cases: Sequence[dict[str, object]]) -> Answers:
        done = subprocess.run(
            [sys.executable, str(script)],
            input=json.dumps(cases),
            capture_output=True,
            text=True,
            timeout=300,
            check=True,
        )
        answers: Answers = json.loads(done.stdout)
        return answers

    return ask


@pytest.fixture(scope="session")
def htcondor(htcondor_files: AskFiles, tmp_path_factory: pytest.TempPathFactory) -> Ask:
    """``htcondor([(text, names), ...])``: the same for configurations of one file each."""
    folder = tmp_path_factory.mktemp("oracle")

    def ask(cases: Sequence[tuple[str, Sequence[str]]]) -> Answers:
        files = [folder / str(index) for index in range(len(cases))]
        for file, (text, _) in zip(files, cases, strict=True):
            file.write_text(text, newline="")
        return htcondor_files(
            [{"root": str(file), "names": list(names)} for file, (_, names) in zip(files, cases, strict=True)]
        )

    return ask
