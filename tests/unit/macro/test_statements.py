"""Statements: line numbers, the lines of submit files, includes, and where a setting comes from."""

from __future__ import annotations

import pytest

from condor_py.lang.macro import Assign, Command, Host, MacroSet, Origin, StatementError, StatementReader, expand
from condor_py.lang.macro.statements import Warning as Notice
from condor_py.lang.macro.templates import expand_arguments, parse_calls


def parts(thing: object) -> tuple[object, ...]:
    """The values of a macro, a setting or a warning, by what they say first."""
    names = ("name", "value", "text", "origin")
    return tuple(getattr(thing, name) for name in names if hasattr(thing, name))


def read(text: str, *, submit: bool = False, files: dict[str, str] | None = None) -> tuple[MacroSet, list[object]]:
    """The macros that ``text`` sets, and its other statements."""
    macros = MacroSet()

    def open_file(path: str) -> str:
        if files is None or path not in files:
            raise FileNotFoundError(2, "No such file or directory")
        return files[path]

    def template(category: str, name: str) -> str | None:
        if category.lower() != "role":
            return None
        return {"": "", "two": "A = $(1)\nB = $(2:none)\n", "outer": "use ROLE : two(x)"}.get(name.lower())

    saved = files if files is not None else {}
    host = Host(
        lookup=macros.text,
        expand=lambda value: expand(value, macros.text),
        read=open_file,
        run=lambda command: f"RAN = {command}\n",
        save=saved.__setitem__,
        template=template,
    )
    others: list[object] = []
    for statement in StatementReader(text, "file", host, submit=submit):
        if isinstance(statement, Assign):
            macros.set(statement.name, statement.value, statement.origin)
        else:
            others.append(statement)
    return macros, others


def test_a_setting_knows_its_last_line() -> None:
    macros, _ = read("# first\nA = 1 \\\n  2\nB @=x\n one\n\n two\n@x\n")
    assert parts(macros.get("a")) == ("A", "1 2", Origin("file", 3))
    assert parts(macros.get("B")) == ("B", "one\ntwo", Origin("file", 8))


def test_a_line_goes_on_behind_each_backslash_at_its_end() -> None:
    macros, _ = read("A = 1\\\\\n\n2\nB = \\\n# not this\\\n \\\n3\\\n# nor this\nC = 4\\")
    assert [macros.text(name) for name in "ABC"] == ["12", "3", "4"]


@pytest.mark.parametrize("files", [{}, {"other": "A = 1\n\nB = x\0y\n"}])
def test_a_zero_byte_is_refused_with_its_line(files: dict[str, str]) -> None:
    text = "C = 1\ninclude : other\n" if files else "A = 1\n\nB = x\0y\n"
    with pytest.raises(StatementError, match="a zero byte") as refused:
        read(text, files=files)
    assert (refused.value.source, refused.value.line) == ("other" if files else "file", 3)


def test_the_first_spelling_of_a_name_stays() -> None:
    macros, _ = read("MixedCase = 1\nMIXEDCASE = $(mixedcase) 2")
    assert parts(macros.get("mixedcase")) == ("MixedCase", "1 2", Origin("file", 2))


