"""Values of commands at the edges of what they may be, files of cloud jobs, and streams of spooled jobs."""

from __future__ import annotations

from typing import Any

import pytest

from condor_py.lang.submit.build import BuildOptions, clusters_of
from condor_py.lang.submit.errors import SubmitError

RETRY = "NumJobCompletions > JobMaxRetries || ExitCode =?= 0 || "


@pytest.mark.parametrize(
    ("command", "attribute", "text"),
    [
        # sizes are rounded up to whole units; three digits of a fraction count
        ("request_memory = 1.001G", "RequestMemory", "1026"),
        ("request_memory = 1.0005G", "RequestMemory", "1024"),
        ("request_memory = 1024K", "RequestMemory", "1"),
        ("request_memory = 1025K", "RequestMemory", "2"),
        ("request_memory = .5GB", "RequestMemory", "512"),
        ("request_memory = 1T", "RequestMemory", "1048576"),
        ("request_memory = 7", "RequestMemory", "7"),
        ("request_memory = 1GB,2GB", "RequestMemory", "1024"),
        ("request_memory = undefined", "RequestMemory", None),
        ("request_disk = 1.5", "RequestDisk", "2"),
        ("request_disk = 2 TB", "RequestDisk", "2147483648"),
        # a runtime of GPUs is MAJOR.MINOR, or the number that CUDA makes of it
        ("gpus_minimum_runtime = 12.0\nrequest_gpus = 1", "GPUsMinRuntime", "12000"),
        ("gpus_minimum_runtime = 12.1\nrequest_gpus = 1", "GPUsMinRuntime", "12010"),
        ("gpus_minimum_runtime = 12.99\nrequest_gpus = 1", "GPUsMinRuntime", "12990"),
        ("gpus_minimum_runtime = 12.100\nrequest_gpus = 1", "GPUsMinRuntime", "12.1"),
        ("gpus_minimum_runtime = 1000\nrequest_gpus = 1", "GPUsMinRuntime", "1000000"),
        ("gpus_minimum_runtime = 1001\nrequest_gpus = 1", "GPUsMinRuntime", "1001"),
        ("gpus_minimum_runtime = 12.4", "GPUsMinRuntime", None),
        # an exit code, or an expression
        ("retry_until = 5\nmax_retries = 3", "OnExitRemove", f"{RETRY}ExitCode =?= 5"),
        ("retry_until = 2 + 3\nmax_retries = 3", "OnExitRemove", f"{RETRY}ExitCode =?= 5"),
        ("retry_until = ExitCode > 3\nmax_retries = 3", "OnExitRemove", f"{RETRY}ExitCode > 3"),
        ("retry_until = 2147483647\nmax_retries = 3", "OnExitRemove", f"{RETRY}ExitCode =?= 2147483647"),
        ("retry_until = -2147483648\nmax_retries = 3", "OnExitRemove", f"{RETRY}ExitCode =?= -2147483648"),
        # signals by number and by name
        ("kill_sig = 9", "KillSig", '"SIGKILL"'),
        ("hold_kill_sig = sigusr1", "HoldKillSig", '"SIGUSR1"'),
        ("kill_sig_timeout = 12", "KillSigTimeout", "12"),
        ("kill_sig_timeout = -12 s", "KillSigTimeout", "-12"),
        ("", "KillSig", None),
        ("universe = scheduler", "KillSig", '"SIGTERM"'),
        # what every job has, unless it says otherwise
        ("", "CurrentHosts", "0"),
        ("+CurrentHosts = 3", "CurrentHosts", "3"),
        ("", "MaxHosts", "1"),
        ("+JobNotification = 2", "JobNotification", "2"),
        ("JOBSET.x = 1", "JobSetName", '"7"'),
        ("JOBSET.x = 1\nJOBSET.name = mine", "JobSetName", '"mine"'),
        ('JOBSET.JobSetName = "mine"', "JobSetName", '"mine"'),
        ("jobset = mine\nJOBSET.name = yours", "JobSetName", '"mine"'),
        ('+JobSetName = "mine"\nJOBSET.name = yours', "JobSetName", '"mine"'),
        ("JOBSET.name =", "JobSetName", None),
        ("+Number = 0", "Number", "0"),
    ],
)
def test_a_value_becomes_this_attribute(alice: Any, command: str, attribute: str, text: str | None) -> None:
    assert alice.job(command).get(attribute) == text


