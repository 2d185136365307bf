"""A pool that root started, and an ordinary account that uses it."""

from __future__ import annotations

import os
import pwd
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from pool import MAIN, PATIENCE, Done, PersonalPool, preloaded
from preloaded import may_be_preloaded, preloaded_tools

STRANGER = "nobody"


@cache
def usable_python(*modules: str) -> str:
    """An interpreter that the other account may execute, and which has these modules."""
    has = f" and which has {', '.join(modules)}" if modules else ""
    for candidate in (sys.executable, "/usr/bin/python3"):
        if not Path(candidate).exists():
            continue
        probe = "\n".join(["import sys", *(f"import {module}" for module in modules)])
        probe += "\nsys.exit(sys.version_info < (3, 11))"
        try:
            done = subprocess.run(
                [candidate, "-I", "-c", probe], user=STRANGER, check=False, cwd="/", stderr=subprocess.DEVNULL
            )
        except (OSError, PermissionError):
            continue
        if done.returncode == 0:
            return candidate
    pytest.skip(f"no Python 3.11 that the account {STRANGER} may execute{has}")


class SharedPool(PersonalPool):
    """Root's pool and the tools of a stranger."""

    def __init__(self, directory: Path, cpus: int = 4, **knobs: str) -> None:
        super().__init__(directory, cpus, **knobs)
        del self.environment["_CONDOR_CONDOR_IDS"]  # everybody may read its programs: the machine's account runs them

    def as_stranger(self, *words: str) -> Done:
        """Runs a tool as the other account, in its own directory."""
        environment = {**self.environment, "HOME": str(self.theirs)}
        if may_be_preloaded(words, environment):
            tools = preloaded_tools(usable_python())
            return preloaded(words, environment, self.theirs, tools=tools, account=STRANGER)
        return self._run_as_stranger("-S", "-X", "utf8", str(MAIN), *words)

    def begin_as_stranger(self, *words: str) -> subprocess.Popen[str]:
        """Starts a tool as the other account; the test reads its output, and ends it."""
        return subprocess.Popen(
            [usable_python(), "-I", "-S", "-X", "utf8", str(MAIN), *words],
            env={**self.environment, "HOME": str(self.theirs)},
            cwd=self.theirs,
            user=STRANGER,
            group=pwd.getpwnam(STRANGER).pw_gid,
            extra_groups=[],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        )

    def python_as_stranger(self, program: str) -> Done:
        """Runs Python code as the other account; its argument is where the package lies."""
        return self._run_as_stranger("-c", program, str(MAIN.parents[1]))

    def _run_as_stranger(self, *words: str) -> Done:
        return subprocess.run(
            [usable_python(), "-I", *words],
            env={**self.environment, "HOME": str(self.theirs)},
            cwd=self.theirs,
            user=STRANGER,
            group=pwd.getpwnam(STRANGER).pw_gid,
            extra_groups=[],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="surrogateescape",
            timeout=120 * PATIENCE,
            check=False,
        )

    def submit_as_stranger(self, text: str) -> None:
        """Submits a description of the other account's."""
        (self.theirs / "job.sub").write_text(text)
        done = self.as_stranger("condor_submit", "job.sub")
        assert done.returncode == 0, done.stderr

    @property
    def theirs(self) -> Path:
        """A directory that belongs to the other account, for this test."""
        path = self.directory / f"{self.work.name}.theirs"
        if not path.exists():
            path.mkdir()
            entry = pwd.getpwnam(STRANGER)
            os.chown(path, entry.pw_uid, entry.pw_gid)
        return path

    @property
    def private(self) -> Path:
        """A directory of somebody else's who lets nobody in; there are things in it that are careless by themselves."""
        path = self.directory / "private"
        if not path.exists():
            path.mkdir(mode=0o700)
            inner = path / "inner"
            inner.mkdir(mode=0o755)
            (inner / "diary").write_text("dear diary\n")
        return path


class StrangersPool(PersonalPool):
    """Everything is done by the other account; ``as_account`` is for a third one."""

    def tool(self, *words: str, check: bool = True, stdin: str | None = None, cwd: Path | None = None) -> Done:
        done = self.as_account(STRANGER, *words, cwd=cwd)
        assert not check or done.returncode == 0, f"{words}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    def as_account(self, name: str, *words: str, cwd: Path | None = None) -> Done:
        """Runs a tool with the rights of an account."""
        if may_be_preloaded(words, self.environment):
            tools = preloaded_tools(usable_python("psutil"))
            return preloaded(words, self.environment, cwd or self.work, tools=tools, account=name)
        return subprocess.run(
            [usable_python("psutil"), "-I", str(MAIN), *words],
            env=self.environment,
            cwd=cwd or self.work,
            user=name,
            group=pwd.getpwnam(name).pw_gid,
            extra_groups=[],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
