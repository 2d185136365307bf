"""What the configuration makes of jobs: defaults, additions, and what it refuses."""

from __future__ import annotations

from typing import Any

import pytest

from condor_py.lang.submit.build import BuildOptions, clusters_of
from condor_py.lang.submit.errors import SubmitError
from condor_py.lang.submit.resources import custom_requests

VM = "universe = vm\nvm_type = kvm\nvm_memory = 5\nvm_disk = a:b:w\n"
BATCH = "universe = grid\ngrid_resource = batch pbs\n"
CONDOR = "universe = grid\ngrid_resource = condor a b\n"
JAVA = "universe = java\narguments = Main\n"
LEASE = "job_lease_duration"

Attributes = dict[str, str | None]


@pytest.mark.parametrize(
    ("knobs", "commands", "attributes"),
    [
        ({"default_universe": "local"}, "", {"JobUniverse": "12"}),
        ({"default_universe": "local"}, "universe = vanilla", {"JobUniverse": "5"}),
        ({"default_rank": "Mips"}, "", {"Rank": "Mips"}),
        ({"default_rank": "Mips"}, "rank = KFlops", {"Rank": "KFlops"}),
        ({"default_rank": "Mips"}, "preferences = KFlops", {"Rank": "KFlops"}),
        ({"default_rank": "Mips"}, JAVA, {"Rank": "0.0"}),
        ({"append_rank": "Mips"}, "", {"Rank": "Mips"}),
        ({"append_rank": "Mips"}, "rank = KFlops", {"Rank": "(KFlops) + (Mips)"}),
        ({"append_rank": "Mips"}, JAVA, {"Rank": "0.0"}),
        ({"request_cpus": "3"}, "", {"RequestCpus": "3"}),
        ({"request_cpus": "3"}, "request_cpus = 2", {"RequestCpus": "2"}),
        ({"request_cpus": "undefined"}, "", {"RequestCpus": None}),
        ({"request_cpus": ""}, "", {"RequestCpus": None}),
        ({"request_memory": "3G"}, "", {"RequestMemory": "3072"}),
        ({"request_memory": ""}, "", {"RequestMemory": None}),
        ({"request_memory": "3G"}, VM, {"RequestMemory": "MY.JobVMMemory"}),
        ({"request_disk": "3M"}, "", {"RequestDisk": "3072"}),
        ({"request_disk": ""}, "", {"RequestDisk": None}),
        ({"request_gpus": "2"}, "", {"RequestGPUs": "2"}),
        ({"request_gpus": "2"}, "request_gpus = 1", {"RequestGPUs": "1"}),
        ({"request_gpus": "2"}, "gpus_minimum_capability = 5", {"RequireGPUs": "Capability >= GPUsMinCapability"}),
        ({"request_cpus": "3", "request_memory": "3", "request_disk": "3", "request_gpus": "3"}, BATCH,
         {"RequestCpus": None, "RequestMemory": None, "RequestDisk": None, "RequestGPUs": None}),
        ({"request_cpus": "3", "request_memory": "3", "request_disk": "3", "request_gpus": "3"}, CONDOR,
         {"RequestCpus": "3", "RequestMemory": "3", "RequestDisk": "3", "RequestGPUs": "3"}),
        ({"notification": "always"}, "", {"JobNotification": "1"}),
        ({"notification": "always"}, "notification = error", {"JobNotification": "3"}),
        ({"lease_duration": "60 * 60"}, "", {"JobLeaseDuration": "60 * 60"}),
        ({"lease_duration": ""}, "", {"JobLeaseDuration": None}),
        ({"lease_duration": "60"}, f"{LEASE} = 70", {"JobLeaseDuration": "70"}),
        ({"lease_duration": "60"}, "universe = local", {"JobLeaseDuration": None}),
        ({"lease_duration": "60"}, BATCH, {"JobLeaseDuration": None}),
        ({"job_max_retries": 9}, "retry_until = 3", {"JobMaxRetries": "9"}),
        ({"job_max_retries": 9}, "success_exit_code = 3", {"JobMaxRetries": "9"}),
        ({"job_max_retries": 9}, "max_retries = 0", {"JobMaxRetries": "0"}),
        ({"job_max_retries": 9}, "", {"JobMaxRetries": None}),
        ({"attributes": (("JobMaxRetries", "4"),)}, "retry_until = 3", {"JobMaxRetries": "4"}),
        ({"nice_user_group": "low"}, "nice_user = true", {"AccountingGroup": '"low.alice"', "AcctGroup": '"low"'}),
        ({"nice_user_group": ""}, "nice_user = true",
         {"AccountingGroup": None, "AcctGroup": None, "MaxJobRetirementTime": "0"}),
        ({"should_transfer_files": "no"}, "when_to_transfer_output = none",
         {"ShouldTransferFiles": '"NO"', "WhenToTransferOutput": None}),
        ({"should_transfer_files": "yes"}, "", {"ShouldTransferFiles": '"YES"', "WhenToTransferOutput": '"ON_EXIT"'}),
        ({"should_transfer_files": "perhaps"}, "", {"ShouldTransferFiles": '"IF_NEEDED"'}),
        ({"should_transfer_files": "yes"}, "should_transfer_files = if_needed", {"ShouldTransferFiles": '"IF_NEEDED"'}),
        ({"should_transfer_files": "if_needed"}, "when_to_transfer_output = on_exit_or_evict",
         {"ShouldTransferFiles": '"YES"'}),
        ({"schedd_interval": "77"}, "cron_hour = 1", {"ScheddInterval": "77"}),
        ({"schedd_interval": ""}, "cron_hour = 1", {"ScheddInterval": "300"}),
        ({"schedd_interval": "77"}, "cron_hour = 1\n+ScheddInterval = 5", {"ScheddInterval": "5"}),
        ({"insert_default_policy": True}, "", {
            "PeriodicHold": "false", "PeriodicRelease": "false", "PeriodicRemove": "false", "PeriodicVacate": "false",
            "OnExitHold": "false", "OnExitRemove": "true", "PeriodicHoldReason": None, "OnExitHoldSubCode": None}),
        ({"insert_default_policy": True}, "periodic_hold = x\non_exit_remove = y\non_exit_hold = z",
         {"PeriodicHold": "x", "PeriodicRelease": "false", "OnExitRemove": "y", "OnExitHold": "z"}),
        ({"insert_default_policy": True, "attributes": (("PeriodicHold", "a"), ("OnExitHold", "b"))}, "",
         {"PeriodicHold": "a", "OnExitHold": "b", "OnExitRemove": "true"}),
        ({"insert_default_policy": False}, "", {"PeriodicHold": None, "OnExitRemove": None, "OnExitHold": None}),
        ({"attributes": (("OnExitHold", "b"),)}, "max_retries = 1", {"OnExitHold": "b"}),
        ({"attributes": (("OnExitRemove", "b"),)}, "max_retries = 1", {"OnExitRemove": "b"}),
        ({"attributes": (("LeaveJobInQueue", "x"),)}, "", {"LeaveJobInQueue": "x"}),
        ({"attributes": (("KillSig", '"SIGHUP"'),)}, "", {"KillSig": '"SIGHUP"'}),
        ({"attributes": (("MaxHosts", "3"), ("MinHosts", "2"), ("CurrentHosts", "1"))}, "",
         {"MaxHosts": "3", "MinHosts": "2", "CurrentHosts": "1"}),
        ({"attributes": (("NiceUser", "true"),)}, "", {"MaxJobRetirementTime": "0"}),
        ({"attributes": (("NiceUser", "true"), ("MaxJobRetirementTime", "7"))}, "", {"MaxJobRetirementTime": "7"}),
        ({"attributes": (("OCUWanted", "true"),)}, "", {"MaxJobRetirementTime": "2147483647"}),
        ({"attributes": (("OCUWanted", "false"),)}, "", {"MaxJobRetirementTime": None}),
        ({"attributes": (("SuccessCheckpointExitCode", "7"),)}, "", {"WantFTOnCheckpoint": "true"}),
        ({"attributes": (("JobStarterLog", '"x"'),)}, "", {"JobStarterDebug": "true"}),
        ({"attributes": (("JobStarterLog", '"x"'), ("JobStarterDebug", '"D_ALL"'))}, "",
         {"JobStarterDebug": '"D_ALL"'}),
        ({"attributes": (("JobPrio", "3"),)}, "", {"JobPrio": "3"}),
        ({"attributes": (("JobPrio", "3"),)}, "priority = 4", {"JobPrio": "4"}),
        ({"attributes": (("JobLeaseDuration", "33"),)}, "", {"JobLeaseDuration": "33"}),
        ({"attributes": (("ImageSize", "33"),)}, "", {"ImageSize": "33"}),
        ({"attributes": (("Args", '"a b"'),)}, "", {"Args": '"a b"', "Arguments": None}),
        ({"attributes": (("Environment", '"A=1"'),)}, "", {"Environment": '"A=1"', "Env": None}),
        ({"attributes": (("Env", '"A=1"'),)}, "", {"Environment": None, "Env": '"A=1"'}),
        ({"attributes": (("Env", '"A=1"'),)}, 'environment = "B=2"', {"Environment": '"B=2"', "Env": '"B=2"'}),
        ({"attributes": (("Environment", '"A=1"'),)}, "env = B=2", {"Environment": '"B=2"', "Env": '"B=2"'}),
        ({"attributes": (("Cmd", '"/bin/x"'),)}, "executable = /bin/true", {"Cmd": '"/bin/true"'}),
        ({"attributes": (("ShouldTransferFiles", '"NO"'),)}, "", {"ShouldTransferFiles": '"NO"'}),
        ({"attributes": (("WhenToTransferOutput", '"ON_SUCCESS"'),)}, "", {"WhenToTransferOutput": '"ON_SUCCESS"'}),
        ({"attributes": (("FileSystemDomain", '"d"'),)}, "", {"FileSystemDomain": '"d"'}),
        ({"attributes": (("Wrong", "(("),)}, "", {"Wrong": None}),
        ({"attributes": (("qdate", "3"),)}, "", {"QDate": None, "qdate": "3"}),
        ({"forced_attributes": (("JobPrio", "7"),)}, "priority = 4", {"JobPrio": "7"}),
        ({"filesystem_domain": "d"}, "", {"FileSystemDomain": '"d"'}),
        ({"filesystem_domain": ""}, "", {"FileSystemDomain": None}),
        ({"filesystem_domain": "d"}, "should_transfer_files = yes", {"FileSystemDomain": None}),
        ({"container_shared_fs": "/cvmfs, /shared"}, "container_image = /shared/a.sif",
         {"ContainerImageSource": '"local"', "TransferInput": None, "ContainerImage": '"/shared/a.sif"'}),
        ({"container_shared_fs": "/cvmfs, /shared"}, "container_image = /other/a.sif",
         {"ContainerImageSource": '"cedar"', "TransferInput": '"/other/a.sif"', "ContainerImage": '"a.sif"'}),
        ({"container_never_transfer_absolute": True}, "container_image = docker://a", {"TransferExecutable": "false"}),
        ({"container_never_transfer_absolute": True}, "universe = docker\ndocker_image = a",
         {"TransferExecutable": "false", "Cmd": '"/bin/sleep"'}),
        ({"container_never_transfer_absolute": True}, "docker_image = a\nexecutable = x", {"TransferExecutable": None}),
        ({"container_never_transfer_absolute": True}, "", {"TransferExecutable": None}),
        ({"container_never_transfer_absolute": False}, "docker_image = a", {"TransferExecutable": None}),
    ],
)  # fmt: skip
def test_attributes_that_follow_from_the_configuration(
    alice: Any, knobs: dict[str, Any], commands: str, attributes: Attributes
) -> None:
    alice.write("x", "#!/bin/sh\n", mode=0o755)
    alice.set(**knobs)
    job = alice.job(commands)
    assert {name: job.get(name) for name in attributes} == attributes


