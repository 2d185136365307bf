"""Cron programs and benchmarks of a running startd."""

from __future__ import annotations

import re

from pool import PersonalPool, runs, wait_for
from startd_programs import shows, startd_log


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


def test_a_list_that_changes(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    config = pool.directory / "config"
    config.write_text("STARTD_CRON_JOBLIST = a\n")
    pool.knob("LOCAL_CONFIG_FILE", "")
    for name in ("a", "b"):
        pool.knob(f"STARTD_CRON_{name}_EXECUTABLE", pool.script(f"{name}.sh", f"echo From_{name} = true"))
        pool.knob(f"STARTD_CRON_{name}_MODE", "OneShot")
    pool.knob("STARTD_CRON_AUTOPUBLISH", "Always")
    pool.environment["CONDOR_CONFIG"] = str(config)
    pool.start()
    wait_for(lambda: shows(pool, "From_a", "From_b") == ["true undefined"], "the first program")
    config.write_text("STARTD_CRON_JOBLIST = b\n")
    pool.tool("condor_reconfig")
    wait_for(lambda: shows(pool, "From_a", "From_b") == ["undefined true"], "the second instead")
    assert [startd_log(pool).count(f"STARTD_CRON job {name} started") for name in "ab"] == [1, 1]


def test_benchmarks_run_on_an_idle_machine(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    pool.knob("RunBenchmarks", "LastBenchmark == 0")
    for name, value in (("mips", "Mips = 12345"), ("kflops", "KFlops = 678")):
        pool.knob(f"BENCHMARKS_{name}_EXECUTABLE", pool.script(name, f"sleep 0.1; echo {value}"))
    pool.start()
    wait_for(lambda: shows(pool, "Mips", "KFlops", "Activity") == ["12345 678 Idle"], "the benchmarks are done")
    log = startd_log(pool)
    assert "Changing activity: Idle -> Benchmarking" in log
    assert "Changing activity: Benchmarking -> Idle" in log
    assert log.index("BENCHMARKS job mips started") < log.index("BENCHMARKS job kflops started")


def test_benchmarks_that_do_not_exist_do_no_harm(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    pool.knob("RunBenchmarks", "LastBenchmark == 0")
    pool.knob("BENCHMARKS_JOBLIST", "mips")
    pool.knob("BENCHMARKS_mips_EXECUTABLE", "/nonexistent/mips")
    pool.start()
    wait_for(lambda: shows(pool, "Activity", "LastBenchmark > 0") == ["Idle true"], "back to idle")
    assert "CronJob: Error running job 'mips' (/nonexistent/mips): No such file or directory" in startd_log(pool)


def test_programs_of_the_schedd_fill_its_ad(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    pool.knob("SCHEDD_CRON_JOBLIST", "licences later")
    pool.knob("SCHEDD_CRON_licences_EXECUTABLE", pool.script("licences", "echo Free = 7; echo - update:true"))
    pool.knob("SCHEDD_CRON_licences_PERIOD", "1m")
    pool.knob("SCHEDD_CRON_licences_PREFIX", "Licences")
    pool.knob("SCHEDD_CRON_later_EXECUTABLE", pool.script("later", "echo Later = true"))
    pool.knob("SCHEDD_CRON_later_MODE", "OneShot")
    pool.knob("SCHEDD_CRON_later_CONDITION", "LicencesFree > 3")
    pool.start()

    def schedd() -> list[str]:
        return pool.tool("condor_status", "-schedd", "-af", "LicencesFree", "Later").stdout.split()

    wait_for(lambda: schedd() == ["7", "true"], "both programs have run, the second when its condition came true")
    bare = pool.tool("condor_status", "-schedd", "-af", "Free").stdout
    assert bare == "undefined\n", "what has a prefix has no other name"


def test_no_program_hides_the_schedd(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    lines = ('MyType = "Job"', 'name = "evil"', "MyAddress = 5", "Shown = 1", "TotalIdleJobs = error")
    own = "\n".join(f"echo '{line}'" for line in lines)
    pool.knob("SCHEDD_CRON_JOBLIST", "own")
    pool.knob("SCHEDD_CRON_own_EXECUTABLE", pool.script("own", own))
    pool.knob("SCHEDD_CRON_own_PERIOD", "1")
    pool.start()

    def schedd() -> list[str]:
        return pool.tool("condor_status", "-schedd", "-af", "Shown", "MyType", "TotalIdleJobs").stdout.split()

    wait_for(lambda: schedd() == ["1", "Scheduler", "error"], "the program has run, and the schedd is one")
    assert pool.tool("condor_status", "-schedd", "-af", "Name", "MyAddress").stdout.split()[0] != "evil"
    log = (pool.log / "SchedLog").read_text()
    for name in ("MyType", "name", "MyAddress"):
        assert log.count(f"CronJob: {name} of 'own' is left out: tools find the schedd by it") == 1
    pool.submit("executable = /bin/true\nlog = after.log\nqueue\n")
    pool.wait("after.log")


def test_condor_update_machine_ad(pool: PersonalPool) -> None:
    pool.tool("condor_update_machine_ad", stdin="HasVM = False\nLicences = 3\n")
    wait_for(lambda: shows(pool, "HasVM", "Licences") == ["false 3"], "the attributes are shown")
    assert '"VM",13' in shows(pool, "OfflineUniverses")[0]
    empty = pool.tool("condor_update_machine_ad", stdin="", check=False)
    assert (empty.returncode, empty.stderr) == (1, "Failed to parse 'stdin', aborting.\nFile was empty.\n")
    wrong = pool.tool("condor_update_machine_ad", "-name", "nosuch", stdin="A = 1", check=False)
    assert (wrong.returncode, wrong.stderr) == (1, "Unable to locate startd: unknown host nosuch\n")
