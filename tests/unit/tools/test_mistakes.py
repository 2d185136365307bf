"""Who misspells something is told what he probably meant; who has no daemons is answered from the disk."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import pytest
from tool_runner import Spool

from condor_py.cli import entry
from condor_py.lang.dag.commands import ParseError
from condor_py.lang.dag.reader import Reader
from condor_py.model.spelling import nearest


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def _stderr_on_a_terminal(program: str, *argv: str) -> str:
    err = _Terminal()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(err):
        entry.main(program, list(argv))
    return err.getvalue()


@pytest.mark.parametrize(
    ("program", "wrong", "meant"),
    [
        ("condor_q", "-limt", "-limit"),
        ("condor_history", "-forwads", "-forwards"),
        ("condor_status", "-constrain:x", "-constraint"),
        ("condor_submit", "-verbos3", "-verbose"),
        ("condor_userprio", "-allusrs", "-allusers"),
        ("condor_watch_q", "-clustr", "-clusters"),
        ("condor_qsub", "--condor-keep-file5", "-condor-keep-files"),
        ("condor_config_val", "-dmup", "-dump"),
    ],
)
def test_an_unknown_option_suggests_the_nearest(spool: Spool, program: str, wrong: str, meant: str) -> None:
    done = spool.run(program, wrong)
    assert done.code != 0
    assert f"Did you mean {meant}?" in done.err.splitlines()
    assert "Did you mean" not in spool.run(program, "-xyzzyx").err


@pytest.mark.parametrize(
    ("program", "words"), [("condor_q", ()), ("condor_history", ()), ("condor_hold", ()), ("condor_status", ())]
)
def test_an_unknown_attribute_warns_on_a_terminal_only(spool: Spool, program: str, words: tuple[str, ...]) -> None:
    spool.add(1, JobStats2="7")
    constraint = "JobStats == 5 && TARGET.Memry > JobStats2 && Whatever"
    said = _stderr_on_a_terminal(program, *words, "-constraint", constraint)
    assert said.splitlines()[:2] == ["JobStats: did you mean JobStatus?", "Memry: did you mean Memory?"]
    assert "JobStats2:" not in said
    assert "did you mean" not in spool.run(program, *words, "-constraint", constraint).err
    assert "did you mean" not in _stderr_on_a_terminal(program, *words, "-constraint", "JobStatus == 5 && My.Owner")


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("condor_q", ("-af:h", "ClusterId", "JobStats")),
        ("condor_q", ("-format", "%d", "JobStats")),
        ("condor_history", ("-autoformat", "JobStats", "Owner")),
        ("condor_q", ("-aaf", "JobStats")),
    ],
)
def test_so_does_one_of_a_column(spool: Spool, program: str, words: tuple[str, ...]) -> None:
    spool.add(1, JobStats2="7")
    assert "JobStats: did you mean JobStatus?" in _stderr_on_a_terminal(program, *words).splitlines()
    right = [word.replace("JobStats", "JobStats2") for word in words]
    assert "did you mean" not in _stderr_on_a_terminal(program, *right)
    assert "did you mean" not in spool.run(program, *words).err


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("queu 3", "queue 3"),
        ("Quee", "queue"),
        ("queue name form list.txt", "queue name from list.txt"),
        ("queue 3 x matchign *.txt", "queue 3 x matching *.txt"),
        ("queue x i n (a b)", ""),
    ],
)
def test_a_misspelled_queue_statement(line: str, meant: str, spool: Spool, tmp_path: Path) -> None:
    (tmp_path / "job.sub").write_text(f"executable = /bin/true\n{line}\n")
    words = ("condor_submit", str(tmp_path / "job.sub"))
    said = _stderr_on_a_terminal(*words)
    assert "on Line 2 of" in said
    assert said.splitlines()[-1] == f"Did you mean: {meant}" if meant else "Did you mean" not in said
    assert "Did you mean" not in spool.run(*words).err


@pytest.mark.parametrize(
    ("lines", "hints"),
    [
        (["excutable = /bin/true", "queue"], ["excutable: did you mean executable?"]),
        (["executable = /bin/true", "universe = vanila", "queue"], ["Did you mean vanilla?"]),
        (
            ["executable = /bin/true", "notifcation = error", "notification = sometimes", "queue"],
            ["notifcation: did you mean notification?"],
        ),
        (["excutabl = /bin/true", "arguments = $(excutabl)", "+Argumnts = 1", "queue"], []),
    ],
)
def test_a_description_that_cannot_be_queued(lines: list[str], hints: list[str], spool: Spool, tmp_path: Path) -> None:
    (tmp_path / "job.sub").write_text("\n".join([*lines, ""]))
    words = ("condor_submit", str(tmp_path / "job.sub"))
    said = [line for line in _stderr_on_a_terminal(*words).splitlines() if "id you mean" in line]
    assert said == hints
    assert "id you mean" not in spool.run(*words).err


def test_the_expressions_of_a_new_job(spool: Spool, tmp_path: Path) -> None:
    (tmp_path / "job.sub").write_text(
        "executable = /bin/true\nrequirements = TARGET.Memry > 3\nperiodic_hold = JobStats == 5 && MyOwnPri > 3\n"
        "+MyOwnPri = 5\nqueue\n"
    )
    words = ("condor_submit", str(tmp_path / "job.sub"))
    for said in (_stderr_on_a_terminal(*words), spool.run(*words).err):
        assert [line.strip() for line in said.splitlines() if "did you mean" in line] == [
            "WARNING: requirements: HTCondor knows no attribute Memry; did you mean Memory?",
            "WARNING: periodic_hold: HTCondor knows no attribute JobStats; did you mean JobStatus?",
        ]


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("condor_q", "-long", "-attributes", "JobStats,Owner"), "JobStats: did you mean JobStatus?"),
        (("condor_history", "-long", "-attributes", "Owner JobStats"), "JobStats: did you mean JobStatus?"),
        (("condor_status", "-attributes", "Memry", "-long"), "Memry: did you mean Memory?"),
        (("condor_status", "-sort", "Memry"), "Memry: did you mean Memory?"),
        (("condor_q", "-better-analyze", "-slotconstraint", "Memry > 3"), "Memry: did you mean Memory?"),
        (("condor_qedit", "1.0", "JobPiro", "5"), "JobPiro: did you mean JobPrio?"),
        (("condor_config_val", "-dump", "MAX_JOB_RUNNING"), "Did you mean MAX_JOBS_RUNNING?"),
        (("condor_config_val", "-rset", "MAX_JOB_RUNNING = 5"), "Did you mean MAX_JOBS_RUNNING?"),
        (("condor_config_val", "-unset", "MAX_JOB_RUNNING"), "Did you mean MAX_JOBS_RUNNING?"),
        (("condor_submit_dag", "-no_submit", "wrong.dag"), "JBO: did you mean JOB?"),
        (("condor_dag_checker", "wrong.dag"), "PARNET: did you mean PARENT?"),
    ],
)
def test_names_are_looked_through_wherever_they_stand(
    words: tuple[str, ...], hint: str, spool: Spool, tmp_path: Path
) -> None:
    spool.add(1)
    (tmp_path / "wrong.dag").write_text("JBO A a.sub\nPARNET A CHILD B\n")
    assert hint in _stderr_on_a_terminal(*words).splitlines()
    done = spool.run(*words)
    assert "id you mean" not in done.err + done.out


@pytest.mark.parametrize(
    "words",
    [
        ("condor_config_val", "-dump", "SPOOL"),
        ("condor_config_val", "-rset", "MAX_JOBS_RUNNING = 5"),
        ("condor_qedit", "1.0", "RequestMemory", "5"),
        ("condor_q", "-long", "-attributes", "JobStatus,Owner"),
    ],
)
def test_names_that_are_right_get_no_hint(words: tuple[str, ...], spool: Spool) -> None:
    spool.add(1)
    assert "id you mean" not in _stderr_on_a_terminal(*words)


def test_tools_answer_from_the_disk_when_no_daemon_runs(spool: Spool) -> None:
    spool.add(7, 2)
    assert spool.run("condor_q", "-af", "ClusterId", "ProcId").out == "7 0\n7 1\n"
    assert spool.run("condor_q", "7.0", "-nobatch").code == 0
    assert spool.run("condor_hold", "7.0").out == "Job 7.0 held\n"
    assert spool.run("condor_qedit", "7.1", "Foo", "1").out == 'Set attribute "Foo" for 1 matching jobs.\n'
    assert spool.run("condor_prio", "-p", "3", "7.1").code == 0
    assert spool.run("condor_rm", "7").out == "All jobs in cluster 7 have been marked for removal\n"
    assert spool.run("condor_history").code == 0
    assert spool.run("condor_userprio", "-allusers").code == 0


@pytest.mark.parametrize(
    ("program", "words", "text"),
    [
        ("condor_off", (), "Can't find address for local master\nPerhaps you need to query another pool.\n"),
        ("condor_reschedule", (), "Can't find address for local schedd\nPerhaps you need to query another pool.\n"),
        ("condor_tail", ("7.0",), "No such job: 7.0\n"),
    ],
)
def test_what_only_a_daemon_can_do_says_so(spool: Spool, program: str, words: tuple[str, ...], text: str) -> None:
    done = spool.run(program, *words)
    assert (done.code, done.err) == (1, text)


def test_a_schedd_of_another_version_is_named(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    from condor_py.client.pool import Pool
    from condor_py.client.wire import Client

    class Old(Client):
        def __init__(self) -> None:
            self.files = []

        def __enter__(self) -> Old:
            return self

        def __exit__(self, *error: object) -> None: ...

        def send(self, *words: object) -> None: ...

        def receive(self) -> tuple[dict[str, object], bytes]:
            return {"ok": True, "now": 0}, b""

    monkeypatch.setattr(Pool, "owns_spool", False)
    monkeypatch.setattr("condor_py.client.pool.os.access", lambda path, mode: False)
    monkeypatch.setattr(Pool, "schedd", lambda pool, patience: Old())
    done = spool.run("condor_q")
    assert (done.code, done.err) == (
        1, "the condor_schedd that runs is of another version: restart it (condor_restart)\n"
    )  # fmt: skip


@pytest.mark.parametrize("number", ["1" * 5000, "\u00b2"], ids=["long", "no digit of int"])
@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("condor_q", "{}"),
        ("condor_q", "-wide:{}"),
        ("condor_rm", "{}"),
        ("condor_rm", "1.{}"),
        ("condor_hold", "-reason x -subcode {} 1.0"),
        ("condor_history", "{}"),
        ("condor_wait", "/dev/null {}"),
        ("condor_tail", "{}"),
        ("condor_ssh_to_job", "{}"),
        ("condor_watch_q", "-clusters {}"),
        ("condor_watch_q", "-exited-row-decay {}"),
        ("condor_watch_q", "-exited-row-decay {}s"),
        ("condor_qedit", "{} A 1"),
        ("condor_userlog", "-j {} /dev/null"),
        ("condor_now", "{0} {0}"),
        ("condor_status", "-wide:{}"),
        ("condor_qsub", "-t {} x"),
        ("condor_userprio", "-setceiling a@b {}"),
        ("condor_gpu_discovery", "-simulate:{}"),
        ("condor_gpu_discovery", "-simulate:1,{}"),
        ("condor_gpu_discovery", "-divide {}"),
        ("condor_submit", "-capabilities:{}"),
    ],
)
def test_any_number_has_an_answer(spool: Spool, program: str, words: str, number: str) -> None:
    done = spool.run(program, *words.format(number).split())
    assert "internal error" not in done.err
    assert "Traceback" not in done.err


def test_a_record_that_is_not_there_is_not_deleted(spool: Spool) -> None:
    done = spool.run("condor_userprio", "-delete", "nobody@example.net")
    assert done == ("", "condor_userprio: there is no accountant record named nobody@example.net\n", 1)


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("request_memory", "60"), "request_memory is a submit command: its attribute is RequestMemory"),
        (("priority", "6"), "priority is a submit command: its attribute is JobPrio"),
        (("RequestMemroy", "60"), "RequestMemroy: did you mean RequestMemory?"),
        (("RequestMemory", "60M"), "An attribute takes a number without a unit: RequestMemory counts in MB"),
        (("RequestDisk", "3 GB"), "An attribute takes a number without a unit: RequestDisk counts in KB"),
    ],
)
def test_an_edit_that_means_another_attribute_or_has_a_unit(spool: Spool, words: tuple[str, ...], hint: str) -> None:
    spool.add(1)
    assert hint in _stderr_on_a_terminal("condor_qedit", "-dry-run", "1", *words).splitlines()
    assert hint not in spool.run("condor_qedit", "-dry-run", "1", *words).err


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("condor_q", "99"), "Not in the queue: 99\n"),
        (("condor_q", "1.0", "1.99", "nosuchuser"), "Not in the queue: 1.99, nosuchuser\n"),
        (("condor_q", "1.x"), "Not in the queue: 1.x\n"),
        (("condor_history", "99.0"), "No record of 99.0\n"),
    ],
)
def test_jobs_and_users_that_are_not_there_are_named(
    spool: Spool, words: tuple[str, ...], named: str, tmp_path: Path
) -> None:
    (tmp_path / "job.sub").write_text("executable = /bin/true\nqueue\n")
    assert spool.run("condor_submit", str(tmp_path / "job.sub")).code == 0
    out, err = _Terminal(), _Terminal()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        assert entry.main(words[0], list(words[1:])) == 0
    assert err.getvalue().endswith(named)
    assert named not in spool.run(*words).err


@pytest.mark.parametrize(
    ("word", "names", "meant"),
    [
        ("executible", ["Executable", "output"], "Executable"),
        ("EXECUTIBLE", ["executable"], "executable"),
        ("rack", ["rank"], ""),
        ("form", ["from"], "from"),
        ("ab", ["abc"], ""),
        ("output", ["input"], ""),
    ],
)
def test_the_nearest_name(word: str, names: list[str], meant: str) -> None:
    """Case does not count; of four letters all have to be there, in whatever order."""
    assert nearest(word, names) == meant
    assert nearest(word, names, 1.0) in ("", "from")


def test_one_module_compares_spellings() -> None:
    package = Path(entry.__file__).parents[1]
    users = [path for path in package.rglob("*.py") if "difflib" in path.read_text(encoding="utf-8")]
    assert [str(path.relative_to(package)) for path in users] == ["model/spelling.py"]


def test_what_is_too_long_for_a_misspelling_is_compared_with_nothing() -> None:
    """A file of another account may be one word of megabytes: the answer is one short line, and at once."""
    assert nearest("queu", ["queue"]) == "queue"
    assert nearest("queue" * 1000, ["queue" * 1000]) == ""


def test_a_word_of_a_dag_file_that_is_no_command_is_cut_in_the_error(tmp_path: Path) -> None:
    path = tmp_path / "x.dag"
    path.write_text("[{" * 100_000 + "\n")
    error = Reader(path.read_text(), str(path), str(tmp_path)).understand(1, path.read_text())
    assert isinstance(error, ParseError)
    assert len(str(error.reason)) < 300
