"""condor_submit: limits of the site, files that cannot be spooled, schedds elsewhere, and hints at a terminal."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from tool_runner import Spool

from condor_py.cli import submit
from condor_py.model.errors import CondorError

ONE = "executable = /bin/true\nqueue\n"


class Terminal(io.StringIO):
    """Standard error where a person reads it."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def directory(spool: Spool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Submit files in the present directory."""
    for name, text in {
        "one.sub": ONE,
        "three.sub": "executable = /bin/true\nqueue 3\n",
        "odd.sub": "executable = /bin/true\nzork = 5\nqueue\n",
        "spooled.sub": "executable = /bin/true\ntransfer_input_files = one.sub\nqueue 2\n",
    }.items():
        (tmp_path / name).write_text(text)


UNUSED = "WARNING: the line 'zork = 5' was unused by condor_submit. Is it a typo?\n"


@pytest.mark.parametrize(
    ("words", "knob", "warned"),
    [("", "true", True), ("", "false", False), ("-unused", "true", False), ("-unused", "false", True)],
)
def test_lines_that_nothing_uses(
    spool: Spool, monkeypatch: pytest.MonkeyPatch, words: str, knob: str, warned: bool
) -> None:
    """-unused changes what WARN_ON_UNUSED_SUBMIT_FILE_MACROS says."""
    monkeypatch.setenv("_CONDOR_WARN_ON_UNUSED_SUBMIT_FILE_MACROS", knob)
    done = spool.run("condor_submit", *words.split(), "odd.sub")
    assert (UNUSED in done.err, done.code) == (warned, 0)


@pytest.mark.parametrize(
    ("knobs", "error"),
    [
        ({"SUBMIT_MAX_PROCS_IN_CLUSTER": "2"}, "\nERROR: number of procs exceeds SUBMIT_MAX_PROCS_IN_CLUSTER\n"),
        ({"MAX_JOBS_PER_SUBMISSION": "2"},
         "\nERROR: Failed to create proc\nNumber of submitted jobs would exceed MAX_JOBS_PER_SUBMISSION\n"),
        ({"MAX_JOBS_SUBMITTED": "2"},
         "\nERROR: Failed to create proc\nNumber of submitted jobs would exceed MAX_JOBS_SUBMITTED\n"),
        ({"MAX_JOBS_PER_OWNER": "2"},
         "\nERROR: Failed to create proc\nNumber of submitted jobs would exceed MAX_JOBS_PER_OWNER\n"),
    ],
)  # fmt: skip
def test_more_jobs_than_the_site_allows(
    spool: Spool, monkeypatch: pytest.MonkeyPatch, knobs: dict[str, str], error: str
) -> None:
    """None of them is queued."""
    for name, value in knobs.items():
        monkeypatch.setenv(f"_CONDOR_{name}", value)
    done = spool.run("condor_submit", "three.sub")
    assert (done.err, done.code) == (error, 1)
    assert not spool.path.exists() or spool.values("Cmd") == {}
    for name in knobs:
        monkeypatch.setenv(f"_CONDOR_{name}", "3")
    assert spool.run("condor_submit", "three.sub").code == 0
    assert len(spool.values("Cmd")) == 3


def test_files_that_cannot_be_spooled(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[int]] = []

    def bring(pool: object, clusters: list[int], meter: object) -> None:
        asked.append(clusters)
        if len(asked) > 1:
            raise CondorError("the spool is full")

    monkeypatch.setattr("condor_py.client.spool_files.bring_files", bring)
    done = spool.run("condor_submit", "-spool", "spooled.sub")
    assert (done.code, asked) == (0, [[1]])
    assert "2 job(s) submitted to cluster 1." in done.out
    done = spool.run("condor_submit", "-spool", "spooled.sub")
    assert (done.code, asked[1:]) == (1, [[2]])
    assert done.err.endswith("\nthe spool is full\nERROR: Failed to spool job files.\n")


@pytest.mark.parametrize(
    ("words", "sent"),
    [
        ("one.sub", (ONE, [], "")),
        ("a=1 -append b=2 one.sub", (f"a = 1\n{ONE}", ["b=2"], "")),
        ("one.sub -queue 4", (ONE, [], "4")),
    ],
)
def test_jobs_for_another_pool(
    spool: Spool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, words: str, sent: tuple[Any, ...]
) -> None:
    seen: list[Any] = []

    class Other:
        """The schedd of another pool."""

        def __init__(self, pool: object, name: str, host: str) -> None:
            seen.append((name, host))

        def queue(self, text: str, appends: list[str], queue: str, folder: str) -> tuple[int, int]:
            seen.append((text, list(appends), queue, folder))
            return 17, 3

    monkeypatch.setattr("condor_py.client.elsewhere.OtherSchedd", Other)
    done = spool.run("condor_submit", "-pool", "/etc/other", "-remote", "there", *words.split())
    assert done == ("Submitting job(s)...\n3 job(s) submitted to cluster 17.\n", "", 0)
    assert seen == [("there", "/etc/other"), (*sent, str(tmp_path))]
    done = spool.run("condor_submit", "-pool", "/etc/other", "-name", "there", *words.split())
    assert done.err == "condor_submit: jobs for the schedd of another pool need -spool, or -remote instead of -name\n"
    assert not spool.path.exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["odd.sub", "-queue", "x", "of", "y"], "The command line has: queue x of y"),
        (["exectable=/bin/true", "one.sub"], "exectable: did you mean executable?"),
        (["-digest", "d", "one.sub"], "condor_submit: no digest in d: only -factory and max_materialize make one"),
    ],
)
def test_a_person_is_told_what_was_probably_meant(
    spool: Spool, monkeypatch: pytest.MonkeyPatch, words: list[str], told: str
) -> None:
    said = Terminal()
    monkeypatch.setattr("sys.stderr", said)
    submit.main(words)
    assert told in said.getvalue().splitlines()


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("here", 'condor_submit: "here" is not a valid address\n'),
        ("<1.2.3.4:5>", "Can't connect to daemon at <1.2.3.4:5>\n"),
    ],
)
def test_jobs_for_an_address_elsewhere_are_not_queued_here(spool: Spool, address: str, said: str) -> None:
    done = spool.run("condor_submit", "-address", address, "one.sub")
    assert (done.out, done.err[: len(said)], done.code) == ("", said, 1)
    assert not spool.path.exists()


def test_a_description_from_the_keyboard(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    keyboard, said = Terminal(ONE), Terminal()
    monkeypatch.setattr("sys.stdin", keyboard)
    monkeypatch.setattr("sys.stderr", said)
    assert submit.main(["-append", "priority = 7"]) == 0
    assert said.getvalue().splitlines()[0] == (
        "condor_submit: no file is named (priority = 7 is what -append adds): type the submit description, and ^D at "
        "its end"
    )
    assert spool.values("JobPrio") == {"1.0": "7"}


def test_files_are_not_looked_at_where_it_is_said(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_CONDOR_SUBMIT_SKIP_FILECHECKS", "false")
    Path("missing.sub").write_text("executable = /bin/true\ninput = /no/such/file\nqueue\n")
    assert spool.run("condor_submit", "missing.sub").code == 1
    assert spool.run("condor_submit", "-disable", "missing.sub").code == 0
