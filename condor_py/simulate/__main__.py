"""``python -m condor_py.simulate SCENARIO.toml``: runs a scenario in virtual time and prints what each user got."""

from __future__ import annotations

import sys

from condor_py.model.errors import CondorError
from condor_py.simulate.report import compared, span, table
from condor_py.simulate.scenario import read_scenario


def main(argv: list[str]) -> int:
    """One table a file; 1 when a file cannot be understood, 2 for a wrong command line."""
    if not argv or argv[0].startswith("-"):
        sys.stderr.write("usage: python -m condor_py.simulate SCENARIO.toml ...\n")
        return 2
    for number, path in enumerate(argv):
        try:
            lines = _lines(path)
        except CondorError as error:
            sys.stderr.write(f"{error}\n")
            return 1
        if number:
            sys.stdout.write("\n")
        sys.stdout.write("".join(f"{line}\n" for line in lines))
    return 0


def _lines(path: str) -> list[str]:
    """The table of a scenario; where the machine sleeps, also what that saves and costs. CondorError."""
    simulation, seconds, title = read_scenario(path)
    report = simulation.run(seconds)
    lines = list(table(report, title))
    if simulation.sleeper is not None:
        other, seconds, _ = read_scenario(path, awake=True)
        lines += ["", *compared(simulation, report, other.run(seconds)).lines(span)]
    return lines


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
