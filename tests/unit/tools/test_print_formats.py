"""The language of print-format files: what every word of SELECT, of a column, and of the lines below them does."""

from __future__ import annotations

from typing import Any

import pytest

from condor_py.cli.output.printformat import PrintFormat, parse_print_format
from condor_py.lang.classad import ClassAd

AD = ClassAd('[ A = 7; B = "bob"; C = 2.5; Owner = "o"; Cmd = "/a/c" ]')


def parsed(*lines: str, **options: Any) -> PrintFormat:
    return parse_print_format(lines, **options)


def shown(*lines: str, **options: Any) -> str:
    """The heading and the row of a format."""
    found = parsed(*lines, **options)
    assert found.messages == []
    row = found.mask.display(AD)
    return found.mask.heading() + row


@pytest.mark.parametrize(
    ("words", "changes"),
    [
        ("", {}),
        ("NOTITLE", {"title": False}),
        ("noheader", {"header": False}),
        ("BARE", {"title": False, "header": False}),
        ("NOSUMMARY", {}),
        ("FROM AUTOCLUSTER", {"aggregate": "autocluster"}),
        ("from jobs", {}),
        ("FROM", {}),
        ("UNIQUE", {"aggregate": "unique"}),
        ("NOTITLE NOHEADER UNIQUE", {"title": False, "header": False, "aggregate": "unique"}),
    ],
)
def test_words_of_select(words: str, changes: dict[str, Any]) -> None:
    found = parsed(f"SELECT {words}", "A AS X")
    plain = {"title": True, "header": True, "summary": "none", "aggregate": "", "where": "", "messages": []}
    assert {name: getattr(found, name) for name in plain} == plain | changes


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("", "X Y\n7 bob\n"),
        (r"RECORDPREFIX '<' RECORDSUFFIX '>\n'", "<X Y>\n<7 bob>\n"),
        (r"FIELDPREFIX '' FIELDSUFFIX ', '", "X, Y\n7, bob\n"),
        (r"FIELDPREFIX '\t'", "X\tY\n7\tbob\n"),
        ("LABEL", "A = 7 B = bob\n"),
        ("LABEL SEPARATOR ': '", "A: 7 B: bob\n"),
        ("LABEL SEPARATOR", "A = 7 B = bob\n"),
    ],
)
def test_what_stands_between_and_around_columns(words: str, text: str) -> None:
    names = ("", "") if "LABEL" in words else (" AS X", " AS Y")
    found = parsed(f"SELECT {words}", f"A{names[0]} WIDTH 0", f"B{names[1]} WIDTH 0")
    assert found.messages == []
    heading = "" if "LABEL" in words else found.mask.heading()
    assert (heading + found.mask.display(AD)).replace(" \n", "\n").replace("X  Y", "X Y") == text


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("A", "A\n7\n"),
        ("A AS Number", "Number\n7     \n"),
        ("A AS 'a b'", "a b\n7  \n"),
        (r"A AS 'a\tb'", "a\tb\n7  \n"),
        ("A + 1 AS Sum", "Sum\n8  \n"),
        ("B AS Name WIDTH 6", "Name  \n   bob\n"),
        ("B AS Name WIDTH -6", "Name  \nbob   \n"),
        ("B AS N WIDTH 2", "N \nbo\n"),
        ("B AS N WIDTH 2 FIT", "N \nbo\n"),
        ("B AS N WIDTH AUTO", "N  \nbob\n"),
        ("B AS Name WIDTH 6 LEFT", "Name  \n   bob\n"),
        ("A AS Name WIDTH 6 LEFT PRINTAS OWNER", "Name  \no     \n"),
        ("A AS Name WIDTH 6 LEFT RIGHT PRINTAS OWNER", "Name  \n     o\n"),
        ("B AS Name PRINTF '%-5s|'", "Name  \nbob  |\n"),
        ("A AS X PRINTF '%04d'", "X   \n0007\n"),
        ("C AS X PRINTF '%.3f'", "X    \n2.500\n"),
        ("Missing AS X WIDTH 3 OR ?", "X  \nund\n"),
        ("Missing AS X WIDTH 3 PRINTF %d OR ??", "X  \n[?]\n"),
        ("Missing AS X WIDTH 3 PRINTF %d OR --", "X  \n---\n"),
        ("Missing AS X WIDTH 3 PRINTF %d OR -x", "X  \n  -\n"),
        ("Owner AS X PRINTAS OWNER", "X\no\n"),
        ("A AS X RENDERAS owner", "X\no\n"),
        ("A AS X RENDERAS TIME", "X           \n  0+00:00:07\n"),
        ("A AS X ALWAYS", "X\n7\n"),
    ],
)
def test_words_of_a_column(line: str, text: str) -> None:
    assert shown("SELECT", line) == text


