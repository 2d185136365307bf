"""Cron programs and benchmarks of a running startd."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

import pytest
from lending import LendingPool, lending
from pool import PersonalPool, runs, wait_for
from startd_programs import shows, startd_log

#: One worker runs all tests: the pool of some of them is made once.
pytestmark = pytest.mark.xdist_group("startd programs")


def cron(pool: PersonalPool, name: str, text: str, **settings: str) -> None:
    """Adds a program to STARTD_CRON_JOBLIST."""
    pool.knob("STARTD_CRON_JOBLIST", f"{pool.environment.get('_CONDOR_STARTD_CRON_JOBLIST', '')} {name}")
    pool.knob(f"STARTD_CRON_{name}_EXECUTABLE", pool.script(f"{name}.sh", text))
    for setting, value in settings.items():
        pool.knob(f"STARTD_CRON_{name}_{setting}", value)


def test_programs_of_all_modes_fill_the_slot_ads(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    counter = pool.work / "count"
    pool.knob("NUM_SLOTS", "2")
    cron(pool, "each", f"echo x >> {counter}\necho Times = $(wc -l < {counter})", PERIOD="1s", PREFIX="Each")
    cron(pool, "once", 'echo Words = \\"$1 $MARK $(pwd)\\"; echo bad line; exit 3', MODE="OneShot",
         ARGS="one", ENV="MARK=two", CWD="/tmp", SLOTS="1")  # fmt: skip
    cron(pool, "told", 'echo Told = \\"$OF_THE_SHELL, $PYTHONPATH\\"', MODE="OneShot")
    pool.environment["PYTHONPATH"] = "/elsewhere"
    cron(pool, "hangs", "echo Hung = true; echo -; exec sleep 1000", MODE="WaitForExit", PERIOD="1")
    cron(pool, "never", "echo Never = true", MODE="OneShot", CONDITION="TotalSlots > 99")
    cron(pool, "tagged", "echo V=1; echo SlotId=1; echo -a; echo V=2; echo SlotId=2; echo - b update:true",
         MODE="OneShot")  # fmt: skip
    pool.knob("STARTD_CRON_LOG_NON_ZERO_EXIT", "True")
    pool.knob("STARTD_CRON_AUTOPUBLISH", "If_Changed")
    pool.start()
    wait_for(lambda: shows(pool, "Words", "Hung", "V") == ["one two /tmp true 1", "undefined true 2"], "all published")
    wait_for(lambda: shows(pool, "EachTimes >= 3")[0] == "true", "the periodic program runs again and again")
    assert shows(pool, "Never") == ["undefined", "undefined"]
    extras = pool.tool("condor_who", "-snapshot", "-long").stdout.split("\n\n")
    assert any('MyType = "Machine.Extra"\nName = "hangs"' in ad and "Hung = true" in ad for ad in extras), extras
    wait_for(lambda: shows(pool, "Told") == ["that started the pool, /elsewhere"] * 2, "the shell's environment")
    assert float(shows(pool, "EachLastUpdate")[0]) > 1e9
    log = startd_log(pool)
    pid = int(re.search(r"STARTD_CRON job hangs started. pid=(\d+)", log)[1])  # type: ignore[index]
    assert "Can't insert 'bad line' into 'once' ClassAd" in log
    assert re.search(r"CronJob: 'once' \(pid \d+\) produced 2 lines of standard output, which follow.", log)
    pool.stop()
    assert not runs(pid), "nothing is left running"


def test_a_list_that_changes(pool: PersonalPool) -> None:
    programs = "STARTD_CRON_AUTOPUBLISH = Always\n"
    for name in ("a", "b"):
        program = pool.script(f"{name}.sh", f"echo From_{name} = true")
        programs += f"STARTD_CRON_{name}_EXECUTABLE = {program}\nSTARTD_CRON_{name}_MODE = OneShot\n"
    pool.configure(f"{programs}STARTD_CRON_JOBLIST = a\n")
    wait_for(lambda: shows(pool, "From_a", "From_b") == ["true undefined"], "the first program")
    pool.configure(f"{programs}STARTD_CRON_JOBLIST = b\n")
    wait_for(lambda: shows(pool, "From_a", "From_b") == ["undefined true"], "the second instead")
    assert [pool.logged("StartLog").count(f"STARTD_CRON job {name} started") for name in "ab"] == [1, 1]


@pytest.fixture(scope="module")
def _measured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LendingPool[PersonalPool]]:
    with lending(lambda: PersonalPool(tmp_path_factory.mktemp("measured") / "pool", cpus=4)) as lender:
        yield lender


@pytest.fixture
def measured(_measured: LendingPool[PersonalPool]) -> Iterator[PersonalPool]:
    """A pool whose startd keeps what benchmarks and condor_update_machine_ad have told it."""
    with _measured.lent() as pool:
        yield pool


def test_benchmarks_run_on_an_idle_machine(measured: PersonalPool) -> None:
    pool = measured
    knobs = f"RunBenchmarks = LastBenchmark < {int(time.time())}\n"
    for name, value in (("mips", "Mips = 12345"), ("kflops", "KFlops = 678")):
        knobs += f"BENCHMARKS_{name}_EXECUTABLE = {pool.script(name, f'sleep 0.1; echo {value}')}\n"
    pool.configure(knobs)
    wait_for(lambda: shows(pool, "Mips", "KFlops", "Activity") == ["12345 678 Idle"], "the benchmarks are done")
    log = pool.logged("StartLog")
    assert "Changing activity: Idle -> Benchmarking" in log
    assert "Changing activity: Benchmarking -> Idle" in log
    assert log.index("BENCHMARKS job mips started") < log.index("BENCHMARKS job kflops started")


def test_benchmarks_that_do_not_exist_do_no_harm(measured: PersonalPool) -> None:
    pool, now = measured, int(time.time()) + 1
    pool.configure(
        f"RunBenchmarks = LastBenchmark < {now}\nBENCHMARKS_JOBLIST = mips\n"
        "BENCHMARKS_mips_EXECUTABLE = /nonexistent/mips\n"
    )
    wait_for(lambda: shows(pool, "Activity", f"LastBenchmark >= {now}") == ["Idle true"], "back to idle")
    text = "CronJob: Error running job 'mips' (/nonexistent/mips): No such file or directory"
    assert text in pool.logged("StartLog")


def test_programs_of_the_schedd_fill_its_ad(pool: PersonalPool) -> None:
    licences = pool.script("licences", "echo Free = 7; echo - update:true")
    later = pool.script("later", "echo Later = true")
    pool.configure(
        "SCHEDD_CRON_JOBLIST = licences later\n"
        f"SCHEDD_CRON_licences_EXECUTABLE = {licences}\nSCHEDD_CRON_licences_PERIOD = 1m\n"
        "SCHEDD_CRON_licences_PREFIX = Licences\n"
        f"SCHEDD_CRON_later_EXECUTABLE = {later}\nSCHEDD_CRON_later_MODE = OneShot\n"
        "SCHEDD_CRON_later_CONDITION = LicencesFree > 3\n"
    )

    def schedd() -> list[str]:
        return pool.tool("condor_status", "-schedd", "-af", "LicencesFree", "Later").stdout.split()

    wait_for(lambda: schedd() == ["7", "true"], "both programs have run, the second when its condition came true")
    bare = pool.tool("condor_status", "-schedd", "-af", "Free").stdout
    assert bare == "undefined\n", "what has a prefix has no other name"


def test_no_program_hides_the_schedd(pool: PersonalPool) -> None:
    lines = ('MyType = "Job"', 'name = "evil"', "MyAddress = 5", "Shown = 1", "TotalIdleJobs = error")
    own = "\n".join(f"echo '{line}'" for line in lines)
    program = pool.script("own", own)
    pool.configure(f"SCHEDD_CRON_JOBLIST = own\nSCHEDD_CRON_own_EXECUTABLE = {program}\nSCHEDD_CRON_own_PERIOD = 1\n")

    def schedd() -> list[str]:
        return pool.tool("condor_status", "-schedd", "-af", "Shown", "MyType", "TotalIdleJobs").stdout.split()

    wait_for(lambda: schedd() == ["1", "Scheduler", "error"], "the program has run, and the schedd is one")
    assert pool.tool("condor_status", "-schedd", "-af", "Name", "MyAddress").stdout.split()[0] != "evil"
    log = pool.logged("SchedLog")
    for name in ("MyType", "name", "MyAddress"):
        assert log.count(f"CronJob: {name} of 'own' is left out: tools find the schedd by it") == 1
    pool.submit("executable = /bin/true\nlog = after.log\nqueue\n")
    pool.wait("after.log")


def test_condor_update_machine_ad(measured: PersonalPool) -> None:
    pool = measured
    pool.tool("condor_update_machine_ad", stdin="HasVM = False\nLicences = 3\n")
    wait_for(lambda: shows(pool, "HasVM", "Licences") == ["false 3"], "the attributes are shown")
    assert '"VM",13' in shows(pool, "OfflineUniverses")[0]
    empty = pool.tool("condor_update_machine_ad", stdin="", check=False)
    assert (empty.returncode, empty.stderr) == (1, "Failed to parse 'stdin', aborting.\nFile was empty.\n")
    wrong = pool.tool("condor_update_machine_ad", "-name", "nosuch", stdin="A = 1", check=False)
    assert (wrong.returncode, wrong.stderr) == (1, "Unable to locate startd: unknown host nosuch\n")
