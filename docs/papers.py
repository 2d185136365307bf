"""Builds the site of the papers: ``docs/build [DIRECTORY]`` runs it (``build/site`` without one).

The site is made of the files that are read in the repository. They are copied, with the same paths, into a directory
from which Sphinx builds. Manual pages and examples become pages on the way, and a link to a file that is not part of
the site becomes its text. No page fetches anything from a network.

    python docs/papers.py [-strict] [DIRECTORY]     -strict: a warning is an error
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: The entries of the table of contents: heading, and the pages below it.
CONTENTS = (
    (
        "Use it",
        (
            "docs/README.md", "docs/tour.md", "docs/user-guide.md", "docs/pages.md", "docs/coming-from.md",
            "docs/see-it.md", "docs/troubleshooting.md", "docs/faq.md", "etc/examples/README.md",
        ),
    ),
    ("Run it for others", ("docs/admin-guide.md", "docs/growing.md", "SECURITY.md", "CHANGELOG.md")),
    (
        "Reference",
        (
            "docs/virtual-machines.md", "docs/batch-systems.md", "docs/disks.md", "docs/power.md",
            "docs/differences.md", "docs/knobs.md", "docs/submit-commands.md", "man/README.md", "etc/condor_config",
        ),
    ),
    (
        "Change it",
        (
            "CONTRIBUTING.md", "docs/developer-guide.md", "condor_py/ARCHITECTURE.md", "tests/bench/README.md",
            "docs/htcondor-tests.md", "docs/how-it-is-tested.md",
        ),
    ),
)  # fmt: skip
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
#: Blocks and pieces of code, in which nothing is a link.
_CODE = re.compile(r"(^ {0,3}```.*?^ {0,3}```$|`[^`\n]+`(?!\]\())", re.MULTILINE | re.DOTALL)
_PICTURES = (".svg", ".png")
#: The head of a page that is not in the table of contents: others have links to it.
_ALONE = "---\norphan: true\n---\n\n"
_SETTINGS = """\
project = "condor_py"
html_title = "condor_py"
extensions = ["myst_parser"]
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 4
html_theme = "furo"
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
highlight_language = "none"
pygments_style = "default"
"""


def papers() -> list[str]:
    """Return the Markdown files of the site: those of the contents, of docs and of the examples."""
    found = [path for _, paths in CONTENTS for path in paths if path.endswith(".md") and path != "man/README.md"]
    for folder in ("docs", "etc"):
        found += sorted(str(path.relative_to(ROOT)) for path in (ROOT / folder).rglob("*.md"))
    return ["README.md", *dict.fromkeys(found)]


def listings() -> list[str]:
    """Return the files that are shown as they are: examples and the list of all knobs."""
    files = sorted((ROOT / "etc" / "examples").rglob("*")) + sorted((ROOT / "etc" / "cron").glob("*"))
    found = [str(path.relative_to(ROOT)) for path in files if path.is_file() and path.suffix not in (".md", ".class")]
    return [*found, "etc/condor_config"]


def manual() -> list[str]:
    """Return the manual pages."""
    return sorted(str(path.relative_to(ROOT)) for path in (ROOT / "man").glob("man?/*.?"))


def stage(directory: Path) -> None:
    """Write what the site is built from."""
    pages = {*papers(), *(f"{path}.md" for path in (*listings(), *manual())), "man/README.md"}
    for path in papers():
        text = (ROOT / path).read_text(encoding="utf-8")
        text = re.sub(r"^<!--.*?-->\n", "", text, flags=re.MULTILINE)
        alone = "" if path == "README.md" or any(path in paths for _, paths in CONTENTS) else _ALONE
        _write(directory / path, alone + linked(text, lambda target, path=path: place(path, target, pages)))
    for path in listings():
        text = (ROOT / path).read_text(encoding="utf-8")
        name = Path(path).name
        _write(directory / f"{path}.md", f"{_ALONE}# {name}\n\n````text\n{text.rstrip()}\n````\n")
    for path in manual():
        _write(directory / f"{path}.md", _ALONE + page_of((ROOT / path).read_text(encoding="utf-8")))
    _write(directory / "man/README.md", index_of_manual())
    for path in (*(ROOT / "docs").iterdir(), *(ROOT / "docs" / "pages").iterdir()):
        if path.suffix in _PICTURES:
            copy = directory / path.relative_to(ROOT)
            copy.parent.mkdir(exist_ok=True)
            shutil.copy(path, copy)
    _write(directory / "index.md", front(directory))
    _write(directory / "conf.py", _SETTINGS)


def front(directory: Path) -> str:
    """The first page: README, and the table of contents in the margin of all pages."""
    (directory / "README.md").rename(directory / "index.md")
    text = (directory / "index.md").read_text(encoding="utf-8")
    for heading, paths in CONTENTS:
        text += "\n".join(("", "```{toctree}", ":hidden:", f":caption: {heading}", "", *map(page, paths), "```", ""))
    return text


def page(path: str) -> str:
    """The Markdown file of the site that shows a file of the repository."""
    return path if path.endswith(".md") else f"{path}.md"


def linked(text: str, place: Callable[[str], str | None]) -> str:
    """A text with its links changed: ``place`` returns the new target, or None for text without a link."""

    def changed(found: re.Match[str]) -> str:
        mark, name, target = found.groups()
        new = place(target)
        return name if new is None else f"{mark}[{linked(name, place)}]({new})"

    return "".join(part if number % 2 else _LINK.sub(changed, part) for number, part in enumerate(_CODE.split(text)))


def place(page: str, target: str, pages: set[str]) -> str | None:
    """The target of a link from a page, as the site has it; None if the site has no such page."""
    if "://" in target or target.startswith("#"):
        return target
    name, mark, anchor = target.partition("#")
    path = os.path.normpath(os.path.join(os.path.dirname(page), name))
    if path.endswith(_PICTURES):
        return target
    candidates = (path, f"{path}.md", f"{path}/README.md", "man/README.md" if path in ("man/man1", "man/man5") else "")
    found = next((candidate for candidate in candidates if candidate in pages), None)
    if found is None:
        return None
    found = "index.md" if found == "README.md" else found
    return os.path.relpath(found, os.path.dirname(page) or ".") + mark + anchor


# ---- manual pages -------------------------------------------------------------------------------------------


def index_of_manual() -> str:
    """The page that names all manual pages with what they are about."""
    lines = ["# Manual pages", "", "`man condor_q` shows a page where condor_py is installed, `condor_q -help` always."]
    for section, title in (("man1", "Commands"), ("man5", "Files")):
        lines += ["", f"## {title}", "", "| page | about |", "|---|---|"]
        for path in sorted((ROOT / "man" / section).iterdir()):
            about = re.search(r"^\.SH NAME\n.*? \\- (.*?)^\.SH", path.read_text(encoding="utf-8"), re.M | re.S)
            assert about, path
            text = _escaped(_plain(" ".join(about[1].split())))
            lines.append(f"| [{path.stem}]({section}/{path.name}.md) | {text} |")
    return "\n".join(lines) + "\n"


def page_of(roff: str) -> str:
    """A manual page in Markdown. Raises ValueError for a request that this project's pages do not use."""
    lines: list[str] = []
    prefix, begun = "", False
    source = iter(roff.rstrip("\n").split("\n"))
    for line in source:
        request, _, rest = line[1:].partition(" ")
        kind = request if line.startswith(".") else ""
        if kind == "TH":
            lines.append(f"# {rest.split()[0].lower()}")
        elif kind == "SH":
            lines += ["", f"## {_escaped(_plain(rest).capitalize())}", ""]
            prefix, begun = "", False
        elif kind in ("TP", "IP"):  # an item: a term, or a number
            term = _font(next(source)) if kind == "TP" else ""
            mark = ": " if term else f"{rest.split()[0]} "
            lines += ["", term] if term else [""]
            prefix, begun = mark, False
        elif kind == "PP":
            lines.append("")
            prefix, begun = "", False
        elif kind == "nf":
            lines += ["", "```text"]
            while (line := next(source)) != ".fi":
                lines.append(_plain(line))
            lines += ["```", ""]
        else:
            text = _font(line)
            lines.append(" " * len(prefix) + text if begun else prefix + text)
            begun = True
    return "\n".join(lines) + "\n"


