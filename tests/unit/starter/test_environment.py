"""What a job finds in its environment and in .job.ad."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from condor_py.lang.classad import ClassAd
from condor_py.lang.config import load
from condor_py.lang.config.builders.starter import _variables
from condor_py.lang.config.builders.starter import device_variables as read_variables
from condor_py.machine.run.environment import (
    GPU_VARIABLES,
    SlotFacts,
    base_environment,
    device_variables,
    job_environment,
)
from condor_py.machine.run.identity import Account
from condor_py.machine.run.job import read_job
from condor_py.machine.run.jobad import job_ad_text, provisioned
from condor_py.machine.run.sandbox import Sandbox
from condor_py.model.errors import ConfigError
from condor_py.model.settings.starter import DeviceVariables

SANDBOX = Sandbox("/execute/dir_7")
ACCOUNT = Account("alice", 1000, 1000, "/home/alice", ())


def facts(**more: object) -> SlotFacts:
    return SlotFacts("slot1_1@vm", 2, 7, ("_CONDOR_ANCESTOR_1=1:2:3",), "/usr/bin", **more)  # type: ignore[arg-type]


def job(**texts: str) -> ClassAd:
    base = {"Iwd": '"/home/alice"', "Cmd": '"/bin/true"', "ClusterId": "1", "ProcId": "0", "Owner": '"alice"'}
    return ClassAd.from_text_items({**base, **texts}.items())


def test_gpus_as_htcondor_tells_them() -> None:
    slot = facts(
        assigned=(("GPUs", "GPU-a0223334,GPU-b1223334"),),
        gpu_uuids=(("GPU-a0223334", "GPU-a0223334-4445"), ("GPU-b1223334", "GPU-b1223334-4445")),
    )
    found = base_environment(slot, SANDBOX)
    assert found["CUDA_VISIBLE_DEVICES"] == "GPU-a0223334-4445,GPU-b1223334-4445"
    assert found["NVIDIA_VISIBLE_DEVICES"] == "GPU-a0223334-4445,GPU-b1223334-4445"
    assert found["GPU_DEVICE_ORDINAL"] == "GPU-a0223334,GPU-b1223334"
    assert found["_CONDOR_AssignedGPUs"] == "GPU-a0223334,GPU-b1223334"


def test_gpus_by_number() -> None:
    found = base_environment(facts(assigned=(("GPUs", "CUDA0, CUDA1"),)), SANDBOX)
    assert (found["CUDA_VISIBLE_DEVICES"], found["GPU_DEVICE_ORDINAL"]) == ("0,1", "0,1")


def test_only_variables_that_are_wanted_tell_of_gpus() -> None:
    rule = DeviceVariables("GPUs", _variables("KNOB", "MINE"), "")
    slot = facts(assigned=(("GPUs", "GPU-a"),), devices=(rule,), gpu_uuids=(("GPU-a", "GPU-a-4445"),))
    found = base_environment(slot, SANDBOX)
    assert (found["MINE"], found["NVIDIA_VISIBLE_DEVICES"]) == ("GPU-a", "GPU-a-4445")
    assert "CUDA_VISIBLE_DEVICES" not in found


def test_no_gpu_is_none_of_them() -> None:
    found = base_environment(facts(), SANDBOX)
    assert found["CUDA_VISIBLE_DEVICES"] == found["GPU_DEVICE_ORDINAL"] == found["_CONDOR_AssignedGPUs"] == "10000"
    assert found["NVIDIA_VISIBLE_DEVICES"] == "none"


def test_other_devices() -> None:
    rule = DeviceVariables("Cards", _variables("KNOB", "CARD=#card_(.)#x$1# RAW"), "")
    found = base_environment(facts(assigned=(("Cards", "card_a,card_b"),), devices=(rule,)), SANDBOX)
    assert (found["CARD"], found["RAW"], found["_CONDOR_AssignedCards"]) == ("xa,xb", "card_a,card_b", "card_a,card_b")
    assert "CARD" not in base_environment(facts(devices=(rule,)), SANDBOX)


def test_a_pattern_counts_once_and_groups_are_those_of_its_match() -> None:
    told = r"A=/[0-9]/N/ B=/a(.)c/<$0|$1|$7>/ C=/a/\q/ D=/(x)?b/[$1]/"
    rule = DeviceVariables("Cards", _variables("KNOB", told), "")
    found = device_variables(facts(assigned=(("Cards", "abc12"),)), rule)
    assert [found[name] for name in "ABCD"] == ["abcN2", "<abc|b|>12", r"\qbc12", "a[]c12"]


def test_devices_with_numbers_lose_the_word_before_them() -> None:
    rule = DeviceVariables("GPUs", _variables("KNOB", "CUDA_VISIBLE_DEVICES GPU_DEVICE_ORDINAL RAW"), "")
    found = device_variables(facts(assigned=(("GPUs", "CUDA0,OCL12,GPU-a1"),)), rule)
    assert found["CUDA_VISIBLE_DEVICES"] == found["GPU_DEVICE_ORDINAL"] == "0,12,GPU-a1"
    assert found["RAW"] == "CUDA0,OCL12,GPU-a1"


def test_the_default_knobs_are_those_of_gpus() -> None:
    assert read_variables(load({"CONDOR_CONFIG": "ONLY_ENV"})) == GPU_VARIABLES


@pytest.mark.parametrize("text", ["A=/x/", "1A", "A=/(/y/"])
def test_wrong_knobs(text: str) -> None:
    with pytest.raises(ConfigError, match="KNOB"):
        _variables("KNOB", text)


def test_home() -> None:
    read = read_job(job(), "vm")
    assert job_environment(base_environment(facts(), SANDBOX), read, ACCOUNT, SANDBOX)["HOME"] == "/home/alice"
    without = base_environment(facts(sets_home=False), SANDBOX)
    assert "HOME" not in job_environment(without, read, ACCOUNT, SANDBOX)
    assert base_environment(facts(), SANDBOX)["HOME"] == "/", "where an account has none"


@pytest.mark.parametrize(("universe", "home"), [(5, "/home/alice"), (7, "/own"), (12, "/home/alice")])
def test_condor_dagman_has_the_home_of_its_environment(universe: int, home: str) -> None:
    read = read_job(job(Environment='"HOME=/own"', JobUniverse=str(universe)), "vm")
    assert job_environment(base_environment(facts(), SANDBOX), read, ACCOUNT, SANDBOX)["HOME"] == home


def test_the_ad_in_the_sandbox() -> None:
    ad = job(ClaimId='"<secret>"', ShouldTransferFiles='"YES"', Out='"o"', Err='"e"', StreamErr="true")
    slot = ClassAd.from_text_items([("Cpus", "1"), ("Memory", "128"), ("GPUs", "0"), ("MachineResources", '"Cpus"')])
    text = job_ad_text(ad, provisioned(slot), read_job(ad, "vm"), SANDBOX.scratch)
    lines = dict(line.split(" = ", 1) for line in text.splitlines())
    assert "ClaimId" not in lines
    assert (lines["Iwd"], lines["OrigIwd"]) == ('"/execute/dir_7/scratch"', '"/home/alice"')
    assert (lines["Out"], lines["OriginalOut"], lines["Err"]) == ('"_condor_stdout"', '"o"', '"e"')
    other = replace(read_job(ad, "vm"), stream_error=False, stream_output=True)
    unstreamed = job_ad_text(ad, provisioned(slot), other, "/s")
    lines_of_other = dict(line.split(" = ", 1) for line in unstreamed.splitlines())
    assert (lines_of_other["Out"], lines_of_other["Err"], lines_of_other["OriginalErr"]) == (
        '"o"', '"_condor_stderr"', '"e"',
    )  # fmt: skip
    assert "OriginalOut" not in lines_of_other
    assert (lines["CpusProvisioned"], lines["MemoryProvisioned"], lines["GpusProvisioned"]) == ("1", "128", "0")
    assert lines["ProvisionedResources"] == '"Cpus"'
    assert list(lines) == sorted(lines, key=str.lower)


@pytest.mark.parametrize("name", ["ClaimId", "ClaimIds", "Capability", "TransferKey"])
def test_what_is_secret_is_not_in_the_ad_of_a_job(name: str) -> None:
    ad = job(**{name: '"secret"'})
    text = job_ad_text(ad, {}, read_job(ad, "vm"), SANDBOX.scratch)
    assert "secret" not in text
    assert 'Owner = "alice"\n' in text
    assert ad.has(name)


def test_our_spelling_of_attributes_counts_in_the_ad_of_a_job() -> None:
    texts = {"iwd": '"/home/alice"', "OUT": '"o"', "cpusprovisioned": "9", "ClusterId": "1", "ProcId": "0"}
    texts |= {"Cmd": '"/bin/true"', "Owner": '"alice"', "ShouldTransferFiles": '"YES"'}
    ad = ClassAd.from_text_items(texts.items())
    text = job_ad_text(ad, provisioned(ClassAd({"Cpus": 1})), read_job(ad, "vm"), SANDBOX.scratch)
    names = [line.partition(" = ")[0] for line in text.splitlines()]
    assert {"Iwd", "Out", "CpusProvisioned"} <= set(names)
    assert len({name.lower() for name in names}) == len(names)


def test_without_transfer_the_ad_stays_as_it_is() -> None:
    ad = job(ShouldTransferFiles='"NO"', Out='"o"')
    text = job_ad_text(ad, {}, read_job(ad, "vm"), SANDBOX.scratch)
    assert 'Iwd = "/home/alice"\n' in text
    assert 'Out = "o"\n' in text


def test_the_proxy_of_a_job() -> None:
    base = base_environment(facts(), SANDBOX)
    texts = {"x509userproxy": '"/home/alice/proxy.pem"', "ShouldTransferFiles": '"YES"'}
    moved = job_environment(base, read_job(job(**texts), "vm"), ACCOUNT, SANDBOX)
    assert moved["X509_USER_PROXY"] == f"{SANDBOX.scratch}/proxy.pem"
    texts |= {"x509userproxy": '"proxy.pem"', "ShouldTransferFiles": '"NO"'}
    assert job_environment(base, read_job(job(**texts), "vm"), ACCOUNT, SANDBOX)["X509_USER_PROXY"] == (
        "/home/alice/proxy.pem"
    )
    assert "X509_USER_PROXY" not in job_environment(base, read_job(job(), "vm"), ACCOUNT, SANDBOX)


def test_every_job_of_a_claim_finds_its_slot() -> None:
    slot = facts(
        thread_variables=("OMP_NUM_THREADS", "GOMAXPROCS"), extra=(("SITE", "here"), ("TMP", "/site")),
        inherited=(("LANG", "C"), ("_CONDOR_SLOT", "no")), assigned=(("Cards", "a,b"),), devices=(), sets_home=False,
        delayed_names="Mine*",
    )  # fmt: skip
    scratch = SANDBOX.scratch
    assert base_environment(slot, SANDBOX) == {
        "LANG": "C", "OMP_NUM_THREADS": "2", "GOMAXPROCS": "2", "BATCH_SYSTEM": "HTCondor", "CONDOR_STARTER_PID": "7",
        "TMPDIR": scratch, "TMP": "/site", "TEMP": scratch, "APPTAINER_CACHEDIR": scratch,
        "SINGULARITY_CACHEDIR": scratch, "_CHIRP_DELAYED_UPDATE_PREFIX": "Mine*", "_CONDOR_BIN": "/usr/bin",
        "_CONDOR_JOB_AD": f"{scratch}/.job.ad", "_CONDOR_MACHINE_AD": f"{scratch}/.machine.ad", "_CONDOR_JOB_PIDS": "",
        "_CONDOR_SCRATCH_DIR": scratch, "_CONDOR_SLOT": "slot1_1", "_CONDOR_ANCESTOR_1": "1:2:3",
        "_CONDOR_AssignedCards": "a,b", "SITE": "here",
    }  # fmt: skip


def test_the_variables_of_a_job_win_and_may_name_the_scratch_directory() -> None:
    base = base_environment(facts(), SANDBOX)
    read = read_job(job(Environment='"TMP=/own WHERE=#CoNdOrScRaTcHdIr#/x"', ShouldTransferFiles='"YES"'), "vm")
    found = job_environment(base, read, None, SANDBOX)
    assert (found["TMP"], found["_CONDOR_JOB_IWD"], found["HOME"]) == ("/own", SANDBOX.scratch, "/")
    assert found["WHERE"] == f"{SANDBOX.scratch}/x"
    assert base["TMP"] == SANDBOX.scratch, "the next job has its own"


def test_nodes_of_parallel_jobs_find_the_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    base = base_environment(facts(), SANDBOX)
    monkeypatch.setenv("PATH", "/ours")
    monkeypatch.setenv("CONDOR_CONFIG", "/etc/ours")
    node = read_job(job(Node="0"), "vm")
    found = job_environment(base, node, None, SANDBOX)
    assert (found["PATH"], found["CONDOR_CONFIG"]) == ("/usr/bin:/ours", "/etc/ours")
    own = read_job(job(Node="0", Environment='"PATH=/own"'), "vm")
    monkeypatch.delenv("CONDOR_CONFIG")
    found = job_environment(base, own, None, SANDBOX)
    assert found["PATH"] == "/usr/bin:/own"
    assert "CONDOR_CONFIG" not in found
    monkeypatch.delenv("PATH")
    assert job_environment(base, node, None, SANDBOX)["PATH"] == f"/usr/bin:{os.defpath}"
    assert "PATH" not in job_environment(base, read_job(job(), "vm"), None, SANDBOX)


def test_devices_without_a_word_for_none() -> None:
    rule = DeviceVariables("GPUs", (("CUDA_VISIBLE_DEVICES", "CUDA", ""),), "")
    assert device_variables(facts(), rule) == {"NVIDIA_VISIBLE_DEVICES": "none"}
    cards = DeviceVariables("Cards", (("CARD", "c", ""),), "x")
    assert device_variables(facts(), cards) == {"CARD": "x", "_CONDOR_AssignedCards": "x"}
    partly = facts(assigned=(("GPUs", "CUDA0 GPU-a"),), gpu_uuids=(("GPU-a", "GPU-a-1"),))
    assert device_variables(partly, rule)["CUDA_VISIBLE_DEVICES"] == "CUDA0,GPU-a-1"
