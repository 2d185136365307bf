"""Attributes that commands become (condor_submit manual); the differential tests cover the breadth."""

from __future__ import annotations

from typing import Any

import pytest

from condor_py.lang.submit.base import round_value
from condor_py.lang.submit.build import clusters_of
from condor_py.lang.submit.errors import SubmitError


@pytest.mark.parametrize(
    ("command", "attribute", "text"),
    [
        ("request_memory = 2.5 GB", "RequestMemory", "2560"),
        ("request_memory = 100K", "RequestMemory", "1"),
        ("request_disk = 1 MB", "RequestDisk", "1024"),
        ("request_disk = 10", "RequestDisk", "10"),
        ("request_cpus = 2*4", "RequestCpus", "2 * 4"),
        ("request_widgets = 3", "Requestwidgets", "3"),
        ("image_size = 1M", "ImageSize", "1024"),
        ("priority = 2 + 3", "JobPrio", "5"),
        ("prio = 4", "JobPrio", "4"),
        ("batch_name = \"quoted\"", "JobBatchName", '"quoted"'),
        ("log = logs//x.log", "UserLog", None),
        ("log_xml = True", "UserLogUseXML", "true"),
        ("notification = Error", "JobNotification", "3"),
        ("kill_sig = 12", "KillSig", '"SIGUSR2"'),
        ("remove_kill_sig = sigint", "RemoveKillSig", '"SIGINT"'),
        ("concurrency_limits = XSW, a:2", "ConcurrencyLimits", '"a:2,xsw"'),
        ("gpus_minimum_runtime = 11.4\nrequest_gpus=1", "GPUsMinRuntime", "11040"),
        ("gpus_minimum_runtime = 12020\nrequest_gpus=1", "GPUsMinRuntime", "12020"),
        ("gpus_minimum_runtime = 12\nrequest_gpus=1", "GPUsMinRuntime", "12000"),
        ("gpus_minimum_memory = 4G\nrequest_gpus=1", "GPUsMinMemory", "4096"),
        ("gpus_minimum_memory = 4G\nrequest_gpus=1", "RequireGPUs", "GlobalMemoryMb >= GPUsMinMemory"),
        ("gpus_minimum_memory = x*2\nrequest_gpus=1", "GPUsMinMemory", "x * 2"),
        (
            "request_gpus=1\nrequire_gpus = Capability > 4 || x\ngpus_minimum_capability = 5\ngpus_minimum_memory = 1G",
            "RequireGPUs",
            "(Capability > 4 || x) && GlobalMemoryMb >= GPUsMinMemory",
        ),
        (
            "request_gpus=1\nrequire_gpus = V > 4\ngpus_minimum_capability = 5\ngpus_maximum_capability = 8",
            "RequireGPUs",
            "V > 4 && Capability >= GPUsMinCapability && Capability <= GPUsMaxCapability",
        ),
        ("JOBSET.Name = \"my set\"", "JobSetName", '"my set"'),
        ("+Text = \"a\"\"", "Text", None),
        ("max_materialize = 5", "JobMaterializeLimit", "5"),
        ("+Nothing =", "Nothing", "undefined"),
        ("MY.List = {1,2}", "List", "{ 1,2 }"),
        ("description = say \"hi\"", "JobDescription", '"say \\"hi\\""'),
        ("email_attributes = A , B  C", "EmailAttributes", '"A,B,C"'),
        ("checkpoint_exit_code = 85", "WantFTOnCheckpoint", "true"),
        ("should_transfer_files = yes", "ShouldTransferFiles", '"YES"'),
        ("when_to_transfer_output = ON_EXIT_OR_EVICT", "ShouldTransferFiles", '"YES"'),
        ("shell = echo 'a b'", "Cmd", '"/bin/sh"'),
        ("shell = echo 'a b'", "TransferExecutable", "false"),
        ("shell = exit 3", "Arguments", "\"-c exit' '3\""),
        ("submit_event_notes_attrs = A, B", "SubmitEventNotesAttrs", '"A, B"'),
        ("want_job_networking = 1", "WantJobNetworking", "true"),
        ("project_name = p", "ProjectName", '"p"'),
    ],
)  # fmt: skip
def test_command(alice, command: str, attribute: str, text: str | None) -> None:
    if attribute == "Text":
        with pytest.raises(SubmitError, match="Parse error in expression"):
            alice.job(command)
        return
    expected = f'"{alice.directory}/logs/x.log"' if attribute == "UserLog" else text
    assert alice.job(command)[attribute] == expected


