"""Transfer plugins: what a failing one does to the job, what they are given, and the records of their work."""

from __future__ import annotations

from pathlib import Path

from pool import PersonalPool, wait_for
from transfers import hold_of, records

PLUGIN = """
import re, sys
if "-classad" in sys.argv:
    print('PluginType = "FileTransfer"\\nSupportedMethods = "mine"\\nMultipleFileSupport = true')
    sys.exit(0)
given = open(sys.argv[sys.argv.index("-infile") + 1]).read()
with open("{seen}", "a") as seen:
    seen.write(given)
if "mute" in given:
    sys.exit(0)
with open(sys.argv[sys.argv.index("-outfile") + 1], "w") as out:
    for local, url in re.findall(r'LocalFileName = "([^"]*)"; Url = "([^"]*)"', given):
        good = "bad" not in url
        if good and "-upload" not in sys.argv:
            open(local, "w").write(url)
        why = "" if good else 'TransferError = "no luck"; '
        out.write('[ TransferSuccess = %s; %sTransferUrl = "%s" ]\\n' % (str(good).lower(), why, url))
sys.exit(0 if "bad" not in given else 17)
"""
COMMON = "executable = {program}\nshould_transfer_files = YES\nlog = job.log\n"


def with_plugin(pool: PersonalPool) -> tuple[str, Path]:
    """Gives the pool a plugin for mine:// URLs: a program for jobs, and where the plugin tells what it was given."""
    seen = pool.work / "seen"
    plugin = pool.script("mine_plugin", PLUGIN.replace("{seen}", str(seen)), "/usr/bin/env python3")
    pool.configure(f"FILETRANSFER_PLUGINS = {plugin}\n")
    program = pool.script("make.sh", "mkdir -p d/e/empty; echo 1 >d/one; echo 2 >d/e/two; test ! -e f || cat f\n")
    return str(program), seen


def test_plugins_get_files_and_their_work_is_recorded(pool: PersonalPool) -> None:
    program, seen = with_plugin(pool)
    cluster = pool.submit(
        f"{COMMON.format(program=program)}output = o\ntransfer_input_files = mine://x/f\n"
        "transfer_output_files = d, ghost\n"
        'transfer_output_remaps = "d = mine://out; ghost = mine://ghost"\nqueue\n'
    )
    pool.wait("job.log")
    assert (pool.work / "o").read_text() == "mine://x/f"
    given = seen.read_text()
    assert "mine://out/one" in given
    assert "mine://out/e/two" in given
    assert "empty" not in given
    (came,), (went,) = records(pool, "INPUT"), records(pool, "OUTPUT")
    assert (came["ClusterId"], came["TransferClass"], came["NumShadowStarts"]) == (str(cluster), '"INPUT"', "1")
    assert 'PluginBasename = "mine_plugin"; Result = 0' in came["InputPluginInvocations"]
    assert 'TransferUrl = "mine://x/f"' in came["InputPluginResultList"]
    assert went["OutputPluginResultList"].count("TransferUrl") == 3, "the plugin does not mind that there is no ghost"
    log = pool.logged("StarterLog.slot1_*")
    assert "FILETRANSFER: with plugin input: [ LocalFileName" in log

    bad = pool.submit(f"{COMMON.format(program=program)}transfer_input_files = mine://bad, mine://x/g\nqueue\n")
    code, subcode, reason = hold_of(pool, bad)
    assert (code, subcode) == ("13", str(17 << 8))
    assert "no luck" in reason
    wait_for(lambda: len(records(pool, "INPUT")) == 2, "its transfer is recorded")
    failed = records(pool, "INPUT")[-1]
    assert "Result = 1" in failed["InputPluginInvocations"]
    assert "ExitCode = 17" in failed["InputPluginInvocations"]
    assert failed["InputPluginResultList"].count("PluginExitCode = 17") == 2


def test_a_plugin_that_is_missing_or_tells_nothing_costs_a_run_and_not_the_job(pool: PersonalPool) -> None:
    program, _ = with_plugin(pool)
    anywhere = f"{COMMON.format(program=program)}requirements = TARGET.HasFileTransferPluginMethods =!= undefined\n"
    for url, subcode in (("nobodys://x", "-1001"), ("mine://mute", "-1004")):
        cluster = pool.submit(f'{anywhere}+TransferInput = NumShadowStarts > 1 ? "" : "{url}"\nqueue\n')
        pool.wait("job.log")
        wait_for(lambda: pool.status_of(f"{cluster}.0") is None, "it has left")  # noqa: B023
        log = (pool.work / "job.log").read_text()
        assert (12, f"{cluster}.0") not in pool.events("job.log"), log
        vacated = next(r for r in records(pool, "EPOCH") if r["ClusterId"] == str(cluster))
        assert (vacated["VacateReasonCode"], vacated["VacateReasonSubCode"]) == ("13", subcode)
