"""All tools as one typer application: ``python -m condor_py condor_q ...``."""

from __future__ import annotations

import importlib
from collections.abc import Callable

from condor_py.cli import entry
from condor_py.cli.entry import PROGRAMS
from condor_py.cli.options import ToolSpec
from condor_py.model import packages

packages.make_known()

import typer  # noqa: E402


def application() -> typer.Typer:
    """The application; each command passes its arguments, in HTCondor's spelling, to the tool."""
    app = typer.Typer(
        add_completion=False,
        rich_markup_mode=None,
        no_args_is_help=True,
        help="HTCondor for one machine: the tools.",
    )
    for spec in specs():
        settings = {"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []}
        app.command(name=spec.name, help=spec.summary, context_settings=settings)(_forward(spec.name))
    return app


def _forward(program: str) -> Callable[[typer.Context], None]:
    def run(context: typer.Context) -> None:
        raise typer.Exit(entry.main(program, context.args))

    return run


def specs() -> list[ToolSpec]:
    """One table a program, by name. A tool module keeps its tables in ``SPECS``."""
    modules = sorted({target.partition(":")[0] for target in PROGRAMS.values()})
    found: list[ToolSpec] = []
    for module in modules:
        found.extend(importlib.import_module(f"condor_py.cli.{module}").SPECS)
    return sorted(found, key=lambda spec: spec.name)
