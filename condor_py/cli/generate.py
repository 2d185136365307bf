"""Writes what is generated from the tables of the tools: ``python -m condor_py.cli.generate [ROOT]``.

``man/man1/*.1``, ``man/man5/condor_submit_description.5`` and
``completions/condor.{bash,zsh,fish}``, and the names that condor_complete knows. The help inside the man pages is what
typer lays out.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence

from condor_py.cli import shells
from condor_py.cli.catalogue import specs
from condor_py.cli.command import spelling
from condor_py.cli.options import Opt, ToolSpec, match_option
from condor_py.cli.submit import language
from condor_py.model.version import HTCONDOR_DATE, HTCONDOR_VERSION

#: Bytes of a line of text in a page; mandoc asks for no more than 80.
_LINE = 76
#: What may be completed as a name.
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")


def generate(tools: Sequence[ToolSpec]) -> dict[str, str]:
    """Path (relative to the repository) -> text of every generated file."""
    files = {f"man/man1/{spec.name}.1": man_page(spec) for spec in tools}
    files[f"man/man5/{language.TITLE}.5"] = language_page()
    files["completions/condor.bash"] = shells.bash(tools)
    files["completions/condor.zsh"] = shells.zsh(tools)
    files["completions/condor.fish"] = shells.fish(tools)
    files["condor_py/cli/complete/names.txt"] = completion_names()
    return files


def main(argv: Sequence[str]) -> int:
    """Write the files below ``argv[0]`` (default: the repository of this module)."""
    here = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
    root = argv[0] if argv else here
    for path, text in generate(specs()).items():
        target = os.path.join(root, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w", encoding="utf-8") as file:
            file.write(text)
    return 0


# ---- man pages ----------------------------------------------------------------------------------------------


def man_page(spec: ToolSpec) -> str:
    """The manual page of a tool in roff."""
    title = spec.name.upper()
    lines = [
        f'.TH {title} 1 "{HTCONDOR_DATE}" "condor_py {HTCONDOR_VERSION}" "HTCondor for one machine"',
        ".SH NAME",
        _folded(f"{_roff(spec.name)} \\- {_roff(_sentence(spec.summary))}"),
        ".SH SYNOPSIS",
        f".B {_roff(spec.name)}",
        _filled(spec.usage),
        ".SH DESCRIPTION",
        _filled(f"{spec.summary} {spec.description}".strip()),
    ]
    if spec.positional_help:
        lines += [".SH ARGUMENTS", ".TP", f".I {_roff(spec.positional)}", _filled(spec.positional_help)]
    for group, options in _groups(spec).items():
        lines += [f".SH {group.upper()}"]
        for option in options:
            lines += [".TP", f".B {_roff(spelling(option))}", _filled(_explain(spec, option))]
    if spec.examples:
        lines.append(".SH EXAMPLES")
        for command, meaning in spec.examples:
            lines += [".TP", f".B {_roff(command)}", _filled(meaning)]
    for heading, text in spec.sections:
        lines += [f".SH {heading}", ".nf", *map(_roff, text.strip("\n").split("\n")), ".fi"]
    lines += [".SH EXIT STATUS", _filled(spec.exit_status)]
    if spec.see_also:
        lines += [".SH SEE ALSO", ",\n".join(_reference(name) for name in spec.see_also)]
    return "\n".join(lines) + "\n"


def language_page() -> str:
    """The manual page of the submit language in roff."""
    title = language.TITLE
    lines = [
        f'.TH {title.upper()} 5 "{HTCONDOR_DATE}" "condor_py {HTCONDOR_VERSION}" "HTCondor for one machine"',
        ".SH NAME",
        _folded(f"{_roff(title)} \\- {_roff(language.SUMMARY)}"),
    ]
    for heading, items in language.page():
        lines.append(f".SH {heading}")
        for term, text in items:
            lines += [".TP", f".B {_roff(term)}", _filled(text)] if term else [_filled(text)]
    lines += [".SH SEE ALSO", ", ".join(_reference(name) for name in ("condor_submit", "condor_config(5)"))]
    return "\n".join(lines) + "\n"


def _reference(name: str) -> str:
    """A page of section 1, or of the section that ``name`` ends with: ``condor_config(5)``."""
    page, _, section = name.rstrip(")").partition("(")
    return f"\\fB{_roff(page)}\\fR({section or '1'})"


def _groups(spec: ToolSpec) -> dict[str, list[Opt]]:
    groups: dict[str, list[Opt]] = {}
    for option in spec.options:
        if not option.hidden and not option.same_as:
            groups.setdefault(option.group, []).append(option)
    return groups


def _explain(spec: ToolSpec, option: Opt) -> str:
    others = [f"-{other.name}" for other in spec.options if other.same_as == option.name]
    text = option.help[:1].upper() + option.help[1:] + "." if option.help else ""
    short = _shortest(spec, option)
    if short != option.name:
        text += f" Short form: -{short}."
    if others:
        text += f" Also spelled {', '.join(others)}."
    return text.strip()


def _shortest(spec: ToolSpec, option: Opt) -> str:
    """The shortest spelling that the parser takes for ``option``."""
    for length in range(max(1, option.min_length), len(option.name)):
        found = match_option(spec.options, "-" + option.name[:length])
        if found is not None and found[0] is option:
            return option.name[:length]
    return option.name


def _sentence(text: str) -> str:
    text = text.rstrip(".")
    return text[:1].lower() + text[1:]


def _roff(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in (".", "'") else text


def _filled(text: str) -> str:
    """Running text in lines of at most 80 bytes."""
    return _folded(_roff(text))


def _folded(text: str) -> str:
    """Lines of at most 80 bytes, none of which roff takes for a request."""
    import textwrap

    lines = textwrap.wrap(text, _LINE, break_long_words=False, break_on_hyphens=False)
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in lines)


# ---- names that condor_complete knows -----------------------------------------------------------------------


def completion_names() -> str:
    """``KIND NAME`` a line: attributes, knobs and submit commands, which do not change while a pool runs."""
    from condor_py.lang.config.params import FOLDER
    from condor_py.model import attributes

    kinds = {
        "attributes": attributes.JOB,
        "knobs": {name for table in sorted(os.listdir(FOLDER)) for name in _first_fields(os.path.join(FOLDER, table))},
        "machine-attributes": attributes.MACHINE,
        "submit": _submit_commands(),
    }
    return "".join(f"{kind} {name}\n" for kind, names in kinds.items() for name in sorted(names, key=str.lower))


def _first_fields(path: str) -> Iterator[str]:
    with open(path, encoding="utf-8") as table:
        rows = (line.split("\t")[0].strip() for line in table if not line.startswith("# "))
        yield from (name for name in rows if _NAME.fullmatch(name))


def _submit_commands() -> set[str]:
    """The names that the page of the submit language explains."""
    terms = (term.partition(" ")[0] for _, items in language.page() for term, _ in items)
    return {term for term in terms if _NAME.fullmatch(term)}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
