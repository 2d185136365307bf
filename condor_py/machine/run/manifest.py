"""``manifest``: what the sandbox held before and after the run, and the environment, as files beside the output."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from condor_py.machine.run.userfiles import user_file


def write_manifest(scratch: str, directory: str, name: str) -> None:
    """``DIRECTORY/NAME`` in the scratch directory: the paths below it, a line each, directories with a slash."""
    os.makedirs(os.path.join(scratch, directory), 0o700, exist_ok=True)
    path = os.path.join(scratch, directory, name)
    with user_file(path, "w") as file:
        file.writelines(f"./{line}\n" for line in _walk(scratch, ""))


def write_environment(scratch: str, directory: str, environment: Mapping[str, str]) -> None:
    """``DIRECTORY/environment``: the job's environment on one line."""
    path = os.path.join(scratch, directory, "environment")
    with user_file(path, "w") as file:
        file.write(" ".join(f"{name}={environment[name]}" for name in sorted(environment)) + "\n")


def _walk(top: str, below: str) -> Iterator[str]:
    with os.scandir(os.path.join(top, below)) as entries:
        found = sorted(entries, key=lambda entry: entry.name)
    for entry in found:
        path = f"{below}{entry.name}"
        if entry.is_dir(follow_symlinks=False):
            yield f"{path}/"
            yield from _walk(top, f"{path}/")
        else:
            yield path
