"""``python -m condor_py.simulate SCENARIO.toml``: runs a scenario in virtual time and prints what each user got."""

from __future__ import annotations

import sys

import typer

from condor_py.model.errors import CondorError
from condor_py.simulate.memory import comparison
from condor_py.simulate.report import span, table
from condor_py.simulate.scenario import read_scenario
from condor_py.simulate.simulation import compared

_app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@_app.command(context_settings={"help_option_names": ["-h", "--help"]})
def simulate(
    scenarios: list[str] = typer.Argument(  # noqa: B008
        ..., metavar="SCENARIO.toml...", help="Files with users, jobs and slots.", show_default=False
    ),
) -> None:
    """Run scenarios in virtual time and print what each user got: a table a file."""
    for number, path in enumerate(scenarios):
        try:
            lines = _lines(path)
        except CondorError as error:
            sys.stderr.write(f"{error}\n")
            raise typer.Exit(1) from None
        if number:
            sys.stdout.write("\n")
        sys.stdout.write("".join(f"{line}\n" for line in lines))


def main() -> None:
    """Run the simulator and end the process: with 1 when a file cannot be understood, 2 for a wrong command line."""
    _app(prog_name="python -m condor_py.simulator")


def _lines(path: str) -> list[str]:
    """The table of a scenario; where the machine sleeps, also what that saves and costs, and where memory is found from
    the history, the same with what jobs ask for. CondorError."""
    simulation, seconds, title = read_scenario(path)
    report = simulation.run(seconds)
    lines = list(table(report, title))
    if simulation.sleeper is not None:
        other, seconds, _ = read_scenario(path, awake=True)
        lines += ["", *compared(simulation, report, other.run(seconds)).lines(span)]
    if simulation.is_auto:
        other, seconds, _ = read_scenario(path, as_asked=True)
        found = report, simulation.memory, simulation.on_hold
        fixed = other.run(seconds), other.memory, other.on_hold
        lines += ["", *comparison(found, fixed, span)]
    return lines


if __name__ == "__main__":
    main()