def _font(line: str) -> str:
    """A line in one font, or in two that take turns: .B, .I, .BR, .IR, .BI, .IB, .RI."""
    request, _, rest = line[1:].partition(" ")
    if not line.startswith("."):
        return _marked(line)
    if re.fullmatch(r"[BI]", request):
        return _in_font(request, rest)
    if not re.fullmatch(r"[BIR]{2}", request):
        raise ValueError(f"unknown request: {line}")
    words = [quoted or word for quoted, word in re.findall(r'"([^"]*)"|(\S+)', rest)]
    return "".join(_in_font(request[number % 2], word) for number, word in enumerate(words))


def _in_font(font: str, text: str) -> str:
    text = _plain(text)
    if font == "R":
        return _escaped(text)
    return f"`{text}`" if font == "B" else f"*{_escaped(text)}*"


def _marked(line: str) -> str:
    """Running text, with the changes of font inside it."""
    parts = re.split(r"\\f([BIR])", line)
    text = _escaped(_plain(parts[0]))
    for font, part in zip(parts[1::2], parts[2::2], strict=True):
        text += _in_font(font, part) if part else ""
    return text


def _plain(text: str) -> str:
    """Text of roff without its escapes."""
    text = re.sub(r"\\f[BIR]", "", text)
    return text.replace("\\&", "").replace("\\-", "-").replace("\\e", "\\").replace("\\(aq", "'")


def _escaped(text: str) -> str:
    """Text in which Markdown sees no marks."""
    return re.sub(r"([\\`*_{}\[\]<>#|~$])", r"\\\1", text)


# ---- building -----------------------------------------------------------------------------------------------


def build(target: Path, strict: bool) -> int:
    """Build the site; the exit status of Sphinx."""
    from sphinx.cmd.build import main as sphinx

    with tempfile.TemporaryDirectory() as directory:
        stage(Path(directory))
        options = ["-W", "--keep-going"] if strict else []
        return sphinx(["-q", "-b", "html", "-d", f"{directory}/.doctrees", *options, directory, str(target)])


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def main(words: list[str]) -> int:
    """Build the site into the directory that is named."""
    strict = "-strict" in words
    rest = [word for word in words if word != "-strict"]
    target = Path(rest[0]) if rest else ROOT / "build" / "site"
    code = build(target, strict)
    if not code:
        print(f"The site is in {target}: open {target}/index.html")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
