"""The scratch directory of a running job, found by the ad that its starter leaves there.

Only the job's owner (and root) can look into it: the kernel keeps everybody else out.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from condor_py.lang.classad.ad import ClassAd
from condor_py.machine.run.places import STDERR_NAME, STDOUT_NAME
from condor_py.machine.run.sandbox import Sandbox
from condor_py.model.ids import JobId


class Workplace(NamedTuple):
    """Where a job runs: its directories and its ad as it was given to the starter."""

    sandbox: Sandbox
    ad: ClassAd

    @property
    def is_alive(self) -> bool:
        """Whether the job is still there."""
        return os.path.exists(self.sandbox.job_ad)

    def stream(self, attribute: str) -> str:
        """Path of what the job writes to ``Out`` or ``Err`` now; empty when it goes nowhere."""
        name = self.ad.eval_str(attribute, "") or ""
        if name in ("", os.devnull):
            return ""
        streamed = self.ad.eval_bool(f"Stream{attribute}", False)
        if self.transfers and not streamed:
            both = self.ad.eval_str("Out", "") == self.ad.eval_str("Err", "")
            return f"{self.sandbox.scratch}/{STDERR_NAME if attribute == 'Err' and not both else STDOUT_NAME}"
        submitted = self.ad.eval_str("OrigIwd", None) if streamed else None
        return os.path.join(submitted or self.ad.eval_str("Iwd", "/") or "/", name)

    @property
    def transfers(self) -> bool:
        """Whether the job works in the scratch directory, and its files are brought there."""
        return os.path.exists(f"{self.sandbox.scratch}/{STDOUT_NAME}") or (
            (self.ad.eval_str("ShouldTransferFiles", "NO") or "").upper() == "YES"
        )


def find(directories: list[str], job: JobId) -> Workplace | None:
    """Where ``job`` runs below one of the EXECUTE directories; None when it does not, or is not to be seen."""
    for sandbox in _sandboxes(directories):
        try:
            with open(sandbox.job_ad, encoding="utf-8", errors="surrogateescape") as file:
                ad = ClassAd.from_text_items(_items(file.read()))
        except OSError:
            continue
        if (ad.eval_int("ClusterId", -1), ad.eval_int("ProcId", -1)) == tuple(job):
            return Workplace(sandbox, ad)
    return None


def _sandboxes(directories: list[str]) -> Iterator[Sandbox]:
    for directory in dict.fromkeys(directories):
        try:
            names = sorted(os.listdir(directory))
        except OSError:
            continue
        yield from (Sandbox(f"{directory}/{name}") for name in names if name.startswith("dir_"))


def _items(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        name, equals, value = line.partition(" = ")
        if equals:
            yield name, value
