"""Small tools in one process: what they ask for, what they print of the answer, and what they refuse."""

from __future__ import annotations

import errno
import os
import signal
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tool_runner import Spool, run

from condor_py.cli import run as condor_run
from condor_py.cli.nouns import dag, ocu, status
from condor_py.cli.setup import block, change
from condor_py.cli.setup.plan import CRON
from condor_py.client import output
from condor_py.client.pool import Pool
from condor_py.client.wire import WireError
from condor_py.lang.classad import ClassAd
from condor_py.model.errors import CondorError
from condor_py.model.messages.codec import Refused
from condor_py.model.messages.machine import UpdateAd

# -- condor_update_machine_ad


@pytest.mark.parametrize(
    ("words", "text", "pairs"),
    [
        ([], "HasVM = False\n", [("HasVM", "False")]),
        ([], "# a remark\n\n  A = 1 + 1\nB=\"x\"\n", [("A", "1 + 1"), ("B", '"x"')]),
        (["ad"], "A = 5\n", [("A", "5")]),
        (["other", "ad"], "A = 5\n", [("A", "5")]),
        (["-name", "localhost", "ad"], "A = 5\n", [("A", "5")]),
    ],
)  # fmt: skip
def test_a_machine_gets_the_attributes_of_a_file(
    spool: Spool, monkeypatch: pytest.MonkeyPatch, words: list[str], text: str, pairs: list[tuple[str, str]]
) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(Pool, "ask", lambda self, *told: asked.append(told))
    Path("ad").write_text(text)
    with open("ad") as file:
        monkeypatch.setattr("sys.stdin", file)
        assert spool.run("condor_update_machine_ad", *words) == ("", "", 0)
    assert asked == [("startd", UpdateAd(pairs))]


@pytest.mark.parametrize(
    ("words", "text", "error"),
    [
        (["none"], "", "Failed to open 'none', aborting (2: No such file or directory)"),
        (["ad"], "A = 1\nnothing\n", "Failed to parse 'ad', aborting.\nSyntax error in file, line 2: nothing"),
        (["ad"], "\nA = ((\n", "Failed to parse 'ad', aborting.\nSyntax error in file, line 2: A = (("),
        (["ad"], "# only\n", "Failed to parse 'ad', aborting.\nFile was empty."),
        (["-name", "Elsewhere", "ad"], "A = 1\n", "Unable to locate startd: unknown host Elsewhere"),
    ],
)
def test_what_is_no_ad_of_a_machine_is_refused(spool: Spool, words: list[str], text: str, error: str) -> None:
    Path("ad").write_text(text)
    done = spool.run("condor_update_machine_ad", *words)
    assert (done.out, done.code) == ("", 1)
    assert error in done.err


@pytest.mark.parametrize("answer", [Refused("not you"), WireError("no startd")])
def test_a_startd_that_refuses_is_told(spool: Spool, monkeypatch: pytest.MonkeyPatch, answer: Any) -> None:
    def ask(self: Pool, *told: Any) -> Any:
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(Pool, "ask", ask)
    Path("ad").write_text("A = 1\n")
    done = spool.run("condor_update_machine_ad", "ad")
    said = answer.error if isinstance(answer, Refused) else str(answer)
    assert (done.out, done.code) == ("", 1)
    assert f"Unable to update machine ad: {said}" in done.err


# -- condor_transfer_data


