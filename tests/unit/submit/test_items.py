"""Items of queue statements: where they come from, how they are cut, and what is said of those that match nothing."""

from __future__ import annotations

from typing import Any

import pytest

from condor_py.lang.submit.build import clusters_of
from condor_py.lang.submit.errors import SubmitError
from condor_py.lang.submit.items import ItemSources, MatchOptions, load, split_item
from condor_py.lang.submit.queue_args import (
    QueueArgs,
    QueueError,
    Slice,
    TableOptions,
    fraction_of,
    parse_queue,
    queue_arguments,
)
from condor_py.lang.submit.text import evaluate


@pytest.mark.parametrize(
    ("item", "columns", "values"),
    [
        ("a b c", 1, ["a b c"]), ("a b c", 2, ["a", "b c"]), ("a b c", 3, ["a", "b", "c"]),
        ("a b c", 4, ["a", "b", "c", ""]), ("a,b", 2, ["a", "b"]), ("a , b", 2, ["a", ", b"]), ("a,  b", 2, ["a", "b"]),
        ("a\tb", 2, ["a", "b"]), (" a b ", 2, ["a", "b"]), ("a,,b", 3, ["a", "", "b"]), (",a", 2, ["", "a"]),
        ("a b c", 0, ["a", "b", "c"]), ("abc", 0, ["abc"]), ("", 2, []), (" \t ", 2, []), ("", 0, []),
        ("a\x1fb c", 2, ["a", "b c"]), ("a\x1f\x1fb", 3, ["a", "", "b"]), ("a, b\x1fc", 2, ["a, b", "c"]),
        ("a\x1f b ", 2, ["a", "b"]), ("a;b", 2, ["a;b", ""]),
    ],
)  # fmt: skip
def test_an_item_is_cut_into_values(item: str, columns: int, values: list[str]) -> None:
    assert split_item(item, columns) == values


@pytest.mark.parametrize(
    ("item", "columns", "separator", "trim", "values"),
    [
        ("a b, c", 2, ",", True, ["a b", "c"]), ("a b, c", 2, ",", False, ["a b", " c"]),
        (" a ,b ", 2, ",", True, ["a", "b"]), (" a ,b ", 2, ",", False, [" a ", "b "]),
        ("a;b,c", 2, ";", True, ["a", "b,c"]), ("a\x1fb,c", 2, ",", True, ["a\x1fb", "c"]), ("  ", 2, ",", True, []),
        ("  ", 2, ",", False, ["  ", ""]), ("a,b,c", 0, ",", True, ["a", "b", "c"]), ("a", 0, ",", True, ["a"]),
    ],
)  # fmt: skip
def test_a_line_of_a_table_is_cut_at_its_separator(
    item: str, columns: int, separator: str, trim: bool, values: list[str]
) -> None:
    assert split_item(item, columns, TableOptions(-1, 0, separator, trim)) == values


def loaded(args: QueueArgs, **options: Any) -> tuple[list[str], list[str]]:
    """The items, and what is said, of a statement in a place with a, b, c/ and d/."""
    said: list[str] = []
    names = {"*": ["a", "b", "c/", "d/"], "a*": ["a"], "b": ["b"], "c*": ["c/"], "[ab]": ["a", "b"], "x*": [], "y*": []}
    texts = {"file": " one \ntwo words\n\n", "-": " in one, two \n", "table": "x,y\n\n1,2\n3,4\n", "odd": "x y,z\n1\n"}
    texts |= {
        "lines": "a\u2028b\\\n c\v\n\x85\n#d\n",
        "empty": "",
        "zero": "a\0b",
        "blank": " \n1,2\n",
        "bad": "x,a b,c-d,y\n1\n",
    }

    def missing(name: str) -> str:
        if name not in texts:
            raise OSError(2, "No such file or directory")
        return texts[name]

    def run(command: str) -> str:
        if command != "list":
            raise OSError(f"{command} ended with status 1")
        return "one\n two \n"

    load(args, ItemSources(missing, run, names.__getitem__, said.append), MatchOptions(**options))
    return args.items, said


