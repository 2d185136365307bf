"""condor_transform_ads as recorded from HTCondor 25.14 (reference, section 15)."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest

from condor_py.cli import entry

ADS = """Args = "5"
ClusterId = 1
Cmd = "/bin/sleep"
Iwd = "/home/alice"
ProcId = 0
RequestCpus = 2
RequestMemory = 10

Args = "6"
ClusterId = 2
Cmd = "/bin/echo"
ProcId = 0
RequestCpus = 1

"""
R1 = """NAME MyRule
REQUIREMENTS RequestCpus > 1
x = alice
SET Foo 17
EVALSET Bar 1 + RequestCpus
DEFAULT RequestMemory 99
DEFAULT Missing "x$(x)"
COPY Cmd OrigCmd
RENAME Args Arguments
DELETE Iwd
EVALMACRO z RequestCpus * 10
"""
STEPS = """SET Foo to 17
EVALSET Bar to 1 + RequestCpus
    SET Bar to 3
DEFAULT RequestMemory to 99
DEFAULT Missing to "xalice"
SET Missing to "xalice"
COPY Cmd to OrigCmd
RENAME Args to Arguments
DELETE Iwd
EVALMACRO z to RequestCpus * 10
          z = 20
"""
FIRST = """Arguments = "5"
Bar = 3
ClusterId = 1
Cmd = "/bin/sleep"
Foo = 17
Missing = "xalice"
OrigCmd = "/bin/sleep"
ProcId = 0
RequestCpus = 2
RequestMemory = 10

"""
SECOND = ADS.partition("\n\n")[2]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with ads, rules and a configuration, in which the tool runs."""
    texts = {
        "in.ads": ADS,
        "r1.rules": R1,
        "rbad.rules": "SET Foo ((\n",
        "cfg.rules": 'site = north\nJOB_TRANSFORM_Here @=end\n  SET Site "$(site)"\n@end\n',
        "list.rules": 'SET A $(a)\nSET B "$(b)$(Step)"\nTRANSFORM 2 a,b from (\n1 x\n2 y\n)\n',
        "odd.rules": "FROB x\n",
        "config": "JOB_TRANSFORM_One @=end\n  NAME Other\n  SET One 1\n@end\n"
        "JOB_TRANSFORM_Two = SET Two $(MY.One) + 1\n"
        "JOB_TRANSFORM_Old = [ set_Old = 3; Requirements = TARGET.ClusterId == 2; ]\nsite = config\nROLE =\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CONDOR_CONFIG", str(tmp_path / "config"))
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    code = entry.main("condor_transform_ads", list(argv))
    shown = capsys.readouterr()
    return code, shown.out, shown.err


def test_rules_change_the_ads_they_accept(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "-rules", "r1.rules", "in.ads") == (1, FIRST + SECOND, "")


def test_verbose(capsys: pytest.CaptureFixture[str]) -> None:
    comments = (
        "# Applying transforms to ads from in.ads\n#   Job 1.0\n#   Transform MyRule \n"
        "#   Job 2.0\n#   Transform MyRule Skipped\n"
    )
    assert run(capsys, "-verbose", "-rules", "r1.rules", "in.ads") == (1, STEPS + FIRST + SECOND, comments)


def test_a_bad_expression_is_told_once_an_ad(capsys: pytest.CaptureFixture[str]) -> None:
    told = "ERROR: SET Foo invalid expression : ((\n" * 2
    assert run(capsys, "-rules", "rbad.rules", "in.ads") == (1, ADS, told)


@pytest.mark.parametrize(
    ("argv", "code", "err"),
    [
        ("-rules nosuch in.ads", 255, "Can't open rules file: nosuch\n"),
        ("-rules r1.rules nosuch", 0, "Can't open file of ClassAds: nosuch\n"),
        ("-rules r1.rules", 1, "Warning: no input file specified - nothing to transform.\n"),
        ("-rules", 1, "condor_transform_ads: -rules requires another argument\n"),
        (
            "-rules list.rules -rules r1.rules in.ads",
            1,
            "Error at r1.rules. Previous transform was an iterating transform\n",
        ),
        ("-jobtransforms Nosuch in.ads", 1, "condor_transform_ads: JOB_TRANSFORM_Nosuch is not defined in the config"),
    ],
)
def test_failures(capsys: pytest.CaptureFixture[str], argv: str, code: int, err: str) -> None:
    found, out, told = run(capsys, *argv.split())
    assert (found, out) == (code, "")
    assert told.startswith(err)


def test_usage(capsys: pytest.CaptureFixture[str]) -> None:
    usage = "Usage: condor_transform_ads [transforms] [options] [<key>=<value>] <infile> [<infile>]\n"
    code, out, err = run(capsys, "in.ads")
    assert (code, out) == (1, "")
    assert err.startswith("ERROR : no transform rules specified.\n" + usage)
    code, out, err = run(capsys)
    assert (code, out) == (1, "")
    assert err.startswith(usage)


def test_a_list_multiplies_the_ads(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "-rules", "list.rules", "in.ads")
    assert re.findall(r"^(?:A|B|ClusterId) = (.*)", out, re.MULTILINE) == [
        *("1", '"x0"', "1", "1", '"x1"', "1", "2", '"y0"', "1", "2", '"y1"', "1"),
        *("1", '"x0"', "2", "1", '"x1"', "2", "2", '"y0"', "2", "2", '"y1"', "2"),
    ]


