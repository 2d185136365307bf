"""Submit descriptions about one subject each, for comparison with the oracle: commands that need each other."""

from __future__ import annotations

_EC2 = (
    "universe = grid\ngrid_resource = ec2 https://ec2.example/\nexecutable = tag\nec2_access_key_id = /dev/null\n"
    "ec2_secret_access_key = /dev/null\nec2_ami_id = ami-1\n"
)
_GCE = (
    "universe = grid\ngrid_resource = gce https://gce.example v1 p z\nexecutable = tag\ngce_image = i\n"
    "gce_machine_type = m\ngce_auth_file = /dev/null\n"
)
_AZURE = (
    "universe = grid\ngrid_resource = azure s\nexecutable = tag\nazure_auth_file = /dev/null\nazure_image = i\n"
    "azure_location = l\nazure_size = s\nazure_admin_username = u\nazure_admin_key = k\n"
)
_VM = "universe = vm\nexecutable = machine\nvm_type = kvm\nvm_memory = 512\nvm_disk = a:b:w\n"
_XEN = "universe = vm\nexecutable = machine\nvm_type = xen\nvm_memory = 512\nvm_disk = a:b:w\n"
_PLAIN = "executable = /bin/sleep\n"
_TRANSFER = f"{_PLAIN}should_transfer_files = yes\n"
_DOCKER = "universe = docker\ndocker_image = debian\nexecutable = /bin/sleep\n"
_CONTAINER = "universe = container\nexecutable = /bin/sleep\n"
_SCHEDULER = "universe = scheduler\nexecutable = /bin/sleep\n"