def statement(text: str) -> QueueArgs:
    """The arguments of a queue statement."""
    return parse_queue(text, evaluate)


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("x from file", ["one", "two words", ""]), ("x from empty", []),
        ("x from lines", ["a\u2028bc", "\x85", "#d"]),
        ("x from -", ["in one, two"]), ("x from list |", ["one", "two"]),
        ("x from list|", ["one", "two"]), ("x in a b", ["a", "b"]), ("x from (a b)", ["a b"]),
        ("x matching *", ["a", "b", "c/", "d/"]), ("x matching files *", ["a", "b"]),
        ("x matching dirs *", ["c/", "d/"]), ("x matching any *", ["a", "b", "c/", "d/"]),
        ("x matching c* b", ["c/", "b"]),
    ],
)  # fmt: skip
def test_where_items_come_from(text: str, items: list[str]) -> None:
    assert loaded(statement(text)) == (items, [])


@pytest.mark.parametrize(
    ("directories", "text", "items"),
    [
        ("NEVER", "x matching *", ["a", "b"]), ("No", "x matching *", ["a", "b"]),
        ("false", "x matching *", ["a", "b"]),
        ("Only", "x matching *", ["c/", "d/"]), ("yes", "x matching *", ["a", "b", "c/", "d/"]),
        ("TRUE", "x matching *", ["a", "b", "c/", "d/"]), ("only", "x matching files *", ["a", "b"]),
        ("never", "x matching dirs *", ["c/", "d/"]), ("only", "x matching any *", ["a", "b", "c/", "d/"]),
        ("never", "x matching any *", ["a", "b", "c/", "d/"]),
    ],
)  # fmt: skip
def test_files_and_directories_where_the_statement_does_not_say(directories: str, text: str, items: list[str]) -> None:
    assert loaded(statement(text), directories=directories)[0] == items


def test_names_that_several_patterns_match_count_once() -> None:
    def said(name: str, pattern: str, first: int) -> str:
        return f"\nWARNING: '{name}' matching pattern '{pattern}' is a duplicate of item {first}, skipping"

    args = "x matching c* [ab] * b"
    every = [said("a", "*", 1), said("b", "*", 2), said("c/", "*", 0), said("b", "b", 2)]
    assert loaded(statement(args)) == (["c/", "a", "b", "d/"], every)
    assert loaded(statement(args), warn_duplicates=False) == (["c/", "a", "b", "d/"], [])
    assert loaded(statement(args), allow_duplicates=True) == (["c/", "a", "b", "a", "b", "c/", "d/", "b"], [])


def test_patterns_that_match_nothing() -> None:
    """HTCondor does not warn of the first."""
    warning = "\nWARNING: '{}' does not match any files"
    assert loaded(statement("x matching a* x* y*")) == (["a"], [warning.format("x*"), warning.format("y*")])
    assert loaded(statement("x matching x* a*")) == (["a"], [])
    assert loaded(statement("x matching a* x*"), warn_empty=False) == (["a"], [])
    with pytest.raises(QueueError) as caught:
        loaded(statement("x matching x* a* y*"), fail_empty=True)
    assert str(caught.value) == "no matches for pattern(s): 'x*' 'y*' "
    assert loaded(statement("x matching a*"), fail_empty=True) == (["a"], [])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x from none", "can't open file none: No such file or directory"),
        ("x from fail |", "can't open file fail |: fail ended with status 1"),
        ("x from zero", "zero has a zero byte, which no value can hold"),
        ("from table(header=9) table", "Heading row 9 is beyond the end of table "),
        ("from table(header=4) table", "Heading row 4 is beyond the end of table "),
        ("from table bad", "Columns 2,3 have names that are not allowed : a b, c-d"),
    ],
)
def test_items_that_cannot_be_had(text: str, said: str) -> None:
    with pytest.raises(QueueError) as caught:
        loaded(statement(text))
    assert str(caught.value) == said