def test_start_values_of_a_plain_job(alice) -> None:
    job = alice.job("")
    assert (job["RequestCpus"], job["RequestMemory"], job["Rank"], job["JobStatus"]) == ("1", "128", "0.0", "1")
    assert job["RequestDisk"] == "MAX({ 1024,(TransferInputSizeMB + 1) * 1.25 }) * 1024"
    assert job["Requirements"] == (
        '(TARGET.Arch == "X86_64") && (TARGET.OpSys == "LINUX")'
        ' && (versionGE(split(TARGET.CondorVersion)[1],"25.12.0") || (TARGET.Disk >= RequestDisk))'
        " && (TARGET.Memory >= RequestMemory)"
        " && ((TARGET.FileSystemDomain == MY.FileSystemDomain) || (TARGET.HasFileTransfer))"
    )


@pytest.mark.parametrize(
    ("commands", "clause", "present"),
    [
        ("request_memory = 1", "(TARGET.Memory >= RequestMemory)", False),
        ("request_memory = undefined", "(TARGET.Memory >= RequestMemory)", False),
        ("request_cpus = 2", "(TARGET.Cpus >= RequestCpus)", True),
        ("request_cpus = 1", "(TARGET.Cpus >= RequestCpus)", False),
        ("request_gpus = 1", "(TARGET.GPUs >= RequestGPUs)", True),
        ("request_gpus = 1\nrequire_gpus = Capability > 4", "countMatches(MY.RequireGPUs,TARGET.AvailableGPUs)", True),
        ('request_tag = "x"', "regexp(Requesttag,TARGET.tag)", True),
        ('requirements = OpSysAndVer == "Debian12"', "(TARGET.OpSys ==", False),
        ('requirements = Arch == "ARM"', '(TARGET.Arch == "X86_64")', False),
        ("should_transfer_files = NO", "HasFileTransfer", False),
        ("transfer_input_files = https://x/y", 'stringListIMember("https",TARGET.HasFileTransferPluginMethods)', True),
        (
            "should_transfer_files=yes\npreserve_relative_paths=true",
            '(TARGET.HasFileTransfer && versioncmp(split(TARGET.CondorVersion)[1],"8.9.7") >= 0)',
            True,
        ),
        ("should_transfer_files=yes\nencrypt_input_files=a", "HasFileTransfer && TARGET.HasPerFileEncryption)", True),
        ("cron_minute = 5", "TARGET.HasJobDeferral", True),
        ("universe = java\narguments = Main", "TARGET.HasJava", True),
        ("container_image = docker://debian", "TARGET.HasDockerURL", True),
    ],
)
def test_requirement_clauses(alice, commands: str, clause: str, present: bool) -> None:
    assert (clause in alice.job(commands)["Requirements"]) is present


def test_every_place_of_a_url_asks_for_its_plugin(alice) -> None:
    job = alice.job(
        "should_transfer_files = yes\noutput_destination = https://x/y\n"
        'transfer_output_remaps = "a=osdf:///b;c=d"\ntransfer_input_files = plain,HTTP://x/y'
    )
    assert job["WantTransferPluginMethods"] == '"HTTP,https,osdf"'
    asked = [f'stringListIMember("{name}",TARGET.HasFileTransferPluginMethods)' for name in ("HTTP", "https", "osdf")]
    assert job["Requirements"].endswith(f" && (TARGET.HasFileTransfer && {' && '.join(asked)})")


def test_retries_become_one_exit_rule(alice) -> None:
    job = alice.job("max_retries = 3\nretry_until = a ? b : c\non_exit_remove = ExitCode == 5")
    assert job["JobMaxRetries"] == "3"
    assert job["OnExitHold"] == "false"
    assert job["OnExitRemove"] == (
        "NumJobCompletions > JobMaxRetries || ExitCode =?= 0 || (a ? b : c) || ExitCode == 5"
    )
    assert alice.job("success_exit_code = 7")["OnExitRemove"] == (
        "NumJobCompletions > JobMaxRetries || ExitCode =?= JobSuccessExitCode"
    )


def test_memory_list_becomes_a_retry_rule(alice) -> None:
    job = alice.job("request_memory = 1G, 2G, 4G")
    assert (job["RequestMemory"], job["RetryRequestMemory"]) == ("1024", "{ 2048,4096 }")
    assert job["TransformOnEvict"] == '"RequestMemory"'
    assert "EVALSET RequestMemory RetryRequestMemory[RetryRequestMemoryIndex?:0]" in job["TransformBody_RequestMemory"]
    assert alice.job("request_memory = 1G, 2G")["TransformBody_RequestMemory"].endswith('SET RequestMemory 2048"')
    with pytest.raises(SubmitError, match="increasing sequence"):
        alice.job("request_memory = 1G, 4G, 2G")