@pytest.mark.parametrize(
    ("words", "constraint"),
    [
        ("25", "(ClusterId == 25)"),
        ("-debug -debug:D_FULLDEBUG 25", "(ClusterId == 25)"),
        ("25.3", "(ClusterId == 25 && ProcId == 3)"),
        ("bob 7", '(Owner == "bob") || (ClusterId == 7)'),
        ("-constraint A>5 7.0", "(A>5) || (ClusterId == 7 && ProcId == 0)"),
        ("-all", "true"),
        ("25.x", '(Owner == "25.x")'),
    ],
)
def test_output_of_these_jobs_is_fetched(
    spool: Spool, monkeypatch: pytest.MonkeyPatch, words: str, constraint: str
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(output, "fetch_output", lambda pool, told: asked.append(told))
    assert spool.run("condor_transfer_data", *words.split()) == ("Fetching data files...\n", "", 0)
    assert asked == [constraint]


@pytest.mark.parametrize(
    ("words", "error"),
    [("", "You did not specify any jobs"), ("-all 5", "sage: condor_transfer_data"), ("-x", "Unrecognized option: -x")],
)
def test_no_output_is_fetched_of_nothing(spool: Spool, words: str, error: str) -> None:
    done = spool.run("condor_transfer_data", *words.split())
    assert done.code == 1
    assert error in done.out + done.err


def test_a_job_that_has_not_completed_stays_to_be_fetched_again(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may complete while what it has left so far is copied: nothing may say then that its output is at home."""
    spool.add(1, 3)
    for proc, stands in ((0, 4), (1, 5), (2, 2)):
        spool.set(f"1.{proc}", "JobStatus", str(stands))
        spool.set(f"1.{proc}", "SUBMIT_Iwd", '"/home"')
    fetched: list[int] = []
    monkeypatch.setattr(output, "_fetch", lambda ad: fetched.append(ad.eval_int("ProcId", -1)))
    assert spool.run("condor_transfer_data", "1").code == 0
    assert fetched == [0, 1, 2]
    assert [text is not None for text in spool.values("StageOutFinish").values()] == [True, False, False]
    for proc in (1, 2):
        spool.set(f"1.{proc}", "JobStatus", "4")
    assert spool.run("condor_transfer_data", "1").code == 0
    assert None not in spool.values("StageOutFinish").values()


@pytest.mark.parametrize(
    ("number", "left"),
    [(errno.ESTALE, "of before"), (errno.EIO, "of before"), (errno.ENOENT, "of before"), (errno.ENOSPC, "new")],
)
def test_what_was_fetched_stays_when_it_cannot_be_fetched_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, left: str
) -> None:
    """Unless a second file beside it does not fit: then it is written over."""
    place, home = tmp_path / "spool", tmp_path / "home"
    place.mkdir()
    home.mkdir()
    (place / "made").write_text("new")
    (home / "made").write_text("of before")
    copy = output.copy_file

    def fail(source: str, target: str) -> None:
        copy(source, target)
        if target != str(home / "made"):
            os.truncate(target, 1)
            raise OSError(number, os.strerror(number), source)

    monkeypatch.setattr(output, "copy_file", fail)
    with suppress(CondorError):
        output._fetch(ClassAd({"Iwd": str(place), "SUBMIT_Iwd": str(home)}))
    assert (home / "made").read_text() == left
    assert os.listdir(home) == ["made"]
    monkeypatch.undo()
    output._fetch(ClassAd({"Iwd": str(place), "SUBMIT_Iwd": str(home)}))
    assert (home / "made").read_text() == "new"


def test_an_interrupt_leaves_what_was_fetched_before_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, home = tmp_path / "spool", tmp_path / "home"
    place.mkdir()
    home.mkdir()
    (place / "made").write_text("new")
    (home / "made").write_text("of before")

    def interrupt(source: str, target: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(output, "copy_file", interrupt)
    with pytest.raises(KeyboardInterrupt):
        output._fetch(ClassAd({"Iwd": str(place), "SUBMIT_Iwd": str(home)}))
    assert os.listdir(home) == ["made"]
    assert (home / "made").read_text() == "of before"


def test_output_that_goes_while_it_is_fetched_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another condor_transfer_data was faster, and the schedd removes the files."""
    place, home = tmp_path / "spool", tmp_path / "home"
    place.mkdir()
    home.mkdir()
    (place / "made").touch()

    def go(path: str, target: str) -> None:
        os.unlink(path)
        if path.endswith("made"):
            place.rmdir()
        raise FileNotFoundError(errno.ENOENT, "No such file or directory", path)

    def refuse(path: str, target: str) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", target)

    monkeypatch.setattr(output, "copy_file", go)
    ad = ClassAd()
    ad.set_str("Iwd", str(place))
    ad.set_str("SUBMIT_Iwd", str(home))
    with pytest.raises(CondorError) as told:
        output._fetch(ad)
    assert str(told.value) == f"ERROR: {place} is gone: its files were fetched, or the job removed"
    place.mkdir()
    (place / "other").touch()
    with pytest.raises(CondorError) as told:
        output._fetch(ad)
    assert str(told.value) == f"ERROR: {place}/other is gone: its files were fetched, or the job removed"
    monkeypatch.setattr(output, "copy_file", refuse)
    (place / "kept").touch()
    with pytest.raises(CondorError) as told:
        output._fetch(ad)
    assert str(told.value) == f"ERROR: cannot fetch {place}/kept: {home}/kept: Permission denied"


# -- condor_preen


def test_what_is_left_over_is_shown_and_removed(spool: Spool) -> None:
    spool.add(1)
    left = spool.path.parent / "junk"
    left.write_text("")
    os.utime(left, (1, 1))
    line = f"  {left} - Not Removed\n"
    assert spool.run("condor_preen") == (line, "", 0)
    seen = f"{left} - BAD\n"
    for option, streams in (("-verbose", (1, 0)), ("-debug", (0, 1))):
        done = spool.run("condor_preen", option)
        assert (seen in done.out, seen in done.err) == tuple(map(bool, streams))
        assert done.out.endswith(line)
        assert f"{spool.path} - OK\n" in done.out + done.err
    assert spool.run("condor_preen", "-log", "seen").out == line
    assert seen in Path("seen").read_text()
    assert spool.run("condor_preen", "-log", "none/seen").err == (
        "condor_preen: cannot write none/seen: No such file or directory\n"
    )
    assert spool.run("condor_preen", "-remove") == (f"  {left} - Removed\n", "", 0)
    assert not left.exists()
    assert spool.run("condor_preen") == ("", "", 0)


@pytest.mark.parametrize(("status", "code"), [(0, 0), (1, 2)])
def test_the_findings_are_mailed(spool: Spool, monkeypatch: pytest.MonkeyPatch, status: int, code: int) -> None:
    mail = Path("mail").absolute()
    mail.write_text(f'#!/bin/sh\necho "$@" > {mail}.words; cat > {mail}.text; exit {status}\n')
    mail.chmod(0o755)
    monkeypatch.setenv("_CONDOR_SENDMAIL", "/no/such/program")
    monkeypatch.setenv("_CONDOR_MAIL", str(mail))
    monkeypatch.setenv("_CONDOR_PREEN_ADMIN", "root@here")
    for name in ("one", "two"):
        (spool.path.parent / name).write_text("")
        os.utime(spool.path.parent / name, (1, 1))
    done = spool.run("condor_preen", "-mail")
    assert done.out == ""
    text = Path(f"{mail}.text").read_text()
    assert "root@here" in Path(f"{mail}.words").read_text() + text
    assert "condor_preen results " in Path(f"{mail}.words").read_text() + text
    assert "2 old files found" in Path(f"{mail}.words").read_text() + text
    assert f"  {spool.path.parent}/one - Not Removed\n" in text
    assert done.code in (0, code)


# -- condor_setup -cron


@pytest.fixture(autouse=True)
def a_master(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pool that runs, as far as condor_run asks for one."""
    monkeypatch.setattr("condor_py.client.lockfile.lock_holder", lambda path: 1)


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The crontab of this account, which a script keeps."""
    program, kept = tmp_path / "bin" / "crontab", tmp_path / "kept"
    program.parent.mkdir()
    program.write_text(
        f'#!/bin/sh\ncase $1 in -l) cat {kept} 2>/dev/null || {{ echo "no crontab for me" >&2; exit 1; }};; '
        f"-) cat > {kept};; -r) rm {kept};; esac\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    return kept


def test_our_lines_come_and_go_and_others_stay(table: Path) -> None:
    said: list[str] = []
    places = SimpleNamespace(bin="/a b/bin", cron="/c%d")
    ours = block(places, "/etc/x")  # type: ignore[arg-type]
    assert ours[1] == f"{CRON[0][0]} CONDOR_BIN='/a b/bin' CONDOR_CONFIG=/etc/x /c\\%d/{CRON[0][1]}"
    assert "CONDOR_CONFIG" not in "".join(block(places, ""))  # type: ignore[arg-type]
    assert len(ours) == len(CRON) + 2
    change([], said.append, dry_run=False)
    assert said == ["the crontab has no lines of condor_setup"]
    said.clear()
    change(ours, said.append, dry_run=True)
    assert not table.exists()
    assert said == ["would add:", *(f"    {line}" for line in ours[1:-1])]
    said.clear()
    table.write_text("1 * * * * mine\n")
    change(ours, said.append, dry_run=False)
    assert said[0] == "added to the crontab:"
    assert table.read_text().splitlines() == ["1 * * * * mine", *ours]
    said.clear()
    change(ours, said.append, dry_run=False)
    assert said == ["the crontab is as it should be"]
    table.write_text("\n".join([*ours, "2 * * * * mine"]) + "\n")
    said.clear()
    change([], said.append, dry_run=True)
    assert said == ["would remove:", *(f"    {line}" for line in ours[1:-1])]
    said.clear()
    change([], said.append, dry_run=False)
    assert said[0] == "removed from the crontab:"
    assert table.read_text() == "2 * * * * mine\n"
    table.write_text("\n".join(ours) + "\n")
    change([], said.append, dry_run=False)
    assert not table.exists(), "an empty crontab is none"


def test_a_crontab_that_cannot_be_changed(table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = block(SimpleNamespace(bin="/b", cron="/c"), "")  # type: ignore[arg-type]
    table.write_text(f"{ours[0]}\nmore\n")
    with pytest.raises(CondorError, match="without the line '# condor_py ends': crontab -e"):
        change(ours, print, dry_run=False)
    (tmp_path / "bin" / "crontab").write_text("#!/bin/sh\necho you may not >&2; exit 1\n")
    with pytest.raises(CondorError, match="condor_setup: crontab -l: you may not"):
        change(ours, print, dry_run=False)
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(CondorError, match="there is no program crontab: install cron"):
        change(ours, print, dry_run=False)


# -- condor_run

_SUBMITTED = """universe = {universe}
executable = .condor_run.{pid}
initialdir = {here}
notification = NEVER
log = .condor_log.{pid}
output = .condor_out.{pid}
error = .condor_error.{pid}
{more}queue
"""


@pytest.mark.parametrize(
    ("words", "variables", "universe", "more", "command"),
    [
        (["echo", "hello"], {}, "vanilla", "", "echo hello"),
        (["-u", "local", "echo", "-n"], {}, "local", "", "echo -n"),
        (["-uscheduler", "echo"], {}, "scheduler", "", "echo"),
        (["-a", "priority = 5", "-a", "+A = 1", "echo"], {}, "vanilla", "priority = 5\n+A = 1\n", "echo"),
        (["-getenv", "echo"], {}, "vanilla", "getenv = True\n", "echo"),
        (["echo"], {"CONDOR_REQUIREMENTS": "M > 5"}, "vanilla", "requirements = M > 5\n", "echo"),
        (
            ["echo"], {"CONDOR_REQUIREMENTS": "M", "CONDOR_ARCH": "X", "CONDOR_OPSYS": "L"}, "vanilla",
            'requirements = M && Arch == "X" && OpSys == "L"\n', "echo",
        ),
    ],
)  # fmt: skip
def test_a_command_becomes_a_job_whose_files_go(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    variables: dict[str, str],
    universe: str,
    more: str,
    command: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("CONDOR_REQUIREMENTS", "CONDOR_ARCH", "CONDOR_OPSYS", "SHELL"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    seen: list[str] = []
    pid = os.getpid()

    def quietly(*told: str) -> tuple[int, str, str]:
        seen.extend(Path(f".condor_{kind}.{pid}").read_text() for kind in ("submit", "run"))
        assert told == ("condor_submit", "-terse", f".condor_submit.{pid}")
        assert os.stat(f".condor_run.{pid}").st_mode & 0o777 == 0o700
        Path(f".condor_out.{pid}").write_text("out\n")
        Path(f".condor_error.{pid}").write_text("err\n")
        Path(f".condor_log.{pid}").write_text(
            "005 (007.000.000) 2026-11-20 10:05:30 Job terminated.\n\t(1) Normal termination (return value 3)\n"
            "\t\tUsr 0 00:00:00, Sys 0 00:00:00  -  Run Remote Usage\n...\n"
        )
        return 0, "7.0 - 7.0\n", "WARNING: x\n"

    monkeypatch.setattr(condor_run, "quietly", quietly)
    assert condor_run.main(words) == 3
    assert seen == [
        _SUBMITTED.format(universe=universe, pid=pid, here=tmp_path, more=more), f"#!/bin/sh\n{command}\n",
    ]  # fmt: skip
    assert os.listdir(tmp_path) == []
    assert capsys.readouterr() == ("out\n", "WARNING: x\nerr\n")


@pytest.mark.parametrize(
    ("answer", "event", "error", "code", "asked"),
    [
        ((1, "", "bad\n"), "", "bad\nFailed to submit Condor job.\n", 1, 1),
        ((0, "odd", ""), "", "Failed to submit Condor job.\n", 1, 1),
        (
            (0, "7.0 - 7.0\n", ""), "009 (007.000.000) 2026-11-20 10:05:30 Job was aborted.\n\tby me\n...\n",
            "The job was aborted\n", 1, 1,
        ),
        (
            (0, "7.0 - 7.0\n", ""), "005 (007.000.000) 2026-11-20 10:05:30 Job terminated.\n"
            "\t(0) Abnormal termination (signal 9)\n\t(0) No core file\n...\n",
            "Condor job killed by signal 9.\n", None, 1,
        ),
    ],
)  # fmt: skip
def test_a_command_whose_job_fails(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    answer: tuple[int, str, str],
    event: str,
    error: str,
    code: int | None,
    asked: int,
) -> None:
    monkeypatch.chdir(tmp_path)
    pid, calls = os.getpid(), []

    def quietly(*told: str) -> tuple[int, str, str]:
        calls.append(told)
        for kind in ("log", "out", "error"):
            Path(f".condor_{kind}.{pid}").write_text(event if kind == "log" else "")
        return answer

    monkeypatch.setattr(condor_run, "quietly", quietly)
    done = run("condor_run", "false")
    assert done.err == error
    assert done.code == code if code is not None else done.code != 0
    assert len(calls) == asked
    assert os.listdir(tmp_path) == []


def test_a_command_that_is_interrupted_removes_its_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    calls: list[tuple[str, ...]] = []

    def quietly(*told: str) -> tuple[int, str, str]:
        calls.append(told)
        return 0, "7.0 - 7.0\n", ""

    def wait(*told: object) -> int:
        os.kill(os.getpid(), signal.SIGTERM)
        return 0

    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(condor_run, "quietly", quietly)
    monkeypatch.setattr(condor_run, "_wait", wait)
    done = run("condor_run", "sleep", "5")
    assert (done.err, done.code) == ("Killed by SIGTERM.\n", 143)
    assert [call[0] for call in calls] == ["condor_submit", "condor_rm", "condor_wait"]
    assert calls[1] == ("condor_rm", "7")
    assert os.listdir(tmp_path) == []
    assert signal.getsignal(signal.SIGTERM) is before


def test_without_a_command_there_is_help() -> None:
    for words in ((), ("-help",), ("-a", "x = 1")):
        done = run("condor_run", *words)
        assert done.code == 1
        assert "Usage: condor_run" in done.out or "usage" in done.out.lower()
    assert "requires" in run("condor_run", "-u").err or run("condor_run", "-u").code == 1


# -- htcondor NOUN VERB


class Told(list[str]):
    """What a verb says."""

    def __call__(self, text: str) -> None:
        self.append(text)

    def error(self, text: str) -> None:
        self.append(f"error: {text}")


def ads(*texts: str) -> list[ClassAd]:
    return [ClassAd(f"[{text}]") for text in texts]


def answer_with(monkeypatch: pytest.MonkeyPatch, module: Any, schedd: Any = None, ads_found: Any = ()) -> None:
    monkeypatch.setattr(module, "Schedd", lambda *place: schedd, raising=False)
    monkeypatch.setattr(
        module, "Collector", lambda: SimpleNamespace(query=lambda *kind: list(ads_found)), raising=False
    )


def test_units_of_owners(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    units = ads('OCUId = 3; OCUName = "u"; Owner = "bob"; RequestCpus = 1; RequestMemory = 2; RequestDisk = 4; '
                'OCUState = "S"; OCUOwnerActivations = 5', "OCUId = 4")  # fmt: skip
    asked: list[Any] = []

    def answer(ad: Any) -> ClassAd:
        asked.append(ad)
        return ads('Result = 0; OCUId = 9; OCUName = "n"')[0]

    schedd = SimpleNamespace(create_ocu=answer, remove_ocu=answer, query_ocu=lambda ad: units)
    answer_with(monkeypatch, ocu, schedd, ads('Name = "bob"; OCUClaimsClaimed = 1; OCUClaimsBorrowed = 2; '
                'OCUWantedJobs = 3; OCURunningJobs = 4', "A = 1"))  # fmt: skip
    ocu.query(Told(), raw=False)  # type: ignore[arg-type]
    assert capsys.readouterr().out.splitlines() == [
        "OCUId  OCUName              Owner                    State CPUs  Memory Disk Activations",
        "3      u                    bob                      S     1    2      4    5",
        "4                                                    ?     0    0      0    0",
    ]
    ocu.query(Told(), raw=True)  # type: ignore[arg-type]
    assert "OCUId = 3" in capsys.readouterr().out
    ocu.status(Told())  # type: ignore[arg-type]
    assert capsys.readouterr().out.splitlines()[2:] == [
        f"{'bob':<30}          1                   2              3              4",
        f"{'unknown':<30}          0                   0              0              0",
    ]
    (tmp_path / "unit").write_text("RequestCpus = 2\n")
    ocu.create(Told(), str(tmp_path / "unit"))  # type: ignore[arg-type]
    assert capsys.readouterr().out == "OCU created with Id 9 and name n.\n"
    assert asked[0].eval_int("RequestCpus") == 2
    said = Told()
    ocu.remove(said, 9)  # type: ignore[arg-type]
    assert (said, asked[1]) == (["Removed 9."], 9)
    schedd.remove_ocu = lambda number: ads('Result = 1; ErrorString = "no"')[0]
    with pytest.raises(CondorError, match="Failed to remove ocu 9: no"):
        ocu.remove(said, 9)  # type: ignore[arg-type]
    answer_with(monkeypatch, ocu)
    ocu.status(Told())  # type: ignore[arg-type]
    assert capsys.readouterr().out == "There are no submitters in this pool, therefore no OCUs.\n"


def test_slots_that_a_schedd_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    claims = ads(
        'Name = "slot1@a"; Activity = "Busy"; NumJobStarts = 7', 'Name = "s"; IsDirectAttach = true', "OCU = true"
    )
    schedd = SimpleNamespace(get_claims=lambda: claims)
    answer_with(monkeypatch, status, schedd, ads('Name = "here"; MyAddress = "<x>"'))
    for name in (None, "here", "<x>"):
        said = Told()
        status.claims(said, name)  # type: ignore[arg-type]
        assert said == [
            "Name      Activity   Source         Activations",
            "slot1@a   Busy       Negotiator     7",
            "s         Unknown    DirectAttach   0",
            "???       Unknown    OCU            0",
            "",
        ]
    with pytest.raises(CondorError, match="Failed to query claims: there is no access point there"):
        status.claims(Told(), "there")  # type: ignore[arg-type]
    schedd.get_claims = list
    said = Told()
    status.claims(said, None)  # type: ignore[arg-type]
    assert said == ["No active claims"]


def test_access_points_and_central_managers(monkeypatch: pytest.MonkeyPatch) -> None:
    daemon = 'MyType = "{}"; Machine = "{}"; Name = "x"; RecentDaemonCoreDutyCycle = {}'
    found = ads(daemon.format("Scheduler", "a", 0.1234), daemon.format("Scheduler", "b", 0.5))
    answer_with(monkeypatch, status, None, found)
    said = Told()
    status.access_points(said, [])  # type: ignore[arg-type]
    assert [line.split()[0] for line in said[:3]] == ["Access", "a", "b"]
    assert [line.split()[-1] for line in said[:3]] == ["DutyCycle", "12.34%", "50.00%"]
    said = Told()
    status.access_points(said, ["b", "c"])  # type: ignore[arg-type]
    assert [line.split()[0] for line in said if line] == ["Access", "b", "error:"]
    assert said[-1] == "error: Failed to find the following host: c"
    with pytest.raises(CondorError, match=r"Failed to locate specified Access Point\(s\)"):
        status.access_points(said, ["z"])  # type: ignore[arg-type]
    answer_with(monkeypatch, status)
    with pytest.raises(CondorError, match="Failed to locate any Access Point information"):
        status.access_points(said, [])  # type: ignore[arg-type]
    with pytest.raises(CondorError, match="Failed to locate any Central Managers"):
        status.central_managers(said)  # type: ignore[arg-type]
    answer_with(monkeypatch, status, None, ads(daemon.format("Negotiator", "a", 0.1)))
    said = Told()
    status.central_managers(said)  # type: ignore[arg-type]
    assert [line.split()[0] for line in said if line] == ["Central", "a"]


def test_the_jobs_of_a_dag_and_their_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    top = ads("ClusterId = 5; DAG_NodesTotal = 3")
    jobs = ads(
        'ClusterId = 7; ProcId = 1; JobStatus = 1; RequestMemory = 100; DAGNodeName = "B"',
        'ClusterId = 7; ProcId = 0; JobStatus = 2; MemoryUsage = 30; RequestMemory = 100; NumJobStarts = 2; '
        'RemoteHost = "slot1@h"; DAGNodeName = "A_name_that_is_longer_than_20"',
        "ClusterId = 6; ProcId = 0; JobStatus = 6; MemoryUsage = 50; RequestMemory = 100",
        "ClusterId = 9; JobStatus = 0",
    )  # fmt: skip
    asked: list[str] = []

    def query(constraint: str, limit: int = -1, match: int = -1) -> list[ClassAd]:
        asked.append(constraint)
        return top if constraint == "ClusterId == 5" else jobs

    answer_with(monkeypatch, dag, SimpleNamespace(query=query, history=query))
    for history in (False, True):
        said = Told()
        dag.resources(said, "5.0", history)  # type: ignore[arg-type]
        assert [line.split() for line in said[:5]] == [
            ["NODE_NAME", "JOB_ID", "STATUS", "MEM_USAGE", "REQ_MEM", "STARTS", "REMOTE_HOST"],
            ["?", "6.0", "Transferring", "50", "100", "0", "-"],
            ["A_name_that_is_longe", "7.0", "Running", "30", "100", "2", "slot1@h"],
            ["B", "7.1", "Idle", "-", "100", "0", "-"],
            ["?", "9.0", "Unknown", "-", "-", "0", "-"],
        ]
        assert said[5] == "\nTotal 4 jobs; 2 running, 1 idle; avg memory utilization: 40.0%"
    assert asked[1] == "DAGManJobId == 5 && DAG_NodesTotal is undefined"
    jobs.clear()
    for history, place in ((False, "queue"), (True, "history")):
        said = Told()
        dag.resources(said, "5", history)  # type: ignore[arg-type]
        assert said == [f"DAG 5 has no jobs in the {place}."]
    with pytest.raises(CondorError, match="x is not the number of a DAG"):
        dag.resources(said, "x", False)  # type: ignore[arg-type]
    for history, where in ((False, ""), (True, " in history")):
        with pytest.raises(CondorError, match=f"No DAG found for ID 6{where}."):
            dag.resources(said, "6", history)  # type: ignore[arg-type]
    jobs.extend(ads("ClusterId = 6"))
    with pytest.raises(CondorError, match="Job 6 is not a DAG"):
        dag.resources(said, "6", False)  # type: ignore[arg-type]


def test_a_dag_is_halted_resumed_and_limited(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = {"ok": True}
    fake = SimpleNamespace(
        halt=lambda reason, pause: (answers["ok"], f"halted {reason} {pause}"),
        resume=lambda: (answers["ok"], "resumed"),
        throttle=lambda **limits: ads("MaxIdle = 4; MaxJobs = 5")[0] if answers["ok"] else "too late",
    )
    monkeypatch.setattr(dag, "DAGMan", lambda number: fake)
    said = Told()
    dag.halt(said, 5, "why", True)  # type: ignore[arg-type]
    dag.resume(said, 5)  # type: ignore[arg-type]
    assert said == ["halted why True", "resumed"]
    dag.throttle(said, 5, idle=4)  # type: ignore[arg-type]
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "DAGMan 5 set throttles:"
    assert all(len(line.partition(":")[0].strip("\t")) == 30 for line in lines[1:])
    answers["ok"] = False
    with pytest.raises(CondorError, match="halted why False"):
        dag.halt(said, 5, "why", False)  # type: ignore[arg-type]
    with pytest.raises(CondorError, match="ERROR: too late"):
        dag.throttle(said, 5)  # type: ignore[arg-type]


def test_files_that_are_no_dag_are_not_submitted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CondorError, match="Could not find file: "):
        dag.submit(Told(), str(tmp_path / "none"))  # type: ignore[arg-type]
    found = ads(f'UserLog = "x.log"; Iwd = "{tmp_path}"')
    answer_with(monkeypatch, dag, SimpleNamespace(query=lambda *a, **b: found, history=lambda *a, **b: []))
    with pytest.raises(CondorError, match=r"Job 5 is no DAG\."):
        dag.histogram(Told(), 5, False)  # type: ignore[arg-type]
    found.clear()
    with pytest.raises(CondorError, match=r"No DAG found for ID 5\."):
        dag.histogram(Told(), 5, False)  # type: ignore[arg-type]