ARCH = '(TARGET.Arch == "X86_64")'
FIRST = f'{ARCH} && (TARGET.OpSys == "LINUX")'


@pytest.mark.parametrize(
    ("knobs", "commands", "requirements"),
    [
        ({"append_requirements": "A"}, "", f"(A) && {FIRST}"),
        ({"append_requirements": "A"}, "requirements = B", f"(B) && (A) && {FIRST}"),
        ({"append_requirements": "A", "append_req_vanilla": "C"}, "requirements = B", f"(B) && (C) && {FIRST}"),
        ({"append_req_vm": "C"}, "", FIRST),
        ({"append_req_vm": "C"}, VM, f"(C) && {ARCH} && (TARGET.HasVM =?= true)"),
        ({"append_requirements": "A"}, VM, f"(A) && {ARCH} && (TARGET.HasVM =?= true)"),
        ({"append_req_vanilla": "C"}, VM, f"{ARCH} && (TARGET.HasVM =?= true)"),
        ({"append_requirements": "A", "append_req_vanilla": "C"}, JAVA, "(A) && TARGET.HasJava"),
        ({"append_requirements": 'Arch == "x"'}, "", '(Arch == "x") && (TARGET.OpSys == "LINUX")'),
        ({"append_requirements": "A"}, BATCH, "(A)"),
        ({}, BATCH, "true"),
        ({}, f"{BATCH}requirements = B", "(B)"),
        ({}, CONDOR, FIRST),
        ({"condor_c_requirements": False}, CONDOR, "true"),
        ({"condor_c_requirements": False}, f"{CONDOR}requirements = B", "(B)"),
        ({"arch": "PPC", "opsys": "OTHER"}, "", '(TARGET.Arch == "PPC") && (TARGET.OpSys == "OTHER")'),
    ],
)
def test_requirements_begin_with_what_the_configuration_adds(
    alice: Any, knobs: dict[str, Any], commands: str, requirements: str
) -> None:
    alice.set(**knobs)
    found = alice.job(commands)["Requirements"]
    assert found.startswith(requirements)
    assert found == requirements or found[len(requirements) :].startswith(" && ")


