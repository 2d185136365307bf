"""A command may be spelled as the attribute that it becomes, or by an older name."""

from __future__ import annotations

from typing import Any

import pytest

from condor_py.lang.submit.build import BuildOptions
from condor_py.lang.submit.errors import SubmitError

GRID = "universe = grid\ngrid_resource = batch pbs\n"
EC2 = (
    "universe = grid\ngrid_resource = ec2 https://x/\nec2_access_key_id = /dev/null\n"
    "ec2_secret_access_key = /dev/null\nec2_ami_id = a\n"
)
BARE_EC2 = "universe = grid\ngrid_resource = ec2 https://x/\n"
GCE = "universe = grid\ngrid_resource = gce https://x v p z\ngce_image = i\ngce_machine_type = m\n"
AZURE = (
    "universe = grid\ngrid_resource = azure s\nazure_image = i\nazure_location = l\nazure_size = s\n"
    "azure_admin_username = u\nazure_admin_key = k\n"
)
VM = "universe = vm\nvm_type = kvm\nvm_memory = 512\nvm_disk = a:b:w\n"
XEN = "universe = vm\nvm_type = xen\nvm_memory = 512\nvm_disk = a:b:w\n"
JAVA = "universe = java\narguments = A\n"
DOCKER = "universe = docker\ndocker_image = a\n"
GPU = "request_gpus = 1\n"
TDP = "tool_daemon_cmd = t\n"
CRON = "cron_hour = 5\n"

