"""A condor_dagman that kills itself at named points: the first line of the file ``strikes`` beside the DAG, which is
taken away, is the point of this life (see ``failing_schedd``); without a line it lives.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]

import failing_schedd


def kind_of(path: str) -> str:
    """Which of condor_dagman's files a path is."""
    name = os.path.basename(path)
    for kind, mark in (("queue", "job_queue.log"), ("nodes", ".nodes.log"), ("scripts", ".scripts"),
                       ("rescue", ".rescue")):  # fmt: skip
        if mark in name:
            return kind
    return "other"


def main() -> int:
    """condor_dagman, armed."""
    file = Path("strikes")
    lines = file.read_text().split("\n") if file.exists() else []
    if lines and lines[0]:
        file.write_text("\n".join(lines[1:]))
        point, _, count = lines[0].partition(" ")
        failing_schedd.kind_of = kind_of
        failing_schedd.install(failing_schedd.Striker(point, int(count)))
    from condor_py.cli.dagman import main as dagman

    return dagman(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
