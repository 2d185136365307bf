"""Columns that command lines make, how wide they are on a terminal, and where rows are cut."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from tool_runner import Spool, run

from condor_py.cli import entry
from condor_py.cli.output import ads as forms
from condor_py.cli.output import terminal
from condor_py.cli.output.autoformat import add_autoformat, add_format
from condor_py.cli.output.conversion import WIDEST, Conversion, collapse_escapes, date, size_of
from condor_py.cli.output.files import replace
from condor_py.cli.output.forms import form_of
from condor_py.cli.output.mask import MISSING, Column, Mask
from condor_py.cli.output.printformat import parse_print_format
from condor_py.cli.output.values import integer, is_attribute, is_reference, is_true, number, raw_text
from condor_py.lang.classad import ClassAd
from condor_py.lang.classad.values import UNDEFINED
from condor_py.model.errors import CondorError

AD = ClassAd('[ ClusterId = 7; ProcId = 1; Name = "ann"; Cpus = 2; Real = 2.5; Yes = true; Sum = Cpus + 1 ]')


def shown(*columns: tuple[str, str], ads: tuple[ClassAd, ...] = (AD,)) -> str:
    """Return heading and rows of -af options: letters and expressions."""
    mask = Mask()
    for letters, expressions in columns:
        assert add_autoformat(mask, expressions.split(), letters)
    cells = [mask.cells(ad) for ad in ads]
    heading = mask.heading() if mask.has_headings() else ""
    return heading + "".join(mask.row(row) for row in cells)


@pytest.mark.parametrize(
    ("columns", "text"),
    [
        ([("", "Name Cpus")], "ann 2\n"),
        ([(",", "Name Cpus")], "ann, 2\n"),
        ([("t", "Name Cpus")], "ann\t2\n"),
        ([(",t", "Name Cpus")], "ann,\t2\n"),
        ([("n", "Name Cpus")], "ann\n 2\n"),
        ([("g", "Name Cpus")], "\nann2\n"),
        ([("gn", "Name Cpus")], "\nann\n2\n"),
        ([("l", "Name Cpus")], "Name = ann Cpus = 2\n"),
        ([("j", "Name")], "7.1 ann\n"),
        ([("jl", "Name")], "ID = 7.1 Name = ann\n"),
        ([("V", "Name Sum")], '"ann" 3\n'),
        ([("r", "Name Sum")], '"ann" Cpus + 1\n'),
        ([("o", "Sum")], "Cpus + 1\n"),
        ([("Vr", "Sum")], "Cpus + 1\n"),
        ([("TV", "Name")], '"ann"\n'),
        ([("T", "Cpus")], "  0+00:00:02\n"),
        ([("h", "Name Cpus")], "Name Cpus\nann  2   \n"),
        ([("jh", "Name")], " ID Name\n7.1 ann \n"),
        ([("h", "Cpus+Cpus+Cpus+ClusterId")], "Cpus+Cpus+Cpus+ClusterId\n13                      \n"),
        ([("h", "Name"), ("", "Cpus+Cpus+Cpus+ClusterId")], "Name (expr)\nann  13    \n"),
        ([("h", "Name"), ("", "Cpus+Cpus+1+2+34")], "Name Cpus+Cpus+1+2+34\nann  41              \n"),
        ([("h", "Name"), ("", "Cpus+Cpus+1+2+345")], "Name (expr)\nann  352   \n"),
        ([("h", "Name"), ("", "NoSuchAttributeAtAll")], "Name NoSuchAttributeAtAll\nann  undefined           \n"),
    ],
)
def test_letters_of_autoformat(columns: list[tuple[str, str]], text: str) -> None:
    """Labels go before values, headings above them; the last of several options has the separators."""
    assert shown(*columns) == text


def test_appended_columns_keep_the_separators() -> None:
    mask = Mask([Column("Name", "N", -4, "%s")])
    assert add_autoformat(mask, ["Cpus", "Cpus+Cpus+Cpus+ClusterId"], ",", append=True)
    cells = mask.cells(AD)
    assert (mask.heading(), mask.row(cells)) == ("N    Cpus (expr)\n", "ann  2    13    \n")
    assert add_autoformat(mask, ["Name", "(", "Real"], None, append=True) is False
    assert [column.source for column in mask.columns][-1] == "Name", "the columns before the mistake stay"


def test_formats_stand_side_by_side() -> None:
    mask = Mask()
    assert add_format(mask, "%s:", "Name")
    assert add_format(mask, "%5d|", "Cpus")
    assert not add_format(mask, "%d", "(")
    assert mask.display(AD) == "ann:    2|"
    later = Mask()
    assert add_autoformat(later, ["Name"], None)
    assert add_format(later, "%d", "Cpus")
    assert later.display(AD) == "ann 2\n"


@pytest.mark.parametrize(
    ("fmt", "value", "text"),
    [
        ("%5s|", "ab", "   ab|"), ("%-5s|", "ab", "ab   |"), ("%.1s|", "ab", "a|"), ("%05d", 42, "00042"),
        ("%05.3d", 42, "  042"), ("%.0d", 0, ""), ("%+.0d", 0, "+"), ("% .0d", 0, " "), ("%3.0d|", 0, "   |"),
        ("%u", -1, "18446744073709551615"), ("%x", -1, "f" * 16), ("%+u", 5, "5"), ("%#o", 8, "010"),
        ("%#5o", 8, "  010"),
        ("%o", 8, "10"), ("%'d", 1234, "1234"), ("%ld", 5, "5"), ("%lld", 5, "5"), ("%hd", 5, "5"), ("%zd", 5, "5"),
        ("%c", 65, "A"), ("%3c", 65, "  A"), ("%c", 321, "A"), ("%f", 2.5, "2.500000"), ("%.1f", 2.25, "2.2"),
        ("%a", 1.5, "0x1.8p+0"), ("%A", 1.5, "0X1.8P+0"), ("%10a", 1.0, "    0x1p+0"), ("%a", float("inf"), "inf"),
        ("%%%d%%", 5, "%5%"), ("%%", 5, "%%"), ("%", 5, "%"), ("%5", 5, "%5"), ("%q", 5, "%q"), ("a%db", 2.9, "a2b"),
        ("%d", "text", "text"), ("%6d", "text", "  text"), ("%-6d|", "text", "text  |"), ("%T", 61, "  0+00:01:01"),
        ("%5.2%d", 5, "%5.2%d"), ("%*d", 5, "%*d"), ("x", 5, "x"), ("", 5, ""), ("%.d", 0, ""), ("%.3d", 5, "005"),
    ],
)  # fmt: skip
def test_conversions(fmt: str, value: Any, text: str) -> None:
    assert Conversion(fmt).text(value) == text


def test_parts_of_a_conversion() -> None:
    one = Conversion("a%%b%-12.3sc")
    assert (one.before, one.after, one.width, one.left, one.letter, one.kind) == ("a%b", "c", 12, True, "s", "string")
    text = Conversion("only text")
    assert (text.before, text.after, text.width, text.left, text.letter) == ("only text", "", 0, False, "")
    assert (size_of(""), size_of("7"), size_of("10000"), size_of("10001"), WIDEST) == (0, 7, 10000, 10000, 10000)


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (r"\n\t\r\a\b\f\v", "\n\t\r\a\b\f\v"), (r"\\", "\\"), (r"\"", '"'), (r"\0", "\0"), (r"\18", "\x018"),
        (r"\1234", "S4"), (r"\x4a4", "J4"), (r"\xg", "xg"), (r"\777", "\xff"), ("a\\", "a\\"), (r"\8", "8"),
    ],
)  # fmt: skip
def test_escapes(written: str, text: str) -> None:
    assert collapse_escapes(written) == text


def test_dates(spool: Spool) -> None:
    assert date(0) == " 1/1  00:00"
    assert date(1795212563) == "11/20 22:09"
    assert date(10**17) == "    ???    "


@pytest.mark.parametrize(
    ("words", "form"),
    [(None, ("long", True)), ("", ("long", True)), ("xml", ("xml", True)), ("nosort", ("long", False)),
     ("JSON,nosort", ("json", False)), ("jsonl", ("jsonl", True)), ("odd", ("long", True)),
     ("xml,json", ("json", True)),
     ("new", ("new", True)), ("newl", ("newl", True)), ("toml", ("toml", True)), ("xml,long", ("long", True))],
)  # fmt: skip
def test_forms_of_whole_ads(words: str | None, form: tuple[str, bool]) -> None:
    assert form_of(words) == form


XML = '<?xml version="1.0"?>\n<!DOCTYPE classads SYSTEM "classads.dtd">\n<classads>\n'


@pytest.mark.parametrize(
    ("frames", "form", "begin", "between", "end", "empty"),
    [
        (forms.FRAMES, "long", "", "\n", "\n", ""),
        (forms.FRAMES, "json", "[\n", "}\n,\n{", "}\n]\n", ""),
        (forms.FRAMES, "new", "{\n", "]\n,\n[", "]\n}\n", ""),
        (forms.FRAMES, "xml", XML, "</c>\n<c>", "</c>\n</classads>\n", f"{XML}</classads>\n"),
        (forms.FRAMES, "jsonl", "", "}\n{", "}\n", ""),
        (forms.FRAMES, "newl", "", "]\n[", "]\n", ""),
        (forms.HISTORY_FRAMES, "json", "[\n", "}\n,\n{", "}\n]\n", "[\n]\n"),
        (forms.HISTORY_FRAMES, "xml", f"{XML}\n", "</c>\n\n<c>", "</c>\n\n</classads>\n\n", f"{XML}\n</classads>\n\n"),
        (forms.STATUS_FRAMES, "xml", XML, "</c>\n\n<c>", "</c>\n\n</classads>\n", f"{XML}</classads>\n"),
    ],
)
def test_what_stands_around_whole_ads(
    frames: dict[str, forms.Frame], form: str, begin: str, between: str, end: str, empty: str
) -> None:
    one = ClassAd({"A": 1})
    text = "".join(forms.write_ads([one, one], form, frames=frames))
    assert text.startswith(begin)
    assert text.endswith(end)
    assert between in text
    assert "".join(forms.write_ads([], form, frames=frames)) == empty


def test_attributes_are_chosen_in_any_case_and_sorted() -> None:
    ad = ClassAd({"b": 1, "A": 2, "c": 3})
    assert "".join(forms.write_ads([ad], "long")) == "A = 2\nb = 1\nc = 3\n\n"
    assert "".join(forms.write_ads([ad], "long", ["C", "a", "x"])) in ("A = 2\nc = 3\n\n", "c = 3\nA = 2\n\n")
    assert "".join(forms.write_ads([ad], "long", ["x"])) == ""


def test_values_and_names() -> None:
    assert [number(value) for value in (True, 2, 2.5, "2", UNDEFINED)] == [1, 2, 2.5, None, None]
    assert [integer(value) for value in (True, 2, 2.9, -2.9, "2", UNDEFINED)] == [1, 2, 2, -2, None, None]
    assert [is_true(value) for value in (True, False, 2, 0, 0.5, "true", UNDEFINED)] == [
        True, False, True, False, True, False, False,
    ]  # fmt: skip
    names = {"A": True, "a_1": True, "1a": False, "true": False, "Undefined": False, "ERROR": False, "\u00e4": False}
    assert {name: is_attribute(name) for name in names} == names
    assert [is_reference(text) for text in ("A", "MY.A", "A+1", "true")] == [True, True, False, False]
    assert raw_text("A+1") == "A + 1"


@pytest.mark.parametrize(
    ("column", "cell", "text"),
    [
        (Column("A", width=5, fmt="%v"), "abc", "  abc"),
        (Column("A", width=-5, fmt="%v"), "abc", "abc  "),
        (Column("A", width=2, fmt="%v"), "abc", "abc"),
        (Column("A", width=2, fmt="%v", truncate=True), "abc", "ab"),
        (Column("A", width=3, fmt="%v", truncate=True), "abc", "abc"),
        (Column("A", width=-5, fmt="%d"), 7, "    7"),
        (Column("A", fmt="%5d"), 7, "    7"),
        (Column("A", fmt="%-5d"), 7, "7    "),
        (Column("A", fmt="%-5s"), "a", "a    "),
        (Column("A", width=4), 7, "    "),
        (Column("A", width=4), True, "    "),
        (Column("A", width=4), "a", "   a"),
        (Column("A", width=3, alt="??"), MISSING, "[?]"),
        (Column("A", width=2, alt="??"), MISSING, " ?"),
        (Column("A", width=4, alt="**"), MISSING, "****"),
        (Column("A", width=2, alt="**"), MISSING, " *"),
        (Column("A", alt="??"), MISSING, ""),
        (Column("A", width=-3, alt="?"), MISSING, "?  "),
        (Column("A", width=3, alt=" "), MISSING, "   "),
        (Column("A", width=3), MISSING, "   "),
    ],
)
def test_cells(column: Column, cell: Any, text: str) -> None:
    assert column.aligned(column.text(cell)) == text


def test_hidden_columns_and_those_without_separators() -> None:
    mask = Mask([Column(name, name, -4, "%v") for name in ("Name", "Cpus", "Real")])
    mask.columns[1].hidden = True
    assert (mask.heading(), mask.display(AD)) == ("Name Real\n", "ann  2.5 \n")
    mask = Mask(
        [
            Column("Name", "N", 3, "%v"),
            Column("Cpus", "C", 1, "%v", prefix=False, suffix=False),
            Column("Real", "R", 3, "%v"),
        ]
    )
    mask.prefix, mask.suffix, mask.row_prefix = "<", ">", "*"
    assert (mask.heading(), mask.display(AD)) == ("*N  >C<R  \n", "*ann>2<2.5\n")
    mask.max_width = 5
    assert (mask.heading(), mask.display(AD)) == ("*N  >C\n", "*ann>2\n"), "what is before a row is not counted"


@pytest.mark.parametrize(
    ("line", "heading", "row"),
    [
        ("Name AS \"", '"  ', "ann"), ("Name AS ''", "Name", "ann "), ("Name AS 'a b'", "a b", "ann"),
        ('Cpus AS "#" WIDTH 3', "#  ", "  2"), ("Cpus AS # WIDTH -3", "#  ", "2  "), ("Name NOSUFFIX", "Name", "ann "),
        ("Name RIGHT", "Name", "ann "), ("Name AS N WIDTH 5 RIGHT", "N    ", "  ann"),
        ("Name AS N WIDTH 5 LEFT", "N    ", "  ann"),
    ],
)  # fmt: skip
def test_lines_of_print_formats(line: str, heading: str, row: str) -> None:
    mask = parse_print_format(["SELECT", line]).mask
    cells = mask.cells(AD)
    assert (mask.heading(), mask.row(cells)) == (f"{heading}\n", f"{row}\n")


def test_attributes_that_are_called_like_a_word_of_print_formats() -> None:
    mask = parse_print_format(["SELECT", "Width AS W", "Left"]).mask
    cells = mask.cells(ClassAd({"Width": 3, "Left": 4}))
    assert (mask.heading(), mask.row(cells)) == ("W Left\n", "3 4   \n")


def test_sections_that_begin_with_a_lone_word() -> None:
    form = parse_print_format(
        ["SELECT", "Name", "WHERE", "Cpus > 1", "AND", "Real", "GROUP BY", "Name", "GROUP", "Cpus"]
    )
    assert (form.where, form.group_by) == ("(Cpus > 1) && (Real)", ["Name", "Cpus"])
    form = parse_print_format(["SELECT", "Name", "WHERE Cpus > 1", "GROUP BY Name DESCENDING", "Cpus AS x"])
    assert (form.where, form.group_by) == ("Cpus > 1", ["Name", "Cpus"])


# -- on a terminal


@pytest.mark.parametrize(
    ("text", "width"),
    [("abc", 3), ("", 0), ("\u4e2d\u6587", 4), ("\uff21", 2), ("e\u0301", 1), ("a\u200db", 2), ("\u20dd", 0),
     ("\u00e4", 1)],
)  # fmt: skip
def test_characters_fill_columns_of_a_terminal(text: str, width: int) -> None:
    """Wide and full width ones two, and none for accents, enclosing marks and what is not seen."""
    assert terminal.screen_width(text) == width


@pytest.mark.parametrize(
    ("text", "width", "cut"),
    [("abcd", 2, "ab"), ("\u4e2d\u6587", 3, "\u4e2d"), ("\u4e2d\u6587", 4, "\u4e2d\u6587"), ("e\u0301x", 1, "e\u0301"),
     ("\u00e4b", 0, ""), ("\u00e4b", 9, "\u00e4b")],
)  # fmt: skip
def test_no_character_is_cut_in_two(text: str, width: int, cut: str) -> None:
    assert terminal.screen_cut(text, width) == cut


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return 1


def on_terminal(monkeypatch: pytest.MonkeyPatch, columns: int | None) -> _Terminal:
    """Make standard output a terminal that has so many columns; None: it does not tell."""
    screen = _Terminal()
    monkeypatch.setattr(sys, "stdout", screen)

    def size(descriptor: int) -> os.terminal_size:
        if columns is None:
            raise OSError
        return os.terminal_size((columns, 25))

    monkeypatch.setattr(os, "get_terminal_size", size)
    return screen


@pytest.mark.parametrize(("columns", "width"), [(100, 100), (0, 80), (None, 80)])
def test_the_width_of_a_terminal(monkeypatch: pytest.MonkeyPatch, columns: int | None, width: int) -> None:
    assert terminal.display_width() is None
    on_terminal(monkeypatch, columns)
    assert terminal.display_width() == width
    assert (terminal.text_width("\u00e4\u4e2d"), terminal.cut("\u4e2d\u6587", 3)) == (3, "\u4e2d")
    assert (terminal.pad("\u4e2d", 4, True), terminal.pad("\u4e2d", 4, False)) == ("\u4e2d  ", "  \u4e2d")


def test_text_in_a_pipe_is_counted_in_bytes() -> None:
    assert terminal.text_width("\u00e4\udcff") == 3
    assert terminal.cut("\u00e4b", 2) == "\u00e4"
    assert terminal.pad("\u00e4", 4, True) == "\u00e4  "
    assert terminal.pad("abc", 3, True) == "abc"
    rows = [("a", "1"), ("bcd", "22")]
    assert list(terminal.aligned(rows, "-")) == ["a  - 1", "bcd-22"]


SLOT = """MyType = "Machine"
Name = "slot1@a-rather-long-name-of-a-machine.example.net"
Machine = "a-rather-long-name-of-a-machine.example.net"
OpSys = "LINUX"
Arch = "X86_64"
State = "Unclaimed"
Activity = "Idle"
CondorLoadAvg = 0.5
Memory = 1024
MyCurrentTime = 100
EnteredCurrentActivity = 40
"""


def printed(monkeypatch: pytest.MonkeyPatch, columns: int, *words: str, text: str = SLOT) -> list[str]:
    Path("ads").write_text(text)
    screen = on_terminal(monkeypatch, columns)
    assert entry.main("condor_status", ["-ads", "ads", *words]) == 0
    return screen.getvalue().splitlines()


def test_names_of_slots_give_way_on_a_narrow_terminal(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other columns take 65: of 100 columns 34 are left for the name, and 12 at least."""
    for columns, width in ((100, 34), (99, 33), (90, 24), (78, 12), (70, 12)):
        head, _, row, *_ = printed(monkeypatch, columns)
        assert head.index("OpSys") == width + 1, columns
        assert row[: width + 1] == "slot1@a-rather-long-name-of-a-machine.example.net"[:width] + " "
        assert len(row) <= columns - 1
    assert len(printed(monkeypatch, 60)[2]) == 59
    head, *_ = printed(monkeypatch, 101)
    assert "   ActivityTim" in head, "more than a hundred columns have room for it"
    assert "ActvtyTime" in printed(monkeypatch, 100)[0]


