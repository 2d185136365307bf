"""What all campaigns share: their options, their progress, and the line of JSON that each ends with.

A campaign looks for faults that no single test would meet, by doing one thing to a pool many times, in ways that a seed
chooses. It says how large it is to be (``-n``), which seed it takes (``-seed``), tells each finding when it comes, and
ends with one line of JSON: name, version, size, seed, seconds, findings, and figures of its own. The exit status is 1
when there was a finding, 2 when it could not run here. With the same seed it makes the same choices. SIGUSR1 prints
that line in the middle of a run.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
#: Seconds between two lines of progress on a terminal.
_OFTEN = 1.0


class CannotRun(Exception):
    """This machine lacks what the campaign needs; the text says what."""


class Campaign:
    """One run of a campaign: what was asked, what was found, and how far it is.

    ``size`` is the number of ``unit`` that was asked for, ``done`` how many there were. ``choose`` is the source of all
    chance. ``figures`` are printed in the last line, next to the findings. ``options`` has options of the campaign
    itself.
    """

    def __init__(self, name: str, unit: str, size: int, seed: int, options: argparse.Namespace) -> None:
        self.name, self.unit, self.size, self.seed, self.options = name, unit, size, seed, options
        self.choose = random.Random(seed)
        self.done = 0
        self.findings: list[str] = []
        self.figures: dict[str, object] = {}
        self._begun = self._shown = time.monotonic()

    def found(self, finding: str) -> None:
        """Notes what must not be, and prints it at once."""
        self.findings.append(finding)
        print(f"{self.name}: {finding}", file=sys.stderr, flush=True)

    def step(self, count: int = 1) -> None:
        """Counts what was done; shows on a terminal how far it is."""
        self.done += count
        now = time.monotonic()
        if sys.stderr.isatty() and now - self._shown > _OFTEN:
            self._shown = now
            print(f"\r{self.name}: {self.done} of {self.size} {self.unit} ", end="", file=sys.stderr, flush=True)

    def line(self) -> str:
        """The last line of the run."""
        seconds = round(time.monotonic() - self._begun, 1)
        known = {
            "campaign": self.name, "version": version(), self.unit: self.done, "asked": self.size, "seed": self.seed,
            "seconds": seconds, "findings": len(self.findings),
        }  # fmt: skip
        return json.dumps({**known, **self.figures})


def version() -> str:
    """The commit of this tree, with a + when files have changed since; "" outside of a repository."""
    words = ["git", "-C", str(_ROOT), "describe", "--always", "--abbrev=8", "--exclude=*", "--dirty=+"]
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout.strip()


def main(
    body: Callable[[Campaign], None],
    *,
    name: str,
    about: str | None,
    unit: str,
    size: int,
    options: Callable[[argparse.ArgumentParser], None] | None = None,
    arguments: Sequence[str] | None = None,
) -> int:
    """Runs a campaign as a command; the exit status. ``about`` is its usage text, ``size`` the default of ``-n``."""
    parser = argparse.ArgumentParser(
        prog=f"tests/campaigns/run {name}", description=about, add_help=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("-h", "-help", "--help", action="help", help="print this")
    parser.add_argument("-n", type=_positive, default=size, metavar="COUNT", help=f"how many {unit} (default {size})")
    parser.add_argument("-seed", type=int, default=1, help="what all its choices come from (default 1)")
    if options is not None:
        options(parser)
    asked = parser.parse_args(arguments)
    campaign = Campaign(name, unit, asked.n, asked.seed, asked)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # what a campaign has started is ended then, too
    signal.signal(signal.SIGUSR1, lambda _signal, _frame: print(campaign.line(), flush=True))
    try:
        body(campaign)
    except CannotRun as reason:
        print(f"{name}: cannot run here: {reason}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"{name}: stopped", file=sys.stderr)
        print(campaign.line())
        return 130
    print(campaign.line(), flush=True)
    return 1 if campaign.findings else 0


def _positive(word: str) -> int:
    count = int(word)
    if count < 1:
        raise argparse.ArgumentTypeError(f"{word} is not above 0")
    return count
