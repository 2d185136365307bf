"""condor_config_val: the transcripts of the command-line contract, and every other view."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from condor_py.cli.entry import main

ROOT = """NUM_CPUS = 8
MEMORY = 16000
MixedCase = $(NUM_CPUS)x
LOCAL_CONFIG_DIR = {0}/config.d
use ROLE : Personal
SPOOL = {0}/spool
TEXT @=end
  one
  two $(MEMORY)
@end
EMPTY =
"""
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """``run(*argv)`` gives exit code, stdout and stderr; the directory's name is shown as DIR."""
    (tmp_path / "condor_config").write_text(ROOT.format(tmp_path))
    (tmp_path / "config.d").mkdir()
    (tmp_path / "config.d" / "50-extra").write_text("NUM_SLOTS_TYPE_1 = 1\nNUM_SLOTS_TYPE_2 = 4\n")
    monkeypatch.setenv("CONDOR_CONFIG", str(tmp_path / "condor_config"))

    def call(*argv: str) -> tuple[int, str, str]:
        code = main("condor_config_val", list(argv))
        out, err = capsys.readouterr()
        return code, out.replace(str(tmp_path), "DIR"), err.replace(str(tmp_path), "DIR")

    return call


def test_values_and_names_that_are_not_defined(run: Run) -> None:
    assert run("NUM_CPUS", "NOSUCH", "memory") == (1, "8\n16000\n", "Not defined: NOSUCH\n")
    assert run("EMPTY") == (1, "", "Not defined: EMPTY\n")
    assert run("mixedcase", "TEXT") == (0, "8x\none\ntwo 16000\n", "")