def test_rules_of_the_configuration(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "-jobtransforms", "One,Two", "-verbose", "in.ads")
    assert code == 1
    assert out.count("One = 1\n") == out.count("Two = 1 + 1\n") == 2
    assert "#   Transform One \n#   Transform Two \n" in err
    _, out, _ = run(capsys, "-jobt", "Old", "in.ads")
    assert out.count("Old = 3\n") == 1
    _, out, _ = run(capsys, "-rules", "config://JOB_TRANSFORM_One/", "in.ads")
    assert out.count("One = 1\n") == 2


def test_rules_of_a_file_of_settings(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "-rules", "cfg.rules", "-jobtransforms", "Here", "in.ads")
    assert (code, err) == (1, "")
    assert out.count('Site = "') == 2


def test_given_macros_and_forms(capsys: pytest.CaptureFixture[str], files: Path) -> None:
    (files / "g.rules").write_text("SET G $(g) + 1\n")
    run(capsys, "-rules", "g.rules", "g=5", "-out:json", "out.json", "in.ads")
    made = json.loads((files / "out.json").read_text())
    assert [ad["G"] for ad in made] == ["/Expr(5 + 1)/"] * 2
    code, out, _ = run(capsys, "-rules", "g.rules", "g=5", "-in:json", "out.json", "-out:xml", "-")
    assert code == 1
    assert out.count('<a n="G"><e>5 + 1</e></a>') == 2


def test_rules_that_cannot_be_carried_out(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "-rules", "odd.rules", "in.ads")
    assert (code, out) == (255, "")
    assert err == (
        "Invalid rules file odd.rules : line 1: FROB is not a valid transform keyword\n"
        "ERROR: odd.rules, line 1: FROB is not a valid transform keyword\nTransform of ad Job 1.0 failed!\n"
    )


def test_help_for_rules(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "-help", "rules")
    assert code == 0
    assert "RENAME /<regex>/ <new>" in out


def test_the_example_of_rules(capsys: pytest.CaptureFixture[str]) -> None:
    rules = Path(__file__).parents[3] / "etc" / "examples" / "site.rules"
    Path("one.ads").write_text("JobUniverse = 5\nJobNotification = 0\nRequestCpus = 2\nRequestMemory = 10\n")
    assert run(capsys, "-rules", str(rules), "one.ads") == (
        1,
        'AskedCpus = 2\nAskedMemory = 10\nJobUniverse = 5\nPurpose = "private"\nRequestCpus = 2\n'
        'RequestMemory = 20\nSite = "north"\n\n',
        "",
    )


@pytest.mark.parametrize(
    ("option", "shown"), [("-testing", True), ("-testing:noout", False), ("-testing:x,noout", False)]
)
def test_a_trial_without_output(capsys: pytest.CaptureFixture[str], option: str, shown: bool) -> None:
    code, out, err = run(capsys, "-verbose", "-rules", "r1.rules", option, "in.ads")
    assert (code, out) == (1, STEPS + (FIRST + SECOND if shown else ""))
    assert err.startswith("# Applying transforms to ads from in.ads\n#   Job 1.0\n")


WRONG_NAME = "condor_transform_ads: invalid attribute name '{}' for attrib=value assigment\n"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("a-b=1", WRONG_NAME.format("a-b")),
        ("+=1", WRONG_NAME.format("+")),
        ("=1", WRONG_NAME.format("")),
        ("-unit-test", "condor_transform_ads: -unit-test is not supported\n"),
        ("-out /no/such/file", "ERROR: Failed to open output file (No such file or directory)\n"),
    ],
)
def test_words_that_are_refused(capsys: pytest.CaptureFixture[str], words: str, told: str) -> None:
    assert run(capsys, "-rules", "r1.rules", *words.split(), "in.ads") == (1, "", told)


def test_an_attribute_of_the_command_line(capsys: pytest.CaptureFixture[str], files: Path) -> None:
    (files / "g.rules").write_text("SET G $(MY.Own) + $(two)\n")
    _, out, _ = run(capsys, "-rules", "g.rules", "+Own=5", "two = 7", "in.ads")
    assert out.count("G = 5 + 7\n") == 2


def test_the_form_of_the_output_is_that_of_the_input(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """``auto`` is the form that is named for an input; and both may be standard input and output."""
    _, out, _ = run(capsys, "-rules", "r1.rules", "-out:json", "-", "in.ads")
    assert [ad["Foo"] for ad in json.loads(out) if "Foo" in ad] == [17]
    monkeypatch.setattr("sys.stdin", io.StringIO(out))
    code, again, _ = run(capsys, "-rules", "r1.rules", "-in:json", "-", "-out:auto", "-")
    assert code == 1
    assert [ad["ClusterId"] for ad in json.loads(again)] == [1, 2]


def test_rules_from_standard_input(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO('SET Rules "$(rulesfile)"\n'))
    _, out, _ = run(capsys, "-rules", "-", "in.ads")
    assert out.count('Rules = "<stdin>"\n') == 2


def test_rules_of_a_route_and_rules_that_cannot_be_read(capsys: pytest.CaptureFixture[str], files: Path) -> None:
    with (files / "config").open("a") as config:
        config.write('JOB_ROUTER_ROUTE_North = SET Where "north"\nJOB_TRANSFORM_Bad @=end\n  TRANSFORM 2 3 (\n@end\n')
    _, out, _ = run(capsys, "-jobroute", "North", "in.ads")
    assert out.count('Where = "north"\n') == 2
    code, out, error = run(capsys, "-jobtransforms", "Bad", "-jobroute", "North", "in.ads")
    assert (code, out, error) == (1, "", "Error at North. Previous transform was an iterating transform\n")
