"""The arguments of condor_submit, and what they ask for."""

from __future__ import annotations

import pytest

from condor_py.cli.options import parse
from condor_py.cli.submit import SPECS
from condor_py.cli.submit.request import Request, understand
from condor_py.model.errors import CondorError


def test_a_table_is_one_file_and_the_description_stands_behind_it() -> None:
    argv = ["-dry-run", "f", "-table", "items.csv", "job.sub", "x=1"]
    request = understand(parse(SPECS[0], argv), argv)
    assert (request.dry_run, request.file, request.queue) == ("f", "job.sub", "iterate from table items.csv")
    assert request.defines == [("x", "1")]


def test_a_queue_statement_takes_words_up_to_the_next_option() -> None:
    argv = ["job.sub", "-queue", "2", "x", "in", "(a b)", "-terse"]
    request = understand(parse(SPECS[0], argv), argv)
    assert (request.file, request.queue, request.terse) == ("job.sub", "queue 2 x in (a b)", True)


def _set_by(words: str) -> dict[str, object]:
    """What a request has other than one of the submit file alone."""
    plain, asked = (understand(parse(SPECS[0], argv), argv) for argv in (["f.sub"], ["f.sub", *words.split()]))
    return {name: getattr(asked, name) for name in Request.__slots__ if getattr(asked, name) != getattr(plain, name)}


@pytest.mark.parametrize(
    ("words", "changed"),
    [
        ("-verbose", {"verbose": True}),
        ("-terse", {"terse": True}),
        ("-factory", {"factory": True}),
        ("-interactive", {"interactive": True, "appends": ["MY.InteractiveJob=True"]}),
        ("-terse -verbose", {"verbose": True}),
        ("-verbose -terse", {"terse": True}),
        ("-unused", {"warn_unused": False}),
        ("-unused -unused", {}),
        ("-batch-name b -batch-id i", {"appends": ['MY.JobBatchName = "b"', 'MY.JobBatchId = "i"']}),
        ("-batch-name a -batch-name b", {"appends": ['MY.JobBatchName = "b"']}),
        ("-file g.sub", {"file": "g.sub"}),
        ("+a=b", {"defines": [("MY.a", "b")]}),
        ("-", {"file": "-", "verbose": True}),
        ("-terse -", {"file": "-", "terse": True}),
        ("-spool", {"spool": True}),
        ("-remote there", {"spool": True, "schedd": "there"}),
        ("-name here", {"schedd": "here"}),
        ("-digest d", {"digest": "d"}),
        ("-maxjobs 3", {"max_jobs": 3}),
        ("-maxjobs -1", {"max_jobs": -1}),
        ("-single-cluster", {"single_cluster": True}),
        ("-allow-crlf-script", {"allow_crlf": True}),
        ("-dump ads", {"dump": "ads"}),
        ("-dry-run ads", {"dry_run": "ads"}),
        ("-dry-run:full,hash ads", {"dry_run": "ads", "dry_run_options": {"full", "hash"}}),
        ("-dry-run:digest,def,jobset ads", {"dry_run": "ads", "dry_run_options": {"digest", "def", "jobset"}}),
        ("-dry-run:tpl ads", {"dry_run": "ads", "dry_run_options": {"tpl"}}),
        ("-dry-run:template ads", {"dry_run": "ads", "dry_run_options": {"tpl"}}),
        ("-dry-run:cluster=7 ads", {"dry_run": "ads", "first_cluster": 7}),
        ("-dry-run:cluster=0 ads", {"dry_run": "ads"}),
        ("-dry-run:cluster=x ads", {"dry_run": "ads"}),
        ("-append x=1", {"appends": ["x=1"]}),
        ("-append queue", {"queue": "queue"}),
        ("a=b", {"defines": [("a", "b")]}),
    ],
)
def test_each_option_asks_for_one_thing(words: str, changed: dict[str, object]) -> None:
    assert _set_by(words) == changed


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("-maxjobs -2", "Error: -2 is not a valid for -maxjobs."),
        ("-dry-run a -dump b", "-dump <file> and -dry-run <file> cannot be used together"),
        ("-dump b -dry-run a", "-dry-run <file> and -dump <file> cannot be used together"),
        ("-dry-run:odd a", "unknown option odd for -dry-run:<opts>"),
        ("-factory -interactive", "Interactive jobs cannot be materialized late"),
        ("-queue 2 -append queue", "only one -queue command allowed"),
    ],
)
def test_what_does_not_go_together_is_said(words: str, said: str) -> None:
    with pytest.raises(CondorError, match=said):
        _set_by(words)


@pytest.mark.parametrize(
    ("words", "queue"),
    [
        ("-queue 2 x from - -terse", "queue 2 x from -"),
        ("-queue 2 - ", "queue 2 -"),
        ("-iterate x from items", "iterate x from items"),
    ],
)
def test_items_from_standard_input(words: str, queue: str) -> None:
    """A dash behind the words of a queue statement belongs to it."""
    argv = ["f.sub", *words.split()]
    request = understand(parse(SPECS[0], argv), argv)
    assert (request.queue, request.file) == (queue, "f.sub")


def test_an_attribute_on_the_command_line_needs_a_name() -> None:
    for word in ("=x", "a b=c", "1a=2", "a-b=c"):
        with pytest.raises(CondorError, match=r"invalid attribute name '.*' for attrib=value assigment"):
            understand(parse(SPECS[0], [word]), [word])
    argv = [" a.b = c = d "]
    assert understand(parse(SPECS[0], argv), argv).defines == [("a.b", "c = d")]


def test_the_target_of_ads() -> None:
    assert understand(parse(SPECS[0], ["f", "-dump", "a"]), []).target == "a"
    assert understand(parse(SPECS[0], ["f", "-dry-run", "b"]), []).target == "b"
    assert understand(parse(SPECS[0], ["f"]), []).target is None
    with pytest.raises(CondorError, match="No submit filename was provided, and 'a'"):
        understand(parse(SPECS[0], ["-dump", "a"]), [])
    assert understand(parse(SPECS[0], ["-interactive", "-dump", "a"]), []).file is None