@pytest.mark.parametrize(
    ("knobs", "commands", "clause", "there"),
    [
        ({"legacy_disk_clause": True}, "", "&& (TARGET.Disk >= RequestDisk) &&", True),
        ({"legacy_disk_clause": False}, "", "&& (TARGET.Disk >= RequestDisk) &&", False),
        ({"legacy_disk_clause": False}, JAVA, "&& (TARGET.Disk >= RequestDisk) &&", True),
        ({"request_disk": ""}, "", "&& (TARGET.Disk >= DiskUsage) &&", True),
        ({"request_disk": ""}, VM, "&& (TARGET.TotalDisk >= DiskUsage)", True),
        ({"custom_resource_requirements": False}, "request_foo = 1", "foo", False),
        ({"custom_resource_requirements": True}, "request_foo = 1", "(TARGET.foo >= Requestfoo)", True),
        ({"custom_resource_requirements": False}, "request_gpus = 1", "(TARGET.GPUs >= RequestGPUs)", True),
        ({"attributes": (("DockerNetworkType", '"x"'),)}, "universe = docker\ndocker_image = a",
         "StringListMember(My.DockerNetworkType,TARGET.DockerNetworks)", True),
        ({"attributes": (("RequireCommonFilesTransfer", "true"),)}, "", "TARGET.HasCommonFilesTransfer >= 2", True),
        ({}, "", "TARGET.HasCommonFilesTransfer", False),
        ({"attributes": (("OCUWanted", "true"),)}, "", "TARGET.OCU =?= true", True),
        ({}, "", "TARGET.OCU", False),
    ],
)  # fmt: skip
def test_clauses_that_depend_on_the_configuration(
    alice: Any, knobs: dict[str, Any], commands: str, clause: str, there: bool
) -> None:
    alice.set(**knobs)
    assert (clause in alice.job(commands)["Requirements"]) is there