def test_transforms_for_the_end_of_a_run_are_checked(alice) -> None:
    text = "executable = /bin/true\non_evict_checks = A B C\ntransform_body_A = SET RequestCpus 2\n"
    file = alice.parse(text + "transform_body_B @=end\nREQUIREMENTS ((\n@end\nqueue 2\n")
    (draft,) = clusters_of(file)
    made = draft.make(1, alice.options)
    assert len(list(made.own)) == 2
    assert made.attributes["transformonevict"][1] == '"A B"'
    assert file.messages.warnings().splitlines() == [
        "WARNING: transform_body_B: invalid REQUIREMENTS : ((",
        "WARNING: on_evict_checks names C, but there is no transform_body_C",
    ]


def test_settings_shape_jobs(alice) -> None:
    alice.set(
        append_requirements="Foo",
        default_rank="Mips",
        append_rank="Kflops",
        attributes=(("Site", '"here"'),),
        forced_attributes=(("Forced", "1"),),
        request_memory="",
        insert_default_policy=True,
    )
    job = alice.job("")
    assert job["Requirements"].startswith("(Foo) && ")
    assert (job["Rank"], job["Site"], job["Forced"]) == ("(Mips) + (Kflops)", '"here"', "1")
    assert "RequestMemory" not in job
    assert (job["PeriodicHold"], job["OnExitRemove"]) == ("false", "true")


def test_configuration_forces_an_attribute_over_the_file(alice) -> None:
    alice.set(attributes=(("Site", '"here"'),))
    assert alice.job('+Site = "mine"')["Site"] == '"mine"'


def test_getenv_of_the_submitter(alice) -> None:
    assert alice.job('getenv = HOME\nenvironment = "A=1"')["Environment"] == '"A=1 HOME=/home/alice"'
    alice.set(allow_getenv=False)
    with pytest.raises(SubmitError, match="SUBMIT_ALLOW_GETENV = false"):
        alice.job("getenv = true")


def test_input_files_count_for_the_disk_usage(alice) -> None:
    alice.write("data", "x" * 5000)
    alice.write("prog", "x" * 3000, mode=0o755)
    (job,) = alice.jobs("executable = prog\ntransfer_input_files = data\nqueue\n")
    assert (job["ExecutableSize"], job["DiskUsage"], job["TransferInputSizeMB"]) == ("3", "8", "1")
    assert job["Cmd"] == f'"{alice.directory}/prog"'


def test_initialdir_moves_everything_but_the_executable(alice) -> None:
    alice.write("sub/in.txt", "1")
    alice.write("prog", "#!/bin/sh\n", mode=0o755)
    (job,) = alice.jobs("executable = prog\ninitialdir = sub\ninput = in.txt\nlog = j.log\nqueue\n")
    assert job["Iwd"] == f'"{alice.directory}/sub"'
    assert job["UserLog"] == f'"{alice.directory}/sub/j.log"'
    assert job["Cmd"] == f'"{alice.directory}/prog"'


@pytest.mark.parametrize(
    ("text", "rule", "rounded"),
    [("43", "25%", "45"), ("0", "25%", "0"), ("1000", "25%", "1000"), ("1001", "25%", "1250"), ("7", "4", "10000"),
     ("0", "4", "0"), ("x + 1", "25%", None), ("5", "0", None)],
)  # fmt: skip
def test_rounding_as_the_schedd_does(text: str, rule: str, rounded: str | None) -> None:
    assert round_value(text, rule) == rounded


EXTENDED = (
    ("LongJob", "true"), ("Project", '"string"'), ("Fruit", '"a,b"'), ("SomeFile", '"filename"'), ("Num", "0"),
    ("Sig", "-1"), ("Ex", "a+b"), ("Off", "undefined"), ("accounting_group_user", "error"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("line", "attribute", "text"),
    [
        ("longjob = 1", "LongJob", "true"), ('Project = " a b "', "Project", '" a b "'),
        ("Project = x ", "Project", '"x"'),
        ("Fruit = a  b,c", "Fruit", '"a,b,c"'), ("Num = 2*3", "Num", "6"), ("Sig = -3", "Sig", "-3"),
        ("Ex = c + d", "Ex", "c + d"),
    ],
)  # fmt: skip
def test_commands_of_the_administrator(alice, line: str, attribute: str, text: str) -> None:  # type: ignore[no-untyped-def]
    alice.set(extended_commands=EXTENDED)
    assert alice.job(line)[attribute] == text


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("LongJob = foo", "LongJob=foo is invalid, must eval to a boolean."),
        ("Num = -3", "Num=-3 is invalid, must eval to a non-negative integer."),
        ("Sig = x", "Sig=x is invalid, must eval to an integer."),
        ("accounting_group_user = bob", "accounting_group_user=bob has been disabled by the administrator."),
    ],
)
def test_mistakes_with_commands_of_the_administrator(alice, line: str, message: str) -> None:  # type: ignore[no-untyped-def]
    alice.set(extended_commands=EXTENDED)
    with pytest.raises(SubmitError) as error:
        alice.job(line)
    assert message in error.value.report
    assert "Off" not in alice.job("Off = 3")


