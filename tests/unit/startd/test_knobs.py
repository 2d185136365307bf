"""Settings of the startd that change what slots are called, what they show, and how long they are there."""

from __future__ import annotations

from pathlib import Path

import pytest
from startd_bench import Bench, ev, fx, job_ad, settings

from condor_py.core.slots.layout import parse_shares
from condor_py.lang.config import load
from condor_py.lang.config.builders.startd import startd
from condor_py.model.errors import ConfigError
from condor_py.model.settings.startd import StartdSettings


def configured(tmp_path: Path, text: str) -> StartdSettings:
    path = tmp_path / "config"
    path.write_text(text)
    environment = {"CONDOR_CONFIG": str(path), "HOME": str(tmp_path), "_CONDOR_NETWORK_HOSTNAME": "vm"}
    return startd(load(environment, subsystem="STARTD"))


def test_names_of_slots(tmp_path: Path) -> None:
    made = configured(
        tmp_path,
        "STARTD_RESOURCE_PREFIX = vm\nNUM_CPUS = 4\nMEMORY = 4000\nNUM_SLOTS_TYPE_1 = 1\nNUM_SLOTS_TYPE_2 = 1\n"
        "SLOT_TYPE_1 = 50%\nSLOT_TYPE_2 = 50%\nSLOT_TYPE_2_NAME_PREFIX = Xfer\nSLOT_TYPE_2_PARTITIONABLE = True\n",
    )
    bench = Bench(made)
    assert sorted(bench.ads()) == ["Xfer2@vm", "vm", "vm1@vm"]
    bench.ask("Xfer2@vm")
    assert bench.only(fx.ClaimGranted).slot_name == "Xfer2_1@vm"
    request = ev.ClaimRequest("b", "xfer2_1@vm", "b@x", "b", job_ad(RequestCpus="2"))
    bench.do(ev.BetterClaim(request, True))
    assert bench.only(fx.ClaimGranted).slot_name == "Xfer2_1@vm"


def test_attributes_of_dynamic_slots_in_their_parent() -> None:
    bench = Bench(settings(child_attrs=("JobId", "TotalSlots")))
    bench.running()
    bench.claim()
    ad = bench.ads()["slot1@vm"]
    assert (ad.text("ChildJobId"), ad.text("ChildTotalSlots")) == ('{ "1.0",undefined }', "{ 3,3 }")


def test_latches_tell_when_a_value_changed() -> None:
    policy = {"attrs": (("Busy", "TotalLoadAvg > 5"),)}
    bench = Bench(settings(policy, latched=("Busy", "NumDynamicSlots", "Nothing")))
    begun = int(bench.now)
    assert bench.ads()["slot1@vm"].eval_int("BusyTime") == begun
    bench.wait(100)
    assert bench.ads()["slot1@vm"].eval_int("BusyTime") == begun
    bench.wait(100, load_avg=6.0)
    assert bench.ads()["slot1@vm"].eval_int("BusyTime") == begun + 200
    assert not bench.ads()["slot1@vm"].has("NothingTime")


def test_the_lease_of_jobs_that_name_none() -> None:
    bench = Bench(settings(lease=600))
    bench.running()
    bench.do(ev.ScheddGone())
    assert bench.startd.next_wakeup() == bench.now + 600


def test_a_machine_that_nobody_wants_shuts_down() -> None:
    bench = Bench(settings(noclaim_shutdown=100))
    bench.wait(60)
    claim = bench.claim()
    bench.wait(60)
    bench.do(ev.ReleaseClaim(claim))
    bench.wait(99)
    assert not bench.has(fx.ShutdownMachine)
    bench.wait(1)
    assert bench.has(fx.ShutdownMachine)
    bench.wait(1)
    assert not bench.has(fx.ShutdownMachine), "once is enough"


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ("MATCH_TIMEOUT = 7", "match_timeout", 7),
        ("MAX_CLAIM_ALIVES_MISSED = 2\nALIVE_INTERVAL = 100", "lease", 200),
        ("DEFAULT_DRAINING_START_EXPR = False", "draining_start", "False"),
        ("STARTD_PARTITIONABLE_SLOT_ATTRS = A, B", "child_attrs", ("A", "B")),
        ("STARTD_LATCH_EXPRS = A", "latched", ("NumDynamicSlots", "A")),
        ("STARTD_NOCLAIM_SHUTDOWN = 9", "noclaim_shutdown", 9),
    ],
)
def test_knobs(tmp_path: Path, text: str, field: str, value: object) -> None:
    assert getattr(configured(tmp_path, text), field) == value


