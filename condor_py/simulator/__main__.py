"""``python -m condor_py.simulator SCENARIO.toml``: runs a scenario in virtual time and prints what everybody got."""

from __future__ import annotations

import sys

from condor_py.model.errors import CondorError
from condor_py.simulator.report import table
from condor_py.simulator.scenario import read_scenario


def main(argv: list[str]) -> int:
    """One table a file; 1 when a file cannot be understood, 2 for a wrong command line."""
    if not argv or argv[0].startswith("-"):
        sys.stderr.write("usage: python -m condor_py.simulator SCENARIO.toml ...\n")
        return 2
    for number, path in enumerate(argv):
        try:
            simulation, seconds, title = read_scenario(path)
            report = simulation.run(seconds)
        except CondorError as error:
            sys.stderr.write(f"{error}\n")
            return 1
        if number:
            sys.stdout.write("\n")
        sys.stdout.write("".join(f"{line}\n" for line in table(report, title)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
