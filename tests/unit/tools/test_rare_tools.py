"""Tools that few people need: what they print, and how they end."""

from __future__ import annotations

import gc
import io
import time
from pathlib import Path

import pytest
from tool_runner import Spool

from condor_py.lang.classad import ClassAd
from condor_py.store.ad_store import AdStore


def given(monkeypatch: pytest.MonkeyPatch, text: str | bytes) -> None:
    """Gives a tool its standard input."""
    data = text.encode() if isinstance(text, str) else text
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data), errors="surrogateescape"))


# -- condor_test_match

MACHINES = """\
Name = "a"
Memory = 100
Requirements = true

Name = "b"
Memory = 200
Requirements = TARGET.Owner != "eve"

Name = "c"
Memory = 300
Requirements = true
"""
JOBS = """\
-- Schedd: x : <1.2.3.4:5>
ClusterId = 1
ProcId = 0
Owner = "bob"
Requirements = TARGET.Memory >= 200

GlobalJobId = "h#2.0#3"
Owner = "eve"
Requirements = TARGET.Memory >= 2000

ClusterId = 3
Owner = "eve"
Requirements = TARGET.Memory >= 200
"""


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        ([], ["Fraction of machines matched: 0.667 (2 of 3)"]),
        (["-claimed", "Memory > 200"], ["Fraction of machines matched: 0.667 (2 of 3)"]),
        (["-machine-constraint", "Memory < 50"], ["Fraction of machines matched: 0.000 (0 of 0)"]),
        (
            ["-job-constraint", 'Owner == "eve"', "-show-unmatched-m", "-show-unmatched-j"],
            ["UNMATCHED JOB: h#2.0#3", "UNMATCHED MACHINE: a", "UNMATCHED MACHINE: b",
             "Fraction of machines matched: 0.333 (1 of 3)"],
        ),
    ],
)  # fmt: skip
def test_machines_that_jobs_could_use(spool: Spool, words: list[str], lines: list[str]) -> None:
    Path("m").write_text(MACHINES)
    Path("j").write_text(JOBS)
    done = spool.run("condor_test_match", "-m", "m", "-jo", "j", *words, "demand")
    assert (done.err, done.code) == ("", 0)
    assert [line for line in done.out.splitlines() if line.startswith(("UNM", "Fra"))] == lines


def test_each_estimate_has_its_title(spool: Spool) -> None:
    Path("m").write_text(MACHINES)
    Path("j").write_text(JOBS)
    words = ["-job-c", 'Owner == "bob"', "-claimed", 'Name == "a"', "-job-c", "false", "-claimed", "Memory > 100"]
    assert spool.run("condor_test_match", "-m", "m", "-jo", "j", *words, "demand").out == (
        '\nEstimating total possible machine matches for jobs matching:\n   Owner == "bob"\n'
        'plus machines already claimed:\n   Name == "a"\n'
        "\nFraction of machines matched: 0.667 (2 of 3)\n"
        "\nEstimating total possible machine matches for jobs matching:\n   false\n"
        "plus machines already claimed:\n   Memory > 100\n"
        "\nFraction of machines matched: 0.667 (2 of 3)\n"
    )
    few = spool.run("condor_test_match", "-m", "m", "-jo", "j", "-machine-c", "Memory > 100", "demand").out
    assert few == (
        "\nEstimating total possible machine maches for all jobs\n\nFraction of machines matched: 1.000 (2 of 2)\n"
    )


