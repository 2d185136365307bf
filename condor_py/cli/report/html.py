"""A report as one page of HTML. All text goes through ``escaped``; there are no scripts."""

from __future__ import annotations

from collections.abc import Sequence

from condor_py.cli.plots import chart
from condor_py.cli.plots.svg import STYLE, escaped
from condor_py.cli.report.parts import Advices, Column, Figure, Part, Section, Table, Text

#: Nothing may be loaded or run, whatever a job is called.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_CSS = """
:root{color-scheme:light dark;--ink:#1a1a1a;--faint:#5a5a5a;--paper:#fff;--rule:#d0d0d0;--card:#f4f5f7;
--link:#0057a8}
@media (prefers-color-scheme:dark){:root{--ink:#ececec;--faint:#b0b0b0;--paper:#161618;--rule:#3c3c40;
--card:#222226;--link:#7cc0ff}}
*{box-sizing:border-box}
body{margin:0 auto;padding:1rem;max-width:62rem;color:var(--ink);background:var(--paper);
font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
h1{font-size:1.6rem;line-height:1.2;margin:.5rem 0}
h2{font-size:1.2rem;margin:2.2rem 0 .3rem}
h3{font-size:1rem;margin:1.2rem 0 .2rem}
p{margin:.4rem 0}
.faint{color:var(--faint)}
a{color:var(--link)}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(9rem,1fr));gap:.6rem;padding:0;margin:1rem 0;
list-style:none}
.cards li{background:var(--card);border-radius:.5rem;padding:.6rem .8rem}
.cards b{display:block;white-space:nowrap;font-size:1.35rem;line-height:1.3}
figure{margin:.8rem 0}
.wide{overflow-x:auto}
.wide:focus-visible{outline:2px solid var(--link)}
.wide svg{display:block;width:100%;min-width:34rem;height:auto}
table{border-collapse:collapse;min-width:100%;font-variant-numeric:tabular-nums;font-size:.92rem}
caption{text-align:left;color:var(--faint);padding:.2rem 0}
th,td{padding:.25rem .6rem;border-bottom:1px solid var(--rule);text-align:right;vertical-align:top}
th:first-child,td:first-child,.text{text-align:left}
thead th{border-bottom:2px solid var(--rule)}
th,td{white-space:nowrap;overflow-wrap:normal}
tbody th,td.text{font-weight:normal;min-width:8rem;white-space:normal;overflow-wrap:anywhere}
summary{cursor:pointer;color:var(--link)}
summary:focus-visible{outline:2px solid var(--link)}
code{background:var(--card);padding:.05rem .3rem;border-radius:.25rem}
.says{padding:0;list-style:none}
.says li{border-left:4px solid #b8860b;background:var(--card);padding:.4rem .8rem;margin:.4rem 0}
@media print{:root{--ink:#000;--faint:#333;--paper:#fff;--rule:#999;--card:#fff;--link:#000}
body{max-width:none;font-size:10pt}
details::details-content{content-visibility:visible;height:auto}
.wide{overflow:visible}
.wide svg{min-width:0}
figure,tr,li,h2,h3{break-inside:avoid}
h2,h3{break-after:avoid}
.skip{display:none}}
"""


def rendered(part: Part) -> str:
    """Return a part as an element."""
    match part:
        case Text(text):
            return paragraph(text)
        case Table():
            return _folded(f"Table: {part.caption}", _table(part)) if part.folded else _table(part)
        case Figure():
            return _figure(part)
        case Advices():
            return _advices(part)


def _table(part: Table) -> str:
    """A table, which scrolls by itself where the page is too narrow."""
    caption, columns, rows = part.caption, part.columns, part.rows
    head = "".join(f'<th scope="col"{_class(column)}>{escaped(column.heading)}</th>' for column in columns)
    body = "".join(_row(columns, row) for row in rows)
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{escaped(caption)}"><table>'
        f"<caption>{escaped(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _class(column: Column) -> str:
    return ' class="text"' if column.words else ""


def _row(columns: Sequence[Column], row: Sequence[str]) -> str:
    first = f'<th scope="row">{escaped(row[0])}</th>'
    rest = zip(columns[1:], row[1:], strict=True)
    return f"<tr>{first}{''.join(f'<td{_class(column)}>{escaped(cell)}</td>' for column, cell in rest)}</tr>"


def _folded(summary: str, inside: str) -> str:
    """A part of the page that opens by a click."""
    return f"<details><summary>{escaped(summary)}</summary>{inside}</details>"


def _figure(part: Figure) -> str:
    caption = escaped(part.caption)
    return (
        f'<figure><div class="wide" tabindex="0" role="region" aria-label="{caption}">{chart.draw(part.chart)}</div>'
        f'<figcaption class="faint">{caption}</figcaption></figure>'
    )


def _advices(part: Advices) -> str:
    says = "".join(
        f"<li>{escaped(said)} <code>{escaped(instead)}</code> would do.</li>" for said, instead in part.items
    )
    return f'<h3>{escaped(part.heading)}</h3><ul class="says">{says}</ul>'


def paragraph(text: str) -> str:
    """A paragraph of plain text."""
    return f"<p>{escaped(text)}</p>"


def cards(pairs: Sequence[tuple[str, str]]) -> str:
    """Figures that stand out: (figure, what it is)."""
    return '<ul class="cards">' + "".join(f"<li><b>{escaped(a)}</b>{escaped(b)}</li>" for a, b in pairs) + "</ul>"


def section(shown: Section) -> str:
    """A section with a heading that can be linked to."""
    name = shown.name
    head = f'<section id="{name}" aria-labelledby="{name}-h"><h2 id="{name}-h">{escaped(shown.heading)}</h2>'
    return f"{head}{''.join(map(rendered, shown.parts))}</section>"


def _ascii(text: str) -> str:
    """The page in characters that every terminal, mail and locale can carry."""
    return text.encode("ascii", "xmlcharrefreplace").decode("ascii")


def page(title: str, under: str, links: Sequence[tuple[str, str]], body: str, foot: str) -> str:
    """A whole page, of one file."""
    contents = " · ".join(f'<a href="#{name}">{escaped(text)}</a>' for name, text in links)
    return _ascii(
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escaped(title)}</title>\n<style>{_CSS}{STYLE}</style></head>\n<body>\n<header><h1>{escaped(title)}</h1>"
        f'<p class="faint">{escaped(under)}</p><nav class="skip" aria-label="Sections">{contents}</nav></header>\n'
        f'<main>{body}</main>\n<footer class="faint">{foot}</footer>\n</body></html>\n'
    )
