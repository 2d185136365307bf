"""condor_dag_checker -finished: how a DAG has ended is read from the files that condor_dagman leaves."""

from __future__ import annotations

from pathlib import Path

import pytest
from tool_runner import Spool

from condor_py.cli import dag_checker
from condor_py.cli.dag_checker import _Life

DAG = "JOB A a.sub\nJOB B a.sub\nPARENT A CHILD B\n"
START = "11/28/26 10:00:00 ** condor_scheduniv_exec.5.0 (CONDOR_DAGMAN) STARTING UP\n"


def event(number: int, cluster: int, second: int, text: str = "Job.") -> str:
    return f"{number:03d} ({cluster:03d}.000.000) 2026-11-22 07:00:{second:02d} {text}\n...\n"


def node(cluster: int, name: str, second: int, code: int = 0) -> str:
    """A node that was submitted, ran and ended."""
    return (
        event(0, cluster, second, f"Job submitted from host: <a>\n    DAG Node: {name}")
        + event(1, cluster, second + 1)
        + event(5, cluster, second + 2, f"Job terminated.\n\t(1) Normal termination (return value {code})")
    )


@pytest.fixture
def finished(spool: Spool) -> Spool:
    """A DAG of two nodes that ended well."""
    Path("d.dag").write_text(DAG)
    Path("a.sub").write_text("executable = /bin/true\nqueue\n")
    Path("d.dag.nodes.log").write_text(node(7, "A", 1) + node(8, "B", 10))
    Path("d.dag.dagman.out").write_text(f"{START}... EXITING WITH STATUS 0\n")
    return spool


def check(spool: Spool) -> list[str]:
    done = spool.run("condor_dag_checker", "-finished", "d.dag")
    assert done.err == ""
    assert done.code == (1 if done.out else 0)
    return done.out.splitlines()


def test_a_dag_that_ended_well(finished: Spool) -> None:
    assert check(finished) == []


def test_a_dag_whose_end_does_not_fit_its_nodes(finished: Spool) -> None:
    Path("d.dag.nodes.log").write_text(node(7, "A", 1))
    first, *problems = check(finished)
    assert first == f"Detected {len(problems)} issues in d.dag as it has run:"
    assert problems
    assert all(line.startswith("\t* ") for line in problems)
    Path("d.dag.dagman.out").write_text(f"{START}... EXITING WITH STATUS 0\n{START}nothing yet\n")
    (_, problem) = check(finished)
    assert problem.endswith("to its end")


def test_a_rescue_file_that_was_used_and_one_that_was_written(finished: Spool) -> None:
    Path("d.dag.rescue001").write_text("# a remark\nDONE A\n")
    Path("d.dag.nodes.log").write_text(node(8, "B", 10))
    Path("d.dag.dagman.out").write_text(f"{START}USING RESCUE DAG d.dag.rescue001\nEXITING WITH STATUS 0\n")
    assert check(finished) == []
    Path("d.dag.dagman.out").write_text(f"{START}EXITING WITH STATUS 0\n")
    assert check(finished)
    Path("d.dag.rescue002").write_text("DONE A\n")
    Path("d.dag.nodes.log").write_text(node(7, "A", 1) + node(8, "B", 10, 4))
    Path("d.dag.dagman.out").write_text(f"{START}Writing Rescue DAG to d.dag.rescue002...\nEXITING WITH STATUS 1\n")
    assert check(finished) == []
    Path("d.dag.rescue002").write_text("DONE B\n")
    assert check(finished)


def test_another_log_and_files_that_are_not_there(finished: Spool) -> None:
    Path("d.dag.nodes.log").rename("other.log")
    done = finished.run("condor_dag_checker", "-finished", "d.dag")
    assert (done.out, done.err, done.code) == ("", "ERROR: d.dag.nodes.log is not there\n", 1)
    Path("d.dag.dagman.out").write_text(f"{START}Default node log file is: <other.log>\nEXITING WITH STATUS 0\n")
    assert check(finished) == []
    Path("d.dag.dagman.out").unlink()
    done = finished.run("condor_dag_checker", "-finished", "d.dag")
    assert done.err == "ERROR: Cannot read d.dag.dagman.out: No such file or directory\n"


def test_three_may_be_a_wish_to_be_started_again_or_the_end(finished: Spool) -> None:
    Path("d.dag.nodes.log").write_text(node(7, "A", 1))
    Path("d.dag.dagman.out").write_text(f"{START}EXITING WITH STATUS 3\n")
    (_, problem) = check(finished)
    assert problem.endswith("to its end")
    Path("d.dag").write_text(f"{DAG}ABORT-DAG-ON A 0 RETURN 3\n")
    assert not any(line.endswith("to its end") for line in check(finished))