@pytest.mark.parametrize(
    ("text", "variables", "items"),
    [
        ("from table table", ["x", "y"], ["", "1,2", "3,4"]),
        ("from table(skip=1) table", ["x", "y"], ["1,2", "3,4"]),
        ("from table(skip=2) table", ["x", "y"], ["3,4"]),
        ("from table(skip=9) table", ["x", "y"], []),
        ("from table(header=3) table", ["3", "4"], []),
        ("from table(header=2,skip=1) table", ["1", "2"], []),
        ("from table(header=2) table", ["1", "2"], ["3,4"]),
        ("from table(header=1) table", ["Item"], ["1,2", "3,4"]),
        ("a,b from table(header=1) table", ["a", "b"], ["1,2", "3,4"]),
        ("a,b from table(header=none) table", ["a", "b"], ["x,y", "", "1,2", "3,4"]),
        ("a,b from table(HEADER = NONE) table", ["a", "b"], ["x,y", "", "1,2", "3,4"]),
        ("a,b from table(csv) table", ["a", "b"], ["x,y", "", "1,2", "3,4"]),
        ("a,b from table(csv, header=0) table", ["x", "y"], ["", "1,2", "3,4"]),
        ("from table blank", ["Item"], ["1,2"]),
        ("a from table(standard) file", ["a"], ["one", "two words", ""]),
    ],
)  # fmt: skip
def test_the_heading_of_a_table_names_variables(text: str, variables: list[str], items: list[str]) -> None:
    args = statement(text)
    assert loaded(args)[0] == items
    assert args.variables == variables


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ("", (0, 0, ",", True)), ("()", (0, 0, ",", True)), ("(header=2)", (2, 0, ",", True)),
        ("(header=none)", (-1, 0, ",", True)), ("(header=x)", (0, 0, ",", True)), ("(header=)", (0, 0, ",", True)),
        ("(skip=3)", (0, 3, ",", True)), ("(skip=x)", (0, 0, ",", True)), ("(sep=;)", (0, 0, ";", True)),
        ("(sep=;x)", (0, 0, ";", True)), ("(sep=)", (0, 0, ",", True)), ("(trim=false)", (0, 0, ",", False)),
        ("(trim=no)", (0, 0, ",", False)), ("(trim=0)", (0, 0, ",", False)), ("(trim=f)", (0, 0, ",", False)),
        ("(trim=no,trim=T)", (0, 0, ",", True)), ("(trim=no,trim=yes)", (0, 0, ",", True)),
        ("(trim=no,trim=true)", (0, 0, ",", True)), ("(trim=no,trim=1)", (0, 0, ",", True)),
        ("(trim=maybe)", (0, 0, ",", True)), ("(header=1,csv)", (-1, 0, ",", True)),
        ("(skip=3,csv)", (-1, 0, ",", True)),
        ("(header=1,skip=2,sep=|,trim=no)", (1, 2, "|", False)), ("(header=12345678901)", (123456789, 0, ",", True)),
        ("(skip=12345678901)", (0, 123456789, ",", True)), ("(standard)", None),
        ("(standard,skip=2)", (-1, 2, ",", True)), ("(Skip = 3 , TRIM = No)", (0, 3, ",", False)),
    ],
)  # fmt: skip
def test_options_of_a_table(options: str, found: tuple[int, int, str, bool] | None) -> None:
    table = statement(f"a from table{options} file").table
    assert (None if table is None else (table.header_row, table.skip_rows, table.separator, table.trim)) == found


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x in files (a)", "Queue keyword conflict"), ("x in table (a)", "Queue keyword conflict"),
        ("x from files (a)", "Queue keyword conflict"), ("x from any (a)", "Queue keyword conflict"),
        ("x matching table (a)", "Queue keyword conflict"), ("x from table(a", "Invalid TABLE options"),
        ("x in [a] (b)", "Invalid [::] statement"), ("x in [1 (b)", "Invalid [::] statement"),
        ("x in [1:2:3:4] (b)", "Invalid [::] statement"), ("x in [+:-] (b)", "Invalid [::] statement"),
        ("x in [ :2] (b)", "Invalid [::] statement"), ("x", "Invalid Queue count expression"),
        ("\u00e9 in (a)", "Invalid Queue count expression"), ("x\u00a0in (a)", "Invalid Queue count expression"),
        ("\u0663", "Invalid Queue count expression"), ("2\u00a0", "Invalid Queue count expression"),
        ("x y in (a)", None), ("-1", "Queue count out of range"), ("2147483647", "Queue count out of range"),
        ("2147483646", None), ("-1 x in (a)", "Queue count out of range"),
    ],
)  # fmt: skip
def test_statements_that_cannot_be_understood(text: str, said: str | None) -> None:
    if said is None:
        assert statement(text).count in (1, 2147483646)
        return
    with pytest.raises(QueueError) as caught:
        statement(text)
    assert str(caught.value) == said


