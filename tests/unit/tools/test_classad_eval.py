"""classad_eval: what an argument is, what is printed when, exit codes. Expectations are HTCondor 25.14's output."""

from __future__ import annotations

from pathlib import Path

import pytest
import tool_runner


def run(*argv: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr."""
    done = tool_runner.run("classad_eval", *argv)
    return done.code, done.out, done.err


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my.ad").write_text("[ x = 7; z = 10; ]\n")
    (tmp_path / "target.ad").write_text("[ x = 8; y = 9; ]\n")
    (tmp_path / "long.ad").write_text("A = 1\nB = 2\n")
    (tmp_path / "one.ad").write_text("A = 1\n")
    (tmp_path / "two.ad").write_text("[ A = 1 ]\n[ A = 2 ]\n")
    (tmp_path / "query.ad").write_text("{\n[\nA = 1;\nB = 2\n]\n,\n[\nA = 3\n]\n}\n")
    (tmp_path / "empty.ad").write_text("")


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (["1 + 1"], "[  ]\n2\n"),
        (["x = 7", "x"], "[ x = 7 ]\n7\n"),
        (["x=1;y=2", "x+y"], "[ x = 1; y = 2 ]\n3\n"),
        (["[ x = y; y = 7; ]", "x"], "[ x = y; y = 7 ]\n7\n"),
        (["X=1", "x=2", "x"], "[ X = 2 ]\n2\n"),
        (["x = y", "x", "y = 7", "x"], "[ x = y ]\nundefined\n[ x = y; y = 7 ]\n7\n"),
        (["x=1", "x", "x", "y"], "[ x = 1 ]\n1\n1\nundefined\n"),
        (["1", "2"], "[  ]\n1\n2\n"),
        (["x = y", "x", "-quiet", "y = 7", "x"], "[ x = y ]\nundefined\n7\n"),
        (["a=1", "[b=a]"], ""),
        ([], ""),
        (["", "x"], "[  ]\nundefined\n"),
        (["[x=1] [y=2]", "y"], "[ x = 1 ]\nundefined\n"),
        (["-quiet", "x = {1,2,y}", "x", "y=3", "x[2]"], "{ 1,2,y }\n3\n"),
        (["-quiet", 's="é"', "s", "1.5", "1/0"], '"\\303\\251"\n1.500000000000000E+00\nerror\n'),
        (['x=relTime("1:00")', "1"], "[ x = 6.000000000000000E+01 ]\n1\n"),
    ],
)
def test_arguments_take_effect_from_left_to_right(argv: list[str], expected: str) -> None:
    assert run(*argv) == (0, expected, "")


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (["-file", "my.ad", "x"], "7"),
        (["-my-file", "my.ad", "MY.x"], "7"),
        (["-my-file", "my.ad", "TARGET.x"], "undefined"),
        (["-target-file", "target.ad", "x"], "8"),
        (["-target-file", "target.ad", "MY.x"], "undefined"),
        (["-target-file", "target.ad", "TARGET.x"], "8"),
        (["-my-file", "my.ad", "-target-file", "target.ad", "x"], "7"),
        (["-my-file", "my.ad", "-target-file", "target.ad", "TARGET.x"], "8"),
        (["-my-file", "my.ad", "-target-file", "target.ad", "y"], "9"),
        (["-file", "one.ad", "A"], "1"),
        (["-file", "two.ad", "A"], "1"),
        (["-file", "query.ad", "A + B"], "3"),
        (["-file", "empty.ad", "A"], "undefined"),
    ],
)
def test_files(argv: list[str], expected: str) -> None:
    assert run("-quiet", *argv) == (0, expected + "\n", "")


def test_a_file_replaces_the_context_but_does_not_print_it_again() -> None:
    assert run("x=1", "x", "-file", "one.ad", "A", "x") == (0, "[ x = 1 ]\n1\n1\nundefined\n", "")


@pytest.mark.parametrize("text", ["-5", "-x", "--quiet", "-qui", "-json"])
def test_what_is_no_option_in_full_is_an_expression(text: str) -> None:
    value = "-5" if text == "-5" else "undefined"
    assert run(text) == (0, f"[  ]\n{value}\n", "")


@pytest.mark.parametrize("text", ["a b", "[a=1", "x =", "is=3", "-foo bar", "x=1,y"])
def test_neither_an_ad_nor_an_expression(text: str) -> None:
    assert run(text) == (1, "[  ]\n", f"Unable to turn '{text}' into a ClassAd or an expression.\n")


def test_files_that_are_no_ads() -> None:
    assert run("-file", "long.ad", "A") == (1, "", "Unable to turn file 'long.ad' into a ClassAd.\n")
    assert run("-target-file", "no.ad") == (1, "", "classad_eval: cannot read no.ad: No such file or directory\n")


def test_a_missing_argument_comes_after_what_stands_before_it() -> None:
    assert run("1", "-file") == (255, "[  ]\n1\n", "classad_eval: -file requires an argument\n")
    assert run("-target-file") == (255, "", "classad_eval: -target-file requires an argument\n")


def test_help_ends_the_run() -> None:
    code, out, err = run("1", "-help", "2")
    assert (code, err) == (255, "")
    assert out.startswith("[  ]\n1\nUsage: classad_eval ")
    assert "-target-file FILE" in out


def test_beyond_the_limits_is_one_line() -> None:
    code, out, err = run("-quiet", "userHome()")
    assert (code, out) == (1, "")
    assert err.count("\n") == 1
    assert "userHome()" in err


def test_debug_tells_what_was_read_and_what_looks_wrong() -> None:
    files = ("-my-file", "my.ad", "-target-file", "target.ad")
    code, out, err = run("-quiet", "-debug", *files, "x > y && w == undefined")
    assert (code, out) == (0, "false\n")
    assert err == (
        "MY.x = 7\nTARGET.y = 9\nw = undefined (in no ad)\n"
        "undefined-comparison at 9-23: comparing with undefined by == is always undefined; write w =?= undefined\n"
    )