@pytest.mark.parametrize(
    ("words", "error", "code"),
    [
        ([], "ERROR: unrecognized or missing command", 2),
        (["demand", "-show-unmatched-jobs"], "ERROR: unrecognized or missing command", 2),
        (["supply"], "ERROR: unrecognized command supply", 2),
        (["-x", "demand"], "ERROR: unexpected argument: -x", 2),
        (["-machine-ads"], "ERROR: missing argument to -machineads", 1),
        (["demand"], "ERROR: you must specify both -job-ads and -machine-ads", 2),
        (["-m", "m", "-jo", "none", "demand"], "Can't open file of ClassAds: none", 1),
        (["-m", "m", "-jo", "bad", "demand"], "Invalid ClassAd in bad: foo bar", 1),
        (["-m", "m", "-jo", "m", "-claimed", "(", "demand"], "Error:  could not parse claimed expression (", 1),
        (["-m", "m", "-jo", "m", "-claimed", "1", "-claimed", "1", "demand"],
         "ERROR: must provide same number of -claimed and -job-constraint arguments", 2),
    ],
)  # fmt: skip
def test_what_cannot_be_matched(spool: Spool, words: list[str], error: str, code: int) -> None:
    Path("m").write_text(MACHINES)
    Path("bad").write_text('Name = "x"\nfoo bar\n')
    done = spool.run("condor_test_match", *words)
    assert (done.err.rstrip("\n"), done.code) == (error, code)


# -- condor_upgrade_check

OBSOLETE = """\
DAEMON_LIST = MASTER SCHEDD STARTD JOB_ROUTER
JOB_ROUTER_ENTRIES = [ a = 1 ]
JOB_TRANSFORM_NAMES = a, b
JOB_TRANSFORM_a = [ set_x = 1; ]
JOB_TRANSFORM_b = SET x 1
RANK = TARGET.Memory
START = Memory > 10G
SEC_TOKEN_SYSTEM_DIRECTORY = {top}/tokens
SEC_DEFAULT_AUTHENTICATION_METHODS = FS, PASSWORD
LOCAL_DIR = {top}/local
"""


@pytest.fixture
def obsolete(spool: Spool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Spool:
    Path("config").write_text(OBSOLETE.format(top=tmp_path))
    Path("tokens").mkdir(mode=0o700)
    Path("tokens/a b").write_text("x")
    Path("tokens/a b").chmod(0o640)
    monkeypatch.setenv("CONDOR_CONFIG", str(tmp_path / "config"))
    return spool


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["-o", "job-xform"], "- JOB_TRANSFORM_a"),
        (["-o", "OLD-JRC"], "- JOB_ROUTER_ENTRIES"),
        (["-o", "P-SLOT"], "RANK = TARGET.Memory"),
        (["-o", "AD-UNITS"], "- START"),
        (["-o", "PASSWORD"], "condor@password"),
        (["-o", "TOK-PERM"], "/tokens/a b: its permissions are 640, not 600"),
        (["-o", "WARNINGS"], "More than one queue statement"),
        (["-o", "PY-API"], "No issues found with installed HTCondor"),
        (["-o", "MULTI-Q", "AD-UNITS", "-i", "AD-UNITS", "--no-warnings"], "Upgrade to V26 should be safe."),
        (["-vv", "-i", "PY-API"], "Current install failed 7 checks."),
    ],
)
def test_obsolete_configuration_is_found(obsolete: Spool, words: list[str], found: str) -> None:
    done = obsolete.run("condor_upgrade_check", "--all", *words)
    assert (done.err, done.code) == ("", 0)
    assert found in done.out
    assert ("- JOB_TRANSFORM_b" in done.out, "should be safe" in done.out) == (False, found.startswith(("No", "Up")))


def test_what_would_be_checked(spool: Spool) -> None:
    done = spool.run("condor_upgrade_check")
    assert done.out.endswith("    Upgrade to V26 should be safe.\n")
    assert "    P-SLOT    | 'Enable P-Slots as default'" in spool.run("condor_upgrade_check", "-t").out
    assert "(6/8) [MULTI-Q   ]" in spool.run("condor_upgrade_check", "-d", "-o", "warnings", "-v").out