JAVA = "universe = java\narguments = Main\n"
BOTH = "java_vm_arguments = a\njava_vm_arguments2 = \"-Xmx1 'b c'\""


@pytest.mark.parametrize(
    ("command", "attributes"),
    [
        (f"{JAVA}java_vm_args = -Xmx1 -a", {"JavaVMArgs": '"-Xmx1 -a"', "JavaVMArguments": None}),
        (f"{JAVA}java_vm_arguments = -Xmx1 -a", {"JavaVMArgs": '"-Xmx1 -a"', "JavaVMArguments": None}),
        (f"{JAVA}java_vm_arguments2 = \"-X 'b c'\"", {"JavaVMArgs": None, "JavaVMArguments": "\"-X b' 'c\""}),
        (f"{JAVA}{BOTH}\nallow_arguments_v1 = true", {"JavaVMArgs": None, "JavaVMArguments": "\"-Xmx1 b' 'c\""}),
        (f"{JAVA}", {"JavaVMArgs": None, "JavaVMArguments": None}),
        ("arguments = a b", {"Args": '"a b"', "Arguments": None}),
        ("arguments = \"a 'b c'\"", {"Args": None, "Arguments": "\"a b' 'c\""}),
        ("job_lease_duration = 5", {"JobLeaseDuration": "20"}),
        ("job_lease_duration = 1000", {"JobLeaseDuration": "1000"}),
        ("nice_user = true", {"AccountingGroup": '"nice-user.alice"', "MaxJobRetirementTime": "0"}),
        ("accounting_group = g", {"AccountingGroup": '"g.alice"', "AcctGroup": '"g"', "AcctGroupUser": '"alice"'}),
        ("accounting_group = g\naccounting_group_user = u", {"AccountingGroup": '"g.u"', "AcctGroupUser": '"u"'}),
        ("cron_minute = 0", {"CronMinute": '"0"', "DeferralPrepTime": "300", "DeferralWindow": "0"}),
        ("deferral_time = 1700000000\ndeferral_window = 3\ndeferral_prep_time = 9",
         {"DeferralTime": "1700000000", "DeferralWindow": "3", "DeferralPrepTime": "9"}),
        ("hold = true", {"JobStatus": "5", "HoldReasonCode": "15"}),
        ("universe = parallel\nmachine_count = 3", {"MinHosts": "3", "MaxHosts": "3", "JobUniverse": "11"}),
        ("max_retries = 3\nsuccess_exit_code = 2", {"JobSuccessExitCode": "2", "JobMaxRetries": "3"}),
        ("noop_job = true\nnoop_job_exit_code = 3", {"IsNoopJob": "true", "NoopJobExitCode": "3"}),
        ("tool_daemon_cmd = /bin/sleep\ntool_daemon_args = a b\ntool_daemon_output = o",
         {"ToolDaemonCmd": '"/bin/sleep"', "ToolDaemonArgs": '"a b"', "ToolDaemonOutput": '"o"'}),
        ("rank = 5\npreferences = 3", {"Rank": "5"}),
    ],
)  # fmt: skip
def test_commands_that_become_several_attributes(alice: Any, command: str, attributes: dict[str, str | None]) -> None:
    job = alice.job(command)
    assert {name: job.get(name) for name in attributes} == attributes


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("request_memory = 1B", "Parse error in expression"),
        ("retry_until = 2147483648\nmax_retries = 3", "retry_until=2147483648 is invalid"),
        ("retry_until = -2147483649\nmax_retries = 3", "retry_until=-2147483649 is invalid"),
        ("retry_until = ((\nmax_retries = 3", r"retry_until=\(\( is invalid"),
        ("kill_sig = 99", "invalid signal 99"),
        ("kill_sig = -9", "invalid signal -9"),
        ("remove_kill_sig = term", "invalid signal term"),
        ("notification = sometimes", "Notification must be 'Never', 'Always', 'Complete', 'Start', or 'Error'"),
        ("success_exit_code = x y", "success_exit_code"),
        (f"{JAVA}{BOTH}", "If you wish to specify both 'java_vm_arguments' and"),
        (f"{JAVA}java_vm_args = a\njava_vm_arguments = b", "both java_vm_args and java_vm_arguments"),
        ("universe = java", "In Java universe, you must specify the class name to run"),
    ],
)
def test_a_value_that_cannot_be_is_refused(alice: Any, command: str, message: str) -> None:
    with pytest.raises(SubmitError, match=message):
        alice.job(command)