def test_which_commands_ask_for_a_resource_of_ones_own() -> None:
    special = ["request_cpus", "request_cpu", "request_gpus", "request_gpu", "request_disk", "request_memory"]
    refused = ["request_gpu_memory", "request_gpus_memory", "Request_GPU_Memory"]
    none = ["request_", "request_a", "request__ab", "request", "my_request_ab", "arguments"]
    own = ["request_ab", "REQUEST_Foo", "request_a_b", "request_gpus2", "request_memorys"]
    assert custom_requests([*special, *refused, *none, *own]) == own


def test_the_memory_of_a_machine_is_not_the_one_of_the_configuration(alice: Any) -> None:
    alice.set(request_memory="77")
    assert alice.job(VM)["RequestMemory"] == "MY.JobVMMemory"
    assert alice.job(f"{VM}request_memory = 9")["RequestMemory"] == "9"


def warnings(alice: Any, text: str) -> str:
    """What is said of commands."""
    file = alice.parse(f"executable = /bin/true\n{text}\nqueue\n")
    for draft in clusters_of(file):
        list(draft.make(1, alice.options).own)
    return str(file.messages.warnings())


UNITS = "but should contain a units suffix (i.e "


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("request_memory = 5", f"request_memory=5 defaults to megabytes, {UNITS}K, M, G or T)"),
        ("request_disk = 5", f"request_disk=5 defaults to kilobytes, {UNITS}K, M, or B)"),
        ("request_gpus = 1\ngpus_minimum_memory = 5", f"gpus_minimum_memory=5 defaults to megabytes, {UNITS}K, M, or"
         " B)"),
        ("request_memory = 5M\nrequest_disk = 5K\nrequest_gpus = 1\ngpus_minimum_memory = 5G", ""),
    ],
)  # fmt: skip
def test_a_size_without_a_unit_is_warned_of_or_refused_where_the_site_wants_it(
    alice: Any, command: str, said: str
) -> None:
    alice.set(request_memory="", request_disk="")
    assert warnings(alice, command) == ""
    alice.set(missing_units="warn")
    assert warnings(alice, command) == (f"\nWARNING: WARNING: {said}\n" if said else "")
    alice.set(missing_units="Error")
    if not said:
        assert warnings(alice, command) == ""
        return
    with pytest.raises(SubmitError) as caught:
        alice.job(command)
    assert caught.value.report == f"\nERROR: ERROR: {said.replace('should', 'must')}\n"