@pytest.mark.parametrize(
    ("words", "error", "code"),
    [
        (["-x"], "condor_upgrade_check: error: unrecognized arguments: -x", 2),
        (["x"], "condor_upgrade_check: error: unrecognized arguments: x", 2),
        (["-o"], "condor_upgrade_check: error: argument -o/--only: expected at least one argument", 2),
        (["-i", "-a"], "condor_upgrade_check: error: argument -i/--ignore: expected at least one argument", 2),
        (["-ce"], "\nError: HTCondor-CE Specified but failed to locate /etc/condor-ce/condor_config", 1),
    ],
)
def test_what_cannot_be_checked(spool: Spool, words: list[str], error: str, code: int) -> None:
    done = spool.run("condor_upgrade_check", *words)
    assert (done.err.rstrip("\n"), done.code) == (error, code)


# -- condor_updates_stats

HISTORY = """\
Name = "a"
MyType = "Machine"
UpdatesTotal = 10
UpdatesSequenced = 9
UpdatesLost = 1
UpdatesHistory = "0x8000"
LastHeardFrom = 1700000000
UpdatesTotal_Schedd = 1
UpdatesSequenced_Schedd = 0
UpdatesHistory_Schedd = "zz"

Name = "without any"
"""
MAIN = """\
*** Name/Machine = 'a' MyType = 'Machine' ***
 Type: Main
   Stats: Total=10, Seq=9, Lost=1 (11.11%)
"""
SCHEDD = " Type: Schedd\n   Stats: Total=1, Seq=0, Lost= (0.00%)\n"


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["-s"], MAIN + SCHEDD),
        (["--history=0-1", "-l"], f"{MAIN}     0: Missed\n     1: Ok\n\n{SCHEDD}     0: Ok\n     1: Ok\n\n"),
        (["--history=1"], f"{MAIN}     1: Ok\n  ...\n    15: Ok\n\n{SCHEDD}     1: Ok\n  ...\n     7: Ok\n\n"),
        (["--interval=300", "--history=-0"],
         f"{MAIN}     0 @ Tue Nov 14 22:13:20 2023: Missed\n\n{SCHEDD}     0 @ Tue Nov 14 22:13:20 2023: Ok\n\n"),
        (["--interval=300", "--history=-0", "--notime"], f"{MAIN}     0: Missed\n\n{SCHEDD}     0: Ok\n\n"),
    ],
)  # fmt: skip
def test_lost_updates(spool: Spool, monkeypatch: pytest.MonkeyPatch, words: list[str], text: str) -> None:
    given(monkeypatch, HISTORY)
    assert spool.run("condor_updates_stats", *words) == (text, "", 0)


def test_odd_updates(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch, b'UpdatesHistory = "\xff\xc3"\nLastHeardFrom = 9' + b"9" * 400 + b"\nUpdateInterval = 9e999\n")
    done = spool.run("condor_updates_stats")
    assert (done.out.splitlines()[0], done.code) == ("*** Name/Machine = '*Unknown*' MyType = '*Unknown*' ***", 0)
    assert spool.run("condor_updates_stats", "--history=x").code == 1


# -- condor_userlog_job_counter


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("000 (1.0.0) 2026-01-01 00:00:00 Job submitted from host: <>\n...\n", 1),
        ("000 (1.0.0) 2026-01-01 00:00:00 Job submitted from host: <>\n...\n"
         "009 (1.0.0) 2026-01-01 00:00:00 Job was aborted.\n...\n", 0),
        ("009 (1.0.0) 2026-01-01 00:00:00 Job was aborted.\n...\n", 255),
        ("", 255),
        ("000 (1.0.0) 2026-01-01 00:00:00 Job sub", 255),
    ],
)  # fmt: skip
def test_jobs_of_a_log(spool: Spool, text: str, code: int) -> None:
    Path("log").write_text(text)
    done = spool.run("condor_userlog_job_counter", "log")
    assert (done.err, done.code) == ("", code)
    assert done.out.endswith("Log outcome: ULOG_NO_EVENT \n")


def test_no_log(spool: Spool) -> None:
    done = spool.run("condor_userlog_job_counter", "none")
    error = "condor_userlog_job_counter: none: No such file or directory\n"
    assert done == ("Log outcome: ULOG_RD_ERROR \n", error, 255)
    assert spool.run("condor_userlog_job_counter").code == 255