def test_policies_of_the_configuration(tmp_path: Path) -> None:
    made = configured(
        tmp_path,
        "RunBenchmarks = LastBenchmark == 0\nSTART_BACKFILL = True\nEVICT_BACKFILL = False\nFetchWorkDelay = 5\n"
        "SLOT1_JOB_HOOK_KEYWORD = DB\nSTARTD_JOB_HOOK_KEYWORD = WEB\nDB_HOOK_FETCH_WORK = /bin/fetch\n"
        "CONSUMPTION_POLICY = True\nCONSUMPTION_CPUS = 2\nMACHINE_RESOURCE_wid = 4\nNUM_SLOTS = 2\n",
    )
    first, second = made.policy(1, 0), made.policy(2, 0)
    assert (first.run_benchmarks, first.start_backfill) == ("LastBenchmark == 0", "True")
    assert (first.evict_backfill, first.fetch_work_delay) == ("False", "5")
    assert (first.hook_keyword, second.hook_keyword) == ("DB", "WEB")
    assert [hooks.keyword for hooks in made.fetch_hooks] == ["DB"]
    consumption = dict(first.consumption)
    assert (consumption["Cpus"], consumption["Memory"]) == ("2", "quantize(target.RequestMemory,{128})")
    assert consumption["wid"] == "ifthenelse(target.Requestwid =?= undefined,0,target.Requestwid)"
    assert not made.backfill


def test_backfill_needs_a_client(tmp_path: Path) -> None:
    text = "ENABLE_BACKFILL = True\nBACKFILL_SYSTEM = BOINC\n"
    with pytest.raises(ConfigError, match="BOINC_Executable"):
        configured(tmp_path, text)
    with pytest.raises(ConfigError, match="BACKFILL_SYSTEM"):
        configured(tmp_path, "ENABLE_BACKFILL = True\nBACKFILL_SYSTEM = SETI\n")
    assert configured(tmp_path, text + "BOINC_Executable = /bin/boinc\n").backfill
    with pytest.raises(ConfigError, match="docker does not run BOINC"):
        configured(tmp_path, text + "BOINC_Executable = /bin/boinc\nBOINC_Universe = docker\n")


def test_backfill_by_commands(tmp_path: Path) -> None:
    text = "ENABLE_BACKFILL = True\nBACKFILL_SYSTEM = command\n"
    with pytest.raises(ConfigError, match="BACKFILL_COMMAND is not set"):
        configured(tmp_path, text)
    made = configured(tmp_path, text + "BACKFILL_COMMAND = /bin/a b\nSLOT2_BACKFILL_COMMAND = /bin/c\n")
    command = made.backfill_command
    assert made.backfill
    assert command is not None
    assert (command.owner, command.niceness, command.wait, command.longest_wait) == ("nobody", 19, 10, 3600)
    lines = (Path(__file__).parents[3] / "etc/examples/backfill.config").read_text()
    example = configured(tmp_path, lines).backfill_command
    assert example is not None
    assert (example.line(1).split()[0], example.wait) == ("/usr/bin/sha256sum", 86400)
    assert [command.line(number) for number in (1, 2)] == ["/bin/a b", "/bin/c"]
    assert configured(tmp_path, text + "SLOT2_BACKFILL_COMMAND = /bin/c\n").backfill_command.line(1) == ""


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("STARTD_CRON_a_PERIOD = 5m", "STARTD_CRON_a_EXECUTABLE is not set"),
        ("STARTD_CRON_a_EXECUTABLE = /x", "STARTD_CRON_a_PERIOD is not set"),
        ("STARTD_CRON_a_EXECUTABLE = /x\nSTARTD_CRON_a_PERIOD = 5d", "is not a number with s, m or h behind it"),
        ("STARTD_CRON_a_EXECUTABLE = /x\nSTARTD_CRON_a_PERIOD = 0", "a periodic job needs more than 0"),
        ("STARTD_CRON_a_EXECUTABLE = /x\nSTARTD_CRON_a_MODE = Often", "'Often' is not Periodic, WaitForExit"),
    ],
)
def test_cron_jobs_that_are_left_out(tmp_path: Path, text: str, complaint: str) -> None:
    from condor_py.lang.config.builders.cron import startd_cron

    path = tmp_path / "config"
    path.write_text(f"STARTD_CRON_JOBLIST = a\n{text}\n")
    found = startd_cron(load({"CONDOR_CONFIG": str(path), "HOME": str(tmp_path)}, subsystem="STARTD"))
    assert found.jobs == ()
    assert complaint in found.problems[0]


def test_a_cron_job_of_the_configuration(tmp_path: Path) -> None:
    from condor_py.lang.config.builders.cron import benchmarks, startd_cron

    path = tmp_path / "config"
    path.write_text(
        "STARTD_CRON_JOBLIST = a\nSTARTD_CRON_a_EXECUTABLE = /x\nSTARTD_CRON_a_PERIOD = 2m\nSTARTD_CRON_a_KILL = True\n"
        "STARTD_CRON_a_SLOTS = 1, 3\nSTARTD_CRON_a_JOB_LOAD = 0.5\nSTARTD_CRON_a_CONDITION = Cpus > 1\n"
        "STARTD_CRON_MAX_JOB_LOAD = 2\nSTARTD_CRON_AUTOPUBLISH = If_Changed\n"
    )
    config = load({"CONDOR_CONFIG": str(path), "HOME": str(tmp_path)}, subsystem="STARTD")
    found = startd_cron(config)
    [job] = found.jobs
    assert (job.period, job.kill, job.slots, job.load, job.condition) == (120, True, (1, 3), 0.5, "Cpus > 1")
    assert (found.max_load, found.autopublish) == (2.0, "IF_CHANGED")
    standard = benchmarks(config)
    assert [one.name for one in standard.jobs] == ["mips", "kflops"]
    assert standard.max_load == 1.0