@pytest.mark.parametrize(
    ("text", "count", "variables", "mode", "items", "source"),
    [
        ("", 1, [], "", [], ""), ("3", 3, [], "", [], ""), (" 3 ", 3, [], "", [], ""), ("1 + 2", 3, [], "", [], ""),
        ("0", 0, [], "", [], ""), ("true", 1, [], "", [], ""), ("2.9", 2, [], "", [], ""),
        ("in a", 1, ["Item"], "in", ["a"], ""), ("in (a, b c)", 1, ["Item"], "in", ["a", "b", "c"], ""),
        ("x in (", 1, ["x"], "in", [], "<"), ("x in (a b", 1, ["x"], "in", ["a", "b"], "<"),
        ("x from (a b", 1, ["x"], "from", ["a b"], "<"), ("x from (", 1, ["x"], "from", [], "<"),
        ("x in ((a b))", 1, ["x"], "in", ["a", "b)"], "<"), ("x from ((a))", 1, ["x"], "from", ["a)"], "<"),
        ("x from ()", 1, ["x"], "from", [""], ""), ("x in ( (a) )", 1, ["x"], "in", ["(a)"], ""),
        ("x from ( a b )", 1, ["x"], "from", ["a b"], ""), ("x from  file ", 1, ["x"], "from", [], "file"),
        ("x from a b |", 1, ["x"], "from", [], "a b |"), ("3 x, y in a", 3, ["x", "y"], "in", ["a"], ""),
        ("3x in a", 3, ["x"], "in", ["a"], ""), ("3 x1 in a", 3, ["x1"], "in", ["a"], ""),
        ("3 x12 in a", 3, ["x12"], "in", ["a"], ""), ("3 x.y_z in a", 3, ["x.y_z"], "in", ["a"], ""),
        ("(1+2) x in a", 3, ["x"], "in", ["a"], ""), ("1+2 x in a", 3, ["x"], "in", ["a"], ""),
        ("1+2 in a", 3, ["Item"], "in", ["a"], ""), ("X FROM f", 1, ["X"], "from", [], "f"),
        ("x Matching f g", 1, ["x"], "matching", ["f", "g"], ""), ("inx in a", 1, ["inx"], "in", ["a"], ""),
        ("x in [::2]", 1, ["x"], "in", ["[::2]"], ""), ("x in [1:]a", 1, ["x"], "in", ["[1:]a"], ""),
        ("x in (\va\v \v b)", 1, ["x"], "in", ["a", "b"], ""),
        ("x in (a\vb\tc\u00a0d)", 1, ["x"], "in", ["a\vb", "c\u00a0d"], ""),
        ("x,y in (a\x1fb)", 1, ["x", "y"], "in", ["a\x1fb"], ""),
        ("x in(a)", 1, ["x"], "in", ["a"], ""), ("x\tin\ta", 1, ["x"], "in", ["a"], ""),
    ],
)  # fmt: skip
def test_parts_of_a_statement(
    text: str, count: int, variables: list[str], mode: str, items: list[str], source: str
) -> None:
    args = statement(text)
    found = (args.count, args.variables, args.mode, args.items, args.source)
    assert found == (count, variables, mode, items, source)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("[1]", [1, 2, 3, 4]), ("[-2]", [3, 4]), ("[1:3]", [1, 2]), ("[:2]", [0, 1]), ("[:-2]", [0, 1, 2]),
        ("[::2]", [0, 2, 4]), ("[1::3]", [1, 4]), ("[:]", [0, 1, 2, 3, 4]), ("[]", [0, 1, 2, 3, 4]),
        ("[+1:+2]", [1]), ("[ 1: 4: 2]", [1, 3]), ("[7:]", []),
        (f"[::{'9' * 5000}]", [0]), (f"[-{'9' * 5000}:2]", [0, 1]),
        ("[:7]", [0, 1, 2, 3, 4]), ("[-7:1]", [0]), ("[::0]", [0, 1, 2, 3, 4]), ("[::-1]", [0, 1, 2, 3, 4]),
        ("[0]", [0, 1, 2, 3, 4]), ("[0:0]", []),
    ],
)  # fmt: skip
def test_a_slice_selects_rows(text: str, rows: list[int]) -> None:
    assert list(statement(f"x in {text} (a)").slice.rows(5)) == rows
    assert list(Slice().rows(0)) == []


