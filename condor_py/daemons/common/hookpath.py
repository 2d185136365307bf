"""Choice of a job's hooks, and the check that no other account may change what a daemon executes."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from typing import Protocol, TypeVar

from condor_py.lang.classad import ClassAd


class Keyed(Protocol):
    """The hooks of one keyword."""

    @property
    def keyword(self) -> str: ...


Hooks = TypeVar("Hooks", bound=Keyed)


def chosen(hooks: Iterable[Hooks], forced: str, default: str, job: ClassAd) -> Hooks | None:
    """Those of the keyword that the configuration forces upon all jobs, else of the job's HookKeyword if the
    configuration knows it, else of its default."""
    known = {one.keyword.lower(): one for one in hooks}
    if forced:
        return known.get(forced.lower())
    wanted = job.eval_str("HookKeyword", None) or ""
    return known.get(wanted.lower()) or known.get(default.lower())


def unusable(path: str) -> str:
    """Return the reason why the program ``path`` cannot be used; empty when it can be used."""
    try:
        found, directory = os.stat(path), os.stat(os.path.dirname(path) or ".")
    except OSError as error:
        return f"cannot be looked at ({error.strerror})"
    if found.st_mode & stat.S_IWOTH:
        return "is writable by all accounts"
    if not found.st_mode & stat.S_IXUSR:
        return "is not executable"
    if directory.st_mode & stat.S_IWOTH:
        return "is in a directory that is writable by everybody"
    return ""