def test_a_condition_sees_what_stands_before_it() -> None:
    macros, _ = read("A = 1\nif $(A)\n B = yes\n A = 0\nendif\nif $(A)\n C = no\nelse\n C = yes\nendif")
    assert (macros.text("B"), macros.text("C")) == ("yes", "yes")


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("true", True), ("No", False), ("1", True), ("0", False), ("0.0", False), ("-1", True), ("! true", False),
        ("", None), ("maybe", None), ("1 2", None),
        ("defined SET", True), ("! defined SET", False), ("defined EMPTY", False), ("defined NOTHING", False),
        ("defined", False), ("defined 0", True), ("defined true", True), ("defined yes", True), ("defined f", True),
        ("defined use ROLE", True), ("defined use ROLE:two", True), ("defined use ROLE:none", False),
        ("defined use NOSUCH", False), ("defined use ROLE: t wo", None), ("defined a+b", None),
        ("version >= 8.0", True), ("version > 99.0.0", False), ("version < 99.1", True), ("version <= 8.9.7", False),
        ("version == 25.14", True), ("version > 25.14", False), ("version != 25.14", False), ("version >= 5.0", None),
        ("version ~ 8.0", None), ("VERSION > 8.0", True), ("version > 8", None),
        ("$(SET)", True), ("$(EMPTY)", False), ("$(ZERO)", False),
        ("\vtrue", True), ("!\vtrue", False), ("defined\vSET", True), ("true\u00a0", None), ("\u0663", None),
        ("version > \u0663.1", None), ("defined\u00a0SET", None),
    ],
)  # fmt: skip
def test_conditions(condition: str, holds: bool | None) -> None:
    """None: it is none, and refused."""
    text = f"SET = 1\nZERO = 0\nEMPTY =\nif {condition}\nA = yes\nelse\nA = no\nendif\n"
    if holds is None:
        with pytest.raises(StatementError):
            read(text)
    else:
        assert read(text)[0].text("A") == ("yes" if holds else "no")


def test_white_space_ends_a_word_and_other_spaces_do_not() -> None:
    assert read("if\vfalse\nA = 1\nelif\ttrue\nA = 2\nelse\v\nA = 3\nendif")[0].text("A") == "2"
    assert read("if false\nA = 1\nelse\u00a0\nA = 2\nendif")[0].text("A") is None
    with pytest.raises(StatementError, match="not a setting"):
        read("if\u00a0true\nendif")


def test_a_version_of_thousands_of_digits_is_later_than_ours_or_none() -> None:
    many = "9" * 5000
    assert read(f"if version < 99.{many}\nA = yes\nendif\n")[0].text("A") == "yes"
    with pytest.raises(StatementError):
        read(f"if version < {many}.0\nendif\n")


def test_template_lines_say_where_they_are_used() -> None:
    macros, _ = read("X = 1\nuse ROLE : two(p, q), outer\n")
    assert parts(macros.get("A")) == ("A", "x", Origin("file", 2, "ROLE:two", 0))
    assert parts(macros.get("B")) == ("B", "none", Origin("file", 2, "ROLE:two", 1))


def test_includes() -> None:
    files = {"/a": "A = from a\ninclude : /$(NEXT)\n", "/b": "B = from b\n"}
    macros, _ = read("NEXT = b\ninclude : /a\ninclude ifexist : /c\ninclude command : echo hi", files=files)
    assert parts(macros.get("B")) == ("B", "from b", Origin("/b", 1))
    assert macros.text("RAN") == "echo hi"
    assert macros.get("RAN").origin == Origin("echo hi |", 1)  # type: ignore[union-attr]
    macros, _ = read("include command into /cache : echo x\n", files=files)
    assert files["/cache"] == "RAN = echo x\n"


def test_submit_lines() -> None:
    text = '+Extra = "a"\n-Gone = 1\nmy.Plain = 2\nexecutable = /bin/true\n'
    text += "queue 3\nqueue name from (\none\n# two\n)\nA = 1"
    macros = MacroSet()
    host = Host(lookup=macros.text, expand=lambda value: value)
    seen: list[tuple[str, int]] = []
    items: list[str] = []
    for statement in StatementReader(text, "job.sub", host, submit=True):
        if isinstance(statement, Assign):
            macros.set(statement.name, statement.value, statement.origin)
        elif isinstance(statement, Command):
            seen.append((statement.text, statement.origin.line))
            while statement.text.endswith("(") and (line := statement.lines.next()) is not None and line.text != ")":
                items.append(line.text)
    assert seen == [("queue 3", 5), ("queue name from (", 6)]
    assert items == ["one", "# two"]
    assert [macros.text(name) for name in ("MY.Extra", "MY.Gone", "my.plain", "A")] == ['"a"', "", "2", "1"]