@pytest.mark.parametrize(("word", "number"), [("never", 0), ("Always", 1), ("complete", 2), ("ERROR", 3), ("start", 4)])
def test_when_mail_is_sent(alice: Any, word: str, number: int) -> None:
    assert alice.job(f"notification = {word}")["JobNotification"] == str(number)
    alice.set(notification=word)
    assert alice.job("")["JobNotification"] == str(number)


@pytest.mark.parametrize(
    ("lines", "out", "err", "remaps"),
    [
        ("output = a/o\nerror = b/e", "_condor_stdout", "_condor_stderr", "_condor_stdout=a/o;_condor_stderr=b/e"),
        ("output = o\nerror = e", "o", "e", None),
        ("output = a/x\nerror = a/x", "_condor_stdout", "_condor_stdout", "_condor_stdout=a/x;_condor_stdout=a/x"),
        ("output = a/x=y;z\nerror = e", "_condor_stdout", "e", r"_condor_stdout=a/x\=y\;z"),
        ("output = a/o\nstream_output = true", "a/o", "/dev/null", None),
        ('output = a/o\ntransfer_output_remaps = "m=n"', "_condor_stdout", "/dev/null", "m=n;_condor_stdout=a/o"),
    ],
)
def test_streams_of_a_spooled_job_have_names_without_directories(
    alice: Any, lines: str, out: str, err: str, remaps: str | None
) -> None:
    """They are brought to where they belong when the output is fetched."""
    for name in ("a", "b"):
        (alice.directory / name).mkdir()
    alice.options = BuildOptions(user="alice", remote=True)
    job = alice.job(lines)
    quoted = None if remaps is None else f'"{remaps}"'
    assert (job["Out"], job["Err"], job.get("TransferOutputRemaps")) == (f'"{out}"', f'"{err}"', quoted)
    alice.options = BuildOptions(user="alice")
    assert alice.job(lines)["Out"] in (f'"{out}"', '"a/o"', '"a/x"', '"a/x=y;z"')


IMAGES = {
    "gce": "gce_image = i\ngce_machine_type = m",
    "azure": "\n".join(
        f"azure_{name} = /dev/null" for name in ("image", "location", "size", "admin_username", "admin_key")
    ),
    "ec2": "ec2_ami_id = i\nec2_access_key_id = FROM INSTANCE\nec2_secret_access_key = FROM INSTANCE",
}


@pytest.mark.parametrize(
    ("resource", "command", "what"),
    [
        ("gce https://x a b", "gce_auth_file", "auth"), ("gce https://x a b", "gce_metadata_file", "metadata"),
        ("gce https://x a b", "gce_json_file", "json"), ("azure sub", "azure_auth_file", "auth"),
        ("ec2 https://x", "ec2_user_data_file", "user data"),
    ],
)  # fmt: skip
def test_a_file_of_a_cloud_job_that_is_missing_is_named(alice: Any, resource: str, command: str, what: str) -> None:
    text = f"universe = grid\ngrid_resource = {resource}\n{IMAGES[resource.partition(' ')[0]]}\n{command} = "
    alice.set(skip_filechecks=False)
    auth = "" if "auth" in command else "gce_auth_file = /dev/null\n"
    with pytest.raises(SubmitError, match=f"{what} file .*nowhere"):
        alice.job(f"{auth}{text}nowhere")