#: What else is said, the spellings, a value.
SAME = (
    ("", "universe JobUniverse", "local"), ("", "initialdir Iwd initial_dir job_iwd", "/tmp"),
    ("", "arguments Args", "a b"), ("", "environment env", '"A=1"'), ("", "getenv get_env", "HOME"),
    ("", "input stdin", "i"), ("", "output stdout", "o"), ("", "error stderr", "e"),
    ("input = i\n", "transfer_input TransferIn", "false"), ("output = o\n", "transfer_output TransferOut", "false"),
    ("error = e\n", "transfer_error TransferErr", "false"), ("input = i\n", "stream_input StreamIn", "true"),
    ("output = o\n", "stream_output StreamOut", "true"), ("error = e\n", "stream_error StreamErr", "true"),
    ("", "transfer_executable TransferExecutable", "false"), ("", "rank preferences", "Mips"),
    ("", "periodic_hold PeriodicHold", "x"), ("", "periodic_hold_reason PeriodicHoldReason", "x"),
    ("", "periodic_hold_subcode PeriodicHoldSubCode", "x"), ("", "periodic_release PeriodicRelease", "x"),
    ("", "periodic_remove PeriodicRemove", "x"), ("", "periodic_vacate PeriodicVacate", "x"),
    ("", "on_exit_hold OnExitHold", "x"), ("", "on_exit_hold_reason OnExitHoldReason", "x"),
    ("", "on_exit_hold_subcode OnExitHoldSubCode", "x"), ("", "on_exit_remove OnExitRemove", "x"),
    ("", "leave_in_queue LeaveJobInQueue", "x"), ("", "max_retries JobMaxRetries", "5"),
    ("", "success_exit_code JobSuccessExitCode", "5"), ("", "kill_sig KillSig", "9"),
    ("", "remove_kill_sig RemoveKillSig", "9"), ("", "hold_kill_sig HoldKillSig", "9"),
    ("", "kill_sig_timeout KillSigTimeout", "9"), ("", "notification JobNotification", "error"),
    ("", "project_name ProjectName", "p"), ("", "accounting_group AccountingGroup", "g"),
    ("", "nice_user NiceUser", "true"), ("", "accounting_group_user AcctGroupUser", "u"),
    ("", "deferral_time DeferralTime", "1700000000"),
    (CRON, "cron_window deferral_window DeferralWindow CronWindow", "7"),
    (CRON, "cron_prep_time deferral_prep_time DeferralPrepTime CronPrepTime", "7"),
    ("", "max_materialize JobMaterializeLimit", "7"),
    ("universe = parallel\n", "machine_count node_count MachineCount NodeCount", "7"),
    ("", "request_cpus RequestCpus", "2"), ("", "request_memory RequestMemory", "2G"),
    ("", "request_disk RequestDisk", "2G"), ("", "request_gpus RequestGPUs", "2"), ("", "image_size ImageSize", "2G"),
    ("", "disk_usage DiskUsage", "2G"), (GPU, "require_gpus RequireGPUs", "x"),
    (GPU, "gpus_minimum_capability GPUsMinCapability", "5"), (GPU, "gpus_maximum_capability GPUsMaxCapability", "5"),
    (GPU, "gpus_minimum_memory GPUsMinMemory", "5"), (GPU, "gpus_minimum_runtime GPUsMinRuntime", "5"),
    ("", "cuda_version CUDAVersion", "11.5"), ("", "transfer_input_files TransferInputFiles", "a, b"),
    ("", "transfer_output_files TransferOutputFiles", "a, b"),
    ("", "transfer_output_remaps TransferOutputRemaps", '"a=b"'),
    ("", "should_transfer_files ShouldTransferFiles", "no"),
    ("", "when_to_transfer_output WhenToTransferOutput", "on_success"),
    ("", "public_input_files PublicInputFiles", "a"), ("", "transfer_common_input CommonInputFiles", "a, b"),
    ("", "tool_daemon_cmd ToolDaemonCmd", "t"), (TDP, "tool_daemon_input ToolDaemonInput", "i"),
    (TDP, "tool_daemon_output ToolDaemonOutput", "i"), (TDP, "tool_daemon_error ToolDaemonError", "i"),
    (TDP, "suspend_job_at_exec SuspendJobAtExec", "true"),
    (TDP, "tool_daemon_args tool_daemon_arguments ToolDaemonArgs", "a b"), ("", "scitokens_file ScitokensFile", "t"),
    ("", "use_oauth_services UseOAuthServices", "b, a"),
    (f"{DOCKER}a_container_port = 5\n", "container_service_names ContainerServiceNames", "a"),
    ("", "docker_image DockerImage", "a"), ("", "container_image ContainerImage", "docker://a"),
    (JAVA, "java_vm_args java_vm_arguments JavaVMArgs", "-a"), (JAVA, "jar_files JarFiles", "a.jar"),
    ("universe = grid\n", "grid_resource GridResource", "batch pbs"), (GRID, "arc_rte ArcRte", "x"),
    (GRID, "arc_resources ArcResources", "x"), (GRID, "arc_application ArcApplication", "x"),
    (GRID, "arc_data_staging ArcDataStaging", "x"), (GRID, "batch_extra_submit_args BatchExtraSubmitArgs", "x"),
    (GRID, "batch_project BatchProject", "x"), (GRID, "batch_queue BatchQueue", "x"),
    (GRID, "batch_runtime BatchRuntime", "5"), (GRID, "remote_universe Remote_JobUniverse", "5"),
    (f"{GRID}remote_universe = 9\n", "remote_remote_universe Remote_Remote_JobUniverse", "5"),
    (EC2, "ec2_keypair ec2_keyp_air EC2KeyPair", "x"), (EC2, "ec2_security_groups EC2SecurityGroups", "x"),
    (EC2, "ec2_security_ids EC2SecurityIDs", "x"), (EC2, "ec2_instance_type EC2InstanceType", "x"),
    (EC2, "ec2_vpc_subnet EC2VpcSubnet", "x"), (EC2, "ec2_vpc_ip EC2VpcIp", "x"),
    (EC2, "ec2_elastic_ip EC2ElasticIp", "x"), (EC2, "ec2_availability_zone EC2AvailabilityZone", "x"),
    (EC2, "ec2_spot_price EC2SpotPrice", "x"), (EC2, "ec2_block_device_mapping EC2BlockDeviceMapping", "x"),
    (EC2, "ec2_user_data EC2UserData", "x"), (EC2, "ec2_iam_profile_arn EC2IamProfileArn", "x"),
    (EC2, "ec2_iam_profile_name EC2IamProfileName", "x"), (EC2, "ec2_user_data_file EC2UserDataFile", "/dev/null"),
    (EC2, "ec2_keypair_file ec2_key_pair_file EC2KeyPairFile", "x"),
    (f"{EC2}ec2_availability_zone = z\n", "ec2_ebs_volumes EC2ElasticBlockStorageVolumes", "a:b"),
    (f"{EC2}ec2_tag_a = 1\n", "ec2_tag_names EC2TagNames", "A"),
    (f"{EC2}ec2_parameter_a = 1\n", "ec2_parameter_names EC2ParamNames", "A"),
    (f"{BARE_EC2}ec2_secret_access_key = /dev/null\nec2_ami_id = a\n",
     "ec2_access_key_id aws_access_key_id_file EC2AccessKeyId", "/dev/null"),
    (f"{BARE_EC2}ec2_access_key_id = /dev/null\nec2_ami_id = a\n",
     "ec2_secret_access_key aws_secret_access_key_file EC2SecretAccessKey", "/dev/null"),
    (f"{BARE_EC2}ec2_ami_id = a\n", "ec2_access_key_id ec2_secret_access_key", "from instance"),
    (f"{BARE_EC2}ec2_access_key_id = /dev/null\nec2_secret_access_key = /dev/null\n", "ec2_ami_id EC2AmiID", "a"),
    (GCE, "gce_account GceAccount", "x"), (GCE, "gce_auth_file GceAuthFile", "/dev/null"),
    (GCE, "gce_metadata_file GceMetadataFile", "/dev/null"), (GCE, "gce_json_file GceJsonFile", "/dev/null"),
    (GCE, "gce_metadata GceMetadata", "a=1, ,b=2"), (GCE, "gce_preemptible GcePreemptible", "true"),
    (f"{GCE}cloud_label_a = 1\n", "cloud_label_names CloudLabelNames", "A"),
    (GCE.replace("gce_image = i\n", ""), "gce_image GceImage", "j"),
    (GCE.replace("gce_machine_type = m\n", ""), "gce_machine_type GceMachineType", "j"),
    (AZURE, "azure_auth_file AzureAuthFile", "/dev/null"),
    (AZURE.replace("azure_image = i\n", ""), "azure_image AzureImage", "x"),
    (AZURE.replace("azure_location = l\n", ""), "azure_location AzureLocation", "x"),
    (AZURE.replace("azure_size = s\n", ""), "azure_size AzureSize", "x"),
    (AZURE.replace("azure_admin_username = u\n", ""), "azure_admin_username AzureAdminUsername", "x"),
    (AZURE.replace("azure_admin_key = k\n", ""), "azure_admin_key AzureAdminKey", "x"),
    (VM.replace("vm_type = kvm\n", ""), "vm_type JobVMType", "KVM"),
    (VM, "vm_checkpoint JobVMCheckpoint", "true"), (VM, "vm_networking JobVMNetworking", "true"),
    (VM, "vm_vnc JobVMVNCConsole", "true"), (VM, "vm_macaddr JobVM_MACADDR", "x"),
    (f"{VM}vm_networking = true\n", "vm_networking_type JobVMNetworkingType", "x"),
    (XEN, "xen_kernel VMPARAM_Xen_Kernel", "vmx"),
    (f"{XEN}xen_kernel = vmx\n", "xen_kernel_params VMPARAM_Xen_Kernel_Params", "'a b'"),
)  # fmt: skip


