"""The text of ``-help``: the table of a tool, laid out by typer."""

from __future__ import annotations

from typing import Any, TextIO

from condor_py.cli.options import Opt, ToolSpec
from condor_py.model import packages

packages.make_known()

from typer.core import TyperCommand  # noqa: E402

_WIDTH = 100


def help_text(spec: ToolSpec) -> str:
    """Return the text of ``-help``, ending with a newline."""
    command = _Command(spec)
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
    """A command whose help shows HTCondor's spellings, under the headings of its table."""

    def __init__(self, spec: ToolSpec) -> None:
        super().__init__(spec.name, help=spec.summary, add_help_option=False, rich_markup_mode=None)
        self._spec = spec

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return [self._spec.usage] if self._spec.usage else []

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options and arguments under their headings."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for option in self._spec.options:
            if not option.same_as and not option.hidden:
                groups.setdefault(option.group or "Options", []).append((spelling(option), option.help))
        if self._spec.positional_help:
            groups.setdefault("Arguments", []).append((self._spec.positional or "ARG", self._spec.positional_help))
        for title, rows in groups.items():
            with formatter.section(title):
                formatter.write_dl(rows)