#: What is said first -> what follows, one description each.
_SUBJECTS: dict[str, tuple[str, ...]] = {
    _EC2: (
        "", "ec2_keypair = k", "ec2_keyp_air = k", "ec2_keypair_file = f", "ec2_key_pair_file = f",
        "ec2_keypair = k\nec2_keypair_file = f", "ec2_ebs_volumes = v:a",
        "ec2_ebs_volumes = v:a,w:b\nec2_availability_zone = z", "ec2_ebs_volumes = v\nec2_availability_zone = z",
        "ec2_iam_profile_arn = a", "ec2_user_data = x\nec2_spot_price = 0.1", "ec2_user_data_file = /dev/null",
        "ec2_user_data_file = /nonexistent", "ec2_user_data_file = /tmp",
        "ec2_security_groups = a, b\nec2_security_ids = c\nec2_instance_type = t\nec2_vpc_subnet = s\n"
        "ec2_vpc_ip = i\nec2_elastic_ip = e\nec2_block_device_mapping = m",
        "ec2_parameter_names = A.b\nec2_parameter_A_b = 5", "ec2_parameter_C = 7",
        "ec2_tag_names = One, two\nec2_tag_one = 1\nec2_tag_Two = 2", "ec2_tag_Name = mine",
        "ec2_tag_names = Name\nec2_tag_name = mine", "ec2_tag_x = 1\nWantNameTag = false", "cloud_label_x = 1",
        "cloud_label_names = Q\ncloud_label_q = 1",
    ),
    "universe = grid\ngrid_resource = ec2 https://ec2.example/\nexecutable = tag\n": (
        "", "ec2_access_key_id = FROM INSTANCE\nec2_ami_id = a", "ec2_access_key_id = from instance",
        "ec2_secret_access_key = /dev/null\nec2_ami_id = a", "ec2_access_key_id = /dev/null\nec2_ami_id = a",
        "ec2_access_key_id = /nonexistent\nec2_secret_access_key = /dev/null\nec2_ami_id = a",
        "aws_access_key_id_file = /dev/null\naws_secret_access_key_file = /dev/null\nec2_ami_id = a",
        "ec2_access_key_id = /dev/null\nec2_secret_access_key = /dev/null",
    ),
    "universe = grid\nexecutable = tag\n": (
        "", "grid_resource = ec2", "grid_resource = condor a b", "grid_resource = batch slurm",
        "grid_resource = nothing",
        "grid_resource = arc https://x\narc_rsl = r\narc_resources = s\narc_rte = t\narc_application = u",
        "grid_resource = batch pbs\nbatch_queue = q\nbatch_project = p\nbatch_runtime = 5\n"
        "batch_extra_submit_args = -x",
        "grid_resource = condor a b\nremote_universe = 5\nremote_grid_resource = batch slurm",
        "grid_resource = condor a b\nremote_universe = nothing", "grid_resource = condor a b\nremote_universe = local",
        "grid_resource = condor a b\nrequirements = Memory > 1", "+GridResource = \"condor a b\"",
        "grid_resource = $$(where)", "grid_resource = condor a b\nstream_output = true\noutput = o",
    ),
    _GCE: (
        "", "gce_metadata = a=1, b=2 ,,c", "gce_metadata_file = /dev/null", "gce_json_file = /dev/null",
        "gce_preemptible = true", "gce_preemptible = false", "gce_account = a",
        "cloud_label_one = 1\ncloud_label_two = 2", "cloud_label_names = X\ncloud_label_x = 4",
    ),
    "universe = grid\ngrid_resource = gce https://gce.example v1 p z\nexecutable = tag\n": (
        "gce_image = i", "gce_machine_type = m", "gce_image = i\ngce_machine_type = m",
    ),
    _AZURE: (
        "", "cloud_label_one = 1",
    ),
    "universe = grid\ngrid_resource = azure s\nexecutable = tag\n": (
        "azure_image = i", "azure_image = i\nazure_location = l",
        "azure_image = i\nazure_location = l\nazure_size = s\nazure_admin_username = u",
    ),
    _VM: (
        "", "vm_vnc = true", "vm_networking = true", "vm_networking = true\nvm_networking_type = nat",
        "vm_checkpoint = true", "vm_checkpoint = true\nvm_networking = true", "vm_vcpus = 4", "vm_vcpus = x",
        "vm_vcpus = 0", "vm_macaddr = a",
        "vm_checkpoint = true\nvm_networking = true\nwhen_to_transfer_output = ON_EXIT_OR_EVICT",
        "vm_no_output_vm = true", "vm_no_output_vm = false", "vm_disk = a:b", "vm_disk = a:b:w:raw, c:d:r",
        "vm_disk = a:b:c:d:e", "vm_disk = ,", "vm_memory = 1G", "vm_memory = 0", "vm_memory = x", "vm_type = vmware",
        "requirements = TARGET.HasVM", "requirements = VM_Type == \"kvm\" && VM_AvailNum > 1 && VM_Memory > 5",
        "vm_networking = true\nrequirements = TARGET.VM_Networking",
        "+JobVMHardwareVT = true\nrequirements = TARGET.VM_HardwareVT",
    ),
    _XEN: (
        "", "xen_kernel = included", "xen_kernel = vmx", "xen_kernel = /k", "xen_kernel = /k\nxen_root = r",
        "xen_kernel = /k\nxen_root = r\nxen_initrd = i", "xen_kernel = vmx\nxen_initrd = i",
        "xen_kernel = vmx\nxen_kernel_params = 'a b'", "xen_kernel = vmx\nxen_kernel_params = \"a b\"",
        "xen_kernel = vmx\nxen_kernel_params = '", "xen_kernel = VMX\nrequirements = TARGET.VM_HardwareVT",
    ),
    "universe = vm\nexecutable = machine\nvm_type = kvm\n": (
        "vm_memory = 5", "vm_disk = a:b:w",
    ),
    _PLAIN: (
        "hold = true", "hold = false", "hold = maybe", "leave_in_queue = true", "leave_in_queue = x > 5",
        "max_retries = 3", "max_retries = 0", "max_retries = -1", "max_retries = x", "retry_until = 5",
        "retry_until = x > 5", "success_exit_code = 7", "success_exit_code = x",
        "max_retries = 2\nsuccess_exit_code = 7\nretry_until = ExitCode < 9", "max_retries = 2\non_exit_remove = x > 1",
        "max_retries = 2\non_exit_remove = ((", "max_retries = 2\non_exit_hold = x",
        "on_exit_hold = y\non_exit_hold_reason = \"r\"\non_exit_hold_subcode = 7",
        "periodic_hold = a > 5\nperiodic_hold_reason = \"b\"\nperiodic_hold_subcode = 4", "periodic_release = x",
        "periodic_remove = x", "periodic_vacate = x", "deferral_time = 5",
        "deferral_time = (CurrentTime + 60)\ndeferral_window = 9", "deferral_time = 5\ndeferral_prep_time = 7",
        "cron_minute = 5", "cron_minute = 0,30\ncron_hour = 1-5/2\ncron_window = 60\ncron_prep_time = 10",
        "cron_minute = 77", "cron_day_of_week = 0-6\ncron_month = *", "deferral_time = -5",
        "max_job_retirement_time = 60", "nice_user = true", "nice_user = true\nmax_job_retirement_time = 5",
        "job_machine_attrs = A, B\njob_machine_attrs_history_length = 5", "job_max_vacate_time = 60",
        "job_lease_duration = 600", "job_lease_duration = x", "job_lease_duration = 0", "want_graceful_removal = true",
        "kill_sig_timeout = 5", "hold_kill_sig = SIGHUP", "kill_sig = nothing", "coresize = 5", "core_size = -1",
        "keep_claim_idle = 60", "next_job_start_delay = 5", "concurrency_limits = a,b",
        "concurrency_limits_expr = strcat(\"a\")", "concurrency_limits = a\nconcurrency_limits_expr = b",
        "accounting_group = g\naccounting_group_user = u", "accounting_group = g h", "accounting_group_user = u",
        "rank = Memory", "preferences = Memory", "rank = a\npreferences = b", "noop_job = true\nnoop_job_exit_code = 5",
        "noop_job = true\nnoop_job_exit_signal = 9", "allowed_job_duration = 60", "allowed_execute_duration = 60",
        "allowed_job_duration = x", "start_wait = 1", "buffer_size = 5\nbuffer_block_size = 6",
        "tool_daemon_cmd = /bin/true\ntool_daemon_args = a b\ntool_daemon_input = /dev/null\n"
        "tool_daemon_output = o\ntool_daemon_error = e\nsuspend_job_at_exec = true",
        "tool_daemon_cmd = t\ntool_daemon_args = a\ntool_daemon_arguments = \"b c\"", "job_ad_information_attrs = a, b",
        "dagman_log = d", "log = l\nlog_xml = true", "notify_user = a@b\nnotification = always", "description = d",
        "batch_name = b", "batch_id = 7", "append_files = a", "fetch_files = a", "local_files = a",
        "compress_files = a", "file_remaps = a=b", "stack_size = 5", "job_prio = 7", "priority = x", "image_size = 10M",
        "image_size = x", "request_memory = 1G", "request_memory = undefined", "request_disk = x",
        "request_cpus = undefined", "request_gpus = 1\nrequire_gpus = x", "request_memory = MY.x * 2",
        "memory_usage = 5", "disk_usage = 10", "disk_usage = 0", "executable_size = 7", "environment = a=1;b=2",
        "environment = \"a=1 b='2 3'\"", "env = a=1\nenvironment = \"b=2\"", "env = a", "getenv = HO*",
        "getenv = false", "allow_environment_v1 = true\nenvironment = a=1", "arguments = \"a 'b\"",
        "arguments = a \"b\"", "args = a\narguments = \"b\"", "allow_arguments_v1 = true\nargs = a\narguments = \"b\"",
        "arguments2 = a", "input = /dev/null", "output = out\nerror = out", "stream_input = true\ninput = i",
        "stdin = a\nstdout = b\nstderr = c", "initialdir = /tmp", "initialdir = /nonexistent", "initial_dir = .",
        "rootdir = /r", "requirements = Memory > 5", "requirements = ((",
        "requirements = Arch == \"X86_64\" && OpSys == \"LINUX\"", "requirements = TARGET.Disk > 5 && Cpus > 2",
        "requirements = TARGET.FileSystemDomain == \"x\"", "requirements = 5", "requirements = HasFileTransfer",
        "requirements = undefined", "skip_if_dataflow = true", "load_profile = true", "run_as_owner = true",
        "encrypt_execute_directory = true", "use_oauth_services = a, b\na_oauth_permissions = p",
        "use_scitokens = true", "x509userproxy = /dev/null", "ulog_execute_attrs = a", "job_starter_log = a",
        "starter_log = a\nstarter_debug = true", "submit_event_notes = n", "submit_event_user_notes = n",
        "my.a = 5\n+b = 6", "primary_unix_group = g", "max_idle = 5", "cpus_usage = 5", "want_io_proxy = true",
    ),
    _TRANSFER: (
        "transfer_input_files = a, b", "transfer_output_files = a, b", "transfer_output_files =",
        "transfer_input_files =", "transfer_output_remaps = \"a=b\"", "output_destination = http://x",
        "transfer_executable = false", "transfer_executable = x", "output = d/o\nerror = d/e",
        "output = d/o\nstream_output = true",
        "encrypt_input_files = a*\nencrypt_output_files = b\ndont_encrypt_input_files = c\n"
        "dont_encrypt_output_files = d", "max_transfer_input_mb = 5\nmax_transfer_output_mb = x",
        "preserve_relative_paths = true", "public_input_files = a",
        "transfer_checkpoint_files = a\ncheckpoint_exit_code = 7", "checkpoint_exit_signal = SIGTERM",
        "checkpoint_exit_code = x", "checkpoint_exit_by_signal = true\ncheckpoint_exit_signal = 9",
        "checkpoint_destination = file:///x", "when_to_transfer_output = ON_SUCCESS",
        "when_to_transfer_output = ON_EXIT_OR_EVICT", "when_to_transfer_output = x", "transfer_plugins = x=p",
        "failure_files = a, b", "erase_output_and_error_on_restart = false", "keystore_file = a",
        "transfer_input_files = https://a/b, s3://c/d",
        "transfer_input_files = https://a/b\nrequirements = TARGET.HasFileTransferPluginMethods == \"x\"",
        "transfer_input_files = s3://c/d\naws_access_key_id_file = /dev/null\n"
        "aws_secret_access_key_file = /dev/null", "jar_files = a.jar", "fs_remap = a",
        "should_transfer_files = no\ntransfer_input_files = a", "should_transfer_files = if_needed",
        "should_transfer_files = x", "stdin = f\nstream_input = false", "output = \"o\"", "error = /dev/null",
    ),
    _DOCKER: (
        "", "docker_image = \"quoted\"", "docker_image = docker://x", "docker_image =", "docker_pull_policy = always",
        "docker_network_type = host", "container_service_names = a\na_container_port = 5", "container_image = x",
        "container_service_names = a", "container_service_names = a\na_container_port = x", "mount_under_scratch = /a",
        "docker_override_entrypoint = true", "requirements = HasDocker", "container_target_dir = /t", "shm_size = 1G",
    ),
    _CONTAINER: (
        "", "container_image = a.sif", "container_image = docker://a", "container_image = dir",
        "container_image = dir/", "container_image = library://a", "container_image = shub://a",
        "container_image = instance://a", "container_image = https://a/b.sif", "container_image = oras://a",
        "docker_image = a", "container_image = \"a.sif\"", "container_image = a.sif\ntransfer_container = false",
        "container_image = a.sif\ncontainer_target_dir = /x", "container_image = a.sif\nshould_transfer_files = no",
        "container_image = /a/b.sif\nmount_under_scratch = /x",
    ),
    _SCHEDULER: (
        "", "on_exit_remove = x", "kill_sig = 9", "periodic_remove = x", "requirements = x", "hold = 1",
    ),
    "universe = local\nexecutable = /bin/sleep\n": (
        "", "requirements = x", "request_memory = 5",
    ),
    "universe = parallel\nexecutable = /bin/sleep\n": (
        "machine_count = 4", "machine_count = 0", "", "node_count = 2", "machine_count = x",
    ),
    "universe = java\nexecutable = A.class\n": (
        "arguments = A", "", "arguments = A\njar_files = a.jar, b.jar", "arguments = A\njava_vm_args = -Xa -Xb",
        "arguments = A\njava_vm_arguments = \"-Xa '-X b'\"",
        "arguments = A\njava_vm_args = a\njava_vm_arguments = \"b\"",
    ),
}  # fmt: skip


def texts() -> list[str]:
    """All of them, each with a queue statement."""
    return [f"{first}{more}".strip() + "\nqueue\n" for first, others in _SUBJECTS.items() for more in others]
