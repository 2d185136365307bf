"""``condor_submit -capabilities``: what the schedd can do, and the commands that the administrator has added."""

from __future__ import annotations

from collections.abc import Iterator

from condor_py.lang.submit.commands import Kind, extended
from condor_py.model.settings.submit import SubmitSettings

_WORDS = {
    Kind.BOOL: "boolean true/false", Kind.UINT: "unsigned integer", Kind.INT: "signed integer",
    Kind.UNQUOTED: "string", Kind.UNQUOTED_LIST: "stringlist", Kind.UNQUOTED_FILE: "filename",
    Kind.DISABLED: "forbidden",
}  # fmt: skip


def describe(settings: SubmitSettings, level: int) -> Iterator[str]:
    """The lines; ``level`` above 1 shows the ad of the schedd as well."""
    yield f"Schedd {settings.host}"
    if level > 1:
        yield from _ad(settings)
    if settings.late_materialize:
        yield " Has Late Materialization enabled"
    if settings.extended_commands:
        yield " Has Extended submit commands:"
        kinds = {name: "expression" for name, _ in settings.extended_commands}
        kinds.update((row.command, _WORDS.get(row.kind, "expression")) for row in extended(settings.extended_commands))
        width = max(map(len, kinds)) + 1
        for name in sorted(kinds, key=str.lower):
            yield f"\t{name:{width}} value is {kinds[name]}"
    if settings.extended_help:
        yield f" Has Extended help:\n\t{_help(settings.extended_help)}"


def _ad(settings: SubmitSettings) -> Iterator[str]:
    late = "true" if settings.late_materialize else "false"
    sets = "true" if settings.use_jobsets else "false"
    yield "# Raw ad:"
    if settings.extended_commands:
        items = "; ".join(f"{name} = {text}" for name, text in settings.extended_commands)
        yield f"#  ExtendedSubmitCommands = [ {items} ]"
    yield from (f"#  LateMaterialize = {late}", "#  LateMaterializeVersion = 2", f"#  UseJobsets = {sets}", "###")


def _help(where: str) -> str:
    """EXTENDED_SUBMIT_HELPFILE: a URL as it is, the text of a file."""
    if "://" in where:
        return where
    try:
        with open(where, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError as error:
        return f"{where} cannot be read: {error.strerror}"