# -- condor_testwritelog


def test_a_log_is_written_and_rotated(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    log = Path("local/log/WritelogLog")
    log.parent.mkdir()
    assert spool.run("condor_testwritelog", "-c", "2", "-w", "me", "-s", "0", "hello").code == 0
    lines = [line.split(" ", 2)[2] for line in log.read_text().splitlines()]
    assert lines[3:5] == ["me,2,hello", "me,1,hello"]
    assert (lines[1], lines[6]) == ("STARTING: condor_testwritelog", "ENDING: condor_testwritelog")
    monkeypatch.setenv("_CONDOR_MAX_WRITELOG_LOG", "300")
    assert spool.run("condor_testwritelog", "-l", "other", "-count", "20", "\x1b[2J").code == 0
    assert Path("local/log/other.old").exists()
    assert "\x1b" not in Path("local/log/other").read_text()


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["-r", "2", "2"], "Range must be non-negative"),
        (["-count", "x"], "condor_testwritelog: x is not a valid value for -count"),
        (["-count", "1"], "Cannot open log file"),
    ],
)
def test_a_log_that_is_not_written(spool: Spool, words: list[str], error: str) -> None:
    done = spool.run("condor_testwritelog", *words)
    assert done.code == 1
    assert done.err.startswith(error)


# -- condor_findhost


def slot(name: str, **texts: str) -> ClassAd:
    told = {"MyType": '"Machine"', "Name": f'"{name}"', "Machine": '"host"', "Requirements": "true"} | texts
    return ClassAd.from_text_items(told.items())


@pytest.fixture
def slots(spool: Spool) -> Spool:
    busy = {"RemoteUser": '"bob@x"', "CurrentRank": "0.0", "Rank": "0.0", "TotalJobRuntime": "5"}
    AdStore(str(spool.path.parent / "ads")).publish(
        "STARTD",
        [
            slot("kept", **busy | {"CurrentRank": "1.0"}),
            slot("slow", Mips="1"),
            slot("taken", **busy | {"Rank": "ifThenElse(TARGET.Interactive, 2, 0)"}),
            slot("quick", Mips="2"),
            slot("full", Mips="3", Requirements="TARGET.RequestCpus < 1"),
            slot("busy", **busy),
        ],
    )
    return spool


@pytest.mark.parametrize(
    ("words", "names", "code"),
    [
        ([], ["slow"], 0),
        (["-n", "2", "-r", "TARGET.Mips"], ["quick", "slow"], 0),
        (["-n", "4"], ["slow", "quick", "taken"], 4),
        (["-n", "1", "-c", "Mips > 2"], [], 1),
        (["-c", 'Name == "quick"'], ["quick"], 0),
        (["-m"], ["host"], 0),
    ],
)
def test_slots_that_are_easily_had(slots: Spool, words: list[str], names: list[str], code: int) -> None:
    done = slots.run("condor_findhost", *words)
    assert (done.out.split(), done.code) == (names, code)
    assert (done.err == "") is (code == 0)


def test_slots_that_preemption_gives(slots: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_CONDOR_PREEMPTION_REQUIREMENTS", "Interactive =?= True")
    assert slots.run("condor_findhost", "-n", "9").out.split() == ["slow", "quick", "taken", "busy"]


def test_slots_without_a_preemption_rank_come_last(slots: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_CONDOR_PREEMPTION_REQUIREMENTS", "true")
    monkeypatch.setenv("_CONDOR_PREEMPTION_RANK", "MY.Score")
    busy = {"RemoteUser": '"bob@x"', "CurrentRank": "0.0", "Rank": "0.0"}
    found = [slot("none", **busy), slot("worse", **busy, Score="-5"), slot("better", **busy, Score="-1.5")]
    AdStore(str(slots.path.parent / "ads")).publish("STARTD", found)
    assert slots.run("condor_findhost", "-n", "3").out.split() == ["better", "worse", "none"]


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["-n"], "condor_findhost: -n requires another argument"),
        (["-n", "0"], "condor_findhost: -n requires another argument which is an integer greater than 0"),
        (["-c", "("], "\nERROR: Failed to parse the constraint (."),
        (["-p", "other.example"], "Error: unknown host other.example: the pool of this machine is the only one that"),
    ],
)
def test_requests_that_find_no_slot(slots: Spool, words: list[str], error: str) -> None:
    done = slots.run("condor_findhost", *words)
    assert (done.out, done.code) == ("", 1)
    assert done.err.startswith(error)


