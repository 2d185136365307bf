"""The typer side of a tool: one command made from its table, which is its help and its meaning.

`condor_py.cli.options` reads HTCondor's spellings; a typer command reads the same options under their full names.
Both come from one table, and a test holds them equal.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, TextIO

from condor_py.cli.options import Opt, ToolSpec, Use
from condor_py.model import packages

packages.make_known()

import typer  # noqa: E402
from typer.core import TyperCommand  # noqa: E402

#: Separates the values of one use, and the spelling of an option from its help, on the way through typer.
_JOIN = "\x1f"
_WIDTH = 100


def typer_app(spec: ToolSpec, run: Callable[[dict[str, Any]], Any]) -> typer.Typer:
    """A typer application with the one command of ``spec``.

    ``run`` gets a dict: for each option key the list of its uses' value tuples (for flags True or False), and
    ``arguments``, the positional ones.
    """
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    add_command(app, spec, run)
    return app


def add_command(app: typer.Typer, spec: ToolSpec, run: Callable[[dict[str, Any]], Any]) -> None:
    """Declare the command of ``spec`` in ``app``; see `typer_app`."""
    options = [option for option in spec.options if not option.same_as]
    parameters = [_parameter(option) for option in options]
    argument = typer.Argument(None, metavar=spec.positional or "ARG", help=spec.positional_help, show_default=False)
    parameters.append(
        inspect.Parameter("arguments", inspect.Parameter.KEYWORD_ONLY, default=argument, annotation=list[str])
    )

    def command(**given: Any) -> Any:
        values = {option.key: given[_python_name(option.key)] for option in options}
        return run({**values, "arguments": given["arguments"] or []})

    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    app.command(
        name=spec.name,
        help=spec.summary,
        cls=_Command,
        add_help_option=False,
        options_metavar=spec.usage,
        context_settings={"max_content_width": _WIDTH, "terminal_width": _WIDTH},
    )(command)


def canonical(uses: Sequence[Use], spec: ToolSpec) -> list[str]:
    """The argument list by which the typer command of ``spec`` reads the same uses (see `options.scan`)."""
    flags = {option.key for option in spec.options if option.arg is None}
    arguments: list[str] = []
    for use in uses:
        if use.name in flags:
            arguments.append(f"--{use.name}")
        elif use.name:
            arguments.append(f"--{use.name}={_JOIN.join(use.values)}")
    return [*arguments, "--", *(use.spelling for use in uses if not use.name)]


def help_text(spec: ToolSpec) -> str:
    """Return the text of ``-help``, ending with a newline; laid out by typer."""
    command = typer.main.get_command(typer_app(spec, lambda given: given))
    context = command.context_class(command, info_name=spec.name, max_content_width=_WIDTH, terminal_width=_WIDTH)
    return "\n".join(line.rstrip() for line in command.get_help(context).splitlines()) + "\n"


def help_after_error(spec: ToolSpec, stream: TextIO) -> str:
    """Return what follows an error on ``stream``: the text of ``-help``; on a terminal, where the error must stay in
    sight, only its usage line."""
    text = help_text(spec)
    if not stream.isatty():
        return text
    usage, _, _ = text.partition("\n\n")
    return f"{usage}\n{spec.name} -help lists the options.\n"


def spelling(option: Opt) -> str:
    """Return an option as help shows it: ``-name[:colon] VALUES``."""
    text = f"-{option.name}"
    if option.colon is not None:
        text += f"[:{option.colon}]"
    if option.arg:
        text += f" {option.arg}"
    return text + (" ..." if option.variadic else "")


class _Command(TyperCommand):
    """A command whose help shows HTCondor's spellings, under the headings of the table."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return [self.options_metavar] if self.options_metavar else []

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options and arguments under their headings."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            text = getattr(parameter, "help", "") or ""
            if parameter.param_type_name == "argument":
                if text:
                    groups.setdefault("Arguments", []).append((str(parameter.metavar), text))
            elif not getattr(parameter, "hidden", False):
                group = str(getattr(parameter, "rich_help_panel", None) or "Options")
                shown, _, text = text.partition(_JOIN)
                groups.setdefault(group, []).append((shown, text))
        for title, rows in groups.items():
            with formatter.section(title):
                formatter.write_dl(rows)


def _parameter(option: Opt) -> inspect.Parameter:
    convert = option.convert

    def values(text: str) -> tuple[Any, ...]:
        return tuple(convert(part) for part in text.split(_JOIN))

    is_flag = option.arg is None
    default = typer.Option(
        False if is_flag else [],
        f"--{option.key}",
        parser=None if is_flag else values,
        help=spelling(option) + _JOIN + option.help,
        rich_help_panel=option.group,
        show_default=False,
        hidden=option.hidden,
    )
    annotation = bool if is_flag else list[str]
    return inspect.Parameter(
        _python_name(option.key), inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
    )


def _python_name(key: str) -> str:
    return "opt_" + key.replace("-", "_")