def test_names_of_schedds_give_way_too(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their counts take 35 columns, and their machines what these need."""
    lines = [f'MyType = "Scheduler"\nName = "{"n" * 40}"\nMachine = "{"m" * 20}"\nTotalRunningJobs = 1\n']
    for columns, width in ((100, 40), (96, 40), (95, 39), (76, 20)):
        head, *_ = printed(monkeypatch, columns, "-schedd", text="".join(lines))
        assert head.index("Machine") == width + 1, columns


def test_wide_rows_are_not_cut(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    for words in (("-wide",), ("-wide:101",), ("-wide:x",)):
        head, _, row, *_ = printed(monkeypatch, 60, *words)
        assert row.startswith("slot1@a-rather-long-name-of-a-machine.example.net LINUX"), words
        assert head.rstrip().endswith("ActivityTime") is (words != ("-wide:101",))
    assert len(printed(monkeypatch, 60, "-wide:101")[2]) <= 100
    assert len(printed(monkeypatch, 300, "-wide:90")[2]) == 89
    assert len(printed(monkeypatch, 300, "-wide:120", "-wide:80")[2]) == 79


def test_other_tables_are_cut_too(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [len(line) for line in printed(monkeypatch, 40, "-compact")[:3]] == [39, 0, 39]
    Path("format").write_text("SELECT\nName AS N\nMachine AS M\n")
    assert [len(line) for line in printed(monkeypatch, 40, "-print-format", "format")] == [39, 39]
    Path("format").write_text("SELECT NOHEADER\nName AS N\n")
    assert len(printed(monkeypatch, 40, "-print-format", "format")) == 1
    assert printed(monkeypatch, 40, "-af", "Name") == ["slot1@a-rather-long-name-of-a-machine.example.net"]


def test_print_formats_of_condor_status_count_no_groups(spool: Spool) -> None:
    Path("ads").write_text(SLOT)
    Path("format").write_text("SELECT UNIQUE\nName AS N\n")
    done = run("condor_status", "-ads", "ads", "-print-format", "format")
    assert done == ("", "print-format aggregation not supported\nError: invalid select file format\n", 1)


def test_slots_with_devices_that_tell_nothing(spool: Spool) -> None:
    Path("ads").write_text(
        SLOT.replace("a-rather-long-name-of-a-machine.example.net", "m") + 'GPUs = 1\nAssignedGPUs = "x"\n'
    )
    head, _, row, *_ = run("condor_status", "-ads", "ads", "-gpus").out.splitlines()
    assert head.split() == ["Name", "ST", "User", "GPUs", "GPU-Memory", "GPU-Name"]
    assert row.split()[:3] == ["slot1@m", "Ui", "_"]
    assert row.split()[3] == "1"
    assert row.split()[-1] == "*"


@pytest.mark.parametrize(
    ("words", "shown"),
    [("", " [ Machine ] [ Name ]"), ("-sort no", ""), ("-sort Cpus -sort Name", " [ Cpus ] [ Name ]")],
)
def test_the_order_in_a_diagnosis(spool: Spool, words: str, shown: str) -> None:
    lines = run("condor_status", "-diagnose", *words.split()).err.splitlines()
    assert [line for line in lines if line.startswith("Sort:")] == [f"Sort:{shown}"]


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "file"
    (tmp_path / "link").symlink_to(path)
    replace("tool", str(tmp_path / "link"), "a\udcff")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"a?", 0o644)
    assert (tmp_path / "link").is_symlink()
    with pytest.raises(CondorError, match=f"tool: {tmp_path} is not a file that can be replaced"):
        replace("tool", str(tmp_path), "x")
    with pytest.raises(CondorError, match=f"tool: cannot write {tmp_path}/none/x: No such file or directory"):
        replace("tool", str(tmp_path / "none" / "x"), "x")


def test_appended_columns_are_not_for_totals_or_whole_ads(spool: Spool) -> None:
    Path("ads").write_text(SLOT)
    assert run("condor_status", "-ads", "ads", "-aaf", "Arch").out.splitlines()[0].rstrip().endswith("ActvtyTime Arch")
    for words in (("-totals",), ("-long",), ("-af", "Name")):
        done = run("condor_status", "-ads", "ads", "-aaf", "Arch", *words)
        assert done.err == "Error: output formatting options conflict with -aaf options\n"
    totals = run("condor_status", "-ads", "ads", "-totals", "-compact")
    assert totals.err == "Warning: ignoring -compact option because -total option is also set\n"
    assert [line.split()[0] for line in totals.out.splitlines() if line.strip()] == ["Total", "X86_64/LINUX", "Total"]
    assert run("condor_status", "-ads", "ads", "-totals", "-long").out == ""