@pytest.mark.parametrize(
    ("everything", "pattern", "said", "expected"),
    [
        (False, "", "", False),
        (True, "", "", True),
        (False, r"^.*\.sif$", "", True),
        (False, "busybox", "", False),
        (False, "(", "", False),
        (True, "", "container_is_common = false", False),
        (False, "", "container_is_common = true", True),
    ],
)
def test_the_administrator_says_which_container_images_are_common(
    alice, everything: bool, pattern: str, said: str, expected: bool
) -> None:
    alice.set(containers_are_common=everything, common_containers=pattern)
    job = alice.job(f"container_image = busybox.sif\nshould_transfer_files = yes\n{said}")
    assert any(name.startswith("_x_catalog_container") for name in job) is expected


def test_when_to_transfer_output_may_be_never(alice) -> None:
    job = alice.job("should_transfer_files = yes\nwhen_to_transfer_output = never")
    assert job["WhenToTransferOutput"] == '"ON_EXIT"'


def test_a_command_for_condor_submit_alone_comes_first(alice) -> None:
    assert alice.job("SUBMIT.priority = 3\npriority = 4\nSUBMIT.z = 5\narguments = $(z)")["JobPrio"] == "3"


def test_a_file_of_output_is_refused_only_where_it_could_not_be_made(alice) -> None:
    alice.set(skip_filechecks=False)
    alice.write("there", "x")
    assert alice.job("output = there\nerror = new")["Err"] == '"new"'
    with pytest.raises(SubmitError, match=r'Can\'t open ".*/no/out"  with flags 01101 \(No such file or directory\)'):
        alice.job("output = no/out")
    with pytest.raises(SubmitError, match=r'Can\'t open ".*/no"  with flags 00 \(No such file or directory\)'):
        alice.job("input = no")


def test_an_attribute_of_the_administrator_stands_for_a_request(alice) -> None:
    alice.set(attributes=(("RequestDisk", "7"), ("RequestMemory", "9"), ("RequestCpus", "3")))
    job = alice.job("")
    assert (job["RequestDisk"], job["RequestMemory"], job["RequestCpus"]) == ("7", "9", "3")


def test_the_files_of_a_java_program_travel(alice) -> None:
    for name in ("Main.class", "a.jar", "b"):
        alice.write(name, "x")
    job = alice.jobs("universe = java\nexecutable = Main.class\narguments = Main\njar_files = a.jar\n"
                     "transfer_input_files = b\nqueue\n")[0]  # fmt: skip
    assert (job["TransferInput"], job["Cmd"]) == (f'"b,{alice.directory}/Main.class,a.jar"', '"java"')
    assert job["TransferExecutable"] == "false"
    alone = alice.jobs("universe = java\nexecutable = Main.class\narguments = Main\nqueue\n")[0]
    assert alone["TransferInput"] == f'"{alice.directory}/Main.class"'


_MEMORY = "REQUIREMENTS (VacateReasonCode==21 || VacateReasonCode == 34) && VacateReasonSubCode == 102"
_STEP = (
    "EVALSET RequestMemory RetryRequestMemory[RetryRequestMemoryIndex?:0]\\x1e"
    "EVALSET RetryRequestMemoryIndex MIN({size(RetryRequestMemory)-1, (RetryRequestMemoryIndex?:0)+1})"
)