def test_verbose(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_CONDOR_RELEASE_DIR", "/usr")
    assert run("-verbose", "num_cpus") == (
        0,
        "NUM_CPUS = 8\n # at: DIR/condor_config, line 1\n # raw: NUM_CPUS = 8\n\n",
        "",
    )
    lines = "LIB = /usr/lib\n # at: <Default>\n # raw: LIB = $(RELEASE_DIR)/lib\n\n"
    assert run("-v", "LIB") == (0, lines, "")
    assert run("-v", "NOSUCH") == (1, "\n", "Not defined: NOSUCH\n")
    lines = "COLLECTOR_HOST = 127.0.0.1:0\n # at: DIR/condor_config, line 5, use ROLE:Personal+1\n"
    assert run("-v", "COLLECTOR_HOST")[1] == lines + " # raw: COLLECTOR_HOST = $(CONDOR_HOST):0\n\n"
    lines = "TEXT @=end\n   one\n   two 16000\n@end\n # at: DIR/condor_config, line 10\n # raw: \n"
    assert run("-v", "TEXT")[1] == lines + " #   TEXT = one\n #   two $(MEMORY)\n\n"


def test_the_environment_and_the_subsystem(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_CONDOR_FOO", "bar")
    monkeypatch.setenv("_CONDOR_SCHEDD.FOO", "baz")
    assert run("-v", "FOO")[1] == "FOO = bar\n # at: <Environment>\n # raw: FOO = bar\n\n"
    assert run("-subsystem", "SCHEDD", "FOO")[1] == "baz\n"
    monkeypatch.setenv("_CONDOR_ME.FOO", "mine")
    assert run("-local-name", "ME", "FOO")[1] == "mine\n"


def test_raw_default_and_evaluate(run: Run) -> None:
    assert run("-raw", "LOG", "mixedcase")[1] == "$(LOCAL_DIR)/log\n$(NUM_CPUS)x\n"
    assert run("-default", "NUM_CPUS", "SPOOL")[1] == "$(DETECTED_CPUS_LIMIT)\n$(LOCAL_DIR)/spool\n"
    assert run("-eval", "MAX_JOBS_RUNNING")[1].startswith("MIN({")
    assert run("-default", "-verbose", "X")[0] == 1


def test_a_misused_macro_function_is_told_and_the_rest_is_printed(run: Run, tmp_path: Path) -> None:
    with (tmp_path / "condor_config").open("a") as file:
        file.write("BAD = $INT(MixedCase)\n")
    code, out, err = run("NUM_CPUS", "BAD", "MEMORY")
    assert (code, out) == (1, "8\n16000\n")
    assert "does not evaluate to an integer" in err
    assert err.endswith("Not defined: BAD\n")
    code, out, _ = run("-dump", "-expanded", "^BAD$")
    assert (code, "BAD = \n" in out) == (0, True)


def test_dump(run: Run) -> None:
    code, out, err = run("-dump", "^NUM_")
    assert (code, err) == (0, "")
    head, _, rest = out.partition("\n")
    assert head.startswith("# Configuration from machine: ")
    assert rest == (
        "\n# Parameters with names that match ^NUM_:\nNUM_CPUS = 8\nNUM_SLOTS_TYPE_1 = 1\nNUM_SLOTS_TYPE_2 = 4\n"
        "# Contributing configuration file(s):\n#\tDIR/condor_config\n#\tDIR/config.d/50-extra\n"
    )
    out = run("-dump", "-v", "^NUM_CPU")[1]
    assert out.endswith(
        "# Parameters with names that match ^NUM_CPU:\nNUM_CPUS = 8\n # at: DIR/condor_config, line 1\n"
        " # expanded: 8\n # default: $(DETECTED_CPUS_LIMIT)\n"
    )
    assert "\nMixedCase = 8x\n" in run("-dump", "-expanded")[1]
    names = [line.split(" ")[0].lower() for line in run("-dump", "-raw")[1].splitlines()[1:] if line[0].isalpha()]
    assert "negotiator_interval" in names
    assert "tool.istool" in names  # what a tool sees as IsTool
    plain = [name for name in names if "." not in name]
    assert plain == sorted(set(plain))


def test_used_and_unused(run: Run) -> None:
    used = run("-dump", "-used", "^(LOG|NEGOTIATOR_INTERVAL)$")[1]
    unused = run("-dump", "-unused", "^(LOG|NEGOTIATOR_INTERVAL)$")[1]
    assert ("\nLOG = " in used, "\nNEGOTIATOR_INTERVAL = " in used) == (True, False)
    assert ("\nLOG = " in unused, "\nNEGOTIATOR_INTERVAL = " in unused) == (False, True)


def test_configuration_files(run: Run) -> None:
    code, out, err = run("-config")
    assert (code, out) == (0, "\tDIR/condor_config\n\tDIR/config.d/50-extra\n")
    assert err == "Configuration source:\nLocal configuration source:\n\n"


SUMMARY = """
#
# from DIR/condor_config
#
NUM_CPUS = 8
MEMORY = 16000
MixedCase = $(NUM_CPUS)x
LOCAL_CONFIG_DIR = DIR/config.d
COLLECTOR_HOST = $(CONDOR_HOST):0
CONDOR_HOST = 127.0.0.1
DAEMON_LIST = MASTER COLLECTOR NEGOTIATOR STARTD SCHEDD
SPOOL = DIR/spool
TEXT @=end
   one
   two $(MEMORY)
@end
EMPTY =\x20

#
# from DIR/config.d/50-extra
#
NUM_SLOTS_TYPE_1 = 1
NUM_SLOTS_TYPE_2 = 4
"""


def test_summary_and_writeconfig(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("_CONDOR_NETWORK_HOSTNAME")
    code, out, _ = run("-summary")
    head, _, rest = out.partition("\n")
    assert code == 0
    assert head.startswith("# condor_config_val $CondorVersion: ")
    assert _without_benchmarks(rest) == SUMMARY
    assert run("-writeconfig", str(tmp_path / "out")) == (0, "", "")
    assert _without_benchmarks((tmp_path / "out").read_text().replace(str(tmp_path), "DIR")) == SUMMARY
    assert run("-root-config", str(tmp_path / "out"), "MixedCase", "TEXT")[1] == "8x\none\ntwo 16000\n"
    assert run("-writeconfig", "/no/dir/out") == (2, "", "Failed to create configuration file /no/dir/out.\n")
    assert "#def#SCHEDD_MIN_INTERVAL = 5\n" in run("-writeconfig:comment,default,sort", "-")[1]


def _without_benchmarks(text: str) -> str:
    """ROLE:Personal sets RunBenchmarks; whether that is the default is not the question here."""
    return "".join(line for line in text.splitlines(keepends=True) if "RunBenchmarks" not in line)


def test_macro(run: Run) -> None:
    assert run("-macro", "$(SPOOL)/x", "$INT(NUM_CPUS,%03d)")[1] == "DIR/spool/x\n008\n"
    assert run("-macro:path", "$(SPOOL)//x")[1] == "DIR/spool/x\n"
    assert run("-macro", "-verbose", "$(NOPE)$(NUM_CPUS)")[1] == "$(NOPE)$(NUM_CPUS) expands to: 8\n # exist: 0x2\n"


def test_templates(run: Run) -> None:
    assert run("use", "ROLE:Personal")[1] == (
        "use ROLE:Personal is\n\tCONDOR_HOST=127.0.0.1\n\tCOLLECTOR_HOST=$(CONDOR_HOST):0\n"
        "\tDAEMON_LIST=MASTER COLLECTOR NEGOTIATOR STARTD SCHEDD\n\tRunBenchmarks=0\n"
    )
    assert run("use", "NOSUCH:x") == (0, "Not defined: use NOSUCH\n", "")
    assert run("use", "role:nosuch")[1] == "Not defined: use ROLE:NOSUCH\n"
    ours = "get_htcondor_central_manager get_htcondor_execute get_htcondor_submit"
    names = f"CentralManager Execute {ours} Personal Submit"
    assert run("use", "role")[1] == "use ROLE accepts\n" + "".join(f"  {name}\n" for name in names.split())
    assert "\t  PREEMPT = $(T) || $(PREEMPT)\n" in run("use", "policy:preempt_if(T)")[1]
    assert "\t  PREEMPT = $(CPU_EXCEEDED) || $(PREEMPT)\n" in run("-exp", "use", "policy:preempt_if_cpus_exceeded")[1]


def test_help_about_a_knob(run: Run) -> None:
    out = run("-info", "NEGOTIATION_CYCLE_STATS_LENGTH")[1]
    assert " # description: How many past cycles the negotiator's ad describes.\n" in out
    assert " # expected values : INT from 0 to 100\n" in out


def test_trace(run: Run, tmp_path: Path) -> None:
    (tmp_path / "config.d" / "60-more").write_text("NUM_CPUS = 9\n")
    assert run("-trace", "NUM_CPUS")[1] == " # trace: NUM_CPUS\n  # was: 8\n  # set at: DIR/condor_config, line 1\n9\n"


def test_command_lines_that_are_wrong(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, err = run("-bogus")
    assert (code, out) == (1, "")
    assert err.startswith("-bogus is not a valid argument\nUsage: condor_config_val ")
    assert run("-subsystem") == (1, "", "-subsystem requires an argument\n")
    assert run()[0] == 1
    assert run("-root-config", "/nonexist", "SPOOL") == (1, "", "ERROR: Can't read global config source /nonexist\n")
    assert run("-pool", "x", "SPOOL")[2] == "Error: you must specify -name with -pool\n"
    lines = "Can't find address for {} 'default' in local pool\nPerhaps you need to query another pool.\n"
    assert run("-set", "FOO = 1") == (1, "", lines.format("master"))
    assert run("-schedd", "NOSUCH") == (1, "", lines.format("schedd"))
    monkeypatch.setenv("CONDOR_CONFIG", "/no/file")
    message = 'File specified in CONDOR_CONFIG environment variable:\n"/no/file" does not exist.\n'
    assert run("SPOOL") == (1, "", message)
