"""The arguments of condor_submit, and what they ask for."""

from __future__ import annotations

from condor_py.cli.options import parse
from condor_py.cli.submit import SPECS
from condor_py.cli.submit.request import understand


def test_a_table_is_one_file_and_the_description_stands_behind_it() -> None:
    argv = ["-dry-run", "f", "-table", "items.csv", "job.sub", "x=1"]
    request = understand(parse(SPECS[0], argv), argv)
    assert (request.dry_run, request.file, request.queue) == ("f", "job.sub", "iterate from table items.csv")
    assert request.defines == [("x", "1")]


def test_a_queue_statement_takes_words_up_to_the_next_option() -> None:
    argv = ["job.sub", "-queue", "2", "x", "in", "(a b)", "-terse"]
    request = understand(parse(SPECS[0], argv), argv)
    assert (request.file, request.queue, request.terse) == ("job.sub", "queue 2 x in (a b)", True)