@pytest.mark.parametrize(
    ("more", "body", "attributes"),
    [
        ("retry_request_memory = 2G", "SET RequestMemory 2048", {"RetryRequestMemory": None}),
        ("retry_request_memory = 2G, 4G", _STEP, {"RetryRequestMemory": "{ 2048,4096 }"}),
        ("retry_request_memory = 2G, MY.x", _STEP, {"RetryRequestMemory": "{ 2048,MY.x }"}),
        ("retry_request_memory = MY.x", "EVALSET RequestMemory MY.x", {}),
        ("retry_request_memory_increase = 5G", "SET RequestMemory 6144", {"NextRequestMemory": None}),
        ("retry_request_memory_increase = RequestMemory * 2", "SET RequestMemory 2048", {}),
        ("retry_request_memory_max = 4G", "SET RequestMemory 4096", {"MaxRequestMemory": None}),
        (
            "retry_request_memory_increase = RequestMemory * 2\nretry_request_memory_max = 8G",
            "EVALSET RequestMemory MIN({NextRequestMemory, MaxRequestMemory})",
            {"MaxRequestMemory": "8192", "NextRequestMemory": "RequestMemory * 2"},
        ),
        (
            "retry_request_memory_increase = 100\nretry_request_memory_max = 8G",
            "EVALSET RequestMemory MIN({NextRequestMemory, MaxRequestMemory})",
            {"NextRequestMemory": "RequestMemory + 100"},
        ),
        ("retry_request_memory = 2G\nretry_request_memory_increase = 1", "SET RequestMemory 2048", {}),
    ],
)
def test_a_job_that_needs_more_memory_asks_for_more(
    alice: Any, more: str, body: str, attributes: dict[str, str | None]
) -> None:
    job = alice.job(f"request_memory = 1G\n{more}")
    assert job["TransformOnEvict"] == '"RequestMemory"'
    assert job["TransformBody_RequestMemory"].replace("\x1e", "\\x1e") == f'"{_MEMORY}\\x1e{body}"'
    assert {name: job.get(name) for name in attributes} == attributes


@pytest.mark.parametrize(
    ("more", "error"),
    [
        ("retry_request_memory = ((", "retry_request_memory=(( is invalid. must be an expression or number\n"),
        (
            "retry_request_memory = 4G, 4G",
            "must have an increasing sequence of values, but 4096 is not greater than 4096",
        ),
        ("retry_request_memory = 0, 4G", "must have an increasing sequence of values, but 0 is not greater than 0"),
        (
            "retry_request_memory_increase = 0",
            "must be a positive number or an expression that references RequestMemory",
        ),
        (
            "retry_request_memory_increase = x",
            "must be a positive number or an expression that references RequestMemory",
        ),
        (
            "retry_request_memory_increase = RequestMemory / 0",
            "(RequestMemory / 0) must evaluate to an integer at submit",
        ),
        (
            "retry_request_memory_increase = RequestMemory > 0",
            "(RequestMemory > 0) must evaluate to an integer at submit",
        ),
    ],
)
def test_steps_of_memory_that_make_no_sense_are_refused(alice: Any, more: str, error: str) -> None:
    with pytest.raises(SubmitError) as caught:
        alice.job(f"request_memory = 1G\n{more}")
    assert error in caught.value.report


def test_a_job_that_needs_more_disk_asks_for_more(alice: Any) -> None:
    job = alice.job("request_memory = 1G, 2G\nrequest_disk = 1G\nretry_request_disk = 2G")
    assert sorted(job["TransformOnEvict"].strip('"').split()) == ["RequestDisk", "RequestMemory"]
    assert job["TransformBody_RequestDisk"].endswith('SET RequestDisk 2097152"')
    assert job["TransformBody_RequestMemory"].endswith('SET RequestMemory 2048"')


def test_a_url_for_notices_is_one_that_the_pool_posts_to(alice: Any) -> None:
    with pytest.raises(SubmitError, match="NOTIFY_URLS is empty"):
        alice.job("notify_url = https://hooks.example/a")
    alice.set(notify_urls=("https://hooks.example/", "https://h.example/b"))
    found = alice.job("notify_url = https://hooks.example/a?$(ProcId)")
    assert (found["NotifyUrl"], found["JobNotification"]) == ('"https://hooks.example/a?0"', "2")
    assert alice.job("notify_url = https://h.example/b\nnotification = error")["JobNotification"] == "3"
    with pytest.raises(SubmitError, match="does not begin with any of NOTIFY_URLS: https://hooks"):
        alice.job("notify_url = https://hooks.example.evil.com/")
    for wrong in ("https://me:secret@hooks.example/", "ftp://hooks.example/", "/tmp/x", "https://hooks.example/\u00e9"):
        with pytest.raises(SubmitError, match="is no URL that notices can go to"):
            alice.job(f"notify_url = {wrong}")


def test_an_account_that_the_negotiator_cannot_charge_is_refused_at_once(alice) -> None:
    """Its jobs were accepted, and waited for ever."""
    from condor_py.lang.submit.build import BuildOptions

    alice.options = BuildOptions(user="a b")
    with pytest.raises(SubmitError) as error:
        alice.job("")
    assert "The account name 'a b' has white space in it: set accounting_group_user" in error.value.report
    assert alice.job("accounting_group_user = ab")["AccountingGroup"] == '"ab"'