def test_prefix_and_suffix_of_a_column() -> None:
    around = r"SELECT FIELDPREFIX '<' FIELDSUFFIX '>'"
    assert parsed(around, "A WIDTH 0", "B WIDTH 0", "A WIDTH 0").mask.display(AD) == "7><bob><7\n"
    assert parsed(around, "A WIDTH 0", "B WIDTH 0 NOPREFIX", "A WIDTH 0").mask.display(AD) == "7>bob><7\n"
    assert parsed(around, "A WIDTH 0 NOSUFFIX", "B WIDTH 0", "A WIDTH 0").mask.display(AD) == "7<bob><7\n"


def test_a_width_in_the_formats_of_condor_status() -> None:
    assert shown("SELECT", "B AS N WIDTH 2", width_is_format=False) == "N \nbob\n"
    assert shown("SELECT", "B AS N WIDTH 2 TRUNCATE", width_is_format=False) == "N \nbo\n"
    assert shown("SELECT", "A AS N WIDTH 3", width_is_format=False) == "N  \n   \n"
    assert shown("SELECT", "A AS N WIDTH 0", width_is_format=False) == "N\n7\n"


def test_a_renderer_of_the_tool_comes_before_those_of_all() -> None:
    local = {"OWNER": (lambda value, ad: "mine", None), "OWN": (lambda value, ad: 3, "%d")}
    assert shown("SELECT", "A AS X PRINTAS OWNER", local=local) == "X   \nmine\n"
    assert shown("SELECT", "A AS X PRINTAS own", local=local) == "X\n3\n"


@pytest.mark.parametrize(
    ("lines", "where", "group_by"),
    [
        (["WHERE A == 1"], "A == 1", []),
        (["where", "A == 1"], "A == 1", []),
        (["WHERE A == 1", "AND B == 2"], "(A == 1) && (B == 2)", []),
        (["AND B == 2"], "B == 2", []),
        (["WHERE A == 1", "AND", "B == 2", "C == 3"], "(A == 1) && (B == 2) && (C == 3)", []),
        (["GROUP BY A"], "", ["A"]),
        (["GROUP BY A + 1 DESCENDING", "B as x", "C ascending"], "", ["A + 1", "B", "C"]),
        (["GROUP A"], "", ["A"]),
        (["GROUP BY"], "", []),
        (["JOIN x", "y"], "", []),
    ],
)
def test_conditions_and_orders(lines: list[str], where: str, group_by: list[str]) -> None:
    found = parsed("SELECT", "A", "# WHERE X", "", *lines)
    assert (found.where, found.group_by, found.messages, len(found.mask.columns)) == (where, group_by, [], 1)


@pytest.mark.parametrize(
    ("lines", "summary", "columns"),
    [(["SUMMARY"], "custom", 0), (["SUMMARY STANDARD"], "standard", 0), (["summary none"], "none", 0),
     (["SUMMARY", "A AS X", "B AS Y"], "custom", 2)],
)  # fmt: skip
def test_summaries(lines: list[str], summary: str, columns: int) -> None:
    found = parsed("SELECT", "A", *lines)
    assert (found.summary, len(found.summary_mask.columns), len(found.mask.columns)) == (summary, columns, 1)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("SELECT NONSENSE", "Warning: Unknown header argument NONSENSE for SELECT"),
        ("SELECT SEPARATOR", "Warning: Unknown header argument SEPARATOR for SELECT"),
        ("SUMMARY odd", "Unknown argument odd for SELECT"),
        ("A PRINTAS NONSENSE", "Unknown argument NONSENSE for PRINTAS"),
        ("A RENDERAS NONSENSE", "Unknown argument NONSENSE for RENDERAS"),
        ("A OR x", "Unknown argument x for OR"),
        ("A OR ''", "Unknown argument  for OR"),
        *((f"A {word}", f"expected a value after {word} at line 2 in SELECT")
          for word in ("AS", "PRINTF", "PRINTAS", "RENDERAS", "OR", "WIDTH")),
        ("A + AS X", "attribute or expression is not valid: A +"),
        ("GROUP BY A +", "GROUP BY expression is not valid: A +"),
    ],
)  # fmt: skip
def test_mistakes_are_named(line: str, said: str) -> None:
    found = parsed("SELECT", line)
    assert found.messages == [said]
    assert len(found.mask.columns) == (0 if "not valid" in said or line.startswith("S") else 1)