def test_queue_inside_if_is_reached_only_when_it_holds() -> None:
    _, others = read("if false\nqueue 1\nelse\nqueue 2\n", submit=True)
    assert [other.text for other in others if isinstance(other, Command)] == ["queue 2"]


def test_a_queue_statement_ends_the_blocks_around_it() -> None:
    _, others = read("if true\nif true\nqueue\nif false\niterate 2\nendif\nqueue 3", submit=True)
    assert [other.text for other in others if isinstance(other, Command)] == ["queue", "queue 3"]
    for last in ("endif", "else"):
        with pytest.raises(StatementError, match=f"{last} without matching if"):
            read(f"if true\nqueue\n{last}\n", submit=True)


def test_warnings_stop_nothing() -> None:
    macros, others = read("A : 1\nwarning : watch $(A)\n")
    assert macros.text("A") == "1"
    assert [type(other) for other in others] == [Notice, Notice]
    assert parts(others[1]) == ("watch 1", Origin("file", 2))


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("A = 1\nnonsense\n", 2, "not a setting"),
        ("A-B = 1", 1, "Illegal Identifier: <A-B>"),
        ("\nif x y\nendif", 2, "x y is not a valid if condition because complex conditionals are not supported"),
        ("A = 1\nelse", 2, "else without matching if"),
        ("if 1\nelse\nelse\nendif", 3, "else is not allowed after else"),
        ("if 1\n", 1, "endif"),
        ("A @=tag\nx", 1, "scanning for '@tag'"),
        ("use NOPE : x", 1, "there is no category NOPE"),
        ("use ROLE : nope", 1, "use ROLE: does not recognise nope"),
        ("include : /nofile", 1, "can't open file /nofile: No such file or directory"),
        ("include maybe : /x", 1, r"unexpected keyword\(s\) 'maybe'"),
        ("error : stop $(HERE)", 1, "stop"),
        ("if 1\n" * 64 + "endif\n" * 64, 64, "if nesting too deep!"),
        ("A = $(B)\nB = $(A)\nif $(A)\nendif", 3, "macro . contains itself"),
        ("\n$INT(x) = 1", 2, "does not evaluate to an integer"),
    ],
)
def test_errors_name_file_and_line(text: str, line: int, reason: str) -> None:
    with pytest.raises(StatementError, match=reason) as caught:
        read(text)
    assert caught.value.line == line
    assert str(caught.value).startswith(f'"file", line {line}: ')


def test_a_directory_that_is_included_holds_no_settings() -> None:
    def open_file(path: str) -> str:
        raise IsADirectoryError(path)

    host = Host(lookup=lambda name: None, expand=str, read=open_file)
    (only,) = StatementReader("include : /etc\nA = 1\n", "file", host)
    assert parts(only) == ("A", "1", Origin("file", 2))


def test_a_file_that_includes_itself_is_refused() -> None:
    with pytest.raises(StatementError, match="includes nested too deep"):
        read("include : /a", files={"/a": "include : /a"})


def test_arguments_of_templates() -> None:
    assert [(call.name, call.arguments) for call in parse_calls("One(a,(b,c)), Two Three(x)")] == [
        ("One", "a,(b,c)"),
        ("Two", ""),
        ("Three", "x"),
    ]
    text = "$(0) $(0#) $(1) $(2?) $(3?) $(2+) $(3:d) $(X)"
    assert expand_arguments(text, " a, b ,, ") == "a, b ,, 2 a 1 0 b ,, d $(X)"
    assert expand_arguments("$(1:none) $(2+:$(NUM_CPUS)) $(1:$(2:x))", "") == "none $(NUM_CPUS) x"
    assert expand_arguments("$(2) $(2+) $(0#)", "T,,/x") == "/x ,/x 2"
    assert expand_arguments("$(1)", "$(2),$(1)") == "$(2)"
