"""condor_transform_ads: where rules and ads come from, in which form ads go out, and its exit status."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from tool_runner import Spool

ADS = 'A = 1\nName = "first"\n\nA = 2\nName = "second"\n'


@pytest.fixture
def files(spool: Spool) -> Spool:
    """Rules in set.rules, and two ads in two.ads."""
    Path("set.rules").write_text("SET B 7\n")
    Path("two.ads").write_text(ADS)
    return spool


def values(text: str, name: str) -> list[str]:
    """Return the values of an attribute in ads of the long form."""
    return [line.partition(" = ")[2] for line in text.splitlines() if line.startswith(f"{name} = ")]


def test_each_ad_is_transformed(files: Spool) -> None:
    done = files.run("condor_transform_ads", "-rules", "set.rules", "two.ads")
    assert (values(done.out, "A"), values(done.out, "B"), done.err, done.code) == (["1", "2"], ["7", "7"], "", 1)


def test_what_the_rules_remember_ends_with_the_ad(files: Spool) -> None:
    """A variable that a rule sets is not there when the next ad begins."""
    Path("v.rules").write_text("SET B $(seen:0)\nEVALMACRO seen A\nSET C $(seen:0)\n")
    done = files.run("condor_transform_ads", "-rules", "v.rules", "two.ads")
    assert (values(done.out, "B"), values(done.out, "C")) == (["0", "0"], ["1", "2"])


def test_an_input_that_is_not_there_does_not_stop_the_next(files: Spool) -> None:
    """The exit status is that of the last."""
    done = files.run("condor_transform_ads", "-rules", "set.rules", "-in", "none.ads", "-in", "two.ads")
    assert (values(done.out, "B"), done.err, done.code) == (
        ["7", "7"], "Can't open file of ClassAds: none.ads\n", 1,
    )  # fmt: skip
    done = files.run("condor_transform_ads", "-rules", "set.rules", "-in", "two.ads", "-in", "none.ads")
    assert (values(done.out, "B"), done.code) == (["7", "7"], 0)


@pytest.mark.parametrize("option", ["-unit-test", "-convertoldroutes"])
def test_what_is_not_supported_is_named(files: Spool, option: str) -> None:
    done = files.run("condor_transform_ads", option, "-rules", "set.rules", "two.ads")
    assert (done.out, done.err, done.code) == ("", f"condor_transform_ads: {option} is not supported\n", 1)


@pytest.mark.parametrize(
    ("words", "sets"),
    [
        ("-jobtransforms one", [1]),
        ("-jobtransforms one,two", [1, 2]),
        ("-jobroute three", [3]),
        ("-rules config://JOB_TRANSFORM_%s/two", [2]),
        ("-rules config://JOB_TRANSFORM_%s/one,two", [1, 2]),
        ("-rules config://JOB_TRANSFORM_one", [1]),
        ("-jobtransforms two -rules set.rules", [2, 7]),
    ],
)
def test_rules_of_the_configuration(files: Spool, monkeypatch: pytest.MonkeyPatch, words: str, sets: list[int]) -> None:
    for name, number in (("TRANSFORM_one", 1), ("TRANSFORM_two", 2), ("ROUTER_ROUTE_three", 3)):
        monkeypatch.setenv(f"_CONDOR_JOB_{name}", f"SET B{number} {number}")
    Path("set.rules").write_text("SET B7 7\n")
    done = files.run("condor_transform_ads", *words.split(), "two.ads")
    assert [number for number in (1, 2, 3, 7) if values(done.out, f"B{number}") == [str(number)] * 2] == sets
    assert [number for number in (1, 2, 3, 7) if values(done.out, f"B{number}")] == sets


def test_rules_that_the_configuration_does_not_have(files: Spool) -> None:
    done = files.run("condor_transform_ads", "-jobtransforms", "none", "two.ads")
    assert (done.err, done.code) == (
        "condor_transform_ads: JOB_TRANSFORM_none is not defined in the configuration\n", 1,
    )  # fmt: skip
    done = files.run("condor_transform_ads", "two.ads")
    assert (done.err.splitlines()[0], done.code) == ("ERROR : no transform rules specified.", 1)
    done = files.run("condor_transform_ads", "-rules", "none.rules", "two.ads")
    assert "Can't open rules file: none.rules" in done.err
    done = files.run("condor_transform_ads", "-rules", "set.rules")
    assert "no input file specified - nothing to transform." in done.err


def test_rules_and_ads_from_standard_input(files: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("SET C 8\n"))
    assert values(files.run("condor_transform_ads", "-rules", "-", "two.ads").out, "C") == ["8", "8"]
    monkeypatch.setattr("sys.stdin", io.StringIO("A = 5\n"))
    assert values(files.run("condor_transform_ads", "-rules", "set.rules", "-").out, "A") == ["5"]


@pytest.mark.parametrize(
    "words",
    ["-json -rules set.rules two.ads", "-rules set.rules -out:json made two.ads", "-ru set.rules -js -i two.ads"],
)
def test_ads_in_json(files: Spool, words: str) -> None:
    argv = words.split()
    if "-json" in argv or "-js" in argv:
        Path("two.ads").write_text('[{"A": 1}, {"A": 2}]')
        argv += ["-out:json", "made"]
    done = files.run("condor_transform_ads", *argv)
    assert (done.out, done.err) == ("", "")
    assert [(ad["A"], ad["B"]) for ad in json.loads(Path("made").read_text())] == [(1, 7), (2, 7)]


def test_what_is_done_is_told(files: Spool) -> None:
    done = files.run("condor_transform_ads", "-verbose", "-rules", "set.rules", "two.ads")
    assert "# Applying transforms to ads from two.ads\n" in done.err
    quiet = files.run("condor_transform_ads", "-verbose", "-terse", "-rules", "set.rules", "two.ads")
    assert (quiet.err, quiet.out) == ("", done.out) or quiet.err == ""


def test_the_help_about_rules(files: Spool) -> None:
    general = files.run("condor_transform_ads", "-help")
    rules = files.run("condor_transform_ads", "-help", "rules")
    assert (general.code, rules.code) == (0, 0)
    assert general.out.startswith("Usage: condor_transform_ads")
    assert "EVALMACRO" in rules.out
    assert not rules.out.startswith("Usage: ")


def test_ads_are_called_by_their_job_or_their_number(files: Spool) -> None:
    Path("jobs.ads").write_text("ClusterId = 7\nProcId = 3\n\nClusterId = 8\n\nProcId = 9\n\nA = 1\n")
    done = files.run("condor_transform_ads", "-verbose", "-rules", "set.rules", "jobs.ads")
    assert [line.removeprefix("#   ") for line in done.err.splitlines() if line.startswith(("#   Job", "#   Ad"))] == [
        "Job 7.3", "Ad 2", "Ad 3", "Ad 4",
    ]  # fmt: skip
