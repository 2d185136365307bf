"""Reading submit text and building its jobs without a configuration or a queue."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from condor_py.lang.submit.build import BuildOptions, clusters_of
from condor_py.lang.submit.items import ItemSources
from condor_py.lang.submit.submit_file import SubmitFile, Surroundings, parse
from condor_py.model.settings.submit import SubmitSettings

NOW = 1_700_000_000


class Submitter:
    """A submitter in a directory of his own; ``shown`` collects what would go to stderr while reading."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.settings = SubmitSettings(host="vm", uid_domain="example.net", filesystem_domain="example.net")
        self.env: dict[str, str] = {"HOME": "/home/alice", "LANG": "C"}
        self.commands: dict[str, str] = {}
        self.shown: list[str] = []
        self.now = NOW
        self.options = BuildOptions(user="alice")

    def write(self, name: str, text: str, *, mode: int = 0o644) -> Path:
        """A file in the submitter's directory."""
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
        return path

    def parse(self, text: str, name: str = "job.sub", **given: Any) -> SubmitFile:
        """The description read."""
        sources = ItemSources(self._read, self._run, self._glob, self.shown.append)
        around = Surroundings(self.env, lambda count: 0, self.now, str(self.directory), sources)
        return parse(text, name, settings=self.settings, surroundings=around, **given)

    def _read(self, name: str) -> str:
        return (self.directory / name).read_text()

    def _run(self, command: str) -> str:
        return self.commands[command]

    def _glob(self, pattern: str) -> list[str]:
        found = sorted(self.directory.glob(pattern))
        return [f"{path.relative_to(self.directory)}{'/' if path.is_dir() else ''}" for path in found]

    def jobs(self, text: str, first: int = 7, **given: Any) -> list[dict[str, str]]:
        """The whole ad of every job, as texts by name."""
        file = self.parse(text, **given)
        found = []
        for number, draft in enumerate(clusters_of(file), first):
            made = draft.make(number, self.options)
            for proc, own in enumerate(made.own):
                merged = dict({**made.attributes, **own}.values())
                found.append({**merged, "ClusterId": str(number), "ProcId": str(proc)})
        if file.failure is not None:
            raise file.failure
        return found

    def job(self, text: str, **given: Any) -> dict[str, str]:
        """The ad of the only job of commands to which executable and queue are added."""
        (found,) = self.jobs(f"executable = /bin/sleep\n{text}\nqueue\n", **given)
        return found

    def set(self, **knobs: Any) -> None:
        """Change settings."""
        self.settings = self.settings.changed(**knobs)


@pytest.fixture
def alice(tmp_path: Path) -> Submitter:
    """A submitter in an empty directory."""
    return Submitter(tmp_path)