@pytest.mark.parametrize(("more", "spellings", "value"), SAME, ids=[row[1].split()[0] for row in SAME])
def test_all_spellings_make_the_same_job(alice: Any, more: str, spellings: str, value: str) -> None:
    alice.options = BuildOptions(user="alice", check_executable=False)
    made = [alice.job(f"{more}{name} = {value}") for name in spellings.split()]
    assert all(job == made[0] for job in made)
    assert made[0] != _job_or_none(alice, more)


def _job_or_none(alice: Any, text: str) -> dict[str, str] | None:
    """The job without the command; None where there is none without it."""
    try:
        job: dict[str, str] = alice.job(text)
    except SubmitError:
        return None
    return job


@pytest.mark.parametrize(
    ("more", "lines", "report"),
    [
        (GCE.replace("gce_image = i\n", ""), "", 'GCE jobs require a "gce_image" parameter\n'),
        (GCE.replace("gce_machine_type = m\n", ""), "", 'GCE jobs require a "gce_machine_type" parameter\n'),
        (BARE_EC2, "ec2_access_key_id = FROM INSTANCE", 'EC2 jobs require a "ec2_ami_id" parameter\n'),
        (BARE_EC2, "", "EC2 jobs require a 'ec2_access_key_id' or 'aws_access_key_id_file' parameter\n"),
        (BARE_EC2, "ec2_access_key_id = /dev/null",
         "EC2 jobs require a 'ec2_secret_access_key' or 'aws_secret_access_key_file' parameter\n"),
        (EC2, "ec2_ebs_volumes = a:b", "'ec2_ebs_volumes' requires 'ec2_availability_zone'\n"),
        (EC2, "ec2_user_data_file = /nowhere", "Failed to open user data file /nowhere (No such file or directory)\n"),
        (EC2, "ec2_user_data_file = /tmp", "/tmp is a directory\n"),
        (EC2, "ec2_access_key_id = /nowhere", "Failed to open public key file /nowhere (No such file or directory)\n"),
        (EC2, "ec2_secret_access_key = /nowhere",
         "Failed to open private key file /nowhere (No such file or directory)\n"),
    ],
)  # fmt: skip
def test_a_cloud_job_that_lacks_something(alice: Any, more: str, lines: str, report: str) -> None:
    alice.set(skip_filechecks=False)
    with pytest.raises(SubmitError) as caught:
        alice.job(f"{more}{lines}")
    assert caught.value.report == f"ERROR: {report}"