def test_a_slot_type_in_a_block(tmp_path: Path) -> None:
    made = configured(
        tmp_path,
        "NUM_SLOTS_TYPE_1 = 1\nSLOT_TYPE_1 @=end\n  cpus = 1/2\n  mem = 25%\n"
        "  GPUs = 2 : Capability >= 8.0 && true\n@end\n",
    )
    shares = parse_shares(made.types[0].share, ("GPUs",), "SLOT_TYPE_1")
    assert (shares["cpus"].value, shares["memory"].value) == (0.5, 0.25)
    assert (shares["gpus"].value, shares["gpus"].constraint) == (2, "Capability >= 8.0 && true")


def test_an_expression_of_the_desktop_policy_has_its_value_and_since_when() -> None:
    policy = {
        "cpu_busy": "LoadAvg - CondorLoadAvg >= 0.5",
        "is_owner": "CpuBusyValue == 1 && time() - CpuBusyTime >= 0",
    }
    bench = Bench(settings(policy, latched=("CpuBusy",)))
    ad = bench.ads()["slot1@vm"]
    assert (ad.text("CpuBusy"), ad.eval_int("CpuBusyValue")) == ("LoadAvg - CondorLoadAvg >= 0.5", 0)
    bench.wait(100, load_avg=2.0)
    ad = bench.ads()["slot1@vm"]
    assert (ad.eval_int("CpuBusyValue"), ad.eval_int("CpuBusyTime")) == (1, int(bench.now))
    assert ad.eval_str("State") == "Owner"


def test_expressions_name_one_another() -> None:
    """The PREEMPT of the manual's desktop policy."""
    policy = {"suspend": "TotalLoadAvg > 5", "want_suspend": "false", "preempt": "SUSPEND && (WANT_SUSPEND == False)"}
    bench = Bench(settings(policy))
    bench.running()
    bench.wait(10)
    assert bench.ads()["slot1_1@vm"].eval_str("Activity") == "Busy"
    bench.wait(10, load_avg=6.0)
    assert bench.ads()["slot1_1@vm"].eval_str("State") == "Preempting"
    assert not bench.ads()["slot1_1@vm"].has("SUSPEND")


@pytest.mark.parametrize(
    ("text", "field", "expected"),
    [
        ("IsOwner = A\nIS_OWNER = B", "is_owner", "A"),
        ("CPU_BUSY = A", "cpu_busy", "A"),
        ("CpuBusy = B\nCPU_BUSY = A", "cpu_busy", "B"),
        ("", "cpu_busy", "false"),
    ],
)
def test_knobs_of_two_names(tmp_path: Path, text: str, field: str, expected: str) -> None:
    assert getattr(configured(tmp_path, text).policy(1, 0), field) == expected


def test_types_of_which_there_are_no_slots_do_not_count(tmp_path: Path) -> None:
    made = configured(tmp_path, "NUM_SLOTS_TYPE_1 = 0\nSLOT_TYPE_1 = 50%\n")
    assert [(slot_type.type_id, slot_type.count) for slot_type in made.types] == [(0, 1)]


def test_no_client_no_word_of_it() -> None:
    bench = Bench()
    bench.do(ev.BackfillGone(0))
    assert not any("BOINC" in line for line in bench.log)


def test_the_log_tells_of_loads_if_it_is_asked() -> None:
    bench = Bench(settings(log_load=1, log_idle=1, update_interval=300))
    bench.wait(10, load_avg=0.5)
    assert not [line for line in bench.log if "Load" in line], "with the next update only"
    bench.wait(300, load_avg=0.5)
    assert [line for line in bench.log if "Load" in line] == ["slot1: LoadAvg: 0.50  CondorLoad: 0.00  OwnerLoad: 0.50"]
    assert [line.split(":")[1] for line in bench.log if "Keyboard" in line] == [" Idle time"]
    bench = Bench(settings(log_load=2))
    bench.log.clear()
    bench.wait(5, load_avg=1.0)
    assert bench.log == [
        "SystemLoad: 1.000\t- TotalCondorLoad: 0.000\t= TotalOwnerLoad: 1.000",
        "slot1: LoadAvg: 1.00  CondorLoad: 0.00  OwnerLoad: 1.00",
    ]