def test_obsolete_ways_are_warned_of_unless_the_site_says_no(alice: Any) -> None:
    assert "refers to TARGET.Memory" in warnings(alice, "requirements = Memory > 5")
    alice.set(deprecation_warnings=False)
    assert warnings(alice, "requirements = Memory > 5 && Disk > 5") == ""


def test_jobs_that_are_spooled_wait_for_their_input_and_stay_until_their_output_is_fetched(alice: Any) -> None:
    alice.options = BuildOptions(user="alice", remote=True)
    job = alice.job("")
    assert (job["JobStatus"], job["HoldReasonCode"], job["HoldReason"]) == ("5", "16", '"Spooling input data files"')
    assert job["LeaveJobInQueue"] == (
        "JobStatus == 4 && (time() - (CompletionDate ?: time())) < 864000 && (StageOutFinish ?: 0) <"
        " EnteredCurrentStatus"
    )
    assert alice.job("leave_in_queue = x")["LeaveJobInQueue"] == "x"
    with pytest.raises(SubmitError) as caught:
        alice.job("hold = true")
    assert caught.value.report == "ERROR: Cannot set hold to 'true' when using -remote or -spool\n"


def test_a_job_is_idle_since_it_was_submitted_or_held_by_its_user(alice: Any) -> None:
    job, held = alice.job(""), alice.job("hold = true")
    assert (job["JobStatus"], job["EnteredCurrentStatus"], job["QDate"]) == ("1", str(alice.now), str(alice.now))
    assert (held["JobStatus"], held["HoldReasonCode"]) == ("5", "15")
    assert held["HoldReason"] == '"submitted on hold at user\'s request"'
    assert "HoldReason" not in job


def test_keys_of_s3_are_needed_only_where_the_pool_signs_urls(alice: Any) -> None:
    with pytest.raises(SubmitError) as caught:
        alice.job("transfer_input_files = s3://a/b")
    assert caught.value.report == (
        "ERROR: [s3|gs]:// URLS require [s3|aws|gs]_secret_access_key_file to be set.\n"
        "ERROR: [s3|gs]:// URLs require [s3|aws|gs]_access_key_id_file to be set.\n"
    )
    with pytest.raises(SubmitError) as caught:
        alice.job("transfer_input_files = GS://a/b\ngs_access_key_id_file = /dev/null")
    assert caught.value.report == ("ERROR: [s3|gs]:// URLS require [s3|aws|gs]_secret_access_key_file to be set.\n")
    alice.set(sign_s3_urls=False)
    assert alice.job("transfer_input_files = s3://a/b")["WantTransferPluginMethods"] == '"s3"'