@pytest.mark.parametrize(
    ("text", "code", "using", "written", "log"),
    [
        ("", None, "", "", ""),
        ("EXITING WITH STATUS 5", None, "", "", ""),
        (f"{START}EXITING WITH STATUS 5\nEXITING WITH STATUS 1", 1, "", "", ""),
        (f"{START}USING RESCUE DAG r1\nWriting Rescue DAG to r2...\n", None, "r1", "r2", ""),
        (f"{START}USING RESCUE DAG r1\n{START}x\n", None, "", "", ""),
        (f"{START}USING RESCUE DAG r1\nDefault node log file is: <l>\n{START}Running in RECOVERY mode\n"
         "EXITING WITH STATUS 2\n", 2, "r1", "", "l"),
        (f"{START}Writing Rescue DAG to r2...\n{START}Running in RECOVERY mode\n", None, "", "r2", ""),
    ],
)  # fmt: skip
def test_the_last_run_of_a_dag(text: str, code: int | None, using: str, written: str, log: str) -> None:
    life = _Life(text)
    assert (life.code, life.using, life.written, life.log) == (code, using, written, log)


def test_a_dag_that_cannot_be_read_any_more(finished: Spool) -> None:
    Path("d.dag").write_text("JOB A a.sub\nPARENT A CHILD Z\n")
    done = finished.run("condor_dag_checker", "-finished", "d.dag")
    assert (done.out, done.code) == ("", 1)
    assert done.err.startswith("ERROR: ")
    assert "internal error" not in done.err


# -- condor_dag_checker without -finished


def test_descriptions_are_read_where_their_nodes_run(spool: Spool, tmp_path: Path) -> None:
    """Each from its directory, also behind one with a mistake; afterwards the process is where it was."""
    for name, text in (("one", "executable = /bin/true\n"), ("two", "universe = odd\nqueue\n"), ("three", "queue\n")):
        Path(name).mkdir()
        Path(name, "a.sub").write_text(text)
    Path("d.dag").write_text("JOB A a.sub DIR one\nJOB B a.sub DIR two\nJOB C a.sub DIR three\n")
    done = spool.run("condor_dag_checker", "-CheckJDL", "d.dag")
    assert done.code == 1
    first, *lines = [line for line in done.out.splitlines() if line]
    assert first == f"Detected {len(lines)} issues in d.dag:"
    places = [line.removeprefix("\t* ").partition(" ")[0] for line in lines]
    assert places == ["d.dag:2", "d.dag:3"]
    assert Path.cwd() == tmp_path


@pytest.mark.parametrize(
    ("word", "name"),
    [("-h", "help"), ("-CHECKJDL", "CheckJDL"), ("--json", "JSON"), ("-checkscr", "CheckScripts"), ("-st", None),
     ("-stat", "Statistics"), ("-strict", "Strict"), ("-fin", "Finished"), ("-fi", None), ("-use", "UseDagDir"),
     ("-nojoin", "NoJoinNodes"), ("-join", "JoinNodes"), ("-jsonx", None), ("-x", None), ("-", None)],
)  # fmt: skip
def test_words_of_the_checker(word: str, name: str | None) -> None:
    """In any case, with the letters that HTCondor wants at least."""
    if name is None:
        with pytest.raises(dag_checker._Refused, match=r"^ERROR: (Unknown command line|Invalid) option '-"):
            dag_checker._option(word)
    else:
        assert dag_checker._option(word) == name


def test_styles_that_exclude_one_another(spool: Spool) -> None:
    Path("d.dag").write_text("JOB A a.sub\n")
    done = spool.run("condor_dag_checker", "-json", "-stat", "d.dag")
    assert (done.out.startswith("Usage: condor_dag_checker"), done.code) == (True, 2)
    assert "ERROR: Multiple print styles specified: -json and -stat\n" in done.err
    done = spool.run("condor_dag_checker", "-strict", "-JSON", "d.dag", "-Statistics")
    assert "ERROR: Multiple print styles specified: -JSON and -Statistics\n" in done.err
    assert spool.run("condor_dag_checker", "-json", "-JSON", "d.dag").out.startswith("[\n{")
    assert "ERROR: No DAG file(s) provided for linting." in spool.run("condor_dag_checker", "-json").err
