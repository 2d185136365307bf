"""What of a grid job another pool of HTCondor gets, and what its schedd's ads mean here."""

from __future__ import annotations

import pytest

from condor_py.lang.classad import ClassAd
from condor_py.machine.batch import condorjobs
from condor_py.model.gridjobs import Stand

JOB = """[
    Cmd = "/home/ann/prog"; Iwd = "/home/ann"; Out = "o"; Err = "/dev/null"; In = "i"; Arguments = "a 'b c'";
    Environment = "A=1"; TransferInput = "x,y"; TransferOutputRemaps = "m=/data/m"; RequestMemory = 64 * 2;
    JobUniverse = 9; Owner = "ann"; Requirements = TARGET.OpSys == "LINUX"; Mine = [ a = 1 ];
    GridResource = "condor s p"; RoutedBy = "r"; GridJobId = "condor s p 1.0"; ClusterId = 7; JobStatus = 1;
    Remote_Requirements = Memory > 1; Remote_Mine = 2; UserLog = "log"
]"""


def test_what_is_submitted() -> None:
    found = condorjobs.description(ClassAd(JOB), "pool_7.0", "here#1")
    commands = {name: value for name, value in found.items() if not name.startswith("MY.")}
    assert commands == {
        "universe": "vanilla", "executable": "/home/ann/prog", "initialdir": "/home/ann", "transfer_executable": "true",
        "should_transfer_files": "YES", "when_to_transfer_output": "ON_EXIT", "notification": "never",
        "leave_in_queue": condorjobs._STAYS, "input": "i", "output": "o", "transfer_input_files": "x,y",
        "transfer_output_remaps": '"m=/data/m"',
    }  # fmt: skip
    attributes = {name[3:]: value for name, value in found.items() if name.startswith("MY.")}
    del attributes[condorjobs.HAS]
    assert attributes == {
        "Arguments": "\"a 'b c'\"", "Environment": '"A=1"', "RequestMemory": "64 * 2", "Requirements": "Memory > 1",
        "Mine": "2", "SubmitterId": '"here#1"', "SubmitterGlobalJobId": '"pool_7.0"',
    }  # fmt: skip


def test_words_in_the_old_syntax_are_words_in_the_new_one() -> None:
    """A submit there writes the new ones as well, empty, and they would count."""
    ad = ClassAd('[ Cmd = "/x"; Iwd = "/"; Args = "600 it\'s"; Env = "A=1|B=x y"; EnvDelim = "|" ]')
    found = condorjobs.description(ad, "n", "o")
    assert found["MY.Arguments"] == "\"600 it''''s\""
    assert found["MY.Environment"] == "\"A=1 B=x' 'y\""
    assert not {"MY.Args", "MY.Env", "MY.EnvDelim"} & found.keys()
    ad.set_text("Remote_Args", '"7"')
    assert condorjobs.description(ad, "n", "o")["MY.Arguments"] == '"7"'


def test_what_was_edited_is_changed_and_nothing_else() -> None:
    ad = ClassAd('[ Cmd = "/x"; Iwd = "/"; JobPrio = 1; Mine = "a"; Mine2 = 2 ]')
    has = condorjobs.description(ad, "n", "o")[f"MY.{condorjobs.HAS}"].strip('"')
    assert condorjobs.edits(ad, has) == {}
    ad.set_text("JobPrio", "7")
    ad.set_text("New", "true")
    ad.delete("Mine2")
    found = condorjobs.edits(ad, has)
    told = found.pop(condorjobs.HAS).strip('"')
    assert found == {"JobPrio": "7", "New": "true", "Mine2": "undefined"}
    assert condorjobs.edits(ad, told) == {}


def test_what_looks_like_a_macro_is_none_there() -> None:
    ad = ClassAd(r'[ Cmd = "/x/$(A)"; Iwd = "/"; Arguments = "-c \'echo $(date) $ENV(HOME) $HOME $$(OpSys)\'" ]')
    found = condorjobs.description(ad, "n", "o")
    assert found["executable"] == "/x/$(DOLLAR)(A)"
    assert found["MY.Arguments"] == "\"-c 'echo $(DOLLAR)(date) $(DOLLAR)ENV(HOME) $HOME $$(OpSys)'\""


@pytest.mark.parametrize(
    ("text", "stand", "reason"),
    [
        ("JobStatus = 1", Stand.WAITS, ""),
        ("JobStatus = 2", Stand.RUNS, ""),
        ("JobStatus = 6", Stand.RUNS, ""),
        ('JobStatus = 5; HoldReason = "disk"; HoldReasonCode = 3', Stand.HELD, "disk"),
        ('JobStatus = 5; HoldReason = "Spooling"; HoldReasonCode = 16; StageInFinish = 3', Stand.WAITS, ""),
        ('JobStatus = 3; RemoveReason = "no"', Stand.STOPPED, "no"),
        ("JobStatus = 4", Stand.OVER, ""),
        ("JobStatus = 99", Stand.WAITS, ""),
    ],
)
def test_how_a_job_stands(text: str, stand: Stand, reason: str) -> None:
    found = condorjobs.seen(ClassAd(f"[ ClusterId = 3; ProcId = 1; {text} ]"), {})
    assert (found.remote_id, found.stand, found.reason) == ("3.1", stand, reason)


def test_only_what_is_new_is_told() -> None:
    ad = ClassAd("[ ClusterId = 3; ProcId = 1; JobStatus = 2; ImageSize = 7; NumJobStarts = 1; Secret = 2 ]")
    first = condorjobs.seen(ad, {})
    assert first.changes == {"ImageSize": "7", "NumJobStarts": "1"}
    assert condorjobs.seen(ad, dict(first.changes or {})).changes is None


def test_how_a_job_ended() -> None:
    ad = ClassAd(
        "[ ExitBySignal = false; ExitCode = 3; RemoteUserCpu = 1.5; CompletionDate = 20; JobCurrentStartDate = 10 ]"
    )
    ending = condorjobs.ending(ad)
    assert (ending.exit_code, ending.exit_signal, ending.user_cpu, ending.began, ending.ended) == (
        3,
        None,
        1.5,
        10.0,
        20.0,
    )
    ending = condorjobs.ending(ClassAd("[ ExitBySignal = true; ExitSignal = 9 ]"))
    assert (ending.exit_code, ending.exit_signal) == (None, 9)


def test_what_is_refused_at_submit() -> None:
    from condor_py.client.submission import refusal

    assert refusal("condor s p") == ""
    assert refusal("condor s") == "grid_resource = condor s: it should be condor SCHEDD POOL"
    assert refusal("ec2 x").endswith("there are: batch slurm|sge|pbs|lsf, condor SCHEDD POOL, arc URL")