@pytest.mark.parametrize(
    ("line", "arguments"),
    [
        ("queue", ""), ("queue 3", "3"), ("QUEUE\t 3 ", "3"), ("iterate x in a", "x in a"), ("iter 2", "2"),
        ("itera", ""), ("iterat 1", "1"), ("queues", None), ("ite 2", None), ("", None), (" queue", None),
        ("\tqueue", None), ("a queue", None),
    ],
)  # fmt: skip
def test_a_line_that_is_a_queue_statement(line: str, arguments: str | None) -> None:
    assert queue_arguments(line) == arguments


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("2.5", "2.5"), ("2.5 x in a", "2.5"), ("2.0", ""), ("2.00", ""), ("2.05", "2.05"), ("2", ""), ("", ""),
        ("  ", ""), ("x.5", ""), ("2.x", ""), (".5", ""), ("2.", ""),
    ],
)  # fmt: skip
def test_a_count_with_a_fraction(text: str, count: str) -> None:
    assert fraction_of(text) == count


def made(alice: Any, text: str) -> None:
    """Read a description and make its jobs."""
    file = alice.parse(text)
    for draft in clusters_of(file):
        list(draft.make(1, alice.options).own)
    if file.failure is not None:
        raise file.failure


def lines(alice: Any, text: str) -> str:
    """The report about a description that is refused."""
    with pytest.raises(SubmitError) as caught:
        made(alice, text)
    return str(caught.value.report)


END = "\n\nERROR: Failed to parse command file (line {}).\n"


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("executable = /bin/true\nqueue x in (\na\n\nb", 2, "Reached end of file without finding closing brace ')' for"
         " Queue command on line 2"),
        ("executable = /bin/true\n\nqueue x from none\n", 3, "can't open file none: No such file or directory"),
        ("executable = /bin/true\na b\nqueue\n", 2, ""),
        ("executable = /bin/true\nqueue\na b\n", 3, ""),
        ("a = 1\nb = \\\n  2\nfoo bar\n", 4, ""),
        ("executable = /bin/true\nqueue $(a\n", 2, None),
    ],
)  # fmt: skip
def test_a_mistake_has_its_file_and_line(alice: Any, text: str, line: int, said: str | None) -> None:
    report = lines(alice, text)
    if said is not None and "Reached" not in said:
        assert report == f"\nERROR: on Line {line} of job.sub: {said}{END.format(line)}"
    else:
        assert report.startswith("\nERROR: on Line ")
        assert said is None or said in report


@pytest.mark.parametrize(
    "word",
    ["JOB A a.sub", "parent A CHILD B", "Splice A b", "SUBDAG EXTERNAL A b", "VARS A x", "FINAL A a", "SCRIPT PRE A x",
     "SUBMIT-DESCRIPTION a {", "CONFIG x", "DOT x", "RETRY A 3"],
)  # fmt: skip
def test_a_dag_is_taken_for_one(alice: Any, word: str) -> None:
    report = lines(alice, f"{word}\n")
    told = "A DAG file was provided. Please provide a submit file or use condor_submit_dag."
    assert (told in report) is (word != "RETRY A 3")
