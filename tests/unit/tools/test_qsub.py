"""condor_qsub turns options of PBS and SGE into a submit description."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from tool_runner import Spool, run

from condor_py.cli.qsub.main import environment, start_time, task_range
from condor_py.model.errors import CondorError


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SHELL", "/bin/sh")
    monkeypatch.setenv("CONDOR_CONFIG", "ONLY_ENV")


def _text(*words: str) -> list[str]:
    done = run("condor_qsub", "-test", "-print", "-z", *words)
    assert (done.err, done.code) == ("", 0)
    return done.out.splitlines()[1:]


def test_a_script_with_its_own_options(tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_text("#!/bin/sh\n#$ -N sim -l mem=2gb,procs=4\n#$ -j eo -o out.txt\necho\n")
    assert _text("-p", "3", "-cwd", "run.sh", "17") == [
        "universe = vanilla",
        "should_transfer_files = IF_NEEDED",
        "executable = /bin/sh",
        "arguments = run.sh 17",
        f"initialdir = {tmp_path}",
        "error = out.txt",
        "output = out.txt",
        "notification = Never",
        "priority = 3",
        "request_memory = 2048",
        "request_cpus = 4",
        "Queue",
    ]


def test_options_may_be_glued_or_have_two_dashes() -> None:
    lines = _text("-Njob", "-hV", "--wd=/tmp", "-Msomebody", "-m", "e", "-r", "n", "-b", "y", "echo", "it's")
    assert lines == [
        "universe = vanilla",
        "should_transfer_files = IF_NEEDED",
        "executable = /bin/sh",
        "arguments = \"-c 'echo it''s'\"",
        "initialdir = /tmp",
        "error = job.e$(Cluster)",
        "output = job.o$(Cluster)",
        "getenv = True",
        "notify_user = somebody",
        "notification = Complete",
        "priority = 0",
        "hold = True",
        "periodic_remove = ( JobStatus == 1 && NumJobStarts > 0 )",
        "requirements = ( NumJobStarts == 0 )",
        "Queue",
    ]


def test_arrays_resources_staging_and_the_environment() -> None:
    lines = _text(
        "-t", "1-5:4", "-v", "A=1,B=two words,C", "-N", "n", "-l", "nodes=2:ppn=3:gpus=1,opsys=LINUX,file=10kb",
        "-W", "stagein=a@host:/data/a,stageout=b@host:b", "-A", "physics", "-b", "y", "true",
    )  # fmt: skip
    shared = "A=1 B='two words' C=True"
    assert lines[5:] == [
        "output = n.o$(Cluster)",
        "notification = Never",
        "priority = 0",
        "accounting_group = physics",
        "request_cpus = 6",
        "request_gpus = 2",
        "request_disk = 10",
        'requirements = (OpSys == "LINUX")',
        "transfer_input_files = /data/a",
        "when_to_transfer_output = ON_EXIT",
        "transfer_output_files = b",
        f'environment = "{shared} SGE_TASK_ID=1 SGE_TASK_FIRST=1 SGE_TASK_STEPSIZE=4 SGE_TASK_LAST=5"',
        "error = n.e$(Cluster).1",
        "output = n.o$(Cluster).1",
        "Queue",
        f'environment = "{shared} SGE_TASK_ID=5 SGE_TASK_FIRST=1 SGE_TASK_STEPSIZE=4 SGE_TASK_LAST=5"',
        "error = n.e$(Cluster).5",
        "output = n.o$(Cluster).5",
        "Queue",
    ]


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        (["-j", "eo", "-e", "err"], ["error = err", "output = err"]),
        (["-j", "eo", "-e", "err", "-o", "out"], ["error = out", "output = out"]),
        (["-j", "n", "-e", "err", "-o", "host:out"], ["error = err", "output = out"]),
        (["-o", "/tmp", "-N", "n"], ["error = n.e$(Cluster)", "output = /tmp/n.o$(Cluster)"]),
        (["-i", "host:in"], ["input = in"]),
        (["-m", "a"], ["notification = Error"]),
        (["-m", "ae"], ["notification = Complete"]),
        (["-m", "en"], []),
        (["-c", "n"], ["+WantCheckpoint = False"]),
        (["-c", "s"], []),
        (["-c", "No"], ["+WantCheckpoint = False"]),
        (["-c", "sn"], []),
        (["-r", "never"], ["periodic_remove = ( JobStatus == 1 && NumJobStarts > 0 )",
                           "requirements = ( NumJobStarts == 0 )"]),
        (["-j", "e"], []),
        (["-j", "o"], []),
        (["-j", "oe", "-o", "out"], ["error = out", "output = out"]),
        (["-r", "y"], []),
        (["-S", "/bin/bash"], ["executable = /bin/bash"]),
        (["-l", "mem=1"], ["request_memory = 1"]),
        (["-l", "mem=1025kb"], ["request_memory = 2"]),
        (["-l", "mem=1t"], ["request_memory = 1048576"]),
        (["-l", "file=1"], ["request_disk = 1"]),
        (["-l", "file=1g"], ["request_disk = 1048576"]),
        (["-l", 'arch="X86_64",host=a'], ['requirements = (Arch == "X86_64") && (Machine == "a")']),
        (["-l", "nodes=a:ppn=2+b"], ["request_cpus = 3", 'requirements = (Machine == "a" || Machine == "b")']),
        (["-l", "nodes=1"], []),
        (["-l", "nodes=1:ppn=2+2:ppn=3"], ["request_cpus = 8"]),
        (["-l", "walltime=3:00"], []),
        (["-W", "stagein='a@h:/x,b@h:/y',stageout=c@h:z"], [
            "transfer_input_files = /x,/y", "when_to_transfer_output = ON_EXIT", "transfer_output_files = z",
        ]),
        (["-t", "4"], [
            'environment = "SGE_TASK_ID=4 SGE_TASK_FIRST=4 SGE_TASK_STEPSIZE=1 SGE_TASK_LAST=4"',
            "error = true.e$(Cluster).4", "output = true.o$(Cluster).4",
        ]),
        (["-v", "A"], ['environment = "A=True"']),
        (["-v", 'A=x"y,,B='], ['environment = "A=x""y B="']),
    ],
)  # fmt: skip
def test_each_option_has_its_lines(words: list[str], lines: list[str]) -> None:
    plain = _text("-b", "y", "true")
    made = _text(*words, "-b", "y", "true")
    assert [line for line in made if line not in plain] == lines
    dropped = {line.partition(" ")[0] for line in plain if line not in made}
    assert dropped <= {line.partition(" ")[0] for line in lines}


def test_the_last_word_counts_and_two_dashes_end_the_options() -> None:
    lines = _text("-p", "1", "-p", "2", "-b", "y", "--", "-x", "-p", "3")
    assert "priority = 2" in lines
    assert "arguments = \"-c '-x -p 3'\"" in lines


def test_a_file_of_pbs_has_options_of_both_kinds(tmp_path: Path) -> None:
    (tmp_path / "s").write_text("#PBS -N pbs -l mem=1gb\n#$ -p 4\n# -p 9\n")
    lines = _text("-f", "s")
    assert {"arguments = s", "priority = 4", "request_memory = 1024", "error = pbs.e$(Cluster)"} <= set(lines)
    (tmp_path / "s").write_text("#PBS -N pbs\n")
    assert "error = s.e$(Cluster)" in _text("s"), "a script without -f has those of SGE only"
    assert "error = s.e$(Cluster)" in _text("-b", "y", "s")


def test_a_description_that_is_kept_and_what_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    done = run("condor_qsub", "-test", "-N", "n", "-b", "y", "true")
    path, said = done.out.splitlines()
    assert said == 'Your job 0 ("n") has been submitted'
    assert not list(tmp_path.iterdir())
    kept = run("condor_qsub", "-test", "-condor-keep-files", "-z", "-b", "y", "true").out.strip()
    assert [str(found) for found in tmp_path.iterdir()] == [kept]
    assert path != kept


def test_jobs_wait_for_those_that_are_queued(spool: Spool) -> None:
    spool.add(7, procs=2)
    spool.add(8, owner="somebody")
    for word, waits in (("7", True), ("7.1", True), ("7,7.0", True)):
        assert ("hold = True" in _text("-hold_jid", word, "-b", "y", "true")) is waits
    for word in ("7.2", "8", "9", "70"):
        done = spool.run("condor_qsub", "-test", "-hold_jid", word, "-b", "y", "true")
        assert (done.err, done.code) == (f"Error: Job dependency {word} doesn't exist\n", 1)


def _shown(seconds: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(seconds))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("202712312359.30", "2027-12-31 23:59:30"),
        ("2712312359", "2027-12-31 23:59:00"),
        ("12312359", "2026-12-31 23:59:00"),
        ("251200", "2026-11-25 12:00:00"),
        ("011200", "2026-12-01 12:00:00"),
        ("1200", "2026-11-22 12:00:00"),
        ("1800", "2026-11-21 18:00:00"),
    ],
)
def test_dates(text: str, expected: str) -> None:
    now = time.mktime((2026, 11, 21, 13, 0, 0, 0, 0, -1))
    assert _shown(start_time(text, now)) == expected


def test_mistakes_are_told() -> None:
    with pytest.raises(CondorError, match="not a date"):
        start_time("99", 0.0)
    with pytest.raises(CondorError, match="not a range"):
        task_range("5-1")
    assert environment("X='a'") == ["X='''a'''"]
    for words, text in (
        (["-Z", "x"], "condor_qsub: unrecognized option '-Z'"),
        (["-N"], "condor_qsub: option requires an argument -- 'N'"),
        (["-f", "nosuch"], "condor_qsub: cannot read nosuch: No such file or directory"),
        (["-test", "-l", "mem=big", "-b", "y", "x"], "condor_qsub: -l mem=big: not a size"),
    ):
        done = run("condor_qsub", *words)
        assert (done.code, done.err.splitlines()[0]) == (1, text)


def test_resources_that_are_left_out_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """As is a word that counts as the name of a machine."""
    said: list[str] = []
    monkeypatch.setattr("condor_py.cli.qsub.main.hint", said.append)
    _text("-l", "mem=1gb,walltime=3:00,,gres=x", "-b", "y", "true")
    assert said == [
        "condor_qsub: -l walltime=3:00 is left out: there is no resource walltime",
        "condor_qsub: -l gres=x is left out: there is no resource gres",
    ]
    said.clear()
    _text("-l", "nodes=2+fast:ppn=2", "-b", "y", "true")
    assert said == ["condor_qsub: -l nodes=2+fast:ppn=2: fast is taken for the name of a machine"]