# -- condor_advertise


def shown(spool: Spool, *words: str) -> list[str]:
    return spool.run("condor_status", *words, "-af", "Name").out.split()


def test_ads_are_published_and_taken_away(slots: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch, '# a licence\nMyType = "License"\n\nName = "lic"\n')
    done = slots.run("condor_advertise")
    assert (done.err, done.code) == ("", 0)
    assert done.out.startswith("Sent 1 of 1 ad to ")
    assert 'Name = "lic"' in slots.run("condor_status", "-license").out
    Path("two").write_text('MyType = "Generic"\nName = "x"\n\n\nMyType = "Generic"\nName = "y"\n')
    assert slots.run("condor_advertise", "-multiple", "-tcp", "update_ad_generic", "two").out.startswith("Sent 2 of 2")
    assert shown(slots, "-generic") == ["x", "y"]
    given(monkeypatch, 'MyType = "Query"\nRequirements = Name == "x"\n')
    assert slots.run("condor_advertise", "INVALIDATE_ADS_GENERIC", "-").code == 0
    assert shown(slots, "-generic") == ["y"]


@pytest.mark.parametrize(
    ("words", "text", "error"),
    [
        ([], "a = 1", "MyType not set in ad, aborting."),
        (["UPDATE_AD_GENERIC"], "\n# nothing\n", "(stdin) is empty"),
        (["UPDATE_AD_GENERIC"], "a = (", "couldn't parse ClassAd in (stdin), line 1: a = ("),
        (["UPDATE_AD_GENERIC", "none"], "", "couldn't open none: No such file or directory"),
        (["UPDATE_NOTHING"], "", "Unknown command name UPDATE_NOTHING\n"),
        (["UPDATE_AD_GENERIC", "a", "b"], "", "Extra argument: b\n"),
        (["-pool"], "", "-pool requires an argument.\n"),
        (["-x"], "", "Unknown argument: -x\n"),
    ],
)
def test_ads_that_are_not_published(
    spool: Spool, monkeypatch: pytest.MonkeyPatch, words: list[str], text: str, error: str
) -> None:
    given(monkeypatch, text)
    done = spool.run("condor_advertise", *words)
    assert (done.out, done.code) == ("", 1)
    assert done.err.startswith(error)


# -- condor_userlog


def many_runs(jobs: int) -> str:
    """A log in which so many jobs run once."""
    stamp = "2026-11-20 22:40:06"
    return "".join(
        f"001 (1.{proc}.000) {stamp} Job executing on host: <10.0.0.{proc % 250}:1>\n...\n"
        f"005 (1.{proc}.000) {stamp} Job terminated.\n\t(1) Normal termination (return value 0)\n...\n"
        for proc in range(jobs)
    )


def test_condor_userlog_takes_no_more_time_a_job_for_many(spool: Spool) -> None:
    took = []
    gc.disable()  # what other tests have left is not searched at the expense of one of the two
    try:
        for jobs in (1_000, 4_000):
            Path("log").write_text(many_runs(jobs))
            begin = time.process_time()
            done = spool.run("condor_userlog", "log")
            took.append(time.process_time() - begin)
            assert done.code == 0
            assert len(done.out.splitlines()) == 2 * jobs + min(jobs, 250) + 8
    finally:
        gc.enable()
    assert took[1] < 8 * took[0]