def told(alice: Any, text: str) -> list[str]:
    """The warnings about a description."""
    file = alice.parse(f"executable = /bin/true\n{text}\nqueue\n")
    for draft in clusters_of(file):
        list(draft.make(1, alice.options).own)
    return list(file.messages.warnings().splitlines())


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("ENV", "HOME"), ("INT", "x"), ("REAL", "x"), ("STRING", "x"), ("EVAL", "x"), ("CHOICE", "x,a,b"),
        ("SUBSTR", "x,0"), ("RANDOM_CHOICE", "a,b"), ("RANDOM_INTEGER", "1,2"), ("BASENAME", "x"), ("DIRNAME", "x"),
        ("Fnx", "x"),
    ],
)  # fmt: skip
def test_a_function_in_parentheses_is_none(alice: Any, function: str, arguments: str) -> None:
    found = [line for line in told(alice, f"x = 1\narguments = $({function}({arguments}))") if "no function" in line]
    assert len(found) == 1
    assert f"write ${function}(...)" in found[0]
    assert not [
        line for line in told(alice, f"x = 1\narguments = ${function}({arguments})") if "there is no function" in line
    ]


@pytest.mark.parametrize(
    "method",
    ["http", "https", "dav", "davs", "ftp", "file", "data", "osdf", "pelican", "stash", "s3", "gs", "box", "gdrive",
     "onedrive"],
)  # fmt: skip
def test_usual_urls_are_no_mistake_and_misspelled_ones_are(alice: Any, method: str) -> None:
    keys = "s3_access_key_id_file = /dev/null\ns3_secret_access_key_file = /dev/null\n"
    keys += keys.replace("s3", "gs")
    assert not [line for line in told(alice, f"{keys}transfer_input_files = {method}://x/y") if "did you mean" in line]
    if len(method) > 4:
        wrong = f"{method[:2]}{method[1:]}"
        found = [line for line in told(alice, f"transfer_input_files = {wrong}://x/y") if method in line]
        assert found, wrong


@pytest.mark.parametrize("name", ["environment", "env"])
def test_an_environment_in_the_wrong_way_is_named(alice: Any, name: str) -> None:
    assert [line for line in told(alice, f"{name} = A=1 B=2") if "this is one variable" in line]
    assert [line for line in told(alice, f'{name} = "A=1;B=2"') if "spaces, not semicolons" in line]
    assert told(alice, f'{name} = "A=1 B=2"') == []


@pytest.mark.parametrize(("time", "past"), [("0", True), ("1500000000", True), ("1700000000", False)])
def test_a_time_that_is_long_past_is_named(alice: Any, time: str, past: bool) -> None:
    assert bool([line for line in told(alice, f"deferral_time = {time}") if "is past" in line]) is past


def test_the_items_of_a_command_are_what_it_prints(alice: Any) -> None:
    alice.commands = {"list": "a\nb\n", "list -x": "c\n"}
    for queue, found in (("list|", ["a", "b"]), ("list |", ["a", "b"]), ("list -x |", ["c"])):
        jobs = alice.jobs(f"executable = /bin/true\narguments = $(x)\nqueue x from {queue}\n")
        assert [job["Args"] for job in jobs] == [f'"{item}"' for item in found]


def test_a_heading_that_a_table_does_not_have_is_refused(alice: Any) -> None:
    with pytest.raises(SubmitError, match="is beyond the end of table"):
        alice.jobs("executable = /bin/true\nqueue from table(header=5) (\n1,2\n)\n")


def test_a_file_whose_name_the_slot_completes_is_not_checked(alice: Any) -> None:
    alice.set(skip_filechecks=False)
    assert alice.job("output = none$$(Memory)/o")["Out"] == '"none$$(Memory)/o"'
    with pytest.raises(SubmitError, match="none/o"):
        alice.job("output = none/o")


def test_a_set_of_jobs_has_a_name_only_where_one_is_wanted(alice: Any) -> None:
    assert "JobSetName" not in alice.job("")
    assert alice.job("JOBSET.priority = 3")["JobSetName"] == '"7"'


@pytest.mark.parametrize("line", ["jobset = s$(Process)", '+JobSetName = "s$(Process)"'])
def test_the_jobs_of_a_cluster_are_in_one_set(alice: Any, line: str) -> None:
    text = f"executable = /bin/true\n{line}\nqueue 2\n"
    with pytest.raises(
        SubmitError, match=r"\(7.0:s0 != 7.1:s1\) All jobs from a single submission must be in the same"
    ):
        alice.jobs(text)


def test_the_first_job_names_the_set_of_a_cluster(alice: Any) -> None:
    jobs = alice.jobs("executable = /bin/true\nJOBSET.Name = s$(Process)\nqueue 2\n")
    assert [job["JobSetName"] for job in jobs] == ['"s0"', '"s0"']
